package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/recipe"
	"locktop/model/status"
	"locktop/model/text"
)

// semaphoreOf is a state in which a prefix has so many permits, 0 for a mutex.
func semaphoreOf(permits int) *Store {
	if permits == 0 {
		return New()
	}
	return New(model.Pin{Prefix: "/pool", Recipe: recipe.Named(fmt.Sprintf("semaphore:%d", permits))})
}

// TestPermitsPassOn: so many hold at once, and each that releases lets one more in.
func TestPermitsPassOn(t *testing.T) {
	key := func(lease model.LeaseID) string { return modeltest.ClaimKey("/pool", lease) }
	h := modeltest.New()
	h.Loaded(0)
	for i := range 4 {
		h.Put(1+float64(i), key(model.LeaseID(0xa0+i)), "", model.LeaseID(0xa0+i))
	}
	s := semaphoreOf(2)
	look := func() string {
		s.Apply(model.Batch{Events: h.Events})
		h.Events = nil
		l := s.Lock("/pool")
		_, why := status.ToBreak(l)
		return fmt.Sprintf("%s; %d wait, %v; %s; %s", shown(l), l.Behind(), s.FindingsOf(l), text.English(status.NextMove(s, l, s.Now()).When), text.English(why))
	}
	if d := cmp.Diff("/pool semaphore:2 certain create_revision: *a0 *a1 a2 a3; 2 wait, []; one of its 2 holders releases;"+
		" 2 hold /pool together: /pool/a0, /pool/a1", look()); d != "" {
		t.Error(d)
	}
	h.Del(10, key(0xa1)) // not the first
	h.Read(10.1, 0xa1, 60, 55)
	if d := cmp.Diff("/pool semaphore:2 certain create_revision: *a0 *a2 a3; 1 wait, []; one of its 2 holders releases; 2 hold /pool together: /pool/a0, /pool/a2", look()); d != "" {
		t.Error(d)
	}
	h.Del(12, key(0xa0))
	h.Read(12.1, 0xa0, 60, 55)
	h.Del(13, key(0xa3))
	h.Read(13.1, 0xa3, 60, 55)
	if d := cmp.Diff("/pool semaphore:2 certain create_revision: *a2; 0 wait, []; one of its 1 holder releases; ", look()); d != "" {
		t.Error(d)
	}
	var told []string
	for _, f := range s.Lock("/pool").Journal() {
		told = append(told, f.Sentence(func(r model.ClaimRef) string { return strings.TrimPrefix(r.Key, "/pool/") }))
	}
	if d := cmp.Diff([]string{
		"a0 took a permit of /pool: 1 of 2 are taken",
		"a1 took a permit of /pool: 2 of 2 are taken",
		"a2 joined the queue of /pool at place 3: all 2 permits are taken",
		"a3 joined the queue of /pool at place 4: all 2 permits are taken",
		"a1 no longer holds /pool after 8.0s: released (hint); one other still holds it",
		"a2 took a permit of /pool: 2 of 2 are taken",
		"a0 no longer holds /pool after 11s: released (hint); one other still holds it",
		"a3 took a permit of /pool: 2 of 2 are taken",
		"a3 no longer holds /pool after 1.0s: released (hint); one other still holds it",
	}, told); d != "" {
		t.Error(d)
	}
	if st := s.Lock("/pool").Stats(); st.Handovers != 2 || st.Waits != 2 || st.Holds != 3 {
		t.Errorf("counted %+v", st)
	}
}

