package model

import (
	"time"

	"locktop/model/recipe"
)

const (
	freeKeep = time.Minute // how long a lock without claims is remembered
	freeMax  = 1000        // and how many of them
)

// settle compares what was touched since begin with what it was, and writes the
// journal. With blind, the changes come from a list: what happened in between was
// not seen, so nothing is said about it here.
func (s *State) compareWithBefore(at time.Time, rev int64, blind bool) {
	if !blind {
		s.journalGone(at, rev)
	}
	for _, l := range s.touched {
		s.compareHead(l, at, rev, blind)
	}
	for _, c := range s.came {
		s.scheduleFor(c)
	}
	if !blind {
		s.journalCame(at, rev)
	}
	s.lab.follow(s, at, rev)
	for _, g := range s.gone {
		if g.lease != nil {
			g.lease.going = 0
		}
		if g.lease != nil && s.leases[g.lease.ID] == g.lease {
			s.noteMulti(g.lease)
			s.releaseLease(g.lease)
		}
		s.dropDir(g.claim.dir)
	}
}

// settleGone writes that waiters left. Holders are written by settleHead.
func (s *State) journalGone(at time.Time, rev int64) {
	for _, g := range s.gone {
		if g.lock == nil || g.head || !g.judged {
			continue
		}
		f := &JournalEntry{At: at, Rev: rev, Kind: EntryLeft, Lock: g.lock.Name, Claim: refOf(g.claim), Place: g.place + 1,
			WasHolder: g.place < g.lock.holdsAtMark}
		if !s.past {
			f.Waited, _ = g.claim.Waited(at)
		}
		s.record(f)
		s.explainGone(f, g)
	}
}

// explainGone asks why g went, by what else of its lease went with it.
func (s *State) explainGone(f *JournalEntry, g gone) {
	n, rest := 0, 0
	if g.lease != nil {
		n, rest = g.lease.going, len(g.lease.claims)
	}
	s.explain(f, g.lease, n, rest)
}

// settleHead writes what became of a touched lock's head.
func (s *State) compareHead(l *Lock, at time.Time, rev int64, blind bool) {
	judged := l.recipe.HasHolder
	if l.mode != recipe.NoShape { // a lock that is free keeps its last one
		told := s.tell(l)
		l.recipe, l.sign = told.Recipe, told.Sign
	}
	if byMod := l.recipe.Order == recipe.ByMod; byMod != l.queue.byMod {
		l.queue.reorder(byMod)
	}
	before, now := l.headAtMark, l.queue.first()
	l.holds = l.countHolders()
	for _, c := range []*Claim{before, now} {
		if c != nil && (c == now || s.claims[c.Key] == c) {
			if c.home == l.dir || c.home == nil && c.dir == l.dir {
				s.setHead(c, c == now && l.holds > 0)
			}
			s.scheduleFor(c)
		}
	}
	if before != now || l.holds != l.holdsAtMark {
		for c := range l.first(max(l.holds, l.holdsAtMark)) { // who is waited for, or waits, changed
			s.noteMulti(c.lease)
		}
	}
	if before == now && l.heldAtMark == (l.Holder() != nil) {
		return
	}
	s.changed(l)
	if before != nil {
		s.noteMulti(before.lease)
	}
	heldFor, heldAtLeast := max(0, at.Sub(l.headSince)), l.headAtLeast
	if s.past {
		heldFor, heldAtLeast = 0, true
	}
	switch {
	case now == nil && !judged:
		s.forget(l)
		return
	case now == nil:
		s.becameFree(l, at)
	case now != before:
		l.headSince, l.headAtLeast = at, blind || s.past
	}
	if !blind {
		next := now
		if !l.recipe.HasHolder {
			next = nil // of a lock that became a mere group nobody holds anything
		}
		s.writeHeadChange(l, &JournalEntry{At: at, Rev: rev, Lock: l.Name, Held: heldFor, HeldAtLeast: heldAtLeast}, before, next)
	}
	if now != nil {
		l.freeSince = time.Time{}
	}
}

// countHolders returns how many of the first keys hold: one, or all that hold together.
func (l *Lock) countHolders() int {
	switch h := l.Holder(); {
	case h == nil:
		return 0
	case !l.recipe.Shares(h.form):
		return 1
	}
	n := 0
	l.queue.all(func(c *Claim) bool {
		if !l.recipe.Shares(c.form) {
			return false
		}
		n++
		return true
	})
	return n
}

func (s *State) scheduleFor(c *Claim) {
	if c != nil && c.lease != nil { // one that something hangs on is known
		s.schedule(c.lease)
	}
}

