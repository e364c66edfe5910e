package page

import (
	"slices"
	"sort"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/text"
	"locktop/ui/draw"
)

// journalPage shows the entries, newest at the bottom, with a cursor. It follows the end until a
// person moves up; then the cursor and the line at the bottom stay where they are, by their
// numbers.
type journalPage struct {
	Usual
	filter string
	lock   string // only this one, "" for all

	pick    uint64           // Seq of the entry under the cursor, 0 follows the end
	current *journal.Entry   // the one under the cursor as it was painted: a key is about what was seen
	lines   []*journal.Entry // which entry stands in each line of the page
	anchor  uint64           // Seq of the entry at the bottom, 0 follows the end
	matched []*journal.Entry
	scanned uint64 // Seq up to which matched is complete
	stories uint64 // version of what is told together then
	height  int

	at     time.Time // of the cursor of the axis, as far as the journal followed it
	before bool      // nothing of that time is kept
}

// newJournal returns the page.
func newJournal() Page { return &journalPage{} }

// entryLinesMax bounds how many lines one entry may take.
const entryLinesMax = 3

func (p *journalPage) About() About {
	return About{Title: "Journal", Label: "page-journal", Go: "go-to-journal", Shows: ShowJournal}
}

func (p *journalPage) Keys() []Key {
	return []Key{
		{Keys: []string{"f"}, Group: KeysOfLists, Short: "key-this-lock", What: "only-the-lock-of-this-line", Do: p.turn},
		QueueOf(p.Lock),
		{Keys: []string{"o"}, Group: KeysThatOpen, Short: "key-session", What: "go-to-the-session-of-the", Some: true, Do: p.session},
	}
}

// noLock says why a key that is about the lock of a line does nothing.
const noLock model.MessageID = "this-line-is-about-no-lock"

// lockOf is the lock of the line under the cursor, or why there is none to go to.
func (p *journalPage) lockOf(f Frame) (l *locks.Lock, why string) {
	switch {
	case p.current == nil:
		return nil, f.Th.Say("the-list-is-empty")
	case p.current.Lock == "":
		return nil, f.Th.Say(noLock)
	}
	if l = f.S.Lock(p.current.Lock); l == nil {
		why = f.Th.Say("has-no-keys-now", p.current.Lock)
	}
	return l, why
}

// Lock is that of the line under the cursor, and the claim of which the line tells.
func (p *journalPage) Lock(f Frame) Request {
	l, why := p.lockOf(f)
	if l == nil {
		return Request{Why: why}
	}
	r := Request{Show: ShowQueue, Lock: l.Name}
	if c := f.S.Claim(p.current.Claim.Key); c != nil && c.Ref().Same(p.current.Claim) {
		r.Claim = c
	}
	return r
}

