package tutor

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// Draft is lines with blanks, which the person completes. The lab is given what was filled in.
type Draft struct {
	// Lines have {NAME} for a blank.
	Lines  []string
	Blanks []Blank
	// Says is the program whose last words are the answer, "" for none.
	Says string
}

// Blank is a place in a draft: for one of Options, or for a number up to To, if that is not 0.
type Blank struct {
	Name     string
	Options  []Choice
	From, To int
	// Value was filled in before, "" for nothing.
	Value string
}

// Choice is one that a blank offers. Is stands for it.
type Choice struct{ Text, Is string }

// filling is how far the person has come with a draft.
type filling struct {
	values []string // by blank, "" for what is not filled in
	at     int      // the blank under the cursor
	heard  string   // the answer, as it is shown
}

func newFilling(d *Draft) (f filling) {
	if d == nil {
		return f
	}
	for _, b := range d.Blanks {
		f.values = append(f.values, b.Value)
	}
	return f
}

// drafts says whether the person has something to complete.
func (p *Panel) drafts() bool { return p.step.Kind == StepTask && p.step.Draft != nil }

// blank is the one under the cursor, and what is in it.
func (p *Panel) blank() (*Blank, *string) {
	return &p.step.Draft.Blanks[p.fills.at], &p.fills.values[p.fills.at]
}

// turn chooses the next value of a blank, or the one before.
func (p *Panel) turn(by int) {
	if !p.drafts() {
		return
	}
	b, value := p.blank()
	if b.To > 0 {
		n, err := strconv.Atoi(*value)
		if err != nil {
			n = b.From - by
		}
		*value = strconv.Itoa(max(b.From, min(n+by, b.To)))
		return
	}
	at := slices.IndexFunc(b.Options, func(c Choice) bool { return c.Is == *value })
	if at < 0 && by < 0 {
		at = len(b.Options)
	}
	*value = b.Options[max(0, min(at+by, len(b.Options)-1))].Is
}

// types is a digit: the number of an option, or part of a number.
func (p *Panel) types(digit int) {
	b, value := p.blank()
	if b.To == 0 {
		if digit <= len(b.Options) {
			*value = b.Options[digit-1].Is
		}
		return
	}
	n, _ := strconv.Atoi(*value + strconv.Itoa(digit))
	if n > b.To {
		n = digit
	}
	*value = strconv.Itoa(min(n, b.To))
}

// erases says whether the key that was pressed takes the last digit of a number back.
func (p *Panel) erases(v host.View) bool {
	if v.Pressed != "backspace" || !p.Has() || !p.drafts() {
		return false
	}
	b, value := p.blank()
	return b.To > 0 && *value != ""
}

func (p *Panel) erase() {
	_, value := p.blank()
	*value = (*value)[:len(*value)-1]
}

// send hands what was filled in to the lab, or goes to what was not.
func (p *Panel) send(v host.View) []host.Intent {
	filled := map[string]string{}
	for i, b := range p.step.Draft.Blanks {
		value := p.fills.values[i]
		n, err := strconv.Atoi(value)
		if value == "" || b.To > 0 && (err != nil || n < b.From) {
			p.fills.at = i
			return []host.Intent{host.Say{St: draw.Late, Text: v.Th.Say("tutor-blank-open")}}
		}
		filled[b.Name] = value
	}
	l := p.l
	p.steps++
	p.has, p.goesOn = false, len(p.step.Draft.Blanks) == 1 // where each try is a step on the way
	return []host.Intent{host.Cmd(func() tea.Msg { l.Fill(maps.Clone(filled)); return nil })}
}

// help asks for the next stage of help with a draft, or gives it up.
func (p *Panel) help(v host.View) []host.Intent {
	if !p.drafts() {
		return nil
	}
	p.has = false
	return p.leaveTask(v)
}

// shownAs is how the value of a blank is written.
func (b *Blank) shownAs(value string) string {
	for _, c := range b.Options {
		if c.Is == value {
			return c.Text
		}
	}
	return cmp.Or(value, "?")
}

// draft writes the lines with what is in their blanks, what the blank under the cursor offers, and
// the answer.
func (p *Panel) draft(th *draw.Theme) (all [][]draw.Span) {
	d := p.step.Draft
	lead, w := draw.Plain.Of("    "), min(p.drawn.w-2, draw.Readable)
	for _, line := range d.Lines {
		var spans []draw.Span
		for line != "" {
			before, rest, ok := strings.Cut(line, "{")
			name, after, closed := strings.Cut(rest, "}")
			i := slices.IndexFunc(d.Blanks, func(b Blank) bool { return b.Name == name })
			if !ok || !closed || i < 0 {
				spans = append(spans, draw.Plain.Of(th.FormatText(line)))
				break
			}
			st, open, shut := draw.Accent, "[", "]"
			if p.has && i == p.fills.at {
				st, open, shut = draw.Armed, ">", "<"
			}
			spans = append(spans, draw.Plain.Of(th.FormatText(before)), st.Of(open+th.FormatText(d.Blanks[i].shownAs(p.fills.values[i]))+shut))
			line = after
		}
		all = append(all, th.Fold(lead, spans, w)...)
	}
	if said := p.fills.heard; said != "" {
		all = append(all, th.Hang(draw.Dim.Of("    "+th.Sign.Arrow+" "), draw.Strong, said, w, draw.ParagraphMax)...)
	}
	if p.has {
		b, value := p.blank()
		if b.To > 0 {
			all = append(all, []draw.Span{lead, draw.Dim.Of(th.Say("tutor-number", b.From, b.To))})
		}
		var options [][]draw.Span
		for i, c := range b.Options {
			st := draw.Plain
			if c.Is == *value {
				st = draw.Strong
			}
			options = append(options, []draw.Span{draw.Accent.Of(strconv.Itoa(i + 1)), st.Of(" " + th.FormatText(c.Text))})
		}
		all = append(all, inRows(th, lead, options, w)...)
	}
	return all
}

// inRows puts options beside each other, in as many rows of w cells as they take.
func inRows(th *draw.Theme, lead draw.Span, options [][]draw.Span, w int) (rows [][]draw.Span) {
	alone := true // what took several rows has them for itself
	for _, one := range options {
		if n := len(rows) - 1; !alone && draw.WidthOf(rows[n])+2+draw.WidthOf(one) <= w {
			rows[n] = append(append(rows[n], draw.Plain.Of("  ")), one...)
			continue
		}
		folded := th.Fold(lead, one, w)
		rows, alone = append(rows, folded...), len(folded) > 1
	}
	return rows
}

// hear takes note of what the program said last whose words are the answer.
func (p *Panel) hear(f page.Frame) {
	if !p.drafts() || p.step.Draft.Says == "" {
		return
	}
	for _, c := range f.S.Reports().Contenders() {
		if c.Name == p.step.Draft.Says {
			p.fills.heard = f.Th.Message(c.Belief.Says())
		}
	}
}
