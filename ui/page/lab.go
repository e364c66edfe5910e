package page

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/reports"
	"locktop/ui/draw"
	"locktop/ui/table"
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
	Usual
	parts [partCount]section
	has   labPart // the list that has the keyboard
	lab   bool    // it shows a lab, and not a cluster of others
	rows  labRows
	// noted: there was something to say of a contender, which has lasted since then: its column stays, so that
	// nothing jumps.
	noted bool
	since time.Time
}

// section is one list of the page: a table with a selection.
type section struct {
	table table.Table
	pick  Selection
	ids   []string
	y     int // the line of the page at which its table begins
}

// labRows are what the lists show.
type labRows struct {
	members    []model.Member
	faults     []model.FaultOn
	contenders []reports.ContenderInfo
	clients    []reports.ClientInfo
}

func newLab(lab bool) Page {
	p := &labPage{has: partContenders, lab: lab}
	p.parts[partMembers].table = table.New(MemberCells.Columns(), true)
	p.parts[partFaults].table = table.New(FaultCells.Columns(), false)
	p.parts[partContenders].table = table.New(ContenderCells.Columns(), true)
	p.parts[partClients].table = table.New(ClientCells.Columns(), false)
	return p
}

// look takes in what there is now. Every list keeps its selection.
func (p *labPage) look(f Frame) {
	s := f.S
	p.rows = labRows{members: downFirst(s.Cluster().Members), faults: s.Reports().Faults(), contenders: wrongFirst(s.Reports().Contenders(), f), clients: s.Reports().Clients()}
	follow(&p.parts[partMembers], p.rows.members, memberName)
	p.parts[partMembers].table.Claim("title-answer", answerCells(f, p.rows.members))
	follow(&p.parts[partFaults], p.rows.faults, func(x model.FaultOn) string { return strconv.Itoa(x.ID) })
	follow(&p.parts[partContenders], p.rows.contenders, func(c reports.ContenderInfo) string { return c.Name })
	p.note(f)
	p.parts[partContenders].table.Speaks(titleOfNotes, p.noted)
	follow(&p.parts[partClients], p.rows.clients, func(c reports.ClientInfo) string { return c.Name })
}

// note gives what there is to say of contenders a column, once that lasts longer than a handover.
func (p *labPage) note(f Frame) {
	switch {
	case p.noted:
	case !slices.ContainsFunc(p.rows.contenders, func(c reports.ContenderInfo) bool { return noteworthy(f, c) }):
		p.since = time.Time{}
	case p.since.IsZero():
		p.since = f.Now
	}
	p.noted = p.noted || !p.since.IsZero() && f.Now.Sub(p.since) >= doubtAfter || slices.ContainsFunc(p.rows.contenders, func(c reports.ContenderInfo) bool { return f.Uncertain.Alarming(c.Name, f.Now) })
}

// lockCells is how wide the locks of contenders are, within bounds: on a narrow screen what is beside
// them is worth more than a name in full.
func lockCells(f Frame, all []reports.ContenderInfo, w int) int {
	n := 12
	for _, c := range all {
		n = max(n, draw.Width(f.Th.Clean(c.Lock)))
	}
	if w < namedFrom {
		return min(n, 13)
	}
	return min(n, lockMost)
}

// contenderCells is how wide the names of contenders are.
func contenderCells(f Frame, all []reports.ContenderInfo) (n int) {
	for _, c := range all {
		n = max(n, draw.Width(f.Th.Clean(c.Name)))
	}
	return n
}

func follow[T any](s *section, rows []T, id func(T) string) {
	s.ids = s.ids[:0]
	for _, r := range rows {
		s.ids = append(s.ids, id(r))
	}
	s.pick.Follow(len(s.ids), func(id string) int { return slices.Index(s.ids, id) }, s.id)
}

func (s *section) id(i int) string { return s.ids[i] }

// focused returns the list that has the keyboard. One that is empty has not.
func (p *labPage) focused() labPart {
	switch {
	case len(p.parts[p.has].ids) > 0:
		return p.has
	case len(p.parts[partContenders].ids) == 0 && len(p.parts[partMembers].ids) > 0:
		return partMembers
	}
	return partContenders
}

