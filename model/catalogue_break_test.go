package model

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// claimsFound returns what is found and about which claim.
func claimsFound(s *State) []string {
	var out []string
	for _, f := range s.Findings() {
		out = append(out, string(f.Code)+" "+f.Lock+": "+f.Claim.Key)
	}
	return out
}

func TestEveryCodeSaysWhatComesOfBreaking(t *testing.T) {
	odd := regexp.MustCompile("[`*_|]|  |\n|\t|\\.$")
	for _, e := range Catalogue() {
		if why := e.Breaking.Why; why == "" || odd.MatchString(why) || strings.ToLower(why[:1]) != why[:1] || len(why) > 120 {
			t.Errorf("%s: want the end of a sentence, of 120 characters at most: %q", e.Code, why)
		}
	}
	if len(breakings) != len(Catalogue()) {
		t.Errorf("%d codes say it, the catalogue has %d", len(breakings), len(Catalogue()))
	}
}

func TestAFindingNamesItsClaim(t *testing.T) {
	a, b, c, x := LeaseID(0xa1), LeaseID(0xb2), LeaseID(0xc3), LeaseID(0x694d81e5fc652594)
	rows := []struct {
		name, reason string
		tell         func(h *history)
		want         []string
	}{
		{"data first, a detached claim second", "neither has a lease to be told apart by", func(h *history) {
			h.put(1, "/l/stray", "data", 0)
			h.put(2, claimKey("/l", x), "", x)
			h.put(3, claimKey("/l", b), "", b)
			h.put(4, claimKey("/l", x), "status", 0)
		}, []string{"foreign-key /l: /l/stray", "lease-detached /l: " + claimKey("/l", x)}},
		{"two keys without a lease", "the one at the head, and the next one that blocks", func(h *history) {
			h.put(1, "/l/694d81e5fc652501", "", 0)
			h.put(2, "/l/694d81e5fc652502", "", 0)
			h.put(3, claimKey("/l", b), "", b)
		}, []string{"orphan-key /l: /l/694d81e5fc652501", "orphan-key /l: /l/694d81e5fc652502"}},
		{"a lock below", "the claim is that of the lock below", func(h *history) {
			h.put(1, claimKey("/l/sub", a), "", a)
			h.put(2, claimKey("/l", b), "", b)
		}, []string{"nested-prefix /l: " + claimKey("/l/sub", a)}},
		{"a circle", "of each lock the claim that holds it", func(h *history) {
			h.put(1, claimKey("/l", a), "", a)
			h.put(2, claimKey("/m", b), "", b)
			h.put(3, claimKey("/m", a), "", a)
			h.put(4, claimKey("/l", b), "", b)
			h.add(Tick{At: at(20)})
		}, []string{"lock-cycle /l: " + claimKey("/l", a), "lock-cycle /m: " + claimKey("/m", b),
			"shared-lease /l: " + claimKey("/l", a), "shared-lease /m: " + claimKey("/m", b)}},
		{"a dead waiter", "the one that does not renew", func(h *history) {
			h.put(1, claimKey("/l", a), "", a)
			h.put(2, claimKey("/l", b), "", b)
			h.put(2, claimKey("/l", c), "", c)
			h.read(3, a, 10, 9)
			h.read(3, b, 10, 9)
			h.read(7, b, 10, 9)
			h.read(15, b, 10, 1)
		}, []string{"dead-waiter /l: " + claimKey("/l", b)}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			h := newHistory()
			h.loaded(0)
			r.tell(h)
			s := h.state()
			if d := cmp.Diff(r.want, claimsFound(s)); d != "" {
				t.Errorf("%s\n(-want +got)\n%s", r.reason, d)
			}
			for _, f := range s.Findings() {
				if c := s.Claim(f.Claim.Key); !f.About(c) || c.KV.Lease != f.Lease {
					t.Errorf("%s names %+v of lease %s, which is %+v", f.Code, f.Claim, f.Lease, c)
				}
			}
		})
	}
}

// The claim is part of what makes a finding the same: another key in the same trouble is
// a new one, which began later.
func TestAFindingAboutAnotherClaimIsAnotherFinding(t *testing.T) {
	h := newHistory()
	h.loaded(0)
	h.put(1, "/l/694d81e5fc652501", "", 0)
	h.put(2, claimKey("/l", 0xb2), "", 0xb2)
	s := h.state()
	done := len(h.events)
	h.del(5, "/l/694d81e5fc652501")
	h.del(5, claimKey("/l", 0xb2))
	h.put(6, "/l/694d81e5fc652501", "", 0)
	h.put(7, claimKey("/l", 0xb2), "", 0xb2)
	first := s.Findings()[0]
	s.Apply(Batch{Events: h.events[done:]})
	again := s.Findings()[0]
	if first.Same(&again) || !again.Since.Equal(at(7)) {
		t.Errorf("%s since %s and %s since %s count as one", first.Claim.Key, first.Since, again.Claim.Key, again.Since)
	}
}
