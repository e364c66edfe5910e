package ui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/draw"
)

// question is the dialog that asks before something is done to a program on a cluster
// that is not ours. It names whom that hits.
type question struct {
	id    int
	live  bool // the grace is over
	act   model.Action
	locks []string // of whom it hits, with the place in each queue
	plan  model.Plan
	ready bool
	why   string // why it cannot be done
	hint  string
}

// questionMsg is the plan of what is asked for.
type questionMsg struct {
	id   int
	plan model.Plan
	err  error
}

// heals says whether the action only takes back what was done.
func heals(kind model.ActionKind) bool { return kind == model.HealFault || kind == model.HealAll }

// asksFirst says whether the action is confirmed before it is done.
func (a *App) asksFirst(act model.Action) bool { return a.o.Foreign && !heals(act.Kind) }

// faultsWantArmed is why nothing is done to programs on a cluster that is not ours.
const faultsWantArmed = "this cluster is not a lab of ours; \"locktop proxy --armed\" allows faults here"

// openQuestion opens the dialog and reads whom the action would hit.
func (a *App) openQuestion(act model.Action) tea.Cmd {
	if a.where()&anyPage == 0 {
		return nil // something else has come up meanwhile
	}
	a.thaw()
	a.opened++
	q := &question{id: a.opened}
	var first string
	if first, q.locks = a.locksOf(act.Fault.Target); act.Lock == "" {
		act.Lock = first
	}
	q.act = act
	a.question = q
	hands, id := a.live.Actions, q.id
	ctx, cancel := a.withTimeout()
	return tea.Batch(
		a.after(grace, func(time.Time) tea.Msg { return graceMsg{id} }),
		func() tea.Msg {
			defer cancel()
			plan, err := hands.Plan(ctx, act)
			return questionMsg{id, plan, err}
		})
}

// locksOf names the locks in which a client has claims, and its place there; the first
// is one that it holds, if there is any.
func (a *App) locksOf(client string) (first string, words []string) {
	if client == "" {
		return "", nil
	}
	holds := false
	for _, l := range a.state.Locks() {
		for c := range l.Claims {
			if id := a.state.IdentityOf(c); id.Source != "proxy" || id.Text != client {
				continue
			}
			place := "waits"
			if l.Holds(l.Place(c)) {
				place = "holds"
			}
			if first == "" || place == "holds" && !holds {
				first, holds = l.Name, place == "holds"
			}
			words = append(words, a.th.Clean(l.Name)+" ("+place+")")
		}
	}
	return first, words
}

// read takes the plan in.
func (q *question) read(a *App, m questionMsg) {
	q.plan, q.ready = m.plan, true
	switch {
	case m.err != nil:
		q.why = a.th.Clean(m.err.Error())
	case m.plan.Refused != "":
		q.why = a.th.Clean(m.plan.Refused)
	}
}

// confirmQuestion does what was asked for.
func (a *App) confirmQuestion() tea.Cmd {
	q := a.question
	switch {
	case !q.live:
		return nil
	case q.why != "":
		q.hint = "cannot be done now: " + q.why
		return nil
	case !q.ready:
		q.hint = "wait: whom it hits is still being read"
		return nil
	}
	a.question = nil
	a.say(draw.Dim, a.th.Clean(q.act.Describe())+" "+a.th.Sign.Unread)
	hands, ctx, plan := a.live.Actions, a.ctx, q.plan
	return func() tea.Msg { return outcomeMsg{hands.Do(ctx, plan)} }
}

func (q *question) where() where { return inQuestion }

// over paints the dialog over the lines of the screen.
func (q *question) over(a *App, lines []string) []string {
	return a.box(lines, " not a lab of ours: really? ", q.lines)
}

// lines are what the dialog says, in at most h lines of w cells.
func (q *question) lines(a *App, w, h int) [][]draw.Span {
	th := a.th
	var must, may [][]draw.Span
	add := func(to *[][]draw.Span, st draw.Style, label, text string, most int) {
		for _, part := range th.Wrap(text, max(8, w-9), most) {
			*to = append(*to, []draw.Span{draw.Dim.Of(label + draw.Blanks[:9-len(label)]), st.Of(part)})
			label = ""
		}
	}
	add(&must, draw.Strong, "will", th.Clean(q.act.Describe()), 3)
	hits := orElse(th.Clean(q.plan.Hits), "nobody in particular")
	if !q.ready {
		hits = th.Sign.Unread
	}
	add(&must, draw.Strong, "hits", hits, 2)
	locks := orElse(th.Clean(q.act.Lock), "no lock is known")
	if len(q.locks) > 0 {
		locks = strings.Join(q.locks, ", ")
	}
	add(&must, draw.Strong, "lock", locks, 3)
	add(&may, draw.Plain, "cluster", th.Clean(a.o.Label), 1)
	if info, _ := q.act.Fault.Kind.Info(); info.Heal != "" {
		add(&may, draw.Plain, "healing", "will "+info.Heal, 1)
	}
	if a.live.JournalPath != "" {
		add(&may, draw.Plain, "journal", th.Clean(a.live.JournalPath), 1)
	}
	var under [][]draw.Span
	switch {
	case q.hint != "":
		under = append(under, []draw.Span{draw.Late.Of(th.Sign.Late + " " + q.hint)})
	case q.why != "":
		under = append(under, []draw.Span{draw.Late.Of(th.Sign.Late + " cannot be done now: " + q.why)})
	default:
		under = append(under, []draw.Span{draw.Late.Of(th.Sign.Late + " a lock may move to another client")})
	}
	under = append(under, a.hints(inQuestion, w))
	room := max(0, h-len(must)-len(under))
	all := append(must, may[:min(len(may), room)]...)
	if over := len(all) + len(under) - h; over > 0 { // the prompt at the end matters most
		all = all[:max(0, len(all)-over)]
	}
	return append(all, under...)
}
