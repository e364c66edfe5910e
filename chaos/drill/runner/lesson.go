package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// Trainer tells a drill to a person. The lab waits for the person: the steps of a lesson are gated,
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
	// Exercise asks the person to do something, and returns when that was done and read, or the
	// person gives up.
	Exercise(ctx context.Context, e Exercise)
	// Unseen says that what is done to the lab from then on is not to be seen, or is again.
	Unseen(at time.Time, begins bool)
	// End shows how it ended.
	End(ctx context.Context, round *Run)
}

// Exercise is what a person does at the end of a lesson: its task, or its exam.
type Exercise struct {
	drill.Task
	// Exam: the fault of an exam is to be healed, which Err says why there is none of. Explanation
	// says what it was.
	Exam        bool
	Err         error
	Explanation drill.Text
	// Met is closed when it is done, Wrong when a wrong cure was taken.
	Met, Wrong <-chan struct{}
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
	if err == nil || r.trainer == nil || ctx.Err() != nil || errors.Is(err, errSource) || errors.Is(err, errTTL) || errors.Is(err, errLimit) {
		return err
	}
	why := s.Describe() + ": " + err.Error()
	r.result.Missed = append(r.result.Missed, why)
	return r.speak(ctx, func(ctx context.Context) { r.trainer.Missed(ctx, s) })
}

// see measures what decides the last question.
func (r *runner) see(ctx context.Context, i int) error {
	o := r.question
	seen := Seen{Step: o.step, Question: o.q, Chosen: o.chosen, Measured: r.j.Measure(*o.q.Measure, o.askedAt)}
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

// end lets the person do the task of a lesson on what the story left behind, and its exam, and
// shows the verdict on the story, which stands by then.
func (r *runner) end(ctx context.Context, round *Run) {
	if r.trainer == nil {
		return
	}
	if l := r.d.Lesson; l != nil {
		if l.Task != nil {
			round.Passed = r.exercise(ctx, nil, Exercise{Task: *l.Task})
		}
		if l.Exam != nil {
			round.Examined = r.exam(ctx, l.Exam.Text, l.Exam.Draw(r.o.Seed))
		}
	}
	r.try(ctx, nil, nil, func(ctx context.Context, _, _ <-chan struct{}) { r.trainer.End(ctx, round) })
	round.Explained = ctx.Err() == nil && !r.blind
}

// exercise lets the person do an exercise, and says whether it is done.
func (r *runner) exercise(ctx context.Context, wrong []*drill.Wait, e Exercise) bool {
	return r.try(ctx, e.Done, wrong, func(ctx context.Context, met, spoilt <-chan struct{}) {
		e.Met, e.Wrong = met, spoilt
		r.trainer.Exercise(ctx, e)
	})
}

// wrongFor is how long a wrong cure shows before it is one: a program that lets go in order is
// heard a moment after its key has gone.
const wrongFor = 2 * time.Second

// try lets the person do something until what returns, which hears by met that it is done, or by
// spoilt that it no longer can be, and says whether it is done.
func (r *runner) try(ctx context.Context, done *drill.Wait, wrong []*drill.Wait, what func(ctx context.Context, met, spoilt <-chan struct{})) (is bool) {
	acting, cancel := context.WithCancel(ctx)
	defer cancel()
	met, spoilt, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		what(acting, met, spoilt)
	}()
	var late time.Time // when what looks wrong is
	ended := done == nil
	err := r.follow(ctx, lookout{r: r, done: over, late: func() time.Time {
		if ended {
			return time.Time{}
		}
		return late
	}}, func() bool {
		switch {
		case ended:
		case !late.IsZero() && !r.lab.Now().Before(late): // whatever is now: it was so until now
			ended = true
			close(spoilt)
		case slices.ContainsFunc(wrong, func(w *drill.Wait) bool { return w.Unmet(r.view) == "" }):
			if late.IsZero() {
				late = r.lab.Now().Add(wrongFor)
			}
		default:
			if late = (time.Time{}); done.Unmet(r.view) == "" {
				is, ended = true, true
				close(met)
			}
		}
		return closed(over)
	})
	if err != nil {
		r.blind = true
		cancel()
		<-over
	}
	return is
}

// emptyWithin bounds the wait for what the story left behind.
const emptyWithin = 20 * time.Second

// exam ends all programs, brings a fault about unseen, and says whether the person healed it.
func (r *runner) exam(ctx context.Context, text drill.Text, c drill.Case) (healed bool) {
	r.deadline = r.lab.Now().Add(r.o.Limit)
	err := r.empty(ctx)
	r.trainer.Unseen(r.lab.Now(), true)
	trainer := r.trainer
	r.trainer = nil // these steps are neither told nor paced
	for i := 0; i < len(c.Steps) && err == nil; i++ {
		err = r.step(ctx, len(r.d.Steps), c.Steps[i])
	}
	r.trainer = trainer
	r.trainer.Unseen(r.lab.Now(), false)
	if err != nil {
		c.Done = nil // of nothing
	}
	return r.exercise(ctx, c.Wrong, Exercise{Task: drill.Task{Text: text, Hint: c.Hint, Done: c.Done}, Exam: true, Err: err, Explanation: c.Explanation})
}

// empty ends every fault and every program, and waits until their claims have gone.
func (r *runner) empty(ctx context.Context) error {
	_, failed := r.act(ctx, model.Action{Kind: model.HealAll})
	for _, p := range r.s.Reports().Contenders() {
		if p.Proc != model.ProcEnded {
			_, err := r.act(ctx, model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultStop, Target: p.Name}})
			failed = errors.Join(failed, err)
		}
	}
	gone, err := r.until(ctx, r.lab.Now().Add(emptyWithin), func() bool {
		return !slices.ContainsFunc(r.d.Lab.Locks(), func(lock string) bool { return len(r.view.Queue(lock).Owners) > 0 })
	})
	if err == nil && !gone {
		err = errors.Join(errors.New("what the story left behind does not go"), failed)
	}
	return err
}
