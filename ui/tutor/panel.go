package tutor

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/text"
	"locktop/ui/draw"
	"locktop/ui/host"
)

// Booted says that there is something to look at now.
func (p *Panel) Booted(v host.View) { p.since = v.Now }

// logMax bounds how much of what was done stands in the panel.
const logMax = 32

// begin asks for the first step, once the person has read what the lesson is for.
func (p *Panel) begin(v host.View) []host.Intent {
	p.leave(v)
	p.begun, p.since, p.page = true, v.Now, 0
	return []host.Intent{p.next()}
}

// next asks for the next step.
func (p *Panel) next() host.Beside {
	l := p.l
	return func(ctx context.Context) tea.Msg {
		step, err := l.Next(ctx)
		if err != nil && ctx.Err() != nil {
			return nil // the console ends
		}
		return StepMsg{step: step, err: err}
	}
}

// Tell shows a step that nobody waits for, as a recording of a lesson has it.
func (p *Panel) Tell(v host.View, s Step) []host.Intent {
	p.begun = true
	return p.Stepped(v, StepMsg{step: s})
}

// Stepped takes a step in.
func (p *Panel) Stepped(v host.View, m StepMsg) []host.Intent {
	switch {
	case m.read != nil && (!p.plays || p.back > 0 || m.read.steps != p.steps || p.WhyNot(v) != "" || p.ended()):
		return nil // it was stopped, or the person was quicker
	case m.read != nil && m.read.page != p.page: // the person has turned it, or a window of another size
		return p.soon()
	case m.read != nil && p.step.Kind == StepAsk:
		p.has = false
		return p.answer(v, p.chosen)
	case m.read != nil:
		return append(p.GoOn(v), p.soon()...)
	}
	if m.err != nil {
		p.err, p.has, p.page = m.err, false, 0
		return nil
	}
	now := v.Now
	switch {
	case !p.acts():
		p.log = nil
	default:
		if text := pastOf(v.Th, &p.step, now.Sub(p.since), m.step.Missed); text != "" {
			p.log = append(p.log[max(0, len(p.log)-logMax+1):], text)
		}
	}
	if p.step.Kind == StepTask && m.step.Kind != StepTask {
		p.leave(v)
	}
	acted, filling := p.acts(), m.step.Draft != nil && (p.goesOn || p.has && p.drafts())
	if m.step.Kind != StepDo && m.step.Kind != StepWait {
		p.goesOn = false
	}
	p.steps++
	p.step, p.since, p.page, p.at, p.chosen, p.has = m.step, now, 0, 0, 0, filling
	p.fills = newFilling(p.step.Draft)
	wants := append(p.selects(v), p.turnTo(v, p.step.Show, p.step.About)...)
	if p.step.Kind == StepAsk || p.step.Kind == StepSay && acted {
		p.base = askedSoFar(v.S)
	}
	if p.step.Kind == StepSee {
		p.folded = false
		p.saw++
		p.score(p.step.Chosen)
	}
	if p.acts() || p.step.Kind == StepTask {
		wants = append(wants, p.next())
	}
	return append(wants, p.soon()...)
}

// Play lets the lesson go on by itself, or no longer.
func (p *Panel) Play(v host.View) []host.Intent {
	p.plays = !p.plays
	said := v.Th.Say("tutor-stops")
	if p.plays {
		said = v.Th.Say("tutor-plays")
	}
	return append([]host.Intent{host.Say{St: draw.Plain, Text: said}}, p.soon()...)
}

// playKeys are those by which a lesson plays itself.
func (p *Panel) playKeys(on host.Where) []host.Key {
	return []host.Key{{Keys: []string{"r"}, Where: on, What: "let-the-lesson-run-by-itself", Needs: host.NeedsLesson, Frozen: true,
		Why: func(v host.View) string {
			switch {
			case !p.Showing() || p.guides():
				return p.gone(v)
			case p.back > 0:
				return v.Th.Say("tutor-behind")
			}
			return ""
		}, Do: p.Play}}
}

