package ui

import (
	"fmt"
	"strings"
	"testing"

	"locktop/demo/lessons"
	"locktop/model"
	"locktop/model/store"
	"locktop/ui/cli/course"
)

const guided = "/demo/billing"

// tour is a console with the guide, in a lab whose programs act by hand.
type tour struct{ *bench }

func newTour(t testing.TB, w, h int) tour { return newTourOn(t, Options{}, "en", w, h) }

func newTourOn(t testing.TB, o Options, lang string, w, h int) tour {
	d, err := lessons.Guide()
	if err != nil {
		t.Fatal(err)
	}
	o.Lab, o.Armed, o.Lang, o.Lesson = true, true, lang, course.Guide(d, lang, guided)
	b := newBench(t, o)
	b.size(w, h)
	return tour{b}
}

// joins lets a contender ask for a lock, as the lab and the proxy report it.
func (t tour) joins(s float64, name, lock string, id model.LeaseID) {
	t.w.add(model.Contender{At: at(s), Name: name, PID: 4711, Lock: lock, Recipe: "mutex", TTL: 5, Proc: model.ProcRunning},
		model.LeaseOwner{At: at(s), Lease: id, Client: model.Client{Name: name, Certain: true}})
	t.w.claim(s, lock, "", id)
	t.w.read(s, id, 5, 5)
	t.says(s, name, lock, id, model.BeliefWaiting)
}

func (t tour) says(s float64, name, lock string, id model.LeaseID, state model.BeliefState) {
	t.w.add(model.Belief{At: at(s), Contender: name, Lock: lock, State: state, Key: leaseKey(lock, id), Lease: id})
}

// goes takes a claim away, and lets the next one say that it holds.
func (t tour) goes(s float64, id model.LeaseID, next string, nextID model.LeaseID) {
	t.w.del(s, leaseKey(guided, id))
	t.says(s, next, guided, nextID, model.BeliefHolding)
}

func (t tour) led(s float64, leader uint64) {
	c := model.ClusterStatus{At: at(s)}
	for id := range uint64(3) {
		c.Members = append(c.Members, model.Member{ID: id + 1, Name: "m" + string(rune('1'+id)), Term: 2, Rev: 184_000, Leader: id+1 == leader})
	}
	t.w.add(c)
}

func (t tour) process(s float64, name string, state model.ProcState) {
	t.w.add(model.Contender{At: at(s), Name: name, PID: 4711, Lock: guided, Recipe: "mutex", TTL: 5, Proc: state})
}

// queue is three programs on the lock, c1 holds.
func (t tour) queue() {
	t.led(1, 1)
	t.joins(1, "c1", guided, 0xa1)
	t.joins(1, "c2", guided, 0xa2)
	t.joins(1, "c3", guided, 0xa3)
	t.says(1, "c1", guided, 0xa1, model.BeliefHolding)
	t.sync(2)
}

// handover, pause, expiry, wake, deadlock and another leader are what the steps are about.
func (t tour) handover() {
	t.says(2.9, "c1", guided, 0xa1, model.BeliefLeaving)
	t.goes(3, 0xa1, "c2", 0xa2)
	t.says(3.1, "c1", guided, 0, model.BeliefIdle)
	t.sync(4)
}

func (t tour) pause() {
	t.process(5, "c2", model.ProcPaused)
	t.w.add(model.FaultOn{At: at(5), ID: 1, Fault: model.Fault{Kind: model.FaultPause, Target: "c2"}})
	t.sync(6)
}

func (t tour) expiry() {
	t.goes(11, 0xa2, "c3", 0xa3)
	t.sync(12)
	t.w.add(model.Tick{At: at(13)})
	t.sync(13)
}

func (t tour) wake() {
	t.w.add(model.FaultOff{At: at(20), ID: 1, Why: "healed"})
	t.process(20, "c2", model.ProcRunning)
	t.says(20, "c2", guided, 0xa2, model.BeliefLost)
	t.sync(21)
}

func (t tour) deadlock() {
	t.w.add(model.FaultOn{At: at(30), ID: 2, Fault: model.Fault{Kind: model.FaultDeadlock}})
	t.joins(30, "c4", "/demo/stock", 0xb1)
	t.joins(30, "c5", "/demo/cash", 0xb2)
	t.sync(31)
	t.sees("Each takes its first lock")
	t.w.claim(32, "/demo/cash", "", 0xb1)
	t.w.claim(32, "/demo/stock", "", 0xb2)
	t.w.read(36, 0xb1, 5, 5)
	t.w.read(36, 0xb2, 5, 5)
	t.sync(36)
}

