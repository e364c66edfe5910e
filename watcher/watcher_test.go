package watcher

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/etcdtest"
	"locktop/model"
	"locktop/model/text"
	"locktop/watcher/pace"
	"locktop/watcher/queue"
)

func typeName(ev model.Event) string { return strings.TrimPrefix(fmt.Sprintf("%T", ev), "model.") }

func put(t testing.TB, c *clientv3.Client, key, value string, opts ...clientv3.OpOption) int64 {
	t.Helper()
	return must[*clientv3.PutResponse](t)(c.Put(context.Background(), key, value, opts...)).Header.Revision
}

func grant(t testing.TB, c *clientv3.Client) clientv3.LeaseID {
	t.Helper()
	return must[*clientv3.LeaseGrantResponse](t)(c.Grant(context.Background(), 60)).ID
}

// fill puts n keys under prefix, 100 a transaction.
func fill(t testing.TB, c *clientv3.Client, prefix string, n int) {
	t.Helper()
	var ops []clientv3.Op
	for i := range n {
		ops = append(ops, clientv3.OpPut(fmt.Sprintf("%s%06d", prefix, i), "v"))
		if len(ops) == 100 || i == n-1 {
			must[*clientv3.TxnResponse](t)(c.Txn(context.Background()).Then(ops...).Commit())
			ops = nil
		}
	}
}

func TestListComesInChunksOfOneRevision(t *testing.T) {
	s := newServer(t)
	c := s.dial()
	const keys = 4_500
	fill(t, c, "/l/", keys)
	put(t, c, "/other", "x")
	for _, row := range []struct {
		reason string
		pages  bool
		page   int
		prefix string
		total  int
	}{
		{reason: "a server of 3.7 streams", prefix: "/l/", total: keys},
		{reason: "older ones page", pages: true, prefix: "/l/", page: 1_000, total: keys},
		{reason: "one page is enough", pages: true, prefix: "/l/", page: 50_000, total: keys},
		{reason: "no prefix means all keys", prefix: "", total: keys + 1},
		{reason: "all keys in pages", pages: true, prefix: "", page: 3_000, total: keys + 1},
	} {
		t.Run(row.reason, func(t *testing.T) {
			m := &pace.Meter{}
			o := Options{Prefixes: []string{row.prefix}, OneLook: true, PageSize: row.page, Timing: quick}.withDefaults()
			e := &etcd{client: c, conn: c.ActiveConnection(), meter: m, now: time.Now, timing: o.Timing, pageSize: int64(o.PageSize)}
			e.noStream.Store(row.pages)
			w, _ := start(e, m, o)
			defer w.Close()
			r := &record{t: t, w: w}
			loaded := has[model.Loaded](r, 1)[0]
			started := all[model.LoadStarted](r)[0]
			got, done := []string{}, int64(0)
			for _, l := range all[model.Listed](r) {
				done += int64(len(l.KVs))
				if len(l.KVs) > chunkKeys || l.Rev != loaded.Rev || l.Done != done || l.Total != 0 && l.Total != int64(row.total) {
					t.Errorf("chunk of %d keys at %d, done %d of %d", len(l.KVs), l.Rev, l.Done, l.Total)
				}
				for _, kv := range l.KVs {
					got = append(got, kv.Key)
				}
			}
			if len(got) != row.total || started.Rev != loaded.Rev {
				t.Errorf("%d keys, want %d; started at %d, loaded at %d", len(got), row.total, started.Rev, loaded.Rev)
			}
			for i := 1; i < len(got); i++ {
				if got[i-1] >= got[i] {
					t.Fatalf("%q before %q", got[i-1], got[i])
				}
			}
			for _, b := range r.batches {
				if n := weightOf(b.Events); n > queue.BatchMax+10 {
					t.Errorf("a batch of %d changes", n)
				}
			}
			if e.noStream.Load() != row.pages {
				t.Errorf("the server refused to stream")
			}
		})
	}
}

