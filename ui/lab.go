package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
)

var memberColumns = []column{
	{title: "MEMBER", least: 6, most: 12},
	{title: "ROLE", least: 9, most: 9, rank: 1},
	{title: "ENDPOINT", least: 16, most: 30, rank: 2},
	{title: "ETCD", least: 7, most: 9, rank: 4, right: true},
	{title: "TERM", least: 5, most: 6, rank: 5, right: true},
	{title: "REVISION", least: 9, most: 12, rank: 3, right: true},
	{title: "ANSWER", least: 6, most: 60, rank: 0},
}

var contenderColumns = []column{
	{title: "NAME", least: 5, fair: 6, most: 10},
	{title: "PID", least: 7, most: 8, rank: 6, right: true},
	{title: "PROCESS", least: 9, fair: 13, most: 20, rank: 3},
	{title: "LOCK", least: 13, fair: 20, most: 30, rank: 2},
	{title: "RECIPE", least: 8, most: 8, rank: 8},
	{title: "TTL", least: 4, most: 5, rank: 7, right: true},
	{title: "BELIEVES", least: 8, most: 8},
	{title: "TRUTH", least: 8, most: 9},
	{title: "LEASE", least: 12, most: 25, rank: 5},
	{title: "", least: 30, most: 50, rank: 1},
}

// labPanel shows the lab: members, faults in force, and the contenders with what
// they believe beside what etcd says.
type labPanel struct {
	members, contenders table
	pick                pick
	below               int // the line at which the contenders begin
	doubts              doubts
}

func newLabPanel() *labPanel {
	return &labPanel{members: newTable(memberColumns, true), contenders: newTable(contenderColumns, true), doubts: doubts{}}
}

// faultsShown bounds the lines for faults; the rest is counted.
const faultsShown = 4

// Render returns the lines of the page. endpoints are what a person can point
// etcdctl at.
func (p *labPanel) Render(f frame, w, h int, endpoints []string) []string {
	th := f.th
	lines := []string{th.ruler(w, span{strong, "cluster"})}
	if len(endpoints) > 0 && h > 12 {
		env := "export ETCDCTL_ENDPOINTS=" + strings.Join(endpoints, ",")
		lines = append(lines, th.line(w, []span{{dim, "  "}, {plain, th.clean(env)}}, nil))
	}
	lines = p.memberTable(lines, f, w, h)
	lines = faultLines(lines, f, w, h)
	lines = append(lines, th.ruler(w, span{strong, "contenders"},
		span{dim, " what they believe beside what etcd says"}))
	p.below = len(lines)
	return fill(p.contenderTable(lines, f, w, h-len(lines)), w, h)
}

func (p *labPanel) memberTable(lines []string, f frame, w, h int) []string {
	all := downFirst(f.s.Cluster().Members)
	if len(all) == 0 {
		return append(lines, f.th.line(w, []span{{dim, "  no member has answered yet"}}, nil))
	}
	rows := min(len(all), max(1, h/4))
	more := ""
	if n := len(all) - rows; n > 0 {
		rows = max(1, rows-1)
		more = "  and " + plural(len(all)-rows, "member") + " more"
	}
	p.members.fit(w, rows+1, f.th)
	lines = append(lines, p.members.head(sortNone, false))
	lines = p.members.paint(lines, len(all), look{cursor: -1},
		func(i int) string { return strconv.FormatUint(all[i].ID, 16) },
		func(i int, r *row) { memberRow(f.th, all[i], r) })
	if more != "" {
		lines = append(lines, f.th.line(w, []span{{late, more}}, nil))
	}
	return lines
}

// downFirst puts the members that do not answer first: not all may have room.
func downFirst(all []model.Member) []model.Member {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b model.Member) int {
		switch {
		case (a.Err != "") == (b.Err != ""):
			return 0
		case a.Err != "":
			return -1
		}
		return 1
	})
	return all
}

