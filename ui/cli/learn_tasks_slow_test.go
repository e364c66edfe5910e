//go:build slow

package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"locktop/chaos/drill"
	"locktop/demo/lessons"
	"locktop/model"
	"locktop/model/reports"
	"locktop/ui/host"
	"locktop/ui/tutor"
)

// taken is how somebody goes about a task: what is filled in, one after the other, as NAME=VALUE, or
// what is done to the lab.
type taken struct {
	fills []string
	does  func(*testing.T, *learner, host.Actions)
}

func fill(all ...string) taken { return taken{fills: all} }

// does is a fault, done to somebody.
func does(kind model.FaultKind, to ...string) taken {
	return taken{does: func(t *testing.T, _ *learner, door host.Actions) {
		for _, who := range to {
			acts(t, door, model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: kind, Target: who}})
		}
	}}
}

// deletes deletes the claim of a program.
func deletes(lock, who string) taken {
	return taken{does: func(t *testing.T, r *learner, door host.Actions) {
		a := model.Action{}
		until(t, "the screen shows the claim of "+who, func() bool {
			r.sees.mu.Lock()
			defer r.sees.mu.Unlock()
			l := r.sees.s.Lock(lock)
			for i := 0; l != nil && i < l.Len(); i++ {
				c := l.At(i)
				if r.sees.s.Who(c.Ref()) == who {
					a = model.Action{Kind: model.DeleteClaim, Lock: lock, Key: c.Key, CreateRev: c.CreateRev, ModRev: c.KV.ModRev, Lease: c.KV.Lease}
					return true
				}
			}
			return false
		})
		acts(t, door, a)
	}}
}

func acts(t *testing.T, door host.Actions, a model.Action) {
	plan, err := door.Plan(t.Context(), a)
	if err != nil || !plan.Refused.IsZero() {
		t.Errorf("%+v: %v, %s", a, err, plan.Refused)
		return
	}
	if o := door.Do(t.Context(), plan); !o.Done {
		t.Errorf("%+v: %s", a, o.Err)
	}
}

// TestEachTaskIsTakenRightAndWrong: the wrong ways are told why and set up again, the right one
// passes. Only the tasks are taken, without their stories.
func TestEachTaskIsTakenRightAndWrong(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]struct {
		wrong []taken
		right taken
	}{
		"order": {[]taken{does(model.FaultRevoke, "a")}, fill("who=c word=give-up", "who=c word=lock_/orders", "who=b word=give-up", "who=b word=lock_/orders")},
		"herd":  {[]taken{fill("get=first"), fill("get=last")}, fill("get=ahead")},
		"byhand": {[]taken{fill("step=claim", "step=enter", "waits")},
			fill("step=claim", "step=get_ahead", "step=watch", "sees=DELETE", "step=get_ahead", "step=watch", "sees=DELETE", "step=get_ahead", "step=enter")},
		"ttl":     {[]taken{fill("ttl=4 every=library"), fill("ttl=20 every=1")}, fill("ttl=9 every=library")},
		"standby": {[]taken{does(model.FaultKill, "b")}, does(model.FaultStop, "b")},
		"unlock":  {[]taken{fill("field=value op== what=worker"), fill("field=version op== what=my-rev"), fill("field=lease op== what=my-rev")}, fill("field=create op== what=my-rev")},
		"version": {[]taken{fill("c1=mine c2=mine p1=/locks/stock p2=/locks/bill"), fill("c1=/locks/stock c2=/locks/bill p1=mine p2=mine"), fill("c1=/locks/stock c2=/locks/bill p1=/locks/stock p2=/locks/stock")},
			fill("c1=/locks/bill c2=/locks/stock p1=/locks/stock p2=/locks/bill")},
		"lost-unlock": {[]taken{fill("what=look"), fill("what=unlock-again")}, fill("what=unlock-if_lock_create_=_my-rev")},
		"redis":       {[]taken{fill("who=p"), fill("who=o")}, fill("who=m")},
		"lease":       {[]taken{does(model.FaultKill, "b")}, does(model.FaultHoldKeepalives, "b")},
		"spin":        {[]taken{does(model.FaultStop, "t")}, does(model.FaultStop, "a", "b")},
		"pause":       {[]taken{does(model.FaultKill, "c")}, does(model.FaultPause, "c")},
		"ownqueue":    {[]taken{fill("prefix=bare before=create"), fill("prefix=slash before=mod")}, fill("prefix=slash before=create")},
		"fence":       {[]taken{fill("op=<= keep=highest"), fill("op=< keep=nothing")}, fill("op=< keep=highest")},
		"fence-reads": {[]taken{fill("field=create key=data op=> what=0"), fill("field=value key=data op== what=me")},
			fill("field=version key=data op== what=seen")},
		"election": {[]taken{fill("field=version key=mine op=< what=0"), fill("field=create key=data op== what=0")}, fill("field=create key=mine op== what=my-rev")},
		"waiters":  {[]taken{deletes("/orders", "b")}, deletes("/orders", "c")},
		"session":  {[]taken{does(model.FaultRevoke, "c")}, deletes("/one", "c")},
		"names":    {[]taken{fill("name=/orders"), fill("name=/orders/fr")}, fill("name=/orders-fr")},
		"leader":   {[]taken{does(model.FaultStopMember, "m2", "m3")}, does(model.FaultStopMember, "m2")},
		"deadlock": {[]taken{fill("a1=/x a2=/y b1=/y b2=/x")}, fill("a1=/y a2=/x b1=/y b2=/x")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := *lessonOf(t, name)
			d.Steps, d.Lesson.Exam = nil, nil
			l := &learner{lang: "en", ways: append(slices.Clone(r.wrong), r.right)}
			round := l.takes(t, &d)
			said := ""
			for _, s := range l.steps {
				if s.Kind == tutor.StepSay {
					said += s.Text + strings.Join(s.Code, "") + "\n"
				}
			}
			if again := strings.Count(said, "does not lead there any more"); !round.Passed || again != len(r.wrong) {
				t.Errorf("passed %v, set up again %d times: %s", round.Passed, again, said)
			}
			if told := map[string]string{"deadlock": "each holds what the other wants"}[name]; !strings.Contains(said, told) {
				t.Errorf("%q is not said, but %s", told, said)
			}
			if t.Failed() {
				for _, l := range round.Lines {
					t.Log(l.Text)
				}
			}
		})
	}
}

