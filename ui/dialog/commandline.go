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
func (p *CommandLine) Typed(v host.View, msg tea.KeyMsg) {
	p.Field.Key(msg)
	p.hint = ""
	p.look(v)
}

// Refuse says why what was wanted cannot be done.
func (p *CommandLine) Refuse(why string) { p.hint = why }

// Obey returns what is wanted by what is under the cursor or the command that was typed. The line stays
// if it is not done, with the reason.
func (p *CommandLine) Obey(v host.View) (wants []host.Intent, done bool) {
	text := strings.TrimSpace(p.Text)
	word, arg, _ := strings.Cut(text, " ")
	arg = strings.TrimSpace(arg)
	c := commandNamed(word)
	switch {
	case text == "" && p.at < 0:
		return nil, true
	case p.verb == nil && p.at >= 0 && p.at < len(p.offers):
		return p.take(v, p.offers[p.at])
	case c == nil:
		p.hint = v.Th.Say("no-such-command", model.Verbatim(commandWords()))
	case !c.atStart && !p.here.Watching:
		p.hint = v.Th.Say("nothing-is-watched-yet", model.Verbatim(c.name))
	case (c.arg == "") != (arg == ""):
		p.hint = v.Th.Say("usage", model.Verbatim(strings.TrimSpace(c.name+" "+c.arg)))
	default:
		wants, p.hint = c.do(p, v, arg)
		return wants, p.hint == ""
	}
	return nil, false
}

// take returns what an offer is about.
func (p *CommandLine) take(v host.View, x offer) (wants []host.Intent, done bool) {
	if x.fill != "" {
		p.Text = x.fill
		p.look(v)
		p.hint = v.Th.Say("usage", model.Verbatim(x.name))
		return nil, false
	}
	wants, p.hint = x.do(v)
	return wants, p.hint == ""
}

// complete goes through what the line may become: arguments first as far as all agree.
func (p *CommandLine) complete(v host.View, by int) {
	common := commonStart(p.found[:p.alike])
	switch {
	case p.rows() == 0:
		p.hint = v.Th.Say("no-match")
	case p.verb == nil && by > 0 && p.at >= 0 && p.offers[p.at].fill != "":
		p.Text = p.offers[p.at].fill
		p.look(v)
	case p.verb != nil && p.at < 0 && by > 0 && len(common) > len(p.Text) && len(p.found) > 1:
		p.Text = common
		p.look(v)
	default:
		p.choose(by)
	}
}

// rows is how many rows the list has.
func (p *CommandLine) rows() int {
	if p.verb != nil {
		return len(p.found)
	}
	return len(p.offers)
}

// choose moves the cursor of the list. An argument that it comes to stands in the line.
func (p *CommandLine) choose(by int) {
	n := p.rows()
	if n == 0 {
		return
	}
	if p.at < 0 && by < 0 {
		p.at = 0
	}
	p.at, p.hint = (p.at+by+n)%n, ""
	if p.verb != nil {
		p.Text = p.found[p.at]
	}
}

// look finds what fits: behind a command its arguments, first those that begin like it and then those
// that have it anywhere; else whatever has the letters.
func (p *CommandLine) look(v host.View) {
	p.offers, p.found, p.alike, p.all, p.verb, p.at = nil, nil, 0, 0, nil, -1
	word, arg, behind := strings.Cut(p.Text, " ")
	if c := commandNamed(word); behind && c != nil && c.name == word {
		p.verb = c
		p.arguments(v, arg)
		return
	}
	pattern := strings.ToLower(strings.TrimSpace(p.Text))
	p.offers, p.all = share(p.find(v, pattern), rowsMax)
	if len(p.offers) > 0 {
		p.at = 0
	}
}

// arguments are those of the command that fit.
func (p *CommandLine) arguments(v host.View, arg string) {
	if p.verb.offers == nil {
		return
	}
	var inside []string
	for _, o := range p.verb.offers(p, v) {
		o = v.Th.Clean(o)
		list := &p.found
		switch {
		case strings.HasPrefix(o, arg):
		case strings.Contains(o, arg):
			list = &inside
		default:
			continue
		}
		if p.all++; len(p.found)+len(inside) < offersMax {
			*list = append(*list, p.verb.name+" "+o)
		}
	}
	p.alike = len(p.found)
	p.found = append(p.found, inside...)
}

// Offered is the list: what the line may become, or the names that fit.
func (p *CommandLine) Offered() []string {
	if p.verb != nil {
		return p.found
	}
	var names []string
	for _, x := range p.offers {
		names = append(names, x.name)
	}
	return names
}

