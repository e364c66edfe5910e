package judge

import (
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// program is what is known of a program of the user's own without its word.
type program struct {
	// spoke: it said once what it believes. Then nothing is inferred.
	spoke bool
	// told are the keys that it put and was given the answer of, with its revision;
	// unwatched is when it last ended to watch one key.
	told      map[string]int64
	unwatched time.Time
	// puts are its last accepted writes of keys that are no claims.
	puts []model.Wrote
	// leased is the key that it last put with a lease, and that is not a claim.
	leased string
}

// putsMax bounds what is remembered of one program's writes.
const putsMax = 1000

// silent says whether a process is a program that never said what it believes.
func (h *history) silent(name string) bool {
	p := h.programs[drill.Process(name)]
	return p != nil && !p.spoke
}

// wrote takes in what a program was told of its own writes.
func (h *history) wrote(e model.Wrote) {
	p := h.programs[e.Name]
	if p == nil || !e.Certain || e.Rev == 0 {
		return
	}
	if !e.Delete && !h.isClaim(e.Key) {
		p.puts = append(p.puts[max(0, len(p.puts)-putsMax+1):], e)
		if e.Lease != 0 {
			p.leased = e.Key
		}
	}
	if !e.Told {
		return
	}
	if !e.Delete {
		p.told[e.Key] = e.Rev
	}
	for _, l := range h.locks {
		if e.Delete && e.Took && !p.spoke && l.said[e.Name].Key == e.Key {
			l.belief(model.Belief{At: e.At, Contender: e.Name, Lock: l.name, State: model.BeliefIdle})
		}
		h.infer(l, e.At)
	}
}

// isClaim says whether a key is of a lock of the drill.
func (h *history) isClaim(key string) (is bool) {
	h.each(key, func(*lockHistory) { is = true })
	return is
}

// watches takes in that a program ended to watch a key: what it waited for has come.
func (h *history) watches(e model.Watches) {
	if p := h.programs[e.Name]; p != nil && e.Certain && !e.On {
		p.unwatched = e.At
		for _, l := range h.locks {
			h.infer(l, e.At)
		}
	}
}

// infer notes that a program that says nothing was told that it holds: it had the answer
// about a claim that was first at once, or its claim came first and it ended to watch the one
// before it. What it makes of that nobody knows.
func (h *history) infer(l *lockHistory, at time.Time) {
	for _, c := range l.holders() {
		name := h.owner(c)
		p := h.programs[name]
		if p == nil || p.spoke || p.told[c.key] < c.create || l.said[name].Token == c.create {
			continue
		}
		if !c.heldAt.Equal(c.since) && p.unwatched.Before(c.heldAt) {
			continue
		}
		l.belief(model.Belief{At: at, Contender: name, Lock: l.name, State: model.BeliefHolding, Key: c.key, Lease: c.lease, Token: c.create})
		l.holds[len(l.holds)-1].inferred = true
	}
}

// uninfer takes back what was inferred of a program that says what it believes after all.
func (h *history) uninfer(name string) {
	for _, l := range h.locks {
		kept := l.holds[:0]
		for _, x := range l.holds {
			if x.who != name || !x.inferred {
				kept = append(kept, x)
			}
		}
		l.holds = kept
		delete(l.said, name)
	}
}

// stops: a contender that lost its claim no longer believes that it holds, within a time from
// the loss, or from the end of a pause that it could not learn of it in.
func stops(j *Judge, e drill.Expectation) ruling {
	r := result(e)
	r.Bound, r.Unit = seconds(e.Within), drill.Seconds
	said := 0
	for _, l := range j.of(e) {
		for _, h := range l.holds {
			if matches(h.who, e.Contender) {
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
		r.open, r.until = !j.over, j.grace()
	}
	return r
}

// stopped judges the end of one belief.
func (j *Judge) stopped(r *ruling, l *lockHistory, h *hold) {
	c := l.claimOf(h)
	if c == nil {
		if j.now.Sub(h.from) >= lagMax {
			r.doubt(whichClaim, "%s said at %s that it holds %s: which claim it means is not known", h.who, drill.Clock(h.from), l.name)
		}
		return
	}
	if c.goneAt.IsZero() || !h.to.IsZero() && !h.to.After(c.goneAt) && h.ended != "" && j.lastHit(h.who, h.to) == nil {
		return // it has it, or it let go before anything was done to it
	}
	r.Samples++
	from, paused := j.awake(h.who, c.goneAt)
	switch {
	case h.inferred && h.to.IsZero():
		r.doubt(j.wouldTell(h.who), "%s was told at %s that it holds %s, lost it at %s, and was never told otherwise: whether it worked on is not known",
			h.who, drill.Clock(h.from), l.name, drill.Clock(c.goneAt))
		return
	case paused:
		r.doubt("heal the pause before the end", "%s is still paused", h.who)
		r.open, r.until = !j.over, j.now.Add(settleDefault)
		return
	}
	end, still := h.to, ""
	if end.IsZero() {
		end, still = j.now, ", and still did"
	}
	took := max(0, end.Sub(from))
	if r.Measured == nil || took.Seconds() > *r.Measured {
		r.Measured = seconds(took)
	}
	since := "its claim had gone"
	if from.After(c.goneAt) {
		since = "it ran again without its claim"
	}
	switch {
	case took > r.Within:
		defer j.lateWrites(r, h, c, end)
		r.violate("%s believed for %.3f s that it holds %s after %s at %s%s", h.who, took.Seconds(), l.name, since, drill.Clock(from), still)
	case still != "":
		r.doubt("let the run last "+r.Within.String()+" after that", "%s believes for %.3f s that it holds %s after %s", h.who, took.Seconds(), l.name, since)
		r.open, r.until = !j.over, from.Add(r.Within+judgeSlack)
	default:
		r.note("%s stopped %.3f s after %s", h.who, took.Seconds(), since)
	}
}

// lateWrites adds what a program wrote to etcd while it wrongly believed that it holds.
func (j *Judge) lateWrites(r *ruling, h *hold, c *claim, end time.Time) {
	p := j.programs[drill.Process(h.who)]
	if p == nil {
		return
	}
	defer r.note("let %s end its work when its session or its lease ends, and what it writes to refuse an older revision", h.who)
	if c.goneRev == 0 {
		return
	}
	n, last := 0, model.Wrote{}
	for _, w := range p.puts {
		if w.Rev > c.goneRev && !w.At.After(end) {
			n, last = n+1, w
		}
	}
	if n > 0 {
		r.note("etcd accepted %d writes of %s meanwhile, the last of %s at %s, revision %d: its claim went at revision %d",
			n, h.who, model.Printable(last.Key), drill.Clock(last.At), last.Rev, c.goneRev)
	}
}

// judgeSlack is what a bound has to be over, to be broken for certain.
const judgeSlack = 50 * time.Millisecond

// awake is from when on a process could know of something at a time: from then, or from the
// end of a pause in which it fell. paused is true while that lasts.
func (j *Judge) awake(who string, at time.Time) (from time.Time, paused bool) {
	from = at
	for _, t := range j.targets {
		if t.Fault.Kind != model.FaultPause || !t.Done || t.Contender != drill.Process(who) || t.At.After(at) {
			continue
		}
		switch {
		case t.Healed.IsZero():
			return from, !j.over
		case t.Healed.After(from):
			from = t.Healed
		}
	}
	return from, false
}
