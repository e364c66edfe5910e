package findings_test

import (
	"regexp"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/model/text"

	"github.com/google/go-cmp/cmp"
)

// claimsFound returns what is found and about which claim.
func claimsFound(s *store.Store) []string {
	var out []string
	for _, f := range s.Findings() {
		out = append(out, string(f.Code)+" "+f.Lock+": "+f.Claim.Key)
	}
	return out
}

func TestEveryCodeSaysWhatComesOfBreaking(t *testing.T) {
	odd := regexp.MustCompile("[`*_|]|  |\n|\t|\\.$")
	for _, e := range findings.Catalogue() {
		if why := text.English(e.Breaking.Why); why == "" || odd.MatchString(why) || strings.ToLower(why[:1]) != why[:1] || len(why) > 120 {
			t.Errorf("%s: want the end of a sentence, of 120 characters at most: %q", e.Code, why)
		}
	}
}

func TestAFindingNamesItsClaim(t *testing.T) {
	a, b, c, x := model.LeaseID(0xa1), model.LeaseID(0xb2), model.LeaseID(0xc3), model.LeaseID(0x694d81e5fc652594)
	rows := []struct {
		name, reason string
		tell         func(h *modeltest.History)
		want         []string
	}{
		{"data first, a detached claim second", "neither has a lease to be told apart by", func(h *modeltest.History) {
			h.Put(1, "/lock/stray", "data", 0)
			h.Put(2, modeltest.ClaimKey("/lock", x), "", x)
			h.Put(3, modeltest.ClaimKey("/lock", b), "", b)
			h.Put(4, modeltest.ClaimKey("/lock", x), "status", 0)
		}, []string{"foreign-key /lock: /lock/stray", "lease-detached /lock: " + modeltest.ClaimKey("/lock", x)}},
		{"two keys without a lease", "the one at the head, and the next one that blocks", func(h *modeltest.History) {
			h.Put(1, "/lock/694d81e5fc652501", "", 0)
			h.Put(2, "/lock/694d81e5fc652502", "", 0)
			h.Put(3, modeltest.ClaimKey("/lock", b), "", b)
		}, []string{"orphan-key /lock: /lock/694d81e5fc652501", "orphan-key /lock: /lock/694d81e5fc652502"}},
		{"a lock below", "the claim is that of the lock below", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock/sub", a), "", a)
			h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
		}, []string{"nested-prefix /lock: " + modeltest.ClaimKey("/lock/sub", a)}},
		{"a cycle", "of each lock the claim that holds it", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(2, modeltest.ClaimKey("/m", b), "", b)
			h.Put(3, modeltest.ClaimKey("/m", a), "", a)
			h.Put(4, modeltest.ClaimKey("/lock", b), "", b)
			h.Add(model.Tick{At: modeltest.At(20)})
		}, []string{"lock-cycle /lock: " + modeltest.ClaimKey("/lock", a), "lock-cycle /m: " + modeltest.ClaimKey("/m", b),
			"shared-lease /lock: " + modeltest.ClaimKey("/lock", a), "shared-lease /m: " + modeltest.ClaimKey("/m", b)}},
		{"a dead waiter", "the one that does not renew", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
			h.Put(2, modeltest.ClaimKey("/lock", c), "", c)
			h.Read(3, a, 10, 9)
			h.Read(3, b, 10, 9)
			h.Read(7, b, 10, 9)
			h.Read(15, b, 10, 1)
		}, []string{"dead-waiter /lock: " + modeltest.ClaimKey("/lock", b)}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			r.tell(h)
			s := state(h)
			if d := cmp.Diff(r.want, claimsFound(s)); d != "" {
				t.Errorf("%s\n(-want +got)\n%s", r.reason, d)
			}
			for _, f := range s.Findings() {
				if c := s.Claim(f.Claim.Key); !f.About(c.Ref()) || c.KV.Lease != f.Lease {
					t.Errorf("%s names %+v of lease %s, which is %+v", f.Code, f.Claim, f.Lease, c)
				}
			}
		})
	}
}

// The claim is part of what makes a finding the same: another key in the same trouble is
// a new one, which began later.
func TestAFindingAboutAnotherClaimIsAnotherFinding(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/lock/694d81e5fc652501", "", 0)
	h.Put(2, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
	s := state(h)
	done := len(h.Events)
	h.Del(5, "/lock/694d81e5fc652501")
	h.Del(5, modeltest.ClaimKey("/lock", 0xb2))
	h.Put(6, "/lock/694d81e5fc652501", "", 0)
	h.Put(7, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
	first := s.Findings()[0]
	s.Apply(model.Batch{Events: h.Events[done:]})
	again := s.Findings()[0]
	if first.Same(&again) || !again.Since.Equal(modeltest.At(7)) {
		t.Errorf("%s since %s and %s since %s count as one", first.Claim.Key, first.Since, again.Claim.Key, again.Since)
	}
}
