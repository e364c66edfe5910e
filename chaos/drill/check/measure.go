package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// nobody is the word for no holder and no believer.
const nobody = "nobody"

// measures are the functions that measure, by the name of the measure, in what happened
// since the question was asked.
var measures = map[string]func(*Checker, drill.Measure, time.Time) drill.Measured{
	"holder":      holderNow,
	"believers":   believersNow,
	"until-held":  untilHeld,
	"named":       namedLast,
	"overlap":     overlapSince,
	"failed-txns": failedTxns,
	"in-vain": counting(func(l *lockHistory, from time.Time) (n int) {
		for _, a := range l.attempts {
			if a.to.After(from) {
				n++
			}
		}
		return n
	}),
	"stale-writes": counting(func(l *lockHistory, from time.Time) int {
		return l.accessed(from, func(a model.Access) bool { return a.Write && a.Accepted && a.Token < l.newest(a.At) })
	}),
	"refused": counting(func(l *lockHistory, from time.Time) int {
		return l.accessed(from, func(a model.Access) bool { return !a.Accepted })
	}),
	"lost": counting(func(l *lockHistory, _ time.Time) (n int) {
		for _, a := range l.accesses {
			n = max(n, a.Lost)
		}
		return n
	}),
}

// Measure measures what decides a question that was asked at a time.
func (ck *Checker) Measure(m drill.Measure, asked time.Time) drill.Measured {
	found := measures[m.Name](ck, m, asked)
	found.Name, found.Unit = m.Name, m.Unit()
	return found
}

func counting(of func(*lockHistory, time.Time) int) func(*Checker, drill.Measure, time.Time) drill.Measured {
	return func(j *Checker, m drill.Measure, asked time.Time) drill.Measured {
		return drill.Measured{Number: new(float64(of(j.locks[m.Lock], asked)))}
	}
}

func (l *lockHistory) accessed(from time.Time, is func(model.Access) bool) (n int) {
	for _, a := range l.accesses {
		if a.At.After(from) && is(a) {
			n++
		}
	}
	return n
}

// newest is the highest token that the lock gave to a holder until then.
func (l *lockHistory) newest(at time.Time) (token int64) {
	for _, t := range l.tenures {
		if !t.at.After(at) {
			token = max(token, t.claim.create)
		}
	}
	return token
}

func joined(names []string) drill.Measured {
	if len(names) == 0 {
		return drill.Measured{Word: nobody}
	}
	slices.Sort(names)
	return drill.Measured{Word: strings.Join(slices.Compact(names), "+")}
}

func holderNow(j *Checker, m drill.Measure, _ time.Time) drill.Measured {
	var names []string
	for _, c := range j.locks[m.Lock].holders() {
		names = append(names, j.name(c))
	}
	return joined(names)
}

func believersNow(j *Checker, m drill.Measure, _ time.Time) drill.Measured {
	var names []string
	for _, h := range j.locks[m.Lock].holds {
		if h.to.IsZero() {
			names = append(names, h.contender)
		}
	}
	return joined(names)
}

// leaderNamed are the sentences in which a contender says who leads.
var leaderNamed = []model.MessageID{"program-observes", "program-observed", "program-asked", "program-resumed"}

// namedLast is whom a contender named last as the leader.
func namedLast(j *Checker, m drill.Measure, _ time.Time) drill.Measured {
	said := j.lastNote(m.Contender).Said
	if !slices.Contains(leaderNamed, said.ID) {
		return drill.Measured{}
	}
	return drill.Measured{Word: fmt.Sprint(said.Args...)}
}

// untilHeld counts from the last fault since the question, or from the question, until the
// contender held a lock.
func untilHeld(j *Checker, m drill.Measure, asked time.Time) drill.Measured {
	from := asked
	if t := j.lastHit("", j.now); t != nil && t.At.After(asked) {
		from = t.At
	}
	for _, name := range j.d.Lab.Locks() {
		for _, c := range j.locks[name].claims {
			if c.held && c.heldAt.After(from) && j.owner(c) == m.Contender {
				return drill.Measured{Number: new(c.heldAt.Sub(from).Seconds())}
			}
		}
	}
	return drill.Measured{}
}

// failedTxns are the transactions of a contender whose condition did not hold, since the question.
func failedTxns(j *Checker, m drill.Measure, asked time.Time) drill.Measured {
	all := j.asked[m.Contender]
	if len(all) == 0 {
		return drill.Measured{}
	}
	before := 0
	for _, a := range all {
		if !a.At.After(asked) {
			before = a.Vain
		}
	}
	return drill.Measured{Number: new(float64(all[len(all)-1].Vain - before))}
}

func overlapSince(j *Checker, m drill.Measure, asked time.Time) drill.Measured {
	l, longest := j.locks[m.Lock], time.Duration(0)
	for i, a := range l.holds {
		for _, b := range l.holds[i+1:] {
			if d, from := j.together(l, a, b); d > 0 && from.Add(d).After(asked) {
				longest = max(longest, d)
			}
		}
	}
	return drill.Measured{Number: new(longest.Seconds())}
}
