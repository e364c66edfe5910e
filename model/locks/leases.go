package locks

import (
	"maps"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/recipe"
)

// LeaseTable is all that is known of leases.
type LeaseTable struct {
	scheduler *scheduler
	change    *currentChange

	byID       map[model.LeaseID]*Lease
	leaseList  []*Lease // the same, to go through
	missed     int      // how many of them missed a renewal at a third of their TTL, by the last reading
	term       uint64   // the greatest of any reading
	renewed    int      // how many were seen to be renewed in it, and are well
	late       map[*Lease]struct{}
	overdue    map[*Lease]struct{}
	early      []EarlyEnd      // of the last seconds
	focused    []*Lease        // they are on the screen
	keysNeeded []model.LeaseID // of which it is to be known what hangs on them
}

func newLeaseTable(a *scheduler, ch *currentChange) *LeaseTable {
	return &LeaseTable{scheduler: a, change: ch, byID: map[model.LeaseID]*Lease{}, late: map[*Lease]struct{}{}, overdue: map[*Lease]struct{}{}}
}

// makeRoom grows the table at once for so many leases.
func (t *LeaseTable) makeRoom(n int) {
	t.byID = withRoom(t.byID, n)
	t.leaseList = slices.Grow(t.leaseList, max(0, n-len(t.leaseList)))
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
func (t *LeaseTable) Lease(id model.LeaseID) *Lease { return t.byID[id] }

// Late returns the leases that were last read as late or silent. It is the state's own,
// for reading.
func (t *LeaseTable) Late() map[*Lease]struct{} { return t.late }

// Overdue returns how many leases were last read as past their end.
func (t *LeaseTable) Overdue() int { return len(t.overdue) }

// Missed returns how many leases had missed a renewal at a third of their TTL, by their
// last reading: only among them are silent ones.
func (t *LeaseTable) Missed() int { return t.missed }

// BacklogMin is how many leases past their end make a backlog.
const BacklogMin = 20

// Leases returns every lease that is known, in no order. The slice is the state's own
// and valid until the next Apply. Who goes through it from its end over several of them
// misses none that was there from the beginning, but may meet one twice: a lease that
// goes leaves its place to the last one.
func (t *LeaseTable) Leases() []*Lease { return t.leaseList }

// UnreadLeases returns the leases whose last reading failed, by id. It is built anew on
// each call.
func (t *LeaseTable) UnreadLeases() []*Lease {
	var unread []*Lease
	for _, l := range t.byID {
		if !l.Unread.IsZero() {
			unread = append(unread, l)
		}
	}
	slices.SortFunc(unread, func(a, b *Lease) int { return a.ID.Compare(b.ID) })
	return unread
}

// EarlyKept is for how long such an end is remembered.
const EarlyKept = 20 * time.Second

// EndedEarly returns the healthy leases that ended before their time, of the last seconds.
func (t *LeaseTable) EndedEarly() []EarlyEnd { return t.early }

// endedEarly remembers such a lease.
func (t *LeaseTable) endedEarly(id model.LeaseID, at time.Time) {
	for len(t.early) > 0 && at.Sub(t.early[0].At) > EarlyKept {
		t.early = t.early[1:]
	}
	for _, e := range t.early {
		if e.Lease == id {
			return
		}
	}
	t.early = append(t.early, EarlyEnd{at, id})
}

// leaseOf returns the record of a lease, made if needed.
func (t *LeaseTable) leaseOf(id model.LeaseID) *Lease {
	if id == 0 {
		return nil
	}
	l := t.byID[id]
	if l == nil {
		l = &Lease{ID: id, Readings: neverRead, class: classNone, slot: int32(len(t.leaseList))}
		l.claims = l.inline[:0]
		t.byID[id] = l
		t.leaseList = append(t.leaseList, l)
	}
	return l
}

func (t *LeaseTable) attach(c *Claim) {
	if c.lease = t.leaseOf(c.KV.Lease); c.lease == nil {
		return
	}
	l := c.lease
	c.slot = int32(len(l.claims))
	l.claims = append(l.claims, c)
	if len(l.claims) > 1 {
		l.inline[0] = nil // they have moved out
	}
}

// detach takes c, which is no claim any more, off its lease; whether the lease is still needed
// is for the caller to say.
func (c *Claim) detach() {
	l := c.lease
	if l == nil {
		return
	}
	last := int32(len(l.claims)) - 1
	l.swap(c.slot, last)
	l.claims[last] = nil
	l.claims = l.claims[:last]
	c.lease = nil
}

// swap changes the places of two keys of the lease.
func (l *Lease) swap(i, j int32) {
	l.claims[i], l.claims[j] = l.claims[j], l.claims[i]
	l.claims[i].slot, l.claims[j].slot = i, j
}

// compete moves c, a key of the lease, to those that are claims, or back from them if n is -1.
func (l *Lease) compete(c *Claim, n int32) {
	if n > 0 {
		l.swap(c.slot, l.competing)
	} else {
		l.swap(c.slot, l.competing-1)
	}
	l.competing += n
}

// count notes for the lease of c what becomes of it by the lock for which c competes. It is
// told of each change of that, so that nobody goes through all that hangs on a lease.
func (c *Claim) count() {
	if c.lease == nil {
		return
	}
	lk := c.Lock()
	held := lk != nil && lk.recipe.HasHolder
	c.lease.count(c, held && lk.recipe.Rhythm == recipe.RenewsAtThird, held && c.got == 0)
}

func (l *Lease) count(c *Claim, thirds, waits bool) {
	note := func(was *bool, is bool, n *int32) {
		switch {
		case is && !*was:
			*n++
		case *was && !is:
			*n--
		}
		*was = is
	}
	note(&c.thirds, thirds, &l.thirds)
	note(&c.waits, waits, &l.waiting)
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
func (t *LeaseTable) releaseLease(l *Lease) {
	if len(l.claims) == 0 && len(l.pending) == 0 {
		t.scheduler.unschedule(l)
		delete(t.late, l)
		delete(t.overdue, l)
		delete(t.byID, l.ID)
		last := len(t.leaseList) - 1
		t.leaseList[l.slot], t.leaseList[last].slot = t.leaseList[last], l.slot
		t.leaseList[last] = nil
		t.leaseList = t.leaseList[:last]
		t.noteMissed(l, false)
		t.noteRenewed(l, false)
		return
	}
	t.scheduler.schedule(l)
}

// read takes a reading in of a lease that was in that state before.
func (t *LeaseTable) read(l *Lease, e model.LeaseRead, before model.LeaseState) {
	prev, had, missed := l.Read, l.HasRead, l.LongMissed()
	l.keep()
	l.learn(prev, e, had)
	switch {
	case e.Granted > 0:
		l.alive = nil
	case had && prev.Granted > 0:
		l.alive = &prev
	}
	l.Read, l.HasRead, l.Unread, l.failures, l.stale = e, true, model.Message{}, 0, false
	if t.byID[e.ID] == l {
		t.scheduler.schedule(l)
	}
	t.index(l)
	switch after := l.State(); {
	case before != after && (before != model.LeaseUnknown || after != model.LeaseHealthy):
		t.change.leaseChanged(l)
	case prev.Remaining != e.Remaining || prev.Granted != e.Granted || !had || missed != l.LongMissed():
		for _, c := range l.claims { // it is well, as was supposed: findings may tell of numbers
			if lk := c.Lock(); lk != nil {
				t.change.due(lk)
			}
		}
	}
}

// readOdd notes a reading that nobody can believe.
func (t *LeaseTable) readOdd(l *Lease, e model.LeaseRead) {
	l.keep().Odd = &e
	t.leaseUnread(model.LeaseUnread{At: e.At, ID: e.ID, Reason: model.Say("odd-reading", e.Remaining, e.Granted)})
}

// index keeps the sets of leases that are not well.
func (t *LeaseTable) index(l *Lease) {
	set := func(m map[*Lease]struct{}, in bool) {
		if in {
			m[l] = struct{}{}
		} else {
			delete(m, l)
		}
	}
	many := len(t.overdue) >= BacklogMin
	st := l.State()
	live := t.byID[l.ID] == l
	set(t.late, live && (st == model.LeaseLate || st == model.LeaseSilent))
	set(t.overdue, live && st == model.LeaseOverdue)
	_, missed := l.Read.Missed()
	t.noteMissed(l, live && missed)
	t.noteRenewed(l, live && st == model.LeaseHealthy && l.Renewals > 0 && l.ResetAt.IsZero())
	if many != (len(t.overdue) >= BacklogMin) {
		for o := range t.overdue { // what each of them means has changed
			t.change.leaseChanged(o)
		}
	}
}

// noteMissed counts the leases that missed a renewal at a third of their TTL: only among
// them are silent ones.
func (t *LeaseTable) noteMissed(l *Lease, missed bool) {
	if l.missedRenewal == missed {
		return
	}
	l.keep().missedRenewal = missed
	if missed {
		t.missed++
	} else {
		t.missed--
	}
}

// noteRenewed counts the leases that were seen to be renewed under the leader of now: under
// another one none was.
func (t *LeaseTable) noteRenewed(l *Lease, renewed bool) {
	if l.HasRead && l.Read.Term > t.term {
		t.term, t.renewed = l.Read.Term, 0
		for _, other := range t.leaseList {
			if other.renewedNow {
				other.renewedNow = false
			}
		}
	}
	if renewed = renewed && l.Read.Term == t.term; l.renewedNow == renewed {
		return
	}
	l.keep().renewedNow = renewed
	if renewed {
		t.renewed++
	} else {
		t.renewed--
	}
}

// beginAnew takes in that the cluster was restored from a backup, which gives every lease its whole TTL anew
// and counts terms anew: no next reading is of a term that is known.
func (t *LeaseTable) beginAnew() {
	t.term, t.renewed = 0, 0
	for _, l := range t.leaseList {
		if l.HasRead {
			l.Read.Term, l.renewedNow = 0, false
		}
	}
}

// RenewedSinceLeader returns how many leases were seen to be renewed since the leader changed
// last, as the term of their readings tells, and are well.
func (t *LeaseTable) RenewedSinceLeader() int { return t.renewed }

func (t *LeaseTable) leaseUnread(e model.LeaseUnread) {
	l := t.byID[e.ID]
	if l == nil {
		return
	}
	l.keep().Unread = e.Reason
	t.change.leaseChanged(l)
	t.scheduler.reschedule(l, e.At.Add(min(retryReading, minInterval<<min(l.failures, 8))))
	l.failures++
}

// readAgain makes due what could not be read, since that may have changed: a short lease
// could end within the pause after a failure, and nobody would know why.
func (t *LeaseTable) readAgain(at time.Time) {
	for _, l := range t.UnreadLeases() {
		l.failures = 0
		t.scheduler.reschedule(l, at)
	}
}

// ShowLeases tells the state which leases are on the screen, for the order of readings.
// It changes nothing else.
func (t *LeaseTable) ShowLeases(leases []model.LeaseID) {
	for _, l := range t.focused {
		l.focus = false
	}
	old := t.focused
	t.focused = nil
	for _, id := range leases {
		if l := t.byID[id]; l != nil && !l.focus {
			l.focus = true
			t.focused = append(t.focused, l)
		}
	}
	for _, l := range old {
		if !l.focus && t.byID[l.ID] == l {
			t.scheduler.schedule(l)
		}
	}
	for _, l := range t.focused {
		if l.class != classShown && l.class != classCause {
			t.scheduler.schedule(l)
		}
	}
}

// keysAge is how old the list of what hangs on a lease may be, where it is needed.
const keysAge = 30 * time.Second

// leaseKeys takes in what etcd lists as attached to a lease.
func (t *LeaseTable) leaseKeys(e model.LeaseKeys) {
	l := t.byID[e.ID]
	if l == nil || l.attached != nil && e.At.Before(l.attached.At) {
		return
	}
	l.keep().attached, l.needKeys = &e, false
	t.change.leaseChanged(l)
}

// hangs follows up on a change of what hangs on a lease, where somebody asked for that. Of a
// lease of many keys nobody tells each that comes or goes: its next reading does.
func (t *LeaseTable) hangs(l *Lease) {
	if l != nil && l.attached != nil && len(l.claims) <= MaxScan {
		t.change.leaseChanged(l)
	}
}

// NeedKeys asks for a list of what hangs on a lease, with one of its next readings.
func (t *LeaseTable) NeedKeys(l *Lease) {
	if a := l.attached; a != nil && t.scheduler.now.Sub(a.At) < keysAge || l.needKeys {
		return
	}
	l.keep().needKeys = true
	t.keysNeeded = append(t.keysNeeded, l.ID)
	t.scheduler.reschedule(l, t.scheduler.now)
}

// KeysNeeded returns the leases of which it is to be known what hangs on them, and is not, in
// the order in which they were asked for last.
func (t *LeaseTable) KeysNeeded() []model.LeaseID {
	if len(t.keysNeeded) == 0 {
		return nil
	}
	last := make(map[model.LeaseID]int, len(t.keysNeeded)) // one that came back was asked for twice
	for i, id := range t.keysNeeded {
		last[id] = i
	}
	i := -1
	t.keysNeeded = slices.DeleteFunc(t.keysNeeded, func(id model.LeaseID) bool {
		i++
		l := t.byID[id]
		return l == nil || !l.needKeys || last[id] != i
	})
	return t.keysNeeded
}
