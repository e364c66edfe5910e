package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"locktop/ui/terminal"
)

// Run shows the console until the person quits, boot fails, or ctx ends, which
// is how signals come in. In each case, a panic included, the terminal is left
// as it was found. A boot that is under way is told to end and waited for.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := NewShell(o)
	a.ctx = ctx
	if _, ok := out.(term.File); !ok {
		a.resize(80, 24) // nobody will tell
	}
	shown := terminal.NewOut(ctx, out)
	a.copy = func(text string) { _, _ = io.WriteString(shown, ansi.SetSystemClipboard(text)) }
	if f, ok := in.(*os.File); ok && o.AskGround {
		typed := terminal.NewInput(f)
		in, a.ask = typed, func() (bool, bool) { return typed.Ask(ctx, shown) }
	}
	p := tea.NewProgram(terminal.NewPainter(a, shown), tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(shown.Writer()),
		tea.WithAltScreen(), tea.WithMouseCellMotion(), tea.WithoutSignalHandler(), tea.WithFPS(1))
	_, err := p.Run()
	ended := ctx.Err() != nil // by whoever called, not by the line below
	cancel()
	a.boots.Close()
	if errRemember := a.rememberChanges(); err == nil && a.err == nil {
		a.err = errRemember
	}
	switch {
	case a.err != nil:
		return a.err
	case err == nil, ended && !errors.Is(err, tea.ErrProgramPanic):
		return nil
	}
	return fmt.Errorf("run the console: %w", err)
}
