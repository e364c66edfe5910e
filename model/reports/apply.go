package reports

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/timeline"
)

// NewReports returns those of locks about which nothing was reported yet. The timeline
// says who held when.
func NewReports(k *locks.State, spans *timeline.Timeline) *Reports {
	byLock, n := &places{k: k, locks: map[string]*Lock{}}, &news{k: k}
	return &Reports{k: k, timeline: spans, unlocks: map[*Lock]bool{}, believed: map[string]bool{}, news: n, places: byLock, Keepers: newKeepers(k, n),
		Programs: &Programs{contenders: map[string]*ContenderInfo{}, clients: clients{}},
		notebook: &notebook{k: k, news: n, places: byLock, notes: map[string]*Notes{}}}
}

// Forget drops what was reported of another cluster. Its contenders and the faults stay:
// they are processes, and no keys.
func (rs *Reports) Forget() {
	old := *rs
	*rs = *NewReports(old.k, old.timeline)
	rs.news = old.news
	rs.notebook.news, rs.Keepers.news = old.news, old.news
	rs.Programs.contenders, rs.faults, rs.outputs = old.Programs.contenders, old.faults, old.outputs
	for _, c := range rs.Programs.contenders {
		c.competitors = nil
	}
}

// Apply takes in a report, or what an event changed of the locks, and returns what that changed of
// the reports, which is valid until the next event.
func (rs *Reports) Apply(e model.Event, changes []locks.Change) []locks.Change {
	rs.news.reset()
	switch e := e.(type) {
	case model.Committed, model.Listed, model.Loaded:
		rs.keysChanged(changes)
	case model.Lost:
		if e.Reason == model.LostCluster {
			rs.Forget()
		}
	case model.Contender:
		rs.contender(e)
		rs.tellBelieved(e.Name)
	case model.Belief:
		rs.noteBelief(e)
		rs.tellBelieved(e.Contender)
	case model.LeaseOwner:
		if cl := rs.Programs.clients.at(e.Client, e.At); rs.Keepers.keeper(e) {
			cl.counts(e)
		}
	case model.Access:
		rs.access(e)
	case model.Wrote:
		rs.wrote(e)
	case model.Revoked:
		rs.revoked(e)
	case model.Watches:
		rs.watches(e)
	case model.Asked:
		if c := rs.Programs.contenders[e.Name]; c != nil && e.Certain {
			c.Asked = e
		}
	case model.Refused:
		rs.Keepers.refusal(e)
	case model.Connected:
		rs.connected(e)
	case model.Printed:
		rs.print(e)
	case model.TurnedAway:
		rs.news.write(&journal.Entry{At: e.At, Kind: journal.Lab, Text: model.Say("quote", e.Text)})
	case model.FaultOn:
		rs.faults = append(rs.faults, e)
		rs.news.write(&journal.Entry{At: e.At, Kind: journal.Lab, Text: model.Say("fault", e.Fault)})
	case model.FaultOff:
		rs.faultOff(e)
	}
	rs.explain(changes)
	rs.observe(changes)
	return rs.news.all
}

// news is what the event at hand changed of the reports.
type news struct {
	k   *locks.State
	all []locks.Change
}

func (n *news) reset() {
	clear(n.all)
	n.all = n.all[:0]
}

// due notes that the findings of a lock may have changed; one that is not known has none.
func (n *news) due(lock string) {
	if l := n.k.Keys.Lock(lock); l != nil {
		n.all = append(n.all, locks.Change{Kind: locks.Due, Lock: l})
	}
}

// leaseChanged notes that it is told otherwise whose a lease is, or who renews it.
func (n *news) leaseChanged(id model.LeaseID) {
	n.all = locks.LeaseChanged(n.all, n.k.Leases.Lease(id))
}

// explained notes why the claim of an entry went, nil for nothing new.
func (n *news) explained(f *journal.Entry, why *locks.Explanation) {
	if why != nil {
		n.all = append(n.all, locks.Change{Kind: locks.Explained, Entry: f, Why: why})
	}
}

// believed notes whether somebody believes that he holds a lock.
func (n *news) believed(lock string, holds bool) {
	kind := locks.Doubted
	if holds {
		kind = locks.Believed
	}
	n.all = append(n.all, locks.Change{Kind: kind, Name: lock})
}

// write has a line for the journal.
func (n *news) write(line *journal.Entry) {
	n.all = append(n.all, locks.Change{Kind: locks.Happened, Entry: line})
}

func (rs *Reports) info(name string) *ContenderInfo {
	c := rs.Programs.contenders[name]
	if c == nil {
		rs.dropEnded()
		c = &ContenderInfo{Contender: model.Contender{Name: name}}
		rs.Programs.contenders[name] = c
	}
	return c
}

// dropEnded forgets the contenders that ended when there are too many.
func (rs *Reports) dropEnded() {
	if len(rs.Programs.contenders) < contendersMax {
		return
	}
	for name, c := range rs.Programs.contenders {
		if c.Proc == model.ProcEnded {
			rs.places.leave(c)
			delete(rs.Programs.contenders, name)
		}
	}
}

