package store

import (
	"fmt"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/modeltest"
)

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("%d claims of %d locks", n, n/10), func(b *testing.B) { load(b, modeltest.TenClaims(n), n) })
		b.Run(fmt.Sprintf("%d claims of one lock", n), func(b *testing.B) { load(b, modeltest.OneQueue(n), n) })
	}
}

func load(b *testing.B, events []model.Event, n int) {
	b.ReportAllocs()
	for b.Loop() {
		New().Apply(model.Batch{Events: events})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/claim")
}

// BenchmarkEvents applies 1,000 events on top of a loaded state: holders go, the
// next ones take over, others join at the end.
func BenchmarkEvents(b *testing.B) {
	for name, events := range map[string][]model.Event{
		"100000 claims of 10000 locks": modeltest.TenClaims(100_000), "100000 claims of one lock": modeltest.OneQueue(100_000)} {
		b.Run(name, func(b *testing.B) {
			s := New()
			s.Apply(model.Batch{Events: events})
			var first *locks.Lock
			rev, lock, at := int64(200_000), 0, modeltest.Start
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				batch := model.Batch{}
				locks := s.Locks()
				for range 500 {
					first = locks[lock%len(locks)]
					lock++
					rev += 2
					at = at.Add(time.Millisecond)
					lease := model.LeaseID(0x694d81e5fd000000 + rev)
					holder := first.At(lock / len(locks) % max(1, first.Len()))
					batch.Events = append(batch.Events,
						model.Committed{At: at, Rev: rev, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: holder.Key, ModRev: rev}}}},
						model.Committed{At: at, Rev: rev + 1, Changes: []model.Change{{KV: model.KV{Key: first.Name + "/" + lease.String(),
							CreateRev: rev + 1, ModRev: rev + 1, Version: 1, Lease: lease}}}})
				}
				b.StartTimer()
				s.Apply(batch)
				s.Want(nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/event")
		})
	}
}

// BenchmarkSharedSessions applies one event to 100,000 claims of 10,000 sessions that
// stand in ten queues each, as agents do that share a lease among their workers.
func BenchmarkSharedSessions(b *testing.B) {
	const n = 100_000
	events := []model.Event{model.LoadStarted{At: modeltest.Start, Rev: n}}
	var kvs []model.KV
	for i := range n {
		lease := model.LeaseID(0x694d81e5fc650000 + i%10_000)
		kvs = append(kvs, model.KV{Key: fmt.Sprintf("/bench/lock-%05d/%s", i/10, lease), CreateRev: int64(i + 1), ModRev: int64(i + 1), Version: 1, Lease: lease})
	}
	s := New()
	s.Apply(model.Batch{Events: append(events, model.Listed{At: modeltest.Start, Rev: n, KVs: kvs}, model.Loaded{At: modeltest.Start, Rev: n})})
	rev := int64(n)
	b.ReportAllocs()
	for b.Loop() {
		rev += 2
		kv := kvs[rev%n]
		kv.CreateRev, kv.ModRev = rev, rev
		s.Apply(model.Batch{Events: []model.Event{
			model.Committed{At: modeltest.Start, Rev: rev - 1, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: kv.Key, ModRev: rev - 1}}}},
			model.Committed{At: modeltest.Start, Rev: rev, Changes: []model.Change{{KV: kv}}}}})
	}
}

// BenchmarkMassDelete deletes 100,000 claims of one lease's locks in one revision.
func BenchmarkMassDelete(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		s := New()
		events := modeltest.TenClaims(100_000)
		var gone []model.Change
		for _, e := range events {
			if l, ok := e.(model.Listed); ok {
				for i := range l.KVs {
					l.KVs[i].Lease = 0x694d81e5fc650000
					l.KVs[i].Key = fmt.Sprintf("/bench/lock-%06d/694d81e5fc650000", l.KVs[i].CreateRev)
					gone = append(gone, model.Change{Deleted: true, KV: model.KV{Key: l.KVs[i].Key, ModRev: 1_000_000}})
				}
			}
		}
		s.Apply(model.Batch{Events: events})
		b.StartTimer()
		s.Apply(model.Batch{Events: []model.Event{model.Committed{At: modeltest.Start, Rev: 1_000_000, Changes: gone}}})
	}
}

