package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// board is a program that shows what it is told.
type board struct {
	view string
	quit string // ends it
}

func (b *board) Init() tea.Cmd { return nil }
func (b *board) View() string  { return b.view }

func (b *board) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if text, ok := msg.(string); ok {
		b.view = text
		if text == b.quit {
			return b, tea.Quit
		}
	}
	return b, nil
}

// pane is a board behind glass, what it wrote, and its clock.
func pane() (*Painter, *bytes.Buffer, *time.Time) {
	var out bytes.Buffer
	p, now := NewPainter(&board{}, NewOut(context.Background(), &out)), time.Unix(1000, 0)
	p.now = func() time.Time { return now }
	return p, &out, &now
}

// at is a line where it is written.
func at(line int, text string) string { return ansi.CursorPosition(1, line) + text }

func TestOnlyWhatChangedIsWritten(t *testing.T) {
	p, out, now := pane()
	for _, r := range []struct {
		reason string
		msg    tea.Msg
		want   string
	}{
		{"the first frame", "a\nb\nc", at(1, "a") + at(2, "b") + at(3, "c")},
		{"the same", "a\nb\nc", ""},
		{"one line", "a\nB\nc", at(2, "B")},
		{"the terminal has another size", tea.WindowSizeMsg{Width: 1, Height: 3}, at(1, "a") + at(2, "B") + at(3, "c")},
		{"the terminal was left", tea.ResumeMsg{}, at(1, "a") + at(2, "B") + at(3, "c")},
		{"nothing to show", 7, ""},
		{"one line more", "a\nB\nc\nd", at(4, "d")},
	} {
		*now = now.Add(time.Second)
		out.Reset()
		if _, cmd := p.Update(r.msg); cmd != nil || out.String() != r.want {
			t.Errorf("%s: wrote %q, want %q; asks to be called again: %v", r.reason, out, r.want, cmd != nil)
		}
	}
}

// TestFramesDoNotComeFasterThanOneSees: what changes soon after a frame is shown together,
// with one call, and never lost.
func TestFramesDoNotComeFasterThanOneSees(t *testing.T) {
	p, out, now := pane()
	p.Update("a")
	out.Reset()
	asked := 0
	for _, text := range []string{"b", "c", "d"} {
		*now = now.Add(time.Millisecond)
		if _, cmd := p.Update(text); cmd != nil {
			asked++
		}
	}
	if out.Len() > 0 || asked != 1 {
		t.Fatalf("wrote %q too soon, asked %d times to be called", out, asked)
	}
	*now = now.Add(every)
	p.Update(paintMsg{})
	if out.String() != at(1, "d") {
		t.Errorf("wrote %q", out)
	}
	out.Reset()
	*now = now.Add(-time.Hour) // somebody set the clock back
	p.Update("e")
	if out.String() != at(1, "e") {
		t.Errorf("after a clock that was set back: %q", out)
	}
}

// entered and left are how a terminal is told to show its other screen, and its own again.
const entered, left = "\x1b[?1049h", "\x1b[?1049l"

// TestBubbleTeaKeepsTheTerminal: what it writes to enter and to leave gets through, the frames
// of its empty view do not, and nothing comes after the end.
func TestBubbleTeaKeepsTheTerminal(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	shown := NewOut(context.Background(), &out)
	p := tea.NewProgram(NewPainter(&board{quit: "end"}, shown), tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(shown.Writer()),
		tea.WithAltScreen(), tea.WithoutSignalHandler(), tea.WithFPS(1))
	done := make(chan error, 1)
	go func() { _, err := p.Run(); done <- err }()
	p.Send("one\ntwo")
	p.Send("end")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	all := out.String()
	enter, first, leave := strings.Index(all, entered), strings.Index(all, at(1, "one")+at(2, "two")), strings.Index(all, left)
	if enter < 0 || first < enter || leave < first {
		t.Errorf("in no order: %q", all)
	}
	if strings.Contains(all, ansi.CursorHomePosition+"\r") || strings.Contains(all[leave:], "o") {
		t.Errorf("what is of no use: %q", all)
	}
}

// terminalLike is no terminal, but looks like one.
type terminalLike struct{ bytes.Buffer }

func (*terminalLike) Close() error { return nil }
func (*terminalLike) Fd() uintptr  { return ^uintptr(0) }

func TestATerminalStaysOne(t *testing.T) {
	var in terminalLike
	w := NewOut(context.Background(), &in).Writer()
	if _, ok := w.(interface{ Fd() uintptr }); !ok {
		t.Error("Bubble Tea would see no terminal")
	}
	for _, text := range []string{ansi.CursorHomePosition, ansi.HideCursor, ansi.CursorHomePosition + "\r frame"} {
		if n, err := io.WriteString(w, text); n != len(text) || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	if in.String() != ansi.CursorHomePosition+ansi.HideCursor {
		t.Errorf("%q", in.String())
	}
}

// unread is a terminal that takes nothing.
type unread struct{ freed chan struct{} }

func (u unread) Write([]byte) (int, error) { <-u.freed; return 0, io.ErrClosedPipe }

// TestATerminalThatNobodyReads holds up no program that is told to end.
func TestATerminalThatNobodyReads(t *testing.T) {
	for _, r := range []struct {
		reason string
		run    func(ctx context.Context, w io.Writer) *tea.Program
	}{
		{"behind glass", func(ctx context.Context, w io.Writer) *tea.Program {
			shown := NewOut(ctx, w)
			return tea.NewProgram(NewPainter(&board{view: "a"}, shown), tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(shown.Writer()), tea.WithAltScreen(), tea.WithoutSignalHandler(), tea.WithFPS(1))
		}},
		{"without it", func(ctx context.Context, w io.Writer) *tea.Program {
			return tea.NewProgram(&board{view: "a"}, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(Leave(ctx, w)), tea.WithAltScreen(), tea.WithoutSignalHandler())
		}},
	} {
		u := unread{make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		p := r.run(ctx, u)
		ended := make(chan error, 1)
		go func() { _, err := p.Run(); ended <- err }()
		cancel()
		select {
		case err := <-ended:
			if !errors.Is(err, tea.ErrProgramKilled) {
				t.Errorf("%s: %v", r.reason, err)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: it goes on", r.reason)
		}
		close(u.freed)
	}
}
