package check

import (
	"slices"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/text"
)

// finding: the diagnosis named it.
func finding(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	r.Unit = drill.Seconds
	if e.Within > 0 {
		r.Bound = new(e.Within.Seconds())
	}
	from, ok := j.since(e, "")
	for _, s := range j.sightings {
		if s.Code != e.Code || e.Lock != "" && s.Lock != e.Lock || e.After > 0 && (!ok || s.from.Before(from)) {
			continue
		}
		if e.Confidence != "" && !asSure(s.Confidence, e.Confidence) {
			r.note("%s was found only as %s", s.Code, s.Confidence)
			continue
		}
		took := max(0, s.from.Sub(from))
		r.Samples, r.Measured = 1, new(took.Seconds())
		r.note("%s (%s) at %s: %s", s.Code, s.Confidence, model.Clock(s.from), text.English(s.Summary))
		if e.Within > 0 && took > e.Within {
			r.violate("it was found after %.1f s", took.Seconds())
		}
		return r
	}
	r.note("%s was not found", e.Code)
	return j.missing(r, from, ok)
}

// asSure says whether a confidence is at least the other.
func asSure(c, least model.Confidence) bool {
	order := []model.Confidence{model.Certain, model.Strong, model.Hint}
	return slices.Index(order, c) <= slices.Index(order, least)
}

func noFinding(j *Checker, e drill.Expectation) result {
	return j.unseen(e, func(s *sighting) bool { return s.Code == e.Code })
}

// quiet: nothing worse than an information was ever found.
func quiet(j *Checker, e drill.Expectation) result {
	return j.unseen(e, func(s *sighting) bool {
		return s.Severity.AtLeast(model.SevWarning) && !slices.Contains(e.Except, string(s.Code))
	})
}

func (ck *Checker) unseen(e drill.Expectation, bad func(*sighting) bool) result {
	r := newResult(e)
	for _, s := range ck.sightings {
		if bad(s) && (e.Lock == "" || s.Lock == e.Lock) {
			r.Samples++
			r.violate("%s (%s) at %s: %s", s.Code, s.Confidence, model.Clock(s.from), text.English(s.Summary))
		}
	}
	if ck.lists == 0 {
		r.doubt(onceMore, "nothing was seen of etcd")
	}
	return r
}

// beliefAtEnd: that is what the contender thinks when all is over.
func beliefAtEnd(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	last := model.Belief{}
	for _, l := range j.locksOf(e) {
		if b := l.lastBeliefs[e.Contender]; b.At.After(last.At) {
			last = b
		}
	}
	if last.State == e.State {
		r.Samples = 1
		r.note("%s said %s at %s", e.Contender, last.State, model.Clock(last.At))
		return r
	}
	if j.silent(e.Contender) {
		r.doubt(j.wouldTell(e.Contender), "%s says nothing", e.Contender)
		return r
	}
	if last.At.IsZero() {
		r.note("%s says nothing", e.Contender)
	} else {
		r.note("%s says %s, since %s", e.Contender, last.State, model.Clock(last.At))
	}
	return j.missingAtEnd(r)
}

// beliefResult: the contender said it, in words that contain the text.
func beliefResult(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	r.Unit = drill.Seconds
	if e.Within > 0 {
		r.Bound = new(e.Within.Seconds())
	}
	from, ok := j.start, true // it may be said at any time
	if e.After > 0 {
		from, ok = j.since(e, "")
	}
	var last model.Belief
	for _, b := range j.notes {
		if !ok || !matches(b.Contender, e.Contender) || b.At.Before(from) {
			continue
		}
		last = b
		if !strings.Contains(b.Text, e.Text) {
			continue
		}
		took := b.At.Sub(from)
		r.Samples, r.Measured = 1, new(took.Seconds())
		r.note("%s said at %s: %s", b.Contender, model.Clock(b.At), model.Printable(b.Text))
		if e.Within > 0 && took > e.Within {
			r.violate("that was after %.1f s", took.Seconds())
		}
		return r
	}
	if r.note("%s did not say %q", e.Contender, e.Text); last.Text != "" {
		r.note("it said last: %s", model.Printable(last.Text))
	}
	if j.silent(e.Contender) {
		r.doubt(j.wouldTell(e.Contender), "it says nothing")
		return r
	}
	return j.missing(r, from, ok)
}

