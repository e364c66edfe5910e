package course

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
	"locktop/model"
	"locktop/ui/host"
	"locktop/ui/tutor"
)

// Pupil is the person who takes a lesson: a play.Pupil towards the drill, and what the
// console shows towards the screen.
type Pupil struct {
	d       *drill.Drill
	lang    string
	brief   bool // fewer words
	pane    *tutor.Handover
	ctx     context.Context // ends with the console
	lock    string          // that the story is about now
	picture drill.Show      // that stands beside it

	mu     sync.Mutex
	hand   []string // what the person did to the lab
	missed string   // the first step that did not come to pass
	atTask bool     // and then it is asked for
	exam   bool     // is being taken
	unseen span     // when the fault of the exam was done
}

var _ runner.Pupil = (*Pupil)(nil)

// New returns a pupil for a lesson. ctx ends with the console. With brief the lines to do it by hand are left out.
func New(ctx context.Context, d *drill.Drill, lang string, brief bool) *Pupil {
	return &Pupil{d: d, lang: lang, brief: brief, ctx: ctx, pane: tutor.NewHandover(ctx)}
}

// Shown is the lesson as the console wants it.
func (p *Pupil) Shown() *tutor.Lesson {
	l := p.d.Lesson
	return &tutor.Lesson{Title: fmt.Sprintf("%d. %s", l.Number, l.Title.In(p.lang)), Why: l.Teaches.In(p.lang), Lang: p.lang,
		Next: p.pane.Next, Answer: p.pane.Answer}
}

// show hands a step over to the console, and says whether it was taken. Lines of code have the room
// of the picture, too.
func (p *Pupil) show(ctx context.Context, s tutor.Step) bool {
	if len(s.Code) == 0 {
		s.Show, s.About = tutor.Picture(p.picture.What), p.picture.Lock
	}
	return p.pane.Show(ctx, s)
}

// read shows a step and returns what was answered once it was read.
func (p *Pupil) read(ctx context.Context, s tutor.Step) int {
	if !p.show(ctx, s) {
		return 0
	}
	return p.pane.Answered(ctx)
}

// Step implements play.Teller. What is said, asked and seen tells itself.
func (p *Pupil) Step(i int) {
	p.lock = p.about(i)
	switch s := p.d.Steps[i-1]; {
	case s.Show != nil:
		p.picture = *s.Show
	case s.Say != nil || s.Ask != nil || s.See:
	case s.Wait != nil:
		want, met := s.Wait.In(p.lang)
		p.show(p.ctx, tutor.Step{Kind: tutor.StepWait, Text: want, Met: met, Within: s.Wait.Within})
	case s.Pause > 0:
		p.show(p.ctx, tutor.Step{Kind: tutor.StepWait, Within: s.Pause})
	default:
		p.show(p.ctx, tutor.Step{Kind: tutor.StepDo, Text: s.In(p.lang)})
	}
}

// about is the lock of a step: that of the question which comes next, or came last.
func (p *Pupil) about(i int) (lock string) {
	for n, s := range p.d.Steps {
		if s.Ask == nil || s.Ask.Measure == nil {
			continue
		}
		lock = s.Ask.Measure.Lock
		if c, ok := p.d.Lab.Contender(s.Ask.Measure.Contender); ok && len(c.Locks) == 1 {
			lock = c.Locks[0]
		}
		if n+1 >= i {
			break
		}
	}
	return lock
}

// Say implements play.Teller.
func (p *Pupil) Say(ctx context.Context, t drill.Text) {
	p.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: t.In(p.lang), Lock: p.lock})
}

func (p *Pupil) texts(all []drill.Option) (in []string) {
	for _, o := range all {
		in = append(in, o.Text.In(p.lang))
	}
	return in
}

// Ask implements play.Teller.
func (p *Pupil) Ask(ctx context.Context, q drill.Question) int {
	return p.read(ctx, tutor.Step{Kind: tutor.StepAsk, Text: q.Text.In(p.lang), Options: p.texts(q.Options), Lock: p.lock})
}

// See implements play.Pupil.
func (p *Pupil) See(ctx context.Context, s runner.Seen) {
	step := tutor.Step{Kind: tutor.StepSee, Text: s.Question.After.In(p.lang), Options: p.texts(s.Question.Options), Lock: p.lock,
		Chosen: s.Chosen, Right: s.Right, Measured: s.Measured.In(p.lang)}
	if s.Chosen > 0 && s.Chosen != s.Right {
		step.Why = s.Question.Options[s.Chosen-1].Why.In(p.lang)
	}
	p.read(ctx, step)
}

