package tutor

import (
	"fmt"
	"strconv"
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
	// Texts are the glossary, Wrong the questions to answer again.
	Texts []string
	Wrong []*Again
	// At is the row under the cursor, Chosen says that it was taken.
	At     int
	Chosen bool
	w, h   int
	shows  pathPage
	asks   int      // which of again is shown
	again  []*Again // that the review asks
}

// pathPage is what stands in the place of the path.
type pathPage int

const (
	pathLessons pathPage = iota
	pathWords
	pathReview
)

// Again is a question that was predicted wrong, to answer it once more.
type Again struct {
	// Lesson and Step say which it is, Title is that of the lesson.
	Lesson string
	Step   int
	Title  string
	// Scene is what was said before it in the lesson, "" for nothing.
	Scene string
	// Text is the question, After what was to be learned. Right counts from 1; Whys say why the
	// others are not so.
	Text, After   string
	Options, Whys []string
	Right         int
	// Chosen is the answer that was given now, from 1; 0: none yet.
	Chosen int
}

// PathRow is a lesson on the path.
type PathRow struct {
	Number               int
	Title, Teaches, Note string
	// Chapter is the one that begins here, "" for none.
	Chapter string
	// Taken says that it was told to its end, Done that it is passed.
	Taken, Done bool
}

// Init implements tea.Model.
func (p *Path) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (p *Path) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.w, p.h = msg.Width, msg.Height
	case tea.KeyMsg:
		if p.shows != pathLessons {
			return p, p.besides(msg.String())
		}
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
		case "w":
			p.review()
		case "?":
			p.shows = pathWords
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
	if p.shows != pathLessons {
		return p.glossaryOrReview()
	}
	lines := []string{th.Line(p.w, []draw.Span{draw.Strong.Of(" " + th.FormatText(p.Title))},
		[]draw.Span{draw.Dim.Of(fmt.Sprintf("%d/%d ", min(p.At+1, len(p.Lessons)), len(p.Lessons)))}), ""}
	chapters := 0
	for _, l := range p.Lessons {
		if l.Chapter != "" {
			chapters++
		}
	}
	roomy := 2*len(p.Lessons)+chapters <= p.h-5 // where it is not, what a lesson teaches is said of the one under the cursor
	room := max(1, p.h-6-chapters)
	from := max(0, min(p.At-room/2, len(p.Lessons)-room))
	for i := from; i < min(len(p.Lessons), from+room); i++ {
		l := p.Lessons[i]
		if l.Chapter != "" && chapters < p.h-6 {
			lines = append(lines, th.Line(p.w, []draw.Span{draw.Heading.Of("  " + th.FormatText(l.Chapter))}, nil))
		}
		mark, cursor, st := draw.Dim.Of("  "), draw.Plain.Of("  "), draw.Plain
		if l.Done {
			mark = draw.Good.Of(th.Sign.Done + " ")
		} else if l.Taken {
			mark = draw.Late.Of(th.Sign.Late + " ")
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

// left are the questions that are not answered right yet.
func (p *Path) left() (all []*Again) {
	for _, a := range p.Wrong {
		if a.Chosen != a.Right {
			all = append(all, a)
		}
	}
	return all
}

// review opens the review, which asks what is left.
func (p *Path) review() {
	p.shows, p.asks, p.again = pathReview, 0, p.left()
	for _, a := range p.again {
		a.Chosen = 0
	}
}

// besides is a key in the glossary or the review.
func (p *Path) besides(key string) tea.Cmd {
	switch key {
	case "esc", "?", "w", "backspace":
		p.shows = pathLessons
	case "q", "ctrl+c":
		return tea.Quit
	case "n", "enter", " ":
		if p.shows == pathReview && p.asks < len(p.again) && p.again[p.asks].Chosen > 0 {
			p.asks++
		}
	default:
		if p.shows == pathReview && p.asks < len(p.again) && len(key) == 1 {
			a := p.again[p.asks]
			if n := int(key[0] - '0'); a.Chosen == 0 && 1 <= n && n <= len(a.Options) {
				a.Chosen = n
			}
		}
	}
	return nil
}

// glossaryOrReview is the glossary or the review.
func (p *Path) glossaryOrReview() string {
	th := p.Theme
	var lines []string
	text := func(st draw.Style, lead, s string) {
		for _, l := range th.Wrap(th.FormatText(s), max(8, min(p.w-3, draw.Readable)-draw.Width(lead)), draw.ParagraphMax) {
			lines = append(lines, th.Line(p.w, []draw.Span{draw.Plain.Of(lead), st.Of(l)}, nil))
			lead = draw.Blank(draw.Width(lead))
		}
	}
	title, hint := th.Say("course-words"), th.Say("course-words-key")
	if p.shows == pathReview {
		title = th.Say("course-again")
	}
	switch {
	case p.shows == pathWords:
		for _, word := range p.Texts {
			text(draw.Plain, "  ", word)
		}
	case p.asks >= len(p.again) && len(p.left()) > 0:
		text(draw.Plain, "  ", th.Say("course-left", len(p.left())))
	case p.asks >= len(p.again):
		text(draw.Plain, "  ", th.Say("course-nothing"))
	default:
		a := p.again[p.asks]
		if hint = th.Say("course-next-key"); a.Chosen == 0 {
			hint = th.Say("course-asks-key", len(a.Options))
		}
		text(draw.Dim, "  ", a.Title)
		if a.Scene != "" {
			text(draw.Plain, "  ", a.Scene)
		}
		text(draw.Strong, "  ", a.Text)
		for i, o := range a.Options {
			mark, st := "  ", draw.Plain
			switch {
			case a.Chosen > 0 && i+1 == a.Right:
				mark, st = th.Sign.Holds+" ", draw.Good
			case a.Chosen == i+1:
				mark, st = th.Sign.Bad+" ", draw.Bad
			}
			text(st, "  "+mark+strconv.Itoa(i+1)+" ", o)
		}
		if a.Chosen > 0 && a.Chosen != a.Right {
			text(draw.Late, "  ", a.Whys[a.Chosen-1])
		}
		if a.Chosen > 0 {
			text(draw.Plain, "  ", a.After)
		}
	}
	lines = append([]string{th.Line(p.w, []draw.Span{draw.Strong.Of(" " + title)}, nil), ""}, lines...)
	for len(lines) < p.h-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:max(1, p.h-1)], th.Line(p.w, []draw.Span{draw.Dim.Of(" " + th.Cut(hint, max(1, p.w-2)))}, nil))
	return strings.Join(lines[:min(len(lines), max(1, p.h))], "\n")
}
