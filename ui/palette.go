package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/table"
)

// palette is the line in which a command is typed.
type palette struct {
	host.Field
	found []string // what tab goes through, nil before it was pressed
	at    int
	hint  string // why the command was not done
}

// offersMax bounds what tab goes through.
const offersMax = 1000

// verb is a row of the table of commands.
type verb struct {
	name, arg string // arg is what stands behind it, "" for nothing
	what      string
	atStart   bool // it works when nothing is watched yet
	// offers are what the argument may be, for tab; nil if nobody knows.
	offers func(a *App) []string
	// do does it, or says why not.
	do func(a *App, arg string) (tea.Cmd, string)
}

// commands are all that can be typed, in the order in which help and tab list them.
func commands() []verb {
	return []verb{
		{"lock", "NAME", "the queue of a lock", false, (*App).lockNames, (*App).cmdLock},
		{"lease", "ID", "a session by its lease, hex or decimal", false, nil, (*App).cmdLease},
		{"prefix", "PREFIX", "watch the keys under another prefix", true, func(a *App) []string { return a.o.Prefixes }, (*App).cmdPrefix},
		{"page", "NAME", "a page", false, (*App).pageNames, (*App).cmdPage},
		{"sort", "BY", "sort the locks", false, func(*App) []string { return sortNames[1:] }, (*App).cmdSort},
		{"theme", "NAME", "dark, light or mono", true, func(*App) []string { return draw.Themes }, (*App).cmdTheme},
		{"quit", "", "leave locktop", true, nil, func(*App, string) (tea.Cmd, string) { return tea.Quit, "" }},
	}
}

// typing says whether the footer is a field.
func (a *App) typing() bool { return a.field != nil || a.palette != nil }

func (on places) paletteKeys() []host.Key {
	a := on.a
	return []host.Key{
		{Keys: []string{":"}, In: on.all | host.InStart, What: "type a command: " + commandWords(), Do: host.Run(func() { a.palette = &palette{} })},
		{Keys: []string{"enter"}, In: host.InPalette, Short: "do it", What: "do the command", Do: a.obey},
		{Keys: []string{"tab"}, In: host.InPalette, Short: "complete", What: "complete the command or the name, and on to the next", Do: host.Run(func() { a.complete(1) })},
		{Keys: []string{"shift+tab"}, In: host.InPalette, What: "the completion before", Do: host.Run(func() { a.complete(-1) })},
		{Keys: []string{"esc"}, In: host.InPalette, Short: "leave it", What: "leave the palette", Do: host.Run(func() { a.palette = nil })},
	}
}

func commandWords() string {
	var words []string
	for _, c := range commands() {
		words = append(words, strings.TrimSpace(c.name+" "+c.arg))
	}
	return strings.Join(words, ", ")
}

func (a *App) pageNames() []string {
	var names []string
	for _, p := range a.pages {
		if !p.About().Inner {
			names = append(names, strings.ToLower(p.About().Title))
		}
	}
	return names
}

// typed takes a key in; what was offered is offered no more.
func (p *palette) typed(msg tea.KeyMsg) {
	p.Field.Key(msg)
	p.found, p.hint = nil, ""
}

// obey does the command, and keeps the line with the reason if it cannot be done.
func (a *App) obey() tea.Cmd {
	p := a.palette
	word, arg, _ := strings.Cut(strings.TrimSpace(p.Text), " ")
	arg = strings.TrimSpace(arg)
	if word == "" {
		a.palette = nil
		return nil
	}
	c := commandNamed(word)
	switch {
	case c == nil:
		p.hint = "no such command: " + commandWords()
	case a.start != nil && !c.atStart:
		p.hint = "nothing is watched yet: " + c.name + " works when something is"
	case (c.arg == "") != (arg == ""):
		p.hint = "want " + strings.TrimSpace(c.name+" "+c.arg)
	default:
		cmd, why := c.do(a, arg)
		if p.hint = why; why == "" {
			a.palette = nil
		}
		return cmd
	}
	return nil
}

// commandNamed finds a command by its name, or by a beginning that only it has.
func commandNamed(word string) *verb {
	var found *verb
	for _, c := range commands() {
		switch {
		case c.name == word:
			return &c
		case strings.HasPrefix(c.name, word) && found != nil:
			return nil
		case strings.HasPrefix(c.name, word):
			found = &c
		}
	}
	return found
}

// complete goes through what the line may become: first as far as all agree.
func (a *App) complete(by int) {
	p := a.palette
	if p.found == nil {
		p.found, p.at = a.offers(p.Text), -1
		if by < 0 {
			p.at = 0
		}
		if common := commonStart(p.found); len(common) > len(p.Text) {
			p.Text = common
			if len(p.found) > 1 {
				return
			}
		}
	}
	n := len(p.found)
	if n == 0 {
		p.hint = "nothing begins like that"
		return
	}
	p.at = (p.at + by + n) % n
	p.Text = p.found[p.at]
	if n == 1 {
		p.found = nil // the argument is next
	}
}

// offers are the lines that begin with text.
func (a *App) offers(text string) []string {
	var all []string
	word, arg, behind := strings.Cut(text, " ")
	if !behind {
		for _, c := range commands() {
			if strings.HasPrefix(c.name, word) {
				all = append(all, strings.TrimSuffix(c.name+" "+c.arg, c.arg))
			}
		}
		return all
	}
	c := commandNamed(word)
	if c == nil || c.offers == nil {
		return nil
	}
	for _, o := range c.offers(a) {
		if o = a.th.Clean(o); strings.HasPrefix(o, arg) && len(all) < offersMax {
			all = append(all, c.name+" "+o)
		}
	}
	return all
}

