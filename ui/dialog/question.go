package dialog

import (
	"cmp"
	"strings"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// Question asks before something is done to a program on a cluster that is not ours. It
// names whom that hits.
type Question struct {
	size
	label, auditLog string // of the cluster, and the file of what is done
	grace           grace
	act             model.Action
	locks           []string // of whom it hits, with the place in each queue
	plan            model.Plan
	ready           bool
	why             string // why it cannot be done
	hint            string
}

// OpenQuestion opens the dialog and reads whom the action would hit. The label names the
// cluster, the audit log is the file in which actions are written down.
func OpenQuestion(v host.View, act model.Action, label, auditLog string) []host.Intent {
	q := &Question{label: label, auditLog: auditLog}
	var first string
	if first, q.locks = locksOf(v.Frame, act.Fault.Target); act.Lock == "" {
		act.Lock = first
	}
	q.act = act
	return []host.Intent{host.Open{Dialog: q}, q.grace.start(q),
		host.Plan{To: q, Act: act, Then: func(p model.Plan, why string) { q.plan, q.why, q.ready = p, why, true }}}
}

// locksOf names the locks in which a client has claims, and its place there; the first
// is one that it holds, if there is any.
func locksOf(f page.Frame, client string) (first string, words []string) {
	if client == "" {
		return "", nil
	}
	holds := false
	for _, l := range f.S.Locks() {
		for c := range l.Claims {
			if id := f.S.IdentityOf(c); id.Source != "proxy" || id.Text != client {
				continue
			}
			place, held := f.Th.Say("waits"), l.Holds(l.Place(c))
			if held {
				place = f.Th.Say("holds")
			}
			if first == "" || held && !holds {
				first, holds = l.Name, held
			}
			words = append(words, f.Th.Clean(l.Name)+" ("+place+")")
		}
	}
	return first, words
}

// confirm does what was asked for.
func (q *Question) confirm(v host.View) []host.Intent {
	switch {
	case !q.grace.elapsed:
		return nil
	case q.why != "":
		q.hint = v.Th.Say("cannot-be-done-now", model.Verbatim(q.why))
		return nil
	case !q.ready:
		q.hint = v.Th.Say("wait-whom-it-hits-is-still")
		return nil
	}
	return []host.Intent{host.Close{}, host.Do{Plans: []model.Plan{q.plan}}}
}

// Place is the question's own.
func (q *Question) Place() host.Where { return host.InQuestion }

// PaintOver paints the dialog over the lines of the screen.
func (q *Question) PaintOver(v host.View, lines []string) []string {
	return box(v, draw.Change, lines, &q.size, " "+v.Th.Say("not-locktops-own-lab-really")+" ", q.lines)
}

func questionKeys(top func() host.Dialog) []host.Key {
	return []host.Key{
		{Keys: []string{"Y"}, Where: host.InQuestion, Short: "key-do-it", What: "do-it-to-a-program-on", Needs: host.NeedsArmed, Do: onTop[*Question](top)((*Question).confirm)},
		{Keys: []string{"esc", "q"}, Where: host.InQuestion, Short: "key-cancel", What: "do-nothing", Do: closes},
		{Keys: []string{"enter"}, Where: host.InQuestion, What: "nothing-y-confirms", Do: onTop[*Question](top)(func(q *Question, v host.View) []host.Intent {
			q.hint = v.Th.Say("enter-does-not-confirm-y-does")
			return nil
		})},
	}
}

// lines are what the dialog says, in at most h lines of w cells.
func (q *Question) lines(v host.View, w, h int) [][]draw.Span {
	th := v.Th
	var must, may [][]draw.Span
	add := func(to *[][]draw.Span, st draw.Style, label, text string, most int) {
		*to = append(*to, th.Hang(draw.Dim.Of(draw.PadTo(label, labelCells-1)+" "), st, text, w, most)...)
	}
	add(&must, draw.Strong, th.Say("will"), th.Message(q.act.Message()), 3)
	hits := th.Say("nobody-in-particular")
	switch {
	case !q.ready:
		hits = th.Sign.Unread
	case !q.plan.Hits.IsZero():
		hits = th.Message(q.plan.Hits)
	}
	add(&must, draw.Strong, th.Say("hits"), hits, 2)
	locks := cmp.Or(th.Clean(q.act.Lock), th.Say("no-lock-is-known"))
	if len(q.locks) > 0 {
		locks = strings.Join(q.locks, ", ")
	}
	add(&must, draw.Strong, th.Say("lock-word"), locks, 3)
	add(&may, draw.Plain, th.Say("cluster"), th.Clean(q.label), 1)
	if info, _ := q.act.Fault.Kind.Info(); !info.Heal.IsZero() {
		add(&may, draw.Plain, th.Say("healing"), th.Say("will")+" "+th.Message(info.Heal), 1)
	}
	if q.auditLog != "" {
		add(&may, draw.Plain, th.Say("audit-log"), th.Clean(q.auditLog), 1)
	}
	var under [][]draw.Span
	switch {
	case q.hint != "":
		under = append(under, []draw.Span{draw.Late.Of(th.Sign.Late + " " + q.hint)})
	case q.why != "":
		under = append(under, []draw.Span{draw.Late.Of(th.Sign.Late + " " + th.Say("cannot-be-done-now", model.Verbatim(q.why)))})
	default:
		under = append(under, []draw.Span{draw.Late.Of(th.Sign.Late + " " + th.Say("a-lock-may-move-to-another"))})
	}
	under = append(under, v.Hints(host.InQuestion, w))
	room := max(0, h-len(must)-len(under))
	all := append(must, may[:min(len(may), room)]...)
	if over := len(all) + len(under) - h; over > 0 { // the prompt at the end matters most
		all = all[:max(0, len(all)-over)]
	}
	return append(all, under...)
}
