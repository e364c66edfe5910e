package timeline

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/reports"
	"locktop/model/store"
	"locktop/model/timeline"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// Cells of a lane beside its picture: the name and what it is now at the left, and what its
// lease, or its last hold, is at the right where there is room.
const (
	nameLeast = 4 // of the name, which is as wide as the longest
	nameMost  = 24
	roleCells = 11
	tailCells = 14
	barCells  = 5 // of the lease, where there is room for its bar, and a blank
)

// scanMost bounds how many claims of a queue are looked at for lanes.
const scanMost = 64

// Lane is what one contender of a lock did.
type Lane struct {
	Name  string
	Claim *locks.Claim // nil if it is not in the queue now
	Place int          // from 0
	Wrong time.Time    // since when it believes that it holds and does not, zero if it does not
	Cells []draw.Cell
	over  time.Time // when it was last there
}

// Lanes are the lanes of a lock.
type Lanes struct {
	All []Lane
	// More is how many others are in the queue and have no lane.
	More  int
	names int // cells of the longest name
	lock  string
	scale Scale
	win   *Window
	start time.Time
	over  []reports.Overlap // of the beliefs in what is shown
	ever  bool              // there were any at all, if only before that
	odd   model.Message     // what programs believe beside it
	// deep is how many waited in each cell, on the average; nil where nobody did or nobody asked.
	deep []float64
}

// Lanes paints the lanes of a lock: of those who believe wrongly, of its queue in its order, then
// of those who were there last; n at most, in lines of width cells, and with depth how many waited
// in all.
func (pt *Painter) Lanes(f table.View, w *Window, lock string, n, width int, depth bool) *Lanes {
	x := pt.lanes(f, w, lock, n, func(names int) int {
		_, cells, _ := shares(width, names)
		return cells
	})
	if depth {
		if waited := pt.Row(f.S, lock, x.scale, true, true).Waiting; slices.Max(waited) > 0 {
			x.deep = waited
		}
	}
	return x
}

// lanes is [Painter.Lanes] with a picture of so many cells as the longest name leaves.
func (pt *Painter) lanes(f table.View, w *Window, lock string, n int, cells func(names int) int) *Lanes {
	s, now := f.S, f.Exact()
	x := &Lanes{lock: lock, win: w, start: s.Timeline().Start()}
	x.scale = w.Scale(x.start, f.Now, cells(nameLeast))
	names := x.gather(s, lock, now, n)
	x.names = nameLeast
	for i := range x.All {
		x.names = min(nameMost, max(x.names, draw.Width(f.Th.Escape(x.All[i].Name))))
	}
	x.scale = w.Scale(x.start, f.Now, cells(x.names)).UpTo(now)
	over := s.Reports().Overlaps(lock)
	inView := func(o reports.Overlap) bool {
		return o.From.UnixMicro() < x.scale.To() && (o.To.IsZero() || o.To.UnixMicro() > x.scale.From)
	}
	for _, o := range over { // one that began before counts with the same belief in what is shown
		if slices.ContainsFunc(o.OfTheSame(over), inView) {
			x.over = append(x.over, o)
		}
	}
	x.ever = len(over) > 0
	if len(x.over) == 0 {
		x.odd = x.beliefs(s, lock, now)
	}
	x.paint(pt, s, lock, names)
	return x
}

// beliefs says who believes what makes no two holders, and is no less wrong: one who holds
// nothing, or several by one claim.
func (ls *Lanes) beliefs(s *store.View, lock string, now time.Time) model.Message {
	for _, y := range ls.All {
		if !y.Wrong.IsZero() {
			return model.Say("believes-etcd-says-otherwise", y.Name)
		}
	}
	if l := s.Lock(lock); l == nil || !l.Recipe().Exclusive() {
		return model.Message{}
	}
	all := s.Reports().Beliefs(lock)
	end := func(b reports.Believed) time.Time {
		if b.To.IsZero() {
			return now
		}
		return b.To
	}
	for i, a := range all {
		for _, b := range all[i+1:] {
			if end(a).Sub(b.From) <= reports.Grace {
				break // a word comes later than the deed
			}
			if a.Contender != b.Contender && a.Key == b.Key && a.Lease == b.Lease && end(b).Sub(b.From) > reports.Grace && end(b).UnixMicro() > ls.scale.From {
				return model.Say("two-act-by-one-claim", a.Contender, b.Contender)
			}
		}
	}
	return model.Message{}
}

// namer names the claims of a lock: those of one contender have one name.
type namer struct {
	s  *store.View
	by map[model.LeaseID]string
}

func (n *namer) nameOf(ref model.ClaimRef) string {
	if ref.Value != "" || ref.Lease == 0 {
		return n.s.Who(draw.Brief(ref))
	}
	name, ok := n.by[ref.Lease]
	if !ok {
		name = n.s.Who(draw.Brief(ref))
		n.by[ref.Lease] = name
	}
	return name
}

