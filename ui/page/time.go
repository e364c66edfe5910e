package page

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/table"
	"locktop/ui/timeline"
)

// timePage is every lock as a lane, those first for which most was waited. A lock without keys
// has one, too, if it has a past in what is shown.
type timePage struct {
	Usual
	table.Ranking[string, string]
	filter string
	pick   Selection
	ranked ranked
	top    int
	rows   int // locks that fit
	tall   bool
}

// ranked is the time for which the locks are in order.
type ranked struct {
	span time.Duration
	past time.Time // its end, zero for now
}

// Cells of a line of the page beside its picture.
const (
	timeName  = 20
	timeTail  = 14
	timeHead  = 2 // lines above the lanes
	timeFacts = 5 // lines below them at least: the marks, and what happened with its title
	timeSigns = 2
)

// tallFrom is the height from which lanes show how many waited, that of a verdict included: it
// comes and goes, and the picture stays.
const tallFrom = 27

func newTime() Page {
	return &timePage{Ranking: table.NewRanking[string, string]()}
}

func (p *timePage) About() About { return About{Title: "Time", Label: "page-time", Go: "go-to-time"} }

func (p *timePage) Keys() []Key {
	return append(axisKeys(func(f Frame, from, to time.Time) []time.Time { return eventsOf(f, p.chosen(f), from, to) }, nil), queueOf(p.Lock))
}

// chosen is the lock under the cursor, or the one that is selected elsewhere if it has no lane.
func (p *timePage) chosen(f Frame) string {
	if k := f.Axis.Keyless; k.Lock != "" && k.Beside == f.Locks.Pick.ID {
		return k.Lock
	}
	return f.Locks.Pick.ID
}

// Lock is the one whose queue can be opened.
func (p *timePage) Lock(f Frame) Request {
	if name := p.chosen(f); f.S.Lock(name) == nil && name != "" {
		return Request{Why: f.Th.Say("has-no-keys-now-no-queue", name)}
	}
	return p.Usual.Lock(f)
}

func (p *timePage) many(f Frame) bool { return len(f.S.Locks()) > table.RankPiece }

// Ranks says whether locks are to be ranked in pieces.
func (p *timePage) Ranks(f Frame) bool {
	f = f.Whole()
	return p.many(f) && p.Unranked(f.S.Version(), f.Clock())
}

// Rank goes on with putting the locks in order: by how long all together waited in what is
// shown, those in trouble first. It says whether that changed what is shown.
func (p *timePage) Rank(f Frame) bool {
	f = f.Whole()
	from, to := p.window(f)
	keep := matcher(p.filter)
	done := p.Ranking.Refresh(f.S.Version(), f.Clock(), func() []string { return timeNames(f.S, from) }, func(name string, i int) (table.Scored[string], bool) {
		l, rank := f.S.Lock(name), int64(0)
		if p.Found++; l != nil && status.ConditionOf(f.S, l).Trouble() {
			rank = int64(24 * 365 * time.Hour)
		}
		if keep != nil && !keep(timeText(f.S, name, l)...) {
			return table.Scored[string]{}, false
		}
		return table.Scored[string]{ID: name, Rank: -rank - int64(f.S.Timeline().Waited(name, from, to)), Tie: uint64(i)}, true
	})
	return done
}

