package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
)

// action returns the action of that kind on what is under the cursor, and why
// there is nothing to do it to, if so.
func (a *App) action(kind model.ActionKind) (model.Action, string) {
	t := a.target()
	act := t.action
	act.Kind = kind
	switch {
	case kind == model.HealAll:
		return model.Action{Kind: kind}, ""
	case kind == model.SpawnProc:
		if act.Lock == "" {
			act.Lock = a.locks.pick.id
		}
		act.Contender = ""
		if act.Lock == "" {
			return act, "no lock is selected to spawn a contender on"
		}
		return act, ""
	case kind.WritesEtcd():
		if t.claim == nil {
			return act, "there is no claim to break: nobody holds it and nobody waits"
		}
		return act, ""
	}
	if act.Contender == "" {
		return act, t.why
	}
	return act, ""
}

// whyNot says why an action cannot be done now, "" if it can.
func (a *App) whyNot(kind model.ActionKind) string {
	if a.live.Hands == nil {
		return "still starting"
	}
	if !kind.WritesEtcd() && !a.o.Lab {
		return a.noLab()
	}
	act, why := a.action(kind)
	if why != "" {
		return why
	}
	if err := a.live.Hands.Available(act); err != nil {
		return a.th.clean(err.Error())
	}
	return ""
}

func (a *App) noLab() string {
	if a.o.NoLab != "" {
		return a.th.clean(a.o.NoLab)
	}
	return "this is not a lab of our own"
}

// holdKind is what the key for keepalives means for the contender under the
// cursor: hold them, or let them go.
func (a *App) holdKind() model.ActionKind {
	name := a.target().action.Contender
	for _, f := range a.state.Faults() {
		if f.Name == string(model.HoldKeepalive) && f.Target == name {
			return model.FreeKeepalive
		}
	}
	return model.HoldKeepalive
}

func (a *App) pauseKind() model.ActionKind {
	name := a.target().action.Contender
	for _, c := range a.state.Contenders() {
		if c.Name == name && c.Proc == model.ProcPaused {
			return model.ResumeProc
		}
	}
	return model.PauseProc
}

// act plans and does an action at once: those on the lab, which is ours.
func (a *App) act(kind model.ActionKind) tea.Cmd {
	act, _ := a.action(kind)
	a.say(dim, a.th.clean(act.Describe())+" "+a.th.sign.unread)
	hands, ctx := a.live.Hands, a.ctx
	return func() tea.Msg {
		plan, err := hands.Plan(ctx, act)
		if err != nil {
			return outcomeMsg{model.Outcome{Action: act, Err: err.Error()}}
		}
		if plan.Refused != "" {
			return outcomeMsg{model.Outcome{Action: act, Err: plan.Refused}}
		}
		return outcomeMsg{hands.Do(ctx, plan)}
	}
}

// awaited is a claim that an action of ours should have ended. It is done when
// the request was answered, and seen when the watch says so.
type awaited struct {
	lock, key string
	createRev int64
}

// outcome tells what came of an action, and waits to see it.
func (a *App) outcome(o model.Outcome) tea.Cmd {
	text := a.th.clean(o.Describe())
	if !o.Done {
		a.say(bad, text)
		return nil
	}
	a.say(good, text)
	if o.Action.Kind.WritesEtcd() && o.Action.Key != "" {
		a.awaited = append(a.awaited, awaited{o.Action.Lock, o.Action.Key, o.Action.CreateRev})
		a.lookForAwaited()
	}
	return nil
}

// lookForAwaited says "done, then seen" for what the watch has seen by now.
func (a *App) lookForAwaited() {
	rest := a.awaited[:0]
	for _, w := range a.awaited {
		if c := a.state.Claim(w.key); c != nil && c.CreateRev == w.createRev {
			rest = append(rest, w)
			continue
		}
		a.say(good, "done, then seen: "+a.seen(w))
	}
	a.awaited = rest
}

// seen finds the fact that tells of a claim's end.
func (a *App) seen(w awaited) string {
	if l := a.state.Lock(w.lock); l != nil {
		facts := l.Facts()
		for i := len(facts) - 1; i >= 0; i-- {
			f := facts[i]
			if f.Kind == model.FactHandover && f.From.Key == w.key || f.Kind == model.FactLeft && f.Claim.Key == w.key {
				return a.th.sentence(a.state, f)
			}
		}
	}
	return a.th.cutKey(a.th.clean(w.key), 40) + " is gone"
}
