package keyspace

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"locktop/model"
)

// LeaseBook is all that is known of leases.
type LeaseBook struct {
	agenda *agenda
	marks  *Marks

	byID       map[model.LeaseID]*Lease
	leaseList  []*Lease // the same, to go through
	missed     int      // how many of them missed a renewal at a third of their TTL, by the last reading
	late       map[*Lease]struct{}
	overdue    map[*Lease]struct{}
	early      []EarlyEnd      // of the last seconds
	focused    []*Lease        // they are on the screen
	ready      bool            // there is room for the first readings
	keysNeeded []model.LeaseID // of which it is to be known what hangs on them
}

func newLeaseBook(a *agenda, m *Marks) *LeaseBook {
	return &LeaseBook{agenda: a, marks: m, byID: map[model.LeaseID]*Lease{}, late: map[*Lease]struct{}{}, overdue: map[*Lease]struct{}{}}
}

// makeRoom grows the book at once for so many leases.
func (b *LeaseBook) makeRoom(n int) {
	b.byID = withRoom(b.byID, n)
	b.leaseList = slices.Grow(b.leaseList, max(0, n-len(b.leaseList)))
}

func withRoom[K comparable, V any](m map[K]V, room int) map[K]V {
	larger := make(map[K]V, room)
	maps.Copy(larger, m)
	return larger
}

// EarlyEnd is a healthy lease that ended before its time.
type EarlyEnd struct {
	At    time.Time
	Lease model.LeaseID
}

// Lease returns what is known of a lease, nil if nothing is.
func (b *LeaseBook) Lease(id model.LeaseID) *Lease { return b.byID[id] }

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

// EarlyKept is for how long such an end is remembered.
const EarlyKept = 20 * time.Second

// EndedEarly returns the healthy leases that ended before their time, of the last seconds.
func (b *LeaseBook) EndedEarly() []EarlyEnd { return b.early }

// endedEarly remembers such a lease.
func (b *LeaseBook) endedEarly(id model.LeaseID, at time.Time) {
	for len(b.early) > 0 && at.Sub(b.early[0].At) > EarlyKept {
		b.early = b.early[1:]
	}
	for _, e := range b.early {
		if e.Lease == id {
			return
		}
	}
	b.early = append(b.early, EarlyEnd{at, id})
}

