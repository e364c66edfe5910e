package model

import (
	"slices"
	"time"

	"locktop/model/recipe"
)

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
	*Readings

	claims    []*Claim
	only      [1]*Claim       // what claims begins with: most leases have one claim
	competing int             // how many of its keys are claims
	going     int             // how many of its claims the revision at hand takes
	heads     int32           // of how many locks a claim of it is the holder
	index     int32           // place in the heap
	pending   []*JournalEntry // entries whose cause waits for a reading
	due       time.Time       // when a reading is next worth its price
	class     int8            // which heap it is in, -1 for none
	asked     bool            // one of the pending is worth a reading before others
	wasMulti  bool            // it had claims in several places
	focus     bool            // it is on the screen
	slot      int32           // place in the list of all leases
}

// Readings are what was read of a lease.
type Readings struct {
	// Read is the last reading; it is meaningful only if HasRead.
	Read    LeaseRead
	HasRead bool
	// Unread is why the last attempt at a reading failed, "" if it did not.
	Unread string

	// First is the first reading, for a lease that was never seen to be renewed.
	First LeaseRead
	// Renewals counts the renewals that readings show, at least; Rhythm is the
	// longest time without one that was followed by one: how long this client is
	// known to leave its lease alone.
	Renewals int
	Rhythm   time.Duration
	// ResetAt is when a new raft leader last gave the lease its full TTL anew, zero
	// if it was renewed since (etcd-io/etcd#9395).
	ResetAt time.Time
	// Odd is the last reading that nobody can believe: more left than was granted
	// (etcd-io/etcd#12381). It is not used.
	Odd LeaseRead

	resetDead     bool       // renewals were missed before the reset
	resetSure     Confidence // how sure that is
	failures      int        // readings that failed since the last that did not
	missedRenewal bool       // it is counted in LeaseBook.missed
	stale         bool       // it was read, but not since we slept
	attached      *LeaseKeys // what hangs on it, nil if nobody asked
	needKeys      bool       // somebody wants to know
}

// neverRead are the readings of every lease that has none yet. Nobody writes to them:
// see [Lease.keep].
var neverRead = &Readings{}

// keep returns the readings of the lease for a change. A lease has its own only from
// the first one on: of 100,000 waiters nearly all are never read.
func (l *Lease) keep() *Readings {
	if l.Readings == neverRead {
		l.Readings = &Readings{}
	}
	return l.Readings
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
// A lease has missed a renewal when its last one is certainly longer ago than its
// client is known, or its recipe supposed, to leave it alone, and a second.
// Answers are cut down to whole seconds. The clients of etcd renew at a third of
// the TTL (client/v3 lease.go). Where nobody is supposed to renew, falling is
// healthy.
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
	case r < 0:
		return LeaseOverdue
	}
	since, missed := l.Read.missed()
	if !missed {
		return LeaseHealthy // whatever its interval is: none is shorter than a third
	}
	interval, known := l.interval()
	switch {
	case !known:
		return LeaseHealthy
	case since > 2*interval && since > interval+time.Second:
		return LeaseSilent
	case since > interval+time.Second:
		return LeaseLate
	}
	return LeaseHealthy
}

// missed returns how long ago, at least, the lease was renewed, and whether that is more
// than a third of its TTL, and a second.
func (r *LeaseRead) missed() (since time.Duration, _ bool) {
	since = time.Duration(r.Granted-r.Remaining-1) * time.Second
	return since, since > time.Duration(r.Granted)*time.Second/3+time.Second
}

// noteMissed counts the leases that missed a renewal at a third of their TTL: only among
// them are silent ones.
func (b *LeaseBook) noteMissed(l *Lease, missed bool) {
	if l.missedRenewal == missed {
		return
	}
	l.keep().missedRenewal = missed
	if missed {
		b.missed++
	} else {
		b.missed--
	}
}

// span how long the lease's client leaves it alone, as far as that is
// known: from what was seen, else from the recipes of its claims.
func (l *Lease) interval() (d time.Duration, known bool) {
	third := time.Duration(l.Read.Granted) * time.Second / 3
	if l.Renewals > 0 {
		return max(third, l.Rhythm), true
	}
	for _, c := range l.claims {
		if lk := c.Lock(); lk != nil && lk.recipe.HasHolder && lk.recipe.Rhythm == recipe.RenewsAtThird {
			return third, true
		}
	}
	return third, len(l.claims) == 0
}

