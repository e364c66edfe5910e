package ui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/dialog"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// places are sets of pages of a console by what they have.
type places struct {
	a                                   *Shell
	pages                               []page.Page
	all, targets, filter, tables, inner host.Where
	showsFinding, showsSession          host.Where
	showsOutput                         host.Where
}

func placesOf(a *Shell) places {
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
func keyTable(a *Shell, recorded bool) []host.Key {
	on := placesOf(a)
	var ofPlayback []host.Key
	if recorded {
		ofPlayback = playbackKeys(on.all, a.playback(), a.seek, func() bool { return a.o.Past != nil && a.present == nil })
	}
	return a.refusedInThePast(slices.Concat(on.moveKeys(), on.pageKeys(), on.listKeys(), on.actKeys(), on.inputKeys(), dialog.Keys(func() host.Dialog { return a.dialog }),
		a.panel.Keys(on.all),
		dialog.CommandKeys(on.all|host.InStart, func() { a.palette = dialog.NewCommandLine(a.viewOf(a.Frame()), a.here()) }, func() *dialog.CommandLine { return a.palette },
			func() tea.Cmd { return a.obey(a.palette.Obey(a.viewOf(a.Frame()))) }, func() { a.palette = nil }),
		on.viewKeys(), ofPlayback, dialog.StartKeys(func() *dialog.StartPage { return a.start }), on.programKeys()))
}

// refusedInThePast are the rows, of which those that change the world say there why they do not.
func (sh *Shell) refusedInThePast(rows []host.Key) []host.Key {
	for i := range rows {
		k := rows[i]
		if k.Where&host.AnyPage == 0 || k.Act == "" && !slices.Contains([]string{host.NeedsArmed, page.NeedsLab, host.NeedsLesson}, k.Needs) {
			continue
		}
		rows[i].Why = func(v host.View) string {
			if sh.present != nil && !(k.Needs == host.NeedsLesson && sh.inPast()) {
				return sh.th.Say("the-past-is-shown")
			}
			return k.Closed(v)
		}
	}
	return rows
}

// own are the keys of a group that single pages have. What several have is one row.
func (pl places) own(group page.KeyGroup) []host.Key {
	var rows []host.Key
	var own []map[int]page.Key // of each row, by page
	for i, p := range pl.pages {
		for _, k := range p.Keys() {
			if k.Group != group {
				continue
			}
			at := slices.IndexFunc(rows, func(b host.Key) bool { return b.What == k.What })
			if at < 0 {
				at = len(rows)
				own = append(own, map[int]page.Key{})
				rows = append(rows, pl.ownRow(k, own[at]))
			}
			rows[at].Where |= host.OnPage(i)
			own[at][i] = k
		}
	}
	return rows
}

// ownRow is the row of a key that does what the page that is shown has for it.
func (pl places) ownRow(k page.Key, own map[int]page.Key) host.Key {
	a, row := pl.a, host.Key{Keys: k.Keys, Short: k.Short, What: k.What, Needs: k.Needs, Act: k.Kind, Fold: k.Fold}
	here := func() page.Key { return own[a.at] }
	if k.Act != nil {
		row.Asks = a.one(func() (model.Action, string) { return here().Act(a.Frame()) })
		row.Then = host.ActFirst
		return row
	}
	row.Do = host.Run(func() { a.show(here().Do(a.Frame())) })
	row.Why = func(v host.View) string {
		switch k := here(); {
		case k.Some && a.current().Empty():
			return a.whyEmpty()
		case k.Why != nil:
			return a.th.Message(model.Message{ID: k.Why()})
		}
		return ""
	}
	return row
}

func (pl places) moveKeys() []host.Key {
	a := pl.a
	in := pl.all | host.InHelp | host.InText
	moves := page.Fold{Keys: "j k g G", What: host.FoldMoves}
	return []host.Key{
		{Keys: []string{"up", "k"}, Where: in, Fold: moves, What: "up", Do: host.Run(func() { a.moveBy(-1) })},
		{Keys: []string{"down", "j"}, Where: in, Fold: moves, What: "down", Do: host.Run(func() { a.moveBy(1) })},
		{Keys: []string{"pgup"}, Where: in, Fold: moves, What: "page-up", Do: host.Run(func() { a.moveBy(-a.pageStep()) })},
		{Keys: []string{"pgdown"}, Where: in, Fold: moves, What: "page-down", Do: host.Run(func() { a.moveBy(a.pageStep()) })},
		{Keys: []string{"home", "g"}, Where: in, Fold: moves, What: "first-word", Do: host.Run(func() { a.moveBy(-far) })},
		{Keys: []string{"end", "G"}, Where: in, Fold: moves, What: "last", Do: host.Run(func() { a.moveBy(far) })},
	}
}

func (pl places) pageKeys() []host.Key {
	a := pl.a
	empty := func(host.View) string { return a.whyEmpty() }
	rows := append(pl.own(page.KeysThatOpen), []host.Key{
		{Keys: []string{"e"}, Where: pl.all, Short: "key-explain", What: "explain-the-worst-finding-on-the", Why: empty, Do: host.Run(a.explain)},
		{Keys: []string{"w"}, Where: pl.all &^ pl.showsFinding, Short: "key-why", What: "go-to-the-worst-finding-on", Why: empty, Do: host.Run(a.openFinding)},
		{Keys: []string{"o"}, Where: pl.targets &^ pl.showsSession, Short: "key-session", What: "go-to-the-session-of-the", Why: empty, Do: host.Run(a.openSession)},
		{Keys: []string{"O"}, Where: pl.all &^ pl.showsOutput, Short: "key-output", What: "what-your-own-programs-print", Do: host.Run(a.openOutput),
			Hidden: func(host.View) bool { return len(a.state.Reports().Outputs()) == 0 }},
		{Keys: []string{"!"}, Where: pl.all, What: "select-what-the-verdict-on-top", Do: host.Run(a.showVerdict)},
		{Keys: []string{"-"}, Where: pl.all, What: "back-to-where-the-last-jump", Do: host.Run(a.comeBack)},
		{Keys: []string{"c"}, Where: pl.all, Short: "key-etcdctl", What: "the-etcdctl-lines-that-show-the", Do: host.Run(a.byHand)},
	}...)
	rows = append(rows, pl.own(page.KeysOfParts)...)
	pages := page.Fold{Keys: "1-" + a.digit(len(pl.pages)-1), What: host.FoldPages}
	for i, p := range pl.pages {
		if about := p.About(); !about.Inner {
			rows = append(rows, host.Key{Keys: []string{a.digit(i)}, Where: pl.all | host.InHelp | host.InText, Fold: pages,
				What: about.Go, Do: host.Run(func() { a.turnTo(i) })})
		}
	}
	return rows
}

func (pl places) listKeys() []host.Key {
	a := pl.a
	rows := []host.Key{{Keys: []string{"/"}, Where: pl.filter, Short: "key-filter", What: "filter-by-words-or-expression-inverts", Do: host.Run(a.editFilter)}}
	return append(append(rows, pl.own(page.KeysOfLists)...), []host.Key{
		{Keys: []string{"esc"}, Where: pl.inner, Short: "key-back", What: "back-to-where-you-came-from", Do: host.Run(a.back)},
		{Keys: []string{"esc"}, Where: pl.all &^ pl.inner, Short: "key-clears", What: "back-or-clear-the-filter", Do: host.Run(a.back),
			Hidden: func(host.View) bool { text, _ := a.filter(); return text == "" || a.current().About().SaysFilter }},
		{Keys: []string{"y"}, Where: host.InText, Short: "key-copy", What: "copy-the-etcdctl-lines-osc-52", Do: runsCmd(a.copyOverlay)},
		{Keys: []string{"y"}, Where: pl.targets, What: "copy-the-selected-key-osc-52", Do: runsCmd(a.copyKey), Frozen: true},
	}...)
}

// actKeys are in upper case, or open a dialog.
func (pl places) actKeys() []host.Key {
	a := pl.a
	rows := []host.Key{
		{Keys: []string{"x"}, Where: pl.targets, Short: "key-break", Brief: a.breakWord, What: "break-the-lock-or-all-that", Needs: host.NeedsArmed,
			Act: model.RevokeLease, Asks: a.breakWays, Then: func(v host.View, said host.Said) []host.Intent {
				if names := a.chosen(); len(names) > 0 {
					return dialog.OpenSeveral(v, said, names)
				}
				return dialog.OpenBreak(v, said)
			}},
		{Keys: []string{"M"}, Where: host.OnPage(0), What: "mark-the-lock-so-that-x", Needs: host.NeedsArmed,
			Act: model.DeleteClaim, Asks: a.one(func() (model.Action, string) { return a.anyClaim(), a.whyEmpty() }), Then: a.choose},
		{Keys: []string{"F"}, Where: pl.targets, Short: "key-faults", What: "faults-for-the-selected-contender-or", Needs: page.NeedsLab,
			Why: a.whyNoFaults, Do: func(v host.View) []host.Intent { return dialog.OpenFaults(v, a.Target()) }},
		pl.faultKey(model.FaultHoldKeepalives), pl.faultKey(model.FaultPause), pl.faultKey(model.FaultKill), pl.faultKey(model.FaultStop),
		{Keys: []string{"N"}, Where: pl.targets, Short: "key-add", What: "add-a-contender-on-this-lock", Needs: page.NeedsLab, Act: model.SpawnProc,
			Asks: a.one(func() (model.Action, string) { return a.action(model.SpawnProc) }), Then: host.ActFirst},
	}
	return append(append(rows, pl.own(page.KeysThatAct)...), host.Key{Keys: []string{"A"}, Where: pl.all, Short: "key-heal", What: "heal-all-faults", Needs: page.NeedsLab, Act: model.HealAll,
		Asks: a.one(func() (model.Action, string) { return a.action(model.HealAll) }), Then: host.ActFirst})
}

// faultKeys are the faults that have a key, and how it is called before and after.
var faultKeys = map[model.FaultKind]struct {
	key                  string
	short, healing, what model.MessageID
}{
	model.FaultHoldKeepalives: {"H", "key-hold", "key-let-go", "hold-the-contenders-keepalives-or-let"},
	model.FaultPause:          {"P", "key-pause", "key-run", "pause-the-contenders-process-or-let"},
	model.FaultKill:           {"K", "key-kill", "key-kill", "kill-the-contender-sigkill"},
	model.FaultStop:           {"T", "key-stop", "key-stop", "stop-the-contender-sigterm"},
}

// faultKey is a key that does a fault to the contender under the cursor, or heals it where
// it is in force: the footer says which.
func (pl places) faultKey(kind model.FaultKind) host.Key {
	a, k := pl.a, faultKeys[kind]
	brief := func(host.View, int) string {
		if len(a.state.Reports().Faults()) > 0 {
			if act, _ := a.fault(kind); act.Kind == model.HealFault {
				return a.th.Say(k.healing)
			}
		}
		return a.th.Say(k.short)
	}
	return host.Key{Keys: []string{k.key}, Where: pl.targets, Short: k.short, Brief: brief, What: k.what, Needs: page.NeedsLab, Act: model.InjectFault,
		Asks: a.one(func() (model.Action, string) { return a.fault(kind) }), Then: host.ActFirst}
}

func (pl places) inputKeys() []host.Key {
	a := pl.a
	return []host.Key{
		{Keys: []string{"enter"}, Where: host.InFilter, Short: "key-keep", What: "keep-the-filter", Do: host.Run(func() { a.field = nil })},
		{Keys: []string{"esc"}, Where: host.InFilter, Short: "key-clear", What: "clear-the-filter", Do: host.Run(func() { a.setFilter(""); a.field = nil })},
		{Keys: []string{"esc", "e", "c", "q", "enter"}, Where: host.InText, Short: "key-close", What: "close-the-text", Do: host.Run(func() { a.overlay = nil })},
		{Keys: []string{"enter"}, Where: host.InHelp, Short: "key-do-it", What: "do-what-the-line-says", Do: runsCmd(a.pressRow)},
		{Keys: []string{"esc", "?", "h", "f1", "q"}, Where: host.InHelp, Short: "key-close", What: "close-help", Do: host.Run(func() { a.overlay = nil })},
	}
}

// viewKeys are those of columns and bookmarks.
func (pl places) viewKeys() []host.Key {
	a := pl.a
	return []host.Key{
		{Keys: []string{"v"}, Where: pl.tables, What: "choose-columns", Do: a.openColumns,
			Why: func(host.View) string { _, why := a.current().(page.Tabled).Focus(a.Frame()); return why }},
		{Keys: []string{"b"}, Where: pl.targets, What: "bookmark-the-lock-or-take-the", Do: host.Run(a.toggleMark)},
		{Keys: []string{"'"}, Where: pl.all, What: "to-the-next-bookmarked-lock", Do: host.Run(a.nextMark)},
	}
}

func (pl places) programKeys() []host.Key {
	a := pl.a
	return []host.Key{
		{Keys: []string{" "}, Where: pl.all, Short: "key-freeze", What: "freeze-the-screen-and-let-it", Do: host.Run(a.freeze), Frozen: true},
		{Keys: []string{"m"}, Where: pl.all | host.InStart, What: "mouse-off-so-that-the-terminal", Do: runsCmd(a.toggleMouse), Frozen: true},
		{Keys: []string{"?", "h", "f1"}, Where: pl.all | host.InStart, Short: "key-help", What: "help-for-this-screen", Do: runsCmd(a.openHelp), Frozen: true},
		{Keys: []string{"q"}, Where: pl.all | host.InStart | host.InLesson, What: "quit", Do: runsCmd(func() tea.Cmd { return tea.Quit }), Frozen: true},
		{Keys: []string{"ctrl+c"}, Where: host.All, What: "quit", Do: runsCmd(func() tea.Cmd { return tea.Quit }), Frozen: true},
		{Keys: []string{"ctrl+z"}, Where: host.All, What: "suspend", Why: func(host.View) string { return a.th.Message(a.o.NoSuspend) },
			Do: runsCmd(func() tea.Cmd { return tea.Suspend }), Frozen: true},
	}
}

// runsCmd is a key of the console that has Bubble Tea do something.
func runsCmd(f func() tea.Cmd) func(host.View) []host.Intent {
	return func(host.View) []host.Intent { return []host.Intent{host.Cmd(f())} }
}

// whyEmpty says why a key that is about what is selected does nothing: there is
// nothing to select. "" if there is.
func (sh *Shell) whyEmpty() string {
	if sh.current().Empty() {
		return sh.th.Say("the-list-is-empty")
	}
	return ""
}

// key does what a key asks for, or says why not.
//
// Bubble Tea gives the keys that it read at once as one message: each of them is pressed.
func (sh *Shell) key(msg tea.KeyMsg) tea.Cmd {
	if msg.Type == tea.KeyRunes && len(msg.Runes) > 1 && !msg.Paste {
		var all []tea.Cmd
		for i := range msg.Runes {
			one := msg
			one.Runes = msg.Runes[i : i+1]
			all = append(all, sh.key(one))
		}
		return tea.Batch(all...)
	}
	sh.touched, sh.clicked = sh.now, clicked{}
	sh.keyed()
	w := sh.where()
	b := sh.keys.At[w][msg.String()]
	if msg.Paste && w&(host.InFilter|host.InTyped|host.InCount|host.InPalette) != 0 {
		b = nil // pasted text is text
	}
	switch {
	case b == nil && w == host.InFilter:
		sh.field.Key(msg)
		sh.setFilter(sh.field.Text)
		return nil
	case b == nil && w == host.InPalette: // letters
		sh.palette.Typed(sh.viewOf(sh.Frame()), msg)
		return nil
	case b == nil && w&(host.InTyped|host.InCount) != 0:
		sh.dialog.(interface{ Type(tea.KeyMsg) }).Type(msg)
		return nil
	case b == nil && w&(host.InHelp|host.InText) != 0:
		return sh.pressUnder(msg.String())
	case b == nil && w&host.InLesson != 0 && sh.keys.At[sh.pageWhere()][msg.String()] != nil:
		sh.say(draw.Late, sh.th.Say("tutor-has-the-keys"))
		return nil
	case b == nil:
		return nil
	}
	return sh.press(b, msg.String())
}

// pressUnder does what a key does on the page under help or a text, which is closed: help names the
// keys of the page, and the header has some too. What changes the world is not done to what is out
// of sight.
func (sh *Shell) pressUnder(key string) tea.Cmd {
	b := sh.keys.At[sh.pageWhere()][key]
	switch {
	case b == nil:
		return nil
	case (b.Act != "" && b.Act != model.HealAll) || b.Needs == host.NeedsArmed || b.Needs == page.NeedsLab && b.Act != model.HealAll:
		sh.say(draw.Late, sh.th.Say("close-this-first-esc-to-see"))
		return nil
	}
	sh.overlay = nil
	return sh.press(b, key)
}

// press does what a row of the table of keys says, or says why not.
func (sh *Shell) press(b *host.Key, key string) tea.Cmd {
	switch {
	case !sh.booted && b.Where != host.All && key != "q":
		return nil
	case sh.frozen && !b.Frozen:
		sh.say(draw.Late, sh.th.Say("screen-frozen-press-space-first"))
		return nil
	}
	sh.pressed = key
	v := sh.look()
	reason := b.Closed(v)
	switch {
	case reason != "":
		sh.refuse(sh.th.NotNow(reason))
		return nil
	case b.Asks != nil:
		acts, _ := b.Asks()
		return sh.carryOut([]host.Intent{host.Ask{On: sh.Target(), Acts: acts, Then: b.Then}})
	}
	if sh.playback() == nil {
		return sh.carryOut(b.Do(v))
	}
	return tea.Batch(sh.carryOut(b.Do(v)), sh.follow())
}
