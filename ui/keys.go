package ui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/dialog"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/lesson"
	"locktop/ui/page"
	"locktop/ui/palette"
	"locktop/ui/replay"
	"locktop/ui/start"
)

// places are sets of pages of a console by what they have.
type places struct {
	a                                   *App
	pages                               []page.Page
	all, targets, filter, tables, inner host.Where
	showsFinding, showsSession          host.Where
	showsOutput                         host.Where
}

func placesOf(a *App) places {
	on := places{a: a, pages: a.pages, all: a.all()}
	for i, p := range a.pages {
		about := p.About()
		_, filter := p.(page.Filtered)
		_, tables := p.(page.Tabled)
		for _, x := range []struct {
			has bool
			set *host.Where
		}{{about.Targets, &on.targets}, {filter, &on.filter}, {tables, &on.tables}, {about.Inner, &on.inner},
			{about.Shows&page.ShowFinding != 0, &on.showsFinding}, {about.Shows&page.ShowSession != 0, &on.showsSession},
			{about.Shows&page.ShowOutput != 0, &on.showsOutput}} {
			if x.has {
				*x.set |= host.OnPage(i)
			}
		}
	}
	return on
}

// keyTable is the table of keys, with those of recordings or without.
func keyTable(a *App, recorded bool) []host.Key {
	on := placesOf(a)
	var tape []host.Key
	if recorded {
		tape = replay.Keys(on.all, a.self.tape(), a.self.seek, func() bool { return a.o.Past != nil && a.present == nil })
	}
	told, _ := a.under.(*lesson.Pane)
	return a.self.refusedInThePast(slices.Concat(on.moveKeys(), on.pageKeys(), on.listKeys(), on.actKeys(), on.inputKeys(), dialog.Keys(func() host.Dialog { return a.dialog }),
		host.PaneKeys(a.under, on.all), told.Keys(), told.PlayKeys(on.all), told.BackKeys(on.all),
		palette.Keys(on.all|host.InStart, func() { a.palette = palette.New(a.self) }, func() *palette.Line { return a.palette }, func() { a.palette = nil }),
		on.viewKeys(), tape, start.Keys(func() *start.Page { return a.start }), on.programKeys()))
}

// refusedInThePast are the rows, of which those that change the world say there why they do not.
func (p parts) refusedInThePast(rows []host.Key) []host.Key {
	a := p.a
	for i := range rows {
		k := rows[i]
		if k.In&host.AnyPage == 0 || k.Act == "" && !slices.Contains([]string{host.NeedsArmed, page.NeedsLab, host.NeedsLesson}, k.Needs) {
			continue
		}
		rows[i].Why = func() string {
			if a.present != nil && !(k.Needs == host.NeedsLesson && p.behind()) {
				return string(replay.InThePast)
			}
			return k.Closed()
		}
	}
	return rows
}

// own are the keys of a group that single pages have. What several have is one row.
func (on places) own(group page.KeyGroup) []host.Key {
	var rows []host.Key
	var own []map[int]page.Key // of each row, by page
	for i, p := range on.pages {
		for _, k := range p.Keys() {
			if k.Group != group {
				continue
			}
			at := slices.IndexFunc(rows, func(b host.Key) bool { return b.What == k.What })
			if at < 0 {
				at = len(rows)
				own = append(own, map[int]page.Key{})
				rows = append(rows, on.ownRow(k, own[at]))
			}
			rows[at].In |= host.OnPage(i)
			own[at][i] = k
		}
	}
	return rows
}

// ownRow is the row of a key that does what the page that is shown has for it.
func (on places) ownRow(k page.Key, own map[int]page.Key) host.Key {
	a, row := on.a, host.Key{Keys: k.Keys, Short: k.Short, What: k.What, Needs: k.Needs, Act: k.Kind}
	here := func() page.Key { return own[a.at] }
	if k.Act != nil {
		row.Asks = a.one(func() (model.Action, string) { return here().Act(a.frame()) })
		row.Then = a.actFirst
		return row
	}
	row.Do = host.Run(func() { a.show(here().Do(a.frame())) })
	row.Why = func() string {
		switch k := here(); {
		case k.Some && a.here().Empty():
			return a.whyEmpty()
		case k.Why != nil:
			return k.Why()
		}
		return ""
	}
	return row
}

