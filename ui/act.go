package ui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/status"
	"locktop/model/text"
	"locktop/ui/dialog"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// outcomeMsg is what came of an action, and of which: the number that [Shell.sayUnderWay] gave it.
type outcomeMsg struct {
	out model.Outcome
	of  int
}

// actionState is what is done to what is selected.
type actionState struct {
	disarmed bool // it was armed for a cluster that does not answer any more
	awaited  []model.Outcome
	underWay []underWay
	last     int // number of an action
}

// underWay is an action that nobody has heard of yet. A cluster that is slow to answer may do it any moment.
type underWay struct {
	number int
	says   draw.Span
}

// sayUnderWay says that an action has begun, until its outcome comes with the number that is returned.
func (sh *Shell) sayUnderWay(act model.Action) (number int) {
	th := sh.presentFrame().Th
	sh.last++
	sh.underWay = append(sh.underWay, underWay{sh.last, draw.Dim.Of(th.Message(act.Message()) + " " + th.Sign.Unread)})
	sh.notice = notice{} // what was said before is over
	return sh.last
}

// action returns the action of that kind on what is under the cursor, and why
// there is nothing to do it to, if so.
func (sh *Shell) action(kind model.ActionKind) (model.Action, string) {
	t := sh.Target()
	act := t.Action
	act.Kind = kind
	switch {
	case kind == model.HealAll:
		return model.Action{Kind: kind}, ""
	case kind == model.SpawnProc:
		if act.Lock == "" {
			act.Lock = sh.presentFrame().Locks.Pick.ID
		}
		act.Contender = ""
		if act.Lock == "" {
			return act, sh.th.Say("no-lock-selected-to-add-a")
		}
		return act, ""
	case kind.WritesEtcd():
		return sh.breakable(t, kind)
	}
	if act.Contender == "" {
		return act, t.Why
	}
	return act, ""
}

// breakable is an action that breaks the target, and why there is nothing to break, if so.
func (sh *Shell) breakable(t page.Target, kind model.ActionKind) (model.Action, string) {
	act := t.Action
	act.Kind = kind
	if t.Claim == nil && t.Finding != nil {
		return act, sh.th.Message(findings.BreakWords(t.Finding))
	}
	if t.Claim == nil && t.Lock == nil && act.Lease == 0 {
		return act, sh.th.Message(model.Say("nothing-selected-to-break"))
	}
	if t.Claim == nil {
		return act, sh.th.Message(model.Say("no-claim-to-break-here"))
	}
	if t.LockOnly && (!t.Lock.Recipe().HasHolder || t.Lock.Holders() > 1 || t.Lock.RecipeConfidence() == model.Hint) { // the dialog says of a key that blocks what it is
		if _, why := status.ToBreak(t.Lock); !why.IsZero() {
			return act, sh.th.Message(model.Say("choose-a-key", why))
		}
	}
	return act, ""
}

// whyNotAct says why an action cannot be done now, as far as the screen knows, ""
// if the actions may be asked.
func (sh *Shell) whyNotAct(act model.Action, why string) string {
	switch {
	case sh.live.Actions == nil:
		return sh.th.Say("still-starting")
	case !act.Kind.WritesEtcd() && !sh.o.Lab:
		return sh.presentFrame().WhyNoLab()
	case act.Kind.WritesEtcd() && sh.disarmed:
		return sh.th.Say("disarmed-another-cluster-answers-restart-with")
	case !act.Kind.WritesEtcd() && sh.asksFirst(act) && !sh.o.Armed:
		return sh.th.Say("faults-want-armed")
	}
	return why
}

// chosen are the locks that x is about: those that are marked, where locks are selected.
func (sh *Shell) chosen() []string {
	f := sh.presentFrame()
	if len(f.Picked.Names) == 0 || !sh.Target().LockOnly {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.Picked.Names), func(name string) bool { return f.S.Lock(name) == nil })
}

// anyClaim is asked before a lock is marked: whether claims may be deleted here at all. What speaks
// against one lock alone is said with all that are marked.
func (sh *Shell) anyClaim() model.Action {
	name := sh.Target().Action.Lock
	return model.Action{Kind: model.DeleteClaim, Lock: name, Key: name, CreateRev: 1}
}

// choose marks the lock that is selected for x, or takes its mark away.
func (sh *Shell) choose(_ host.View, said host.Said) []host.Intent {
	f, name := sh.presentFrame(), said.Target.Action.Lock
	switch {
	case name == "":
		sh.refuse(sh.th.Say("no-lock-is-selected"))
	case !f.Picked.Has[name] && len(f.Picked.Names) >= dialog.SeveralMost:
		sh.say(draw.Late, sh.th.Say("locks-are-marked-and-more-are-not", dialog.SeveralMost))
	default:
		f.Picked.Toggle(name)
	}
	return nil
}

