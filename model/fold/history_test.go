package fold

import (
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/history"
)

// TestThePastHasNoTimes: claims from history are there "at least" since it was read, no
// reading is bought and no finding made before it is over, and its facts tell no times.
func TestThePastHasNoTimes(t *testing.T) {
	h := history.New()
	h.Add(model.LoadStarted{At: history.At(0), Rev: 100}, model.Loaded{At: history.At(0), Rev: 100, Until: 105, Note: "the note"})
	mark := len(h.Events)
	h.Put(0, history.ClaimKey("/l", 1), "", 1) // 101
	h.Put(0, history.ClaimKey("/l", 2), "", 2)
	h.Del(0, history.ClaimKey("/l", 1)) // a handover
	h.Put(0, "/l/foreign", "", 0)
	h.Put(0, history.ClaimKey("/free", 3), "", 3) // 105
	h.Undated(mark, 1)
	s := state(h)
	if s.Watches()[0].State != model.WatchLoading || len(s.Want().Leases) > 0 || len(s.Findings()) > 0 {
		t.Errorf("in history: %v, wants %v, finds %v", s.Watches()[0].State, s.Want().Leases, s.Findings())
	}
	for _, f := range s.Journal() {
		if f.Kind != model.EntryGap && (!f.Past || f.Held != 0 || f.Waited != 0 || f.Gap != 0) {
			t.Errorf("%+v has times", f)
		}
	}
	h.Add(model.Watching{At: history.At(2), Rev: 105})
	s = state(h)
	if s.Watches()[0].State != model.WatchLive || len(s.Want().Leases) == 0 {
		t.Errorf("after history: %v, wants %v", s.Watches()[0].State, s.Want().Leases)
	}
	if d, atLeast := s.Lock("/l").HeldFor(history.At(5)); d != 4*time.Second || !atLeast {
		t.Errorf("held for %v, at least: %v", d, atLeast)
	}
	if st := s.Lock("/l").Stats(); st.Handovers != 1 || st.Holds+st.Waits > 0 {
		t.Errorf("the handover counts, its times do not: %+v", st)
	}
	h.Del(6, history.ClaimKey("/l", 2), "/l/foreign")
	h.Del(7, history.ClaimKey("/free", 3))
	s = state(h)
	got := journal(s)
	for _, want := range []string{"gap the note\n", "got /l from", ": cause unknown (hint)\n", "no longer holds /l after 5s+", "is read up to revision 105"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestACauseInThePast is told from the keys alone.
func TestACauseInThePast(t *testing.T) {
	h := history.New()
	h.Add(model.LoadStarted{At: history.At(0), Rev: 100}, model.Loaded{At: history.At(0), Rev: 100, Until: 200})
	mark := len(h.Events)
	h.Put(0, history.ClaimKey("/a", 1), "", 1)
	h.Put(0, history.ClaimKey("/b", 1), "", 1)
	h.Del(0, history.ClaimKey("/a", 1)) // its lease has another key still
	h.Del(0, history.ClaimKey("/b", 1)) // it was the last
	h.Put(0, history.ClaimKey("/a", 2), "", 2)
	h.Undated(mark, 1)
	h.Put(9, history.ClaimKey("/b", 3), "", 3) // live: for how long /b was free is not known
	s := state(h)
	var causes, gaps []string
	for _, f := range s.Journal() {
		switch f.Kind {
		case model.EntryLeft:
			causes = append(causes, string(f.Cause))
			if f.Pending {
				t.Errorf("%+v waits for a reading", f)
			}
		case model.EntryHandover:
			gaps = append(gaps, f.Lock+" "+f.Gap.String())
		}
	}
	if got := strings.Join(causes, " "); got != "released unknown" {
		t.Errorf("causes %q", got)
	}
	if got := strings.Join(gaps, " "); got != "/a 0s" {
		t.Errorf("gaps %q", got)
	}
}
