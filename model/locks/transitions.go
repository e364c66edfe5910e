package locks

import (
	"slices"
	"time"

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
func (t *transitions) compareWithBefore(at time.Time, rev int64, blind bool) {
	began := t.journals.log.Seq()
	t.change.keysChanged(at, rev)
	if !blind {
		t.journalGone(at, rev)
	}
	for _, l := range t.change.touched {
		t.compareHead(l, at, rev, blind)
	}
	for _, c := range t.change.newClaims {
		t.scheduler.scheduleFor(c)
	}
	if !blind {
		if len(t.change.removed) > 0 {
			t.journals.wroteTogether(t.journals.log.WentTogether(began, t.scheduler.now))
		}
		t.journalCame(at, rev)
	}
	for _, g := range t.change.removed {
		if g.lease != nil {
			g.lease.going = 0
		}
		if g.lease != nil && t.leases.byID[g.lease.ID] == g.lease {
			held := g.judged && !blind && g.place < g.lock.holdsAtMark && (g.lock.queue.Len() > 0 || g.lock.Handovers > 0)
			queued := func(c *Claim) bool { return c.CreateRev < rev && c.Lock() != nil && c.Lock().WaitsFor(c) != nil }
			g.lease.Workers = g.lease.Workers || held && slices.ContainsFunc(g.lease.Competing()[:min(int(g.lease.competing), MaxScan)], queued)
			t.change.session(g.lease)
			t.leases.releaseLease(g.lease)
		}
		t.keys.dropDir(g.claim.dir)
	}
}

// compareHead writes what became of a touched lock's head.
func (t *transitions) compareHead(l *Lock, at time.Time, rev int64, blind bool) {
	judged := l.recipe.HasHolder
	if l.mode != recipe.NoShape { // a lock that is free keeps its last one
		inferred, observed := t.keys.tell(l)
		l.recipe, l.sign, l.confidence, l.observed = inferred.Recipe, inferred.Sign, inferred.Confidence(), observed
		l.become(inferred.Kind)
	}
	l.recount()
	if byMod := l.recipe.Order == recipe.ByMod; byMod != l.queue.Second() {
		l.queue.Reorder(byMod)
		l.others.Reorder(byMod)
	}
	before, now := l.headAtMark, l.queue.First()
	l.noteRenewal(now, at, !blind && !t.change.unobserved)
	l.holds = l.countHolders()
	heldOn := before != now && l.heldOn()
	over := before == now && l.heldAtMark && l.Holder() != nil && l.writtenOver(now)
	t.noteHolds(l, at, blind || t.change.unobserved, over)
	joined := l.share()
	if !blind {
		defer t.journalJoined(l, joined, now, at, rev)
	}
	for _, c := range []*Claim{before, now} {
		if c != nil && (c == now || t.keys.claims[c.Key] == c) {
			if c.home == l.dir || c.home == nil && c.dir == l.dir {
				c.setHead(c == now && l.holds > 0)
			}
			t.scheduler.scheduleFor(c)
		}
	}
	for c := range l.First(min(l.holds, MaxScan)) {
		if c.home == l.dir && !c.head {
			c.setHead(true)
			t.scheduler.scheduleFor(c)
		}
	}
	if before != now || l.holds != l.holdsAtMark || len(joined) > 0 {
		for c := range l.First(max(l.holds, l.holdsAtMark)) { // who is waited for, or waits, changed
			t.change.session(c.lease)
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
	t.change.changed(l)
	if before != nil {
		t.change.session(before.lease)
	}
	var held journal.Spans // of the one that held: a lock that nobody held has no such time
	if l.heldAtMark {
		held.Held, held.HeldAtLeast, held.HeldAtMost = t.lasted(l.headSince, l.headAtLeast)(at)
	}
	switch {
	case now == nil && !judged:
		t.forget(l)
		return
	case now == nil:
		t.becameFree(l, at, blind)
	case heldOn:
		l.headSince, l.headAtLeast = l.HoldsSince(now)
	case now != before || over || l.recipe.Held != nil && !l.heldAtMark:
		l.headSince, l.headAtLeast = at, blind || t.change.unobserved
	}
	switch f := (&journal.Entry{At: at, Rev: rev, Lock: l.Name, Spans: held}); {
	case blind || heldOn: // who left while others hold on is written already
	case !l.recipe.HasHolder && !judged && before != nil && now != nil:
		t.writeFirst(l, f, now)
	case !l.recipe.HasHolder:
		t.writeHeadChange(l, f, before, nil) // of a lock that became a mere group nobody holds anything
	case now != nil && now == before && l.IsClaim(now) && l.Holder() == nil: // it let go, and its key stays
		t.writeHeadChange(l, f, before, nil)
	default:
		t.writeHeadChange(l, f, before, now)
	}
	switch {
	case now != nil && l.recipe.Held != nil && l.IsClaim(now) && l.Holder() == nil:
		l.freeSince, l.freeLate = at, blind || t.change.unobserved
	case now != nil:
		l.freeSince = time.Time{}
	}
	t.recheckWhenStill(l)
}

// recheckWhenStill has the lock looked at again when it does not move any more by the passing of time.
func (t *transitions) recheckWhenStill(l *Lock) {
	if until := l.movesUntil(); until.After(t.scheduler.now) {
		t.scheduler.recheck(l, until)
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
	if !f.WaitedAtLeast && l.recipe.WaitersVisible() {
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

// becameFree remembers a lock without claims for a while, so that a lock which is
// taken now and then does not come and go on the screen.
func (t *transitions) becameFree(l *Lock, at time.Time, blind bool) {
	l.freeSince, l.freePast, l.freeLate = at, t.change.unobserved, blind || t.change.unobserved
	if t.free >= freeMax && !l.freeScheduled {
		t.forget(l)
		return
	}
	if !l.freeScheduled {
		l.freeScheduled = true
		t.free++
		t.scheduler.later(deadline{at: at.Add(freeKeep), lock: l})
	}
}

// forgetFree forgets a lock that has been free for long enough.
func (t *transitions) forgetFree(l *Lock) {
	l.freeScheduled = false
	t.free--
	switch {
	case l.mode != recipe.NoShape:
	case t.believed[l.Name] || t.keys.pins.Expected(l.Name) > 0: // by somebody who is wrong, or nobody holds what is declared: that has to be shown
		l.freeScheduled = true
		t.free++
		t.scheduler.later(deadline{at: t.scheduler.now.Add(freeKeep), lock: l})
	case t.scheduler.now.Sub(l.freeSince) >= freeKeep:
		t.forget(l)
	default:
		l.freeScheduled = true
		t.free++
		t.scheduler.later(deadline{at: l.freeSince.Add(freeKeep), lock: l})
	}
}

// forget drops the record of a lock that has no claims.
func (t *transitions) forget(l *Lock) {
	t.change.changed(l)
	t.journals.forget(l)
	t.keys.forget(l)
}
