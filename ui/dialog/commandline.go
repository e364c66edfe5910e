package dialog

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
)

// Here is where a line of commands was opened.
type Here struct {
	// Pages are the titles of the pages that have a digit, in their order.
	Pages []string
	// Keys are those of the page under the palette that do something.
	Keys []*host.Key
	// Watching says that something is watched already.
	Watching bool
}

// CommandLine is the palette: a line in which a few letters of anything are typed, or a command, with
// the list of what fits.
type CommandLine struct {
	host.Field
	here     Here
	sessions []sessionName // as they were at the first letter, nil until then
	offers   []offer       // what fits the letters
	verb     *verb         // whose arguments are typed, nil while letters are
	found    []string      // the arguments that fit, first what begins like it
	alike    int           // how many of them begin like it
	all      int           // how many fit, of which not all are kept
	at       int           // which of them is under the cursor, -1 for none
	hint     string        // why the command was not done
}

// NewCommandLine returns an empty line; nil is none.
func NewCommandLine(v host.View, here Here) *CommandLine {
	p := &CommandLine{here: here}
	p.look(v)
	return p
}

// offersMax bounds how many of the things that a line may become are kept.
const offersMax = 1000

// Typed takes a key in, and narrows the list to what fits.
func (cl *CommandLine) Typed(v host.View, msg tea.KeyMsg) {
	cl.Field.Key(msg)
	cl.hint = ""
	cl.look(v)
}

// Refuse says why what was wanted cannot be done.
func (cl *CommandLine) Refuse(why string) { cl.hint = why }

// Obey returns what is wanted by what is under the cursor or the command that was typed. The line stays
// if it is not done, with the reason.
func (cl *CommandLine) Obey(v host.View) (wants []host.Intent, done bool) {
	text := strings.TrimSpace(cl.Text)
	word, arg, _ := strings.Cut(text, " ")
	arg = strings.TrimSpace(arg)
	c := commandNamed(word)
	switch {
	case text == "" && cl.at < 0:
		return nil, true
	case cl.verb == nil && cl.at >= 0 && cl.at < len(cl.offers):
		return cl.take(v, cl.offers[cl.at])
	case c == nil:
		cl.hint = v.Th.Say("no-such-command", model.Verbatim(commandWords()))
	case !c.atStart && !cl.here.Watching:
		cl.hint = v.Th.Say("nothing-is-watched-yet", model.Verbatim(c.name))
	case (c.arg == "") != (arg == ""):
		cl.hint = v.Th.Say("usage", model.Verbatim(strings.TrimSpace(c.name+" "+c.arg)))
	default:
		wants, cl.hint = c.do(cl, v, arg)
		return wants, cl.hint == ""
	}
	return nil, false
}

// take returns what an offer is about.
func (cl *CommandLine) take(v host.View, x offer) (wants []host.Intent, done bool) {
	if x.fill != "" {
		cl.Text = x.fill
		cl.look(v)
		cl.hint = v.Th.Say("usage", model.Verbatim(x.name))
		return nil, false
	}
	wants, cl.hint = x.do(v)
	return wants, cl.hint == ""
}

// complete goes through what the line may become: arguments first as far as all agree.
func (cl *CommandLine) complete(v host.View, by int) {
	common := commonStart(cl.found[:cl.alike])
	switch {
	case cl.rows() == 0:
		cl.hint = v.Th.Say("no-match")
	case cl.verb == nil && by > 0 && cl.at >= 0 && cl.offers[cl.at].fill != "":
		cl.Text = cl.offers[cl.at].fill
		cl.look(v)
	case cl.verb != nil && cl.at < 0 && by > 0 && len(common) > len(cl.Text) && len(cl.found) > 1:
		cl.Text = common
		cl.look(v)
	default:
		cl.choose(by)
	}
}

// rows is how many rows the list has.
func (cl *CommandLine) rows() int {
	if cl.verb != nil {
		return len(cl.found)
	}
	return len(cl.offers)
}

// choose moves the cursor of the list. An argument that it comes to stands in the line.
func (cl *CommandLine) choose(by int) {
	n := cl.rows()
	if n == 0 {
		return
	}
	if cl.at < 0 && by < 0 {
		cl.at = 0
	}
	cl.at, cl.hint = (cl.at+by+n)%n, ""
	if cl.verb != nil {
		cl.Text = cl.found[cl.at]
	}
}

// look finds what fits: behind a command its arguments, first those that begin like it and then those
// that have it anywhere; else whatever has the letters.
func (cl *CommandLine) look(v host.View) {
	cl.offers, cl.found, cl.alike, cl.all, cl.verb, cl.at = nil, nil, 0, 0, nil, -1
	word, arg, behind := strings.Cut(cl.Text, " ")
	if c := commandNamed(word); behind && c != nil && c.name == word {
		cl.verb = c
		cl.arguments(v, arg)
		return
	}
	pattern := strings.ToLower(strings.TrimSpace(cl.Text))
	cl.offers, cl.all = share(cl.find(v, pattern), rowsMax)
	if len(cl.offers) > 0 {
		cl.at = 0
	}
}

