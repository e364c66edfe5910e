package page

import (
	"slices"
	"strconv"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/table"
	"locktop/ui/timeline"
)

// ClaimCells are the columns of a queue.
var ClaimCells = table.CellsOf(fields.Claims, map[model.MessageID]func(*table.Row, *fields.Claim){
	"title-place": func(r *table.Row, x *fields.Claim) {
		if !r.F.Th.Asks {
			r.Add(draw.Dim, strconv.Itoa(x.Position))
		}
	},
	"title-role": func(r *table.Row, x *fields.Claim) {
		st, sign, word := RoleLook(r.F, x.L, x.Claim, x.Position-1)
		r.Add(st, sign+" "+word)
	},
	"title-who":     func(r *table.Row, x *fields.Claim) { Identity(r, x.Claim) },
	"title-key":     func(r *table.Row, x *fields.Claim) { r.Add(draw.Plain, r.F.Th.CutKey(r.F.Th.Clean(x.Key), r.Room())) },
	"title-created": func(r *table.Row, x *fields.Claim) { r.Add(draw.Dim, draw.Count(x.CreateRev)) },
	"title-lease":   func(r *table.Row, x *fields.Claim) { r.Lease(x.LeaseInfo(), x.Now) },
	"title-since": func(r *table.Row, x *fields.Claim) {
		d, atLeast := x.Waited(x.Now)
		if x.Position == 1 && x.L.Recipe().HasHolder {
			d, atLeast = x.L.HeldFor(x.Now)
		}
		r.Add(draw.Plain, draw.Age(d, atLeast))
	},
	"title-waits-for": func(r *table.Row, x *fields.Claim) {
		switch {
		case r.F.Th.Asks:
		case x.Ahead != nil:
			r.Add(draw.Dim, waitingText(r.F.Th, r.F.Th.Who(x.S, x.Ahead.Ref()), r.Room()))
		case x.Role == model.RoleHolds:
			r.Add(draw.Dim, r.F.Th.Fitting(r.Room(), model.Say("for-nothing-it-is-first"), func() []model.Message { return []model.Message{model.Say("for-nothing")} }))
		}
	},
	"title-note": func(r *table.Row, x *fields.Claim) {
		if r.Room() > 0 {
			r.Add(noteIn(r.F.Th, r.F, x, r.Room()))
		}
	},
}, nil)

// QueuePane shows the queue of one lock and, as far as there is room, what happened to
// it last. Two pages show it: as their whole, and under a table.
type QueuePane struct {
	Table table.Table
	Lock  string
	Pick  Selection
	whole bool // it is the page, and not a part of one
	// turned says that a person wants the other of the two journals: that of the lock where it
	// would be that of all, and the other way round.
	turned   bool
	last     happening
	costs    WaitPanel
	rows     int  // of the queue, so that what is below does not move with each who comes or goes
	noted    bool // there was something to note of one of its claims
	noteWide int  // and so many cells are its own

	facts   factList // what happened
	factsAt int      // the line of the pane at which it begins, 0: it has no room
	factual bool     // it has the keyboard
	all     bool     // it is that of all locks
}

func newQueuePane() *QueuePane { return &QueuePane{Table: table.New(ClaimCells.Columns(), true)} }

// show sets the lock whose queue is shown.
func (p *QueuePane) show(lock string) {
	if p.Lock != lock {
		p.Lock, p.Pick, p.Table.Top, p.rows, p.noted, p.noteWide = lock, Selection{}, 0, 0, false, 0
		if !p.factual {
			p.facts.pick, p.facts.anchor = 0, 0
		}
	}
}

// lanesRows is how many lanes of h lines are shown at most.
func lanesRows(h int) int { return max(3, h/4) }

