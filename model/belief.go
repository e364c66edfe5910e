package model

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ContenderInfo is a contender with its belief beside what etcd says.
type ContenderInfo struct {
	Contender
	Belief Belief // its last word, on whichever lock; zero At: it has said nothing yet
	Lease  LeaseID
	// LastAccess is its last access to the guarded resource, zero At for none;
	// Accepted and Refused count them all.
	LastAccess        Access
	Accepted, Refused int

	pauseEnded  time.Time     // when its process last ran on after a pause
	competitors []*competitor // on the locks that it competes for, in the order in which it came to them
}

// competitor is what a contender says of one lock: one that takes several says of one of
// them that it holds while it waits for the next.
type competitor struct {
	*ContenderInfo
	Belief Belief // its last word on this lock; zero At: it has said nothing of it yet

	place      *labLock
	falseSince time.Time // since when its belief is seen to be false
	trulyHeld  bool      // since it began to believe that it holds, it was seen to hold
	interval   *interval // while it believes that it holds
}

// competitorsMax bounds how many locks of a contender are followed, the last ones.
const competitorsMax = 16

// labState is what the lab and its proxy reported.
type labState struct {
	contenders map[string]*ContenderInfo
	faults     []FaultOn
	owners     map[LeaseID]LeaseOwner
	ownerOrder []LeaseID
	locks      map[string]*labLock
	proxyState
}

// ownersMax bounds how many leases are remembered with their client, ended ones
// included: the journal still names them. contendersMax bounds how many contenders
// are, from where on those that ended make room.
const (
	ownersMax     = 4096
	contendersMax = 512
)

func newLabState() labState {
	return labState{contenders: map[string]*ContenderInfo{}, owners: map[LeaseID]LeaseOwner{},
		locks: map[string]*labLock{}, proxyState: newProxyState()}
}

func (lab *labState) apply(s *State, e Event) {
	switch e := e.(type) {
	case Contender:
		lab.contender(s, e)
	case Belief:
		lab.belief(s, e)
	case LeaseOwner:
		lab.keeper(s, e)
		lab.owner(s, e)
	case Access:
		lab.access(s, e)
	case Wrote:
		lab.wrote(s, e)
	case Watches:
		lab.watches(s, e)
	case Refused:
		lab.refusal(s, e)
	case Connected:
		lab.connected(s, e)
	case TurnedAway:
		s.record(&JournalEntry{At: e.At, Kind: EntryLab, Text: e.Text})
	case FaultOn:
		lab.faults = append(lab.faults, e)
		s.record(&JournalEntry{At: e.At, Kind: EntryLab, Text: "fault: " + e.Fault.Describe()})
	case FaultOff:
		lab.faultOff(s, e)
	case Acted:
		s.acted(e.Outcome)
	}
}

func (lab *labState) info(name string) *ContenderInfo {
	c := lab.contenders[name]
	if c == nil {
		lab.dropEnded()
		c = &ContenderInfo{Contender: Contender{Name: name}}
		lab.contenders[name] = c
	}
	return c
}

// dropEnded forgets the contenders that ended when there are too many.
func (lab *labState) dropEnded() {
	if len(lab.contenders) < contendersMax {
		return
	}
	for name, c := range lab.contenders {
		if c.Proc == ProcEnded {
			lab.leave(c)
			delete(lab.contenders, name)
		}
	}
}

func (lab *labState) contender(s *State, e Contender) {
	c := lab.info(e.Name)
	if e.Proc != c.Proc && c.Proc != "" || e.Proc == ProcEnded {
		text := fmt.Sprintf("%s (pid %d) is %s", e.Name, e.PID, e.Proc)
		if e.Ended != "" {
			text += ": " + e.Ended
		}
		s.record(&JournalEntry{At: e.At, Kind: EntryLab, Lock: e.Lock, Text: text})
	}
	if c.Proc == ProcPaused && e.Proc == ProcRunning {
		c.pauseEnded = e.At
	}
	c.Contender = e
	if c.on(e.Lock) == nil {
		lab.move(s, c, e.Lock)
	}
	if e.Proc == ProcEnded {
		lab.ended(s, c, e.At)
	}
	s.markLock(e.Lock)
}

// ended forgets what a contender that ended had open.
func (lab *labState) ended(s *State, c *ContenderInfo, at time.Time) {
	for _, worker := range lab.workers(c.Name) {
		worker.endInterval(at, "")
	}
	lab.forgetOpen(s, c.Name)
}

// markLock asks for a new look at the findings of a lock.
func (s *State) markLock(name string) {
	if l := s.Lock(name); l != nil {
		s.mark(l)
	}
}

func (lab *labState) belief(s *State, e Belief) {
	c := lab.info(e.Contender)
	if e.State == BeliefLost && c.Belief.State != BeliefLost {
		s.record(&JournalEntry{At: e.At, Kind: EntryLab, Lock: e.Lock, Text: fmt.Sprintf("%s learnt that its lease is gone", e.Contender)})
	}
	if c.Lock == "" {
		lab.move(s, c, e.Lock) // of a worker nothing but its words is reported
	}
	if lock := orElse(e.Lock, c.Lock); lock != "" {
		st := lab.join(s, c, lock)
		if p := lab.contenders[lab.program(c.Name)]; p != nil && p != c {
			lab.join(s, p, lock) // by which its workers are found
		}
		st.believes(e)
		st.Belief = e
	}
	lab.knows(s, e)
	c.Belief = e
	s.markLock(e.Lock)
	if e.Lease != 0 {
		c.Lease = e.Lease
		lab.owner(s, LeaseOwner{At: e.At, Lease: e.Lease, Client: Client{Name: e.Contender, Certain: true}})
	}
}

func (lab *labState) owner(s *State, e LeaseOwner) {
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
	if l := s.leases[e.Lease]; l != nil {
		s.touchLease(l)
	}
}

// betterOwner says whether e tells more about whose a lease is: certain beats
// strong, and who was granted it beats who renews it.
func betterOwner(old, e LeaseOwner) bool {
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
func (lab *labState) access(s *State, e Access) {
	c := lab.info(e.Contender)
	c.LastAccess = e
	if e.Accepted {
		c.Accepted++
	} else {
		c.Refused++
	}
	if st := c.on(e.Lock); st != nil && !st.falseSince.IsZero() {
		s.markLock(e.Lock) // it may prove that the contender acts on what is not true
	}
}

func (lab *labState) faultOff(s *State, e FaultOff) {
	for i, f := range lab.faults {
		if f.ID == e.ID {
			lab.faults = slices.Delete(lab.faults, i, i+1)
			s.record(&JournalEntry{At: e.At, Kind: EntryLab, Text: "fault ended: " + f.Fault.Describe() + " (" + e.Why + ")"})
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
func (s *State) Contenders() []ContenderInfo {
	all := make([]ContenderInfo, 0, len(s.lab.contenders))
	for _, c := range s.lab.contenders {
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
func (s *State) Faults() []FaultOn { return s.lab.faults }

// Truth says what etcd says of a contender's claim on its lock: its place in the
// queue from 1, 0 if it has none. Place 1 holds.
func (s *State) Truth(c ContenderInfo) (claim *Claim, place int) {
	l := s.Lock(c.Lock)
	lease := s.leases[c.Lease]
	if l == nil || lease == nil {
		return nil, 0
	}
	for _, claim := range lease.claims {
		if claim.Lock() == l {
			return claim, l.Place(claim) + 1
		}
	}
	return nil, 0
}