// arguments are those of the command that fit.
func (cl *CommandLine) arguments(v host.View, arg string) {
	if cl.verb.offers == nil {
		return
	}
	var inside []string
	for _, o := range cl.verb.offers(cl, v) {
		o = v.Th.Clean(o)
		list := &cl.found
		switch {
		case strings.HasPrefix(o, arg):
		case strings.Contains(o, arg):
			list = &inside
		default:
			continue
		}
		if cl.all++; len(cl.found)+len(inside) < offersMax {
			*list = append(*list, cl.verb.name+" "+o)
		}
	}
	cl.alike = len(cl.found)
	cl.found = append(cl.found, inside...)
}

// Offered is the list: what the line may become, or the names that fit.
func (cl *CommandLine) Offered() []string {
	if cl.verb != nil {
		return cl.found
	}
	var names []string
	for _, x := range cl.offers {
		names = append(names, x.name)
	}
	return names
}

// can are the commands that work now.
func (cl *CommandLine) can() []verb {
	all := commands()
	if cl.here.Watching {
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

// typed is the line that is typed, and beside it why it was not done or what it is for.
func (cl *CommandLine) typed(v host.View) []draw.Span {
	th := v.Th
	line := []draw.Span{draw.Accent.Of(":"), draw.Strong.Of(th.Clean(cl.Text)), draw.Accent.Of("_"), draw.Plain.Of("  ")}
	switch {
	case cl.hint != "":
		line = append(line, draw.Late.Of(th.Sign.Late+" "+cl.hint))
	case cl.verb != nil && len(cl.found) == 0:
		line = append(line, draw.Dim.Of(th.Say(cl.verb.what)+"  "))
	case cl.verb == nil && len(cl.offers) == 0:
		line = append(line, draw.Dim.Of(th.Say("no-match")))
	}
	return line
}

// Foot is the last line of a screen of h lines: the keys, or, where the palette has no room above it,
// what is typed.
func (cl *CommandLine) Foot(v host.View, w, h int) string {
	if cl.Boxed(h) {
		return v.Th.Line(w, append([]draw.Span{draw.Plain.Of(" ")}, v.Hints(host.InPalette, w-1)...), nil)
	}
	line := cl.typed(v)
	if cl.hint != "" {
		return v.Th.Line(w, line, nil)
	}
	return v.Th.Line(w, append(line, v.Hints(host.InPalette, w/2)...), nil)
}

const (
	// rowsMax is how many rows the list has where there is room.
	rowsMax = 12
	// boxFrom is the least height of a screen on which the palette has a box: lines around its rows are
	// boxEdges, and as many as leave the screen some of its own.
	boxFrom  = 10
	boxEdges = 3
)

// Boxed says whether the palette stands in a box of its own on a screen of h lines.
func (cl *CommandLine) Boxed(h int) bool { return cl != nil && h >= boxFrom }

// shown is how many rows a box has on a screen of h lines: the same whatever was found.
func shown(h int) int { return min(rowsMax, h-boxEdges-4) }

// PaintOver paints the palette over the lines of w cells above the last one.
func (cl *CommandLine) PaintOver(v host.View, lines []string, w int) []string {
	h := len(lines)
	if !cl.Boxed(h) {
		return lines
	}
	v.Th = v.Th.InBox()
	th, rows := v.Th, shown(h)
	inner := w - 4 // a blank and an edge at both sides
	title := th.Say("go-to-anything")
	if cl.verb != nil {
		title = th.Say(cl.verb.what)
	}
	out := lines[: h-1-rows-boxEdges : h-1-rows-boxEdges]
	add := func(line string) { out = append(out, " "+line+" ") }
	add(edgeOf(th, draw.Accent, w-2, th.Sign.Box.TopLeft, th.Sign.Box.TopRight, " "+th.Cut(title, inner-4)+" "))
	top := cl.top(rows)
	for i := top; i < top+rows; i++ {
		var line, right []draw.Span
		styles := &th.Before
		if i < cl.rows() {
			line, right = cl.row(v, i, top, inner)
		}
		if i == cl.at {
			styles = &th.Chosen
		}
		add(rowOf(th, draw.Accent, w-2, styles, line, right))
	}
	var count []draw.Span
	if cl.hint == "" {
		count = []draw.Span{draw.Dim.Of(th.Say("of", draw.Counted(min(cl.rows(), rows)), draw.Counted(cl.all)) + " ")}
	}
	add(rowOf(th, draw.Accent, w-2, &th.Before, append([]draw.Span{draw.Plain.Of(" ")}, cl.typed(v)...), count))
	add(edgeOf(th, draw.Accent, w-2, th.Sign.Box.BottomLeft, th.Sign.Box.BottomRight, ""))
	return append(out, lines[h-1])
}

// top is the first row in sight.
func (cl *CommandLine) top(rows int) int { return max(0, min(cl.at-rows/2, cl.rows()-rows)) }

// Cells of a row of the palette: the kind, the least of a name, and what most keys take.
const (
	kindCells = 11
	nameLeast = 20
	keyRoom   = 7
)

// row is a row of the list in so many cells. A kind is named where it begins.
func (cl *CommandLine) row(v host.View, i, top, w int) (line, right []draw.Span) {
	th, mark := v.Th, " "
	if i == cl.at {
		mark = th.Sign.Cursor
	}
	line = []draw.Span{draw.Accent.Of(mark), draw.Plain.Of(" ")}
	if cl.verb != nil {
		st := draw.Plain
		if i == cl.at {
			st = draw.Strong
		}
		return append(line, st.Of(th.Cut(cl.found[i], w-2))), nil
	}
	x := cl.offers[i]
	kind := ""
	if i == top || cl.offers[i-1].kind != x.kind {
		kind = th.Say(kindWords[x.kind])
	}
	line = append(line, draw.Dim.Of(draw.PadTo(kind, kindCells)))
	st, key := draw.Plain, draw.Accent
	if x.closed {
		st, key = draw.Dim, draw.Dim
	}
	var detail []draw.Span
	if x.detail != nil {
		detail = x.detail(v.Frame)
	}
	keyName := x.key
	if i == cl.at && keyName == "" {
		keyName = "enter"
	}
	if keyName != "" {
		right = []draw.Span{key.Of(" " + keyName), draw.Plain.Of(" ")}
	}
	room := w - 2 - kindCells - max(keyRoom, draw.WidthOf(right)) - 1
	name := room
	if x.kind != offerAction && x.kind != offerPage {
		name = min(room, max(nameLeast, room*2/5))
	}
	pattern := strings.ToLower(strings.TrimSpace(cl.Text))
	words := lit(th, x.name, pattern, st, name)
	line = append(line, words...)
	if len(detail) == 0 {
		return line, right
	}
	gap := max(2, name-draw.WidthOf(words)+2)
	if x.kind == offerAction || x.kind == offerPage {
		gap = 2
	}
	if len(detail) == 1 { // a sentence
		left := w - draw.WidthOf(line) - gap - max(1, draw.WidthOf(right))
		detail[0].Text = th.CutClause(detail[0].Text, left, left/2)
	}
	return append(append(line, draw.Plain.Of(draw.Blank(gap))), detail...), right
}

// click is the row of the list in a line of a screen of h lines, -1 for none.
func (cl *CommandLine) click(y, h int) int {
	rows := shown(h)
	i := cl.top(rows) + y - (h - rows - boxEdges)
	if first := h - rows - boxEdges; !cl.Boxed(h) || y < first || y >= first+rows || i >= cl.rows() {
		return -1
	}
	return i
}

// Click returns what is wanted by what stands in a line of a screen of h lines.
func (cl *CommandLine) Click(v host.View, y, h int) (wants []host.Intent, done bool) {
	i := cl.click(y, h)
	if i < 0 {
		return nil, false
	}
	cl.at = i
	if cl.verb != nil {
		cl.Text = cl.found[i]
	}
	return cl.Obey(v)
}

// Scroll moves the cursor of the list by so many rows, and stops at its ends.
func (cl *CommandLine) Scroll(by int) {
	if n := cl.rows(); n > 0 {
		cl.choose(max(0, min(max(0, cl.at)+by, n-1)) - cl.at)
	}
}

// CommandKeys are those of the line. Open opens it, line returns the one that is open, obey does what it
// wants, and closed is told when it is left.
func CommandKeys(where host.Where, open func(), line func() *CommandLine, obey func() tea.Cmd, closed func()) []host.Key {
	complete := func(by int) func(host.View) []host.Intent {
		return func(v host.View) []host.Intent { line().complete(v, by); return nil }
	}
	return []host.Key{
		{Keys: []string{":"}, Where: where, What: "type-a-command-from-a-list", Do: host.Run(open)},
		{Keys: []string{"enter"}, Where: host.InPalette, Short: "key-do-it", What: "do-the-command", Do: func(host.View) []host.Intent { return []host.Intent{host.Cmd(obey())} }},
		{Keys: []string{"tab"}, Where: host.InPalette, Short: "key-complete", What: "complete-then-the-next-match", Do: complete(1)},
		{Keys: []string{"shift+tab"}, Where: host.InPalette, What: "the-match-before", Do: complete(-1)},
		{Keys: []string{"up"}, Where: host.InPalette, What: "the-match-above-in-the-list", Do: host.Run(func() { line().choose(-1) })},
		{Keys: []string{"down"}, Where: host.InPalette, Short: "key-choose", What: "the-match-below-in-the-list", Do: host.Run(func() { line().choose(1) })},
		{Keys: []string{"esc"}, Where: host.InPalette, Short: "key-cancel", What: "close-the-palette", Do: host.Run(closed)},
	}
}
