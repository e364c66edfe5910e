package fields

import (
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
)

// Lock is a lock of a state, at a time.
type Lock struct {
	S   *store.View
	L   *locks.Lock
	Now time.Time
}

// head is the key at the head of its queue, nil for none.
func (x Lock) head() *locks.Claim { return x.L.Head() }

// ofHead is a value of the head, none where there is no head.
func ofHead(none string, value func(Lock, *locks.Claim) string) func(Lock) string {
	return func(x Lock) string {
		if h := x.head(); h != nil {
			return value(x, h)
		}
		return none
	}
}

// lockReading is a value of the reading of the head's lease.
func lockReading(value func(Reading) string) func(Lock) string {
	return func(x Lock) string {
		var l *locks.Lease
		if h := x.head(); h != nil {
			l = h.LeaseInfo()
		}
		return value(ReadingOf(l, x.Now))
	}
}

// Locks are the fields of a lock. What is said of a claim is said of its head.
var Locks = []Field[Lock]{
	{Name: "name", Title: "title-lock", In: In{Table: 10, CSV: 10, JSON: 10, Console: 10}, Width: Width{Least: 18, Fair: 22, Most: 56}, JSON: Bytes,
		Raw: func(x Lock) string { return x.L.Name }},
	{Name: "recipe", Title: "title-recipe", In: In{Table: 20, CSV: 20, JSON: 20, Console: 20}, Width: Width{Least: 8, Fair: 10, Most: 15, Rank: 9},
		Own: recipeName, JSON: Text, Record: func(x Lock) string { return x.L.Recipe().Name }},
	{Name: "recipe_confidence", In: In{CSV: 30, JSON: 30}, JSON: Text, Record: func(x Lock) string { return string(x.L.RecipeConfidence()) }},
	{Name: "recipe_evidence", In: In{JSON: 32}},
	{Name: "recipe_observed", In: In{JSON: 34}, JSON: Bare, Record: truth(func(x Lock) bool { return x.L.RecipeObserved() })},
	{Name: "order", In: In{JSON: 40}, JSON: Text, Record: func(x Lock) string { return string(x.L.Recipe().Order) }},
	{Name: "waiters_visible", In: In{JSON: 50}, JSON: Bare, Record: truth(func(x Lock) bool { return x.L.Recipe().HasHolder && x.L.Recipe().WaitersVisible() })},
	{Name: "exclusive", In: In{JSON: 60}, JSON: Bare, Record: truth(func(x Lock) bool { return x.L.Recipe().Exclusive() })},
	{Name: "blocked", In: In{JSON: 70}, JSON: Bare, Record: truth(func(x Lock) bool { return x.L.Blocked() })},
	{Name: "state", Title: "title-state", In: In{Table: 80, CSV: 40, JSON: 80, Console: 15}, Width: Width{Least: 15, Fair: 16, Most: 17, Rank: 1}, JSON: Text,
		Cell: func(x Lock) string { return text.English(findings.StateWord(status.ConditionOf(x.S, x.L))) }, Record: func(x Lock) string { return status.ConditionOf(x.S, x.L).Word }},
	{Title: "title-last-minute", In: In{Console: 90}, Width: Width{Least: 20, Fair: 20, Most: 72, Rank: 7, Picture: true}},
	{Name: "moves_when", Title: "title-moves-when", In: In{Table: 90, CSV: 210, JSON: 90, Console: 75}, Width: Width{Least: 17, Fair: 20, Most: 44, Rank: 5}, JSON: Text,
		Cell: func(x Lock) string { return orDash(text.English(status.NextMove(x.S, x.L, x.Now).When)) }, Record: func(x Lock) string { return text.English(status.NextMove(x.S, x.L, x.Now).When) }},
	{Name: "holders", In: In{CSV: 50, JSON: 100}, Record: func(x Lock) string { return strconv.Itoa(x.L.Holders()) }},
	{Name: "waiters", Title: "title-behind", In: In{Table: 60, CSV: 60, JSON: 110, Console: 60}, Width: Width{Least: 6, Fair: 6, Most: 7, Rank: 4, Right: true},
		Cell: waiterCount, Record: waiters},
	{Name: "holder", Title: "title-holder", In: In{Table: 30, CSV: 70, Console: 30}, Width: Width{Least: 9, Fair: 11, Most: 28, Rank: 2},
		Cell: func(x Lock) string { return orDash(holders(x)) }, Record: func(x Lock) string { return Guarded(holder(x)) }},
	{Name: "held", Title: "title-held", In: In{Table: 40, CSV: 80, Console: 40}, Width: Width{Least: 6, Fair: 6, Most: 7, Rank: 3, Right: true},
		Cell: heldFor, Record: heldSeconds},
	{Name: "held_is_lower_bound", In: In{CSV: 90}, Record: heldIsBound},
	{Title: "title-lease", In: In{Table: 50, Console: 50}, Width: Width{Least: 25, Fair: 25, Most: 25, Rank: 8},
		Cell: func(x Lock) string { return lease(x.head(), x.Now) }},
	{Name: "longest_wait", Title: "title-longest", In: In{Table: 70, CSV: 100, Console: 70}, Width: Width{Least: 7, Fair: 7, Most: 8, Rank: 6, Right: true},
		Cell: longest, Record: longestSeconds},
	{Name: "longest_wait_is_lower_bound", In: In{CSV: 110}, Record: longestIsBound},
	{Title: "title-waited", In: In{Console: 72}, Width: Width{Least: 7, Fair: 7, Most: 7, Rank: 10, Right: true}},
	{Name: "members", In: In{JSON: 115}},
	{Name: "foreign", In: In{JSON: 116}},
	{Name: "kubernetes", In: In{JSON: 117}},
	{Name: "handovers", In: In{CSV: 120, JSON: 120}, Record: func(x Lock) string { return strconv.Itoa(x.L.Stats().Handovers) }},
	{Name: "key", Title: "title-key", In: In{Wide: 10, CSV: 130},
		Raw: ofHead("", func(_ Lock, h *locks.Claim) string { return h.Key })},
	{Name: "create_revision", Title: "title-created", In: In{Wide: 20, CSV: 140},
		Own: ofHead("", func(_ Lock, h *locks.Claim) string { return rev(h.CreateRev) })},
	{Name: "lease", Title: "title-lease-id", In: In{Wide: 30, CSV: 150},
		Cell:   ofHead("-", func(_ Lock, h *locks.Claim) string { return leaseID(h) }),
		Record: ofHead("", func(_ Lock, h *locks.Claim) string { return leaseIf(h.KV.Lease) })},
	{Name: "granted", Title: "title-granted", In: In{Wide: 40, CSV: 160},
		Cell:   lockReading(Reading.granted),
		Record: lockReading(func(r Reading) string { return intIf(r.Known, r.Granted) })},
	{Name: "remaining", Title: "title-left", In: In{Wide: 50, CSV: 170},
		Cell:   lockReading(Reading.leftText),
		Record: lockReading(func(r Reading) string { return intIf(r.Known, r.Remaining) })},
	{Name: "renewed_ago", Title: "title-renewed", In: In{Wide: 60, CSV: 180},
		Cell:   lockReading(Reading.renewed),
		Record: lockReading(func(r Reading) string { return secondsIf(r.RenewedKnown, r.Renewed) })},
	{Name: "lease_state", In: In{CSV: 190}, Record: ofHead("", func(_ Lock, h *locks.Claim) string { return string(h.LeaseInfo().State()) })},
	{Name: "permits", In: In{JSON: 140}, JSON: Bare, Own: func(x Lock) string { return intIf(x.L.Recipe().Permits > 0, int64(x.L.Recipe().Permits)) }},
	{Name: "findings", In: In{CSV: 200, JSON: 130}, Record: codes},
}

