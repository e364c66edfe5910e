//go:build slow

package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/ui"
	"locktop/watcher"
)

// hostileHands write over the connection that they were given whenever they are
// asked anything, and refuse nothing that a person asks for.
type hostileHands struct {
	c       *clientv3.Client
	lease   clientv3.LeaseID
	n, done atomic.Int64
	mu      sync.Mutex
	passed  []string // the writes that nobody refused
	did     map[model.ActionKind]int
}

func (h *hostileHands) try() {
	defer h.done.Add(1)
	if h.harmed() {
		h.n.Add(1)
		return
	}
	w := tries[int(h.n.Add(1))%len(tries)]
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := w.do(ctx, h.c, h.lease)
	if err == nil || !strings.Contains(err.Error(), "locktop's reading connection never writes") {
		h.mu.Lock()
		h.passed = append(h.passed, w.name)
		h.mu.Unlock()
	}
}

// harmed says whether so much was written that more would prove nothing.
func (h *hostileHands) harmed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.passed) >= 30
}

func (h *hostileHands) Available(model.Action) error { h.try(); return nil }

func (h *hostileHands) Plan(_ context.Context, a model.Action) (model.Plan, error) {
	h.try()
	return model.Plan{Action: a, Goes: []model.KV{{Key: a.Key}}}, nil // known by name only
}

func (h *hostileHands) Do(_ context.Context, p model.Plan) model.Outcome {
	h.try()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.did[p.Action.Kind]++
	return model.Outcome{Action: p.Action, Done: true}
}

// withLab is a source that begins with what a lab would tell, so that the keys of a
// lab have something to act on.
type withLab struct {
	model.Source
	ctx   context.Context
	lease clientv3.LeaseID
	told  bool
}

func (s *withLab) Next(_ context.Context, want model.Want) (model.Batch, error) {
	if s.told {
		return s.Source.Next(s.ctx, want)
	}
	s.told = true
	now, lock := time.Now(), "/locks/orders"
	return model.Batch{Events: []model.Event{
		model.Contender{At: now, Name: "c1", PID: 1, Lock: lock, Recipe: "mutex", TTL: 60, Proc: model.ProcRunning},
		model.Belief{At: now, Contender: "c1", Lock: lock, State: model.BeliefHolding, Key: fmt.Sprintf("%s/%x", lock, s.lease), Lease: model.LeaseID(s.lease)},
		model.LeaseOwner{At: now, Lease: model.LeaseID(s.lease), Client: model.Client{Name: "c1", Certain: true}},
		model.FaultOn{At: now, ID: 1, Fault: model.Fault{Kind: model.FaultPause, Target: "c1"}},
		model.FaultOn{At: now, ID: 2, Fault: model.Fault{Kind: model.FaultIsolate, Target: "m1"}},
	}}, nil
}

// headless is a console without a terminal: commands run beside it, and what they
// bring is taken in between keys.
type headless struct {
	t       *testing.T
	app     *ui.Shell
	msgs    chan tea.Msg
	pending atomic.Int64 // commands that run
}

func newHeadless(t *testing.T, o ui.Options, c *clientv3.Client, h *hostileHands) *headless {
	t.Helper()
	w := watcher.New(c, watcher.Options{Budget: 20})
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); w.Close() })
	src := &withLab{Source: w, ctx: ctx, lease: h.lease}
	o.Boot = func(context.Context, func(model.Message)) (ui.Live, error) {
		return ui.Live{Source: src, Actions: h, Endpoints: c.Endpoints()}, nil
	}
	p := &headless{t: t, app: ui.NewShell(o), msgs: make(chan tea.Msg, 1<<16)}
	p.run(p.app.Init())
	p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	until(t, "the locks are on the screen", func() bool { p.drain(); return strings.Contains(p.app.View(), "/locks/orders") })
	return p
}

// run runs a command beside. What it brings that is only for a terminal is dropped.
func (p *headless) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	p.pending.Add(1)
	go func() {
		defer p.pending.Add(-1)
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, c := range msg {
				p.run(c)
			}
		case nil, tea.QuitMsg, tea.SuspendMsg:
		default:
			p.msgs <- msg
		}
	}()
}

func (p *headless) send(msg tea.Msg) {
	_, cmd := p.app.Update(msg)
	p.run(cmd)
}

