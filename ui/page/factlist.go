package page

import (
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/ui/draw"
)

// factList is a list of entries, newest at the bottom, with a cursor. It follows the end until a
// person moves up; then the cursor and the line at the bottom stay where they are, by their
// numbers.
type factList struct {
	matched []*journal.Entry
	pick    uint64           // Seq of the entry under the cursor, 0 follows the end
	anchor  uint64           // Seq of the entry at the bottom, 0 follows the end
	current *journal.Entry   // the one under the cursor as it was painted: a key is about what was seen
	lines   []*journal.Entry // which entry stands in each line of what was painted with it
	height  int
}

// factLook is how a list of entries looks.
type factLook struct {
	named  bool // each is named by its lock, where there is room
	most   int  // how many lines one takes at most
	cursor bool // one of them is under the cursor
}

// noLock says why a key that is about the lock of a line does nothing.
const noLock model.MessageID = "this-line-is-about-no-lock"

// lockOf is the lock of the line under the cursor, or why there is none to go to.
func (fl *factList) lockOf(f Frame) (l *locks.Lock, why string) {
	switch {
	case fl.current == nil:
		return nil, f.Th.Say("the-list-is-empty")
	case fl.current.Lock == "":
		return nil, f.Th.Say(noLock)
	}
	if l = f.S.Lock(fl.current.Lock); l == nil {
		why = f.Th.Say("has-no-keys-now", fl.current.Lock)
	}
	return l, why
}

// claim is the one of which the line tells, nil if it is gone.
func (fl *factList) claim(f Frame) *locks.Claim {
	if c := f.S.Claim(fl.current.Claim.Key); c != nil && c.Ref().Same(fl.current.Claim) {
		return c
	}
	return nil
}

// open asks for the queue of the lock of the line under the cursor, and the claim of which the line tells.
func (fl *factList) open(f Frame) Request {
	l, why := fl.lockOf(f)
	if l == nil {
		return Request{Why: why}
	}
	return Request{Show: ShowQueue, Lock: l.Name, Claim: fl.claim(f)}
}

// session is that of the claim of which the line tells, or else of the one that went.
func (fl *factList) session(f Frame) Request {
	if fl.current == nil {
		return Request{Why: f.Th.Say("the-list-is-empty")}
	}
	for _, c := range []model.ClaimRef{fl.current.Claim, fl.current.From} {
		if c.Lease != 0 && f.S.Lease(c.Lease) != nil {
			return Request{Show: ShowSession, Lease: c.Lease}
		}
	}
	return Request{Why: f.Th.Say("this-line-is-about-no-session")}
}

// finding is the one of which the line tells, while it stands, or else the worst one on its lock.
func (fl *factList) finding(f Frame) (*model.Finding, string) {
	l, why := fl.lockOf(f)
	if l == nil {
		return nil, why
	}
	all := f.S.FindingsOf(l)
	if i := slices.IndexFunc(all, func(x model.Finding) bool { return x.Code == fl.current.Code }); i >= 0 {
		return &all[i], ""
	}
	return findingAbout(f, l)
}

// target is the claim of which the line tells, or else what stands first in its lock.
func (fl *factList) target(f Frame) Target {
	l, why := fl.lockOf(f)
	if l == nil {
		return Target{Why: why}
	}
	if c := fl.claim(f); c != nil && c.Lock() == l {
		return Target{Lock: l, Claim: c}
	}
	return Target{Lock: l, Claim: l.Head(), LockOnly: true, Unchosen: true}
}

// place is where the entry of a number stands, or the one before it where it is gone.
func (fl *factList) place(seq uint64) int {
	return max(0, sort.Search(len(fl.matched), func(i int) bool { return fl.matched[i].Seq > seq })-1)
}

// bottom returns the place of the entry at the bottom, -1 if there is none.
func (fl *factList) bottom() int {
	if fl.anchor == 0 {
		return len(fl.matched) - 1
	}
	return min(fl.place(fl.anchor), len(fl.matched)-1)
}

