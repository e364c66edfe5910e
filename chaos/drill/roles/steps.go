package roles

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/journal"
)

// What becomes of the steps and expectations of a drill once programs are in its roles.

// steps rewrites the steps.
func (a *assignment) steps() {
	a.d.Steps = nil
	a.moved = make([]int, len(a.from.Steps)+1)
	for i, s := range a.from.Steps {
		switch {
		case s.Tell != nil && a.plays(s.Tell.Contender):
			a.d.Steps = append(a.d.Steps, a.tell(s)...)
			a.moved[i+1] = len(a.d.Steps)
			continue
		case s.Start != "":
			a.ended[s.Start] = false
		case s.Fault != nil:
			f := *s.Fault
			a.fault(i+1, &f)
			s.Fault = &f
		case s.Heal != nil && s.Heal.Kind != "":
			f := *s.Heal
			f.Target = a.target(f)
			s.Heal = &f
		case s.Wait != nil:
			w := *s.Wait
			s = a.wait(i+1, s.Line, &w)
		}
		a.d.Steps = append(a.d.Steps, s)
		if s.Wait != nil && len(s.Wait.Alive) > 0 && a.o.SingleKey {
			a.d.Steps = append(a.d.Steps, drill.Step{Line: s.Line, Pause: unseen})
		}
		a.moved[i+1] = len(a.d.Steps)
	}
}

// unseen is what a program has to begin to wait for a lock of one key, which nobody sees.
const unseen = 3 * time.Second

// target is that of a fault, with the lock renamed.
func (a *assignment) target(f model.Fault) string {
	if info, _ := f.Kind.Info(); info.Target == model.TargetKey {
		return a.renamed(f.Target)
	}
	if p := drill.ParsePhrase(f.Target); p.Lock != "" {
		place, _, _ := strings.Cut(f.Target, " of ")
		return place + " of " + a.renamed(p.Lock)
	}
	return f.Target
}

// fault rewrites a fault and notes whom it hits.
func (a *assignment) fault(step int, f *model.Fault) {
	info, _ := f.Kind.Info()
	p := drill.ParsePhrase(f.Target)
	if a.o.Endpoints > 0 && info.Target != model.TargetProcess && info.Target != model.TargetClient {
		a.refuse("step %d (%s) needs a cluster of the lab", step, f.Kind)
	}
	if p.LeaseOf != "" && a.plays(p.LeaseOf) {
		a.refuse("step %d means the lease of %s, which a program does not say", step, p.LeaseOf)
	}
	if p.Place > 1 && a.o.SingleKey {
		a.refuse("step %d means a waiter, and a lock of one key shows none (--single-key)", step)
	}
	for _, name := range a.d.Lab.Programs() {
		if a.d.Lab.Hit(*f, name) {
			ends := f.Kind == model.FaultKill || f.Kind == model.FaultStop
			if a.hit[name] = !ends; ends {
				a.ended[name] = true
			}
			a.back[name] = a.back[name] || !ends && !a.held[name]
			if f.Kind == model.FaultRevoke || f.Kind == model.FaultDelete {
				a.untold[name] = true
			}
		}
	}
	f.Target = a.target(*f)
}

// beliefs are findings that rest on what contenders say, besides on what etcd has.
var beliefs = []model.Code{model.CodeStaleHolder, model.CodeLateDone, model.CodeZombieHolder, model.CodeExpiredWaiterWins}

// defects are findings that a client shows which does something wrong: a program need not.
var defects = []model.Code{model.CodeUnlockLost, model.CodeGhostWaiter, model.CodeGhostLeader, model.CodeStaleUnlock, model.CodeZombieCandidate, model.CodeMissedDelete}

