package ui

import (
	"slices"
	"strconv"
	"strings"

	"locktop/model"
)

// labPart is one of the lists of the Lab page.
type labPart int

const (
	partMembers labPart = iota
	partFaults
	partContenders
	partClients
	partCount
)

// labPage shows the lab: members, faults in force, and the contenders with what
// they believe beside what etcd says.
type labPage struct {
	usual
	parts [partCount]section
	has   labPart // the list that has the keyboard
	rows  labRows
}

// section is one list of the page: a table with a selection.
type section struct {
	table table
	pick  selection
	ids   []string
	y     int // the line of the page at which its table begins
}

// labRows are what the lists show.
type labRows struct {
	members    []model.Member
	faults     []model.FaultOn
	contenders []model.ContenderInfo
	clients    []model.ClientInfo
}

func newLabPage() *labPage {
	p := &labPage{has: partContenders}
	p.parts[partMembers].table = newTable(memberCells.columns(), true)
	p.parts[partFaults].table = newTable(faultCells.columns(), false)
	p.parts[partContenders].table = newTable(contenderCells.columns(), true)
	p.parts[partClients].table = newTable(clientCells.columns(), false)
	return p
}

// look takes in what there is now. Every list keeps its selection.
func (p *labPage) look(s *model.State) {
	p.rows = labRows{members: downFirst(s.Cluster().Members), faults: s.Faults(), contenders: s.Contenders(), clients: s.Clients()}
	follow(&p.parts[partMembers], p.rows.members, memberName)
	follow(&p.parts[partFaults], p.rows.faults, func(x model.FaultOn) string { return strconv.Itoa(x.ID) })
	follow(&p.parts[partContenders], p.rows.contenders, func(c model.ContenderInfo) string { return c.Name })
	follow(&p.parts[partClients], p.rows.clients, func(c model.ClientInfo) string { return c.Name })
}

func follow[T any](s *section, rows []T, id func(T) string) {
	s.ids = s.ids[:0]
	for _, r := range rows {
		s.ids = append(s.ids, id(r))
	}
	s.pick.follow(len(s.ids), func(id string) int { return slices.Index(s.ids, id) }, s.id)
}

func (s *section) id(i int) string { return s.ids[i] }

// focus returns the list that has the keyboard. One that is empty has not.
func (p *labPage) focus() labPart {
	if len(p.parts[p.has].ids) == 0 {
		return partContenders
	}
	return p.has
}

// turn gives the keyboard to the next list that is not empty.
func (p *labPage) turn(s *model.State, by int) {
	p.look(s)
	at := p.focus()
	for range partCount {
		at = (at + labPart(by) + partCount) % partCount
		if len(p.parts[at].ids) > 0 {
			p.has = at
			return
		}
	}
}

// Move moves the cursor of the list that has the keyboard.
func (p *labPage) Move(f frame, n int) {
	p.look(f.s)
	x := &p.parts[p.focus()]
	x.pick.move(x.pick.place+n, len(x.ids), x.id)
}

// Click selects what stands at a line of the page.
func (p *labPage) Click(f frame, _, y int) {
	p.look(f.s)
	for part := range p.parts {
		x := &p.parts[part]
		if i := x.table.at(y-x.y, len(x.ids)); x.y >= 0 && i >= 0 {
			p.has = labPart(part)
			x.pick.move(i, len(x.ids), x.id)
		}
	}
}

// contender returns the contender under the cursor.
func (p *labPage) contender(s *model.State) (model.ContenderInfo, bool) {
	p.look(s)
	if len(p.rows.contenders) == 0 {
		return model.ContenderInfo{}, false
	}
	return p.rows.contenders[p.parts[partContenders].pick.place], true
}

// fault returns the fault under the cursor of its list.
func (p *labPage) fault(s *model.State) (model.FaultOn, bool) {
	p.look(s)
	if len(p.rows.faults) == 0 {
		return model.FaultOn{}, false
	}
	return p.rows.faults[p.parts[partFaults].pick.place], true
}

// onePartBelow is the height below which one list at a time is shown.
const onePartBelow = 13

