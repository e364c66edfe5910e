package findings_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/modeltest"
)

// TestWhatALockIsForIsLearnt from its own past, and from those who come and go: a service that leads by a
// mutex has programs that stand by, and these are started again now and then.
func TestWhatALockIsForIsLearnt(t *testing.T) {
	const hour = 3600.0
	info, warning := []string{"info long-held (hint) /lock"}, []string{"warning long-held (hint) /lock"}
	key := func(l model.LeaseID) string { return modeltest.ClaimKey("/lock", l) }
	come := func(h *modeltest.History, at float64, l model.LeaseID) { h.Put(at, key(l), "", l) }
	goes := func(h *modeltest.History, at float64, l model.LeaseID) { h.Del(at, key(l)) }
	service := func(h *modeltest.History) { // one leads, two stand by
		for i := range 3 {
			come(h, 1+float64(i), model.LeaseID(0xa0+i))
		}
	}
	for _, r := range []struct {
		reason string
		tell   func(h *modeltest.History)
		head   model.LeaseID
		at     float64
		want   []string
	}{
		{"two stand by for hours", service, 0xa0, 5 * hour, info},
		{"one of them was started again a moment ago", func(h *modeltest.History) {
			service(h)
			goes(h, 5*hour-60, 0xa1)
			come(h, 5*hour-50, 0xb1)
		}, 0xa0, 5 * hour, info},
		{"both were, and the new ones came before the old ones went", func(h *modeltest.History) {
			service(h)
			come(h, 5*hour-60, 0xb1)
			goes(h, 5*hour-50, 0xa1)
			come(h, 5*hour-40, 0xb2)
			goes(h, 5*hour-30, 0xa2)
		}, 0xa0, 5 * hour, info},
		{"one more came than went: the queue grows", func(h *modeltest.History) {
			service(h)
			goes(h, 5*hour-60, 0xa1)
			come(h, 5*hour-50, 0xb1)
			come(h, 5*hour-40, 0xb2)
		}, 0xa0, 5 * hour, warning},
		{"ten minutes later it has not grown any more", func(h *modeltest.History) {
			service(h)
			goes(h, 5*hour-660, 0xa1)
			come(h, 5*hour-650, 0xb1)
			come(h, 5*hour-640, 0xb2)
		}, 0xa0, 5 * hour, info},
		{"one comes and gives up soon: it wants to work", func(h *modeltest.History) {
			service(h)
			come(h, 5*hour-60, 0xb1)
			goes(h, 5*hour-50, 0xb1)
			h.Read(5*hour-49, 0xb1, 60, 50)
		}, 0xa0, 5 * hour, warning},
		{"the one that led before led for hours, and is started again", func(h *modeltest.History) {
			service(h)
			goes(h, 5*hour, 0xa0)
			come(h, 5*hour+200, 0xb0)
		}, 0xa1, 5*hour + 320, nil},
		{"one that led before we looked led for three hours, so this one may for six", func(h *modeltest.History) {
			kv := h.Write(key(0x99), "", 0x99)
			h.Events = []model.Event{model.LoadStarted{At: modeltest.At(0)}, model.Listed{At: modeltest.At(0), KVs: []model.KV{kv}}, model.Loaded{At: modeltest.At(0), Rev: h.Rev}}
			service(h)
			goes(h, 3*hour, 0x99)
			come(h, 8*hour, 0xb1)
		}, 0xa0, 8*hour + 60, nil},
		{"and after six it is told of", func(h *modeltest.History) {
			kv := h.Write(key(0x99), "", 0x99)
			h.Events = []model.Event{model.LoadStarted{At: modeltest.At(0)}, model.Listed{At: modeltest.At(0), KVs: []model.KV{kv}}, model.Loaded{At: modeltest.At(0), Rev: h.Rev}}
			service(h)
			goes(h, 3*hour, 0x99)
			come(h, 10*hour-60, 0xb1)
		}, 0xa0, 10 * hour, warning},
	} {
		h := modeltest.New()
		h.Loaded(0)
		r.tell(h)
		slices.SortStableFunc(h.Events, func(a, b model.Event) int { return a.When().Compare(b.When()) })
		h.Read(r.at-1, r.head, 60, 57)
		h.Read(r.at, r.head, 60, 59)
		if d := cmp.Diff(r.want, codes(state(h))); d != "" {
			t.Errorf("%s (-want +got)\n%s", r.reason, d)
		}
	}
}

