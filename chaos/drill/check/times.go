package check

import (
	"slices"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/journal"
	"locktop/model/text"
)

// served: every contender that asked before the steps were over came first within the
// bound, or still has time. Later requests are not judged: contenders that come back for
// ever would never let it end. Contenders that left are not judged either: they may have
// given up by themselves.
func served(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	r.Bound, r.Unit = new(e.Within.Seconds()), drill.Seconds
	longest, left := time.Duration(0), 0
	for _, l := range j.locksOf(e) {
		for _, c := range l.claims {
			if slices.Contains(e.Except, j.owner(c)) || !j.healed.IsZero() && c.since.After(j.healed) {
				continue
			}
			end := j.now
			switch {
			case c.held:
				end = c.heldAt
			case !c.goneAt.IsZero():
				left++
				continue
			}
			waited := end.Sub(c.since)
			longest = max(longest, waited)
			switch {
			case waited > e.Within && c.held:
				j.tooLong(&r, c.since, end, e.Within, j.everyone(), "%s waited %.1f s for %s", j.name(c), waited.Seconds(), l.name)
			case waited > e.Within:
				j.tooLong(&r, c.since, end, e.Within, j.everyone(), "%s has waited %.1f s for %s, and still does", j.name(c), waited.Seconds(), l.name)
			case !c.held:
				r.doubt("let the run last "+e.Within.String()+" after it asked", "%s still waits for %s, since %.1f s", j.name(c), l.name, waited.Seconds())
				if until := c.since.Add(e.Within); until.After(r.until) {
					r.until = until
				}
				r.open = !j.finished
			}
			r.Samples++
		}
	}
	if left > 0 {
		r.note("%d left before they were served", left)
	}
	if r.Samples == 0 {
		r.doubt(j.nobody(), "nobody asked")
		return r
	}
	r.Measured = new(longest.Seconds())
	return r
}

const neverTold = "%s was told that it holds %s, lost it, and was never told otherwise: whether it worked on is not known"

// passedOn says whether the claim of a hold went and somebody else came first after it, who may have
// begun to work whether it was seen to be told or not.
func (ck *Checker) passedOn(l *lockHistory, h *hold) bool {
	c := l.claimOf(h)
	return c != nil && slices.ContainsFunc(l.tenures, func(t headSpan) bool { return t.prev == c && ck.owner(t.claim) != h.contender })
}

// overlap: the longest time in which two contenders both believed to hold.
func overlap(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	longest, doubted := time.Duration(0), false
	for _, l := range j.locksOf(e) {
		r.Samples += len(l.holds)
		holds := slices.Clone(l.holds)
		slices.SortFunc(holds, func(a, b *hold) int { return a.from.Compare(b.from) })
		for i, a := range holds {
			if a.inferred && a.to.IsZero() && j.passedOn(l, a) {
				r.doubt(j.wouldTell(a.contender), neverTold, a.contender, l.name)
				continue
			}
			for _, b := range holds[i+1:] {
				if !a.to.IsZero() && !b.from.Before(a.to) {
					break // and all after it
				}
				d, from := j.together(l, a, b)
				if d <= 0 {
					continue
				}
				if a.inferred {
					r.doubt(j.wouldTell(a.contender), neverTold, a.contender, l.name)
					continue
				}
				if e.Below > 0 && d < e.Below {
					switch freed := j.freedIn(a, b, from); {
					case a.to.IsZero() && b.to.IsZero():
						r.doubt("let the run last "+e.Below.String()+" after that", "%s and %s have both believed to hold %s for %.3f s from %s", a.contender, b.contender, l.name, d.Seconds(), model.Clock(from))
						r.open, r.until = !j.finished, model.Later(r.until, from.Add(e.Below+judgeSlack))
					case freed != nil:
						doubted = true
						r.doubt("let the fault last "+e.Below.String()+" after that", "%s and %s both believed to hold %s for %.3f s from %s, until after %s: for how long without that is not known",
							a.contender, b.contender, l.name, d.Seconds(), model.Clock(from), freeing(freed))
						continue
					}
				}
				if longest = max(longest, d); e.Below > 0 && d >= e.Below {
					j.tooLong(&r, from, from.Add(d), e.Below, []string{a.contender, b.contender}, "%s and %s both believed to hold %s for %.3f s from %s", a.contender, b.contender, l.name, d.Seconds(), model.Clock(from))
				} else if e.Below == 0 && d >= e.AtLeast {
					r.note("%s and %s both believed to hold %s for %.3f s from %s", a.contender, b.contender, l.name, d.Seconds(), model.Clock(from))
				}
			}
		}
	}
	r.Unit, r.Measured, r.Bound, r.Least = drill.Seconds, new(longest.Seconds()), new((e.Below + e.AtLeast).Seconds()), e.AtLeast > 0
	if doubted && longest < e.Below {
		r.Measured = nil // the longest is among those that are not known
	}
	switch {
	case r.Samples == 0:
		r.Measured = nil
		r.doubt(j.nobody(), "nobody said that it holds")
	case e.Below > 0 && r.Verdict == drill.Violated && len(j.programs) > 0:
		r.Mend = mendStop
	case e.AtLeast > 0 && longest < e.AtLeast:
		r.note("the longest overlap was %.3f s", longest.Seconds())
		measured := r.Measured
		r = j.missing(r, j.start, true)
		r.Measured = measured
	}
	return r
}