func (t tour) anotherLeader() { t.led(40, 2); t.sync(41) }

func (t tour) seesNot(text string) {
	t.t.Helper()
	if strings.Contains(t.text(), text) {
		t.t.Errorf("the screen says %q:\n%s", text, t.text())
	}
}

// TestTheGuideFollowsThePerson goes through the five steps as the lab shows them. Nobody
// presses a key but for the next step.
func TestTheGuideFollowsThePerson(t *testing.T) {
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 36}} {
		b := newTour(t, size.w, size.h)
		b.queue()
		b.sees("guide ●○○○○ a handover")
		b.sees("c2 is next. Watch it take over when c1 lets go, or press T: c1 ends.")
		b.handover()
		b.sees("c2 got /demo/billing from c1. The oldest key wins: first come, first served.")
		b.press("n")
		b.sees("guide ●●○○○ pause the holder")
		b.sees("P pauses c2. Then its lease runs out.")
		b.pause()
		b.sees("c2 is paused. etcd waits until the lease of c2 ends")
		b.expiry()
		b.sees("Two programs act: etcd gave c3 the lock, and c2 believes it holds.")
		b.press("n")
		b.sees("guide ●●●○○ let it wake")
		b.sees("P lets c2 run on.")
		b.wake()
		b.sees("c2 noticed that its lease was gone. It was wrong for 9.0s.")
		b.press("n")
		b.sees("guide ●●●●○ a deadlock")
		b.sees("F, then deadlock, starts two such programs.")
		b.deadlock()
		b.sees("Deadlock: c4 and c5 wait for each other. Both renew, so no lease ends.")
		b.press("n")
		b.sees("guide ●●●●● move the leader")
		b.sees("F, then move-leader, moves it from m1 to another member.")
		b.anotherLeader()
		b.sees("m2 leads now. No lock moved, and every lease has its full time again.")
		b.press("n")
		b.sees("You saw order, lease, handover, false belief, and what no lock can promise.")
		b.press("n")
		b.seesNot("guide ")
		if len(b.h.done) > 0 {
			t.Errorf("the guide did %+v, and nobody asked for it", b.h.done)
		}
	}
}

// TestTheAxisStaysBesideTheGuide: on the smallest screen, with the verdict and all locks of the demo
// above, and the guide below.
func TestTheAxisStaysBesideTheGuide(t *testing.T) {
	b := newTour(t, 80, 24)
	for i := range 5 {
		b.joins(1, fmt.Sprintf("d%d", i), fmt.Sprintf("/demo/more%d", i), model.LeaseID(0xd0+i))
	}
	b.queue()
	b.handover()
	b.pause()
	b.expiry()
	b.sees("✖ Two programs act on", "guide ●●○○○", "c2    ✖ believes", "c3    ● holds")
}

// TestTheGuideNeedNotBeToldToGoOn: a person who does the next step has gone on.
func TestTheGuideNeedNotBeToldToGoOn(t *testing.T) {
	b := newTour(t, 120, 36)
	b.queue()
	b.handover()
	b.pause()
	b.sees("guide ●●○○○ pause the holder")
	b.expiry()
	b.wake()
	b.sees("guide ●●●○○ let it wake")
	b.deadlock()
	b.sees("guide ●●●●○ a deadlock")
	b.anotherLeader()
	b.sees("guide ●●●●● move the leader")
}

