package diagnose

import (
	"fmt"

	"locktop/model"
	"locktop/model/diagnose/rule"
	"locktop/model/keyspace"
	"locktop/model/outlook"
)

// Calm says of a lock of which nothing is found how it is, what it takes to move, and what
// etcd cannot tell of it: a sentence each.
func Calm(k *keyspace.Keyspace, l *keyspace.Lock) []string {
	now := k.Now()
	c := outlook.Of(l)
	lines := []string{"no problem found; it is " + c.Word + ": " + c.Sentence()}
	if outlook.Sealed(l) {
		return []string{"nothing can be found: " + c.Sentence()}
	}
	if !l.Recipe().HasHolder || l.Free() {
		return lines
	}
	held, atLeast := l.HeldFor(now)
	line := fmt.Sprintf("%s holds for %s", k.Who(l.Head().Ref()), model.Duration(held, atLeast))
	longest, bound, any := l.LongestWait(now)
	switch {
	case !l.Recipe().WaitersVisible():
		line += "; who waits for it leaves no trace in etcd"
	case any:
		line += fmt.Sprintf("; %s, the longest for %s", rule.Waiting(l.Behind()), model.Duration(longest, bound))
	default:
		line += "; nobody waits"
	}
	lines = append(lines, line)
	if until := outlook.Until(l, now); until != "" {
		lines = append(lines, "it stays so "+until)
	}
	if st := l.Stats(); st.Holds >= rule.LongHolds {
		lines = append(lines, fmt.Sprintf("of the last %d holds half took %s at most, the longest %s", st.Holds,
			model.Duration(st.HoldP50, false), model.Duration(keyspace.Percentile(l.HoldTimes(), 100), false)))
	} else {
		lines = append(lines, fmt.Sprintf("an estimate needs %d holds that were seen whole; %d were", rule.LongHolds, st.Holds))
	}
	return append(lines, "a hung program whose client still renews looks the same in etcd")
}
