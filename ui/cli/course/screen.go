package course

import (
	"context"
	"slices"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/ui/tutor"
)

// span is a time, without an end as long as that is zero.
type span struct{ from, to time.Time }

func (s span) has(at time.Time) bool {
	return !s.from.IsZero() && !at.Before(s.from) && (s.to.IsZero() || !at.After(s.to))
}

// Unseen implements runner.Trainer.
func (t *Trainer) Unseen(at time.Time, begins, exam bool) {
	t.mu.Lock()
	unseen := &t.setUp
	if exam {
		unseen = &t.unseen
	}
	if unseen.to = at; begins {
		*unseen = span{from: at}
	}
	t.mu.Unlock()
	if begins && exam {
		t.picture = drill.Show{}
		t.show(t.ctx, tutor.Step{Kind: tutor.StepWait, Text: t.say(model.Say("trainer-exam-wait")), Met: t.say(model.Say("trainer-exam-ready"))})
	}
}

// Screen is a source without what the lab tells of the fault of an exam, and of how it set up a task:
// what etcd shows of it stays.
func (t *Trainer) Screen(src model.Source) model.Source { return &screen{src, t, map[int]bool{}} }

type screen struct {
	model.Source
	t      *Trainer
	hidden map[int]bool // faults, by their number
}

// Next implements model.Source.
func (s *screen) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b, err := s.Source.Next(ctx, want)
	s.t.mu.Lock()
	unseen, setUp := s.t.unseen, s.t.setUp
	s.t.mu.Unlock()
	if !unseen.from.IsZero() || !setUp.from.IsZero() {
		b.Events = slices.DeleteFunc(slices.Clone(b.Events), func(e model.Event) bool {
			_, act := e.(model.Acted)
			return act && setUp.has(e.When()) || s.tells(e, unseen.has(e.When()))
		})
	}
	return b, err
}

// tells says whether an event gives the fault away.
func (s *screen) tells(e model.Event, unseen bool) bool {
	switch e := e.(type) {
	case model.FaultOn:
		s.hidden[e.ID] = s.hidden[e.ID] || unseen
		return unseen
	case model.FaultOff:
		return s.hidden[e.ID]
	case model.Acted:
		return unseen
	case model.Contender:
		return unseen && e.Proc != model.ProcRunning
	}
	return false
}
