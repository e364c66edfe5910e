package terminal

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// every is how long a frame stays at least: what changes meanwhile is shown together.
const every = 20 * time.Millisecond

// paintMsg says that a frame that had to wait can be shown.
type paintMsg struct{}

// Painter is a program behind glass.
type Painter struct {
	program tea.Model
	out     *Out
	view    string   // that was shown last
	lines   []string // of it, nil if the terminal may show something else
	at      time.Time
	waits   bool // a paintMsg is on its way
	now     func() time.Time
}

// NewPainter puts a program behind glass. Bubble Tea is to run the pane, with [Out] as its output.
func NewPainter(program tea.Model, out *Out) *Painter {
	return &Painter{program: program, out: out, now: time.Now}
}

// Init begins the program.
func (p *Painter) Init() tea.Cmd { return p.program.Init() }

// View is what Bubble Tea is told to show: nothing.
func (p *Painter) View() string { return "" }

// Update hands a message to the program and shows what it paints then.
func (p *Painter) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg.(type) {
	case paintMsg:
		p.waits = false
		return p, p.show(nil)
	case tea.WindowSizeMsg, tea.ResumeMsg: // the terminal may show anything now
		p.lines = nil
	}
	p.program, cmd = p.program.Update(msg)
	return p, p.show(cmd)
}

// show writes the lines that are new, or asks to be called again.
func (p *Painter) show(cmd tea.Cmd) tea.Cmd {
	view := p.program.View()
	if p.waits || p.lines != nil && view == p.view {
		return cmd
	}
	now := p.now()
	if rest := every - now.Sub(p.at); rest > 0 && rest <= every {
		p.waits = true
		return tea.Batch(cmd, tea.Tick(rest, func(time.Time) tea.Msg { return paintMsg{} }))
	}
	lines := strings.Split(view, "\n")
	frame := Patch(p.lines, lines)
	p.view, p.lines, p.at = view, lines, now
	p.out.frame(frame)
	return cmd
}

// Changed is what makes a terminal that shows some lines show others: those that are new, each in
// its place.
func Changed(shown, lines []string) (frame []byte) {
	for i, line := range lines {
		if i < len(shown) && shown[i] == line {
			continue
		}
		frame = append(append(frame, ansi.CursorPosition(1, i+1)...), line...)
	}
	return frame
}

// Patch is [Changed] in less bytes: of a line, it writes the texts and cells that are new.
func Patch(shown, lines []string) (frame []byte) {
	if len(shown) != len(lines) {
		return Changed(shown, lines)
	}
	frame, shown = listMoves(frame, shown, lines)
	for i, line := range lines {
		if shown[i] != line {
			frame = patch(frame, i+1, shown[i], line)
		}
	}
	return frame
}

// Out is the terminal, which the pane shares with Bubble Tea.
type Out struct{ to *Leaving }

// NewOut is the output on a writer, for a program that ends with ctx. Bubble Tea gets what Writer
// returns.
func NewOut(ctx context.Context, w io.Writer) *Out { return &Out{Leave(ctx, w)} }

// Writer is the output for Bubble Tea, which sees by it whether there is a terminal.
func (o *Out) Writer() io.Writer { return o.to.Like(o) }

// Write writes what is no frame: that of the empty view begins at the top.
func (o *Out) Write(p []byte) (int, error) {
	if len(p) > len(ansi.CursorHomePosition) && bytes.HasPrefix(p, []byte(ansi.CursorHomePosition)) {
		return len(p), nil
	}
	return o.to.Write(p)
}

func (o *Out) frame(p []byte) {
	if len(p) > 0 {
		_, _ = o.to.Write(p) // a terminal that has gone ends the program by its input
	}
}
