package tutor

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/ui/draw"
)

// Path is the list of lessons on a screen of its own, from which one is chosen.
type Path struct {
	// Title stands over the lessons, which are in the order of the path, Hint under them. Notice
	// is said once, "" for nothing.
	Title, Hint, Notice string
	Lessons             []PathRow
	Theme               *draw.Theme
	// At is the row under the cursor, Chosen says that it was taken.
	At     int
	Chosen bool
	w, h   int
}

// PathRow is a lesson on the path.
type PathRow struct {
	Number               int
	Title, Teaches, Note string
	Done                 bool
}

// Init implements tea.Model.
func (p *Path) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (p *Path) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.w, p.h = msg.Width, msg.Height
	case tea.KeyMsg:
		last := len(p.Lessons) - 1
		switch msg.String() {
		case "up", "k":
			p.At = max(0, p.At-1)
		case "down", "j":
			p.At = min(last, p.At+1)
		case "g", "home":
			p.At = 0
		case "G", "end":
			p.At = last
		case "enter", "n":
			p.Chosen = true
			return p, tea.Quit
		case "q", "esc", "ctrl+c":
			return p, tea.Quit
		}
	}
	return p, nil
}

// View implements tea.Model.
func (p *Path) View() string {
	if p.w == 0 {
		return ""
	}
	th := p.Theme
	lines := []string{th.Line(p.w, []draw.Span{draw.Strong.Of(" " + th.FormatText(p.Title))},
		[]draw.Span{draw.Dim.Of(fmt.Sprintf("%d/%d ", min(p.At+1, len(p.Lessons)), len(p.Lessons)))}), ""}
	roomy := 2*len(p.Lessons) <= p.h-5 // where it is not, what a lesson teaches is said of the one under the cursor
	room := max(1, p.h-6)
	from := max(0, min(p.At-room/2, len(p.Lessons)-room))
	for i := from; i < min(len(p.Lessons), from+room); i++ {
		l := p.Lessons[i]
		mark, cursor, st := draw.Dim.Of("  "), draw.Plain.Of("  "), draw.Plain
		if l.Done {
			mark = draw.Good.Of(th.Sign.Done + " ")
		}
		if i == p.At {
			cursor, st = draw.Accent.Of(th.Sign.Cursor+" "), draw.Strong
		}
		lines = append(lines,
			th.Line(p.w, []draw.Span{cursor, mark, st.Of(fmt.Sprintf("%2d  %s", l.Number, th.FormatText(l.Title)))}, []draw.Span{draw.Dim.Of(th.FormatText(l.Note) + " ")}))
		if roomy || i == p.At {
			lines = append(lines, th.Line(p.w, []draw.Span{draw.Dim.Of("        " + th.Cut(th.FormatText(l.Teaches), max(1, p.w-9)))}, nil))
		}
	}
	for len(lines) < p.h-2 {
		lines = append(lines, "")
	}
	lines = append(lines, th.Line(p.w, []draw.Span{draw.Late.Of(" " + th.Cut(th.FormatText(p.Notice), max(1, p.w-2)))}, nil),
		th.Line(p.w, []draw.Span{draw.Dim.Of(" " + th.FormatText(p.Hint))}, nil))
	return strings.Join(lines[:min(len(lines), max(1, p.h))], "\n")
}