func memberRow(th *theme, m model.Member, r *row) {
	name := m.Name
	if name == "" {
		name = strconv.FormatUint(m.ID, 16)
	}
	r.cell(plain, th.cut(th.clean(name), r.room()))
	switch {
	case m.Err != "":
		r.cell(bad, th.sign.bad+" down")
	case m.Leader:
		r.cell(good, th.sign.holds+" leader")
	default:
		r.cell(dim, th.sign.waits+" follows")
	}
	r.cell(plain, th.cut(th.clean(m.Endpoint), r.room()))
	r.cell(dim, th.cut(th.clean(m.Version), r.room()))
	r.cell(dim, strconv.FormatUint(m.Term, 10))
	r.cell(plain, count(m.Rev))
	if m.Err != "" {
		r.cell(bad, th.cut(th.clean(m.Err), r.room()))
		return
	}
	r.cell(dim, "ok")
}

func faultLines(lines []string, f frame, w, h int) []string {
	faults := f.s.Faults()
	if len(faults) == 0 {
		return append(lines, f.th.ruler(w, span{dim, "no fault is in force"}))
	}
	lines = append(lines, f.th.ruler(w, span{alarm, " " + plural(len(faults), "fault") + " in force "},
		span{plain, " "}, span{accent, "A"}, span{plain, " heals all"}))
	shown := min(len(faults), max(1, min(faultsShown, h/6)))
	for _, x := range faults[:shown] {
		lines = append(lines, f.th.line(w, []span{{plain, "  "}, {late, f.th.sign.late + " " + f.th.clean(x.Name)},
			{plain, " of " + f.th.clean(x.Target)}, {dim, "  since " + age(f.now.Sub(x.At), false)}}, nil))
	}
	if n := len(faults) - shown; n > 0 {
		lines[len(lines)-1] = f.th.line(w, []span{{late, "  and " + plural(n+1, "fault") + " more"}}, nil)
	}
	return lines
}

func (p *labPanel) contenderTable(lines []string, f frame, w, h int) []string {
	all := f.s.Contenders()
	if len(all) == 0 || h < 2 {
		return append(lines, f.th.line(w, []span{{dim, "  no contender runs: "}, {accent, "N"}, {dim, " spawns one"}}, nil))
	}
	p.follow(all)
	p.contenders.fit(w, h, f.th)
	p.contenders.reveal(p.pick.place, len(all))
	lines = append(lines, p.contenders.head(sortNone, false))
	return p.contenders.paint(lines, len(all), look{cursor: p.pick.place, keys: true},
		func(i int) string { return all[i].Name }, func(i int, r *row) { p.contenderRow(f, all[i], r) })
}

func (p *labPanel) follow(all []model.ContenderInfo) {
	p.pick.follow(len(all), func(id string) int {
		return slices.IndexFunc(all, func(c model.ContenderInfo) bool { return c.Name == id })
	}, func(i int) string { return all[i].Name })
}

// chosen returns the contender under the cursor.
func (p *labPanel) chosen(s *model.State) (model.ContenderInfo, bool) {
	all := s.Contenders()
	p.follow(all)
	if len(all) == 0 {
		return model.ContenderInfo{}, false
	}
	return all[p.pick.place], true
}

func (p *labPanel) contenderRow(f frame, c model.ContenderInfo, r *row) {
	th := f.th
	claim, place := f.s.Truth(c)
	f.sees(claim)
	st := plain
	if c.Proc == model.ProcEnded {
		st = dim
	}
	r.cell(st, th.cut(th.clean(c.Name), r.room()))
	r.cell(dim, strconv.Itoa(c.PID))
	proc, procStyle := th.process(f.s, c)
	r.cell(procStyle, th.cut(proc, r.room()))
	r.cell(st, th.cutPath(th.clean(c.Lock), r.room()))
	r.cell(dim, th.cut(th.clean(c.Recipe), r.room()))
	r.cell(dim, strconv.Itoa(c.TTL)+"s")
	word, truth := believes(c), truthWord(f.s, c, place)
	note, noteStyle := p.doubts.mismatch(f.s, c, place, f.now)
	r.cell(noteStyle, word)
	r.cell(noteStyle, truth)
	if c.Lease == 0 {
		r.cell(dim, "no lease yet")
	} else if lease := f.s.Lease(c.Lease); lease == nil {
		r.cell(dim, "no key on it") // whether the lease lives is not known then
	} else {
		th.leaseCell(r, lease, f.now)
	}
	if c.Belief.Text != "" && noteStyle != alarm {
		note, noteStyle = th.clean(c.Belief.Text), dim
	}
	r.cell(noteStyle, th.cut(note, r.room()))
}