// turn gives the keyboard to the next list that is not empty.
func (p *labPage) turn(f Frame, by int) {
	p.look(f)
	at := p.focused()
	for range partCount {
		at = (at + labPart(by) + partCount) % partCount
		if len(p.parts[at].ids) > 0 {
			p.has = at
			return
		}
	}
}

// Move moves the cursor of the list that has the keyboard.
func (p *labPage) Move(f Frame, n int) {
	p.look(f)
	x := &p.parts[p.focused()]
	x.pick.Move(x.pick.Place+n, len(x.ids), x.id)
}

// Click selects what stands at a line of the page.
func (p *labPage) Click(f Frame, at, y int) (row bool) {
	p.look(f)
	for part := range p.parts {
		x := &p.parts[part]
		if x.y < 0 {
			continue
		}
		if i, is := x.table.Pick(at, y-x.y, len(x.ids)); i >= 0 {
			p.has = labPart(part)
			x.pick.Move(i, len(x.ids), x.id)
			row = is
		}
	}
	return row
}

// contender returns the contender under the cursor.
func (p *labPage) contender(f Frame) (reports.ContenderInfo, bool) {
	p.look(f)
	if len(p.rows.contenders) == 0 {
		return reports.ContenderInfo{}, false
	}
	return p.rows.contenders[p.parts[partContenders].pick.Place], true
}

// Fault returns the fault under the cursor of its list.
func (p *labPage) Fault(f Frame) (model.FaultOn, bool) {
	p.look(f)
	if len(p.rows.faults) == 0 {
		return model.FaultOn{}, false
	}
	return p.rows.faults[p.parts[partFaults].pick.Place], true
}

// onePartBelow is the height below which one list at a time is shown.
const onePartBelow = 13

// Paint returns the lines of the page.
func (p *labPage) Paint(f Frame, w, h int) []string {
	if !f.Lab {
		return p.cluster(f, w, h)
	}
	p.look(f)
	p.parts[partContenders].table.Claim("title-lock", lockCells(f, p.rows.contenders, w))
	p.parts[partContenders].table.Bound("title-name", contenderCells(f, p.rows.contenders))
	for i := range p.parts {
		p.parts[i].y = -1
	}
	rooms := p.share(h)
	apart := 0 // blank lines between the lists, where all have room
	if spare := rooms[partContenders] - len(p.rows.contenders) - 1; spare >= int(partCount) {
		apart = 1
		rooms[partContenders] -= int(partCount)
	}
	if spare := rooms[partContenders] - len(p.rows.contenders) - 1; spare > spareFrom {
		rooms[partContenders] -= spare
	}
	var lines []string
	gap := func() {
		for i := 0; i < apart && len(lines) > 0; i++ {
			lines = append(lines, draw.Blank(w))
		}
	}
	for part, room := range rooms {
		if part == int(partFaults) && room == 0 && h >= onePartBelow {
			gap()
			lines = append(lines, f.Th.Ruler(w, draw.Dim.Of(f.Th.Say("no-active-faults")+" "), draw.Accent.Of("F"), draw.Dim.Of(" "+f.Th.Say("breaks-the-selected-item"))))
		}
		if room == 0 {
			continue
		}
		gap()
		lines = append(lines, f.Th.Ruler(w, p.title(f.Th, labPart(part), room)...))
		if part == int(partMembers) && h >= onePartBelow && len(f.Endpoints) > 0 {
			env := "export ETCDCTL_ENDPOINTS=" + strings.Join(f.Endpoints, ",")
			env = f.Th.Clean(env)
			hint := []draw.Span{draw.Dim.Of(f.Th.Say("use-it-from-any-shell") + " ")}
			if 2+draw.Width(env)+2+draw.Width(hint[0].Text) > w { // a line to paste is worth more in full
				hint = nil
			}
			lines = append(lines, f.Th.Line(w, []draw.Span{draw.Dim.Of("  "), draw.Plain.Of(env)}, hint))
		}
		lines = p.list(lines, f, labPart(part), w, room)
	}
	return draw.Fill(fillWith(lines, f, []draw.Span{draw.Dim.Of(f.Th.Say("what-happened-all"))}, f.FactsOfAll, true, w, h-len(lines)), w, h)
}

