package runner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/check"
	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
)

// Bounds of a run, besides what its waits say.
const (
	limitDefault  = 2 * time.Minute
	lookWithin    = 20 * time.Second // for the first list of what there is
	actWithin     = 30 * time.Second // for one action of the lab
	settleLeast   = time.Second      // after the healing, for what is under way
	settleMost    = time.Minute
	judgeEvery    = 250 * time.Millisecond
	wakeSlack     = 20 * time.Millisecond // that a source may wake us late
	deliverWithin = 10 * time.Second      // for what came of it
)

// Lab is where a drill is played: a lab that was started from Drill.Lab.
type Lab struct {
	// Source has what the watch of the cluster and the lab report.
	Source model.Source
	// Begin lets the contenders of the lab begin, once the first list has been seen: what
	// they did before it nobody could count. nil: they have begun.
	Begin func(context.Context) error
	// Do does an action of the lab and returns when it is done or refused.
	Do func(context.Context, model.Action) model.Outcome
	// Leader asks who leads now. nil: by the last round of status.
	Leader func(context.Context) (string, error)
	// Now is the clock of the events; nil: time.Now.
	Now func() time.Time
	// Pins are the recipes that are fixed by hand.
	Pins []model.Pin
	// Printed is what programs of the user's own printed last, by role. nil: there are none.
	Printed func() map[string][]string
	// Report is told of the steps and of what came of them. The source has to deliver it, to
	// this drill and to all who look at it. nil: nobody is told.
	Report func(model.Event)
}

// Options of a run. The zero value is a headless one.
type Options struct {
	// Seed replaces that of the drill unless it is 0.
	Seed uint64
	// Trainer, if set, tells the drill to a person.
	Trainer Trainer
	// Limit is how long the steps may take besides what their waits and pauses say;
	// default 2 minutes.
	Limit time.Duration
	// Pace is how long a lesson rests before each thing that it does, so that it can be
	// watched.
	Pace time.Duration
	// Hasty: the steps end where an expectation is violated. What comes after changes nothing any more.
	Hasty bool
	// Steady are questions of the user's own, asked before, while and after the steps are done.
	Steady []Steady
	// Event makes of an entry what the report has of it, at the end of the run. nil: the
	// report has no events.
	Event func(*store.Store, *journal.Entry) any
}

// Run is one run of a drill.
type Run struct {
	Seed    uint64
	Verdict drill.Verdict
	// Reason says why the verdict is unknown although no expectation is, "" if that is
	// not so.
	Reason string
	// Err is why the drill could not be run, or not to its end, for reasons of its
	// own: its source ended, or ctx did.
	Err     error
	Started time.Time
	Took    time.Duration
	// Etcd are the versions of the members, "" if none told.
	Etcd    string
	Targets []*drill.Target
	Results []drill.Result
	// Lines are the timeline in words, Events as Options.Event has them.
	Lines  []Line
	Events []any
	// Histories are those that were searched for an order, drawn as HTML, by lock.
	Histories map[string][]byte
	// Printed is what programs of the user's own printed last, by role.
	Printed map[string][]string
	// Late are what they wrote to etcd after they said that they do not hold, whatever the verdict.
	Late []drill.Late
	// Mend is what to mend where a program ended by itself, "" if none did, and it was not held.
	Mend string
	// Screens are the questions that were measured, Missed what was waited for in vain while it was
	// told, Actions what the person did to the lab meanwhile. Passed says that the task was done,
	// Explained that it was told up to its verdict.
	Screens           []Seen
	Missed, Actions   []string
	Passed, Explained bool
	// Examined says that the fault of the exam was healed.
	Examined bool
}

// Line is one line of the timeline. Step is 0 for an entry.
type Line struct {
	At   time.Time
	Step int
	Text string
}

// Play plays a drill on a lab and judges it. Whatever happens, every fault is
// healed before it returns. The lab must be fresh: what happened there before
// counts as well.
func Play(ctx context.Context, d *drill.Drill, stage Lab, o Options) Run {
	r := newRunner(d, stage, o)
	err := r.play(ctx)
	if ctx.Err() == nil && !errors.Is(err, errSource) && !errors.Is(err, errTTL) {
		err = errors.Join(err, r.steadyEnd(ctx), r.settle(ctx))
	}
	if r.steady.end != nil {
		r.steady.end()
		r.steady.wg.Wait()
	}
	round := r.finish(ctx, err)
	if round.Err == nil {
		r.end(ctx, &round)
	}
	return round
}

// The errors of a source and of Begin are wrapped into these. Neither says anything about
// the drill.
var (
	errSource = errors.New("what happens can no longer be seen")
	errBegin  = errors.New("the contenders did not start")
	errTTL    = errors.New("the bounds of this run are for another lease")
)

