package model

import (
	"container/heap"
	"time"
)

// Readings are bought under a budget, so they are asked for in order of need.
// Each lease is in one heap at most, by the time when a reading is next worth its
// price.
const (
	classCause  int8 = iota // a claim of it went: one reading tells released from lost
	classShown              // on the screen
	classSeen               // head of a contended lock
	classHead               // head of a lock that nobody waits for
	classWaiter             // the rest
	classCount
	classNone int8 = -1
)

// Timing of readings. A reading dates the last renewal, so the next one is due
// when the renewal after that must have happened.
const (
	renewalSlack = 700 * time.Millisecond // a client's loop tick and the way to etcd
	minInterval  = time.Second
	quietHead    = 2 * time.Second  // shortest interval for classHead: close enough to tell an expiry from a close
	quietWaiter  = 15 * time.Second // and for classWaiter
	retryReading = 5 * time.Second  // longest pause after refused or failed ones
	shortestWake = 50 * time.Millisecond
	wantMax      = 64
)

// agenda is what is to be done, and when.
type agenda struct {
	due         [classCount]leaseHeap
	focused     []*Lease
	deadlines   deadlineHeap
	unexplained line // of entries whose cause waits for a reading
	deadlineSeq uint64
	keysNeeded  []LeaseID // of which it is to be known what hangs on them
}

type leaseHeap []*Lease

func (h leaseHeap) Len() int { return len(h) }
func (h leaseHeap) Less(i, j int) bool {
	if !h[i].due.Equal(h[j].due) {
		return h[i].due.Before(h[j].due)
	}
	return uint64(h[i].ID) < uint64(h[j].ID)
}
func (h leaseHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = int32(i), int32(j)
}
func (h *leaseHeap) Push(x any) { l := x.(*Lease); l.index = int32(len(*h)); *h = append(*h, l) }
func (h *leaseHeap) Pop() any {
	old := *h
	l := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return l
}

// classOf returns the need for readings of a lease.
func (k *Keyspace) classOf(l *Lease) int8 {
	switch {
	case len(l.pending) > 0 && l.asked:
		return classCause
	case len(l.pending) > 0:
		return classWaiter
	case len(l.claims) == 0:
		return classNone
	case l.focus:
		return classShown
	case l.heads > 0 && l.contended():
		return classSeen
	case l.heads > 0:
		return classHead
	}
	if l.competing > 0 {
		return classWaiter
	}
	return classNone // keys of no lock: nobody asks
}

// contended says whether anything waits behind a head that hangs on the lease, as far
// as a bounded look tells: it is only for the order of readings.
func (l *Lease) contended() bool {
	for _, c := range l.claims[:min(len(l.claims), MaxScan)] {
		if lk := c.Lock(); lk != nil && lk.Head() == c && lk.queue.n > 1 {
			return true
		}
	}
	return false
}

// nextReading returns when a lease of that class is next worth a reading.
func (k *Keyspace) nextReading(l *Lease, class int8) time.Time {
	if class == classCause || !l.HasRead || len(l.pending) > 0 {
		return k.now
	}
	least, healthy := minInterval, l.State() == LeaseHealthy
	switch {
	case class == classHead || class == classWaiter && !healthy:
		least = quietHead
	case class == classWaiter: // a short lease would be gone before the next look
		least = max(quietHead, min(quietWaiter, time.Duration(l.Read.Granted)*time.Second/2))
	}
	next := l.Read.At.Add(least)
	if healthy {
		renewed := l.Read.At.Add(-time.Duration(l.Read.Granted-l.Read.Remaining) * time.Second)
		expected := renewed.Add(time.Duration(l.Read.Granted)*time.Second/3 + renewalSlack)
		if expected.After(next) {
			next = expected
		}
	}
	return next
}

// schedule puts l where it belongs after a change.
func (k *Keyspace) schedule(l *Lease) {
	class := k.classOf(l)
	if class == classNone {
		k.unschedule(l)
		return
	}
	due := k.nextReading(l, class)
	if due.Equal(k.now) && !l.due.IsZero() && l.due.Before(due) && (l.class == class || !l.HasRead && class != classCause) {
		due = l.due // it keeps its place among those that wait for their reading
	}
	k.place(l, class, due)
}

// reschedule moves the next reading of l to at.
func (k *Keyspace) reschedule(l *Lease, at time.Time) {
	if class := k.classOf(l); class != classNone {
		k.place(l, class, at)
	}
}

func (a *agenda) place(l *Lease, class int8, due time.Time) {
	if l.class == class {
		if !l.due.Equal(due) {
			l.due = due
			heap.Fix(&a.due[class], int(l.index))
		}
		return
	}
	a.unschedule(l)
	l.class, l.due = class, due
	heap.Push(&a.due[class], l)
}

func (a *agenda) unschedule(l *Lease) {
	if l.class != classNone {
		heap.Remove(&a.due[l.class], int(l.index))
		l.class = classNone
	}
}

// Look tells the state which leases are on the screen, for the order of readings.
// It changes nothing else.
func (k *Keyspace) Look(leases []LeaseID) {
	for _, l := range k.focused {
		l.focus = false
	}
	old := k.focused
	k.focused = nil
	for _, id := range leases {
		if l := k.byID[id]; l != nil && !l.focus {
			l.focus = true
			k.focused = append(k.focused, l)
		}
	}
	for _, l := range old {
		if !l.focus && k.byID[l.ID] == l {
			k.schedule(l)
		}
	}
	for _, l := range k.focused {
		if l.class != classShown && l.class != classCause {
			k.schedule(l)
		}
	}
}

