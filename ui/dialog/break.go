package dialog

import (
	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/text"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// way is one of the two ways to break a lock.
type way struct {
	action model.Action
	plan   model.Plan
	ready  bool
	why    string // why it cannot be done
}

// Break shows what breaking a lock takes along, and asks.
type Break struct {
	size
	h      host.Host
	t      page.Target
	revoke way
	delete way
	grace  grace
	typing model.ActionKind // the way whose confirmation is typed, "" for none
	name   host.Field
	top    int // first key shown of those that go
	hint   string
}

// Ways are the ways to break what an action is about.
func Ways(act model.Action) []model.Action {
	act.Kind, act.ModRev = model.DeleteClaim, 0
	acts := []model.Action{act}
	if act.Lease != 0 {
		act.Kind = model.RevokeLease
		acts = append(acts, act)
	}
	return acts
}

// BreakAgain shows the dialog again after nothing was done because the claim, or what
// goes with it, is not what was shown; it says what changed.
func BreakAgain(h host.Host, o model.Outcome) tea.Cmd {
	if o.Changed == "" || o.Now.Key == "" || h.Actions() == nil {
		return nil
	}
	act := o.Action
	act.CreateRev, act.Lease = o.Now.CreateRev, o.Now.Lease
	f := h.Frame()
	t := page.Target{Action: act, Lock: f.S.Lock(act.Lock), Claim: f.S.Claim(act.Key)}
	return h.Ask(t, Ways(act), func(said host.Said) tea.Cmd {
		changed := o.Why
		if changed.IsZero() {
			changed = model.Say("quote", o.Changed)
		}
		return openBreak(h, said, f.Th.Say("nothing-was-done", changed))
	})
}

// OpenBreak opens the dialog on what was under the cursor and reads the plans.
func OpenBreak(h host.Host, said host.Said) tea.Cmd { return openBreak(h, said, "") }

func openBreak(h host.Host, said host.Said, hint string) tea.Cmd {
	d := &Break{size: size{breakLines}, h: h, t: said.Target, hint: hint}
	if !h.Open(d, true) {
		return nil
	}
	d.revoke.action, d.delete.action = said.Acts[0], said.Acts[0]
	d.revoke.action.Kind = model.RevokeLease
	d.revoke.why, d.delete.why = said.Why(model.RevokeLease), said.Why(model.DeleteClaim)
	if d.t.Action.Lease == 0 {
		d.revoke.why = h.Frame().Th.Say("the-key-has-no-lease")
	}
	h.Frame().Locks.Pick.Pinned = true
	return tea.Batch(d.grace.start(h, d), d.plan(&d.revoke), d.plan(&d.delete))
}

// breakLines is how many lines the dialog has from the start, so that it has room for what is read and
// for what changes while one reads.
const breakLines = 19

// heir is the claim that has the lock after the one of the dialog went, nil for none.
func (d *Break) heir() *locks.Claim {
	if d.t.Lock == nil || !d.claimGone() {
		return nil
	}
	if l := d.h.Frame().S.Lock(d.t.Lock.Name); l != nil {
		return l.Head()
	}
	return nil
}

// turn shows the dialog anew, about who has the lock now.
func (d *Break) turn() tea.Cmd {
	c := d.heir()
	if c == nil {
		return nil
	}
	t := page.Target{Lock: d.h.Frame().S.Lock(d.t.Lock.Name), Claim: c, LockOnly: d.t.LockOnly}.Complete()
	return d.h.Ask(t, Ways(t.Action), func(said host.Said) tea.Cmd {
		d.h.Close()
		return openBreak(d.h, said, "")
	})
}

// plan reads what a way would touch.
func (d *Break) plan(w *way) tea.Cmd {
	if w.why != "" {
		return nil
	}
	return plan(d.h, d, w.action, func(p model.Plan, why string) {
		w.plan, w.ready = p, true
		if why != "" {
			w.why = why
		}
	})
}

func (d *Break) way(kind model.ActionKind) *way {
	if kind == model.RevokeLease {
		return &d.revoke
	}
	return &d.delete
}

// confirm goes a way, or asks for the lock's name on a cluster that is not ours.
func (d *Break) confirm(kind model.ActionKind) tea.Cmd {
	w := d.way(kind)
	why := d.whyNot(w)
	switch {
	case !d.grace.elapsed, d.claimGone(): // the dialog says so
	case why != "":
		d.hint = d.th().Say("cannot-be-done-now", model.Verbatim(why))
	case !w.ready:
		d.hint = d.h.Frame().Th.Say("wait-still-reading-what-it-would")
	case d.outrun(w).IsZero() && !d.h.Frame().Lab:
		d.typing, d.name, d.hint = kind, host.Field{}, ""
	default:
		return d.carryOut(w)
	}
	return nil
}

// confirmTyped goes the way that was confirmed by the name of the lock.
func (d *Break) confirmTyped() tea.Cmd {
	if d.claimGone() {
		d.typing, d.hint = "", ""
		return nil
	}
	if name := d.t.Action.Lock; d.name.Text != name && d.name.Text != d.th().Clean(name) {
		d.hint = d.h.Frame().Th.Say("that-is-not-the-locks-name")
		return nil
	}
	return d.carryOut(d.way(d.typing))
}

// carryOut goes a way, unless the claim on the page is not as its plan has it: then the
// dialog opens anew, as if the act had been refused for it.
func (d *Break) carryOut(w *way) tea.Cmd {
	d.h.Close()
	if changed := d.outrun(w); !changed.IsZero() {
		return BreakAgain(d.h, model.Outcome{Action: w.action, Changed: text.English(changed), Why: changed, Now: d.claim(w.action.Key).KV})
	}
	return d.h.Do(w.plan, planTimeout)
}

// outrun says what of the claim on the page is not as the plan has it.
func (d *Break) outrun(w *way) model.Message { return status.Outruns(d.claim(w.action.Key), w.plan) }

func (d *Break) th() *draw.Theme { return d.h.Frame().Th }

func (d *Break) claim(key string) *locks.Claim { return d.h.Frame().S.Claim(key) }

// claimGone says whether the claim that the dialog is about is no more.
func (d *Break) claimGone() bool {
	c := d.claim(d.t.Action.Key)
	return c == nil || c.CreateRev != d.t.Action.CreateRev
}

// whyNot says why a way is closed, "" if it is open.
func (d *Break) whyNot(w *way) string {
	if d.claimGone() {
		return d.h.Frame().Th.Say("already-released")
	}
	return w.why
}

// Place is the text field once a way was chosen that has to be typed.
func (d *Break) Place() host.Where {
	if d.typing != "" {
		return host.InTyped
	}
	return host.InBreak
}

// Type takes a key of the text field in.
func (d *Break) Type(msg tea.KeyMsg) { d.name.Key(msg) }

func breakKeys(on func(func(d *Break) tea.Cmd) func() tea.Cmd, top func() host.Dialog) []host.Key {
	run := func(f func(d *Break)) func() tea.Cmd {
		return on(func(d *Break) tea.Cmd { f(d); return nil })
	}
	closed := func(kind model.ActionKind) func() bool {
		return func() bool { d := top().(*Break); return d.whyNot(d.way(kind)) != "" }
	}
	return []host.Key{
		{Keys: []string{"up"}, Where: host.InBreak, What: "scroll-the-keys-that-go", Do: run(func(d *Break) { d.top-- })},
		{Keys: []string{"down"}, Where: host.InBreak, What: "scroll-the-keys-that-go", Do: run(func(d *Break) { d.top++ })},
		{Keys: []string{"R"}, Where: host.InBreak, Short: "key-revoke-the-lease", Brief: ifRoom(top, "key-revoke-the-lease", "key-revoke"), What: "revoke-the-lease-word", Needs: host.NeedsArmed, Act: model.RevokeLease,
			Hidden: closed(model.RevokeLease), Do: on(func(d *Break) tea.Cmd { return d.confirm(model.RevokeLease) })},
		{Keys: []string{"D"}, Where: host.InBreak, Short: "key-delete-this-claim", Brief: ifRoom(top, "key-delete-this-claim", "key-delete"), What: "delete-this-claim", Needs: host.NeedsArmed, Act: model.DeleteClaim,
			Hidden: closed(model.DeleteClaim), Do: on(func(d *Break) tea.Cmd { return d.confirm(model.DeleteClaim) })},
		{Keys: []string{"x"}, Where: host.InBreak, Short: "key-show-who-holds-now", What: "show-who-holds-now",
			Hidden: func() bool { return top().(*Break).heir() == nil }, Do: on((*Break).turn)},
		{Keys: []string{"esc", "q"}, Where: host.InBreak, Short: "key-cancel", What: "leave-the-lock-alone", Do: run(func(d *Break) { d.h.Close() })},
		{Keys: []string{"enter"}, Where: host.InBreak, What: "nothing-r-or-d-confirms", Do: run(func(d *Break) { d.hint = d.h.Frame().Th.Say("enter-does-not-confirm-r-or") })},
		{Keys: []string{"enter"}, Where: host.InTyped, Short: "key-do-it", What: "do-it-if-the-name-is", Needs: host.NeedsArmed, Do: on((*Break).confirmTyped)},
		{Keys: []string{"esc"}, Where: host.InTyped, Short: "key-back", What: "back", Do: run(func(d *Break) { d.typing = "" })},
	}
}

// ifRoom is a word for the dialog's keys that has a shorter one where it gets narrow.
func ifRoom(top func() host.Dialog, long, short model.MessageID) func(w int) string {
	return func(w int) string {
		th := top().(interface{ th() *draw.Theme }).th()
		if w < briefBelow {
			return th.Say(short)
		}
		return th.Say(long)
	}
}

// briefBelow is the width of a dialog below which its keys have short words.
const briefBelow = 56
