package ticket

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/timeline"
)

// eventLane is a row of the axis above those of the locks, as paths: when something was bad, doubtful
// or not seen, and moments.
type eventLane struct {
	Name, Bad, Warn, Unseen, Moments string
}

// period is a time from when to when; it goes on if it has no end.
type period struct{ from, to time.Time }

// of paints every cell that a period touches.
func (a axis) of(all []period) string {
	cells := make([]byte, a.cells)
	for _, x := range all {
		from, to, ok := timeline.Within(x.from, x.to, a.from, a.to)
		if !ok && (from.Before(a.from) || from.After(a.to) || !from.Equal(to)) {
			continue
		}
		a.mark(cells, from, to)
	}
	return a.path(cells, cellEven)
}

// moments paints a stroke at each moment, of which one cell has one.
func (a axis) moments(all []time.Time) string {
	var b []byte
	last := -1
	for _, at := range all {
		if at.Before(a.from) || at.After(a.to) || !a.to.After(a.from) {
			continue
		}
		x := int(float64(at.Sub(a.from)) / float64(a.to.Sub(a.from)) * axisWidth)
		if x == last {
			continue
		}
		last = x
		b = append(strconv.AppendInt(append(b, 'M'), int64(min(x, axisWidth-1)), 10), " 0v10"...)
	}
	return string(b)
}

// aboveLocks are the lanes of the problems and of the cluster.
func (p *Page) aboveLocks(a axis) []eventLane {
	var problems, cluster struct{ bad, warn, unseen []period }
	for _, s := range p.Stories {
		x := period{from: s.From}
		if s.To != nil {
			x.to = *s.To
		}
		switch {
		case s.began.Kind == journal.Gap:
			cluster.unseen = append(cluster.unseen, x)
		case s.began.Kind != journal.Finding:
		case s.level == model.LevelError:
			problems.bad = append(problems.bad, x)
		default:
			problems.warn = append(problems.warn, x)
		}
	}
	var leaders []time.Time
	var leaderless *period
	down := map[string]*period{}
	for _, e := range p.lines {
		switch {
		case e.Text.ID == "locktop-did-not-run":
			if d, ok := e.Text.Args[0].(time.Duration); ok {
				cluster.unseen = append(cluster.unseen, period{e.At.Add(-d), e.At})
			}
		case e.Kind != journal.Member:
		case slices.Contains([]model.MessageID{"no-leader", "no-leader-from-here", "no-member-answers"}, e.Text.ID):
			if leaderless == nil {
				leaderless = &period{from: e.At}
			}
		case slices.Contains([]model.MessageID{"leads", "leads-now", "leads-as-before", "leads-perhaps-anew", "has-its-leader-still"}, e.Text.ID):
			if leaderless != nil {
				cluster.bad = append(cluster.bad, period{leaderless.from, e.At})
				leaderless = nil
			}
			if e.Text.ID == "leads-now" || e.Text.ID == "leads-perhaps-anew" {
				leaders = append(leaders, e.At)
			}
		case e.Text.ID == "member-does-not-answer":
			if name := fmt.Sprint(e.Text.Args[0]); down[name] == nil {
				down[name] = &period{from: e.At}
			}
		case e.Text.ID == "member-answers-again":
			name := fmt.Sprint(e.Text.Args[0])
			if x := down[name]; x != nil {
				cluster.warn = append(cluster.warn, period{x.from, e.At})
				delete(down, name)
			}
		}
	}
	if leaderless != nil {
		cluster.bad = append(cluster.bad, *leaderless)
	}
	for _, x := range down {
		cluster.warn = append(cluster.warn, *x)
	}
	return []eventLane{
		{"problems", a.of(problems.bad), a.of(problems.warn), "", ""},
		{"cluster", a.of(cluster.bad), a.of(cluster.warn), a.of(cluster.unseen), a.moments(leaders)},
	}
}

// actsOn are the moments of the acts on a lock.
func (p *Page) actsOn(a axis, lock string) string {
	var all []time.Time
	for _, e := range p.acts() {
		if e.Lock == lock {
			all = append(all, e.At)
		}
	}
	return a.moments(all)
}
