package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/ui/page"
)

// troubles is a lock with several findings at once, each about a claim of its own, and
// another lock whose old holder still believes.
func troubles(b *bench) {
	w := b.w
	detached := leaseKey("/mix-lock", 0x694d81e5fc652594)
	w.put(1, "/mix-lock/stray", "data", 0)
	w.put(2, detached, "", 0x694d81e5fc652594)
	w.claim(3, "/mix-lock", "", 0xb1)
	w.claim(4, "/mix-lock", "", 0xb2)
	w.claim(5, "/mix-lock/below", "", 0xb3)
	w.rewrite(6, detached, "status", 0)
	w.claim(7, "/old", "", 0xc1)
	w.claim(8, "/old", "", 0xc2)
	for i, name := range []string{"c1", "c2"} {
		w.add(model.Contender{At: at(8), Name: name, PID: 70 + i, Lock: "/old", Recipe: "mutex", TTL: 10, Proc: model.ProcPaused})
	}
	w.add(model.Belief{At: at(8), Contender: "c1", Lock: "/old", State: model.BeliefHolding, Key: leaseKey("/old", 0xc1), Lease: 0xc1})
	w.read(9, 0xb1, 60, 58)
	w.read(9, 0xb2, 60, 58)
	w.read(22, 0xb1, 60, 57)
	w.read(22, 0xb2, 60, 58)
	w.read(66, 0xb2, 60, 14)
	w.del(67, leaseKey("/old", 0xc1))
	b.sync(67)
	w.add(model.Tick{At: at(72)})
	b.sync(72)
}

// TestBreakTakesTheClaimOfTheFinding: x on a finding offers the claim that the finding is
// about, and nothing where no claim is to blame.
func TestBreakTakesTheClaimOfTheFinding(t *testing.T) {
	for _, r := range []struct {
		code   model.Code
		key    string
		says   string
		reason string
	}{
		{model.CodeForeignKey, "/mix-lock/stray", "breaking this claim is the wrong cure: some program may need", "data that stands first"},
		{model.CodeLeaseDetached, leaseKey("/mix-lock", 0x694d81e5fc652594), "breaking this claim is a cure: the key never expires", "it has no lease either, and stands behind the data"},
		{model.CodeDeadWaiter, leaseKey("/mix-lock", 0xb2), "breaking this claim is a cure: it takes a dead waiter out", "neither the first nor the last"},
		{model.CodeStaleHolder, "", "there is no claim to break: the new holder is in the right", "the only claim is that of the new holder, who is innocent"},
	} {
		t.Run(string(r.code), func(t *testing.T) {
			b := newBench(t, Options{Lab: true, Armed: true})
			b.size(160, 50)
			troubles(b)
			b.press("4")
			chosen := false
			for _, f := range b.state.Findings() {
				if f.Code == r.code {
					b.current().Show(b.Frame(), page.Request{Finding: &f})
					chosen = true
				}
			}
			if !chosen {
				t.Fatalf("not found:\n%s", b.text())
			}
			b.sync(b.now.Sub(t0).Seconds())
			b.press("x")
			b.sees(r.says)
			switch {
			case r.key == "" && b.dialog != nil:
				t.Fatalf("%s: it offers %q", r.reason, b.offered().Key)
			case r.key == "":
				return
			case b.dialog == nil:
				t.Fatalf("%s: no dialog:\n%s", r.reason, b.text())
			}
			if got := b.offered(); got.Key != r.key || got.CreateRev != b.w.keys[r.key].CreateRev {
				t.Errorf("%s: it offers %s of revision %d", r.reason, got.Key, got.CreateRev)
			}
			if text := b.text(); strings.Index(text, r.says) > strings.Index(text, "lock     /") {
				t.Errorf("%s: it is not said first:\n%s", r.reason, text)
			}
		})
	}
}

