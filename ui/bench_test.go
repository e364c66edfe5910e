package ui

import (
	"fmt"
	"testing"

	"locktop/model"
)

// crowd is a Shell on 200 by 50 cells with n locks behind it.
func crowd(tb testing.TB, n int) *bench {
	b := newBench(tb, Options{Lab: true, Profile: colours})
	b.size(200, 50)
	for i := range n {
		id := model.LeaseID(0x694d81e5fc650000 + i)
		b.w.claim(1, fmt.Sprintf("/jobs/team-%02d/lock-%06d", i%7, i), "", id)
		b.w.read(2, id, 60, 50)
	}
	b.sync(3)
	return b
}

// BenchmarkPaintAll paints a frame in which every line is new.
func BenchmarkPaintAll(b *testing.B) {
	x := crowd(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		clear(x.locksTable.Old)
		clear(x.queueTable.Old)
		x.dirty = true
		x.View()
	}
}

// BenchmarkPaintFive paints a frame in which five rows changed.
func BenchmarkPaintFive(b *testing.B) {
	x := crowd(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range x.viewState.Locks.Order.IDs[:5] {
			delete(x.locksTable.Old, name)
		}
		x.dirty = true
		x.View()
	}
}

// BenchmarkMessage applies a batch that changes one lock and paints: what it costs
// must not grow with the number of locks.
func BenchmarkMessage(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := crowd(b, n)
			x.viewState.Locks.Order.NotBefore = at(1e6) // without the sort, which has its own rhythm
			id := model.LeaseID(0x694d81e5fc650000)
			left := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				left = (left + 1) % 60
				x.w.read(4, id, 60, left)
				x.Update(x.w.batch())
				x.View()
			}
		})
	}
}

// BenchmarkSort is what is due about once a second.
func BenchmarkSort(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := crowd(b, n)
			for b.Loop() {
				x.viewState.Locks.Order.Force = true
				for x.viewState.Locks.Order.Unranked(x.state.Version(), x.Frame().Clock()) {
					x.Frame().RankLocks()
				}
			}
		})
	}
}

// BenchmarkLongQueue paints the queue view of a lock for which 100,000 wait.
func BenchmarkLongQueue(b *testing.B) {
	x := newBench(b, Options{Profile: colours})
	x.size(200, 50)
	for i := range 100_000 {
		x.w.claim(1, "/l", "", model.LeaseID(0x694d81e5fc650000+i))
	}
	x.sync(3)
	x.press("enter", "end")
	b.ReportAllocs()
	for b.Loop() {
		clear(x.queueTable.Old)
		x.dirty = true
		x.View()
	}
}

// BenchmarkPages applies a batch and paints, on the pages that rank all leases or
// findings at a rhythm of their own.
func BenchmarkPages(b *testing.B) {
	for _, page := range []string{"2", "4"} {
		b.Run(page, func(b *testing.B) {
			x := crowd(b, 100_000)
			for i := range 2_000 { // some in trouble
				x.w.read(4, model.LeaseID(0x694d81e5fc650000+i), 60, 5)
			}
			x.sync(30)
			x.press(page)
			id := model.LeaseID(0x694d81e5fc650000)
			left := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				left = (left + 1) % 60
				x.w.read(31, id, 60, left)
				x.Update(x.w.batch())
				x.View()
			}
		})
	}
}

// BenchmarkRankSessions is what is due about every six seconds on that page.
func BenchmarkRankSessions(b *testing.B) {
	x := crowd(b, 100_000)
	x.press("2")
	for b.Loop() {
		x.sessions().Force = true
		for x.sessions().Unranked(x.state.Version(), x.Frame().Clock()) {
			x.sessions().Refresh(x.Frame())
		}
	}
}