// TestTheGuideWaitsForWhatHappens: what only looks like the step does not end it.
func TestTheGuideWaitsForWhatHappens(t *testing.T) {
	for _, r := range []struct {
		name, reason string
		do           func(b tour)
		sees, not    string
	}{
		{"a minute", "it waits for the person, and for no clock", func(b tour) { b.queue(); b.sync(62) },
			"c2 is next.", "first come, first served"},
		{"a waiter leaves", "nobody took the lock", func(b tour) { b.queue(); b.w.del(3, leaseKey(guided, 0xa2)); b.sync(4) },
			"c3 is next.", "first come, first served"},
		{"woken in time", "its lease was still there, so nothing was lost", func(b tour) {
			b.queue()
			b.handover()
			b.pause()
			b.w.add(model.FaultOff{At: at(7), ID: 1, Why: "healed"})
			b.process(7, "c2", model.ProcRunning)
			b.sync(8)
		}, "P pauses c2.", "Two programs act"},
		{"a waiter is paused", "it holds nothing", func(b tour) {
			b.queue()
			b.handover()
			b.press("n")
			b.process(5, "c3", model.ProcPaused)
			b.sync(6)
		}, "P pauses c2.", "c3 is paused. etcd"},
		{"words that cross", "for a moment two say that they hold, and nothing is wrong", func(b tour) {
			b.queue()
			b.handover()
			b.press("n")
			b.says(5, "c3", guided, 0xa3, model.BeliefHolding)
			b.w.add(model.Tick{At: at(5.3)})
			b.sync(5.3)
			b.says(5.4, "c2", guided, 0xa2, model.BeliefLeaving)
			b.goes(5.4, 0xa2, "c3", 0xa3)
			b.sync(6)
		}, "Nobody waits for", "Two programs act"},
		{"a slow machine", "nobody paused c2: it got no processor in time", func(b tour) {
			b.queue()
			b.handover()
			b.press("n")
			b.goes(5, 0xa2, "c3", 0xa3)
			b.w.add(model.Tick{At: at(8)})
			b.sync(8)
		}, "Nobody waits for", "etcd gave c3 the lock"},
		{"the same leader", "no other one leads", func(b tour) {
			b.queue()
			b.handover()
			b.pause()
			b.expiry()
			b.wake()
			b.deadlock()
			b.press("n")
			b.led(39, 1)
			b.sync(40)
		}, "moves it from m1", "leads now"},
		{"nobody waits", "it asks for what a queue needs", func(b tour) {
			b.joins(1, "c1", guided, 0xa1)
			b.sync(2)
		}, "Nobody waits for /demo/billing. N adds a contender", "is next"},
		{"not read yet", "who waits is not known", func(b tour) {
			b.w.ev = []model.Event{model.LoadStarted{At: at(1), Prefix: "/", Rev: b.w.rev}}
			b.w.add(model.Contender{At: at(1), Name: "c1", PID: 4711, Lock: guided, Recipe: "mutex", TTL: 5, Proc: model.ProcRunning})
			b.sync(2)
		}, "The keys of /demo/billing are being read.", "Nobody waits"},
	} {
		t.Run(r.name, func(t *testing.T) {
			b := newTour(t, 80, 24)
			r.do(b)
			b.sees(r.sees)
			b.seesNot(r.not)
			if t.Failed() {
				t.Log(r.reason)
			}
		})
	}
}

// TestTheGuideSaysHowAFalseBeliefEnded: who was killed in his sleep has noticed nothing, and who
// let go need not have.
func TestTheGuideSaysHowAFalseBeliefEnded(t *testing.T) {
	const noticed = "noticed that its lease was gone"
	for _, r := range []struct {
		name, reason string
		do           func(b tour)
		sees, not    string
	}{
		{"noticed", "its session told it", tour.wake, "c2 " + noticed + ". It was wrong for 9.0s.", "never"},
		{"killed", "a program that is killed notices nothing", func(b tour) { b.process(20, "c2", model.ProcEnded); b.sync(21) },
			"c2 ended and never noticed that its lease was gone. It was wrong for 9.0s.", "c2 " + noticed},
		{"noticed, then killed", "the end of its process takes nothing back", func(b tour) {
			b.says(20, "c2", guided, 0xa2, model.BeliefLost)
			b.process(20.5, "c2", model.ProcEnded)
			b.sync(21)
		}, "c2 " + noticed + ". It was wrong for 9.0s.", "never"},
		{"its work was done", "it let go of what it had lost, and heard of nothing", func(b tour) {
			b.process(20, "c2", model.ProcRunning)
			b.says(20, "c2", guided, 0xa2, model.BeliefLeaving)
			b.says(20.5, "c2", guided, 0, model.BeliefIdle)
			b.sync(21)
		}, "c2 let go and did not say that it had lost the lock. It was wrong for ", "c2 " + noticed},
		{"still asleep", "its belief goes on", func(b tour) { b.sync(21) }, "P lets c2 run on.", "noticed"},
	} {
		for _, size := range []struct{ w, h int }{{80, 24}, {120, 36}} {
			t.Run(r.name, func(t *testing.T) {
				b := newTour(t, size.w, size.h)
				b.queue()
				b.handover()
				b.pause()
				b.expiry()
				b.press("n")
				r.do(b)
				b.sees("let it wake", r.sees)
				b.seesNot(r.not)
				if t.Failed() {
					t.Log(r.reason)
				}
			})
		}
	}
}

