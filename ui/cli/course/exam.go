package course

import (
	"context"
	"slices"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/ui/tutor"
)

// ownProgram is the line that puts a program of the person's own into a drill.
var ownProgram = []string{
	"locktop drill run keepalives-held --as './worker {lock} {ttl}' \\",
	"    --lock /app/report \\",
	"    --belief 'stdout:/got the lock/=holding,/released|lost/=idle'",
}

// Exam implements play.Pupil: the fault that is there now, what it was, and then the person's own
// program.
func (p *Pupil) Exam(ctx context.Context, c drill.Case, err error, met, wrong <-chan struct{}) {
	if err != nil {
		p.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: p.say("exam-broke"), Code: []string{err.Error()}})
	} else {
		p.takes(true)
		p.try(ctx, c.Done.Lock, p.say("exam")+p.d.Lesson.Exam.Text.In(p.lang), c.Hint.In(p.lang), met, wrong)
		p.takes(false)
		p.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: c.Explanation.In(p.lang)})
	}
	p.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: p.say("own"), Code: ownProgram})
}

func (p *Pupil) takes(exam bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exam = exam
}

// span is a time, without an end as long as that is zero.
type span struct{ from, to time.Time }

func (s span) has(at time.Time) bool {
	return !s.from.IsZero() && !at.Before(s.from) && (s.to.IsZero() || !at.After(s.to))
}

// Unseen implements play.Pupil.
func (p *Pupil) Unseen(at time.Time, begins bool) {
	p.mu.Lock()
	if p.unseen.to = at; begins {
		p.unseen = span{from: at}
	}
	p.mu.Unlock()
	if begins {
		p.picture = drill.Show{}
		p.show(p.ctx, tutor.Step{Kind: tutor.StepWait, Text: p.say("exam-wait"), Met: p.say("exam-ready")})
	}
}

// Screen is a source without what the lab tells of the fault of an exam: what etcd shows of it
// stays.
func (p *Pupil) Screen(src model.Source) model.Source { return &screen{src, p, map[int]bool{}} }

type screen struct {
	model.Source
	p      *Pupil
	hidden map[int]bool // faults, by their number
}

// Next implements model.Source.
func (s *screen) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b, err := s.Source.Next(ctx, want)
	s.p.mu.Lock()
	unseen := s.p.unseen
	s.p.mu.Unlock()
	if !unseen.from.IsZero() {
		b.Events = slices.DeleteFunc(slices.Clone(b.Events), func(e model.Event) bool { return s.tells(e, unseen.has(e.When())) })
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
