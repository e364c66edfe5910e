package tutor

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// Lines of the panel of a lesson, its title included: as long as the lab acts or a
// text is told it stays as high as it is, so that nothing moves.
const (
	low  = 7
	high = 8 // from page tallFrom on
	most = 24
	// guideHigh is a title, and two lines of text, of which a small screen has one.
	guideHigh = 3
)

// Height is how many lines the panel would like to have.
func (p *Panel) Height(th *draw.Theme, w, h int) int {
	switch {
	case !p.Showing():
		return 0
	case p.folded:
		return 1
	}
	tall := h >= page.TallFrom
	switch {
	case p.guides() && tall:
		return guideHigh
	case p.guides():
		return guideHigh - 1
	}
	usual := low
	if tall {
		usual = high
	}
	s := p.visible()
	if rows := s.pictureRows(h); rows > 0 {
		return min(most, usual+rows)
	}
	if s.acts() || s.step.Kind == "" && s.begun || s.step.Kind == StepSay && len(s.step.Code) == 0 {
		return usual
	}
	return max(usual, min(most, 1+len(s.content(th, w, s.since))))
}

// FitsBeside says whether a lesson tells a text that can stand beside the page in w cells: not the guide, not its
// title alone, and no code that is wider.
func (p *Panel) FitsBeside(w int) bool {
	return p.Showing() && !p.folded && !p.guides() && !slices.ContainsFunc(p.visible().step.Code, func(l string) bool { return codeIndent+draw.Width(l)+2 > w })
}

// codeIndent is how far code stands from the edge.
const codeIndent = 4

// PictureHeight is how many lines the picture of a step would like to have on a screen of h lines where the
// text stands beside it, a blank one before it included; 0 if there is none.
func (p *Panel) PictureHeight(h int) int {
	s := p.visible()
	if rows := s.pictureRows(h); rows > 0 {
		return 1 + rows
	}
	if len(s.curve) > 0 {
		return 2 + curveHigh
	}
	return 0
}

// Picture is that of a step, else the curve of the lease that its lock hangs on, in h lines of w cells.
func (p *Panel) Picture(f page.Frame, w, h int) []string {
	if h <= 0 {
		return nil
	}
	s := p.visible()
	lines := s.picture(f, w, h-1)
	if s.pictureRows(f.Height) == 0 && len(s.curve) > 0 {
		lines = s.curve.lines(f.Th, w)
	}
	return draw.Fill(append([]string{draw.Blank(w)}, lines...), w, h)
}

// Lines is the panel in h lines of w cells, as the page above it looks in f. Where that stands beside it, so
// does the picture.
func (p *Panel) Lines(v host.View, f page.Frame, w, h int, beside bool) []string {
	if h <= 0 {
		return nil
	}
	th, s := f.Th, p.visible()
	s.hear(f)
	all, room := [][]draw.Span(nil), h-1
	if s.guides() {
		all = s.taskLines(v, th, room)
	} else {
		all = s.content(th, w, v.Now)
	}
	told := s.told
	if beside {
		heading := s.heading(th, w)
		all, told = append(heading, all...), told+len(heading)
		if p.back == 0 {
			p.curve.look(f, p.ofWhom())
		}
	}
	var picture []string
	if rows := min(s.pictureRows(f.Height), max(room-len(all), min(pictureLeast, room-pictureLeast))); rows > 0 && !beside {
		picture = s.picture(f, w, rows)
		room -= len(picture)
	}
	if s.step.Kind == StepSee { // what came of it stands first, and as much of what was done as has room
		all = all[max(0, min(told, len(all)-room)):]
	}
	s.pages = 1
	if room > 0 {
		s.pages = max(1, (len(all)+room-1)/room)
	}
	s.page = max(0, min(s.page, s.pages-1))
	from := max(0, min(s.page*room, len(all)-room)) // the last page is a full one
	if s.acts() || s.has && s.drafts() {
		from, s.pages = max(0, len(all)-room), 1 // what is done now stands last, and so does what a blank offers
	}
	lines := []string{p.title(v, th, w, beside)}
	for _, spans := range all[from:min(len(all), from+room)] {
		lines = append(lines, th.Line(w, spans, nil))
	}
	return append(draw.Fill(lines, w, h-len(picture)), picture...)
}

// title says what is told and what it waits for; the latter matters more.
func (p *Panel) title(v host.View, th *draw.Theme, w int, beside bool) string {
	if p.guides() {
		return p.tourTitle(v, th, w)
	}
	hint := p.hint(v, th)
	if s := p.visible(); s.pages > 1 {
		hint = append([]draw.Span{draw.Dim.Of(th.Say("tutor-part", s.page+1, s.pages) + "  ")}, hint...)
	}
	room := w - draw.WidthOf(hint) - 8
	name := th.Cut(th.Say("tutor-lesson")+th.FormatSentence(p.l.Title), room)
	if beside { // it has lines of its own
		if name = strings.TrimRight(th.Say("tutor-lesson"), " :："); draw.Width(name) > room {
			name = ""
		}
	}
	return th.RulerWith(w, hint, draw.Strong.Of(name))
}

