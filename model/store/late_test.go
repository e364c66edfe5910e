package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"
)

// dropped is a lock that changes hands every three seconds from 1 s on, while the path to etcd is gone
// from 7 s to 40 s: then what happened is told at once, at 40 s.
func dropped(prefix string) *modeltest.History {
	h := modeltest.New()
	h.Loaded(0)
	id := func(i int) model.LeaseID { return model.LeaseID(0x10 + i) }
	h.Put(0.5, modeltest.ClaimKey("/lock", id(0)), "", id(0))
	h.Put(0.6, modeltest.ClaimKey("/lock", id(1)), "", id(1))
	h.Put(0.7, "/m/5f", "", 0x5f) // nothing happens to it
	for i := range 12 {
		sec := 3*float64(i) + 3.5
		if sec > 7 {
			sec = 40
		}
		if i == 2 {
			h.Add(model.Watching{At: modeltest.At(7), Asked: modeltest.At(7), Prefix: prefix, Rev: h.Rev},
				model.Lost{At: modeltest.At(9), Prefix: prefix, Reason: model.LostDisconnect, Detail: model.Say("quote", "refused")},
				model.Tick{At: modeltest.At(39)})
		}
		h.Put(sec-0.1, modeltest.ClaimKey("/lock", id(i+2)), "", id(i+2))
		h.Del(sec, modeltest.ClaimKey("/lock", id(i)))
	}
	return h
}

// TestWhatComesLateIsNotDatedByItsArrival: text, figures and findings have bounds, and no time
// that nobody saw.
func TestWhatComesLateIsNotDatedByItsArrival(t *testing.T) {
	for _, x := range []struct {
		name, reason string
		back         float64 // when the server says that all is told
	}{
		{"told, then back", "as servers are meant to", 40.1},
		{"back, then told", "servers before 3.4.25 and 3.5.8 say so too early", 39.5},
	} {
		t.Run(x.name, func(t *testing.T) {
			h := dropped("")
			back := []model.Event{model.Back{At: modeltest.At(x.back), Rev: h.Rev}, model.Watching{At: modeltest.At(x.back), Asked: modeltest.At(x.back), Rev: h.Rev}}
			late := slices.IndexFunc(h.Events, func(e model.Event) bool { return e.When().After(modeltest.At(x.back)) })
			if late < 0 {
				late = len(h.Events)
			}
			h.Events = slices.Insert(h.Events, late, back...)
			datedByNoArrival(t, state(h))
		})
	}
}

func datedByNoArrival(t *testing.T, s *Store) {
	var late []*journal.Entry
	for _, f := range s.Lock("/lock").Journal() {
		if f.Kind == journal.Handover && f.At.After(modeltest.At(39)) {
			late = append(late, f)
		}
	}
	if len(late) != 10 {
		t.Fatalf("%d handovers came late", len(late))
	}
	// The first of them held since 6.5 s, up to some time after 7 s. The next one got it after 7 s.
	for i, want := range []string{"held ≤34s, ", "held ≤33s, "} {
		f := late[i]
		if said := f.Sentence(s.Who); !strings.Contains(said, want) || strings.Contains(said, "immediate") || !f.Past || f.At.Add(-f.Within) != modeltest.At(7) || !f.HeldAtLeast || !f.WaitedAtLeast {
			t.Errorf("%q, want %q: %+v", said, want, f)
		}
	}
	if st := s.Lock("/lock").Stats(); st.Holds != 2 || st.HoldP50 != 3*time.Second || st.HoldP99 > 3*time.Second || st.Handovers != 12 || st.WaitP99 > 6*time.Second {
		t.Errorf("a hold or a wait that nobody saw whole is among %+v", st)
	}
	c := s.Timeline().Contention("/lock", modeltest.At(0), modeltest.At(41), func(r model.ClaimRef) string { return r.Key })
	if p, _ := c.Holds.P50(); len(c.Holds) != 2 || p != 3*time.Second || c.Unseen < 32*time.Second || c.TotalHold > 8*time.Second || c.TotalWait > 16*time.Second || c.Utilisation() > 1 {
		t.Errorf("%+v", c)
	}
	for _, g := range c.Gaps {
		if g > 0 {
			t.Errorf("a gap of %v, of holders that nobody saw come", g)
		}
	}
	for _, p := range c.Pairs {
		if p.Longest > 4*time.Second {
			t.Errorf("%+v", p)
		}
	}
	if d, atLeast := s.Lock("/lock").HeldFor(modeltest.At(41)); !atLeast || d != time.Second {
		t.Errorf("the last one holds for %v, a lower bound: %v", d, atLeast)
	}
	if d, atLeast := s.Lock("/m").HeldFor(modeltest.At(41)); atLeast || d < 40*time.Second {
		t.Errorf("nothing happened to /m, which nobody missed: held for %v, a lower bound: %v", d, atLeast)
	}
}

