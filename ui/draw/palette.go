package draw

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// colour is one colour of a theme for each kind of terminal: "#rrggbb", a number of the
// 256, and a number of the 16. "" leaves the terminal's own.
type colour struct{ rgb, of256, of16 string }

func (c colour) forProfile(p termenv.Profile) lipgloss.TerminalColor {
	name := c.rgb
	switch p {
	case termenv.ANSI256:
		name = c.of256
	case termenv.ANSI:
		name = c.of16
	}
	if name == "" {
		return lipgloss.NoColor{}
	}
	return lipgloss.Color(name)
}

// attrs are what a style has beside its colour.
type attrs struct{ bold, underline, chip bool }

func (a attrs) applyTo(s lipgloss.Style) lipgloss.Style {
	return s.Bold(a.bold).Underline(a.underline).Reverse(a.chip)
}

// look is how a Style looks in the three themes. A chip is text on a ground of its
// colour.
type look struct {
	dark, light colour
	attrs       attrs
	mono        attrs
}

// The colours that carry a meaning. Words have a contrast of 4.5 at least on the grounds
// of their theme. In a light theme of 16 colours, green, yellow and cyan cannot be read:
// there the words are the terminal's own.
var (
	green   = look{dark: colour{"#7bd88f", "114", "2"}, light: colour{"#1a7339", "22", ""}}
	blue    = look{dark: colour{"#82aaff", "111", "6"}, light: colour{"#2457c0", "26", "4"}}
	amber   = look{dark: colour{"#e8b765", "179", "11"}, light: colour{"#855300", "94", "1"}, mono: attrs{underline: true}}
	red     = look{dark: colour{"#ff7a80", "210", "9"}, light: colour{"#b91c2b", "124", "1"}}
	magenta = look{dark: colour{"#e29bf5", "177", "13"}, light: colour{"#8e24a8", "90", "5"}}
	cyan    = look{dark: colour{"#5fd0dc", "80", "14"}, light: colour{"#0b6573", "24", "4"}}
	orange  = look{dark: colour{"#ff9e4a", "215", "11"}, light: colour{"#a34a00", "130", "1"}}
	violet  = look{dark: colour{"#a9b4ff", "147", "14"}, light: colour{"#4450bd", "61", "4"}}
	muted   = look{dark: colour{"#98a0b0", "247", "7"}, light: colour{"#565e6c", "240", ""}}
	title   = look{dark: colour{"#f2f4f8", "255", "15"}, light: colour{"#15181e", "233", "0"}}
	rule    = look{dark: colour{"#454c5a", "239", "8"}, light: colour{"#c3c9d3", "251", "7"}}
)

// withAttrs is the look with these attributes, in every theme.
func (l look) withAttrs(a attrs) look {
	l.attrs, l.mono = a, a
	return l
}

var (
	strong = attrs{bold: true}
	chip   = attrs{bold: true, chip: true}
)

// looks are how every style but Plain looks.
var looks = [lanes]look{
	Dim: muted, Strong: title.withAttrs(strong), Heading: muted, Sorted: title.withAttrs(strong), Rule: rule,
	Good: green, Late: amber, Bad: red.withAttrs(strong), Waiting: blue, BarLate: amber, BarBad: red,
	Belief: magenta, Here: title.withAttrs(attrs{bold: true, underline: true}), Accent: cyan.withAttrs(strong), Change: orange.withAttrs(strong), Alarm: red.withAttrs(chip), Armed: orange.withAttrs(chip),
	Lab: violet.withAttrs(chip), Readonly: title.withAttrs(strong),
}

// The grounds that text can stand on. With 16 colours there is none.
var (
	chosenGround = look{dark: colour{"#252b38", "235", ""}, light: colour{"#e6ecf7", "254", ""}}
	errorGround  = look{dark: colour{"#33191e", "52", ""}, light: colour{"#fdeaea", "224", ""}}
	warnGround   = look{dark: colour{"#2e2615", "236", ""}, light: colour{"#fbf1dc", "230", ""}}
	boxGround    = look{dark: colour{"#20242d", "234", ""}, light: colour{"#f4f6fa", "255", ""}}
	onHold       = look{dark: colour{"#14161b", "233", "0"}, light: colour{"#ffffff", "231", "15"}, mono: attrs{bold: true, chip: true}}
	chipGround   = look{dark: colour{"#3a4150", "238", ""}, light: colour{"#d9dee7", "253", ""}}
)

