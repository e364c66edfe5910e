package tutor

import (
	"slices"
	"strconv"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/reports"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// phase is how far a task of a guide has come.
type phase uint8

const (
	asked phase = iota // the person has not done it
	going              // done, and not seen yet
	seen               // the model shows that it happened
)

// facts are what the words in braces stand for, fit for a terminal.
type facts map[string]string

// wentOn says in the facts that it went another way than the task asked for: ended or silent.
const wentOn = "went-on"

// condition is something that a task waits for.
type condition struct {
	// begin remembers how all was before.
	begin func(s *scene, f page.Frame)
	// look says how far it has come, and what there is to say of it.
	look func(s *scene, f page.Frame) (phase, facts)
	// queue: it is played where somebody waits, and else somebody comes.
	queue bool
}

// sights are all of them, by the names that files have for them.
var sights = map[string]condition{
	"handover":     {beginHandover, lookHandover, true},
	"false-belief": {nothing, lookPause, true},
	"belief-over":  {nothing, lookWake, false},
	"deadlock":     {nothing, lookDeadlock, false},
	"new-leader":   {beginLeader, lookLeader, false},
}

// scene is what the tasks are about, and what they remember of how all was before.
type scene struct {
	lock   string // whose queue it is
	entry  uint64 // of the journal of the lock, the last one
	leader uint64
	wrong  reports.Overlap // the false belief that was seen
}

func nothing(*scene, page.Frame) {}

// about is the lock that a task tells of: the one that the keys hit, if others wait for it,
// or else that of the guide. It is nil where that is not there.
func (s *scene) about(f page.Frame) *locks.Lock {
	if l := f.S.Lock(f.Locks.Pick.ID); l != nil && l.Next() != nil && s.contends(f, l.Name) {
		return l
	}
	return f.S.Lock(s.lock)
}

// contends says whether contenders of the lab want the lock.
func (s *scene) contends(f page.Frame, lock string) bool {
	return slices.ContainsFunc(f.S.Reports().Contenders(), func(c reports.ContenderInfo) bool { return c.Lock == lock && c.Proc != model.ProcEnded })
}

func beginHandover(s *scene, f page.Frame) {
	s.entry = 0
	if l := s.about(f); l != nil {
		if all := l.Journal(); len(all) > 0 {
			s.entry = all[len(all)-1].Seq
		}
	}
}

func lookHandover(s *scene, f page.Frame) (phase, facts) {
	l := s.about(f)
	if l == nil {
		return asked, nil
	}
	for _, e := range slices.Backward(l.Journal()) {
		if e.Seq <= s.entry {
			break
		}
		if e.Kind == journal.Handover && e.From.Key != "" {
			return seen, facts{"lock": f.Th.Clean(l.Name), "from": f.Th.Who(f.S, e.From), "to": f.Th.Who(f.S, e.Claim)}
		}
	}
	next := l.Next()
	if next == nil {
		return asked, nil
	}
	count := 0
	for _, c := range f.S.Reports().Contenders() {
		if c.Lock == l.Name && c.Proc != model.ProcEnded {
			count++
		}
	}
	return asked, facts{"lock": f.Th.Clean(l.Name), "count": strconv.Itoa(max(count, l.Len())), "holder": f.Th.Who(f.S, l.Head().Ref()), "next": f.Th.Who(f.S, next.Ref())}
}

// surely is how long two have to believe that they hold until it is no matter of whose
// word came first.
const surely = 2 * reports.Grace

// caused says whether anybody did what makes a program believe falsely. If not it is the machine
// that was too slow, and the person has not seen yet how it comes.
func caused(f page.Frame, believer string) bool {
	return len(f.S.Reports().Faults()) > 0 || slices.ContainsFunc(f.S.Reports().Contenders(), func(c reports.ContenderInfo) bool { return c.Name == believer && c.Proc == model.ProcPaused })
}

// lookPause looks for a false belief on any lock: a person may have paused another holder.
func lookPause(s *scene, f page.Frame) (phase, facts) {
	for _, c := range f.S.Reports().Contenders() {
		for _, o := range f.S.Reports().Overlaps(c.Lock) {
			if o.To.IsZero() && o.For(f.S.Now()) >= surely && caused(f, o.Believer) {
				s.wrong = o
				return seen, facts{"paused": f.Th.Clean(o.Believer), "holder": f.Th.Who(f.S, o.Holder)}
			}
		}
	}
	for _, c := range f.S.Reports().Contenders() {
		claim, place := f.S.Reports().Truth(c)
		if c.Proc != model.ProcPaused || place == 0 || !claim.Lock().Holds(place-1) {
			continue
		}
		left := ""
		if n, ok := claim.LeaseInfo().Remaining(f.Now); ok && n > 0 {
			left = f.Th.Say("tutor-left", n)
		}
		return going, facts{"paused": f.Th.Clean(c.Name), "left": left}
	}
	l := s.about(f)
	if l == nil || l.Next() == nil {
		return asked, nil
	}
	return asked, facts{"holder": f.Th.Who(f.S, l.Head().Ref())}
}

func lookWake(s *scene, f page.Frame) (phase, facts) {
	same := s.wrong.OfTheSame(f.S.Reports().Overlaps(s.wrong.Lock))
	then := model.BeliefIdle
	for _, o := range same {
		then = o.After // each overlap of one belief has the same
	}
	if len(same) == 0 { // it counts as no overlap any more: its contender let go
		same = append(same, s.wrong)
	}
	said := facts{"paused": f.Th.Clean(s.wrong.Believer), "wrong": draw.Tenths(reports.Together(same, f.S.Now()))}
	for _, c := range f.S.Reports().Contenders() {
		if c.Name != s.wrong.Believer || c.Proc == model.ProcEnded || c.Belief.State != model.BeliefHolding {
			continue
		}
		if claim, place := f.S.Reports().Truth(c); place == 0 || !claim.Lock().Holds(place-1) {
			return asked, said
		}
	}
	switch then {
	case model.BeliefLost:
	case "":
		said[wentOn] = "ended"
	default:
		said[wentOn] = "silent"
	}
	return seen, said
}

func lookDeadlock(_ *scene, f page.Frame) (phase, facts) {
	var stuck []*locks.Lock
	for _, c := range f.S.Reports().Contenders() {
		l := f.S.Lock(c.Lock)
		if l != nil && !slices.Contains(stuck, l) && slices.ContainsFunc(f.S.FindingsOf(l), func(x model.Finding) bool { return x.Code == model.CodeLockCycle }) {
			stuck = append(stuck, l)
		}
	}
	if len(stuck) >= 2 {
		return seen, facts{"stuck": f.Th.CutPath(f.Th.Clean(stuck[0].Name), 24),
			"one": f.Th.Who(f.S, stuck[0].Head().Ref()), "other": f.Th.Who(f.S, stuck[1].Head().Ref())}
	}
	if inForce(f, model.FaultDeadlock) {
		return going, facts{}
	}
	return asked, facts{}
}

func inForce(f page.Frame, kind model.FaultKind) bool {
	return slices.ContainsFunc(f.S.Reports().Faults(), func(on model.FaultOn) bool { return on.Fault.Kind == kind })
}

func beginLeader(s *scene, f page.Frame) { s.leader = f.S.Cluster().Leader().ID }

func lookLeader(s *scene, f page.Frame) (phase, facts) {
	m := f.S.Cluster().Leader()
	name := f.Th.Clean(m.Name)
	if m.ID == 0 {
		return asked, facts{"leader": f.Th.Say("tutor-the-leader")}
	}
	if s.leader == 0 { // none was known when the step began
		s.leader = m.ID
	}
	if m.ID != s.leader {
		return seen, facts{"leader": name}
	}
	return asked, facts{"leader": name}
}

// play is the action that does a task of a guide, or says why there is none.
func (s *scene) play(f page.Frame, t *Guided) (a model.Action, why string) {
	info, _ := t.Does.Info()
	switch l := s.about(f); {
	case sights[t.Sees].queue && (l == nil || l.Next() == nil):
		return model.Action{Kind: model.SpawnProc, Lock: s.lock}, ""
	case t.Does == "":
		return s.heal(f), ""
	case info.Target == model.TargetCluster:
		return model.Action{Kind: model.InjectFault, Fault: model.Fault{Kind: t.Does}}, ""
	}
	return s.toHolder(f, t.Does)
}

// toHolder is a fault of the contender that holds the lock.
func (s *scene) toHolder(f page.Frame, kind model.FaultKind) (model.Action, string) {
	a := model.Action{Kind: model.InjectFault, Lock: s.lock, Fault: model.Fault{Kind: kind}}
	l := s.about(f)
	if l == nil || l.Free() {
		return a, f.Th.Say("tutor-nobody-holds", s.lock)
	}
	a.Lock = l.Name
	who := f.S.Identity(draw.Brief(l.Head().Ref()))
	if a.Fault.Target = who.Text; who.Source != "proxy" {
		return a, f.Th.Say("tutor-holder-unknown", l.Name)
	}
	return a, ""
}

// heal takes back what keeps a contender from hearing of its loss.
func (s *scene) heal(f page.Frame) model.Action {
	for _, on := range f.S.Reports().Faults() {
		if on.Fault.Target == s.wrong.Believer {
			return model.Action{Kind: model.HealFault, Lock: s.wrong.Lock, Fault: on.Fault}
		}
	}
	return model.Action{Kind: model.HealAll}
}
