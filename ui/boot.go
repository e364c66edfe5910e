package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
)

// bootLineMsg is a line of progress, bootedMsg what came of the start.
type (
	bootLineMsg struct {
		said model.Message
		more tea.Cmd
	}
	bootedMsg struct {
		live Live
		err  error
	}
)

// booting is how far the start has come.
type booting struct {
	booted  bool
	lines   []model.Message // of progress
	boots   host.Boots
	started time.Time
}

// begin runs boot in one command and listens to its progress in another.
func (b *booting) begin(ctx context.Context, boot func(context.Context, func(model.Message)) (Live, error)) tea.Cmd {
	if boot == nil {
		return nil
	}
	progress, done := make(chan model.Message), make(chan struct{})
	run := func() tea.Msg {
		defer close(done)
		if !b.boots.Enter() {
			return nil
		}
		defer b.boots.Leave()
		live, err := boot(ctx, func(line model.Message) {
			select {
			case progress <- line:
			case <-done:
			case <-ctx.Done():
			}
		})
		return bootedMsg{live, err}
	}
	var listen tea.Cmd
	listen = func() tea.Msg {
		select {
		case line := <-progress:
			return bootLineMsg{line, listen}
		case <-done:
		case <-ctx.Done():
		}
		return nil
	}
	return tea.Batch(run, listen)
}

// screen shows how far the start has come.
func (b *booting) screen(th *draw.Theme, label draw.Span, now time.Time, w, h int) []string {
	elapsed := ""
	if !b.started.IsZero() {
		elapsed = "  " + draw.Age(now.Sub(b.started), false)
	}
	lines := []string{th.Line(w, []draw.Span{draw.Accent.Of("locktop"), draw.Plain.Of(" "), label,
		draw.Dim.Of(" " + th.Say("is-starting") + elapsed)}, nil), string(draw.Pad(nil, w))}
	shown := b.lines[max(0, len(b.lines)-max(1, h-4)):]
	for i, line := range shown {
		st, sign := draw.Dim, th.Sign.Holds
		if i == len(shown)-1 {
			st, sign = draw.Plain, th.Sign.Waits
		}
		lines = append(lines, th.Line(w, []draw.Span{st.Of("  " + sign + " " + th.Message(line))}, nil))
	}
	return draw.Fill(append(lines, string(draw.Pad(nil, w)), th.Line(w, []draw.Span{draw.Accent.Of("  q"), draw.Dim.Of(" " + th.Say("quit"))}, nil)), w, h)
}
