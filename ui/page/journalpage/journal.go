package journalpage

import (
	"sort"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// journalPage shows the entries, newest at the bottom. It follows the end until a
// person scrolls up; then the line at the bottom stays where it is, by its number.
type journalPage struct {
	page.Usual
	filter string
	lock   string // only this one, "" for all

	anchor  uint64 // Seq of the entry at the bottom, 0 follows the end
	matched []*journal.Entry
	scanned uint64 // Seq up to which matched is complete
	stories uint64 // version of what is told together then
	height  int

	at     time.Time // of the cursor of the axis, as far as the journal followed it
	before bool      // nothing of that time is kept
}

// New returns the page.
func New() page.Page { return &journalPage{} }

// wrapMax bounds how many lines one entry may take.
const wrapMax = 3

func (p *journalPage) About() page.About {
	return page.About{Title: "Journal", Shows: page.ShowJournal}
}

func (p *journalPage) Keys() []page.Key {
	return []page.Key{{Keys: []string{"f"}, Group: page.KeysOfLists, Short: "this lock", What: "only the selected lock, or all again", Do: p.turn}, page.QueueOf(p.Lock)}
}

// Lock is the one whose journal is shown, or else the selected one.
func (p *journalPage) Lock(f page.Frame) page.Request {
	if p.lock != "" {
		return page.Request{Show: page.ShowQueue, Lock: p.lock}
	}
	return p.Usual.Lock(f)
}

// turn goes from all locks to the selected one, and back.
func (p *journalPage) turn(f page.Frame) page.Request {
	switch {
	case p.lock != "":
		p.only("")
	case f.Locks.Pick.ID == "":
		return page.Request{Why: "no lock is selected"}
	default:
		p.only(f.Locks.Pick.ID)
	}
	return page.Request{}
}

func (p *journalPage) Move(_ page.Frame, n int)          { p.scroll(n) }
func (p *journalPage) Step() int                         { return max(1, p.height-2) }
func (p *journalPage) Show(_ page.Frame, r page.Request) { p.only(r.Lock) }
func (p *journalPage) Spot() string                      { return p.lock }
func (p *journalPage) Return(_ page.Frame, lock string)  { p.only(lock) }

func (p *journalPage) Back(f page.Frame) bool {
	if f.Axis.Now() {
		return true
	}
	if p.filter != "" {
		p.SetFilter("")
	} else {
		p.only("")
	}
	return true
}

// Finding is about the lock whose journal is shown, or else the selected one.
func (p *journalPage) Finding(f page.Frame) (*model.Finding, string) {
	if l := f.S.Lock(p.lock); l != nil {
		return page.FindingAbout(f, l)
	}
	return p.Usual.Finding(f)
}

func (p *journalPage) Commands(f page.Frame) (about string, lines []string) {
	for _, prefix := range f.Prefixes {
		lines = append(lines, "etcdctl watch --prefix "+quote(prefix))
	}
	return "what happens from now on", lines
}

// quote quotes for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (p *journalPage) Filter() string { return p.filter }
func (p *journalPage) Hits() string   { return page.Hits(p.filter, draw.Plural(len(p.matched), "line")) }

func (p *journalPage) SetFilter(text string) {
	if p.filter != text {
		p.filter = text
		p.rescan()
	}
}

// only shows the entries of one lock, of all if it is "".
func (p *journalPage) only(lock string) {
	if p.lock != lock {
		p.lock = lock
		p.rescan()
	}
}

func (p *journalPage) rescan() { p.matched, p.scanned, p.anchor, p.at = nil, 0, 0, time.Time{} }

// follow goes to the moment of the cursor of the axis when that moved, and to the end when it
// went back to now.
func (p *journalPage) follow(f page.Frame) {
	at := f.Axis.At()
	if at.Equal(p.at) {
		return
	}
	p.at, p.anchor, p.before = at, 0, false
	if at.IsZero() {
		return
	}
	upTo := f.UpTo(p.matched)
	if p.before = len(upTo) == 0; !p.before {
		p.anchor = upTo[len(upTo)-1].Seq
	}
}

// update looks at the entries that came since, and forgets those that the state
// has forgotten.
func (p *journalPage) update(f page.Frame) {
	facts := f.S.Journal()
	if len(facts) == 0 {
		return
	}
	if v := f.S.StoryVersion(); v != p.stories { // lines that were there are told by another one now
		p.matched, p.scanned, p.stories = nil, 0, v
	}
	keep := page.Matcher(p.filter)
	from := sort.Search(len(facts), func(i int) bool { return facts[i].Seq > p.scanned })
	for _, fact := range facts[from:] {
		if p.lock != "" && fact.Lock != p.lock || p.lock == "" && p.filter == "" && fact.Part() {
			continue
		}
		if n := len(p.matched); n > 0 && p.lock == "" && sameFinding(p.matched[n-1], fact) {
			continue // of another lock, in the same words
		}
		if keep == nil || keep(f.Th.Sentence(f.S, fact), string(fact.Kind)) {
			p.matched = append(p.matched, fact)
		}
	}
	p.scanned = facts[len(facts)-1].Seq
	old := sort.Search(len(p.matched), func(i int) bool { return p.matched[i].Seq >= facts[0].Seq })
	p.matched = p.matched[old:]
}

// sameFinding says whether two entries say the same of two locks, as a deadlock of both is.
func sameFinding(a, b *journal.Entry) bool {
	return a.Kind == journal.Finding && b.Kind == journal.Finding && a.Text == b.Text && a.At.Equal(b.At)
}

// bottom returns the place of the entry at the bottom, -1 if there is none.
func (p *journalPage) bottom() int {
	if p.anchor == 0 {
		return len(p.matched) - 1
	}
	i := sort.Search(len(p.matched), func(i int) bool { return p.matched[i].Seq > p.anchor })
	return max(0, i-1)
}

// scroll moves by n entries; at the end it follows again.
func (p *journalPage) scroll(n int) {
	i := p.bottom() + n
	switch {
	case len(p.matched) == 0:
	case p.before && p.anchor == 0:
		p.anchor = p.matched[0].Seq
	case i >= len(p.matched)-1:
		p.anchor = 0
	default:
		p.anchor = p.matched[max(0, i)].Seq
	}
}

// Paint returns the lines of the page.
func (p *journalPage) Paint(f page.Frame, w, h int) []string {
	p.update(f)
	p.follow(f)
	p.height = max(0, h-1)
	if p.before && p.anchor == 0 {
		return draw.Fill([]string{p.title(f, w), f.Th.Line(w, []draw.Span{draw.Dim.Of(page.TooFarBack)}, nil)}, w, h)
	}
	lines := make([]string, h) // filled from the bottom
	y := h
	for i := p.bottom(); i >= 0 && y > 1; i-- {
		text := factLines(f, p.matched[i], w, min(wrapMax, y-1))
		for j := len(text) - 1; j >= 0 && y > 1; j-- {
			y--
			lines[y] = text[j]
		}
	}
	lines = append([]string{p.title(f, w)}, lines[y:]...)
	if len(lines) == 1 && h > 1 {
		lines = append(lines, f.Th.Line(w, []draw.Span{draw.Dim.Of("  Nothing has happened yet" + p.scope(f))}, nil))
	}
	return draw.Fill(lines, w, h)
}

func (p *journalPage) scope(f page.Frame) string {
	switch {
	case p.lock != "":
		return " to " + f.Th.Clean(p.lock)
	case p.filter != "":
		return " that fits the filter"
	}
	return ""
}

func (p *journalPage) title(f page.Frame, w int) string {
	t := []draw.Span{draw.Strong.Of("journal")}
	if p.lock != "" {
		t = append(t, draw.Plain.Of(" of "), draw.Accent.Of(f.Th.CutPath(f.Th.Clean(p.lock), 40)))
	}
	t = append(t, draw.Dim.Of(" "+f.Th.Sign.Dot+" "+draw.Plural(len(p.matched), "line")))
	if below := len(p.matched) - 1 - p.bottom(); below > 0 {
		t = append(t, draw.Late.Of(" "+f.Th.Sign.Dot+" "+strconv.Itoa(below)+" newer below, G goes there"))
	}
	return f.Th.Ruler(w, append(t, f.AsOf()...)...)
}

// factLines writes an entry into at most so many lines of exactly w cells. Where there is
// little room the sign says its kind, and the second is enough.
func factLines(f page.Frame, fact *journal.Entry, w, most int) []string {
	sign, st := f.Th.FactSign(fact)
	indent := []draw.Span{draw.Dim.Of(draw.FactClock(fact)[:8] + " "), st.Of(sign + " ")}
	if w >= 100 {
		rev := ""
		if fact.Rev > 0 {
			rev = draw.Count(fact.Rev)
		}
		kind := string(fact.Kind)
		indent = []draw.Span{
			draw.Dim.Of(draw.FactClock(fact) + " " + draw.Blanks[:max(0, 10-len(rev))] + rev + "  "),
			st.Of(sign + " " + kind + draw.Blanks[:max(0, 9-len(kind))]),
		}
	}
	if w < 50 {
		indent = []draw.Span{st.Of(sign + " ")}
	}
	iw := 0
	for _, sp := range indent {
		iw += draw.Width(sp.Text)
	}
	text := f.Th.Wrap(f.Th.Sentence(f.S, fact), w-iw, most)
	lines := []string{f.Th.Line(w, append(indent, draw.Plain.Of(text[0])), nil)}
	for _, more := range text[1:] {
		lines = append(lines, f.Th.Line(w, []draw.Span{draw.Plain.Of(string(draw.Pad(nil, iw)) + more)}, nil))
	}
	return lines
}
