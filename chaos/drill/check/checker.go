package check

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/journal"
)

// Checker computes verdicts: from a history of its own, from what the diagnosis said, and
// from what the drill did when. It is told all of it, in the order in which it happens.
type Checker struct {
	d *drill.Drill
	*history
	// sightings are the findings of the diagnosis, entries its journal: of that only
	// the causes of handovers are used, which etcd does not tell.
	sightings []*sighting
	facts     []*journal.Entry

	targets []*drill.Target
	// stepped is from when the time after each step counts, as far as the drill got:
	// what a step does may show before it has returned, so for one that does something
	// it is when that began. all is set when it got through.
	// rest is what would make known what comes after, where it ended for another reason than a step.
	stepped []time.Time
	all     bool
	rest    string
	// start, healed and now are the times of the run: healed is zero until then.
	start, healed, now time.Time
	// finished: nothing more will come.
	finished bool
	// pictures are drawn by linearizable, by lock.
	pictures map[string][]byte
}

// sighting is a time in which a finding stood. to is zero while it does.
type sighting struct {
	model.Finding
	from, to time.Time
}

// settleDefault is how long after the healing something may still come that has no
// bound of its own.
const settleDefault = 10 * time.Second

// New returns the checker of a run that begins now.
func New(d *drill.Drill, start time.Time) *Checker {
	j := &Checker{d: d, history: newHistory(d.Lab.Locks(), d.Lab.Programs()), start: start, now: start, pictures: map[string][]byte{}}
	for _, c := range d.Lab.Contenders {
		for _, lock := range c.Locks {
			j.single[lock] = j.single[lock] || c.Recipe == "single"
		}
	}
	return j
}

// checks are the functions that judge, by the name of the expectation.
var checks = map[string]func(*Checker, drill.Expectation) result{
	"one-holder":      oneHolder,
	"fifo":            fifo,
	"tokens-grow":     tokensGrow,
	"no-late-write":   noLateWrite,
	"no-old-token":    noOldToken,
	"no-lost-update":  noLostUpdate,
	"lost-updates":    lostUpdates,
	"served":          served,
	"overlap":         overlap,
	"handover":        handover,
	"finding":         finding,
	"no-finding":      noFinding,
	"quiet":           quiet,
	"acquired":        acquired,
	"never-holds":     neverHolds,
	"acquisitions":    acquisitions,
	"failed-attempts": failedAttempts,
	"belief":          beliefAtEnd,
	"empty":           emptyAtEnd,
	"stuck":           stuck,
	"moving":          moving,
	"linearizable":    linearizable,
	"stops":           stops,
	"stays":           stays,
	"heeds":           heeds,
	"taken":           taken,
	"refused":         refused,
	"says":            beliefResult,
	"gap":             gap,
}

// Apply takes an event in.
func (ck *Checker) Apply(e model.Event) {
	if p, ok := e.(model.Printed); ok {
		ck.printed(p)
	}
	ck.apply(e)
}

// At tells the checker what time it is now.
func (ck *Checker) At(now time.Time) { ck.now = now }

// Hit tells of a fault that the drill does. The checker reads from it later whether it was
// done.
func (ck *Checker) Hit(t *drill.Target) { ck.targets = append(ck.targets, t) }

// Entry tells of a line of the journal.
func (ck *Checker) Entry(f *journal.Entry) { ck.facts = append(ck.facts, f) }

// Entries are the lines of the journal that it was told of.
func (ck *Checker) Entries() []*journal.Entry { return ck.facts }

// Found tells what the diagnosis finds at a time.
func (ck *Checker) Found(standing []model.Finding, now time.Time) {
	standing = slices.Clone(standing)
	for _, s := range ck.sightings {
		i := slices.IndexFunc(standing, func(f model.Finding) bool { return f.Same(&s.Finding) })
		switch {
		case !s.to.IsZero():
		case i < 0:
			s.to = now
		default:
			if !asSure(s.Confidence, standing[i].Confidence) {
				s.Finding = standing[i]
			}
			standing = slices.Delete(standing, i, i+1)
		}
	}
	for _, f := range standing {
		ck.sightings = append(ck.sightings, &sighting{Finding: f, from: now})
	}
}

// Stepped tells that the next step is over, and from when the time after it counts: what
// a step does may show before the step has returned.
func (ck *Checker) Stepped(counts time.Time) { ck.stepped = append(ck.stepped, counts) }

// Through tells that all steps are over.
func (ck *Checker) Through() { ck.all = true }

// LeftOut tells that the steps that are left are left out, as an expectation is violated.
func (ck *Checker) LeftOut() { ck.rest = mendFirst }

// Interrupted tells that somebody ended the run before its end.
func (ck *Checker) Interrupted() { ck.rest = toItsEnd }

// Healed tells that every fault was healed.
func (ck *Checker) Healed(at time.Time) { ck.healed, ck.now = at, at }

// Finish tells that nothing more will come.
func (ck *Checker) Finish(at time.Time) { ck.finished, ck.now = true, at }

