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

// TestEachLineNamesItsLock, and one line tells of all locks of one deadlock, or of one lease.
func TestEachLineNamesItsLock(t *testing.T) {
	claim := func(h *modeltest.History, lock string, lease model.LeaseID) {
		h.Put(1, modeltest.ClaimKey(lock, lease), "", lease)
	}
	ring := func(h *modeltest.History, first model.LeaseID, locks ...string) {
		for i, l := range locks {
			claim(h, l, first+model.LeaseID(i))
		}
		for i, l := range locks {
			claim(h, l, first+model.LeaseID((i+1)%len(locks)))
		}
	}
	for _, row := range []struct {
		reason string
		told   func(h *modeltest.History)
		want   []string // how the lines of findings end
		title  string
	}{
		{"a deadlock of three is one line", func(h *modeltest.History) { ring(h, 0xa1, "/lock/a", "/lock/b", "/lock/c") },
			[]string{"(on /lock/a and 2 more)"}, "on 3 locks"},
		{"two that have nothing to do with each other are two", func(h *modeltest.History) {
			ring(h, 0xa1, "/lock/a", "/lock/b", "/lock/c")
			ring(h, 0xb1, "/lock/x", "/lock/y")
		}, []string{"(on /lock/a and 2 more)", "(on /lock/x and 1 more)"}, "on 3 locks"},
		{"a lease that holds five", func(h *modeltest.History) {
			for _, l := range []string{"a", "b", "c", "d", "e"} {
				claim(h, "/lock/"+l, 0xa1)
			}
			h.Read(2, 0xa1, 30, 29)
			h.Read(12, 0xa1, 30, 29)
			h.Read(34, 0xa1, 30, 7)
		}, []string{"(on /lock/a and 4 more)"}, "5 locks"},
		{"one lock is named", func(h *modeltest.History) {
			claim(h, "/lock/a", 0xa1)
			h.Read(2, 0xa1, 30, 29)
			h.Read(12, 0xa1, 30, 29)
			h.Read(34, 0xa1, 30, 7)
		}, []string{"(on /lock/a)"}, "/lock/a"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			row.told(h)
			h.Add(model.Tick{At: modeltest.At(35)})
			s := New()
			for _, e := range h.Events {
				s.Apply(model.Batch{Events: []model.Event{e}})
			}
			var lines []string
			for _, f := range s.Journal() {
				if f.Kind == journal.Finding && !f.Part() && f.Severity != model.SevInfo {
					lines = append(lines, f.Sentence(s.Who))
				}
			}
			slices.Sort(lines)
			if !slices.EqualFunc(lines, row.want, strings.HasSuffix) {
				t.Errorf("%q, want them to end with %q", lines, row.want)
			}
			if v, ok := s.Verdict(); !ok || !strings.Contains(text.English(v.Title()), row.title) {
				t.Errorf("the verdict is %q, want %q", text.English(v.Title()), row.title)
			}
		})
	}
}
