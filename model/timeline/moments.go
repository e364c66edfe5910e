package timeline

import (
	"maps"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
)

// MarkKind is what happened at a mark.
type MarkKind string

// Kinds of marks.
const (
	MarkLate    MarkKind = "renewals missed"
	MarkMember  MarkKind = "member" // the leader, a member or an alarm changed
	MarkFinding MarkKind = "finding"
	MarkLab     MarkKind = "lab" // a fault, or a process
	MarkAction  MarkKind = "action"
	MarkDrill   MarkKind = "drill" // a step, or a verdict
	MarkGap     MarkKind = "gap"
)

// Mark is a moment that matters beside the intervals.
type Mark struct {
	At   time.Time
	Kind MarkKind
	Lock string // "" for all
	// Entry is the line of the journal that tells it, nil for renewals that were missed:
	// those were of Lease, since At.
	Entry *journal.Entry
	Lease model.LeaseID
}

// Gap is a time in which nothing was seen of a prefix. To is zero while it goes on.
type Gap struct {
	Prefix   string
	From, To time.Time
	slept    bool // it was all of us, and not the watch of a prefix
}

// Bounds of marks and of gaps: the oldest give way.
const (
	marksMax  = 4096
	gapsMax   = 256
	lateMax   = 4096
	missedMax = 16 // of one lock
)

// moments are the marks and the gaps.
type moments struct {
	marks []Mark
	gaps  []Gap
	open  int // how many of them go on
	// handovers counts those of all locks that were seen.
	handovers int
	lately    [sparkSeconds]second
	late      map[model.LeaseID]bool
	missed    map[string][]Mark // of renewals, by lock
	// Up to so many of either need no sweep.
	lateRoom, missedRoom int
}

var markOf = map[journal.Kind]MarkKind{journal.Member: MarkMember, journal.Finding: MarkFinding, journal.Lab: MarkLab,
	journal.Action: MarkAction, journal.Drill: MarkDrill, journal.Gap: MarkGap}

// noteMoments takes in what an event tells of leases and of the watch.
func (b *Timeline) noteMoments(e model.Event) {
	switch e := e.(type) {
	case model.Slept:
		b.gapFrom(Gap{From: e.Since, slept: true})
	case model.Lost:
		from := e.At
		if at := b.k.Prefixes.Watch(e.Prefix).SeenAt; !at.IsZero() && at.Before(from) {
			from = at // since then nothing was known to be complete
		}
		b.gapFrom(Gap{Prefix: e.Prefix, From: from})
	case model.Back:
		b.gapTo(Gap{Prefix: e.Prefix, To: e.At})
	case model.Loaded:
		b.gapTo(Gap{Prefix: e.Prefix, To: e.At})
	case model.LeaseRead:
		b.noteLate(e)
	}
	if !b.k.Prefixes.CatchingUp() {
		b.gapTo(Gap{To: e.When(), slept: true})
	}
}

// Note takes in the lines of the journal among changes.
func (b *Timeline) Note(changes []locks.Change) {
	for i := range changes {
		f := changes[i].Entry
		if f == nil {
			continue
		}
		if f.Kind == journal.Handover && !f.Past {
			b.handovers++
			b.beat(f.At)
		}
		if kind := markOf[f.Kind]; kind != "" && !f.Past {
			b.mark(Mark{At: f.At, Kind: kind, Lock: f.Lock, Entry: f})
		}
	}
}

// Handovers returns how many handovers of any lock were seen.
func (b *Timeline) Handovers() int { return b.handovers }

// sparkSeconds is how many seconds back handovers are counted by the second.
const sparkSeconds = 128

// second is how many handovers there were in one, by the Unix clock.
type second struct {
	unix int64
	n    int
}

func (b *Timeline) beat(at time.Time) {
	x := &b.lately[uint64(at.Unix())%sparkSeconds]
	if x.unix != at.Unix() {
		*x = second{unix: at.Unix()}
	}
	x.n++
}

