package play

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/judge"
	"locktop/model"
	"locktop/model/fold"
)

// Bounds of a run, besides what its waits say.
const (
	limitDefault = 2 * time.Minute
	lookWithin   = 20 * time.Second // for the first list of what there is
	actWithin    = 30 * time.Second // for one action of the lab
	healWithin   = 30 * time.Second // for the healing at the end
	settleLeast  = time.Second      // after the healing, for what is under way
	settleMost   = time.Minute
	judgeEvery   = 250 * time.Millisecond
	wakeSlack    = 20 * time.Millisecond // that a source may wake us late
)

// Stage is where a drill is played: a lab that was started from Drill.Lab.
type Stage struct {
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
}

// Teller is the person for whom a drill is a lesson. Its methods are called one at a
// time, from any goroutine, while the lab goes on.
type Teller interface {
	// Step is called before each step, which counts from 1.
	Step(i int)
	// Say tells something. It returns when the person has read it, or ctx ended.
	Say(ctx context.Context, t drill.Text)
	// Ask returns the option that was chosen, from 1; 0 for none. It returns when
	// ctx ends.
	Ask(ctx context.Context, q drill.Question) int
}

// Options of a run. The zero value is a headless one.
type Options struct {
	// Seed replaces that of the drill unless it is 0.
	Seed uint64
	// Teller, if set, is told what to say and asked.
	Teller Teller
	// Limit is how long the steps may take besides what their waits and pauses say;
	// default 2 minutes.
	Limit time.Duration
	// Event makes of an entry what the report has of it, at the end of the run. nil: the
	// report has no events.
	Event func(*fold.State, *model.JournalEntry) any
}

// Round is one run of a drill.
type Round struct {
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
	Targets []*drill.Target
	Results []drill.Result
	// Lines are the timeline in words, Events as Options.Event has them.
	Lines  []Line
	Events []any
	// Histories are those that were searched for an order, drawn as HTML, by lock.
	Histories map[string][]byte
}

// Line is one line of the timeline. Step is 0 for an entry.
type Line struct {
	At   time.Time
	Step int
	Text string
}

// Run plays a drill on a stage and judges it. Whatever happens, every fault is
// healed before it returns. The stage must be fresh: what happened there before
// counts as well.
func Run(ctx context.Context, d *drill.Drill, stage Stage, o Options) Round {
	r := newRunner(d, stage, o)
	err := r.play(ctx)
	if ctx.Err() == nil && !errors.Is(err, errSource) {
		err = errors.Join(err, r.settle(ctx))
	}
	return r.finish(ctx, err)
}

// The errors of a source and of Begin are wrapped into these. Neither says anything about
// the drill.
var (
	errSource = errors.New("what happens can no longer be seen")
	errBegin  = errors.New("the contenders did not start")
)

// runner is the state of Run.
type runner struct {
	d        *drill.Drill
	stage    Stage
	o        Options
	s        *fold.State
	j        *judge.Judge
	view     view
	v        *resolver
	round    Round
	facts    uint64 // read up to there
	deadline time.Time
	healed   time.Time // when every fault was
}

func newRunner(d *drill.Drill, stage Stage, o Options) *runner {
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
	r := &runner{d: d, stage: stage, o: o, s: fold.NewState(stage.Pins...), j: judge.New(d, now),
		round: Round{Seed: o.Seed, Started: now}, deadline: now.Add(o.Limit + lookWithin)}
	for _, s := range d.Steps {
		r.deadline = r.deadline.Add(s.Pause)
		if s.Wait != nil {
			r.deadline = r.deadline.Add(s.Wait.Within)
		}
	}
	r.view = view{r.s, r.j}
	r.v = &resolver{d: d, s: r.s, j: r.j, rng: rand.New(rand.NewPCG(o.Seed, 0x64726c6c)), leader: stage.Leader}
	return r
}

// play does the steps, and heals whatever became of them.
func (r *runner) play(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, r.heal(ctx)) }()
	if err := r.look(ctx); err != nil {
		return err
	}
	if r.stage.Begin != nil {
		if err := r.stage.Begin(ctx); err != nil {
			return fmt.Errorf("%w: %w", errBegin, err)
		}
	}
	for i, s := range r.d.Steps {
		if r.o.Teller != nil {
			r.o.Teller.Step(i + 1)
		}
		counts := r.stage.Now()
		if err := r.step(ctx, i+1, s); err != nil {
			return fmt.Errorf("step %d (line %d): %w", i+1, s.Line, err)
		}
		if !acts(s) {
			counts = r.stage.Now()
		}
		r.j.Stepped(counts)
	}
	r.j.Through()
	return nil
}

// Inspect waits for the first list of what there is.
func (r *runner) look(ctx context.Context) error {
	ok, err := r.until(ctx, r.stage.Now().Add(lookWithin), r.s.Loaded)
	if err == nil && !ok {
		err = fmt.Errorf("%w: no list of the keys within %s", errSource, lookWithin)
	}
	return err
}

// until pulls until it is so, or it is that late.
func (r *runner) until(ctx context.Context, late time.Time, is func() bool) (bool, error) {
	for !is() {
		if !r.stage.Now().Before(late) {
			return false, nil
		}
		want := r.s.Want()
		if want.WakeAt.IsZero() || late.Before(want.WakeAt) {
			want.WakeAt = late
		}
		if err := r.pull(ctx, want, nil); err != nil {
			return false, err
		}
	}
	return true, nil
}