// Want returns what the state asks of its source now. Most needed first, in turns,
// so that a budget too small for the causes and the screen does not starve the
// rest.
func (k *Keyspace) Want() Want {
	if k.inHistory() { // a reading tells how a lease is now, and not how it was then
		return Want{WakeAt: k.wakeAt()}
	}
	causes := k.peek(classCause, wantMax)
	shown := k.peek(classShown, wantMax)
	seen := k.peek(classSeen, wantMax)
	rest := append(k.peek(classHead, wantMax), k.peek(classWaiter, wantMax)...)
	hurry := len(causes) > 0
	var ids []LeaseID
	for len(ids) < wantMax && len(causes)+len(shown)+len(seen)+len(rest) > 0 {
		for _, turn := range []struct {
			from *[]LeaseID
			n    int
		}{{&causes, 2}, {&shown, 2}, {&seen, 1}, {&rest, 1}} {
			n := min(turn.n, len(*turn.from))
			ids = append(ids, (*turn.from)[:n]...)
			*turn.from = (*turn.from)[n:]
		}
	}
	return Want{Leases: ids, Keys: k.KeysNeeded(), Hurry: hurry, WakeAt: k.wakeAt()}
}

// peek returns up to n leases of a class that are due, longest due first.
func (k *Keyspace) peek(class int8, n int) []LeaseID {
	h := &k.due[class]
	var taken []*Lease
	for len(taken) < n && h.Len() > 0 && !(*h)[0].due.After(k.now) {
		taken = append(taken, heap.Pop(h).(*Lease))
	}
	ids := make([]LeaseID, len(taken))
	for i, l := range taken {
		ids[i] = l.ID
		heap.Push(h, l)
	}
	return ids
}

// wakeAt returns the next time at which something falls due without an event.
func (k *Keyspace) wakeAt() time.Time {
	var at time.Time
	earlier := func(t time.Time) {
		if t.After(k.now) && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	for class := range k.due {
		if h := k.due[class]; len(h) > 0 {
			earlier(h[0].due)
		}
	}
	if len(k.deadlines) > 0 {
		earlier(k.deadlines[0].at)
	}
	if k.unexplained.len() > 0 {
		earlier(k.unexplained.first().at)
	}
	if !at.IsZero() && at.Before(k.now.Add(shortestWake)) {
		at = k.now.Add(shortestWake)
	}
	return at
}

// deadline is something that falls due by the passing of time: an entry that gives
// up waiting for its cause, a free lock that is forgotten, or a lock whose findings
// are to be derived anew.
type deadline struct {
	at    time.Time
	seq   uint64
	fact  *JournalEntry
	lock  *Lock
	check *Lock
}

func (d deadline) before(o deadline) bool {
	if !d.at.Equal(o.at) {
		return d.at.Before(o.at)
	}
	return d.seq < o.seq
}

type deadlineHeap []deadline

func (h deadlineHeap) Len() int           { return len(h) }
func (h deadlineHeap) Less(i, j int) bool { return h[i].before(h[j]) }
func (h deadlineHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *deadlineHeap) Push(x any)        { *h = append(*h, x.(deadline)) }
func (h *deadlineHeap) Pop() any {
	old := *h
	d := old[len(old)-1]
	old[len(old)-1] = deadline{}
	*h = old[:len(old)-1]
	return d
}

// line is a queue of deadlines, in the order in which they fall due.
type line struct {
	all  []deadline
	head int // all before it has gone
}

func (l *line) len() int         { return len(l.all) - l.head }
func (l *line) first() *deadline { return &l.all[l.head] }

func (l *line) push(d deadline) {
	if len(l.all) == cap(l.all) && l.head >= len(l.all)/2 { // its place is used again
		n := copy(l.all, l.all[l.head:])
		clear(l.all[n:])
		l.all, l.head = l.all[:n], 0
	}
	l.all = append(l.all, d)
}

func (l *line) pop() deadline {
	d := l.all[l.head]
	l.all[l.head] = deadline{}
	l.head++
	return d
}

// unexplainedMax is how many entries may wait for a reading. More come only when
// thousands of claims go in a second, of which a budget for readings reaches very few;
// those that waited longest have then left the journal.
const unexplainedMax = journalMax

// later sets a deadline. Facts all wait for the same time, so they fall due in the
// order in which they come: under load there are tens of thousands of them, and a
// line is cheaper than a heap.
func (a *agenda) later(d deadline) {
	a.deadlineSeq++
	d.seq = a.deadlineSeq
	if n := len(a.unexplained.all); d.fact != nil && (a.unexplained.len() == 0 || !d.at.Before(a.unexplained.all[n-1].at)) {
		a.unexplained.push(d)
		return
	}
	heap.Push(&a.deadlines, d)
}

// nextDue takes away the first deadline that is not after now.
func (a *agenda) nextDue(now time.Time) (d deadline, ok bool) {
	fact, other := a.unexplained.len() > 0, len(a.deadlines) > 0
	if fact && other {
		fact = a.unexplained.first().before(a.deadlines[0])
	}
	switch {
	case fact && !a.unexplained.first().at.After(now):
		return a.unexplained.pop(), true
	case !fact && other && !a.deadlines[0].at.After(now):
		return heap.Pop(&a.deadlines).(deadline), true
	}
	return d, false
}

// pass moves the time on and does what fell due.
func (k *Keyspace) pass(now time.Time) {
	if !now.After(k.now) {
		return
	}
	for {
		d, ok := k.nextDue(now)
		if !ok {
			break
		}
		k.now = d.at
		switch {
		case d.fact != nil:
			k.giveUp(d.fact)
		case d.lock != nil:
			k.forgetFree(d.lock)
		case d.check != nil:
			k.Mark(d.check)
		}
	}
	k.now = now
	for k.unexplained.len() > unexplainedMax {
		k.giveUp(k.unexplained.pop().fact)
	}
}
