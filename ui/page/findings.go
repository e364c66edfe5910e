package page

import (
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/text"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/table"
	"locktop/ui/timeline"
)

// FindingCells are the columns of the findings.
var FindingCells = table.CellsOf(fields.Findings, map[model.MessageID]func(*table.Row, *model.Finding){
	"title-problem": func(r *table.Row, x *model.Finding) {
		st, sign := r.F.Th.Severity(x.Severity)
		r.Add(st, sign+" "+r.F.Th.Cut(r.F.Th.Problem(x), r.Room()-2))
	},
	"title-code": func(r *table.Row, x *model.Finding) { r.Add(draw.Dim, r.F.Th.Cut(string(x.Code), r.Room())) },
	"title-waiting": func(r *table.Row, x *model.Finding) {
		if l := r.F.S.Lock(x.Lock); l != nil && l.Behind() > 0 {
			r.Add(draw.Plain, draw.Count(int64(l.Behind())))
		} else {
			r.Add(draw.Dim, "-")
		}
	},
	"title-fix": func(r *table.Row, x *model.Finding) {
		if len(x.Advice) == 0 {
			r.Add(draw.Dim, r.F.Th.Say("nothing-to-mend"))
			return
		}
		r.Add(draw.Plain, r.F.Th.CutClause(r.F.Th.Message(x.Advice[0]), r.Room(), 1))
	},
	"title-lock": func(r *table.Row, x *model.Finding) {
		th := r.F.Th
		switch {
		case x.Lock != "":
			more := countWords(x)
			r.Add(draw.Plain, th.CutPath(th.Clean(x.Lock), r.Room()-len(more))+more)
		case x.Lease != 0:
			r.Add(draw.Plain, th.Say("lease", model.Verbatim(th.Escape(x.Lease.Short()))))
		default:
			r.Add(draw.Dim, th.Say("the-cluster"))
		}
	},
	"title-since": func(r *table.Row, x *model.Finding) { r.Add(draw.Plain, draw.Age(r.F.Now.Sub(x.Since), false)) },
	"title-sure":  func(r *table.Row, x *model.Finding) { r.Add(draw.Dim, r.F.Th.FormatConfidence(x.Confidence)) },
}, nil)

// findingsPage lists what is wrong, the worst first, and says all about the one
// under the cursor.
type findingsPage struct {
	List
	full   bool // the keyboard is with the text below
	top    int  // its first line shown
	height int

	rhythm table.Rhythm
	found  []*model.Finding
	total  int
}

func newFindings() Page {
	p := &findingsPage{rhythm: table.Rhythm{Per: countAtOnce, AtOnce: 1}}
	p.List = newList("findings", table.New(FindingCells.Columns(), true), &p.rhythm)
	return p
}

// findingID names a finding for as long as it lasts.
func findingID(f *model.Finding) string {
	return string(f.Code) + "\x00" + f.Lock + "\x00" + f.Lease.String() + "\x00" + f.Claim.Key + "\x00" + strconv.FormatInt(f.Claim.CreateRev, 10)
}

// chose says whether it is the finding that was chosen. There may be thousands: few are named for it.
func (p *findingsPage) chose(f *model.Finding) bool {
	return strings.HasPrefix(p.Pick.ID, string(f.Code)) && strings.Contains(p.Pick.ID, f.Lock) && findingID(f) == p.Pick.ID
}

func (p *findingsPage) id(i int) string { return findingID(p.found[i]) }

// refresh asks for the findings anew if that is due.
func (p *findingsPage) refresh(f Frame) {
	if !p.rhythm.Due(f.S.Version(), f.Clock()) {
		return
	}
	var keep func(*model.Finding) bool
	if named := matcher(p.Filter()); named != nil {
		keep = func(x *model.Finding) bool { return named(string(x.Code)+" "+x.Lock, text.English(x.Summary)) }
	}
	p.found, p.total = f.S.Heads(keep, p.chose)
	p.rhythm.Begin(f.S.Version(), f.Now, p.total)
	p.bound(f.Th)
	p.Pick.Follow(len(p.found), p.place, p.id)
}

// bound keeps problems and names from taking more room than they have to say: it is that of the fix.
func (p *findingsPage) bound(th *draw.Theme) {
	problem, lock, code := 0, draw.Width(th.Say("the-cluster")), 0
	for i := range p.found[:min(len(p.found), countAtOnce)] {
		x := p.found[i]
		problem, lock = max(problem, draw.Width(th.Problem(x))+2), max(lock, draw.Width(th.Clean(x.Lock))+len(countWords(x)))
		code = max(code, len(x.Code))
	}
	p.Table.Bound("title-problem", problem)
	p.Table.Bound("title-lock", lock)
	p.Table.Bound("title-code", code)
}

// countWords say how many more locks a finding is about.
func countWords(x *model.Finding) string {
	if x.Count > 1 {
		return " +" + strconv.Itoa(x.Count-1)
	}
	return ""
}