// A person reads so many cells of a text: most take so long for each.
const (
	cellReads           = 80 * time.Millisecond
	readLeast, readMost = 40, 240
)

// soon goes on once what stands there can have been read, where the lesson plays itself.
func (p *Panel) soon() []host.Intent {
	if !p.plays || p.back > 0 || p.acts() || p.begun && p.step.Kind == "" || p.ended() {
		return nil
	}
	s := p.step
	if !p.begun {
		s.Text = p.l.Why
	}
	at := turn{p.steps, p.page}
	return []host.Intent{host.Cmd(tea.Tick(s.Reads(p.l.Reads), func(time.Time) tea.Msg { return StepMsg{read: &at} }))}
}

// Reads is how long a person takes for a step who takes so long for a cell of text, 0: as long as
// most do.
func (s *Step) Reads(cell time.Duration) time.Duration {
	text := s.Text + s.Measured + s.Why + strings.Join(s.Options, "") + strings.Join(s.Code, "")
	return cmp.Or(cell, cellReads) * time.Duration(max(readLeast, min(draw.Width(text), readMost)))
}

// WhyNot says why the lesson does not go on by a key, "" if it does.
func (p *Panel) WhyNot(v host.View) string {
	switch {
	case !p.Showing():
		return p.gone(v)
	case p.folded || p.back > 0 || p.page < p.pages-1 || p.ended() || !p.begun:
		return ""
	case p.acts() || p.step.Kind == "":
		return v.Th.Say("tutor-busy")
	case p.guides() && p.phase == going:
		return v.Th.Say("tutor-busy-guide")
	}
	return ""
}

// gone says why there is no panel.
func (p *Panel) gone(v host.View) string {
	switch {
	case p == nil:
		return text.English(model.Say("tutor-none"))
	case p.guides() && p.closed:
		return v.Th.Say("tutor-closed")
	}
	return v.Th.Say("tutor-none")
}

// GoOn does what the lesson waits for: the rest of a text, the next step, the answer
// to a question, or the end.
func (p *Panel) GoOn(v host.View) []host.Intent {
	switch {
	case p.folded:
		p.folded = false
	case p.back > 0:
		return append(p.forward(), p.soon()...)
	case p.page < p.pages-1:
		p.page++
	case !p.begun:
		return p.begin(v)
	case p.ended():
		p.closed, p.has = true, false
	case p.guides() && p.phase == seen:
		p.nextStep(v)
		p.Look(v)
	case p.guides():
		return p.play(v)
	case p.step.Kind == StepAsk && p.chosen == 0:
		p.has = true
	case p.drafts() && !p.plays:
		p.has = true
	case p.step.Kind == StepTask:
		return p.leaveTask(v)
	default:
		return p.answer(v, p.chosen)
	}
	return nil
}

// leaveTask goes on from a task: to the next stage of help, or past it. The next step is asked for
// already.
func (p *Panel) leaveTask(v host.View) []host.Intent {
	l := p.l
	p.leave(v)
	p.step, p.since = p.step.waits(), v.Now // a second press is for nothing
	p.steps++
	return []host.Intent{host.Cmd(func() tea.Msg { l.Answer(0); return nil })}
}

// waits is the wait for what comes after a step, with what stands beside it.
func (s *Step) waits() Step {
	return Step{Kind: StepWait, Show: s.Show, About: s.About, Stores: s.Stores}
}

// answer tells the lesson and asks for its next step.
func (p *Panel) answer(v host.View, choice int) []host.Intent {
	l, next := p.l, p.next()
	p.leave(v)
	p.step = p.step.waits()
	p.steps++
	p.page, p.log, p.since = 0, nil, v.Now
	return []host.Intent{host.Beside(func(ctx context.Context) tea.Msg {
		l.Answer(choice)
		return next(ctx)
	})}
}

// predict takes the answer to a question. The person sees whether it was right
// before the lesson goes on.
func (p *Panel) predict(v host.View, choice int) []host.Intent {
	if p.drafts() {
		p.types(choice)
		return nil
	}
	if choice < 1 || choice > len(p.step.Options) {
		return []host.Intent{host.Say{St: draw.Late, Text: v.Th.Say("tutor-no-answer")}}
	}
	p.chosen, p.at, p.has = choice, choice-1, false
	p.score(choice)
	return nil
}