// ResetDead says that renewals were missed before a new raft leader gave the lease its full
// TTL anew, and how sure that is.
func (l *Lease) ResetDead() (Confidence, bool) { return l.resetSure, l.resetDead }

// Multi says whether the lease competes in more than one place.
func (l *Lease) Multi() bool { return l.competing > 1 }

// Learned says whether the lease was seen to be renewed, so that its rhythm is its
// own and not only that of its recipe.
func (l *Lease) Learned() bool { return l != nil && l.Renewals > 0 }

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
// can tell: granted minus remaining, to the second. ok is false without one, and
// after a new raft leader gave it its full TTL anew.
func (l *Lease) Renewed(now time.Time) (ago time.Duration, ok bool) {
	if l == nil || !l.HasRead || l.Read.Granted <= 0 || !l.ResetAt.IsZero() {
		return 0, false
	}
	ago = time.Duration(l.Read.Granted-l.Read.Remaining)*time.Second + now.Sub(l.Read.At)
	return max(0, ago), true
}

// LeaseBook are all that is known of leases.
type LeaseBook struct {
	byID      map[LeaseID]*Lease
	leaseList []*Lease // the same, to go through
	missed    int      // how many of them missed a renewal at a third of their TTL, by the last reading
	late      map[*Lease]struct{}
	overdue   map[*Lease]struct{}
}

// Late returns the leases that were last read as late or silent. It is the keyspace's own,
// for reading.
func (b *LeaseBook) Late() map[*Lease]struct{} { return b.late }

// Overdue returns how many leases were last read as past their end.
func (b *LeaseBook) Overdue() int { return len(b.overdue) }

// Missed returns how many leases had missed a renewal at a third of their TTL, by their
// last reading: only among them are silent ones.
func (b *LeaseBook) Missed() int { return b.missed }

// BacklogMin is how many leases past their end make a backlog.
const BacklogMin = 20

// Leases returns every lease that is known, in no order. The slice is the state's own
// and valid until the next Apply. Who goes through it from its end over several of them
// misses none that was there from the beginning, but may meet one twice: a lease that
// goes leaves its place to the last one.
func (b *LeaseBook) Leases() []*Lease { return b.leaseList }

// UnreadLeases returns the leases whose last reading failed, by id. It is built anew on
// each call.
func (b *LeaseBook) UnreadLeases() []*Lease {
	var unread []*Lease
	for _, l := range b.byID {
		if l.Unread != "" {
			unread = append(unread, l)
		}
	}
	slices.SortFunc(unread, func(a, b *Lease) int { return a.ID.Compare(b.ID) })
	return unread
}

// leaseOf returns the record of a lease, made if needed.
func (b *LeaseBook) leaseOf(id LeaseID) *Lease {
	if id == 0 {
		return nil
	}
	l := b.byID[id]
	if l == nil {
		l = &Lease{ID: id, Readings: neverRead, class: classNone, slot: int32(len(b.leaseList))}
		l.claims = l.only[:0]
		b.byID[id] = l
		b.leaseList = append(b.leaseList, l)
	}
	return l
}

func (b *LeaseBook) attach(c *Claim) {
	if c.lease = b.leaseOf(c.KV.Lease); c.lease == nil {
		return
	}
	c.slot = int32(len(c.lease.claims))
	c.lease.claims = append(c.lease.claims, c)
	if len(c.lease.claims) > 1 {
		c.lease.only[0] = nil // they have moved out
	}
}

