package watcher

import (
	"context"
	"fmt"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/store"
	"locktop/watcher/pace"
	"locktop/watcher/queue"
)

// flood makes responses of a watch in which claims join queues and leave them.
type flood struct {
	locks, sessions, perRev int

	rev  int64
	next int
}

func (f *flood) key(i int) (key []byte, lease int64) {
	i %= f.sessions
	lease = 0x694d81e5fc650000 + int64(i)
	return fmt.Appendf(nil, "/bench/lock-%06d/%x", i%f.locks, lease), lease
}

// response is so many revisions. In each, half of the events are puts, and half
// deletes of what was put long before.
func (f *flood) response(revs int) clientv3.WatchResponse {
	var r clientv3.WatchResponse
	for range revs {
		f.rev++
		for range f.perRev / 2 {
			key, lease := f.key(f.next)
			r.Events = append(r.Events, &clientv3.Event{Type: clientv3.EventTypePut, Kv: &mvccpb.KeyValue{Key: key, Value: []byte("1760000000000000000"),
				CreateRevision: f.rev, ModRevision: f.rev, Version: 1, Lease: lease}})
			old, _ := f.key(f.next + f.sessions/2)
			r.Events = append(r.Events, &clientv3.Event{Type: clientv3.EventTypeDelete, Kv: &mvccpb.KeyValue{Key: old, ModRevision: f.rev}})
			f.next++
		}
	}
	r.Header = &pb.ResponseHeader{Revision: f.rev}
	return r
}

// road is what an event goes from the watch to the model, without a cluster.
type road struct {
	f      *follower
	events *queue.Queue
	state  *store.Store
	now    time.Time
	step   time.Duration // between two batches
}

func newRoad(step time.Duration) *road {
	r := &road{step: step, events: queue.New(1<<20, nil), state: store.New(), now: time.Unix(1_800_000_000, 0)}
	r.f = &follower{prefix: "/bench/", events: r.events, now: func() time.Time { return r.now }}
	r.state.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: r.now, Prefix: "/bench/"}, model.Loaded{At: r.now, Prefix: "/bench/"}}})
	return r
}

// arrive is how a response becomes model events, and apply what becomes of these.
func (r *road) arrive(t testing.TB, resp clientv3.WatchResponse) model.Batch {
	if err := r.f.received(context.Background(), resp, true); err != nil {
		t.Fatal(err)
	}
	events, _ := r.events.Take(1 << 20)
	return model.Batch{Events: joinRevisions(events)}
}

func (r *road) apply(b model.Batch) {
	r.now = r.now.Add(r.step)
	r.state.Apply(b)
	r.state.Want(nil)
}

// BenchmarkFlood is an event from the response of the watch to the model, as 20,000 a
// second come in batches of 500.
func BenchmarkFlood(b *testing.B) {
	f := &flood{locks: 500, sessions: 8_000, perRev: 20}
	r := newRoad(25 * time.Millisecond)
	for range 400 {
		r.apply(r.arrive(b, f.response(25)))
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		resp := f.response(25)
		b.StartTimer()
		r.apply(r.arrive(b, resp))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500, "ns/event")
}

// TestQuietEventsComeAtOnce: the first event after a quiet time is not collected with
// what might follow; what follows at once is one batch; parts of a revision that come
// over several prefixes are waited for.
func TestQuietEventsComeAtOnce(t *testing.T) {
	const long = time.Hour // nothing here may wait for it
	watcherOf := func(prefixes int, told time.Time) *Watcher {
		w := &Watcher{now: time.Now, timing: Timing{Drain: long, Lull: long, Nap: time.Millisecond}, meter: &pace.Meter{}, events: queue.New(queueLimit, nil),
			alone: prefixes == 1, consumer: newConsumer(time.Second), told: told}
		w.leases = newLeases(nil, w, Options{Budget: -1})
		return w
	}
	for _, row := range []struct {
		reason   string
		prefixes int
		told     time.Time
		events   []model.Event
		waits    bool
	}{
		{"quiet: at once, with all of its response", 1, time.Time{}, []model.Event{commit(1, "a", 1), commit(2, "a", 1)}, false},
		{"something was told a moment ago", 1, time.Now(), []model.Event{commit(1, "a", 1)}, true},
		{"that much fills a batch", 1, time.Now(), []model.Event{commit(1, "a", queue.BatchMax)}, false},
		{"a part of a list comes alone", 2, time.Now(), []model.Event{model.LeaseRead{ID: 1}, model.LoadStarted{Prefix: "a"}, model.Listed{Prefix: "a"}}, false},
		{"not so a change beside it, of which there may be more", 2, time.Now(), []model.Event{model.Listed{Prefix: "b"}, commit(1, "a", 1)}, true},
		{"another prefix may bring more of the revision", 2, time.Time{}, []model.Event{commit(1, "a", 1)}, true},
		{"nobody waits for an answer to a question of ours", 1, time.Time{}, []model.Event{model.LeaseRead{ID: 1}}, true},
		{"an answer goes along with what happened", 1, time.Time{}, []model.Event{model.LeaseRead{ID: 1}, commit(1, "a", 1)}, false},
	} {
		t.Run(row.reason, func(t *testing.T) {
			w := watcherOf(row.prefixes, row.told)
			if err := w.events.Push(context.Background(), row.events...); err != nil {
				t.Fatal(err)
			}
			patience := deadline
			if row.waits {
				patience = 20 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			b, err := w.Next(ctx, model.Want{})
			if waits := err != nil; waits != row.waits || !waits && len(b.Events) != len(row.events) {
				t.Errorf("waits: %v, want %v; %d events", waits, row.waits, len(b.Events))
			}
			if weight, _, _ := w.events.State(false); row.waits && weight == 0 {
				t.Error("a call that ended with its context has taken events")
			}
		})
	}
}