// Open says whether the checker still waits for something, and until when at most.
func (ck *Checker) Open() (until time.Time, open bool) {
	for _, r := range ck.results() {
		if r.open && r.until.After(until) {
			until, open = r.until, true
		}
	}
	return until, open
}

// Results judges every expectation as things stand.
func (ck *Checker) Results() []drill.Result {
	var all []drill.Result
	for _, r := range ck.results() {
		all = append(all, r.Result)
	}
	return all
}

// Pictures are the histories that were searched for an order, drawn as HTML, by lock.
func (ck *Checker) Pictures() map[string][]byte { return ck.pictures }

// Acquisitions counts how often a lock was acquired, any lock if that is "".
func (ck *Checker) Acquisitions(lock string) int {
	n := 0
	for _, l := range ck.locksOf(drill.Expectation{Lock: lock}) {
		n += len(l.acquisitions(ck, ""))
	}
	return n
}

func (ck *Checker) results() []result {
	judge := func() (out []result) {
		for _, e := range ck.d.Expect {
			out = append(out, checks[e.Name](ck, e))
		}
		return out
	}
	out := judge()
	if ck.rest == mendFirst && !slices.ContainsFunc(out, func(r result) bool { return r.Verdict == drill.Violated }) {
		ck.rest = lookAgain
		out = judge()
	}
	return out
}

// Verdict is that of the run: what its expectations say, and whether it says anything
// at all. The reason is that for which a run says nothing.
func (ck *Checker) Verdict(results []drill.Result) (v drill.Verdict, reason string) {
	v = drill.Held
	for _, r := range results {
		v = drill.Worse(v, r.Verdict)
	}
	if n := ck.Acquisitions(""); v != drill.Violated && n < ck.d.Least {
		return drill.Unknown, notMeaningful(n, ck.d.Least)
	}
	return v, ""
}

// locksOf are the locks that an expectation speaks of, in the order of the file.
func (ck *Checker) locksOf(e drill.Expectation) []*lockHistory {
	var all []*lockHistory
	for _, name := range ck.d.Lab.Locks() {
		if e.Lock == "" || e.Lock == name {
			all = append(all, ck.locks[name])
		}
	}
	return all
}

// result is a result on its way.
type result struct {
	drill.Result
	// open: more time may still decide, until then.
	open  bool
	until time.Time
	// weights are those of the evidence, the heaviest first.
	weights []int
}

// newResult begins with held.
func newResult(e drill.Expectation) result {
	return result{Result: drill.Result{Expectation: e, Verdict: drill.Held}}
}

// since is from when the time of an expectation counts: from the step that it names,
// else from the last fault that hit the contender (any contender if who is ""), else
// from the beginning. ok is false if the drill did not get there.
func (ck *Checker) since(e drill.Expectation, who string) (at time.Time, ok bool) {
	if e.After > 0 {
		if e.After > len(ck.stepped) {
			return time.Time{}, false
		}
		return ck.stepped[e.After-1], true
	}
	if t := ck.lastHit(who, ck.now); t != nil {
		return t.At, true
	}
	return ck.start, true
}

// lastHit is the last fault that hit a process, up to a time: any fault if who is "".
func (ck *Checker) lastHit(who string, until time.Time) *drill.Target {
	for _, t := range slices.Backward(ck.targets) {
		if t.Done && !t.At.After(until) && (who == "" || t.Hits(who) || ck.hitsMember(t, who)) {
			return t
		}
	}
	return nil
}

// missing is the verdict on something that had to happen, within e.Within of from,
// and did not. r says by its evidence what.
func (ck *Checker) missing(r result, from time.Time, ok bool) result {
	r.Measured = nil
	switch {
	case !ok:
		r.doubt(ck.unfinished(), "the drill did not get to step %d", r.After)
	case r.Within > 0 && ck.now.Sub(from) >= r.Within && (ck.all || r.After > 0 || ck.faulted()):
		ck.tooLong(&r, from, ck.now, r.Within, []string{r.Contender, r.From, r.To}, "not within %s", r.Within)
	case !ck.all:
		r.doubt(ck.unfinished(), "the drill did not get that far")
	case r.Within > 0:
		r.doubt("let the drill pause for "+r.Within.String()+" at its end", "the run ended before its %s were over", r.Within)
		r.open, r.until = !ck.finished, from.Add(r.Within)
	case ck.finished:
		r.violate("it never happened")
	default:
		r.doubt(stillOpen, "not yet")
		r.open, r.until = true, ck.grace()
	}
	return r
}

// faulted says whether every fault of the drill was done: then its clock runs, even
// if the drill did not get through.
func (ck *Checker) faulted() bool {
	n := 0
	for _, s := range ck.d.Steps {
		if s.Fault != nil {
			n++
		}
	}
	for _, t := range ck.targets {
		if t.Done {
			n--
		}
	}
	return n <= 0 && len(ck.targets) > 0
}

// grace is until when something without a bound may come.
func (ck *Checker) grace() time.Time {
	if ck.healed.IsZero() {
		return ck.now.Add(settleDefault)
	}
	return ck.healed.Add(settleDefault)
}

