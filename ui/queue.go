package ui

import (
	"strconv"

	"locktop/model"
	"locktop/ui/fields"
)

// claimCells are the columns of a queue.
var claimCells = cellsOf(fields.Claims, map[string]func(*row, *fields.Claim){
	"#": func(r *row, x *fields.Claim) { r.add(dim, strconv.Itoa(x.Position)) },
	"ROLE": func(r *row, x *fields.Claim) {
		st, sign, word := roleLook(r.f.th, x.L, x.Claim, x.Position-1)
		r.add(st, sign+" "+word)
	},
	"WHO":     func(r *row, x *fields.Claim) { identity(r, x.Claim) },
	"KEY":     func(r *row, x *fields.Claim) { r.add(plain, r.f.th.cutKey(r.f.th.clean(x.Key), r.room())) },
	"CREATED": func(r *row, x *fields.Claim) { r.add(dim, count(x.CreateRev)) },
	"LEASE":   func(r *row, x *fields.Claim) { r.lease(x.LeaseInfo(), x.Now) },
	"SINCE": func(r *row, x *fields.Claim) {
		d, atLeast := x.Waited(x.Now)
		if x.Position == 1 && x.L.Recipe().HasHolder {
			d, atLeast = x.L.HeldFor(x.Now)
		}
		r.add(plain, age(d, atLeast))
	},
	"WAITS FOR": func(r *row, x *fields.Claim) {
		if x.Ahead != nil {
			r.add(dim, behind(r.f.th, r.f.th.who(x.S, x.Ahead.Ref()), r.room()))
		}
	},
	"NOTE": func(r *row, x *fields.Claim) {
		if r.room() > 0 {
			r.add(note(r.f.th, r.f, x))
		}
	},
}, nil)

// queuePane shows the queue of one lock and, as far as there is room, what happened to
// it last. Two pages show it: as their whole, and under a table.
type queuePane struct {
	table table
	lock  string
	pick  selection
}

func newQueuePane() *queuePane { return &queuePane{table: newTable(claimCells.columns(), true)} }

// show sets the lock whose queue is shown.
func (p *queuePane) show(lock string) {
	if p.lock != lock {
		p.lock, p.pick, p.table.top = lock, selection{}, 0
	}
}

// lanesRows is how many lanes of h lines are shown at most.
func lanesRows(h int) int { return max(3, h/5) }

// lines returns the lines of the pane, its title included; with lanes if there is
// room for them and the lab tells of any.
func (p *queuePane) lines(f frame, w, h int, focused, timed bool) []string {
	l := f.s.Lock(p.lock)
	if l == nil {
		return fill([]string{f.th.ruler(w, span{dim, "queue"})}, w, h)
	}
	lines := []string{f.th.ruler(w, p.title(f, l, w)...)}
	var past lanes
	if timed && laneCell(w-laneName-4) > 0 {
		past = lanesOf(f.s, l.Name, f.now, lanesRows(h))
	}
	rows, rest := shares(h - 1 - past.height())
	lines = p.queue(lines, f, l, w, rows, focused)
	if past.height() > 0 {
		lines = past.lines(lines, f.view, w)
	}
	why, facts := whyShares(f.th, l.Findings(), w, rest)
	if why > 0 {
		lines = whyPane(f.th, lines, l.Findings(), w, why)
	}
	if facts > 0 {
		lines = append(lines, f.th.ruler(w, span{dim, "journal of this lock"}))
		lines = lastFacts(lines, f, l.Journal(), w, facts-1)
	}
	return fill(lines, w, h)
}

// underFrom is the height from which half of what is more goes under the queue.
const underFrom = 40

// shares divides h lines between the queue and what stands under it, by the
// height alone: a queue that grows moves nothing.
func shares(h int) (queue, under int) {
	if h >= 8 {
		under = min(h/2, 16) + max(0, h-underFrom)/2
	}
	return h - under, under
}

