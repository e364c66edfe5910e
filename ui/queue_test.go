package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"locktop/model"
)

// TestAQueueTakesTheRowsThatItNeeds: what stands below moves when somebody comes, and not with each who goes
// and comes again; a column of notes is there once there is one.
func TestAQueueTakesTheRowsThatItNeeds(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 3 {
		b.w.claim(float64(i), "/jobs/billing", "", model.LeaseID(0xa1+i))
		b.w.read(3, model.LeaseID(0xa1+i), 60, 58)
	}
	b.sync(4)
	b.press("enter")
	below := func() int {
		for i, line := range strings.Split(b.text(), "\n") {
			if strings.HasPrefix(line, " first 10 seconds") || strings.HasPrefix(line, " last ") {
				return i
			}
		}
		t.Fatalf("no lanes:\n%s", b.text())
		return 0
	}
	b.sees(" Locks → /jobs/billing  mutex", "nothing", "behind a1")
	if strings.Contains(b.text(), "NOTE") {
		t.Errorf("a column of notes without one:\n%s", b.text())
	}
	at3 := below()
	b.w.del(5, leaseKey("/jobs/billing", 0xa1))
	b.sync(6)
	if at := below(); at != at3 {
		t.Errorf("one left: the lanes went from line %d to %d", at3, at)
	}
	b.w.claim(7, "/jobs/billing", "", 0xa1)
	b.sync(8)
	if at := below(); at != at3 {
		t.Errorf("it came again: the lanes went from line %d to %d", at3, at)
	}
	b.w.claim(9, "/jobs/billing", "", 0xa9)
	b.w.claim(9.5, "/jobs/other", "", 0xa1)
	b.sync(10)
	if at := below(); at != at3+1 {
		t.Errorf("a fourth came: the lanes went from line %d to %d", at3, at)
	}
	b.sees("NOTE", "also holds /jobs/ot")
}

// TestTheDepthOfAQueueStandsUnderItsLanes: how many waited, where anybody did, and how many do.
func TestTheDepthOfAQueueStandsUnderItsLanes(t *testing.T) {
	b := newBench(t, Options{})
	b.w.claim(1, "/jobs/billing", "", 0xa1)
	b.sync(5)
	row := regexp.MustCompile(`(?m)^  waiting .*[▁▂▃▄▅▆▇█] +(\d) now$`)
	if row.MatchString(b.text()) {
		t.Errorf("nobody waits:\n%s", b.text())
	}
	b.w.claim(6, "/jobs/billing", "", 0xa2)
	b.w.claim(7, "/jobs/billing", "", 0xa3)
	b.sync(9)
	if m := row.FindStringSubmatch(b.text()); m == nil || m[1] != "2" {
		t.Errorf("two wait: %v in\n%s", m, b.text())
	}
}

// TestAdviceEndsWithASentence: where it has no room it ends where a clause does, and says what comes first.
func TestAdviceEndsWithASentence(t *testing.T) {
	b := newBench(t, Options{})
	b.w.put(1, "/shop/checkout/00aa", "x", 0)
	for i := range 2 {
		b.w.put(float64(2+i), leaseKey("/shop/checkout", model.LeaseID(0xa1+i)), "", model.LeaseID(0xa1+i))
		b.w.read(4, model.LeaseID(0xa1+i), 60, 58)
	}
	b.sync(6)
	b.size(80, 24)
	b.sees("do find out what the keys are for   e explain", "! blocks")
	b.size(120, 36)
	b.sees("add --recipe '/shop/checkout=mutex' if they are a lock")
}

// TestALowPageLeavesNoRowsEmpty: what a few locks leave of a low page the selected one has; of many there is
// only the table, whose columns for who holds and since when stay longest.
func TestALowPageLeavesNoRowsEmpty(t *testing.T) {
	b := newBench(t, Options{})
	locks := func(from, to int) {
		for i := from; i < to; i++ {
			b.w.claim(1, fmt.Sprintf("/jobs/lock-%02d", i), "", model.LeaseID(0xa1+i))
			b.w.read(2, model.LeaseID(0xa1+i), 60, 58)
		}
		b.sync(5)
	}
	locks(0, 2)
	b.size(60, 13)
	b.sees("HOLDER", "HELD", "\n /jobs/lock-00  mutex", "what happened, all locks")
	locks(2, 20)
	if b.sees("HELD"); strings.Contains(b.text(), "what happened") || strings.Count(b.text(), "● held") != 9 {
		t.Errorf("20 locks are not all that there is:\n%s", b.text())
	}
}

// TestTheQueueOfAForgottenLock: who stays at a queue in which nobody has been for long reads its name, and why it is empty.
func TestTheQueueOfAForgottenLock(t *testing.T) {
	b := newBench(t, Options{})
	b.w.claim(0, "/jobs/billing", "", 0xa1)
	b.w.claim(0, "/jobs/report", "", 0xb1)
	b.sync(1)
	b.press("enter")
	b.w.del(2, leaseKey("/jobs/billing", 0xa1))
	b.sync(3)
	b.sees("nobody holds it and nobody waits")
	b.w.read(100, 0xb1, 60, 58)
	b.sync(100)
	if b.state.Lock("/jobs/billing") != nil {
		t.Fatal("the lock is still known")
	}
	b.sees("/jobs/billing", "nobody has held it or waited for it for a while")
}
