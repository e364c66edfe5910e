package ui

import "slices"

// marksMax bounds how many locks are bookmarked.
const marksMax = 100

// toggleMark bookmarks the lock of what is selected, or takes its mark away.
func (a *App) toggleMark() {
	name, why := a.lockMeant()
	switch {
	case name == "":
		a.say(late, why)
		return
	case a.marked[name]:
		delete(a.marked, name)
		a.marks = slices.DeleteFunc(a.marks, func(m string) bool { return m == name })
		a.say(plain, "no mark on "+a.th.clean(name)+" any more")
		return
	case len(a.marks) >= marksMax:
		a.say(late, "that would be too many marks: b takes one away")
		return
	}
	if a.marked == nil {
		a.marked = map[string]bool{}
	}
	a.marked[name] = true
	a.marks = append(a.marks, name)
	a.say(plain, "marked "+a.th.clean(name)+": ' comes back to it")
}

// nextMark goes to the lock that was marked after the one that is selected.
func (a *App) nextMark() {
	here, _ := a.lockMeant()
	at := slices.Index(a.marks, here)
	for i := range a.marks {
		name := a.marks[(at+1+i)%len(a.marks)]
		if a.state.Lock(name) != nil {
			a.goToLock(name)
			return
		}
	}
	if len(a.marks) > 0 {
		a.say(late, "no marked lock is there any more")
		return
	}
	a.say(late, "no lock is marked: b marks the one that is selected")
}

// goToLock selects a lock: its queue if one looks at a queue, else its row. A filter
// that hides it is let go.
func (a *App) goToLock(name string) {
	to := pageLocks
	if a.page == pageQueue {
		to = pageQueue
	}
	a.jump(to)
	if l := a.state.Lock(name); l != nil {
		if keep := matcher(a.locks.order.filter); keep != nil && !keep(lockText(a.state, l)) {
			a.locks.setFilter("")
		}
	}
	a.selectLock(name)
	a.queue.show(name)
}
