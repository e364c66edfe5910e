package intervals_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/fold"
	"locktop/model/history"
	"locktop/model/intervals"
	"locktop/model/keyspace"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// ever is longer than any story.
var ever = history.Start.Add(1000 * time.Hour)

// seen is what a person would write down who looks at every queue after every event.
type seen map[string][]intervals.Stay

func (all seen) look(s *fold.State, before map[string]intervals.Stay, at time.Time, unseen bool) map[string]intervals.Stay {
	now := map[string]intervals.Stay{}
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
				x = intervals.Stay{Claim: c.Ref(), Came: c.Since, CameAtLeast: c.SinceAtLeast}
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

// The book says what a look at every queue after every event says.
func TestTheBookIsWhatTheQueuesWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := history.New()
		h.Loaded(0)
		sec := 1.0
		leases := []model.LeaseID{0x1, 0x2, 0x7fffffffffffffff, 0x694d81e5fc650000}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			sec += float64(rapid.IntRange(0, 3000).Draw(t, "ms")) / 1000
			lock := rapid.SampledFrom([]string{"/l", "/m", "/m/sub", "/rw", "/uuid"}).Draw(t, "lock")
			lease := rapid.SampledFrom(leases).Draw(t, "lease")
			key := history.ClaimKey(lock, lease)
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
		s, want := fold.NewState(), seen{}
		before := map[string]intervals.Stay{}
		for _, e := range h.Events {
			s.Apply(model.Batch{Events: []model.Event{e}})
			_, relisted := e.(model.Loaded)
			before = want.look(s, before, e.When(), relisted)
		}
		for _, lock := range []string{"/l", "/m", "/m/sub", "/rw", "/uuid"} {
			l := s.Lock(lock)
			if l == nil || !l.Recipe().HasHolder || len(s.Cluster().Members) > 0 {
				continue
			}
			got, over := map[string]intervals.Stay{}, 0
			for x := range s.Book.Stays(lock, history.Start, ever) {
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
					t.Fatalf("%s (-looked +book)\n%s", lock, d)
				}
			}
			if over > len(want[lock]) {
				t.Fatalf("%s: the book has %d stays, a look saw %d", lock, over, len(want[lock]))
			}
		}
	})
}

// Two keys of each lock come and go in turn: how it looks is known beforehand.
func TestAFairQueueInTheBook(t *testing.T) {
	h := history.New()
	h.Loaded(0)
	h.Put(1, "/l/a", "", 0xa)
	h.Put(2, "/l/b", "", 0xb)
	h.Put(3, "/l/c", "", 0xc)
	h.Del(6, "/l/b") // a waiter gives up
	h.Del(10, "/l/a")
	s := fold.NewState()
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
		return t.Sub(history.Start).Seconds()
	}
	rows := func(from, to float64) (all []row) {
		for x := range s.Book.Stays("/l", history.At(from), history.At(to)) {
			all = append(all, row{x.Claim.Key, sec(x.Came), sec(x.Got), sec(x.Gone), x.CameAtLeast, x.Unseen})
		}
		return all
	}
	a, b, c := row{Key: "/l/a", Came: 1, Got: 1, Gone: 10}, row{Key: "/l/b", Came: 2, Got: -1, Gone: 6}, row{Key: "/l/c", Came: 3, Got: 10, Gone: -1}
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
	if got := s.Book.Since("/l"); !got.Equal(history.At(0)) {
		t.Errorf("whole since %v, want since the list", got)
	}
	if got := s.Book.Since("/other/l"); !got.Equal(history.At(0)) {
		t.Errorf("of another lock under the same prefix: whole since %v", got)
	}
}

// What a gap of the watch hid is not told as if it had been seen.
func TestAGapInTheBook(t *testing.T) {
	h := history.New()
	h.Loaded(0)
	h.Put(1, "/l/a", "", 0xa)
	h.Put(2, "/l/b", "", 0xb)
	h.Add(model.Lost{At: history.At(5), Reason: model.LostCompacted})
	b := h.Keys["/l/b"]
	h.Add(model.LoadStarted{At: history.At(9), Rev: 120}, model.Listed{At: history.At(9), Rev: 120, KVs: []model.KV{b}}, model.Loaded{At: history.At(9), Rev: 120})
	s := fold.NewState()
	s.Apply(model.Batch{Events: h.Events})
	for x := range s.Book.Stays("/l", history.At(0), ever) {
		switch x.Claim.Key {
		case "/l/a":
			if !x.Unseen || !x.Gone.Equal(history.At(9)) {
				t.Errorf("nobody saw when it went: %+v", x)
			}
		case "/l/b":
			if !x.GotAtLeast || x.CameAtLeast {
				t.Errorf("nobody saw when it got the lock, and it was seen to come: %+v", x)
			}
		}
	}
	gaps := s.Book.Gaps("/l")
	if len(gaps) != 1 || !gaps[0].From.Equal(history.At(5)) || !gaps[0].To.Equal(history.At(9)) {
		t.Errorf("gaps: %+v, want one from second 5 to 9", gaps)
	}
	marks := s.Book.Marks("/l", history.At(0), ever)
	if len(marks) == 0 || marks[0].Kind != intervals.MarkGap {
		t.Errorf("marks: %+v, want the gap", marks)
	}
}