// TestEveryFindingLeadsToItsClaim walks whatever is found in a world of troubles.
func TestEveryFindingLeadsToItsClaim(t *testing.T) {
	for name, fill := range map[string]func(*bench){"lab": wrongLab, "troubles": troubles} {
		b := newBench(t, Options{Lab: true, Armed: true})
		fill(b)
		for _, f := range b.state.Findings() {
			b.press("4")
			b.current().Show(b.Frame(), page.Request{Finding: &f})
			b.sync(b.now.Sub(t0).Seconds())
			b.press("x")
			switch {
			case f.Claim.IsZero() && b.dialog != nil:
				t.Errorf("%s: %s on %s is about no claim, and x offers %s", name, f.Code, f.Lock, b.offered().Key)
			case !f.Claim.IsZero() && b.dialog == nil:
				t.Errorf("%s: %s on %s is about %s, and x offers nothing", name, f.Code, f.Lock, f.Claim.Key)
			case b.dialog != nil && (b.offered().Key != f.Claim.Key || b.offered().CreateRev != f.Claim.CreateRev):
				t.Errorf("%s: %s on %s is about %s, and x offers %s", name, f.Code, f.Lock, f.Claim.Key, b.offered().Key)
			}
			if b.dialog != nil {
				b.press("esc")
			}
		}
	}
}

// TestTheNewHolderIsNotBrokenUnwarned: whoever breaks the holder of a lock from its queue
// reads first that another program is to blame.
func TestTheNewHolderIsNotBrokenUnwarned(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	troubles(b)
	b.press("1", "/", "old", "enter", "x")
	if b.dialog == nil {
		t.Fatalf("no dialog:\n%s", b.text())
	}
	b.sees("breaking this claim is the wrong cure: the new holder is in the")
}

// TestWhatChangedIsShownAgain: a claim that is not what the dialog showed is not deleted;
// the dialog comes again, with what changed, and wants to be confirmed anew.
func TestWhatChangedIsShownAgain(t *testing.T) {
	key := leaseKey("/cron/job7", 0xc3)
	for _, r := range []struct {
		name   string
		o      Options
		before []string // of the keys that confirm, pressed before it changes
		way    []string
		change func(b *bench)
		says   string
		reason string
	}{
		{"the watch sees another value", Options{Lab: true}, nil, []string{"D"}, func(b *bench) {
			b.w.rewrite(23, key, "new owner", 0xc3)
			b.sync(23)
		}, "its value is another", "the plan is of the old owner, and the screen shows the new one"},
		{"the watch sees another lease", Options{}, []string{"D"}, []string{"/cron/job7", "enter"}, func(b *bench) {
			b.w.rewrite(23, key, "", 0xd9)
			b.sync(23)
		}, "it is on lease d9 now, not on lease c3", "what is typed does not help"},
		{"the gate sees it first", Options{}, nil, []string{"D", "/cron/job7", "enter"}, func(b *bench) {
			kv := b.w.keys[key]
			kv.Value = "new owner"
			b.h.says = &model.Outcome{Err: "its value is another", Changed: "its value is another", Now: kv}
		}, "its value is another", "the watch may be behind"},
		{"the lease has a new key", Options{}, nil, []string{"R", "/cron/job7", "enter"}, func(b *bench) {
			b.w.claim(23, "/other", "", 0xc3)
			b.h.says = &model.Outcome{Err: "a key was not shown", Changed: "a key was not shown", Now: b.w.keys[key]}
		}, "/other/c3", "it is listed now"},
	} {
		t.Run(r.name, func(t *testing.T) {
			r.o.Armed = true
			b := newBench(t, r.o)
			b.size(120, 50)
			wrongLab(b)
			b.pressed("/", "job7", "enter", "x", "grace")
			b.pressed(r.before...)
			r.change(b)
			b.pressed(r.way...)
			if len(b.h.done) != 0 || b.dialog == nil {
				t.Fatalf("%s: did %+v\n%s", r.reason, b.h.done, b.text())
			}
			b.sees("nothing was done: ")
			b.sees(r.says)
			b.pressed(r.way...)
			if len(b.h.done) != 0 || b.dialog == nil {
				t.Fatalf("a key that was meant for the first dialog confirmed the second: %+v", b.h.done)
			}
			b.sync(24)
			b.pressed("grace")
			b.pressed(append(r.before, r.way...)...)
			if len(b.h.done) != 1 || b.h.done[0].Key != key {
				t.Errorf("shown again and confirmed: did %+v\n%s", b.h.done, b.text())
			}
		})
	}
}

