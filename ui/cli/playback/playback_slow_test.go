//go:build slow

package playback

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/ui/host"
)

// TestAMomentIsTheSameFromAStateThatIsKept: wherever one goes in a long recording, in any
// order, the state is the one that was seen, whether a state on the way is kept, some had to go,
// or none is there; and what is kept is not changed by what comes after it.
func TestAMomentIsTheSameFromAStateThatIsKept(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	for i := range 3000 {
		lock, lease := fmt.Sprintf("/l%d", i%7), model.LeaseID(0x100+i)
		h.Put(float64(i), modeltest.ClaimKey(lock, lease), "", lease)
		h.Read(float64(i)+0.2, lease, 60, 50)
		if i >= 14 {
			h.Del(float64(i)+0.5, modeltest.ClaimKey(lock, lease-14))
		}
	}
	r := gathered(t, &eventList{h.Events, io.EOF})
	straight := map[int]string{}
	s, next := store.New(), 0
	for sec := 100; sec < 3000; sec += 413 {
		for ; next < len(h.Events) && !h.Events[next].When().After(modeltest.At(float64(sec))); next++ {
			s.Apply(model.Batch{Events: h.Events[next : next+1]})
		}
		for now := s.Now(); now.Before(modeltest.At(float64(sec))); now = s.Now() {
			at := modeltest.At(float64(sec))
			if wake := s.Want(nil).WakeAt; wake.After(now) && wake.Before(at) {
				at = wake
			}
			s.Apply(model.Batch{Events: []model.Event{model.Tick{At: at}}})
		}
		straight[sec] = shown(s)
	}
	for _, row := range []struct {
		reason      string
		apart, most int
		kept        func(n int) bool
	}{
		{"no state is kept", 1 << 30, keepKeys, func(n int) bool { return n == 0 }},
		{"one of each part", 1, keepKeys, func(n int) bool { return n >= 8 }},
		{"some had to go", 1, 10_000, func(n int) bool { return n > 0 && n < 8 }},
	} {
		p := New(1, nil)
		p.marks.apart, p.marks.most = row.apart, row.most
		if err := p.Load(t.Context(), r, time.Time{}); err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			for sec, want := range straight {
				s, err := p.Go(t.Context(), host.Goal{Kind: host.StopTime, Text: modeltest.At(float64(sec)).Format(time.RFC3339)})
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want, shown(s)); d != "" {
					t.Fatalf("%s, round %d, at %d s:\n%s", row.reason, round+1, sec, d)
				}
				s.Apply(model.Batch{Events: h.Events[:50]}) // what becomes of it is nobody else's
			}
		}
		if err := p.marks.wait(t.Context(), func() bool { return false }); err != nil {
			t.Fatal(err)
		}
		if n := len(p.marks.kept); !row.kept(n) || p.marks.keys > row.most {
			t.Errorf("%s: %d states are kept, of %d keys", row.reason, n, p.marks.keys)
		}
		p.marks.mu.Unlock()
	}
}
