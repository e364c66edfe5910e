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
	inFilter // the text field of a filter
	whereEnd

	onPages   = onLocks | onQueue | onSessions | onJournal | onFindings | onLab
	onQueues  = onLocks | onQueue
	onTargets = onQueues | onSessions | onFindings | onLab
	inAll     = whereEnd - 1
)

var whereNames = []string{"Locks", "Queue", "Sessions", "Journal", "Findings", "Lab", "help", "text", "break dialog", "typed name", "filter"}

// String names the places for help.
func (w where) String() string {
	switch w {
	case inAll:
		return "everywhere"
	case onPages, onPages | inHelp, onPages | inHelp | inSheet:
		return "every page"
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
	what  string
	needs string // for the README: what has to be there
	// why says why the key does nothing now, "" if it works.
	why func(a *App) string
	do  func(a *App) tea.Cmd
	// act is the kind of action that the key asks for, "" for none.
	act model.ActionKind
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
	needsArmed = "armed"
	needsLab   = "own lab"
)

// keyTable is the table of keys.
func keyTable() []binding {
	var all []binding
	all = append(all, moveKeys()...)
	all = append(all, pageKeys()...)
	all = append(all, listKeys()...)
	all = append(all, actKeys()...)
	all = append(all, inputKeys()...)
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
		{keys: []string{"enter"}, in: onLocks, short: "queue", what: "open the queue of the lock", do: run((*App).openQueue)},
		{keys: []string{"enter"}, in: onSessions | onFindings | onLab, short: "lock", what: "jump to the queue of the lock", do: run((*App).openQueue)},
		{keys: []string{"e"}, in: onPages, short: "explain", what: "explain the worst finding about what is selected", do: run((*App).explain)},
		{keys: []string{"w"}, in: onPages &^ onFindings, short: "why", what: "jump to the worst finding about what is selected", do: run((*App).openFinding)},
		{keys: []string{"o"}, in: onTargets &^ onSessions, short: "session", what: "jump to the session of what is selected", do: run((*App).openSession)},
		{keys: []string{"-"}, in: onPages, what: "back to where the last jump was made", do: run((*App).comeBack)},
		{keys: []string{"c"}, in: onPages, short: "etcdctl", what: "the etcdctl lines that show the same by hand", do: run((*App).byHand)},
		{keys: []string{"tab", "shift+tab"}, in: onLocks, short: "pane", what: "from the table to the queue and back", why: (*App).whyNoPane, do: run(func(a *App) { a.paneHas = !a.paneHas })},
		{keys: []string{"tab", "shift+tab"}, in: onFindings, short: "text", what: "from the list to the text and back", do: run(func(a *App) { a.findings.full = !a.findings.full })},
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
		{keys: []string{"f"}, in: onQueues, short: "journal", what: "the journal of this lock alone", do: run((*App).onlyThisLock)},
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
			act: model.RevokeLease, why: (*App).whyNotBreak, do: (*App).openBreak},
		actKey("H", "hold", "hold the contender's keepalives, or let them go", (*App).holdKind, model.HoldKeepalive),
		actKey("P", "pause", "pause the contender's process, or let it run", (*App).pauseKind, model.PauseProc),
		actKey("K", "kill", "kill the contender (SIGKILL)", always(model.KillProc), model.KillProc),
		actKey("T", "stop", "stop the contender (SIGTERM)", always(model.StopProc), model.StopProc),
		actKey("N", "spawn", "spawn a contender on this lock", always(model.SpawnProc), model.SpawnProc),
		{keys: []string{"A"}, in: onPages, what: "heal all faults", needs: needsLab, act: model.HealAll,
			why: func(a *App) string { return a.whyNot(model.HealAll) },
			do:  func(a *App) tea.Cmd { return a.act(model.HealAll) }},
	}
}

func always(k model.ActionKind) func(*App) model.ActionKind {
	return func(*App) model.ActionKind { return k }
}

func actKey(key, short, what string, kind func(*App) model.ActionKind, act model.ActionKind) binding {
	return binding{keys: []string{key}, in: onTargets, short: short, what: what, needs: needsLab, act: act,
		why: func(a *App) string { return a.whyNot(kind(a)) },
		do:  func(a *App) tea.Cmd { return a.act(kind(a)) }}
}

func inputKeys() []binding {
	return []binding{
		{keys: []string{"R"}, in: inBreak, short: "revoke the lease", what: "revoke the lease", needs: needsArmed, act: model.RevokeLease,
			do: func(a *App) tea.Cmd { return a.confirm(model.RevokeLease) }},
		{keys: []string{"D"}, in: inBreak, short: "delete this claim", what: "delete this claim", needs: needsArmed, act: model.DeleteClaim,
			do: func(a *App) tea.Cmd { return a.confirm(model.DeleteClaim) }},
		{keys: []string{"esc", "q"}, in: inBreak, short: "leave it", what: "leave the lock alone", do: run(func(a *App) { a.dialog = nil })},
		{keys: []string{"enter"}, in: inBreak, what: "nothing: R or D confirms", do: run(func(a *App) { a.dialog.hint = "enter does not confirm: R or D does" })},
		{keys: []string{"enter"}, in: inTyped, short: "do it", what: "do it, if the name is right", needs: needsArmed, do: (*App).confirmTyped},
		{keys: []string{"esc"}, in: inTyped, short: "back", what: "back", do: run(func(a *App) { a.dialog.typing = "" })},
		{keys: []string{"enter"}, in: inFilter, short: "keep", what: "keep the filter", do: run(func(a *App) { a.field = nil })},
		{keys: []string{"esc"}, in: inFilter, short: "clear", what: "clear the filter", do: run(func(a *App) { a.setFilter(""); a.field = nil })},
		{keys: []string{"esc", "e", "c", "q", "enter"}, in: inSheet, short: "close", what: "close the text", do: run(func(a *App) { a.sheet = nil })},
		{keys: []string{"esc", "?", "h", "f1", "q"}, in: inHelp, short: "close", what: "close help", do: run(func(a *App) { a.helping = false })},
	}
}

func programKeys() []binding {
	return []binding{
		{keys: []string{" "}, in: onPages, short: "freeze", what: "freeze the screen, and let it go; events are still collected", do: run((*App).freeze), frozen: true},
		{keys: []string{"m"}, in: onPages, what: "mouse off, so that the terminal selects, and on", do: (*App).toggleMouse, frozen: true},
		{keys: []string{"?", "h", "f1"}, in: onPages, short: "help", what: "help for this screen", do: run(func(a *App) { a.thaw(); a.helping, a.helpTop = true, 0 }), frozen: true},
		{keys: []string{"q"}, in: onPages, what: "quit", do: func(*App) tea.Cmd { return tea.Quit }, frozen: true},
		{keys: []string{"ctrl+c"}, in: inAll, what: "quit", do: func(*App) tea.Cmd { return tea.Quit }, frozen: true},
		{keys: []string{"ctrl+z"}, in: inAll, what: "suspend", why: func(a *App) string { return a.o.NoSuspend },
			do: func(*App) tea.Cmd { return tea.Suspend }, frozen: true},
	}
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
	if msg.Paste && w&(inFilter|inTyped) != 0 {
		b = nil // pasted text is text
	}
	switch {
	case b == nil && w == inFilter:
		a.field.key(msg)
		a.setFilter(a.field.text)
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
	if b.why != nil {
		if reason := b.why(a); reason != "" {
			a.say(late, "not available: "+reason)
			return nil
		}
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
