package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/ui/fields"
)

// findingCells are the columns of the findings.
var findingCells = cellsOf(fields.Findings, map[string]func(*row, *model.Finding){
	"FINDING": func(r *row, x *model.Finding) {
		st, sign := r.f.th.severity(x.Severity)
		r.add(st, sign+" "+string(x.Code))
	},
	"LOCK": func(r *row, x *model.Finding) {
		th := r.f.th
		switch {
		case x.Lock != "":
			r.add(plain, th.cutPath(th.clean(x.Lock), r.room()))
		case x.Lease != 0:
			r.add(plain, th.tame("lease "+x.Lease.Short()))
		default:
			r.add(dim, "the cluster")
		}
	},
	"SINCE":    func(r *row, x *model.Finding) { r.add(plain, age(r.f.now.Sub(x.Since), false)) },
	"SURE":     func(r *row, x *model.Finding) { r.add(dim, string(x.Confidence)) },
	"IN SHORT": func(r *row, x *model.Finding) { r.add(plain, r.f.th.cut(r.f.th.prose(x.Summary), r.room())) },
}, nil)

// findingsPage lists what is wrong, the worst first, and says all about the one
// under the cursor.
type findingsPage struct {
	usual
	table  table
	pick   selection
	filter string
	full   bool // the keyboard is with the text below
	top    int  // its first line shown
	height int

	rhythm
	list  []model.Finding // as shown
	total int
}

func newFindingsPage() *findingsPage {
	return &findingsPage{table: newTable(findingCells.columns(), true), rhythm: rhythm{per: tallyAtOnce, atOnce: 1}}
}

// findingID names a finding for as long as it lasts.
func findingID(f *model.Finding) string {
	return string(f.Code) + "\x00" + f.Lock + "\x00" + f.Lease.String() + "\x00" + f.Claim.Key + "\x00" + strconv.FormatInt(f.Claim.CreateRev, 10)
}

func (p *findingsPage) id(i int) string { return findingID(&p.list[i]) }

// refresh asks for the findings anew if that is due.
func (p *findingsPage) refresh(f frame) {
	if !p.due(f.s.Version(), f.now) {
		return
	}
	all := f.s.Findings()
	p.total = len(all)
	p.begin(f.s.Version(), f.now, p.total)
	slices.SortStableFunc(all, func(a, b model.Finding) int { return int(b.Severity.Level() - a.Severity.Level()) })
	if keep := matcher(p.filter); keep != nil {
		all = slices.DeleteFunc(all, func(x model.Finding) bool { return !keep(string(x.Code)+" "+x.Lock, x.Summary) })
	}
	p.list = all
	p.pick.follow(len(all), p.place, p.id)
}

func (p *findingsPage) place(id string) int {
	for i := range p.list {
		if findingID(&p.list[i]) == id {
			return i
		}
	}
	return -1
}

func (p *findingsPage) About() About {
	return About{Title: "Findings", Targets: true, Shows: ShowFinding}
}

func (p *findingsPage) Keys() []PageKey {
	return []PageKey{
		queueOf(p.Lock),
		{Keys: []string{"tab", "shift+tab"}, Group: KeysOfParts, Short: "text", What: "from the list to the text and back", Some: true,
			Do: func(frame) Request { p.full = !p.full; return Request{} }},
	}
}

func (p *findingsPage) Move(f frame, n int) {
	if p.full {
		p.top = max(0, p.top+n)
		return
	}
	p.move(p.pick.place+n, f.now)
}

func (p *findingsPage) Step() int {
	if p.full {
		return max(1, p.height-1)
	}
	return p.table.step()
}

func (p *findingsPage) move(i int, now time.Time) {
	p.pick.move(i, len(p.list), p.id)
	p.held, p.top = now.Add(sortHold), 0
}

// Click selects a row; the first line of the page is its title.
func (p *findingsPage) Click(f frame, _, y int) {
	if i := p.table.at(y-1, len(p.list)); i >= 0 {
		p.full = false
		p.move(i, f.now)
	}
}

func (p *findingsPage) Empty() bool { return len(p.list) == 0 }

func (p *findingsPage) Target(f frame) target {
	x := p.chosen()
	if x == nil {
		return target{why: "no finding is selected"}
	}
	t := target{finding: x, lock: f.s.Lock(x.Lock)}
	if c := f.s.Claim(x.Claim.Key); x.About(c) {
		t.claim = c
	}
	return t.ofClient(f.s)
}

func (p *findingsPage) Lock(f frame) Request { return p.Target(f).toLock() }

func (p *findingsPage) Finding(f frame) (*model.Finding, string) {
	p.refresh(f)
	return p.chosen(), "there is no finding"
}

