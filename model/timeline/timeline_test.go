package timeline_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/model/timeline"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// ever is longer than any story.
var ever = modeltest.Start.Add(1000 * time.Hour)

// seen is what a person would write down who looks at every queue after every event.
type seen map[string][]timeline.Span

func (all seen) look(s *store.Store, before map[string]timeline.Span, at time.Time, unseen bool) map[string]timeline.Span {
	now := map[string]timeline.Span{}
	for _, l := range s.Locks() {
		if !l.Recipe().HasHolder {
			continue
		}
		i := 0
		for c := range l.Claims {
			holds := l.Holds(i)
			if i++; !l.IsClaim(c) {
				continue
			}
			id := fmt.Sprint(l.Name, " ", c.Key, " ", c.CreateRev)
			x, known := before[id]
			if !known {
				x = timeline.Span{Claim: c.Ref(), Came: c.Since, CameAtLeast: c.SinceAtLeast}
			}
			x.Claim = c.Ref()
			if holds && x.Got.IsZero() {
				x.Got, x.GotAtLeast = at, unseen
			}
			now[id] = x
		}
	}
	for id, x := range before {
		if _, there := now[id]; !there {
			x.Gone, x.Unseen = at, unseen
			var lock string
			fmt.Sscan(id, &lock)
			all[lock] = append(all[lock], x)
		}
	}
	return now
}

// The timeline says what a look at every queue after every event says.
func TestTheBookIsWhatTheQueuesWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := modeltest.New()
		h.Loaded(0)
		sec := 1.0
		leases := []model.LeaseID{0x1, 0x2, 0x7fffffffffffffff, 0x694d81e5fc650000}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			sec += float64(rapid.IntRange(0, 3000).Draw(t, "ms")) / 1000
			lock := rapid.SampledFrom([]string{"/lock", "/m", "/m/sub", "/rw", "/uuid"}).Draw(t, "lock")
			lease := rapid.SampledFrom(leases).Draw(t, "lease")
			key := modeltest.ClaimKey(lock, lease)
			switch lock {
			case "/rw":
				key = fmt.Sprintf("/rw/%s/170000000000000000%d", rapid.SampledFrom([]string{"read", "read", "write"}).Draw(t, "mode"), rapid.IntRange(0, 5).Draw(t, "n"))
			case "/uuid":
				key = fmt.Sprintf("/uuid/6ba7b810-9dad-11d1-80b4-00c04fd430c%d", rapid.IntRange(0, 5).Draw(t, "n"))
			}
			if _, there := h.Keys[key]; there && rapid.IntRange(0, 5).Draw(t, "goes") > 0 {
				h.Del(sec, key)
			} else if !there {
				h.Put(sec, key, rapid.SampledFrom([]string{"", "host:7"}).Draw(t, "value"), lease)
			}
		}
		s, want := store.New(), seen{}
		before := map[string]timeline.Span{}
		for _, e := range h.Events {
			s.Apply(model.Batch{Events: []model.Event{e}})
			_, relisted := e.(model.Loaded)
			before = want.look(s, before, e.When(), relisted)
		}
		for _, lock := range []string{"/lock", "/m", "/m/sub", "/rw", "/uuid"} {
			l := s.Lock(lock)
			if l == nil || !l.Recipe().HasHolder || len(s.Cluster().Members) > 0 {
				continue
			}
			got, over := map[string]timeline.Span{}, 0
			for x := range s.Timeline().Spans(lock, modeltest.Start, ever) {
				if x.Gone.IsZero() {
					continue
				}
				over++
				got[fmt.Sprint(x.Claim.Key, x.Claim.CreateRev)] = *x
			}
			for _, x := range want[lock] {
				g, ok := got[fmt.Sprint(x.Claim.Key, x.Claim.CreateRev)]
				if !ok {
					continue // of a name that was no lock yet when it went
				}
				x.Came, x.Got, x.Gone = x.Came.Truncate(time.Microsecond), x.Got.Truncate(time.Microsecond), x.Gone.Truncate(time.Microsecond)
				if d := cmp.Diff(x, g); d != "" {
					t.Fatalf("%s (-looked +timeline)\n%s", lock, d)
				}
			}
			if over > len(want[lock]) {
				t.Fatalf("%s: the timeline has %d spans, a look saw %d", lock, over, len(want[lock]))
			}
		}
	})
}