// gather finds whose lanes there are.
func (ls *Lanes) gather(s *store.View, lock string, now time.Time, most int) *namer {
	names := &namer{s, map[model.LeaseID]string{}}
	at := map[string]int{}
	lane := func(name string) *Lane {
		i, ok := at[name]
		if !ok {
			i = len(ls.All)
			at[name] = i
			ls.All = append(ls.All, Lane{Name: name, Place: -1})
		}
		return &ls.All[i]
	}
	l := s.Lock(lock)
	if ll := s.Reports().Lock(lock); ll != nil && l != nil {
		for _, c := range ll.Competitors {
			if since, is := s.Reports().FalseSince(c, l); is && now.Sub(since) > reports.Grace {
				lane(c.Name).Wrong = since
			}
		}
	}
	if l != nil && l.Recipe().HasHolder {
		keep := func(place int, c *locks.Claim) {
			if y := lane(names.nameOf(c.Ref())); y.Claim == nil {
				y.Claim, y.Place = c, place
			}
		}
		place := 0
		for c := range l.First(min(l.Holders(), scanMost)) {
			keep(place, c)
			place++
		}
		for i, c := range l.Waiters(scanMost) {
			keep(i, c)
			place++
		}
		ls.More = max(0, l.Holders()+l.Behind()-place)
	}
	first := len(ls.All)
	s.Timeline().Segments(lock, ls.scale.From, ls.scale.To(), 0, func(p *timeline.Segment) bool {
		if !p.Present {
			y := lane(names.nameOf(p.Claim()))
			y.over = time.UnixMicro(max(p.Gone, y.over.UnixMicro()))
		}
		return true
	})
	slices.SortStableFunc(ls.All[first:], func(a, b Lane) int { return -cmp.Compare(a.over.UnixMicro(), b.over.UnixMicro()) })
	for _, y := range ls.All[min(most, len(ls.All)):] {
		if y.Claim != nil {
			ls.More++
		}
	}
	ls.All = ls.All[:min(most, len(ls.All))]
	return names
}

// paint fills in the cells of each lane.
func (ls *Lanes) paint(b *Painter, s *store.View, lock string, names *namer) {
	at := map[string]int{}
	for i := range ls.All {
		at[ls.All[i].Name] = i
	}
	stays := make([][]timeline.Segment, len(ls.All)) // of each contender
	keep := func(name string, stay timeline.Segment) {
		if i, ok := at[name]; ok {
			stays[i] = append(stays[i], stay)
		}
	}
	s.Timeline().Segments(lock, ls.scale.From, ls.scale.To(), 0, func(p *timeline.Segment) bool {
		if !p.Present {
			keep(names.nameOf(p.Claim()), *p)
		}
		return true
	})
	if l := s.Lock(lock); l != nil && l.Recipe().HasHolder {
		now := func(_ int, c *locks.Claim) bool {
			got, _, holds := c.HeldSince()
			came, _ := s.Timeline().BeganAt(c)
			keep(names.nameOf(c.Ref()), timeline.Segment{Came: came.UnixMicro(), Got: got.UnixMicro(), Gone: math.MaxInt64, Held: holds})
			return true
		}
		for c := range l.First(min(l.Holders(), scanMost)) {
			now(0, c)
		}
		l.Waiters(scanMost)(now)
	}
	for i := range ls.All {
		y := &ls.All[i]
		b.reset(ls.scale)
		for _, p := range stays[i] {
			if p.Held {
				b.hold(p.Got, p.Gone, 1, draw.ToneHold)
			}
		}
		for _, p := range stays[i] {
			b.wait(p.Came, p.Waited())
		}
		b.wrong(s, lock, func(c model.ClaimRef) bool { return names.nameOf(c) == y.Name })
		for _, v := range s.Reports().Beliefs(lock) {
			if v.Contender == y.Name {
				b.doubt(v, stays[i], micro(s.Timeline().Since(lock)))
			}
		}
		for _, o := range ls.over {
			if o.Believer == y.Name {
				b.believe(o.From.UnixMicro(), b.end(o.To))
			}
		}
		y.Cells = slices.Clone(b.cells(0, false))
		b.write(y.Cells, draw.ToneHold, "held-times")
		b.finish(s, lock, y.Cells)
	}
}

// doubt lays the part of a belief on top in which its contender did not hold, as far as that
// is known. Its word comes a moment after the deed: that long it is no lie.
func (pt *Painter) doubt(v reports.Believed, stays []timeline.Segment, known int64) {
	grace := reports.Grace.Microseconds()
	from, end := max(v.From.UnixMicro(), known), pt.end(v.To)
	lie := func(to int64) {
		if to-from > grace {
			pt.believe(from, to)
		}
	}
	for _, p := range stays {
		if p.Held && p.Gone > from && p.Got < end {
			lie(p.Got)
			from = p.Gone
		}
	}
	if from < end {
		lie(end)
	}
}

