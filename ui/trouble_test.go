package ui

import (
	"fmt"
	"strings"
	"testing"

	"locktop/model"
	"locktop/ui/page"
)

// silent is a lock whose holder renewed last before anybody looked and then no more, with one
// that waits, beside a lock that is well.
func silent(t *testing.T) *bench {
	b := newBench(t, Options{Profile: colours})
	b.size(120, 36)
	b.w.ev = nil
	kv := func(lock string, id model.LeaseID, rev int64) model.KV {
		return model.KV{Key: leaseKey(lock, id), CreateRev: rev, ModRev: rev, Version: 1, Lease: id}
	}
	b.w.add(model.LoadStarted{At: t0, Prefix: "/", Rev: 9}, model.Listed{At: t0, Prefix: "/", Rev: 9, KVs: []model.KV{
		kv("/dead", 0xa1, 3), kv("/dead", 0xa2, 4), kv("/well", 0xb1, 5)}, Done: 3, Total: 3}, model.Loaded{At: t0, Prefix: "/", Rev: 9})
	b.w.watched(0, leaseKey("/dead", 0xa1))
	b.w.watched(0, leaseKey("/well", 0xb1))
	for s := range 41 {
		b.w.read(float64(s), 0xa1, 60, int64(55-s))
		b.w.read(float64(s), 0xa2, 60, 58)
		b.w.read(float64(s), 0xb1, 60, 58)
	}
	b.w.add(model.Tick{At: at(42)})
	b.sync(42)
	return b
}

const renewsNoMore = "! The holder of /dead no longer renews"

// TestTroubleLooksTheSameEverywhere: a holder that renews no more is a warning in the line of
// pages, in the verdict, in its row and in its lane; it is no error anywhere, and well nowhere.
func TestTroubleLooksTheSameEverywhere(t *testing.T) {
	b := silent(t)
	for _, want := range []string{"! 1 in trouble", renewsNoMore, "! holder silent"} {
		b.sees(want)
	}
	lane := b.line("  a1    ! holds")
	if _, after, _ := strings.Cut(lane, "holds"); !strings.HasPrefix(strings.TrimLeft(after, " ▏▎▍▌▋▊▉"), "!█") {
		t.Errorf("its lane does not say from when on the renewals are missed: %q", lane)
	}
	if strings.Contains(b.text(), "✖") {
		t.Errorf("nothing is an error:\n%s", b.text())
	}
	b.press("down")
	b.line("  b1    ● holds")
	b.size(18, 4)
	b.sees("! 1 of 2 locks")
}

// TestWhatEndedStaysInSight: a warning does, too, until it is old, or something else is wrong.
func TestWhatEndedStaysInSight(t *testing.T) {
	for _, r := range []struct {
		reason string
		at     float64
		also   bool
		want   bool
	}{{"just ended", 50, false, true}, {"ended over a minute ago", 112, false, false}, {"ended, and another lock is in trouble", 52, true, false}} {
		b := silent(t)
		b.w.del(43, leaseKey("/dead", 0xa1))
		b.sync(44)
		if r.also {
			b.w.put(45, "/sick/stray", "v", 0)
			b.w.claim(45, "/sick", "", 0xc2)
		}
		for s := 45.0; s < r.at; s += 5 {
			b.w.read(s, 0xa2, 60, 58)
			b.w.read(s, 0xb1, 60, 58)
		}
		b.sync(r.at)
		if got := strings.Contains(b.text(), "! The holder of /dead was silent for "); got != r.want {
			t.Errorf("%s: shown: %v\n%s", r.reason, got, b.text())
		}
		if r.want {
			b.sees(", until ", " ago")
		}
		if r.also {
			b.sees("blocks /sick")
		}
	}
}

// TestLanesStayAsTheyAreWhenAVerdictComes: whether they say how many waited follows from the
// size of the screen.
func TestLanesStayAsTheyAreWhenAVerdictComes(t *testing.T) {
	apart := func(b *bench) int {
		b.press("6")
		dead, well := strings.Index(b.text(), "▌! /dead "), strings.Index(b.text(), " ● /well ")
		return strings.Count(b.text()[dead:well], "\n")
	}
	for h := 20; h < 45; h++ {
		b := silent(t)
		b.size(120, h)
		with := apart(b)
		b.viewState.Counters.Verdict = page.Verdict{}
		if without := apart(b); with != without {
			t.Errorf("on %d lines %d line(s) apart with a verdict, %d without", h, with, without)
		}
	}
}