// freedIn is the fault whose end came in a time in which two believed to hold, before the first
// of them stopped, who might not have otherwise; nil if there is none.
func (ck *Checker) freedIn(a, b *hold, from time.Time) *drill.Target {
	first := a
	if a.to.IsZero() || !b.to.IsZero() && b.to.Before(a.to) {
		first = b
	}
	t := ck.freed(first, from)
	if t == nil || model.Later(t.At, t.Ended()).Before(from) {
		return nil
	}
	return t
}

// gap: the longest time in which nobody believed to hold, though who came next had asked.
func gap(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	r.Unit, r.Bound = drill.Seconds, new(e.Below.Seconds())
	longest, next := time.Duration(0), 0
	for _, l := range j.locksOf(e) {
		var ended time.Time // the latest end of those before
		for i, h := range l.holds {
			if i > 0 {
				next++
				from := model.Later(h.asked, ended)
				d := max(0, h.from.Sub(from))
				longest = max(longest, d)
				if d >= e.Below {
					j.tooLong(&r, from, h.from, e.Below, j.everyone(), "nobody held %s for %.3f s from %s, until %s did", l.name, d.Seconds(), model.Clock(from), h.contender)
				}
			}
			if ended = model.Later(ended, h.to); h.to.IsZero() {
				ended = j.now
			}
		}
		for who, b := range l.lastBeliefs { // who waits still waits for somebody
			if d := j.now.Sub(model.Later(b.At, ended)); b.State == model.BeliefWaiting && len(l.holds) > 0 && d >= e.Below {
				longest = max(longest, d)
				j.tooLong(&r, model.Later(b.At, ended), j.now, e.Below, j.everyone(), "nobody has held %s for %.3f s, and %s waits", l.name, d.Seconds(), who)
			}
		}
	}
	if r.Samples = next; next == 0 && r.Verdict == drill.Held {
		r.doubt(j.untilThen(handsNow), "no lock changed hands")
		r.open, r.until = !j.finished, j.grace()
		return r
	}
	r.Measured = new(longest.Seconds())
	return r
}

// together is how long two believed at once to hold, and from when. Readers may.
func (ck *Checker) together(l *lockHistory, a, b *hold) (time.Duration, time.Time) {
	if a.contender == b.contender {
		return 0, time.Time{}
	}
	if l.reads(&claim{key: a.key}) && l.reads(&claim{key: b.key}) {
		return 0, time.Time{}
	}
	from := a.from
	if b.from.After(from) {
		from = b.from
	}
	to := ck.now
	for _, h := range []*hold{a, b} {
		if !h.to.IsZero() && h.to.Before(to) {
			to = h.to
		}
	}
	return to.Sub(from), from
}

