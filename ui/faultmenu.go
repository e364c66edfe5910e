package ui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// targetOf returns what a kind of fault would be done to, false if it cannot be done
// to such a subject.
func targetOf(s page.Subject, t model.FaultTarget) (string, bool) {
	switch t {
	case model.TargetProcess, model.TargetClaim:
		return s.Name, s.Kind == model.TargetProcess
	case model.TargetClient:
		return s.Name, s.Kind == model.TargetProcess || s.Kind == model.TargetClient
	case model.TargetKey:
		return s.Lock + "/by-hand", s.Kind == model.TargetProcess && s.Lock != ""
	case model.TargetMember:
		return s.Name, s.Kind == model.TargetMember
	}
	return "", s.Kind == model.TargetMember || s.Kind == model.TargetCluster
}

// subject returns what the person points at.
func (a *App) subject() page.Subject {
	t := a.target()
	if t.Other.Kind != "" {
		return t.Other
	}
	if t.Action.Contender == "" {
		return page.Subject{Kind: model.TargetCluster, Why: t.Why}
	}
	return page.Subject{Kind: model.TargetProcess, Name: t.Action.Contender, Lock: t.Action.Lock}
}

// subjectWords name the subject in a title.
func subjectWords(th *draw.Theme, s page.Subject) string {
	if s.Kind == model.TargetCluster {
		return "the cluster"
	}
	return string(map[model.FaultTarget]string{model.TargetProcess: "contender ", model.TargetClient: "client ",
		model.TargetMember: "member "}[s.Kind]) + th.Clean(s.Name)
}

// faultMenu is the dialog of the faults that can be done to a subject.
type faultMenu struct {
	id     int
	live   bool // the grace is over
	on     page.Subject
	rows   []faultChoice
	at     int // the row under the cursor
	top    int // the first row that is shown
	choice *choice
	hint   string
	asks   bool // the actions are being asked what can be done
	doing  bool // and whether the fault that was chosen can
}

// faultChoice is a kind of fault in the menu.
type faultChoice struct {
	info  model.FaultInfo
	fault model.Fault
	why   string // why it cannot be done now, "" if it can
}

func (a *App) whyNoFaults() string {
	switch {
	case a.live.Actions == nil:
		return "still starting"
	case !a.o.Lab:
		return a.frame().WhyNoLab()
	case a.o.Foreign && !a.o.Armed:
		return faultsWantArmed
	}
	return ""
}

// openFaults opens the menu on what is selected.
func (a *App) openFaults() tea.Cmd {
	m := &faultMenu{on: a.subject()}
	for _, info := range model.FaultKinds() {
		if name, ok := targetOf(m.on, info.Target); ok {
			m.rows = append(m.rows, faultChoice{info: info, fault: model.Fault{Kind: info.Kind, Target: name}})
		}
	}
	a.menu = m
	return tea.Batch(a.graceFor(m), a.askOffers())
}

// graceFor lets no key confirm for a moment.
func (a *App) graceFor(m *faultMenu) tea.Cmd {
	a.opened++
	m.id, m.live = a.opened, false
	id := m.id
	return a.after(grace, func(time.Time) tea.Msg { return graceMsg{id} })
}

// offersMsg is what the actions said of the rows of a menu.
type offersMsg struct {
	menu *faultMenu
	whys []string
}

// askOffers asks anew what can be done, beside the screen: a lab that takes its time
// to answer must not hold it up. One question at a time.
func (a *App) askOffers() tea.Cmd {
	m := a.menu
	if m == nil || m.asks {
		return nil
	}
	m.asks = true
	hands, acts := a.live.Actions, make([]model.Action, len(m.rows))
	for i, r := range m.rows {
		acts[i] = m.action(presets(r.info, r.fault, a.memberNames()).fault())
	}
	return func() tea.Msg { return offersMsg{m, whysNot(hands, acts)} }
}

// answered takes in what can be done.
func (a *App) answered(msg offersMsg) {
	msg.menu.asks = false
	for i, why := range msg.whys {
		msg.menu.rows[i].why = a.th.Clean(why)
	}
}

// inForce says whether a fault like that of a row is in force.
func (a *App) inForce(r *faultChoice) bool {
	return slices.ContainsFunc(a.state.Faults(), func(x model.FaultOn) bool { return r.fault.Heals(x.Fault) })
}

func (m *faultMenu) action(f model.Fault) model.Action {
	return model.Action{Kind: model.InjectFault, Lock: m.on.Lock, Fault: f}
}

func (m *faultMenu) move(n int) {
	m.at, m.hint = max(0, min(m.at+n, len(m.rows)-1)), ""
}

// choose goes on with the fault under the cursor: to its choices, or it is done.
func (a *App) choose() tea.Cmd {
	m := a.menu
	if !m.live {
		return nil
	}
	r := &m.rows[m.at]
	switch {
	case r.why != "":
		m.hint = "cannot be done now: " + r.why
		return nil
	case len(r.info.Takes) == 0 && a.inForce(r):
		m.hint = "it is in force already: leave this, then U on the Lab page heals it"
		return nil
	}
	c := presets(r.info, r.fault, a.memberNames())
	if len(c.asks) == 0 {
		return a.inject(c.fault())
	}
	m.choice, m.hint = c, ""
	return a.graceFor(m) // a second enter must be meant
}