// TestEveryTaskIsTaken by the test above: each lesson has one, but those that show a model.
func TestEveryTaskIsTaken(t *testing.T) {
	for _, name := range lessons.Names() {
		if d := lessonOf(t, name); d.Lesson.Task == nil && !slices.ContainsFunc(d.Steps, func(s drill.Step) bool { return s.Stores != "" }) {
			t.Errorf("lesson %s has no task", name)
		}
	}
}

// goes is one step of the learner on the way through a task, and says whether there was one.
func (lr *learner) goes(t *testing.T, s tutor.Step, l *tutor.Lesson, hands host.Actions) bool {
	if len(lr.ways) == 0 {
		return lr.ways != nil // it waits for what comes of it
	}
	w := &lr.ways[0]
	if len(w.fills) > 0 && w.fills[0] == "waits" { // until that is told to lead nowhere
		if strings.Count(lr.shows(tutor.StepSay), "does not lead there any more") == 0 {
			return true
		}
		lr.ways = lr.ways[1:]
		w = &lr.ways[0]
	}
	switch {
	case w.does != nil:
		does := w.does
		lr.ways = lr.ways[1:]
		does(t, lr, hands)
	case s.Draft == nil:
		t.Errorf("nothing to fill in: %+v", s)
		return false
	default:
		if sees, ok := strings.CutPrefix(w.fills[0], "sees="); ok {
			w.fills = w.fills[1:]
			until(t, s.Draft.Says+" says "+sees, func() bool {
				lr.sees.mu.Lock()
				defer lr.sees.mu.Unlock()
				return slices.ContainsFunc(lr.sees.s.Reports().Contenders(), func(c reports.ContenderInfo) bool {
					return c.Name == s.Draft.Says && strings.Contains(c.Belief.Text, sees)
				})
			})
		}
		filled := map[string]string{}
		for _, part := range strings.Fields(w.fills[0]) {
			name, value, _ := strings.Cut(part, "=")
			filled[name] = strings.ReplaceAll(value, "_", " ")
		}
		if w.fills = w.fills[1:]; len(w.fills) == 0 {
			lr.ways = lr.ways[1:]
		}
		for _, b := range s.Draft.Blanks {
			if filled[b.Name] == "" {
				t.Errorf("%s is not filled in: %s", b.Name, fmt.Sprint(filled))
			}
		}
		l.Fill(filled)
	}
	return true
}
