package lockset

import (
	"time"

	"locktop/model"
)

// Count counts what a row of the experiment says from the events of a run.
// The zero value is ready.
type Count struct {
	acked, lost, refused int
	// intervals are the times in which a worker believed that it holds.
	spells []spell
	now    time.Time // of the latest report
}

// spell is one of them: to is zero while it lasts.
type spell struct {
	who      string
	from, to time.Time
}

// Apply counts an event; most say nothing to it.
func (c *Count) Apply(e model.Event) {
	switch e := e.(type) {
	case model.Access:
		c.acked, c.lost = e.Acked, e.Lost
		if !e.Accepted {
			c.refused++
		}
	case model.Belief:
		c.belief(e)
	}
}

// belief begins or ends an interval. Words of different workers may come in any order, so
// their own times count.
func (c *Count) belief(e model.Belief) {
	if e.At.After(c.now) {
		c.now = e.At
	}
	open := -1
	for i, s := range c.spells {
		if s.who == e.Contender && s.to.IsZero() {
			open = i
		}
	}
	switch holds := e.State == model.BeliefHolding; {
	case holds && open < 0:
		c.spells = append(c.spells, spell{who: e.Contender, from: e.At})
	case !holds && open >= 0:
		c.spells[open].to = e.At
	}
}

// Fill sets the counts of a row: of overlaps the pairs of intervals of two workers that
// have a time in common.
func (c *Count) Fill(r *Row) {
	r.Acked, r.Lost, r.Refused, r.Overlaps = c.acked, c.lost, c.refused, 0
	end := func(s spell) time.Time {
		if s.to.IsZero() {
			return c.now
		}
		return s.to
	}
	for i, a := range c.spells {
		for _, b := range c.spells[i+1:] {
			if a.who != b.who && a.from.Before(end(b)) && b.from.Before(end(a)) {
				r.Overlaps++
			}
		}
	}
}
