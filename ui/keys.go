package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
)

// where is a set of places in which a key counts.
type where uint

const (
	onLocks where = 1 << iota
	onQueue
	onSessions
	onJournal
	onFindings
	onLab
	inHelp
	inSheet  // an explanation, or the lines of etcdctl
	inBreak  // the dialog that breaks a lock
	inTyped  // and its text field
	inFaults // the menu of faults
	inChoice // and its second step
	inLesson // the question of a lesson
	inFilter // the text field of a filter
	inPalette
	inColumns
	inStart // what to watch is being chosen
	inQuestion
	whereEnd

	onPages   = onLocks | onQueue | onSessions | onJournal | onFindings | onLab
	onQueues  = onLocks | onQueue
	onTargets = onQueues | onSessions | onFindings | onLab
	inAll     = whereEnd - 1
)

var whereNames = []string{"Locks", "Queue", "Sessions", "Journal", "Findings", "Lab", "help", "text", "break dialog", "typed name", "fault menu", "fault choice", "lesson", "filter", "palette", "columns", "start", "question"}

// String names the places for help.
func (w where) String() string {
	switch w {
	case inAll:
		return "everywhere"
	case onPages, onPages | inHelp, onPages | inHelp | inSheet:
		return "every page"
	case onPages | inStart:
		return "every page, start"
	case onPages &^ onQueue:
		return "every page but Queue"
	case onTargets:
		return "every page but Journal"
	}
	var names []string
	for i, n := range whereNames {
		if w&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

// binding is one row of the table of keys: the only place that says what a key
// does, where, and how it is called.
type binding struct {
	keys  []string // as Bubble Tea names them
	in    where
	short string // for the footer, "" for not in it
	// brief, if not nil, says now what stands in the footer.
	brief func(a *App) string
	what  string
	needs string // for the README: what has to be there
	// why says why the key does nothing now, "" if it works.
	why func(a *App) string
	do  func(a *App) tea.Cmd
	// act is the kind of action that the key asks for, "" for none, and asks the
	// actions of which the actions must be able to do one. They are asked beside the
	// screen, and then with what they said.
	act  model.ActionKind
	asks func(a *App) (acts []model.Action, why string)
	then func(a *App, said availableMsg) tea.Cmd
	// frozen: it works while drawing is frozen.
	frozen bool
}

// KeyHelp is a row of the table of keys, in words.
type KeyHelp struct {
	Keys, Where, What, Needs string
}

// Keys returns the table of keys in words. Footer, help and manual come from it.
func Keys() []KeyHelp {
	var rows []KeyHelp
	for _, b := range keyTable() {
		rows = append(rows, KeyHelp{Keys: keyNames(b.keys), Where: b.in.String(), What: b.what, Needs: b.needs})
	}
	return rows
}

const (
	needsArmed  = "armed"
	needsLab    = "own lab, or proxy --armed"
	needsLesson = "a lesson"
)

// keyTable is the table of keys.
func keyTable() []binding {
	var all []binding
	all = append(all, moveKeys()...)
	all = append(all, pageKeys()...)
	all = append(all, listKeys()...)
	all = append(all, actKeys()...)
	all = append(all, inputKeys()...)
	all = append(all, menuKeys()...)
	all = append(all, lessonKeys()...)
	all = append(all, paletteKeys()...)
	all = append(all, columnKeys()...)
	all = append(all, markKeys()...)
	all = append(all, startKeys()...)
	return append(all, programKeys()...)
}

func run(f func(a *App)) func(a *App) tea.Cmd {
	return func(a *App) tea.Cmd { f(a); return nil }
}

func moveKeys() []binding {
	in := onPages | inHelp | inSheet
	return []binding{
		{keys: []string{"up", "k"}, in: in, what: "up", do: run(func(a *App) { a.moveBy(-1) })},
		{keys: []string{"down", "j"}, in: in, what: "down", do: run(func(a *App) { a.moveBy(1) })},
		{keys: []string{"pgup"}, in: in, what: "page up", do: run(func(a *App) { a.moveBy(-a.pageStep()) })},
		{keys: []string{"pgdown"}, in: in, what: "page down", do: run(func(a *App) { a.moveBy(a.pageStep()) })},
		{keys: []string{"home", "g"}, in: in, what: "first", do: run(func(a *App) { a.moveBy(-far) })},
		{keys: []string{"end", "G"}, in: in, what: "last", do: run(func(a *App) { a.moveBy(far) })},
		{keys: []string{"up"}, in: inBreak, what: "scroll the keys that go", do: run(func(a *App) { a.dialog.top-- })},
		{keys: []string{"down"}, in: inBreak, what: "scroll the keys that go", do: run(func(a *App) { a.dialog.top++ })},
	}
}

func pageKeys() []binding {
	rows := []binding{
		{keys: []string{"enter"}, in: onLocks, short: "queue", what: "open the queue of the lock", why: (*App).whyEmpty, do: run((*App).openQueue)},
		{keys: []string{"enter"}, in: onSessions | onFindings | onLab, short: "lock", what: "jump to the queue of the lock", why: (*App).whyEmpty, do: run((*App).openQueue)},
		{keys: []string{"e"}, in: onPages, short: "explain", what: "explain the worst finding about what is selected", why: (*App).whyEmpty, do: run((*App).explain)},
		{keys: []string{"w"}, in: onPages &^ onFindings, short: "why", what: "jump to the worst finding about what is selected", why: (*App).whyEmpty, do: run((*App).openFinding)},
		{keys: []string{"o"}, in: onTargets &^ onSessions, short: "session", what: "jump to the session of what is selected", why: (*App).whyEmpty, do: run((*App).openSession)},
		{keys: []string{"-"}, in: onPages, what: "back to where the last jump was made", do: run((*App).comeBack)},
		{keys: []string{"c"}, in: onPages, short: "etcdctl", what: "the etcdctl lines that show the same by hand", do: run((*App).byHand)},
		{keys: []string{"tab", "shift+tab"}, in: onLocks, short: "pane", what: "from the table to the queue and back", why: (*App).whyNoPane, do: run(func(a *App) { a.paneHas = !a.paneHas })},
		{keys: []string{"tab"}, in: onLab, short: "list", what: "to the next list", do: run(func(a *App) { a.lab.turn(a.state, 1) })},
		{keys: []string{"shift+tab"}, in: onLab, what: "to the list before", do: run(func(a *App) { a.lab.turn(a.state, -1) })},
		{keys: []string{"tab", "shift+tab"}, in: onFindings, short: "text", what: "from the list to the text and back", why: (*App).whyEmpty, do: run(func(a *App) { a.findings.full = !a.findings.full })},
	}
	for i, p := range pages {
		id := pageID(i)
		rows = append(rows, binding{keys: []string{string(rune('1' + i))}, in: onPages | inHelp | inSheet,
			what: "page " + p.title, do: run(func(a *App) { a.goTo(id) })})
	}
	return rows
}

func listKeys() []binding {
	return []binding{
		{keys: []string{"/"}, in: onPages &^ (onLab | onQueue), short: "filter", what: "filter as you type, ! in front turns it round", do: run((*App).editFilter)},
		{keys: []string{"s"}, in: onLocks, short: "sort", what: "sort by the next column", do: run(func(a *App) { a.locks.sortBy(a.locks.order.by%(sortCount-1) + 1) })},
		{keys: []string{"S"}, in: onLocks, what: "turn the order round", do: run(func(a *App) { a.locks.sortBy(a.locks.order.by) })},
		{keys: []string{"f"}, in: onQueues, short: "journal", what: "the journal of this lock alone", why: (*App).whyEmpty, do: run((*App).onlyThisLock)},
		{keys: []string{"f", "enter"}, in: onJournal, short: "this lock", what: "only the selected lock, or all again", do: run((*App).onlyThisLock)},
		{keys: []string{"esc"}, in: onQueue, short: "back", what: "back to where one came from", do: run((*App).back)},
		{keys: []string{"esc"}, in: onPages &^ onQueue, what: "back, or clear the filter", do: run((*App).back)},
		{keys: []string{"y"}, in: inSheet, short: "copy", what: "copy the etcdctl lines (OSC 52)", do: (*App).copySheet},
		{keys: []string{"y"}, in: onTargets, what: "copy the selected key (OSC 52)", do: (*App).copyKey, frozen: true},
	}
}

// actKeys are in upper case, or open a dialog.
func actKeys() []binding {
	return []binding{
		{keys: []string{"x"}, in: onTargets, short: "break", what: "break the lock: shows what goes, then asks", needs: needsArmed,
			act: model.RevokeLease, asks: (*App).breakWays, then: (*App).openBreak},
		{keys: []string{"F"}, in: onTargets, short: "faults", what: "what can be done to what is selected: a contender, a member, the cluster", needs: needsLab,
			why: (*App).whyNoFaults, do: (*App).openFaults},
		faultKey("H", "hold", "hold the contender's keepalives, or let them go", model.FaultHoldKeepalives),
		faultKey("P", "pause", "pause the contender's process, or let it run", model.FaultPause),
		faultKey("K", "kill", "kill the contender (SIGKILL)", model.FaultKill),
		faultKey("T", "stop", "stop the contender (SIGTERM)", model.FaultStop),
		{keys: []string{"N"}, in: onTargets, short: "spawn", what: "spawn a contender on this lock", needs: needsLab, act: model.SpawnProc,
			asks: one(func(a *App) (model.Action, string) { return a.action(model.SpawnProc) }), then: (*App).actFirst},
		{keys: []string{"U"}, in: onLab, short: "heal", what: "heal the marked fault", needs: needsLab, act: model.HealFault,
			asks: one((*App).heal), then: (*App).actFirst},
		{keys: []string{"A"}, in: onPages, what: "heal all faults", needs: needsLab, act: model.HealAll,
			asks: one(func(a *App) (model.Action, string) { return a.action(model.HealAll) }), then: (*App).actFirst},
	}
}

// faultKey is a key that does a fault to the contender under the cursor, or heals it.
func faultKey(key, short, what string, kind model.FaultKind) binding {
	return binding{keys: []string{key}, in: onTargets, short: short, what: what, needs: needsLab, act: model.InjectFault,
		asks: one(func(a *App) (model.Action, string) { return a.fault(kind) }), then: (*App).actFirst}
}

func inputKeys() []binding {
	return []binding{
		{keys: []string{"R"}, in: inBreak, short: "revoke the lease", brief: ifRoom("revoke the lease", "revoke"), what: "revoke the lease", needs: needsArmed, act: model.RevokeLease,
			do: func(a *App) tea.Cmd { return a.confirm(model.RevokeLease) }},
		{keys: []string{"D"}, in: inBreak, short: "delete this claim", brief: ifRoom("delete this claim", "delete"), what: "delete this claim", needs: needsArmed, act: model.DeleteClaim,
			do: func(a *App) tea.Cmd { return a.confirm(model.DeleteClaim) }},
		{keys: []string{"esc", "q"}, in: inBreak, short: "leave it", what: "leave the lock alone", do: run(func(a *App) { a.dialog = nil })},
		{keys: []string{"enter"}, in: inBreak, what: "nothing: R or D confirms", do: run(func(a *App) { a.dialog.hint = "enter does not confirm: R or D does" })},
		{keys: []string{"enter"}, in: inTyped, short: "do it", what: "do it, if the name is right", needs: needsArmed, do: (*App).confirmTyped},
		{keys: []string{"esc"}, in: inTyped, short: "back", what: "back", do: run(func(a *App) { a.dialog.typing = "" })},
		{keys: []string{"Y"}, in: inQuestion, short: "do it", what: "do it, to a program on a cluster that is not a lab", needs: needsArmed, do: (*App).confirmQuestion},
		{keys: []string{"esc", "q"}, in: inQuestion, short: "leave it", what: "do nothing", do: run(func(a *App) { a.question = nil })},
		{keys: []string{"enter"}, in: inQuestion, what: "nothing: Y confirms", do: run(func(a *App) { a.question.hint = "enter does not confirm: Y does" })},
		{keys: []string{"enter"}, in: inFilter, short: "keep", what: "keep the filter", do: run(func(a *App) { a.field = nil })},
		{keys: []string{"esc"}, in: inFilter, short: "clear", what: "clear the filter", do: run(func(a *App) { a.setFilter(""); a.field = nil })},
		{keys: []string{"esc", "e", "c", "q", "enter"}, in: inSheet, short: "close", what: "close the text", do: run(func(a *App) { a.sheet = nil })},
		{keys: []string{"esc", "?", "h", "f1", "q"}, in: inHelp, short: "close", what: "close help", do: run(func(a *App) { a.helping = false })},
	}
}

// menuKeys are those of the menu of faults and of its second step.
func menuKeys() []binding {
	return []binding{
		{keys: []string{"up", "k"}, in: inFaults, what: "up", do: run(func(a *App) { a.menu.move(-1) })},
		{keys: []string{"down", "j"}, in: inFaults, what: "down", do: run(func(a *App) { a.menu.move(1) })},
		{keys: []string{"enter"}, in: inFaults, short: "choose", brief: (*App).chooseWord, what: "choose how, or do it if there is nothing to choose", needs: needsLab, act: model.InjectFault, do: (*App).choose},
		{keys: []string{"esc", "q"}, in: inFaults, short: "leave it", what: "do nothing", do: run(func(a *App) { a.menu = nil })},
		{keys: []string{"up", "k"}, in: inChoice, what: "line above", do: run(func(a *App) { a.menu.choice.move(-1) })},
		{keys: []string{"down", "j"}, in: inChoice, what: "line below", do: run(func(a *App) { a.menu.choice.move(1) })},
		{keys: []string{"left"}, in: inChoice, what: "value to the left", do: run(func(a *App) { a.menu.choice.turn(-1) })},
		{keys: []string{"right"}, in: inChoice, what: "value to the right", do: run(func(a *App) { a.menu.choice.turn(1) })},
		{keys: []string{"esc"}, in: inChoice, short: "back", what: "back to the kinds", do: run(func(a *App) { a.menu.choice, a.menu.hint = nil, "" })},
		{keys: []string{"enter"}, in: inChoice, short: "do it", what: "do what the dialog says", needs: needsLab, act: model.InjectFault, do: (*App).confirmFault},
	}
}

func programKeys() []binding {
	return []binding{
		{keys: []string{" "}, in: onPages, short: "freeze", what: "freeze the screen, and let it go; events are still collected", do: run((*App).freeze), frozen: true},
		{keys: []string{"m"}, in: onPages | inStart, what: "mouse off, so that the terminal selects, and on", do: (*App).toggleMouse, frozen: true},
		{keys: []string{"?", "h", "f1"}, in: onPages | inStart, short: "help", what: "help for this screen", do: (*App).openHelp, frozen: true},
		{keys: []string{"q"}, in: onPages | inStart, what: "quit", do: func(*App) tea.Cmd { return tea.Quit }, frozen: true},
		{keys: []string{"ctrl+c"}, in: inAll, what: "quit", do: func(*App) tea.Cmd { return tea.Quit }, frozen: true},
		{keys: []string{"ctrl+z"}, in: inAll, what: "suspend", why: func(a *App) string { return a.th.clean(a.o.NoSuspend) },
			do: func(*App) tea.Cmd { return tea.Suspend }, frozen: true},
	}
}

// ifRoom is a word for the footer that has a shorter one where it gets narrow.
func ifRoom(long, short string) func(a *App) string {
	return func(a *App) string {
		if a.w < briefBelow {
			return short
		}
		return long
	}
}

// briefBelow is the width below which the keys of a dialog have short words.
const briefBelow = 60

// whyEmpty says why a key that is about what is selected does nothing: there is
// nothing to select. "" if there is.
func (a *App) whyEmpty() string {
	n := 1
	switch a.page {
	case pageLocks:
		n = len(a.locks.order.ids)
	case pageSessions:
		n = len(a.sessions.ids)
	case pageFindings:
		n = len(a.findings.list)
	}
	if n == 0 {
		return "the list is empty"
	}
	return ""
}

// closed says why the key does nothing now, as far as the screen knows, "" if it
// works. What the actions say of it is another matter: see [App.ask].
func (b *binding) closed(a *App) string {
	switch {
	case b.why != nil:
		return b.why(a)
	case b.asks != nil:
		_, why := b.asks(a)
		return why
	}
	return ""
}

// keymap finds a binding by place and key.
type keymap struct {
	rows []binding
	at   map[where]map[string]*binding
}

func newKeymap(rows []binding) keymap {
	m := keymap{rows: rows, at: map[where]map[string]*binding{}}
	for w := where(1); w < whereEnd; w <<= 1 {
		m.at[w] = map[string]*binding{}
		for i := range rows {
			if rows[i].in&w == 0 {
				continue
			}
			for _, k := range rows[i].keys {
				m.at[w][k] = &rows[i]
			}
		}
	}
	return m
}

// key does what a key asks for, or says why not.
func (a *App) key(msg tea.KeyMsg) tea.Cmd {
	w := a.where()
	b := a.keys.at[w][msg.String()]
	if msg.Paste && w&(inFilter|inTyped|inPalette) != 0 {
		b = nil // pasted text is text
	}
	switch {
	case b == nil && w == inFilter:
		a.field.key(msg)
		a.setFilter(a.field.text)
		return nil
	case b == nil && w == inPalette:
		a.palette.typed(msg)
		return nil
	case b == nil && w == inTyped:
		a.dialog.name.key(msg)
		return nil
	case b == nil:
		return nil
	case !a.booted && b.in != inAll && msg.String() != "q":
		return nil
	case a.frozen && !b.frozen:
		a.say(late, "the screen is frozen: space lets it go, then the key works")
		return nil
	}
	a.pressed = msg.String()
	reason := b.closed(a)
	switch {
	case reason != "":
		a.say(late, "not available: "+reason)
		return nil
	case b.asks != nil:
		acts, _ := b.asks(a)
		return a.ask(acts, b.then)
	}
	return b.do(a)
}

// keyNames writes keys as a person reads them.
func keyNames(keys []string) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		switch k {
		case " ":
			k = "space"
		case "pgup":
			k = "PgUp"
		case "pgdown":
			k = "PgDn"
		case "f1":
			k = "F1"
		case "home", "end":
			k = strings.ToUpper(k[:1]) + k[1:]
		}
		names[i] = k
	}
	return strings.Join(names, " ")
}
