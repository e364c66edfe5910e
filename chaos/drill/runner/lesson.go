package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/text"
)

// Trainer tells a drill to a person. The lab waits for the person: the steps of a lesson wait,
// so that nothing is under way while a text stands. A step that cannot be done does not end what
// is told, as the person may have done something to the lab. The methods are called one at a time,
// from any goroutine, while the lab goes on.
type Trainer interface {
	// Step is called before each step, which counts from 1.
	Step(i int)
	// Say tells something. It returns when the person has read it, or ctx ended.
	Say(ctx context.Context, t drill.Text)
	// Ask returns the option that was chosen, from 1; 0 for none. It returns when
	// ctx ends.
	Ask(ctx context.Context, q drill.Question) int
	// See shows what came of a question, and returns when that was read.
	See(ctx context.Context, s Seen)
	// Missed says that a step did not come to pass.
	Missed(ctx context.Context, s drill.Step)
	// Actions are what the person did to the lab so far, in words.
	Actions() []string
	// Explain says how all of it is done by hand, in Go and elsewhere, once the story is over.
	Explain(ctx context.Context)
	// Tries says what the lab does for a task: a step, or nil while the task is set up.
	Tries(s *drill.Step)
	// Exercise asks the person to do something, and returns when that is done or no longer can
	// be, or the person gives up; or with what the person filled in, where there is a draft.
	Exercise(ctx context.Context, e Exercise) (filled map[string]string)
	// Came says that an exercise is done, or why it no longer can be, and returns when that was
	// read. missed is the step that did not come to pass, where there is no other reason.
	Came(ctx context.Context, e Exercise, done bool, why drill.Text, missed *drill.Step)
	// Unseen says that what is done to the lab from then on is not to be seen, or is again, as it is what
	// the person is to find out. In an exam what follows from it by itself is not to be seen either.
	Unseen(at time.Time, begins, exam bool)
	// End shows how it ended.
	End(ctx context.Context, round *Run)
}

// Exercise is what a person does at the end of a lesson: its task, or its exam.
type Exercise struct {
	drill.Task
	// Exam: the fault of an exam is to be healed. Explanation says what it was.
	Exam        bool
	Explanation drill.Text
	// Err is why it could not be set up, nil if it could, and Failed the step that did not come to pass
	// then, nil where none did not.
	Err    error
	Failed *drill.Step
	// Values are what was filled in last, nil for nothing yet.
	Values map[string]string
	// Over is closed when it is done, or no longer can be.
	Over <-chan struct{}
}

// Seen is what came of a question.
type Seen struct {
	Step     int
	Question drill.Question // its options in the order in which they were shown
	// Chosen is the answer that was given, Right the one that was measured, from 1; 0: none.
	Chosen, Right int
	Measured      drill.Measured
}

// question is one that nothing has answered yet.
type question struct {
	q            drill.Question
	step, chosen int
	askedAt      time.Time
}

// afterHand bounds a wait once the person has done something: what was planned may never come.
const afterHand = 5 * time.Second

// tolerant keeps what went wrong with a step of a lesson, which goes on from what is.
func (r *runner) tolerant(ctx context.Context, s drill.Step, err error) error {
	if err == nil || r.trainer == nil && !s.Try || ctx.Err() != nil || errors.Is(err, errSource) || errors.Is(err, errTTL) || errors.Is(err, errLimit) {
		return err
	}
	if s.Try { // its line of the timeline says why
		return nil
	}
	why := s.Describe() + ": " + err.Error()
	r.result.Missed = append(r.result.Missed, why)
	return r.speak(ctx, func(ctx context.Context) { r.trainer.Missed(ctx, s) })
}

