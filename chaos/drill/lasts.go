package drill

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/text"
)

// Short is a fault that ends before a bound is over that is judged: of a program that stops only
// after that nobody can say whether it stops by itself.
type Short struct {
	// Fault and End are steps, from 1: the one that does the fault, and the one that ends it. End
	// is one more than there are steps where the drill ends with it, and Fault where it ends by
	// itself.
	Fault, End int
	// Contender is who is hit, Expect whose bound it is.
	Contender string
	Expect    Expectation
	// Lacks is how much longer the fault has to last at least. Lost says that a step before its
	// end sees that the contender has lost the lock.
	Lacks time.Duration
	Lost  bool
}

// ttlDefault is the TTL of contenders that say none. A member takes lateExpiry at most to notice
// that a lease is over.
const (
	ttlDefault = 5 * time.Second
	lateExpiry = time.Second
)

// Hides says whether a fault of that kind may keep it from a program that its claim has gone,
// for as long as the fault lasts. A program that is paused is another case: it cannot stop either.
func Hides(kind model.FaultKind) bool {
	info, _ := kind.Info()
	return info.Target == model.TargetClient || info.Target == model.TargetMember || kind == model.FaultLoseQuorum
}

// Hit says whether a fault, as a step has it, is done to a contender's process, or to the one
// member that it knows.
func (l Lab) Hit(f model.Fault, name string) bool {
	info, _ := f.Kind.Info()
	p := ParsePhrase(f.Target)
	row, _ := l.Contender(name)
	switch info.Target {
	case model.TargetMember:
		other, _ := l.Contender(p.MemberOf)
		return row.Member != "" && (p.MemberOf == name || f.Target == row.Member || p.MemberOf != "" && other.Member == row.Member)
	case model.TargetCluster, model.TargetKey:
		return false
	}
	return p.Place > 0 || p.Name == "all" || Process(p.Name) == name || p.LeaseOf != "" && Process(p.LeaseOf) == name
}

// bound is how long a contender may believe that it holds after it lost its claim, by an
// expectation; 0 for any time.
func (e Expectation) bound(name string) time.Duration {
	switch {
	case e.Name == "stops" && Process(e.Contender) == name:
		return e.Within
	case e.Name == "overlap":
		return e.Below
	}
	return 0
}

// Shorts are the faults of a drill that end before a bound is over, each once: by the bound that
// it lacks most of.
func (d *Drill) Shorts() (all []Short) {
	for i, s := range d.Steps {
		if s.Fault == nil || !Hides(s.Fault.Kind) {
			continue
		}
		worst := Short{}
		for _, name := range d.Lab.Names() {
			if !d.Lab.Hit(*s.Fault, name) {
				continue
			}
			if place := ParsePhrase(s.Fault.Target).Place; place > 1 || place == 1 && !d.held(i, name) {
				continue // who waits has no lock to lose
			}
			for _, e := range d.Expect {
				if e.bound(name) == 0 {
					continue
				}
				if short := d.short(i, name, e); short.Lacks > worst.Lacks {
					worst = short
				}
			}
		}
		if worst.Lacks > 0 {
			all = append(all, worst)
		}
	}
	return all
}

