package timeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// shows are the slots in which a cell says that the lock is held: none of them where it
// only counts.
func shows(c draw.Cell) (slots [draw.Slots]bool) {
	if c.Count > 0 || c.Unseen {
		return slots
	}
	for i := range slots {
		t := c.Left
		if i >= int(c.Split) {
			t = c.Right
		}
		slots[i] = t.Holds()
	}
	return slots
}

type held struct {
	who      int
	from, to float64
}

// story folds exclusive holds of a lock, one behind the other: the key of each comes a
// moment before.
func story(holds []held) *store.Store {
	h := modeltest.New()
	h.Loaded(0)
	for _, x := range holds {
		lease := model.LeaseID(0xa0 + x.who)
		h.Put(x.from, modeltest.ClaimKey("/l", lease), "", lease)
		h.Del(x.to, modeltest.ClaimKey("/l", lease))
	}
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	return s
}

func viewOf(s *store.Store, now time.Time) table.View {
	return table.View{S: s.View, Th: draw.NewTheme(draw.ThemeDark, termenv.TrueColor, draw.SignsUnicode), Now: now, OnScreen: new([]model.LeaseID)}
}

// Whatever the history, the zoom and the place: no column shows two holders where one held
// after the other, each hold is shown or counted, and what is counted is right.
func TestNoColumnShowsTwoHolders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var holds []held
		at := 1.0
		for range rapid.IntRange(1, 60).Draw(t, "holds") {
			at += rapid.SampledFrom([]float64{0, 0, 0.001, 0.2, 3, 40}).Draw(t, "free")
			d := rapid.SampledFrom([]float64{0.002, 0.03, 0.4, 1, 5, 70}).Draw(t, "held") * rapid.Float64Range(0.5, 1.5).Draw(t, "times")
			holds = append(holds, held{rapid.IntRange(0, 5).Draw(t, "who"), at, at + d})
			at += d
		}
		s := story(holds)
		now := modeltest.At(at + rapid.Float64Range(0, 30).Draw(t, "later"))
		var w Window
		for range rapid.IntRange(0, 6).Draw(t, "zooms") {
			w.Zoom(rapid.Bool().Draw(t, "in"), modeltest.At(0), now)
		}
		w.Pan(-rapid.IntRange(0, 20).Draw(t, "pan"), modeltest.At(0), now)
		n := rapid.IntRange(1, 130).Draw(t, "cells")
		var b Painter
		x := b.lanes(viewOf(s, now), &w, "/l", 10, func(int) int { return n })
		sc := x.scale
		cellLen := sc.Slot * draw.Slots
		for c := range n {
			var column [draw.Slots]int
			for _, y := range x.All {
				for i, on := range shows(y.Cells[c]) {
					if on {
						column[i]++
					}
				}
			}
			for i, k := range column {
				if k > 1 {
					t.Fatalf("cell %d, slot %d: %d hold", c, i, k)
				}
			}
		}
		row := append([]draw.Cell(nil), b.Row(s.View, "/l", sc, false, false).Cells...)
		for _, h := range holds {
			from, to := modeltest.At(h.from).UnixMicro(), modeltest.At(h.to).UnixMicro()
			if from < sc.From || to >= sc.To() {
				continue
			}
			lane := -1
			for i := range x.All {
				if x.All[i].Name == fmt.Sprintf("%x", 0xa0+h.who) {
					lane = i
				}
			}
			for _, p := range []struct {
				name  string
				cells []draw.Cell
			}{{"its lane", x.All[lane].Cells}, {"the row", row}} {
				seen := false
				for c := sc.Cell(from); c <= sc.Cell(to); c++ {
					seen = seen || p.cells[c].Count > 0 || p.cells[c].Sign != "" || shows(p.cells[c]) != [draw.Slots]bool{}
				}
				if !seen {
					t.Fatalf("a hold of %d from %.3f to %.3f shows nowhere in %s", h.who, h.from, h.to, p.name)
				}
			}
		}
		for c, y := range row {
			if y.Count == 0 {
				continue
			}
			begin, touching := sc.From+int64(c)*cellLen, 0
			for _, h := range holds {
				if modeltest.At(h.from).UnixMicro() < begin+cellLen && modeltest.At(h.to).UnixMicro() > begin {
					touching++
				}
			}
			if y.Count > touching {
				t.Fatalf("cell %d says %d handovers, %d held in it", c, y.Count, touching)
			}
		}
	})
}