// chooseWord is what enter does with the fault under the cursor.
func (a *App) chooseWord() string {
	if m := a.menu; m != nil {
		if r := &m.rows[m.at]; r.why == "" && len(presets(r.info, r.fault, a.memberNames()).asks) == 0 {
			return "do it"
		}
	}
	return "choose"
}

// inject does the fault that was chosen.
func (a *App) inject(f model.Fault) tea.Cmd {
	m := a.menu
	if !m.live || m.doing {
		return nil
	}
	m.doing, m.hint = true, ""
	hands, act := a.live.Actions, m.action(f)
	return func() tea.Msg { return chosenMsg{m, act, hands.Available(act)} }
}

// chosenMsg says whether the fault that was chosen can be done, nil if it can.
type chosenMsg struct {
	menu *faultMenu
	act  model.Action
	err  error
}

// chosen does it, unless the menu was left meanwhile.
func (a *App) chosen(msg chosenMsg) tea.Cmd {
	msg.menu.doing = false
	switch {
	case msg.menu != a.menu:
		return nil
	case msg.err != nil:
		a.menu.hint = "cannot be done now: " + a.th.Clean(msg.err.Error())
		return nil
	}
	a.menu = nil
	return a.act(msg.act)
}

func (m *faultMenu) where() where {
	if m.choice != nil {
		return inChoice
	}
	return inFaults
}

// over paints the menu over the lines of the screen.
func (m *faultMenu) over(a *App, lines []string) []string {
	title := " faults: " + subjectWords(a.th, m.on) + " "
	inside := m.list
	if m.choice != nil {
		title = " fault: " + string(m.choice.info.Kind) + " "
		inside = m.choices
	}
	return a.box(lines, title, inside)
}

// list is the menu in at most h lines of w cells.
func (m *faultMenu) list(a *App, w, h int) [][]draw.Span {
	th := a.th
	var under [][]draw.Span
	add := func(spans ...draw.Span) { under = append(under, spans) }
	r := &m.rows[m.at]
	switch {
	case m.hint != "":
		add(draw.Late.Of(th.Sign.Late + " " + m.hint))
	case r.why != "":
		lead := th.Sign.Late + " "
		for _, part := range th.Wrap("cannot be done now: "+r.why, max(8, w-2), 3) {
			add(draw.Late.Of(lead + part))
			lead = "  "
		}
		add(draw.Dim.Of("it would " + r.info.What))
	default:
		f := presets(r.info, r.fault, a.memberNames()).fault()
		f.For = 0
		add(draw.Dim.Of("will "), draw.Strong.Of(th.Clean(f.Describe())))
	}
	if r.info.Heal != "" {
		add(draw.Dim.Of("healing it will " + r.info.Heal))
	} else {
		add(draw.Dim.Of("done at once, there is nothing to heal"))
	}
	if m.on.Why != "" {
		add(draw.Dim.Of("only what is done to the cluster, because " + m.on.Why))
	}
	add(a.hints(inFaults, w)...)
	room := max(1, h-len(under)-1)
	if len(under) > h-2 {
		room, under = max(1, h-1), under[len(under)-1:]
	}
	out := m.window(a, w, room)
	if len(out)+len(under) < h {
		out = append(out, nil)
	}
	return append(out, under...)
}

// window is the part of the rows that fits, the cursor in it.
func (m *faultMenu) window(a *App, w, h int) [][]draw.Span {
	th := a.th
	h = min(h, len(m.rows))
	m.top = max(0, min(m.top, m.at, len(m.rows)-h))
	m.top = max(m.top, m.at-h+1)
	var out [][]draw.Span
	for i := m.top; i < m.top+h; i++ {
		r := &m.rows[i]
		mark, name, what := "  ", draw.Strong, draw.Plain
		if i == m.at {
			mark = th.Sign.Cursor + " "
		}
		if r.why != "" {
			name, what = draw.Dim, draw.Dim
		}
		kind := string(r.info.Kind)
		line := []draw.Span{draw.Accent.Of(mark), name.Of(kind + draw.Blanks[:max(1, 16-len(kind))])}
		switch {
		case r.why != "":
			line = append(line, draw.Dim.Of("not now: "+r.why))
		case a.inForce(r):
			line = append(line, draw.Late.Of(th.Sign.Late+" in force  "), what.Of(r.info.What))
		default:
			line = append(line, what.Of(r.info.What))
		}
		if i == m.top && m.top > 0 || i == m.top+h-1 && i < len(m.rows)-1 {
			line = cutSpans(th, line, w-2)
			arrow := th.Sign.Up
			if i > m.top {
				arrow = th.Sign.Dwn
			}
			line = append(line, draw.Dim.Of(" "+arrow))
		}
		out = append(out, line)
	}
	return out
}

// cutSpans shortens a line to w cells.
func cutSpans(th *draw.Theme, spans []draw.Span, w int) []draw.Span {
	var out []draw.Span
	for _, sp := range spans {
		if w <= 0 {
			break
		}
		sp.Text = th.Cut(sp.Text, w)
		w -= draw.Width(sp.Text)
		out = append(out, sp)
	}
	return out
}
