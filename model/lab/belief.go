package lab

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/model"
)

// ContenderInfo is a contender with its belief beside what etcd says.
type ContenderInfo struct {
	model.Contender
	Belief model.Belief // its last word, on whichever lock; zero At: it has said nothing yet
	Lease  model.LeaseID
	// LastAccess is its last access to the guarded resource, zero At for none;
	// Accepted and Refused count them all.
	LastAccess        model.Access
	Accepted, Refused int

	pauseEnded  time.Time     // when its process last ran on after a pause
	competitors []*Competitor // on the locks that it competes for, in the order in which it came to them
}

// Competitor what a contender says of one lock: one that takes several says of one of
// them that it holds while it waits for the next.
type Competitor struct {
	*ContenderInfo
	Belief model.Belief // its last word on this lock; zero At: it has said nothing of it yet

	place    *LabLock
	interval *span // while it believes that it holds
}

// competitorsMax bounds how many locks of a contender are followed, the last ones.
const competitorsMax = 16

// Reports is what the lab and its proxy reported.
type Reports struct {
	k          *model.Keyspace
	contenders map[string]*ContenderInfo
	faults     []model.FaultOn
	owners     map[model.LeaseID]model.LeaseOwner
	ownerOrder []model.LeaseID
	locks      map[string]*LabLock
	proxyState
}

// ownersMax bounds how many leases are remembered with their client, ended ones
// included: the journal still names them. contendersMax bounds how many contenders
// are, from where on those that ended make room.
const (
	ownersMax     = 4096
	contendersMax = 512
)

// NewReports returns those of a keyspace about which nothing was reported yet.
func NewReports(k *model.Keyspace) *Reports {
	return &Reports{k: k, contenders: map[string]*ContenderInfo{}, owners: map[model.LeaseID]model.LeaseOwner{},
		locks: map[string]*LabLock{}, proxyState: newProxyState()}
}