// lines returns the lines of the pane, its title included; with lanes if timed. While the
// keyboard is elsewhere and no claim was chosen, the lanes say what the queue would.
func (p *QueuePane) lines(f Frame, w, h int, focused, timed bool) []string {
	l := f.S.Lock(p.Lock)
	p.factsAt = 0
	if l == nil {
		return draw.Fill([]string{f.Th.Ruler(w, draw.Dim.Of(f.Th.Say("queue")))}, w, h)
	}
	title := p.Title(f, l, w, !p.whole && w >= saysIt)
	if ring := timeline.RingOf(f.View, l); ring != nil && p.whole && h >= ringFrom {
		return p.ring(f, l, ring, []string{f.Th.Ruler(w, title...)}, w, h, focused)
	}
	var past []string
	var hint []draw.Span
	brief := !focused && !p.Pick.Pinned && l.Recipe().WaitersVisible()
	if n := lanesRows(h); timed && l.Recipe().HasHolder && !l.Blocked() {
		if brief {
			n = max(n, (h-3)/2)
		}
		var words []draw.Span
		if past, words = f.Axis.Lanes(f, l, w, n, !brief); brief {
			hint = timeline.Hints(f.Th, w)
			if n := draw.WidthOf(words); n > 0 && draw.WidthOf(title)+n+8 <= w {
				title = append(append(title, draw.Dim.Of(" "+f.Th.Sign.Dot+" ")), words...)
			}
		}
	}
	lines := []string{f.Th.RulerWith(w, hint, title...)}
	rows, rest := Shares(h - 1 - len(past))
	if brief && past != nil {
		rows, rest = 0, h-1-len(past)
	} else if need := p.need(f, l, past != nil); need < rows {
		rows, rest = need, rest+rows-need
	}
	lines = p.queue(lines, f, l, w, rows, focused)
	lines = append(lines, past...)
	found := besideCycle(f.S.FindingsOf(l))
	if v := &f.Counters.Verdict; v.Now && (brief || v.Height(f.Height) == verdictLines) { // it is said on top of the page
		found = slices.DeleteFunc(slices.Clone(found), func(x model.Finding) bool { return x.Same(&v.Finding) })
	}
	if len(found) > 0 && f.Height >= TallFrom && rest > LeastRows {
		lines, rest = append(lines, draw.Blank(w)), rest-1
	}
	why, facts := whyShares(f.Th, found, w, rest)
	if why > 0 {
		lines = WhyPane(f.Th, lines, found, w, why)
	}
	if facts > 0 {
		p.factsAt = len(lines)
		lines = append(lines, p.history(f, l, w, facts, timed)...)
	}
	return draw.Fill(lines, w, h)
}

// need is how many lines a queue takes: those of its claims, its titles, and a blank one before lanes where
// there is room. It grows at once, and gives back only what many left, so that nothing below moves with each who
// goes and comes again.
func (p *QueuePane) need(f Frame, l *locks.Lock, timed bool) int {
	if n := l.Len(); n > p.rows || n+QueueStep <= p.rows {
		p.rows = n
	}
	if f.Height >= TallFrom && timed { // what happened has a blank line of its own
		return p.rows + 2
	}
	return p.rows + 1
}

// ringFrom is the height from which a deadlock is drawn, and ringRest how many lines what goes with its
// sessions, and blank ones, have beside how it came.
const (
	ringFrom = 10
	ringRest = 4
)

// ring has the queue, as few rows of it as leave room, who waits for whom, and what goes with
// which session. What else was found stands below, and the lanes and the journal in what is left.
func (p *QueuePane) ring(f Frame, l *locks.Lock, ring *timeline.Ring, lines []string, w, h int, focused bool) []string {
	rows := max(2, min(1+l.Len(), h-1-timeline.RingHigh, h/3))
	lines = p.queue(lines, f, l, w, rows, focused)
	lines = append(lines, f.Th.Ruler(w, draw.Strong.Of(f.Th.Say("who-waits-for-whom"))))
	lines = append(lines, ring.Lines(w, h-len(lines))...)
	if n := ring.CameHigh(); n > 0 && f.Height >= TallFrom && h-len(lines) >= n+ringRest {
		lines = append(lines, draw.Blank(w))
		lines = append(lines, ring.Came(&f.Axis.Painter, w)...)
	}
	if f.Height >= TallFrom && h-len(lines) > 1+l.Len()+2*ringRest {
		lines = append(lines, draw.Blank(w))
	}
	lines = append(lines, ring.Costs(w, h-len(lines))...)
	found := slices.DeleteFunc(slices.Clone(besideCycle(f.S.FindingsOf(l))), func(x model.Finding) bool { return x.Code == model.CodeLockCycle })
	if n := min(3, l.Len()); h-len(lines) >= n+8 && l.Recipe().HasHolder {
		past, _ := f.Axis.Lanes(f, l, w, n, true)
		lines = append(lines, past...)
	}
	why, facts := whyShares(f.Th, found, w, h-len(lines))
	if why > 0 {
		lines = WhyPane(f.Th, lines, found, w, why)
	}
	if facts > 1 {
		lines = append(lines, p.history(f, l, w, facts, true)...)
	}
	return draw.Fill(lines, w, h)
}