// timeNames are the locks that have a holder at times, by name, and those without keys that
// have a past since then.
func timeNames(s *store.View, from time.Time) []string {
	var names, gone []string
	for _, l := range s.Locks() {
		if l.Recipe().HasHolder {
			names = append(names, l.Name)
		}
	}
	for name := range s.Timeline().Names {
		if at, _ := s.Timeline().Ended(name); s.Lock(name) == nil && at.After(from) {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone) // of equals the same ones stand first, whenever that is asked
	return append(names, gone...)
}

// noKeys is how the state of a lock is called that has a past and no keys.
const noKeys = "no keys"

// timeText is what the filter looks at.
func timeText(s *store.View, name string, l *locks.Lock) []string {
	if l == nil {
		return []string{name, noKeys}
	}
	return lockText(s, l)
}

// window is the time of the lanes.
func (p *timePage) window(f Frame) (from, to time.Time) {
	now := f.Exact()
	to = f.Axis.End(now)
	return to.Add(-f.Axis.Span(f.S.Timeline().Start(), now)), to
}

// refresh puts the locks in order, unless there are so many that messages do it, and finds
// the cursor. Another part of the past has another order.
func (p *timePage) refresh(f Frame) {
	of := ranked{span: f.Axis.Span(f.S.Timeline().Start(), f.Now)}
	if end := f.Axis.End(f.Now); !end.Equal(f.Now) {
		of.past = end
	}
	p.Force = p.Force || of != p.ranked
	p.ranked = of
	for more := !p.many(f) && p.Unranked(f.S.Version(), f.Clock()); more; more = p.Going && !p.Waits(f.Clock()) {
		p.Rank(f)
	}
	id := p.chosen(f)                                     // all pages start from that lock; -1: it has no lane
	if f.Axis.Keyless.Lock == id && f.S.Lock(id) != nil { // it has keys again
		f.Axis.Keyless = Keyless{}
		f.Locks.Choose(id)
	}
	p.pick.ID, p.pick.Place = id, slices.Index(p.IDs, id)
}

func (p *timePage) Paint(f Frame, w, h int) []string {
	above := f.Top() // of the moment that is shown, as the screen is cut up
	f = f.Whole()
	p.refresh(f)
	if text := noLocks(f, w); text != nil && len(p.IDs) == 0 {
		return draw.Fill(text, w, h)
	}
	name, cells, tail := timeShares(f, w)
	if above > 0 && f.Height >= TallFrom {
		above++ // a blank line
	}
	p.tall = h+above >= tallFrom
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
	sc := f.Axis.Scale(f.S.Timeline().Start(), f.Now, cells).UpTo(f.Exact())
	margin := draw.Plain.Of(string(draw.Pad(nil, timeSigns+name)))
	lines := []string{p.title(f, w), f.Th.Line(w, append([]draw.Span{margin}, sc.Ruler(f.Th, &f.Axis.Window, f.Now)...), nil)}
	for i := p.top; i < min(len(p.IDs), p.top+p.rows); i++ {
		id := p.IDs[i]
		l := f.S.Lock(id)
		f.Axis.Painter.Lang = f.Th.Lang
		row := f.Axis.Painter.Row(f.S, id, sc, (l == nil || !status.ConditionOf(f.S, l).Trouble()) && i != p.pick.Place, p.tall)
		if p.tall {
			lines = append(lines, f.Th.Line(w, append([]draw.Span{margin}, f.Th.Depth(row.Waiting, sc.Cursor())...), nil))
		}
		spans := append(p.label(f, id, l, name, i == p.pick.Place), f.Th.LaneCells(row.Cells)...)
		if tail > 0 {
			spans = append(spans, draw.Plain.Of(" "), p.tail(f, id, l))
		}
		lines = append(lines, f.Th.Line(w, spans, nil))
	}
	if len(p.IDs) == 0 {
		lines = append(lines, f.Th.Line(w, []draw.Span{draw.Dim.Of("  " + f.Th.Say("no-lock-has-a-lane-none"))}, nil))
	}
	if h-len(lines) >= 2 {
		row, says := timeline.MarksOf(f.S, f.Th, sc, f.JournalOf(p.pick.ID)).Line(f.Th)
		marks := append([]draw.Span{draw.Dim.Of("  " + f.Th.Say("marks-word")), draw.Plain.Of(draw.Blank(timeSigns + name - 2 - draw.Width(f.Th.Say("marks-word"))))}, row...)
		if tail > 0 {
			marks = append(marks, draw.Plain.Of(" "), says)
		}
		lines = append(lines, f.Th.Line(w, marks, nil))
	}
	if (p.tall || f.Height >= TallFrom) && h-len(lines) >= timeFacts-1 { // the marks have their line by now
		lines = append(lines, draw.Blank(w))
	}
	return draw.Fill(append(lines, p.facts(f, w, h-len(lines))...), w, h)
}

// timeShares divides a line among the name, the picture and what stands behind it.
func timeShares(f Frame, w int) (name, cells, tail int) {
	if name = max(timeName, factNames(f, w)+2); w < 60 {
		name = 12
	}
	if w >= 70 {
		tail = timeTail
	}
	return name, max(1, w-timeSigns-name-max(tail, 1)), tail
}

func (p *timePage) title(f Frame, w int) string {
	x := &f.Axis.Window
	n := f.Th.Say("locks-counted", draw.Counted(len(p.IDs)))
	if p.pick.Place >= 0 {
		n = f.Th.Say("lock-of", draw.Counted(p.pick.Place+1), draw.Counted(len(p.IDs)))
	}
	t := append([]draw.Span{draw.Strong.Of(x.Label(f.Th, f.S.Timeline().Start(), f.Now)), draw.Dim.Of("  " + n)}, f.AsOf()...)
	if n, until := f.S.Timeline().Dropped(); n > 0 {
		t = append(t, draw.Dim.Of("  "+f.Th.Say("older-intervals-were-dropped", draw.Counted(int(n)), model.Verbatim(until.Format("15:04:05")))))
	}
	return f.Th.RulerWith(w, timeline.Hints(f.Th, w), t...)
}

// label is the sign and the name in front of a lane.
func (p *timePage) label(f Frame, id string, l *locks.Lock, w int, chosen bool) []draw.Span {
	st, sign := draw.Dim, f.Th.Sign.Waits
	if l != nil {
		st, sign = f.Th.Level(status.ConditionOf(f.S, l).Level)
	}
	text := f.Th.CutPath(f.Th.Clean(id), w-1)
	name, cursor := draw.Plain, draw.Plain.Of(" ")
	switch {
	case chosen:
		name, cursor = draw.Strong, draw.Accent.Of(f.Th.Sign.Cursor)
	case l == nil:
		name = draw.Dim
	}
	return []draw.Span{cursor, st.Of(sign), name.Of(" " + text + string(draw.Pad(nil, w-1-draw.Width(text))))}
}

// tail says what is wrong with a lock now, else how many wait for it.
func (p *timePage) tail(f Frame, id string, l *locks.Lock) draw.Span {
	switch {
	case l == nil:
		at, _ := f.S.Timeline().Ended(id)
		return draw.Dim.Of(f.Th.Say("ago", model.Verbatim(draw.Age(f.Exact().Sub(at), false))))
	case status.ConditionOf(f.S, l).Trouble():
		st, _ := f.Th.Level(status.ConditionOf(f.S, l).Level)
		return st.Of(f.Th.Cut(f.Th.Message(findings.StateWord(status.ConditionOf(f.S, l))), timeTail-1))
	case l.Free():
		return draw.Dim.Of(f.Th.Say("free"))
	case !l.Recipe().WaitersVisible():
		return draw.Dim.Of(f.Th.Say("so-many-waiting", model.Verbatim("?")))
	case l.Behind() == 0:
		return draw.Dim.Of(f.Th.Say("so-many-waiting", 0))
	}
	return draw.Plain.Of(f.Th.Say("so-many-waiting", draw.Counted(l.Behind())))
}

// facts are the last lines of the journal of the selected lock, as of the cursor.
func (p *timePage) facts(f Frame, w, h int) []string {
	if h < 1 {
		return nil
	}
	id := p.chosen(f)
	lines := []string{f.Th.Ruler(w, f.happenedTo(id)...)}
	lines = lastFacts(lines, f, f.FactsOf(id, h-1), false, w, h-1)
	return f.fillBeside(lines, id, w, h-len(lines))
}

func (p *timePage) Move(f Frame, n int) {
	if len(p.IDs) == 0 {
		return
	}
	p.choose(f, p.pick.Place+n)
}

func (p *timePage) choose(f Frame, i int) {
	f = f.Whole()
	p.pick.Place = max(0, min(i, len(p.IDs)-1))
	p.pick.ID = p.IDs[p.pick.Place]
	if f.S.Lock(p.pick.ID) == nil {
		f.Axis.Keyless = Keyless{Lock: p.pick.ID, Beside: f.Locks.Pick.ID}
	} else {
		f.Axis.Keyless = Keyless{}
		f.Locks.Choose(p.pick.ID)
	}
	p.NotBefore = f.Now.Add(table.SortHold)
}

func (p *timePage) Step() int { return max(1, p.rows-1) }

func (p *timePage) Click(f Frame, _, y int) bool {
	y -= timeHead
	if p.tall {
		y /= 2
	}
	i := p.top + y
	if y < 0 || y >= p.rows || i >= len(p.IDs) {
		return false
	}
	p.choose(f, i)
	return true
}

func (p *timePage) Empty() bool { return len(p.IDs) == 0 }

// Back goes back to now, then lets go of the filter.
func (p *timePage) Back(f Frame) bool {
	if !f.Axis.Now() {
		p.SetFilter("")
	}
	return true
}

func (p *timePage) Filter() string { return p.filter }
func (p *timePage) Hits() model.Message {
	return Hits(p.filter, model.Say("of-locks", draw.Counted(len(p.IDs)), draw.Counted(p.Total)))
}

func (p *timePage) SetFilter(text string) {
	if p.filter != text {
		p.filter, p.Force, p.top = text, true, 0
	}
}