func (on places) moveKeys() []host.Key {
	a := on.a
	in := on.all | host.InHelp | host.InText
	moves := host.Fold{Keys: "j k g G", What: "down, up, first, last; arrows, PgUp, PgDn, Home and End too"}
	return []host.Key{
		{Keys: []string{"up", "k"}, In: in, Fold: moves, What: "up", Do: host.Run(func() { a.moveBy(-1) })},
		{Keys: []string{"down", "j"}, In: in, Fold: moves, What: "down", Do: host.Run(func() { a.moveBy(1) })},
		{Keys: []string{"pgup"}, In: in, Fold: moves, What: "page up", Do: host.Run(func() { a.moveBy(-a.pageStep()) })},
		{Keys: []string{"pgdown"}, In: in, Fold: moves, What: "page down", Do: host.Run(func() { a.moveBy(a.pageStep()) })},
		{Keys: []string{"home", "g"}, In: in, Fold: moves, What: "first", Do: host.Run(func() { a.moveBy(-far) })},
		{Keys: []string{"end", "G"}, In: in, Fold: moves, What: "last", Do: host.Run(func() { a.moveBy(far) })},
	}
}

func (on places) pageKeys() []host.Key {
	a := on.a
	rows := append(on.own(page.KeysThatOpen), []host.Key{
		{Keys: []string{"e"}, In: on.all, Short: "explain", What: "explain the worst finding on the selected item", Why: a.whyEmpty, Do: host.Run(a.explain)},
		{Keys: []string{"w"}, In: on.all &^ on.showsFinding, Short: "why", What: "go to the worst finding on the selected item", Why: a.whyEmpty, Do: host.Run(a.openFinding)},
		{Keys: []string{"o"}, In: on.targets &^ on.showsSession, Short: "session", What: "go to the session of the selected item", Why: a.whyEmpty, Do: host.Run(a.openSession)},
		{Keys: []string{"O"}, In: on.all &^ on.showsOutput, Short: "output", What: "what your own programs print", Do: host.Run(a.self.openOutput),
			Hidden: func() bool { return len(a.state.Outputs()) == 0 }},
		{Keys: []string{"!"}, In: on.all, What: "select what the verdict on top is about", Do: host.Run(a.showVerdict)},
		{Keys: []string{"-"}, In: on.all, What: "back to where the last jump began", Do: host.Run(a.comeBack)},
		{Keys: []string{"c"}, In: on.all, Short: "etcdctl", What: "the etcdctl lines that show the same by hand", Do: host.Run(a.byHand)},
	}...)
	rows = append(rows, on.own(page.KeysOfParts)...)
	pages := host.Fold{Keys: "1 to " + a.digit(len(on.pages)-1), What: "a page, as they stand on top"}
	for i, p := range on.pages {
		if about := p.About(); !about.Inner {
			rows = append(rows, host.Key{Keys: []string{a.digit(i)}, In: on.all | host.InHelp | host.InText, Fold: pages,
				What: "page " + about.Title, Do: host.Run(func() { a.self.turnTo(i) })})
		}
	}
	return rows
}

func (on places) listKeys() []host.Key {
	a := on.a
	rows := []host.Key{{Keys: []string{"/"}, In: on.filter, Short: "filter", What: "filter by words or /expression/, ! inverts", Do: host.Run(a.editFilter)}}
	return append(append(rows, on.own(page.KeysOfLists)...), []host.Key{
		{Keys: []string{"esc"}, In: on.inner, Short: "back", What: "back to where you came from", Do: host.Run(a.back)},
		{Keys: []string{"esc"}, In: on.all &^ on.inner, Short: "clears", What: "back, or clear the filter", Do: host.Run(a.back),
			Hidden: func() bool { text, _ := a.filter(); return text == "" }},
		{Keys: []string{"y"}, In: host.InText, Short: "copy", What: "copy the etcdctl lines (OSC 52)", Do: a.copySheet},
		{Keys: []string{"y"}, In: on.targets, What: "copy the selected key (OSC 52)", Do: a.copyKey, Frozen: true},
	}...)
}

