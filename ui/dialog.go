package ui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// grace is how long a dialog ignores the keys that confirm: one that was meant
// for the page under it must not break a lock.
const grace = 300 * time.Millisecond

// way is one of the two ways to break a lock.
type way struct {
	action model.Action
	plan   model.Plan
	ready  bool
	why    string // why it cannot be done
}

// dialog shows what breaking a lock takes along, and asks.
type dialog struct {
	id     int
	t      page.Target
	revoke way
	delete way
	live   bool             // the grace is over
	typing model.ActionKind // the way whose confirmation is typed, "" for none
	name   field
	top    int // first key shown of those that go
	hint   string
}

type (
	graceMsg struct{ id int }
	planMsg  struct {
		id   int
		kind model.ActionKind
		plan model.Plan
		err  error
	}
)

// breakWays are the ways to break what is under the cursor.
func (a *App) breakWays() ([]model.Action, string) {
	act, why := a.action(model.DeleteClaim)
	if why = a.whyNotAct(act, why); why != "" {
		return nil, why
	}
	return waysOf(act), ""
}

func waysOf(act model.Action) []model.Action {
	act.Kind, act.ModRev = model.DeleteClaim, 0
	acts := []model.Action{act}
	if act.Lease != 0 {
		act.Kind = model.RevokeLease
		acts = append(acts, act)
	}
	return acts
}

// breakAgain shows the dialog again after nothing was done because the claim, or what
// goes with it, is not what was shown; it says what changed.
func (a *App) breakAgain(o model.Outcome) tea.Cmd {
	if o.Changed == "" || o.Now.Key == "" || a.live.Actions == nil || a.dialog != nil {
		return nil
	}
	act := o.Action
	act.CreateRev, act.Lease = o.Now.CreateRev, o.Now.Lease
	t := page.Target{Action: act, Lock: a.state.Lock(act.Lock), Claim: a.state.Claim(act.Key)}
	return a.askOn(t, waysOf(act), func(a *App, said availableMsg) tea.Cmd {
		if a.dialog != nil {
			return nil
		}
		cmd := a.openBreak(said)
		if a.dialog != nil {
			a.dialog.hint = "nothing was done: " + a.th.Clean(o.Changed)
		}
		return cmd
	})
}

// openBreak opens the dialog on what was under the cursor and reads the plans.
func (a *App) openBreak(said availableMsg) tea.Cmd {
	if a.where()&anyPage == 0 || !a.here().About().Targets {
		return nil // something else has come up meanwhile
	}
	a.thaw()
	a.opened++
	d := &dialog{id: a.opened, t: said.on}
	d.revoke.action, d.delete.action = said.acts[0], said.acts[0]
	d.revoke.action.Kind = model.RevokeLease
	d.revoke.why, d.delete.why = said.why(model.RevokeLease), said.why(model.DeleteClaim)
	if d.t.Action.Lease == 0 {
		d.revoke.why = "the key has no lease"
	}
	a.board.Locks.Pick.Pinned = true
	a.dialog = d
	return tea.Batch(
		a.after(grace, func(time.Time) tea.Msg { return graceMsg{d.id} }),
		a.plan(d.id, &d.revoke), a.plan(d.id, &d.delete))
}

func (a *App) plan(id int, w *way) tea.Cmd {
	if w.why != "" {
		return nil
	}
	hands, act := a.live.Actions, w.action
	ctx, cancel := a.withTimeout()
	return func() tea.Msg {
		defer cancel()
		plan, err := hands.Plan(ctx, act)
		return planMsg{id, act.Kind, plan, err}
	}
}

func (d *dialog) way(kind model.ActionKind) *way {
	if kind == model.RevokeLease {
		return &d.revoke
	}
	return &d.delete
}

func (a *App) planned(m planMsg) tea.Cmd {
	if a.dialog == nil || a.dialog.id != m.id {
		return nil
	}
	w := a.dialog.way(m.kind)
	w.plan, w.ready = m.plan, true
	switch {
	case m.err != nil:
		w.why = a.th.Clean(m.err.Error())
	case m.plan.Refused != "":
		w.why = a.th.Clean(m.plan.Refused)
	}
	return nil
}

func (a *App) graceOver(m graceMsg) tea.Cmd {
	if a.dialog != nil && a.dialog.id == m.id {
		a.dialog.live = true
	}
	if a.question != nil && a.question.id == m.id {
		a.question.live = true
	}
	if a.menu != nil && a.menu.id == m.id {
		a.menu.live = true
	}
	return nil
}

// confirm goes a way, or asks for the lock's name on a cluster that is not ours.
func (a *App) confirm(kind model.ActionKind) tea.Cmd {
	d := a.dialog
	w := d.way(kind)
	why := a.whyNotWay(w)
	switch {
	case !d.live:
		return nil
	case why != "":
		d.hint = "cannot " + string(kind) + ": " + why
	case !w.ready:
		d.hint = "wait: what it would touch is still being read"
	case a.outrun(w) != "":
		return a.breakAgain(a.outdated(w))
	case !a.o.Lab:
		d.typing, d.name, d.hint = kind, field{}, ""
	default:
		return a.carryOut(w)
	}
	return nil
}

// outrun says what of the claim on the page is not as the plan has it.
func (a *App) outrun(w *way) string { return w.plan.Outrun(a.state.Claim(w.action.Key)) }

