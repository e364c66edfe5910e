package page

import (
	"cmp"
	"slices"

	"locktop/model"
	"locktop/ui/draw"
)

// outputPage shows the lines of one program, or of all as they came. It follows the end until
// a person scrolls up; then the line at the bottom stays where it is.
type outputPage struct {
	Usual
	program string // "" for all
	filter  string
	anchor  line // at the bottom; of nobody: the last one
	lines   []line
	dropped int // lines that are not kept
	height  int
}

// line is one that a program printed, with its number among those that are kept or not.
type line struct {
	program string
	n       int
	model.Line
}

func newOutput() Page { return &outputPage{} }

// outputLinesMax bounds how many lines of the screen one line may take.
const outputLinesMax = 3

// outputFirst are the keys of its own.
var outputFirst = []string{"esc", "tab", "/", "e"}

func (p *outputPage) About() About {
	return About{Title: "Output", Label: "page-output", Inner: true, Shows: ShowOutput, First: outputFirst}
}

func (p *outputPage) Keys() []Key {
	return []Key{{Keys: []string{"tab"}, Group: KeysOfParts, Short: "key-program", What: "the-output-of-the-next-program", Do: p.turn}}
}

// turn goes from all programs to the first, from each to the next, and from the last to all.
func (p *outputPage) turn(f Frame) Request {
	names := []string{""}
	for _, o := range f.S.Reports().Outputs() {
		names = append(names, o.Contender)
	}
	p.narrow(names[(slices.Index(names, p.program)+1)%len(names)])
	return Request{}
}

func (p *outputPage) narrow(who string) { p.program, p.anchor = who, line{} }

func (p *outputPage) Step() int                  { return max(1, p.height-2) }
func (p *outputPage) Show(_ Frame, r Request)    { p.narrow(r.Program) }
func (p *outputPage) Spot() string               { return p.program }
func (p *outputPage) Return(_ Frame, who string) { p.narrow(who) }

// Back goes back to now, or lets go of the filter, and then leaves.
func (p *outputPage) Back(f Frame) bool {
	if f.Axis.Now() {
		return true
	}
	had := p.filter != ""
	p.SetFilter("")
	return had
}

func (p *outputPage) Filter() string { return p.filter }
func (p *outputPage) Hits() model.Message {
	return Hits(p.filter, model.Say("lines-counted", draw.Counted(len(p.lines))))
}
func (p *outputPage) SetFilter(text string) { p.filter, p.anchor = text, line{} }

// look takes in what there is now, up to the cursor of the axis.
func (p *outputPage) look(f Frame) {
	p.lines, p.dropped = p.lines[:0], 0
	keep, at := matcher(p.filter), f.Axis.At()
	for _, o := range f.S.Reports().Outputs() {
		if p.program != "" && o.Contender != p.program {
			continue
		}
		p.dropped += o.Left
		for i, l := range o.Lines {
			if (keep == nil || keep(o.Contender, l.From, l.Text)) && (at.IsZero() || !l.At.After(at)) {
				p.lines = append(p.lines, line{o.Contender, o.Left + i, l})
			}
		}
	}
	slices.SortStableFunc(p.lines, func(a, b line) int { return a.At.Compare(b.At) })
}

// bottom is the place of the line at the bottom, -1 if there is none.
func (p *outputPage) bottom() int {
	if p.anchor.program == "" {
		return len(p.lines) - 1
	}
	return slices.IndexFunc(p.lines, func(l line) bool {
		return l.program == p.anchor.program && l.n >= p.anchor.n || l.At.After(p.anchor.At)
	})
}

// Move scrolls by n lines; at the end it follows again.
func (p *outputPage) Move(f Frame, n int) {
	p.look(f)
	p.anchor = at(p.lines, p.bottom()+n)
}

// at is the line at that place, of nobody from the last one on.
func at(lines []line, i int) line {
	if i >= len(lines)-1 {
		return line{}
	}
	return lines[max(0, i)]
}

// Paint returns the lines of the page.
func (p *outputPage) Paint(f Frame, w, h int) []string {
	p.look(f)
	p.height = max(0, h-1)
	names := 0
	for _, l := range p.lines {
		names = max(names, min(nameMost, draw.Width(f.Th.Clean(l.program))))
	}
	var screen []string // filled from the bottom, and with what is below where that is not enough
	last := p.bottom()
	for i := last; i >= 0 && len(screen) < p.height; i-- {
		screen = append(p.rows(f, p.lines[i], w, names), screen...)
	}
	screen = screen[max(0, len(screen)-p.height):]
	for last+1 < len(p.lines) && len(screen) < p.height {
		last++
		screen = append(screen, p.rows(f, p.lines[last], w, names)...)
	}
	if len(screen) == 0 {
		screen = append(screen, f.Th.Line(w, []draw.Span{draw.Dim.Of("  " + f.Th.Say(p.nothing()))}, nil))
	}
	title := f.Th.Ruler(w, append(append(f.Before(w), p.title(f, len(p.lines)-1-last)...), f.AsOf()...)...)
	return draw.Fill(append([]string{title}, screen[:min(len(screen), p.height)]...), w, h)
}

// nothing says why there is no line.
func (p *outputPage) nothing() model.MessageID {
	switch {
	case p.filter != "":
		return "no-line-fits-the-filter"
	case p.dropped > 0:
		return "what-it-printed-is-not-kept"
	}
	return "nothing-is-printed-yet"
}

func (p *outputPage) title(f Frame, below int) []draw.Span {
	t := []draw.Span{draw.Strong.Of(f.Th.Say("output")), draw.Plain.Of(" "), draw.Accent.Of(f.Th.Cut(f.Th.Clean(cmp.Or(p.program, f.Th.Say("all-programs"))), 40)),
		draw.Dim.Of(" " + f.Th.Sign.Dot + " " + f.Th.Say("lines-counted", draw.Counted(len(p.lines))))}
	if p.dropped > 0 {
		t = append(t, draw.Dim.Of(f.Th.Say("comma")+f.Th.Say("so-many-not-kept", draw.Counted(int(p.dropped)))))
	}
	if below > 0 {
		t = append(t, draw.Late.Of(" "+f.Th.Sign.Dot+" "+f.Th.Say("newer-below", below)))
	}
	return t
}

// nameMost is how wide the name of a program is at most.
const nameMost = 12

// rows writes a line into lines of exactly w cells.
func (p *outputPage) rows(f Frame, l line, w, names int) []string {
	var lead []draw.Span
	if w >= 50 {
		lead = append(lead, draw.Dim.Of(model.Clock(l.At)+" "))
	}
	if p.program == "" && w >= 40 {
		name := f.Th.Cut(f.Th.Clean(l.program), names)
		lead = append(lead, draw.Accent.Of(name+draw.Blank(names-draw.Width(name)+1)))
	}
	if from := f.Th.Cut(f.Th.Clean(l.From), 9); w >= 80 || l.From != "stdout" {
		lead = append(lead, draw.Dim.Of(from+draw.Blank(max(0, 6-draw.Width(from))+1)))
	}
	room := w - draw.WidthOf(lead)
	if room < 8 {
		lead, room = nil, w
	}
	text := f.Th.Wrap(f.Th.FormatText(l.Text), room, outputLinesMax)
	rows := []string{f.Th.Line(w, append(lead, draw.Plain.Of(text[0])), nil)}
	for _, more := range text[1:] {
		rows = append(rows, f.Th.Line(w, []draw.Span{draw.Plain.Of(draw.Blank(w-room) + more)}, nil))
	}
	return rows
}
