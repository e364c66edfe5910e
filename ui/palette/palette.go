package palette

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/table"
)

// Console is what the commands need of the console.
type Console interface {
	host.Host
	// Pages are the titles of the pages that have a digit, in their order; GoTo goes to one.
	Pages() []string
	GoTo(title string)
	// SetTheme changes how it looks, or says why it does not.
	SetTheme(name string) (why string)
	// WhyFixed says why no other prefix can be watched, "" if one can.
	WhyFixed() string
	// Moment goes to a time of a recording, or says why not.
	Moment(text string) (cmd tea.Cmd, why string)
	// Watching says that something is watched already.
	Watching() bool
}

// Line is the line in which a command is typed.
type Line struct {
	host.Field
	c     Console
	found []string // what tab goes through, nil before it was pressed
	at    int
	hint  string // why the command was not done
}

// New returns an empty line.
func New(c Console) *Line { return &Line{c: c} }

// offersMax bounds what tab goes through.
const offersMax = 1000

// verb is a row of the table of commands.
type verb struct {
	name, arg string // arg is what stands behind it, "" for nothing
	what      string
	atStart   bool // it works when nothing is watched yet
	// offers are what the argument may be, for tab; nil if nobody knows.
	offers func(c Console) []string
	// do does it, or says why not.
	do func(c Console, arg string) (tea.Cmd, string)
}

// commands are all that can be typed, in the order in which help and tab list them.
func commands() []verb {
	return []verb{
		{"lock", "NAME", "the queue of a lock", false, lockNames, cmdLock},
		{"lease", "ID", "a session by its lease, hex or decimal", false, nil, cmdLease},
		{"prefix", "PREFIX", "watch the keys under another prefix", true, func(c Console) []string { return c.Frame().Prefixes }, cmdPrefix},
		{"page", "NAME", "a page", false, pageNames, cmdPage},
		{"at", "TIME", "another moment of a recording", false, nil, func(c Console, arg string) (tea.Cmd, string) { return c.Moment(arg) }},
		{"sort", "BY", "sort the locks", false, func(Console) []string { return SortNames[1:] }, cmdSort},
		{"theme", "NAME", "dark, light or mono", true, func(Console) []string { return draw.Themes }, func(c Console, arg string) (tea.Cmd, string) { return nil, c.SetTheme(arg) }},
		{"quit", "", "leave locktop", true, nil, func(Console, string) (tea.Cmd, string) { return tea.Quit, "" }},
	}
}

func commandWords() string {
	var words []string
	for _, c := range commands() {
		words = append(words, strings.TrimSpace(c.name+" "+c.arg))
	}
	return strings.Join(words, ", ")
}

// Typed takes a key in; what was offered is offered no more.
func (p *Line) Typed(msg tea.KeyMsg) {
	p.Field.Key(msg)
	p.found, p.hint = nil, ""
}