// BenchmarkFlood applies revisions in which ten claims go and ten come, of 500 locks
// with eight each: an event is one of these twenty.
func BenchmarkFlood(b *testing.B) {
	const locks, ahead, each = 500, 4_000, 10
	s := New()
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: modeltest.Start, Rev: 1}, model.Loaded{At: modeltest.Start, Rev: 1}}})
	key := func(i int) (string, model.LeaseID) {
		lease := model.LeaseID(0x694d81e5fd000000 + i%(2*ahead))
		return fmt.Sprintf("/bench/lock-%06d/%s", i%locks, lease), lease
	}
	rev, at := int64(1), modeltest.Start
	revision := func(n int) model.Committed {
		rev++
		at = at.Add(time.Millisecond)
		e := model.Committed{At: at, Rev: rev}
		for i := n; i < n+each; i++ {
			name, lease := key(i)
			e.Changes = append(e.Changes, model.Change{KV: model.KV{Key: name, CreateRev: rev, ModRev: rev, Version: 1, Lease: lease}})
			if i >= ahead {
				name, _ = key(i - ahead)
				e.Changes = append(e.Changes, model.Change{Deleted: true, KV: model.KV{Key: name, ModRev: rev}})
			}
		}
		return e
	}
	n := 0
	for ; n < 20*ahead; n += each { // until the journal is full
		s.Apply(model.Batch{Events: []model.Event{revision(n)}})
	}
	b.ReportAllocs()
	done := 0
	for b.Loop() {
		b.StopTimer()
		var batch model.Batch
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

// BenchmarkManyDieTogether is one client with many locks whose leases are not renewed any
// more: each of them asks whether its name came back.
func BenchmarkManyDieTogether(b *testing.B) {
	for _, n := range []int{1_000, 8_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := modeltest.New()
			h.Loaded(0)
			for i := range n {
				h.Put(1, fmt.Sprintf("/lock/%d/%x", i, i+1), "worker-7", model.LeaseID(i+1))
			}
			for i := range n {
				h.Read(2, model.LeaseID(i+1), 60, 60)
				h.Read(50, model.LeaseID(i+1), 60, 12)
			}
			for b.Loop() {
				New().Apply(model.Batch{Events: h.Events})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/lock")
		})
	}
}

// BenchmarkStories tells what was found of 20,000 locks, of one lease, and of a lease each that fell silent.
func BenchmarkStories(b *testing.B) {
	for _, r := range []struct {
		name  string
		lease func(i int) model.LeaseID
	}{
		{"one lease", func(int) model.LeaseID { return 0xa1 }},
		{"a lease each", func(i int) model.LeaseID { return model.LeaseID(0xa00 + i) }},
	} {
		b.Run(r.name, func(b *testing.B) {
			h := modeltest.New()
			h.Loaded(0)
			for i := range 20_000 {
				id := r.lease(i)
				h.Put(1, modeltest.ClaimKey(fmt.Sprintf("/lock%05d", i), id), "", id)
			}
			for _, read := range []struct {
				at   float64
				left int64
			}{{2, 11}, {7, 11}, {17, 1}} {
				for i := range 20_000 {
					if i == 0 || r.lease(i) != r.lease(0) {
						h.Read(read.at, r.lease(i), 12, read.left)
					}
				}
			}
			s := New()
			s.Apply(model.Batch{Events: h.Events})
			b.Run("all", func(b *testing.B) {
				for b.Loop() {
					if len(s.StoriesOf(nil)) < 20_000 {
						b.Fatal("not all is told")
					}
				}
			})
			b.Run("as a page lists them", func(b *testing.B) {
				for b.Loop() {
					if _, of := s.Heads(nil, func(*model.Finding) bool { return false }); of < 20_000 {
						b.Fatal("not all is counted")
					}
				}
			})
		})
	}
}
