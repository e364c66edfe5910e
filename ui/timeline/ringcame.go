package timeline

import (
	"time"

	"locktop/model"
	"locktop/ui/draw"
)

// stay is since when a session of a ring holds a lock, or waits for one.
type stay struct {
	lock  string
	since time.Time
	early bool // it was so before we looked
	holds bool
}

// spansOf are those of a session: what it holds, and what it waits for.
func (r *Ring) spansOf(i int) [2]stay {
	x, past := r.links[i], r.f.S.Timeline()
	got, early, _ := x.Holds.HeldSince()
	came, before := past.BeganAt(x.Waits)
	return [2]stay{{r.heldLock(i).Name, got, early, true}, {r.heldLock(r.after(i)).Name, came, before, false}}
}

// CameHigh is how many lines [Ring.Came] takes, 0 where it is not known how the ring came.
func (r *Ring) CameHigh() int {
	for i := range r.links {
		if s := r.spansOf(i); s[0].since.IsZero() || s[1].since.IsZero() || s[1].early {
			return 0
		}
	}
	return 2 + 2*len(r.links)
}

// cameTail is how many cells the words behind a lane have, wide enough for those in every language.
const cameTail = 26

// Came shows in lines of w cells how a ring came: for each session since when it holds and since when it
// waits. The last one who queued closed it.
func (r *Ring) Came(b *Painter, w int) []string {
	th := r.f.Th
	if r.CameHigh() == 0 || th.Asks {
		return nil
	}
	last, names, locks := 0, nameLeast, nameLeast
	var from, to time.Time
	for i := range r.links {
		s := r.spansOf(i)
		if from.IsZero() || s[0].since.Before(from) {
			from = s[0].since
		}
		if s[1].since.After(to) {
			last, to = i, s[1].since
		}
		names, locks = max(names, draw.Width(r.client(i))), max(locks, draw.Width(th.Clean(s[0].lock)))
	}
	names, locks = min(names, nameMost, w/6), min(locks, nameMost, w/5)
	left := 2 + names + 2 + locks + 2
	cells := w - left - cameTail
	if cells < 24 {
		return nil
	}
	pad := max(to.Sub(from)/5, time.Second)
	from, to = from.Add(-pad), to.Add(pad)
	sc := Scale{From: from.UnixMicro(), Slot: max(1, to.Sub(from).Microseconds()/int64(cells*draw.Slots)), Cells: cells, Now: r.f.Exact().UnixMicro()}
	lines := []string{th.Ruler(w, draw.Strong.Of(th.Say("how-it-came")), draw.Dim.Of("  "+th.Say("each-took-one-and-queued"))),
		th.Line(w, []draw.Span{draw.Plain.Of(draw.Blank(left)), draw.Dim.Of(sc.clockRuler(th, from))}, nil)}
	for i := range r.links {
		who := th.CutKey(r.client(i), names)
		for k, s := range r.spansOf(i) {
			b.reset(sc)
			sign, st, word := th.Sign.Holds, draw.Good, model.MessageID("holds-since-time")
			if s.holds {
				b.hold(s.since.UnixMicro(), micro(time.Time{}), 1, draw.ToneHold)
			} else {
				sign, st, word = th.Sign.Waits, draw.Waiting, "waits-since-time"
				b.wait(s.since.UnixMicro(), micro(time.Time{}))
			}
			said := th.Say(word, model.Verbatim(s.since.In(r.f.Now.Location()).Format(time.TimeOnly)))
			switch {
			case s.early:
				said = th.Say("holds-since-before")
			case k == 1 && i == last:
				sign, st, said = th.Sign.Bad, draw.Bad, th.Say("closes-the-ring")
			}
			lock := th.CutPath(th.Clean(s.lock), locks)
			row := []draw.Span{draw.Strong.Of("  " + draw.PadTo(who, names+2)), draw.Dim.Of(draw.PadTo(lock, locks+2))}
			row = append(append(row, th.LaneCells(b.cells(0, false))...), draw.Plain.Of(" "), st.Of(sign+" "+th.Cut(said, cameTail-3)))
			lines = append(lines, th.Line(w, row, nil))
			who = ""
		}
	}
	return lines
}

// clockRuler writes the time of day over the cells.
func (s Scale) clockRuler(th *draw.Theme, from time.Time) string {
	span := time.Duration(s.Slot*int64(s.Cells*draw.Slots)) * time.Microsecond
	line := []rune(repeat(th.Sign.LaneFree, s.Cells))
	step := tick(span, s.Cells)
	for at := from.Truncate(step).Add(step); at.Sub(from) < span; at = at.Add(step) {
		text := []rune(th.Sign.Tick + at.Format(time.TimeOnly) + " ")
		if c := s.Cell(at.UnixMicro()); c >= 0 && c+len(text) <= s.Cells {
			copy(line[c:], text)
		}
	}
	return string(line)
}
