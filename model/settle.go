package model

import (
	"time"

	"locktop/model/recipe"
)

const (
	freeKeep = time.Minute // how long a lock without claims is remembered
	freeMax  = 1000        // and how many of them
)

// compareWithBefore compares what was touched since begin with what it was, and writes the
// journal. With blind, the changes come from a list: what happened in between was
// not seen, so nothing is said about it here.
func (k *Keyspace) compareWithBefore(at time.Time, rev int64, blind bool) {
	began := k.entrySeq
	if !blind {
		k.journalGone(at, rev)
	}
	for _, l := range k.touched {
		k.compareHead(l, at, rev, blind)
	}
	for _, c := range k.Came {
		k.scheduleFor(c)
	}
	if !blind {
		k.wentTogether(began)
		k.journalCame(at, rev)
	}
	k.settling.At, k.settling.Rev = at, rev
	for _, g := range k.gone {
		if g.lease != nil {
			g.lease.going = 0
		}
		if g.lease != nil && k.byID[g.lease.ID] == g.lease {
			k.noteMulti(g.lease)
			k.releaseLease(g.lease)
		}
		k.dropDir(g.claim.dir)
	}
}

// journalGone writes that waiters left, and holders that held together with others. The
// last holder is written by compareHead.
func (k *Keyspace) journalGone(at time.Time, rev int64) {
	for _, g := range k.gone {
		if g.lock == nil || !g.judged || g.head && !g.lock.heldOn() {
			continue
		}
		f := &JournalEntry{At: at, Rev: rev, Kind: EntryLeft, Lock: g.lock.Name, Claim: refOf(g.claim), Place: g.place + 1,
			WasHolder: g.place < g.lock.holdsAtMark}
		switch since, atLeast := g.lock.HoldsSince(g.claim); {
		case k.past:
		case f.WasHolder:
			f.Held, f.HeldAtLeast = max(0, at.Sub(since)), atLeast
			f.Others = g.lock.heldWith()
		default:
			f.Waited, _ = g.claim.Waited(at)
		}
		k.Record(f)
		k.explainGone(f, g)
	}
}

// explainGone asks why g went, by what else of its lease went with it.
func (k *Keyspace) explainGone(f *JournalEntry, g gone) {
	f.GoneRev, f.came = f.Rev, g.claim.Since
	if g.claim.SinceAtLeast {
		f.came = time.Time{}
	}
	n, rest := 0, 0
	if g.lease != nil {
		n, rest = g.lease.going, len(g.lease.claims)
	}
	k.explain(f, g.lease, n, rest)
}

// severalOwners says whether the keys that the revision took hung on several leases. A
// claim without a lease counts as one more, other data does not.
func (k *Keyspace) severalOwners() bool {
	if k.owners > 0 { // counted, as far as to two
		return k.owners > 1
	}
	var first *Lease
	for _, g := range k.gone {
		if g.lease == nil && g.lock == nil || g.lease != nil && g.lease == first {
			continue
		}
		if first == nil {
			first = g.lease
		}
		if k.owners++; k.owners > 1 {
			k.request = itoa(int64(len(k.gone))) + " keys of several leases went in one revision: one request deleted them"
			return true
		}
	}
	return false
}

