package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/modeltest"
)

// screens are keys that lead to every page, dialog and text.
var screens = [][]string{nil, {"enter"}, {"e"}, {"esc", "c"}, {"esc", "w"}, {"2"}, {"e"}, {"esc", "c"}, {"esc", "3"}, {"c"}, {"esc", "4"}, {"tab"},
	{"5"}, {"tab"}, {"F"}, {"esc", "tab"}, {"tab", "F", "down", "grace", "enter"}, {"esc", "esc", "1", "x"}, {"grace", "D", "x", "enter"}, {"esc", "esc", "?"}, {"esc", " "}, {" "}}

// tries presses keys of which some may lead nowhere.
func (b *bench) tries(keys ...string) {
	for _, k := range keys {
		if k != "grace" || b.dialog != nil {
			b.pressed(k)
		}
	}
}

// FuzzScreens shows whatever can be in a state on every page: only cells and our
// own styles reach the terminal, and every line is as wide as it.
func FuzzScreens(f *testing.F) {
	for i, s := range modeltest.Seeds() {
		f.Add(s, uint8(60+i*5), uint8(5+i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, wide, high uint8, ascii bool) {
		w, h := 1+int(wide), 1+int(high)
		b := newBench(t, Options{Lab: true, Armed: true, Profile: colours, Signs: signSet(ascii)})
		events := modeltest.Events(data)
		half := len(events) / 2
		b.send(batchMsg(model.Batch{Events: events[:half]}))
		b.size(w, h)
		b.press("down", "down") // what is selected may go
		b.send(batchMsg(model.Batch{Events: events[half:]}))
		b.send(tickMsg(b.state.Now()))
		for _, keys := range screens {
			b.tries(keys...)
			exact(t, b.View(), w, h)
			if t.Failed() {
				t.Fatalf("on the screen after %v", keys)
			}
		}
	})
}

// FuzzKeys presses whatever keys, on a world that goes on.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("5Fjj\r/x\x1bxRD"), []byte("queue"))
	for i, s := range modeltest.Seeds() {
		f.Add([]byte(strings.Repeat("5F\x0d\x0ax?e c2w-", 1+i%3)), s)
	}
	names := []string{"enter", "esc", "tab", "shift+tab", "up", "down", "home", "end", "pgup", "pgdown", "f1", "backspace", "ctrl+u", "grace"}
	f.Fuzz(func(t *testing.T, keys, world []byte) {
		b := newBench(t, Options{Lab: true, Armed: true, Profile: colours})
		events := modeltest.Events(world)
		for i, k := range keys[:min(len(keys), 200)] {
			if len(events) > 0 {
				b.send(batchMsg(model.Batch{Events: events[:1]}))
				events = events[1:]
			}
			switch {
			case k >= 0xf0:
				b.send(tea.MouseMsg{X: i % 90, Y: int(k) % 30, Action: tea.MouseActionPress, Button: tea.MouseButton(k % 8)})
			case k >= 0xe0:
				b.size(1+i%130, 1+int(k)%40)
			case k < 0x20 || k >= 0x7f:
				b.tries(names[int(k)%len(names)])
			default:
				b.press(string(rune(k)))
			}
			exact(t, b.View(), b.Shell.w, b.Shell.h)
		}
	})
}

// wronged are hands that plan what a server means that wants harm.
type wronged struct {
	*hands
	plan model.Plan
	err  error
}

func (h wronged) Plan(context.Context, model.Action) (model.Plan, error) { return h.plan, h.err }

// FuzzErrors shows errors of the server wherever one can come up: the reason of an
// action that is not available, a plan that failed or was refused, an outcome, the
// end of the source, the progress of the boot.
func FuzzErrors(f *testing.F) {
	for i, p := range modeltest.Pieces {
		f.Add("etcdserver: "+p, uint8(i))
		f.Add(strings.Repeat(p, 3000), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		act := model.Action{Kind: model.ActionKinds[int(n)%len(model.ActionKinds)], Lock: text, Key: text, Lease: 0xa1, Contender: text, Word: text}
		b := newBench(t, Options{Lab: n%2 == 0, Armed: true, Profile: colours})
		wrongLab(b)
		b.size(30+int(n)%100, 6+int(n)%30)
		for _, r := range []struct {
			msg  tea.Msg
			plan model.Plan
			err  error
		}{
			{msg: outcomeMsg{out: model.Outcome{Action: act, Err: text, Detail: model.Say("quote", text)}}}, {msg: outcomeMsg{out: model.Outcome{Action: act, Done: true, Detail: model.Say("quote", text)}}},
			{err: errors.New(text)}, {plan: model.Plan{Action: act, Refused: model.Say("quote", text)}},
			{plan: model.Plan{Action: act, Unknown: model.Say("quote", text), Goes: []model.KV{{Key: text, Value: text, CreateRev: 1}}}},
			{msg: sourceEndedMsg{errors.New(text)}}, // the last: after it nothing can be done
		} {
			b.live.Actions = wronged{b.h, r.plan, r.err}
			b.press("1", "x")
			b.send(r.msg)
			exact(t, b.View(), b.Shell.w, b.Shell.h)
			b.press("esc", "3")
			exact(t, b.View(), b.Shell.w, b.Shell.h)
		}
		b = newBench(t, Options{Profile: colours, NoLab: model.Say("quote", text)})
		b.h.refuse = text
		wrongLab(b)
		for _, k := range []string{"x", "5", "K", "?"} {
			b.press(k)
			exact(t, b.View(), b.Shell.w, b.Shell.h)
		}
		b.booted = false
		b.o.Label = text
		b.send(bootLineMsg{said: model.Say("quote", text)})
		exact(t, b.View(), b.Shell.w, b.Shell.h)
	})
}

// TestAHugeLock: 100,000 claims of one lock with values of a mebibyte.
func TestAHugeLock(t *testing.T) {
	b := newBench(t, Options{Profile: colours})
	const n = 100_000
	big := strings.Repeat("\x1b[2J\xff\n\u202e銀", 1<<20/14)
	lock := "/l" + strings.Repeat("\x1b]0;x\x07", 1000)
	for i := 0; i < n; i += 2000 {
		kvs := make([]model.KV, 2000)
		for j := range kvs {
			id := model.LeaseID(i + j + 1)
			kvs[j] = model.KV{Key: leaseKey(lock, id), Value: big, CreateRev: int64(id), ModRev: int64(id), Version: 1, Lease: id}
		}
		b.w.add(model.Listed{At: t0, Prefix: "/", Rev: n, KVs: kvs, Done: int64(i + 2000), Total: n})
	}
	b.w.ev = append([]model.Event{model.LoadStarted{At: t0, Prefix: "/", Rev: n}}, append(b.w.ev[2:], model.Loaded{At: t0, Prefix: "/", Rev: n})...)
	b.sync(1)
	for _, keys := range [][]string{nil, {"enter"}, {"end"}, {"c"}, {"esc", "2"}, {"end"}, {"3"}, {"4"}, {"1", "x"}, {"esc", "/", "x"}} {
		b.press(keys...)
		exact(t, b.View(), b.Shell.w, b.Shell.h)
	}
}
