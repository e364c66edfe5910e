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
	Belief Belief // zero At: it has said nothing yet
	Lease  LeaseID

	falseSince time.Time // since when its belief is seen to be false
}

// labState is what the lab reported.
type labState struct {
	contenders map[string]*ContenderInfo
	faults     []FaultOn
	owners     map[LeaseID]LeaseOwner
	ownerOrder []LeaseID
}

// ownersMax bounds how many leases are remembered with their client, ended ones
// included: the journal still names them.
const ownersMax = 4096

func newLabState() labState {
	return labState{contenders: map[string]*ContenderInfo{}, owners: map[LeaseID]LeaseOwner{}}
}

func (lab *labState) apply(s *State, e Event) {
	switch e := e.(type) {
	case Contender:
		lab.contender(s, e)
	case Belief:
		lab.belief(s, e)
	case LeaseOwner:
		lab.owner(s, e)
	case FaultOn:
		lab.faults = append(lab.faults, e)
		s.record(&Fact{At: e.At, Kind: FactLab, Text: fmt.Sprintf("fault: %s of %s", e.Name, e.Target)})
	case FaultOff:
		lab.faultOff(s, e)
	case Acted:
		s.acted(e.Outcome)
	}
}

func (lab *labState) info(name string) *ContenderInfo {
	c := lab.contenders[name]
	if c == nil {
		c = &ContenderInfo{Contender: Contender{Name: name}}
		lab.contenders[name] = c
	}
	return c
}

func (lab *labState) contender(s *State, e Contender) {
	c := lab.info(e.Name)
	if e.Proc != c.Proc && c.Proc != "" || e.Proc == ProcEnded {
		text := fmt.Sprintf("%s (pid %d) is %s", e.Name, e.PID, e.Proc)
		if e.Ended != "" {
			text += ": " + e.Ended
		}
		s.record(&Fact{At: e.At, Kind: FactLab, Lock: e.Lock, Text: text})
	}
	c.Contender = e
	s.markLock(e.Lock)
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
		s.record(&Fact{At: e.At, Kind: FactLab, Lock: e.Lock, Text: fmt.Sprintf("%s learnt that its lease is gone", e.Contender)})
	}
	c.Belief = e
	s.markLock(e.Lock)
	if e.Lease != 0 {
		c.Lease = e.Lease
		lab.owner(s, LeaseOwner{At: e.At, Lease: e.Lease, Client: e.Contender, Certain: true})
	}
}

func (lab *labState) owner(s *State, e LeaseOwner) {
	old, known := lab.owners[e.Lease]
	if known && (old.Client == e.Client || old.Certain && !e.Certain) {
		return
	}
	lab.owners[e.Lease] = e
	if !known {
		lab.ownerOrder = append(lab.ownerOrder, e.Lease)
		if len(lab.ownerOrder) > ownersMax {
			delete(lab.owners, lab.ownerOrder[0])
			lab.ownerOrder = lab.ownerOrder[1:]
		}
	}
	if l := s.leases[e.Lease]; l != nil {
		s.touchLease(l)
	}
}

func (lab *labState) faultOff(s *State, e FaultOff) {
	for i, f := range lab.faults {
		if f.ID == e.ID {
			lab.faults = slices.Delete(lab.faults, i, i+1)
			s.record(&Fact{At: e.At, Kind: FactLab, Text: fmt.Sprintf("fault ended: %s of %s (%s)", f.Name, f.Target, e.Why)})
			return
		}
	}
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
