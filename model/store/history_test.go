package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/text"
)

// TestThePastHasNoTimes: claims from history are there "at least" since it was read, no
// reading is bought and no finding made before it is over, and its facts tell no times.
func TestThePastHasNoTimes(t *testing.T) {
	h := modeltest.New()
	h.Add(model.LoadStarted{At: modeltest.At(0), Rev: 100}, model.Loaded{At: modeltest.At(0), Rev: 100, Until: 105, Note: model.Say("quote", "the note")})
	mark := len(h.Events)
	h.Put(0, modeltest.ClaimKey("/lock", 1), "", 1) // 101
	h.Put(0, modeltest.ClaimKey("/lock", 2), "", 2)
	h.Del(0, modeltest.ClaimKey("/lock", 1)) // a handover
	h.Put(0, "/lock/foreign", "", 0)
	h.Put(0, modeltest.ClaimKey("/free", 3), "", 3) // 105
	h.Undated(mark, 1)
	s := state(h)
	if s.Coverage().Watches()[0].State != locks.Loading || len(s.Want(nil).Leases) > 0 || len(s.Findings()) > 0 {
		t.Errorf("in history: %v, wants %v, finds %v", s.Coverage().Watches()[0].State, s.Want(nil).Leases, s.Findings())
	}
	for _, f := range s.Journal() {
		if f.Kind != journal.Gap && (!f.Past || f.Held != 0 || f.Waited != 0 || f.Gap != 0) {
			t.Errorf("%+v has times", f)
		}
	}
	h.Add(model.Watching{At: modeltest.At(2), Rev: 105})
	s = state(h)
	if s.Coverage().Watches()[0].State != locks.Live || len(s.Want(nil).Leases) == 0 {
		t.Errorf("after history: %v, wants %v", s.Coverage().Watches()[0].State, s.Want(nil).Leases)
	}
	if d, atLeast := s.Lock("/lock").HeldFor(modeltest.At(5)); d != 4*time.Second || !atLeast {
		t.Errorf("held for %v, at least: %v", d, atLeast)
	}
	if st := s.Lock("/lock").Stats(); st.Handovers != 1 || st.Holds+st.Waits > 0 {
		t.Errorf("the handover counts, its times do not: %+v", st)
	}
	h.Del(6, modeltest.ClaimKey("/lock", 2), "/lock/foreign")
	h.Del(7, modeltest.ClaimKey("/free", 3))
	s = state(h)
	got := told(s)
	for _, want := range []string{"gap the note\n", "took over /lock from", "(cause unknown: hint)\n", "no longer holds /lock after 5s+", "is read up to revision 105"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestACauseInThePast is told from the keys alone.
func TestACauseInThePast(t *testing.T) {
	h := modeltest.New()
	h.Add(model.LoadStarted{At: modeltest.At(0), Rev: 100}, model.Loaded{At: modeltest.At(0), Rev: 100, Until: 200})
	mark := len(h.Events)
	h.Put(0, modeltest.ClaimKey("/a", 1), "", 1)
	h.Put(0, modeltest.ClaimKey("/b", 1), "", 1)
	h.Del(0, modeltest.ClaimKey("/a", 1)) // its lease has another key still
	h.Del(0, modeltest.ClaimKey("/b", 1)) // it was the last
	h.Put(0, modeltest.ClaimKey("/a", 2), "", 2)
	h.Undated(mark, 1)
	h.Put(9, modeltest.ClaimKey("/b", 3), "", 3) // live: for how long /b was free is not known
	s := state(h)
	var causes, gaps []string
	for _, f := range s.Journal() {
		switch f.Kind {
		case journal.Left:
			causes = append(causes, string(f.Cause))
			if f.Pending {
				t.Errorf("%+v waits for a reading", f)
			}
		case journal.Handover:
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

// TestARevisionInTwoPartsIsJudgedWhenBothAreKnown: under two prefixes one end of a lease is
// told by two watches, one after the other. A key that the second will tell of did not stay.
func TestARevisionInTwoPartsIsJudgedWhenBothAreKnown(t *testing.T) {
	const lease = 0xa1
	lock, beside := modeltest.ClaimKey("/jobs/m", lease), "/services/web/10.0.0.1:80"
	for _, r := range []struct {
		reason   string
		prefixes []string
		beside   string
		tell     func(h *modeltest.History)
		want     string
	}{
		{"the lease ended: the other part comes a moment later", []string{"/jobs/", "/services/"}, beside, func(h *modeltest.History) {
			h.Del(2, lock)
			h.Rev--
			h.Del(2.1, beside)
			h.Read(2.2, lease, 0, -1)
		}, "revoked hint"},
		{"the lock was let go: the lease is there", []string{"/jobs/", "/services/"}, beside, func(h *modeltest.History) {
			h.Del(2, lock)
			h.Read(2.2, lease, 30, 29)
		}, "released hint"},
		{"nobody asked yet", []string{"/jobs/", "/services/"}, beside, func(h *modeltest.History) { h.Del(2, lock) }, "unknown hint"},
		{"one watch tells of both, so a key that is there has stayed", []string{"/"}, beside, func(h *modeltest.History) { h.Del(2, lock) }, "released hint"},
		{"another key of the lock's own prefix has stayed", []string{"/jobs/", "/services/"}, "/jobs/about", func(h *modeltest.History) { h.Del(2, lock) }, "released hint"},
	} {
		h := modeltest.New()
		h.Add(model.Requested{At: modeltest.At(0), Prefixes: r.prefixes})
		h.Put(1, lock, "", lease)
		h.Put(1, r.beside, "10.0.0.1:80", lease)
		h.Read(1.5, lease, 30, 29)
		r.tell(h)
		got, why := "", ""
		for _, f := range state(h).Journal() {
			if f.Kind == journal.Left && f.Claim.Key == lock {
				got, why = string(f.Cause)+" "+string(f.Confidence), text.English(f.Evidence)
			}
		}
		if got != r.want {
			t.Errorf("%s: %s (%s), want %s", r.reason, got, why, r.want)
		}
	}
}

// TestAnAnswerToAnOlderQuestionDoesNotSayThatALeaseLivedOn: a reading that was asked for
// before a key went may have been given before, and come after.
func TestAnAnswerToAnOlderQuestionDoesNotSayThatALeaseLivedOn(t *testing.T) {
	const lease = 0xa1
	key := modeltest.ClaimKey("/lock", lease)
	for _, r := range []struct {
		reason string
		tell   func(h *modeltest.History)
		want   string
		asks   bool // for another reading
	}{
		{"asked before, and nothing since", func(h *modeltest.History) {
			h.Rev--
			h.Read(2.1, lease, 30, 29)
			h.Rev++
		}, "unknown hint", true},
		{"asked before, and again: it is gone", func(h *modeltest.History) {
			h.Rev--
			h.Read(2.1, lease, 30, 29)
			h.Rev++
			h.Read(2.3, lease, 0, -1)
		}, "revoked hint", false},
		{"asked afterwards", func(h *modeltest.History) { h.Read(2.1, lease, 30, 29) }, "released hint", false},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, key, "", lease)
		h.Read(1.5, lease, 30, 29)
		h.Del(2, key)
		r.tell(h)
		s := state(h)
		got, why := "", ""
		for _, f := range s.Journal() {
			if f.Kind == journal.Left {
				got, why = string(f.Cause)+" "+string(f.Confidence), text.English(f.Evidence)
			}
		}
		if asks := slices.Contains(s.Want(nil).Leases, lease); got != r.want || asks != r.asks {
			t.Errorf("%s: %s (%s), asks again %v; want %s, %v", r.reason, got, why, asks, r.want, r.asks)
		}
	}
}

// TestOneMissedRenewalDoesNotSayHowALeaseEnded: where most of the TTL was left when it was
// last read, it may have been renewed again, and closed when it would have run out.
func TestOneMissedRenewalDoesNotSayHowALeaseEnded(t *testing.T) {
	const lease = 0xa1
	key := modeltest.ClaimKey("/lock", lease)
	for _, r := range []struct {
		left   int64 // at the last reading
		want   string
		reason string
	}{
		{18, "expired hint", "one renewal was missed, and what came in 18 s is not known"},
		{2, "expired strong", "two were missed, and nobody came for nearly all of the TTL"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, key, "", lease)
		h.Put(1, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
		h.Read(2, lease, 42, 41)
		h.Read(20, lease, 42, 41)
		end := 62.5
		h.Read(end-float64(r.left)-1.1, lease, 42, r.left)
		h.Del(end, key)
		h.Read(end+0.5, lease, 0, -1)
		got, why := "", ""
		for _, f := range state(h).Journal() {
			if f.Kind == journal.Handover {
				got, why = string(f.Cause)+" "+string(f.Confidence), text.English(f.Evidence)
			}
		}
		if got != r.want {
			t.Errorf("%d s left: %s (%s), want %s: %s", r.left, got, why, r.want, r.reason)
		}
	}
}
