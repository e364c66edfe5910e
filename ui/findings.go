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

// findingsPanel lists what is wrong, the worst first, and says all about the one
// under the cursor.
type findingsPanel struct {
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

func newFindingsPanel() *findingsPanel {
	return &findingsPanel{table: newTable(findingCells.columns(), true), rhythm: rhythm{per: tallyAtOnce, atOnce: 1}}
}

// findingID names a finding for as long as it lasts.
func findingID(f *model.Finding) string {
	return string(f.Code) + "\x00" + f.Lock + "\x00" + f.Lease.String() + "\x00" + f.Claim.Key + "\x00" + strconv.FormatInt(f.Claim.CreateRev, 10)
}

func (p *findingsPanel) id(i int) string { return findingID(&p.list[i]) }

// refresh asks for the findings anew if that is due.
func (p *findingsPanel) refresh(f frame) {
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

func (p *findingsPanel) place(id string) int {
	for i := range p.list {
		if findingID(&p.list[i]) == id {
			return i
		}
	}
	return -1
}

// show selects a finding.
func (p *findingsPanel) show(f *model.Finding) {
	p.pick.id, p.pick.pinned, p.force, p.filter, p.top = findingID(f), true, true, "", 0
}

func (p *findingsPanel) move(i int, now time.Time) {
	p.pick.move(i, len(p.list), p.id)
	p.held, p.top = now.Add(sortHold), 0
}

func (p *findingsPanel) setFilter(text string) {
	if p.filter != text {
		p.filter, p.force, p.table.top, p.top = text, true, 0, 0
	}
}

// chosen returns the finding under the cursor, nil if there is none.
func (p *findingsPanel) chosen() *model.Finding {
	if p.pick.place < len(p.list) && p.pick.id == p.id(p.pick.place) {
		return &p.list[p.pick.place]
	}
	return nil
}

// Render returns the lines of the page.
func (p *findingsPanel) Render(f frame, w, h int, t *tally) []string {
	p.refresh(f)
	if p.total == 0 {
		return fill(f.th.onlyText(w, paragraph{}, paragraph{good, "  ", f.th.sign.holds + " nothing is wrong, as far as etcd tells"},
			paragraph{dim, "  ", "Some mechanisms leave no sign in etcd: a holder that hangs while its client renews is one."}), w, h)
	}
	title := []span{{strong, "findings"}}
	if words := t.words(); len(words) > 0 {
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
		func(i int, r *row) { findingRow(f, &p.list[i], r) })
	if x := p.chosen(); x != nil && under > 0 {
		lines = p.inFull(lines, f, x, w, under)
	}
	return fill(lines, w, h)
}

func findingRow(f frame, x *model.Finding, r *row) {
	if l := f.s.Lock(x.Lock); l != nil {
		f.sees(l.Head())
	}
	findingCells.row(f, *x, r)
}

// inFull appends h lines with all that is known of a finding.
func (p *findingsPanel) inFull(lines []string, f frame, x *model.Finding, w, h int) []string {
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
