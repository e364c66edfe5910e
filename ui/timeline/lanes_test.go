package timeline

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/ui/draw"
)

// A key without a lease that stands first blocks the lock for good: its lane says that it holds, and looks as
// serious as the state of the lock from when it was found, here a hint. One that only waits does no harm yet.
func TestAKeyWithoutALeaseLooksLikeTheState(t *testing.T) {
	const bare = "/l/" + "1234567890abcdef"
	for _, r := range []struct {
		reason      string
		first, next func(h *modeltest.History)
		role        string // of the key without a lease
		tone        draw.Tone
		state       string
	}{
		{"it stands first", func(h *modeltest.History) { h.Put(1, bare, "", 0) }, func(h *modeltest.History) { h.Put(2, modeltest.ClaimKey("/l", 0xa1), "", 0xa1) }, "! holds?", draw.ToneLate, "! no lease"},
		{"it waits", func(h *modeltest.History) { h.Put(1, modeltest.ClaimKey("/l", 0xa1), "", 0xa1) }, func(h *modeltest.History) { h.Put(2, bare, "", 0) }, "○ next", draw.ToneWait, "… lease not read"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		r.first(h)
		r.next(h)
		s := store.New()
		s.Apply(model.Batch{Events: append(h.Events, model.Tick{At: modeltest.At(20)})})
		f := viewOf(s, modeltest.At(20))
		var b Painter
		x := b.Lanes(f, new(Window), "/l", 10, 120, false)
		row := ""
		for i, line := range x.Lines(nil, f, 120)[1:] {
			if strings.Contains(line, "90abcdef") {
				row = ansi.Strip(line)
				last := x.All[i].Cells[len(x.All[i].Cells)-1]
				if last.Left != r.tone {
					t.Errorf("%s: it looks like %v, want %v", r.reason, last.Left, r.tone)
				}
			}
		}
		if !strings.Contains(row, r.role) {
			t.Errorf("%s: its lane is %q, want %q", r.reason, row, r.role)
		}
		if state := f.Th.FormatCondition(status.ConditionOf(s, s.Lock("/l"))); state.Text != r.state {
			t.Errorf("%s: the state is %q, want %q", r.reason, state.Text, r.state)
		}
	}
}

// TestALaneIsAsSeriousAsItsState: whatever is found of a holder, its lane is red where the state is, and
// amber where that is.
func TestALaneIsAsSeriousAsItsState(t *testing.T) {
	holder := model.ClaimRef{Key: "/l/a1", CreateRev: 3}
	for severity, want := range map[model.Severity]draw.Tone{model.SevError: draw.ToneStuck, model.SevWarning: draw.ToneLate, model.SevInfo: draw.ToneNone} {
		for _, code := range []model.Code{model.CodeOrphanKey, model.CodeLeaseDetached, model.CodeLockCycle, model.CodeLongHeld, model.CodeZombieHolder} {
			if got := toneOf(&model.Finding{Code: code, Severity: severity, Claim: holder}, holder); got != want {
				t.Errorf("%s, %s: the lane looks like %v, want %v", code, severity, got, want)
			}
		}
	}
}