// tones are the colours of lanes: the sign's, and for some the ground under it.
var tones = [toneCount]struct{ sign, ground look }{
	ToneHold:   {sign: look{dark: colour{"#4cae76", "72", "2"}, light: colour{"#2b9257", "29", "2"}}},
	ToneHold2:  {sign: look{dark: colour{"#27858d", "30", "6"}, light: colour{"#17738a", "24", "6"}}},
	ToneQuiet:  {sign: look{dark: colour{"#44946b", "65", "2"}, light: colour{"#4f9d75", "72", "2"}}},
	ToneQuiet2: {sign: look{dark: colour{"#317680", "24", "6"}, light: colour{"#3b8598", "67", "6"}}},
	ToneLate:   {sign: look{dark: colour{"#c7953f", "172", "3"}, light: colour{"#b07a14", "136", "3"}}},
	ToneStuck:  {sign: look{dark: colour{"#d9575f", "167", "1"}, light: colour{"#cf3b47", "160", "1"}}},
	ToneWait: {sign: queued,
		ground: look{dark: colour{"#1a2132", "234", ""}, light: colour{"#e8eefb", "255", ""}}},
	ToneFalse: {sign: magenta,
		ground: look{dark: colour{"#57245f", "53", ""}, light: colour{"#efd3f5", "225", ""}}},
	ToneDepth: {sign: queued},
}

// wasWell are the tones of a moment of the past in which nothing was wrong: grey, as they say nothing of now.
var wasWell = [toneCount]look{
	ToneHold:   {dark: colour{"#858da0", "245", "7"}, light: colour{"#7d8594", "102", "8"}},
	ToneHold2:  {dark: colour{"#5c6475", "241", "8"}, light: colour{"#5b6373", "241", "8"}},
	ToneQuiet:  {dark: colour{"#6f7789", "243", "7"}, light: colour{"#929aa8", "247", "8"}},
	ToneQuiet2: {dark: colour{"#515868", "240", "8"}, light: colour{"#757d8c", "243", "8"}},
	ToneWait:   {dark: colour{"#858da0", "245", "7"}, light: colour{"#7d8594", "102", "8"}},
	ToneDepth:  {dark: colour{"#6f7789", "243", "7"}, light: colour{"#929aa8", "247", "8"}},
}

// queued is the colour of lines and columns that wait.
var queued = look{dark: colour{"#6484c9", "68", "4"}, light: colour{"#5a83cf", "68", "4"}}

// painter cuts the escape sequences of one theme.
type painter struct {
	r     *lipgloss.Renderer
	p     termenv.Profile
	name  string
	looks [lanes]look
	tone  [toneCount]struct{ sign, ground look }
}

// newPainter is one for now, or for a moment of the past: there what was well is grey, and what was wrong
// keeps its colour.
func newPainter(name string, p termenv.Profile, past bool) painter {
	r := lipgloss.NewRenderer(io.Discard) // our own: nothing is asked of the terminal
	r.SetColorProfile(p)
	x := painter{r, p, name, looks, tones}
	if past {
		x.looks[Good], x.looks[Waiting] = muted, muted
		for i, l := range wasWell {
			if l != (look{}) {
				x.tone[i].sign = l
			}
		}
	}
	return x
}

func (p painter) colour(l look) lipgloss.TerminalColor {
	switch p.name {
	case ThemeMono:
		return lipgloss.NoColor{}
	case ThemeLight:
		return l.light.forProfile(p.p)
	}
	return l.dark.forProfile(p.p)
}

func (p painter) style(l, ground look) lipgloss.Style {
	a := l.attrs
	if p.name == ThemeMono {
		a = l.mono
	}
	if a.chip && p.p == termenv.ANSI { // bold black is grey there
		a.bold = false
	}
	s := a.applyTo(p.r.NewStyle().Foreground(p.colour(l)))
	if a.chip { // its own ground
		return s
	}
	return s.Background(p.colour(ground))
}

// styles are all styles on a ground.
func (p painter) styles(ground look) [StyleCount]string {
	all := p.words(ground)
	p.tones(&all, ground)
	return all
}

// words are the styles on a ground on which no lane stands.
func (p painter) words(ground look) (all [StyleCount]string) {
	for s, l := range p.looks {
		all[s], _ = cut(p.style(l, ground))
	}
	return all
}

