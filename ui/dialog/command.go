package dialog

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/table"
)

// CommandHost is what the commands need of the console.
type CommandHost interface {
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
	// Screen writes the screen as text to a file that is not there yet, or says why not.
	Screen(file string) (cmd tea.Cmd, why string)
	// Record begins a recording of what is seen, or ends it, or says why not.
	Record() (why string)
	// Watching says that something is watched already.
	Watching() bool
}

// CommandLine is the line in which a command is typed, with the list of what it may become.
type CommandLine struct {
	host.Field
	c     CommandHost
	found []string // what the line may become, first what begins like it
	alike int      // how many of them begin like it
	more  int      // how many more there are than are kept
	verb  *verb    // whose arguments they are, nil for commands
	at    int      // which of them was chosen, -1 for none
	hint  string   // why the command was not done
}

// NewCommandLine returns an empty line; nil is none.
func NewCommandLine(c CommandHost) *CommandLine {
	p := &CommandLine{c: c}
	p.look()
	return p
}

// offersMax bounds how many of the things that a line may become are kept.
const offersMax = 1000

// verb is a row of the table of commands.
type verb struct {
	name, arg string // arg is what stands behind it, "" for nothing
	what      model.MessageID
	atStart   bool // it works when nothing is watched yet
	// offers are what the argument may be, for tab; nil if nobody knows.
	offers func(c CommandHost) []string
	// do does it, or says why not.
	do func(c CommandHost, arg string) (tea.Cmd, string)
}

// commands are all that can be typed, in the order in which help and tab list them.
func commands() []verb {
	return []verb{
		{"lock", "NAME", "the-queue-of-a-lock", false, lockNames, cmdLock},
		{"lease", "ID", "a-session-by-its-lease", false, nil, cmdLease},
		{"prefix", "PREFIX", "watch-the-keys-under-another-prefix", true, func(c CommandHost) []string { return c.Frame().Prefixes }, cmdPrefix},
		{"output", "NAME", "what-a-program-of-yours-printed", false, programNames, cmdOutput},
		{"page", "NAME", "a-page", false, pageNames, cmdPage},
		{"at", "TIME", "another-moment-a-time", false, nil, func(c CommandHost, arg string) (tea.Cmd, string) { return c.Moment(arg) }},
		{"sort", "BY", "sort-the-locks", false, func(CommandHost) []string { return SortNames[1:] }, cmdSort},
		{"theme", "NAME", "dark-light-or-mono", true, func(CommandHost) []string { return draw.Themes }, func(c CommandHost, arg string) (tea.Cmd, string) { return nil, c.SetTheme(arg) }},
		{"screen", "FILE", "write-the-screen-as-text", true, nil, func(c CommandHost, arg string) (tea.Cmd, string) { return c.Screen(arg) }},
		{"record", "", "write-down-what-is-seen", false, nil, func(c CommandHost, _ string) (tea.Cmd, string) { return nil, c.Record() }},
		{"quit", "", "leave-locktop", true, nil, func(CommandHost, string) (tea.Cmd, string) { return tea.Quit, "" }},
	}
}

func commandWords() string {
	var words []string
	for _, c := range commands() {
		words = append(words, strings.TrimSpace(c.name+" "+c.arg))
	}
	return strings.Join(words, ", ")
}

// Typed takes a key in, and narrows the list to what fits.
func (p *CommandLine) Typed(msg tea.KeyMsg) {
	p.Field.Key(msg)
	p.hint = ""
	p.look()
}

