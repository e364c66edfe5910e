package locks

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/recipe"
)

const (
	freeKeep = time.Minute // how long a lock without claims is remembered
	freeMax  = 1000        // and how many of them
)

// transitions compares the locks that a change touched with what they were before, and writes
// the journal.
type transitions struct {
	scheduler *scheduler
	keys      *Keys
	leases    *LeaseTable
	change    *currentChange
	owners    *Owners
	journals  *Journals
	causes    *attribution
	free      int             // locks remembered without claims
	believed  map[string]bool // locks that a client believes it holds
}

// compareWithBefore compares what was touched since begin with what it was, and writes the
// journal. With blind, the changes come from a list: what happened in between was
// not seen, so nothing is said about it here.
func (s *transitions) compareWithBefore(at time.Time, rev int64, blind bool) {
	began := s.journals.log.Seq()
	s.change.keysChanged(at, rev)
	if !blind {
		s.journalGone(at, rev)
	}
	for _, l := range s.change.touched {
		s.compareHead(l, at, rev, blind)
	}
	for _, c := range s.change.newClaims {
		s.scheduler.scheduleFor(c)
	}
	if !blind {
		if len(s.change.removed) > 0 {
			s.journals.wroteTogether(s.journals.log.WentTogether(began, s.scheduler.now))
		}
		s.journalCame(at, rev)
	}
	for _, g := range s.change.removed {
		if g.lease != nil {
			g.lease.going = 0
		}
		if g.lease != nil && s.leases.byID[g.lease.ID] == g.lease {
			held := g.judged && !blind && g.place < g.lock.holdsAtMark && (g.lock.queue.Len() > 0 || g.lock.Handovers > 0)
			queued := func(c *Claim) bool { return c.CreateRev < rev && c.Lock() != nil && c.Lock().WaitsFor(c) != nil }
			g.lease.Workers = g.lease.Workers || held && slices.ContainsFunc(g.lease.Competing()[:min(int(g.lease.competing), MaxScan)], queued)
			s.change.session(g.lease)
			s.leases.releaseLease(g.lease)
		}
		s.keys.dropDir(g.claim.dir)
	}
}

// journalGone writes that waiters left, and holders that held together with others. The
// last holder is written by compareHead.
func (s *transitions) journalGone(at time.Time, rev int64) {
	for _, g := range s.change.removed {
		if g.lock == nil || !g.judged {
			continue
		}
		if !s.change.unobserved {
			g.lock.noteLeft(&g, at)
		}
		if g.head && !g.lock.heldOn() {
			continue
		}
		f := &journal.Entry{At: at, Rev: rev, Kind: journal.Left, Lock: g.lock.Name, Claim: refOf(g.claim), Place: g.place + 1,
			WasHolder: g.place < g.lock.holdsAtMark}
		if f.WasHolder {
			f.Held, f.HeldAtLeast, f.HeldAtMost = s.lasted(g.lock.HoldsSince(g.claim))(at)
			f.Others = g.lock.heldWith()
			if g.lock.recipe.Permits > 1 && !f.HeldAtLeast {
				g.lock.holdTimes = keepTime(g.lock.holdTimes, f.Held)
			}
		} else {
			f.Waited, f.WaitedAtLeast, f.WaitedAtMost = s.lasted(g.claim.began())(at)
		}
		s.journals.Record(f)
		s.explainGone(f, g)
	}
}