func truth(of func(Lock) bool) func(Lock) string {
	return func(x Lock) string { return strconv.FormatBool(of(x)) }
}

// Evidence says why it is taken for that recipe: the signs of its keys, and what was seen of them.
func Evidence(l *locks.Lock) []string {
	why, seen := l.RecipeEvidence(), l.Seen()
	if len(seen) == 0 {
		return why
	}
	return append(slices.Clone(why), text.EnglishAll(seen)...)
}

// recipeName has a question mark behind a recipe that is a guess.
func recipeName(x Lock) string { return x.L.RecipeLabel() }

// waiterCount is how many wait, ? where waiting leaves no trace.
func waiterCount(x Lock) string {
	switch {
	case !x.L.Recipe().WaitersVisible():
		return "?"
	case !x.L.Recipe().HasHolder:
		return "-"
	}
	return strconv.Itoa(x.L.Behind())
}

func waiters(x Lock) string {
	return intIf(x.L.Recipe().WaitersVisible() && x.L.Recipe().HasHolder, int64(x.L.Behind()))
}

func holder(x Lock) string {
	if h := x.L.Holder(); h != nil {
		return x.S.Who(h.Ref())
	}
	return ""
}

// holdersNamed bounds how many of those that hold together are named.
const holdersNamed = 3

// holders names all who hold, and counts those for which there is no room.
func holders(x Lock) string {
	var names []string
	for c := range x.L.First(min(x.L.Holders(), holdersNamed)) {
		names = append(names, x.S.Who(c.Ref()))
	}
	text := strings.Join(names, ", ")
	if more := x.L.Holders() - len(names); more > 0 {
		text += " +" + strconv.Itoa(more)
	}
	return text
}

func heldFor(x Lock) string {
	if x.L.Holder() == nil {
		return "-"
	}
	return model.Duration(x.L.HeldFor(x.Now))
}

func heldSeconds(x Lock) string {
	d, _ := x.L.HeldFor(x.Now)
	return secondsIf(x.L.Holder() != nil, d)
}

func heldIsBound(x Lock) string {
	if x.L.Holder() == nil {
		return ""
	}
	_, bound := x.L.HeldFor(x.Now)
	return strconv.FormatBool(bound)
}

func longest(x Lock) string {
	d, bound, any := x.L.LongestWait(x.Now)
	if !any {
		return "-"
	}
	return model.Duration(d, bound)
}

// lately is the time for which the console says how long all together waited for a lock.
const lately = time.Minute

// WaitedLately is how long all together waited for the lock in the last minute, atLeast where
// only a part of that was seen; false where waiting leaves no key.
func (x Lock) WaitedLately() (d time.Duration, atLeast, visible bool) {
	if r := x.L.Recipe(); !r.HasHolder || !r.WaitersVisible() {
		return 0, false, false
	}
	from := x.Now.Add(-lately)
	return x.S.Timeline().Waited(x.L.Name, from, x.Now), x.S.Timeline().Since(x.L.Name).After(from), true
}

func longestSeconds(x Lock) string {
	d, _, any := x.L.LongestWait(x.Now)
	return secondsIf(any, d)
}

func longestIsBound(x Lock) string {
	_, bound, any := x.L.LongestWait(x.Now)
	if !any {
		return ""
	}
	return strconv.FormatBool(bound)
}

func codes(x Lock) string {
	var all []model.Code
	for _, f := range x.S.FindingsOf(x.L) {
		all = append(all, f.Code)
	}
	return joined(all)
}