// barsFrom is the width from which the lease of a lane has a bar.
const barsFrom = 110

// shares divides a line of w cells among what stands at the left of a picture, whose longest
// name has so many cells, the picture, and what stands at its right.
func shares(w, names int) (left, picture, right int) {
	if w < 80 {
		names = min(names, w/6)
	}
	left = 2 + names + 2
	if w >= 50 {
		left += roleCells
	}
	switch {
	case w >= barsFrom:
		right = tailCells + barCells + 1
	case w >= 70:
		right = tailCells
	}
	return left, max(0, w-left-right), right
}

// hintsFrom is the width from which a title has room for the keys of an axis.
const hintsFrom = 100

// Hints name the keys of an axis, where a line of w cells has room for them.
func Hints(th *draw.Theme, w int) []draw.Span {
	if w < hintsFrom {
		return nil
	}
	blank, apart := draw.Plain.Of(" "), draw.Plain.Of("   ")
	return []draw.Span{draw.Accent.Of("z"), blank, draw.Dim.Of(th.Say("zoom")), apart, draw.Accent.Of(th.Sign.Left + " " + th.Sign.Arrow), blank, draw.Dim.Of(th.Say("pan")), apart,
		draw.Accent.Of("[ ]"), blank, draw.Dim.Of(th.Say("event-by-event"))}
}

// Title is the line above the lanes where they are a pane of their own.
func (ls *Lanes) Title(f table.View, w int) string {
	title := []draw.Span{draw.Strong.Of(ls.win.Label(f.Th, ls.start, f.Now))}
	if words := ls.Words(f); draw.WidthOf(words) > 0 {
		title = append(append(title, draw.Plain.Of("  ")), words...)
	}
	return f.Th.RulerWith(w, Hints(f.Th, w), title...)
}

// Lines paints the lanes under the time.
func (ls *Lanes) Lines(lines []string, f table.View, w int) []string {
	th := f.Th
	left, _, _ := shares(w, ls.names)
	lines = append(lines, th.Line(w, append([]draw.Span{draw.Plain.Of(string(draw.Pad(nil, left)))}, ls.scale.Ruler(th, ls.win, f.Now)...), nil))
	for i := range ls.All {
		lines = append(lines, th.Line(w, ls.lane(&ls.All[i], f, w), nil))
	}
	if ls.deep != nil {
		said := "  " + th.Say("waiting")
		row := append([]draw.Span{draw.Dim.Of(said), draw.Plain.Of(string(draw.Pad(nil, left-draw.Width(said))))}, th.Depth(ls.deep, ls.scale.Cursor())...)
		if l := f.S.Lock(ls.lock); l != nil {
			row = append(row, draw.Plain.Of(" "+th.Say("so-many-now", draw.Counted(l.Behind()))))
		}
		lines = append(lines, th.Line(w, row, nil))
	}
	return lines
}

func (ls *Lanes) lane(y *Lane, f table.View, w int) []draw.Span {
	th := f.Th
	left, _, right := shares(w, ls.names)
	room := left - 4
	if w >= 50 {
		room -= roleCells
	}
	name := th.Escape(y.Name)
	if draw.Width(name) > room {
		name = th.CutKey(withoutPort(name), room)
	}
	spans := []draw.Span{draw.Plain.Of("  " + name + string(draw.Pad(nil, room+2-draw.Width(name))))}
	if w >= 50 {
		sp := ls.role(y, f)
		sp.Text = th.Cut(sp.Text, roleCells-1)
		spans = append(spans, sp, draw.Plain.Of(string(draw.Pad(nil, roleCells-draw.Width(sp.Text)))))
	}
	spans = append(spans, th.LaneCells(y.Cells)...)
	if right > 0 {
		spans = append(append(spans, draw.Plain.Of(" ")), ls.tail(y, f, right-1)...)
	}
	return spans
}

// withoutPort is a name without the number after its last colon.
func withoutPort(name string) string {
	if i := strings.LastIndexByte(name, ':'); i > 0 && strings.Trim(name[i+1:], "0123456789") == "" {
		return name[:i]
	}
	return name
}

