package tutor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/ui/draw"
)

// TestTheCurveOfALease: a cell a second, as high as what was left; a gap where nobody held, and the newest at
// the right end where not all has room.
func TestTheCurveOfALease(t *testing.T) {
	left := func(of int64, all ...int64) (c curve) {
		for _, n := range all {
			x := sample{who: "a", left: n, of: of}
			if n < 0 {
				x = sample{}
			}
			c = append(c, x)
		}
		return c
	}
	for _, r := range []struct {
		c      curve
		w      int
		want   []string
		reason string
	}{
		{left(3, 3, 2, 1, 0), 40, []string{"    3s █", "       ██", "    0s ███"}, "what is left falls"},
		{left(3, 1, -1, 3), 40, []string{"    3s   █", "         █", "    0s █ █"}, "nobody held for a second"},
		{left(12, 12, 11, 10), 40, []string{"   12s █▆▄", "       ███", "    0s ███"}, "by eighths of a cell"},
		{left(3, -1, -1), 40, []string{"", "", ""}, "a scale needs a reading"},
		{left(3, 3, 3, 3, 1, 1), 11, []string{"    3s █", "       █", "    0s ███"}, "the oldest have no room"},
	} {
		var got []string
		for _, l := range r.c.lines(draw.NewTheme(draw.ThemeDark, termenv.TrueColor, draw.SignsUnicode), r.w)[1:] {
			got = append(got, strings.TrimRight(ansi.Strip(l), " "))
		}
		if !slices.Equal(got, r.want) {
			t.Errorf("%s: got %q, want %q", r.reason, got, r.want)
		}
	}
}

// TestACurveSaysWhoHoldsNow: as the table beside it does, be the lease read or not.
func TestACurveSaysWhoHoldsNow(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	s, f := store.New(), still().Frame
	f.S = s.View
	s.Apply(model.Batch{Events: h.Events})
	key := func(lock string, lease model.LeaseID) string { return modeltest.ClaimKey(lock, lease) }
	var c curve
	for _, r := range []struct {
		at     float64
		lock   string
		happen func(at float64)
		cells  int
		want   string
		reason string
	}{
		{1, "/l", func(at float64) { h.Put(at, key("/l", 0xa), "", 0xa) }, 0, "", "a curve begins with a reading"},
		{2, "/l", func(at float64) { h.Read(at, 0xa, 10, 8) }, 1, "lease of the holder, now a", "it is read"},
		{2.5, "/l", func(at float64) { h.Del(at, key("/l", 0xa)) }, 1, "nobody holds", "the newest cell is what is so now"},
		{4, "/l", func(at float64) { h.Put(at, key("/l", 0xb), "", 0xb) }, 2, "lease of the holder, now b", "who holds is known before the lease is read"},
		{5, "/m", func(at float64) { h.Put(at, key("/m", 0xc), "", 0); h.Put(at, key("/m", 0xd), "", 0xd) }, 1, "/m/c holds without a lease", "another lock has a curve of its own"},
	} {
		n := len(h.Events)
		r.happen(r.at)
		h.Add(model.Tick{At: modeltest.At(r.at)})
		s.Apply(model.Batch{Events: h.Events[n:]})
		f.Now = modeltest.At(r.at).Add(time.Millisecond)
		c.look(f, r.lock)
		got := ""
		if len(c) > 0 {
			got = strings.Trim(ansi.Strip(c.lines(plainTheme(), 60)[0]), " ─")
		}
		if len(c) != r.cells || got != r.want {
			t.Errorf("%s: %q in %d cells, want %q in %d", r.reason, got, len(c), r.want, r.cells)
		}
	}
}
