package locks

import (
	"container/heap"
	"slices"
	"sort"
	"time"

	"locktop/model"
)

// scheduler is what is to be done, and when: leases are read again, and deadlines fall due.
type scheduler struct {
	now         time.Time // of the event at hand
	due         [classCount]leaseHeap
	answers     int // that came to readings: whose turn it is
	deadlines   deadlineHeap
	deadlineSeq uint64
}

type leaseHeap []*Lease

// deadline is something that falls due by the passing of time: a free lock that is forgotten, or a
// lock whose findings are to be derived anew.
type deadline struct {
	at    time.Time
	seq   uint64
	lock  *Lock
	check *Lock
}

type deadlineHeap []deadline

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
	lastInterval = 300 * time.Millisecond // of a holder's lease that has less than a second left: only the last reading tells an expiry for sure
	sureEnd      = 100 * time.Millisecond // the end of a lease is known well enough
	quietHead    = 2 * time.Second        // shortest interval for classHead: close enough to tell an expiry from a close
	quietWaiter  = 15 * time.Second       // and for classWaiter
	retryReading = 5 * time.Second        // longest pause after refused or failed ones
	shortestWake = 50 * time.Millisecond
	wantMax      = 64
)

// Now returns the time of the last event.
func (s *scheduler) Now() time.Time { return s.now }

func (h leaseHeap) Len() int { return len(h) }

func (h leaseHeap) Less(i, j int) bool {
	if h[i].due != h[j].due {
		return h[i].due < h[j].due
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
func classOf(l *Lease) int8 {
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
	claims := l.Competing()
	for _, c := range claims[:min(len(claims), MaxScan)] {
		if lk := c.Lock(); lk != nil && (lk.Head() == c || c.got != 0) && lk.Behind() > 0 {
			return true
		}
	}
	return false
}

// nextReading returns when a lease of that class is next worth a reading.
func (s *scheduler) nextReading(l *Lease, class int8) time.Time {
	if class == classCause || !l.HasRead || len(l.pending) > 0 {
		return s.now
	}
	least, healthy := minInterval, l.State() == model.LeaseHealthy
	switch {
	case l.heads > 0 && l.Read.Granted > 0 && l.Read.Remaining == 0:
		least = lastInterval
	case l.heads > 0 && l.Read.Granted > 0 && l.Read.Remaining == 1:
		least = minInterval // then it has less than a second left: the next but one is the last reading
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
			return expected
		}
	}
	if l.heads > 0 && l.Read.Remaining > 0 {
		return l.telling(next)
	}
	return next
}

// telling returns when, instead of at next, a reading tells more of the end of a lease that nobody renews:
// etcd says whole seconds, so it tells whether the end is in the first or the second half of the time in
// which it can be.
func (l *Lease) telling(next time.Time) time.Time {
	middle := l.endFrom.Add(l.endTo.Sub(l.endFrom) / 2)
	soonest := next.Sub(l.Read.At) / 2
	if l.Read.Remaining <= 1 {
		soonest = min(soonest, lastInterval/2)
	}
	left := middle.Sub(l.Read.At.Add(soonest))
	if l.endTo.Sub(l.endFrom) < sureEnd || left < time.Second {
		return next
	}
	return middle.Add(-left.Truncate(time.Second))
}

// schedule puts l where it belongs after a change.
func (s *scheduler) schedule(l *Lease) {
	class := classOf(l)
	if class == classNone {
		s.unschedule(l)
		return
	}
	next := s.nextReading(l, class)
	due := next.UnixNano()
	if next.Equal(s.now) && l.due != 0 && l.due < due && (l.class == class || !l.HasRead && class != classCause) {
		due = l.due // it keeps its place among those that wait for their reading
	}
	s.place(l, class, due)
}

func (s *scheduler) scheduleFor(c *Claim) {
	if c != nil && c.lease != nil { // one that something hangs on is known
		s.schedule(c.lease)
	}
}

// reschedule moves the next reading of l to at.
func (s *scheduler) reschedule(l *Lease, at time.Time) {
	if class := classOf(l); class != classNone {
		s.place(l, class, at.UnixNano())
	}
}

func (s *scheduler) place(l *Lease, class int8, due int64) {
	if l.class == class {
		if l.due != due {
			l.due = due
			heap.Fix(&s.due[class], int(l.index))
		}
		return
	}
	s.unschedule(l)
	l.class, l.due = class, due
	heap.Push(&s.due[class], l)
}

func (s *scheduler) unschedule(l *Lease) {
	if l.class != classNone {
		heap.Remove(&s.due[l.class], int(l.index))
		l.class = classNone
	}
}

// peek returns up to n leases of a class that are due, longest due first. It leaves the heap as
// it is: this is asked with every batch, while few of them are read.
func (s *scheduler) peek(class int8, n int) []model.LeaseID {
	h := s.due[class]
	var ids []model.LeaseID
	next := []int{0} // what can come next, the first of them last
	now := s.now.UnixNano()
	for len(ids) < n && len(next) > 0 {
		i := next[len(next)-1]
		next = next[:len(next)-1]
		if i >= len(h) || h[i].due > now {
			continue
		}
		ids = append(ids, h[i].ID)
		for _, below := range [2]int{2*i + 1, 2*i + 2} {
			if below < len(h) {
				at := sort.Search(len(next), func(j int) bool { return h.Less(next[j], below) })
				next = slices.Insert(next, at, below)
			}
		}
	}
	return ids
}

// wakeAt returns the next time at which something falls due without an event: a reading, a deadline, or
// what waits up to another time, zero if nothing does.
func (s *scheduler) wakeAt(waits time.Time) time.Time {
	var at time.Time
	earlier := func(t time.Time) {
		if t.After(s.now) && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	for class := range s.due {
		if h := s.due[class]; len(h) > 0 {
			earlier(time.Unix(0, h[0].due).In(s.now.Location()))
		}
	}
	if len(s.deadlines) > 0 {
		earlier(s.deadlines[0].at)
	}
	earlier(waits)
	if !at.IsZero() && at.Before(s.now.Add(shortestWake)) {
		at = s.now.Add(shortestWake)
	}
	return at
}

func (d deadline) before(o deadline) bool {
	if !d.at.Equal(o.at) {
		return d.at.Before(o.at)
	}
	return d.seq < o.seq
}

func (h deadlineHeap) Len() int { return len(h) }

func (h deadlineHeap) Less(i, j int) bool { return h[i].before(h[j]) }

func (h deadlineHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *deadlineHeap) Push(x any) { *h = append(*h, x.(deadline)) }

func (h *deadlineHeap) Pop() any {
	old := *h
	d := old[len(old)-1]
	old[len(old)-1] = deadline{}
	*h = old[:len(old)-1]
	return d
}

// later sets a deadline.
func (s *scheduler) later(d deadline) {
	s.deadlineSeq++
	d.seq = s.deadlineSeq
	heap.Push(&s.deadlines, d)
}

// nextDue takes away the first deadline that is not after now.
func (s *scheduler) nextDue(now time.Time) (d deadline, ok bool) {
	if len(s.deadlines) == 0 || s.deadlines[0].at.After(now) {
		return d, false
	}
	return heap.Pop(&s.deadlines).(deadline), true
}

// recheck says of a lock at a time that it is due, when that alone may change its findings.
func (s *scheduler) recheck(l *Lock, at time.Time) {
	if l.recheckAt.IsZero() || !l.recheckAt.After(s.now) || at.Before(l.recheckAt) {
		l.recheckAt = at
		s.later(deadline{at: at, check: l})
	}
}