// heading is what stands above a text beside the page: the title in full, and before a question the text that
// led to it.
func (p *Panel) heading(th *draw.Theme, w int) (lines [][]draw.Span) {
	say := func(st draw.Style, text string) {
		for _, l := range th.Wrap(th.FormatText(strings.Join(strings.Fields(text), " ")), max(8, w-5), draw.ParagraphMax) { // as content has it
			lines = append(lines, []draw.Span{draw.Plain.Of("  "), st.Of(l)})
		}
		lines = append(lines, nil)
	}
	say(draw.Strong, p.l.Title)
	if n := len(p.readSteps); p.step.Kind == StepAsk && n > 0 {
		if led := &p.readSteps[n-1].panel.step; led.Kind == StepSay {
			say(draw.Plain, led.Text)
		}
	}
	return lines
}

func (p *Panel) hint(v host.View, th *draw.Theme) []draw.Span {
	key := func(what string) []draw.Span {
		return []draw.Span{draw.Accent.Of("n"), draw.Plain.Of(" " + what)}
	}
	switch {
	case p.l.Next == nil:
		return nil
	case p.back > 0 && !p.folded:
		return p.hintBack(th)
	case p.folded && (p.acts() || p.begun && p.step.Kind == ""):
		return []draw.Span{draw.Dim.Of(th.Say("tutor-acts") + "  "), draw.Accent.Of("L"), draw.Plain.Of(" " + th.Say("tutor-shows"))}
	case p.folded && p.ended():
		return key(th.Say("tutor-shows-end"))
	case p.folded:
		return key(th.Say("tutor-shows-wait"))
	case p.page < p.pages-1:
		return key(th.Say("tutor-more"))
	case p.begun && !p.acts() && !p.has && p.whyNotBack(v) == "" && p.page == p.pages-1:
		return append(p.forth(th, key), draw.Plain.Of("  "), draw.Accent.Of("u"), draw.Plain.Of(" "+th.Say("tutor-back")))
	}
	return p.forth(th, key)
}

// forth is the key by which it goes on.
func (p *Panel) forth(th *draw.Theme, key func(string) []draw.Span) []draw.Span {
	switch {
	case !p.begun && !p.plays:
		return append(key(th.Say("tutor-start")), draw.Accent.Of("   r"), draw.Plain.Of(" "+th.Say("tutor-runs")))
	case !p.begun:
		return key(th.Say("tutor-start"))
	case p.ended():
		return key(th.Say("tutor-close"))
	case p.has && p.step.Kind == StepAsk:
		return []draw.Span{draw.Accent.Of("1"), draw.Plain.Of(" " + th.Say("tutor-to") + " "), draw.Accent.Of(strconv.Itoa(len(p.step.Options))), draw.Plain.Of(" " + th.Say("tutor-answers"))}
	case p.step.Kind == StepAsk && p.chosen == 0:
		return key(th.Say("tutor-answer"))
	case p.drafts() && p.has && p.step.Hints > 0:
		return []draw.Span{draw.Accent.Of("enter"), draw.Plain.Of(" " + th.Say("tutor-send") + "  "), draw.Accent.Of("h"), draw.Plain.Of(" " + th.Say("tutor-hint", p.step.Hints))}
	case p.drafts() && p.has:
		return []draw.Span{draw.Accent.Of("enter"), draw.Plain.Of(" " + th.Say("tutor-send") + "  "), draw.Accent.Of("h"), draw.Plain.Of(" " + th.Say("tutor-give-up"))}
	case p.drafts() && !p.plays:
		return key(th.Say("tutor-fill"))
	case p.step.Kind == StepTask && p.step.Hints > 0:
		return key(th.Say("tutor-hint", p.step.Hints))
	case p.step.Kind == StepTask:
		return key(th.Say("tutor-give-up"))
	case !p.acts() && p.step.Kind != "":
		return key(th.Say("tutor-next"))
	}
	return []draw.Span{draw.Dim.Of(th.Say("tutor-acts") + "  "), draw.Accent.Of("L"), draw.Dim.Of(" " + th.Say("tutor-hides"))}
}

