package page

import (
	"slices"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/journal"
)

// TestOneFaultIsToldOnce in the few lines of what happened; the journal keeps them all.
func TestOneFaultIsToldOnce(t *testing.T) {
	t0 := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(s int) time.Time { return t0.Add(time.Duration(s) * time.Second) }
	found := func(s int, lock string, code model.Code) *journal.Entry {
		return &journal.Entry{At: at(s), Kind: journal.Finding, Lock: lock, Code: code, Severity: model.SevWarning, Text: model.Say("found-over", code, at(s).Sub(t0))}
	}
	over := func(s int, lock string, code model.Code) *journal.Entry {
		e := found(s, lock, code)
		e.Severity = model.SevInfo
		return e
	}
	expired := func(s int, lock string) *journal.Entry {
		return &journal.Entry{At: at(s), Kind: journal.Handover, Lock: lock, Why: journal.Why{Cause: journal.CauseExpired}}
	}
	for _, r := range []struct {
		reason string
		kept   []*journal.Entry
		told   []int // which of them
	}{
		{"a silent holder that loses its lease is one story, and its end is the handover",
			[]*journal.Entry{found(1, "/l", model.CodeKeepaliveStalled), found(2, "/l", model.CodeDeadHolder), expired(3, "/l"), over(3, "/l", model.CodeDeadHolder)}, []int{2}},
		{"the handover may come after the end of the silence", []*journal.Entry{over(3, "/l", model.CodeDeadHolder), expired(4, "/l")}, []int{1}},
		{"while nobody took over it is told as bad as it is", []*journal.Entry{found(1, "/l", model.CodeKeepaliveStalled), found(2, "/l", model.CodeDeadHolder)}, []int{1}},
		{"a holder that renews again: it was late, and it is over", []*journal.Entry{found(1, "/l", model.CodeKeepaliveStalled), over(4, "/l", model.CodeKeepaliveStalled)}, []int{0, 1}},
		{"another lock is another story", []*journal.Entry{found(1, "/l", model.CodeKeepaliveStalled), expired(3, "/m")}, []int{0, 1}},
		{"so is one long ago", []*journal.Entry{found(1, "/l", model.CodeKeepaliveStalled), expired(60, "/l")}, []int{0, 1}},
		{"another problem is told beside it", []*journal.Entry{found(1, "/l", model.CodeLongQueue), found(2, "/l", model.CodeKeepaliveStalled), expired(3, "/l")}, []int{0, 2}},
		{"a key that blocks: the finding says more", []*journal.Entry{{At: at(1), Kind: journal.Blocked, Lock: "/l"}, found(2, "/l", model.CodeForeignKey)}, []int{1}},
		{"where nothing was found the line stays", []*journal.Entry{{At: at(1), Kind: journal.Blocked, Lock: "/l"}, expired(2, "/l")}, []int{0, 1}},
	} {
		var want []*journal.Entry
		for _, i := range r.told {
			want = append(want, r.kept[i])
		}
		if got := once(r.kept, 100, func(*journal.Entry) bool { return true }); !slices.Equal(got, want) {
			t.Errorf("told %d lines, want %d: %s", len(got), len(want), r.reason)
		}
	}
}
