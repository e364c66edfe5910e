package fields

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/model/timeline"
)

// Cost is what was waited for a lock in a time. L is nil where the lock has no keys now.
type Cost struct {
	*timeline.Contention
	S    *store.View
	L    *locks.Lock
	Name string
	Now  time.Time
}

// Costs are those of all locks with a holder between two times, first those for which most was
// waited, last those whose waiters cannot be seen.
func Costs(s *store.View, from, to time.Time) []Cost {
	var all []Cost
	take := func(name string, l *locks.Lock) {
		if c := s.Timeline().Contention(name, from, to, Contender(s)); l != nil || c.Turns() > 0 {
			all = append(all, Cost{c, s, l, name, to})
		}
	}
	for _, l := range s.Locks() {
		if l.Recipe().HasHolder {
			take(l.Name, l)
		}
	}
	for name := range s.Timeline().Names {
		if s.Lock(name) == nil {
			take(name, nil)
		}
	}
	slices.SortFunc(all, func(a, b Cost) int {
		if a.Visible != b.Visible {
			if a.Visible {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.TotalWait, a.TotalWait), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// Contender says whose turn a claim is: its client's name, else its session, else its key.
// Unlike what a screen has room for, it is told from all others.
func Contender(s *store.View) func(model.ClaimRef) string {
	return func(r model.ClaimRef) string {
		switch id := s.Identity(r); {
		case id.Text != "":
			return id.Text
		case r.Lease != 0:
			return r.Lease.String()
		}
		return model.Printable(r.Key)
	}
}

// State is how the lock does, in the words of a condition.
func (x Cost) State(word func(model.Condition) string) string {
	if x.L == nil {
		return "no keys"
	}
	return word(status.ConditionOf(x.S, x.L))
}

// movesWhen says what it takes for the lock to move, "" where that is not known.
func (x Cost) movesWhen() string {
	if x.L == nil {
		return ""
	}
	return text.English(status.NextMove(x.S, x.L, x.Now).When)
}

// ratio is a number from 0 to 1 as programs get it.
func ratio(f float64) string { return strconv.FormatFloat(math.Round(f*1e4)/1e4, 'f', -1, 64) }

// Percent is a share as a person reads it.
func Percent(f float64) string { return strconv.Itoa(int(100*f+0.5)) + "%" }

func short(d time.Duration, known bool) string {
	if !known {
		return "-"
	}
	return model.Duration(d, false)
}

func p50(of func(Cost) timeline.Durations) (cell, record func(Cost) string) {
	return func(x Cost) string { d, ok := of(x).P50(); return short(d, ok) },
		func(x Cost) string { d, ok := of(x).P50(); return secondsIf(ok, d) }
}

// waitsSeen are the waits, none where they cannot be seen.
func (x Cost) waitsSeen() timeline.Durations {
	if !x.Visible {
		return nil
	}
	return x.Waits
}

// CostFields are the fields of what a lock cost.
var CostFields = func() []Field[Cost] {
	waitCell, wait := p50(Cost.waitsSeen)
	holdCell, hold := p50(func(x Cost) timeline.Durations { return x.Holds })
	gapCell, gap := p50(func(x Cost) timeline.Durations { return x.Gaps })
	half := func(x Cost) (time.Duration, bool) { return x.WhatIf(0.5) }
	return []Field[Cost]{
		{Name: "name", Title: "title-lock", In: In{Table: 10, CSV: 10, JSON: 10}, JSON: Bytes, Raw: func(x Cost) string { return x.Name }},
		{Name: "recipe", In: In{CSV: 20, JSON: 20}, JSON: Text, Record: func(x Cost) string {
			if x.L == nil {
				return ""
			}
			return x.L.Recipe().Name
		}},
		{Name: "state", Title: "title-state", In: In{Table: 100, CSV: 30, JSON: 30}, JSON: Text, Cell: func(x Cost) string {
			return x.State(func(c model.Condition) string { return text.English(findings.StateWord(c)) })
		},
			Record: func(x Cost) string { return x.State(func(c model.Condition) string { return c.Word }) }},
		{Name: "moves_when", Title: "title-moves-when", In: In{Table: 110, CSV: 40, JSON: 40}, JSON: Text, Cell: func(x Cost) string { return orDash(x.movesWhen()) }, Record: Cost.movesWhen},
		{Name: "total_wait", Title: "title-waited", In: In{Table: 20, CSV: 50, JSON: 50}, JSON: Bare,
			Cell: func(x Cost) string {
				if !x.Visible {
					return "?"
				}
				return model.Duration(x.TotalWait, x.Unseen > 0)
			}, Record: func(x Cost) string { return secondsIf(x.Visible, x.TotalWait) }},
		{Name: "since", In: In{CSV: 60, JSON: 60}, JSON: Text, Record: func(x Cost) string { return x.From.Format(time.RFC3339Nano) }},
		{Name: "unseen", In: In{CSV: 70, JSON: 70}, JSON: Bare, Record: func(x Cost) string { return secondsIf(true, x.Unseen) }},
		{Name: "waiters", Title: "title-wait-now", In: In{Table: 30, CSV: 80, JSON: 80}, JSON: Bare,
			Cell: func(x Cost) string {
				if !x.Visible {
					return "?"
				}
				return strconv.Itoa(x.Waiters)
			}, Record: func(x Cost) string { return intIf(x.Visible, int64(x.Waiters)) }},
		{Name: "wait_p50", Title: "title-wait-p50", In: In{Table: 40, CSV: 90, JSON: 90}, JSON: Bare, Cell: waitCell, Record: wait},
		{Name: "hold_p50", Title: "title-hold-p50", In: In{Table: 50, CSV: 100, JSON: 100}, JSON: Bare, Cell: holdCell, Record: hold},
		{Name: "gap_p50", Title: "title-gap-p50", In: In{Table: 60, CSV: 110, JSON: 110}, JSON: Bare, Cell: gapCell, Record: gap},
		{Name: "utilisation", Title: "title-in-use", In: In{Table: 70, CSV: 120, JSON: 120}, JSON: Bare, Cell: func(x Cost) string { return Percent(x.Utilisation()) },
			Record: func(x Cost) string { return ratio(x.Utilisation()) }},
		{Name: "queued", Title: "title-queued", In: In{Wide: 10, CSV: 130, JSON: 130}, JSON: Bare, Cell: func(x Cost) string { return short(x.Queued, x.Visible) },
			Record: func(x Cost) string { return secondsIf(x.Visible, x.Queued) }},
		{Name: "fairness", Title: "title-fair", In: In{Table: 80, CSV: 140, JSON: 140}, JSON: Bare,
			Cell: func(x Cost) string {
				if x.Fairness == 0 {
					return "-"
				}
				return strconv.FormatFloat(x.Fairness, 'f', 2, 64)
			}, Record: func(x Cost) string {
				if x.Fairness == 0 {
					return ""
				}
				return ratio(x.Fairness)
			}},
		{Name: "bypassed", Title: "title-bypassed", In: In{Wide: 20, CSV: 150, JSON: 150}, JSON: Bare, Cell: func(x Cost) string { return orDash(intIf(x.Visible, int64(x.Bypass))) },
			Record: func(x Cost) string { return intIf(x.Visible, int64(x.Bypass)) }},
		{Name: "convoy", Title: "title-convoy", In: In{Wide: 30, CSV: 160, JSON: 160}, JSON: Bare, Cell: func(x Cost) string {
			switch {
			case !x.Visible:
				return "?"
			case x.Convoy():
				return "yes"
			}
			return "no"
		}, Record: func(x Cost) string {
			if !x.Visible {
				return ""
			}
			return strconv.FormatBool(x.Convoy())
		}},
		{Name: "total_wait_half_hold", Title: "title-if-half", In: In{Wide: 40, CSV: 170, JSON: 170}, JSON: Bare, Cell: func(x Cost) string { return short(half(x)) },
			Record: func(x Cost) string { d, ok := half(x); return secondsIf(ok, d) }},
		{Name: "pairs", Title: "title-most-for-whom", In: In{Table: 90, CSV: 180, JSON: 180}, Cell: func(x Cost) string { return orDash(pairWords(x.Pairs, 1)) },
			Record: func(x Cost) string { return Guarded(pairWords(x.Pairs, PairsMost)) }},
		{Name: "total_hold", In: In{CSV: 200, JSON: 55}, JSON: Bare, Record: func(x Cost) string { return secondsIf(true, x.TotalHold) }},
		{Name: "pairs_left_out", In: In{CSV: 190, JSON: 190}, JSON: Bare, Record: func(x Cost) string { return intIf(!x.PairsCut, int64(max(0, len(x.Pairs)-PairsMost))) }},
	}
}()

// PairsMost is how many pairs of a lock programs get.
const PairsMost = 20

// pairWords are the first pairs in a sentence.
func pairWords(pairs []timeline.Pair, most int) string {
	var words []string
	for _, p := range pairs[:min(len(pairs), most)] {
		words = append(words, fmt.Sprintf("%s for %s, %s", p.Waiter, p.Holder, model.Duration(p.Total, false)))
	}
	return strings.Join(words, " | ")
}
