package model

import (
	"fmt"
	"testing"
	"time"
)

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("%d claims of %d locks", n, n/10), func(b *testing.B) { load(b, TenClaims(n), n) })
		b.Run(fmt.Sprintf("%d claims of one lock", n), func(b *testing.B) { load(b, OneQueue(n), n) })
	}
}

func load(b *testing.B, events []Event, n int) {
	b.ReportAllocs()
	for b.Loop() {
		NewState().Apply(Batch{Events: events})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/claim")
}

// BenchmarkEvents applies 1,000 events on top of a loaded state: holders go, the
// next ones take over, others join at the end.
func BenchmarkEvents(b *testing.B) {
	for name, events := range map[string][]Event{
		"100000 claims of 10000 locks": TenClaims(100_000), "100000 claims of one lock": OneQueue(100_000)} {
		b.Run(name, func(b *testing.B) {
			s := NewState()
			s.Apply(Batch{Events: events})
			var first *Lock
			rev, lock, at := int64(200_000), 0, Start
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				batch := Batch{}
				locks := s.Locks()
				for range 500 {
					first = locks[lock%len(locks)]
					lock++
					rev += 2
					at = at.Add(time.Millisecond)
					lease := LeaseID(0x694d81e5fd000000 + rev)
					holder := first.At(lock / len(locks) % max(1, first.Len()))
					batch.Events = append(batch.Events,
						Committed{At: at, Rev: rev, Changes: []Change{{Deleted: true, KV: KV{Key: holder.Key, ModRev: rev}}}},
						Committed{At: at, Rev: rev + 1, Changes: []Change{{KV: KV{Key: first.Name + "/" + lease.String(),
							CreateRev: rev + 1, ModRev: rev + 1, Version: 1, Lease: lease}}}})
				}
				b.StartTimer()
				s.Apply(batch)
				s.Want()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/event")
		})
	}
}

// BenchmarkSharedSessions applies one event to 100,000 claims of 10,000 sessions that
// stand in ten queues each, as agents do that share a lease among their workers.
func BenchmarkSharedSessions(b *testing.B) {
	const n = 100_000
	events := []Event{LoadStarted{At: Start, Rev: n}}
	var kvs []KV
	for i := range n {
		lease := LeaseID(0x694d81e5fc650000 + i%10_000)
		kvs = append(kvs, KV{Key: fmt.Sprintf("/bench/lock-%05d/%s", i/10, lease), CreateRev: int64(i + 1), ModRev: int64(i + 1), Version: 1, Lease: lease})
	}
	s := NewState()
	s.Apply(Batch{Events: append(events, Listed{At: Start, Rev: n, KVs: kvs}, Loaded{At: Start, Rev: n})})
	rev := int64(n)
	b.ReportAllocs()
	for b.Loop() {
		rev += 2
		kv := kvs[rev%n]
		kv.CreateRev, kv.ModRev = rev, rev
		s.Apply(Batch{Events: []Event{
			Committed{At: Start, Rev: rev - 1, Changes: []Change{{Deleted: true, KV: KV{Key: kv.Key, ModRev: rev - 1}}}},
			Committed{At: Start, Rev: rev, Changes: []Change{{KV: kv}}}}})
	}
}

// BenchmarkMassDelete deletes 100,000 claims of one lease's locks in one revision.
func BenchmarkMassDelete(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		s := NewState()
		events := TenClaims(100_000)
		var gone []Change
		for _, e := range events {
			if l, ok := e.(Listed); ok {
				for i := range l.KVs {
					l.KVs[i].Lease = 0x694d81e5fc650000
					l.KVs[i].Key = fmt.Sprintf("/bench/lock-%06d/694d81e5fc650000", l.KVs[i].CreateRev)
					gone = append(gone, Change{Deleted: true, KV: KV{Key: l.KVs[i].Key, ModRev: 1_000_000}})
				}
			}
		}
		s.Apply(Batch{Events: events})
		b.StartTimer()
		s.Apply(Batch{Events: []Event{Committed{At: Start, Rev: 1_000_000, Changes: gone}}})
	}
}

// BenchmarkFlood applies revisions in which ten claims go and ten come, of 500 locks
// with eight each: an event is one of these twenty.
func BenchmarkFlood(b *testing.B) {
	const locks, ahead, each = 500, 4_000, 10
	s := NewState()
	s.Apply(Batch{Events: []Event{LoadStarted{At: Start, Rev: 1}, Loaded{At: Start, Rev: 1}}})
	key := func(i int) (string, LeaseID) {
		lease := LeaseID(0x694d81e5fd000000 + i%(2*ahead))
		return fmt.Sprintf("/bench/lock-%06d/%s", i%locks, lease), lease
	}
	rev, at := int64(1), Start
	revision := func(n int) Committed {
		rev++
		at = at.Add(time.Millisecond)
		e := Committed{At: at, Rev: rev}
		for i := n; i < n+each; i++ {
			name, lease := key(i)
			e.Changes = append(e.Changes, Change{KV: KV{Key: name, CreateRev: rev, ModRev: rev, Version: 1, Lease: lease}})
			if i >= ahead {
				name, _ = key(i - ahead)
				e.Changes = append(e.Changes, Change{Deleted: true, KV: KV{Key: name, ModRev: rev}})
			}
		}
		return e
	}
	n := 0
	for ; n < 20*ahead; n += each { // until the journal is full
		s.Apply(Batch{Events: []Event{revision(n)}})
	}
	b.ReportAllocs()
	done := 0
	for b.Loop() {
		b.StopTimer()
		var batch Batch
		for range 50 {
			batch.Events = append(batch.Events, revision(n))
			n += each
		}
		b.StartTimer()
		s.Apply(batch)
		done += 50 * 2 * each
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(done), "ns/event")
}
