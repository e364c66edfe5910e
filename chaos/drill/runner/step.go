package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/text"
)

// errLimit ends a drill that takes too long although no wait of it does.
var errLimit = errors.New("the drill took longer than its limit")

// step does one step. i counts from 1.
func (r *runner) step(ctx context.Context, i int, s drill.Step) error {
	if r.lab.Now().After(r.deadline) {
		return errLimit
	}
	if r.trainer != nil && (acts(s) || s.Stores != "") && r.o.Pace > 0 {
		if _, err := r.until(ctx, r.lab.Now().Add(r.o.Pace), func() bool { return false }); err != nil {
			return err
		}
	}
	switch {
	case s.Wait != nil:
		return r.wait(ctx, i, s.Wait)
	case s.Pause > 0:
		r.tell(i, "let it run for "+s.Pause.String())
		return r.rest(ctx, r.lab.Now().Add(s.Pause))
	case s.Fault != nil:
		return r.inject(ctx, i, *s.Fault)
	case s.Heal != nil:
		return r.healStep(ctx, i, *s.Heal)
	case s.Start != "":
		for _, name := range r.d.Lab.Several(s.Start) {
			c, _ := r.d.Lab.Contender(name)
			r.started[name] = r.lab.Now()
			if err := r.plain(ctx, i, model.Action{Kind: model.SpawnProc, Contender: name, Lock: c.Locks[0], Recipe: c.Recipe}); err != nil {
				return err
			}
		}
		return nil
	case s.Tell != nil:
		return r.plain(ctx, i, model.Action{Kind: model.TellProc, Contender: s.Tell.Contender, Word: s.Tell.Word})
	case s.Say != nil:
		r.tell(i, "say: "+model.Printable(s.Say.In("en")))
		return r.speak(ctx, func(ctx context.Context) { r.trainer.Say(ctx, s.Say) })
	case s.Ask != nil:
		return r.ask(ctx, i, s.Ask.Shuffled(r.o.Seed, i))
	case s.Show != nil || s.Stores != "": // the trainer shows it
		return nil
	case s.See:
		return r.see(ctx, i)
	}
	return nil
}

// rest lets the lab run until then, or until a hasty run is over.
func (r *runner) rest(ctx context.Context, end time.Time) error {
	for r.lab.Now().Before(end) && !r.lost() {
		if err := r.tick(ctx, end); err != nil {
			return err
		}
	}
	return nil
}

// tick lets the lab run until it is to be judged again, until then at most.
func (r *runner) tick(ctx context.Context, end time.Time) error {
	if next := r.lab.Now().Add(judgeEvery); next.Before(end) {
		end = next
	}
	_, err := r.until(ctx, end, func() bool { return false })
	return err
}

// acts says whether a step does something to the lab, and does not just let it run.
func acts(s drill.Step) bool {
	return s.Fault != nil || s.Heal != nil || s.Start != "" || s.Tell != nil
}

// plain does an action that has no target to resolve.
func (r *runner) plain(ctx context.Context, i int, a model.Action) error {
	o, err := r.act(ctx, a)
	r.tell(i, text.English(o.Message()))
	return err
}

// speak does what takes a person's time, which does not count.
func (r *runner) speak(ctx context.Context, what func(context.Context)) error {
	if r.trainer == nil {
		return nil
	}
	begun := r.lab.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := r.doInBackground(ctx, cancel, func() { what(ctx) })
	r.deadline = r.deadline.Add(r.lab.Now().Sub(begun))
	return err
}

func (r *runner) ask(ctx context.Context, i int, q drill.Question) error {
	answer := 0
	err := r.speak(ctx, func(ctx context.Context) { answer = r.trainer.Ask(ctx, q) })
	text := "ask: " + model.Printable(q.Text.In("en"))
	if q.Measure != nil {
		r.question = &question{q: q, step: i, chosen: answer, askedAt: r.lab.Now()}
	} else if err == nil && answer > 0 {
		text += fmt.Sprintf(" Answered %d, right is %d", answer, q.Answer)
	}
	r.tell(i, text)
	return err
}

func (r *runner) wait(ctx context.Context, i int, w *drill.Wait) error {
	begun := r.lab.Now()
	ended, within := "", w.Within
	if r.trainer != nil && len(r.trainer.Actions()) > 0 {
		within = min(within, afterHand)
	}
	ok, err := r.until(ctx, begun.Add(within), func() bool {
		if w.Unmet(r.view) == "" {
			ended = ""
			return true
		}
		ended = r.endedFor(w)
		return ended != ""
	})
	if err != nil {
		return err
	}
	if ended != "" {
		err = fmt.Errorf("waited for %s: %s", w.Unmet(r.view), ended)
		r.tell(i, err.Error())
		return err
	}
	if !ok {
		err = fmt.Errorf("waited %s for %s%s", within, w.Unmet(r.view), r.lacks(w))
		r.tell(i, err.Error())
		return err
	}
	r.tell(i, fmt.Sprintf("after %.1f s: %s", r.lab.Now().Sub(begun).Seconds(), w.Met()))
	return nil
}

