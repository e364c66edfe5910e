package course

import (
	"context"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
	"locktop/demo/lessons"
	"locktop/model"
	"locktop/ui/tutor"
)

// Retelling is a lesson as its recording tells it: the texts are those of the course, the answers those
// of the person.
type Retelling struct {
	t     *Trainer
	seed  uint64
	asked drill.Question
}

// Retell returns the lesson of the course that a recording begins to tell, nil if it is none.
func Retell(e model.DrillBegan, lang string) *Retelling {
	d, err := lessons.Lesson(e.Name)
	if err != nil || d.Lesson == nil {
		return nil
	}
	return &Retelling{t: New(context.Background(), d, lang, true), seed: e.Seed}
}

// PinsOf are the [Pins] of the lesson that a recording begins to tell, none if it is none.
func PinsOf(e model.DrillBegan) []model.Pin {
	d, err := lessons.Lesson(e.Name)
	if err != nil || d.Lesson == nil {
		return nil
	}
	return Pins(d)
}

// Lesson is what the console shows it as: it waits for nobody.
func (r *Retelling) Lesson() *tutor.Lesson {
	l := r.t.Lesson()
	l.Next = nil
	return l
}

// Step is what an event of the lesson shows; ok says whether it shows anything.
func (r *Retelling) Step(e model.DrillStep) (step tutor.Step, ok bool) {
	if e.N < 1 || e.N > len(r.t.d.Steps) {
		return step, false
	}
	r.t.step = e.N
	switch s := r.t.d.Steps[e.N-1]; {
	case e.Over != s.See: // what came of a question is known once it was seen
		return step, false
	case s.Show != nil:
		r.t.picture = *s.Show
		return step, false
	case s.Say != nil:
		step = r.t.said(s.Say)
	case s.Ask != nil:
		r.asked = s.Ask.Shuffled(r.seed, e.N)
		step = r.t.asks(r.asked)
	case s.See && min(e.Chosen, e.Right) >= 0 && 0 < e.Right && max(e.Chosen, e.Right) <= len(r.asked.Options):
		step = r.t.seen(runner.Seen{Step: e.N, Question: r.asked, Chosen: e.Chosen, Right: e.Right})
		step.Measured = step.Options[e.Right-1]
	default:
		return step, false
	}
	step.Lock = r.t.about(e.N)
	return r.t.beside(step), true
}