func weightOf(events []model.Event) (n int) {
	for _, ev := range events {
		n += queue.Weigh(ev)
	}
	return n
}

func TestWatchDeliversWholeRevisions(t *testing.T) {
	ctx := context.Background()
	s := newServer(t)
	c := s.dial()
	lease := grant(t, c)
	put(t, c, "/l/old", "v")
	w := newWatcher(t, c, Options{Prefixes: []string{"/l/"}, Budget: -1})
	r := &record{t: t, w: w}
	has[model.Loaded](r, 1)

	first := put(t, c, "/l/a", "1", clientv3.WithLease(lease))
	must[*clientv3.TxnResponse](t)(c.Txn(ctx).Then(
		clientv3.OpPut("/l/b", "2", clientv3.WithLease(lease)),
		clientv3.OpPut("/elsewhere", "x"),
		clientv3.OpDelete("/l/old")).Commit())
	must[*clientv3.LeaseRevokeResponse](t)(c.Revoke(ctx, lease))
	got := has[model.Committed](r, 3)

	id := model.LeaseID(lease)
	want := []model.Committed{
		{Rev: first, Changes: []model.Change{
			{KV: model.KV{Key: "/l/a", Value: "1", CreateRev: first, ModRev: first, Version: 1, Lease: id}}}},
		{Rev: first + 1, Changes: []model.Change{
			{KV: model.KV{Key: "/l/b", Value: "2", CreateRev: first + 1, ModRev: first + 1, Version: 1, Lease: id}},
			{Deleted: true, KV: model.KV{Key: "/l/old", ModRev: first + 1}}}},
		{Rev: first + 2, Changes: []model.Change{
			{Deleted: true, KV: model.KV{Key: "/l/a", ModRev: first + 2}},
			{Deleted: true, KV: model.KV{Key: "/l/b", ModRev: first + 2}}}},
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(model.Committed{}, "At")); d != "" {
		t.Error(d)
	}

	// Other people's keys move the revision; the watch has to prove that it is there.
	last := put(t, c, "/elsewhere", "y")
	r.until("Watching", func() bool {
		seen := all[model.Watching](r)
		return len(seen) > 0 && seen[len(seen)-1].Rev >= last
	})
	if lost := all[model.Lost](r); len(lost) > 0 {
		t.Errorf("lost: %+v", lost)
	}
}

func TestPrefixesOfOneRevisionAreJoined(t *testing.T) {
	s := newServer(t)
	c := s.dial()
	o := Options{Prefixes: []string{"/a/", "/b/", "/a/inner/"}, Budget: -1, Timing: quick}
	o.Timing.Drain = 500 * time.Millisecond // two streams have to be that close
	r := &record{t: t, w: newWatcher(t, c, o)}
	has[model.Watching](r, 2)
	rev := must[*clientv3.TxnResponse](t)(c.Txn(context.Background()).Then(
		clientv3.OpPut("/a/inner/x", "1"), clientv3.OpPut("/b/x", "2")).Commit()).Header.Revision
	got := has[model.Committed](r, 1)
	if len(got) != 1 || got[0].Rev != rev || len(got[0].Changes) != 2 {
		t.Errorf("got %+v, want one revision %d of two changes", got, rev)
	}
}

func TestCancelledNextLosesNothing(t *testing.T) {
	s := newServer(t)
	c := s.dial()
	w := newWatcher(t, c, Options{Prefixes: []string{"/l/"}, Budget: -1})
	r := &record{t: t, w: w}
	has[model.Loaded](r, 1)
	const puts = 50
	go func() {
		for i := range puts {
			_, _ = c.Put(context.Background(), fmt.Sprintf("/l/%d", i), "v")
		}
	}()
	seen := map[string]int{}
	for n, end := 0, time.Now().Add(deadline); len(seen) < puts && time.Now().Before(end); n++ {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(n%12)*time.Millisecond)
		b, err := w.Next(ctx, model.Want{})
		cancel()
		if err != nil {
			if !errors.Is(err, context.DeadlineExceeded) || len(b.Events) > 0 {
				t.Fatalf("got %v with %d events", err, len(b.Events))
			}
			continue
		}
		for _, ev := range b.Events {
			if e, ok := ev.(model.Committed); ok {
				for _, ch := range e.Changes {
					seen[ch.KV.Key]++
				}
			}
		}
	}
	for i := range puts {
		if n := seen[fmt.Sprintf("/l/%d", i)]; n != 1 {
			t.Errorf("key %d came %d times", i, n)
		}
	}
}

