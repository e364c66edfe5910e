package locks

import (
	"time"

	"locktop/model"
	"locktop/model/journal"
)

// journalGone writes that waiters left, and holders that held together with others. The
// last holder is written by compareHead.
func (t *transitions) journalGone(at time.Time, rev int64) {
	for _, g := range t.change.removed {
		if g.lock == nil || !g.judged {
			continue
		}
		if !t.change.unobserved {
			g.lock.noteLeft(&g, at)
		}
		if g.head && !g.lock.heldOn() {
			continue
		}
		f := &journal.Entry{At: at, Rev: rev, Kind: journal.Left, Lock: g.lock.Name, Claim: refOf(g.claim), Place: g.place + 1,
			WasHolder: g.place < g.lock.holdsAtMark}
		if f.WasHolder {
			f.Held, f.HeldAtLeast, f.HeldAtMost = t.lasted(g.lock.HoldsSince(g.claim))(at)
			f.Others = g.lock.heldWith()
			if g.lock.recipe.Permits > 1 && !f.HeldAtLeast {
				g.lock.holdTimes = keepTime(g.lock.holdTimes, f.Held)
			}
		} else {
			f.Waited, f.WaitedAtLeast, f.WaitedAtMost = t.lasted(g.claim.began())(at)
		}
		t.journals.Record(f)
		t.explainGone(f, g)
	}
}

// lasted returns how long something had lasted at a time, since it began: atLeast if it may have
// been longer, and then atMost, 0 for no bound. What came late ended when nothing was seen, and
// what began then may have begun at once. Nothing is known of what is in the history alone.
func (t *transitions) lasted(since time.Time, before bool) func(at time.Time) (d time.Duration, atLeast bool, atMost time.Duration) {
	return func(at time.Time) (d time.Duration, atLeast bool, atMost time.Duration) {
		unseen := t.change.unseen
		switch {
		case unseen.IsZero() && t.change.unobserved:
			return 0, true, 0
		case unseen.IsZero():
			return max(0, at.Sub(since)), before, 0
		case since.After(unseen): // all of it was unseen
			return 0, true, at.Sub(unseen)
		case !before:
			atMost = at.Sub(since)
		}
		return unseen.Sub(since), true, atMost
	}
}

// explainGone asks why g went, by what else of its lease went with it.
func (t *transitions) explainGone(f *journal.Entry, g removedKey) {
	f.GoneRev, f.Came = f.Rev, g.claim.Since
	if g.claim.SinceAtLeast {
		f.Came = time.Time{}
	}
	n, rest := 0, 0
	if g.lease != nil {
		n, rest = int(g.lease.going), len(g.lease.claims)
	}
	t.causes.explain(f, g.lease, n, rest)
}

// journalJoined writes that claims which had waited hold together with the first one. Of
// those that just came journalCame tells.
func (t *transitions) journalJoined(l *Lock, joined []*Claim, first *Claim, at time.Time, rev int64) {
	for _, c := range joined {
		if c == first || c.CreateRev == rev {
			continue
		}
		f := &journal.Entry{At: at, Rev: rev, Kind: journal.Shared, Lock: l.Name, Claim: refOf(c), Place: l.queue.Rank(c) + 1, Permits: l.recipe.Permits}
		f.Waited, f.WaitedAtLeast, f.WaitedAtMost = t.lasted(c.began())(at)
		if f.Permits > 1 {
			l.Handovers++
			if !f.WaitedAtLeast {
				l.waitTimes = keepTime(l.waitTimes, f.Waited)
			}
		}
		t.journals.Record(f)
	}
}