// role says what a contender is in the queue now.
func (ls *Lanes) role(y *Lane, f table.View) draw.Span {
	th := f.Th
	switch {
	case !y.Wrong.IsZero():
		return draw.Belief.Of(th.Sign.Bad + " " + th.Say("believes"))
	case y.Claim == nil:
		return draw.Dim.Of(th.Say("gone"))
	}
	l := f.S.Lock(ls.lock) // a key without a lease names none
	switch {
	case l.Holds(y.Place):
		st, sign := HolderLook(f, l, y.Claim)
		return st.Of(sign + " " + RoleWord(th, l, th.Say("holds")))
	case th.Asks:
		return draw.Waiting.Of(th.Sign.Waits + " " + th.Word(model.RoleWaits))
	case y.Claim == l.Next():
		return draw.Waiting.Of(th.Sign.Waits + " " + RoleWord(th, l, th.Say("next")))
	}
	return draw.Waiting.Of(th.Sign.Waits + " " + f.Th.Message(ordinal(l.Ahead(y.Claim)-l.Holders()+1)))
}

// RoleWord is the word for what a contender of a lock is, with a question mark where that may be no lock.
func RoleWord(th *draw.Theme, l *locks.Lock, word string) string {
	if l.Doubtful() {
		return th.Say("state-perhaps", model.Verbatim(word))
	}
	return word
}

// HolderLook is the style and the sign of a holder: that of the trouble with it, as its picture
// has it.
func HolderLook(f table.View, l *locks.Lock, c *locks.Claim) (draw.Style, string) {
	tone := draw.ToneNone
	if c.LeaseInfo().State().Condition().Trouble() {
		tone = draw.ToneLate
	}
	if c == l.Holder() {
		for _, x := range f.S.FindingsOf(l) {
			tone = max(tone, toneOf(&x, c.Ref()))
		}
	}
	switch {
	case tone == draw.ToneStuck:
		return f.Th.Level(model.LevelError)
	case tone == draw.ToneLate:
		return f.Th.Level(model.LevelWarning)
	case l.Doubtful():
		return draw.Dim, f.Th.Sign.Holds
	}
	return draw.Good, f.Th.Sign.Holds
}

// ordinal is a place in a queue.
func ordinal(n int) model.Message {
	count := model.Verbatim(draw.Count(int64(n)))
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			return model.Say("first", count)
		case 2:
			return model.Say("second", count)
		case 3:
			return model.Say("third", count)
		}
	}
	return model.Say("nth", count)
}

// tail says in w cells how a contender's lease is, or since when it is gone.
func (ls *Lanes) tail(y *Lane, f table.View, w int) []draw.Span {
	th := f.Th
	switch {
	case !y.Wrong.IsZero():
		age := model.Verbatim(draw.Age(f.Exact().Sub(y.Wrong), false))
		said := th.Fitting(w, model.Say("lost-it-ago", age), func() []model.Message { return []model.Message{model.Say("lost-it", age)} })
		return []draw.Span{draw.Belief.Of(th.Cut(said, w))}
	case y.Claim == nil:
		return []draw.Span{draw.Dim.Of(th.Cut(th.Say("ago", model.Verbatim(draw.Age(f.Now.Sub(y.over), false))), w))}
	}
	bar := 0
	if w >= tailCells+barCells {
		bar = barCells
	}
	return table.LeaseBrief(th, y.Claim.LeaseInfo(), f.Now, bar, w)
}

// Words say whether two held, for how long, and who.
func (ls *Lanes) Words(f table.View) []draw.Span {
	th := f.Th
	var more string
	if ls.More > 0 {
		more = th.Say("more-in-the-queue", draw.Counted(ls.More)) + "  "
	}
	if as := ls.win.AsOf(f.Now); !as.IsZero() && (ls.win.At().IsZero() || ls.win.At().Before(f.Now)) { // the moment that all shows is said above
		more += th.Message(as) + "  "
	}
	sum := reports.Together(ls.over, f.Exact())
	if sum <= 0 && !ls.odd.IsZero() {
		return []draw.Span{draw.Dim.Of(more), draw.Belief.Of(th.Sign.Bad + " " + th.Cut(th.Message(ls.odd), 60))}
	}
	if sum <= 0 {
		if len(f.S.Reports().Contenders()) == 0 || ls.ever {
			return []draw.Span{draw.Dim.Of(more)}
		}
		return []draw.Span{draw.Dim.Of(more + th.Say("never-two-holders"))}
	}
	var pairs []model.Message
	for _, o := range ls.over {
		pair := model.Say("both", model.Verbatim(th.Cut(th.Clean(o.Believer), 16)), model.Verbatim(th.Cut(th.Escape(o.Client), 16)))
		if !slices.ContainsFunc(pairs, pair.Same) { // with each handover a new overlap begins
			pairs = append(pairs, pair)
		}
	}
	text := th.Sign.Bad + " " + th.Say("two-holders-for", model.Verbatim(draw.Tenths(sum)), pairs[:min(len(pairs), 3)])
	if len(pairs) > 3 {
		text += " " + th.Say("and-more")
	}
	return []draw.Span{draw.Dim.Of(more), draw.Belief.Of(text)}
}