// TestASemaphoreIsStuckWhenAllItsHoldersAre: while one of them moves, who waits gets on.
func TestASemaphoreIsStuckWhenAllItsHoldersAre(t *testing.T) {
	silent := func(h *modeltest.History, at float64, lease model.LeaseID) {
		h.Read(at-55, lease, 120, 100)
		h.Read(at-50, lease, 120, 119)
		h.Read(at, lease, 120, 33)
	}
	healthy := func(h *modeltest.History, at float64, lease model.LeaseID) {
		h.Read(at-2, lease, 120, 100)
		h.Read(at, lease, 120, 119)
	}
	for _, r := range []struct {
		reason   string
		permits  int
		wait     int
		a, b     func(*modeltest.History, float64, model.LeaseID)
		comeBack float64 // when the second one took its permit
		want     []string
	}{
		{"all move, and some wait", 2, 3, healthy, healthy, 590, nil},
		{"a permit is left, however long the others are held", 3, 0, healthy, healthy, 2, nil},
		{"all are held for long, while others wait", 2, 3, healthy, healthy, 2, []string{"warning long-held (hint): all 2 permits are held, the last one for 9m58s while 3 wait; their holders renew, but hung programs look the same in etcd"}},
		{"one died, and the other goes on", 2, 3, silent, healthy, 2, []string{"warning dead-holder (strong): a0 stopped renewing: one of the 2 permits is free in about 33s"}},
		{"the second died: it holds as the first does", 2, 3, healthy, silent, 2, []string{"warning dead-holder (strong): b0 stopped renewing: one of the 2 permits is free in about 33s"}},
		{"both died", 2, 3, silent, silent, 2, []string{
			"error dead-holder (strong): a0 stopped renewing: one of the 2 permits is free in about 33s",
			"error dead-holder (strong): b0 stopped renewing: one of the 2 permits is free in about 33s"}},
		{"the same keys, of which nobody says anything: perhaps a mutex, of which the first alone holds", 0, 3, silent, healthy, 2, []string{"warning dead-holder (hint): a0 stopped renewing: the lock is free in about 33s"}},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, modeltest.ClaimKey("/pool", 0xa0), "", 0xa0)
		h.Put(r.comeBack, modeltest.ClaimKey("/pool", 0xb0), "", 0xb0)
		for i := range r.wait {
			h.Put(595+float64(i), modeltest.ClaimKey("/pool", model.LeaseID(0xc0+i)), "", model.LeaseID(0xc0+i))
		}
		r.a(h, 600, 0xa0)
		r.b(h, 600, 0xb0)
		s := semaphoreOf(r.permits)
		s.Apply(model.Batch{Events: h.Events})
		var got []string
		for _, f := range s.FindingsOf(s.Lock("/pool")) {
			got = append(got, fmt.Sprintf("%s %s (%s): %s", f.Severity, f.Code, f.Confidence, text.English(f.Summary)))
		}
		if d := cmp.Diff(r.want, got); d != "" {
			t.Errorf("%s (-want +got)\n%s", r.reason, d)
		}
	}
}

