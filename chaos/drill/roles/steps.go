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
func (c *assignment) steps() {
	c.d.Steps = nil
	c.moved = make([]int, len(c.from.Steps)+1)
	for i, s := range c.from.Steps {
		switch {
		case s.Tell != nil && c.plays(s.Tell.Contender):
			c.d.Steps = append(c.d.Steps, c.tell(s)...)
			c.moved[i+1] = len(c.d.Steps)
			continue
		case s.Start != "":
			c.ended[s.Start] = false
		case s.Fault != nil:
			f := *s.Fault
			c.fault(i+1, &f)
			s.Fault = &f
		case s.Heal != nil && s.Heal.Kind != "":
			f := *s.Heal
			f.Target = c.target(f)
			s.Heal = &f
		case s.Wait != nil:
			w := *s.Wait
			s = c.wait(i+1, s.Line, &w)
		}
		c.d.Steps = append(c.d.Steps, s)
		if s.Wait != nil && len(s.Wait.Alive) > 0 && c.o.SingleKey {
			c.d.Steps = append(c.d.Steps, drill.Step{Line: s.Line, Pause: unseen})
		}
		c.moved[i+1] = len(c.d.Steps)
	}
}

// unseen is what a program has to begin to wait for a lock of one key, which nobody sees.
const unseen = 3 * time.Second

// target is that of a fault, with the lock renamed.
func (c *assignment) target(f model.Fault) string {
	if info, _ := f.Kind.Info(); info.Target == model.TargetKey {
		return c.renamed(f.Target)
	}
	if p := drill.ParsePhrase(f.Target); p.Lock != "" {
		place, _, _ := strings.Cut(f.Target, " of ")
		return place + " of " + c.renamed(p.Lock)
	}
	return f.Target
}

// fault rewrites a fault and notes whom it hits.
func (c *assignment) fault(step int, f *model.Fault) {
	info, _ := f.Kind.Info()
	p := drill.ParsePhrase(f.Target)
	if c.o.Endpoints > 0 && info.Target != model.TargetProcess && info.Target != model.TargetClient {
		c.refuse("step %d (%s) needs a cluster of the lab", step, f.Kind)
	}
	if p.LeaseOf != "" && c.plays(p.LeaseOf) {
		c.refuse("step %d means the lease of %s, which a program does not say", step, p.LeaseOf)
	}
	if p.Place > 1 && c.o.SingleKey {
		c.refuse("step %d means a waiter, and a lock of one key shows none (--single-key)", step)
	}
	for _, name := range c.d.Lab.Programs() {
		if c.d.Lab.Hit(*f, name) {
			ends := f.Kind == model.FaultKill || f.Kind == model.FaultStop
			if c.hit[name] = !ends; ends {
				c.ended[name] = true
			}
			c.back[name] = c.back[name] || !ends && !c.held[name]
			if f.Kind == model.FaultRevoke || f.Kind == model.FaultDelete {
				c.untold[name] = true
			}
		}
	}
	f.Target = c.target(*f)
}

// beliefs are findings that rest on what contenders say, besides on what etcd has.
var beliefs = []model.Code{model.CodeStaleHolder, model.CodeLateDone, model.CodeZombieHolder, model.CodeExpiredWaiterWins}

// defects are findings that a client shows which does something wrong: a program need not.
var defects = []model.Code{model.CodeUnlockLost, model.CodeGhostWaiter, model.CodeGhostLeader, model.CodeStaleUnlock, model.CodeZombieCandidate, model.CodeMissedDelete}

