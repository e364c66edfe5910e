package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/text"
	"locktop/ui/dialog"
	"locktop/ui/host"
)

// pressed presses keys; "grace" lets the time pass in which a dialog takes none.
func (b *bench) pressed(keys ...string) {
	for _, k := range keys {
		if k == "grace" {
			b.send(b.later(t0))
			continue
		}
		b.press(k)
	}
}

// offered is what the dialog that is open would break.
func (b *bench) offered() model.Action {
	if _, ok := b.dialog.(*dialog.Break); !ok {
		return model.Action{}
	}
	return b.h.plans[len(b.h.plans)-1]
}

// only checks that exactly this was done.
func (b *bench) only(want model.Action) {
	b.t.Helper()
	if len(b.h.done) != 1 || b.h.done[0] != want {
		b.t.Errorf("did %+v, want %+v", b.h.done, want)
	}
}

func inject(f model.Fault) model.Action {
	return model.Action{Kind: model.InjectFault, Lock: "/demo/checkout", Fault: f}
}

// TestFaultMenu goes from F to Hands.Do.
func TestFaultMenu(t *testing.T) {
	rows := []struct {
		name, reason string
		keys         []string
		check        func(b *bench)
	}{
		{"at once", "what has nothing to choose is done by one enter", []string{"5", "down", "F", "down", "grace", "enter"}, func(b *bench) {
			b.only(inject(model.Fault{Kind: model.FaultKill, Target: "c1"}))
			b.sees("Killed c1")
		}},
		{"grace", "an enter meant for the page does nothing", []string{"5", "down", "F", "down", "enter"}, func(b *bench) {
			if len(b.h.done) != 0 || b.where() != host.InFaults {
				b.t.Errorf("did %+v", b.h.done)
			}
		}},
		{"grace of the second step", "a double enter does nothing", []string{"5", "down", "F", "grace", "enter", "enter"}, func(b *bench) {
			if len(b.h.done) != 0 || b.where() != host.InChoice {
				b.t.Errorf("did %+v", b.h.done)
			}
		}},
		{"how long", "chosen by arrows", []string{"5", "down", "F", "grace", "enter", "left", "grace", "enter"}, func(b *bench) {
			b.only(inject(model.Fault{Kind: model.FaultPause, Target: "c1", For: 5 * time.Second}))
		}},
		{"all choices", "method, way, count, member", []string{"5", "down", "F", "down", "down", "down", "down", "grace", "enter", "grace",
			"right", "down", "right", "down", "right", "down", "right", "right", "down", "right"}, func(b *bench) {
			b.sees("will hold replies of KV/DeleteRange of c1 at m2, 1 of them")
			b.press("enter")
			b.only(inject(model.Fault{Kind: model.FaultHold, Target: "c1", Method: "KV/DeleteRange", Direction: model.Replies, Count: 1, Member: "m2"}))
		}},
		{"back and leave", "esc goes one step back", []string{"5", "down", "F", "grace", "enter", "esc", "esc"}, func(b *bench) {
			if b.dialog != nil || len(b.h.done) != 0 {
				b.t.Errorf("did %+v", b.h.done)
			}
		}},
		{"the last fault of the list", "End goes there, as in every list", []string{"F", "grace", "end", "enter"}, func(b *bench) {
			b.sees("fill")
			if strings.Contains(b.text(), "▌ pause") {
				b.t.Errorf("the first one is selected:\n%s", b.text())
			}
		}},
		{"a member", "what is selected is what it is done to", []string{"5", "tab", "down", "F", "grace", "enter", "right", "grace", "enter"}, func(b *bench) {
			b.only(model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultStopMember, Target: "m1"}})
		}},
		{"the cluster", "of a foreign claim only the cluster can be broken, and it says why", []string{"/", "job7", "enter", "F"}, func(b *bench) {
			b.sees("faults: the cluster")
			b.sees("lose-quorum")
			b.sees("because the claim's owner")
			if strings.Contains(b.text(), "hold-keepalives") {
				b.t.Error("a fault of a client that is not known")
			}
		}},
		{"the cluster too", "what is done to all stands under what is done to one, and up from the first is the last", slices.Concat([]string{"5", "down", "F"}, slices.Repeat([]string{"up"}, fromTheEnd(model.FaultDeadlock)), []string{"grace", "enter", "grace", "right", "enter"}), func(b *bench) {
			b.only(inject(model.Fault{Kind: model.FaultDeadlock}))
		}},
		{"in force", "what is done already is marked", []string{"5", "F"}, func(b *bench) { b.sees("pause           ! in force") }},
		{"in force already", "what has nothing to choose would be refused", []string{"5", "F", "grace", "enter"}, func(b *bench) {
			b.sees("it is active already")
			if len(b.h.done) != 0 {
				b.t.Errorf("did %+v", b.h.done)
			}
		}},
		{"heal one", "U heals the marked fault from any list", []string{"5", "U"}, func(b *bench) {
			b.only(model.Action{Kind: model.HealFault, Fault: model.Fault{Kind: model.FaultPause, Target: "c2"}})
		}},
		{"a member is not a contender", "keys of contenders say so", []string{"5", "tab", "K"}, func(b *bench) {
			if len(b.h.done) != 0 {
				b.t.Errorf("did %+v", b.h.done)
			}
			b.sees("not available: a member is selected")
		}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			b := newBench(t, Options{Lab: true, Armed: true})
			wrongLab(b)
			b.pressed(r.keys...)
			r.check(b)
			if t.Failed() {
				t.Log(r.reason)
			}
		})
	}
}