// title says of the lock what fits into w cells, part by part.
func (p *queuePane) title(f frame, l *model.Lock, w int) []span {
	th := f.th
	c := l.Condition()
	t := []span{{strong, th.cutPath(th.clean(l.Name), 48)}}
	w -= 6 + width(t[0].text)
	part := func(spans ...span) {
		n := 3
		for _, sp := range spans {
			n += width(sp.text)
		}
		if w -= n; w >= 0 {
			t = append(append(t, span{rule, " " + th.sign.line + " "}), spans...)
		}
	}
	if name := l.Recipe().Name; name != "" {
		part(span{dim, name})
	}
	part(th.says(c))
	if text := outlook(l, c, f.now); text != "" {
		part(span{plain, text})
	}
	if next := l.At(1); next != nil && c.Trouble() && l.Behind() > 0 {
		part(span{plain, "next is " + th.cut(th.who(f.s, next.Ref()), 20)})
	}
	if n := l.Behind(); n > 0 {
		part(span{dim, strconv.Itoa(n) + " behind"})
	}
	st := l.Stats()
	if st.Handovers > 0 {
		part(span{dim, "handovers " + count(int64(st.Handovers))})
	}
	if st.Overtakes > 0 {
		part(span{late, "overtakes " + count(int64(st.Overtakes))})
	}
	if st.Waits > 0 {
		part(span{dim, "wait p50 " + model.Duration(st.WaitP50, false) + " p99 " + model.Duration(st.WaitP99, false)})
	}
	if st.Holds > 0 {
		part(span{dim, "hold p50 " + model.Duration(st.HoldP50, false)})
	}
	return t
}

func (p *queuePane) queue(lines []string, f frame, l *model.Lock, w, h int, focused bool) []string {
	if h < 1 {
		return lines
	}
	if l.Free() {
		return fill(append(lines, f.th.line(w, []span{{dim, "  nobody holds it and nobody waits"}}, nil)), w, len(lines)+h)
	}
	id := func(i int) string { return l.At(i).Key }
	p.pick.follow(l.Len(), func(key string) int { return placeOf(f.s, l, key) }, id)
	p.table.fit(w, h, f.th)
	p.table.reveal(p.pick.place, l.Len())
	lines = append(lines, p.table.head(sortNone, false))
	look := look{cursor: p.pick.place, keys: focused}
	if !focused && !p.pick.pinned {
		look.cursor = -1
	}
	return p.table.paint(lines, l.Len(), look, id, func(i int, r *row) { claimRow(f.view, l, i, r) })
}

func placeOf(s *model.State, l *model.Lock, key string) int {
	if c := s.Claim(key); c != nil {
		return l.Place(c)
	}
	return -1
}

// chosen returns the claim under the cursor, nil if there is none.
func (p *queuePane) chosen(s *model.State) *model.Claim {
	l := s.Lock(p.lock)
	if l == nil {
		return nil
	}
	if p.pick.pinned {
		if c := s.Claim(p.pick.id); c != nil && l.Place(c) >= 0 {
			return c
		}
	}
	return l.Head()
}

// target is the claim under the cursor.
func (p *queuePane) target(f frame) target {
	var t target
	if t.lock = f.s.Lock(p.lock); t.lock != nil {
		t.claim = p.chosen(f.s)
	}
	return t
}

// click selects the claim at a line, and says whether there is one.
func (p *queuePane) click(s *model.State, y int) bool {
	l := s.Lock(p.lock)
	if l == nil {
		return false
	}
	i := p.table.at(y-1, l.Len()) // the first line is the title
	if i >= 0 {
		p.move(s, i)
	}
	return i >= 0
}

// move puts the cursor at a place of the queue.
func (p *queuePane) move(s *model.State, i int) {
	if l := s.Lock(p.lock); l != nil {
		p.pick.move(i, l.Len(), func(i int) string { return l.At(i).Key })
	}
}

func claimRow(f view, l *model.Lock, i int, r *row) {
	c := l.At(i)
	f.sees(c)
	claimCells.row(f, fields.At(f.s, l, f.now, c, i+1, l.WaitsFor(c)), r)
}