// wait rewrites a wait. One that is left without anything is said, so that the timeline has
// its place.
func (c *assignment) wait(step, line int, w *drill.Wait) drill.Step {
	said := w.Describe()
	w.Lock, w.Within = c.renamed(w.Lock), w.Within+c.extra+max(0, c.o.StartsWithin-startsWithin)
	own := slices.DeleteFunc(c.programs(slices.Concat(w.Ended, w.Gone)), func(name string) bool { return c.ended[name] })
	if len(own) > 0 {
		c.refuse("step %d waits until %s has ended by itself, which a program need not", step, strings.Join(own, ", "))
	}
	if c.o.Endpoints > 0 && w.Leader != "" && w.Leader != "any" && w.Leader != "none" {
		c.refuse("step %d waits until %s leads", step, w.Leader)
	}
	left := map[string]model.BeliefState{}
	for name, state := range w.Beliefs {
		if !c.plays(name) || state == model.BeliefHolding {
			left[name] = state
		}
	}
	w.Beliefs = left
	lost := func(name string) bool { return c.plays(name) && c.hit[name] && c.held[name] }
	for _, name := range w.Holders {
		c.held[name] = true
	}
	if len(w.Waiters) > 1 {
		c.together = append(c.together, w.Waiters)
	}
	w.Waiters = slices.DeleteFunc(slices.Clone(w.Waiters), lost)
	if c.o.SingleKey {
		w.Alive = append(slices.Clone(w.Alive), w.Waiters...)
		w.Waiters = nil
		w.Queue = min(w.Queue, 1)
	}
	if c.o.SingleKey && slices.Contains(w.Findings, model.CodeDeadWaiter) {
		c.refuse("step %d waits until a waiter is found to be dead, and a lock of one key shows none (--single-key)", step)
	}
	if c.anybodys() {
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
func (c *assignment) anybodys() bool { return c.o.SingleKey && len(c.untold) > 0 }

// backWithin is what a program has to come back after a fault of its connections, where nobody sees
// that it waits again: clients let some seconds pass between two attempts to connect.
const backWithin = 10 * time.Second

// inOrder refuses a handover to one of several that wait for a lock of one key: nobody knows who is next.
func (c *assignment) inOrder() {
	for _, e := range c.from.Expect {
		for _, names := range c.together {
			if e.Name != "handover" || !c.o.SingleKey || !slices.Contains(names, e.To) {
				continue
			}
			if others := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == e.To || c.ended[n] }); len(others) > 0 {
				c.refuse("%s has to be next, and %s waits, too: a lock of one key keeps no order (--single-key)", e.To, strings.Join(others, ", "))
			}
		}
	}
}

// expectations rewrites what is expected.
func (c *assignment) expectations() {
	c.d.Expect = nil
	var stops []string
	for _, e := range c.from.Expect {
		was := e.After
		e.After = c.moved[was]
		e.Lock = c.renamed(e.Lock)
		if e.Within > 0 {
			e.Within += c.extra
		}
		if who := drill.Process(cmp.Or(e.To, e.Contender)); c.o.SingleKey && e.Within > 0 && c.back[who] && (e.Name == "handover" || e.Name == "acquired") {
			e.Within += backWithin
		}
		if e.Name == "handover" && c.told[drill.Process(e.From)] {
			c.byTheEnd(&e)
		}
		if e.Name == "acquired" && c.told[drill.Process(e.Contender)] {
			c.sooner(&e, was)
		}
		if e.Name == "handover" && (e.From == "" || c.plays(e.From)) && e.Cause != journal.CauseReleased {
			e.AtLeast = 0 // how much of its lease was left is the program's own affair
			for name := range c.hit {
				if c.hit[name] && !slices.Contains(stops, name) && (e.From == "" || drill.Process(e.From) == name) {
					stops = append(stops, name)
				}
			}
		}
		if why := c.isNotAsked(e); why != "" {
			c.notAsked = append(c.notAsked, e.Describe()+" ("+why+")")
			continue
		}
		c.d.Expect = append(c.d.Expect, e)
	}
	for _, name := range c.d.Lab.Programs() {
		for _, prefix := range c.o.Guards {
			c.d.Expect = append(c.d.Expect, drill.Expectation{Name: "no-late-write", Contender: name, Prefix: prefix, Within: cmp.Or(c.o.StopsWithin, stopsWithin)})
		}
	}
	slices.Sort(stops)
	for _, name := range stops {
		within := cmp.Or(c.o.StopsWithin, stopsWithin)
		if c.untold[name] {
			within += (c.o.TTL / 3).Round(100 * time.Millisecond) // until it renews next nothing tells it
		}
		c.d.Expect = append(c.d.Expect, drill.Expectation{Name: "stops", Contender: name, Within: within})
	}
}

