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

// verb is a row of the table of commands.
type verb struct {
	name, arg string // arg is what stands behind it, "" for nothing
	what      model.MessageID
	atStart   bool // it works when nothing is watched yet
	setting   bool // there are few arguments, each of which is found by its letters
	// offers are what the argument may be, for tab; nil if nobody knows.
	offers func(p *CommandLine, v host.View) []string
	// do returns what is wanted, or says why it cannot be done.
	do func(p *CommandLine, v host.View, arg string) (wants []host.Intent, why string)
}

// commands are all that can be typed, in the order in which help and tab list them.
func commands() []verb {
	return []verb{
		{"lock", "NAME", "the-queue-of-a-lock", false, false, lockNames, cmdLock},
		{"lease", "ID", "a-session-by-its-lease", false, false, nil, cmdLease},
		{"prefix", "PREFIX", "watch-the-keys-under-another-prefix", true, false, func(_ *CommandLine, v host.View) []string { return v.Prefixes }, wants(func(arg string) host.Intent { return host.Watch{arg} })},
		{"output", "NAME", "what-a-program-of-yours-printed", false, false, programNames, cmdOutput},
		{"page", "NAME", "a-page", false, false, pageNames, cmdPage},
		{"at", "TIME", "another-moment-a-time", false, false, nil, wants(func(arg string) host.Intent { return Moment(arg) })},
		{"sort", "BY", "sort-the-locks", false, true, func(*CommandLine, host.View) []string { return SortNames[1:] }, cmdSort},
		{"theme", "NAME", "dark-light-or-mono", true, true, func(*CommandLine, host.View) []string { return draw.Themes }, wants(func(arg string) host.Intent { return Theme(arg) })},
		{"screen", "FILE", "write-the-screen-as-text", true, false, nil, wants(func(arg string) host.Intent { return Screen(arg) })},
		{"record", "", "write-down-what-is-seen", false, false, nil, wants(func(string) host.Intent { return Record{} })},
		{"quit", "", "leave-locktop", true, false, nil, wants(func(string) host.Intent { return host.Cmd(tea.Quit) })},
	}
}

// wants is a command that wants one thing of the console.
func wants(intent func(arg string) host.Intent) func(*CommandLine, host.View, string) ([]host.Intent, string) {
	return func(_ *CommandLine, _ host.View, arg string) ([]host.Intent, string) {
		return []host.Intent{intent(arg)}, ""
	}
}

// What only a command wants. The console says why it cannot be done, if so.
type (
	// Theme changes how it looks.
	Theme string
	// Moment goes to a time of a recording, or of what was seen so far.
	Moment string
	// Screen writes the screen as text to a file that is not there yet.
	Screen string
	// Record begins a recording of what is seen, or ends it.
	Record struct{}
)

func commandWords() string {
	var words []string
	for _, c := range commands() {
		words = append(words, strings.TrimSpace(c.name+" "+c.arg))
	}
	return strings.Join(words, ", ")
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

func lockNames(_ *CommandLine, v host.View) []string {
	var names []string
	for _, l := range v.S.Locks() {
		names = append(names, l.Name)
	}
	slices.Sort(names)
	return names
}

// cmdLock opens the queue of a lock, which is named as it is, as it is shown, or by a part
// that no other has.
func cmdLock(_ *CommandLine, v host.View, arg string) ([]host.Intent, string) {
	f := v.Frame
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
		return nil, v.Th.Say("locks-have-that-in-their-names", draw.Counted(len(parts)))
	default:
		return nil, v.Th.Say("no-lock-of-that-name")
	}
	return []host.Intent{page.Request{Show: page.ShowQueue, Lock: l.Name}}, ""
}

// cmdLease goes to a session. Digits alone are hex as everywhere else, unless only
// the decimal number is a lease that is known.
func cmdLease(_ *CommandLine, v host.View, arg string) ([]host.Intent, string) {
	digits, isHex := strings.CutPrefix(strings.ToLower(arg), "0x")
	hex, badHex := strconv.ParseUint(digits, 16, 64)
	id := model.LeaseID(hex)
	l := v.S.Lease(id)
	dec, badDec := strconv.ParseInt(arg, 10, 64)
	if !isHex && badDec == nil && (l == nil || badHex != nil) {
		if other := v.S.Lease(model.LeaseID(dec)); other != nil {
			l, id = other, other.ID
		}
	}
	switch {
	case badHex != nil && badDec != nil:
		return nil, v.Th.Say("give-a-lease-id-in-hex")
	case l == nil:
		return nil, v.Th.Say("no-watched-key-has-that-lease")
	}
	wants := []host.Intent{page.Request{Show: page.ShowSession, Lease: id}}
	if page.Standing(l) == 0 && !status.OfSession(v.S, l).Trouble() {
		wants = append(wants, host.Say{St: draw.Late, Text: v.Th.Say("lease-has-watched-keys", id, draw.Counted(len(l.Claims())))})
	}
	return wants, ""
}

// allPrograms stands for every one.
const allPrograms = "all"

// programNames are the programs that printed something.
func programNames(_ *CommandLine, v host.View) []string {
	names := []string{allPrograms}
	for _, o := range v.S.Reports().Outputs() {
		names = append(names, o.Contender)
	}
	return names
}

// cmdOutput goes to what a program printed.
func cmdOutput(p *CommandLine, v host.View, arg string) ([]host.Intent, string) {
	r := page.Request{Show: page.ShowOutput, Program: arg}
	names := programNames(p, v)
	switch {
	case len(names) == 1:
		return nil, v.Th.Say("no-program-of-yours-has-printed")
	case !slices.Contains(names, arg):
		return nil, v.Th.Say("no-such-program", strings.Join(names, ", "))
	case arg == allPrograms:
		r.Program = ""
	}
	return []host.Intent{r}, ""
}

func cmdPage(p *CommandLine, v host.View, arg string) ([]host.Intent, string) {
	for i, title := range p.here.Pages {
		if strings.HasPrefix(strings.ToLower(title), strings.ToLower(arg)) || arg == strconv.Itoa(i+1) {
			return []host.Intent{host.GoTo(title)}, ""
		}
	}
	return nil, v.Th.Say("no-such-page", strings.Join(pageNames(p, v), ", "))
}

func pageNames(p *CommandLine, _ host.View) []string {
	names := slices.Clone(p.here.Pages)
	for i := range names {
		names[i] = strings.ToLower(names[i])
	}
	return names
}

func cmdSort(_ *CommandLine, v host.View, arg string) ([]host.Intent, string) {
	by := slices.Index(SortNames, strings.ToLower(arg))
	if by <= 0 {
		return nil, v.Th.Say("want-one-of", strings.Join(SortNames[1:], ", "))
	}
	if locks := v.Locks; locks.Order.By != table.SortKey(by) {
		locks.SortBy(table.SortKey(by))
	}
	return nil, ""
}

// SortNames are what a person calls the orders of the locks, by table.SortKey.
var SortNames = []string{"", "state", "name", "held", "behind", "longest", "waited"}