// However far one looks from: two who hold together, as readers may, both show; and who
// believes wrongly is never lost.
func TestTrueOverlapsAreNeverLost(t *testing.T) {
	h := modeltest.TwoContenders()
	h.End(4, 0xa1) // c1 is not told for 20 ms, or more
	h.Add(model.Belief{At: modeltest.At(4), Contender: "c2", Lock: "/lock", State: model.BeliefHolding, Key: modeltest.ClaimKey("/l", 0xb2), Lease: 0xb2},
		model.Belief{At: modeltest.At(4.02), Contender: "c1", Lock: "/lock", State: model.BeliefLost, Key: modeltest.ClaimKey("/l", 0xa1), Lease: 0xa1})
	for i := range 40 {
		h.Put(5+float64(i)*100, "/rw/read/170000000000000000"+fmt.Sprint(i%10), "", model.LeaseID(0xd0+i%2))
		h.Put(5.01+float64(i)*100, fmt.Sprintf("/rw/read/17000000000000001%02d", i), "", model.LeaseID(0xe0+i%2))
		h.Del(5.02+float64(i)*100, "/rw/read/170000000000000000"+fmt.Sprint(i%10), fmt.Sprintf("/rw/read/17000000000000001%02d", i))
	}
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	now := modeltest.At(4000)
	var w Window
	for range len(Spans) + 1 {
		for n := 1; n < 200; n += 13 {
			w.Go(modeltest.At(4), modeltest.At(0), now)
			var b Painter
			x := b.lanes(viewOf(s, now), &w, "/lock", 5, func(int) int { return n })
			found := false
			for _, y := range x.All {
				for _, c := range y.Cells {
					found = found || y.Name == "c1" && (c.Left == draw.ToneFalse || c.Right == draw.ToneFalse)
				}
			}
			if !found {
				t.Fatalf("%v in %d cells: c1's false belief of 20 ms does not show", w.Span(modeltest.At(0), now), n)
			}
			w.Go(modeltest.At(5.015), modeltest.At(0), now)
			readers := 0
			for _, y := range b.lanes(viewOf(s, now), &w, "/rw", 5, func(int) int { return n }).All {
				shown := false
				for _, c := range y.Cells {
					shown = shown || c.Count > 0 || c.Sign != "" || shows(c) != [draw.Slots]bool{}
				}
				if shown {
					readers++
				}
			}
			if readers < 2 {
				t.Fatalf("%v in %d cells: of two readers at a time %d show", w.Span(modeltest.At(0), now), n, readers)
			}
		}
		w.Zoom(false, modeltest.At(0), now)
	}
}