// process says how a contender's process is, and what is done to it.
func (th *theme) process(s *model.State, c model.ContenderInfo) (string, style) {
	if c.Proc == model.ProcEnded {
		return th.sign.bad + " " + th.clean(c.Ended), dim
	}
	var words []string
	if c.Proc == model.ProcPaused {
		words = append(words, "paused")
	}
	for _, x := range s.Faults() {
		word := x.Name
		switch {
		case x.Target != c.Name, x.Name == string(model.PauseProc):
			continue // a process that is paused says so itself
		case x.Name == string(model.HoldKeepalive):
			word = "held"
		}
		words = append(words, th.clean(word))
	}
	if len(words) == 0 {
		return th.sign.holds + " runs", good
	}
	return th.sign.late + " " + strings.Join(words, "+"), late
}

func believes(c model.ContenderInfo) string {
	switch c.Belief.State {
	case model.BeliefHolding:
		return "I hold"
	case model.BeliefWaiting:
		return "I wait"
	case model.BeliefLost:
		return "I lost"
	case model.BeliefIdle:
		return "idle"
	}
	return "?"
}

func truthWord(s *model.State, c model.ContenderInfo, place int) string {
	switch {
	case place == 0:
		return "no key"
	case holds(s, c, place):
		return "holds"
	}
	return "place " + strconv.Itoa(place)
}

// holds says whether a contender at that place, from 1, holds its lock.
func holds(s *model.State, c model.ContenderInfo, place int) bool {
	l := s.Lock(c.Lock)
	return l != nil && place > 0 && (place == 1 || l.Holds(place-1))
}

// doubtAfter is how long belief and truth may lie apart before it is an alarm: a
// client that lets go tells us a moment after etcd did.
const doubtAfter = 2 * time.Second

// doubts remembers since when a contender believes to hold and does not.
type doubts map[string]time.Time

// look compares belief with truth.
func (d doubts) look(s *model.State, now time.Time) {
	for _, c := range s.Contenders() {
		_, place := s.Truth(c)
		if c.Proc == model.ProcEnded || c.Belief.State != model.BeliefHolding || holds(s, c, place) {
			delete(d, c.Name)
		} else if _, known := d[c.Name]; !known {
			d[c.Name] = now
		}
	}
}

// alarming says whether it has been so for long enough.
func (d doubts) alarming(name string, now time.Time) bool {
	since, ok := d[name]
	return ok && now.Sub(since) >= doubtAfter
}

// count returns how many contenders alarm.
func (d doubts) count(now time.Time) int {
	n := 0
	for name := range d {
		if d.alarming(name, now) {
			n++
		}
	}
	return n
}

// mismatch says in words where belief and truth lie apart. Only one of the ways
// is dangerous: to believe that one holds.
func (d doubts) mismatch(s *model.State, c model.ContenderInfo, place int, now time.Time) (string, style) {
	alive := c.Proc != model.ProcEnded
	switch {
	case d.alarming(c.Name, now):
		return "!! BELIEVES IT HOLDS: DOES NOT", alarm
	case alive && c.Belief.State == model.BeliefHolding && !holds(s, c, place):
		return "not learnt yet: it lost it", late
	case alive && c.Belief.State == model.BeliefWaiting && holds(s, c, place):
		return "not learnt yet: it holds", late
	case !alive && place > 0:
		return "ended, its key is still there", late
	}
	return "", plain
}
