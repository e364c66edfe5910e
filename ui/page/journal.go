package page

import (
	"sort"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/status"
	"locktop/ui/draw"
)

// journalPage shows the entries, of all locks or of one.
type journalPage struct {
	Usual
	factList
	filter string
	lock   string // only this one, "" for all

	scanned uint64 // Seq up to which the list is complete
	stories uint64 // version of what is told together then

	at     time.Time // of the cursor of the axis, as far as the journal followed it
	before bool      // nothing of that time is kept
}

func newJournal() Page { return &journalPage{} }

// entryLinesMax bounds how many lines one entry may take.
const entryLinesMax = 3

func (p *journalPage) About() About {
	return About{Title: "Journal", Label: "page-journal", Go: "go-to-journal", Shows: ShowJournal, SaysFilter: true}
}

func (p *journalPage) Keys() []Key {
	return []Key{
		{Keys: []string{"f"}, Group: KeysOfLists, Short: "key-this-lock", What: "only-the-lock-of-this-line", Do: p.turn},
		queueOf(p.open),
		{Keys: []string{"o"}, Group: KeysThatOpen, Short: "key-session", What: "go-to-the-session-of-the", Some: true, Do: p.session},
	}
}

// turn goes from all locks to that of the line, and back.
func (p *journalPage) turn(f Frame) Request {
	switch {
	case p.lock != "":
		p.narrow("")
	case p.current == nil || p.current.Lock == "":
		return Request{Why: f.Th.Say(noLock)}
	default:
		p.narrow(p.current.Lock)
	}
	return Request{}
}

func (p *journalPage) Move(_ Frame, n int)          { p.scroll(n) }
func (p *journalPage) Click(_ Frame, _, y int) bool { return p.click(y) }
func (p *journalPage) Lock(f Frame) Request         { return p.open(f) }
func (p *journalPage) Step() int                    { return max(1, p.height-2) }
func (p *journalPage) Empty() bool                  { return len(p.matched) == 0 }
func (p *journalPage) Show(_ Frame, r Request)      { p.narrow(r.Lock) }
func (p *journalPage) Spot() string                 { return p.lock }
func (p *journalPage) Return(_ Frame, lock string)  { p.narrow(lock) }

func (p *journalPage) Back(f Frame) bool {
	if f.Axis.Now() {
		return true
	}
	if p.filter != "" {
		p.SetFilter("")
	} else {
		p.narrow("")
	}
	return true
}

// Finding is the one of which the line under the cursor tells, or else the worst one on its lock.
func (p *journalPage) Finding(f Frame) (*model.Finding, string) { return p.finding(f) }

func (p *journalPage) Commands(f Frame) (about string, lines []string) {
	for _, prefix := range f.Prefixes {
		lines = append(lines, "etcdctl watch --prefix "+model.ShellQuote(prefix))
	}
	return f.Th.Say("what-happens-from-now-on"), lines
}

func (p *journalPage) Filter() string { return p.filter }
func (p *journalPage) Hits() model.Message {
	return Hits(p.filter, model.Say("lines-counted", draw.Counted(len(p.matched))))
}

func (p *journalPage) SetFilter(text string) {
	if p.filter != text {
		p.filter = text
		p.rescan()
	}
}

// narrow shows the entries of one lock, of all if it is "".
func (p *journalPage) narrow(lock string) {
	if p.lock != lock {
		p.lock = lock
		p.rescan()
	}
}

func (p *journalPage) rescan() { p.matched, p.scanned, p.anchor, p.at = nil, 0, 0, time.Time{} }

