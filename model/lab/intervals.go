package lab

import (
	"slices"
	"time"

	"locktop/model"
)

// IntervalKind is what a contender did for a while.
type IntervalKind string

// Kinds of intervals. The first two are what etcd says, the last is what the contender
// says: where it believes and does not hold, it has lost the lock or never had it.
const (
	IntervalWaits    IntervalKind = "waits"
	IntervalHolds    IntervalKind = "holds"
	IntervalBelieves IntervalKind = "believes" // that it holds
)

// Interval is a time during which a contender waited, held, or believed that it held.
type Interval struct {
	Kind  IntervalKind
	Lock  string
	Key   string
	Lease model.LeaseID
	// To is zero while it goes on.
	From, To time.Time
}

// Overlap is a time during which a contender believed that it held a lock that
// somebody else held.
type Overlap struct {
	Lock string
	// Believer is the contender's name, Holder the claim that held, and Who that is.
	Believer string
	Holder   model.ClaimRef
	Who      string
	// To is zero while it goes on.
	From, To time.Time
}

// For returns how long the overlap lasted, or lasts at now.
func (o Overlap) For(now time.Time) time.Duration { return until(o.To, now).Sub(o.From) }

// span is an Interval on its way, with the claim behind it.
type span struct {
	Interval
	who  string              // the contender, of what it believes
	end  model.BeliefState   // what it believed after it
	held bool                // of a belief: it was seen to be true
	ref  model.ClaimRef      // of a claim
	left *model.JournalEntry // how a holder went
}

// turn notes that a claim waits or holds from then on.
func (ll *Lock) turn(l *model.Lock, c *model.Claim, from time.Time) {
	if !l.Recipe().HasHolder || !l.IsClaim(c) {
		return
	}
	kind := IntervalWaits
	if l.Holds(l.Place(c)) {
		kind = IntervalHolds
	}
	old := ll.running[c.Key]
	switch {
	case old != nil && old.Kind == kind && old.ref.CreateRev == c.CreateRev:
		return
	case old != nil:
		old.To = from
	case len(ll.running) >= intervalsMax:
		return
	}
	sp := &span{Interval: Interval{Kind: kind, Lock: ll.name, Key: c.Key, Lease: c.KV.Lease, From: from}, ref: c.Ref()}
	ll.running[c.Key] = sp
	ll.keep(sp)
}

func (ll *Lock) keep(sp *span) {
	if len(ll.intervals) >= intervalsMax {
		if old := ll.intervals[0]; ll.running[old.Key] == old {
			delete(ll.running, old.Key)
		}
		ll.intervals = slices.Delete(ll.intervals, 0, 1)
	}
	ll.intervals = append(ll.intervals, sp)
}

// end notes that a claim went.
func (ll *Lock) end(key string, at time.Time, l *model.Lock) {
	sp := ll.running[key]
	if sp == nil {
		return
	}
	delete(ll.running, key)
	sp.To = at
	if sp.Kind == IntervalHolds && l != nil && l.LastLoss() != nil && l.LastLoss().Removed().Key == key {
		sp.left = l.LastLoss()
	}
}