// actKeys are in upper case, or open a dialog.
func (on places) actKeys() []host.Key {
	a := on.a
	rows := []host.Key{
		{Keys: []string{"x"}, In: on.targets, Short: "break", Brief: a.breakWord, What: "break the lock, or all that are marked: shows what goes, then asks", Needs: host.NeedsArmed,
			Act: model.RevokeLease, Asks: a.breakWays, Then: func(said host.Said) tea.Cmd {
				if names := a.chosen(); len(names) > 0 {
					return dialog.OpenSeveral(a.self, said, names)
				}
				return dialog.OpenBreak(a.self, said)
			}},
		{Keys: []string{"M"}, In: host.OnPage(0), What: "mark the lock, so that x breaks all marked ones at once, or take the mark away", Needs: host.NeedsArmed,
			Act: model.DeleteClaim, Asks: a.one(func() (model.Action, string) { return a.anyClaim(), a.whyEmpty() }), Then: a.choose},
		{Keys: []string{"F"}, In: on.targets, Short: "faults", What: "faults for the selected contender or member, and for the cluster", Needs: page.NeedsLab,
			Why: a.whyNoFaults, Do: func() tea.Cmd { return dialog.OpenFaults(a.self, a.self.Target()) }},
		on.faultKey("H", "hold", "let go", "hold the contender's keepalives, or let them go", model.FaultHoldKeepalives),
		on.faultKey("P", "pause", "run", "pause the contender's process, or let it run", model.FaultPause),
		on.faultKey("K", "kill", "kill", "kill the contender (SIGKILL)", model.FaultKill),
		on.faultKey("T", "stop", "stop", "stop the contender (SIGTERM)", model.FaultStop),
		{Keys: []string{"N"}, In: on.targets, Short: "add", What: "add a contender on this lock", Needs: page.NeedsLab, Act: model.SpawnProc,
			Asks: a.one(func() (model.Action, string) { return a.action(model.SpawnProc) }), Then: a.actFirst},
	}
	return append(append(rows, on.own(page.KeysThatAct)...), host.Key{Keys: []string{"A"}, In: on.all, Short: "heal", What: "heal all faults", Needs: page.NeedsLab, Act: model.HealAll,
		Asks: a.one(func() (model.Action, string) { return a.action(model.HealAll) }), Then: a.actFirst})
}

// faultKey is a key that does a fault to the contender under the cursor, or heals it where
// it is in force: the footer says which.
func (on places) faultKey(key, short, healing, what string, kind model.FaultKind) host.Key {
	a := on.a
	brief := func(int) string {
		if len(a.state.Faults()) > 0 {
			if act, _ := a.fault(kind); act.Kind == model.HealFault {
				return healing
			}
		}
		return short
	}
	return host.Key{Keys: []string{key}, In: on.targets, Short: short, Brief: brief, What: what, Needs: page.NeedsLab, Act: model.InjectFault,
		Asks: a.one(func() (model.Action, string) { return a.fault(kind) }), Then: a.actFirst}
}

func (on places) inputKeys() []host.Key {
	a := on.a
	return []host.Key{
		{Keys: []string{"enter"}, In: host.InFilter, Short: "keep", What: "keep the filter", Do: host.Run(func() { a.field = nil })},
		{Keys: []string{"esc"}, In: host.InFilter, Short: "clear", What: "clear the filter", Do: host.Run(func() { a.setFilter(""); a.field = nil })},
		{Keys: []string{"esc", "e", "c", "q", "enter"}, In: host.InText, Short: "close", What: "close the text", Do: host.Run(func() { a.sheet = nil })},
		{Keys: []string{"esc", "?", "h", "f1", "q"}, In: host.InHelp, Short: "close", What: "close help", Do: host.Run(func() { a.sheet = nil })},
	}
}