// share says how many lines each list has, its ruler excepted: the contenders get
// what the others leave.
func (p *labPage) share(h int) [partCount]int {
	var rooms [partCount]int
	if h < onePartBelow {
		rooms[p.focused()] = max(0, h-1)
		return rooms
	}
	rest := h - 1 // the line with the endpoints
	for part, most := range map[labPart]int{partMembers: h / 4, partFaults: h / 6, partClients: h / 8} {
		x := &p.parts[part]
		n := max(1, min(len(x.ids), most))
		if x.table.Header && len(x.ids) > 0 {
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
func (p *labPage) title(th *draw.Theme, part labPart, room int) []draw.Span {
	x := &p.parts[part]
	var t []draw.Span
	switch part {
	case partMembers:
		t = p.named(part, th.Say("cluster"))
	case partFaults:
		t = append(p.named(part, th.Say("faults")), draw.Plain.Of(" "), draw.Alarm.Of(" "+th.Say("faults-active", len(x.ids))+" "), draw.Plain.Of(" "),
			draw.Accent.Of("U"), draw.Plain.Of(" "+th.Say("heals-the-selected-fault")+"  "), draw.Accent.Of("A"), draw.Plain.Of(" "+th.Say("heals-all")))
	case partClients:
		t = append(p.named(part, th.Say("other-clients")), draw.Dim.Of(" "+th.Say("at-the-endpoints-above")))
	case partContenders:
		t = append(p.named(part, th.Say("contenders")), draw.Dim.Of(" "+th.Say("clients-view-beside-etcds")))
	}
	if x.table.Header {
		room--
	}
	if hidden := len(x.ids) - room; hidden > 0 {
		t = append(t, draw.Late.Of("  "+th.Sign.Dwn+" "+th.Say("of", room, len(x.ids))))
	}
	return t
}

// named is the name of a list, muted where it has not the keyboard.
func (p *labPage) named(part labPart, name string) []draw.Span {
	if part == p.focused() {
		return []draw.Span{draw.Strong.Of(name)}
	}
	return []draw.Span{draw.Dim.Of(name)}
}

// nothingIn says why a list is empty.
func nothingIn(th *draw.Theme, part labPart) []draw.Span {
	switch part {
	case partMembers:
		return []draw.Span{draw.Dim.Of("  " + th.Say("no-member-has-answered-yet"))}
	}
	return []draw.Span{draw.Dim.Of("  " + th.Say("no-contender-runs-yet") + " "), draw.Accent.Of("N"), draw.Dim.Of(" " + th.Say("adds-one"))}
}

func (p *labPage) list(lines []string, f Frame, part labPart, w, h int) []string {
	x := &p.parts[part]
	if len(x.ids) == 0 {
		return draw.Fill(append(lines, f.Th.Line(w, nothingIn(f.Th, part), nil)), w, len(lines)+h)
	}
	x.y = len(lines)
	x.table.Fit(w, h, f.Th)
	x.table.Reveal(x.pick.Place, len(x.ids))
	if x.table.Header {
		lines = append(lines, x.table.Head(table.SortNone, false))
	}
	l := table.Look{Cursor: x.pick.Place, Keys: part == p.focused()}
	if !l.Keys && part != partFaults { // U heals the marked fault wherever the keyboard is
		l.Cursor = -1
	}
	return x.table.Paint(lines, len(x.ids), l, x.id, func(i int, r *table.Row) { p.fill(f, part, i, r) })
}

func (p *labPage) fill(f Frame, part labPart, i int, r *table.Row) {
	switch part {
	case partMembers:
		MemberCells.Row(f.View, p.rows.members[i], r)
	case partFaults:
		FaultCells.Row(f.View, p.rows.faults[i], r)
	case partClients:
		ClientCells.Row(f.View, p.rows.clients[i], r)
	case partContenders:
		contenderRow(f, p.rows.contenders[i], r)
	}
}
