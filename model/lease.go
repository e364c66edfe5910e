package model

import "time"

// LeaseState is what the readings of a lease say about its owner.
type LeaseState string

// Lease states. Late and silent follow from a reading, never from the passing of
// time alone.
const (
	LeaseNone    LeaseState = "none"    // the key has no lease and never expires
	LeaseUnknown LeaseState = "unread"  // no reading yet
	LeaseHealthy LeaseState = "healthy" // renewed on time
	LeaseLate    LeaseState = "late"    // one renewal missed
	LeaseSilent  LeaseState = "silent"  // two or more renewals missed
	LeaseOverdue LeaseState = "overdue" // past its end, not yet revoked by etcd
	LeaseGone    LeaseState = "gone"    // etcd does not know it any more
)

// Lease is what is known of one lease: the claims that hang on it and the
// readings of it.
type Lease struct {
	ID LeaseID
	// Read is the last reading; it is meaningful only if HasRead.
	Read    LeaseRead
	HasRead bool
	// Unread is why the last attempt at a reading failed, "" if it did not.
	Unread string

	claims  []*Claim
	heads   int     // of how many locks a claim of it is the head
	pending []*Fact // facts whose cause waits for a reading

	class int       // which heap it is in, -1 for none
	due   time.Time // when a reading is next worth its price
	index int       // place in the heap
	focus bool      // it is on the screen
}

// Claims returns the watched keys that hang on the lease, in no order. Keys
// outside the watched prefixes are not among them.
func (l *Lease) Claims() []*Claim { return l.claims }

// Granted returns the granted TTL in seconds, 0 while unknown.
func (l *Lease) Granted() int64 {
	if !l.HasRead {
		return 0
	}
	return l.Read.Granted
}

// State tells how the lease is by its last reading.
//
// The client of etcd renews at a third of the TTL and answers are cut down to
// whole seconds, so a lease whose last renewal is certainly more than a third of
// its TTL and a second ago has missed one (client/v3 lease.go).
func (l *Lease) State() LeaseState {
	if l == nil {
		return LeaseNone
	}
	if !l.HasRead {
		return LeaseUnknown
	}
	g, r := l.Read.Granted, l.Read.Remaining
	switch {
	case g <= 0:
		return LeaseGone
	case r <= 0 && l.expiredAtRead():
		return LeaseOverdue
	}
	sinceRenewal := float64(g - r - 1) // at least: the answer was cut down
	switch {
	case sinceRenewal > 2*float64(g)/3:
		return LeaseSilent
	case sinceRenewal > float64(g)/3+1:
		return LeaseLate
	}
	return LeaseHealthy
}

// expiredAtRead tells a lease that is past its end from one that is in its last
// second: both may read 0.
func (l *Lease) expiredAtRead() bool { return l.Read.Remaining < 0 }

// Remaining returns the seconds left if nobody renewed since the last reading:
// never less than 0, never more than was read. ok is false without a reading.
func (l *Lease) Remaining(now time.Time) (seconds int64, ok bool) {
	if l == nil || !l.HasRead || l.Read.Granted <= 0 {
		return 0, false
	}
	left := l.Read.Remaining - int64(now.Sub(l.Read.At)/time.Second)
	return max(0, min(left, l.Read.Remaining)), true
}

// Renewed returns how long ago the lease was renewed, as far as the last reading
// can tell: granted minus remaining, to the second. ok is false without one.
func (l *Lease) Renewed(now time.Time) (ago time.Duration, ok bool) {
	if l == nil || !l.HasRead || l.Read.Granted <= 0 {
		return 0, false
	}
	ago = time.Duration(l.Read.Granted-l.Read.Remaining)*time.Second + now.Sub(l.Read.At)
	return max(0, ago), true
}

// leaseOf returns the record of a lease, made if needed.
func (s *State) leaseOf(id LeaseID) *Lease {
	if id == 0 {
		return nil
	}
	l := s.leases[id]
	if l == nil {
		l = &Lease{ID: id, class: classNone}
		s.leases[id] = l
	}
	return l
}

func (s *State) attach(c *Claim) {
	if c.lease = s.leaseOf(c.KV.Lease); c.lease == nil {
		return
	}
	c.slot = len(c.lease.claims)
	c.lease.claims = append(c.lease.claims, c)
}

// detach takes c off its lease; whether the lease is still needed is for the
// caller to say.
func (s *State) detach(c *Claim) {
	l := c.lease
	if l == nil {
		return
	}
	last := len(l.claims) - 1
	moved := l.claims[last]
	l.claims[c.slot], moved.slot = moved, c.slot
	l.claims[last] = nil
	l.claims = l.claims[:last]
	c.lease = nil
}

// releaseLease forgets a lease on which nothing hangs and of which nothing is
// asked any more.
func (s *State) releaseLease(l *Lease) {
	if len(l.claims) == 0 && len(l.pending) == 0 {
		s.unschedule(l)
		delete(s.leases, l.ID)
		return
	}
	s.schedule(l)
}

// leaseRead takes a reading in.
func (s *State) leaseRead(e LeaseRead) {
	l := s.leases[e.ID]
	if l == nil {
		return // nothing hangs on it any more
	}
	prev, had := l.Read, l.HasRead
	if had && e.At.Before(prev.At) {
		return
	}
	before := l.State()
	s.settlePending(l, e)
	l.Read, l.HasRead, l.Unread = e, true, ""
	if s.leases[e.ID] == l {
		s.schedule(l)
	}
	if before != l.State() || prev.Remaining != e.Remaining || prev.Granted != e.Granted {
		s.touchLease(l)
	}
}

func (s *State) leaseUnread(e LeaseUnread) {
	l := s.leases[e.ID]
	if l == nil {
		return
	}
	l.Unread = e.Reason
	s.touchLease(l)
	s.reschedule(l, e.At.Add(retryReading))
}

// touchLease marks every lock in which the lease has a claim as changed.
func (s *State) touchLease(l *Lease) {
	for _, c := range l.claims {
		if lk := c.Lock(); lk != nil {
			s.bump(lk)
		}
	}
}