// cursor returns the place of the entry under the cursor, -1 if there is none.
func (fl *factList) cursor() int {
	if fl.pick == 0 {
		return fl.bottom()
	}
	return min(fl.place(fl.pick), len(fl.matched)-1)
}

// selectEntry puts the cursor on an entry. The line at the bottom stays as long as it can.
func (fl *factList) selectEntry(i int) {
	last := len(fl.matched) - 1
	if last < 0 {
		return
	}
	i = max(0, min(i, last))
	if fl.current = fl.matched[i]; i == last {
		fl.pick, fl.anchor = 0, 0
		return
	}
	fl.anchor = fl.matched[max(i, fl.bottom())].Seq
	fl.pick = fl.matched[i].Seq
}

// click selects the entry of a line, and says whether there is one.
func (fl *factList) click(y int) bool {
	if y < 0 || y >= len(fl.lines) || fl.lines[y] == nil {
		return false
	}
	fl.selectEntry(fl.place(fl.lines[y].Seq))
	return true
}

// newerBelow says how many entries came after the one at the bottom, nothing for none.
func (fl *factList) newerBelow(f Frame) []draw.Span {
	if below := len(fl.matched) - 1 - fl.bottom(); below > 0 {
		return []draw.Span{draw.Late.Of(" " + f.Th.Sign.Dot + " " + f.Th.Say("newer-below", below))}
	}
	return nil
}

// paint appends as many entries up to the bottom as h lines have room for. Where the cursor is above
// them, it is in the first line and the bottom is further up.
func (fl *factList) paint(lines []string, f Frame, look factLook, w, h int) []string {
	h = max(0, h) // what stands above may take more than there is
	fl.height, fl.current, fl.lines = h, nil, fl.lines[:0]
	cursor, from := -1, len(lines)
	if at := fl.cursor(); at >= 0 && look.cursor {
		cursor, fl.current = at, fl.matched[at]
	}
	entry := func(i, room int) []string {
		return factLines(f, fl.matched[i], look.named, w, min(look.most, room), i == cursor)
	}
	painted := make([][]string, 0, h) // from the last entry up, or from the one under the cursor down
	room, top := h, fl.bottom()+1
	for ; top > 0 && room > 0; room -= len(painted[len(painted)-1]) {
		top--
		painted = append(painted, entry(top, room))
	}
	slices.Reverse(painted)
	if cursor >= 0 && cursor < top && h > 0 {
		painted, room, top = painted[:0], h, cursor
		for i := top; i < len(fl.matched) && room > 0; i++ {
			painted = append(painted, entry(i, room))
			room -= len(painted[len(painted)-1])
			fl.anchor = fl.matched[i].Seq
		}
	}
	for range from {
		fl.lines = append(fl.lines, nil)
	}
	for i, text := range painted {
		lines = append(lines, text...)
		for range text {
			fl.lines = append(fl.lines, fl.matched[top+i])
		}
	}
	return lines
}

// How wide a line of an entry is from which it says more than its sign, and from which its lock stands in
// front of what happened to it; and how many cells the name of a lock takes there.
const (
	timedFrom = 50
	namedFrom = 90
	lockLeast = 12
	lockMost  = 24
)

// factLines writes an entry into at most so many lines of exactly w cells.
func factLines(f Frame, e *journal.Entry, named bool, w, most int, chosen bool) []string {
	sign, st := f.Th.FactSign(e)
	blank := draw.Plain.Of(" ")
	margin, words := blank, draw.Plain
	line := func(spans []draw.Span) string { return f.Th.Line(w, spans, nil) }
	if chosen {
		margin, words = draw.Accent.Of(f.Th.Sign.Cursor), draw.Strong
		line = func(spans []draw.Span) string { return f.Th.ChosenLine(w, spans) }
	}
	lead := append(make([]draw.Span, 0, 9), margin)
	if w >= timedFrom {
		lead = append(lead, blank, draw.Dim.Of(f.Th.FactClock(e, draw.ClockBrief)), blank)
	}
	lead = append(lead, st.Of(sign), blank)
	say := f.Th.Sentence
	switch {
	case !named:
		say = f.Th.SentenceHere
	case w >= namedFrom:
		name := draw.Dim
		if e.Lock == f.Locks.Pick.ID {
			name = draw.Strong
		}
		room := factNames(f, w)
		lock := f.Th.CutPath(f.Th.Clean(e.Lock), room)
		lead = append(lead, name.Of(lock), draw.Plain.Of(draw.Blank(room+2-draw.Width(lock))))
		say = f.Th.SentenceHere
	}
	at := draw.WidthOf(lead)
	said := f.Th.Wrap(say(f.S, e), max(1, w-at-1), max(1, most))
	inside := false
	for i, text := range said {
		if i > 0 {
			lead = []draw.Span{margin, draw.Plain.Of(draw.Blank(at - 1))}
		}
		said[i] = line(append(lead, asides(text, words, &inside)...))
	}
	return said
}

