package drill

import (
	"strings"
	"time"

	"locktop/model"
)

// Target is a fault as it was done.
type Target struct {
	// Step counts from 1; Said is the target as the file has it, Fault the one that
	// it came to when it was done.
	Step  int
	Said  string
	Fault model.Fault
	// Contender is the process that is hit, PID its id; empty and 0 if there is none.
	Contender string
	PID       int
	// At is when it was begun.
	At time.Time
	// Healed is when the lab said that it ended: zero if it did not say.
	Healed time.Time
	// Ending is when its healing was begun, before anybody could learn of that; zero if nobody
	// heals it.
	Ending time.Time
	// Done: the lab did it.
	Done bool

	// ID is the number that the lab gave it, 0 as long as that is not known.
	ID int
}

// Resolved names what was hit.
func (t *Target) Resolved() string {
	if t.Fault.Target == "" {
		return "the cluster"
	}
	return t.Fault.Target
}

// Hits says whether the fault is done to a contender's process.
func (t *Target) Hits(contender string) bool {
	info, _ := t.Fault.Kind.Info()
	return t.Contender != "" && t.Contender == Process(contender) || info.Target == model.TargetClient && t.Fault.Target == "all"
}

// Ended is from when on it may have kept nothing from anybody any more: since its healing was
// begun, or since its own time was up. Zero for never: that its target ended ends it, too, but
// frees nobody.
func (t *Target) Ended() time.Time {
	at := t.Ending
	if t.Fault.For > 0 {
		if up := t.At.Add(t.Fault.For); at.IsZero() || up.Before(at) {
			at = up
		}
	}
	return at
}

// Process is the process of a contender, which may be one of its workers: c1.2 is a
// worker of c1.
func Process(contender string) string {
	process, _, _ := strings.Cut(contender, ".")
	return process
}