// Two keys of each lock come and go in turn: how it looks is known beforehand.
func TestAFairQueueInTheBook(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/lock/a", "", 0xa)
	h.Put(2, "/lock/b", "", 0xb)
	h.Put(3, "/lock/c", "", 0xc)
	h.Del(6, "/lock/b") // a waiter gives up
	h.Del(10, "/lock/a")
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	type row struct {
		Key              string
		Came, Got, Gone  float64
		CameLate, NoLook bool
	}
	sec := func(t time.Time) float64 {
		if t.IsZero() {
			return -1
		}
		return t.Sub(modeltest.Start).Seconds()
	}
	rows := func(from, to float64) (all []row) {
		for x := range s.Timeline().Spans("/lock", modeltest.At(from), modeltest.At(to)) {
			all = append(all, row{x.Claim.Key, sec(x.Came), sec(x.Got), sec(x.Gone), x.CameAtLeast, x.Unseen})
		}
		return all
	}
	a, b, c := row{Key: "/lock/a", Came: 1, Got: 1, Gone: 10}, row{Key: "/lock/b", Came: 2, Got: -1, Gone: 6}, row{Key: "/lock/c", Came: 3, Got: 10, Gone: -1}
	for _, r := range []struct {
		reason   string
		from, to float64
		want     []row
	}{
		{"all of it, those that go on last", 0, 20, []row{b, a, c}},
		{"what ended before is left out", 7, 20, []row{a, c}},
		{"what came later is left out", 0, 1.5, []row{a}},
		{"what goes on is there at any later time", 15, 20, []row{c}},
	} {
		if d := cmp.Diff(r.want, rows(r.from, r.to)); d != "" {
			t.Errorf("%s (-want +got)\n%s", r.reason, d)
		}
	}
	if got := s.Timeline().Since("/lock"); !got.Equal(modeltest.At(0)) {
		t.Errorf("whole since %v, want since the list", got)
	}
	if got := s.Timeline().Since("/other/l"); !got.Equal(modeltest.At(0)) {
		t.Errorf("of another lock under the same prefix: whole since %v", got)
	}
}

// handoverInAGap is a lock whose holder went, and which the next one got, while nothing was seen.
func handoverInAGap() *store.Store {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/lock/a", "", 0xa)
	h.Put(2, "/lock/b", "", 0xb)
	h.Add(model.Watching{At: modeltest.At(5), Rev: h.Rev}, model.Lost{At: modeltest.At(5), Reason: model.LostCompacted})
	b := h.Keys["/lock/b"]
	h.Add(model.LoadStarted{At: modeltest.At(9), Rev: 120}, model.Listed{At: modeltest.At(9), Rev: 120, KVs: []model.KV{b}}, model.Loaded{At: modeltest.At(9), Rev: 120})
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	return s
}

// What a gap of the watch hid is not told as if it had been seen.
func TestAGapInTheBook(t *testing.T) {
	s := handoverInAGap()
	for x := range s.Timeline().Spans("/lock", modeltest.At(0), ever) {
		switch x.Claim.Key {
		case "/lock/a":
			if !x.Unseen || !x.Gone.Equal(modeltest.At(9)) {
				t.Errorf("nobody saw when it went: %+v", x)
			}
		case "/lock/b":
			if !x.GotAtLeast || x.CameAtLeast {
				t.Errorf("nobody saw when it got the lock, and it was seen to come: %+v", x)
			}
		}
	}
	gaps := s.Timeline().Gaps("/lock")
	if len(gaps) != 1 || !gaps[0].From.Equal(modeltest.At(5)) || !gaps[0].To.Equal(modeltest.At(9)) {
		t.Errorf("gaps: %+v, want one from second 5 to 9", gaps)
	}
	marks := s.Timeline().Marks("/lock", modeltest.At(0), ever)
	if len(marks) == 0 || marks[0].Kind != timeline.MarkGap {
		t.Errorf("marks: %+v, want the gap", marks)
	}
}

