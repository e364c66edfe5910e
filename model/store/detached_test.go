package store

import (
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/text"
)

// TestAClaimWithoutItsLeaseStaysWhenTheOthersGo: it blocks whoever comes next, so the lock is not free,
// and nobody let it go.
func TestAClaimWithoutItsLeaseStaysWhenTheOthersGo(t *testing.T) {
	first, second := modeltest.ClaimKey("/locks/a", 0x1b5a21a64208405), modeltest.ClaimKey("/locks/a", 0x1b5a21a64208408)
	for _, r := range []struct {
		reason   string
		then     func(h *modeltest.History)
		free     bool
		findings string
	}{
		{"the last waiter gives up", func(h *modeltest.History) { h.Del(3, second) }, false, "lease-detached"},
		{"the waiter's lease ends", func(h *modeltest.History) { h.End(3, 0x1b5a21a64208408) }, false, "lease-detached"},
		{"then somebody deletes the key", func(h *modeltest.History) { h.Del(3, second); h.Del(4, first) }, true, ""},
		{"it is deleted while the waiter is there", func(h *modeltest.History) { h.Del(3, first); h.Del(4, second) }, true, ""},
		{"another one comes", func(h *modeltest.History) {
			h.Del(3, second)
			h.Put(4, modeltest.ClaimKey("/locks/a", 0x1b5a21a64208409), "", 0x1b5a21a64208409)
		}, false, "lease-detached"},
	} {
		for _, seen := range []bool{true, false} { // that the key lost its lease
			h := modeltest.New()
			h.Loaded(0)
			h.Put(1, first, "", 0x1b5a21a64208405)
			h.Put(1, second, "", 0x1b5a21a64208408)
			h.Put(2, first, "", 0)
			if !seen {
				h.Events = nil
				h.Add(model.LoadStarted{At: modeltest.At(2), Rev: h.Rev}, model.Listed{At: modeltest.At(2), Rev: h.Rev, KVs: []model.KV{h.Keys[first], h.Keys[second]}}, model.Loaded{At: modeltest.At(2), Rev: h.Rev})
			}
			r.then(h)
			s := state(h)
			l := s.Lock("/locks/a")
			codes := ""
			for _, f := range s.Findings() {
				codes += string(f.Code)
			}
			if l == nil || l.Free() != r.free || codes != r.findings {
				t.Errorf("%s (its loss was seen: %v): %q, findings %q, want %q", r.reason, seen, l.Name, codes, r.findings)
			}
			for _, e := range s.Journal() {
				if said := text.English(e.Text); !r.free && e.WasHolder || strings.Contains(said, "is over") && !r.free {
					t.Errorf("%s (its loss was seen: %v): the journal says %q (%v)", r.reason, seen, said, e.Kind)
				}
			}
		}
	}
}
