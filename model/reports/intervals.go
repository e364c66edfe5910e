package reports

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/timeline"
)

// Believed is a time during which a contender believed that it held a lock: where it did
// not hold, it has lost the lock or never had it.
type Believed struct {
	Contender string
	Lock, Key string // Key is "" if it named its lease alone
	Lease     model.LeaseID
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
	Client   string
	// To is zero while it goes on.
	From, To time.Time
	// After is what the believer said when it no longer believed: lost where it was told of its
	// loss; "" while it believes, and where its process ended.
	After    model.BeliefState
	believed time.Time // since when
}

// FirstBeside names who held the lock first while a contender believed since then that it did, "" for
// nobody.
func (rs *Reports) FirstBeside(believer, lock string, since time.Time) string {
	var first Overlap
	for _, o := range rs.Overlaps(lock) {
		if o.Believer == believer && !o.From.Before(since) && (first.Client == "" || o.From.Before(first.From)) {
			first = o
		}
	}
	return first.Client
}

// Together is how long any of some overlaps lasted, up to now.
func Together(over []Overlap, now time.Time) (sum time.Duration) {
	var end time.Time
	for _, o := range over { // by their beginning
		from, to := o.From, o.To
		if to.IsZero() || to.After(now) {
			to = now
		}
		if from.Before(end) {
			from = end
		}
		if to.After(from) {
			sum += to.Sub(from)
			end = to
		}
	}
	return sum
}

// OfTheSame returns those of some overlaps in which the same belief is wrong: with each
// handover beside it another one begins.
func (o Overlap) OfTheSame(all []Overlap) []Overlap {
	return slices.DeleteFunc(slices.Clone(all), func(x Overlap) bool {
		return x.Lock != o.Lock || x.Believer != o.Believer || !x.believed.Equal(o.believed)
	})
}

// For returns how long the overlap lasted, or lasts at now.
func (o Overlap) For(now time.Time) time.Duration { return timeline.EndOrNow(o.To, now).Sub(o.From) }

func (l *Lock) keep(sp *span) {
	if len(l.beliefs) >= beliefsMax {
		l.beliefs = slices.Delete(l.beliefs, 0, 1)
	}
	l.beliefs = append(l.beliefs, sp)
}

// Beliefs returns the last times, 256 at most, during which contenders believed that they
// held the lock, by their beginning.
func (rs *Reports) Beliefs(lock string) []Believed {
	ll := rs.places.locks[lock]
	if ll == nil {
		return nil
	}
	out := make([]Believed, len(ll.beliefs))
	for i, sp := range ll.beliefs {
		out[i] = sp.Believed
	}
	return out
}

// Overlaps returns the last times, 64 at most, during which a contender believed that
// it held the lock while another claim did. A contender that let go by itself is not
// counted: its word comes later than its deed.
func (rs *Reports) Overlaps(lock string) []Overlap {
	ll := rs.places.locks[lock]
	if ll == nil {
		return nil
	}
	exclusive := ll.exclusive
	if l := rs.k.Keys.Lock(lock); l != nil {
		exclusive = l.Recipe().Exclusive()
	}
	if !exclusive {
		return nil
	}
	var out []Overlap
	for _, b := range ll.beliefs {
		if !rs.letGo(b) {
			out = append(out, rs.overlapsOf(ll, b)...)
		}
	}
	slices.SortStableFunc(out, func(a, b Overlap) int { return a.From.Compare(b.From) })
	return out[max(0, len(out)-overlapsMax):]
}

// overlapsOf returns the times of a belief during which another claim held.
func (rs *Reports) overlapsOf(ll *Lock, b *span) (out []Overlap) {
	if b.silent && b.Lease == 0 {
		return nil // nobody knows by which claim
	}
	now := rs.k.Now()
	for t := range rs.timeline.Spans(ll.name, b.From, timeline.EndOrNow(b.To, now.Add(time.Hour))) {
		if t.Got.IsZero() || b.speaksOf(t.Claim) || b.silent && owns(rs, b.Contender, t.Claim.Lease) {
			continue
		}
		from, to := b.From, b.To
		if t.Got.After(from) {
			from = t.Got
		}
		if to.IsZero() || !t.Gone.IsZero() && t.Gone.Before(to) {
			to = t.Gone
		}
		if to.IsZero() && now.After(from) || to.After(from) {
			out = append(out, Overlap{Lock: ll.name, Believer: b.Contender, Holder: t.Claim, Client: rs.k.Owners.Who(t.Claim), From: from, To: to, After: b.end, believed: b.From})
		}
	}
	return out
}