// TestWhileTheWatchIsLostNothingGrowsOld: a lock may have changed hands meanwhile. What was found
// stays as it was, and every time is that of the last look, as a lower bound.
func TestWhileTheWatchIsLostNothingGrowsOld(t *testing.T) {
	h := dropped("")
	lost := slices.IndexFunc(h.Events, func(e model.Event) bool { _, ok := e.(model.Lost); return ok })
	events := append(slices.Clone(h.Events[:lost+1]), model.LeaseRead{At: modeltest.At(38), ID: 0x12, Granted: 10, Remaining: 9, Rev: 1},
		model.Tick{At: modeltest.At(300)})
	s := apply(model.Batch{Events: events})
	l := s.Lock("/lock")
	if d, atLeast := l.HeldFor(s.Now()); !atLeast || d != 500*time.Millisecond {
		t.Errorf("it is held for %v, a lower bound: %v; it was seen for half a second", d, atLeast)
	}
	if d, atLeast, _ := l.LongestWait(s.Now()); !atLeast || d > 7*time.Second {
		t.Errorf("the longest wait is %v, a lower bound: %v", d, atLeast)
	}
	if all := s.Findings(); len(all) > 0 {
		t.Errorf("found by age: %v", all)
	}
}

// TestOnlyTheWatchThatWasLostIsLate: with two prefixes the other one is seen as it happens.
func TestOnlyTheWatchThatWasLostIsLate(t *testing.T) {
	h := modeltest.New()
	at, lists := modeltest.At, []string{"/a/", "/b/"}
	h.Add(model.Requested{At: at(0), Prefixes: lists})
	for _, p := range lists {
		h.Add(model.LoadStarted{At: at(0), Prefix: p, Rev: 100}, model.Loaded{At: at(0), Prefix: p, Rev: 100})
	}
	h.Put(1, modeltest.ClaimKey("/a/l", 0xa1), "", 0xa1)
	h.Put(1, modeltest.ClaimKey("/b/l", 0xb1), "", 0xb1)
	h.Add(model.Watching{At: at(2), Asked: at(2), Prefix: "/a/", Rev: h.Rev}, model.Watching{At: at(2), Asked: at(2), Prefix: "/b/", Rev: h.Rev},
		model.Lost{At: at(4), Prefix: "/a/", Reason: model.LostSilent})
	h.Del(30, modeltest.ClaimKey("/a/l", 0xa1))
	h.Del(30, modeltest.ClaimKey("/b/l", 0xb1))
	s := state(h)
	for lock, late := range map[string]bool{"/a/l": true, "/b/l": false} {
		all := s.Lock(lock).Journal()
		if f := all[len(all)-1]; f.Past != late || (f.HeldFor() == "29s") == late || late && f.HeldFor() != "≥1.0s, ≤29s" {
			t.Errorf("%s: %q, %+v", lock, f.Sentence(s.Who), f)
		}
	}
}
