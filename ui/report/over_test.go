package report

import (
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// TestWhatIsOverIsTold: a look of a minute tells what it saw in that minute, not only how it ended.
func TestWhatIsOverIsTold(t *testing.T) {
	const a, b = model.LeaseID(0xa1), model.LeaseID(0xb2)
	// dies is a holder that is read twice as it renews, and then falls silent until its lease ends.
	dies := func(h *modeltest.History, at float64, id model.LeaseID) {
		h.Put(at, modeltest.ClaimKey("/locks/a", id), "", id)
		h.Read(at+1, id, 9, 8)
		h.Read(at+4, id, 9, 8)
		h.Read(at+11, id, 9, 1)
		h.End(at+12.5, id)
		h.Read(at+13, id, 0, -1)
	}
	for _, r := range []struct {
		name, reason string
		tell         func(h *modeltest.History)
		want         []string
		summary      string
	}{
		{"well", "a lock that is renewed", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/locks/a", a), "", a)
			h.Read(2, a, 60, 59)
		}, nil, "No problems on 1 lock (1 claim)"},
		{"a crash loop", "two holders died one after the other, and nobody holds now", func(h *modeltest.History) {
			dies(h, 1, a)
			dies(h, 20, b)
		}, []string{"Seen in these 1m00s, and not any more:", "  /locks/a: warning holder silent (strong), 2 times, the last 9.0s ago: b2 stopped renewing: the lock is free in about 1.5s [dead-holder]"}, "No problems now on 1 lock (0 claims)"},
		{"a client with two locks died", "its lease is the one thing that happened", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/locks/b", a), "", a)
			dies(h, 1, a)
		}, []string{"Seen in these 1m00s, and not any more:", "  2 locks (/locks/b, /locks/a): warning holder silent (strong): a1 stopped renewing: the lock is free in about 1.5s [dead-holder]"}, "No problems now on 2 locks (0 claims)"},
		{"it stands", "what is so now is told with the others", func(h *modeltest.History) {
			dies(h, 1, a)
			h.Put(20, modeltest.ClaimKey("/locks/a", b), "", b)
			h.Read(21, b, 9, 8)
			h.Read(24, b, 9, 8)
			h.Read(31, b, 9, 1)
		}, nil, "0 errors, 1 warning, 0 info on 1 lock"},
	} {
		t.Run(r.name, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			r.tell(h)
			s := store.New()
			s.Apply(model.Batch{Events: append(h.Events, model.Tick{At: s.Now()})})
			o := Observation{At: modeltest.At(40), For: time.Minute, Over: OverBy(s.View, nil)}
			if got := strings.Join(OverWords(o), "\n"); got != strings.Join(r.want, "\n") {
				t.Errorf("%s:\n%s\nwant\n%s", r.reason, got, strings.Join(r.want, "\n"))
			}
			if got := Summary(s.View, s.Locks(), o, false); got != r.summary {
				t.Errorf("%s: %q, want %q", r.reason, got, r.summary)
			}
		})
	}
}
