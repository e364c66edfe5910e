package ui

import (
	"slices"

	"locktop/ui/draw"
	"locktop/ui/page"
)

// marksMax bounds how many locks are bookmarked.
const marksMax = 100

// toggleMark bookmarks the lock of what is selected, or takes its mark away.
func (a *App) toggleMark() {
	r, m := a.here().Lock(a.frame()), &a.board.Marked
	name := r.Lock
	switch {
	case name == "":
		a.say(draw.Late, r.Why)
		return
	case m.Has[name]:
		delete(m.Has, name)
		m.Names = slices.DeleteFunc(m.Names, func(n string) bool { return n == name })
		a.say(draw.Plain, "no mark on "+a.th.Clean(name)+" any more")
		return
	case len(m.Names) >= marksMax:
		a.say(draw.Late, "that would be too many marks: b takes one away")
		return
	}
	m.Has[name] = true
	m.Names = append(m.Names, name)
	a.say(draw.Plain, "marked "+a.th.Clean(name)+": ' comes back to it")
}

// nextMark goes to the lock that was marked after the one that is selected: its queue if
// one looks at a queue, else its row.
func (a *App) nextMark() {
	names := a.board.Marked.Names
	at := slices.Index(names, a.here().Lock(a.frame()).Lock)
	for i := range names {
		name := names[(at+1+i)%len(names)]
		if a.state.Lock(name) != nil {
			a.show(page.Request{Show: page.ShowRow, Lock: name})
			return
		}
	}
	if len(names) > 0 {
		a.say(draw.Late, "no marked lock is there any more")
		return
	}
	a.say(draw.Late, "no lock is marked: b marks the one that is selected")
}
