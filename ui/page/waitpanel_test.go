package page

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// turns is a lock that n contenders take one after the other, each for a second; the next one
// comes a tenth of a second after the one before it.
func turns(n int) (s *store.Store, now time.Time) {
	h := modeltest.New()
	h.Loaded(0)
	key := func(i int) string { return modeltest.ClaimKey("/l", model.LeaseID(0xa0+i)) }
	for i := range n {
		h.Put(1+float64(i)/10, key(i), "", model.LeaseID(0xa0+i))
	}
	for i := range n - 1 {
		h.Del(max(2+float64(i), 1+float64(n)/10), key(i))
	}
	h.Add(model.Tick{At: modeltest.At(float64(n) + 2)})
	s = store.New()
	s.Apply(model.Batch{Events: h.Events})
	return s, s.Now()
}

func view(s *store.Store, now time.Time, set draw.SignSet) table.View {
	return table.View{S: s.View, Th: draw.NewTheme(draw.ThemeDark, termenv.TrueColor, set), Now: now, OnScreen: new([]model.LeaseID)}
}

func plainText(lines []string) string { return ansi.Strip(strings.Join(lines, "\n")) }

// TestPanel: it says what the turns were, at every size and with every set of signs, and no
// more than it has room for.
func TestPanel(t *testing.T) {
	s, now := turns(6)
	var p WaitPanel
	got := plainText(p.Lines(view(s, now, draw.SignsUnicode), s.Lock("/l"), modeltest.At(0), time.Time{}, 60, 12))
	for _, want := range []string{"5 holds since", "hold ", "1.0s", "held 8", "nobody overtaken, shares even ", "if   holds halved: waits ", "who waited for whom",
		"1 time, ", " more"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not said:\n%s", want, got)
		}
	}
	for _, set := range []draw.SignSet{draw.SignsUnicode, draw.SignsWide, draw.SignsASCII} {
		for w := waitPanelLeast; w < 140; w += 9 {
			for h := 1; h < 20; h += 3 {
				lines := p.Lines(view(s, now, set), s.Lock("/l"), modeltest.At(0), time.Time{}, w, h)
				if len(lines) != h {
					t.Fatalf("%d lines, want %d", len(lines), h)
				}
				for _, l := range lines {
					if n := ansi.StringWidth(l); n != w {
						t.Fatalf("%d by %d: %d cells in %q", w, h, n, l)
					}
				}
			}
		}
	}
}

// TestPanelOfAnotherTime: the figures are of the time that is shown.
func TestPanelOfAnotherTime(t *testing.T) {
	s, now := turns(6)
	f := view(s, now, draw.SignsUnicode)
	for _, r := range []struct {
		from, to     float64
		want, reason string
	}{
		{0, 0, "5 holds", "up to now"},
		{0, 2.5, "1 hold ", "only the first had ended"},
		{1.05, 1.15, "", "before any did there is nothing to say"},
		{3.5, 4.5, "1 hold ", "one in the middle"},
	} {
		var p WaitPanel
		to := time.Time{}
		if r.to > 0 {
			to = modeltest.At(r.to)
		}
		if got := plainText(p.Lines(f, s.Lock("/l"), modeltest.At(r.from), to, 60, 12)); !strings.Contains(got, r.want) || (got == "") != (r.want == "") {
			t.Errorf("%s: want %q:\n%s", r.reason, r.want, got)
		}
	}
}

// TestPanelOfMany: of many turns it looks at the last ones, and says since when; of very many
// waiters it says that they are too many, and where the figures are. It guesses neither.
func TestPanelOfMany(t *testing.T) {
	for _, r := range []struct {
		n            int
		want, reason string
	}{
		{1200, "holds since 0", "the last five hundred or so"},
		{waitersMost + 1202, "too many for figures here", "more wait than a frame can look at"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for i := range r.n {
			h.Put(1, modeltest.ClaimKey("/l", model.LeaseID(0x1000+i)), "", model.LeaseID(0x1000+i))
		}
		for i := range 1199 {
			h.Del(2+float64(i), modeltest.ClaimKey("/l", model.LeaseID(0x1000+i)))
		}
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		var p WaitPanel
		got := plainText(p.Lines(view(s, s.Now(), draw.SignsUnicode), s.Lock("/l"), modeltest.At(0), time.Time{}, 60, 12))
		if !strings.Contains(got, r.want) {
			t.Errorf("%s: want %q:\n%s", r.reason, r.want, got)
		}
		if strings.Contains(got, "1,199 holds") || strings.Contains(got, "1199 holds") {
			t.Errorf("%s: all were looked at:\n%s", r.reason, got)
		}
	}
}

// TestScale: every length falls into a cell, whatever the lengths are.
func TestScale(t *testing.T) {
	for _, longest := range []time.Duration{0, 1, time.Microsecond, 999 * time.Millisecond, time.Second, 61 * time.Second, 1000 * time.Hour} {
		s := scaleOf([]time.Duration{longest}, nil, 20)
		sum := 0
		for _, n := range s.counts([]time.Duration{0, longest / 2, longest}) {
			sum += n
		}
		if sum != 3 || len(s.ruler()) != 20 {
			t.Errorf("%v: %d of 3 lengths, ruler %q", longest, sum, s.ruler())
		}
	}
}

// TestUsualIsOneFigure: the panel says the usual hold and the usual wait of the lock as its title, and
// as ls and describe have them in JSON.
func TestUsualIsOneFigure(t *testing.T) {
	for _, r := range []struct {
		n            int
		from, to     float64
		title        string
		wait, reason string
	}{
		{3, 0, 0, "usual", "0.9s", "of three the first got the lock at once and waited for nobody"},
		{6, 0, 0, "usual", "2.7s", "many waited"},
		{6, 5.5, 0, "usual", "2.7s", "the bars begin later than the handovers"},
		{6, 0, 3.5, "median", "0.9s", "what the bars show of a time that is past: the first waited for nobody"},
	} {
		s, now := turns(r.n)
		l, f, to := s.Lock("/l"), view(s, now, draw.SignsUnicode), time.Time{}
		if r.to > 0 {
			to = modeltest.At(r.to)
		}
		var p WaitPanel
		got := plainText(p.Lines(f, l, modeltest.At(r.from), to, 60, 12))
		if said := regexp.MustCompile(r.title + ` *\n hold .* 1\.0s *\n wait .* ` + regexp.QuoteMeta(r.wait) + ` *\n`); !said.MatchString(got) {
			t.Errorf("%s: want %s wait %s:\n%s", r.reason, r.title, r.wait, got)
		}
		if to.IsZero() && model.Duration(l.Stats().WaitP50, false) != r.wait {
			t.Errorf("%s: the title says %v", r.reason, l.Stats().WaitP50)
		}
	}
}