// HandoversIn returns how many handovers were seen in a second of the last two minutes, by the
// Unix clock.
func (b *Timeline) HandoversIn(unix int64) int {
	if x := b.lately[uint64(unix)%sparkSeconds]; x.unix == unix {
		return x.n
	}
	return 0
}

func (b *Timeline) mark(m Mark) {
	if len(b.marks) >= 2*marksMax {
		b.marks = append([]Mark(nil), b.marks[len(b.marks)-marksMax:]...)
	}
	b.marks = append(b.marks, m)
}

func (b *Timeline) gapFrom(x Gap) {
	for _, g := range b.gaps {
		if g.Prefix == x.Prefix && g.slept == x.slept && g.To.IsZero() {
			return
		}
	}
	if len(b.gaps) >= gapsMax {
		b.gaps = slices.Delete(b.gaps, 0, 1)
	}
	b.gaps = append(b.gaps, x)
	b.open++
}

func (b *Timeline) gapTo(x Gap) {
	if b.open == 0 {
		return
	}
	b.open = 0
	for i := range b.gaps {
		g := &b.gaps[i]
		if g.Prefix == x.Prefix && g.slept == x.slept && g.To.IsZero() {
			g.To = x.To
		}
		if g.To.IsZero() {
			b.open++
		}
	}
}

// noteLate marks the lease whose renewals are missed from now on, at its last renewal as
// far as that is known.
func (b *Timeline) noteLate(e model.LeaseRead) {
	l := b.k.Leases.Lease(e.ID)
	switch s := l.State(); {
	case s != model.LeaseLate && s != model.LeaseSilent && s != model.LeaseOverdue:
		delete(b.late, e.ID)
		return
	case b.late[e.ID]:
		return
	}
	sweep(b.late, &b.lateRoom, func(id model.LeaseID) bool { return b.k.Leases.Lease(id) == nil }) // ended without a reading
	b.late[e.ID] = true
	at := e.At
	if ago, ok := l.Renewed(e.At); ok {
		at = at.Add(-ago)
	}
	seen := map[string]bool{}
	for _, c := range l.Claims()[:min(len(l.Claims()), locks.MaxScan)] {
		if lock := c.Lock(); lock != nil && !seen[lock.Name] {
			seen[lock.Name] = true
			m := Mark{At: at, Kind: MarkLate, Lock: lock.Name, Lease: e.ID}
			b.mark(m)
			old := b.missed[m.Lock]
			if len(old) == 0 {
				sweep(b.missed, &b.missedRoom, func(lock string) bool { return b.k.Keys.Lock(lock) == nil })
			}
			b.missed[m.Lock] = append(old[max(0, len(old)+1-missedMax):], m)
		}
	}
}

// sweep takes out what is gone once there are twice as many as the last time left, so that
// what stays is not gone through again for each that comes.
func sweep[K comparable, V any](m map[K]V, room *int, gone func(K) bool) {
	if len(m) >= max(lateMax, *room) {
		maps.DeleteFunc(m, func(k K, _ V) bool { return gone(k) })
		*room = 2 * len(m)
	}
}

// Marks returns the marks of a time, to not included, in the order in which they were
// learnt: those of a lock and of all, or of every lock for "".
func (b *Timeline) Marks(lock string, from, to time.Time) []Mark {
	var all []Mark
	for _, m := range b.marks {
		if (lock == "" || m.Lock == "" || m.Lock == lock) && !m.At.Before(from) && m.At.Before(to) {
			all = append(all, m)
		}
	}
	return all
}

// Missed returns the last times from which on renewals of a claim of a lock were missed.
func (b *Timeline) Missed(lock string) []Mark { return b.missed[lock] }

// Gaps returns the times in which nothing was seen of a lock.
func (b *Timeline) Gaps(lock string) []Gap {
	var all []Gap
	for _, g := range b.gaps {
		if strings.HasPrefix(lock+"/", g.Prefix) || strings.HasPrefix(g.Prefix, lock+"/") {
			all = append(all, g)
		}
	}
	return all
}
