package page

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/table"
)

// FindingCells are the columns of the findings.
var FindingCells = table.CellsOf(fields.Findings, map[string]func(*table.Row, *model.Finding){
	"FINDING": func(r *table.Row, x *model.Finding) {
		st, sign := r.F.Th.Severity(x.Severity)
		r.Add(st, sign+" "+string(x.Code))
	},
	"LOCK": func(r *table.Row, x *model.Finding) {
		th := r.F.Th
		switch {
		case x.Lock != "":
			r.Add(draw.Plain, th.CutPath(th.Clean(x.Lock), r.Room()))
		case x.Lease != 0:
			r.Add(draw.Plain, th.Tame("lease "+x.Lease.Short()))
		default:
			r.Add(draw.Dim, "the cluster")
		}
	},
	"SINCE":    func(r *table.Row, x *model.Finding) { r.Add(draw.Plain, draw.Age(r.F.Now.Sub(x.Since), false)) },
	"SURE":     func(r *table.Row, x *model.Finding) { r.Add(draw.Dim, string(x.Confidence)) },
	"IN SHORT": func(r *table.Row, x *model.Finding) { r.Add(draw.Plain, r.F.Th.Cut(r.F.Th.Prose(x.Summary), r.Room())) },
}, nil)

// FindingsPage lists what is wrong, the worst first, and says all about the one
// under the cursor.
type FindingsPage struct {
	usual
	table  table.Table
	pick   Selection
	filter string
	full   bool // the keyboard is with the text below
	top    int  // its first line shown
	height int

	table.Rhythm
	list  []model.Finding // as shown
	total int
}

func newFindingsPage() *FindingsPage {
	return &FindingsPage{table: table.New(FindingCells.Columns(), true), Rhythm: table.Rhythm{Per: tallyAtOnce, AtOnce: 1}}
}

// findingID names a finding for as long as it lasts.
func findingID(f *model.Finding) string {
	return string(f.Code) + "\x00" + f.Lock + "\x00" + f.Lease.String() + "\x00" + f.Claim.Key + "\x00" + strconv.FormatInt(f.Claim.CreateRev, 10)
}

func (p *FindingsPage) id(i int) string { return findingID(&p.list[i]) }

// refresh asks for the findings anew if that is due.
func (p *FindingsPage) refresh(f Frame) {
	if !p.Due(f.S.Version(), f.Now) {
		return
	}
	all := f.S.Findings()
	p.total = len(all)
	p.Begin(f.S.Version(), f.Now, p.total)
	slices.SortStableFunc(all, func(a, b model.Finding) int { return int(b.Severity.Level() - a.Severity.Level()) })
	if keep := matcher(p.filter); keep != nil {
		all = slices.DeleteFunc(all, func(x model.Finding) bool { return !keep(string(x.Code)+" "+x.Lock, x.Summary) })
	}
	p.list = all
	p.pick.Follow(len(all), p.place, p.id)
}

func (p *FindingsPage) place(id string) int {
	for i := range p.list {
		if findingID(&p.list[i]) == id {
			return i
		}
	}
	return -1
}

func (p *FindingsPage) About() About {
	return About{Title: "Findings", Targets: true, Shows: ShowFinding}
}

func (p *FindingsPage) Keys() []Key {
	return []Key{
		queueOf(p.Lock),
		{Keys: []string{"tab", "shift+tab"}, Group: KeysOfParts, Short: "text", What: "from the list to the text and back", Some: true,
			Do: func(Frame) Request { p.full = !p.full; return Request{} }},
	}
}

func (p *FindingsPage) Move(f Frame, n int) {
	if p.full {
		p.top = max(0, p.top+n)
		return
	}
	p.move(p.pick.Place+n, f.Now)
}

func (p *FindingsPage) Step() int {
	if p.full {
		return max(1, p.height-1)
	}
	return p.table.Step()
}

func (p *FindingsPage) move(i int, now time.Time) {
	p.pick.Move(i, len(p.list), p.id)
	p.Held, p.top = now.Add(table.SortHold), 0
}

// Click selects a row; the first line of the page is its title.
func (p *FindingsPage) Click(f Frame, _, y int) {
	if i := p.table.At(y-1, len(p.list)); i >= 0 {
		p.full = false
		p.move(i, f.Now)
	}
}

func (p *FindingsPage) Empty() bool { return len(p.list) == 0 }

func (p *FindingsPage) Target(f Frame) Target {
	x := p.Chosen()
	if x == nil {
		return Target{Why: "no finding is selected"}
	}
	t := Target{Finding: x, Lock: f.S.Lock(x.Lock)}
	if c := f.S.Claim(x.Claim.Key); x.About(c) {
		t.Claim = c
	}
	return t.ofClient(f.S)
}

func (p *FindingsPage) Lock(f Frame) Request { return p.Target(f).toLock() }

func (p *FindingsPage) Finding(f Frame) (*model.Finding, string) {
	p.refresh(f)
	return p.Chosen(), "there is no finding"
}

func (p *FindingsPage) Commands(f Frame) (string, []string) {
	if x := p.Chosen(); x != nil {
		return string(x.Code), x.Etcdctl
	}
	return p.usual.Commands(f)
}

