package ui

import (
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
)

// far is further than any list is long.
const far = 1 << 30

// moveBy moves the cursor of what has the keyboard.
func (a *App) moveBy(n int) {
	switch {
	case a.helping:
		a.helpTop = max(0, a.helpTop+n)
	case a.sheet != nil:
		a.sheet.top = max(0, a.sheet.top+n)
	case a.page == pageJournal:
		a.journal.scroll(n)
	case a.page == pageSessions:
		a.sessions.move(a.sessions.pick.place+n, a.now)
	case a.page == pageFindings && a.findings.full:
		a.findings.top = max(0, a.findings.top+n)
	case a.page == pageFindings:
		a.findings.move(a.findings.pick.place+n, a.now)
	case a.page == pageLab:
		a.lab.move(a.state, n)
	case a.page == pageQueue || a.paneHas:
		a.queue.move(a.state, a.queue.pick.place+n)
	default:
		a.locks.move(a.locks.pick.place+n, a.now)
	}
}

// pageStep is how far PgUp and PgDn go.
func (a *App) pageStep() int {
	switch {
	case a.helping, a.sheet != nil:
		return max(1, a.h-6)
	case a.page == pageSessions:
		return max(1, a.sessions.table.h-1)
	case a.page == pageFindings && a.findings.full:
		return max(1, a.findings.height-1)
	case a.page == pageFindings:
		return max(1, a.findings.table.h-1)
	case a.page == pageJournal:
		return max(1, a.journal.height-2)
	case a.page == pageLab:
		return max(1, a.lab.parts[a.lab.focus()].table.h-1)
	case a.page == pageQueue || a.paneHas:
		return max(1, a.queue.table.h-1)
	}
	return max(1, a.locks.table.h-1)
}

func (a *App) whyNoPane() string {
	if a.arrange(pageLocks).pane.h == 0 {
		return "there is no room for the queue beside the table: enter opens it"
	}
	return ""
}

func (a *App) goTo(p pageID) {
	a.page, a.helping, a.sheet = p, false, nil
}

// selectLock moves the selection of the Locks page to a lock.
func (a *App) selectLock(name string) {
	a.locks.pick.id, a.locks.pick.pinned = name, true
	a.locks.order.force = true
}

func (a *App) onlyThisLock() {
	lock := a.locks.pick.id
	switch {
	case a.page != pageJournal:
		a.jump(pageJournal)
		a.journal.only(lock)
	case a.journal.lock != "":
		a.journal.only("")
	case lock == "":
		a.say(late, "no lock is selected")
	default:
		a.journal.only(lock)
	}
}

func (a *App) back() {
	switch {
	case a.page == pageQueue && len(a.trail) > 0:
		a.comeBack()
	case a.page == pageQueue:
		a.goTo(pageLocks)
	case a.page == pageLocks && a.locks.order.filter != "":
		a.setFilter("")
	case a.page == pageLocks:
		a.paneHas, a.queue.pick = false, selection{}
	case a.page == pageFindings && a.findings.full:
		a.findings.full = false
	case a.page != pageLab && a.filter() != "":
		a.setFilter("")
	case a.page == pageJournal:
		a.journal.only("")
	}
}

// editFilter opens the text field of the filter.
func (a *App) editFilter() { a.field = &field{text: a.filter()} }

// filter returns the filter of the page.
func (a *App) filter() string {
	switch a.page {
	case pageLocks:
		return a.locks.order.filter
	case pageSessions:
		return a.sessions.filter
	case pageJournal:
		return a.journal.filter
	case pageFindings:
		return a.findings.filter
	}
	return ""
}

func (a *App) setFilter(text string) {
	switch a.page {
	case pageLocks:
		a.locks.setFilter(text)
	case pageSessions:
		a.sessions.setFilter(text)
	case pageJournal:
		a.journal.setFilter(text)
	case pageFindings:
		a.findings.setFilter(text)
	}
}

// freeze keeps the body as it is, or lets it go.
func (a *App) freeze() {
	if a.frozen {
		a.thaw()
		return
	}
	a.frozenBody = a.body(a.arrange(a.page))
	a.frozen, a.frozenAt = true, a.now
}

func (a *App) thaw() { a.frozen, a.frozenBody = false, nil }

func (a *App) toggleMouse() tea.Cmd {
	a.mouseOff = !a.mouseOff
	if a.mouseOff {
		a.say(plain, "mouse off: the terminal selects text now")
		return tea.DisableMouse
	}
	a.say(plain, "mouse on")
	return tea.EnableMouseCellMotion
}

// resumed puts back what suspending took from the terminal.
func (a *App) resumed() tea.Cmd {
	if a.mouseOff {
		return nil
	}
	return tea.EnableMouseCellMotion
}

// copyKey puts the selected key into the clipboard of the terminal.
func (a *App) copyKey() tea.Cmd {
	t := a.target()
	text := t.action.Key
	if text == "" {
		text = t.action.Lock
	}
	if text == "" {
		a.say(late, "nothing is selected that could be copied")
		return nil
	}
	a.say(plain, "copied "+a.th.clean(text)+" (if the terminal allows it)")
	put := a.copy
	return func() tea.Msg { put(text); return nil }
}

// field is a line of text that is typed.
type field struct{ text string }

// key takes what was typed or pasted in. Only what can be seen gets in.
func (f *field) key(msg tea.KeyMsg) {
	switch msg.Type {
	case tea.KeyRunes, tea.KeySpace:
		for _, r := range msg.Runes {
			if unicode.IsPrint(r) {
				f.text += string(r)
			}
		}
	case tea.KeyBackspace:
		if r := []rune(f.text); len(r) > 0 {
			f.text = string(r[:len(r)-1])
		}
	case tea.KeyCtrlU:
		f.text = ""
	case tea.KeyCtrlW:
		f.text = f.text[:strings.LastIndexAny(strings.TrimRight(f.text, " /"), " /")+1]
	}
}