// see measures what decides the last question.
func (r *runner) see(ctx context.Context, i int) error {
	o := r.question
	seen := Seen{Step: o.step, Question: o.q, Chosen: o.chosen}
	if o.q.Measure.Name == "stores" {
		seen.Measured = drill.Measured{Name: "stores", Word: r.d.StoresAt(i).Believers()}
	} else {
		seen.Measured = r.j.Measure(*o.q.Measure, o.askedAt)
	}
	seen.Right = o.q.Right(seen.Measured)
	r.question = nil
	r.result.Screens = append(r.result.Screens, seen)
	text := "measured: " + model.Printable(seen.Measured.In("en"))
	if o.chosen > 0 {
		text += fmt.Sprintf(". Answered %d, right is %d", o.chosen, seen.Right)
	}
	r.tell(i, text)
	return r.speak(ctx, func(ctx context.Context) { r.trainer.See(ctx, seen) })
}

// answers says whether the answers of the file are what was measured. What a person has
// meddled with is not the file's fault.
func (r *runner) answers() (all []drill.Result) {
	if r.trainer != nil {
		r.result.Actions = r.trainer.Actions()
	}
	for _, s := range r.result.Screens {
		if len(r.result.Actions) > 0 {
			break
		}
		res := drill.Result{Expectation: drill.Expectation{Line: r.d.Steps[s.Step-1].Line, Name: "answer"}, Verdict: drill.Held,
			Measured: s.Measured.Number, Unit: s.Measured.Unit, Samples: 1}
		said := s.Question.Options[s.Question.Answer-1].Text.In("en")
		switch {
		case s.Right == 0:
			res.Verdict = drill.Unknown
			res.Evidence = []string{fmt.Sprintf("%s: measured %s, which no option says", s.Question.Text.In("en"), s.Measured.In("en"))}
		case s.Right != s.Question.Answer:
			res.Verdict = drill.Violated
			res.Evidence = []string{fmt.Sprintf("%s: the file says %q, measured %s", s.Question.Text.In("en"), said, s.Measured.In("en"))}
		}
		all = append(all, res)
	}
	return all
}

// end lets the person do the task of a lesson, and its exam, and shows the verdict on the story,
// which stands by then.
func (r *runner) end(ctx context.Context, round *Run) {
	if r.trainer == nil {
		return
	}
	if l := r.d.Lesson; l != nil {
		_ = r.speak(ctx, r.trainer.Explain) // who goes before its end has read enough
		if l.Task != nil {
			round.Passed = r.task(ctx, *l.Task)
		}
		if l.Exam != nil {
			round.Examined = r.exam(ctx, l.Exam.Text, l.Exam.Draw(r.o.Seed))
		}
	}
	if !r.blind {
		_ = r.speak(ctx, func(ctx context.Context) { r.trainer.End(ctx, round) })
	}
	round.Explained = ctx.Err() == nil && !r.blind
}

// task lets the person do the task, and sets it up again for who has lost the way. It says whether
// the task is done.
func (r *runner) task(ctx context.Context, t drill.Task) (done bool) {
	e := Exercise{Task: t}
	for ctx.Err() == nil && !r.blind {
		r.trainer.Tries(nil)
		r.trainer.Unseen(r.lab.Now(), true, false)
		e.Failed, e.Err = r.setUp(ctx, t.Setup)
		if r.trainer.Unseen(r.lab.Now(), false, false); e.Err != nil {
			r.announce(ctx, e, false, nil, nil)
			return false
		}
		done, why, missed := r.attempt(ctx, &e)
		switch {
		case done:
			r.announce(ctx, e, true, nil, nil)
			return true
		case why == nil && missed == nil:
			return false // it was given up
		}
		r.announce(ctx, e, false, why, missed)
	}
	return false
}

// attempt lets the person do what is set up, until it is done, can no longer be, for which it says
// why, or is given up.
func (r *runner) attempt(ctx context.Context, e *Exercise) (done bool, why drill.Text, missed *drill.Step) {
	by, trainer := signs{done: e.Done, lasts: e.Lasts, wrong: whens(e.Task.Wrong), react: e.React}, r.trainer
	for ctx.Err() == nil && !r.blind {
		var filled map[string]string
		came := r.try(ctx, &by, func(ctx context.Context, over <-chan struct{}) {
			e.Over = over
			filled = trainer.Exercise(ctx, *e)
		})
		switch {
		case came.done:
			return true, nil, nil
		case came.wrong > 0:
			return false, e.Task.Wrong[came.wrong-1].Why, nil
		case came.missed != nil:
			return false, nil, came.missed
		case filled == nil || e.Draft == nil:
			return false, nil, nil
		}
		e.Values = filled
		switch s, err := r.unpaced(ctx, e.Draft.Steps, filled); {
		case err != nil && s.Wait != nil:
			return false, s.Wait.Else, s
		case err != nil:
			return false, nil, s
		case e.Done == nil:
			return true, nil, nil
		}
	}
	return false, nil, nil
}