// Intervals returns the last times during which a contender waited for its locks, held
// them, and believed that it held them, by their beginning. There are at most 256 of
// all contenders of a lock.
func (lab *Reports) Intervals(contender string) []Interval {
	c := lab.contenders[contender]
	if c == nil {
		return nil
	}
	var out []Interval
	for _, st := range c.competitors {
		for _, sp := range st.place.intervals {
			if sp.who == contender || sp.who == "" && lab.isOf(sp.Lease, c) {
				out = append(out, sp.Interval)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Interval) int { return a.From.Compare(b.From) })
	return out
}

// Overlaps returns the last times, 64 at most, during which a contender believed that
// it held the lock while another claim did. A contender that let go by itself is not
// counted: its word comes later than its deed.
func (lab *Reports) Overlaps(lock string) []Overlap {
	ll, l := lab.locks[lock], lab.k.Lock(lock)
	if ll == nil || l == nil || !l.Recipe().Exclusive() {
		return nil
	}
	var out []Overlap
	for _, b := range ll.intervals {
		if b.Kind == IntervalBelieves && !lab.letGo(ll, b) {
			out = append(out, lab.overlapsOf(ll, b)...)
		}
	}
	slices.SortStableFunc(out, func(a, b Overlap) int { return a.From.Compare(b.From) })
	return out[max(0, len(out)-overlapsMax):]
}

// overlapsOf returns the times of a belief during which another claim held.
func (lab *Reports) overlapsOf(ll *Lock, b *span) (out []Overlap) {
	for _, t := range ll.intervals {
		if t.Kind != IntervalHolds || b.speaksOf(t) {
			continue
		}
		from, to := b.From, b.To
		if t.From.After(from) {
			from = t.From
		}
		if to.IsZero() || !t.To.IsZero() && t.To.Before(to) {
			to = t.To
		}
		if to.IsZero() && lab.k.Now().After(from) || to.After(from) {
			out = append(out, Overlap{Lock: ll.name, Believer: b.who, Holder: t.ref, Who: lab.k.Who(t.ref), From: from, To: to})
		}
	}
	return out
}

// letGo says whether a contender that believed let its claim go by itself: then it
// knew of its end before it said so.
func (lab *Reports) letGo(ll *Lock, b *span) bool {
	own := ll.heldBy(b)
	if own == nil || own.To.IsZero() {
		return false
	}
	if b.end == model.BeliefIdle || b.end == model.BeliefLeaving {
		return own.left == nil || own.left.Cause == model.CauseReleased || own.left.Cause == model.CauseRevoked || own.left.Cause == model.CauseUnknown
	}
	n := lab.notes[b.Key]
	return n != nil && own.left != nil && lab.asksToLetGo(n, b.who, own.left.Rev)
}

// asksToLetGo says whether a program deleted its key at a revision and was not told
// of it yet: it hangs in its unlock.
func (lab *Reports) asksToLetGo(n *Notes, who string, rev int64) bool {
	for _, w := range n.writes {
		if w.Delete && !w.Missed && w.Rev > 0 && w.Rev == rev && !w.Told && lab.SameProgram(w.Name, who) {
			return true
		}
	}
	return false
}

// speaksOf says whether a belief is about the claim that held.
func (b *span) speaksOf(t *span) bool {
	return t.Key == b.Key || b.Key == "" && b.Lease != 0 && t.Lease == b.Lease
}

// heldBy returns the last time of a belief's own claim at the head, nil for none.
func (ll *Lock) heldBy(b *span) *span {
	for _, t := range slices.Backward(ll.intervals) {
		if t.Kind == IntervalHolds && b.speaksOf(t) && (b.To.IsZero() || t.From.Before(b.To)) {
			return t
		}
	}
	return nil
}

func until(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t
}

// LateWord is an overlap that ended when the contender learnt of its loss, which was At.
type LateWord struct {
	Overlap
	At time.Time
}

// LateWords returns those of a lock that were told not long ago, by contenders whose
// process was not paused.
func (lab *Reports) LateWords(ll *Lock) (words []LateWord) {
	for _, b := range ll.intervals {
		if b.Kind != IntervalBelieves || b.end != model.BeliefLost && b.end != model.BeliefIdle || lab.k.Now().Sub(b.To) >= ToldFor {
			continue
		}
		own := ll.heldBy(b)
		if own == nil || own.To.IsZero() || !own.To.Before(b.To) || b.byItself(own) {
			continue
		}
		if c := lab.contenders[b.who]; c == nil || lab.PausedSince(c, own.To) {
			continue
		}
		for _, o := range lab.overlapsOf(ll, b) {
			words = append(words, LateWord{o, b.To})
		}
	}
	return words
}

// byItself says whether the end of a belief is no late word of a loss: the contender
// let go by itself, or nothing says that it did not.
func (b *span) byItself(own *span) bool {
	return b.end == model.BeliefIdle && (own.left == nil || own.left.Cause != model.CauseExpired || own.left.Pending)
}
