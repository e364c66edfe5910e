package page

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// timePage is every lock as a lane, those first for which most was waited.
type timePage struct {
	usual
	table.Ranking[*model.Lock, string]
	pick Selection
	top  int
	rows int // locks that fit
	tall bool
}

// Cells of a line of the page beside its picture.
const (
	timeName  = 20
	timeTail  = 14
	timeHead  = 2 // lines above the lanes
	timeFacts = 4 // lines below them at least, the title included
	timeSigns = 2
)

func newTimePage() *timePage {
	return &timePage{Ranking: table.NewRanking[*model.Lock, string]()}
}

func (p *timePage) About() About { return About{Title: "Time"} }

func (p *timePage) Keys() []Key { return append(axisKeys(lockEvents), queueOf(p.Lock)) }

// refresh puts the locks in order: by how long all together waited in what is shown, those
// in trouble first.
func (p *timePage) refresh(f Frame) {
	now := f.Exact()
	to := f.Axis.End(now)
	from := to.Add(-f.Axis.Span(f.S.Book.Start(), now))
	done := false
	for more := p.Unranked(f.S.Version(), f.Now); more; more = p.Going && !p.Waits(f.Now) {
		done = p.Ranking.Refresh(f.S.Version(), f.Now, f.S.Locks, func(l *model.Lock, i int) (table.Scored[string], bool) {
			if p.Found++; !l.Recipe().HasHolder {
				return table.Scored[string]{}, false
			}
			rank := int64(f.S.Book.Waited(l.Name, from, to))
			if l.Condition().Trouble() {
				rank += int64(24 * 365 * time.Hour)
			}
			return table.Scored[string]{ID: l.Name, Rank: -rank, Tie: uint64(i)}, true
		})
	}
	if id := f.Locks.Pick.ID; done || p.pick.ID != id { // all pages start from that lock; -1: it has no lane
		p.pick.ID, p.pick.Place = id, slices.Index(p.IDs, id)
	}
}

func (p *timePage) Paint(f Frame, w, h int) []string {
	if text := noLocks(f, w); text != nil {
		return draw.Fill(text, w, h)
	}
	p.refresh(f)
	name, cells, tail := timeShares(w)
	p.tall = h >= 28
	each := 1
	if p.tall {
		each = 2
	}
	room := max(1, h-timeHead-timeFacts)
	p.rows = max(1, room/each)
	p.top = max(0, min(p.top, len(p.IDs)-p.rows))
	if at := p.pick.Place; at >= 0 {
		p.top = max(min(p.top, at), at-p.rows+1)
	}
	sc := f.Axis.Scale(f.S.Book.Start(), f.Now, cells)
	lines := []string{p.title(f, w), f.Th.Line(w, append([]draw.Span{draw.Plain.Of(string(draw.Pad(nil, timeSigns+name)))}, sc.Ruler(f.Th, &f.Axis.Window, f.Now)...), nil)}
	for i := p.top; i < min(len(p.IDs), p.top+p.rows); i++ {
		l := f.S.Lock(p.IDs[i])
		if l == nil {
			lines = append(lines, f.Th.Line(w, []draw.Span{draw.Dim.Of("  " + f.Th.CutPath(f.Th.Clean(p.IDs[i]), name-1) + " is no more")}, nil))
			continue
		}
		row := f.Axis.Brush.Row(f.S, l.Name, sc, !l.Condition().Trouble() && i != p.pick.Place, p.tall)
		if p.tall {
			lines = append(lines, f.Th.Line(w, []draw.Span{draw.Plain.Of(string(draw.Pad(nil, timeSigns+name))), f.Th.Depth(row.Waiting)}, nil))
		}
		spans := p.label(f, l, name, i == p.pick.Place)
		spans = append(spans, f.Th.LaneCells(row.Cells)...)
		if tail > 0 {
			spans = append(spans, draw.Plain.Of(" "), waits(f, l))
		}
		lines = append(lines, f.Th.Line(w, spans, nil))
	}
	return draw.Fill(append(lines, p.facts(f, w, h-len(lines))...), w, h)
}