// asides are a line of a sentence: what stands in brackets matters less. inside says whether it begins in
// them, and then whether it ends so.
func asides(text string, st draw.Style, inside *bool) (spans []draw.Span) {
	for text != "" {
		to := strings.IndexAny(text, "(（")
		now := st
		if *inside {
			if to, now = strings.IndexAny(text, ")）"), draw.Dim; to >= 0 {
				_, n := utf8.DecodeRuneInString(text[to:])
				to += n
			}
		}
		if to < 0 {
			return append(spans, now.Of(text))
		}
		spans, text, *inside = append(spans, now.Of(text[:to])), text[to:], !*inside
	}
	return spans
}

// factNames is how many cells the names of locks take in lines of w cells, 0 where they stand in the sentences.
func factNames(f Frame, w int) int {
	if w < namedFrom {
		return 0
	}
	return min(max(lockLeast, f.Locks.Order.Longest), lockMost, w/4)
}

// factHead is the line of titles above entries that are named by their locks.
func factHead(f Frame, w int) string {
	title := "  " + draw.PadTo(f.Th.Say("title-time"), draw.ClockBrief+3)
	if n := factNames(f, w); n > 0 {
		title += draw.PadTo(f.Th.Say("title-lock"), n+2)
	}
	return f.Th.Line(w, []draw.Span{draw.Heading.Of(title + f.Th.Say("title-who-and-how"))}, nil)
}

// lastFacts appends the newest entries that h lines have room for, newest last; named says the
// lock of each.
func lastFacts(lines []string, f Frame, facts []*journal.Entry, named bool, w, h int) []string {
	list := factList{matched: facts}
	return list.last(lines, f, factLook{named: named}, w, h)
}

// entryWhole is how many lines an entry takes where all have room.
const entryWhole = 8

// wholeFrom is from how many lines on an entry takes two of them under a picture: on fewer more entries say
// more, and so they do where each has its lock in front.
const wholeFrom = 4

// fits says whether all entries have room as a whole.
func (fl *factList) fits(f Frame, named bool, w, h int) bool {
	lines := 0
	for i := 0; i < len(fl.matched) && lines <= h; i++ {
		lines += len(factLines(f, fl.matched[i], named, w, entryWhole, false))
	}
	return lines <= h
}

// last is [factList.paint] under a picture, or why there is nothing.
func (fl *factList) last(lines []string, f Frame, look factLook, w, h int) []string {
	look.most = 1
	switch {
	case fl.fits(f, look.named, w, h):
		look.most = entryWhole
	case !look.named && h >= wholeFrom:
		look.most = 2
	}
	none := ""
	switch since := f.S.Timeline().Start(); {
	case len(fl.matched) > 0 || h <= 0:
	case !f.Axis.At().IsZero():
		none = f.Th.Say("the-journal-does-not-go-back")
	case !since.IsZero():
		none = f.Th.Say("nothing-since", model.Verbatim(since.In(f.Now.Location()).Format(time.TimeOnly)))
	}
	if none != "" {
		fl.height, fl.current, fl.lines = h, nil, nil
		return append(lines, f.Th.Line(w, []draw.Span{draw.Dim.Of("  " + none)}, nil))
	}
	return fl.paint(lines, f, look, w, h)
}