// TestWhatGoesUnwatchedIsSaid: a revoke ends keys of the lease that lie outside the watched
// prefixes, too; what that means there nobody sees, and it is not called gone.
func TestWhatGoesUnwatchedIsSaid(t *testing.T) {
	const unseen = "of its keys is not watched: who holds or waits there is not seen"
	for _, r := range []struct {
		key, says string
		seen      bool
		reason    string
	}{
		{"services/pay/10.0.0.2:80", "is not watched: who waits there is not seen", false, "the watched prefix is /"},
		{"/services/pay/10.0.0.2:80", "goes from /services/pay", true, "it lies under it"},
	} {
		b := newBench(t, Options{Lab: true, Armed: true})
		b.size(160, 50)
		wrongLab(b)
		if r.seen {
			b.w.put(22, r.key, "", 0xc3)
		} else {
			b.w.keys[r.key] = model.KV{Key: r.key, CreateRev: 7, ModRev: 7, Version: 1, Lease: 0xc3}
		}
		b.sync(22)
		b.pressed("/", "job7", "enter", "x")
		b.sees(r.says)
		if r.seen == strings.Contains(b.text(), "1 "+unseen) {
			t.Errorf("%s, %s:\n%s", r.key, r.reason, b.text())
		}
	}
}

// TestAClaimThatIsGoneIsNotShownAgain: there is nothing to confirm.
func TestAClaimThatIsGoneIsNotShownAgain(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	wrongLab(b)
	b.pressed("/", "job7", "enter", "x", "grace")
	b.h.says = &model.Outcome{Err: "the claim is gone", Changed: "the claim is gone"}
	b.pressed("D")
	if b.dialog != nil {
		t.Errorf("a dialog about nothing:\n%s", b.text())
	}
	b.sees("not done: delete claim /cron/job7/c3")
}

// TestNoAnswerIsSaidUntilItIsSeen: the notice says neither that it was done nor that it was not,
// and stays until the watch tells.
func TestNoAnswerIsSaidUntilItIsSeen(t *testing.T) {
	for _, lang := range []struct{ name, unknown, seen string }{{"", "unknown whether done: delete claim /cron/job7/c3", "no answer came, but seen: d4 took over /cron/job7"},
		{"zh", "不知道做了没有：", "没有收到回答，但看到："}} {
		b := newBench(t, Options{Lab: true, Armed: true})
		wrongLab(b)
		b.th.Lang = lang.name
		b.pressed("/", "job7", "enter", "x", "grace")
		b.h.says = &model.Outcome{Unknown: true, Err: "no answer that can be used, so it may have been done"}
		b.pressed("D")
		b.sees(lang.unknown)
		for i := range 10 {
			b.send(tickMsg(b.tick.Add(time.Duration(i+1) * time.Second)))
		}
		b.sees(lang.unknown)
		if strings.Contains(b.text(), "not done") {
			t.Errorf("nobody knows that:\n%s", b.text())
		}
		b.w.del(23, leaseKey("/cron/job7", 0xc3))
		b.sync(23)
		b.sees(lang.seen)
	}
}

// TestBreakNeedsASelection: with nothing under the cursor there is no lock to speak of.
func TestBreakNeedsASelection(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	b.size(120, 36)
	b.sync(1)
	b.press("4", "x")
	if text := b.text(); !strings.Contains(text, "nothing selected to break") || strings.Contains(text, "nobody holds it") {
		t.Errorf("x without a selection says\n%s", text)
	}
}

