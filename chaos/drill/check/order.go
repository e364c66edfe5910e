package check

import (
	"slices"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// lagMax is how far a contender's word may lie before what the watch shows: both
// come on their own ways.
const lagMax = 2 * time.Second

// oneHolder: etcd's own order puts one claim first at every revision (or readers
// side by side). So what can be wrong is that a contender was told that it holds
// while its claim was not first.
func oneHolder(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	for _, l := range j.locksOf(e) {
		r.Samples += l.revisions
		for _, h := range l.holds {
			j.wasFirst(&r, l, h)
		}
	}
	if r.Samples == 0 {
		r.doubt(j.nobody(), "no claim was seen")
	}
	return r
}

// wasFirst judges one belief to hold.
func (ck *Checker) wasFirst(r *result, l *lockHistory, h *hold) {
	if h.key == "" && h.lease == 0 && h.mine == nil {
		return // it speaks of no claim: nothing to compare
	}
	c := l.claimOf(h)
	switch {
	case c == nil && h.mine != nil && !ck.unshown(l, c, h):
		if ck.hadNone(l, h) {
			r.violate("%s said at %s that it holds %s: none of its leases had a claim there, and every claim was another's", h.contender, model.Clock(h.from), l.name)
			return
		}
		r.doubt(whichClaim, "%s said at %s that it holds %s: none of its leases had a claim there then", h.contender, model.Clock(h.from), l.name)
	case c == nil && ck.early(h):
	case ck.unshown(l, c, h):
		if ck.healed.IsZero() || !h.from.After(ck.healed) { // what is said later, for ever, is not waited for
			r.doubt("let the run last "+lagMax.String()+" after that", "%s said at %s that it holds %s: its claim was not seen first yet", h.contender, model.Clock(h.from), l.name)
			r.open, r.until = !ck.finished, h.from.Add(lagMax)
		}
	case c == nil && ck.missed(time.Time{}, h.from.Add(lagMax)):
		r.doubt(onceMore, "%s said at %s that it holds %s by %s: the watch was lost, so it may have", h.contender, model.Clock(h.from), l.name, model.Printable(h.key))
	case c == nil:
		r.violate("%s said at %s that it holds %s by %s (token %d): etcd never had that claim", h.contender, model.Clock(h.from), l.name, model.Printable(h.key), h.token)
	case !c.held && (c.wentUnseen() || c.goneAt.IsZero() && ck.delayed(ck.now.Add(-lagMax), ck.now)):
		r.doubt(onceMore, "%s said at %s that it holds %s: its claim was not seen first, but the watch was lost", h.contender, model.Clock(h.from), l.name)
	case !c.held:
		r.violate("%s said at %s that it holds %s: its claim (create revision %d) was never first", h.contender, model.Clock(h.from), l.name, c.create)
	case ck.saidBefore(l, h, c) && !c.goneAt.IsZero() && !ck.missed(c.goneAt, h.from) && h.from.Sub(c.goneAt) > lagMax:
		ck.tooLong(r, c.goneAt, h.from, lagMax, []string{h.contender}, "%s said at %s that it holds %s: its claim (create revision %d) had gone at %s, and it had let go", h.contender, model.Clock(h.from), l.name, c.create, model.Clock(c.goneAt))
	case c.heldAt.Sub(h.from) > lagMax && !ck.delayed(h.from, c.heldAt):
		ck.tooLong(r, h.from, c.heldAt, lagMax, []string{h.contender}, "%s said at %s that it holds %s: its claim (create revision %d) came first %.1f s later", h.contender, model.Clock(h.from), l.name, c.create, c.heldAt.Sub(h.from).Seconds())
	}
}

// wentUnseen says whether nobody saw a claim go: it may have come first before. One that is there, or was seen to
// go, and never came first by then, never was: who comes first stays first, as claims come behind it.
func (c *claim) wentUnseen() bool { return !c.goneAt.IsZero() && c.goneRev == 0 }

// hadNone says whether a program that says that it holds certainly had no claim: it was granted a lease, so it locks by
// itself, it put no other key with a lease, so it locks nothing else, all that there was is another's, and all
// was seen.
func (ck *Checker) hadNone(l *lockHistory, h *hold) bool {
	p := ck.programs[drill.Process(h.contender)]
	if p == nil || p.leased != "" || ck.upAt(h.contender, h.from).IsZero() || ck.missed(time.Time{}, h.from.Add(lagMax)) {
		return false
	}
	return !slices.ContainsFunc(l.claims, func(c *claim) bool {
		there := !c.since.After(h.from.Add(lagMax)) && (c.goneAt.IsZero() || c.goneAt.After(h.asked.Add(-lagMax)))
		return there && slices.Contains([]string{"", drill.Process(h.contender)}, ck.owner(c))
	})
}

// saidBefore says whether a contender had said of a claim that it holds by it, and that it no longer does: what it
// says then is about no claim that it has.
func (ck *Checker) saidBefore(l *lockHistory, h *hold, c *claim) bool {
	return slices.ContainsFunc(l.holds, func(old *hold) bool {
		return old != h && old.contender == h.contender && !old.inferred && !old.to.IsZero() && !old.to.After(h.from) && old.ended != "" && l.claimOf(old) == c
	})
}

// fifo: who came first in one lock have growing create revisions.
func fifo(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	for _, l := range j.locksOf(e) {
		var last *claim
		for _, t := range l.tenures {
			if t.claim.key == l.name {
				r.doubt("ask it of a lock with a queue", "%s is a single key: it keeps no queue", l.name)
				break
			}
			r.Samples++
			if last != nil && t.claim.create < last.create {
				r.violate("%s (create revision %d) had %s after %s (create revision %d), at revision %d",
					j.name(t.claim), t.claim.create, l.name, j.name(last), last.create, t.rev)
			}
			last = t.claim
		}
	}
	if r.Samples < 2 {
		r.doubt(handsNow, "%s: an order needs two", model.CountOf(r.Samples, "owner"))
	}
	return r
}

// tokensGrow: in the order in which etcd gave the lock, the tokens that contenders
// showed grow from owner to owner.
func tokensGrow(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	for _, l := range j.locksOf(e) {
		shown := map[*claim]*hold{}
		for _, h := range l.holds {
			if h.token != 0 {
				if c := l.lastWith(h); c != nil {
					shown[c] = h
				}
			}
		}
		var last *hold
		for _, t := range l.tenures {
			h := shown[t.claim]
			if h == nil {
				continue
			}
			r.Samples++
			if last != nil && h.token <= last.token {
				r.violate("%s had the token %d after %s had %d, on %s", h.contender, h.token, last.contender, last.token, l.name)
			}
			last = h
		}
	}
	if r.Samples < 2 {
		r.doubt("let each holder say its token (in JSON: \"token\")", "%d tokens were shown: to grow takes two", r.Samples)
	}
	return r
}

// lastWith is the claim of a hold by its key alone, that was there at the time: its
// token may be wrong.
func (l *lockHistory) lastWith(h *hold) *claim {
	if c := l.claimOf(h); c != nil {
		return c
	}
	without := *h
	without.token = 0
	return l.claimOf(&without)
}

// noOldToken: the resource accepted no write with a token below the highest it had
// seen.
func noOldToken(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	old := 0
	for _, l := range j.locksOf(e) {
		var highest int64 // a resource without a fence does not say
		for _, a := range l.accesses {
			if !a.Write || !a.Accepted {
				continue
			}
			r.Samples++
			if highest = max(highest, a.Highest); a.Token < highest {
				old++
				r.violate("%s wrote to %s at %s with the token %d, after %d was seen", a.Contender, l.name, model.Clock(a.At), a.Token, highest)
			}
			highest = max(highest, a.Token)
		}
	}
	r.Measured, r.Bound, r.Unit = new(float64(old)), new(float64(0)), drill.Count
	if r.Samples == 0 {
		r.doubt(guarded, "nothing was written")
	}
	return r
}

// updates are the acknowledged updates of the guarded registers, and those of them
// that were lost.
func (ck *Checker) updates(e drill.Expectation, r *result) (acked, lost int) {
	for _, l := range ck.locksOf(e) {
		a, n := 0, 0
		for _, x := range l.accesses {
			if x.Lost > n {
				r.note("%s wrote to %s at %s over an update it had not read (token %d)", x.Contender, l.name, model.Clock(x.At), x.Token)
			}
			a, n = max(a, x.Acked), max(n, x.Lost)
		}
		acked, lost = acked+a, lost+n
	}
	return acked, lost
}

func noLostUpdate(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	acked, lost := j.updates(e, &r)
	r.Samples, r.Measured, r.Bound, r.Unit = acked, new(float64(lost)), new(float64(0)), drill.Count
	switch {
	case lost > 0:
		r.violate("%d of %d acknowledged updates were lost", lost, acked)
	case acked == 0:
		r.doubt(guarded, "no update was acknowledged")
	}
	return r
}

func lostUpdates(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	acked, lost := j.updates(e, &r)
	if acked == 0 {
		r.doubt(guarded, "no update was acknowledged")
		return r
	}
	return j.atLeast(r, lost, acked, "lost updates")
}

// refused: the guarded resource turned accesses away, because their token was old.
func refused(j *Checker, e drill.Expectation) result {
	r, n, all := newResult(e), 0, 0
	for _, l := range j.locksOf(e) {
		for _, a := range l.accesses {
			if e.Contender != "" && !matches(a.Contender, e.Contender) {
				continue
			}
			if all++; !a.Accepted {
				n++
				r.note("%s was refused on %s at %s: token %d is older than %d", a.Contender, l.name, model.Clock(a.At), a.Token, a.Highest)
			}
		}
	}
	return j.atLeast(r, n, all, "refused accesses of the guarded resource")
}

// atLeast judges a number that has to be reached.
func (ck *Checker) atLeast(r result, n, samples int, what string) result {
	if n >= r.Count {
		r.Samples, r.Measured, r.Bound, r.Least, r.Unit = samples, new(float64(n)), new(float64(r.Count)), true, drill.Count
		return r
	}
	r.note("%d %s: %d were expected", n, what, r.Count)
	r = ck.missing(r, ck.start, true)
	r.Samples, r.Measured, r.Bound, r.Least, r.Unit = samples, new(float64(n)), new(float64(r.Count)), true, drill.Count
	return r
}

func acquisitions(j *Checker, e drill.Expectation) result {
	n := 0
	for _, l := range j.locksOf(e) {
		n += len(l.acquisitions(j, e.Contender))
	}
	return j.atLeast(newResult(e), n, n, "acquisitions")
}

func failedAttempts(j *Checker, e drill.Expectation) result {
	r, n, all := newResult(e), 0, 0
	for _, l := range j.locksOf(e) {
		all += len(l.holds)
		for _, a := range l.attempts {
			all++
			if e.Contender == "" || matches(a.contender, e.Contender) {
				n++
				r.note("%s gave up on %s at %s after %.1f s: %s", a.contender, l.name, model.Clock(a.to), a.to.Sub(a.from).Seconds(), model.Printable(a.text))
			}
		}
	}
	return j.atLeast(r, n, all, "failed attempts")
}

// matches says whether who is the contender that is named, or one of its workers.
func matches(who, named string) bool { return who == named || drill.Process(who) == named }

// early says whether what a contender spoke of may have come and gone before anything
// was seen of etcd.
func (h *history) early(b *hold) bool {
	return b.from.Before(h.lastSeen) || b.token != 0 && b.token <= h.seenRev
}

// unshown says whether a contender spoke so lately of a claim that the watch may yet show it, or show it first.
func (ck *Checker) unshown(l *lockHistory, c *claim, word *hold) bool {
	return ck.now.Sub(word.from) < lagMax && (c == nil || !c.held || l.spokenOf(c, word))
}
