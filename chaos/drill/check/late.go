package check

import (
	"maps"
	"slices"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// word is what a program says of itself from a time on. State is "" once it has ended, and
// fresh where it was started again and has not spoken.
type word struct {
	at    time.Time
	state model.BeliefState
}

const fresh model.BeliefState = "fresh"

// wordsMax bounds what is remembered of one program's words.
const wordsMax = 10000

// speaks notes what a program says.
func (p *program) speaks(at time.Time, state model.BeliefState) {
	if n := len(p.words); n > 0 && p.words[n-1].state == state {
		return
	}
	p.words = append(p.words[max(0, len(p.words)-wordsMax+1):], word{at, state})
}

// free is the time since when a program does not hold, by its own word, at a time: the first of
// the words that say so without a break. ok is false if it holds then, or nobody knows. held says
// that it held before.
func (p *program) free(at time.Time) (since word, held, ok bool) {
	for _, w := range p.words {
		if w.at.After(at) {
			break
		}
		switch {
		case w.state == model.BeliefHolding:
			held, ok = true, false
		case w.state == fresh:
			held, ok = false, false
		case !ok:
			since, ok = w, true
		}
	}
	return since, held, ok
}

// Late are the late writes of all programs, in the order of their names.
func (ck *Checker) Late() (all []drill.Late) {
	for _, name := range slices.Sorted(maps.Keys(ck.programs)) {
		if l := ck.late(name, "", drill.LateSlack); l.Any() {
			all = append(all, l)
		}
	}
	return all
}

// late are those of a program to keys that begin with a prefix, any if that is "". Without a
// prefix what it wrote before it ever held is left out: who stands by may say that it is there.
// mute is what a program that never spoke has, from when its claim went.
func (ck *Checker) late(name, prefix string, mute time.Duration) drill.Late {
	l := drill.Late{Contender: name}
	p := ck.programs[name]
	if p == nil {
		return l
	}
	var keys []string
	for i, w := range p.puts {
		if !touches(w, prefix) {
			continue
		}
		since, held, ok := p.free(w.At)
		slack, held := drill.LateSlack, held || since.state == ""
		if !p.spoke && !ok {
			since.at, ok = ck.lostAll(name, w)
			held, slack = true, mute
		}
		if !ok || !held && prefix == "" || w.At.Before(since.at.Add(slack)) || ck.holdsAgain(name, since.at, w) {
			continue
		}
		if w.At.Before(since.at.Add(slack + ck.idled(since.at, w.At, name))) {
			l.Starved++
			continue
		}
		if l.Writes+l.OnWay == 0 {
			l.Said, l.Mute, l.AtLeast = since.state, !p.spoke && since.state == "" && !ck.ended(name, since.at), i == 0 && p.leftOut > 0
		}
		asked := w.Asked
		if asked.IsZero() {
			asked = w.At
		}
		if l.Last = w.At; asked.Before(since.at.Add(slack)) {
			l.OnWay++
		} else {
			l.Writes++
		}
		if key := named(w); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	l.Keys = keys[:min(len(keys), drill.LateKeys)]
	l.More = len(keys) - len(l.Keys)
	return l
}

// ended says whether a program had ended at a time.
func (ck *Checker) ended(name string, at time.Time) bool {
	return slices.Contains(ck.programs[name].words, word{at, ""})
}

// named is what was written, in words.
func named(w model.Wrote) string {
	key := model.Short(model.Printable(w.Key), 200)
	switch {
	case w.End == "":
		return key
	case w.End == "\x00":
		return "all from " + key + " on"
	case w.End == past(w.Key):
		return "all that begin with " + key
	}
	return "all from " + key + " up to " + model.Short(model.Printable(w.End), 200)
}

// past is the end of the range of all keys that begin with a prefix, as etcd has it; "\x00" where
// that has none.
func past(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return "\x00"
}

// touches says whether a write may be to a key that begins with a prefix.
func touches(w model.Wrote, prefix string) bool {
	switch end := past(prefix); {
	case w.End == "":
		return strings.HasPrefix(w.Key, prefix)
	case w.End != "\x00" && w.End <= prefix:
		return false
	default:
		return end == "\x00" || w.Key < end
	}
}

// isWork says whether a write is none to a claim: a program lets go, queues again, and may write
// into its own claim. Below a lock of one key there are no claims.
func (h *history) isWork(w model.Wrote) bool {
	for name, l := range h.locks {
		below := strings.HasPrefix(w.Key, name+"/") && !h.single[name]
		switch {
		case w.End != "":
			if below && w.End <= past(name+"/") && w.End != "\x00" {
				return false
			}
		case w.Key == name, below && (w.Delete || w.Lease != 0):
			return false
		case below && slices.ContainsFunc(l.claims, func(c *claim) bool { return c.key == w.Key && c.madeWith != 0 }):
			return false
		}
	}
	return true
}

// holdsAgain says whether a program came to hold since a time, and had that claim when it wrote:
// it need not have said so yet.
func (ck *Checker) holdsAgain(name string, since time.Time, w model.Wrote) bool {
	return ck.has(name, w, func(c *claim) bool { return c.heldAt.After(since) })
}

// has says whether a program had a claim that came first, as is wanted, when it wrote.
func (ck *Checker) has(name string, w model.Wrote, is func(*claim) bool) bool {
	for _, l := range ck.locks {
		for _, c := range l.claims {
			if c.held && is(c) && c.create < w.Rev && (c.goneAt.IsZero() || c.goneRev >= w.Rev || c.goneRev == 0 && c.goneAt.After(w.At)) && ck.owner(c) == name {
				return true
			}
		}
	}
	return false
}

// lostAll is when the last claim of a program went that had come first, before it wrote. ok is
// false if it had one then, or never.
func (ck *Checker) lostAll(name string, w model.Wrote) (at time.Time, ok bool) {
	if ck.has(name, w, func(*claim) bool { return true }) {
		return at, false
	}
	for _, l := range ck.locks {
		for _, c := range l.claims {
			if c.held && !c.goneAt.IsZero() && c.create < w.Rev && !c.goneAt.After(w.At) && c.goneAt.After(at) && ck.owner(c) == name {
				at, ok = c.goneAt, true
			}
		}
	}
	return at, ok
}

// writesOnWithin is how long after its word it is looked whether a program writes on.
const writesOnWithin = 3 * time.Second

// noLateWrite: etcd accepted no write of a program to what its lock protects after the program
// said that it does not hold.
func noLateWrite(j *Checker, e drill.Expectation) result {
	r := newResult(e)
	name := drill.Process(e.Contender)
	p := j.programs[name]
	if p == nil {
		r.doubt("play it by a program (--as)", "%s is a contender of the lab", e.Contender)
		return r
	}
	n, anybody := 0, 0
	for who, other := range j.programs {
		for _, w := range other.puts {
			if touches(w, e.Prefix) {
				anybody++
				if who == name {
					n++
				}
			}
		}
	}
	late := j.late(name, e.Prefix, max(e.Within, drill.LateSlack))
	r.Unit, r.Bound, r.Measured, r.Samples = drill.Count, new(float64(0)), new(float64(late.Writes)), n
	if late.Any() && late.Writes == 0 {
		r.note("%s", late.Text())
	}
	switch {
	case late.Writes > 0:
		r.Mend = mendWrites
		r.violate("%s", late.Text())
		r.tell("let %s end all that writes before it says so", e.Contender)
	case late.Starved > 0: // who goes on writing once it has run is no longer excused
		r.open, r.until = !j.finished, j.grace()
		r.doubt(lessToDo, "etcd accepted %s of %s after it said that it does not hold, but it had no processor for as long", model.CountOf(late.Starved, "write"), e.Contender)
	case anybody == 0 && j.idled(j.start, j.now, name) > time.Second:
		r.Measured = nil
		r.open, r.until = !j.finished, j.grace()
		r.doubt(lessToDo, "nobody wrote a key that begins with %s, and %s had no processor for %.1f s", model.Printable(e.Prefix), name, j.idled(j.start, j.now, name).Seconds())
	case anybody == 0: // a process that it started may still be coming up
		r.Measured, r.open, r.until = nil, !j.finished, j.grace()
		r.doubt(j.untilThen("say by --guards where in etcd your programs write what the lock protects"), "nobody wrote a key that begins with %s", model.Printable(e.Prefix))
	default: // what was asked for before its word may hang, and be asked for again
		if since, held, ok := p.free(j.now); ok && held {
			r.until = since.at.Add(writesOnWithin)
			if n == 0 { // the others wrote: what would write of this one may still be coming up
				r.until = model.Later(r.until, j.grace())
			}
			r.open = !j.finished && j.now.Before(r.until)
		}
	}
	return r
}