// emptyAtEnd: nobody holds or waits when all is over.
func emptyAtEnd(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	r.Bound, r.Unit = new(float64(0)), drill.Count
	n := 0
	for _, l := range j.locksOf(e) {
		n += len(l.queue)
		for _, c := range l.queue {
			r.note("%s has a claim on %s since %s: %s", j.name(c), l.name, model.Clock(c.since), model.Printable(c.key))
		}
	}
	r.Measured, r.Samples = new(float64(n)), len(j.locksOf(e))
	if n == 0 {
		if j.lists == 0 {
			r.doubt(onceMore, "nothing was seen of etcd")
		}
		return r
	}
	measured := r.Measured
	r = j.missingAtEnd(r)
	r.Measured = measured
	return r
}

// missingAtEnd is missing for what has to be so at the end: within a time from when
// all was healed.
func (ck *Checker) missingAtEnd(r result) result {
	if !ck.healed.IsZero() {
		if r.Within == 0 {
			r.Within = settleDefault
		}
		return ck.missing(r, ck.healed, true)
	}
	r.doubt(stillOpen, "not yet")
	r.open, r.until = !ck.finished, ck.now.Add(settleDefault)
	return r
}

// longest is the longest span of a lock after a time.
func (l *lockHistory) longest(from, now time.Time) (idleSpan, time.Duration) {
	var which idleSpan
	longest := time.Duration(0)
	for _, s := range l.idleSpans {
		if d := s.lasted(from, now); d > longest {
			which, longest = s, d
		}
	}
	return which, longest
}

// stuck: for a while others waited and nothing moved.
func stuck(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	l := j.locks[e.Lock]
	s, longest := l.longest(time.Time{}, j.now)
	if len(l.idleSpans) > 0 {
		r.note("others waited for %s behind %s for %.1f s from %s", l.name, j.name(s.head), longest.Seconds(), model.Clock(s.from))
	}
	if longest < e.For {
		r = j.missing(r, j.start, true)
	}
	r.Samples, r.Measured, r.Bound, r.Least, r.Unit = len(l.idleSpans), new(longest.Seconds()), new(e.For.Seconds()), true, drill.Seconds
	return r
}

// moving: after the healing no lock with waiters keeps its holder for longer than the
// bound; in a drill without faults it counts from the beginning.
func moving(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	within := e.Within
	if within == 0 {
		within = turn(j.d)
	}
	r.Bound, r.Unit = new(within.Seconds()), drill.Seconds
	if j.healed.IsZero() {
		r.doubt(stillOpen, "the faults are not healed yet")
		r.open, r.until = !j.finished, j.now.Add(within)
		return r
	}
	longest, from, when := time.Duration(0), j.healed, " after the healing"
	if len(j.targets) == 0 {
		from, when = j.start, ""
	}
	for _, l := range j.locksOf(e) {
		s, d := l.longest(from, j.now)
		longest = max(longest, d)
		if d >= within {
			r.violate("others waited for %s behind %s for %.1f s%s", l.name, j.name(s.head), d.Seconds(), when)
		}
		if s, ok := l.openIdleSpan(j.healed); ok && d < within {
			r.doubt("let the run last "+within.String()+" after the healing", "others wait for %s behind %s since before the healing", l.name, j.name(s.head))
			r.open, r.until = !j.finished, j.healed.Add(within)
		}
		r.Samples++
	}
	r.Measured = new(longest.Seconds())
	return r
}

// openIdleSpan is the span that began before a time and lasts on.
func (l *lockHistory) openIdleSpan(from time.Time) (idleSpan, bool) {
	if n := len(l.idleSpans); n > 0 {
		s := l.idleSpans[n-1]
		return s, s.to.IsZero() && !s.from.After(from)
	}
	return idleSpan{}, false
}

// turn is how long a healthy turn of anybody takes at most: the longest lease, the
// longest hold, and some time to notice.
func turn(d *drill.Drill) time.Duration {
	turn := settleDefault
	for _, c := range d.Lab.Contenders {
		turn = max(turn, c.TTL+c.Hold*4/3+5*time.Second)
	}
	return turn
}