// breakWord says in the footer how many locks x is about.
func (sh *Shell) breakWord(host.View, int) string {
	if n := len(sh.chosen()); n > 0 {
		return sh.th.Say("key-break-several", n)
	}
	return sh.th.Say("key-break")
}

// breakChosen deletes the claim that holds each marked lock, or what else x on the row of
// that lock is about.
func (sh *Shell) breakChosen(names []string) (acts []model.Action, why string) {
	s := sh.presentFrame().S
	for _, name := range names {
		t := page.Target{Lock: s.Lock(name), LockOnly: true}
		t.Claim = t.Lock.Head()
		act, not := sh.breakable(t.Complete(), model.DeleteClaim)
		if not == "" {
			acts = append(acts, act)
		} else if why == "" {
			why = sh.th.Say("member-says", model.Verbatim(sh.th.Clean(name)), model.Verbatim(not))
		}
	}
	if len(acts) == 0 {
		return nil, why
	}
	return acts, sh.whyNotAct(acts[0], "")
}

// breakWays are the ways to break what is under the cursor, or the locks that are marked.
func (sh *Shell) breakWays() ([]model.Action, string) {
	if names := sh.chosen(); len(names) > 0 {
		return sh.breakChosen(names)
	}
	act, why := sh.action(model.DeleteClaim)
	if why = sh.whyNotAct(act, why); why != "" {
		return nil, why
	}
	return dialog.Ways(act), ""
}

// whyNoFaults says why there is nothing to choose in the menu of faults, "" if there is.
func (sh *Shell) whyNoFaults(host.View) string {
	switch {
	case sh.live.Actions == nil:
		return sh.th.Say("still-starting")
	case !sh.o.Lab:
		return sh.presentFrame().WhyNoLab()
	case sh.o.Foreign && !sh.o.Armed:
		return sh.th.Say("faults-want-armed")
	}
	return ""
}

// heals says whether the action only takes back what was done.
func heals(kind model.ActionKind) bool { return kind == model.HealFault || kind == model.HealAll }

// asksFirst says whether the action is confirmed before it is done.
func (sh *Shell) asksFirst(act model.Action) bool { return sh.o.Foreign && !heals(act.Kind) }

// one is what a key asks for that does one thing.
func (sh *Shell) one(action func() (model.Action, string)) func() ([]model.Action, string) {
	return func() ([]model.Action, string) {
		act, why := action()
		return []model.Action{act}, sh.whyNotAct(act, why)
	}
}

// availableMsg is what the actions said, and what goes on with it.
type availableMsg struct {
	said host.Said
	then func(host.View, host.Said) []host.Intent
}

// available goes on with what can be done, or says why nothing can.
func (sh *Shell) available(m availableMsg) tea.Cmd {
	whys := m.said.Whys
	for i := range whys {
		whys[i] = sh.presentFrame().Th.Clean(whys[i])
	}
	if !slices.Contains(whys, "") {
		sh.refuse(sh.th.NotNow(whys[0]))
		return nil
	}
	return sh.carryOut(m.then(sh.look(), m.said))
}

// fault returns the action that does the fault to the contender under the cursor,
// or that heals it where it is in force, and why there is nothing to do it to. Where only
// the lock was chosen, one that has lost it comes first: nobody can select it in the queue.
// The fault that was done to it before ends. If the contender still believes that it holds, it is
// ended itself.
func (sh *Shell) fault(kind model.FaultKind) (model.Action, string) {
	t, s := sh.Target(), sh.presentFrame().S
	act := model.Action{Kind: model.InjectFault, Lock: t.Action.Lock,
		Fault: model.Fault{Kind: kind, Target: t.Action.Contender}}
	for _, on := range s.Reports().Faults() {
		if act.Fault.Target != "" && act.Fault.Heals(on.Fault) {
			act.Kind = model.HealFault
			return act, ""
		}
	}
	for _, c := range s.Reports().Contenders() {
		if _, place := s.Reports().Truth(c); !t.Unchosen || t.Lock == nil || c.Lock != t.Lock.Name || place > 0 || c.Proc == model.ProcEnded {
			continue
		}
		if ends := kind == model.FaultKill || kind == model.FaultStop; ends && c.Belief.State == model.BeliefHolding {
			act.Fault.Target = c.Name
			return act, ""
		}
		for _, on := range s.Reports().Faults() {
			if on.Fault.Kind == kind && on.Fault.Target == c.Name {
				act.Kind, act.Fault = model.HealFault, on.Fault
				return act, ""
			}
		}
	}
	if act.Fault.Target == "" {
		return act, t.Why
	}
	return act, ""
}

