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
func (sh *Shell) moveBy(n int) {
	if sh.overlay != nil {
		sh.overlay.move(n)
		return
	}
	sh.current().Move(sh.Frame(), n)
}

// pageStep is how far PgUp and PgDn go.
func (sh *Shell) pageStep() int {
	if sh.overlay != nil {
		return max(1, sh.h-6)
	}
	return sh.current().Step()
}

// back takes back what was set on the page, or goes to where one came from.
func (sh *Shell) back() {
	switch {
	case sh.present != nil && sh.viewState.Axis.Now(): // and the console follows
	case sh.current().Back(sh.Frame()):
	case sh.current().About().Inner && len(sh.backStack) > 0:
		sh.comeBack()
	case sh.current().About().Inner:
		sh.goTo(0)
	}
}

// editFilter opens the text field of the filter.
func (sh *Shell) editFilter() {
	text, _ := sh.filter()
	sh.field = &host.Field{Text: text}
}

// freeze keeps the body as it is, or lets it go.
func (sh *Shell) freeze() {
	if sh.frozen {
		sh.thaw()
		return
	}
	left := sh.header().statusLeft()
	wasThen(left[1:]) // the name of the cluster stays what it is
	sh.freezing = freezing{frozen: true, frozenAt: sh.now, frozenLeft: left}
	l := sh.arrange()
	sh.frozenMain = l.main
	sh.frozenLines = sh.upper(sh.header(), l) // from here on all is painted as what was
}

func (sh *Shell) toggleMouse() tea.Cmd {
	sh.mouseOff = !sh.mouseOff
	if sh.mouseOff {
		sh.say(draw.Plain, sh.th.Say("mouse-off-the-terminal-selects-text"))
		return tea.DisableMouse
	}
	sh.say(draw.Plain, sh.th.Say("mouse-on"))
	return tea.EnableMouseCellMotion
}

// copyKey puts the selected key into the clipboard of the terminal.
func (sh *Shell) copyKey() tea.Cmd {
	t := sh.Target()
	text := t.Action.Key
	if text == "" {
		text = t.Action.Lock
	}
	lines := []string{text}
	if text == "" { // what may not be read has no key
		lines = page.Fresh(sh.state.View).Grants()
	}
	if len(lines) == 0 {
		sh.refuse(sh.th.Say("nothing-selected-to-copy"))
		return nil
	}
	sh.say(draw.Plain, sh.th.Say("copied-text", model.Verbatim(sh.th.Clean(strings.Join(lines, ", ")))))
	for i := range lines {
		lines[i] = model.PrintableIfNeeded(lines[i]) // where it is put in, a newline would be obeyed
	}
	put, text := sh.copy, strings.Join(lines, "\n")
	return func() tea.Msg { put(text); return nil }
}

// mouse: a click selects, on a title it sorts, on a key that is named it is that key, and a scroll bar
// goes where it is clicked or drawn to; the wheel moves.
func (sh *Shell) mouse(m tea.MouseMsg) tea.Cmd {
	left := m.Action == tea.MouseActionPress && m.Button == tea.MouseButtonLeft
	drag := m.Action == tea.MouseActionMotion && m.Button == tea.MouseButtonLeft && sh.dragged > 0
	if !drag {
		sh.dragged = 0
	}
	l := sh.arrange()
	if left && sh.booted && l.footer.contains(m.X, m.Y) {
		sh.keyed()
		return sh.clickFooter(m.X)
	}
	if left && sh.booted {
		if cmd, is := sh.clickKey(m.X, m.Y); is {
			sh.keyed()
			return cmd
		}
	}
	if sh.booted && sh.palette != nil {
		return sh.mouseOnPalette(m, left)
	}
	if !sh.booted || sh.dialog != nil || sh.start != nil || sh.frozen {
		return nil
	}
	over := sh.overlay != nil
	switch {
	case m.Button == tea.MouseButtonWheelUp, m.Button == tea.MouseButtonWheelDown:
		n := 3
		if m.Button == tea.MouseButtonWheelUp {
			n = -3
		}
		if p, ok := sh.current().(page.Split); ok && !over {
			p.Point(m.Y - l.main.y)
		}
		sh.moveBy(n)
	case left && over && sh.overlay.rows != nil && l.main.contains(m.X, m.Y):
		return sh.clickHelp(m.Y - l.main.y - 1)
	case drag && !over && l.main.contains(sh.dragged, m.Y):
		sh.current().Click(sh.Frame(), sh.dragged-l.main.x, m.Y-l.main.y)
	case !left || over:
	case l.verdict.contains(m.X, m.Y):
		sh.showVerdict()
	case l.tabs.contains(m.X, m.Y):
		if i := sh.header().click(m.X); i >= 0 {
			sh.turnTo(i)
		}
	case l.main.contains(m.X, m.Y):
		return sh.clickRow(m.X-l.main.x, m.Y-l.main.y)
	}
	return nil
}

// clickHelp puts the cursor of help on a line, and does what that says if it was there.
func (sh *Shell) clickHelp(y int) tea.Cmd {
	o := sh.overlay
	to := o.top + y
	if y < 0 || y >= o.shown || to >= len(o.rows()) {
		return nil
	}
	if to == o.at {
		return sh.pressRow()
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

func (sh *Shell) selected() selected {
	t := sh.Target()
	return selected{sh.current().Spot(), t.Action.Lock, t.Action.Key, t.Action.Contender}
}

// clickRow selects a row by a click, and opens it by a second one.
func (sh *Shell) clickRow(x, y int) tea.Cmd {
	row := sh.current().Click(sh.Frame(), x, y)
	now := clicked{sh.at, y, row, sh.selected()}
	again := row && now == sh.clicked
	if sh.clicked = now; !again {
		if l := sh.arrange(); !row && x == l.main.w-1 {
			sh.dragged = l.main.x + x
		}
		return nil
	}
	sh.clicked = clicked{}
	if b := sh.keys.At[sh.where()]["enter"]; b != nil {
		return sh.press(b, "enter")
	}
	return nil
}

// mouseOnPalette: a click does what stands in a row, and the wheel moves the cursor.
func (sh *Shell) mouseOnPalette(m tea.MouseMsg, left bool) tea.Cmd {
	switch {
	case m.Button == tea.MouseButtonWheelUp:
		sh.palette.Scroll(-1)
	case m.Button == tea.MouseButtonWheelDown:
		sh.palette.Scroll(1)
	case left:
		return sh.obey(sh.palette.Click(sh.viewOf(sh.Frame()), m.Y, sh.h))
	}
	return nil
}