// Forget drops what was reported of another cluster. Its contenders and the faults stay:
// they are processes, and no keys.
func (lab *Reports) Forget() {
	old := *lab
	*lab = *NewReports(old.k)
	lab.contenders, lab.faults = old.contenders, old.faults
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
		lab.keeper(e)
		lab.noteOwner(e)
	case model.Access:
		lab.access(e)
	case model.Wrote:
		lab.wrote(e)
	case model.Watches:
		lab.watches(e)
	case model.Refused:
		lab.refusal(e)
	case model.Connected:
		lab.connected(e)
	case model.TurnedAway:
		lab.k.Record(&model.JournalEntry{At: e.At, Kind: model.EntryLab, Text: e.Text})
	case model.FaultOn:
		lab.faults = append(lab.faults, e)
		lab.k.Record(&model.JournalEntry{At: e.At, Kind: model.EntryLab, Text: "fault: " + e.Fault.Describe()})
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
		lab.k.Record(&model.JournalEntry{At: e.At, Kind: model.EntryLab, Lock: e.Lock, Text: text})
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

func (lab *Reports) noteBelief(e model.Belief) {
	c := lab.info(e.Contender)
	if e.State == model.BeliefLost && c.Belief.State != model.BeliefLost {
		lab.k.Record(&model.JournalEntry{At: e.At, Kind: model.EntryLab, Lock: e.Lock, Text: fmt.Sprintf("%s learnt that its lease is gone", e.Contender)})
	}
	if c.Lock == "" {
		lab.move(c, e.Lock) // of a worker nothing but its words is reported
	}
	if lock := orElse(e.Lock, c.Lock); lock != "" {
		st := lab.join(c, lock)
		if p := lab.contenders[lab.program(c.Name)]; p != nil && p != c {
			lab.join(p, lock) // by which its workers are found
		}
		st.believes(e)
		st.Belief = e
	}
	lab.knows(e)
	c.Belief = e
	lab.k.MarkLock(e.Lock)
	if e.Lease != 0 {
		c.Lease = e.Lease
		lab.noteOwner(model.LeaseOwner{At: e.At, Lease: e.Lease, Client: model.Client{Name: e.Contender, Certain: true}})
	}
}

func (lab *Reports) noteOwner(e model.LeaseOwner) {
	old, known := lab.owners[e.Lease]
	if known && !betterOwner(old, e) {
		return
	}
	lab.owners[e.Lease] = e
	if !known {
		lab.ownerOrder = append(lab.ownerOrder, e.Lease)
		if len(lab.ownerOrder) > ownersMax {
			delete(lab.owners, lab.ownerOrder[0])
			lab.forgetLease(lab.ownerOrder[0])
			lab.ownerOrder = lab.ownerOrder[1:]
		}
	}
	if l := lab.k.Lease(e.Lease); l != nil {
		lab.k.TouchLease(l)
	}
}

// Owner returns the name of the client whose lease it is, as far as anybody told.
func (lab *Reports) Owner(id model.LeaseID) (name string, known bool) {
	o, known := lab.owners[id]
	return o.Name, known
}

// LeaseOwner returns whose lease it is and how that is known.
func (lab *Reports) LeaseOwner(id model.LeaseID) (o model.LeaseOwner, known bool) {
	o, known = lab.owners[id]
	return o, known
}

// Program returns the contender that is the process behind a name, nil if there is none.
func (lab *Reports) Program(name string) *ContenderInfo { return lab.contenders[lab.program(name)] }

// Of returns what was reported of a lock, nil for nothing.
func (lab *Reports) Of(lock string) *LabLock { return lab.locks[lock] }

// CompetesFor says whether it is that lock of which the contender speaks.
func (c *Competitor) CompetesFor(ll *LabLock) bool { return c.place == ll }

// betterOwner says whether e tells more about whose a lease is: certain beats
// strong, and who was granted it beats who renews it.
func betterOwner(old, e model.LeaseOwner) bool {
	switch {
	case old.Client == e.Client && (old.Renews == e.Renews || e.Renews):
		return false
	case old.Certain != e.Certain:
		return e.Certain
	case old.Renews != e.Renews:
		return old.Renews
	}
	return !old.Certain // of two guesses the later one
}

// access counts what a contender did to the guarded resource.
func (lab *Reports) access(e model.Access) {
	c := lab.info(e.Contender)
	c.LastAccess = e
	if e.Accepted {
		c.Accepted++
	} else {
		c.Refused++
	}
	if st, l := c.on(e.Lock), lab.k.Lock(e.Lock); st != nil && l != nil && lab.isFalse(st, l) {
		lab.k.Mark(l) // it may prove that the contender acts on what is not true
	}
}

func (lab *Reports) faultOff(e model.FaultOff) {
	for i, f := range lab.faults {
		if f.ID == e.ID {
			lab.faults = slices.Delete(lab.faults, i, i+1)
			lab.k.Record(&model.JournalEntry{At: e.At, Kind: model.EntryLab, Text: "fault ended: " + f.Fault.Describe() + " (" + e.Why + ")"})
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

// Contenders returns the contenders of the lab, c2 before c10.
func (lab *Reports) Contenders() []ContenderInfo {
	all := make([]ContenderInfo, 0, len(lab.contenders))
	for _, c := range lab.contenders {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b ContenderInfo) int {
		if d := len(a.Name) - len(b.Name); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all
}

// Faults returns the faults in force, oldest first.
func (lab *Reports) Faults() []model.FaultOn { return lab.faults }

// Truth says what etcd says of a contender's claim on its lock: its place in the
// queue from 1, 0 if it has none. Place 1 holds.
func (lab *Reports) Truth(c ContenderInfo) (claim *model.Claim, place int) {
	return lab.truth(lab.k.Lock(c.Lock), c.Lease)
}

func (lab *Reports) truth(l *model.Lock, id model.LeaseID) (claim *model.Claim, place int) {
	lease := lab.k.Lease(id)
	if l == nil || lease == nil {
		return nil, 0
	}
	for _, claim := range lease.Claims() {
		if claim.Lock() == l {
			return claim, l.Place(claim) + 1
		}
	}
	return nil, 0
}

// Believed says whether a contender believes that it holds a lock.
func (lab *Reports) Believed(lock string) bool {
	ll := lab.locks[lock]
	if ll == nil {
		return false
	}
	for _, c := range ll.Competitors {
		if c.Belief.State == model.BeliefHolding && lab.ProcOf(c.ContenderInfo) != model.ProcEnded {
			return true
		}
	}
	return false
}

// holdsBy says whether a worker of that process believes that it holds by a key.
func (lab *Reports) HoldsBy(name, key string) bool {
	return slices.ContainsFunc(lab.Workers(name), func(c *Competitor) bool {
		return c.Belief.State == model.BeliefHolding && c.Belief.Key == key
	})
}

// Grace is how far a contender's word and the watch may lie apart: they come by
// different ways.
const Grace = 500 * time.Millisecond

// ToldFor is how long something that is over stays a finding.
const ToldFor = time.Minute

// ClaimOf returns the claim that a contender speaks of, nil if it is not there, and its
// place in the queue from 0.
func (lab *Reports) ClaimOf(c *Competitor, l *model.Lock) (*model.Claim, int) {
	if c.Belief.Key == "" {
		claim, place := lab.truth(l, c.Lease)
		return claim, place - 1
	}
	if claim := lab.k.Claim(c.Belief.Key); claim != nil && claim.Lock() == l {
		return claim, l.Place(claim)
	}
	return nil, -1
}

// believes says whether a contender that runs says that it holds, and the keys are watched:
// else nobody's word can be held against it.
func (lab *Reports) believes(c *Competitor) bool {
	return c.interval != nil && lab.ProcOf(c.ContenderInfo) != model.ProcEnded && !lab.k.LiveSince(c.place.name).IsZero()
}

// isTrue says whether a contender holds as it says.
func (lab *Reports) isTrue(c *Competitor, l *model.Lock) bool {
	claim, place := lab.ClaimOf(c, l)
	return claim != nil && l.Holds(place)
}

func (lab *Reports) isFalse(c *Competitor, l *model.Lock) bool {
	return lab.believes(c) && !lab.isTrue(c, l)
}

// FalseSince says whether a contender believes what is not so, and since when, as far as
// the keys were watched: since its claim stopped to hold, or else since it said so.
func (lab *Reports) FalseSince(c *Competitor, l *model.Lock) (since time.Time, is bool) {
	if !lab.isFalse(c, l) {
		return since, false
	}
	since = c.interval.From
	later := func(t time.Time) {
		if t.After(since) {
			since = t
		}
	}
	later(lab.k.LiveSince(l.Name))
	if own := c.place.heldBy(c.interval); own != nil && !own.To.IsZero() {
		later(own.To)
	} else if g := c.place.Removed(c.interval.Key); g != nil {
		later(g.At)
	}
	return since, true
}

// NeverHeld says whether the key of a contender was gone when it began to believe
// that it held. Both times are of the same machine, and the watch sees a key go later
// than it went.
func (lab *Reports) NeverHeld(c *Competitor) bool {
	if c.Belief.Key == "" || c.interval == nil || c.interval.held {
		return false
	}
	if g := c.place.Removed(c.Belief.Key); g != nil {
		return g.At.Before(c.interval.From)
	}
	live := lab.k.LiveSince(c.place.name)
	return !live.IsZero() && live.Before(c.interval.From) && c.place.since.Before(c.interval.From)
}

// Observe takes stock of a lock before its rules are asked: which beliefs are true, and
// what came of its unlocks.
func (lab *Reports) Observe(l *model.Lock) {
	ll := lab.locks[l.Name]
	if ll == nil {
		return
	}
	for _, c := range ll.Competitors {
		if lab.believes(c) && lab.isTrue(c, l) {
			c.interval.held = true
		}
	}
	lab.settleUnlocks(ll)
}
