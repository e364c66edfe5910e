package timeline

import (
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/model/timeline"
	"locktop/ui/draw"
)

// Marks are what happened beside the holds, in the time of a scale: of each cell the one that
// matters most.
type Marks struct {
	cells []mark
	scale Scale
	// Total is how many there are, those under others included.
	Total int
}

type mark struct {
	rank int
	n    int
	sign string
	st   draw.Style
	word model.MessageID
}

// markRanks say which of two kinds in one cell is seen; a finding that is over matters least.
var markRanks = map[timeline.MarkKind]int{timeline.MarkFinding: 7, timeline.MarkGap: 6, timeline.MarkAction: 5, timeline.MarkLab: 4, timeline.MarkDrill: 4,
	timeline.MarkMember: 3, timeline.MarkLate: 2}

// markWords name a kind where there is little room.
var markWords = map[timeline.MarkKind]model.MessageID{timeline.MarkFinding: "mark-finding", timeline.MarkGap: "mark-watch", timeline.MarkAction: "mark-action",
	timeline.MarkLab: "mark-lab", timeline.MarkDrill: "mark-drill", timeline.MarkMember: "cluster", timeline.MarkLate: "state-keepalive-stalled"}

// MarksOf gathers the marks of all locks, and of one lock the handovers that were not a release.
func MarksOf(s *store.View, th *draw.Theme, sc Scale, handovers []*journal.Entry) *Marks {
	x := &Marks{cells: make([]mark, sc.Cells), scale: sc}
	for _, m := range s.Timeline().Marks("", time.UnixMicro(sc.From), time.UnixMicro(sc.To())) {
		y := mark{rank: markRanks[m.Kind], sign: th.Sign.Late, st: draw.Late, word: markWords[m.Kind]}
		if m.Entry != nil {
			y.sign, y.st = th.FactSign(m.Entry)
			if m.Kind == timeline.MarkFinding && m.Entry.Severity == model.SevInfo {
				y.rank, y.word = 0, "mark-finding-ended"
			}
			if m.Entry.Severity == model.SevError {
				y.rank++
			}
		}
		x.put(m.At.UnixMicro(), y)
	}
	for _, e := range handovers {
		if sign, st := th.FactSign(e); e.Kind == journal.Handover && st == draw.Late && !e.Past {
			x.put(e.At.UnixMicro(), mark{rank: 1, sign: sign, st: st, word: "mark-handover"})
		}
	}
	return x
}

func (x *Marks) put(at int64, m mark) {
	i := x.scale.Cell(at)
	if i < 0 || i >= len(x.cells) {
		return
	}
	old := x.cells[i]
	if old.n > 0 && old.rank > m.rank {
		x.cells[i].n++
	} else {
		m.n = old.n + 1
		x.cells[i] = m
	}
	x.Total++
}

// Line writes the row of marks, and what the one under the cursor is, or how many there are.
func (x *Marks) Line(th *draw.Theme) (row []draw.Span, says draw.Span) {
	at := x.scale.Cursor()
	for i, m := range x.cells {
		sp := draw.Plain.Of(" ")
		switch {
		case m.n > 0:
			sp = m.st.Of(m.sign)
		case i == at:
			sp = draw.Strong.Of(th.Sign.LaneCursor)
		}
		if n := len(row); n > 0 && row[n-1].St == sp.St {
			row[n-1].Text += sp.Text
		} else {
			row = append(row, sp)
		}
	}
	if at >= 0 && x.cells[at].n > 0 {
		m := x.cells[at]
		text := m.sign + " " + th.Say(m.word)
		if m.n > 1 {
			text += " +" + draw.Count(int64(m.n-1))
		}
		return row, m.st.Of(text)
	}
	if x.Total == 0 {
		return row, draw.Dim.Of(th.Say("none"))
	}
	return row, draw.Dim.Of(th.Say("marks", model.Verbatim(draw.Count(int64(x.Total)))))
}
