package ui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// where is a set of places in which a key counts: pages, by their order, and what takes
// the keyboard from them.
type where uint

const (
	inHelp   where = 1 << (pagesMax + iota)
	inSheet        // an explanation, or the lines of etcdctl
	inBreak        // the dialog that breaks a lock
	inTyped        // and its text field
	inFaults       // the menu of faults
	inChoice       // and its second step
	inLesson       // the question of a lesson
	inFilter       // the text field of a filter
	inPalette
	inColumns
	inStart // what to watch is being chosen
	inQuestion
	whereEnd

	pagesMax = 16 // pages that there can be
	anyPage  = 1<<pagesMax - 1
	inAll    = whereEnd - 1
)

var inputNames = []string{"help", "text", "break dialog", "typed name", "fault menu", "fault choice", "lesson", "filter", "palette", "columns", "start", "question"}

// onPage is where the keys of a page count.
func onPage(page int) where { return 1 << page }

// places are sets of pages by what they have.
type places struct {
	pages                               []page.Page
	all, targets, filter, tables, inner where
	showsFinding, showsSession          where
}

func placesOf(pages []page.Page) places {
	on := places{pages: pages}
	for i, p := range pages {
		about := p.About()
		_, filter := p.(page.Filtered)
		_, tables := p.(page.Tabled)
		for _, x := range []struct {
			has bool
			set *where
		}{{true, &on.all}, {about.Targets, &on.targets}, {filter, &on.filter}, {tables, &on.tables}, {about.Inner, &on.inner},
			{about.Shows&page.ShowFinding != 0, &on.showsFinding}, {about.Shows&page.ShowSession != 0, &on.showsSession}} {
			if x.has {
				*x.set |= onPage(i)
			}
		}
	}
	return on
}

