package timeline

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/ui/draw"
)

// A key without a lease that stands first blocks the lock for good: its lane says that it holds,
// and looks stuck from when it was found. One that only waits does no harm yet.
func TestAKeyWithoutALeaseLooksStuck(t *testing.T) {
	const bare = "/l/" + "1234567890abcdef"
	for _, r := range []struct {
		reason      string
		first, next func(h *modeltest.History)
		role        string // of the key without a lease
		stuck       bool
	}{
		{"it stands first", func(h *modeltest.History) { h.Put(1, bare, "", 0) }, func(h *modeltest.History) { h.Put(2, modeltest.ClaimKey("/l", 0xa1), "", 0xa1) }, "✖ holds", true},
		{"it waits", func(h *modeltest.History) { h.Put(1, modeltest.ClaimKey("/l", 0xa1), "", 0xa1) }, func(h *modeltest.History) { h.Put(2, bare, "", 0) }, "○ next", false},
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
				if (last.Left == draw.ToneStuck) != r.stuck {
					t.Errorf("%s: it looks like %v", r.reason, last.Left)
				}
			}
		}
		if !strings.Contains(row, r.role) {
			t.Errorf("%s: its lane is %q, want %q", r.reason, row, r.role)
		}
	}
}
