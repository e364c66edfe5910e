package dialog

import (
	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/text"
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
func BreakAgain(v host.View, o model.Outcome) []host.Intent {
	if o.Changed == "" || o.Now.Key == "" {
		return nil
	}
	act := o.Action
	act.CreateRev, act.Lease = o.Now.CreateRev, o.Now.Lease
	t := page.Target{Action: act, Lock: v.S.Lock(act.Lock), Claim: v.S.Claim(act.Key)}
	return []host.Intent{host.Ask{On: t, Acts: Ways(act), Then: func(v host.View, said host.Said) []host.Intent {
		changed := o.Why
		if changed.IsZero() {
			changed = model.Say("quote", o.Changed)
		}
		return openBreak(v, said, v.Th.Say("nothing-was-done", changed))
	}}}
}

// OpenBreak opens the dialog on what was under the cursor and reads the plans.
func OpenBreak(v host.View, said host.Said) []host.Intent { return openBreak(v, said, "") }

func openBreak(v host.View, said host.Said, hint string) []host.Intent {
	d := &Break{size: size{breakLines}, t: said.Target, hint: hint}
	d.revoke.action, d.delete.action = said.Acts[0], said.Acts[0]
	d.revoke.action.Kind = model.RevokeLease
	d.revoke.why, d.delete.why = said.Why(model.RevokeLease), said.Why(model.DeleteClaim)
	if d.t.Action.Lease == 0 {
		d.revoke.why = v.Th.Say("the-key-has-no-lease")
	}
	wants := []host.Intent{host.Open{Dialog: d, AboutLock: true}, d.grace.start(d)}
	for _, w := range []*way{&d.revoke, &d.delete} {
		if w.why == "" {
			wants = append(wants, d.plan(w))
		}
	}
	return wants
}

// breakLines is how many lines the dialog has from the start, so that it has room for what is read and
// for what changes while one reads.
const breakLines = 19

// heir is the claim that has the lock after the one of the dialog went, nil for none.
func (b *Break) heir(v host.View) *locks.Claim {
	if b.t.Lock == nil || !b.claimGone(v) {
		return nil
	}
	if l := v.S.Lock(b.t.Lock.Name); l != nil {
		return l.Head()
	}
	return nil
}

// turn shows the dialog anew, about who has the lock now.
func (b *Break) turn(v host.View) []host.Intent {
	c := b.heir(v)
	if c == nil {
		return nil
	}
	t := page.Target{Lock: v.S.Lock(b.t.Lock.Name), Claim: c, LockOnly: b.t.LockOnly}.Complete()
	return []host.Intent{host.Ask{On: t, Acts: Ways(t.Action), Then: func(v host.View, said host.Said) []host.Intent {
		return append([]host.Intent{host.Close{}}, openBreak(v, said, "")...)
	}}}
}

// plan reads what a way would touch.
func (b *Break) plan(w *way) host.Intent {
	return host.Plan{To: b, Act: w.action, Then: func(p model.Plan, why string) { w.plan, w.why, w.ready = p, why, true }}
}

func (b *Break) way(kind model.ActionKind) *way {
	if kind == model.RevokeLease {
		return &b.revoke
	}
	return &b.delete
}

// confirm goes a way, or asks for the lock's name on a cluster that is not ours.
func (b *Break) confirm(v host.View, kind model.ActionKind) []host.Intent {
	w := b.way(kind)
	why := b.whyNot(v, w)
	switch {
	case !b.grace.elapsed, b.claimGone(v): // the dialog says so
	case why != "":
		b.hint = v.Th.Say("cannot-be-done-now", model.Verbatim(why))
	case !w.ready:
		b.hint = v.Th.Say("wait-still-reading-what-it-would")
	case b.outrun(v, w).IsZero() && !v.Lab:
		b.typing, b.name, b.hint = kind, host.Field{}, ""
	default:
		return b.carryOut(v, w)
	}
	return nil
}

// confirmTyped goes the way that was confirmed by the name of the lock.
func (b *Break) confirmTyped(v host.View) []host.Intent {
	if b.claimGone(v) {
		b.typing, b.hint = "", ""
		return nil
	}
	if name := b.t.Action.Lock; b.name.Text != name && b.name.Text != v.Th.Clean(name) {
		b.hint = v.Th.Say("that-is-not-the-locks-name")
		return nil
	}
	return b.carryOut(v, b.way(b.typing))
}

// carryOut goes a way, unless the claim on the page is not as its plan has it: then the
// dialog opens anew, as if the act had been refused for it.
func (b *Break) carryOut(v host.View, w *way) []host.Intent {
	wants := []host.Intent{host.Close{}}
	if changed := b.outrun(v, w); !changed.IsZero() {
		return append(wants, BreakAgain(v, model.Outcome{Action: w.action, Changed: text.English(changed), Why: changed, Now: v.S.Claim(w.action.Key).KV})...)
	}
	return append(wants, host.Do{Plans: []model.Plan{w.plan}, Within: host.PlanTimeout})
}

// outrun says what of the claim on the page is not as the plan has it.
func (b *Break) outrun(v host.View, w *way) model.Message {
	return status.Outruns(v.S.Claim(w.action.Key), w.plan)
}

// claimGone says whether the claim that the dialog is about is no more.
func (b *Break) claimGone(v host.View) bool {
	c := v.S.Claim(b.t.Action.Key)
	return c == nil || c.CreateRev != b.t.Action.CreateRev
}

// whyNot says why a way is closed, "" if it is open.
func (b *Break) whyNot(v host.View, w *way) string {
	if b.claimGone(v) {
		return v.Th.Say("already-released")
	}
	return w.why
}

// Place is the text field once a way was chosen that has to be typed.
func (b *Break) Place() host.Where {
	if b.typing != "" {
		return host.InTyped
	}
	return host.InBreak
}

// Type takes a key of the text field in.
func (b *Break) Type(msg tea.KeyMsg) { b.name.Key(msg) }

func breakKeys(top func() host.Dialog) []host.Key {
	on, run := onTop[*Break](top), onTopAlone[*Break](top)
	closed := func(kind model.ActionKind) func(host.View) bool {
		return func(v host.View) bool { d := top().(*Break); return d.whyNot(v, d.way(kind)) != "" }
	}
	confirm := func(kind model.ActionKind) func(host.View) []host.Intent {
		return on(func(d *Break, v host.View) []host.Intent { return d.confirm(v, kind) })
	}
	return []host.Key{
		{Keys: []string{"up"}, Where: host.InBreak, What: "scroll-the-keys-that-go", Do: run(func(d *Break) { d.top-- })},
		{Keys: []string{"down"}, Where: host.InBreak, What: "scroll-the-keys-that-go", Do: run(func(d *Break) { d.top++ })},
		{Keys: []string{"R"}, Where: host.InBreak, Short: "key-revoke-the-lease", Brief: ifRoom("key-revoke-the-lease", "key-revoke"), What: "revoke-the-lease-word", Needs: host.NeedsArmed, Act: model.RevokeLease,
			Hidden: closed(model.RevokeLease), Do: confirm(model.RevokeLease)},
		{Keys: []string{"D"}, Where: host.InBreak, Short: "key-delete-this-claim", Brief: ifRoom("key-delete-this-claim", "key-delete"), What: "delete-this-claim", Needs: host.NeedsArmed, Act: model.DeleteClaim,
			Hidden: closed(model.DeleteClaim), Do: confirm(model.DeleteClaim)},
		{Keys: []string{"x"}, Where: host.InBreak, Short: "key-show-who-holds-now", What: "show-who-holds-now",
			Hidden: func(v host.View) bool { return top().(*Break).heir(v) == nil }, Do: on((*Break).turn)},
		{Keys: []string{"esc", "q"}, Where: host.InBreak, Short: "key-cancel", What: "leave-the-lock-alone", Do: closes},
		{Keys: []string{"enter"}, Where: host.InBreak, What: "nothing-r-or-d-confirms", Do: on(func(d *Break, v host.View) []host.Intent {
			d.hint = v.Th.Say("enter-does-not-confirm-r-or")
			return nil
		})},
		{Keys: []string{"enter"}, Where: host.InTyped, Short: "key-do-it", What: "do-it-if-the-name-is", Needs: host.NeedsArmed, Do: on((*Break).confirmTyped)},
		{Keys: []string{"esc"}, Where: host.InTyped, Short: "key-back", What: "back", Do: run(func(d *Break) { d.typing = "" })},
	}
}

// ifRoom is a word for the dialog's keys that has a shorter one where it gets narrow.
func ifRoom(long, short model.MessageID) func(v host.View, w int) string {
	return func(v host.View, w int) string {
		if w < briefBelow {
			return v.Th.Say(short)
		}
		return v.Th.Say(long)
	}
}

// briefBelow is the width of a dialog below which its keys have short words.
const briefBelow = 56
