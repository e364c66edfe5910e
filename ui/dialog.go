package ui

import (
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"locktop/model"
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
	t      target
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

// whyNotBreak says why neither way is open.
func (a *App) whyNotBreak() string {
	why := a.whyNot(model.DeleteClaim)
	if why == "" {
		return ""
	}
	if t := a.target(); t.claim != nil && t.claim.KV.Lease != 0 && a.whyNot(model.RevokeLease) == "" {
		return ""
	}
	return why
}

// openBreak opens the dialog on what is under the cursor and reads the plans.
func (a *App) openBreak() tea.Cmd {
	t := a.target()
	a.dialogs++
	d := &dialog{id: a.dialogs, t: t}
	d.revoke.action, _ = a.action(model.RevokeLease)
	d.delete.action, _ = a.action(model.DeleteClaim)
	d.revoke.why, d.delete.why = a.whyNot(model.RevokeLease), a.whyNot(model.DeleteClaim)
	if d.revoke.action.Lease == 0 {
		d.revoke.why = "the key has no lease"
	}
	a.locks.pick.pinned = true
	a.dialog = d
	return tea.Batch(
		a.after(grace, func(time.Time) tea.Msg { return graceMsg{d.id} }),
		a.plan(d.id, &d.revoke), a.plan(d.id, &d.delete))
}

func (a *App) plan(id int, w *way) tea.Cmd {
	if w.why != "" {
		return nil
	}
	hands, act := a.live.Hands, w.action
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
		w.why = a.th.clean(m.err.Error())
	case m.plan.Refused != "":
		w.why = a.th.clean(m.plan.Refused)
	}
	return nil
}

func (a *App) graceOver(m graceMsg) tea.Cmd {
	if a.dialog != nil && a.dialog.id == m.id {
		a.dialog.live = true
	}
	return nil
}

// confirm goes a way, or asks for the lock's name on a cluster that is not ours.
func (a *App) confirm(kind model.ActionKind) tea.Cmd {
	d := a.dialog
	w := d.way(kind)
	switch {
	case !d.live:
		return nil
	case w.why != "":
		d.hint = "cannot " + string(kind) + ": " + w.why
	case !w.ready:
		d.hint = "wait: what it would touch is still being read"
	case !a.o.Lab:
		d.typing, d.name, d.hint = kind, field{}, ""
	default:
		return a.carryOut(w)
	}
	return nil
}

func (a *App) confirmTyped() tea.Cmd {
	d := a.dialog
	if name := d.t.action.Lock; d.name.text != name && d.name.text != a.th.clean(name) {
		d.hint = "that is not the name of the lock"
		return nil
	}
	return a.carryOut(d.way(d.typing))
}

func (a *App) carryOut(w *way) tea.Cmd {
	a.dialog = nil
	a.say(dim, a.th.clean(w.action.Describe())+" "+a.th.sign.unread)
	hands, plan := a.live.Hands, w.plan
	ctx, cancel := a.withTimeout()
	return func() tea.Msg {
		defer cancel()
		return outcomeMsg{hands.Do(ctx, plan)}
	}
}

// dialogLine is a line of the dialog; where room is short the highest rank goes.
type dialogLine struct {
	rank  int
	spans []span
}

const (
	ranked  = iota // stays
	detail         // goes third
	command        // second
	spacing        // first
)

// over paints the dialog over the lines of the screen.
func (d *dialog) over(a *App, lines []string) []string {
	bw := min(a.w, 92)
	if a.w < 110 {
		bw = a.w
	}
	bh := max(1, len(lines)-4)
	box := d.lines(a, bw-4, bh)
	x, y := (a.w-bw)/2, 1+max(0, (len(lines)-2-len(box)-2)/2)
	th := a.th
	edge := func(l, r, title string) string {
		b := th.put(nil, accent, l+th.sign.line)
		b = th.put(b, strong, title)
		return string(th.put(b, accent, strings.Repeat(th.sign.line, max(0, bw-3-width(title)))+r))
	}
	painted := []string{edge(th.sign.box.TopLeft, th.sign.box.TopRight, th.cut(" break a lock ", bw-4))}
	for _, sp := range box {
		b := th.put(nil, accent, th.sign.box.Left)
		b = append(b, " "+th.line(bw-4, sp, nil)+" "...)
		painted = append(painted, string(th.put(b, accent, th.sign.box.Left)))
	}
	painted = append(painted, edge(th.sign.box.BottomLeft, th.sign.box.BottomRight, ""))
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
	b := pad([]byte(left), x-ansi.StringWidth(left))
	b = append(b, p...)
	b = pad(b, total-x-w-ansi.StringWidth(right))
	return string(append(b, right...))
}

