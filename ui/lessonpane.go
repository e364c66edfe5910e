package ui

import (
	"strconv"
	"strings"
	"time"

	"locktop/model"
)

// Lines of the pane of a lesson, its title included: as long as the lab acts or a
// text is told it stays as high as it is, so that nothing moves.
const (
	lessonLow  = 7
	lessonHigh = 8 // from page tallFrom on
	lessonMost = 24
)

// height is how many lines the pane would like to have.
func (p *lessonPane) height(th *theme, w, h int) int {
	switch {
	case !p.showing():
		return 0
	case p.folded:
		return 1
	}
	usual := lessonLow
	if h >= tallFrom {
		usual = lessonHigh
	}
	if p.step.Kind != StepAsk && p.step.Kind != StepVerdict {
		return usual
	}
	return max(usual, min(lessonMost, 1+len(p.content(th, w, p.since))))
}

// lines is the pane in h lines of w cells.
func (p *lessonPane) lines(f frame, w, h int) []string {
	if h <= 0 {
		return nil
	}
	th := f.th
	all, room := p.content(th, w, f.now), h-1
	p.pages = 1
	if room > 0 {
		p.pages = max(1, (len(all)+room-1)/room)
	}
	p.page = max(0, min(p.page, p.pages-1))
	from := max(0, min(p.page*room, len(all)-room)) // the last page is a full one
	if p.acts() {
		from, p.pages = max(0, len(all)-room), 1 // what is done now stands last
	}
	lines := []string{th.ruler(w, p.title(th, w)...)}
	for _, spans := range all[from:min(len(all), from+room)] {
		lines = append(lines, th.line(w, spans, nil))
	}
	return fill(lines, w, h)
}

// title says what is told and what it waits for; the latter matters more.
func (p *lessonPane) title(th *theme, w int) []span {
	hint := p.hint()
	if p.pages > 1 {
		hint = append([]span{{dim, strconv.Itoa(p.page+1) + " of " + strconv.Itoa(p.pages) + "  "}}, hint...)
	}
	n := 0
	for _, sp := range hint {
		n += width(sp.text)
	}
	name := th.cut("lesson: "+th.prose(p.l.Title), w-n-8)
	return append([]span{{strong, name}, {rule, " " + th.sign.line + " "}}, hint...)
}

func (p *lessonPane) hint() []span {
	key := func(what string) []span { return []span{{accent, "n"}, {plain, " " + what}} }
	switch {
	case p.folded && (p.acts() || p.begun && p.step.Kind == ""):
		return []span{{dim, "the lab acts  "}, {accent, "L"}, {plain, " shows"}}
	case p.folded && p.over():
		return key("shows how it ended")
	case p.folded:
		return key("shows what it waits for")
	case p.page < p.pages-1:
		return key("reads on")
	case !p.begun:
		return key("begins")
	case p.over():
		return key("closes the lesson")
	case p.has:
		return []span{{accent, "1"}, {plain, " to "}, {accent, strconv.Itoa(len(p.step.Options))}, {plain, " answers"}}
	case p.step.Kind == StepAsk && p.chosen == 0:
		return key("answers")
	case p.step.Kind == StepSay, p.step.Kind == StepAsk:
		return key("goes on")
	}
	return []span{{dim, "the lab acts  "}, {accent, "L"}, {dim, " hides"}}
}

// drawn is what the content of the pane depends on, besides its step.
type drawn struct {
	w          int
	steps      int
	at, chosen int
	has, broke bool
	begun      bool
	age        time.Duration // of a wait
}

// content is all that the pane has to show. It is wrapped once, and not for every
// frame.
func (p *lessonPane) content(th *theme, w int, now time.Time) [][]span {
	d := drawn{w: w, steps: p.steps, at: p.at, chosen: p.chosen, has: p.has, broke: p.err != nil, begun: p.begun}
	if p.step.Kind == StepWait {
		d.age = now.Sub(p.since)
	}
	if d != p.drawn || p.body == nil {
		p.drawn, p.body = d, p.write(th, w, now)
	}
	return p.body
}

func (p *lessonPane) write(th *theme, w int, now time.Time) [][]span {
	var all [][]span
	text := func(st style, lead, s string) {
		for i, part := range strings.Split(s, "\n\n") {
			if i > 0 {
				all = append(all, nil)
			}
			part = strings.Join(strings.Fields(part), " ")
			indent := span{dim, lead}
			for _, l := range th.wrap(th.told(part), max(8, min(w-3, readable)-width(lead)), paragraphMax) {
				all = append(all, []span{indent, {st, l}})
				indent.text = string(pad(nil, width(lead)))
			}
		}
	}
	p.past(th, text)
	switch {
	case p.err != nil:
		text(bad, "  "+th.sign.bad+" ", "the lesson broke off: "+p.err.Error())
		text(dim, "    ", "the lab stays as it is; A heals every fault")
		return all
	case p.step.Kind == "":
		text(plain, "  ", p.l.Why)
		return all
	case p.step.Kind == StepAsk:
		text(strong, "  ", p.step.Text)
		p.options(th, text)
		return all
	case p.step.Kind == StepVerdict:
		p.verdict(th, text)
		return all
	case p.step.Kind == StepWait && (p.step.Text != "" || p.step.Within > 0):
		text(plain, "  "+th.sign.waits+" ", p.step.present()+" ("+age(now.Sub(p.since), false)+" so far)")
		return all
	case p.step.Kind == StepDo:
		text(plain, "  "+th.sign.arrow+" ", p.step.Text)
		return all
	case p.step.Kind == StepDone && p.step.Text == "":
		text(plain, "  ", "the lesson is over; the lab is yours")
		return all
	}
	text(plain, "  ", p.step.Text)
	return all
}

