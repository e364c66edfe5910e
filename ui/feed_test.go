package ui

import (
	"testing"
	"time"

	"locktop/model"
)

// painted says whether a frame has to be painted after something was done.
func painted(b *bench, do func()) bool {
	b.View()
	do()
	return b.dirty
}

func TestOnlyWhatTellsSomethingIsPaintedAtOnce(t *testing.T) {
	b := newBench(t, Options{})
	b.size(80, 24)
	for i, name := range []string{"/l/a", "/l/b"} {
		id := model.LeaseID(0xa0 + i)
		b.w.claim(1, name, "", id)
		b.w.read(2, id, 60, 55)
	}
	b.w.claim(2, "/l/c", "", 0xc0)
	b.sync(3)
	send := func() { b.Update(b.w.batch()) }
	for _, row := range []struct {
		reason string
		put    func()
		want   bool
	}{
		{"a lease that is as well as before can wait for the next second", func() { b.w.read(4, 0xa0, 60, 53) }, false},
		{"the first reading of a lease on the screen", func() { b.w.read(5, 0xc0, 60, 55) }, true},
		{"a lease whose renewals stopped", func() { b.w.read(6, 0xa1, 60, 10) }, true},
		{"and that came back", func() { b.w.read(7, 0xa1, 60, 59) }, true},
		{"somebody came", func() { b.w.claim(8, "/l/a", "", 0xd0) }, true},
	} {
		if got := painted(b, func() { row.put(); send() }); got != row.want {
			t.Errorf("%s: painted at once: %v, want %v", row.reason, got, row.want)
		}
	}
	b.View()
	if got := painted(b, func() { b.Update(tickMsg(at(9))) }); !got {
		t.Error("a second has passed, and nothing is painted")
	}
}

// TestAllocationsOfAnIdleSecond bounds what a second costs in which nothing happens but
// readings of leases that are well.
func TestAllocationsOfAnIdleSecond(t *testing.T) {
	b := crowd(t, 10_000)
	now := at(100)
	b.Update(tickMsg(now))
	b.View()
	left := int64(0)
	for _, row := range []struct {
		reason string
		most   float64
		run    func()
	}{
		{"a frame in which the chosen lock counts on, and others every fifth second", 700, func() {
			now = now.Add(time.Second)
			b.Update(tickMsg(now))
			b.View()
		}},
		{"a reading: the message, and what is wanted next", 45, func() {
			left++
			b.w.read(now.Sub(t0).Seconds(), 0x694d81e5fc650000+9_000, 60, 40+left%2)
			b.Update(b.w.batch())
			b.View()
		}},
	} {
		got := testing.AllocsPerRun(20, row.run)
		t.Logf("%s: %.0f allocations", row.reason, got)
		if got > row.most {
			t.Errorf("%s: %.0f allocations, want %.0f at most", row.reason, got, row.most)
		}
	}
}
