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
func (tl *Timeline) noteMoments(e model.Event) {
	switch e := e.(type) {
	case model.Slept:
		tl.gapFrom(Gap{From: e.Since, slept: true})
	case model.Lost:
		from := e.At
		if at := tl.k.Prefixes.Watch(e.Prefix).SeenAt; !at.IsZero() && at.Before(from) {
			from = at // since then nothing was known to be complete
		}
		tl.gapFrom(Gap{Prefix: e.Prefix, From: from})
	case model.Back:
		tl.gapTo(Gap{Prefix: e.Prefix, To: e.At})
	case model.Loaded:
		tl.gapTo(Gap{Prefix: e.Prefix, To: e.At})
	case model.LeaseRead:
		tl.noteLate(e)
	}
	if !tl.k.Prefixes.CatchingUp() {
		tl.gapTo(Gap{To: e.When(), slept: true})
	}
}

// Note takes in the lines of the journal among changes.
func (tl *Timeline) Note(changes []locks.Change) {
	for i := range changes {
		f := changes[i].Entry
		if f == nil {
			continue
		}
		if f.Kind == journal.Handover && !f.Past {
			tl.handovers++
			tl.beat(f.At)
		}
		if kind := markOf[f.Kind]; kind != "" && !f.Past {
			tl.mark(Mark{At: f.At, Kind: kind, Lock: f.Lock, Entry: f})
		}
	}
}

// Handovers returns how many handovers of any lock were seen.
func (tl *Timeline) Handovers() int { return tl.handovers }

// sparkSeconds is how many seconds back handovers are counted by the second.
const sparkSeconds = 128

// second is how many handovers there were in one, by the Unix clock.
type second struct {
	unix int64
	n    int
}

func (tl *Timeline) beat(at time.Time) {
	x := &tl.lately[uint64(at.Unix())%sparkSeconds]
	if x.unix != at.Unix() {
		*x = second{unix: at.Unix()}
	}
	x.n++
}

// HandoversIn returns how many handovers were seen in a second of the last two minutes, by the
// Unix clock.
func (tl *Timeline) HandoversIn(unix int64) int {
	if x := tl.lately[uint64(unix)%sparkSeconds]; x.unix == unix {
		return x.n
	}
	return 0
}

func (tl *Timeline) mark(m Mark) {
	if len(tl.marks) >= 2*marksMax {
		tl.marks = append([]Mark(nil), tl.marks[len(tl.marks)-marksMax:]...)
	}
	tl.marks = append(tl.marks, m)
}

func (tl *Timeline) gapFrom(x Gap) {
	for _, g := range tl.gaps {
		if g.Prefix == x.Prefix && g.slept == x.slept && g.To.IsZero() {
			return
		}
	}
	if len(tl.gaps) >= gapsMax {
		tl.gaps = slices.Delete(tl.gaps, 0, 1)
	}
	tl.gaps = append(tl.gaps, x)
	tl.open++
}

func (tl *Timeline) gapTo(x Gap) {
	if tl.open == 0 {
		return
	}
	tl.open = 0
	for i := range tl.gaps {
		g := &tl.gaps[i]
		if g.Prefix == x.Prefix && g.slept == x.slept && g.To.IsZero() {
			g.To = x.To
		}
		if g.To.IsZero() {
			tl.open++
		}
	}
}

// noteLate marks the lease whose renewals are missed from now on, at its last renewal as
// far as that is known.
func (tl *Timeline) noteLate(e model.LeaseRead) {
	l := tl.k.Leases.Lease(e.ID)
	switch s := l.State(); {
	case s != model.LeaseLate && s != model.LeaseSilent && s != model.LeaseOverdue:
		delete(tl.late, e.ID)
		return
	case tl.late[e.ID]:
		return
	}
	sweep(tl.late, &tl.lateRoom, func(id model.LeaseID) bool { return tl.k.Leases.Lease(id) == nil }) // ended without a reading
	tl.late[e.ID] = true
	at := e.At
	if ago, ok := l.Renewed(e.At); ok {
		at = at.Add(-ago)
	}
	seen := map[string]bool{}
	for _, c := range l.Claims()[:min(len(l.Claims()), locks.MaxScan)] {
		if lock := c.Lock(); lock != nil && !seen[lock.Name] {
			seen[lock.Name] = true
			m := Mark{At: at, Kind: MarkLate, Lock: lock.Name, Lease: e.ID}
			tl.mark(m)
			old := tl.missed[m.Lock]
			if len(old) == 0 {
				sweep(tl.missed, &tl.missedRoom, func(lock string) bool { return tl.k.Keys.Lock(lock) == nil })
			}
			tl.missed[m.Lock] = append(old[max(0, len(old)+1-missedMax):], m)
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
func (tl *Timeline) Marks(lock string, from, to time.Time) []Mark {
	var all []Mark
	for _, m := range tl.marks {
		if (lock == "" || m.Lock == "" || m.Lock == lock) && !m.At.Before(from) && m.At.Before(to) {
			all = append(all, m)
		}
	}
	return all
}

// Missed returns the last times from which on renewals of a claim of a lock were missed.
func (tl *Timeline) Missed(lock string) []Mark { return tl.missed[lock] }

// Gaps returns the times in which nothing was seen of a lock.
func (tl *Timeline) Gaps(lock string) []Gap {
	var all []Gap
	for _, g := range tl.gaps {
		if strings.HasPrefix(lock+"/", g.Prefix) || strings.HasPrefix(g.Prefix, lock+"/") {
			all = append(all, g)
		}
	}
	return all
}