func behind(th *theme, who string, room int) string {
	if text := "behind " + who; width(text) <= room {
		return text
	}
	return th.cutKey(who, room)
}

// roleLook says what a key is in the queue of a lock.
func roleLook(th *theme, l *model.Lock, c *model.Claim, i int) (style, string, string) {
	role := l.RoleAt(c, i)
	st, sign := waiting, th.sign.waits
	switch {
	case !l.Recipe().HasHolder:
		st = dim
	case role == model.RoleBlocks, role == model.RoleForeign:
		st, sign = bad, th.sign.bad
	case role == model.RoleHolds:
		st, sign = good, th.sign.holds
	default:
		if how := c.LeaseInfo().State().Condition(); how.Trouble() {
			st, trouble := th.level(how.Level)
			return st, sign, string(role) + " " + trouble
		}
	}
	return st, sign, string(role)
}

// note is what there is to say of a claim besides: a finding about it, else the
// other locks in which its lease stands.
func note(th *theme, f view, c *fields.Claim) (style, string) {
	x := c.L.Worst(c.Claim)
	if x == nil || x.Severity == model.SevInfo {
		return dim, also(th, f.s, c.L, c.Claim)
	}
	st, sign := th.severity(x.Severity)
	text := sign + " " + string(x.Code)
	if left, ok := c.LeaseInfo().Remaining(f.now); ok && x.Code == model.CodeDeadWaiter && c.Role != model.RoleHolds {
		text += ": idles up to " + strconv.FormatInt(left, 10) + "s"
	}
	if also := also(th, f.s, c.L, c.Claim); also != "" {
		text += ", " + also
	}
	return st, text
}

// identity fills in who a claim belongs to, and how that is known.
func identity(r *row, c *model.Claim) {
	th := r.f.th
	id := r.f.s.Identity(brief(c.Ref()))
	switch {
	case id.Text == "" && c.KV.Lease == 0:
		r.add(dim, "unknown")
	case id.Text == "":
		text := "lease " + c.KV.Lease.Short()
		if width(text) > r.room() {
			text = c.KV.Lease.Short()
		}
		r.add(dim, th.tame(text))
	default:
		text, source := th.tame(id.Text), " ("+id.Source+")"
		if room := r.room(); width(text)+len(source) > room {
			source, text = "", th.cut(text, room)
		}
		r.add(plain, text)
		r.add(dim, source)
	}
}

// alsoMax bounds how many other claims of a lease are looked at for one row.
const alsoMax = 32

// also names the other locks in which the lease of a claim stands.
func also(th *theme, s *model.State, l *model.Lock, c *model.Claim) string {
	lease := c.LeaseInfo()
	if lease == nil {
		return ""
	}
	all := lease.Claims()
	text, shown := "", 0
	for _, o := range all[:min(len(all), alsoMax)] {
		other := o.Lock()
		if o == c || other == nil || other == l {
			continue
		}
		if shown == 2 {
			break
		}
		shown++
		verb := "waits for "
		switch other.Role(o) {
		case model.RoleMember:
			verb = "in "
		case model.RoleHolds:
			verb = "holds "
		}
		if text != "" {
			text += ", "
		}
		text += verb + th.cutPath(th.clean(other.Name), 24)
	}
	if text == "" {
		return ""
	}
	if more := len(all) - 1 - shown; more > 0 {
		text += " +" + strconv.Itoa(more)
	}
	return "also " + text
}

// lastFacts appends the newest h entries, newest last.
func lastFacts(lines []string, f frame, facts []*model.JournalEntry, w, h int) []string {
	for _, fact := range facts[max(0, len(facts)-h):] {
		sign, st := f.th.factSign(fact)
		lines = append(lines, f.th.line(w, []span{
			{dim, "  " + factClock(fact)[:8] + " "}, {st, sign + " "}, {plain, f.th.sentence(f.s, fact)}}, nil))
	}
	return lines
}