// timeShares divides a line among the name, the picture and what stands behind it.
func timeShares(w int) (name, cells, tail int) {
	if name = timeName; w < 60 {
		name = 12
	}
	if w >= 70 {
		tail = timeTail
	}
	return name, max(1, w-timeSigns-name-tail), tail
}

func (p *timePage) title(f Frame, w int) string {
	x := &f.Axis.Window
	n := draw.Plural(len(p.IDs), "lock")
	if p.pick.Place >= 0 {
		n = draw.Count(int64(p.pick.Place+1)) + " of " + n
	}
	t := []draw.Span{draw.Strong.Of(x.Says(f.S.Book.Start(), f.Now)), draw.Dim.Of("  " + n)}
	if as := x.AsOf(f.Now); as != "" {
		t = append(t, draw.Late.Of("  "+as+" "), draw.Accent.Of("esc"), draw.Dim.Of(" now"))
	}
	if n, until := f.S.Book.Dropped(); n > 0 {
		t = append(t, draw.Dim.Of("  "+draw.Count(int64(n))+" older intervals were dropped, up to "+until.Format("15:04:05")))
	}
	return f.Th.Ruler(w, t...)
}

// label is the sign and the name in front of a lane.
func (p *timePage) label(f Frame, l *model.Lock, w int, chosen bool) []draw.Span {
	st, sign := f.Th.Level(l.Condition().Level)
	text := f.Th.CutPath(f.Th.Clean(l.Name), w-1)
	name, cursor := draw.Plain, draw.Plain.Of(" ")
	if chosen {
		name, cursor = draw.Strong, draw.Accent.Of(f.Th.Sign.Cursor)
	}
	return []draw.Span{cursor, st.Of(sign), name.Of(" " + text + string(draw.Pad(nil, w-1-draw.Width(text))))}
}

// waits says how many wait now.
func waits(f Frame, l *model.Lock) draw.Span {
	switch {
	case l.Free():
		return draw.Dim.Of("free")
	case !l.Recipe().WaitersVisible():
		return draw.Dim.Of("? waiting")
	case l.Behind() == 0:
		return draw.Dim.Of("0 waiting")
	}
	return draw.Plain.Of(draw.Count(int64(l.Behind())) + " waiting")
}

// facts are the last lines of the journal of the selected lock, as of the cursor.
func (p *timePage) facts(f Frame, w, h int) []string {
	lines := []string{f.Th.Ruler(w, draw.Dim.Of("what happened to "), draw.Plain.Of(f.Th.CutPath(f.Th.Clean(f.Locks.Pick.ID), 40)))}
	l := f.S.Lock(f.Locks.Pick.ID)
	if l == nil {
		return lines
	}
	all := l.Journal()
	if at := f.Axis.At(); !at.IsZero() {
		n := len(all)
		for n > 0 && all[n-1].At.After(at.Add(time.Millisecond)) {
			n--
		}
		if all = all[:n]; n == 0 {
			return append(lines, f.Th.Line(w, []draw.Span{draw.Dim.Of("  the journal of this lock does not go back that far")}, nil))
		}
	}
	return lastFacts(lines, f, all, w, h-1)
}

func (p *timePage) Move(f Frame, n int) {
	if len(p.IDs) == 0 {
		return
	}
	p.choose(f, p.pick.Place+n)
}

func (p *timePage) choose(f Frame, i int) {
	p.pick.Place = max(0, min(i, len(p.IDs)-1))
	p.pick.ID = p.IDs[p.pick.Place]
	f.Locks.choose(p.pick.ID)
	p.Held = f.Now.Add(table.SortHold)
}

func (p *timePage) Step() int { return max(1, p.rows-1) }

func (p *timePage) Click(f Frame, _, y int) {
	y -= timeHead
	if p.tall {
		y /= 2
	}
	if i := p.top + y; y >= 0 && y < p.rows && i < len(p.IDs) {
		p.choose(f, i)
	}
}

func (p *timePage) Empty() bool { return len(p.IDs) == 0 }

func (p *timePage) Back(f Frame) bool { return f.Axis.Now() }