// besideCycle leaves out that locks share a lease where a deadlock says so already: each of its
// sessions is in the queues of two.
func besideCycle(found []model.Finding) []model.Finding {
	is := func(code model.Code) func(model.Finding) bool {
		return func(x model.Finding) bool { return x.Code == code }
	}
	if !slices.ContainsFunc(found, is(model.CodeLockCycle)) {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), is(model.CodeSharedLease))
}

// history is what happened to the lock, and where there is room what it cost beside it.
func (p *QueuePane) history(f Frame, l *locks.Lock, w, h int, timed bool) []string {
	left := w
	var beside []string
	if timed && !f.Th.Brief && h >= LeastRows && (w >= costsFrom && p.whole || w >= costsPane) && l.Recipe().HasHolder {
		from, to := f.Axis.Shown(f.S.Timeline().Start(), f.Exact())
		wide, blank := max(WaitPanelLeast, w*7/20), 0
		if f.Height >= TallFrom {
			blank = 1
		}
		if beside = p.costs.Lines(f.View, l, from, to, wide, h-blank); beside != nil {
			left -= wide + 1
			beside = append(slices.Repeat([]string{draw.Blank(wide)}, blank), beside...)
		}
	}
	lines := slices.Clone(p.happened(f, l, left, h))
	for i, text := range beside {
		lines[i] += " " + text
	}
	return lines
}

// happening is what happened as it was painted last, and what from: as long as nothing happens it
// is not written anew.
type happening struct {
	source happeningOf
	lines  []string
}

type happeningOf struct {
	s          *store.View
	version    uint64
	th         *draw.Theme
	lock, pick string
	w, h       int
	all, whole bool
	window     timeline.Window

	// of its cursor
	cursor     bool
	at, bottom uint64
}

// happened is h lines of what happened to the lock last; under the table of locks to all of them,
// while nothing is wrong.
func (p *QueuePane) happened(f Frame, l *locks.Lock, w, h int) []string {
	p.all = !p.whole && p.ofAll(f, l)
	of := happeningOf{f.S, f.S.Version(), f.Th, p.Lock, f.Locks.Pick.ID, w, h, p.all, p.whole, f.Axis.Window,
		p.factual, p.facts.pick, p.facts.anchor}
	if p.last.source != of || f.Axis.Past() { // a title says how long ago that was
		p.last = happening{of, draw.Fill(p.happenedAnew(f, w, h), w, h)}
	}
	return p.last.lines
}

// factsKept is how many entries can be gone through there.
const factsKept = 200

func (p *QueuePane) happenedAnew(f Frame, w, h int) []string {
	var lines []string
	room := h
	if h > 2 && f.Height >= TallFrom {
		lines = append(lines, draw.Blank(w))
		h--
	}
	n := h - 1
	if p.factual {
		n = factsKept
	}
	said, other := f.Th.Say("what-happened"), f.Th.Say("all-locks")
	if p.whole {
		said = f.Th.Say("journal-of-this-lock")
	}
	if p.all {
		said, other = f.Th.Say("what-happened-all"), f.Th.Say("this-lock-only")
		p.facts.matched = f.FactsOfAll(n)
	} else {
		p.facts.matched = f.FactsOf(p.Lock, n)
	}
	title := []draw.Span{draw.Dim.Of(said)}
	if p.factual {
		title = append([]draw.Span{draw.Strong.Of(said)}, p.facts.newerBelow(f)...)
	}
	hint := []draw.Span{draw.Accent.Of("f"), draw.Dim.Of(" " + other)}
	if p.whole {
		hint = nil
	}
	lines = append(lines, f.Th.RulerWith(w, hint, append(title, f.AsOf()...)...))
	lines = p.facts.last(lines, f, factLook{named: p.all, cursor: p.factual}, w, h-1)
	if !p.all {
		lines = f.fillBeside(lines, p.Lock, w, room-len(lines))
	}
	return lines
}

// ofAll says whether what happened to all locks is shown, and not that of the selected one alone.
func (p *QueuePane) ofAll(f Frame, l *locks.Lock) bool {
	calm := !f.Counters.Verdict.Now && (l == nil || !status.ConditionOf(f.S, l).Trouble())
	return calm != p.turned
}

// costsFrom is the width from which what a lock cost stands beside its journal, costsPane where
// its queue is only a part of the page.
const (
	costsFrom = 120
	costsPane = 160
)

// underFrom is the height from which half of what is more goes under the queue.
const underFrom = 40