func whens(all []drill.Wrong) (when []*drill.Wait) {
	for _, w := range all {
		when = append(when, w.When)
	}
	return when
}

// announce tells what came of an exercise, which takes its time.
func (r *runner) announce(ctx context.Context, e Exercise, done bool, why drill.Text, missed *drill.Step) {
	if ctx.Err() == nil && !r.blind {
		_ = r.speak(ctx, func(ctx context.Context) { r.trainer.Came(ctx, e, done, why, missed) }) // what is over is said by the next look
	}
}

// unpaced does steps that are no part of the story, with what was filled in, and says at which it
// stopped.
func (r *runner) unpaced(ctx context.Context, steps []drill.Step, filled map[string]string) (*drill.Step, error) {
	r.deadline = r.lab.Now().Add(r.o.Limit)
	trainer := r.trainer
	r.trainer = nil
	defer func() { r.trainer = trainer }()
	for _, s := range steps {
		if s = s.Filled(filled); filled != nil {
			trainer.Tries(&s)
		}
		if err := r.step(ctx, len(r.d.Steps), s); err != nil {
			return &s, err
		}
	}
	return nil, nil
}

// setUp starts every program of the lab anew and does the steps that bring a task about.
// It says at which it stopped.
func (r *runner) setUp(ctx context.Context, steps []drill.Step) (*drill.Step, error) {
	r.deadline = r.lab.Now().Add(r.o.Limit)
	if err := r.empty(ctx); err != nil {
		return nil, err
	}
	for _, c := range r.d.Lab.Contenders {
		for _, name := range c.Names() {
			if c.Later {
				continue
			}
			if _, err := r.act(ctx, model.Action{Kind: model.SpawnProc, Contender: name, Lock: c.Locks[0], Recipe: c.Recipe}); err != nil {
				return nil, err
			}
		}
	}
	return r.unpaced(ctx, steps, nil)
}

// wrongFor is how long a wrong cure shows before it is one: a program that lets go in order is
// heard a moment after its key has gone.
const wrongFor = 2 * time.Second

// signs are what the lab may show while the person does something.
type signs struct {
	done  *drill.Wait   // nil: nothing shows that it is done
	lasts time.Duration // how long it has to show that
	wrong []*drill.Wait
	react []drill.Reaction // those that are left
}

// shown is what the lab showed: that it is done, which sign that it can no longer be, from 1, or a
// step of a reaction that did not come to pass.
type shown struct {
	done   bool
	wrong  int
	missed *drill.Step
}

// try lets the person do something until what returns, which hears by over that it is done or can no
// longer be. Meanwhile the lab reacts to what it sees.
func (r *runner) try(ctx context.Context, by *signs, what func(ctx context.Context, over <-chan struct{})) (came shown) {
	acting, cancel := context.WithCancel(ctx)
	defer cancel()
	seen, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		what(acting, seen)
	}()
	for {
		now, reacts, err := r.await(ctx, by, over)
		if came = now; reacts {
			steps := by.react[0].Steps
			by.react = by.react[1:]
			came.missed, err = r.unpaced(ctx, steps, nil)
			if err == nil {
				continue
			}
		} else if err != nil {
			r.blind = true
			cancel()
		}
		close(seen)
		<-over
		return came
	}
}