// rounds lets the holders of n locks hand over in turn: each goes and comes again behind.
// The first lock has deep claims. between is the time between two handovers.
func rounds(s *fold.State, n, deep, handovers int, between time.Duration) time.Time {
	rev, at := int64(0), history.Start
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

// bytesOfAStay is what a stay of a mutex costs, each of a lease of its own, everything counted.
const bytesOfAStay = 30

// A tenth of an hour at 10,000 locks and 1,000 handovers a second, 1,000 claims on one of
// them: what a stay takes is what an hour of them takes. BenchmarkHour is the whole hour.
func TestAStayIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("360,000 handovers")
	}
	const n = 120_000
	var before, with runtime.MemStats
	s := fold.NewState()
	rounds(s, 1000, 1000, 0, time.Millisecond)
	runtime.GC()
	runtime.ReadMemStats(&before)
	s = fold.NewState()
	rounds(s, 1000, 1000, n, time.Millisecond)
	runtime.GC()
	runtime.ReadMemStats(&with)
	own := s.Book.Bytes()
	if own > n*bytesOfAStay {
		t.Errorf("%d stays take %d bytes, %d each, want %d at most", n, own, own/n, bytesOfAStay)
	}
	if dropped, _ := s.Book.Dropped(); dropped > 0 {
		t.Errorf("%d were dropped", dropped)
	}
	runtime.KeepAlive(s)
}

// What gives way is the oldest, and it is said.
func TestABookIsBounded(t *testing.T) {
	k := keyspace.NewKeyspace()
	const most = 256 << 10
	b := intervals.NewBook(k, 0)
	b.Keep(most)
	h := history.New()
	h.Loaded(0)
	apply := func() {
		for _, e := range h.Events {
			k.Apply(e)
			b.Follow(e)
		}
		h.Events = nil
	}
	const n, locks = 60_000, 700
	for i := range n {
		at, lock := 1+float64(i)/100, fmt.Sprintf("/l%d", i%locks)
		if i%2 == 0 {
			lock = "/busy"
		}
		key := history.ClaimKey(lock, model.LeaseID(i+1))
		h.Put(at, key, "", model.LeaseID(i+1))
		h.Del(at+0.005, key)
		apply()
		if b.Bytes() > most {
			t.Fatalf("%d bytes after %d stays, want %d at most", b.Bytes(), i, most)
		}
	}
	kept := 0
	for name := range b.Names {
		since := b.Since(name)
		for x := range b.Stays(name, history.Start, ever) {
			kept++
			if x.Gone.Before(since) {
				t.Fatalf("%s: a stay that ended at %v is kept, and they are said to be whole since %v", name, x.Gone, since)
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
	if got := b.Since("/busy"); !got.After(history.At(1)) {
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
				s := fold.NewState()
				rounds(s, 10_000, 1000, r.handovers, time.Millisecond)
				var m runtime.MemStats
				b.ReportMetric(float64(s.Book.Bytes())/(1<<20), "book-MiB")
				n, _ := s.Book.Dropped()
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
	s := fold.NewState()
	end := rounds(s, 3, 40, 3000, 7*time.Millisecond)
	for _, r := range []struct {
		reason   string
		from, to time.Duration
	}{
		{"all of it", -time.Hour, time.Hour}, {"a part", 3 * time.Second, 9 * time.Second}, {"a moment", 5 * time.Second, 5*time.Second + time.Millisecond},
		{"before anything", -time.Hour, -time.Minute},
	} {
		from, to := history.Start.Add(r.from), history.Start.Add(r.to)
		for i := range 3 {
			lock := fmt.Sprintf("/bench/lock-%06d", i)
			var want time.Duration
			for x := range s.Book.Stays(lock, from, to) {
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
			if got := s.Book.Waited(lock, from, to); (got - want).Abs() > time.Millisecond {
				t.Errorf("%s, %s: %v, added up one by one %v", lock, r.reason, got, want)
			}
		}
	}
	if s.Book.Waited("/bench/lock-000000", history.Start, end) < s.Book.Waited("/bench/lock-000001", history.Start, end) {
		t.Error("39 wait for the first lock and one for the second, and more was waited for the second")
	}
}

// A key by itself outlives its holders: while it names none, nobody waits by it.
func TestAKeyThatNobodyHoldsDoesNotWait(t *testing.T) {
	const key = "/registry/leases/kube-system/scheduler"
	named := func(holder string) string {
		return fmt.Sprintf(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","spec":{"holderIdentity":%q,"leaseDurationSeconds":15,"renewTime":"2026-03-01T12:00:00.000000Z"}}`, holder)
	}
	h := history.New()
	h.Loaded(0)
	h.Put(1, key, named("a"), 0)
	h.Put(4, key, named(""), 0)
	for _, r := range []struct {
		reason string
		then   func()
		stays  int
	}{
		{"let go, and free", func() {}, 1},
		{"another takes it", func() { h.Put(6, key, named("b"), 0) }, 2},
		{"that one lets go, and the key goes", func() { h.Put(8, key, named(""), 0); h.Del(9, key) }, 2},
	} {
		r.then()
		s := fold.NewState()
		s.Apply(model.Batch{Events: h.Events})
		s.Apply(model.Batch{Events: []model.Event{model.Tick{At: history.At(10)}}})
		stays := 0
		for x := range s.Book.Stays(key, history.At(0), history.At(10)) {
			if stays++; x.Got.IsZero() || !x.Came.Equal(x.Got) {
				t.Errorf("%s: it waited: %+v", r.reason, x)
			}
		}
		c := s.Book.Contention(key, history.At(0), history.At(10), byLease)
		if stays != r.stays || c.Waiters != 0 || c.TotalWait != 0 || c.Queued != 0 {
			t.Errorf("%s: %d stays, want %d; %d wait, %v in all", r.reason, stays, r.stays, c.Waiters, c.TotalWait)
		}
	}
}