// outdated closes the dialog, and says what its plan has missed as if the act had been
// refused for it.
func (a *App) outdated(w *way) model.Outcome {
	o := model.Outcome{Action: w.action, Changed: a.outrun(w), Now: a.state.Claim(w.action.Key).KV}
	a.dialog = nil
	return o
}

// gone says whether the claim that the dialog is about is no more.
func (d *dialog) gone(a *App) bool {
	c := a.state.Claim(d.t.Action.Key)
	return c == nil || c.CreateRev != d.t.Action.CreateRev
}

// whyNotWay says why a way is closed, "" if it is open.
func (a *App) whyNotWay(w *way) string {
	if a.dialog.gone(a) {
		return "the claim is gone, there is nothing left to break"
	}
	return w.why
}

func (a *App) confirmTyped() tea.Cmd {
	d := a.dialog
	if a.dialog.gone(a) {
		d.typing, d.hint = "", "the claim is gone, there is nothing left to break"
		return nil
	}
	if name := d.t.Action.Lock; d.name.text != name && d.name.text != a.th.Clean(name) {
		d.hint = "that is not the name of the lock"
		return nil
	}
	w := d.way(d.typing)
	if a.outrun(w) != "" {
		return a.breakAgain(a.outdated(w))
	}
	return a.carryOut(w)
}

func (a *App) carryOut(w *way) tea.Cmd {
	a.dialog = nil
	a.say(draw.Dim, a.th.Clean(w.action.Describe())+" "+a.th.Sign.Unread)
	hands, plan := a.live.Actions, w.plan
	ctx, cancel := a.withTimeout()
	return func() tea.Msg {
		defer cancel()
		return outcomeMsg{hands.Do(ctx, plan)}
	}
}

// dialogLine is a line of the dialog; where room is short the highest rank goes.
type dialogLine struct {
	rank  int
	spans []draw.Span
}

const (
	ranked  = iota // stays
	detail         // goes third
	command        // second
	spacing        // first
)

// over paints the dialog over the lines of the screen.
func (d *dialog) over(a *App, lines []string) []string {
	return a.box(lines, " break a lock ", d.lines)
}

// dialogs are what stands over the pages and takes the keyboard from them. One is open
// at a time.
type dialogs struct {
	dialog   *dialog
	question *question
	menu     *faultMenu
	columns  *columnMenu
	opened   int // how many there were, so that a late answer does not reach the next one
}

// layer is a dialog: which keys count in it, and how it is painted over the screen.
type layer interface {
	where() where
	over(a *App, lines []string) []string
}

// top is the dialog that is open, nil for none.
func (d *dialogs) top() layer {
	switch {
	case d.dialog != nil:
		return d.dialog
	case d.question != nil:
		return d.question
	case d.menu != nil:
		return d.menu
	case d.columns != nil:
		return d.columns
	}
	return nil
}

// closeAll leaves them all.
func (d *dialogs) closeAll() { d.dialog, d.question, d.menu, d.columns = nil, nil, nil, nil }

func (d *dialog) where() where {
	if d.typing != "" {
		return inTyped
	}
	return inBreak
}

// box paints a frame over the middle of the screen. inside returns what stands in
// it, in at most h lines of w cells.
func (a *App) box(lines []string, title string, inside func(a *App, w, h int) [][]draw.Span) []string {
	bw := min(a.w, 92)
	if a.w < 110 {
		bw = a.w
	}
	bh := max(1, len(lines)-4)
	content := inside(a, bw-4, bh)
	x, y := (a.w-bw)/2, 1+max(0, (len(lines)-2-len(content)-2)/2)
	th := a.th
	edge := func(l, r, title string) string {
		b := th.Put(nil, draw.Accent, l+th.Sign.Line)
		b = th.Put(b, draw.Strong, title)
		return string(th.Put(b, draw.Accent, strings.Repeat(th.Sign.Line, max(0, bw-3-draw.Width(title)))+r))
	}
	painted := []string{edge(th.Sign.Box.TopLeft, th.Sign.Box.TopRight, th.Cut(title, bw-4))}
	for _, sp := range content {
		b := th.Put(nil, draw.Accent, th.Sign.Box.Left)
		b = append(b, " "+th.Line(bw-4, sp, nil)+" "...)
		painted = append(painted, string(th.Put(b, draw.Accent, th.Sign.Box.Left)))
	}
	painted = append(painted, edge(th.Sign.Box.BottomLeft, th.Sign.Box.BottomRight, ""))
	for i, p := range painted {
		if y+i < len(lines) {
			lines[y+i] = stamp(lines[y+i], p, x, bw, a.w)
		}
	}
	return lines
}

// stamp puts p, w cells wide, over a line of total cells at x.
func stamp(line, p string, x, w, total int) string {
	left := ansi.Truncate(line, x, "")
	right := ansi.TruncateLeft(line, x+w, "")
	for cut := x + w + 1; cut <= total && ansi.StringWidth(right) > total-x-w; cut++ { // a wide character lies across the edge
		right = ansi.TruncateLeft(line, cut, "")
	}
	b := draw.Pad([]byte(left), x-ansi.StringWidth(left))
	b = append(b, p...)
	b = draw.Pad(b, total-x-w-ansi.StringWidth(right))
	return string(append(b, right...))
}
