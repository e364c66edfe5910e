package lab

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/intervals"
	"locktop/model/journal"
	"locktop/model/keyspace"
)

// NewReports returns those of a keyspace about which nothing was reported yet. The book
// says who held when.
func NewReports(k *keyspace.Keyspace, book *intervals.Book) *Reports {
	on := &places{k: k, locks: map[string]*Lock{}}
	return &Reports{k: k, book: book, Owners: newOwners(k), accesses: &accesses{}, outputs: &outputs{},
		Programs: &Programs{contenders: map[string]*ContenderInfo{}, clients: clients{}},
		notebook: &notebook{k: k, places: on, notes: map[string]*Notes{}}}
}

// Forget drops what was reported of another cluster. Its contenders and the faults stay:
// they are processes, and no keys.
func (lab *Reports) Forget() {
	old := *lab
	*lab = *NewReports(old.k, old.book)
	lab.contenders, lab.faults, lab.outputs = old.contenders, old.faults, old.outputs
	for _, c := range lab.contenders {
		c.competitors = nil
	}
}

// Apply takes a report in, after the keyspace has seen the event.
func (lab *Reports) Apply(e model.Event) {
	switch e := e.(type) {
	case model.Contender:
		lab.contender(e)
	case model.Belief:
		lab.noteBelief(e)
	case model.LeaseOwner:
		if cl := lab.clients.at(e.Client, e.At); lab.keeper(e) {
			cl.counts(e)
		}
		lab.noteOwner(e)
	case model.Access:
		lab.access(e)
	case model.Wrote:
		lab.wrote(e)
	case model.Revoked:
		lab.revoked(e)
	case model.Watches:
		lab.watches(e)
	case model.Asked:
		if c := lab.contenders[e.Name]; c != nil && e.Certain {
			c.Asked = e
		}
	case model.Refused:
		lab.refusal(e)
	case model.Connected:
		lab.connected(e)
	case model.Printed:
		lab.print(e)
	case model.TurnedAway:
		lab.k.Record(&journal.Entry{At: e.At, Kind: journal.Lab, Text: e.Text})
	case model.FaultOn:
		lab.faults = append(lab.faults, e)
		lab.k.Record(&journal.Entry{At: e.At, Kind: journal.Lab, Text: "fault: " + e.Fault.Describe()})
	case model.FaultOff:
		lab.faultOff(e)
	}
}

func (lab *Reports) info(name string) *ContenderInfo {
	c := lab.contenders[name]
	if c == nil {
		lab.dropEnded()
		c = &ContenderInfo{Contender: model.Contender{Name: name}}
		lab.contenders[name] = c
	}
	return c
}

// dropEnded forgets the contenders that ended when there are too many.
func (lab *Reports) dropEnded() {
	if len(lab.contenders) < contendersMax {
		return
	}
	for name, c := range lab.contenders {
		if c.Proc == model.ProcEnded {
			lab.leave(c)
			delete(lab.contenders, name)
		}
	}
}

func (lab *Reports) contender(e model.Contender) {
	c := lab.info(e.Name)
	if e.Proc != c.Proc && c.Proc != "" || e.Proc == model.ProcEnded {
		text := fmt.Sprintf("%s (pid %d) is %s", e.Name, e.PID, e.Proc)
		if e.Ended != "" {
			text += ": " + e.Ended
		}
		lab.k.Record(&journal.Entry{At: e.At, Kind: journal.Lab, Lock: e.Lock, Text: text})
	}
	if c.Proc == model.ProcPaused && e.Proc == model.ProcRunning {
		c.pauseEnded = e.At
	}
	c.Contender = e
	if c.on(e.Lock) == nil {
		lab.move(c, e.Lock)
	}
	if e.Proc == model.ProcEnded {
		lab.ended(c, e.At)
	}
	lab.k.MarkLock(e.Lock)
}

// ended forgets what a contender that ended had open.
func (lab *Reports) ended(c *ContenderInfo, at time.Time) {
	for _, worker := range lab.Workers(c.Name) {
		worker.endInterval(at, "")
	}
	lab.forgetOpen(c.Name)
}

func (lab *Reports) faultOff(e model.FaultOff) {
	for i, f := range lab.faults {
		if f.ID == e.ID {
			lab.faults = slices.Delete(lab.faults, i, i+1)
			lab.k.Record(&journal.Entry{At: e.At, Kind: journal.Lab, Text: "fault ended: " + f.Fault.Describe() + " (" + e.Why + ")"})
			return
		}
	}
}

// orElse returns a, or b if a is empty.
func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Beginning returns events from which others know the contenders, what they believe and
// printed, whose the leases are, and the faults in force, as they are now.
func (lab *Reports) Beginning() []model.Event {
	var all []model.Event
	for _, c := range lab.Contenders() {
		all = append(all, lab.contenders[c.Name].Contender)
		for _, on := range c.competitors {
			if !on.Belief.At.IsZero() && on.Belief != c.Belief {
				all = append(all, on.Belief)
			}
		}
		if !c.Belief.At.IsZero() { // its last word
			all = append(all, c.Belief)
		}
		if !c.Asked.At.IsZero() {
			all = append(all, c.Asked)
		}
	}
	for _, o := range lab.Outputs() {
		all = append(all, model.Printed{At: lab.k.Now(), Contender: o.Contender, Left: o.Left, Lines: slices.Clone(o.Lines)})
	}
	for _, id := range lab.Owners.order {
		all = append(all, lab.owners[id])
	}
	for _, f := range lab.faults {
		all = append(all, f)
	}
	return all
}

// Contenders returns the contenders of the lab, c2 before c10. A program that is known by nothing
// but its requests competes for the lock whose keys it puts.
func (lab *Reports) Contenders() []ContenderInfo {
	all := make([]ContenderInfo, 0, len(lab.contenders))
	for _, c := range lab.contenders {
		one := *c
		if one.Lock == "" && c.wrote != "" {
			one.Lock = lab.lockOf(c.wrote)
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
func (lab *Reports) lockOf(key string) string {
	l := lab.k.Lock(lab.lockName(key))
	if c := lab.k.Claim(key); c != nil {
		l = c.Lock()
	}
	if l == nil {
		return ""
	}
	return l.Name
}

// Faults returns the faults in force, oldest first.
func (lab *Reports) Faults() []model.FaultOn { return lab.faults }
