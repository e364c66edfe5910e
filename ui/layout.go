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
	lesson  rect // under it
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
func (a *Shell) arrange() layout {
	verdict := 0
	if a.current().About().Shows&page.ShowFinding == 0 && a.overlay == nil && !a.o.Lesson.Judges() { // a lesson tells itself what is wrong
		verdict = a.canvas().Top()
	}
	return arrange(a.w, a.h, a.panel.Height(a.th, a.w, a.h), verdict)
}

// verdict paints what is wrong.
func (a *Shell) verdict(l layout) []string {
	v, f := &a.viewState.Counters.Verdict, a.canvas()
	if calm := f.Calm(a.w); calm != nil {
		if own, ok := a.current().(page.Calm); ok {
			calm = own.Calm(f, calm)
		}
		return calm
	}
	return v.Lines(f.View, a.w, l.verdict.h, v.Finding.Lock != "" && a.current().Lock(f).Lock == v.Finding.Lock, "!", a.verdictKey())
}

// verdictKey is the key that does what the verdict says, "" where it would do that to something else or to
// nothing.
func (a *Shell) verdictKey() string {
	v := &a.viewState.Counters.Verdict
	if !a.current().About().Targets || a.present != nil { // in the past nothing is done
		return ""
	}
	key := v.Key(a.o.Lab, a.o.Armed)
	switch key {
	case "K":
		if act, _ := a.fault(model.FaultKill); act.Kind != model.InjectFault || !slices.Equal(v.Do().Args, []any{act.Fault.Target}) {
			return ""
		}
	case "x":
		if a.Target().Action.Key != v.Finding.Claim.Key {
			return ""
		}
	}
	return key
}

// showVerdict selects what the verdict is about.
func (a *Shell) showVerdict() {
	switch v := &a.viewState.Counters.Verdict; {
	case !v.Showing() && len(a.state.Locks()) == 0:
		a.say(draw.Dim, a.th.Say("no-locks-yet-nothing-was-judged"))
	case !v.Showing():
		a.say(draw.Dim, a.th.Say("no-problems-visible-in-etcd"))
	case v.Finding.Lock != "" && a.state.Lock(v.Finding.Lock) != nil:
		a.show(page.Request{Show: page.ShowRow, Lock: v.Finding.Lock})
	case v.Now:
		a.show(page.Request{Show: page.ShowFinding, Finding: &v.Finding})
	default:
		a.say(draw.Dim, a.th.Say("that-has-ended-and-there-is"))
	}
}

// body paints the page.
func (a *Shell) body(l layout) []string {
	a.onScreen = a.onScreen[:0]
	f := a.canvas()
	h := l.main.h
	if a.overlay != nil {
		return a.overlay.render(a.th, a.w, h)
	}
	return a.current().Paint(f, a.w, h)
}

// header is the top of the screen as it is now.
func (a *Shell) header() *header {
	f := a.Frame()
	if a.present != nil {
		f.Th = a.past
	}
	return &header{freezing: &a.freezing, Frame: f, o: &a.o, w: a.w, pages: a.pageSet, spent: a.spent, cost: a.cost, present: a.present, stale: a.stale()}
}
