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

// Pupil is a [Teller] who takes a lesson. The world waits for the pupil: the steps of a lesson are gated,
// so that nothing is under way while a text stands. A step that cannot be done does not end
// the lesson, as the pupil may have done something to the lab.
type Pupil interface {
	Teller
	// See shows what came of a question, and returns when that was read.
	See(ctx context.Context, s Seen)
	// Missed says that a step did not come to pass.
	Missed(ctx context.Context, s drill.Step)
	// Actions are what the pupil did to the lab so far, in words.
	Actions() []string
	// Task asks for the task at the end, and returns when met is closed and that was read,
	// or the pupil gives up.
	Task(ctx context.Context, met <-chan struct{})
	// Unseen says that what is done to the lab from then on is not to be seen, or is again.
	Unseen(at time.Time, begins bool)
	// Exam asks to heal the fault that is there, like Task. err says why there is none; wrong is
	// closed when a wrong cure was taken.
	Exam(ctx context.Context, c drill.Case, err error, met, wrong <-chan struct{})
	// End shows how it ended.
	End(ctx context.Context, round *Run)
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

// afterHand bounds a wait once the pupil has done something: what was planned may never come.
const afterHand = 5 * time.Second

// tolerant keeps what went wrong with a step of a lesson, which goes on from what is.
func (r *runner) tolerant(ctx context.Context, s drill.Step, err error) error {
	if err == nil || r.pupil == nil || ctx.Err() != nil || errors.Is(err, errSource) || errors.Is(err, errTTL) || errors.Is(err, errLimit) {
		return err
	}
	why := s.Describe() + ": " + err.Error()
	r.result.Missed = append(r.result.Missed, why)
	return r.speak(ctx, func(ctx context.Context) { r.pupil.Missed(ctx, s) })
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
	if r.pupil == nil {
		return nil
	}
	return r.speak(ctx, func(ctx context.Context) { r.pupil.See(ctx, seen) })
}

// answers says whether the answers of the file are what was measured. What a person has
// meddled with is not the file's fault.
func (r *runner) answers() (all []drill.Result) {
	if r.pupil != nil {
		r.result.Actions = r.pupil.Actions()
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

// task lets the pupil do the task of the lesson on what the story left behind, and its exam.
// The verdict on the story stands by then.
func (r *runner) task(ctx context.Context, round *Run) {
	if r.pupil == nil || r.d.Lesson == nil {
		return
	}
	if t := r.d.Lesson.Task; t != nil {
		round.Passed = r.try(ctx, t.Done, nil, func(ctx context.Context, met, _ <-chan struct{}) { r.pupil.Task(ctx, met) })
	}
	if e := r.d.Lesson.Exam; e != nil {
		round.Examined = r.exam(ctx, e.Draw(r.o.Seed))
	}
	r.try(ctx, nil, nil, func(ctx context.Context, _, _ <-chan struct{}) { r.pupil.End(ctx, round) })
	round.Explained = ctx.Err() == nil && !r.blind
}

// wrongFor is how long a wrong cure shows before it is one: a program that lets go in order is
// heard a moment after its key has gone.
const wrongFor = 2 * time.Second

// try lets the pupil do something until what returns, which hears by met that it is done, or by
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

// exam ends all programs, brings a fault about unseen, and says whether the pupil healed it.
func (r *runner) exam(ctx context.Context, c drill.Case) (healed bool) {
	r.deadline = r.lab.Now().Add(r.o.Limit)
	err := r.empty(ctx)
	r.pupil.Unseen(r.lab.Now(), true)
	pupil := r.pupil
	r.pupil = nil // these steps are neither told nor paced
	for i := 0; i < len(c.Steps) && err == nil; i++ {
		err = r.step(ctx, len(r.d.Steps), c.Steps[i])
	}
	r.pupil = pupil
	r.pupil.Unseen(r.lab.Now(), false)
	if err != nil {
		c.Done = nil // of nothing
	}
	return r.try(ctx, c.Done, c.Wrong, func(ctx context.Context, met, wrong <-chan struct{}) { r.pupil.Exam(ctx, c, err, met, wrong) })
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