// rounds lets the holders of n locks hand over in turn: each goes and comes again behind.
// The first lock has deep claims. between is the time between two handovers.
func rounds(s *store.Store, n, deep, handovers int, between time.Duration) time.Time {
	rev, at := int64(0), modeltest.Start
	lease := model.LeaseID(0x694d81e5fc650000)
	next := func() model.LeaseID { lease += 3; return lease }
	put := func(lock string) model.Change {
		id := next()
		return model.Change{KV: model.KV{Key: lock + "/" + id.String(), CreateRev: rev, ModRev: rev, Version: 1, Lease: id}}
	}
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: at}, model.Loaded{At: at}}})
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("/bench/lock-%06d", i)
		claims := 2
		if i == 0 {
			claims = deep
		}
		for range claims {
			rev++
			s.Apply(model.Batch{Events: []model.Event{model.Committed{At: at, Rev: rev, Changes: []model.Change{put(names[i])}}}})
		}
	}
	for i := range handovers {
		at = at.Add(between)
		name := names[i%n]
		if i%3 == 0 {
			name = names[0] // the deep one is the busy one
		}
		l := s.Lock(name)
		rev++
		s.Apply(model.Batch{Events: []model.Event{model.Committed{At: at, Rev: rev, Changes: []model.Change{
			{Deleted: true, KV: model.KV{Key: l.Head().Key, ModRev: rev}}}}}})
		rev++
		s.Apply(model.Batch{Events: []model.Event{model.Committed{At: at, Rev: rev, Changes: []model.Change{put(name)}}}})
	}
	return at
}

// What gives way is the oldest, and it is said.
func TestABookIsBounded(t *testing.T) {
	k := locks.NewState()
	const most = 8000
	b := timeline.New(k, 0)
	b.SetMaxSpans(most)
	h := modeltest.New()
	h.Loaded(0)
	apply := func() {
		for _, e := range h.Events {
			b.Apply(e, k.Apply(e))
		}
		h.Events = nil
	}
	const n, locks = 60_000, 700
	for i := range n {
		at, lock := 1+float64(i)/100, fmt.Sprintf("/lock%d", i%locks)
		if i%2 == 0 {
			lock = "/busy"
		}
		key := modeltest.ClaimKey(lock, model.LeaseID(i+1))
		h.Put(at, key, "", model.LeaseID(i+1))
		h.Del(at+0.005, key)
		apply()
		if dropped, _ := b.Dropped(); i+1-dropped > most {
			t.Fatalf("%d spans are kept, want %d at most", i+1-dropped, most)
		}
	}
	kept := 0
	for name := range b.Names {
		since := b.Since(name)
		for x := range b.Spans(name, modeltest.Start, ever) {
			kept++
			if x.Gone.Before(since) {
				t.Fatalf("%s: a span that ended at %v is kept, and they are said to be whole since %v", name, x.Gone, since)
			}
		}
	}
	dropped, until := b.Dropped()
	if kept+dropped != n || until.IsZero() {
		t.Errorf("%d kept and %d dropped (until %v) of %d", kept, dropped, until, n)
	}
	if kept < 5000 {
		t.Errorf("%d kept: the room is not used", kept)
	}
	if got := b.Since("/busy"); !got.After(modeltest.At(1)) {
		t.Errorf("the busy lock is whole since %v", got)
	}
}