// obey does the command, and keeps the line with the reason if it cannot be done.
func (p *Line) obey() (cmd tea.Cmd, done bool) {
	word, arg, _ := strings.Cut(strings.TrimSpace(p.Text), " ")
	arg = strings.TrimSpace(arg)
	if word == "" {
		return nil, true
	}
	c := commandNamed(word)
	switch {
	case c == nil:
		p.hint = "no such command: " + commandWords()
	case !c.atStart && !p.c.Watching():
		p.hint = "nothing is watched yet: " + c.name + " works when something is"
	case (c.arg == "") != (arg == ""):
		p.hint = "usage: " + strings.TrimSpace(c.name+" "+c.arg)
	default:
		cmd, p.hint = c.do(p.c, arg)
		return cmd, p.hint == ""
	}
	return nil, false
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
func (p *Line) complete(by int) {
	if p.found == nil {
		p.found, p.at = p.offers(p.Text), -1
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
		p.hint = "no match"
		return
	}
	p.at = (p.at + by + n) % n
	p.Text = p.found[p.at]
	if n == 1 {
		p.found = nil // the argument is next
	}
}

// offers are the lines that begin with text.
func (p *Line) offers(text string) []string {
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
	for _, o := range c.offers(p.c) {
		if o = p.c.Frame().Th.Clean(o); strings.HasPrefix(o, arg) && len(all) < offersMax {
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

// Paint is the line that is typed, and beside it what it may become.
func (p *Line) Paint(w int) string {
	th := p.c.Frame().Th
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
	return th.Line(w, append(line, p.c.Hints(host.InPalette, w/2)...), nil)
}

func lockNames(c Console) []string {
	var names []string
	for _, l := range c.Frame().S.Locks() {
		names = append(names, l.Name)
	}
	slices.Sort(names)
	return names
}

// cmdLock opens the queue of a lock, which is named as it is or as it is shown.
func cmdLock(c Console, arg string) (tea.Cmd, string) {
	l := c.Frame().S.Lock(arg)
	for _, other := range c.Frame().S.Locks() {
		if l == nil && c.Frame().Th.Clean(other.Name) == arg {
			l = other
		}
	}
	if l == nil {
		return nil, "no lock of that name: tab completes names"
	}
	c.Show(page.Request{Show: page.ShowQueue, Lock: l.Name})
	return nil, ""
}

// cmdLease goes to a session. Digits alone are hex as everywhere else, unless only
// the decimal number is a lease that is known.
func cmdLease(c Console, arg string) (tea.Cmd, string) {
	digits, isHex := strings.CutPrefix(strings.ToLower(arg), "0x")
	hex, badHex := strconv.ParseUint(digits, 16, 64)
	id := model.LeaseID(hex)
	l := c.Frame().S.Lease(id)
	dec, badDec := strconv.ParseInt(arg, 10, 64)
	if !isHex && badDec == nil && (l == nil || badHex != nil) {
		if other := c.Frame().S.Lease(model.LeaseID(dec)); other != nil {
			l, id = other, other.ID
		}
	}
	switch {
	case badHex != nil && badDec != nil:
		return nil, "give a lease ID, in hex or decimal"
	case l == nil:
		return nil, "no watched key has that lease, in hex or in decimal"
	}
	c.Show(page.Request{Show: page.ShowSession, Lease: id})
	if page.Standing(l) == 0 && !l.Condition().Trouble() {
		c.Say(draw.Late, "lease "+id.String()+" has "+draw.Plural(len(l.Claims()), "watched key")+", none of them in the queue of a lock")
	}
	return nil, ""
}

func cmdPage(c Console, arg string) (tea.Cmd, string) {
	for i, title := range c.Pages() {
		if strings.HasPrefix(strings.ToLower(title), strings.ToLower(arg)) || arg == strconv.Itoa(i+1) {
			c.GoTo(title)
			return nil, ""
		}
	}
	return nil, "no such page: " + strings.Join(pageNames(c), ", ")
}

func pageNames(c Console) []string {
	names := slices.Clone(c.Pages())
	for i := range names {
		names[i] = strings.ToLower(names[i])
	}
	return names
}

func cmdSort(c Console, arg string) (tea.Cmd, string) {
	by := slices.Index(SortNames, strings.ToLower(arg))
	if by <= 0 {
		return nil, "want one of " + strings.Join(SortNames[1:], ", ")
	}
	if locks := c.Frame().Locks; locks.Order.By != table.SortKey(by) {
		locks.SortBy(table.SortKey(by))
	}
	return nil, ""
}

// cmdPrefix watches something else.
func cmdPrefix(c Console, arg string) (tea.Cmd, string) {
	if why := c.WhyFixed(); why != "" {
		return nil, why
	}
	return c.Watch([]string{arg}), ""
}

// SortNames are what a person calls the orders of the locks, by table.SortKey.
var SortNames = []string{"", "state", "name", "held", "behind", "longest"}

// Keys are those of the line. Open opens it, line returns the one that is open, and closed
// is told when it is left.
func Keys(where host.Where, open func(), line func() *Line, closed func()) []host.Key {
	return []host.Key{
		{Keys: []string{":"}, In: where, What: "type a command: " + commandWords(), Do: host.Run(open)},
		{Keys: []string{"enter"}, In: host.InPalette, Short: "do it", What: "do the command", Do: func() tea.Cmd {
			cmd, done := line().obey()
			if done {
				closed()
			}
			return cmd
		}},
		{Keys: []string{"tab"}, In: host.InPalette, Short: "complete", What: "complete, then the next match", Do: host.Run(func() { line().complete(1) })},
		{Keys: []string{"shift+tab"}, In: host.InPalette, What: "the match before", Do: host.Run(func() { line().complete(-1) })},
		{Keys: []string{"esc"}, In: host.InPalette, Short: "cancel", What: "close the palette", Do: host.Run(closed)},
	}
}