// acquisitions are the claims of contenders that came to hold: what has no lease is
// no contender's.
func (l *lockHistory) acquisitions(j *Checker, who string) []*claim {
	var all []*claim
	for _, c := range l.claims {
		if c.held && c.lease != 0 && (who == "" || drill.Process(who) == j.owner(c)) {
			all = append(all, c)
		}
	}
	return all
}

// lasted is how long a span lasted, as far as the part after from goes.
func (s idleSpan) lasted(from, now time.Time) time.Duration {
	if s.from.After(from) {
		from = s.from
	}
	if !s.to.IsZero() {
		now = s.to
	}
	return max(0, now.Sub(from))
}

// hitsMember says whether a fault is done to the one member that a process knows.
func (ck *Checker) hitsMember(t *drill.Target, who string) bool {
	info, _ := t.Fault.Kind.Info()
	return info.Target == model.TargetMember && ck.d.Lab.Hit(t.Fault, drill.Process(who))
}

func notMeaningful(n, least int) string {
	return fmt.Sprintf("not meaningful: %d acquisitions, the drill wants %d; %slet it run for longer", n, least, drill.ToKnow)
}

// evidenceMax bounds the evidence of a result.
const evidenceMax = 10

// Weights of evidence: who reads one line reads why it is violated.
const (
	heavy  = iota // it is violated by that
	middle        // it is unknown by that, or what to do about it
	light         // what was seen besides
)

// note adds what was seen, if there is room.
func (r *result) note(format string, args ...any) { r.weigh(light, format, args...) }

// tell adds what has to be known besides a violation.
func (r *result) tell(format string, args ...any) { r.weigh(middle, format, args...) }

// weigh adds a line of evidence after all that weigh as much. What weighs least makes room for it.
func (r *result) weigh(weight int, format string, args ...any) {
	at := sort.SearchInts(r.weights, weight+1)
	if at >= evidenceMax {
		return
	}
	r.weights = slices.Insert(slices.Clone(r.weights), at, weight)
	r.Evidence = slices.Insert(slices.Clone(r.Evidence), at, fmt.Sprintf(format, args...))
	most := min(len(r.Evidence), evidenceMax)
	r.weights, r.Evidence = r.weights[:most], r.Evidence[:most]
}

func (r *result) violate(format string, args ...any) {
	r.Verdict = drill.Violated
	r.weigh(heavy, format, args...)
}

// tooLong judges a time that is longer than its bound: it is violated, unless we or those whom it is
// asked of were kept from running for so much of it that the bound may have been kept. What lasts until now is
// waited for until it is longer than that, too. Where an answer that comes too late makes somebody ask again, or
// a lease run out, a third of the time is enough to know nothing.
func (ck *Checker) tooLong(r *result, from, to time.Time, within time.Duration, who []string, format string, args ...any) (violated bool) {
	d, kept := ck.kept(from, to, who...)
	again := r.Name != "stops" && r.Name != "heeds" && r.Name != "overlap"
	if d > 0 && to.Sub(from)-d <= within || again && 3*d >= to.Sub(from) {
		r.doubt(lessToDo, "%s; but %s", fmt.Sprintf(format, args...), kept)
		if to.Equal(ck.now) {
			r.open, r.until = !ck.finished, model.Later(r.until, from.Add(within+d+judgeSlack))
		}
		return false
	}
	r.violate(format, args...)
	return true
}

// kept is for how long of a time we were kept from running, and that one of some processes which was so the
// longest: together, and in words.
func (ck *Checker) kept(from, to time.Time, who ...string) (d time.Duration, words string) {
	whose, theirs := "", time.Duration(0)
	for _, name := range who {
		if one := ck.idled(from, to, drill.Process(name)); name != "" && one > theirs {
			whose, theirs = drill.Process(name), one
		}
	}
	ours := ck.idled(from, to, "")
	words = fmt.Sprintf("locktop did not run for %.1f s of that", ours.Seconds())
	if theirs > 0 {
		words += fmt.Sprintf(", and %s had no processor for %.1f s", whose, theirs.Seconds())
	}
	return ours + theirs, words
}

// doubt makes the result unknown, unless it is violated. known says what would make it known.
func (r *result) doubt(known, format string, args ...any) {
	r.Verdict = drill.Worse(r.Verdict, drill.Unknown)
	r.tell("%s; %s%s", fmt.Sprintf(format, args...), drill.ToKnow, known)
}

// LastWord is the last belief of a contender on a lock, on any if that is "".
func (ck *Checker) LastWord(name, lock string) model.Belief {
	var last model.Belief
	for _, l := range ck.locksOf(drill.Expectation{Lock: lock}) {
		if b := l.lastBeliefs[name]; b.At.After(last.At) {
			last = b
		}
	}
	return last
}

// LastNote is what a contender said last in words since it was started, "" if nothing.
func (ck *Checker) LastNote(name string) string { return ck.lastNote(name).Text }

// lastNote is the belief in which it said that.
func (ck *Checker) lastNote(name string) model.Belief {
	for _, b := range slices.Backward(ck.notes) {
		if b.Contender == name && !b.At.Before(ck.anew[drill.Process(name)]) {
			return b
		}
	}
	return model.Belief{}
}