// handover: the lock changed hands as it should after its holder was hit.
func handover(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	r.Unit = drill.Seconds
	if e.Within > 0 {
		r.Bound = new(e.Within.Seconds())
	} else if e.AtLeast > 0 {
		r.Bound, r.Least = new(e.AtLeast.Seconds()), true
	}
	l := j.locks[e.Lock]
	from, ok := j.since(e, e.From)
	cases := j.handovers(l, e, from)
	if !ok || len(cases) == 0 {
		if ok && j.hadAlready(&r, l, e.To, from) {
			return r
		}
		j.noteOthers(&r, l, from)
		r.note("%s did not change hands as expected%s", l.name, toWhom(e))
		r = j.missing(r, from, ok)
		j.adviseEnd(&r, l)
		return r
	}
	for _, c := range cases {
		j.handover(&r, l, c)
	}
	j.adviseEnd(&r, l)
	r.Samples = len(cases)
	return r
}

func toWhom(e drill.Expectation) string {
	if e.To != "" {
		return ", to " + e.To
	}
	return ""
}

// handoverCase is a handover with the time from which it counts.
type handoverCase struct {
	headSpan
	from time.Time
}

// handovers are those that an expectation speaks of: after a step the first; else
// each that followed a fault on its holder; else every one after the last fault, from
// the end of the holder before.
func (ck *Checker) handovers(l *lockHistory, e drill.Expectation, from time.Time) []handoverCase {
	var hit, any []handoverCase
	for _, t := range l.tenures {
		if t.prev == nil || e.From != "" && ck.owner(t.prev) != drill.Process(e.From) || e.To != "" && ck.owner(t.claim) != drill.Process(e.To) {
			continue
		}
		if e.After > 0 {
			if !t.at.Before(from) {
				return []handoverCase{{t, from}}
			}
			continue
		}
		if f := ck.lastHit(ck.owner(t.prev), t.at); f != nil && ck.owner(t.prev) != "" && !f.At.Before(t.prev.since) {
			hit = append(hit, handoverCase{t, f.At})
		} else if f := ck.cause(l, t); !t.at.Before(from) && (e.Cause == "" || f == nil || ck.fits(f, e.Cause, t)) {
			any = append(any, handoverCase{t, t.leftAt})
		}
	}
	if len(hit) > 0 {
		return hit
	}
	return any
}

// handover judges one.
func (ck *Checker) handover(r *result, l *lockHistory, c handoverCase) {
	from, took := c.from, max(0, c.at.Sub(c.from))
	words := ck.name(c.claim) + " took over " + l.name + " from " + ck.name(c.prev)
	if up := ck.upAt(ck.owner(c.claim), c.claim.since); up.After(c.from) {
		from, took = up, max(r.AtLeast, c.at.Sub(up))
		words += ", counted from when it was up at " + model.Clock(up) + ","
	}
	if r.Measured == nil || r.Least != (took.Seconds() > *r.Measured) {
		r.Measured = new(took.Seconds())
	}
	switch {
	case r.Within > 0 && took > r.Within:
		ck.tooLong(r, from, c.at, r.Within, []string{ck.owner(c.claim), ck.owner(c.prev)}, "%s after %.1f s: at most %s were expected", words, took.Seconds(), r.Within)
	case took < r.AtLeast:
		r.Measured, r.Bound, r.Least = new(took.Seconds()), new(r.AtLeast.Seconds()), true // the number that broke
		r.violate("%s after %.1f s: at least %s were expected", words, took.Seconds(), r.AtLeast)
	default:
		r.note("%s after %.1f s, at revision %d", words, took.Seconds(), c.rev)
	}
	if r.Cause == "" {
		return
	}
	f := ck.cause(l, c.headSpan)
	switch {
	case f == nil:
		r.doubt(leaseRead, "why is not known")
	case f.Cause == journal.CauseUnknown && !f.Pending:
		r.doubt(leaseRead, "why is not known: %s", text.English(f.Evidence))
	case f.Pending:
		r.doubt(stillOpen, "why is not known yet")
		r.open, r.until = !ck.finished, ck.now.Add(settleDefault)
	case r.Cause == journal.CauseReleased && f.Cause == r.Cause && f.Confidence == model.Hint:
		r.doubt(callSeen, "who deleted its key is not known: %s", text.English(f.Evidence))
		r.open, r.until = !ck.finished, ck.now.Add(settleDefault)
	case !ck.fits(f, r.Cause, c.headSpan):
		r.violate("the cause was %s (%s), not %s: %s", f.Cause, f.Confidence, r.Cause, text.English(f.Evidence))
	default:
		r.note("cause: %s (%s): %s", f.Cause, f.Confidence, text.English(f.Evidence))
	}
}