// TestADeadlockIsOneRow: however many locks are in it.
func TestADeadlockIsOneRow(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 3 {
		b.w.claim(1, fmt.Sprintf("/r%d", i), "", model.LeaseID(0xa0+i))
	}
	for i := range 3 {
		b.w.claim(2, fmt.Sprintf("/r%d", (i+1)%3), "", model.LeaseID(0xa0+i))
	}
	for i := range 2 {
		b.w.claim(3, fmt.Sprintf("/other%d", i), "", model.LeaseID(0xb0+i))
	}
	for i := range 2 {
		b.w.claim(4, fmt.Sprintf("/other%d", 1-i), "", model.LeaseID(0xb0+i))
	}
	b.w.add(model.Tick{At: at(10)})
	b.sync(10)
	b.press("4")
	b.sees("/r0 +2")
	b.sees("/other0 +1")
	if n := strings.Count(b.text(), "✖ Deadlock   "); n != 2 {
		t.Errorf("%d rows for two deadlocks:\n%s", n, b.text())
	}
}

// TestTheLastWordsAreSaid: an entry under a picture goes on in a second line where there is room.
func TestTheLastWordsAreSaid(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 3 {
		b.w.claim(float64(1+i), "/platform/billing/nightly", "", model.LeaseID(0x694d81e5fc652590+i))
	}
	b.w.del(20, leaseKey("/platform/billing/nightly", 0x694d81e5fc652590))
	b.sync(30)
	for _, r := range []struct {
		key  string
		page string
	}{{"enter", "the queue"}, {"6", "the time"}} {
		b.size(80, 30)
		b.press(r.key)
		if text := strings.Join(strings.Fields(b.text()), " "); !strings.Contains(text, "(held ") {
			t.Errorf("%s does not say how long it was held:\n%s", r.page, b.text())
		}
		for w := 20; w < 120; w += 7 {
			for h := 5; h < 40; h += 3 {
				b.size(w, h)
				exact(t, b.View(), w, h)
			}
		}
	}
}

// TestTheVerdictTellsOneStory: who took over then stays in the sentence while the lock goes on, the key that
// does what it says stands beside that, where it acts on the right program; a write with the old token is
// said in capitals; and once it is over, all is in the past but who holds.
func TestTheVerdictTellsOneStory(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	overlap(b)
	w := b.w
	b.sees("✖ Two programs act on /l\n", "c1 was paused and believes it holds /l; etcd gave it to c2  ", "do stop c1  K   don't break the lock")
	believing(w, 40.9, "c2", model.BeliefIdle, 0xa2)
	w.del(41, leaseKey("/l", 0xa2))
	believing(w, 41.1, "c3", model.BeliefHolding, 0xa3)
	b.sync(44)
	b.sees("believes it holds /l; etcd gave it to c2; c3 holds it now")
	b.press("2")
	if line := b.line("▌   do stop c1"); strings.Contains(line, "  K ") {
		t.Errorf("K would kill the program of the selected session, which is another: %q", line)
	}
	b.press("1")
	w.add(model.Access{At: at(45), Contender: "c1", Lock: "/l", Write: true, Accepted: true, Acked: 1})
	b.sync(46)
	b.sees("✖ Two programs act on /l   NOT FENCED")
	b.press("5")
	b.size(200, 50)
	if row := b.line("▌ c1 "); !strings.Contains(row, "NOT FENCED") {
		t.Errorf("the row of the contender does not say it: %q", row)
	}
	b.press("1")
	w.add(model.Contender{At: at(47), Name: "c1", PID: 100, Lock: "/l", Recipe: "mutex", TTL: 5, Proc: model.ProcRunning})
	believing(w, 47, "c1", model.BeliefLost, 0xa1)
	b.sync(52)
	b.sees("Two programs acted on /l for ", ", until 5s ago", "c3 holds /l now")
	if strings.Contains(b.text(), "do stop") {
		t.Errorf("there is nothing to do any more:\n%s", b.text())
	}
}

// TestWhatLastedLessThanASecondLastedAMoment: nothing is said to have lasted for no time.
func TestWhatLastedLessThanASecondLastedAMoment(t *testing.T) {
	b := newBench(t, Options{})
	b.w.claim(1, "/d", "", 0x61)
	b.w.read(1, 0x61, 60, 60)
	b.sync(2)
	b.w.put(3, "/d/stray", "v", 0)
	b.w.claim(3, "/d", "", 0x62)
	b.sync(3.2)
	b.sees("will block /d")
	b.w.del(3.5, "/d/stray")
	b.sync(20)
	b.sees("for a moment, until ")
}