// TestAPermitWithoutALeaseIsKept for ever, and that of a healthy holder is not.
func TestAPermitWithoutALeaseIsKept(t *testing.T) {
	for _, r := range []struct {
		reason  string
		lost    int
		waiters int
		want    string
	}{
		{"none lost its lease", 0, 1, ""},
		{"one of two did", 1, 1, "warning lease-detached (certain): /pool/694d81e5fc65250 has no lease: 1 of 2 permits is kept for ever"},
		{"one did, and nobody waits", 1, 0, "warning lease-detached (certain): /pool/694d81e5fc65250 has no lease: 1 of 2 permits is kept for ever"},
		{"both did, and one waits", 2, 1, "error lease-detached (certain): /pool/694d81e5fc65250 has no lease: 2 of 2 permits are kept for ever"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for i := range 2 + r.waiters {
			id := model.LeaseID(0x694d81e5fc65250 + i)
			h.Put(1, modeltest.ClaimKey("/pool", id), "", id)
		}
		for i := range r.lost {
			h.Put(2, modeltest.ClaimKey("/pool", model.LeaseID(0x694d81e5fc65250+i)), "", 0)
		}
		s := semaphoreOf(2)
		s.Apply(model.Batch{Events: h.Events})
		got := ""
		for _, f := range s.FindingsOf(s.Lock("/pool")) {
			got += fmt.Sprintf("%s %s (%s): %s", f.Severity, f.Code, f.Confidence, text.English(f.Summary))
		}
		if got != r.want {
			t.Errorf("%s: got %q, want %q", r.reason, got, r.want)
		}
	}
}

// TestADeadlockThroughASemaphore: who waits for a permit gets on when any of the holders releases, so it
// is one only if all of them are stuck.
func TestADeadlockThroughASemaphore(t *testing.T) {
	const a, b, c, d = 0xa0, 0xb0, 0xc0, 0xd0
	for _, r := range []struct {
		reason  string
		permits int
		claims  []string // a lock, and the lease that comes to it next
		want    bool
	}{
		{"a mutex: the first alone holds", 0, []string{"/pool a", "/pool c", "/other b", "/pool b", "/other a"}, true},
		{"the other holder works", 2, []string{"/pool a", "/pool c", "/other b", "/pool b", "/other a"}, false},
		{"both holders wait for what the waiter holds", 2, []string{"/pool a", "/pool c", "/other b", "/pool b", "/other a", "/other c"}, true},
		{"the other holder waits for one that works", 2, []string{"/pool a", "/pool c", "/other b", "/third d", "/pool b", "/other a", "/third c"}, false},
		{"the other holder waits for one that waits for the waiter", 2, []string{"/pool a", "/pool c", "/other b", "/third d", "/pool b", "/other a", "/third c", "/other d"}, true},
		{"a permit is free", 3, []string{"/pool a", "/pool c", "/other b", "/pool b", "/other a", "/other c"}, false},
		{"nobody waits for a permit", 2, []string{"/pool a", "/pool c", "/other b", "/other a", "/other c"}, false},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for i, claim := range r.claims {
			lock, who, _ := strings.Cut(claim, " ")
			lease := map[string]model.LeaseID{"a": a, "b": b, "c": c, "d": d}[who]
			h.Put(1+float64(i), modeltest.ClaimKey(lock, lease), "", lease)
		}
		for _, lease := range []model.LeaseID{a, b, c, d} {
			h.Read(60, lease, 60, 59)
		}
		s := semaphoreOf(r.permits)
		look := func() bool {
			s.Apply(model.Batch{Events: h.Events})
			h.Events = nil
			return slices.ContainsFunc(s.Findings(), func(f model.Finding) bool { return f.Code == model.CodeLockCycle })
		}
		if got := look(); got != r.want {
			t.Errorf("%s: a deadlock is found: %v", r.reason, got)
		}
		h.Del(61, modeltest.ClaimKey("/pool", a)) // it gives its permit up
		if look() {
			t.Errorf("%s: a deadlock is found when a permit is given up", r.reason)
		}
	}
}

// TestWhoWaitsUnseenHasNoUsualWait: where waiting leaves no key, how long a claim waited is not known, which is
// not the same as not at all.
func TestWhoWaitsUnseenHasNoUsualWait(t *testing.T) {
	for _, r := range []struct {
		recipe string
		key    func(id model.LeaseID) string
		waits  int
		reason string
	}{
		{"single-key", func(model.LeaseID) string { return "/l" }, 0, "all wait for the same key"},
		{"mutex", func(id model.LeaseID) string { return modeltest.ClaimKey("/l", id) }, 1, "each has a key while it waits"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, r.key(0xa1), "", 0xa1)
		if r.waits > 0 {
			h.Put(2, r.key(0xa2), "", 0xa2)
			h.Del(4, r.key(0xa1))
		} else {
			h.Del(4, r.key(0xa1))
			h.Put(4.5, r.key(0xa2), "", 0xa2)
		}
		s := New(model.Pin{Recipe: recipe.Named(r.recipe)})
		s.Apply(model.Batch{Events: h.Events})
		if st := s.Lock("/l").Stats(); st.Handovers != 1 || st.Waits != r.waits {
			t.Errorf("%s: %d handovers, %d waits, want 1 and %d", r.reason, st.Handovers, st.Waits, r.waits)
		}
	}
}