// score counts a prediction, once it is known what is right.
func (p *Panel) score(choice int) {
	if p.step.Right > 0 && choice > 0 {
		p.questions++
		if choice == p.step.Right {
			p.right++
		}
	}
}

// move goes to another answer.
func (p *Panel) move(n int) {
	if p.drafts() {
		p.fills.at = max(0, min(p.fills.at+n, len(p.fills.values)-1))
		return
	}
	p.at = max(0, min(p.at+n, len(p.step.Options)-1))
}

// Fold hides the lesson but for its title, or shows it again.
func (p *Panel) Fold() { p.folded = !p.folded }

// Keys are those of the panel: on these pages, and of its question.
func (p *Panel) Keys(on host.Where) []host.Key {
	return slices.Concat([]host.Key{
		{Keys: []string{"n"}, Where: on | host.InHelp | host.InText, What: "next-step-of-the-lesson-or", Needs: host.NeedsLesson, Why: p.WhyNot, Do: p.GoOn, Frozen: true},
		{Keys: []string{"L"}, Where: on, What: "hide-the-lesson-or-the-guide", Needs: host.NeedsLesson, Do: host.Run(p.Fold), Frozen: true,
			Why: func(v host.View) string {
				if !p.Showing() {
					return p.WhyNot(v)
				}
				return ""
			}},
	}, p.questionKeys(), p.playKeys(on), p.backKeys(on))
}

// questionKeys are those of its question.
func (p *Panel) questionKeys() []host.Key {
	digits := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "0"}
	rows := []host.Key{
		{Keys: []string{"up", "k"}, Where: host.InLesson, What: "answer-above", Do: host.Run(func() { p.move(-1) })},
		{Keys: []string{"down", "j"}, Where: host.InLesson, What: "answer-below", Do: host.Run(func() { p.move(1) })},
		{Keys: digits, Where: host.InLesson, Short: "key-answer", What: "that-answer", Needs: host.NeedsLesson, Do: func(v host.View) []host.Intent { return p.predict(v, int(v.Pressed[0]-'0')) },
			Brief: func(v host.View, _ int) string { // the first digit stands before it
				n := len(p.step.Options)
				if p.drafts() { // a number takes every digit
					b, _ := p.blank()
					n = cmp.Or(len(b.Options), 9)
				}
				if n = min(9, n); n > 1 {
					return v.Th.Say("key-to-answer", n)
				}
				return v.Th.Say("tutor-answers")
			}},
		{Keys: []string{"enter", " ", "n"}, Where: host.InLesson, Short: "key-this-answer", What: "the-answer-under-the-cursor", Needs: host.NeedsLesson,
			Brief: func(v host.View, _ int) string {
				if p.drafts() {
					return v.Th.Say("tutor-send")
				}
				return v.Th.Say("key-this-answer")
			}, Do: func(v host.View) []host.Intent {
				if p.drafts() {
					return p.send(v)
				}
				return p.predict(v, p.at+1)
			}},
		{Keys: []string{"left"}, Where: host.InLesson, What: "value-before", Do: host.Run(func() { p.turn(-1) })},
		{Keys: []string{"right"}, Where: host.InLesson, Short: "key-value", What: "next-value", Needs: host.NeedsLesson, Do: host.Run(func() { p.turn(1) }), Hidden: func(host.View) bool { return !p.drafts() }},
		{Keys: []string{"h"}, Where: host.InLesson, Short: "key-task-help", What: "help-with-the-task", Needs: host.NeedsLesson, Do: p.help, Hidden: func(host.View) bool { return !p.drafts() }},
		{Keys: []string{"esc", "tab"}, Where: host.InLesson, Short: "key-to-the-page", What: "back-to-the-page-the-question-waits", Do: host.Run(func() { p.has = false })},
	}
	for i := range rows {
		rows[i].Frozen = true
	}
	return rows
}