func TestWakeAtGivesTick(t *testing.T) {
	s := newServer(t)
	w := newWatcher(t, s.dial(), Options{Prefixes: []string{"/l/"}, OneLook: true, Budget: -1})
	r := &record{t: t, w: w, want: model.Want{WakeAt: time.Now().Add(-time.Hour)}}
	// What waits comes before the tick, however late that is.
	has[model.Loaded](r, 1)
	has[model.ClusterStatus](r, 1)
	has[model.Tick](r, 1)
	before := len(r.batches)
	began := time.Now()
	r.pull()
	if took := time.Since(began); took < defaults.Nap {
		t.Errorf("a tick after %v: that is a busy loop", took)
	}
	if got := r.batches[before].Events; len(got) != 1 || typeName(got[0]) != "Tick" {
		t.Errorf("got %+v", got)
	}
}

func TestNextAllowsOneCallAndEndsWithClose(t *testing.T) {
	s := newServer(t)
	w := newWatcher(t, s.dial(), Options{OneLook: true, Budget: -1})
	r := &record{t: t, w: w}
	has[model.Loaded](r, 1)
	has[model.ClusterStatus](r, 1)
	first := make(chan error, 1)
	go func() {
		_, err := w.Next(context.Background(), model.Want{})
		first <- err
	}()
	busy := func() bool {
		w.consumer.mu.Lock()
		defer w.consumer.mu.Unlock()
		return w.consumer.busy
	}
	for end := time.Now().Add(deadline); !busy() && time.Now().Before(end); {
		pace.Sleep(context.Background(), time.Millisecond, nil)
	}
	if _, err := w.Next(context.Background(), model.Want{}); !errors.Is(err, errBusy) {
		t.Errorf("second call: %v, want %v", err, errBusy)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-first; !errors.Is(err, ErrClosed) {
		t.Errorf("outstanding call: %v, want %v", err, ErrClosed)
	}
	if _, err := w.Next(context.Background(), model.Want{}); !errors.Is(err, ErrClosed) {
		t.Errorf("later call: %v, want %v", err, ErrClosed)
	}
	if err := w.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestLeaseReadings(t *testing.T) {
	s := newServer(t)
	c := s.dial()
	alive, gone := grant(t, c), grant(t, c)
	must[*clientv3.LeaseRevokeResponse](t)(c.Revoke(context.Background(), gone))
	w := newWatcher(t, c, Options{Prefixes: []string{"/l/"}})
	r := &record{t: t, w: w}
	has[model.Watching](r, 1)
	r.want.Leases = []model.LeaseID{model.LeaseID(alive), model.LeaseID(gone)}
	got := map[model.LeaseID]model.LeaseRead{}
	r.until("two readings", func() bool {
		for _, e := range all[model.LeaseRead](r) {
			got[e.ID] = e
		}
		return len(got) == 2
	})
	if e := got[model.LeaseID(alive)]; e.Granted != 60 || e.Remaining < 50 || e.Remaining > 60 || e.Term == 0 || e.Rev == 0 {
		t.Errorf("living lease: %+v", e)
	}
	if e := got[model.LeaseID(gone)]; e.Granted != 0 || e.Remaining != -1 {
		t.Errorf("lease that is gone: %+v", e)
	}
	if n := r.batches[len(r.batches)-1].Cost; n.Readings < 2 || n.Budget != defaultBudget || n.RPS == 0 {
		t.Errorf("cost: %+v", n)
	}
}

func TestUnreachableEndpointIsLostWithAUsefulSentence(t *testing.T) {
	u := url.URL{Scheme: "http", Host: etcdtest.Nobody(t)}
	w := newWatcher(t, dial(t, u.String()), Options{Prefixes: []string{"/l/"}})
	r := &record{t: t, w: w}
	lost := has[model.Lost](r, 1)[0]
	if lost.Reason != model.LostDisconnect || lost.Prefix != "/l/" {
		t.Errorf("got %+v", lost)
	}
	for _, part := range []string{"cannot list", u.String(), "connection refused", "check"} {
		if !strings.Contains(text.English(lost.Detail), part) {
			t.Errorf("%q does not say %q", text.English(lost.Detail), part)
		}
	}
	st := has[model.ClusterStatus](r, 1)[0]
	if len(st.Members) != 1 || !strings.Contains(text.English(st.Members[0].Err), "connection refused") {
		t.Errorf("status: %+v", st)
	}
}

// TestAConfirmationIsNoOlderThanItsQuestion: who asks whether all was delivered compares with the
// clock that stamps the events, and that clock may differ from the machine's.
func TestAConfirmationIsNoOlderThanItsQuestion(t *testing.T) {
	for _, ahead := range []time.Duration{time.Hour, -time.Hour} {
		now := func() time.Time { return time.Now().Add(ahead) }
		s := newServer(t)
		put(t, s.dial(), "/l/a", "1")
		r := &record{t: t, w: newWatcher(t, s.dial(), Options{Prefixes: []string{"/l/"}, Budget: -1, Now: now})}
		has[model.Watching](r, 1)
		asked, known := now(), len(r.events)
		r.want.Confirm = true
		r.until("confirmation", func() bool {
			return slices.ContainsFunc(r.events[known:], func(e model.Event) bool {
				w, ok := e.(model.Watching)
				if ok && w.Asked.After(w.At) {
					t.Errorf("a clock that is %s ahead: asked at %s, after it was told at %s", ahead, w.Asked, w.At)
				}
				return ok && !w.Asked.Before(asked)
			})
		})
	}
}

func TestCompactionWhileAwayGivesAFreshList(t *testing.T) {
	s := newServer(t)
	c := s.dial()
	put(t, c, "/l/a", "1")
	m := &pace.Meter{}
	o := Options{Prefixes: []string{"/l/"}, Budget: -1, Timing: quick}.withDefaults()
	e := &etcd{client: c, conn: c.ActiveConnection(), meter: m, now: time.Now, timing: o.Timing, pageSize: 100}
	events := queue.New(queueLimit, nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f := &follower{prefix: "/l/", remote: e, events: events, timing: o.Timing, now: time.Now, probeNow: func() {}, health: make(chan health, 1)}
	// The follower left off at a revision that is compacted by now.
	f.loaded = true
	f.watched.Store(1)
	last := put(t, c, "/l/b", "2")
	must[*clientv3.CompactResponse](t)(c.Compact(ctx, last))
	done := make(chan struct{})
	go func() { defer close(done); f.run(ctx) }()
	defer func() { cancel(); <-done }()
	var got []string
	for end := time.Now().Add(deadline); len(got) < 4 && time.Now().Before(end); {
		taken, _ := events.Take(1)
		for _, ev := range taken {
			got = append(got, typeName(ev))
			if l, ok := ev.(model.Lost); ok && (l.Reason != model.LostCompacted || !strings.Contains(text.English(l.Detail), "compacted")) {
				t.Errorf("got %+v", l)
			}
		}
		pace.Sleep(ctx, time.Millisecond, events.Ready())
	}
	if d := cmp.Diff([]string{"Lost", "LoadStarted", "Listed", "Loaded"}, got); d != "" {
		t.Error(d)
	}
}