// obey does the command, and keeps the line with the reason if it cannot be done.
func (p *CommandLine) obey() (cmd tea.Cmd, done bool) {
	word, arg, _ := strings.Cut(strings.TrimSpace(p.Text), " ")
	arg = strings.TrimSpace(arg)
	if word == "" {
		return nil, true
	}
	c := commandNamed(word)
	switch {
	case c == nil:
		p.hint = p.c.Frame().Th.Say("no-such-command", model.Verbatim(commandWords()))
	case !c.atStart && !p.c.Watching():
		p.hint = p.c.Frame().Th.Say("nothing-is-watched-yet", model.Verbatim(c.name))
	case (c.arg == "") != (arg == ""):
		p.hint = p.c.Frame().Th.Say("usage", model.Verbatim(strings.TrimSpace(c.name+" "+c.arg)))
		if arg == "" { // the list goes on with what can be given
			p.Text = c.name + " "
			p.look()
		}
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
func (p *CommandLine) complete(by int) {
	common := commonStart(p.found[:p.alike])
	switch {
	case len(p.found) == 0:
		p.hint = p.c.Frame().Th.Say("no-match")
	case p.at < 0 && by > 0 && len(common) > len(p.Text) && len(p.found) > 1:
		p.Text = common
		p.look()
	default:
		p.choose(by)
		if len(p.found) == 1 {
			p.look() // the argument is next
		}
	}
}

// choose moves the cursor of the list, and takes what stands there into the line.
func (p *CommandLine) choose(by int) {
	n := len(p.found)
	if n == 0 {
		return
	}
	if p.at < 0 && by < 0 {
		p.at = 0
	}
	p.at = (p.at + by + n) % n
	p.Text, p.hint = p.found[p.at], ""
}

// look finds what the line may become: first what begins like it, then what has its
// argument anywhere.
func (p *CommandLine) look() {
	p.found, p.alike, p.more, p.verb, p.at = nil, 0, 0, nil, -1
	var inside []string
	add := func(list *[]string, line string) {
		if len(p.found)+len(inside) < offersMax {
			*list = append(*list, line)
		} else {
			p.more++
		}
	}
	word, arg, behind := strings.Cut(p.Text, " ")
	if !behind {
		for _, c := range p.can() {
			if strings.HasPrefix(c.name, word) {
				add(&p.found, strings.TrimSuffix(c.name+" "+c.arg, c.arg))
			}
		}
		p.alike = len(p.found)
		return
	}
	if p.verb = commandNamed(word); p.verb == nil || p.verb.offers == nil {
		return
	}
	c := p.verb
	for _, o := range c.offers(p.c) {
		switch o = p.c.Frame().Th.Clean(o); {
		case strings.HasPrefix(o, arg):
			add(&p.found, c.name+" "+o)
		case strings.Contains(o, arg):
			add(&inside, c.name+" "+o)
		}
	}
	p.alike = len(p.found)
	p.found = append(p.found, inside...)
}

// Offered is the list: what the line may become.
func (p *CommandLine) Offered() []string { return p.found }

// can are the commands that work now.
func (p *CommandLine) can() []verb {
	all := commands()
	if p.c.Watching() {
		return all
	}
	return slices.DeleteFunc(all, func(c verb) bool { return !c.atStart })
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

// Paint is the line that is typed, and beside it why it was not done or what it is for.
func (p *CommandLine) Paint(w int) string {
	th := p.c.Frame().Th
	line := []draw.Span{draw.Accent.Of(":"), draw.Strong.Of(th.Clean(p.Text)), draw.Accent.Of("_"), draw.Plain.Of("  ")}
	word, _, behind := strings.Cut(p.Text, " ")
	c := commandNamed(word)
	switch {
	case p.hint != "":
		return th.Line(w, append(line, draw.Late.Of(th.Sign.Late+" "+p.hint)), nil)
	case behind && c != nil && len(p.found) == 0:
		line = append(line, draw.Dim.Of(p.c.Frame().Th.Say(c.what)+"  "))
	}
	return th.Line(w, append(line, p.c.Hints(host.InPalette, w/2)...), nil)
}

// rowsMax is how many rows of the list are in sight, on a screen of listFrom lines at least.
const (
	rowsMax  = 12
	listFrom = 8
)

// PaintOver paints the list over the lines of w cells above the last one, in which is typed.
func (p *CommandLine) PaintOver(lines []string, w int) []string {
	if p == nil || len(p.found) == 0 || len(lines) < listFrom {
		return lines
	}
	th, n := p.c.Frame().Th, len(p.found)
	rows := min(n, rowsMax, len(lines)/2)
	title, top := th.Say("commands"), max(0, min(p.at-rows/2, n-rows))
	if p.verb != nil {
		title = th.Say(p.verb.what)
	}
	head := []draw.Span{draw.Strong.Of(title)}
	if all := n + p.more; all > rows {
		head = append(head, draw.Dim.Of("  "+th.Say("of", draw.Counted(rows), draw.Counted(all))))
	}
	out := append(lines[:len(lines)-2-rows:len(lines)-2-rows], th.Ruler(w, head...))
	for i := top; i < top+rows; i++ {
		mark, st := "  ", draw.Plain
		if i == p.at {
			mark, st = th.Sign.Cursor+" ", draw.Strong
		}
		line := []draw.Span{draw.Accent.Of(mark), st.Of(p.found[i])}
		if c := commandNamed(strings.TrimSpace(p.found[i])); p.verb == nil && c != nil {
			text := c.name + " " + c.arg
			line[1].Text = text + draw.Blank(max(1, 16-len(text)))
			line = append(line, draw.Dim.Of(th.Say(c.what)))
		}
		out = append(out, th.Line(w, line, nil))
	}
	return append(out, lines[len(lines)-1])
}

func lockNames(c CommandHost) []string {
	var names []string
	for _, l := range c.Frame().S.Locks() {
		names = append(names, l.Name)
	}
	slices.Sort(names)
	return names
}

// cmdLock opens the queue of a lock, which is named as it is, as it is shown, or by a part
// that no other has.
func cmdLock(c CommandHost, arg string) (tea.Cmd, string) {
	f := c.Frame()
	l, parts := f.S.Lock(arg), []*locks.Lock(nil)
	for _, other := range f.S.Locks() {
		switch name := f.Th.Clean(other.Name); {
		case l != nil:
		case name == arg:
			l = other
		case strings.Contains(name, arg):
			parts = append(parts, other)
		}
	}
	switch {
	case l != nil:
	case len(parts) == 1:
		l = parts[0]
	case len(parts) > 1:
		return nil, c.Frame().Th.Say("locks-have-that-in-their-names", draw.Counted(len(parts)))
	default:
		return nil, c.Frame().Th.Say("no-lock-of-that-name")
	}
	c.Show(page.Request{Show: page.ShowQueue, Lock: l.Name})
	return nil, ""
}

// cmdLease goes to a session. Digits alone are hex as everywhere else, unless only
// the decimal number is a lease that is known.
func cmdLease(c CommandHost, arg string) (tea.Cmd, string) {
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
		return nil, c.Frame().Th.Say("give-a-lease-id-in-hex")
	case l == nil:
		return nil, c.Frame().Th.Say("no-watched-key-has-that-lease")
	}
	c.Show(page.Request{Show: page.ShowSession, Lease: id})
	if page.Standing(l) == 0 && !status.OfSession(c.Frame().S, l).Trouble() {
		c.Say(draw.Late, c.Frame().Th.Say("lease-has-watched-keys", id, draw.Counted(len(l.Claims()))))
	}
	return nil, ""
}

// allPrograms stands for every one.
const allPrograms = "all"

// programNames are the programs that printed something.
func programNames(c CommandHost) []string {
	names := []string{allPrograms}
	for _, o := range c.Frame().S.Reports().Outputs() {
		names = append(names, o.Contender)
	}
	return names
}

// cmdOutput goes to what a program printed.
func cmdOutput(c CommandHost, arg string) (tea.Cmd, string) {
	r := page.Request{Show: page.ShowOutput, Program: arg}
	names := programNames(c)
	switch {
	case len(names) == 1:
		return nil, c.Frame().Th.Say("no-program-of-yours-has-printed")
	case !slices.Contains(names, arg):
		return nil, c.Frame().Th.Say("no-such-program", strings.Join(names, ", "))
	case arg == allPrograms:
		r.Program = ""
	}
	c.Show(r)
	return nil, ""
}

func cmdPage(c CommandHost, arg string) (tea.Cmd, string) {
	for i, title := range c.Pages() {
		if strings.HasPrefix(strings.ToLower(title), strings.ToLower(arg)) || arg == strconv.Itoa(i+1) {
			c.GoTo(title)
			return nil, ""
		}
	}
	return nil, c.Frame().Th.Say("no-such-page", strings.Join(pageNames(c), ", "))
}

func pageNames(c CommandHost) []string {
	names := slices.Clone(c.Pages())
	for i := range names {
		names[i] = strings.ToLower(names[i])
	}
	return names
}

func cmdSort(c CommandHost, arg string) (tea.Cmd, string) {
	by := slices.Index(SortNames, strings.ToLower(arg))
	if by <= 0 {
		return nil, c.Frame().Th.Say("want-one-of", strings.Join(SortNames[1:], ", "))
	}
	if locks := c.Frame().Locks; locks.Order.By != table.SortKey(by) {
		locks.SortBy(table.SortKey(by))
	}
	return nil, ""
}

// cmdPrefix watches something else.
func cmdPrefix(c CommandHost, arg string) (tea.Cmd, string) {
	if why := c.WhyFixed(); why != "" {
		return nil, why
	}
	return c.Watch([]string{arg}), ""
}

// SortNames are what a person calls the orders of the locks, by table.SortKey.
var SortNames = []string{"", "state", "name", "held", "behind", "longest", "waited"}

// CommandKeys are those of the line. Open opens it, line returns the one that is open, and closed
// is told when it is left.
func CommandKeys(where host.Where, open func(), line func() *CommandLine, closed func()) []host.Key {
	return []host.Key{
		{Keys: []string{":"}, Where: where, What: "type-a-command-from-a-list", Do: host.Run(open)},
		{Keys: []string{"enter"}, Where: host.InPalette, Short: "key-do-it", What: "do-the-command", Do: func() tea.Cmd {
			cmd, done := line().obey()
			if done {
				closed()
			}
			return cmd
		}},
		{Keys: []string{"tab"}, Where: host.InPalette, Short: "key-complete", What: "complete-then-the-next-match", Do: host.Run(func() { line().complete(1) })},
		{Keys: []string{"shift+tab"}, Where: host.InPalette, What: "the-match-before", Do: host.Run(func() { line().complete(-1) })},
		{Keys: []string{"up"}, Where: host.InPalette, What: "the-match-above-in-the-list", Do: host.Run(func() { line().choose(-1) })},
		{Keys: []string{"down"}, Where: host.InPalette, Short: "key-choose", What: "the-match-below-in-the-list", Do: host.Run(func() { line().choose(1) })},
		{Keys: []string{"esc"}, Where: host.InPalette, Short: "key-cancel", What: "close-the-palette", Do: host.Run(closed)},
	}
}