// endedFor says which program of the user's own a wait needs that has ended, "" for none: nobody
// starts it again. That one of the same name ended before says nothing.
func (r *runner) endedFor(w *drill.Wait) string {
	for _, name := range slices.Concat(w.Holders, w.Waiters, slices.Sorted(maps.Keys(w.Beliefs))) {
		p := r.j.Process(name)
		if c, _ := r.d.Lab.Contender(name); c.Program != nil && p.Proc == model.ProcEnded && p.At.After(r.started[name]) {
			return name + " has ended: " + p.Ended
		}
	}
	return ""
}

// lacks says what would make known who holds, where a program does not compete as was said.
func (r *runner) lacks(w *drill.Wait) string {
	for _, name := range slices.Concat(w.Holders, w.Waiters) {
		if known := r.j.Lacks(name, w.Lock); known != "" {
			return "; " + drill.ToKnow + known
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.Beliefs)) {
		if known := r.j.Mute(name); known != "" {
			return "; " + drill.ToKnow + known
		}
	}
	return ""
}

// inject resolves a fault, does it and records what came of both.
func (r *runner) inject(ctx context.Context, i int, f model.Fault) error {
	fault, proc, err := r.v.resolve(ctx, f)
	if err != nil {
		err = fmt.Errorf("%s: %w", text.English(f.Message()), err)
		r.tell(i, "not done: "+err.Error())
		return err
	}
	if _, err := r.until(ctx, r.lab.Now().Add(readWithin), r.causesCanBeTold); err != nil {
		return err
	}
	t := &drill.Target{Step: i, Said: f.Target, Fault: fault, Contender: proc, PID: r.j.Process(proc).PID, At: r.lab.Now()}
	r.result.Targets = append(r.result.Targets, t)
	r.j.Hit(t)
	o, err := r.act(ctx, model.Action{Kind: model.InjectFault, Fault: fault})
	t.Done = o.Done // At stays when it was begun: what it does may show before it returns
	said := ""
	if f.Target != fault.Target {
		said = f.Target + " is " + fault.Target + ": "
	}
	r.tell(i, said+text.English(o.Message()))
	return err
}

// readWithin bounds the wait for readings of leases before a fault.
const readWithin = 3 * time.Second

// causesCanBeTold says whether the lease of every holder was read, where the drill expects a
// cause of its loss: of one that was never read nobody can tell how it ended.
func (r *runner) causesCanBeTold() bool {
	for _, e := range r.d.Expect {
		if e.Cause == "" {
			continue
		}
		if l := r.s.Lock(e.Lock); l != nil && l.Holder() != nil {
			if lease := l.Holder().LeaseInfo(); lease.State() == model.LeaseUnknown {
				return false
			}
		}
	}
	return true
}

// healStep ends one fault, or all.
func (r *runner) healStep(ctx context.Context, i int, f model.Fault) error {
	if f.Kind == "" {
		r.ending(func(*drill.Target) bool { return true })
		return r.plain(ctx, i, model.Action{Kind: model.HealAll})
	}
	g, over, err := r.toHeal(ctx, f)
	switch {
	case err != nil:
		return fmt.Errorf("heal %s: %w", text.English(f.Message()), err)
	case over:
		r.tell(i, "over already: "+text.English(g.Message()))
		return nil
	}
	r.ending(func(t *drill.Target) bool { return g.Heals(t.Fault) })
	return r.plain(ctx, i, model.Action{Kind: model.HealFault, Fault: g})
}

// ending notes of the faults in force that they are about to be healed: whom that frees may say
// so before the lab says that it is done.
func (r *runner) ending(which func(*drill.Target) bool) {
	for _, t := range r.result.Targets {
		if info, _ := t.Fault.Kind.Info(); !info.Instant && t.Healed.IsZero() && t.Ending.IsZero() && which(t) {
			t.Ending = r.lab.Now()
		}
	}
}

// toHeal is the fault that was done with these words: whom they mean may have changed
// since. It may be over by itself, or because its target ended.
func (r *runner) toHeal(ctx context.Context, f model.Fault) (g model.Fault, over bool, err error) {
	for _, t := range slices.Backward(r.result.Targets) {
		if t.Done && t.Fault.Kind == f.Kind && t.Said == f.Target {
			g = f
			g.Target, g.Member = t.Fault.Target, t.Fault.Member
			return g, !t.Healed.IsZero(), nil
		}
	}
	if f.Target == "" {
		return f, false, nil
	}
	g, _, err = r.v.resolve(ctx, f)
	return g, false, err
}