// TestSeveralLocksAreBrokenAtOnce: x is about the locks that are marked, shows each with what
// guards it, and deletes only what is as it was shown.
func TestSeveralLocksAreBrokenAtOnce(t *testing.T) {
	billing, report, job := "/jobs/billing/a1", "/jobs/report/b2", "/cron/job7/c3"
	mark := []string{"/", "jobs", "enter", "home", "M", "down", "M", "/", "ctrl+u", "job7", "enter", "M", "esc", "x"}
	for _, r := range []struct {
		name   string
		lab    bool
		before []string
		change func(b *bench)
		keys   []string
		done   []string
		says   []string
		reason string
	}{
		{"in a lab", true, []string{"grace"}, nil, []string{"D"}, []string{billing, report, job}, []string{"What came of it", "✔ /jobs/report  Deleted claim /jobs/report/b2"}, "each is deleted"},
		{"too soon", true, nil, nil, []string{"D"}, nil, nil, "a D that was meant for the page"},
		{"enter", true, []string{"grace"}, nil, []string{"enter"}, nil, []string{"enter does not confirm: D does"}, "as in every dialog that breaks"},
		{"elsewhere", false, []string{"grace"}, nil, []string{"D"}, nil, []string{`type "3 locks" to delete their claims:`}, "it has to be typed"},
		{"typed wrong", false, []string{"grace"}, nil, []string{"D", "2 locks", "enter"}, nil, []string{`that is not "3 locks"`}, "how many they are"},
		{"typed", false, []string{"grace"}, nil, []string{"D", "3 locks", "enter"}, []string{billing, report, job}, []string{"What came of it"}, "and then it is done"},
		{"one has another value", true, []string{"grace"}, func(b *bench) { b.w.rewrite(23, report, "new owner", 0xb2); b.sync(23) }, []string{"D"}, []string{billing, job},
			[]string{"✖ /jobs/report", "its value is another"}, "it is not what was shown, and the others are"},
		{"one was released", true, []string{"grace"}, func(b *bench) { b.w.del(23, billing); b.sync(23) }, []string{"D"}, []string{report, job}, []string{"already released"}, "there is nothing to delete"},
		{"the gate refuses one", true, []string{"grace"}, func(b *bench) { b.h.says = &model.Outcome{Err: "the claim has changed"} }, []string{"D"}, []string{report, job},
			[]string{"✖ /jobs/billing", "not done: the claim has changed"}, "it sees more than the watch"},
		{"no answer comes for one", true, []string{"grace"}, func(b *bench) { b.h.says = &model.Outcome{Unknown: true, Err: "no answer"} }, []string{"D"}, []string{report, job},
			[]string{"! /jobs/billing", "unknown whether done: no answer"}, "nobody knows, and it stays marked"},
		{"cancelled", true, []string{"grace"}, nil, []string{"esc", "D"}, nil, []string{"3 locks marked: x breaks them, M takes a mark away"}, "the marks stay"},
		{"a mark taken away", true, nil, nil, []string{"esc", "/", "jobs", "enter", "home", "M", "esc", "x", "grace", "D"}, []string{report, job}, []string{"What came of it"}, "M again"},
		{"another page", true, nil, nil, []string{"esc", "2", "/", "c1", "enter", "x"}, nil, []string{"break a lock"}, "x is about what is selected there"},
	} {
		t.Run(r.name, func(t *testing.T) {
			b := newBench(t, Options{Lab: r.lab, Armed: true})
			b.size(120, 50)
			wrongLab(b)
			b.pressed(mark...)
			b.sees("break 3 marked locks")
			b.sees("/jobs/billing  a1 holds since 21s, 1 behind")
			b.sees("key /jobs/billing/a1  rev 184,001  lease a1")
			b.pressed(r.before...)
			if r.change != nil {
				r.change(b)
			}
			b.pressed(r.keys...)
			var done []string
			for _, act := range b.h.done {
				done = append(done, act.Key)
				if kv := b.w.keys[act.Key]; act.Kind != model.DeleteClaim || act.CreateRev != kv.CreateRev || act.ModRev != kv.ModRev || act.Lease != kv.Lease {
					t.Errorf("done without its guard: %+v", act)
				}
			}
			if !slices.Equal(done, r.done) {
				t.Errorf("%s: deleted %q, want %q\n%s", r.reason, done, r.done, b.text())
			}
			for _, want := range r.says {
				b.sees(want)
			}
			for _, key := range done {
				if lock := key[:strings.LastIndex(key, "/")]; b.viewState.Picked.Has[lock] {
					t.Errorf("%s is done and still marked", lock)
				}
			}
			exact(t, b.View(), 120, 50)
		})
	}
}

