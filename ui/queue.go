package ui

import (
	"strconv"

	"locktop/model"
)

var queueColumns = []column{
	{title: "#", least: 3, fair: 4, most: 6, rank: 1, right: true},
	{title: "ROLE", least: 8, most: 8},
	{title: "WHO", least: 9, fair: 16, most: 34, rank: 2},
	{title: "KEY", least: 11, fair: 18, most: 40, rank: 7},
	{title: "CREATED", least: 9, fair: 11, most: 14, rank: 9, right: true},
	{title: "LEASE", least: 17, fair: 25, most: 25, rank: 3},
	{title: "SINCE", least: 6, fair: 7, most: 7, rank: 4, right: true},
	{title: "WAITS FOR", least: 11, fair: 16, most: 28, rank: 5},
	{title: "ALSO", least: 20, most: 60, rank: 8},
}

// queuePanel shows the queue of one lock and, as far as there is room, what
// happened to it last.
type queuePanel struct {
	table table
	lock  string
	pick  pick
}

func newQueuePanel() *queuePanel { return &queuePanel{table: newTable(queueColumns, true)} }

// show sets the lock whose queue is shown.
func (p *queuePanel) show(lock string) {
	if p.lock != lock {
		p.lock, p.pick, p.table.top = lock, pick{}, 0
	}
}

// Render returns the lines of the pane, its title included.
func (p *queuePanel) Render(f frame, w, h int, focused bool) []string {
	l := f.s.Lock(p.lock)
	if l == nil {
		return fill([]string{f.th.ruler(w, span{dim, "queue"})}, w, h)
	}
	lines := []string{f.th.ruler(w, p.title(f, l)...)}
	rows, facts := shares(h - 1)
	lines = p.queue(lines, f, l, w, rows, focused)
	if facts > 0 {
		lines = append(lines, f.th.ruler(w, span{dim, "journal of this lock"}))
		lines = lastFacts(lines, f, l.Facts(), w, facts-1)
	}
	return fill(lines, w, h)
}

// shares divides h lines between the queue and the journal of the lock with its
// title, by the height alone: a queue that grows moves nothing.
func shares(h int) (queue, journal int) {
	if h >= 8 {
		journal = min(h*2/5, 12)
	}
	return h - journal, journal
}

// fill makes it h lines.
func fill(lines []string, w, h int) []string {
	for len(lines) < h {
		lines = append(lines, string(pad(nil, w)))
	}
	return lines[:max(0, h)]
}

func (p *queuePanel) title(f frame, l *model.Lock) []span {
	v := f.th.judge(l)
	t := []span{{strong, f.th.cutPath(f.th.clean(l.Name), 48)}, {plain, " "}, {dim, l.Recipe().Name + " "},
		{v.st, v.sign + " " + v.word}}
	if text := outlook(l, v, f.now); text != "" {
		t = append(t, span{plain, " " + text})
	}
	if next := l.At(1); next != nil && v.trouble() {
		t = append(t, span{plain, ", next is " + f.th.cut(f.th.who(f.s, next.Ref()), 20)})
	}
	if n := l.Behind(); n > 0 {
		t = append(t, span{dim, " " + f.th.sign.dot + " " + strconv.Itoa(n) + " behind"})
	}
	if l.Handovers > 0 {
		t = append(t, span{dim, " " + f.th.sign.dot + " " + plural(l.Handovers, "handover") + " seen"})
	}
	return t
}

func (p *queuePanel) queue(lines []string, f frame, l *model.Lock, w, h int, focused bool) []string {
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
	return p.table.paint(lines, l.Len(), look, id, func(i int, r *row) { claimRow(f, l, i, r) })
}

func placeOf(s *model.State, l *model.Lock, key string) int {
	if c := s.Claim(key); c != nil {
		return l.Place(c)
	}
	return -1
}

// chosen returns the claim under the cursor, nil if there is none.
func (p *queuePanel) chosen(s *model.State) *model.Claim {
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

// move puts the cursor at a place of the queue.
func (p *queuePanel) move(s *model.State, i int) {
	if l := s.Lock(p.lock); l != nil {
		p.pick.move(i, l.Len(), func(i int) string { return l.At(i).Key })
	}
}

func claimRow(f frame, l *model.Lock, i int, r *row) {
	th, c := f.th, l.At(i)
	f.sees(c)
	r.cell(dim, strconv.Itoa(i+1))
	st, sign, word := th.role(l, c, i)
	r.cell(st, sign+" "+word)
	identity(f, c, r)
	r.cell(plain, th.cutKey(th.clean(c.Key), r.room()))
	r.cell(dim, count(c.CreateRev))
	th.leaseCell(r, c.LeaseInfo(), f.now)
	d, atLeast := c.Waited(f.now)
	if i == 0 {
		d, atLeast = l.HeldFor(f.now)
	}
	r.cell(plain, age(d, atLeast))
	if ahead := l.WaitsFor(c); ahead != nil {
		r.cell(dim, th.behind(th.who(f.s, ahead.Ref()), r.room()))
	} else {
		r.end()
	}
	if r.room() > 0 {
		r.add(dim, th.also(f.s, l, c))
	}
	r.end()
}

func (th *theme) behind(who string, room int) string {
	if text := "behind " + who; width(text) <= room {
		return text
	}
	return th.cut(who, room)
}

// role says what a key is in the queue of a lock.
func (th *theme) role(l *model.Lock, c *model.Claim, i int) (style, string, string) {
	switch {
	case !l.IsClaim(c) && i == 0:
		return bad, th.sign.bad, "blocks"
	case !l.IsClaim(c):
		return bad, th.sign.bad, "no claim"
	case i == 0:
		return good, th.sign.holds, "holds"
	}
	v := th.judgeLease(c.LeaseInfo())
	if v.trouble() {
		return v.st, th.sign.waits, "waits " + v.sign
	}
	return waiting, th.sign.waits, "waits"
}

// identity fills in who a claim belongs to, and how that is known.
func identity(f frame, c *model.Claim, r *row) {
	id := f.s.Identity(brief(c.Ref()))
	if id.Text == "" {
		r.cell(dim, f.th.tame("lease "+c.KV.Lease.Short()))
		return
	}
	text := f.th.tame(id.Text)
	source := " (" + id.Source + ")"
	if room := r.room(); width(text)+len(source) > room {
		source = ""
		text = f.th.cut(text, room)
	}
	r.add(plain, text)
	r.add(dim, source)
	r.end()
}

// alsoMax bounds how many other claims of a lease are looked at for one row.
const alsoMax = 32

// also names the other locks in which the lease of a claim stands.
func (th *theme) also(s *model.State, l *model.Lock, c *model.Claim) string {
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
		if other.Head() == o {
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

// lastFacts appends the newest h facts, newest last.
func lastFacts(lines []string, f frame, facts []*model.Fact, w, h int) []string {
	for _, fact := range facts[max(0, len(facts)-h):] {
		sign, st := f.th.factSign(fact)
		lines = append(lines, f.th.line(w, []span{
			{dim, "  " + clock(fact.At)[:8] + " "}, {st, sign + " "}, {plain, f.th.sentence(f.s, fact)}}, nil))
	}
	return lines
}
