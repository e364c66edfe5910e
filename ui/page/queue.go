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
	beside   int  // lines of those who believe that they hold and have no key, above the rows

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
	}
}

// lanesRows is how many lanes of h lines are shown at most.
func lanesRows(h int) int { return max(3, h/4) }

// lines returns the lines of the pane, its title included; with lanes if timed. While the
// keyboard is elsewhere and no claim was chosen, the lanes say what the queue would.
func (p *QueuePane) lines(f Frame, w, h int, focused, timed bool) []string {
	l := f.S.Lock(p.Lock)
	p.factsAt = 0
	switch {
	case l == nil && p.whole && p.Lock != "": // it has been free for so long that it is forgotten
		title := append(f.Before(w), draw.Strong.Of(f.Th.CutPath(f.Th.Clean(p.Lock), 48)))
		return draw.Fill([]string{f.Th.Ruler(w, title...), f.Th.Line(w, []draw.Span{draw.Plain.Of("  " + f.Th.Say("nobody-for-long"))}, nil)}, w, h)
	case l == nil:
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
	if facts > 1 { // not a title alone
		p.factsAt = len(lines)
		lines = append(lines, p.history(f, l, w, facts, timed)...)
	}
	return draw.Fill(lines, w, h)
}

// need is how many lines a queue takes: those of its claims, its titles, and a blank one before lanes where
// there is room. It grows at once, and gives back only what many left, so that nothing below moves with each who
// goes and comes again.
func (p *QueuePane) need(f Frame, l *locks.Lock, timed bool) int {
	if n := l.Len() + len(believersOf(f, l)); n > p.rows || n+queueStep <= p.rows {
		p.rows = n
	}
	if f.Height >= TallFrom && timed { // what happened has a blank line of its own
		return p.rows + 2
	}
	return p.rows + 1
}

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
	believers := believersOf(f, l)
	if believers = believers[:max(0, min(len(believers), h-1-min(l.Len(), claimsLeast)))]; len(believers) > 0 {
		h -= len(believers)
	}
	p.beside = len(believers)
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
	p.Table.Row.F = f.View
	for _, c := range believers {
		lines = append(lines, p.Table.Aside(func(title model.MessageID, r *table.Row) { believerCell(f, c, title, r) }))
	}
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
	y-- // the first line is the title
	if y > 0 {
		y -= p.beside
		if y <= 0 {
			return -1, false
		}
	}
	if i, row = p.Table.Pick(x, y, l.Len()); i >= 0 {
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
