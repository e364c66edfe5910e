package check

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/text"
)

// stops: a contender that lost its claim no longer believes that it holds, within a time from
// the loss, or from the end of a pause that it could not learn of it in.
func stops(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	r.Bound, r.Unit = new(e.Within.Seconds()), drill.Seconds
	if late := j.late(drill.Process(e.Contender), "", drill.LateSlack); late.Any() {
		r.note("%s", late.Text())
	}
	said := 0
	for _, l := range j.locksOf(e) {
		for _, h := range l.holds {
			if matches(h.contender, e.Contender) {
				said++
				j.stopped(&r, l, h)
			}
		}
	}
	switch {
	case said == 0 && j.silent(e.Contender):
		r.doubt(j.wouldTell(e.Contender), "%s said nothing of what it believes", e.Contender)
	case said == 0:
		r.doubt(j.nobody(), "%s never said that it holds", e.Contender)
	case r.Samples == 0 && r.Verdict == drill.Held:
		r.doubt(j.untilThen("do a fault that ends its lease while it holds"), "%s did not lose its lock", e.Contender)
		r.open, r.until = !j.finished, j.grace()
	}
	return r
}

// heeds: no contender believed for longer than that that it holds, after its claim had gone.
func heeds(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	r.Bound, r.Unit = new(e.Within.Seconds()), drill.Seconds
	said := 0
	for _, l := range j.locksOf(e) {
		for _, h := range l.holds {
			said++
			j.stopped(&r, l, h)
		}
	}
	if said == 0 {
		r.doubt(j.nobody(), "nobody said that it holds")
	}
	return r
}

// stays: a contender kept its claim, from a step on or from when it first held.
func stays(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	from, ok := j.since(e, "")
	if e.After > 0 && !ok {
		r.doubt(j.unfinished(), "the drill did not get to step %d", e.After)
		return r
	}
	for _, l := range j.locksOf(e) {
		all := l.acquisitions(j, e.Contender)
		if e.After > 0 {
			all = slices.DeleteFunc(all, func(c *claim) bool { return c.heldAt.After(from) || !c.goneAt.IsZero() && c.goneAt.Before(from) })
		}
		switch r.Samples = len(all); {
		case len(all) == 0 && e.After > 0:
			r.violate("%s did not hold %s at %s", e.Contender, l.name, model.Clock(from))
		case len(all) == 0:
			r.doubt(j.untilThen("let it take the lock"), "%s never held %s", e.Contender, l.name)
		case !all[0].goneAt.IsZero():
			j.lost(&r, l, all[0])
		case !j.finished:
			r.open, r.until = true, j.now
		}
	}
	return r
}

// lost judges that a contender lost its claim. Who had no processor for a third of its TTL before may not have
// renewed in time by no fault of its own.
func (ck *Checker) lost(r *result, l *lockHistory, c *claim) {
	ttl := time.Duration(0)
	if row, ok := ck.d.Lab.Contender(r.Contender); ok {
		ttl = row.TTL
	}
	d, kept := ck.kept(c.goneAt.Add(-ttl), c.goneAt, r.Contender)
	if words := fmt.Sprintf("%s lost %s at %s", r.Contender, l.name, model.Clock(c.goneAt)); d > 0 && 3*d >= ttl {
		r.doubt(lessToDo, "%s; but %s", words, kept)
	} else {
		r.violate("%s", words)
	}
}

// taken: from a step on the lock was not for that long without anybody who believed to hold it.
func taken(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	r.Bound, r.Unit = new(e.Within.Seconds()), drill.Seconds
	from, ok := j.since(e, "")
	if !ok {
		r.doubt(j.unfinished(), "the drill did not get to step %d", e.After)
		return r
	}
	longest := time.Duration(0)
	for _, l := range j.locksOf(e) {
		free, holds := from, slices.Clone(l.holds)
		slices.SortFunc(holds, func(a, b *hold) int { return a.from.Compare(b.from) })
		judge := func(until time.Time, then string) {
			d := until.Sub(free)
			if longest = max(longest, d); d > e.Within {
				j.tooLong(&r, free, until, e.Within, j.everyone(), "nobody held %s for %.1f s from %s%s", l.name, d.Seconds(), model.Clock(free), then)
			}
		}
		for _, h := range holds {
			judge(h.from, ", until "+h.contender+" did")
			if free = model.Later(free, h.to); h.to.IsZero() {
				free = j.now
			}
		}
		judge(j.now, ", and still nobody does")
		r.Samples += len(holds)
	}
	r.Measured = new(longest.Seconds())
	return r
}

