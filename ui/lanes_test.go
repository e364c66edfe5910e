package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/reports"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// overlap is a lab in which c1 sleeps through the end of its lease.
func overlap(b *bench) {
	w := b.w
	for i, name := range []string{"c1", "c2", "c3"} {
		w.add(model.Contender{At: at(1), Name: name, PID: 100 + i, Lock: "/l", Recipe: "mutex", TTL: 5, Proc: model.ProcRunning})
	}
	w.claim(2, "/l", "", 0xa1)
	believing(w, 2, "c1", model.BeliefHolding, 0xa1)
	w.claim(10, "/l", "", 0xa2)
	believing(w, 10, "c2", model.BeliefWaiting, 0xa2)
	w.claim(20, "/l", "", 0xa3)
	believing(w, 20, "c3", model.BeliefWaiting, 0xa3)
	w.add(model.Contender{At: at(25), Name: "c1", PID: 100, Lock: "/l", Recipe: "mutex", TTL: 5, Proc: model.ProcPaused})
	w.del(32, leaseKey("/l", 0xa1))
	believing(w, 32.1, "c2", model.BeliefHolding, 0xa2)
	w.add(model.Access{At: at(35), Contender: "c2", Lock: "/l", Write: true, Accepted: true, Acked: 1})
	w.add(model.Access{At: at(36), Contender: "c1", Lock: "/l", Write: true, Acked: 1})
	b.sync(40)
}

func believing(w *world, s float64, name string, what model.BeliefState, id model.LeaseID) {
	w.add(model.Belief{At: at(s), Contender: name, Lock: "/l", State: what, Key: leaseKey("/l", id), Lease: id})
}

func TestLanesOfALab(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		b := newBench(t, Options{Lab: true, Signs: signSet(ascii), Profile: colours})
		overlap(b)
		b.press("enter")
		name := "lanes-120x40"
		if ascii {
			name += "-ascii"
		}
		exact(t, b.View(), 120, 40)
		golden(t, name, b.text())
	}
	b := newBench(t, Options{Lab: true})
	overlap(b)
	b.press("enter")
	b.sees("Two holders for 8.0s: c1 and c2")
	b.size(80, 24)
	b.sees("Two holders for 8.0s: c1 and c2")
	for w := 1; w <= 300; w += 7 {
		for _, h := range []int{29, 30, 31, 50, 100} {
			b.size(w, h)
			exact(t, b.View(), w, h)
		}
	}
	b.w.del(50, leaseKey("/l", 0xa2))
	believing(b.w, 50.1, "c3", model.BeliefHolding, 0xa3)
	b.size(120, 40)
	b.sync(100)
	if !strings.Contains(ansi.Strip(b.View()), "Two holders for") {
		t.Errorf("c1 still believes:\n%s", b.text())
	}
}

// TestTwoHoldersAreNotForgotten: a lock that had two at a time is not said never to have had them, once they are out of
// the picture.
func TestTwoHoldersAreNotForgotten(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	overlap(b)
	believing(b.w, 41, "c1", model.BeliefLost, 0xa1)
	b.sync(42)
	b.sees("Two holders for")
	b.sync(200) // the picture shows the last minute
	if text := b.text(); strings.Contains(text, "never two holders") || strings.Contains(text, "Two holders for") {
		t.Errorf("there were two, and not in what is shown:\n%s", text)
	}
}