// sooner lets the time of an acquisition count from the last fault, where it counts from a cure: a
// program may need none, and be sooner. was is the step of the file.
func (c *assignment) sooner(e *drill.Expectation, was int) {
	if was == 0 || c.from.Steps[was-1].Heal == nil && (c.from.Steps[was-1].Tell == nil || c.d.Steps[e.After-1].Say == nil) {
		return
	}
	for n := e.After - 1; n > 0; n-- {
		e.Within += c.d.Steps[n].Pause
		if c.d.Steps[n-1].Fault != nil {
			e.After = n
			return
		}
	}
}

// byTheEnd rewrites a handover from a role that lets go when it is told to: a program lets go as it
// ends, by deleting its key or by ending its session. Its time counts from when it is asked.
func (c *assignment) byTheEnd(e *drill.Expectation) {
	if e.Cause == journal.CauseReleased || e.Cause == journal.CauseRevoked {
		e.Cause, e.After, e.AtLeast = "", 0, 0
		e.Within = max(e.Within, stopsWithin)
	}
}

// outlast lets each fault last until the bound is over by which a program is judged: the drill
// as it was waited for a word that no program has to say, or had no such bound.
func (c *assignment) outlast() {
	for all := c.d.Shorts(); len(all) > 0; all = c.d.Shorts() {
		s := all[0]
		at := s.End - 1
		switch {
		case s.End == s.Fault:
			f := *c.d.Steps[at].Fault
			f.For += s.Lacks
			c.d.Steps[at].Fault = &f
		case c.d.Steps[at-1].Pause > 0:
			c.d.Steps[at-1].Pause += s.Lacks
		default:
			c.d.Steps = slices.Insert(c.d.Steps, at, drill.Step{Line: c.d.Steps[at-1].Line, Pause: s.Lacks})
			for i := range c.d.Expect {
				if c.d.Expect[i].After >= s.End {
					c.d.Expect[i].After++
				}
			}
		}
	}
}

// isNotAsked says why something is not expected of programs, "" if it is.
func (c *assignment) isNotAsked(e drill.Expectation) string {
	switch {
	case slices.Contains([]string{"finding", "no-finding", "quiet"}, e.Name):
		return "it is about what locktop finds"
	case c.anybodys() && slices.Contains([]string{"handover", "acquired", "belief", "never-holds"}, e.Name):
		return "who lost a lock of one key may take it again before the next does"
	case e.Name == "stuck":
		return "it shows what may happen"
	case e.Name == "overlap" && e.AtLeast > 0:
		return "it shows what may happen; stops is asked"
	case e.Name == "belief" && c.plays(e.Contender) && e.State != model.BeliefHolding:
		return "a program may also end; stops is asked where it loses its lock"
	case e.Name == "failed-attempts":
		return "a program does not say that it gave up"
	case e.Name == "says" && c.plays(e.Contender):
		return "a program has words of its own"
	case e.Name == "fifo" && c.o.SingleKey:
		return "a lock of one key keeps no queue"
	case slices.Contains([]string{"moving", "served", "stuck"}, e.Name) && c.o.SingleKey:
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
func (c *assignment) cannotTell(role string) string {
	unlocked := false
	for _, s := range c.from.Steps {
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
func (c *assignment) tell(s drill.Step) []drill.Step {
	who := drill.Process(s.Tell.Contender)
	was, known := c.ended[who]
	switch lock := s.Tell.Word == wordLock; {
	case lock && !known:
		c.ended[who] = false
		return []drill.Step{{Line: s.Line, Start: who}}
	case lock && was:
		c.ended[who] = false
		return []drill.Step{{Line: s.Line, Wait: &drill.Wait{Within: endsWithin, Queue: -1, Ended: []string{who}}}, {Line: s.Line, Start: who}}
	case s.Tell.Word == wordUnlock && known && !was:
		c.ended[who], c.hit[who] = true, false
		return []drill.Step{{Line: s.Line, Fault: &model.Fault{Kind: model.FaultStop, Target: who}}}
	}
	return []drill.Step{{Line: s.Line, Say: drill.Text{"en": "Not told to a program: " + s.Describe() + "."}}}
}

// endsWithin is what a program that was asked to end has until it has ended: the lab kills it before.
const endsWithin = 10 * time.Second