// waited is what a step waits for; its bound is not a part of it.
func (s *LessonStep) waited() string {
	return strings.TrimSuffix(s.Text, ", at most "+s.Within.String())
}

// present says what is being waited for.
func (s *LessonStep) present() string {
	if s.Text == "" {
		return "letting it run for " + model.Duration(s.Within, false)
	}
	text := "waiting for " + s.waited()
	if s.Within > 0 {
		text += ", at most " + model.Duration(s.Within, false)
	}
	return text
}

// past says what a step has done or waited for, and for how long; "" for nothing.
func (s *LessonStep) past(took time.Duration) string {
	switch {
	case s.Kind != StepWait:
		return s.Text
	case s.Text == "" && s.Within > 0:
		return "let it run for " + model.Duration(s.Within, false)
	case s.Text == "":
		return ""
	case took < time.Second:
		return "waited for " + s.waited()
	}
	return "waited " + age(took, false) + " for " + s.waited()
}

// past is what was done and waited for before the step, as far as it has not been
// read: before a text the last two.
func (p *lessonPane) past(th *theme, text func(st style, lead, s string)) {
	log := p.log
	if p.step.Kind == StepVerdict || p.err != nil {
		return
	}
	if p.step.Kind == StepSay || p.step.Kind == StepAsk {
		log = log[max(0, len(log)-2):]
	}
	for _, s := range log {
		if s != "" {
			text(dim, "  "+th.sign.fact+" ", s)
		}
	}
}

// options are the answers of a question, and once one is given, which is right.
func (p *lessonPane) options(th *theme, text func(st style, lead, s string)) {
	for i, o := range p.step.Options {
		mark, st := "  ", plain
		switch {
		case p.chosen == 0 && p.has && i == p.at:
			mark, st = th.sign.cursor+" ", strong
		case p.chosen > 0 && i+1 == p.step.Right:
			mark, st = th.sign.holds+" ", good
		case p.chosen == i+1 && p.step.Right > 0:
			mark, st = th.sign.bad+" ", bad
		case p.chosen == i+1:
			mark, st = th.sign.arrow+" ", strong
		}
		text(st, "  "+mark+strconv.Itoa(i+1)+" ", o)
	}
	switch {
	case p.chosen == 0:
	case p.step.Right == 0:
		text(plain, "  ", "You said "+strconv.Itoa(p.chosen)+".")
	case p.chosen == p.step.Right:
		text(good, "  ", "Right.")
	default:
		text(late, "  ", "Not so: you said "+strconv.Itoa(p.chosen)+", and it is "+strconv.Itoa(p.step.Right)+".")
	}
}

// verdict is how it ended, line by line.
func (p *lessonPane) verdict(th *theme, text func(st style, lead, s string)) {
	st, sign := verdictStyle(th, p.step.Verdict)
	head := strings.ToUpper(string(p.step.Verdict)) + ": " + p.step.Verdict.words()
	if p.asked > 0 {
		head += "; " + strconv.Itoa(p.right) + " of " + plural(p.asked, "prediction") + " came true"
	}
	text(st, "  "+sign+" ", head)
	if p.step.Text != "" {
		text(plain, "    ", p.step.Text)
	}
	for _, l := range p.step.Lines {
		st, sign := verdictStyle(th, l.Verdict)
		s := string(l.Verdict) + ": " + l.Name
		if l.Measured != "" {
			s += " " + th.sign.line + " " + l.Measured
		}
		if l.Bound != "" {
			s += ", bound " + l.Bound
		}
		if st == good {
			st = plain
		}
		text(st, "    "+sign+" ", s)
	}
}

// words say to a person who sees the first verdict of their life what it means.
func (v Verdict) words() string {
	switch v {
	case VerdictHeld:
		return "it came as expected"
	case VerdictViolated:
		return "something was not as expected"
	}
	return "whether it was as expected cannot be told"
}

func verdictStyle(th *theme, v Verdict) (style, string) {
	switch v {
	case VerdictHeld:
		return good, th.sign.holds
	case VerdictViolated:
		return bad, th.sign.bad
	}
	return late, th.sign.late
}