// runner is the state of Run.
type runner struct {
	d         *drill.Drill
	lab       Lab
	o         Options
	s         *store.Store
	j         *check.Checker
	view      view
	v         *resolver
	result    Run
	facts     uint64 // read up to there
	quotes    int    // words of contenders
	deadline  time.Time
	healed    time.Time                // when every fault was
	askedTTLs map[string]time.Duration // the TTL that each program of the user's own is to have
	started   map[string]time.Time     // by a step, the last time
	question  *question                // that nothing has answered yet
	steady    *steadyStates            // questions of the user's own
	trainer   Trainer                  // nil: it is told to nobody
	blind     bool                     // nothing can be seen any more
	judged    time.Time                // when it was looked last whether an expectation is violated
	violated  time.Time                // since when one is, as far as that was looked
}

func newRunner(d *drill.Drill, stage Lab, o Options) *runner {
	if stage.Now == nil {
		stage.Now = time.Now
	}
	if o.Limit == 0 {
		o.Limit = limitDefault
	}
	if o.Seed == 0 {
		o.Seed = d.Seed
	}
	now := stage.Now()
	r := &runner{d: d, lab: stage, o: o, trainer: o.Trainer, s: store.New(stage.Pins...), j: check.New(d, now),
		result: Run{Seed: o.Seed, Started: now}, deadline: now.Add(o.Limit + lookWithin), started: map[string]time.Time{}, steady: newSteadyStates(o.Steady)}
	for _, s := range d.Steps {
		r.deadline = r.deadline.Add(s.Pause)
		if s.Wait != nil {
			r.deadline = r.deadline.Add(s.Wait.Within)
		}
	}
	for _, c := range d.Lab.Contenders {
		for _, name := range c.Names() {
			if c.Program != nil {
				if r.askedTTLs == nil {
					r.askedTTLs = map[string]time.Duration{}
				}
				r.askedTTLs[name] = c.TTL
			}
		}
	}
	r.view = view{r.s.View, r.j}
	r.v = &resolver{d: d, s: r.s, j: r.j, rng: rand.New(rand.NewPCG(o.Seed, 0x64726c6c)), leader: stage.Leader}
	return r
}

// play does the steps, and heals whatever became of them.
func (r *runner) play(ctx context.Context) (err error) {
	r.report(model.DrillBegan{At: r.result.Started, Name: r.d.Name, Title: r.d.Title.In("en"), Why: r.d.Why.In("en"), Defect: r.d.Defect, Seed: r.o.Seed, Told: r.trainer != nil})
	defer func() { err = errors.Join(err, r.heal(ctx)) }()
	if err := r.awaitFirstList(ctx); err != nil {
		return err
	}
	if r.lab.Begin != nil {
		if err := r.lab.Begin(ctx); err != nil {
			return fmt.Errorf("%w: %w", errBegin, err)
		}
	}
	for i, s := range r.d.Steps {
		if r.lost() {
			r.tell(0, fmt.Sprintf("steps %d to %d are left out: an expectation is violated", i+1, len(r.d.Steps)))
			r.j.LeftOut()
			return nil
		}
		if r.trainer != nil {
			r.trainer.Step(i + 1)
		}
		if s.Fault != nil {
			if err := r.steadyBegin(ctx); err != nil {
				return fmt.Errorf("step %d (line %d): %w", i+1, s.Line, err)
			}
		}
		counts := r.lab.Now()
		told := len(r.result.Lines)
		r.report(model.DrillStep{At: counts, N: i + 1, Acts: acts(s), Text: model.Printable(s.Describe())})
		err := r.step(ctx, i+1, s)
		over := model.DrillStep{At: r.lab.Now(), N: i + 1, Over: true, Failed: err != nil, Acts: acts(s), Text: r.came(s, told, err)}
		if n := len(r.result.Screens); s.See && n > 0 {
			over.Chosen, over.Right = r.result.Screens[n-1].Chosen, r.result.Screens[n-1].Right
		}
		r.report(over)
		if err = r.tolerant(ctx, s, err); err != nil {
			return fmt.Errorf("step %d (line %d): %w", i+1, s.Line, err)
		}
		if !acts(s) {
			counts = r.lab.Now()
		}
		r.j.Stepped(counts)
	}
	r.j.Through()
	return nil
}

// came is what a step told of itself, since there were so many lines, besides what it does; if
// that is nothing, why it failed.
func (r *runner) came(s drill.Step, told int, err error) (text string) {
	if err != nil {
		text = model.Printable(err.Error())
	}
	for _, l := range r.result.Lines[told:] {
		if l.Step > 0 && l.Text != model.Printable(s.Describe()) {
			text = l.Text
		}
	}
	return text
}

func (r *runner) report(e model.Event) {
	if r.lab.Report != nil {
		r.lab.Report(e)
	}
}