// TestMarksForBreaking: what x would be refused cannot be marked, a lock that nobody holds is
// named with the reason, and one that is gone is forgotten.
func TestMarksForBreaking(t *testing.T) {
	b := newBench(t, Options{})
	wrongLab(b)
	b.h.refuse = "Read-only."
	b.press("home", "M")
	b.sees("Read-only.")
	if len(b.viewState.Picked.Names) > 0 {
		t.Errorf("marked is what cannot be broken: %q", b.viewState.Picked.Names)
	}
	b.press("x")
	if b.dialog != nil {
		t.Errorf("a dialog:\n%s", b.text())
	}
	b = newBench(t, Options{Lab: true, Armed: true})
	wrongLab(b)
	b.press("/", "vault", "enter", "home", "M", "esc", "/", "job7", "enter", "M", "esc", "x")
	b.sees("break 2 marked locks")
	b.sees("not possible: nobody holds it by a key of its own")
	b.press("esc")
	b.size(60, 12)
	b.press("x")
	b.sees("delete")
	exact(t, b.View(), 60, 12)
}

// TestTheDialogFollowsTheLock: when the lock moves on while one reads, the dialog keeps its size, says who
// holds now, and x shows the same about that one, which takes a moment before a key counts.
func TestTheDialogFollowsTheLock(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	wrongLab(b)
	b.pressed("/", "report", "enter", "x", "grace")
	was := strings.Count(b.text(), "│")
	b.sees("claim    b2 ✖ holds")
	b.w.del(23, leaseKey("/jobs/report", 0xb2))
	b.sync(23)
	b.sees("Already released (esc closes)", "now      a1 ● holds, for", "x who holds now")
	if now := strings.Count(b.text(), "│"); now != was {
		t.Errorf("the dialog has another size, %d and %d:\n%s", was, now, b.text())
	}
	b.pressed("R", "D")
	b.press("x", "D")
	if offered := b.offered(); offered.Key != leaseKey("/jobs/report", 0xa1) || len(b.h.done) != 0 {
		t.Fatalf("it offers %q, and did %v", offered.Key, b.h.done)
	}
	b.sees("claim    a1 ● holds")
	b.pressed("grace", "D")
	if len(b.h.done) != 1 || b.h.done[0].Key != leaseKey("/jobs/report", 0xa1) {
		t.Errorf("did %v", b.h.done)
	}
}

// TestTheNoticeNamesTheUndo: the key that takes it back, while it is in force and for as long as that key
// would do so; what is over at once has none.
func TestTheNoticeNamesTheUndo(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	wrongLab(b)
	done := func(f model.Fault) {
		b.send(outcomeMsg{out: model.Outcome{Action: model.Action{Kind: model.InjectFault, Lock: "/demo/checkout", Fault: f}, Done: true}})
	}
	b.w.add(model.FaultOn{At: at(21), ID: 2, Fault: model.Fault{Kind: model.FaultPause, Target: "c1"}})
	b.sync(21)
	done(model.Fault{Kind: model.FaultPause, Target: "c1"})
	b.sees("   P run")
	b.press("end")
	b.sees("   A heal") // P is about another contender now
	b.press("home")
	done(model.Fault{Kind: model.FaultKill, Target: "c1"})
	if line := b.last(2)[0]; strings.Contains(line, " K ") || strings.Contains(line, " A ") {
		t.Errorf("what cannot be taken back has an undo: %q", line)
	}
}

// TestABreakIsSaidWhileItIsUnderWay: a cluster that does not answer may do it long after it was confirmed, so the
// screen says until then that it may.
func TestABreakIsSaidWhileItIsUnderWay(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	wrongLab(b)
	b.pressed("/", "job7", "enter", "x", "grace")
	_, cmd := b.Update(keyMsg("D"))
	const says = "delete claim /cron/job7/c3 if its create revision is still"
	for s := 23.0; s < 60; s += 6 {
		b.sync(s)
		b.sees(says)
	}
	b.do(cmd)
	if b.sees("Deleted claim /cron/job7/c3"); len(b.h.done) != 1 || strings.Contains(b.text(), says) {
		t.Errorf("did %+v, and says\n%s", b.h.done, b.text())
	}
	b.sync(70)
	if strings.Contains(b.text(), says) {
		t.Errorf("it is over, and the screen says\n%s", b.text())
	}
}