// letGo says whether a contender that believed let its claim go by itself: then it
// knew of its end before it said so, and its word may still be on its way.
func (rs *Reports) letGo(b *span) bool {
	own, left := rs.heldBy(b)
	if own == nil || own.Gone.IsZero() {
		return false
	}
	if b.To.IsZero() && rs.k.Now().Sub(own.Gone) < Grace {
		return true
	}
	if b.end == model.BeliefIdle || b.end == model.BeliefLeaving {
		if left != nil && left.Cause == journal.CauseReleased && left.Confidence == model.Hint && b.To.Sub(own.Gone) >= Grace {
			return false // nobody saw it delete its claim, and it worked on
		}
		return left == nil || left.Cause == journal.CauseReleased || left.Cause == journal.CauseRevoked || left.Cause == journal.CauseUnknown
	}
	n := rs.notebook.notes[b.Key]
	return n != nil && left != nil && rs.asksToLetGo(n, b.Contender, left.Rev)
}

// asksToLetGo says whether a program deleted its key at a revision and was not told
// of it yet: it hangs in its unlock.
func (rs *Reports) asksToLetGo(n *Notes, who string, rev int64) bool {
	for _, w := range n.writes {
		if w.Delete && !w.Missed && w.Rev > 0 && w.Rev == rev && !w.Told && rs.Programs.SameProgram(w.Name, who) {
			return true
		}
	}
	return false
}

// speaksOf says whether a belief is about a claim.
func (s *span) speaksOf(c model.ClaimRef) bool {
	return model.Belief{Key: s.Key, Lease: s.Lease, Token: s.token}.SpeaksOf(c)
}

// heldBy returns when a belief's own claim last held, nil for never, and how it went.
func (rs *Reports) heldBy(b *span) (own *timeline.Span, left *journal.Entry) {
	if own = rs.timeline.LastHold(b.Lock, b.Key, b.Lease, b.From, timeline.EndOrNow(b.To, rs.k.Now().Add(time.Hour))); own == nil {
		return nil, nil
	}
	if ll := rs.places.locks[b.Lock]; ll != nil {
		for i := range slices.Backward(ll.removed) {
			if g := &ll.removed[i]; g.Ref.Same(own.Claim) {
				return own, g.loss
			}
		}
	}
	return own, nil
}

// LateWord is an overlap that ended when the contender learnt of its loss, which was At.
type LateWord struct {
	Overlap
	At time.Time
}

// LateWords returns those of a lock that were told not long ago, by contenders whose
// process was not paused.
func (rs *Reports) LateWords(ll *Lock) (words []LateWord) {
	for _, b := range ll.beliefs {
		if b.end != model.BeliefLost && b.end != model.BeliefIdle || rs.k.Now().Sub(b.To) >= ToldFor {
			continue
		}
		own, left := rs.heldBy(b)
		if own == nil || own.Gone.IsZero() || !own.Gone.Before(b.To) || b.byItself(left) {
			continue
		}
		if c := rs.Programs.contenders[b.Contender]; c == nil || rs.Programs.PausedSince(c, own.Gone) {
			continue
		}
		for _, o := range rs.overlapsOf(ll, b) {
			words = append(words, LateWord{o, b.To})
		}
	}
	return words
}

// byItself says whether the end of a belief is no late word of a loss: the contender
// let go by itself, or nothing says that it did not.
func (s *span) byItself(left *journal.Entry) bool {
	return s.end == model.BeliefIdle && (left == nil || left.Cause != journal.CauseExpired || left.Pending)
}
