package tutor

import (
	"strings"
	"time"

	"locktop/model"
	"locktop/model/text"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// tour is how far a guide has come. Its tasks are done when the model shows that they happened,
// whoever did them and by which key: so a guide waits for the person, and never for a clock.
type tour struct {
	scene
	task    int // of the steps
	watched bool
	phase   phase
	facts   facts // nil: there is no queue to speak of
	seenAt  time.Time
}

// guides says whether it is a guide that is told.
func (p *Panel) guides() bool { return len(p.l.Steps) > 0 }

// Look takes in what the model shows. A task that was done stays done, and a person who does
// the next one need not say so first.
func (p *Panel) Look(v host.View) {
	if !p.Showing() || !p.guides() || p.ended() || p.back > 0 {
		return
	}
	f := v.Frame
	if !f.S.Coverage().Loaded() {
		return
	}
	if !p.watched {
		p.watched = true
		sights[p.step.Guided.Sees].begin(&p.scene, f)
	}
	if p.phase != seen {
		p.update(f)
		return
	}
	if next := p.nextTask(); next != nil {
		if ph, _ := sights[next.Sees].look(&p.scene, f); ph != asked {
			p.nextStep(v)
			p.update(f)
		}
	}
}

// update looks how far the task has come. Once it is done the next one remembers how all was.
func (p *Panel) update(f page.Frame) {
	p.phase, p.facts = sights[p.step.Guided.Sees].look(&p.scene, f)
	if p.phase != seen {
		return
	}
	p.seenAt = f.S.Now()
	if next := p.nextTask(); next != nil {
		sights[next.Sees].begin(&p.scene, f)
	}
}

// nextTask is the task after this one, nil after the last.
func (p *Panel) nextTask() *Guided { return p.l.Steps[p.task+1].Guided }

// nextStep goes to the next step of the guide.
func (p *Panel) nextStep(v host.View) {
	p.leave(v)
	p.task++
	p.step, p.phase, p.facts = p.l.Steps[p.task], asked, nil
}

// play does the task for the person, if the lab can.
func (p *Panel) play(v host.View) []host.Intent {
	a, why := p.scene.play(v.Frame, p.step.Guided)
	if why != "" {
		return []host.Intent{host.Say{St: draw.Late, Text: v.Th.NotNow(why)}}
	}
	return []host.Intent{host.Ask{Acts: []model.Action{a}, Then: host.ActFirst}}
}

// offers says whether nobody has pressed a key for so long that the guide offers to do the task.
func (p *Panel) offers(v host.View) bool { return p.phase == asked && v.Idle >= offerAfter }

// taskLines are what there is to say in room lines, of which a small screen has one: why, and what
// to do, or what was seen and what it means.
func (p *Panel) taskLines(v host.View, th *draw.Theme, room int) (all [][]draw.Span) {
	first, second := p.taskTexts(v, th)
	if room < 2 && p.phase != seen && !p.ended() {
		first = second
	}
	for _, s := range []string{first, second}[:max(0, min(2, room))] {
		all = append(all, p.taskSpans(th, s))
	}
	return all
}

func (p *Panel) taskTexts(v host.View, th *draw.Theme) (first, second string) {
	if p.ended() {
		first, second, _ = strings.Cut(strings.TrimSpace(p.step.Text), "\n\n")
		return first, second
	}
	t := p.step.Guided
	switch {
	case p.phase == seen && p.facts[wentOn] == "ended":
		return t.Ended, t.More
	case p.phase == seen && p.facts[wentOn] == "silent":
		return t.Silent, t.More
	case p.phase == seen:
		return t.Result, t.More
	case p.facts == nil && !v.S.Coverage().LoadedFor(p.scene.lock):
		return t.Why, text.Render(th.Lang, model.Say("tutor-loading", model.Verbatim("{lock}")))
	case p.facts == nil:
		return t.Why, text.Render(th.Lang, model.Say("tutor-alone", model.Verbatim("{lock}")))
	case p.phase == going:
		return t.Why, t.Wait
	}
	return t.Why, p.step.Text
}

// taskSpans put the facts and the looks of keys into a text.
func (p *Panel) taskSpans(th *draw.Theme, s string) []draw.Span {
	words := []string{"{lock}", th.CutPath(th.Clean(p.scene.lock), 32), "{count}", th.Say("tutor-several")}
	for name, word := range p.facts {
		words = append([]string{"{" + name + "}", th.Cut(word, 24)}, words...)
	}
	spans := []draw.Span{draw.Plain.Of("  ")}
	for i, part := range strings.Split(s, "`") {
		st := draw.Plain
		if i%2 == 1 {
			if st = draw.Accent; strings.ToUpper(part) == part && part != "?" || part == "x" {
				st = draw.Change
			}
		}
		spans = append(spans, st.Of(strings.NewReplacer(words...).Replace(part)))
	}
	return spans
}

// tourTitle says which task it is, and what the keys do.
func (p *Panel) tourTitle(v host.View, th *draw.Theme, w int) string {
	s, last := p.visible(), len(p.l.Steps)-1
	title := th.Say("tutor-that-is-all")
	if !s.ended() {
		title = s.step.Guided.Title
	}
	done := min(s.task+1, last)
	left := []draw.Span{draw.Dim.Of(" " + th.Say("tutor-guide") + " "), draw.Accent.Of(strings.Repeat(th.Sign.Holds, done)),
		draw.Dim.Of(strings.Repeat(th.Sign.Waits, last-done)), draw.Strong.Of(" " + title + " ")}
	right := p.tourHints(v, th)
	n := w - 1
	for _, sp := range append(left[:len(left):len(left)], right...) {
		n -= draw.Width(sp.Text)
	}
	return th.Line(w, append(append(left, draw.Rule.Of(strings.Repeat(th.Sign.Line, max(0, n)))), right...), nil)
}

func (p *Panel) tourHints(v host.View, th *draw.Theme) (spans []draw.Span) {
	key := func(k, what string, st draw.Style) {
		spans = append(spans, draw.Plain.Of("  "), draw.Accent.Of(k), st.Of(" "+what))
	}
	switch {
	case p.folded:
		key("L", th.Say("tutor-show"), draw.Dim)
		return spans
	case p.back > 0:
		spans = append([]draw.Span{draw.Plain.Of("  ")}, p.hintBack(th)...)
	case p.ended():
		key("n", th.Say("tutor-close-guide"), draw.Plain)
	case p.phase == seen:
		key("n", th.Say("tutor-next"), draw.Plain)
	case p.offers(v):
		key("n", th.Say("tutor-plays-it"), draw.Strong)
	case p.phase == asked:
		key("n", th.Say("tutor-do-it"), draw.Dim)
	}
	if p.back == 0 && p.whyNotBack(v) == "" {
		key("u", th.Say("tutor-back"), draw.Dim)
	}
	key("L", th.Say("tutor-hide"), draw.Dim)
	return spans
}

// offerAfter is how long nobody presses a key until a guide offers to do the task.
const offerAfter = 20 * time.Second