func (rs *Reports) contender(e model.Contender) {
	c := rs.info(e.Name)
	if e.Proc != c.Proc && c.Proc != "" || e.Proc == model.ProcEnded {
		rs.news.write(&journal.Entry{At: e.At, Kind: journal.Lab, Lock: e.Lock, Text: processIs(e)})
	}
	if c.Proc == model.ProcPaused && e.Proc == model.ProcRunning {
		c.pauseEnded = e.At
	}
	if c.Proc == model.ProcEnded && e.Proc == model.ProcRunning {
		rs.startedAnew(c)
	}
	c.Contender = e
	if c.competitorOn(e.Lock) == nil {
		rs.places.move(c, e.Lock)
	}
	if e.Proc == model.ProcEnded {
		rs.ended(c, e.At)
	}
	rs.news.due(e.Lock)
}

// processIs says how the process of a contender is.
func processIs(e model.Contender) model.Message {
	switch {
	case e.Ended == "killed" && e.Proc == model.ProcEnded:
		return model.Say("process-killed", e.Name, e.PID)
	case e.Ended == "stopped" && e.Proc == model.ProcEnded:
		return model.Say("process-stopped", e.Name, e.PID)
	case e.Ended != "":
		return model.Say("process-ended-how", e.Name, e.PID, e.Proc, e.HowEnded())
	case e.Proc == model.ProcRunning:
		return model.Say("process-runs", e.Name, e.PID)
	case e.Proc == model.ProcPaused:
		return model.Say("process-paused", e.Name, e.PID)
	case e.Proc == model.ProcEnded:
		return model.Say("process-ended", e.Name, e.PID)
	}
	return model.Say("process-is", e.Name, e.PID, e.Proc)
}

// faultEnded says that a fault is over, and why.
func faultEnded(f model.Fault, why model.FaultEnd) model.Message {
	switch why {
	case model.FaultHealed:
		return model.Say("fault-healed", f)
	case model.FaultTargetEnded:
		return model.Say("fault-target-ended", f)
	case model.FaultTimeUp:
		return model.Say("fault-time-was-up", f)
	}
	return model.Say("fault-ended", f, string(why))
}

// startedAnew forgets what the process before said: a new one of that name has said nothing yet.
func (rs *Reports) startedAnew(c *ContenderInfo) {
	for _, worker := range rs.Programs.Workers(c.Name) {
		worker.Belief, worker.ContenderInfo.Belief = model.Belief{}, model.Belief{}
		rs.news.due(worker.place.name)
	}
	c.Belief = model.Belief{}
}

// ended forgets what a contender that ended had open.
func (rs *Reports) ended(c *ContenderInfo, at time.Time) {
	for _, worker := range rs.Programs.Workers(c.Name) {
		worker.endInterval(at, "")
	}
	rs.forgetOpen(c.Name)
}

func (rs *Reports) faultOff(e model.FaultOff) {
	for i, f := range rs.faults {
		if f.ID == e.ID {
			rs.faults = slices.Delete(rs.faults, i, i+1)
			rs.news.write(&journal.Entry{At: e.At, Kind: journal.Lab, Text: faultEnded(f.Fault, e.Why)})
			return
		}
	}
}

// Checkpoint returns events from which others know the contenders, what they believe and
// printed, and the faults in force, as they are now.
func (rs *Reports) Checkpoint() []model.Event {
	var all []model.Event
	for _, c := range rs.Contenders() {
		all = append(all, rs.Programs.contenders[c.Name].Contender)
		for _, competitor := range c.competitors {
			if !competitor.Belief.At.IsZero() && !competitor.Belief.Same(c.Belief) {
				all = append(all, competitor.Belief)
			}
		}
		if !c.Belief.At.IsZero() { // its last word
			all = append(all, c.Belief)
		}
		if !c.Asked.At.IsZero() {
			all = append(all, c.Asked)
		}
	}
	for _, o := range rs.outputs {
		all = append(all, model.Printed{At: rs.k.Now(), Contender: o.Contender, Left: o.Left, Lines: slices.Clone(o.Lines)})
	}
	for _, f := range rs.faults {
		all = append(all, f)
	}
	return all
}

// Contenders returns the contenders of the lab, c2 before c10. A program that is known by nothing
// but its requests competes for the lock whose keys it puts.
func (rs *Reports) Contenders() []ContenderInfo {
	all := make([]ContenderInfo, 0, len(rs.Programs.contenders))
	for _, c := range rs.Programs.contenders {
		one := *c
		switch {
		case c.Belief.Lock != "": // its last word is held against what is true of the same lock
			one.Lock = c.Belief.Lock
		case one.Lock == "" && c.wrote != "":
			one.Lock = rs.lockOf(c.wrote)
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b ContenderInfo) int {
		if d := len(a.Name) - len(b.Name); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all
}

// lockOf is the lock for which a key competes, or did as far as its name tells; "" if there is
// none of that name.
func (rs *Reports) lockOf(key string) string {
	l := rs.k.Keys.Lock(rs.places.lockName(key))
	if c := rs.k.Keys.Claim(key); c != nil {
		l = c.Lock()
	}
	if l == nil {
		return ""
	}
	return l.Name
}

// Faults returns the faults in force, oldest first.
func (rs *Reports) Faults() []model.FaultOn { return rs.faults }