// writeHeadChange fills in and records the entry of a head that changed.
func (s *State) writeHeadChange(l *Lock, f *JournalEntry, before, now *Claim) {
	held := l.heldAtMark // a foreign head held nothing
	f.Past = s.past
	f.Claim = refOf(now)
	switch {
	case now == nil && !held:
		return
	case now == nil:
		f.Kind, f.WasHolder, f.Place, f.Claim = EntryLeft, true, 1, l.headRef
	case l.Holder() == nil:
		f.Kind = EntryBlocked
		s.record(f)
		return
	case held:
		f.Kind, f.From = EntryHandover, l.headRef
	case !l.lastHolder.IsZero() && before == nil && (s.past || !l.freePast):
		f.Kind, f.From = EntryHandover, l.lastHolder
		if !s.past {
			f.Gap = max(0, f.At.Sub(l.freeSince))
		}
	default:
		f.Kind = EntryAcquired
		if before != nil {
			f.From = l.headRef // it blocked the lock
		}
	}
	l.remember(f, held, now)
	s.record(f)
	switch {
	case held:
		l.lastHolder, l.lastLoss = l.headRef, f
		s.explainHead(f, l)
	case f.Kind == EntryHandover:
		s.likeBefore(f, l.lastLoss)
	}
}

// remember counts a change of holder and its times.
func (l *Lock) remember(f *JournalEntry, held bool, now *Claim) {
	if held && !f.HeldAtLeast {
		l.holdTimes = keepTime(l.holdTimes, f.Held)
	}
	if f.Kind != EntryHandover {
		return
	}
	l.Handovers++
	waited, atLeast := now.Waited(f.At)
	if !f.Past {
		f.Waited = waited
	}
	if !atLeast {
		l.waitTimes = keepTime(l.waitTimes, waited)
	}
	if next := l.queue.at(l.holds); next != nil && next.Since.Before(now.Since) {
		l.overtakes++
	}
}

// explainHead asks why the head before went.
func (s *State) explainHead(f *JournalEntry, l *Lock) {
	if l.headGone > 0 {
		s.explainGone(f, s.gone[l.headGone-1])
		return
	}
	// A key that counts here but is a claim of another lock, or of none: there are few.
	for _, g := range s.gone {
		if g.claim == l.headAtMark {
			s.explainGone(f, g)
			return
		}
	}
	f.Cause, f.Confidence, f.Evidence = CauseUnknown, Hint, "its key is still there"
}

// likeBefore gives a handover over a free lock the cause that the holder's going
// had, which may itself still be waited for.
func (s *State) likeBefore(f, left *JournalEntry) {
	if left == nil {
		f.Cause, f.Confidence = CauseUnknown, Hint
		return
	}
	f.Held, f.HeldAtLeast = left.Held, left.HeldAtLeast
	f.Cause, f.Confidence, f.Evidence = left.Cause, left.Confidence, left.Evidence
	if l := s.leases[left.removed().Lease]; left.Pending && l != nil {
		f.Pending, l.asked = true, true
		l.pending = append(l.pending, f)
		s.later(deadline{at: left.At.Add(causeWait), fact: f})
	}
}

// settleCame writes that claims joined behind others.
func (s *State) journalCame(at time.Time, rev int64) {
	for _, c := range s.came {
		if s.claims[c.Key] != c {
			continue
		}
		l := c.Lock()
		if l == nil || !l.recipe.HasHolder || l.queue.first() == c {
			continue
		}
		f := &JournalEntry{At: at, Rev: rev, Kind: EntryQueued, Lock: l.Name, Claim: refOf(c),
			Place: l.queue.rank(c) + 1, WaitsFor: refOf(l.WaitsFor(c))}
		if l.Holds(f.Place - 1) {
			f.Kind = EntryShared
		}
		s.record(f)
	}
}

// becameFree remembers a lock without claims for a while, so that a lock which is
// taken now and then does not come and go on the screen.
func (s *State) becameFree(l *Lock, at time.Time) {
	l.freeSince, l.freePast = at, s.past
	if s.free >= freeMax && !l.freeScheduled {
		s.forget(l)
		return
	}
	if !l.freeScheduled {
		l.freeScheduled = true
		s.free++
		s.later(deadline{at: at.Add(freeKeep), lock: l})
	}
}

// forgetFree forgets a lock that has been free for long enough.
func (s *State) forgetFree(l *Lock) {
	l.freeScheduled = false
	s.free--
	switch {
	case l.mode != recipe.NoShape:
	case s.lab.believed(l.Name): // by somebody who is wrong: that has to be shown
		l.freeScheduled = true
		s.free++
		s.later(deadline{at: s.now.Add(freeKeep), lock: l})
	case s.now.Sub(l.freeSince) >= freeKeep:
		s.forget(l)
	default:
		l.freeScheduled = true
		s.free++
		s.later(deadline{at: l.freeSince.Add(freeKeep), lock: l})
	}
}

// forget drops the record of a lock that has no claims.
func (s *State) forget(l *Lock) {
	s.changed(l)
	delete(s.troubled, l)
	l.findings = nil
	l.listed, s.dirty = false, true
	if l.dir.lock == l {
		l.dir.lock = nil
	}
	s.dropDir(l.dir)
}