// TestTheGuidePlaysAStepIfAsked: n does it, on the road of the keys, and nothing else does.
func TestTheGuidePlaysAStepIfAsked(t *testing.T) {
	fault := func(kind model.FaultKind, target, lock string) model.Action {
		return model.Action{Kind: model.InjectFault, Lock: lock, Fault: model.Fault{Kind: kind, Target: target}}
	}
	for _, r := range []struct {
		name string
		do   func(b tour)
		want model.Action
	}{
		{"nobody waits", func(b tour) { b.joins(1, "c1", guided, 0xa1); b.sync(2) }, model.Action{Kind: model.SpawnProc, Lock: guided}},
		{"a handover", func(b tour) { b.queue() }, fault(model.FaultStop, "c1", guided)},
		{"pause the holder", func(b tour) { b.queue(); b.handover(); b.press("n") }, fault(model.FaultPause, "c2", guided)},
		{"let it wake", func(b tour) { b.queue(); b.handover(); b.pause(); b.expiry(); b.press("n") },
			model.Action{Kind: model.HealFault, Lock: guided, Fault: model.Fault{Kind: model.FaultPause, Target: "c2"}}},
		{"a deadlock", func(b tour) {
			b.queue()
			b.handover()
			b.pause()
			b.expiry()
			b.wake()
			b.press("n")
		}, fault(model.FaultDeadlock, "", "")},
		{"move the leader", func(b tour) {
			b.queue()
			b.handover()
			b.pause()
			b.expiry()
			b.wake()
			b.deadlock()
			b.press("n")
		}, fault(model.FaultMoveLeader, "", "")},
	} {
		t.Run(r.name, func(t *testing.T) {
			b := newTour(t, 120, 36)
			r.do(b)
			b.sees("n do it for me")
			b.press("n")
			b.only(r.want)
		})
	}
	b := newTour(t, 120, 36)
	b.queue()
	b.h.refuse = "64 contenders run"
	b.press("n")
	b.sees("not available: 64 contenders run")
	if len(b.h.done) > 0 {
		t.Errorf("did %+v", b.h.done)
	}
}

// TestTheGuideOffersToPlay: who does not press a key for a while may not know what to do.
func TestTheGuideOffersToPlay(t *testing.T) {
	b := newTour(t, 120, 36)
	b.queue()
	b.sync(20)
	b.seesNot("n plays it")
	b.sync(21)
	b.sees("n plays it")
	b.press("down") // any key
	b.seesNot("n plays it")
	b.sync(41)
	b.sees("n plays it")
	b.handover()
	b.seesNot("n plays it")
}

// TestTheGuideHides: it leaves its title, and loses nothing meanwhile.
func TestTheGuideHides(t *testing.T) {
	b := newTour(t, 80, 24)
	b.queue()
	b.press("L")
	b.sees("guide ●○○○○ a handover")
	b.sees("L show")
	b.seesNot("c2 is next.")
	b.handover()
	b.press("n") // which shows it, and does not go on
	b.sees("c2 got /demo/billing from c1.")
	b.press("L", "L")
	b.sees("c2 got /demo/billing from c1.")
	if len(b.h.done) > 0 {
		t.Errorf("did %+v", b.h.done)
	}
}

// TestTheKeysReachTheLoser: who was paused and lost the lock has no row in its queue, so the
// keys of the lock reach it without one.
func TestTheKeysReachTheLoser(t *testing.T) {
	heals := model.Action{Kind: model.HealFault, Lock: guided, Fault: model.Fault{Kind: model.FaultPause, Target: "c2"}}
	pauses := model.Action{Kind: model.InjectFault, Lock: guided, Fault: model.Fault{Kind: model.FaultPause, Target: "c3"}}
	for _, r := range []struct {
		name, reason string
		keys         []string
		want         model.Action
	}{
		{"on the locks", "the lock is selected, and none of its claims", []string{"P"}, heals},
		{"on its queue", "nobody chose a claim there", []string{"enter", "P"}, heals},
		{"a claim that was chosen", "a person means the one under the cursor", []string{"enter", "up", "P"}, pauses},
		{"on the lab", "there the loser has a row of its own", []string{"5", "down", "down", "P"}, pauses},
		{"kill", "it acts as the holder, and the holder is well", []string{"K"},
			model.Action{Kind: model.InjectFault, Lock: guided, Fault: model.Fault{Kind: model.FaultKill, Target: "c2"}}},
		{"kill the one that was chosen", "a person means the one under the cursor", []string{"enter", "up", "K"},
			model.Action{Kind: model.InjectFault, Lock: guided, Fault: model.Fault{Kind: model.FaultKill, Target: "c3"}}},
		{"another fault", "H is not what paused it", []string{"H"},
			model.Action{Kind: model.InjectFault, Lock: guided, Fault: model.Fault{Kind: model.FaultHoldKeepalives, Target: "c3"}}},
	} {
		t.Run(r.name, func(t *testing.T) {
			b := newTour(t, 120, 36)
			b.queue()
			b.handover()
			b.pause()
			b.expiry()
			b.press(r.keys...)
			b.only(r.want)
			if t.Failed() {
				t.Log(r.reason)
			}
		})
	}
}

