package page

import (
	"time"

	"locktop/model"
	"locktop/model/fold"
	"locktop/model/lab"
)

// Unknown says whether nothing can be said of a contender's place: a program of the user's
// own does not say which lock it wants, or the keys of its lock were not listed yet.
func Unknown(s *fold.State, c lab.ContenderInfo) bool {
	return c.Lock == "" || !s.LoadedFor(c.Lock)
}

// Holds says whether a contender at that place, from 1, holds its lock.
func Holds(s *fold.State, c lab.ContenderInfo, place int) bool {
	l := s.Lock(c.Lock)
	return l != nil && l.Holds(place-1)
}

// DoubtAfter is how long belief and truth may lie apart before it is an alarm: a
// client that lets go tells us a moment after etcd did.
const DoubtAfter = 2 * time.Second

// Doubts remembers since when a contender believes to hold and does not.
type Doubts map[string]time.Time

// Look compares belief with truth.
func (d Doubts) Look(s *fold.State, now time.Time) {
	for _, c := range s.Contenders() {
		_, place := s.Truth(c)
		if c.Proc == model.ProcEnded || c.Belief.State != model.BeliefHolding || Unknown(s, c) || Holds(s, c, place) {
			delete(d, c.Name)
		} else if _, known := d[c.Name]; !known {
			d[c.Name] = now
		}
	}
}

// Alarming says whether it has been so for long enough.
func (d Doubts) Alarming(name string, now time.Time) bool {
	since, ok := d[name]
	return ok && now.Sub(since) >= DoubtAfter
}

// Count returns how many contenders alarm.
func (d Doubts) Count(now time.Time) int {
	n := 0
	for name := range d {
		if d.Alarming(name, now) {
			n++
		}
	}
	return n
}
