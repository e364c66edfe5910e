package ui

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/draw"
)

// TestQuorum: a member that nobody asked is not down.
func TestQuorum(t *testing.T) {
	up, down, unasked := model.Member{}, model.Member{Err: "no answer"}, model.Member{Unasked: true}
	for _, r := range []struct {
		members []model.Member
		want    draw.Span
		reason  string
	}{
		{[]model.Member{up, up, up}, draw.Plain.Of("3/3 members"), "all is well"},
		{[]model.Member{up, up, down}, draw.Late.Of("! 2/3 members"), "one is down"},
		{[]model.Member{up, down, down}, draw.Bad.Of("✖ 1/3 members, no quorum"), "two are"},
		{[]model.Member{up, unasked, unasked}, draw.Plain.Of("1/3 members, 2 not asked"), "a proxy before one of three"},
		{[]model.Member{up, down, unasked}, draw.Late.Of("! 1/3 members, 1 not asked"), "the third may be there"},
		{[]model.Member{down, down, unasked}, draw.Bad.Of("✖ 0/3 members, 1 not asked, no quorum"), "whatever the third does"},
		{[]model.Member{{ID: 1}, {ID: 2}, {ID: 3, Unasked: true}, down}, draw.Late.Of("! 2/3 members"), "the endpoint that does not answer is that of the third, which has another address"},
		{[]model.Member{{ID: 1}, {ID: 2, Unasked: true}, {ID: 3, Unasked: true}, down, down}, draw.Late.Of("! 1/3 members"), "two such endpoints may be one member's"},
		{[]model.Member{{ID: 1}, {ID: 2}, {ID: 3}, down, down}, draw.Late.Of("! 3/3 members"), "endpoints that no member has"},
	} {
		if got := quorum(draw.NewTheme(draw.ThemeDark, colours, draw.SignsUnicode), model.ClusterStatus{Members: r.members}); got != r.want {
			t.Errorf("got %v, want %v: %s", got, r.want, r.reason)
		}
	}
}

// TestUnaskedMembersInTheLab: they are called unknown, not down.
func TestUnaskedMembersInTheLab(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	b.w.add(model.ClusterStatus{At: t0, Members: []model.Member{{ID: 1, Name: "m1", Version: "3.6.16"}, {ID: 2, Name: "m2", Unasked: true}}})
	b.sync(1)
	b.press("5")
	b.sees("not asked: not among --endpoints")
	if strings.Contains(b.text(), "down") {
		t.Errorf("down:\n%s", b.text())
	}
}

// TestKeysDoNotWaitForTheHands: a lab that does not answer holds up neither the keys
// that act, nor the dialog, nor help.
func TestKeysDoNotWaitForTheHands(t *testing.T) {
	for _, key := range []string{"x", "H", "K", "N", "A", "?"} {
		b := newBench(t, Options{Lab: true, Armed: true})
		wrongLab(b)
		slow := slowHands{b.h, make(chan error)}
		b.live.Actions = slow
		b.press("/", "checkout", "enter")
		_, cmd := b.Update(keyMsg(key)) // would hang here
		took := make(chan tea.Msg, 1)
		go func() { took <- cmd() }()
		var msg tea.Msg
		for msg == nil {
			select {
			case slow.answer <- errors.New("the lab is \x1b closing"):
			case msg = <-took:
			}
		}
		b.send(msg)
		if b.dialog != nil || len(b.h.done) > 0 {
			t.Errorf("%s: did %v", key, b.h.done)
		}
		b.sees(`the lab is \x1b closing`)
	}
}

func TestSuspendSaysWhyNotEscaped(t *testing.T) {
	b := newBench(t, Options{NoSuspend: "mem\x1b[2Jbers"})
	b.press("ctrl+z")
	b.sees(`not available: mem\x1b[2Jbers`)
}

// broken is a source that panics.
type broken struct{}

func (broken) Next(context.Context, model.Want) (model.Batch, error) { panic("a fault of ours") }

func TestAPanicLeavesTheTerminalAsItWas(t *testing.T) {
	var out bytes.Buffer
	err := Run(t.Context(), Options{Boot: func(context.Context, func(string)) (Live, error) { return Live{Source: broken{}}, nil }}, &bytes.Buffer{}, &out)
	if err == nil {
		t.Error("no error")
	}
	for _, seq := range []string{"\x1b[?1049l", "\x1b[?25h", "\x1b[?1002l"} {
		if !strings.Contains(out.String(), seq) {
			t.Errorf("%q is missing in %q", seq, out.String())
		}
	}
}