// fits says whether a cause is the one that was expected. A program of the user's own that cannot
// renew any more knows when its lease runs out as well as etcd does, and may close its session a
// moment before: that is as good.
func (ck *Checker) fits(f *journal.Entry, want journal.Cause, t headSpan) bool {
	own := ck.programs[ck.owner(t.prev)] != nil
	return f.Cause == want || own && want == journal.CauseExpired && f.Cause == journal.CauseRevoked
}

// cause is the line of the journal about a handover, nil if there is none.
func (ck *Checker) cause(l *lockHistory, t headSpan) *journal.Entry {
	for _, f := range slices.Backward(ck.facts) {
		if f.Lock != l.name {
			continue
		}
		from := f.Kind == journal.Handover && f.From.Key == t.prev.key && f.From.CreateRev == t.prev.create
		left := f.Kind == journal.Left && f.WasHolder && f.Claim.Key == t.prev.key && f.Claim.CreateRev == t.prev.create
		if from || left {
			return f
		}
	}
	return nil
}

// noteOthers says who got the lock instead.
func (ck *Checker) noteOthers(r *result, l *lockHistory, from time.Time) {
	for _, t := range l.tenures {
		if t.prev != nil && !t.at.Before(from) {
			r.note("%s took over %s from %s at %s", ck.name(t.claim), l.name, ck.name(t.prev), model.Clock(t.at))
		}
	}
}

// acquired: the contender itself said that it holds.
func acquired(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	r.Unit = drill.Seconds
	if e.Within > 0 {
		r.Bound = new(e.Within.Seconds())
	}
	from, ok := j.since(e, "")
	for _, l := range j.locksOf(e) {
		for _, h := range l.holds {
			if !ok || !matches(h.contender, e.Contender) || h.from.Before(from) {
				continue
			}
			from := model.Later(from, j.upAt(h.contender, h.from))
			took, told := h.from.Sub(from), "said"
			if h.inferred {
				told = "was told" // by etcd: the proxy saw the answer
			}
			r.Samples, r.Measured = 1, new(took.Seconds())
			if e.Within > 0 && took > e.Within {
				j.tooLong(&r, from, h.from, e.Within, []string{h.contender}, "%s %s that it holds %s after %.1f s", h.contender, told, l.name, took.Seconds())
				j.adviseEnd(&r, l)
			} else {
				r.note("%s %s that it holds %s after %.1f s", h.contender, told, l.name, took.Seconds())
			}
			return r
		}
	}
	for _, l := range j.locksOf(e) {
		if ok && j.hadAlready(&r, l, e.Contender, from) {
			return r
		}
	}
	if r.note("%s did not say that it holds", e.Contender); j.silent(e.Contender) {
		r.doubt(j.wouldTell(e.Contender), "nor was it seen to be told")
		r.open, r.until = !j.finished, j.grace()
		return r
	}
	return j.missing(r, from, ok)
}

// neverHolds: neither etcd's order nor its own word ever made it a holder.
func neverHolds(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	from := j.start
	if e.After > 0 {
		at, ok := j.since(e, "")
		if !ok {
			r.doubt(j.unfinished(), "the drill did not get to step %d", e.After)
			return r
		}
		from = at
	}
	for _, l := range j.locksOf(e) {
		for _, c := range l.claims {
			if j.owner(c) == drill.Process(e.Contender) {
				r.Samples++
				if c.held && !c.heldAt.Before(from) {
					r.violate("%s came first on %s at %s (create revision %d)", e.Contender, l.name, model.Clock(c.heldAt), c.create)
				}
			}
		}
		for _, h := range l.holds {
			if matches(h.contender, e.Contender) && !h.from.Before(from) {
				r.violate("%s said at %s that it holds %s", h.contender, model.Clock(h.from), l.name)
			}
		}
	}
	if !j.all {
		r.doubt(j.unfinished(), "the drill did not get through")
	}
	return r
}