// Missed implements play.Pupil.
func (p *Pupil) Missed(ctx context.Context, s drill.Step) {
	what := s.In(p.lang)
	p.missed = cmp.Or(p.missed, what)
	text := p.say("missed", what)
	if hand := p.Actions(); len(hand) > 0 {
		text = p.say("by-hand", hand[len(hand)-1], what)
	}
	p.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: text})
}

// Actions implements runner.Pupil.
func (p *Pupil) Actions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.hand)
}

// Task implements play.Pupil: how it is done by hand and elsewhere, then the task.
func (p *Pupil) Task(ctx context.Context, met <-chan struct{}) {
	p.mu.Lock()
	p.atTask = true
	p.mu.Unlock()
	l := p.d.Lesson
	if !p.brief {
		p.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: p.say("etcdctl"), Code: p.code(l.Etcdctl)})
		p.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: p.say("go"), Code: p.code(l.Go)})
		p.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: p.say("elsewhere") + l.Elsewhere.In(p.lang)})
	}
	p.try(ctx, l.Task.Done.Lock, p.say("task")+l.Task.Text.In(p.lang), l.Task.Hint.In(p.lang), met, nil)
}

// try shows what is to be done to a lock until it is, no longer can be, or is given up. Who asks
// for it gets a hint first.
func (p *Pupil) try(ctx context.Context, lock, what, how string, met, wrong <-chan struct{}) {
	step := tutor.Step{Kind: tutor.StepTask, Text: what, Lock: lock, Hint: true}
	for p.show(ctx, step) {
		select {
		case <-met:
			p.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: p.say("task-done")})
			return
		case <-wrong:
			p.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: p.say("exam-wrong") + how})
			return
		case <-p.pane.Answers():
		case <-ctx.Done():
			return
		}
		if !step.Hint {
			p.read(ctx, tutor.Step{Kind: tutor.StepSay, Text: p.say("task-left")})
			return
		}
		step.Text, step.Hint = what+"\n\n"+p.say("hint")+how, false
	}
}

// End implements play.Pupil.
func (p *Pupil) End(ctx context.Context, round *runner.Run) {
	s := tutor.Step{Kind: tutor.StepVerdict, Verdict: model.DrillVerdict(round.Verdict)}
	switch {
	case len(round.Actions) > 0:
		s.Text = p.say("meddled", strings.Join(round.Actions, "; "))
	case p.missed != "":
		s.Text = p.say("missed", p.missed)
	}
	for _, r := range round.Results {
		if r.Name == "answer" && r.Verdict == drill.Held {
			continue // the person saw it measured
		}
		line := tutor.Line{Name: r.Sentence(p.lang), Verdict: model.DrillVerdict(r.Verdict)}
		s.Lines = append(s.Lines, line)
	}
	own := func(passed bool, what string) {
		line := tutor.Line{Name: p.say(what + "-skipped"), Verdict: model.DrillUnknown}
		if passed {
			line = tutor.Line{Name: p.say(what + "-passed"), Verdict: model.DrillHeld}
		}
		s.Lines = append(s.Lines, line)
	}
	if p.d.Lesson.Task != nil {
		own(round.Passed, "task")
	}
	if p.d.Lesson.Exam != nil {
		own(round.Examined, "exam")
	}
	p.show(ctx, s)
}

// Broke shows why a lesson could not be told to its end.
func (p *Pupil) Broke(round *runner.Run) {
	p.show(p.ctx, tutor.Step{Kind: tutor.StepVerdict, Verdict: model.DrillUnknown, Text: round.Reason})
}

// Watch returns the door of the console for actions, which tells the lesson what the person
// does to the lab, and heals nothing unnamed in an exam.
func (p *Pupil) Watch(door host.Actions) host.Actions { return watched{door, p} }

type watched struct {
	host.Actions
	p *Pupil
}

// Available implements host.Actions.
func (w watched) Available(a model.Action) error {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	if w.p.exam && a.Kind == model.HealAll {
		return errors.New(w.p.say("exam-heal"))
	}
	return w.Actions.Available(a)
}

// Do implements host.Actions.
func (w watched) Do(ctx context.Context, plan model.Plan) model.Outcome {
	o := w.Actions.Do(ctx, plan)
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	if o.Done && !w.p.atTask {
		w.p.hand = append(w.p.hand[max(0, len(w.p.hand)-handMax+1):], drill.ActionIn(w.p.lang, o.Action))
	}
	return o
}

// handMax bounds what is remembered of what the person did.
const handMax = 8