// fromTheEnd counts the faults of the cluster from the last one back to a kind.
func fromTheEnd(kind model.FaultKind) (n int) {
	for _, info := range slices.Backward(model.FaultKinds()) {
		if info.Target == model.TargetCluster {
			n++
		}
		if info.Kind == kind {
			break
		}
	}
	return n
}

// picky are hands that cannot do some kinds of faults.
type picky struct {
	*hands
	cannot map[model.FaultKind]string
}

func (p picky) Available(a model.Action) error {
	if why := p.cannot[a.Fault.Kind]; why != "" {
		return errors.New(why)
	}
	return nil
}

func TestFaultMenuSaysWhyNot(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	wrongLab(b)
	why := map[model.FaultKind]string{model.FaultPause: "c1 has ended"}
	b.live.Actions = picky{b.h, why}
	b.pressed("5", "down", "F", "grace")
	b.sees("pause           not now: c1 has ended")
	b.press("enter")
	b.sees("cannot be done now: c1 has ended")
	if len(b.h.done) != 0 {
		t.Errorf("did %+v", b.h.done)
	}
	delete(why, model.FaultPause)
	b.sync(23)
	b.sees("pause           stop the process in its tracks")
	b.pressed("enter", "grace")
	why[model.FaultPause] = "c1 has ended meanwhile"
	b.press("enter")
	b.sees("cannot be done now: c1 has ended meanwhile")
	if len(b.h.done) != 0 {
		t.Errorf("did %+v", b.h.done)
	}
}

// slowHands answer when they are let.
type slowHands struct {
	*hands
	answer chan error
}

func (h slowHands) Available(model.Action) error { return <-h.answer }

// TestSlowHands: a lab that does not answer what can be done holds no key up.
func TestSlowHands(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	wrongLab(b)
	slow := slowHands{b.h, make(chan error)}
	b.live.Actions = slow
	b.press("5", "down")
	took := make(chan tea.Msg, 1)
	_, cmd := b.Update(keyMsg("F"))
	ask := func(cmd tea.Cmd) { go func() { took <- cmd() }() }
	ask(cmd)
	b.Update(b.later(t0))
	for range 3 { // seconds go by, and the question is not asked twice
		b.Update(tickMsg(at(30)))
	}
	b.Update(keyMsg("down"))
	b.sees("kill            end the process without a word")
	_, cmd = b.Update(keyMsg("enter"))
	if _, again := b.Update(keyMsg("enter")); again != nil {
		t.Error("a second enter does it twice")
	}
	for answered := false; !answered; {
		select {
		case slow.answer <- errors.New("the lab is closing"):
		case msg := <-took:
			b.Update(msg)
			answered = true
		}
	}
	b.sees("not now: the lab is closing")
	ask(cmd)
	slow.answer <- nil
	_, cmd = b.Update(<-took)
	b.do(cmd)
	b.only(inject(model.Fault{Kind: model.FaultKill, Target: "c1"}))
	if b.dialog != nil {
		t.Error("the menu stays")
	}
}

// TestFaultLeftMeanwhile: who left the menu does not want the fault any more.
func TestFaultLeftMeanwhile(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	wrongLab(b)
	b.pressed("5", "down", "F", "down", "grace")
	_, cmd := b.Update(keyMsg("enter"))
	b.press("esc")
	b.do(cmd)
	if len(b.h.done) != 0 {
		t.Errorf("did %+v", b.h.done)
	}
}

// TestSaidOnce: an error that begins with what was asked for is not said twice.
func TestSaidOnce(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	wrongLab(b)
	act := inject(model.Fault{Kind: model.FaultHoldKeepalives, Target: "c1"})
	b.send(outcomeMsg{out: model.Outcome{Action: act, Err: text.English(act.Message()) + ": it is active already"}})
	b.sees("not done: hold keepalives of c1: it is active already")
}

func TestFaultsInForce(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	wrongLab(b)
	b.w.add(model.FaultOn{At: at(22), ID: 2, Fault: model.Fault{Kind: model.FaultIsolate, Target: "m2", For: 5 * time.Second}},
		model.FaultOn{At: at(22), ID: 3, Fault: model.Fault{Kind: model.FaultSlowMember, Target: "m2", Delay: time.Second}})
	b.press("5")
	b.sync(24)
	b.sees("#2  2s ago       ends in 3s    ! isolate m2 for 5s")
	b.sees("! isolated+slow ok")
	b.press("tab", "tab", "down", "U")
	b.only(model.Action{Kind: model.HealFault, Fault: model.Fault{Kind: model.FaultIsolate, Target: "m2", For: 5 * time.Second}})
	b.w.add(model.FaultOff{At: at(25), ID: 1, Why: "healed"})
	b.sync(25)
	b.h.done = nil
	b.press("U") // #2 is selected still
	b.only(model.Action{Kind: model.HealFault, Fault: model.Fault{Kind: model.FaultIsolate, Target: "m2", For: 5 * time.Second}})
}