// lines are what the dialog says, in at most h lines of w cells.
func (d *dialog) lines(a *App, w, h int) [][]span {
	var all []dialogLine
	add := func(rank int, spans ...span) { all = append(all, dialogLine{rank, spans}) }
	d.subject(a, w, add)
	add(spacing)
	d.wayLines(a, w, &d.revoke, "R", "revoke the lease "+d.revoke.action.Lease.String(),
		"ends the session and all its keys", add)
	goes := len(all)
	d.commandLine(a, w, &d.revoke, add)
	add(spacing)
	d.wayLines(a, w, &d.delete, "D", "delete this claim", "this lock only; its owner is not told", add)
	d.commandLine(a, w, &d.delete, add)
	add(spacing)
	add(ranked, span{late, a.th.sign.late + " the old holder may still believe that it holds"})
	add(spacing)
	all = append(all, d.prompt(a)...)
	keys := d.goesLines(a, w)
	all = trim(all, h-min(len(keys), 1), &goes)
	room := h - len(all)
	var out [][]span
	for i, l := range all {
		if i == goes {
			out = append(out, d.window(a, keys, room)...)
		}
		out = append(out, l.spans)
	}
	return out
}

// trim drops lines by rank until there are at most h, and keeps the place at
// where the keys go in.
func trim(all []dialogLine, h int, at *int) []dialogLine {
	for rank := spacing; rank > ranked; rank-- {
		for i := len(all) - 1; i >= 0 && len(all) > h; i-- {
			if all[i].rank == rank {
				all = append(all[:i], all[i+1:]...)
				if i < *at {
					*at--
				}
			}
		}
	}
	if over := len(all) - h; over > 0 { // the prompt at the end matters most
		all = all[over:]
		*at = max(0, *at-over)
	}
	return all
}

// subject says what would be broken.
func (d *dialog) subject(a *App, w int, add func(int, ...span)) {
	th, t := a.th, d.t
	label := "lock     "
	for _, part := range th.wrap(th.clean(t.action.Lock), w-len(label), 3) { // whole: it may have to be typed
		add(ranked, span{dim, label}, span{strong, part})
		label = "         "
	}
	c := a.state.Claim(t.action.Key)
	if c == nil || c.CreateRev != t.action.CreateRev || t.lock == nil {
		add(ranked, span{late, th.sign.late + " this claim has gone meanwhile: esc leaves"})
		return
	}
	place := t.lock.Place(c)
	_, sign, word := th.role(t.lock, c, place)
	d0, atLeast := c.Waited(a.now)
	if place == 0 {
		d0, atLeast = t.lock.HeldFor(a.now)
	}
	add(ranked, span{dim, "claim    "}, span{strong, th.cut(th.who(a.state, c.Ref()), 40)},
		span{plain, " " + sign + " " + word + ", place " + strconv.Itoa(place+1) + " of " + count(int64(t.lock.Len())) + ", since " + age(d0, atLeast)})
	via := ""
	if e := d.delete.plan.Endpoint; e != "" {
		via = ", read at " + th.clean(e)
	} else if e := d.revoke.plan.Endpoint; e != "" {
		via = ", read at " + th.clean(e)
	}
	add(detail, span{dim, "key      "}, span{plain, th.cutKey(th.clean(c.Key), w-9)})
	add(detail, span{dim, "created  "}, span{plain, "rev " + count(c.CreateRev)}, span{dim, via})
}