// interruption is the end of a context, in words for a person.
type interruption struct{ error }

func (i interruption) Error() string {
	if errors.Is(i.error, context.DeadlineExceeded) {
		return "the time was up"
	}
	return "interrupted"
}

func (i interruption) Unwrap() error { return i.error }

// pull takes one batch in. It returns when done closes at the latest.
func (r *runner) pull(ctx context.Context, want model.Want, done <-chan struct{}) error {
	next, cancel := context.WithCancel(ctx)
	defer cancel()
	if !want.WakeAt.IsZero() { // a source of several may still be busy with an older want
		late := time.AfterFunc(want.WakeAt.Sub(r.stage.Now())+wakeSlack, cancel)
		defer late.Stop()
	}
	go func() { // ends with next
		select {
		case <-done:
			cancel()
		case <-next.Done():
		}
	}()
	b, err := r.stage.Source.Next(next, want)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return interruption{ctx.Err()}
	case next.Err() != nil:
		r.apply(model.Tick{At: r.stage.Now()})
	default:
		return fmt.Errorf("%w: %w", errSource, err)
	}
	for _, e := range b.Events {
		r.apply(e)
	}
	r.j.At(r.stage.Now())
	return nil
}

// apply folds one event into both accounts.
func (r *runner) apply(e model.Event) {
	r.s.Apply(model.Batch{Events: []model.Event{e}})
	r.j.Apply(e)
	switch e := e.(type) {
	case model.Belief:
		if e.Text != "" {
			r.tell(0, e.Contender+" says: "+model.Printable(e.Text))
		}
	case model.FaultOn:
		r.faultOn(e)
	case model.FaultOff:
		for _, t := range r.round.Targets {
			if t.ID == e.ID && t.ID != 0 && t.Healed.IsZero() {
				t.Healed = e.At
			}
		}
	}
	for _, f := range r.s.JournalAfter(r.facts) {
		r.facts = f.Seq
		r.j.Entry(f)
	}
	r.j.Found(r.s.Findings(), r.s.Now())
}

// faultOn learns the lab's number of a fault that we did.
func (r *runner) faultOn(e model.FaultOn) {
	for _, t := range r.round.Targets {
		if t.ID == 0 && t.Healed.IsZero() && t.Fault.Kind == e.Fault.Kind && t.Fault.Target == e.Fault.Target {
			t.ID = e.ID
			return
		}
	}
}

// beside does something that takes its time, while the lab goes on, and returns when
// that is done. If nothing can be seen any more it calls blind, and still waits. Where
// blind is nil it is an action: short, so that nothing need fall due meanwhile.
func (r *runner) beside(ctx context.Context, blind, what func()) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		what()
	}()
	for {
		select {
		case <-done:
			return nil
		default:
		}
		want := r.s.Want()
		if blind == nil {
			want.WakeAt = time.Time{}
		}
		if err := r.pull(ctx, want, done); err != nil {
			if blind != nil {
				blind()
			}
			<-done
			return err
		}
	}
}

// act does an action of the lab. One that is under way is not cut off unless it takes
// too long or ctx ends.
func (r *runner) act(ctx context.Context, a model.Action, within time.Duration) (model.Outcome, error) {
	acting, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var o model.Outcome
	err := r.beside(ctx, nil, func() { o = r.stage.Do(acting, a) })
	o.Action = a
	if o.At.IsZero() {
		o.At = r.stage.Now()
	}
	if err == nil && !o.Done {
		err = errors.New(o.Describe())
	}
	return o, err
}

// heal ends every fault, also where ctx ended or nothing can be seen any more.
func (r *runner) heal(ctx context.Context) error {
	o, err := r.act(context.WithoutCancel(ctx), model.Action{Kind: model.HealAll}, healWithin)
	r.healed = r.stage.Now()
	r.j.Healed(r.healed)
	r.tell(0, "at the end: "+o.Describe())
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
		now := r.stage.Now()
		if !now.Before(until) {
			return nil
		}
		if next := now.Add(judgeEvery); next.Before(until) {
			until = next
		}
		if _, err := r.until(ctx, until, func() bool { return false }); err != nil {
			return err
		}
	}
}

// tell adds a line to the timeline.
func (r *runner) tell(step int, text string) {
	r.round.Lines = append(r.round.Lines, Line{r.stage.Now(), step, text})
}

// finish judges for the last time.
func (r *runner) finish(ctx context.Context, err error) Round {
	now := r.stage.Now()
	r.j.Over(now)
	round := &r.round
	round.Took = now.Sub(round.Started)
	round.Results = r.j.Results()
	round.Verdict, round.Reason = r.j.Verdict(round.Results)
	round.Histories = r.j.Pictures()
	if err != nil {
		round.Verdict, round.Reason = drill.Worse(round.Verdict, drill.Unknown), err.Error()
	}
	if err != nil && (errors.Is(err, errSource) || errors.Is(err, errBegin) || ctx.Err() != nil) {
		round.Err = err
	}
	for _, f := range r.j.Entries() {
		if f.Kind != model.EntryAction { // what the steps did stands there already
			round.Lines = append(round.Lines, Line{f.At, 0, f.Sentence(r.s.Who)})
		}
		if r.o.Event != nil {
			round.Events = append(round.Events, r.o.Event(r.s, f))
		}
	}
	slices.SortStableFunc(round.Lines, func(a, b Line) int { return a.At.Compare(b.At) })
	return *round
}