// drain takes in what has come.
func (p *headless) drain() {
	for {
		select {
		case msg := <-p.msgs:
			p.send(msg)
		default:
			return
		}
	}
}

// rest waits until nothing runs but the pull and the clock: plans are read, and a
// dialog that was opened takes a confirmation.
func (p *headless) rest() {
	p.t.Helper()
	until(p.t, "commands ended", func() bool { p.drain(); return p.pending.Load() <= 2 && len(p.msgs) == 0 })
}

// press presses keys as they are called in help; "…" rests.
func (p *headless) press(keys ...string) {
	for _, k := range keys {
		if k == "…" {
			p.rest()
			continue
		}
		p.send(keyNamed(k))
		p.drain()
	}
}

var keyTypes = map[string]tea.KeyType{"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "backspace": tea.KeyBackspace, "up": tea.KeyUp,
	"down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "PgUp": tea.KeyPgUp, "PgDn": tea.KeyPgDown, "Home": tea.KeyHome, "End": tea.KeyEnd,
	"F1": tea.KeyF1, "ctrl+c": tea.KeyCtrlC, "ctrl+z": tea.KeyCtrlZ}

func keyNamed(name string) tea.KeyMsg {
	if name == "space" {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	if k, ok := keyTypes[name]; ok {
		return tea.KeyMsg{Type: k}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// everyKey lists the keys of all bindings.
func everyKey(t *testing.T) []string {
	t.Helper()
	var keys []string
	for _, row := range ui.Keys() {
		keys = append(keys, strings.Fields(row.Keys)...)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for _, k := range keys {
		if _, known := keyTypes[k]; !known && k != "space" && len([]rune(k)) != 1 {
			t.Fatalf("the test does not know the key %q", k)
		}
	}
	return keys
}

var walkPages = [][]string{{"1"}, {"1", "enter"}, {"2"}, {"3"}, {"4"}, {"5"}, {"5", "tab"}, {"5", "tab", "tab"}}

// walk presses every key of the table on every page, and over every dialog, text
// and field that can be opened there.
func (p *headless) walk(keys []string) {
	for _, page := range walkPages {
		for _, over := range [][]string{nil, {"?"}, {"e"}, {"c"}, {"/"}, {"x"}, {"F"}, {"F", "down"}, {"space"}} {
			for _, k := range keys {
				p.reset(page)
				p.press(over...)
				p.press(k)
				p.app.View()
			}
		}
		for _, path := range [][]string{{"x", "…", "R"}, {"x", "…", "D"}, {"F", "…", "enter"}, {"F", "…", "down", "down", "down", "enter", "…", "enter"},
			{"x", "…", "R", "/locks/orders", "enter"}, {"x", "…", "D", "/locks/orders", "enter"}} {
			p.reset(page)
			p.rest()
			p.press(path...)
			p.app.View()
		}
	}
}

// reset goes to a page, with the lock of the contender selected where locks are.
func (p *headless) reset(page []string) {
	p.press("esc", "esc", "esc", "esc")
	if strings.Contains(p.app.View(), "FROZEN") {
		p.press("space")
	}
	p.press("1", "esc", "/", "orders", "enter")
	p.press(page...)
}

// random presses n keys, most of them such as do something.
func (p *headless) random(seed uint64, n int, keys []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		switch c := r.IntN(100); {
		case c < 75:
			p.send(keyNamed(keys[r.IntN(len(keys))]))
		case c < 90:
			p.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{rune(32 + r.IntN(0x250))}, Alt: c == 80, Paste: c == 81})
		case c < 95:
			p.send(tea.KeyMsg{Type: tea.KeyType(r.IntN(160) - 100)})
		case c < 98:
			p.send(tea.MouseMsg{X: r.IntN(140), Y: r.IntN(45), Button: tea.MouseButton(r.IntN(8)), Action: tea.MouseAction(r.IntN(3))})
		default:
			p.send(tea.WindowSizeMsg{Width: 1 + r.IntN(160), Height: 1 + r.IntN(50)})
		}
		p.drain()
		if i%16 == 0 {
			p.app.View()
		}
		if i%(n/20) == 0 { // a person who waits and means it
			p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
			p.reset([]string{"1"})
			p.press("…", "x", "…", "R", "/locks/orders", "enter")
			p.reset([]string{"1"}) // where no dialog opened, the name was a filter
		}
	}
}