func (p *findingsPage) Commands(f frame) (string, []string) {
	if x := p.chosen(); x != nil {
		return string(x.Code), x.Etcdctl
	}
	return p.usual.Commands(f)
}

func (p *findingsPage) Show(_ frame, r Request) {
	p.choose(findingID(r.Finding))
	p.filter, p.top = "", 0
}

func (p *findingsPage) choose(id string) { p.pick.id, p.pick.pinned, p.force = id, true, true }

func (p *findingsPage) Spot() string { return p.pick.id }

func (p *findingsPage) Return(_ frame, id string) {
	if id != "" {
		p.choose(id)
	}
}

func (p *findingsPage) Back() bool {
	if p.full {
		p.full = false
	} else {
		p.SetFilter("")
	}
	return true
}

func (p *findingsPage) Filter() string { return p.filter }

func (p *findingsPage) SetFilter(text string) {
	if p.filter != text {
		p.filter, p.force, p.table.top, p.top = text, true, 0, 0
	}
}

func (p *findingsPage) Hits() string {
	return count(int64(len(p.list))) + " of " + plural(p.total, "finding")
}

func (p *findingsPage) Tables() map[string]*table      { return map[string]*table{"findings": &p.table} }
func (p *findingsPage) Table(frame) (name, why string) { return "findings", "" }

// chosen returns the finding under the cursor, nil if there is none.
func (p *findingsPage) chosen() *model.Finding {
	if p.pick.place < len(p.list) && p.pick.id == p.id(p.pick.place) {
		return &p.list[p.pick.place]
	}
	return nil
}

// Paint returns the lines of the page.
func (p *findingsPage) Paint(f frame, w, h int) []string {
	p.refresh(f)
	if p.total == 0 {
		return fill(f.th.onlyText(w, paragraph{}, paragraph{good, "  ", f.th.sign.holds + " nothing is wrong, as far as etcd tells"},
			paragraph{dim, "  ", "Some mechanisms leave no sign in etcd: a holder that hangs while its client renews is one."}), w, h)
	}
	title := []span{{strong, "findings"}}
	if words := f.tally.words(); len(words) > 0 {
		title = append(title, span{plain, " " + strings.Join(words, ", ")})
	}
	lines := []string{f.th.ruler(w, title...)}
	rows, under := h-1, 0
	if h >= 12 {
		under = h * 11 / 20
		rows -= under
	}
	p.table.fit(w, rows, f.th)
	p.table.reveal(p.pick.place, len(p.list))
	lines = append(lines, p.table.head(sortNone, false))
	lines = p.table.paint(lines, len(p.list), look{cursor: p.pick.place, keys: !p.full || under == 0}, p.id,
		func(i int, r *row) { findingRow(f.view, &p.list[i], r) })
	if x := p.chosen(); x != nil && under > 0 {
		lines = p.inFull(lines, f, x, w, under)
	}
	return fill(lines, w, h)
}

func findingRow(f view, x *model.Finding, r *row) {
	if l := f.s.Lock(x.Lock); l != nil {
		f.sees(l.Head())
	}
	findingCells.row(f, *x, r)
}

// inFull appends h lines with all that is known of a finding.
func (p *findingsPage) inFull(lines []string, f frame, x *model.Finding, w, h int) []string {
	th := f.th
	var all []string
	for _, para := range paragraphsOf(th, x) {
		all = append(all, th.paragraph(para, w)...)
	}
	p.height = h - 1
	p.top = max(0, min(p.top, len(all)-p.height))
	st, sign := th.severity(x.Severity)
	title := []span{{st, sign + " " + string(x.Code)}, {dim, " " + string(x.Confidence)}}
	if below := len(all) - p.top - p.height; below > 0 || p.top > 0 {
		title = append(title, span{plain, " "}, span{accent, "tab"}, span{dim, " scrolls, " + plural(max(0, below), "line") + " below"})
	}
	lines = append(lines, th.ruler(w, title...))
	return append(lines, all[p.top:min(len(all), p.top+p.height)]...)
}

// paragraphsOf says all about a finding, in the order in which one acts.
func paragraphsOf(th *theme, x *model.Finding) []paragraph {
	all := []paragraph{{strong, "  ", th.prose(x.Summary)}}
	for _, e := range x.Evidence {
		all = append(all, paragraph{dim, "    " + th.sign.fact + " ", th.prose(e)})
	}
	lead := "  do: "
	for _, d := range x.Advice {
		all = append(all, paragraph{plain, lead, th.prose(d)})
		lead = "      "
	}
	if len(x.Alternatives) > 0 {
		all = append(all, paragraph{plain, "  looks the same: ", codes(x.Alternatives)})
	}
	for _, c := range x.Etcdctl {
		all = append(all, paragraph{dim, "  $ ", th.prose(c)})
	}
	return all
}