// headline is how the worst of a verdict looks without colours: it has no ground there.
func (p painter) headline(all [StyleCount]string) [StyleCount]string {
	if p.name == ThemeMono {
		all[Bad], _ = cut(p.r.NewStyle().Bold(true).Reverse(true))
		all[Late] = all[Bad]
	}
	return all
}

// Lane is the style of a sign of a lane. on is what stands at the right of the sign in the
// same cell, where a cell is split: ToneNone is the terminal's own ground.
func Lane(f, on Tone) Style { return lanes + Style(f)*toneCount + Style(on) }

// Turned is the style of a sign whose left part is the terminal's own ground and whose right
// part is f: the sign is reversed, since that ground's colour is not known.
func Turned(f Tone) Style { return turned + Style(f) }

// OnTone is the style of a word on a tone.
func OnTone(f Tone) Style { return onTone + Style(f) }

// tones adds the styles of lanes on a ground. Where that is not the terminal's own its colour is known, and
// no sign has to be turned.
func (p painter) tones(all *[StyleCount]string, ground look) {
	known := ground != (look{}) && p.name != ThemeMono && p.p != termenv.ANSI
	normal := p.r.NewStyle()
	for i := range p.tone {
		f := Tone(i)
		part := p.tone[f].sign // of a cell that is split: what has a ground is that, without its sign
		if p.tone[f].ground != (look{}) {
			part = p.tone[f].ground
		}
		all[Turned(f)], _ = cut(normal.Reverse(true).Foreground(p.colour(part)))
		if known {
			all[Turned(f)], _ = cut(normal.Foreground(p.colour(ground)).Background(p.colour(part)))
		}
		if f.Holds() {
			all[OnTone(f)], _ = cut(p.style(onHold, p.tone[f].sign).Bold(p.p != termenv.ANSI))
		}
		for on := range p.tone {
			s := normal.Foreground(p.colour(part))
			if on == i {
				s = normal.Foreground(p.colour(p.tone[f].sign))
			}
			switch {
			case Tone(on) == ToneNone && known && (on == i || p.tone[f].ground == (look{})):
				s = s.Background(p.colour(ground))
			case Tone(on) == ToneNone:
			case on == i && p.tone[f].ground != (look{}):
				s = s.Background(p.colour(p.tone[f].ground))
			case p.tone[on].ground != (look{}): // the ground of what waits, not its sign
				s = s.Background(p.colour(p.tone[on].ground))
			default:
				s = s.Background(p.colour(p.tone[on].sign))
			}
			all[Lane(f, Tone(on))], _ = cut(s)
		}
	}
	all[Lane(ToneNone, ToneNone)], _ = cut(p.style(rule, ground))
}

// NewTheme makes the theme of that name; termenv.Ascii makes each of them the mono one.
func NewTheme(name string, p termenv.Profile, set SignSet) *Theme {
	return newTheme(name, p, set, false)
}

// PastTheme makes the theme of that name for a moment of the past: nothing is green there.
func PastTheme(name string, p termenv.Profile, set SignSet) *Theme {
	return newTheme(name, p, set, true)
}

func newTheme(name string, p termenv.Profile, set SignSet, past bool) *Theme {
	th := &Theme{set: set, Sign: signsOf[set]}
	th.FullBar, th.EmptyBar = strings.Repeat(th.Sign.Full, BarCells), strings.Repeat(th.Sign.Empty, BarCells)+" "
	if p == termenv.Ascii { // no colour is wanted; bold and reversed still tell things apart
		name, p = ThemeMono, termenv.ANSI
	}
	paint := newPainter(name, p, past)
	th.Before = paint.styles(look{})
	th.Chosen, th.OnError, th.OnWarn = paint.styles(chosenGround), paint.headline(paint.words(errorGround)), paint.headline(paint.words(warnGround))
	th.inBox = paint.styles(boxGround)
	for i := range th.behind {
		th.behind[i] = th.Before[Rule]
	}
	th.Before[Readonly], _ = cut(paint.style(looks[Readonly], chipGround))
	th.split, th.few = name != ThemeMono && set != SignsASCII, p == termenv.ANSI
	th.After = reset
	return th
}

// reset ends every style.
const reset = "\x1b[0m"

// cut splits a style into what goes before a text and what goes after it: painting
// a cell is then two appends, where rendering a style costs a hundred times that.
func cut(s lipgloss.Style) (before, after string) {
	const text = "x"
	before, after, _ = strings.Cut(s.Render(text), text)
	return before, after
}