// await looks at the lab until it shows one of the signs, or the person is done with it.
func (r *runner) await(ctx context.Context, by *signs, over <-chan struct{}) (came shown, reacts bool, err error) {
	var late, due time.Time // when what looks wrong is, and what looks done
	wrong := 0
	is := func(w *drill.Wait) bool { return w.Unmet(r.view) == "" }
	next := func() time.Time {
		if late.IsZero() {
			return due
		}
		return late
	}
	err = r.follow(ctx, lookout{r: r, done: over, late: next}, func() bool {
		if closed(over) {
			return true
		}
		if !late.IsZero() && !r.lab.Now().Before(late) { // whatever is now: it was so until now
			came.wrong = wrong
		} else if now := 1 + slices.IndexFunc(by.wrong, is); now > 0 && late.IsZero() {
			wrong, late, due = now, r.lab.Now().Add(wrongFor), time.Time{}
		} else if now == 0 {
			late = time.Time{}
			switch shows := by.done != nil && is(by.done); {
			case !shows:
				due = time.Time{}
			case due.IsZero():
				due = r.lab.Now().Add(by.lasts)
			}
			came.done = !due.IsZero() && !r.lab.Now().Before(due)
			reacts = !came.done && len(by.react) > 0 && is(by.react[0].When)
		}
		return came.done || came.wrong > 0 || reacts
	})
	return came, reacts, err
}

// emptyWithin bounds the wait for what the story left behind.
const emptyWithin = 20 * time.Second

// exam ends all programs, brings a fault about unseen, and says whether the person healed it.
func (r *runner) exam(ctx context.Context, asks drill.Text, c drill.Case) (healed bool) {
	e := Exercise{Task: drill.Task{Text: asks, Done: c.Done}, Exam: true, Explanation: c.Explanation}
	e.Err = r.empty(ctx)
	if r.trainer.Unseen(r.lab.Now(), true, true); e.Err == nil {
		e.Failed, e.Err = r.unpaced(ctx, c.Steps, nil)
	}
	r.trainer.Unseen(r.lab.Now(), false, true)
	var came shown
	if e.Err == nil {
		came = r.try(ctx, &signs{done: c.Done, wrong: c.Wrong}, func(ctx context.Context, over <-chan struct{}) {
			e.Over = over
			r.trainer.Exercise(ctx, e)
		})
	}
	why := drill.Text(nil)
	if came.wrong > 0 {
		why = c.Explanation
	}
	r.announce(ctx, e, came.done, why, nil)
	return came.done
}

// empty ends every fault, every program and every key that nothing else ends, and waits until their claims
// have gone.
func (r *runner) empty(ctx context.Context) error {
	_, failed := r.act(ctx, model.Action{Kind: model.HealAll})
	procs := func() map[string]model.ProcState {
		all := map[string]model.ProcState{}
		for _, c := range r.d.Lab.Contenders {
			for _, name := range c.Names() {
				if !c.Later { // it was started with the lab, heard of or not
					all[name] = model.ProcRunning
				}
			}
		}
		for _, p := range r.s.Reports().Contenders() {
			all[p.Name] = p.Proc
		}
		maps.DeleteFunc(all, func(_ string, p model.ProcState) bool { return p == model.ProcEnded })
		return all
	}
	for _, name := range slices.Sorted(maps.Keys(procs())) {
		_, err := r.act(ctx, model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultStop, Target: name}})
		failed = errors.Join(failed, err)
	}
	for _, lock := range r.d.Lab.Locks() {
		l := r.s.Lock(lock)
		for i := 0; l != nil && i < l.Len(); i++ {
			if c := l.At(i); c.KV.Lease == 0 {
				_, err := r.act(ctx, model.Action{Kind: model.DeleteClaim, Lock: lock, Key: c.Key, CreateRev: c.CreateRev})
				failed = errors.Join(failed, err)
			}
		}
	}
	var left []model.Message
	gone, err := r.until(ctx, r.lab.Now().Add(emptyWithin), func() bool {
		left = nil
		for _, name := range slices.Sorted(maps.Keys(procs())) {
			left = append(left, model.Say("left-runs", name))
		}
		for _, lock := range r.d.Lab.Locks() {
			for _, who := range r.view.Queue(lock).Owners {
				left = append(left, model.Say("left-claim", who, lock))
			}
		}
		return len(left) == 0
	})
	if err == nil && !gone {
		err = errors.Join(text.Refusal{Why: model.Say("left-behind", emptyWithin, left)}, failed)
	}
	return err
}