func (p *findingsPage) place(id string) int {
	for i := range p.found {
		if findingID(p.found[i]) == id {
			return i
		}
	}
	return -1
}

func (p *findingsPage) About() About {
	return About{Title: "Findings", Label: "page-findings", Go: "go-to-findings", Targets: true, Shows: ShowFinding, SaysFilter: true}
}

func (p *findingsPage) Keys() []Key {
	return []Key{
		queueOf(p.Lock),
		{Keys: []string{"tab", "shift+tab"}, Group: KeysOfParts, Short: "key-text", What: "from-the-list-to-the-text", Some: true,
			Do: func(Frame) Request { p.full = !p.full; return Request{} }},
	}
}

func (p *findingsPage) Move(f Frame, n int) {
	if p.full {
		p.top = max(0, p.top+n)
		return
	}
	p.to(p.Pick.Place+n, f.Now)
}

func (p *findingsPage) Step() int {
	if p.full {
		return max(1, p.height-1)
	}
	return p.List.Step()
}

// to puts the cursor on a finding, whose text begins anew.
func (p *findingsPage) to(i int, now time.Time) {
	p.MoveTo(i, len(p.found), p.id, now)
	p.top = 0
}

// Click selects a row; the first line of the page is its title.
func (p *findingsPage) Click(f Frame, x, y int) bool {
	i, row := p.Table.Pick(x, y-1, len(p.found))
	if i >= 0 {
		p.full = false
		p.to(i, f.Now)
	}
	return row
}

func (p *findingsPage) Empty() bool { return len(p.found) == 0 }

func (p *findingsPage) Target(f Frame) Target {
	x := p.Chosen()
	if x == nil {
		return Target{Why: f.Th.Say("no-finding-is-selected")}
	}
	t := Target{Finding: x, Lock: f.S.Lock(x.Lock)}
	if c := f.S.Claim(x.Claim.Key); x.About(c.Ref()) {
		t.Claim = c
	}
	return t.OfClient(f)
}

// Lock is that of the finding; one about a lease alone leads to its session.
func (p *findingsPage) Lock(f Frame) Request {
	t := p.Target(f)
	switch x := t.Finding; {
	case x == nil || t.Lock != nil || x.Lock != "":
	case x.Lease != 0 && f.S.Lease(x.Lease) != nil:
		return Request{Show: ShowSession, Lease: x.Lease}
	default:
		return Request{Why: f.Th.Say("that-is-about-the-whole-cluster")}
	}
	return t.ToLock(f)
}

func (p *findingsPage) Finding(f Frame) (*model.Finding, string) {
	p.refresh(f)
	return p.Chosen(), f.Th.Say("there-is-no-finding")
}

func (p *findingsPage) Commands(f Frame) (string, []string) {
	if x := p.Chosen(); x != nil {
		return string(x.Code), x.Etcdctl
	}
	return p.List.Commands(f)
}

func (p *findingsPage) Show(_ Frame, r Request) {
	p.Choose(findingID(r.Finding))
	p.SetFilter("")
	p.top = 0
}

func (p *findingsPage) Back(f Frame) bool {
	if p.full {
		p.full = false
		return true
	}
	return p.List.Back(f)
}

func (p *findingsPage) SetFilter(text string) {
	if p.Filter() != text {
		p.top = 0
	}
	p.List.SetFilter(text)
}

func (p *findingsPage) Hits() model.Message {
	return Hits(p.Filter(), model.Say("of-findings", draw.Counted(len(p.found)), draw.Counted(p.total)))
}

// Chosen returns the finding under the cursor, nil if there is none.
func (p *findingsPage) Chosen() *model.Finding {
	if i := p.CursorRow(len(p.found), p.id); i >= 0 {
		return p.found[i]
	}
	return nil
}