// detach takes c off its lease; whether the lease is still needed is for the
// caller to say.
func (k *Keyspace) detach(c *Claim) {
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
func (k *Keyspace) releaseLease(l *Lease) {
	if len(l.claims) == 0 && len(l.pending) == 0 {
		k.unschedule(l)
		delete(k.late, l)
		delete(k.overdue, l)
		delete(k.byID, l.ID)
		last := len(k.leaseList) - 1
		k.leaseList[l.slot], k.leaseList[last].slot = k.leaseList[last], l.slot
		k.leaseList[last] = nil
		k.leaseList = k.leaseList[:last]
		k.noteMissed(l, false)
		return
	}
	k.schedule(l)
}

// leaseRead takes a reading in.
func (k *Keyspace) leaseRead(e LeaseRead) {
	l := k.byID[e.ID]
	if l == nil {
		return // nothing hangs on it any more
	}
	if e.At.Before(k.woke) {
		k.settlePending(l, e)
		return
	}
	prev, had := l.Read, l.HasRead
	if had && e.At.Before(prev.At) {
		return
	}
	if e.Granted > 0 && e.Remaining > e.Granted {
		l.keep().Odd = e
		k.leaseUnread(LeaseUnread{At: e.At, ID: e.ID, Reason: "the answer said " + itoa(e.Remaining) + " s left of " + itoa(e.Granted) +
			" granted: a new leader adds its election timeout, and a deposed one answers wrongly"})
		return
	}
	k.noteTerm(e.Term, e.At)
	before := l.State()
	k.settlePending(l, e)
	l.keep()
	l.learn(prev, e, had)
	l.Read, l.HasRead, l.Unread, l.failures, l.stale = e, true, "", 0, false
	if k.byID[e.ID] == l {
		k.schedule(l)
	}
	k.index(l)
	switch after := l.State(); {
	case before != after && (before != LeaseUnknown || after != LeaseHealthy):
		k.TouchLease(l)
	case prev.Remaining != e.Remaining || prev.Granted != e.Granted || !had:
		for _, c := range l.claims { // it is well, as was supposed: findings may tell of numbers
			if lk := c.Lock(); lk != nil {
				k.Mark(lk)
			}
		}
	}
}

// index keeps the sets of leases that are not well.
func (k *Keyspace) index(l *Lease) {
	set := func(m map[*Lease]struct{}, in bool) {
		if in {
			m[l] = struct{}{}
		} else {
			delete(m, l)
		}
	}
	many := len(k.overdue) >= BacklogMin
	st := l.State()
	live := k.byID[l.ID] == l
	set(k.late, live && (st == LeaseLate || st == LeaseSilent))
	set(k.overdue, live && st == LeaseOverdue)
	_, missed := l.Read.missed()
	k.noteMissed(l, live && missed)
	if many != (len(k.overdue) >= BacklogMin) {
		for o := range k.overdue { // what each of them means has changed
			k.TouchLease(o)
		}
	}
}

// learn compares two readings: more left than the passing of time allows is a
// renewal, or the doing of a new raft leader.
func (l *Lease) learn(prev, e LeaseRead, had bool) {
	if !had {
		l.First = e
		return
	}
	if prev.Granted <= 0 || e.Granted <= 0 {
		return
	}
	if e.Term != prev.Term {
		l.ResetAt = e.At // also without a jump: right after a renewal there is none
	}
	passed := e.At.Sub(prev.At)
	left := time.Duration(prev.Remaining+1)*time.Second - passed // at most, if untouched
	if time.Duration(e.Remaining)*time.Second <= left+slackReading {
		return
	}
	if e.Term != prev.Term {
		switch l.State() { // by the reading before
		case LeaseSilent:
			l.resetDead, l.resetSure = true, Certain
		case LeaseLate:
			l.resetDead, l.resetSure = true, Strong // it may have been renewed in between
		}
		return
	}
	if l.ResetAt.IsZero() {
		alone := time.Duration(prev.Granted-prev.Remaining-1) * time.Second
		l.Rhythm = max(l.Rhythm, min(alone, time.Duration(prev.Granted)*time.Second))
	}
	l.Renewals++
	l.ResetAt, l.resetDead = time.Time{}, false
}

// slackReading bounds how far apart asking and answering may be.
const slackReading = 300 * time.Millisecond

func (k *Keyspace) leaseUnread(e LeaseUnread) {
	l := k.byID[e.ID]
	if l == nil {
		return
	}
	l.keep().Unread = e.Reason
	k.TouchLease(l)
	k.reschedule(l, e.At.Add(min(retryReading, minInterval<<min(l.failures, 8))))
	l.failures++
}

// readAgain makes due what could not be read, since that may have changed: a short lease
// could end within the pause after a failure, and nobody would know why.
func (k *Keyspace) readAgain(at time.Time) {
	for _, l := range k.UnreadLeases() {
		l.failures = 0
		k.reschedule(l, at)
	}
}

// TouchLease marks every lock in which the lease has a claim as changed.
func (k *Keyspace) TouchLease(l *Lease) {
	k.version++ // also where it has no claim: it may be listed as a session in trouble
	for _, c := range l.claims {
		if lk := c.Lock(); lk != nil {
			k.changed(lk)
		}
	}
}