// content is all that the panel has to show. It is wrapped once, and not for every
// frame.
func (p *Panel) content(th *draw.Theme, w int, now time.Time) [][]draw.Span {
	d := drawn{w: w, steps: p.steps, at: p.at, chosen: p.chosen, has: p.has, broke: p.err != nil, begun: p.begun}
	if p.step.Kind == StepWait {
		d.age = now.Sub(p.since)
	}
	if p.drafts() {
		d.filled, d.said, d.blank = strings.Join(p.fills.values, "\x00"), p.fills.heard, p.fills.at
	}
	if d != p.drawn || p.body == nil {
		p.drawn = d // what is written looks at its width
		p.body = p.write(th, w, now)
	}
	return p.body
}

func (p *Panel) write(th *draw.Theme, w int, now time.Time) [][]draw.Span {
	var all [][]draw.Span
	text := func(st draw.Style, lead, s string) {
		for i, part := range strings.Split(s, "\n\n") {
			if i > 0 {
				all = append(all, nil)
			}
			part = strings.Join(strings.Fields(part), " ")
			indent := draw.Dim.Of(lead)
			for _, l := range th.Wrap(th.FormatText(part), max(8, min(w-3, draw.Readable)-draw.Width(lead)), draw.ParagraphMax) {
				all = append(all, []draw.Span{indent, st.Of(l)})
				indent.Text = string(draw.Pad(nil, draw.Width(lead)))
			}
		}
	}
	p.past(th, text)
	p.told = len(all)
	switch {
	case p.err != nil:
		text(draw.Bad, "  "+th.Sign.Bad+" ", th.Say("tutor-broke", p.err.Error()))
		text(draw.Dim, "    ", th.Say("tutor-stays"))
		return all
	case p.step.Kind == "":
		text(draw.Plain, "  ", p.l.Why)
		return all
	case p.step.Kind == StepAsk:
		text(draw.Strong, "  ", p.step.Text)
		p.options(th, text)
		return all
	case p.step.Kind == StepVerdict:
		p.verdict(th, text)
		return all
	case p.step.Kind == StepWait && (p.step.Text != "" || p.step.Within > 0):
		text(draw.Plain, "  "+th.Sign.Waits+" ", present(th, &p.step)+th.Say("tutor-so-far", draw.Age(now.Sub(p.since), false)))
		return all
	case p.step.Kind == StepDo:
		text(draw.Plain, "  "+th.Sign.Arrow+" ", p.step.Text)
		return all
	case p.step.Kind == StepDone && p.step.Text == "":
		text(draw.Plain, "  ", th.Say("tutor-over"))
		return all
	}
	if p.step.Kind == StepSee {
		p.see(th, text)
	}
	text(draw.Plain, "  ", p.step.Text)
	if p.drafts() {
		all = append(all, p.draft(th)...)
	}
	for _, l := range p.step.Code {
		all = append(all, []draw.Span{draw.Accent.Of(draw.Blank(codeIndent) + th.Cut(th.FormatText(l), max(8, w-codeIndent-2)))})
	}
	return all
}

// see says what was measured, and what that means for the answer.
func (p *Panel) see(th *draw.Theme, text func(st draw.Style, lead, s string)) {
	s := &p.step
	right := func() string { return s.Options[s.Right-1] }
	same := s.Right > 0 && s.Measured == right() // what was measured reads as the answer does
	switch {
	case same && s.Chosen == s.Right:
		text(draw.Good, "  "+th.Sign.Holds+" ", th.Say("tutor-predicted-same", s.Measured))
	case same && s.Chosen > 0:
		text(draw.Late, "  "+th.Sign.Bad+" ", th.Say("tutor-mistaken-same", s.Options[s.Chosen-1], s.Measured))
		text(draw.Plain, "    ", s.Why)
	case same:
		text(draw.Plain, "  "+th.Sign.Holds+" ", th.Say("tutor-measured-same", s.Measured))
	case s.Right == 0:
		text(draw.Late, "  "+th.Sign.Late+" ", th.Say("tutor-measured-none", s.Measured))
	case s.Chosen == 0:
		text(draw.Plain, "  "+th.Sign.Holds+" ", th.Say("tutor-measured", s.Measured, right()))
	case s.Chosen == s.Right:
		text(draw.Good, "  "+th.Sign.Holds+" ", th.Say("tutor-predicted", s.Measured, right()))
	default:
		text(draw.Late, "  "+th.Sign.Bad+" ", th.Say("tutor-mistaken", s.Options[s.Chosen-1], s.Measured, right()))
		text(draw.Plain, "    ", s.Why)
	}
}

// present says what is being waited for.
func present(th *draw.Theme, s *Step) string {
	switch {
	case s.Text == "":
		return th.Say("tutor-lets", model.Duration(s.Within, false))
	case s.Within > 0:
		return th.Say("tutor-waits-most", s.Text, model.Duration(s.Within, false))
	}
	return th.Say("tutor-waits", s.Text)
}