// everyone are the processes that had no processor at some time: any of them might have taken a lock.
func (ck *Checker) everyone() []string {
	names := map[string]bool{}
	for _, s := range ck.starved {
		names[s.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// stopped judges the end of one belief.
func (ck *Checker) stopped(r *result, l *lockHistory, h *hold) {
	c := l.claimOf(h)
	if c == nil {
		if ck.now.Sub(h.from) >= lagMax {
			r.doubt(whichClaim, "%s said at %s that it holds %s: which claim it means is not known", h.contender, model.Clock(h.from), l.name)
		}
		return
	}
	freed := ck.freed(h, c.goneAt)
	if c.goneAt.IsZero() || !h.to.IsZero() && !h.to.After(c.goneAt) && h.ended != "" && (ck.lastHit(h.contender, h.to) == nil || freed != nil) {
		return // it has it, or it let go before anything was done to it, or after that was over
	}
	if r.Name == "heeds" && ck.askedToEnd(h, c.goneAt) {
		return
	}
	r.Samples++
	from, paused := ck.awake(h.contender, c.goneAt)
	from = model.Later(from, h.from)
	switch {
	case h.from.After(c.goneAt) && ck.missed(c.goneAt, h.from):
		r.doubt(onceMore, "%s said at %s that it holds %s: the watch was lost, so it may have", h.contender, model.Clock(h.from), l.name)
		return
	case h.inferred && (h.to.IsZero() || h.to.Sub(from) > r.Within): // it may end with the next that is told
		r.doubt(ck.wouldTell(h.contender), "%s was told at %s that it holds %s, lost it at %s, and was not told otherwise in time: whether it worked on is not known",
			h.contender, model.Clock(h.from), l.name, model.Clock(c.goneAt))
		return
	case paused:
		r.doubt("heal the pause before the end", "%s is still paused", h.contender)
		r.open, r.until = !ck.finished, ck.now.Add(settleDefault)
		return
	}
	end, still := h.to, ""
	if end.IsZero() {
		end, still = ck.now, ", and still did"
	}
	took := max(0, end.Sub(from))
	if r.Name == "heeds" { // where faults come in any order one may be paused a moment after its loss
		took = max(0, took-ck.pausedIn(h.contender, from, end))
	}
	if took > r.Within || still != "" {
		freed = nil // the bound is over, or there is time for that
	}
	if freed == nil && (r.Measured == nil || took.Seconds() > *r.Measured) {
		r.Measured = new(took.Seconds())
	}
	since := "its claim had gone"
	switch {
	case h.from.After(c.goneAt):
		since = "its word came, with its claim gone,"
	case from.After(c.goneAt):
		since = "it ran again without its claim"
	}
	switch {
	case took > r.Within:
		if ck.tooLong(r, end.Add(-took), end, r.Within, []string{h.contender}, "%s believed for %.3f s that it holds %s after %s at %s%s", h.contender, took.Seconds(), l.name, since, model.Clock(from), still) {
			ck.advise(r, h, c, end)
		}
	case still != "":
		r.doubt("let the run last "+r.Within.String()+" after that", "%s believes for %.3f s that it holds %s after %s", h.contender, took.Seconds(), l.name, since)
		r.open, r.until = !ck.finished, from.Add(r.Within+judgeSlack)
	case freed != nil && r.Name == "heeds": // soon enough, whatever told it
	case freed != nil:
		r.doubt("let the fault last "+r.Within.String()+" after that", "%s stopped %.3f s after %s, and only after %s: whether it stops by itself is not known",
			h.contender, took.Seconds(), since, freeing(freed))
	default:
		r.note("%s stopped %.3f s after %s", h.contender, took.Seconds(), since)
		ck.meanwhile(r.note, h, c, end)
	}
}

// freed is the fault but for which a contender might not have stopped: it kept from it that its
// claim has gone, and ended before the contender stopped, or it ended the process itself after
// that. nil if there is none. What was done to it since and before its claim went is what it lost
// that by, and a pause is none: who is paused can do nothing at all.
func (ck *Checker) freed(h *hold, lost time.Time) *drill.Target {
	if h.to.IsZero() {
		return nil
	}
	for _, t := range slices.Backward(ck.targets) {
		switch mine := t.Hits(h.contender); {
		case !t.Done || t.At.After(h.to):
		case mine && (t.Fault.Kind == model.FaultKill || t.Fault.Kind == model.FaultStop):
			if t.At.After(lost) {
				return t
			}
		case drill.Hides(t.Fault.Kind) && (mine || t.Contender == ""):
			if at := t.Ended(); !at.IsZero() && at.After(h.from) && !at.After(h.to) && !ck.hitBetween(h.contender, at, lost) {
				return t
			}
		}
	}
	return nil
}

// askedToEnd says whether a contender that holds was asked to end before a time: it lets go by itself
// then, and may wait for the answer to that until it ends.
func (ck *Checker) askedToEnd(h *hold, at time.Time) bool {
	return slices.ContainsFunc(ck.targets, func(t *drill.Target) bool {
		return t.Done && t.Fault.Kind == model.FaultStop && t.Hits(h.contender) && t.At.After(h.from) && !t.At.After(at)
	})
}

// unreleased is the program that was asked to end while it held, and whose claim went longer after that than
// letting go takes, or stays; "" if there is none.
func (ck *Checker) unreleased(l *lockHistory) string {
	for _, t := range ck.targets {
		for _, c := range l.claims {
			who := ck.owner(c)
			if t.Fault.Kind != model.FaultStop || !t.Done || !t.Hits(who) || ck.programs[who] == nil || !c.held || c.heldAt.After(t.At) || !c.goneAt.IsZero() && c.goneAt.Before(t.At) {
				continue
			}
			gone := c.goneAt
			if gone.IsZero() {
				gone = ck.now
			}
			if d, _ := ck.kept(t.At, gone, who); gone.Sub(t.At)-d > letsGoWithin {
				return who
			}
		}
	}
	return ""
}

// letsGoWithin is what a program has to unlock that is asked to end, before it is told so.
const letsGoWithin = 1500 * time.Millisecond

// adviseEnd says what to mend where somebody got a lock too late, since its holder did not let go.
func (ck *Checker) adviseEnd(r *result, l *lockHistory) {
	if who := ck.unreleased(l); who != "" && r.Verdict == drill.Violated {
		r.Mend = mendLetGo
		r.tell("%s was asked to end, and its claim stayed: let it unlock, or end its session, before it exits", who)
	}
}

// hitBetween says whether something was done to a process in a time.
func (ck *Checker) hitBetween(who string, from, to time.Time) bool {
	last := ck.lastHit(who, to)
	return last != nil && !last.At.Before(from)
}

// freeing says in words how a fault freed somebody.
func freeing(t *drill.Target) string {
	switch {
	case t.Ended().IsZero():
		return fmt.Sprintf("step %d: %s", t.Step, text.English(t.Fault.Message()))
	case t.Ending.IsZero():
		return fmt.Sprintf("%s (step %d) was over at %s", text.English(t.Fault.Message()), t.Step, model.Clock(t.Ended()))
	}
	return fmt.Sprintf("%s (step %d) was healed at %s", text.English(t.Fault.Message()), t.Step, model.Clock(t.Ended()))
}

// advise adds what a program wrote while it believed for too long, what had been done to it, and what would do.
func (ck *Checker) advise(r *result, h *hold, c *claim, end time.Time) {
	if ck.programs[drill.Process(h.contender)] != nil {
		r.Mend = mendStop
		ck.meanwhile(r.tell, h, c, end)
		if t := ck.lastHit(h.contender, c.goneAt); t != nil && t.At.After(h.from) {
			r.tell("%s (step %d) was done to it at %s", text.English(t.Fault.Message()), t.Step, model.Clock(t.At))
		}
		r.tell("let %s end its work when its session or its lease ends, and what it writes to refuse an older revision", h.contender)
	}
}

// meanwhile adds what a program wrote to etcd while it wrongly believed that it holds.
func (ck *Checker) meanwhile(say func(format string, args ...any), h *hold, c *claim, end time.Time) {
	p := ck.programs[drill.Process(h.contender)]
	if p == nil || c.goneRev == 0 {
		return
	}
	n, last := 0, model.Wrote{}
	for _, w := range p.puts {
		if w.Rev > c.goneRev && !w.At.After(end) {
			n, last = n+1, w
		}
	}
	if n > 0 {
		say("etcd accepted %d writes of %s meanwhile, the last of %s at %s, revision %d: its claim went at revision %d",
			n, h.contender, model.Printable(last.Key), model.Clock(last.At), last.Rev, c.goneRev)
	}
}

// pausedIn is for how long of a time a process was paused: it can do nothing then.
func (ck *Checker) pausedIn(who string, from, to time.Time) (d time.Duration) {
	for _, t := range ck.targets {
		if t.Fault.Kind != model.FaultPause || !t.Done || t.Contender != drill.Process(who) || !t.At.Before(to) {
			continue
		}
		ended := t.Healed
		if ended.IsZero() || ended.After(to) {
			ended = to
		}
		d += max(0, ended.Sub(model.Later(t.At, from)))
	}
	return d
}

// judgeSlack is what a bound has to be over, to be broken for certain.
const judgeSlack = 50 * time.Millisecond

// awake is from when on a process could know of something at a time: from then, or from the
// end of a pause in which it fell. paused is true while that lasts.
func (ck *Checker) awake(who string, at time.Time) (from time.Time, paused bool) {
	from = at
	for _, t := range ck.targets {
		if t.Fault.Kind != model.FaultPause || !t.Done || t.Contender != drill.Process(who) || t.At.After(at) {
			continue
		}
		switch {
		case t.Healed.IsZero():
			return from, !ck.finished
		case t.Healed.After(from):
			from = t.Healed
		}
	}
	return from, false
}
