package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/check"
	"locktop/model"
	"locktop/model/journal"
	"locktop/model/text"
)

// heal ends every fault, also where ctx ended or nothing can be seen any more.
func (r *runner) heal(ctx context.Context) error {
	r.ending(func(*drill.Target) bool { return true })
	o, err := r.act(context.WithoutCancel(ctx), model.Action{Kind: model.HealAll})
	r.healed = r.lab.Now()
	r.j.Healed(r.healed)
	r.tell(0, "at the end: "+text.English(o.Message()))
	if o.Done {
		return nil // what else went wrong shows in the settling
	}
	return fmt.Errorf("at the end: %w", err)
}

// settle lets what was expected come, until all is decided or a bound is reached.
func (r *runner) settle(ctx context.Context) error {
	latest := r.healed.Add(settleMost)
	for {
		until := r.healed.Add(settleLeast)
		if later, open := r.j.Open(); open && later.After(until) {
			until = later
		}
		if until.After(latest) {
			until = latest
		}
		if !r.lab.Now().Before(until) {
			return nil
		}
		if err := r.tick(ctx, until); err != nil {
			return err
		}
	}
}

// tell adds a line to the timeline.
func (r *runner) tell(step int, text string) {
	r.result.Lines = append(r.result.Lines, Line{r.lab.Now(), step, text})
}

// finish judges for the last time.
func (r *runner) finish(ctx context.Context, err error) Run {
	now := r.lab.Now()
	if ctx.Err() != nil {
		r.j.Interrupted()
	}
	r.j.Finish(now)
	round := &r.result
	round.Took, round.Etcd = now.Sub(round.Started), r.etcd()
	round.Results = slices.Concat(r.j.Results(), r.answers(), r.steady.results())
	round.Verdict, round.Reason = r.j.Verdict(round.Results)
	if len(round.Missed) > 0 && round.Verdict == drill.Held {
		round.Verdict, round.Reason = drill.Unknown, round.Missed[0]
	}
	round.Histories, round.Late = r.j.Pictures(), r.j.Late()
	if round.Verdict != drill.Held {
		round.Mend = r.endedAlone()
	}
	if r.lab.Printed != nil {
		round.Printed = r.lab.Printed()
	}
	if err != nil {
		round.Verdict, round.Reason = drill.Worse(round.Verdict, drill.Unknown), err.Error()
	}
	if err != nil && (errors.Is(err, errSource) || errors.Is(err, errBegin) || errors.Is(err, errTTL) || ctx.Err() != nil) {
		round.Err = err
	}
	if left := r.quotes - quotesMax; left > 0 {
		r.tell(0, fmt.Sprintf("%d more words of contenders are left out", left))
	}
	for _, f := range r.j.Entries() {
		if f.Kind != journal.Action { // what the steps did stands there already
			round.Lines = append(round.Lines, Line{f.At, 0, f.Sentence(r.s.Who)})
		}
		if r.o.Event != nil {
			round.Events = append(round.Events, r.o.Event(r.s, f))
		}
	}
	slices.SortStableFunc(round.Lines, func(a, b Line) int { return a.At.Compare(b.At) })
	r.reportVerdict(ctx, errors.Is(err, errSource))
	return *round
}

// endedAlone is what to mend where a program of the user's own failed and nothing had been done to end it.
func (r *runner) endedAlone() string {
	for _, name := range r.d.Lab.Programs() {
		hit := slices.ContainsFunc(r.result.Targets, func(t *drill.Target) bool {
			return t.Done && t.Hits(name) && (t.Fault.Kind == model.FaultKill || t.Fault.Kind == model.FaultStop)
		})
		if p := r.j.Process(name); !hit && p.Proc == model.ProcEnded && p.Ended != "exit 0" {
			return check.MendEnd
		}
	}
	return ""
}

// etcd are the versions that the members told of themselves, each once.
func (r *runner) etcd() string {
	var all []string
	for _, m := range r.s.Cluster().Members {
		if m.Version != "" && !slices.Contains(all, m.Version) {
			all = append(all, m.Version)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// reportVerdict reports what came of the run, and waits until that was delivered: whoever
// writes down what the source delivers is asked no more when the run is over.
func (r *runner) reportVerdict(ctx context.Context, blind bool) {
	now := r.lab.Now()
	for _, e := range r.result.Results {
		r.report(model.DrillJudged{At: now, Expected: e.Describe(), Verdict: model.DrillVerdict(e.Verdict), Seen: e.Numbers(), Evidence: e.Evidence})
	}
	r.report(model.DrillOver{At: now, Verdict: model.DrillVerdict(r.result.Verdict), Reason: model.Printable(r.result.Reason)})
	if r.lab.Report == nil || blind {
		return
	}
	within := deliverWithin
	if ctx.Err() != nil { // somebody waits for the end, and the source may have ended too
		within = time.Second
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	// An error changes nothing any more: a recording says itself that its end is missing.
	_ = r.follow(ctx, lookout{r: r}, func() bool { return !r.s.Drill().Over.At.IsZero() || ctx.Err() != nil })
}