// lasted returns how long something had lasted at a time, since it began: atLeast if it may have
// been longer, and then atMost, 0 for no bound. What came late ended when nothing was seen, and
// what began then may have begun at once. Nothing is known of what is in the history alone.
func (s *transitions) lasted(since time.Time, before bool) func(at time.Time) (d time.Duration, atLeast bool, atMost time.Duration) {
	return func(at time.Time) (d time.Duration, atLeast bool, atMost time.Duration) {
		unseen := s.change.unseen
		switch {
		case unseen.IsZero() && s.change.unobserved:
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
func (s *transitions) explainGone(f *journal.Entry, g removedKey) {
	f.GoneRev, f.Came = f.Rev, g.claim.Since
	if g.claim.SinceAtLeast {
		f.Came = time.Time{}
	}
	n, rest := 0, 0
	if g.lease != nil {
		n, rest = int(g.lease.going), len(g.lease.claims)
	}
	s.causes.explain(f, g.lease, n, rest)
}

// compareHead writes what became of a touched lock's head.
func (s *transitions) compareHead(l *Lock, at time.Time, rev int64, blind bool) {
	judged := l.recipe.HasHolder
	if l.mode != recipe.NoShape { // a lock that is free keeps its last one
		inferred, observed := s.keys.tell(l)
		l.recipe, l.sign, l.confidence, l.observed = inferred.Recipe, inferred.Sign, inferred.Confidence(), observed
		l.become(inferred.Kind)
	}
	l.recount()
	if byMod := l.recipe.Order == recipe.ByMod; byMod != l.queue.Second() {
		l.queue.Reorder(byMod)
		l.others.Reorder(byMod)
	}
	before, now := l.headAtMark, l.queue.First()
	l.noteRenewal(now, at, !blind && !s.change.unobserved)
	l.holds = l.countHolders()
	heldOn := before != now && l.heldOn()
	over := before == now && l.heldAtMark && l.Holder() != nil && l.writtenOver(now)
	s.noteHolds(l, at, blind || s.change.unobserved, over)
	joined := l.share()
	if !blind {
		defer s.journalJoined(l, joined, now, at, rev)
	}
	for _, c := range []*Claim{before, now} {
		if c != nil && (c == now || s.keys.claims[c.Key] == c) {
			if c.home == l.dir || c.home == nil && c.dir == l.dir {
				c.setHead(c == now && l.holds > 0)
			}
			s.scheduler.scheduleFor(c)
		}
	}
	for c := range l.First(min(l.holds, MaxScan)) {
		if c.home == l.dir && !c.head {
			c.setHead(true)
			s.scheduler.scheduleFor(c)
		}
	}
	if before != now || l.holds != l.holdsAtMark || len(joined) > 0 {
		for c := range l.First(max(l.holds, l.holdsAtMark)) { // who is waited for, or waits, changed
			s.change.session(c.lease)
		}
	}
	if held := l.Holder(); held == nil {
		l.heldAs = ""
	} else if before != now || over || !l.heldAtMark || l.heldAs == "" {
		l.heldAs = held.Value // not what it writes later, like that it resigns
	}
	if before == now && l.heldAtMark == (l.Holder() != nil) && !over {
		return
	}
	s.change.changed(l)
	if before != nil {
		s.change.session(before.lease)
	}
	var held journal.Spans // of the one that held: a lock that nobody held has no such time
	if l.heldAtMark {
		held.Held, held.HeldAtLeast, held.HeldAtMost = s.lasted(l.headSince, l.headAtLeast)(at)
	}
	switch {
	case now == nil && !judged:
		s.forget(l)
		return
	case now == nil:
		s.becameFree(l, at, blind)
	case heldOn:
		l.headSince, l.headAtLeast = l.HoldsSince(now)
	case now != before || over || l.recipe.Held != nil && !l.heldAtMark:
		l.headSince, l.headAtLeast = at, blind || s.change.unobserved
	}
	switch f := (&journal.Entry{At: at, Rev: rev, Lock: l.Name, Spans: held}); {
	case blind || heldOn: // who left while others hold on is written already
	case !l.recipe.HasHolder && !judged && before != nil && now != nil:
		s.writeFirst(l, f, now)
	case !l.recipe.HasHolder:
		s.writeHeadChange(l, f, before, nil) // of a lock that became a mere group nobody holds anything
	case now != nil && now == before && l.IsClaim(now) && l.Holder() == nil: // it let go, and its key stays
		s.writeHeadChange(l, f, before, nil)
	default:
		s.writeHeadChange(l, f, before, now)
	}
	switch {
	case now != nil && l.recipe.Held != nil && l.IsClaim(now) && l.Holder() == nil:
		l.freeSince, l.freeLate = at, blind || s.change.unobserved
	case now != nil:
		l.freeSince = time.Time{}
	}
	s.pace(l)
}

// pace has the lock looked at again when it does not move any more by the passing of time.
func (s *transitions) pace(l *Lock) {
	if until := l.movesUntil(); until.After(s.scheduler.now) {
		s.scheduler.recheck(l, until)
	}
}

// recount counts every claim of the lock anew for its lease, if what the lock is has changed.
func (l *Lock) recount() {
	is := counted{l.mode, l.kind, l.recipe}
	if l.counted == is {
		return
	}
	l.counted = is
	for c := range l.dir.others {
		c.count()
	}
	if l.dir.self != nil {
		l.dir.self.count()
	}
	l.queue.All(func(c *Claim) bool { c.count(); return true })
}

// noteRenewal dates the put of the key of such a lock.
func (l *Lock) noteRenewal(c *Claim, at time.Time, live bool) {
	if c != nil && l.recipe.OfKube() && c.ModRev != l.renewed.rev {
		l.renewed = renewal{c.ModRev, at, live}
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
	l.queue.All(func(c *Claim) bool {
		if !l.recipe.Shares(c.form) || n > 0 && n == l.recipe.Permits {
			return false
		}
		n++
		return true
	})
	return n
}

// noteHolds notes which of the first keys hold from now on, and which do not any more. over
// says that the key of the first one is another's now.
func (s *transitions) noteHolds(l *Lock, at time.Time, late, over bool) {
	if over {
		s.change.unhold(l, l.headRef, l.headAtMark, at, late)
	}
	i := 0
	for c := range l.First(max(l.holds, l.holdsAtMark)) {
		s.noteHold(l, c, at, i < l.holds, late)
		i++
	}
	if c := l.headAtMark; c != nil && c != l.queue.First() && s.keys.claims[c.Key] == c {
		s.noteHold(l, c, at, l.Holds(l.queue.Rank(c)), late)
	}
}

func (s *transitions) noteHold(l *Lock, c *Claim, at time.Time, holds, late bool) {
	switch {
	case !l.IsClaim(c): // it counts here, and is of another lock
	case holds && c.got == 0:
		c.got, c.gotLate = at.UnixMicro(), late
		c.count()
	case !holds && c.got != 0:
		c.setHead(false)
		s.change.unhold(l, refOf(c), c, at, late)
	}
}

// heldOn says whether the first claim held before the revision at hand, together with
// the one that was first.
func (l *Lock) heldOn() bool {
	first := l.queue.First()
	return l.sharing[first] && first != l.headAtMark
}

// heldWith returns how many of those that held together hold on.
func (l *Lock) heldWith() (n int) {
	for c := range l.sharing {
		if !c.leaving {
			n++
		}
	}
	return n
}

// share notes who holds a lock that several may hold, and returns those that began to
// since it was settled last. The head is among them.
func (l *Lock) share() (joined []*Claim) {
	if h := l.queue.First(); h == nil || l.holds == 0 || !l.recipe.Shares(h.form) {
		l.sharing = nil
		return nil
	}
	now := make(map[*Claim]bool, l.holds)
	for c := range l.First(l.holds) {
		if !l.sharing[c] {
			joined = append(joined, c)
		}
		now[c] = true
	}
	l.sharing = now
	return joined
}

// journalJoined writes that claims which had waited hold together with the first one. Of
// those that just came journalCame tells.
func (s *transitions) journalJoined(l *Lock, joined []*Claim, first *Claim, at time.Time, rev int64) {
	for _, c := range joined {
		if c == first || c.CreateRev == rev {
			continue
		}
		f := &journal.Entry{At: at, Rev: rev, Kind: journal.Shared, Lock: l.Name, Claim: refOf(c), Place: l.queue.Rank(c) + 1, Permits: l.recipe.Permits}
		f.Waited, f.WaitedAtLeast, f.WaitedAtMost = s.lasted(c.began())(at)
		if f.Permits > 1 {
			l.Handovers++
			if !f.WaitedAtLeast {
				l.waitTimes = keepTime(l.waitTimes, f.Waited)
			}
		}
		s.journals.Record(f)
	}
}

// writeHeadChange fills in and records the entry of a head that changed.
func (s *transitions) writeHeadChange(l *Lock, f *journal.Entry, before, now *Claim) {
	held := l.heldAtMark // a foreign head held nothing
	f.Past, f.Permits = s.change.unobserved, l.recipe.Permits
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
			s.journals.Record(&left)
			l.lastHolder, l.lastLoss = l.headRef, &left
			s.explainHead(&left, l)
		}
		f.Kind, f.Spans = journal.Blocked, journal.Spans{}
		s.journals.Record(f)
		return
	case held:
		f.Kind, f.From = journal.Handover, l.headRef
	case !l.lastHolder.IsZero() && !l.freeSince.IsZero() && (before == nil || before == now) && (s.change.unobserved || !l.freePast):
		f.Kind, f.From = journal.Handover, l.lastHolder
		if !s.change.unobserved {
			f.Gap = max(0, f.At.Sub(l.freeSince))
		}
	default:
		f.Kind = journal.Acquired
		if before != nil && before != now {
			f.From = l.headRef // it blocked the lock
		}
	}
	if f.Kind == journal.Handover {
		f.Waited, f.WaitedAtLeast, f.WaitedAtMost = s.lasted(now.began())(f.At)
	}
	l.remember(f, held, now)
	s.journals.Record(f)
	switch {
	case held:
		l.lastHolder, l.lastLoss = l.headRef, f
		s.explainHead(f, l)
	case f.Kind == journal.Handover:
		s.causes.likeBefore(f, l.lastLoss)
	}
}

// remember counts a change of holder and its times.
func (l *Lock) remember(f *journal.Entry, held bool, now *Claim) {
	switch {
	case held && f.HeldAtLeast:
		l.longestUnseen = max(l.longestUnseen, f.Held)
	case held:
		l.holdTimes = keepTime(l.holdTimes, f.Held)
	}
	if f.Kind != journal.Handover {
		return
	}
	l.Handovers++
	if !f.WaitedAtLeast {
		l.waitTimes = keepTime(l.waitTimes, f.Waited)
	}
	if next := l.queue.At(l.holds); next != nil && next.Since.Before(now.Since) {
		l.overtakes++
	}
}

// timesMax bounds how many hold and wait times are kept.
const timesMax = 50

func keepTime(list []time.Duration, d time.Duration) []time.Duration {
	if len(list) >= timesMax {
		list = list[:copy(list, list[1:])]
	}
	return append(list, d)
}

// explainHead asks why the head before went.
func (s *transitions) explainHead(f *journal.Entry, l *Lock) {
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
		s.explainGone(f, s.change.removed[l.headGone-1])
		return
	}
	if l.recipe.Held != nil {
		f.Cause, f.Confidence = journal.CauseReleased, model.Hint
		f.Evidence = model.Say("holder-taken-out-of-value")
		return
	}
	// A key that counts here but is a claim of another lock, or of none: there are few.
	for _, g := range s.change.removed {
		if g.claim == l.headAtMark {
			s.explainGone(f, g)
			return
		}
	}
	f.Cause, f.Confidence, f.Evidence = journal.CauseUnknown, model.Hint, model.Say("key-still-there")
}

// journalCame writes that claims joined behind others.
func (s *transitions) journalCame(at time.Time, rev int64) {
	for _, c := range s.change.newClaims {
		if s.keys.claims[c.Key] != c {
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
		s.journals.Record(f)
	}
}

// becameFree remembers a lock without claims for a while, so that a lock which is
// taken now and then does not come and go on the screen.
func (s *transitions) becameFree(l *Lock, at time.Time, blind bool) {
	l.freeSince, l.freePast, l.freeLate = at, s.change.unobserved, blind || s.change.unobserved
	if s.free >= freeMax && !l.freeScheduled {
		s.forget(l)
		return
	}
	if !l.freeScheduled {
		l.freeScheduled = true
		s.free++
		s.scheduler.later(deadline{at: at.Add(freeKeep), lock: l})
	}
}

// forgetFree forgets a lock that has been free for long enough.
func (s *transitions) forgetFree(l *Lock) {
	l.freeScheduled = false
	s.free--
	switch {
	case l.mode != recipe.NoShape:
	case s.believed[l.Name] || s.keys.pins.Expected(l.Name) > 0: // by somebody who is wrong, or nobody holds what is declared: that has to be shown
		l.freeScheduled = true
		s.free++
		s.scheduler.later(deadline{at: s.scheduler.now.Add(freeKeep), lock: l})
	case s.scheduler.now.Sub(l.freeSince) >= freeKeep:
		s.forget(l)
	default:
		l.freeScheduled = true
		s.free++
		s.scheduler.later(deadline{at: l.freeSince.Add(freeKeep), lock: l})
	}
}

// forget drops the record of a lock that has no claims.
func (s *transitions) forget(l *Lock) {
	s.change.changed(l)
	s.journals.forget(l)
	s.keys.forget(l)
}

// writtenOver says whether another owner put the key of the holder again in place: with
// another lease, and a value that names somebody else. One that only has a new lease is the
// same program's, in a later run or that renews so.
func (l *Lock) writtenOver(now *Claim) bool {
	was := l.headRef.Lease
	if l.recipe.Held != nil {
		return ownerOf(l.headWrote) != ownerOf(now.Value)
	}
	return was != 0 && now.KV.Lease != 0 && was != now.KV.Lease && ownerOf(l.headWrote) != ownerOf(now.Value)
}

func ownerOf(value string) string {
	who, _ := recipe.Owner(value)
	return who
}

// writeFirst writes that another key comes first in a group, of which nobody knows that it
// holds anything.
func (s *transitions) writeFirst(l *Lock, f *journal.Entry, now *Claim) {
	f.Kind, f.Claim, f.From = journal.First, refOf(now), l.headRef
	f.Spans = journal.Spans{}
	s.journals.Record(f)
	s.explainHead(f, l)
}