// Paint returns the lines of the page.
func (p *labPage) Paint(f frame, w, h int) []string {
	if !f.lab {
		return fill(noLabLines(f, w), w, h)
	}
	p.look(f.s)
	for i := range p.parts {
		p.parts[i].y = -1
	}
	rooms := p.share(h)
	var lines []string
	for part, room := range rooms {
		if part == int(partFaults) && room == 0 && h >= onePartBelow {
			lines = append(lines, f.th.ruler(w, span{dim, "no fault is in force: "}, span{accent, "F"}, span{dim, " does one to what is selected"}))
		}
		if room == 0 {
			continue
		}
		lines = append(lines, f.th.ruler(w, p.title(f.th, labPart(part), room)...))
		if part == int(partMembers) && h >= onePartBelow && len(f.endpoints) > 0 {
			env := "export ETCDCTL_ENDPOINTS=" + strings.Join(f.endpoints, ",")
			env = f.th.clean(env)
			hint := []span{{dim, "point any etcdctl here"}}
			if 2+width(env)+2+width(hint[0].text) > w { // a line to paste is worth more in full
				hint = nil
			}
			lines = append(lines, f.th.line(w, []span{{dim, "  "}, {plain, env}}, hint))
		}
		lines = p.list(lines, f, labPart(part), w, room)
	}
	return fill(lines, w, h)
}

// share says how many lines each list has, its ruler excepted: the contenders get
// what the others leave.
func (p *labPage) share(h int) [partCount]int {
	var rooms [partCount]int
	if h < onePartBelow {
		rooms[p.focus()] = max(0, h-1)
		return rooms
	}
	rest := h - 1 // the line with the endpoints
	for part, most := range map[labPart]int{partMembers: h / 4, partFaults: h / 6, partClients: h / 8} {
		x := &p.parts[part]
		n := max(1, min(len(x.ids), most))
		if x.table.header && len(x.ids) > 0 {
			n++
		}
		if len(x.ids) == 0 && part != partMembers {
			if part == partFaults {
				rest-- // one line says that there is none
			}
			continue
		}
		rooms[part] = n
		rest -= n + 1
	}
	rooms[partContenders] = max(0, rest-1)
	return rooms
}

// title is the ruler over a list: what it is, and how much of it is not shown.
func (p *labPage) title(th *theme, part labPart, room int) []span {
	x := &p.parts[part]
	var t []span
	switch part {
	case partMembers:
		t = p.named(part, "cluster")
	case partFaults:
		t = append(p.named(part, "faults"), span{plain, " "}, span{alarm, " " + strconv.Itoa(len(x.ids)) + " in force "}, span{plain, " "},
			span{accent, "U"}, span{plain, " heals the marked one  "}, span{accent, "A"}, span{plain, " heals all"})
	case partClients:
		t = append(p.named(part, "other clients"), span{dim, " at the endpoints above"})
	case partContenders:
		t = append(p.named(part, "contenders"), span{dim, " what they believe beside what etcd says"})
	}
	if x.table.header {
		room--
	}
	if hidden := len(x.ids) - room; hidden > 0 {
		t = append(t, span{late, "  " + th.sign.dwn + " " + strconv.Itoa(room) + " of " + strconv.Itoa(len(x.ids))})
	}
	return t
}

// named is the name of a list, in brackets if it has the keyboard.
func (p *labPage) named(part labPart, name string) []span {
	if part == p.focus() {
		return []span{{accent, "[" + name + "]"}}
	}
	return []span{{strong, name}}
}

// nothingIn says why a list is empty.
func nothingIn(part labPart) []span {
	switch part {
	case partMembers:
		return []span{{dim, "  no member has answered yet"}}
	}
	return []span{{dim, "  no contender runs: "}, {accent, "N"}, {dim, " spawns one"}}
}

func (p *labPage) list(lines []string, f frame, part labPart, w, h int) []string {
	x := &p.parts[part]
	if len(x.ids) == 0 {
		return fill(append(lines, f.th.line(w, nothingIn(part), nil)), w, len(lines)+h)
	}
	x.y = len(lines)
	x.table.fit(w, h, f.th)
	x.table.reveal(x.pick.place, len(x.ids))
	if x.table.header {
		lines = append(lines, x.table.head(sortNone, false))
	}
	l := look{cursor: x.pick.place, keys: part == p.focus()}
	if !l.keys && part != partFaults { // U heals the marked fault wherever the keyboard is
		l.cursor = -1
	}
	return x.table.paint(lines, len(x.ids), l, x.id, func(i int, r *row) { p.fill(f, part, i, r) })
}

func (p *labPage) fill(f frame, part labPart, i int, r *row) {
	switch part {
	case partMembers:
		memberCells.row(f.view, p.rows.members[i], r)
	case partFaults:
		faultCells.row(f.view, p.rows.faults[i], r)
	case partClients:
		clientCells.row(f.view, p.rows.clients[i], r)
	case partContenders:
		contenderRow(f, p.rows.contenders[i], r)
	}
}