// leaseOf returns the record of a lease, made if needed.
func (b *LeaseBook) leaseOf(id model.LeaseID) *Lease {
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
func (c *Claim) detach() {
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

// setHead notes whether c is the head of its own lock, for its lease.
func (c *Claim) setHead(head bool) {
	if c.head == head {
		return
	}
	c.head = head
	if c.lease == nil {
		return
	}
	if head {
		c.lease.heads++
	} else {
		c.lease.heads--
	}
}

// releaseLease forgets a lease on which nothing hangs and of which nothing is
// asked any more.
func (b *LeaseBook) releaseLease(l *Lease) {
	if len(l.claims) == 0 && len(l.pending) == 0 {
		b.agenda.unschedule(l)
		delete(b.late, l)
		delete(b.overdue, l)
		delete(b.byID, l.ID)
		last := len(b.leaseList) - 1
		b.leaseList[l.slot], b.leaseList[last].slot = b.leaseList[last], l.slot
		b.leaseList[last] = nil
		b.leaseList = b.leaseList[:last]
		b.noteMissed(l, false)
		return
	}
	b.agenda.schedule(l)
}

// read takes a reading in of a lease that was in that state before.
func (b *LeaseBook) read(l *Lease, e model.LeaseRead, before model.LeaseState) {
	b.makeReady()
	prev, had := l.Read, l.HasRead
	l.keep()
	l.learn(prev, e, had)
	switch {
	case e.Granted > 0:
		l.alive = nil
	case had && prev.Granted > 0:
		l.alive = &prev
	}
	l.Read, l.HasRead, l.Unread, l.failures, l.stale = e, true, "", 0, false
	if b.byID[e.ID] == l {
		b.agenda.schedule(l)
	}
	b.index(l)
	switch after := l.State(); {
	case before != after && (before != model.LeaseUnknown || after != model.LeaseHealthy):
		b.marks.TouchLease(l)
	case prev.Remaining != e.Remaining || prev.Granted != e.Granted || !had:
		for _, c := range l.claims { // it is well, as was supposed: findings may tell of numbers
			if lk := c.Lock(); lk != nil {
				b.marks.Mark(lk)
			}
		}
	}
}

// readOdd notes a reading that nobody can believe.
func (b *LeaseBook) readOdd(l *Lease, e model.LeaseRead) {
	l.keep().Odd = &e
	b.leaseUnread(model.LeaseUnread{At: e.At, ID: e.ID, Reason: fmt.Sprintf("the answer said %d s left of %d"+
		" granted: a new leader adds its election timeout, and a deposed one answers wrongly", e.Remaining, e.Granted)})
}

// readyMost is of how many leases there is room for their first readings from the first of
// all on: the budget takes twenty minutes to read as many, and a console that nothing happens
// to would grow for as long. The room is written to: a page of memory that nobody has touched is
// none yet.
const readyMost = 20_000

// makeReady makes that room.
func (b *LeaseBook) makeReady() {
	if b.ready {
		return
	}
	b.ready = true
	for _, l := range b.leaseList[:min(len(b.leaseList), readyMost)] {
		l.keep().Read.ID = l.ID
	}
}

// index keeps the sets of leases that are not well.
func (b *LeaseBook) index(l *Lease) {
	set := func(m map[*Lease]struct{}, in bool) {
		if in {
			m[l] = struct{}{}
		} else {
			delete(m, l)
		}
	}
	many := len(b.overdue) >= BacklogMin
	st := l.State()
	live := b.byID[l.ID] == l
	set(b.late, live && (st == model.LeaseLate || st == model.LeaseSilent))
	set(b.overdue, live && st == model.LeaseOverdue)
	_, missed := l.Read.Missed()
	b.noteMissed(l, live && missed)
	if many != (len(b.overdue) >= BacklogMin) {
		for o := range b.overdue { // what each of them means has changed
			b.marks.TouchLease(o)
		}
	}
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

func (b *LeaseBook) leaseUnread(e model.LeaseUnread) {
	l := b.byID[e.ID]
	if l == nil {
		return
	}
	l.keep().Unread = e.Reason
	b.marks.TouchLease(l)
	b.agenda.reschedule(l, e.At.Add(min(retryReading, minInterval<<min(l.failures, 8))))
	l.failures++
}

// readAgain makes due what could not be read, since that may have changed: a short lease
// could end within the pause after a failure, and nobody would know why.
func (b *LeaseBook) readAgain(at time.Time) {
	for _, l := range b.UnreadLeases() {
		l.failures = 0
		b.agenda.reschedule(l, at)
	}
}

// Look tells the state which leases are on the screen, for the order of readings.
// It changes nothing else.
func (b *LeaseBook) Look(leases []model.LeaseID) {
	for _, l := range b.focused {
		l.focus = false
	}
	old := b.focused
	b.focused = nil
	for _, id := range leases {
		if l := b.byID[id]; l != nil && !l.focus {
			l.focus = true
			b.focused = append(b.focused, l)
		}
	}
	for _, l := range old {
		if !l.focus && b.byID[l.ID] == l {
			b.agenda.schedule(l)
		}
	}
	for _, l := range b.focused {
		if l.class != classShown && l.class != classCause {
			b.agenda.schedule(l)
		}
	}
}

// keysAge is how old the list of what hangs on a lease may be, where it is needed.
const keysAge = 30 * time.Second

// leaseKeys takes in what etcd lists as attached to a lease.
func (b *LeaseBook) leaseKeys(e model.LeaseKeys) {
	l := b.byID[e.ID]
	if l == nil || l.attached != nil && e.At.Before(l.attached.At) {
		return
	}
	l.keep().attached, l.needKeys = &e, false
	b.marks.TouchLease(l)
}

// hangs follows up on a change of what hangs on a lease, where somebody asked for that.
func (b *LeaseBook) hangs(l *Lease) {
	if l != nil && l.attached != nil {
		b.marks.TouchLease(l)
	}
}

// NeedKeys asks for a list of what hangs on a lease, with one of its next readings.
func (b *LeaseBook) NeedKeys(l *Lease) {
	if a := l.attached; a != nil && b.agenda.now.Sub(a.At) < keysAge || l.needKeys {
		return
	}
	l.keep().needKeys = true
	b.keysNeeded = append(b.keysNeeded, l.ID)
	b.agenda.reschedule(l, b.agenda.now)
}

// KeysNeeded returns the leases of which it is to be known what hangs on them, and is not, in
// the order in which they were asked for last.
func (b *LeaseBook) KeysNeeded() []model.LeaseID {
	if len(b.keysNeeded) == 0 {
		return nil
	}
	last := make(map[model.LeaseID]int, len(b.keysNeeded)) // one that came back was asked for twice
	for i, id := range b.keysNeeded {
		last[id] = i
	}
	i := -1
	b.keysNeeded = slices.DeleteFunc(b.keysNeeded, func(id model.LeaseID) bool {
		i++
		l := b.byID[id]
		return l == nil || !l.needKeys || last[id] != i
	})
	return b.keysNeeded
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