// act plans and does an action at once: those on the lab, which is ours. Before a
// cluster that is not it asks first.
func (sh *Shell) act(act model.Action) tea.Cmd {
	if sh.asksFirst(act) {
		return sh.carryOut(dialog.OpenQuestion(sh.look(), act, sh.o.Label, sh.live.AuditLogPath))
	}
	number := sh.sayUnderWay(act)
	hands, ctx := sh.live.Actions, sh.ctx
	return func() tea.Msg {
		plan, err := hands.Plan(ctx, act)
		if err != nil {
			return outcomeMsg{model.Outcome{Action: act, Err: err.Error()}, number}
		}
		if !plan.Refused.IsZero() {
			return outcomeMsg{model.Outcome{Action: act, Err: text.English(plan.Refused), Why: plan.Refused}, number}
		}
		return outcomeMsg{hands.Do(ctx, plan), number}
	}
}

// outcome tells what came of an action, and waits to see it.
func (sh *Shell) outcome(msg outcomeMsg) tea.Cmd {
	sh.underWay = slices.DeleteFunc(sh.underWay, func(x underWay) bool { return x.number == msg.of })
	o := msg.out
	if rest, twice := strings.CutPrefix(o.Err, text.English(o.Action.Message())+": "); twice {
		o.Err = rest // what was asked for is said once
	}
	text := sh.presentFrame().Th.FormatOutcome(o)
	switch o.Result() {
	case model.ResultNotDone:
		sh.say(draw.Bad, text)
		if sh.live.Actions != nil {
			return sh.carryOut(dialog.BreakAgain(sh.look(), o))
		}
	case model.ResultUnknown:
		sh.say(draw.Bad, text) // it stays until a key, or until the watch has seen it
	default:
		sh.say(draw.Good, text)
		sh.undo = o.Action.Fault
	}
	if o.Action.Kind.WritesEtcd() && o.Action.Key != "" {
		sh.awaited = append(sh.awaited, o)
		sh.lookForAwaited()
	}
	return nil
}

// undoSpans name the key that takes back what the notice says was done, nil for none: the key that did
// it, where it heals the same, or that which heals all.
func (sh *Shell) undoSpans() []draw.Span {
	f := sh.undo
	if !slices.ContainsFunc(sh.presentFrame().S.Reports().Faults(), func(on model.FaultOn) bool { return f.Kind != "" && f.Heals(on.Fault) }) {
		return nil
	}
	key, word := "A", model.MessageID("key-heal")
	if own := faultKeys[f.Kind]; own.key != "" {
		if act, _ := sh.fault(f.Kind); act.Kind == model.HealFault && act.Fault.Target == f.Target {
			key, word = own.key, own.healing
		}
	}
	return []draw.Span{draw.Plain.Of("   "), draw.Change.Of(key), draw.Dim.Of(" " + sh.th.Say(word))}
}

// lookForAwaited says "done, then seen" for what the watch has seen by now of the claims that actions of
// ours should have ended. That one went whose end no answer confirmed does not say who ended it, and one
// may have ended in the same moment without it.
func (sh *Shell) lookForAwaited() {
	s, rest := sh.presentFrame().S, sh.awaited[:0]
	for _, w := range sh.awaited {
		if c := s.Claim(w.Action.Key); c != nil && c.CreateRev == w.Action.CreateRev {
			rest = append(rest, w)
			continue
		}
		end := sh.endOf(w.Action)
		switch other := end != nil && !end.Ours(); {
		case w.Done && other && !s.Knows(w): // the watch was first: the journal guesses until it hears of the action
			rest = append(rest, w)
		case w.Done && other:
			sh.say(draw.Late, sh.th.Say("done-but-seen", model.Verbatim(sh.seenText(w.Action, end))))
		case w.Done:
			sh.say(draw.Good, sh.th.Say("done-then-seen", model.Verbatim(sh.seenText(w.Action, end))))
		default:
			sh.say(draw.Late, sh.th.Say("no-answer-but-seen", model.Verbatim(sh.seenText(w.Action, end))))
		}
	}
	sh.awaited = rest
}

// endOf finds the entry that tells of a claim's end, nil if there is none.
func (sh *Shell) endOf(act model.Action) *journal.Entry {
	if l := sh.presentFrame().S.Lock(act.Lock); l != nil {
		facts := l.Journal()
		for i := len(facts) - 1; i >= 0; i-- {
			f := facts[i]
			if f.Kind == journal.Handover && f.From.Key == act.Key || f.Kind == journal.Left && f.Claim.Key == act.Key {
				return f
			}
		}
	}
	return nil
}

// seenText tells of a claim's end.
func (sh *Shell) seenText(act model.Action, end *journal.Entry) string {
	if end != nil {
		return sh.presentFrame().Th.Sentence(sh.presentFrame().S, end)
	}
	return sh.th.Say("is-gone", model.Verbatim(sh.th.CutKey(sh.th.Clean(act.Key), 40)))
}