// TestWhoOnlyBelievesStandsAboveTheQueue: one that lost its key is in no queue, and its line is no row of it.
func TestWhoOnlyBelievesStandsAboveTheQueue(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	overlap(b)
	b.press("enter")
	line := func(part string) int {
		return slices.IndexFunc(strings.Split(b.text(), "\n"), func(s string) bool { return strings.Contains(s, part) })
	}
	head, believer, holder := line("ROLE"), line("only it says so"), line("● holds")
	if believer != head+1 || holder != head+2 {
		t.Fatalf("titles in line %d, who believes in %d, the holder in %d:\n%s", head, believer, holder, b.text())
	}
	for _, r := range []struct {
		y      int
		want   string
		reason string
	}{{holder, "c2", "the holder"}, {believer, "c2", "who has no key is not selected"}, {holder + 1, "c3", "who waits"}} {
		b.send(tea.MouseMsg{X: 20, Y: r.y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
		if c := b.current().Target(b.Frame()).Claim; c == nil || b.state.Who(c.Ref()) != r.want {
			t.Errorf("%s: selected is %+v, want that of %s", r.reason, c, r.want)
		}
	}
	b.w.add(model.Contender{At: at(41), Name: "c1", PID: 100, Lock: "/l", Recipe: "mutex", TTL: 5, Proc: model.ProcEnded})
	b.sync(42)
	if strings.Contains(b.text(), "only it says so") {
		t.Errorf("c1 has ended:\n%s", b.text())
	}
}

// TestLaneOfAClientOfNobody: a claim that is of no contender has a lane of what is
// known of it.
func TestLaneOfAClientOfNobody(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	overlap(b)
	b.w.claim(45, "/l", "", 0x234567)
	b.w.del(50, leaseKey("/l", 0xa3))
	b.w.del(55, leaseKey("/l", 0xa2))
	b.sync(60)
	b.press("enter")
	b.sees("  234567  ● holds" + strings.Repeat(" ", 62) + "▊" + strings.Repeat("─", 12) + "▉" + strings.Repeat("█", 6) + "▌")
}

// TestOverlapsAreSummedUp: one that sleeps on beside the same other is named once,
// the milliseconds are of now and not of the last whole second, and all pages say the same.
func TestOverlapsAreSummedUp(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	overlap(b)
	b.w.del(40.1, leaseKey("/l", 0xa2))
	believing(b.w, 40.1, "c2", model.BeliefIdle, 0xa2)
	b.w.del(40.1, leaseKey("/l", 0xa3))
	b.w.claim(40.2, "/l", "", 0xa4)
	believing(b.w, 40.2, "c2", model.BeliefHolding, 0xa4)
	b.w.add(model.FaultOn{At: at(40.7), ID: 1, Fault: model.Fault{Kind: model.FaultPause, Target: "c1"}})
	b.send(b.w.batch())
	b.press("enter")
	b.sees("Two holders for 8.6s: c1 and c2 ")
	b.press("5")
	b.sees("!! wrong for 8.6s beside c2")
	b.sees("!! 1 false belief")
}

// TestLanesElsewhere: when each waited and held follows from keys alone, on any cluster.
func TestLanesElsewhere(t *testing.T) {
	b := newBench(t, Options{})
	for i, id := range []model.LeaseID{0xa1, 0xa2, 0xa3} {
		b.w.claim(float64(10*i+1), "/l", "", id)
	}
	b.w.del(31, leaseKey("/l", 0xa1))
	b.sync(60)
	b.press("enter")
	b.sees("last minute")
	b.sees("gone")
	if strings.Contains(b.text(), "holders") {
		t.Errorf("nobody told what programs believe:\n%s", b.text())
	}
}

// TestContendersBesideTruth: the table says what was accepted, and for how long two held.
func TestContendersBesideTruth(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	overlap(b)
	b.press("5")
	b.sees("✖ write refused  !! wrong")
	b.sees("write ok 5s")
	if strings.Contains(b.text(), "write ok 5s ago") {
		t.Errorf("in a narrow column no age has an \"ago\", or those below 10 s alone had one:\n%s", b.text())
	}
	b.size(200, 50)
	b.sees("✖ write refused 4s ago  0/1 ok")
	b.sees("write ok 5s ago  1/1 ok")
	b.sees("!! SAYS IT HOLDS: DOES NOT 8.0s beside c2")
}

// TestBesideTruth: what a contender's word is worth is said in words.
func TestBesideTruth(t *testing.T) {
	rows := []struct {
		name, reason, want string
		proc               model.ProcState
		says               model.BeliefState
		claim              bool
	}{
		{"paused", "its word is as old as the pause", "paused: said so 9s ago", model.ProcPaused, model.BeliefHolding, true},
		{"leaving", "it asked, and nobody has answered: no alarm", "leaving      holds      … not read    none             asked to let go, no answer", model.ProcRunning, model.BeliefLeaving, true},
		{"has left", "etcd did it, the answer is lost: no alarm", "let go, not told so yet", model.ProcRunning, model.BeliefLeaving, false},
		{"waits for nothing", "its place in the queue is gone", "not noticed: its key is gone", model.ProcRunning, model.BeliefWaiting, false},
		{"believes", "the one that matters", "!! SAYS IT HOLDS: DOES NOT", model.ProcPaused, model.BeliefHolding, false},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			b := newBench(t, Options{Lab: true})
			b.w.claim(1, "/l", "", 0xa1)
			believing(b.w, 1, "c1", r.says, 0xa1)
			b.w.add(model.Contender{At: at(1), Name: "c1", PID: 100, Lock: "/l", Recipe: "mutex", TTL: 5, Proc: r.proc})
			if !r.claim {
				b.w.del(2, leaseKey("/l", 0xa1))
			}
			b.press("5")
			b.sync(5)
			b.sync(10)
			b.sees(r.want)
			if alarms := strings.Contains(b.text(), "!!"); alarms != (r.name == "believes") {
				t.Errorf("alarm: %v; %s\n%s", alarms, r.reason, b.text())
			}
		})
	}
}