// commonStart is how all of them begin.
func commonStart(all []string) string {
	if len(all) == 0 {
		return ""
	}
	first := all[0]
	for _, s := range all[1:] {
		for !strings.HasPrefix(s, first) {
			r := []rune(first)
			first = string(r[:len(r)-1])
		}
	}
	return first
}

// paletteLine is the line that is typed, and beside it what it may become.
func (a *App) paletteLine(th *draw.Theme, w int) string {
	p := a.palette
	line := []draw.Span{draw.Accent.Of(":"), draw.Strong.Of(th.Clean(p.Text)), draw.Accent.Of("_"), draw.Plain.Of("  ")}
	word, _, behind := strings.Cut(p.Text, " ")
	c := commandNamed(word)
	switch {
	case p.hint != "":
		return th.Line(w, append(line, draw.Late.Of(th.Sign.Late+" "+p.hint)), nil)
	case len(p.found) > 1:
		for i, f := range p.found[max(0, p.at):] {
			st := draw.Dim
			if i == 0 && p.at >= 0 {
				st = draw.Accent
			}
			_, arg, ok := strings.Cut(f, " ")
			if !ok || arg == "" {
				arg = f
			}
			if line = append(line, st.Of(arg+" ")); i > 20 {
				break
			}
		}
		return th.Line(w, line, []draw.Span{draw.Dim.Of(draw.Count(int64(len(p.found))))})
	case behind && c != nil:
		line = append(line, draw.Dim.Of(c.what+"  "))
	case p.Text == "":
		line = append(line, draw.Dim.Of(commandWords()+"  "))
	}
	return th.Line(w, append(line, a.hints(host.InPalette, w/2)...), nil)
}

func (a *App) lockNames() []string {
	var names []string
	for _, l := range a.state.Locks() {
		names = append(names, l.Name)
	}
	slices.Sort(names)
	return names
}

// cmdLock opens the queue of a lock, which is named as it is or as it is shown.
func (a *App) cmdLock(arg string) (tea.Cmd, string) {
	l := a.state.Lock(arg)
	for _, other := range a.state.Locks() {
		if l == nil && a.th.Clean(other.Name) == arg {
			l = other
		}
	}
	if l == nil {
		return nil, "there is no lock of that name: tab completes those that there are"
	}
	a.show(page.Request{Show: page.ShowQueue, Lock: l.Name})
	return nil, ""
}

// cmdLease goes to a session. Digits alone are hex as everywhere else, unless only
// the decimal number is a lease that is known.
func (a *App) cmdLease(arg string) (tea.Cmd, string) {
	digits, isHex := strings.CutPrefix(strings.ToLower(arg), "0x")
	hex, badHex := strconv.ParseUint(digits, 16, 64)
	id := model.LeaseID(hex)
	l := a.state.Lease(id)
	dec, badDec := strconv.ParseInt(arg, 10, 64)
	if !isHex && badDec == nil && (l == nil || badHex != nil) {
		if other := a.state.Lease(model.LeaseID(dec)); other != nil {
			l, id = other, other.ID
		}
	}
	switch {
	case badHex != nil && badDec != nil:
		return nil, "want the id of a lease, in hex or decimal"
	case l == nil:
		return nil, "no watched key hangs on that lease, in hex or in decimal"
	}
	a.show(page.Request{Show: page.ShowSession, Lease: id})
	if page.Standing(l) == 0 && !l.Condition().Trouble() {
		a.say(draw.Late, "lease "+id.String()+" has "+draw.Plural(len(l.Claims()), "watched key")+", none of them in the queue of a lock")
	}
	return nil, ""
}

func (a *App) cmdPage(arg string) (tea.Cmd, string) {
	for i, p := range a.pages {
		name := strings.ToLower(p.About().Title)
		if !p.About().Inner && (strings.HasPrefix(name, strings.ToLower(arg)) || arg == digitOf(a.pages, i)) {
			a.jump(i)
			return nil, ""
		}
	}
	return nil, "there is no such page: " + strings.Join(a.pageNames(), ", ")
}

func (a *App) cmdSort(arg string) (tea.Cmd, string) {
	by := slices.Index(sortNames, strings.ToLower(arg))
	if by <= 0 {
		return nil, "want one of " + strings.Join(sortNames[1:], ", ")
	}
	if a.board.Locks.Order.By != table.SortKey(by) {
		a.board.Locks.SortBy(table.SortKey(by))
	}
	return nil, ""
}

func (a *App) cmdTheme(arg string) (tea.Cmd, string) {
	if known(arg) == "" {
		return nil, "want one of " + strings.Join(draw.Themes, ", ")
	}
	if a.themed = arg; a.o.Profile == termenv.Ascii {
		return nil, "kept for next time: there are no colours here (NO_COLOR, --color or the terminal says so)"
	}
	a.setTheme(arg)
	return nil, ""
}

// cmdPrefix watches something else.
func (a *App) cmdPrefix(arg string) (tea.Cmd, string) {
	if a.o.Watch == nil {
		return nil, "what is watched is fixed here: / filters what is shown"
	}
	return a.watch([]string{arg}), ""
}
