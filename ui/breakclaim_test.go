package ui

import (
	"strings"
	"testing"

	"locktop/model"
)

// troubles is a lock with several findings at once, each about a claim of its own, and
// another lock whose old holder still believes.
func troubles(b *bench) {
	w := b.w
	detached := leaseKey("/mix", 0x694d81e5fc652594)
	w.put(1, "/mix/stray", "data", 0)
	w.put(2, detached, "", 0x694d81e5fc652594)
	w.claim(3, "/mix", "", 0xb1)
	w.claim(4, "/mix", "", 0xb2)
	w.claim(5, "/mix/below", "", 0xb3)
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
		{model.CodeForeignKey, "/mix/stray", "breaking this claim is the wrong cure: some program may need this key", "data that stands first"},
		{model.CodeLeaseDetached, leaseKey("/mix", 0x694d81e5fc652594), "breaking this claim is a cure: the key never expires", "it has no lease either, and stands behind the data"},
		{model.CodeDeadWaiter, leaseKey("/mix", 0xb2), "breaking this claim is a cure: it takes a dead waiter out", "neither the first nor the last"},
		{model.CodeStaleHolder, "", "there is no claim to break: stop the old holder first", "the only claim is that of the new holder, who is innocent"},
	} {
		t.Run(string(r.code), func(t *testing.T) {
			b := newBench(t, Options{Lab: true, Armed: true})
			b.size(160, 50)
			troubles(b)
			b.press("4")
			chosen := false
			for _, f := range b.state.Findings() {
				if f.Code == r.code {
					b.findings.show(&f)
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
				t.Fatalf("%s: it offers %q", r.reason, b.dialog.t.action.Key)
			case r.key == "":
				return
			case b.dialog == nil:
				t.Fatalf("%s: no dialog:\n%s", r.reason, b.text())
			}
			if got := b.dialog.t.action; got.Key != r.key || got.CreateRev != b.w.keys[r.key].CreateRev {
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
	for name, fill := range map[string]func(*bench){"lab": lab, "troubles": troubles} {
		b := newBench(t, Options{Lab: true, Armed: true})
		fill(b)
		for _, f := range b.state.Findings() {
			b.press("4")
			b.findings.show(&f)
			b.sync(b.now.Sub(t0).Seconds())
			b.press("x")
			switch {
			case f.Claim.IsZero() && b.dialog != nil:
				t.Errorf("%s: %s on %s is about no claim, and x offers %s", name, f.Code, f.Lock, b.dialog.t.action.Key)
			case !f.Claim.IsZero() && b.dialog == nil:
				t.Errorf("%s: %s on %s is about %s, and x offers nothing", name, f.Code, f.Lock, f.Claim.Key)
			case b.dialog != nil && (b.dialog.t.action.Key != f.Claim.Key || b.dialog.t.action.CreateRev != f.Claim.CreateRev):
				t.Errorf("%s: %s on %s is about %s, and x offers %s", name, f.Code, f.Lock, f.Claim.Key, b.dialog.t.action.Key)
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
	b.sees("breaking this claim is the wrong cure: stop the old holder first")
}