// TestBesideNoTruthYet: until its lock was listed, nobody says that a contender is wrong.
func TestBesideNoTruthYet(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	b.w.ev = []model.Event{model.LoadStarted{At: at(1), Prefix: "/", Rev: b.w.rev}}
	for i, says := range []model.BeliefState{model.BeliefHolding, model.BeliefWaiting} {
		c := fmt.Sprint("c", i+1)
		b.w.add(model.Contender{At: at(1), Name: c, PID: 100, Lock: "/l", Recipe: "mutex", TTL: 5, Proc: model.ProcRunning})
		believing(b.w, 1, c, says, 0xa1)
	}
	b.press("5")
	b.sync(5)
	b.sync(10)
	b.sees("I hold       ?")
	b.sees("I wait       ?")
	for _, word := range []string{"!!", "not noticed", "no key", "lost it"} {
		if strings.Contains(b.text(), word) {
			t.Errorf("it says %q of what was not read\n%s", word, b.text())
		}
	}
}

// TestTruthOfAnUnknownLock: of a program that does not say its lock nothing is known.
func TestTruthOfAnUnknownLock(t *testing.T) {
	c := reports.ContenderInfo{Contender: model.Contender{Name: "worker", Proc: model.ProcRunning}}
	if got := page.TruthWord(draw.NewTheme(draw.ThemeDark, termenv.TrueColor, draw.SignsUnicode), store.New().View, c, 0); got != "?" {
		t.Errorf("got %q", got)
	}
}

// TestFreeLockInTrouble: nobody holds it, one believes so, and it stands first.
func TestFreeLockInTrouble(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	b.w.claim(1, "/a", "", 0xa0)
	b.w.claim(1, "/l", "", 0xa1)
	b.w.add(model.Contender{At: at(1), Name: "c1", PID: 100, Lock: "/l", Recipe: "mutex", TTL: 5, Proc: model.ProcPaused})
	believing(b.w, 1, "c1", model.BeliefHolding, 0xa1)
	b.w.del(2, leaseKey("/l", 0xa1))
	b.sync(10)
	b.w.add(model.Contender{At: at(11), Name: "c1", PID: 100, Lock: "/l", Recipe: "mutex", TTL: 5, Proc: model.ProcPaused})
	b.sync(12)
	b.sees("✖ two act ")
	b.sees(" free for 10s")
	b.sees("c1 believes that it holds; etcd says otherwise")
	b.sees("✖ 1 in trouble")
	if b.viewState.Locks.Name(0) != "/l" {
		t.Errorf("%s stands first", b.viewState.Locks.Name(0))
	}
}

// TestTwoByOneClaim: where two workers of one session act, the lanes do not say that all is well.
func TestTwoByOneClaim(t *testing.T) {
	for _, r := range []struct {
		second model.BeliefState
		want   string
		reason string
	}{
		{model.BeliefHolding, "Two act by one claim: c1.1 and c1.2", "both hold by the key of their session"},
		{model.BeliefWaiting, "never two holders", "the other waits"},
	} {
		b := newBench(t, Options{Lab: true})
		b.w.claim(1, "/l", "", 0xa1)
		b.w.add(model.Contender{At: at(1), Name: "c1", PID: 100, Lock: "/l", Recipe: "mutex", TTL: 5, Proc: model.ProcRunning})
		believing(b.w, 1, "c1.1", model.BeliefHolding, 0xa1)
		believing(b.w, 2, "c1.2", r.second, 0xa1)
		b.sync(10)
		if b.sees(r.want); t.Failed() {
			t.Fatal(r.reason)
		}
	}
}

// TestEndpointsToPaste: on a narrow screen the words give way to what is copied.
func TestEndpointsToPaste(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	wrongLab(b)
	b.live.Endpoints = []string{"127.0.0.1:44945", "127.0.0.1:43543", "127.0.0.1:42925"}
	b.press("5")
	b.sees("use it from any shell")
	b.size(80, 24)
	b.sees("export ETCDCTL_ENDPOINTS=127.0.0.1:44945,127.0.0.1:43543,127.0.0.1:42925")
}

// TestClients: foreign clients are seen, selected and broken.
func TestClients(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	wrongLab(b)
	who := model.Client{Name: "127.0.0.1:50001"}
	b.w.add(model.Connected{At: at(22), Client: who, Peer: who.Name, Agent: "grpc-go/1.71.1", Member: "127.0.0.1:2381", On: true})
	b.sync(30)
	b.press("5")
	b.sees("use it from any shell")
	b.sees("other clients")
	b.sees("127.0.0.1:50001")
	b.sees("grpc-go/1.71.1")
	b.press("shift+tab", "shift+tab", "shift+tab", "K")
	b.sees("not available: this client is not a process of the lab")
	b.pressed("F", "down", "down", "down", "down", "down", "grace")
	b.sees("faults: client 127.0.0.1:50001")
	b.pressed("enter", "grace", "down", "right", "right", "enter")
	b.only(model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: model.FaultCut, Target: who.Name}})
	b.w.add(model.FaultOn{At: at(31), ID: 7, Fault: model.Fault{Kind: model.FaultCut, Target: who.Name}})
	b.sync(31)
	b.sees("127.0.0.1:50001 ! cut")
}