// Shares divides h lines between the queue and what stands under it, by the
// height alone: a queue that grows moves nothing.
func Shares(h int) (queue, under int) {
	if h >= 8 {
		under = min(h/2, 16) + max(0, h-underFrom)/2
	}
	return h - under, under
}

// outlookLeast is how many cells the words for when a lock moves have at least.
const outlookLeast = 32

// saysIt is the width from which the table of locks has room for how each is and when it moves.
const saysIt = 72

// Title says of the lock what fits into w cells, part by part; said: but how it is, when it moves
// and how many wait, which the table of locks above says.
func (p *QueuePane) Title(f Frame, l *locks.Lock, w int, said bool) []draw.Span {
	th := f.Th
	c := status.ConditionOf(f.S, l)
	t := []draw.Span{draw.Strong.Of(th.CutPath(th.Clean(l.Name), 48))}
	if p.whole {
		t = append(f.Before(w), t...)
	}
	w -= 6 + draw.WidthOf(t)
	lead := len(t)
	part := func(spans ...draw.Span) {
		n := 3
		for _, sp := range spans {
			n += draw.Width(sp.Text)
		}
		if w -= n; w >= 0 {
			between := " " + th.Sign.Dot + " "
			if len(t) == lead {
				between = "  "
			}
			t = append(append(t, draw.Dim.Of(between)), spans...)
		}
	}
	if name := l.RecipeLabel(); name != "" {
		part(draw.Dim.Of(name))
	}
	if !said {
		part(th.FormatCondition(c))
		if text := th.NextMove(f.S, l, c, f.Now, max(outlookLeast, w/3)); text != "" {
			part(draw.Plain.Of(text))
		}
	}
	if next := l.Next(); next != nil && c.Trouble() && !th.Asks {
		part(draw.Plain.Of(th.Say("next-is", model.Verbatim(th.WhoIn(f.S, next.Ref(), 20)))))
	}
	if n := l.Behind(); n > 0 && !said {
		part(draw.Dim.Of(th.Say("so-many-behind", n)))
	}
	if n := l.Between(); n > 0 {
		part(draw.Late.Of(th.Say("foreign-keys-ahead", draw.Counted(n))))
	}
	if th.Brief {
		return t
	}
	st := l.Stats()
	if st.Handovers > 0 {
		part(draw.Dim.Of(th.Say("handovers-counted", draw.Counted(st.Handovers))))
	}
	if st.Overtakes > 0 {
		part(draw.Late.Of(th.Say("overtakes-counted", draw.Counted(st.Overtakes))))
	}
	if st.Holds > 0 {
		part(draw.Dim.Of(th.Say("usual-hold", st.HoldP50)))
	}
	if st.Waits > 0 {
		part(draw.Dim.Of(th.Say("usual-wait", st.WaitP50)))
	}
	return t
}

func (p *QueuePane) queue(lines []string, f Frame, l *locks.Lock, w, h int, focused bool) []string {
	if h < 1 {
		return lines
	}
	if l.Free() {
		return draw.Fill(append(lines, f.Th.Line(w, []draw.Span{draw.Dim.Of("  " + f.Th.Say("is-free"))}, nil)), w, len(lines)+h)
	}
	id := func(i int) string { return l.At(i).Key }
	p.Pick.Follow(l.Len(), func(key string) int { return placeOf(f.S, l, key) }, id)
	p.Table.Fit(w, h, f.Th)
	p.Table.Reveal(p.Pick.Place, l.Len())
	title, wide := "", 0
	for i := p.Table.Top; i < min(l.Len(), p.Table.Top+p.Table.H); i++ {
		x := fields.At(f.S, l, f.Now, l.At(i), i+1, l.WaitsFor(l.At(i)))
		if _, said := noteIn(f.Th, f.View, &x, noteCells); said != "" {
			p.noted, title, wide = true, f.Th.Say("title-note"), max(wide, draw.Width(said))
		}
	}
	p.Table.Rename("title-note", title, "") // its room stays, so that nothing jumps
	p.Table.Speaks("title-note", p.noted)
	if p.noteWide = max(p.noteWide, min(wide, noteCells)); w >= costsFrom && p.noteWide > noteLeast {
		p.Table.Claim("title-note", p.noteWide)
	} else {
		p.Table.Claim("title-note", 0)
	}
	p.Table.Fit(w, h, f.Th)
	lines = append(lines, p.Table.Head(table.SortNone, false))
	look := table.Look{Cursor: p.Pick.Place, Keys: focused}
	if !focused && !p.Pick.Pinned {
		look.Cursor = -1
	}
	return p.Table.Paint(lines, l.Len(), look, id, func(i int, r *table.Row) { claimRow(f.View, l, i, r) })
}