// session is that of the claim of which the line tells, or else of the one that went.
func (p *journalPage) session(f Frame) Request {
	if p.current == nil {
		return Request{Why: f.Th.Say("the-list-is-empty")}
	}
	for _, c := range []model.ClaimRef{p.current.Claim, p.current.From} {
		if c.Lease != 0 && f.S.Lease(c.Lease) != nil {
			return Request{Show: ShowSession, Lease: c.Lease}
		}
	}
	return Request{Why: f.Th.Say("this-line-is-about-no-session")}
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

func (p *journalPage) Move(_ Frame, n int)         { p.scroll(n) }
func (p *journalPage) Step() int                   { return max(1, p.height-2) }
func (p *journalPage) Empty() bool                 { return len(p.matched) == 0 }
func (p *journalPage) Show(_ Frame, r Request)     { p.narrow(r.Lock) }
func (p *journalPage) Spot() string                { return p.lock }
func (p *journalPage) Return(_ Frame, lock string) { p.narrow(lock) }

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

// Click selects the entry of a line.
func (p *journalPage) Click(_ Frame, _, y int) bool {
	if y < 0 || y >= len(p.lines) || p.lines[y] == nil {
		return false
	}
	p.to(p.place(p.lines[y].Seq))
	return true
}

// Finding is the one of which the line tells, while it stands, or else the worst one on its lock.
func (p *journalPage) Finding(f Frame) (*model.Finding, string) {
	l, why := p.lockOf(f)
	if l == nil {
		return nil, why
	}
	all := f.S.FindingsOf(l)
	if i := slices.IndexFunc(all, func(x model.Finding) bool { return x.Code == p.current.Code }); i >= 0 {
		return &all[i], ""
	}
	return FindingAbout(f, l)
}

func (p *journalPage) Commands(f Frame) (about string, lines []string) {
	for _, prefix := range f.Prefixes {
		lines = append(lines, "etcdctl watch --prefix "+quote(prefix))
	}
	return f.Th.Say("what-happens-from-now-on"), lines
}

// quote quotes for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

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
	keep := Matcher(p.filter)
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

// place is where the entry of a number stands, or the one before it where it is gone.
func (p *journalPage) place(seq uint64) int {
	return max(0, sort.Search(len(p.matched), func(i int) bool { return p.matched[i].Seq > seq })-1)
}

// bottom returns the place of the entry at the bottom, -1 if there is none.
func (p *journalPage) bottom() int {
	if p.anchor == 0 {
		return len(p.matched) - 1
	}
	return p.place(p.anchor)
}

// cursor returns the place of the entry under the cursor, -1 if there is none.
func (p *journalPage) cursor() int {
	if p.pick == 0 {
		return p.bottom()
	}
	return min(p.place(p.pick), len(p.matched)-1)
}

// scroll moves the cursor by n entries; at the end it follows again.
func (p *journalPage) scroll(n int) {
	switch {
	case len(p.matched) == 0:
	case p.before && p.anchor == 0:
		p.anchor = p.matched[0].Seq
	default:
		p.to(p.cursor() + n)
	}
}

// to puts the cursor on an entry. The line at the bottom stays as long as it can.
func (p *journalPage) to(i int) {
	last := len(p.matched) - 1
	if i >= last {
		p.pick, p.anchor = 0, 0
		return
	}
	i = max(0, i)
	p.anchor = p.matched[max(i, p.bottom())].Seq
	p.pick = p.matched[i].Seq
}

// Paint returns the lines of the page.
func (p *journalPage) Paint(f Frame, w, h int) []string {
	p.update(f)
	p.follow(f)
	p.height, p.current, p.lines = max(0, h-1), nil, make([]*journal.Entry, h)
	if h >= aboutFrom && len(p.matched) > 0 {
		p.height -= aboutLines
	}
	if p.before && p.anchor == 0 {
		return draw.Fill([]string{p.title(f, w), f.Th.Line(w, []draw.Span{draw.Dim.Of("  " + f.Th.Say("the-journal-does-not-go-back"))}, nil)}, w, h)
	}
	at := p.cursor()
	text := p.window(f, w, at)
	lines := append(make([]string, 0, h), p.title(f, w))
	for i, t := range text {
		p.lines[1+i] = t.entry
		lines = append(lines, t.line)
	}
	if at >= 0 {
		p.current = p.matched[at]
	}
	if len(lines) == 1 && h > 1 {
		lines = append(lines, f.Th.Line(w, []draw.Span{draw.Dim.Of("  " + p.nothingYet(f))}, nil))
	}
	if p.current != nil && h >= aboutFrom {
		lines = append(draw.Fill(lines, w, 1+p.height), p.about(f, p.current, w)...)
	}
	return draw.Fill(lines, w, h)
}

// aboutFrom is the height from which the page says below what is known of the line under the
// cursor, and aboutLines how many lines that takes.
const (
	aboutFrom  = 22
	aboutLines = 5
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
	default:
		lines = append(lines, row(th.Say("what"), th.Kind(e.Kind)))
	}
	if l != nil {
		c := th.FormatCondition(status.ConditionOf(f.S, l))
		lines = append(lines, row(th.Say("now"), strings.TrimSpace(c.Text)+", "+th.Say("claims-and-waiters", l.Len(), l.Behind())))
	}
	return draw.Fill(lines, w, aboutLines)
}