// wait rewrites a wait. One that is left without anything is said, so that the timeline has
// its place.
func (a *assignment) wait(step, line int, w *drill.Wait) drill.Step {
	said := w.Describe()
	w.Lock, w.Within = a.renamed(w.Lock), w.Within+a.extra+max(0, a.o.StartsWithin-startsWithin)
	own := slices.DeleteFunc(a.programs(slices.Concat(w.Ended, w.Gone)), func(name string) bool { return a.ended[name] })
	if len(own) > 0 {
		a.refuse("step %d waits until %s has ended by itself, which a program need not", step, strings.Join(own, ", "))
	}
	if a.o.Endpoints > 0 && w.Leader != "" && w.Leader != "any" && w.Leader != "none" {
		a.refuse("step %d waits until %s leads", step, w.Leader)
	}
	left := map[string]model.BeliefState{}
	for name, state := range w.Beliefs {
		if !a.plays(name) || state == model.BeliefHolding {
			left[name] = state
		}
	}
	w.Beliefs = left
	lost := func(name string) bool { return a.plays(name) && a.hit[name] && a.held[name] }
	for _, name := range w.Holders {
		a.held[name] = true
	}
	if len(w.Waiters) > 1 {
		a.together = append(a.together, w.Waiters)
	}
	w.Waiters = slices.DeleteFunc(slices.Clone(w.Waiters), lost)
	if a.o.SingleKey {
		w.Alive = append(slices.Clone(w.Alive), w.Waiters...)
		w.Waiters = nil
		w.Queue = min(w.Queue, 1)
	}
	if a.o.SingleKey && slices.Contains(w.Findings, model.CodeDeadWaiter) {
		a.refuse("step %d waits until a waiter is found to be dead, and a lock of one key shows none (--single-key)", step)
	}
	if a.anybodys() {
		w.Holders, w.Beliefs = nil, nil
	}
	if slices.ContainsFunc(w.Findings, func(code model.Code) bool { return slices.Contains(defects, code) }) {
		w = &drill.Wait{Queue: -1}
	}
	of := func(code model.Code) bool { return slices.Contains(beliefs, code) || slices.Contains(defects, code) }
	w.Findings, w.Absent = slices.DeleteFunc(slices.Clone(w.Findings), of), slices.DeleteFunc(slices.Clone(w.Absent), of)
	if w.Describe() == "" {
		return drill.Step{Line: line, Say: drill.Text{"en": "Not waited for with programs: " + said + "."}}
	}
	return drill.Step{Line: line, Wait: w}
}

// anybodys says whether a holder lost a lock of one key that it may take again at once: then nobody
// knows who has it next.
func (a *assignment) anybodys() bool { return a.o.SingleKey && len(a.untold) > 0 }

// backWithin is what a program has to come back after a fault of its connections, where nobody sees
// that it waits again: clients let some seconds pass between two attempts to connect.
const backWithin = 10 * time.Second

// inOrder refuses a handover to one of several that wait for a lock of one key: nobody knows who is next.
func (a *assignment) inOrder() {
	for _, e := range a.from.Expect {
		for _, names := range a.together {
			if e.Name != "handover" || !a.o.SingleKey || !slices.Contains(names, e.To) {
				continue
			}
			if others := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == e.To || a.ended[n] }); len(others) > 0 {
				a.refuse("%s has to be next, and %s waits, too: a lock of one key keeps no order (--single-key)", e.To, strings.Join(others, ", "))
			}
		}
	}
}

// expectations rewrites what is expected.
func (a *assignment) expectations() {
	a.d.Expect = nil
	var stops []string
	for _, e := range a.from.Expect {
		was := e.After
		e.After = a.moved[was]
		e.Lock = a.renamed(e.Lock)
		if e.Within > 0 {
			e.Within += a.extra
		}
		if who := drill.Process(cmp.Or(e.To, e.Contender)); a.o.SingleKey && e.Within > 0 && a.back[who] && (e.Name == "handover" || e.Name == "acquired") {
			e.Within += backWithin
		}
		if e.Name == "handover" && a.told[drill.Process(e.From)] {
			a.byTheEnd(&e)
		}
		if e.Name == "acquired" && a.told[drill.Process(e.Contender)] {
			a.sooner(&e, was)
		}
		if e.Name == "handover" && (e.From == "" || a.plays(e.From)) && e.Cause != journal.CauseReleased {
			e.AtLeast = 0 // how much of its lease was left is the program's own affair
			for name := range a.hit {
				if a.hit[name] && !slices.Contains(stops, name) && (e.From == "" || drill.Process(e.From) == name) {
					stops = append(stops, name)
				}
			}
		}
		if why := a.isNotAsked(e); why != "" {
			a.notAsked = append(a.notAsked, e.Describe()+" ("+why+")")
			continue
		}
		a.d.Expect = append(a.d.Expect, e)
	}
	for _, name := range a.d.Lab.Programs() {
		for _, prefix := range a.o.Guards {
			a.d.Expect = append(a.d.Expect, drill.Expectation{Name: "no-late-write", Contender: name, Prefix: prefix, Within: cmp.Or(a.o.StopsWithin, stopsWithin)})
		}
	}
	slices.Sort(stops)
	for _, name := range stops {
		within := cmp.Or(a.o.StopsWithin, stopsWithin)
		if a.untold[name] {
			within += (a.o.TTL / 3).Round(100 * time.Millisecond) // until it renews next nothing tells it
		}
		a.d.Expect = append(a.d.Expect, drill.Expectation{Name: "stops", Contender: name, Within: within})
	}
}

// sooner lets the time of an acquisition count from the last fault, where it counts from a cure: a
// program may need none, and be sooner. was is the step of the file.
func (a *assignment) sooner(e *drill.Expectation, was int) {
	if was == 0 || a.from.Steps[was-1].Heal == nil && (a.from.Steps[was-1].Tell == nil || a.d.Steps[e.After-1].Say == nil) {
		return
	}
	for n := e.After - 1; n > 0; n-- {
		e.Within += a.d.Steps[n].Pause
		if a.d.Steps[n-1].Fault != nil {
			e.After = n
			return
		}
	}
}