// short follows a fault from its step, which counts from 0, to its end.
func (d *Drill) short(fault int, name string, e Expectation) Short {
	row, _ := d.Lab.Contender(name)
	f := *d.Steps[fault].Fault
	s := Short{Fault: fault + 1, End: len(d.Steps) + 1, Contender: name, Expect: e}
	whole := cmp.Or(row.TTL, ttlDefault) + lateExpiry + e.bound(name)
	var lasted, after time.Duration // since the fault, and since it was seen that the lock was lost
	for i, step := range d.Steps[fault+1:] {
		switch {
		case step.Pause > 0:
			lasted += step.Pause
			if s.Lost {
				after += step.Pause
			}
		case step.Wait != nil && d.seesStop(step.Wait, name), step.Fault != nil && ends(step.Fault.Kind) && d.Lab.Hit(*step.Fault, name):
			return Short{} // it has stopped before the fault ends
		case step.Wait != nil && !s.Lost && (e.Name == "stops" || d.held(fault, name)):
			s.Lost = d.seesLoss(step.Wait, row, name)
		case step.Heal != nil && (step.Heal.Kind == "" || step.Heal.Heals(f)):
			s.End = fault + i + 2
		}
		if s.End <= len(d.Steps) {
			break
		}
	}
	switch {
	case e.Name != "stops" && !s.Lost: // nothing says that it is to lose the lock
	case f.For > 0 && f.For < whole:
		s.End, s.Lacks = s.Fault, whole-f.For
	case s.Lost:
		s.Lacks = e.bound(name) - after
	default:
		s.Lacks = whole - lasted
	}
	return s
}

func ends(kind model.FaultKind) bool { return kind == model.FaultKill || kind == model.FaultStop }

// held says whether the last wait before a step that speaks of it saw a contender hold.
func (d *Drill) held(step int, name string) bool {
	for _, s := range slices.Backward(d.Steps[:step]) {
		switch w := s.Wait; {
		case w == nil:
		case slices.Contains(w.Holders, name) || w.Beliefs[name] == model.BeliefHolding:
			return true
		case slices.Contains(w.Waiters, name) || slices.Contains(w.Gone, name) || w.Beliefs[name] != "":
			return false
		}
	}
	return false
}

// seesStop says whether a wait waits until a contender no longer believes that it holds.
func (d *Drill) seesStop(w *Wait, name string) bool {
	b := w.Beliefs[name]
	return b != "" && b != model.BeliefHolding || slices.Contains(w.Ended, name)
}

// seesLoss says whether a wait waits until somebody else has the lock of a contender, or until
// its claim has gone.
func (d *Drill) seesLoss(w *Wait, row Contender, name string) bool {
	other := func(who string) bool {
		c, _ := d.Lab.Contender(who)
		return who != name && slices.ContainsFunc(c.Locks, func(l string) bool { return slices.Contains(row.Locks, l) && (w.Lock == "" || w.Lock == l) })
	}
	if slices.Contains(w.Gone, name) || w.Nobody && slices.Contains(row.Locks, w.Lock) || slices.Contains(w.Waiters, name) {
		return true
	}
	if slices.ContainsFunc(w.Holders, other) && !slices.Contains(w.Holders, name) {
		return true
	}
	for who, state := range w.Beliefs {
		if state == model.BeliefHolding && other(who) && row.Recipe != "rw-read" {
			return true
		}
	}
	return false
}

// describe says what is wrong with a fault that is short, and what would do.
func (d *Drill) describe(s Short) (line int, mistake string) {
	f := d.Steps[s.Fault-1]
	line, end := f.Line, "the drill ends"
	do := fmt.Sprintf("add - pause: %s at the end of the steps", s.Lacks)
	switch {
	case s.End == s.Fault:
		end = "its time is up"
		do = fmt.Sprintf("let it last for: %s", f.Fault.For+s.Lacks)
	case s.End <= len(d.Steps):
		line, end = d.Steps[s.End-1].Line, "it is healed here"
		if do = fmt.Sprintf("add - pause: %s before it", s.Lacks); d.Steps[s.End-2].Pause > 0 {
			do = fmt.Sprintf("let the pause before it last %s", d.Steps[s.End-2].Pause+s.Lacks)
		}
	}
	since := "counted from the fault, since no step waits until another holds"
	if s.Lost {
		since = "counted from when " + s.Contender + " has lost the lock"
	}
	return line, fmt.Sprintf("%s (line %d) has to outlast %s (line %d), or %s may stop only because the fault ended: %s %s too early, %s: %s",
		text.English(f.Fault.Message()), f.Line, s.Expect.Describe(), s.Expect.Line, s.Contender, end, s.Lacks, since, do)
}