// BenchmarkHour folds an hour at 10,000 locks and 1,000 handovers a second, or a tenth of it,
// and says what stays of it.
func BenchmarkHour(b *testing.B) {
	for _, r := range []struct {
		name      string
		handovers int
	}{{"whole", 3_600_000}, {"tenth", 360_000}} {
		b.Run(r.name, func(b *testing.B) {
			for range b.N {
				s := store.New()
				rounds(s, 10_000, 1000, r.handovers, time.Millisecond)
				var m runtime.MemStats
				n, _ := s.Timeline().Dropped()
				b.ReportMetric(float64(n), "dropped")
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapSys)/(1<<20), "heap-peak-MiB")
				runtime.GC()
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MiB")
				runtime.KeepAlive(s)
			}
		})
	}
}

// How long all waited is what each of them did, added up, in any window and however many
// there are.
func TestWaited(t *testing.T) {
	s := store.New()
	end := rounds(s, 3, 40, 3000, 7*time.Millisecond)
	for _, r := range []struct {
		reason   string
		from, to time.Duration
	}{
		{"all of it", -time.Hour, time.Hour}, {"a part", 3 * time.Second, 9 * time.Second}, {"a moment", 5 * time.Second, 5*time.Second + time.Millisecond},
		{"before anything", -time.Hour, -time.Minute},
	} {
		from, to := modeltest.Start.Add(r.from), modeltest.Start.Add(r.to)
		for i := range 3 {
			lock := fmt.Sprintf("/bench/lock-%06d", i)
			var want time.Duration
			for x := range s.Timeline().Spans(lock, from, to) {
				begin, over := x.Came, to
				if !x.Got.IsZero() && x.Got.Before(to) {
					over = x.Got
				} else if !x.Gone.IsZero() && x.Gone.Before(to) {
					over = x.Gone
				}
				if begin.Before(from) {
					begin = from
				}
				want += max(0, over.Sub(begin))
			}
			if got := s.Timeline().Waited(lock, from, to); (got - want).Abs() > time.Millisecond {
				t.Errorf("%s, %s: %v, added up one by one %v", lock, r.reason, got, want)
			}
		}
	}
	if s.Timeline().Waited("/bench/lock-000000", modeltest.Start, end) < s.Timeline().Waited("/bench/lock-000001", modeltest.Start, end) {
		t.Error("39 wait for the first lock and one for the second, and more was waited for the second")
	}
}

// A key by itself outlives its holders: while it names none, nobody waits by it.
func TestAKeyThatNobodyHoldsDoesNotWait(t *testing.T) {
	const key = "/registry/leases/kube-system/scheduler"
	named := func(holder string) string {
		return fmt.Sprintf(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","spec":{"holderIdentity":%q,"leaseDurationSeconds":15,"renewTime":"2026-03-01T12:00:00.000000Z"}}`, holder)
	}
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, key, named("a"), 0)
	h.Put(4, key, named(""), 0)
	for _, r := range []struct {
		reason string
		then   func()
		spans  int
	}{
		{"let go, and free", func() {}, 1},
		{"another takes it", func() { h.Put(6, key, named("b"), 0) }, 2},
		{"that one lets go, and the key goes", func() { h.Put(8, key, named(""), 0); h.Del(9, key) }, 2},
	} {
		r.then()
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		s.Apply(model.Batch{Events: []model.Event{model.Tick{At: modeltest.At(10)}}})
		spans := 0
		for x := range s.Timeline().Spans(key, modeltest.At(0), modeltest.At(10)) {
			if spans++; x.Got.IsZero() || !x.Came.Equal(x.Got) {
				t.Errorf("%s: it waited: %+v", r.reason, x)
			}
		}
		c := s.Timeline().Contention(key, modeltest.At(0), modeltest.At(10), byLease)
		if spans != r.spans || c.Waiters != 0 || c.TotalWait != 0 || c.Queued != 0 {
			t.Errorf("%s: %d spans, want %d; %d wait, %v in all", r.reason, spans, r.spans, c.Waiters, c.TotalWait)
		}
	}
}