func TestAKeyReachesTheHolderOfALockThatIsWell(t *testing.T) {
	b := newTour(t, 120, 36)
	b.queue()
	b.press("K")
	b.only(model.Action{Kind: model.InjectFault, Lock: guided, Fault: model.Fault{Kind: model.FaultKill, Target: "c1"}})
}

// TestTheKeysOfTheLab: at 80 columns the keys that break things are in the footer, and
// elsewhere those that look.
func TestTheKeysOfTheLab(t *testing.T) {
	footer := func(o Options) string {
		b := newBench(t, o)
		b.size(80, 24)
		wrongLab(b)
		lines := strings.Split(strings.TrimRight(b.text(), "\n"), "\n")
		return lines[len(lines)-1]
	}
	if got, want := footer(Options{Lab: true, Armed: true}), " x break  enter open  P pause  H hold  K kill  F faults  A heal  N add   ? help"; got != want {
		t.Errorf("in a lab: %q, want %q", got, want)
	}
	if got, want := footer(Options{}), " x break  enter open  / filter  e explain  w why  o session  c etcdctl   ? help"; got != want {
		t.Errorf("elsewhere: %q, want %q", got, want)
	}
}

func TestGoldenGuide(t *testing.T) {
	for _, r := range []struct {
		name, lang string
		w, h       int
	}{{"guide-80x24", "en", 80, 24}, {"guide-120x36", "en", 120, 36}, {"guide-zh-80x24", "zh", 80, 24}, {"guide-zh-120x36", "zh", 120, 36}} {
		b := newTourOn(t, Options{}, r.lang, r.w, r.h)
		b.queue()
		b.handover()
		b.pause()
		b.expiry()
		exact(t, b.View(), r.w, r.h)
		golden(t, r.name, b.text())
	}
}

// TestTheGuideNamesWhomTheKeyHits: `P` pauses the holder of the selected lock, and so the
// guide names that one, whichever lock it began with.
func TestTheGuideNamesWhomTheKeyHits(t *testing.T) {
	b := newTour(t, 120, 36)
	b.queue()
	b.joins(2, "d1", "/demo/other", 0xb1)
	b.joins(2, "d2", "/demo/other", 0xb2)
	b.says(2, "d1", "/demo/other", 0xb1, model.BeliefHolding)
	b.handover()
	b.press("n") // what follows the handover
	b.press(":", "lock "+guided, "enter", "1")
	b.sync(5)
	b.sees("P pauses c2.")
	b.press(":", "lock /demo/other", "enter", "1")
	b.sync(6)
	b.sees("P pauses d1.")
	b.press("P")
	b.only(model.Action{Kind: model.InjectFault, Lock: "/demo/other", Fault: model.Fault{Kind: model.FaultPause, Target: "d1"}})
}

// TestOneGoesBackInTheGuide: each task that was done stands there again, with the screen as it was
// when that was seen; the lab goes on meanwhile, and the guide does not.
func TestOneGoesBackInTheGuide(t *testing.T) {
	past := &kept{rewound: &rewound{now: store.New()}}
	b := newTourOn(t, Options{Past: past}, "en", 120, 36)
	b.queue()
	b.press("u")
	b.sees("this is the first step")
	b.handover()
	b.press("n")
	b.sees("guide ●●○○○ pause the holder", "u back")
	b.pause()
	past.all = b.w.sent
	b.seek("u")
	b.sees("guide ●○○○○ a handover", "step 1 of 2  n forward", "c2 got /demo/billing from c1.", "PAST", "the lab goes on")
	if l := b.state.Lock(guided); l == nil || l.Len() != 2 || len(b.state.Reports().Faults()) != 0 {
		t.Errorf("the screen shows %+v with %v, as it was not then", l, b.state.Reports().Faults())
	}
	b.press("P")
	b.sees("The past is shown")
	b.seek("n")
	b.sees("guide ●●○○○ pause the holder", "c2 is paused. etcd waits")
	if b.present != nil || !past.left || len(b.h.done) > 0 {
		t.Errorf("in the past %v, left it %v, did %+v", b.present != nil, past.left, b.h.done)
	}
}
