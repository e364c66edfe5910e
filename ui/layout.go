package ui

import (
	"slices"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// Sizes at which parts of the screen come in.
const (
	leastWidth, leastHeight = 20, 5
	tabsFrom                = 8
	footerFrom              = 7
	noticeFrom              = 18
	lessonLeast             = 2
)

// rect is a part of the screen, in cells.
type rect struct{ x, y, w, h int }

func (r rect) contains(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// layout is where everything stands. A part without height is not shown. A notice that has
// no line of its own stands over the last one of the page.
type layout struct {
	w, h   int
	tiny   bool // one line is all there is
	status rect
	tabs   rect
	// verdict is what is wrong, above the page. Where there is room a blank line stands
	// before it, and one after it.
	verdict rect
	main    rect
	lesson  rect // under it, or at its left
	picture rect // of a lesson at the left, under the page
	notice  rect
	footer  rect
}

// arrange cuts the screen up, by its size alone but for two: lesson is how many lines the
// pane of a lesson would like to have, and verdict how many the verdict takes, 0 if there is
// none. So nothing on the screen moves when its content changes, unless one of these comes.
func arrange(w, h, lesson, verdict int) layout {
	l := layout{w: w, h: h}
	if w < leastWidth || h < leastHeight {
		l.tiny = true
		l.status = rect{0, 0, w, min(1, h)}
		return l
	}
	top, bottom := 0, h
	line := func(from int, r *rect, atTop bool) {
		if h < from {
			return
		}
		if atTop {
			*r = rect{0, top, w, 1}
			top++
			return
		}
		bottom--
		*r = rect{0, bottom, w, 1}
	}
	line(0, &l.status, true)
	line(tabsFrom, &l.tabs, true)
	line(footerFrom, &l.footer, false)
	line(noticeFrom, &l.notice, false)
	if l.notice.h == 0 {
		l.notice = rect{0, bottom - 1, w, 1}
	}
	if most := bottom - top - page.TableLeast; lesson > 0 {
		lesson = min(max(most, lessonLeast), lesson, max(0, bottom-top-lessonLeast))
		bottom -= lesson
		l.lesson = rect{0, bottom, w, lesson}
	}
	airy := h >= page.TallFrom && lesson <= lessonShort
	if airy {
		top++
	}
	if airy && lesson > 0 {
		bottom--
	}
	if verdict > 0 {
		l.verdict = rect{0, top, w, verdict}
		top += verdict
		if airy {
			top++
		}
	}
	body := bottom - top
	l.main = rect{0, top, w, body}
	return l
}

// arrange cuts up the screen as it is now.
func (sh *Shell) arrange() layout {
	verdict := 0
	listed := sh.current().About().Shows&page.ShowFinding != 0 && !sh.viewState.Counters.Verdict.Over() // by the page itself
	if !listed && sh.overlay == nil && !sh.o.Lesson.Judges() {                                          // a lesson tells itself what is wrong
		verdict = sh.canvas().Top()
	}
	if !sh.lessonBeside() {
		return arrange(sh.w, sh.h, sh.panel.Height(sh.th, sh.w, sh.h), verdict)
	}
	l := arrange(sh.w, sh.h, 0, verdict)
	l.lesson, l.picture = l.main, l.main
	l.lesson.w = lessonWidth(sh.w)
	l.main.x += l.lesson.w + 1 // a rule stands between the two
	l.main.w -= l.lesson.w + 1
	l.picture.x, l.picture.w = l.main.x, l.main.w
	l.picture.h = 0
	if sh.overlay == nil { // what is read in the place of the page takes its room, too
		l.picture.h = min(sh.panel.PictureHeight(sh.h), l.main.h/2)
	}
	l.main.h -= l.picture.h
	l.picture.y = l.main.y + l.main.h
	return l
}

// A lesson stands beside the page from so many cells on: the page keeps what its tables take, and the text is
// no wider than reads well.
const (
	besideFrom = 120
	besidePage = 78
	lessonWide = 64
)

// lessonWidth is how wide a lesson beside the page is, on a screen of w cells.
func lessonWidth(w int) int { return min(lessonWide, w-besidePage-1) }

// lessonBeside says whether the text of a lesson stands beside what it is about, and not under it.
func (sh *Shell) lessonBeside() bool {
	return sh.w >= besideFrom && sh.h >= page.TallFrom && sh.panel.FitsBeside(lessonWidth(sh.w))
}

// beside puts the text of a lesson at the left of the page, whose lines are the last ones.
func (sh *Shell) beside(l layout, lines []string, f page.Frame) []string {
	right := append(lines[l.main.y:l.main.y+l.main.h:l.main.y+l.main.h], sh.panel.Picture(f, l.picture.w, l.picture.h)...)
	rule := string(f.Th.Put(nil, draw.Rule, f.Th.Sign.Box.Left))
	for i, left := range sh.panel.Lines(sh.look(), f, l.lesson.w, l.lesson.h, true) {
		lines = append(lines[:l.main.y+i], left+rule+right[i])
	}
	return lines
}

// verdict paints what is wrong.
func (sh *Shell) verdict(l layout) []string {
	v, f := &sh.viewState.Counters.Verdict, sh.canvas()
	if calm := f.Calm(sh.w); calm != nil {
		if own, ok := sh.current().(page.Calm); ok {
			calm = own.Calm(f, calm)
		}
		return calm
	}
	return v.Lines(f.View, sh.w, l.verdict.h, v.Finding.Lock != "" && sh.current().Lock(f).Lock == v.Finding.Lock, "!", sh.verdictKey())
}

// verdictKey is the key that does what the verdict says, "" where it would do that to something else or to
// nothing.
func (sh *Shell) verdictKey() string {
	v := &sh.viewState.Counters.Verdict
	if !sh.current().About().Targets || sh.present != nil { // in the past nothing is done
		return ""
	}
	key := v.Key(sh.o.Lab, sh.o.Armed)
	switch key {
	case "K":
		if act, _ := sh.fault(model.FaultKill); act.Kind != model.InjectFault || !slices.Equal(v.Do().Args, []any{act.Fault.Target}) {
			return ""
		}
	case "x":
		if sh.Target().Action.Key != v.Finding.Claim.Key {
			return ""
		}
	}
	return key
}

// showVerdict selects what the verdict is about.
func (sh *Shell) showVerdict() {
	switch v := &sh.viewState.Counters.Verdict; {
	case !v.Showing() && len(sh.state.Locks()) == 0:
		sh.say(draw.Dim, sh.Frame().Unjudged())
	case !v.Showing():
		sh.say(draw.Dim, sh.th.Say("no-problems-visible-in-etcd"))
	case v.Finding.Lock != "" && sh.state.Lock(v.Finding.Lock) != nil:
		sh.show(page.Request{Show: page.ShowRow, Lock: v.Finding.Lock})
	case v.Now:
		sh.show(page.Request{Show: page.ShowFinding, Finding: &v.Finding})
	default:
		sh.say(draw.Dim, sh.th.Say("that-has-ended-and-there-is"))
	}
}

// body paints the page.
func (sh *Shell) body(l layout) []string {
	sh.onScreen = sh.onScreen[:0]
	f := sh.canvas()
	h := l.main.h
	if sh.overlay != nil {
		return sh.overlay.render(sh.th, l.main.w, h)
	}
	return sh.current().Paint(f, l.main.w, h)
}

// header is the top of the screen as it is now.
func (sh *Shell) header() *header {
	f := sh.Frame()
	if sh.present != nil {
		f.Th = sh.past
	}
	return &header{freezing: &sh.freezing, Frame: f, o: &sh.o, w: sh.w, pages: sh.pageSet, spent: sh.spent, cost: sh.cost, present: sh.present, stale: sh.stale()}
}
