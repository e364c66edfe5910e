package ui

import (
	"strings"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"

	tea "github.com/charmbracelet/bubbletea"
)

// far is further than any list is long.
const far = 1 << 30

// moveBy moves the cursor of what has the keyboard.
func (a *Shell) moveBy(n int) {
	if a.overlay != nil {
		a.overlay.move(n)
		return
	}
	a.current().Move(a.Frame(), n)
}

// pageStep is how far PgUp and PgDn go.
func (a *Shell) pageStep() int {
	if a.overlay != nil {
		return max(1, a.h-6)
	}
	return a.current().Step()
}

// back takes back what was set on the page, or goes to where one came from.
func (a *Shell) back() {
	switch {
	case a.present != nil && a.viewState.Axis.Now(): // and the console follows
	case a.current().Back(a.Frame()):
	case a.current().About().Inner && len(a.backStack) > 0:
		a.comeBack()
	case a.current().About().Inner:
		a.goTo(0)
	}
}

// editFilter opens the text field of the filter.
func (a *Shell) editFilter() {
	text, _ := a.filter()
	a.field = &host.Field{Text: text}
}

// freeze keeps the body as it is, or lets it go.
func (a *Shell) freeze() {
	if a.frozen {
		a.thaw()
		return
	}
	left := a.header().statusLeft()
	wasThen(left[1:]) // the name of the cluster stays what it is
	a.freezing = freezing{frozen: true, frozenAt: a.now, frozenLeft: left}
	l := a.arrange()
	a.frozenMain = l.main
	a.frozenLines = a.upper(a.header(), l) // from here on all is painted as what was
}

func (a *Shell) toggleMouse() tea.Cmd {
	a.mouseOff = !a.mouseOff
	if a.mouseOff {
		a.say(draw.Plain, a.th.Say("mouse-off-the-terminal-selects-text"))
		return tea.DisableMouse
	}
	a.say(draw.Plain, a.th.Say("mouse-on"))
	return tea.EnableMouseCellMotion
}

// copyKey puts the selected key into the clipboard of the terminal.
func (a *Shell) copyKey() tea.Cmd {
	t := a.Target()
	text := t.Action.Key
	if text == "" {
		text = t.Action.Lock
	}
	lines := []string{text}
	if text == "" { // what may not be read has no key
		lines = page.Fresh(a.state.View).Grants()
	}
	if len(lines) == 0 {
		a.refuse(a.th.Say("nothing-selected-to-copy"))
		return nil
	}
	a.say(draw.Plain, a.th.Say("copied-text", model.Verbatim(a.th.Clean(strings.Join(lines, ", ")))))
	for i := range lines {
		lines[i] = model.PrintableIfNeeded(lines[i]) // where it is put in, a newline would be obeyed
	}
	put, text := a.copy, strings.Join(lines, "\n")
	return func() tea.Msg { put(text); return nil }
}

// mouse: a click selects, on a title it sorts, on a key that is named it is that key, and a scroll bar
// goes where it is clicked or drawn to; the wheel moves.
func (a *Shell) mouse(m tea.MouseMsg) tea.Cmd {
	left := m.Action == tea.MouseActionPress && m.Button == tea.MouseButtonLeft
	drag := m.Action == tea.MouseActionMotion && m.Button == tea.MouseButtonLeft && a.dragged > 0
	if !drag {
		a.dragged = 0
	}
	l := a.arrange()
	if left && a.booted && l.footer.contains(m.X, m.Y) {
		a.keyed()
		return a.clickFooter(m.X)
	}
	if left && a.booted {
		if cmd, is := a.clickKey(m.X, m.Y); is {
			a.keyed()
			return cmd
		}
	}
	if a.booted && a.palette != nil {
		return a.mouseOnPalette(m, left)
	}
	if !a.booted || a.dialog != nil || a.start != nil || a.frozen {
		return nil
	}
	over := a.overlay != nil
	switch {
	case m.Button == tea.MouseButtonWheelUp, m.Button == tea.MouseButtonWheelDown:
		n := 3
		if m.Button == tea.MouseButtonWheelUp {
			n = -3
		}
		if p, ok := a.current().(page.Split); ok && !over {
			p.Point(m.Y - l.main.y)
		}
		a.moveBy(n)
	case left && over && a.overlay.rows != nil && l.main.contains(m.X, m.Y):
		return a.clickHelp(m.Y - l.main.y - 1)
	case drag && !over && l.main.contains(a.dragged, m.Y):
		a.current().Click(a.Frame(), a.dragged-l.main.x, m.Y-l.main.y)
	case !left || over:
	case l.verdict.contains(m.X, m.Y):
		a.showVerdict()
	case l.tabs.contains(m.X, m.Y):
		if i := a.header().click(m.X); i >= 0 {
			a.turnTo(i)
		}
	case l.main.contains(m.X, m.Y):
		return a.clickRow(m.X-l.main.x, m.Y-l.main.y)
	}
	return nil
}

// clickHelp puts the cursor of help on a line, and does what that says if it was there.
func (a *Shell) clickHelp(y int) tea.Cmd {
	o := a.overlay
	to := o.top + y
	if y < 0 || y >= o.shown || to >= len(o.rows()) {
		return nil
	}
	if to == o.at {
		return a.pressRow()
	}
	o.moveTo(o.rows(), to, 1)
	return nil
}

// clicked is the row of a page that was selected by the last click.
type clicked struct {
	page, y int
	row     bool
	target  selected
}

// selected tells what is under the cursor from what else may come to stand in its row.
type selected struct{ spot, lock, key, contender string }

func (a *Shell) selected() selected {
	t := a.Target()
	return selected{a.current().Spot(), t.Action.Lock, t.Action.Key, t.Action.Contender}
}

// clickRow selects a row by a click, and opens it by a second one.
func (a *Shell) clickRow(x, y int) tea.Cmd {
	row := a.current().Click(a.Frame(), x, y)
	now := clicked{a.at, y, row, a.selected()}
	again := row && now == a.clicked
	if a.clicked = now; !again {
		if l := a.arrange(); !row && x == l.main.w-1 {
			a.dragged = l.main.x + x
		}
		return nil
	}
	a.clicked = clicked{}
	if b := a.keys.At[a.where()]["enter"]; b != nil {
		return a.press(b, "enter")
	}
	return nil
}

// mouseOnPalette: a click does what stands in a row, and the wheel moves the cursor.
func (a *Shell) mouseOnPalette(m tea.MouseMsg, left bool) tea.Cmd {
	switch {
	case m.Button == tea.MouseButtonWheelUp:
		a.palette.Scroll(-1)
	case m.Button == tea.MouseButtonWheelDown:
		a.palette.Scroll(1)
	case left:
		return a.obey(a.palette.Click(a.viewOf(a.Frame()), m.Y, a.h))
	}
	return nil
}