// wayLines name a way and what it means.
func (d *dialog) wayLines(a *App, w int, x *way, key, name, what string, add func(int, ...span)) {
	add(ranked, span{accent, key}, span{strong, "  " + name}, span{dim, "  " + what})
	switch {
	case x.why != "":
		add(ranked, span{bad, "   " + a.th.sign.bad + " " + a.th.cut("not possible: "+x.why, w-5)})
	case !x.ready:
		add(ranked, span{dim, "   reading what it would touch " + a.th.sign.unread})
	case x == &d.delete:
		add(ranked, span{plain, "   " + a.th.cut(a.next(d.t.action.Key, 0), w-3)})
	}
	if x.plan.Unknown != "" && x.why == "" {
		add(ranked, span{late, "   " + a.th.sign.late + " " + a.th.cut("not all of it is known: "+a.th.clean(x.plan.Unknown), w-5)})
	}
	if x.plan.DryRun && x.why == "" {
		add(ranked, span{late, "   dry run: it will only be said what would have been done"})
	}
}

func (d *dialog) commandLine(a *App, w int, x *way, add func(int, ...span)) {
	if cmd := x.action.Etcdctl(); cmd != "" && x.why == "" {
		if strings.Contains(cmd, "\n") && !strings.Contains(cmd, `\`) {
			cmd = strings.Replace(cmd, "printf '%s'", "printf '%b'", 1) // on one line, \n is for printf to read
		}
		add(command, span{dim, "   $ " + a.th.cut(a.th.clean(cmd), w-5)})
	}
}

// goesLines are the keys that a revoke takes along, with who is next.
func (d *dialog) goesLines(a *App, w int) [][]span {
	if !d.revoke.ready || d.revoke.why != "" {
		return nil
	}
	var lines [][]span
	for _, kv := range d.revoke.plan.Goes {
		next := a.next(kv.Key, kv.Lease)
		key := a.th.cutKey(a.th.clean(kv.Key), max(12, w/2-6))
		lines = append(lines, []span{{plain, "   - " + key + "  "}, {dim, next}})
	}
	return lines
}

// window is the part of the keys that fits, the last line saying what does not.
func (d *dialog) window(a *App, keys [][]span, h int) [][]span {
	if len(keys) <= h || h < 1 {
		d.top = 0
		return keys[:min(len(keys), max(0, h))]
	}
	d.top = max(0, min(d.top, len(keys)-(h-1)))
	out := append([][]span(nil), keys[d.top:d.top+h-1]...)
	return append(out, []span{{late, "   " + plural(len(keys), "key") + " in all"}, {dim, ", up and down show them"}})
}

// next says what becomes of a lock when a key in its queue goes, and with it all
// keys of its lease if that is not 0.
func (a *App) next(key string, lease model.LeaseID) string {
	c := a.state.Claim(key)
	if c == nil {
		return "is not under what is watched"
	}
	l := c.Lock()
	if l == nil {
		return "is no claim of a lock"
	}
	name := a.th.cutPath(a.th.clean(l.Name), 28)
	if l.Head() != c {
		return "leaves the queue of " + name + " at place " + strconv.Itoa(l.Place(c)+1)
	}
	for i := 1; i < min(l.Len(), alsoMax); i++ {
		if n := l.At(i); lease == 0 || n.KV.Lease != lease {
			return a.th.cut(a.th.who(a.state, n.Ref()), 24) + " gets " + name
		}
	}
	return name + " is free then"
}

// prompt is the end of the dialog: what to press.
func (d *dialog) prompt(a *App) []dialogLine {
	var lines []dialogLine
	if d.hint != "" {
		lines = append(lines, dialogLine{ranked, []span{{late, a.th.sign.late + " " + d.hint}}})
	}
	if d.typing != "" {
		return append(lines, dialogLine{ranked, []span{{plain, "to " + string(d.typing) + ", type the name of the lock: "},
			{strong, a.th.clean(d.name.text)}, {accent, "_"}}}, dialogLine{ranked, a.hints(inTyped, a.w)})
	}
	return append(lines, dialogLine{ranked, a.hints(inBreak, a.w)})
}