// writeHeadChange fills in and records the entry of a head that changed.
func (t *transitions) writeHeadChange(l *Lock, f *journal.Entry, before, now *Claim) {
	held := l.heldAtMark // a foreign head held nothing
	f.Past, f.Permits, f.LikeMembers = t.change.unobserved, l.recipe.Permits, l.membersAtMark || now != nil && l.mayBeMembers()
	f.Claim = refOf(now)
	switch {
	case now == nil && !held:
		return
	case now == nil:
		f.Kind, f.WasHolder, f.Place, f.Claim = journal.Left, true, 1, l.headRef
		f.Hidden = !l.recipe.WaitersVisible()
	case l.Holder() == nil:
		if held && l.headGone > 0 {
			left := *f
			left.Kind, left.WasHolder, left.Place, left.Claim, left.WaitsFor = journal.Left, true, 1, l.headRef, refOf(now)
			l.remember(&left, held, now)
			t.journals.Record(&left)
			l.lastHolder, l.lastLoss = l.headRef, &left
			t.explainHead(&left, l)
		}
		f.Kind, f.Spans = journal.Blocked, journal.Spans{}
		t.journals.Record(f)
		return
	case held:
		f.Kind, f.From = journal.Handover, l.headRef
	case !l.lastHolder.IsZero() && !l.freeSince.IsZero() && (before == nil || before == now) && (t.change.unobserved || !l.freePast):
		f.Kind, f.From = journal.Handover, l.lastHolder
		if !t.change.unobserved {
			f.Gap = max(0, f.At.Sub(l.freeSince))
		}
	default:
		f.Kind = journal.Acquired
		if before != nil && before != now {
			f.From = l.headRef // it blocked the lock
		}
	}
	if f.Kind == journal.Handover {
		f.Waited, f.WaitedAtLeast, f.WaitedAtMost = t.lasted(now.began())(f.At)
	}
	l.remember(f, held, now)
	t.journals.Record(f)
	switch {
	case held:
		l.lastHolder, l.lastLoss = l.headRef, f
		t.explainHead(f, l)
	case f.Kind == journal.Handover:
		t.causes.likeBefore(f, l.lastLoss)
	}
}

// explainHead asks why the head before went.
func (t *transitions) explainHead(f *journal.Entry, l *Lock) {
	if f.Claim.Same(l.headRef) && f.Kind == journal.Handover {
		f.Cause, f.Confidence = journal.CauseReplaced, model.Certain
		f.Evidence = model.Say("put-again-by-another-owner")
		if l.recipe.Held != nil {
			f.Evidence = model.Say("put-again-names-another-holder")
			return
		}
		if who := ownerOf(f.Claim.Value); who == f.Claim.Value {
			f.Confidence = model.Hint
			f.Evidence = model.Say("put-again-owner-not-known")
		}
		return
	}
	if l.headGone > 0 {
		t.explainGone(f, t.change.removed[l.headGone-1])
		return
	}
	if l.recipe.Held != nil {
		f.Cause, f.Confidence = journal.CauseReleased, model.Hint
		f.Evidence = model.Say("holder-taken-out-of-value")
		return
	}
	// A key that counts here but is a claim of another lock, or of none: there are few.
	for _, g := range t.change.removed {
		if g.claim == l.headAtMark {
			t.explainGone(f, g)
			return
		}
	}
	f.Cause, f.Confidence, f.Evidence = journal.CauseUnknown, model.Hint, model.Say("key-still-there")
}

// journalCame writes that claims joined behind others.
func (t *transitions) journalCame(at time.Time, rev int64) {
	for _, c := range t.change.newClaims {
		if t.keys.claims[c.Key] != c {
			continue
		}
		l := c.Lock()
		if l == nil || !l.recipe.HasHolder || l.queue.First() == c {
			continue
		}
		f := &journal.Entry{At: at, Rev: rev, Kind: journal.Queued, Lock: l.Name, Claim: refOf(c),
			Place: l.queue.Rank(c) + 1, WaitsFor: refOf(l.WaitsFor(c)), Permits: l.recipe.Permits}
		if l.Holds(f.Place - 1) {
			f.Kind = journal.Shared
		}
		t.journals.Record(f)
	}
}

// writeFirst writes that another key comes first in a group, of which nobody knows that it
// holds anything.
func (t *transitions) writeFirst(l *Lock, f *journal.Entry, now *Claim) {
	f.Kind, f.Claim, f.From = journal.First, refOf(now), l.headRef
	f.Spans = journal.Spans{}
	t.journals.Record(f)
	t.explainHead(f, l)
}
