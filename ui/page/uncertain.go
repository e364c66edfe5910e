package page

import (
	"time"

	"locktop/model"
	"locktop/model/reports"
	"locktop/model/store"
)

// Unknown says whether nothing can be said of a contender's place: a program of the user's
// own does not say which lock it wants, or the keys of its lock were not listed yet.
func Unknown(s *store.View, c reports.ContenderInfo) bool {
	return c.Lock == "" || !s.Coverage().LoadedFor(c.Lock)
}

// Holds says whether a contender at that place, from 1, holds its lock.
func Holds(s *store.View, c reports.ContenderInfo, place int) bool {
	l := s.Lock(c.Lock)
	return l != nil && l.Holds(place-1)
}

// doubtAfter is how long belief and truth may lie apart before it is an alarm: a
// client that lets go tells us a moment after etcd did.
const doubtAfter = 2 * time.Second

// Uncertain remembers since when a contender believes to hold and does not.
type Uncertain map[string]time.Time

// Look compares belief with truth.
func (d Uncertain) Look(s *store.View, now time.Time) {
	for _, c := range s.Reports().Contenders() {
		_, place := s.Reports().Truth(c)
		if c.Proc == model.ProcEnded || c.Belief.State != model.BeliefHolding || Unknown(s, c) || Holds(s, c, place) {
			delete(d, c.Name)
		} else if _, known := d[c.Name]; !known {
			d[c.Name] = since(s, c, now)
		}
	}
}

// since is when a contender that believes to hold began to do so without the lock: when it lost
// it, as far as the timeline knows that, and now at the latest.
func since(s *store.View, c reports.ContenderInfo, now time.Time) time.Time {
	x := s.Timeline().LastHold(c.Lock, "", c.Lease, c.Belief.At, now)
	if x == nil || x.Gone.IsZero() || x.Gone.After(now) {
		return now
	}
	if x.Gone.Before(c.Belief.At) {
		return c.Belief.At
	}
	return x.Gone
}

// Alarming says whether it has been so for long enough.
func (d Uncertain) Alarming(name string, now time.Time) bool {
	since, ok := d[name]
	return ok && now.Sub(since) >= doubtAfter
}

// Count returns how many contenders alarm.
func (d Uncertain) Count(now time.Time) int {
	n := 0
	for name := range d {
		if d.Alarming(name, now) {
			n++
		}
	}
	return n
}
