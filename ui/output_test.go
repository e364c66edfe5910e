package ui

import (
	"fmt"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
)

// printing is a worker that loses its lock and a chatty one, behind the proxy.
func printing(b *bench) {
	b.w.add(model.Contender{At: at(0), Name: "worker", PID: 41, Lock: "/app/report", Proc: model.ProcRunning},
		model.Contender{At: at(0), Name: "chatty", PID: 42, Lock: "/app/report", Proc: model.ProcRunning},
		model.Printed{At: at(2), Contender: "worker", Lines: []model.Line{
			{At: at(1), From: "stdout", Text: "got the lock"},
			{At: at(1.5), From: "stderr", Text: "trouble: " + strings.Repeat("etcdserver: requested lease not found, ", 7) + "and so on"},
			{At: at(1.9), From: "stdout", Text: "lost the lock"}}})
	for i := range 40 {
		b.w.add(model.Printed{At: at(3), Contender: "chatty", Left: 25, Lines: []model.Line{{At: at(1 + float64(i)/20), From: "stdout", Text: fmt.Sprintf("row %d", i)}}})
	}
	b.sync(3)
}

func TestOutputOfPrograms(t *testing.T) {
	for _, r := range []struct {
		name, reason string
		w, h         int
		keys         []string
	}{
		{"output-80x24", "as the lines came, and how many are not kept", 80, 24, []string{"O"}},
		{"output-120x36", "of one program: a long line wraps", 120, 36, []string{"O", "tab"}},
		{"output-40x12", "the text is what stays", 40, 12, []string{"O", "tab"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			b := newBench(t, Options{Lab: true})
			b.size(r.w, r.h)
			printing(b)
			b.press(r.keys...)
			exact(t, b.View(), r.w, r.h)
			golden(t, r.name, b.text())
		})
	}
}

// TestTheWayToTheOutput of programs, through it and back.
func TestTheWayToTheOutput(t *testing.T) {
	for _, r := range []struct {
		reason   string
		keys     []string
		page     string
		see, not string
	}{
		{"from the contender that is selected", []string{"5", "down", "O"}, "Output", "lost the lock", "row 39"},
		{"tab goes on to the next", []string{"O", "tab", "tab"}, "Output", "row 39", "got the lock"},
		{"and from the last to all", []string{"O", "tab", "tab", "tab", "g"}, "Output", "trouble", "row 39"},
		{"the first screen is full", []string{"O", "g"}, "Output", "row 5", "row 39"},
		{"the line at the bottom stays", []string{"O", "k", "k"}, "Output", "2 newer below", "row 39"},
		{"G goes to the end", []string{"O", "k", "G"}, "Output", "row 39", "newer below"},
		{"a filter", []string{"O", "/", "lock", "enter"}, "Output", "lost the lock", "row 3"},
		{"esc first takes the filter back", []string{"O", "/", "lock", "enter", "esc"}, "Output", "row 39", "no such"},
		{"and then leaves", []string{"2", "O", "esc"}, "Sessions", "", "row"},
		{"a command names the program", []string{":", "output worker", "enter"}, "Output", "got the lock", "row"},
		{"or says which there are", []string{":", "output zz", "enter"}, "Locks", "all, worker, chatty", "got the lock"},
	} {
		b := newBench(t, Options{Lab: true})
		printing(b)
		b.press(r.keys...)
		if text := b.text(); b.on() != r.page || !strings.Contains(text, r.see) || strings.Contains(text, r.not) {
			t.Errorf("%s: on %s, want %s with %q and without %q:\n%s", r.reason, b.on(), r.page, r.see, r.not, text)
		}
	}
	b := newBench(t, Options{Lab: true})
	wrongLab(b)
	b.press("O")
	b.sees("no program of yours has printed anything")
}

// TestOutputIsData: nothing that a program prints reaches the terminal as a command to it.
func TestOutputIsData(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	b.size(120, 36)
	nasty := strings.Join(modeltest.Pieces, "")
	b.w.add(model.Printed{At: at(1), Contender: nasty, Lines: []model.Line{{At: at(1), From: nasty, Text: nasty}}})
	b.sync(2)
	b.press("O")
	exact(t, b.View(), 120, 36)
	for _, sequence := range []string{"\x1b[2J", "\x1b]0;", "\x1bP", "\u009b", "\u202e", "\x07"} {
		if strings.Contains(b.View(), sequence) {
			t.Errorf("it wrote %q", sequence)
		}
	}
}