// Paint returns the lines of the page.
func (p *findingsPage) Paint(f Frame, w, h int) []string {
	p.refresh(f)
	if f.Th.Asks && p.total > 0 {
		return draw.Fill(f.Th.OnlyText(w, draw.Paragraph{}, draw.Paragraph{St: draw.Plain, Lead: "  ", Text: f.Th.Say("shown-once-you-predicted")}), w, h)
	}
	if p.total == 0 && len(f.S.Locks()) == 0 {
		return draw.Fill(f.Th.OnlyText(w, draw.Paragraph{}, draw.Paragraph{St: draw.Plain, Lead: "  ", Text: f.Unjudged()}), w, h)
	}
	if p.total == 0 {
		lines := f.Th.OnlyText(w, draw.Paragraph{St: draw.Good, Lead: " ", Text: f.Th.Sign.Holds + " " + f.Th.Say("no-problems-visible-in-etcd")},
			draw.Paragraph{St: draw.Dim, Lead: "   ", Text: f.Th.Say("a-hung-program-whose-client-still")})
		return draw.Fill(fillWith(lines, f, []draw.Span{draw.Dim.Of(f.Th.Say("what-happened-all"))}, f.FactsOfAll, true, w, h-len(lines)), w, h)
	}
	title := []draw.Span{draw.Strong.Of(f.Th.Say("findings"))}
	if words := f.Counters.Words(); len(words) > 0 {
		title = append(title, draw.Plain.Of("  "+f.Th.Say("list", words)))
	}
	lines := []string{f.Th.Ruler(w, append(title, filteredBy(f.Th, p.Filter())...)...)}
	rows, under := h-1, 0
	need := 1 + max(1, len(p.found))
	switch {
	case h >= 12:
		rows = min(rows-h*11/20, need) // what the list does not need is for the text
		under = h - 1 - rows
	case rows-need >= textLeast:
		rows, under = need, rows-need
	}
	p.Table.Fit(w, rows, f.Th)
	p.Table.Reveal(p.Pick.Place, len(p.found))
	lines = append(lines, p.Table.Head(table.SortNone, false))
	lines = p.Table.Paint(lines, len(p.found), table.Look{Cursor: p.Pick.Place, Keys: !p.full || under == 0}, p.id,
		func(i int, r *table.Row) { findingRow(f.View, p.found[i], r) })
	if x := p.Chosen(); x != nil && under > 0 {
		lines = p.inFull(lines, f, x, w, under)
		title, facts := []draw.Span{draw.Dim.Of(f.Th.Say("what-happened-all"))}, f.FactsOfAll
		if x.Lock != "" {
			title, facts = f.happenedTo(x.Lock), func(n int) []*journal.Entry { return f.FactsOf(x.Lock, n) }
		}
		lines = fillWith(lines, f, title, facts, x.Lock == "", w, h-len(lines))
	}
	return draw.Fill(lines, w, h)
}

func findingRow(f table.View, x *model.Finding, r *table.Row) {
	if l := f.S.Lock(x.Lock); l != nil {
		f.Sees(l.Head())
	}
	FindingCells.Row(f, *x, r)
}

// inFull appends h lines at most with all that is known of a finding.
func (p *findingsPage) inFull(lines []string, f Frame, x *model.Finding, w, h int) []string {
	th := f.Th
	all := p.text(f, x, w, h)
	p.height = h - 1
	if f.Height >= TallFrom {
		p.height--
	}
	p.top = max(0, min(p.top, len(all)-p.height))
	st, sign := th.Severity(x.Severity)
	title := []draw.Span{st.Of(sign + " " + th.Problem(x)), draw.Dim.Of("  " + th.Say("since-and-how-sure", model.Verbatim(x.Since.In(f.Now.Location()).Format(time.TimeOnly)), model.Verbatim(th.FormatConfidence(x.Confidence))))}
	var hint []draw.Span
	if below := len(all) - p.top - p.height; below > 0 || p.top > 0 {
		hint = []draw.Span{draw.Accent.Of("tab"), draw.Dim.Of(" " + th.Say("scrolls-lines-below", draw.Counted(max(0, below))))}
	}
	if f.Height >= TallFrom {
		lines = append(lines, draw.Blank(w))
	}
	lines = append(lines, th.RulerWith(w, hint, title...))
	return append(lines, all[p.top:min(len(all), p.top+p.height)]...)
}

// text is all that is known of a finding: what is wrong, who waits for whom in a deadlock, what to do, the
// same by hand, and how it is known. Where the screen is high a blank line stands between the parts.
func (p *findingsPage) text(f Frame, x *model.Finding, w, h int) []string {
	th := f.Th
	var all []string
	part := func(title []draw.Span, hint []draw.Span, more ...string) {
		if len(more) == 0 {
			return
		}
		if f.Height >= TallFrom && len(all) > 0 {
			all = append(all, draw.Blank(w))
		}
		if title != nil {
			all = append(all, th.RulerWith(w, hint, title...))
		}
		all = append(all, more...)
	}
	part(nil, nil, th.OnlyText(w, sentenceOf(th, x)...)...)
	if l := f.S.Lock(x.Lock); l != nil && x.Code == model.CodeLockCycle {
		if ring := timeline.RingOf(f.View, l); ring != nil {
			part(nil, nil, ring.Lines(w, ringLines)...)
		}
	}
	part(nil, nil, th.OnlyText(w, adviceOf(th, x)...)...)
	key := func(k string, says model.MessageID) []draw.Span {
		return []draw.Span{draw.Accent.Of(k), draw.Dim.Of(" " + th.Say(says))}
	}
	part([]draw.Span{draw.Dim.Of(th.Say("how-we-know"))}, key("e", "explain"), th.OnlyText(w, evidenceOf(th, x)...)...)
	part([]draw.Span{draw.Dim.Of(th.Say("etcdctl-lines"))}, key("c", "key-copy"), th.OnlyText(w, commandsOf(th, x)...)...)
	return all
}

// textLeast is how many lines the text has at least on a low screen, its title included.
const textLeast = 3

// ringLines is how many lines the sessions of a deadlock take at most.
const ringLines = 6
