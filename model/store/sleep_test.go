package store

import (
	"slices"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"
	"locktop/model/text"
)

// codesOf are the codes of all that is found.
func codesOf(s *Store) (codes []string) {
	for _, f := range s.Findings() {
		codes = append(codes, string(f.Severity)+" "+string(f.Code))
	}
	return codes
}

// quickHolds are twelve holds of a second each, and one that begins at 13 s with a lease
// that is well.
func quickHolds() *modeltest.History {
	h := modeltest.New()
	h.Loaded(0)
	for i := range model.LeaseID(12) {
		h.Put(1+float64(i), modeltest.ClaimKey("/lock", 0x10+i), "", 0x10+i)
		h.Del(2+float64(i), modeltest.ClaimKey("/lock", 0x10+i))
	}
	h.Put(13, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1)
	h.Put(13, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
	h.Read(13.5, 0xa1, 60, 59)
	h.Add(model.Watching{At: modeltest.At(14), Asked: modeltest.At(14), Rev: h.Rev})
	return h
}

// TestAnObserverThatSleptJudgesNothingBeforeItHasCaughtUp: between 14 s and 80 s nothing
// was observed. The lock went on as ever.
func TestAnObserverThatSleptJudgesNothingBeforeItHasCaughtUp(t *testing.T) {
	slept := model.Slept{At: modeltest.At(80), Since: modeltest.At(14)}
	caughtUp := func(h *modeltest.History) {
		h.Add(model.Watching{At: modeltest.At(80.2), Asked: modeltest.At(80.1), Rev: h.Rev})
	}
	handedOn := func(h *modeltest.History) { h.Del(80.1, modeltest.ClaimKey("/lock", 0xa1)) }
	for _, r := range []struct {
		reason string
		tell   func(h *modeltest.History)
		want   []string
	}{
		{"nobody slept: it is held for long", func(h *modeltest.History) { h.Add(model.Tick{At: modeltest.At(80)}) }, []string{"warning long-held"}},
		{"the watch has not caught up", func(h *modeltest.History) { h.Add(slept, model.Tick{At: modeltest.At(81)}) }, nil},
		{"an answer to a question from before says nothing", func(h *modeltest.History) {
			h.Add(slept, model.Watching{At: modeltest.At(80.2), Asked: modeltest.At(14), Rev: h.Rev}, model.Tick{At: modeltest.At(81)})
		}, nil},
		{"the reading is from before", func(h *modeltest.History) { h.Add(slept); caughtUp(h); h.Add(model.Tick{At: modeltest.At(81)}) }, nil},
		{"it did not change hands: now it is known to be held for long", func(h *modeltest.History) {
			h.Add(slept)
			caughtUp(h)
			h.Read(81, 0xa1, 60, 59)
		}, []string{"warning long-held"}},
		{"it did, and the new holder has only begun", func(h *modeltest.History) {
			h.Add(slept)
			handedOn(h)
			caughtUp(h)
			h.Read(81, 0xb2, 60, 59)
			h.Add(model.Tick{At: modeltest.At(90)})
		}, nil},
		{"the cluster slept, too: it has to have had the time to remove the lease", func(h *modeltest.History) {
			h.Add(slept)
			caughtUp(h)
			h.Read(81, 0xa1, 60, -20)
		}, []string{"warning lease-overdue"}},
		{"it had the time", func(h *modeltest.History) {
			h.Add(slept)
			caughtUp(h)
			h.Read(111, 0xa1, 60, -50)
		}, []string{"error revoke-failing"}},
		{"a lease that cannot be read is waited for no longer", func(h *modeltest.History) {
			h.Put(13.6, "/lock/stray", "data", 0)
			h.Put(13.7, modeltest.ClaimKey("/lock", 0xc3), "", 0xc3)
			h.Add(slept)
			caughtUp(h)
			h.Add(model.LeaseUnread{At: modeltest.At(81), ID: 0xa1, Reason: model.Say("quote", "no permission")})
		}, []string{"warning foreign-key"}},
	} {
		h := quickHolds()
		r.tell(h)
		if got := codesOf(apply(model.Batch{Events: h.Events})); !slices.Equal(got, r.want) {
			t.Errorf("%s: found %v, want %v", r.reason, got, r.want)
		}
	}
}

// TestTimesThatSpanASleepAreLowerBounds: also of what happened meanwhile, and nothing of it
// is counted as a hold, a wait or a gap that was measured.
func TestTimesThatSpanASleepAreLowerBounds(t *testing.T) {
	h := quickHolds()
	h.Add(model.Slept{At: modeltest.At(80), Since: modeltest.At(14)})
	h.Del(80.1, modeltest.ClaimKey("/lock", 0xa1))
	h.Put(80.1, modeltest.ClaimKey("/m", 0xc3), "", 0xc3)
	before := apply(model.Batch{Events: quickHolds().Events}).Lock("/lock").Stats()
	h.Add(model.Watching{At: modeltest.At(80.2), Asked: modeltest.At(80.1), Rev: h.Rev})
	h.Put(82, modeltest.ClaimKey("/m", 0xd4), "", 0xd4)
	s := apply(model.Batch{Events: h.Events})
	for lock, since := range map[string]float64{"/lock": 80.1, "/m": 80.1} {
		if d, atLeast := s.Lock(lock).HeldFor(modeltest.At(90)); !atLeast || d != modeltest.At(90).Sub(modeltest.At(since)) {
			t.Errorf("%s is held for %v, a lower bound: %v", lock, d, atLeast)
		}
	}
	if d, atLeast := s.Claim(modeltest.ClaimKey("/lock", 0xb2)).Waited(modeltest.At(90)); !atLeast || d != modeltest.At(90).Sub(modeltest.At(13)) {
		t.Errorf("b2 is there for %v, a lower bound: %v", d, atLeast)
	}
	if _, atLeast := s.Claim(modeltest.ClaimKey("/m", 0xd4)).Waited(modeltest.At(90)); atLeast {
		t.Error("d4 came when we had caught up: its time is known")
	}
	if after := s.Lock("/lock").Stats(); after.Holds != before.Holds || after.Waits != before.Waits || after.Handovers != before.Handovers+1 {
		t.Errorf("%+v became %+v: the handover counts, its times do not", before, after)
	}
	var said []string
	for _, f := range s.Lock("/lock").Journal() {
		if f.Kind == journal.Handover && f.At.After(modeltest.At(80)) {
			said = append(said, f.Sentence(s.Who))
			if !f.Past || f.Gap != 0 || !f.HeldAtLeast || f.Within == 0 || f.Confidence == model.Certain {
				t.Errorf("%+v: when it was and for how long anybody held is not known", f)
			}
		}
	}
	if len(said) == 0 || strings.Contains(said[len(said)-1], "it was free") {
		t.Errorf("%q: nobody knows whether there was a gap", said)
	}
	if entry := s.Journal()[len(s.Journal())-1]; !slices.ContainsFunc(s.Journal(), func(f *journal.Entry) bool {
		return f.Kind == journal.Gap && strings.HasPrefix(text.English(f.Text), "locktop did not run for 1m06s")
	}) {
		t.Errorf("the journal does not say that locktop slept; its last line is %+v", entry)
	}
}

// TestACycleThatAppearedWhileWeSleptHasToLast: a session with several workers may stand in
// a cycle for a moment, which is no deadlock. One from before stands still.
func TestACycleThatAppearedWhileWeSleptHasToLast(t *testing.T) {
	cycle := func(h *modeltest.History, sec float64) {
		h.Put(sec, modeltest.ClaimKey("/m", 0xb2), "", 0xb2)
		h.Put(sec, modeltest.ClaimKey("/m", 0xa1), "", 0xa1)
		h.Put(sec, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
	}
	for _, r := range []struct {
		reason string
		closed float64
		until  float64
		want   bool
	}{{"a moment ago", 30.1, 31, false}, {"for three seconds", 30.1, 33.5, true}, {"since before we slept", 2, 31, true}} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1)
		if r.closed < 10 {
			cycle(h, r.closed)
		}
		h.Add(model.Slept{At: modeltest.At(30), Since: modeltest.At(10)})
		if r.closed > 10 {
			cycle(h, r.closed)
		}
		h.Add(model.Watching{At: modeltest.At(30.3), Asked: modeltest.At(30.2), Rev: h.Rev}, model.Tick{At: modeltest.At(r.until)})
		if got := slices.Contains(codesOf(apply(model.Batch{Events: h.Events})), "error lock-cycle"); got != r.want {
			t.Errorf("%s: found %v, want %v", r.reason, got, r.want)
		}
	}
}