// byTheEnd rewrites a handover from a role that lets go when it is told to: a program lets go as it
// ends, by deleting its key or by ending its session. Its time counts from when it is asked.
func (a *assignment) byTheEnd(e *drill.Expectation) {
	if e.Cause == journal.CauseReleased || e.Cause == journal.CauseRevoked {
		e.Cause, e.After, e.AtLeast = "", 0, 0
		e.Within = max(e.Within, stopsWithin)
	}
}

// outlast lets each fault last until the bound is over by which a program is judged: the drill
// as it was waited for a word that no program has to say, or had no such bound.
func (a *assignment) outlast() {
	for all := a.d.Shorts(); len(all) > 0; all = a.d.Shorts() {
		s := all[0]
		at := s.End - 1
		switch {
		case s.End == s.Fault:
			f := *a.d.Steps[at].Fault
			f.For += s.Lacks
			a.d.Steps[at].Fault = &f
		case a.d.Steps[at-1].Pause > 0:
			a.d.Steps[at-1].Pause += s.Lacks
		default:
			a.d.Steps = slices.Insert(a.d.Steps, at, drill.Step{Line: a.d.Steps[at-1].Line, Pause: s.Lacks})
			for i := range a.d.Expect {
				if a.d.Expect[i].After >= s.End {
					a.d.Expect[i].After++
				}
			}
		}
	}
}

// isNotAsked says why something is not expected of programs, "" if it is.
func (a *assignment) isNotAsked(e drill.Expectation) string {
	switch {
	case slices.Contains([]string{"finding", "no-finding", "quiet"}, e.Name):
		return "it is about what locktop finds"
	case a.anybodys() && slices.Contains([]string{"handover", "acquired", "belief", "never-holds"}, e.Name):
		return "who lost a lock of one key may take it again before the next does"
	case e.Name == "stuck":
		return "it shows what may happen"
	case e.Name == "overlap" && e.AtLeast > 0:
		return "it shows what may happen; stops is asked"
	case e.Name == "belief" && a.plays(e.Contender) && e.State != model.BeliefHolding:
		return "a program may also end; stops is asked where it loses its lock"
	case e.Name == "failed-attempts":
		return "a program does not say that it gave up"
	case e.Name == "says" && a.plays(e.Contender):
		return "a program has words of its own"
	case e.Name == "fifo" && a.o.SingleKey:
		return "a lock of one key keeps no queue"
	case slices.Contains([]string{"moving", "served", "stuck"}, e.Name) && a.o.SingleKey:
		return "nobody is seen to wait for a lock of one key"
	}
	return ""
}

// A program that holds on is told to lock by its start, and to let go by being asked to end. To
// close its session is what cures one that let go in vain: a program that was asked to end has ended.
const (
	wordLock   = "lock"
	wordUnlock = "unlock"
	wordClose  = "close"
)

// cannotTell is what a step tells a role that no program can be told, "" if there is no such word.
func (a *assignment) cannotTell(role string) string {
	unlocked := false
	for _, s := range a.from.Steps {
		t := s.Tell
		if t == nil || drill.Process(t.Contender) != role {
			continue
		}
		if unlocked = unlocked || t.Word == wordUnlock; t.Word != wordLock && t.Word != wordUnlock && (t.Word != wordClose || !unlocked) {
			return t.Word
		}
	}
	return ""
}

// tell does what a step tells a role as a program does it. What it does by itself, or has done
// already, is said, so that the timeline has its place.
func (a *assignment) tell(s drill.Step) []drill.Step {
	who := drill.Process(s.Tell.Contender)
	was, known := a.ended[who]
	switch lock := s.Tell.Word == wordLock; {
	case lock && !known:
		a.ended[who] = false
		return []drill.Step{{Line: s.Line, Start: who}}
	case lock && was:
		a.ended[who] = false
		return []drill.Step{{Line: s.Line, Wait: &drill.Wait{Within: endsWithin, Queue: -1, Ended: []string{who}}}, {Line: s.Line, Start: who}}
	case s.Tell.Word == wordUnlock && known && !was:
		a.ended[who], a.hit[who] = true, false
		return []drill.Step{{Line: s.Line, Fault: &model.Fault{Kind: model.FaultStop, Target: who}}}
	}
	return []drill.Step{{Line: s.Line, Say: drill.Text{"en": "Not told to a program: " + s.Describe() + "."}}}
}

// endsWithin is what a program that was asked to end has until it has ended: the lab kills it before.
const endsWithin = 10 * time.Second