// pastOf says what a step has done or waited for, and for how long, or that it was missed; "" for
// nothing.
func pastOf(th *draw.Theme, s *Step, took time.Duration, missed bool) string {
	switch {
	case s.Kind != StepWait:
		return s.Text
	case s.Text == "" && s.Within > 0:
		return th.Say("tutor-let", model.Duration(s.Within, false))
	case s.Text == "":
		return ""
	case missed:
		return th.Say("tutor-in-vain", s.Text)
	case took < time.Second:
		return cmp.Or(s.Met, s.Text)
	}
	return cmp.Or(s.Met, s.Text) + th.Say("tutor-after", draw.Age(took, false))
}

// past is what was done and waited for before the step, as far as it has not been
// read: before a text the last two.
func (p *Panel) past(th *draw.Theme, text func(st draw.Style, lead, s string)) {
	log := p.log
	crowded := p.step.Kind == StepAsk || p.step.Kind == StepSee // there a picture says it
	if p.step.Kind == StepVerdict || p.err != nil || p.drafts() || crowded && p.pictureRows(0) > 0 {
		return
	}
	if p.step.Kind == StepSay || p.step.Kind == StepAsk {
		log = log[max(0, len(log)-2):]
	}
	for _, s := range log {
		if s != "" {
			text(draw.Dim, "  "+th.Sign.Fact+" ", s)
		}
	}
}

// options are the answers of a question, and once one is given, which is right.
func (p *Panel) options(th *draw.Theme, text func(st draw.Style, lead, s string)) {
	for i, o := range p.step.Options {
		mark, st := "  ", draw.Plain
		switch {
		case p.chosen == 0 && p.has && i == p.at:
			mark, st = th.Sign.Cursor+" ", draw.Strong
		case p.chosen > 0 && i+1 == p.step.Right:
			mark, st = th.Sign.Holds+" ", draw.Good
		case p.chosen == i+1 && p.step.Right > 0:
			mark, st = th.Sign.Bad+" ", draw.Bad
		case p.chosen == i+1:
			mark, st = th.Sign.Arrow+" ", draw.Strong
		}
		text(st, "  "+mark+strconv.Itoa(i+1)+" ", o)
	}
	switch {
	case p.chosen == 0:
	case p.step.Right == 0:
		text(draw.Plain, "  ", th.Say("tutor-said", p.chosen))
	case p.chosen == p.step.Right:
		text(draw.Good, "  ", th.Say("tutor-right"))
	default:
		text(draw.Late, "  ", th.Say("tutor-wrong", p.step.Right))
	}
}

// verdict is how it ended, line by line.
func (p *Panel) verdict(th *draw.Theme, text func(st draw.Style, lead, s string)) {
	st, sign := verdictStyle(th, p.step.Verdict)
	head := p.verdictWords(th, p.step.Verdict)
	if p.step.Verdict == model.DrillHeld && !p.l.Judged && slices.ContainsFunc(p.step.Lines, func(l Line) bool { return l.Verdict != model.DrillHeld }) {
		st, sign = verdictStyle(th, model.DrillUnknown) // the story did, and the person has something left
		head = th.Say("tutor-not-yet")
	}
	if p.questions > 0 {
		head += th.Say("tutor-score", p.right, p.questions)
	}
	text(st, "  "+sign+" ", head)
	if p.step.Text != "" {
		text(draw.Plain, "    ", p.step.Text)
	}
	for _, l := range p.step.Lines {
		st, sign := verdictStyle(th, l.Verdict)
		s := l.Name
		if p.l.Judged {
			s = th.Say("tutor-judged", l.Verdict, model.Verbatim(s))
		}
		if l.Measured != "" {
			s += " " + th.Sign.Line + " " + l.Measured
		}
		if l.Bound != "" {
			s += th.Say("tutor-bound", l.Bound)
		}
		if st == draw.Good {
			st = draw.Plain
		}
		text(st, "    "+sign+" ", s)
	}
}

// verdictWords say to a person who sees the first verdict of their life what it means.
func (p *Panel) verdictWords(th *draw.Theme, v model.DrillVerdict) string {
	switch {
	case v == model.DrillHeld && p.l.Judged:
		return th.Say("tutor-drill-held")
	case v == model.DrillHeld:
		return th.Say("tutor-held")
	case v == model.DrillViolated && p.l.Judged:
		return th.Say("tutor-drill-violated")
	case v == model.DrillViolated:
		return th.Say("tutor-violated")
	case p.l.Judged:
		return th.Say("tutor-drill-unknown")
	}
	return th.Say("tutor-unknown")
}

func verdictStyle(th *draw.Theme, v model.DrillVerdict) (draw.Style, string) {
	switch v {
	case model.DrillHeld:
		return draw.Good, th.Sign.Holds
	case model.DrillViolated:
		return draw.Bad, th.Sign.Bad
	}
	return draw.Late, th.Sign.Late
}