// viewKeys are those of columns and bookmarks.
func (on places) viewKeys() []host.Key {
	a := on.a
	return []host.Key{
		{Keys: []string{"v"}, In: on.tables, What: "choose columns", Do: host.Run(a.openColumns),
			Why: func() string { _, why := a.here().(page.Tabled).Focus(a.frame()); return why }},
		{Keys: []string{"b"}, In: on.targets, What: "bookmark the lock, or take the mark away", Do: host.Run(a.toggleMark)},
		{Keys: []string{"'"}, In: on.all, What: "to the next bookmarked lock", Do: host.Run(a.nextMark)},
	}
}

func (on places) programKeys() []host.Key {
	a := on.a
	return []host.Key{
		{Keys: []string{" "}, In: on.all, Short: "freeze", What: "freeze the screen, and let it go; events are still collected", Do: host.Run(a.freeze), Frozen: true},
		{Keys: []string{"m"}, In: on.all | host.InStart, What: "mouse off, so that the terminal selects, and on", Do: a.toggleMouse, Frozen: true},
		{Keys: []string{"?", "h", "f1"}, In: on.all | host.InStart, Short: "help", What: "help for this screen", Do: a.openHelp, Frozen: true},
		{Keys: []string{"q"}, In: on.all | host.InStart, What: "quit", Do: func() tea.Cmd { return tea.Quit }, Frozen: true},
		{Keys: []string{"ctrl+c"}, In: host.All, What: "quit", Do: func() tea.Cmd { return tea.Quit }, Frozen: true},
		{Keys: []string{"ctrl+z"}, In: host.All, What: "suspend", Why: func() string { return a.th.Clean(a.o.NoSuspend) },
			Do: func() tea.Cmd { return tea.Suspend }, Frozen: true},
	}
}

// whyEmpty says why a key that is about what is selected does nothing: there is
// nothing to select. "" if there is.
func (a *App) whyEmpty() string {
	if a.here().Empty() {
		return "the list is empty"
	}
	return ""
}

// key does what a key asks for, or says why not.
func (a *App) key(msg tea.KeyMsg) tea.Cmd {
	a.touched = a.now
	a.keyed()
	w := a.where()
	b := a.keys.At[w][msg.String()]
	if msg.Paste && w&(host.InFilter|host.InTyped|host.InCount|host.InPalette) != 0 {
		b = nil // pasted text is text
	}
	switch {
	case b == nil && w == host.InFilter:
		a.field.Key(msg)
		a.setFilter(a.field.Text)
		return nil
	case b == nil && w == host.InPalette:
		a.palette.Typed(msg)
		return nil
	case b == nil && w&(host.InTyped|host.InCount) != 0:
		a.dialog.(interface{ Type(tea.KeyMsg) }).Type(msg)
		return nil
	case b == nil:
		return nil
	}
	return a.self.press(b, msg.String())
}

// press does what a row of the table of keys says, or says why not.
func (p parts) press(b *host.Key, key string) tea.Cmd {
	a := p.a
	switch {
	case !a.booted && b.In != host.All && key != "q":
		return nil
	case a.frozen && !b.Frozen:
		a.say(draw.Late, "screen frozen: press space first")
		return nil
	}
	a.pressed = key
	reason := b.Closed()
	switch {
	case reason != "":
		a.say(draw.Late, draw.NotNow(reason))
		return nil
	case b.Asks != nil:
		acts, _ := b.Asks()
		return p.Ask(p.Target(), acts, b.Then)
	}
	if a.self.tape() == nil {
		return b.Do()
	}
	return tea.Batch(b.Do(), p.follow())
}