// can are the commands that work now.
func (p *CommandLine) can() []verb {
	all := commands()
	if p.here.Watching {
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
func (p *CommandLine) typed(v host.View) []draw.Span {
	th := v.Th
	line := []draw.Span{draw.Accent.Of(":"), draw.Strong.Of(th.Clean(p.Text)), draw.Accent.Of("_"), draw.Plain.Of("  ")}
	switch {
	case p.hint != "":
		line = append(line, draw.Late.Of(th.Sign.Late+" "+p.hint))
	case p.verb != nil && len(p.found) == 0:
		line = append(line, draw.Dim.Of(th.Say(p.verb.what)+"  "))
	case p.verb == nil && len(p.offers) == 0:
		line = append(line, draw.Dim.Of(th.Say("no-match")))
	}
	return line
}

// Foot is the last line of a screen of h lines: the keys, or, where the palette has no room above it,
// what is typed.
func (p *CommandLine) Foot(v host.View, w, h int) string {
	if p.Boxed(h) {
		return v.Th.Line(w, append([]draw.Span{draw.Plain.Of(" ")}, v.Hints(host.InPalette, w-1)...), nil)
	}
	line := p.typed(v)
	if p.hint != "" {
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
func (p *CommandLine) Boxed(h int) bool { return p != nil && h >= boxFrom }

// shown is how many rows a box has on a screen of h lines: the same whatever was found.
func shown(h int) int { return min(rowsMax, h-boxEdges-4) }

// PaintOver paints the palette over the lines of w cells above the last one.
func (p *CommandLine) PaintOver(v host.View, lines []string, w int) []string {
	h := len(lines)
	if !p.Boxed(h) {
		return lines
	}
	v.Th = v.Th.InBox()
	th, rows := v.Th, shown(h)
	inner := w - 4 // a blank and an edge at both sides
	title := th.Say("go-to-anything")
	if p.verb != nil {
		title = th.Say(p.verb.what)
	}
	out := lines[: h-1-rows-boxEdges : h-1-rows-boxEdges]
	add := func(line string) { out = append(out, " "+line+" ") }
	add(edgeOf(th, draw.Accent, w-2, th.Sign.Box.TopLeft, th.Sign.Box.TopRight, " "+th.Cut(title, inner-4)+" "))
	top := p.top(rows)
	for i := top; i < top+rows; i++ {
		var line, right []draw.Span
		styles := &th.Before
		if i < p.rows() {
			line, right = p.row(v, i, top, inner)
		}
		if i == p.at {
			styles = &th.Chosen
		}
		add(rowOf(th, draw.Accent, w-2, styles, line, right))
	}
	var count []draw.Span
	if p.hint == "" {
		count = []draw.Span{draw.Dim.Of(th.Say("of", draw.Counted(min(p.rows(), rows)), draw.Counted(p.all)) + " ")}
	}
	add(rowOf(th, draw.Accent, w-2, &th.Before, append([]draw.Span{draw.Plain.Of(" ")}, p.typed(v)...), count))
	add(edgeOf(th, draw.Accent, w-2, th.Sign.Box.BottomLeft, th.Sign.Box.BottomRight, ""))
	return append(out, lines[h-1])
}

// top is the first row in sight.
func (p *CommandLine) top(rows int) int { return max(0, min(p.at-rows/2, p.rows()-rows)) }

// Cells of a row of the palette: the kind, the least of a name, and what most keys take.
const (
	kindCells = 11
	nameLeast = 20
	keyRoom   = 7
)

// row is a row of the list in so many cells. A kind is named where it begins.
func (p *CommandLine) row(v host.View, i, top, w int) (line, right []draw.Span) {
	th, mark := v.Th, " "
	if i == p.at {
		mark = th.Sign.Cursor
	}
	line = []draw.Span{draw.Accent.Of(mark), draw.Plain.Of(" ")}
	if p.verb != nil {
		st := draw.Plain
		if i == p.at {
			st = draw.Strong
		}
		return append(line, st.Of(th.Cut(p.found[i], w-2))), nil
	}
	x := p.offers[i]
	kind := ""
	if i == top || p.offers[i-1].kind != x.kind {
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
	if i == p.at && keyName == "" {
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
	pattern := strings.ToLower(strings.TrimSpace(p.Text))
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
func (p *CommandLine) click(y, h int) int {
	rows := shown(h)
	i := p.top(rows) + y - (h - rows - boxEdges)
	if first := h - rows - boxEdges; !p.Boxed(h) || y < first || y >= first+rows || i >= p.rows() {
		return -1
	}
	return i
}

// Click returns what is wanted by what stands in a line of a screen of h lines.
func (p *CommandLine) Click(v host.View, y, h int) (wants []host.Intent, done bool) {
	i := p.click(y, h)
	if i < 0 {
		return nil, false
	}
	p.at = i
	if p.verb != nil {
		p.Text = p.found[i]
	}
	return p.Obey(v)
}

// Scroll moves the cursor of the list by so many rows, and stops at its ends.
func (p *CommandLine) Scroll(by int) {
	if n := p.rows(); n > 0 {
		p.choose(max(0, min(max(0, p.at)+by, n-1)) - p.at)
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