func placeOf(s *store.View, l *locks.Lock, key string) int {
	if c := s.Claim(key); c != nil {
		return l.Place(c)
	}
	return -1
}

// Chosen returns the claim under the cursor, nil if there is none.
func (p *QueuePane) Chosen(s *store.View) *locks.Claim {
	l := s.Lock(p.Lock)
	if l == nil {
		return nil
	}
	if p.Pick.Pinned {
		if c := s.Claim(p.Pick.ID); c != nil && l.Place(c) >= 0 {
			return c
		}
	}
	return l.Head()
}

// target is the claim under the cursor.
func (p *QueuePane) target(f Frame) Target {
	var t Target
	if t.Lock = f.S.Lock(p.Lock); t.Lock != nil {
		t.Claim = p.Chosen(f.S)
	}
	return t
}

// click selects the claim at a line, and says whether there is one.
func (p *QueuePane) click(s *store.View, x, y int) (i int, row bool) {
	l := s.Lock(p.Lock)
	if l == nil {
		return -1, false
	}
	if i, row = p.Table.Pick(x, y-1, l.Len()); i >= 0 { // the first line is the title
		p.move(s, i)
	}
	return i, row
}

// move puts the cursor at a place of the queue.
func (p *QueuePane) move(s *store.View, i int) {
	if l := s.Lock(p.Lock); l != nil {
		p.Pick.Move(i, l.Len(), func(i int) string { return l.At(i).Key })
	}
}

func claimRow(f table.View, l *locks.Lock, i int, r *table.Row) {
	c := l.At(i)
	f.Sees(c)
	ClaimCells.Row(f, fields.At(f.S, l, f.Now, c, i+1, l.WaitsFor(c)), r)
}

func waitingText(th *draw.Theme, who string, room int) string {
	if text := th.Say("behind", model.Verbatim(who)); draw.Width(text) <= room {
		return text
	}
	return th.CutKey(who, room)
}

// noteLeast is how many cells the column of notes has in any case, noteCells how many are its own at
// most where one says more.
const (
	noteLeast = 20
	noteCells = 32
)

// noteIn is what there is to say of a claim besides, in so many cells: a finding about it, and the other
// locks in which its lease stands. Where both have no room there is only a sign of the finding, which
// stands above.
func noteIn(th *draw.Theme, f table.View, c *fields.Claim, room int) (draw.Style, string) {
	x := status.Worst(f.S, c.L, c.Claim)
	if x == nil || x.Severity == model.SevInfo {
		return draw.Dim, sideNote(th, c.L, c.Claim)
	}
	st, sign := th.Severity(x.Severity)
	text := sign + " " + th.Problem(x)
	if left, ok := c.LeaseInfo().Remaining(f.Now); ok && x.Code == model.CodeDeadWaiter && c.Role != model.RoleHolds {
		text += th.Say("idles-up-to", left)
	}
	if also := sideNote(th, c.L, c.Claim); also != "" {
		if whole := text + th.Say("comma") + also; draw.Width(whole) <= room || draw.Width(sign+" "+also) > room {
			text = whole
		} else {
			text = sign + " " + also
		}
	}
	return st, text
}

// sideNote names the other locks in which the lease of a claim stands.
func sideNote(th *draw.Theme, l *locks.Lock, c *locks.Claim) string {
	lease := c.LeaseInfo()
	if lease == nil {
		return ""
	}
	all := lease.Claims()
	var said []model.Message
	for _, o := range all[:min(len(all), AlsoMax)] {
		other := o.Lock()
		if o == c || other == nil || other == l {
			continue
		}
		if len(said) == 2 {
			break
		}
		name := model.Verbatim(th.CutPath(th.Clean(other.Name), 24))
		switch status.Role(other, o) {
		case model.RoleMember:
			said = append(said, model.Say("stands-in", name))
		case model.RoleHolds:
			said = append(said, model.Say("holds-lock", name))
		default:
			said = append(said, model.Say("waits-for", name))
		}
	}
	if len(said) == 0 {
		return ""
	}
	if more := len(all) - 1 - len(said); more > 0 {
		return th.Say("also-more", said, more)
	}
	return th.Say("also", said)
}
