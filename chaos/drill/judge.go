package drill

import (
	"fmt"
	"slices"
	"time"

	"locktop/model"
)

// judge is what verdicts are computed from: the history, what the diagnosis said,
// and what the drill did when.
type judge struct {
	d *Drill
	*history
	// sightings are the findings of the diagnosis, facts its journal: of that only
	// the causes of handovers are used, which etcd does not tell.
	sightings []*sighting
	facts     []*model.Fact

	targets []*Target
	// stepped is from when the time after each step counts, as far as the drill got:
	// what a step does may show before it has returned, so for one that does something
	// it is when that began. all is set when it got through.
	stepped []time.Time
	all     bool
	// start, healed and now are the times of the run: healed is zero until then.
	start, healed, now time.Time
	// over: nothing more will come.
	over bool
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

func newJudge(d *Drill, start time.Time) *judge {
	return &judge{d: d, history: newHistory(d.Lab.Locks()), start: start, now: start, pictures: map[string][]byte{}}
}

// results judges every expectation as things stand.
func (j *judge) results() []Result {
	all := kinds()
	var out []Result
	for _, e := range j.d.Expect {
		out = append(out, all[e.Name].judge(j, e))
	}
	return out
}

// verdict is that of the run: what its expectations say, and whether it says
// anything at all.
func (j *judge) verdict(results []Result) (Verdict, string) {
	v := Held
	for _, r := range results {
		v = worse(v, r.Verdict)
	}
	n := 0
	for _, l := range j.locks {
		n += len(l.acquisitions(j, ""))
	}
	if v != Violated && n < j.d.Least {
		return Unknown, notMeaningful(n, j.d.Least)
	}
	return v, ""
}

// of are the locks that an expectation speaks of, in the order of the file.
func (j *judge) of(e Expectation) []*lockHistory {
	var all []*lockHistory
	for _, name := range j.d.Lab.Locks() {
		if e.Lock == "" || e.Lock == name {
			all = append(all, j.locks[name])
		}
	}
	return all
}

// result begins with held.
func result(e Expectation) Result { return Result{Expectation: e, Verdict: Held} }

// since is from when the time of an expectation counts: from the step that it names,
// else from the last fault that hit the contender (any contender if who is ""), else
// from the beginning. ok is false if the drill did not get there.
func (j *judge) since(e Expectation, who string) (at time.Time, ok bool) {
	if e.After > 0 {
		if e.After > len(j.stepped) {
			return time.Time{}, false
		}
		return j.stepped[e.After-1], true
	}
	if t := j.lastHit(who, j.now); t != nil {
		return t.At, true
	}
	return j.start, true
}

// lastHit is the last fault that hit a process, up to a time: any fault if who is "".
func (j *judge) lastHit(who string, until time.Time) *Target {
	for _, t := range slices.Backward(j.targets) {
		if t.Done && !t.At.After(until) && (who == "" || t.hits(who)) {
			return t
		}
	}
	return nil
}

// missing is the verdict on something that had to happen, within e.Within of from,
// and did not. r says by its evidence what.
func (j *judge) missing(r Result, from time.Time, ok bool) Result {
	r.Measured = nil
	switch {
	case !ok:
		r.doubt("the drill did not get to step %d", r.After)
	case r.Within > 0 && j.now.Sub(from) >= r.Within && (j.all || r.After > 0 || j.faulted()):
		r.violate("not within %s", r.Within)
	case !j.all:
		r.doubt("the drill did not get that far")
	case r.Within > 0:
		r.doubt("the run ended before its %s were over", r.Within)
		r.open, r.until = !j.over, from.Add(r.Within)
	case j.over:
		r.violate("it never happened")
	default:
		r.doubt("not yet")
		r.open, r.until = true, j.grace()
	}
	return r
}

// faulted says whether every fault of the drill was done: then its clock runs, even
// if the drill did not get through.
func (j *judge) faulted() bool {
	n := 0
	for _, s := range j.d.Steps {
		if s.Fault != nil {
			n++
		}
	}
	for _, t := range j.targets {
		if t.Done {
			n--
		}
	}
	return n <= 0 && len(j.targets) > 0
}

// grace is until when something without a bound may come.
func (j *judge) grace() time.Time {
	if j.healed.IsZero() {
		return j.now.Add(settleDefault)
	}
	return j.healed.Add(settleDefault)
}

// acquisitions are the claims of contenders that came to hold: what has no lease is
// no contender's.
func (l *lockHistory) acquisitions(j *judge, who string) []*claim {
	var all []*claim
	for _, c := range l.claims {
		if c.held && c.lease != 0 && (who == "" || procOf(who) == j.owner(c)) {
			all = append(all, c)
		}
	}
	return all
}

// clock writes a time of the run.
func clock(t time.Time) string { return t.Format("15:04:05.000") }

// lasted is how long a stretch lasted, as far as the part after from goes.
func (s stretch) lasted(from, now time.Time) time.Duration {
	if s.from.After(from) {
		from = s.from
	}
	if !s.to.IsZero() {
		now = s.to
	}
	return max(0, now.Sub(from))
}

func notMeaningful(n, least int) string {
	return fmt.Sprintf("not meaningful: %d acquisitions, the drill wants %d", n, least)
}