func (p *FindingsPage) Show(_ Frame, r Request) {
	p.choose(findingID(r.Finding))
	p.filter, p.top = "", 0
}

func (p *FindingsPage) choose(id string) { p.pick.ID, p.pick.Pinned, p.Force = id, true, true }

func (p *FindingsPage) Spot() string { return p.pick.ID }

func (p *FindingsPage) Return(_ Frame, id string) {
	if id != "" {
		p.choose(id)
	}
}

func (p *FindingsPage) Back() bool {
	if p.full {
		p.full = false
	} else {
		p.SetFilter("")
	}
	return true
}

func (p *FindingsPage) Filter() string { return p.filter }

func (p *FindingsPage) SetFilter(text string) {
	if p.filter != text {
		p.filter, p.Force, p.table.Top, p.top = text, true, 0, 0
	}
}

func (p *FindingsPage) Hits() string {
	return draw.Count(int64(len(p.list))) + " of " + draw.Plural(p.total, "finding")
}

func (p *FindingsPage) Tables() map[string]*table.Table {
	return map[string]*table.Table{"findings": &p.table}
}
func (p *FindingsPage) Focus(Frame) (name, why string) { return "findings", "" }

// Chosen returns the finding under the cursor, nil if there is none.
func (p *FindingsPage) Chosen() *model.Finding {
	if p.pick.Place < len(p.list) && p.pick.ID == p.id(p.pick.Place) {
		return &p.list[p.pick.Place]
	}
	return nil
}

// Paint returns the lines of the page.
func (p *FindingsPage) Paint(f Frame, w, h int) []string {
	p.refresh(f)
	if p.total == 0 {
		return draw.Fill(f.Th.OnlyText(w, draw.Paragraph{}, draw.Paragraph{St: draw.Good, Lead: "  ", Text: f.Th.Sign.Holds + " nothing is wrong, as far as etcd tells"},
			draw.Paragraph{St: draw.Dim, Lead: "  ", Text: "Some mechanisms leave no sign in etcd: a holder that hangs while its client renews is one."}), w, h)
	}
	title := []draw.Span{draw.Strong.Of("findings")}
	if words := f.Tally.words(); len(words) > 0 {
		title = append(title, draw.Plain.Of(" "+strings.Join(words, ", ")))
	}
	lines := []string{f.Th.Ruler(w, title...)}
	rows, under := h-1, 0
	if h >= 12 {
		under = h * 11 / 20
		rows -= under
	}
	p.table.Fit(w, rows, f.Th)
	p.table.Reveal(p.pick.Place, len(p.list))
	lines = append(lines, p.table.Head(table.SortNone, false))
	lines = p.table.Paint(lines, len(p.list), table.Look{Cursor: p.pick.Place, Keys: !p.full || under == 0}, p.id,
		func(i int, r *table.Row) { findingRow(f.View, &p.list[i], r) })
	if x := p.Chosen(); x != nil && under > 0 {
		lines = p.inFull(lines, f, x, w, under)
	}
	return draw.Fill(lines, w, h)
}

func findingRow(f table.View, x *model.Finding, r *table.Row) {
	if l := f.S.Lock(x.Lock); l != nil {
		f.Sees(l.Head())
	}
	FindingCells.Row(f, *x, r)
}

// inFull appends h lines with all that is known of a finding.
func (p *FindingsPage) inFull(lines []string, f Frame, x *model.Finding, w, h int) []string {
	th := f.Th
	var all []string
	for _, para := range ParagraphsOf(th, x) {
		all = append(all, th.Paragraph(para, w)...)
	}
	p.height = h - 1
	p.top = max(0, min(p.top, len(all)-p.height))
	st, sign := th.Severity(x.Severity)
	title := []draw.Span{st.Of(sign + " " + string(x.Code)), draw.Dim.Of(" " + string(x.Confidence))}
	if below := len(all) - p.top - p.height; below > 0 || p.top > 0 {
		title = append(title, draw.Plain.Of(" "), draw.Accent.Of("tab"), draw.Dim.Of(" scrolls, "+draw.Plural(max(0, below), "line")+" below"))
	}
	lines = append(lines, th.Ruler(w, title...))
	return append(lines, all[p.top:min(len(all), p.top+p.height)]...)
}

// ParagraphsOf says all about a finding, in the order in which one acts.
func ParagraphsOf(th *draw.Theme, x *model.Finding) []draw.Paragraph {
	all := []draw.Paragraph{{St: draw.Strong, Lead: "  ", Text: th.Prose(x.Summary)}}
	for _, e := range x.Evidence {
		all = append(all, draw.Paragraph{St: draw.Dim, Lead: "    " + th.Sign.Fact + " ", Text: th.Prose(e)})
	}
	lead := "  do: "
	for _, d := range x.Advice {
		all = append(all, draw.Paragraph{St: draw.Plain, Lead: lead, Text: th.Prose(d)})
		lead = "      "
	}
	if len(x.Alternatives) > 0 {
		all = append(all, draw.Paragraph{St: draw.Plain, Lead: "  looks the same: ", Text: codes(x.Alternatives)})
	}
	for _, c := range x.Etcdctl {
		all = append(all, draw.Paragraph{St: draw.Dim, Lead: "  $ ", Text: th.Prose(c)})
	}
	return all
}
