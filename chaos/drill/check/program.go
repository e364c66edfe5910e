package check

import (
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// program is what is known of a program of the user's own without its word.
type program struct {
	// spoke: it said once what it believes. Then nothing is inferred.
	spoke bool
	// reported are the keys that it put and was given the answer of, with its revision;
	// unwatched is when it last ended to watch one key.
	reported  map[string]int64
	unwatched time.Time
	// puts are its last accepted writes of keys that are no claims; left is how many came before
	// them. words are what it said of itself.
	puts    []model.Wrote
	leftOut int
	words   []word
	// elsewhere is a stream that has lines which a pattern for another stream would match; "" for none.
	elsewhere drill.Stream
	// leased is the key that it last put with a lease, and that is not a claim, and ofQueue the name before
	// the lease in it, "" where that does not stand there.
	leased, ofQueue string
	// asks is when it was first granted a lease after each of its starts, asked that it was since the last.
	asks  []time.Time
	asked bool
}

// granted notes that a program was granted a lease: it is up, and begins to ask for the lock.
func (h *history) granted(name string, at time.Time) {
	if p := h.programs[drill.Process(name)]; p != nil && !p.asked {
		p.asks, p.asked = append(p.asks, at), true
	}
}

// upAt is when a program that had something at a time began to ask for it, after it was started: no
// earlier than that could it have had it. Zero where that is not known, or it is no program.
func (h *history) upAt(name string, at time.Time) (up time.Time) {
	if p := h.programs[drill.Process(name)]; p != nil {
		for _, t := range p.asks {
			if !t.After(at) {
				up = t
			}
		}
	}
	return up
}

// hadAlready doubts what a program was to get and had before: then nothing could be seen of it.
func (ck *Checker) hadAlready(r *result, l *lockHistory, who string, from time.Time) bool {
	for _, c := range l.holders() {
		if who != "" && ck.programs[drill.Process(who)] != nil && ck.owner(c) == drill.Process(who) && c.heldAt.Before(from) {
			r.doubt(lessToDo, "%s had %s already, since %s", who, l.name, model.Clock(c.heldAt))
			return true
		}
	}
	return false
}

// printed looks in what a program printed for lines that a pattern for another stream would match.
func (ck *Checker) printed(e model.Printed) {
	row, _ := ck.d.Lab.Contender(e.Contender)
	p := ck.programs[e.Contender]
	if p == nil || row.Program == nil || row.Program.Probe != "" {
		return
	}
	for _, line := range e.Lines {
		for _, r := range row.Program.Rules {
			if from := drill.Stream(line.From); r.Stream != from && (from == drill.Stdout || from == drill.Stderr) && r.Pattern.MatchString(line.Text) {
				p.elsewhere = from
			}
		}
	}
}

// putsMax bounds what is remembered of one program's writes.
const putsMax = 10000

// silent says whether a process is a program that never said what it believes, and whose words nobody
// knows: another that runs the same command may have said something.
func (ck *Checker) silent(name string) bool {
	name = drill.Process(name)
	p := ck.programs[name]
	if p == nil || p.spoke {
		return false
	}
	row, _ := ck.d.Lab.Contender(name)
	for other, q := range ck.programs {
		if o, _ := ck.d.Lab.Contender(other); q.spoke && row.Program.SpeaksAs(o.Program) {
			return false
		}
	}
	return true
}

// wrote takes in what a program was told of its own writes.
func (h *history) wrote(e model.Wrote) {
	p := h.programs[e.Name]
	if p == nil || !e.Certain || e.Rev == 0 {
		return
	}
	if !e.Missed && h.isWork(e) {
		if len(p.puts) == putsMax {
			p.puts, p.leftOut = p.puts[1:], p.leftOut+1
		}
		p.puts = append(p.puts, e)
		if e.Lease != 0 {
			p.leased, p.ofQueue = e.Key, ""
			if name, ok := strings.CutSuffix(e.Key, "/"+e.Lease.String()); ok {
				p.ofQueue = name
			}
		}
	}
	if !e.Told || e.End != "" {
		return
	}
	if !e.Delete {
		p.reported[e.Key] = e.Rev
	}
	for _, l := range h.locks {
		if e.Delete && e.Took && !p.spoke && l.lastBeliefs[e.Name].Key == e.Key {
			l.belief(model.Belief{At: e.At, Contender: e.Name, Lock: l.name, State: model.BeliefIdle})
		}
		h.infer(l, e.At)
	}
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
		if p == nil || p.spoke || p.reported[c.key] < c.create || l.lastBeliefs[name].Token == c.create {
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
			if x.contender != name || !x.inferred {
				kept = append(kept, x)
			}
		}
		l.holds = kept
		delete(l.lastBeliefs, name)
	}
}