// compareHead writes what became of a touched lock's head.
func (k *Keyspace) compareHead(l *Lock, at time.Time, rev int64, blind bool) {
	judged := l.recipe.HasHolder
	if l.mode != recipe.NoShape { // a lock that is free keeps its last one
		told, observed := k.tell(l)
		l.recipe, l.sign, l.sure, l.kind, l.observed = told.Recipe, told.Sign, told.Confidence(), told.Kind, observed
	}
	if byMod := l.recipe.Order == recipe.ByMod; byMod != l.queue.byMod {
		l.queue.reorder(byMod)
	}
	before, now := l.headAtMark, l.queue.first()
	l.noteRenewal(now, at, !blind && !k.past)
	l.holds = l.countHolders()
	heldOn := before != now && l.heldOn()
	over := before == now && l.heldAtMark && l.Holder() != nil && l.writtenOver(now)
	k.noteHolds(l, at, blind || k.past, over)
	joined := k.share(l)
	if !blind {
		defer k.journalJoined(l, joined, now, at, rev)
	}
	for _, c := range []*Claim{before, now} {
		if c != nil && (c == now || k.claims[c.Key] == c) {
			if c.home == l.dir || c.home == nil && c.dir == l.dir {
				k.setHead(c, c == now && l.holds > 0)
			}
			k.scheduleFor(c)
		}
	}
	if before != now || l.holds != l.holdsAtMark {
		for c := range l.First(max(l.holds, l.holdsAtMark)) { // who is waited for, or waits, changed
			k.noteMulti(c.lease)
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
	k.changed(l)
	if before != nil {
		k.noteMulti(before.lease)
	}
	heldFor, heldAtLeast := max(0, at.Sub(l.headSince)), l.headAtLeast
	if k.past {
		heldFor, heldAtLeast = 0, true
	}
	switch {
	case now == nil && !judged:
		k.forget(l)
		return
	case now == nil:
		k.becameFree(l, at)
	case heldOn:
		l.headSince, l.headAtLeast = l.HoldsSince(now)
	case now != before || over || l.recipe.Held != nil && !l.heldAtMark:
		l.headSince, l.headAtLeast = at, blind || k.past
	}
	switch f := (&JournalEntry{At: at, Rev: rev, Lock: l.Name, Held: heldFor, HeldAtLeast: heldAtLeast}); {
	case blind || heldOn: // who left while others hold on is written already
	case !l.recipe.HasHolder && !judged && before != nil && now != nil:
		k.writeFirst(l, f, now)
	case !l.recipe.HasHolder:
		k.writeHeadChange(l, f, before, nil) // of a lock that became a mere group nobody holds anything
	case now != nil && now == before && l.IsClaim(now) && l.Holder() == nil: // it let go, and its key stays
		k.writeHeadChange(l, f, before, nil)
	default:
		k.writeHeadChange(l, f, before, now)
	}
	switch {
	case now != nil && l.recipe.Held != nil && l.IsClaim(now) && l.Holder() == nil:
		l.freeSince = at
	case now != nil:
		l.freeSince = time.Time{}
	}
}

// noteHolds notes which of the first keys hold from now on, and which do not any more. over
// says that the key of the first one is another's now.
func (k *Keyspace) noteHolds(l *Lock, at time.Time, late, over bool) {
	if over {
		k.unhold(l, l.headRef, l.headAtMark, late)
	}
	i := 0
	for c := range l.First(max(l.holds, l.holdsAtMark)) {
		k.noteHold(l, c, at, i < l.holds, late)
		i++
	}
	if c := l.headAtMark; c != nil && c != l.queue.first() && k.claims[c.Key] == c {
		k.noteHold(l, c, at, l.Holds(l.queue.rank(c)), late)
	}
}

func (k *Keyspace) noteHold(l *Lock, c *Claim, at time.Time, holds, late bool) {
	switch {
	case !l.IsClaim(c): // it counts here, and is of another lock
	case holds && c.got == 0:
		c.got, c.gotLate = at.UnixMicro(), late
	case !holds && c.got != 0:
		k.unhold(l, refOf(c), c, late)
	}
}

// unhold notes that a claim does not hold any more, though its key is there. What a list
// says before its end says nothing: it comes in the order of keys.
func (k *Keyspace) unhold(l *Lock, who ClaimRef, c *Claim, late bool) {
	if since, atLeast, holds := c.HeldSince(); holds && (!late || k.past) {
		k.Unheld = append(k.Unheld, Unheld{who, c, l, since, atLeast})
	}
	c.got, c.gotLate = 0, false
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

func (k *Keyspace) scheduleFor(c *Claim) {
	if c != nil && c.lease != nil { // one that something hangs on is known
		k.schedule(c.lease)
	}
}

// writeHeadChange fills in and records the entry of a head that changed.
func (k *Keyspace) writeHeadChange(l *Lock, f *JournalEntry, before, now *Claim) {
	held := l.heldAtMark // a foreign head held nothing
	f.Past = k.past
	f.Claim = refOf(now)
	switch {
	case now == nil && !held:
		return
	case now == nil:
		f.Kind, f.WasHolder, f.Place, f.Claim = EntryLeft, true, 1, l.headRef
		f.Hidden = !l.recipe.WaitersVisible()
	case l.Holder() == nil:
		if held && l.headGone > 0 {
			left := *f
			left.Kind, left.WasHolder, left.Place, left.Claim, left.WaitsFor = EntryLeft, true, 1, l.headRef, refOf(now)
			l.remember(&left, held, now)
			k.Record(&left)
			l.lastHolder, l.lastLoss = l.headRef, &left
			k.explainHead(&left, l)
		}
		f.Kind, f.Held, f.HeldAtLeast = EntryBlocked, 0, false
		k.Record(f)
		return
	case held:
		f.Kind, f.From = EntryHandover, l.headRef
	case !l.lastHolder.IsZero() && (before == nil || before == now) && (k.past || !l.freePast):
		f.Kind, f.From = EntryHandover, l.lastHolder
		if !k.past {
			f.Gap = max(0, f.At.Sub(l.freeSince))
		}
	default:
		f.Kind = EntryAcquired
		if before != nil {
			f.From = l.headRef // it blocked the lock
		}
	}
	l.remember(f, held, now)
	k.Record(f)
	switch {
	case held:
		l.lastHolder, l.lastLoss = l.headRef, f
		k.explainHead(f, l)
	case f.Kind == EntryHandover:
		k.likeBefore(f, l.lastLoss)
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
func (k *Keyspace) explainHead(f *JournalEntry, l *Lock) {
	if f.Claim.Same(l.headRef) && f.Kind == EntryHandover {
		f.Cause, f.Confidence = CauseReplaced, Certain
		f.Evidence = "the same key was put again, with another lease and another owner's value"
		if l.recipe.Held != nil {
			f.Evidence = "the same key was put again, and its value names another holder"
			return
		}
		if who := ownerOf(f.Claim.Value); who == f.Claim.Value {
			f.Confidence = Hint
			f.Evidence = "the same key was put again, with another lease and another value, which may be of the same owner"
		}
		return
	}
	if l.headGone > 0 {
		k.explainGone(f, k.gone[l.headGone-1])
		return
	}
	if l.recipe.Held != nil {
		f.Cause, f.Confidence, f.Evidence = CauseReleased, Strong, "the holder was taken out of the value"
		return
	}
	// A key that counts here but is a claim of another lock, or of none: there are few.
	for _, g := range k.gone {
		if g.claim == l.headAtMark {
			k.explainGone(f, g)
			return
		}
	}
	f.Cause, f.Confidence, f.Evidence = CauseUnknown, Hint, "its key is still there"
}

// likeBefore gives a handover over a free lock the cause that the holder's going
// had, which may itself still be waited for.
func (k *Keyspace) likeBefore(f, left *JournalEntry) {
	if left == nil {
		f.Cause, f.Confidence = CauseUnknown, Hint
		return
	}
	f.Held, f.HeldAtLeast, f.GoneRev = left.Held, left.HeldAtLeast, left.GoneRev
	f.Cause, f.Confidence, f.Evidence = left.Cause, left.Confidence, left.Evidence
	if l := k.byID[left.Removed().Lease]; left.Pending && l != nil {
		f.Pending, l.asked = true, true
		l.pending = append(l.pending, f)
		k.later(deadline{at: left.At.Add(causeWait), fact: f})
	}
}

// journalCame writes that claims joined behind others.
func (k *Keyspace) journalCame(at time.Time, rev int64) {
	for _, c := range k.Came {
		if k.claims[c.Key] != c {
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
		k.Record(f)
	}
}

// becameFree remembers a lock without claims for a while, so that a lock which is
// taken now and then does not come and go on the screen.
func (k *Keyspace) becameFree(l *Lock, at time.Time) {
	l.freeSince, l.freePast = at, k.past
	if k.free >= freeMax && !l.freeScheduled {
		k.forget(l)
		return
	}
	if !l.freeScheduled {
		l.freeScheduled = true
		k.free++
		k.later(deadline{at: at.Add(freeKeep), lock: l})
	}
}

// forgetFree forgets a lock that has been free for long enough.
func (k *Keyspace) forgetFree(l *Lock) {
	l.freeScheduled = false
	k.free--
	switch {
	case l.mode != recipe.NoShape:
	case k.witness.Believed(l.Name): // by somebody who is wrong: that has to be shown
		l.freeScheduled = true
		k.free++
		k.later(deadline{at: k.now.Add(freeKeep), lock: l})
	case k.now.Sub(l.freeSince) >= freeKeep:
		k.forget(l)
	default:
		l.freeScheduled = true
		k.free++
		k.later(deadline{at: l.freeSince.Add(freeKeep), lock: l})
	}
}

// forget drops the record of a lock that has no claims.
func (k *Keyspace) forget(l *Lock) {
	k.changed(l)
	l.findings = nil
	l.listed, k.dirty = false, true
	if l.dir.lock == l {
		l.dir.lock = nil
	}
	k.dropDir(l.dir)
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
func (k *Keyspace) writeFirst(l *Lock, f *JournalEntry, now *Claim) {
	f.Kind, f.Claim, f.From = EntryFirst, refOf(now), l.headRef
	f.Held, f.HeldAtLeast = 0, false
	k.Record(f)
	k.explainHead(f, l)
}