// mouse: a click selects, a click on a title sorts, the wheel moves.
func (a *App) mouse(m tea.MouseMsg) tea.Cmd {
	if !a.booted || a.dialog != nil || a.question != nil || a.menu != nil || a.columns != nil || a.start != nil || a.frozen {
		return nil
	}
	l := a.arrange(a.page)
	inPane := l.pane.h > 0 && l.pane.contains(m.X, m.Y)
	switch {
	case m.Button == tea.MouseButtonWheelUp, m.Button == tea.MouseButtonWheelDown:
		n := 3
		if m.Button == tea.MouseButtonWheelUp {
			n = -3
		}
		if a.page == pageLocks && !a.helping && a.sheet == nil {
			a.paneHas = inPane
		}
		a.moveBy(n)
	case m.Action == tea.MouseActionPress && m.Button == tea.MouseButtonLeft && !a.helping && a.sheet == nil:
		a.click(l, m.X, m.Y, inPane)
	}
	return nil
}

func (a *App) click(l layout, x, y int, inPane bool) {
	switch {
	case l.tabs.contains(x, y):
		a.clickTab(x)
	case inPane:
		a.clickQueue(y - l.pane.y)
	case !l.main.contains(x, y):
	case a.page == pageLocks:
		a.clickLocks(x, y-l.main.y)
	case a.page == pageQueue:
		a.clickQueue(y - l.main.y)
	case a.page == pageSessions:
		if i := a.sessions.table.at(y-l.main.y, len(a.sessions.ids)); i >= 0 {
			a.sessions.move(i, a.now)
		}
	case a.page == pageFindings:
		if i := a.findings.table.at(y-l.main.y-1, len(a.findings.list)); i >= 0 {
			a.findings.full = false
			a.findings.move(i, a.now)
		}
	case a.page == pageLab:
		a.lab.click(a.state, y-l.main.y)
	}
}

func (a *App) clickTab(x int) {
	for i := range pages {
		w := width(a.tab(i)) + 2
		if x >= 0 && x < w {
			a.goTo(pageID(i))
		}
		x -= w
	}
}

func (a *App) clickLocks(x, y int) {
	if y == 0 {
		if c := a.locks.table.columnAt(x); c >= 0 && lockCells[c].sort != sortNone {
			a.locks.sortBy(lockCells[c].sort)
		}
		return
	}
	if i := a.locks.table.at(y, len(a.locks.order.ids)); i >= 0 {
		a.paneHas = false
		a.locks.move(i, a.now)
	}
}

// clickQueue: the first line of the pane is its title.
func (a *App) clickQueue(y int) {
	l := a.state.Lock(a.queue.lock)
	if l == nil {
		return
	}
	if i := a.queue.table.at(y-1, l.Len()); i >= 0 {
		a.paneHas = a.page == pageLocks
		a.queue.move(a.state, i)
	}
}

// target is what an action would be done to.
type target struct {
	action model.Action
	lock   *model.Lock
	claim  *model.Claim
	// finding is the one that is selected, nil on other pages.
	finding *model.Finding
	// why there is no contender, if there is none.
	why string
}

// target returns what is under the cursor.
func (a *App) target() target {
	var t target
	if a.page == pageLocks {
		a.queue.show(a.locks.pick.id)
	}
	switch {
	case a.page == pageLab:
		a.targetContender(&t)
	case a.page == pageSessions:
		a.targetSession(&t)
	case a.page == pageFindings:
		a.targetFinding(&t)
	case a.page == pageQueue || a.page == pageLocks:
		t.lock = a.state.Lock(a.queue.lock)
		if t.lock != nil {
			t.claim = a.queue.chosen(a.state)
			if a.page == pageLocks && !a.paneHas {
				t.claim = t.lock.Head()
			}
		}
		a.clientOf(&t)
	}
	if t.lock != nil {
		t.action.Lock = t.lock.Name
		if r := t.lock.Recipe(); r.ByName() {
			t.action.Recipe = r.Name
		}
	}
	if c := t.claim; c != nil {
		t.action.Key, t.action.CreateRev, t.action.Lease = c.Key, c.CreateRev, c.KV.Lease
	}
	return t
}

func (a *App) targetContender(t *target) {
	c, ok := a.lab.contender(a.state)
	switch {
	case a.lab.focus() == partMembers:
		t.why = "a member is selected: F shows what can be done to it, tab goes to the contenders"
		return
	case a.lab.focus() == partClients:
		t.why = "this client is no process of the lab: F shows what can be done to it, tab goes to the contenders"
		return
	case a.lab.focus() == partFaults:
		t.why = "a fault is selected: U heals it, tab goes to the contenders"
		return
	case !ok:
		t.why = "no contender is selected"
		return
	}
	t.action.Contender, t.action.Lock, t.action.Recipe, t.action.Lease = c.Name, c.Lock, c.Recipe, c.Lease
	t.lock = a.state.Lock(c.Lock)
	t.claim, _ = a.state.Truth(c)
}

// clientOf finds the contender that a claim belongs to.
func (a *App) clientOf(t *target) {
	var ref model.ClaimRef
	switch {
	case t.claim != nil:
		ref = brief(t.claim.Ref())
	case t.finding != nil && t.finding.Lease != 0:
		ref.Lease = t.finding.Lease // of a claim that is gone
	default:
		t.why = "no claim is selected"
		return
	}
	if id := a.state.Identity(ref); id.Source == "proxy" {
		t.action.Contender = id.Text
		return
	}
	t.why = "whose claim this is, is not known: its client is no contender of the lab"
}