// follow goes to the moment of the cursor of the axis when that moved, and to the end when it
// went back to now.
func (p *journalPage) follow(f Frame) {
	at := f.Axis.At()
	if at.Equal(p.at) {
		return
	}
	p.at, p.pick, p.anchor, p.before = at, 0, 0, false
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
func (p *journalPage) update(f Frame) {
	facts := f.S.Journal()
	if len(facts) == 0 {
		return
	}
	if v := f.S.StoryVersion(); v != p.stories { // lines that were there are told by another one now
		p.matched, p.scanned, p.stories = nil, 0, v
	}
	keep := matcher(p.filter)
	from := sort.Search(len(facts), func(i int) bool { return facts[i].Seq > p.scanned })
	for _, fact := range facts[from:] {
		if p.lock != "" && fact.Lock != p.lock || p.lock == "" && p.filter == "" && fact.Part() {
			continue
		}
		if n := len(p.matched); n > 0 && p.lock == "" && fact.Repeats(p.matched[n-1]) {
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

// scroll moves the cursor by n entries; at the end it follows again.
func (p *journalPage) scroll(n int) {
	switch {
	case len(p.matched) == 0:
	case p.before && p.anchor == 0:
		p.anchor = p.matched[0].Seq
	default:
		p.selectEntry(p.cursor() + n)
	}
}

// Paint returns the lines of the page.
func (p *journalPage) Paint(f Frame, w, h int) []string {
	p.update(f)
	p.follow(f)
	room := max(0, h-1)
	if h >= aboutFrom && len(p.matched) > 0 {
		room -= aboutLines
	}
	if p.before && p.anchor == 0 {
		p.current, p.lines = nil, nil
		return draw.Fill([]string{p.title(f, w), f.Th.Line(w, []draw.Span{draw.Dim.Of("  " + f.Th.Say("the-journal-does-not-go-back"))}, nil)}, w, h)
	}
	lines := append(make([]string, 0, h), p.title(f, w))
	if w >= timedFrom && h >= headedFrom && len(p.matched) > 0 {
		lines = append(lines, factHead(f, w))
		room--
	}
	from := len(lines)
	lines = p.paint(lines, f, factLook{named: true, most: entryLinesMax, cursor: true}, w, room)
	if len(lines) == from && h > 1 {
		lines = append(lines, f.Th.Line(w, []draw.Span{draw.Dim.Of("  " + p.nothingYet(f))}, nil))
	}
	if p.current != nil && h >= aboutFrom {
		lines = append(draw.Fill(lines, w, h-aboutLines), p.about(f, p.current, w)...)
	}
	return draw.Fill(lines, w, h)
}

// headedFrom is the height from which the lines have titles above them.
const headedFrom = 8

// aboutFrom is the height from which the page says below what is known of the line under the
// cursor, and aboutLines how many lines that takes.
const (
	aboutFrom  = 22
	aboutLines = 7
)

// about says what is known of an entry beside its sentence: when and at which revision, how sure
// its cause is and why, and how its lock is now.
func (p *journalPage) about(f Frame, e *journal.Entry, w int) []string {
	th := f.Th
	title := []draw.Span{draw.Dim.Of(th.Say("this-line"))}
	var hint []draw.Span
	l := f.S.Lock(e.Lock)
	if e.Lock != "" {
		title = append(title, draw.Plain.Of("  "), draw.Strong.Of(th.CutPath(th.Clean(e.Lock), 48)))
		hint = []draw.Span{draw.Accent.Of("enter"), draw.Dim.Of(" " + th.Say("opens-the-lock") + "   "), draw.Accent.Of("f"), draw.Dim.Of(" " + th.Say("its-lines-only"))}
	}
	row := func(label, said string) string {
		return th.Line(w, []draw.Span{draw.Dim.Of("  " + draw.PadTo(label, 7)), draw.Plain.Of(th.Cut(said, w-10))}, nil)
	}
	when := th.FactClock(e, draw.ClockCells)
	if e.Rev > 0 {
		when = th.Say("at-revision", model.Verbatim(when), model.Verbatim(draw.Count(e.Rev)))
	}
	lines := []string{draw.Blank(w), th.RulerWith(w, hint, title...), row(th.Say("when"), when)}
	switch sure := e.Confidence; {
	case sure != "" && !e.Evidence.IsZero():
		lines = append(lines, row(th.Say("sure"), th.Say("sure-since", sure, e.Evidence)))
	case sure != "":
		lines = append(lines, row(th.Say("sure"), th.FormatConfidence(sure)))
	}
	if e.Claim.Key != "" {
		key := th.Clean(e.Claim.Key)
		if e.Claim.Lease != 0 {
			key = th.Say("key-and-lease", model.Verbatim(key), e.Claim.Lease)
		}
		lines = append(lines, row(th.Say("key-word"), key))
	}
	if e.Kind == journal.Handover && !e.Past {
		gap := th.Say("nobody-held-for", e.Gap)
		if e.Gap == 0 {
			gap = th.Say("no-gap")
		}
		lines = append(lines, row(th.Say("gap"), gap))
	}
	if l != nil {
		how := strings.TrimSpace(th.FormatCondition(status.ConditionOf(f.S, l)).Text)
		if l.Len() > 0 {
			how += ", " + th.Say("claims-and-waiters", l.Len(), l.Behind())
		}
		lines = append(lines, row(th.Say("now"), how))
	}
	return draw.Fill(lines, w, aboutLines)
}

// nothingYet says that there is no line.
func (p *journalPage) nothingYet(f Frame) string {
	switch {
	case p.lock != "":
		return f.Th.Say("nothing-has-happened-to", p.lock)
	case p.filter != "":
		return f.Th.Say("nothing-has-happened-that-fits")
	}
	return f.Th.Say("nothing-has-happened-yet")
}

func (p *journalPage) title(f Frame, w int) string {
	t := []draw.Span{draw.Strong.Of(f.Th.Say("journal"))}
	if p.lock != "" {
		t = append(t, draw.Plain.Of(" "+f.Th.Say("of-word")+" "), draw.Accent.Of(f.Th.CutPath(f.Th.Clean(p.lock), 40)))
	}
	count := f.Th.Say("lines-counted", draw.Counted(len(p.matched)))
	if p.filter != "" {
		count = f.Th.Say("of-lines", draw.Counted(len(p.matched)), draw.Counted(len(f.S.Journal())))
	}
	t = append(t, draw.Dim.Of("  "+count))
	t = append(t, filteredBy(f.Th, p.filter)...)
	t = append(t, p.newerBelow(f)...)
	var hint []draw.Span
	if p.bottom() == len(p.matched)-1 {
		hint = []draw.Span{draw.Dim.Of(f.Th.Say("newest-below"))}
	}
	return f.Th.RulerWith(w, hint, append(t, f.AsOf()...)...)
}