// TestLane draws what a contender did, a character a second, as it is without colours.
func TestLane(t *testing.T) {
	const wait, hold, believe = 1, 2, 3
	type spell struct {
		what     int
		from, to float64
	}
	for _, r := range []struct {
		reason, want string
		spells       []spell
	}{
		{"waits, holds, lets go", "                    ──────────██████████                    ", []spell{{hold, 30, 40}, {wait, 20, 30}}},
		{"goes on", "                                        ████████████████████", []spell{{hold, 40, 99}}},
		{"a short hold is not lost, and is no full cell", "                              ┃                             ", []spell{{hold, 30.2, 30.25}}},
		{"a hold within a second is no full cell either", "                              ┃                             ", []spell{{hold, 30.2, 30.8}}},
		{"of three in a second their number", "                              3                             ", []spell{{hold, 30.1, 30.2}, {hold, 30.3, 30.4}, {hold, 30.5, 30.55}}},
		{"where it begins within a second the cell is cut there", "                              ▐██████▌                      ", []spell{{hold, 30.5, 37.5}}},
		{"what was believed falsely lies on top, however short", "█████████▚                                                  ", []spell{{hold, 0, 9.95}, {believe, 9.95, 9.98}}},
		{"a long one is as long as it was", "          █████▚▚▚▚▚▚▚▚▚▚                                   ", []spell{{hold, 10, 15}, {believe, 15, 25}}},
	} {
		var b Painter
		sc := new(Window).Scale(time.Time{}, modeltest.At(60), 60)
		b.reset(sc)
		for _, x := range r.spells {
			from, to := modeltest.At(x.from).UnixMicro(), modeltest.At(x.to).UnixMicro()
			switch x.what {
			case wait:
				b.wait(from, to)
			case hold:
				b.hold(from, to, 1, draw.ToneHold)
			case believe:
				b.believe(from, to)
			}
		}
		if got := plain(draw.NewTheme(draw.ThemeMono, termenv.ANSI, draw.SignsUnicode), b.cells(0, false)); got != r.want {
			t.Errorf("%s:\n got |%s|\nwant |%s|", r.reason, got, r.want)
		}
	}
}

func plain(th *draw.Theme, cells []draw.Cell) string {
	var b strings.Builder
	for _, sp := range th.LaneCells(cells) {
		b.WriteString(sp.Text)
	}
	return b.String()
}

// Where cell after cell has more handovers than it can show, their number is written across.
func TestACrowdIsCounted(t *testing.T) {
	var holds []held
	for i := range 1200 {
		holds = append(holds, held{i % 5, 1 + float64(i)*0.02, 1.015 + float64(i)*0.02})
	}
	s := story(holds)
	var b Painter
	row := b.Row(s.View, "/l", new(Window).Scale(time.Time{}, modeltest.At(30), 60), true, true)
	text := plain(draw.NewTheme(draw.ThemeDark, termenv.TrueColor, draw.SignsUnicode), row.Cells)
	if !strings.Contains(text, " 1200 handovers ") {
		t.Errorf("1200 holds in 24 cells: |%s|", text)
	}
}

// What is seen later does not change the tone of what was seen before.
func TestTonesStay(t *testing.T) {
	var holds []held
	for i := range 30 {
		holds = append(holds, held{i % 3, float64(1 + 4*i), float64(4 + 4*i)})
	}
	s := story(holds)
	var b Painter
	tone := func(now float64) draw.Tone {
		sc := new(Window).Scale(time.Time{}, modeltest.At(now), 60)
		return b.Row(s.View, "/l", sc, false, false).Cells[sc.Cell(modeltest.At(90).UnixMicro())].Left
	}
	first := tone(95)
	for now := 96.0; now < 140; now++ {
		if got := tone(now); got != first {
			t.Fatalf("at second %v the hold of second 90 is painted with tone %d, before with %d", now, got, first)
		}
	}
}

// How many waited is the average over a cell.
func TestDepth(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	for i, at := range []float64{6, 15, 25, 30} { // from 5 on, when the clock says 10 s, a cell begins
		lease := model.LeaseID(0xa0 + i)
		h.Put(at, modeltest.ClaimKey("/l", lease), "", lease)
	}
	h.Del(35, modeltest.ClaimKey("/l", 0xa0))
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	var b Painter
	row := b.Row(s.View, "/l", new(Window).Scale(time.Time{}, modeltest.At(65), 6), false, true)
	want := []float64{0, 1, 2.5, 2, 2, 2}
	for i, v := range row.Waiting {
		if d := v - want[i]; d > 0.01 || d < -0.01 {
			t.Errorf("waiting %v, want %v", row.Waiting, want)
			break
		}
	}
}