// TestHalfAMinuteTellsLittle of what a lock is for: those who wait for a leader of a short lease die and are
// started again, too. Only one that comes and gives up, or comes besides, says that work waits.
func TestHalfAMinuteTellsLittle(t *testing.T) {
	key := func(l model.LeaseID) string { return modeltest.ClaimKey("/lock", l) }
	for _, r := range []struct {
		reason string
		tell   func(h *modeltest.History)
		at     float64
		want   string
	}{
		{"nobody comes or goes", func(*modeltest.History) {}, 32, "info"},
		{"one is killed and started again, and its old key runs out", func(h *modeltest.History) {
			h.Put(22, key(0xb1), "", 0xb1)
			h.Del(25, key(0xa1))
		}, 32, "info"},
		{"and so is the new one, which etcd says was not renewed", func(h *modeltest.History) {
			h.Put(22, key(0xb1), "", 0xb1)
			h.Del(25, key(0xa1))
			h.Read(37, 0xb1, 5, 4)
			h.Read(41, 0xb1, 5, 0)
			h.Put(41, key(0xc1), "", 0xc1)
			h.Del(42, key(0xb1))
			h.Read(42.5, 0xb1, 0, -1)
		}, 61, "info"},
		{"the new one dies, and nobody saw how", func(h *modeltest.History) {
			h.Put(22, key(0xb1), "", 0xb1)
			h.Del(25, key(0xa1))
			h.Put(41, key(0xc1), "", 0xc1)
			h.Del(42, key(0xb1))
		}, 61, "info"},
		{"one went while the watch was lost, and comes again", func(h *modeltest.History) {
			h.Add(model.Lost{At: modeltest.At(19), Reason: model.LostDisconnect})
			h.Del(22, key(0xa1))
			h.Add(model.Back{At: modeltest.At(22.1), Rev: h.Rev}, model.Watching{At: modeltest.At(22.1), Rev: h.Rev})
			h.Put(24, key(0xb1), "", 0xb1)
		}, 32, "info"},
		{"one comes and gives up, as its lease says that lives on", func(h *modeltest.History) {
			h.Put(20, key(0xb1), "", 0xb1)
			h.Del(26, key(0xb1))
			h.Read(27, 0xb1, 5, 4)
		}, 32, "warning"},
		{"one comes besides", func(h *modeltest.History) { h.Put(20, key(0xb1), "", 0xb1) }, 32, "warning"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for i := range 5 {
			h.Put(1+float64(i)/10, key(model.LeaseID(0xa0+i)), "", model.LeaseID(0xa0+i))
		}
		r.tell(h)
		h.Read(r.at-1, 0xa0, 5, 3)
		h.Read(r.at, 0xa0, 5, 4)
		if d := cmp.Diff([]string{r.want + " long-held (hint) /lock"}, codes(state(h))); d != "" {
			t.Errorf("%s (-want +got)\n%s", r.reason, d)
		}
	}
}

// TestWaitersThatTryAgainAreOneTrouble: between two tries nobody waits, and that is no end of it.
func TestWaitersThatTryAgainAreOneTrouble(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, modeltest.ClaimKey("/lock", 0xa0), "", 0xa0)
	h.Read(3, 0xa0, 5, 3)
	for i := range 20 {
		lease := model.LeaseID(0xb0 + i)
		at := 2 + 4.2*float64(i)
		h.Put(at, modeltest.ClaimKey("/lock", lease), "", lease)
		h.Read(at+2, 0xa0, 5, 4)
		h.Del(at+4, modeltest.ClaimKey("/lock", lease))
		h.Read(at+4.1, lease, 5, 4)
	}
	s := state(h)
	if d := cmp.Diff([]string{"warning long-held (hint) /lock"}, codes(s)); d != "" {
		t.Errorf("between two tries (-want +got)\n%s", d)
	}
	told := 0
	for _, f := range s.Journal() {
		if f.Code == model.CodeLongHeld {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times, want once", told)
	}
	s.Apply(model.Batch{Events: []model.Event{model.LeaseRead{At: modeltest.At(100), ID: 0xa0, Granted: 5, Remaining: 4, Term: 2}}})
	if got := codes(s); len(got) > 0 {
		t.Errorf("nobody tries any more: %v", got)
	}
}

// TestAnUnusualHoldFades: while somebody comes or goes it is trouble; who stands by for an hour has time.
func TestAnUnusualHoldFades(t *testing.T) {
	for _, r := range []struct {
		after float64 // of the hold that is unusual
		comes bool
		want  string
	}{
		{100, false, "warning"}, {3500, false, "warning"}, {3700, false, "info"}, {7200, false, "info"}, {7200, true, "warning"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		at := 1.0
		for i := range 12 {
			l := model.LeaseID(0x100 + i)
			h.Put(at, modeltest.ClaimKey("/lock", l), "", l)
			h.Del(at+1, modeltest.ClaimKey("/lock", l))
			h.Read(at+1, l, 10, 9)
			at += 2
		}
		h.Put(at, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1)
		h.Put(at, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
		if r.comes {
			h.Put(at+r.after-30, modeltest.ClaimKey("/lock", 0xc3), "", 0xc3)
		}
		h.Read(at+r.after-1, 0xa1, 60, 57)
		h.Read(at+r.after, 0xa1, 60, 59)
		want := []string{r.want + " long-held (hint) /lock"}
		if d := cmp.Diff(want, codes(state(h))); d != "" {
			t.Errorf("after %v s, one comes: %v (-want +got)\n%s", r.after, r.comes, d)
		}
	}
}

// TestAHintLeavesTheBannerToWhatIsKnown, however long it stands and however bad it would be.
func TestAHintLeavesTheBannerToWhatIsKnown(t *testing.T) {
	a, b := model.LeaseID(0xa1), model.LeaseID(0xb2)
	for _, r := range []struct {
		reason string
		dies   bool
		want   model.Code
	}{{"the hint alone", false, model.CodeLongHeld}, {"and a waiter of another lock that stopped renewing", true, model.CodeDeadWaiter}} {
		h := modeltest.New()
		h.Loaded(0)
		for i := range 3 {
			h.Put(1, modeltest.ClaimKey("/lock", model.LeaseID(0x10+i)), "", model.LeaseID(0x10+i))
		}
		h.Put(1, modeltest.ClaimKey("/mutex/other", a), "", a)
		h.Put(2, modeltest.ClaimKey("/mutex/other", b), "", b)
		h.Put(890, modeltest.ClaimKey("/lock", 0x20), "", 0x20)
		for at := 800.0; at < 900; at += 3 {
			h.Read(at, 0x10, 10, 8)
			h.Read(at, a, 10, 8)
			if !r.dies || at < 880 {
				h.Read(at, b, 10, 8)
			}
		}
		if r.dies {
			h.Read(889.5, b, 10, 1)
		}
		s := state(h)
		v, _ := s.Verdict()
		if v.Finding.Code != r.want {
			t.Errorf("%s: the banner says %s: %s", r.reason, v.Finding.Code, fmt.Sprint(codes(s)))
		}
	}
}