// words name some of the places for help.
func (on places) words(w where) string {
	var names, others []string
	for i, p := range on.pages {
		if w&onPage(i) != 0 {
			names = append(names, p.About().Title)
		} else {
			others = append(others, p.About().Title)
		}
	}
	switch {
	case w == inAll:
		return "everywhere"
	case len(others) == 0 && w&^anyPage&^(inHelp|inSheet) == 0: // these stand over a page
		return "every page"
	case len(others) == 0:
		names = []string{"every page"}
	case len(others) == 1 && len(names) > 1:
		names = []string{"every page but " + others[0]}
	}
	for i, n := range inputNames {
		if w&(inHelp<<i) != 0 {
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
	own    map[where]page.Key // of a row that is of single pages
}

// KeyHelp is a row of the table of keys, in words.
type KeyHelp struct {
	Keys, Where, What, Needs string
}

// Keys returns the table of keys in words. Footer, help and manual come from it.
func Keys() []KeyHelp {
	var rows []KeyHelp
	on := placesOf(page.All(page.NewLockList()))
	for _, b := range keyTable(on.pages) {
		rows = append(rows, KeyHelp{Keys: keyNames(b.keys), Where: on.words(b.in), What: b.what, Needs: b.needs})
	}
	return rows
}

const (
	needsArmed  = "armed"
	needsLesson = "a lesson"
)

// keyTable is the table of keys.
func keyTable(pages []page.Page) []binding {
	on := placesOf(pages)
	var all []binding
	for _, rows := range [][]binding{moveKeys(on), pageKeys(on), listKeys(on), actKeys(on), inputKeys(), menuKeys(), lessonKeys(on), paletteKeys(on),
		columnKeys(on), markKeys(on), startKeys(), programKeys(on)} {
		all = append(all, rows...)
	}
	return all
}

// own are the keys of a group that single pages have. What several have is one row.
func (on places) own(group page.KeyGroup) []binding {
	var rows []binding
	for i, p := range on.pages {
		for _, k := range p.Keys() {
			if k.Group != group {
				continue
			}
			at := slices.IndexFunc(rows, func(b binding) bool { return b.what == k.What })
			if at < 0 {
				at = len(rows)
				rows = append(rows, binding{keys: k.Keys, short: k.Short, what: k.What, needs: k.Needs, act: k.Kind, own: map[where]page.Key{}})
				rows[at].bind(k)
			}
			rows[at].in |= onPage(i)
			rows[at].own[onPage(i)] = k
		}
	}
	return rows
}

// bind lets a row do what the page that is shown has for it.
func (b *binding) bind(k page.Key) {
	own := b.own
	here := func(a *App) page.Key { return own[onPage(a.at)] }
	b.why = func(a *App) string {
		switch k := here(a); {
		case k.Some && a.here().Empty():
			return a.whyEmpty()
		case k.Why != nil:
			return k.Why()
		}
		return ""
	}
	if k.Act == nil {
		b.do = run(func(a *App) { a.show(here(a).Do(a.frame())) })
		return
	}
	b.why = nil
	b.asks = one(func(a *App) (model.Action, string) { return here(a).Act(a.frame()) })
	b.then = (*App).actFirst
}

func run(f func(a *App)) func(a *App) tea.Cmd {
	return func(a *App) tea.Cmd { f(a); return nil }
}

func moveKeys(on places) []binding {
	in := on.all | inHelp | inSheet
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

func pageKeys(on places) []binding {
	rows := append(on.own(page.KeysThatOpen), []binding{
		{keys: []string{"e"}, in: on.all, short: "explain", what: "explain the worst finding about what is selected", why: (*App).whyEmpty, do: run((*App).explain)},
		{keys: []string{"w"}, in: on.all &^ on.showsFinding, short: "why", what: "jump to the worst finding about what is selected", why: (*App).whyEmpty, do: run((*App).openFinding)},
		{keys: []string{"o"}, in: on.targets &^ on.showsSession, short: "session", what: "jump to the session of what is selected", why: (*App).whyEmpty, do: run((*App).openSession)},
		{keys: []string{"-"}, in: on.all, what: "back to where the last jump was made", do: run((*App).comeBack)},
		{keys: []string{"c"}, in: on.all, short: "etcdctl", what: "the etcdctl lines that show the same by hand", do: run((*App).byHand)},
	}...)
	rows = append(rows, on.own(page.KeysOfParts)...)
	for i, p := range on.pages {
		if about := p.About(); !about.Inner {
			rows = append(rows, binding{keys: []string{digitOf(on.pages, i)}, in: on.all | inHelp | inSheet,
				what: "page " + about.Title, do: run(func(a *App) { a.goTo(i) })})
		}
	}
	return rows
}

func listKeys(on places) []binding {
	rows := []binding{{keys: []string{"/"}, in: on.filter, short: "filter", what: "filter as you type, ! in front turns it round", do: run((*App).editFilter)}}
	return append(append(rows, on.own(page.KeysOfLists)...), []binding{
		{keys: []string{"esc"}, in: on.inner, short: "back", what: "back to where one came from", do: run((*App).back)},
		{keys: []string{"esc"}, in: on.all &^ on.inner, what: "back, or clear the filter", do: run((*App).back)},
		{keys: []string{"y"}, in: inSheet, short: "copy", what: "copy the etcdctl lines (OSC 52)", do: (*App).copySheet},
		{keys: []string{"y"}, in: on.targets, what: "copy the selected key (OSC 52)", do: (*App).copyKey, frozen: true},
	}...)
}

// actKeys are in upper case, or open a dialog.
func actKeys(on places) []binding {
	rows := []binding{
		{keys: []string{"x"}, in: on.targets, short: "break", what: "break the lock: shows what goes, then asks", needs: needsArmed,
			act: model.RevokeLease, asks: (*App).breakWays, then: (*App).openBreak},
		{keys: []string{"F"}, in: on.targets, short: "faults", what: "what can be done to what is selected: a contender, a member, the cluster", needs: page.NeedsLab,
			why: (*App).whyNoFaults, do: (*App).openFaults},
		on.faultKey("H", "hold", "hold the contender's keepalives, or let them go", model.FaultHoldKeepalives),
		on.faultKey("P", "pause", "pause the contender's process, or let it run", model.FaultPause),
		on.faultKey("K", "kill", "kill the contender (SIGKILL)", model.FaultKill),
		on.faultKey("T", "stop", "stop the contender (SIGTERM)", model.FaultStop),
		{keys: []string{"N"}, in: on.targets, short: "spawn", what: "spawn a contender on this lock", needs: page.NeedsLab, act: model.SpawnProc,
			asks: one(func(a *App) (model.Action, string) { return a.action(model.SpawnProc) }), then: (*App).actFirst},
	}
	return append(append(rows, on.own(page.KeysThatAct)...), binding{keys: []string{"A"}, in: on.all, what: "heal all faults", needs: page.NeedsLab, act: model.HealAll,
		asks: one(func(a *App) (model.Action, string) { return a.action(model.HealAll) }), then: (*App).actFirst})
}

// faultKey is a key that does a fault to the contender under the cursor, or heals it.
func (on places) faultKey(key, short, what string, kind model.FaultKind) binding {
	return binding{keys: []string{key}, in: on.targets, short: short, what: what, needs: page.NeedsLab, act: model.InjectFault,
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
		{keys: []string{"enter"}, in: inFaults, short: "choose", brief: (*App).chooseWord, what: "choose how, or do it if there is nothing to choose", needs: page.NeedsLab, act: model.InjectFault, do: (*App).choose},
		{keys: []string{"esc", "q"}, in: inFaults, short: "leave it", what: "do nothing", do: run(func(a *App) { a.menu = nil })},
		{keys: []string{"up", "k"}, in: inChoice, what: "line above", do: run(func(a *App) { a.menu.choice.move(-1) })},
		{keys: []string{"down", "j"}, in: inChoice, what: "line below", do: run(func(a *App) { a.menu.choice.move(1) })},
		{keys: []string{"left"}, in: inChoice, what: "value to the left", do: run(func(a *App) { a.menu.choice.turn(-1) })},
		{keys: []string{"right"}, in: inChoice, what: "value to the right", do: run(func(a *App) { a.menu.choice.turn(1) })},
		{keys: []string{"esc"}, in: inChoice, short: "back", what: "back to the kinds", do: run(func(a *App) { a.menu.choice, a.menu.hint = nil, "" })},
		{keys: []string{"enter"}, in: inChoice, short: "do it", what: "do what the dialog says", needs: page.NeedsLab, act: model.InjectFault, do: (*App).confirmFault},
	}
}

func programKeys(on places) []binding {
	return []binding{
		{keys: []string{" "}, in: on.all, short: "freeze", what: "freeze the screen, and let it go; events are still collected", do: run((*App).freeze), frozen: true},
		{keys: []string{"m"}, in: on.all | inStart, what: "mouse off, so that the terminal selects, and on", do: (*App).toggleMouse, frozen: true},
		{keys: []string{"?", "h", "f1"}, in: on.all | inStart, short: "help", what: "help for this screen", do: (*App).openHelp, frozen: true},
		{keys: []string{"q"}, in: on.all | inStart, what: "quit", do: func(*App) tea.Cmd { return tea.Quit }, frozen: true},
		{keys: []string{"ctrl+c"}, in: inAll, what: "quit", do: func(*App) tea.Cmd { return tea.Quit }, frozen: true},
		{keys: []string{"ctrl+z"}, in: inAll, what: "suspend", why: func(a *App) string { return a.th.Clean(a.o.NoSuspend) },
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
	if a.here().Empty() {
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
		a.say(draw.Late, "the screen is frozen: space lets it go, then the key works")
		return nil
	}
	a.pressed = msg.String()
	reason := b.closed(a)
	switch {
	case reason != "":
		a.say(draw.Late, "not available: "+reason)
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
