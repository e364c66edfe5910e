package play

import (
	"context"
	"errors"
	"fmt"
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
	// Hand is what the pupil did to the lab so far, in words.
	Hand() []string
	// Task asks for the task at the end, and returns when met is closed and that was read,
	// or the pupil gives up.
	Task(ctx context.Context, round *Round, met <-chan struct{})
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
	asked        time.Time
}

// afterHand bounds a wait once the pupil has done something: what was planned may never come.
const afterHand = 5 * time.Second

// tolerant keeps what went wrong with a step of a lesson, which goes on from what is.
func (r *runner) tolerant(ctx context.Context, s drill.Step, err error) error {
	if err == nil || r.pupil == nil || ctx.Err() != nil || errors.Is(err, errSource) || errors.Is(err, errTTL) || errors.Is(err, errLimit) {
		return err
	}
	why := s.Describe() + ": " + err.Error()
	r.round.Missed = append(r.round.Missed, why)
	return r.speak(ctx, func(ctx context.Context) { r.pupil.Missed(ctx, s) })
}

// see measures what decides the last question.
func (r *runner) see(ctx context.Context, i int) error {
	o := r.question
	seen := Seen{Step: o.step, Question: o.q, Chosen: o.chosen, Measured: r.j.Measure(*o.q.Measure, o.asked)}
	seen.Right = o.q.Right(seen.Measured)
	r.question = nil
	r.round.Seen = append(r.round.Seen, seen)
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
		r.round.Hand = r.pupil.Hand()
	}
	for _, s := range r.round.Seen {
		if len(r.round.Hand) > 0 {
			break
		}
		res := drill.Result{Expectation: drill.Expectation{Line: r.d.Steps[s.Step-1].Line, Name: "answer"}, Verdict: drill.Held,
			Measured: s.Measured.Number, Unit: s.Measured.Unit, Samples: 1}
		said := s.Question.Options[s.Question.Answer-1].In("en")
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

// task lets the pupil do the task of the lesson on what the story left behind. The verdict
// stands by then.
func (r *runner) task(ctx context.Context, round *Round) {
	if r.pupil == nil || r.d.Lesson == nil {
		return
	}
	acting, cancel := context.WithCancel(ctx)
	defer cancel()
	met := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.pupil.Task(acting, round, met)
	}()
	for {
		if t := r.d.Lesson.Task; !round.Passed && t != nil && t.Done.Unmet(r.view) == "" {
			round.Passed = true
			close(met)
		}
		select {
		case <-done:
			round.Told = ctx.Err() == nil
			return
		default:
		}
		if r.pull(ctx, r.s.Want(), done) != nil {
			cancel()
			<-done
			return
		}
	}
}