// painted is a line of an entry.
type painted struct {
	entry *journal.Entry
	line  string
}

// window paints as many entries up to the bottom as there is room for. Where the cursor is above
// them, it is in the first line and the bottom is further up.
func (p *journalPage) window(f Frame, w, cursor int) (text []painted) {
	room := p.height
	entry := func(i, most int) (all []painted) {
		for _, line := range factLines(f, p.matched[i], w, most, i == cursor) {
			all = append(all, painted{p.matched[i], line})
		}
		return all
	}
	seen := cursor < 0
	for i := p.bottom(); i >= 0 && len(text) < room; i-- {
		text = append(entry(i, min(entryLinesMax, room-len(text))), text...)
		seen = seen || i == cursor
	}
	if seen || room == 0 {
		return text
	}
	text = nil
	for i := cursor; i < len(p.matched) && len(text) < room; i++ {
		text = append(text, entry(i, min(entryLinesMax, room-len(text)))...)
		p.anchor = p.matched[i].Seq
	}
	return text
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
	t = append(t, draw.Dim.Of(" "+f.Th.Sign.Dot+" "+f.Th.Say("lines-counted", draw.Counted(len(p.matched)))))
	if below := len(p.matched) - 1 - p.bottom(); below > 0 {
		t = append(t, draw.Late.Of(" "+f.Th.Sign.Dot+" "+f.Th.Say("newer-below", below)))
	}
	return f.Th.Ruler(w, append(t, f.AsOf()...)...)
}

// namedFrom is the width from which the lock of an entry stands in front of what happened to it, and
// lockLeast how many cells its name has at least.
const (
	namedFrom = 100
	lockLeast = 12
)

// factLines writes an entry into at most so many lines of exactly w cells. Where there is
// little room the sign says its kind, and the second is enough.
func factLines(f Frame, fact *journal.Entry, w, most int, chosen bool) []string {
	sign, st := f.Th.FactSign(fact)
	indent := []draw.Span{draw.Dim.Of(f.Th.FactClock(fact, draw.ClockBrief) + " "), st.Of(sign + " ")}
	say := f.Th.Sentence
	if w >= namedFrom && f.Th.Lang != text.Chinese { // that language names the lock in the sentence
		name := draw.Dim
		if fact.Lock == f.Locks.Pick.ID {
			name = draw.Strong
		}
		room := max(lockLeast, min(lockMost, f.Locks.Order.Longest))
		lock := f.Th.CutPath(f.Th.Clean(fact.Lock), room)
		indent = append(indent, name.Of(lock), draw.Plain.Of(draw.Blank(room+2-draw.Width(lock))))
		say = f.Th.SentenceHere
	}
	if w < 50 {
		indent = []draw.Span{st.Of(sign + " ")}
	}
	margin, words := draw.Plain.Of(" "), draw.Plain
	if chosen {
		margin, words = draw.Accent.Of(f.Th.Sign.Cursor), draw.Strong
	}
	if w >= 50 {
		margin.Text += " "
	}
	indent = append([]draw.Span{margin}, indent...)
	iw := draw.WidthOf(indent)
	said := f.Th.Wrap(say(f.S, fact), w-iw, most)
	lines := []string{f.Th.Line(w, append(indent, words.Of(said[0])), nil)}
	for _, more := range said[1:] {
		lines = append(lines, f.Th.Line(w, []draw.Span{margin, words.Of(string(draw.Pad(nil, iw-draw.Width(margin.Text))) + more)}, nil))
	}
	return lines
}
