package findings

import (
	"fmt"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/text"
)

// QuietWords says of a lock of which nothing is found how it is, what it takes to move, and what
// etcd cannot tell of it: a sentence each.
func (d *Set) QuietWords(l *locks.Lock) []string {
	now := d.k.Now()
	c := status.ConditionOf(d, l)
	lines := []string{"no problem found; it is " + c.Word + ": " + text.English(c.Message())}
	if status.Sealed(l) {
		return []string{"nothing can be found: " + text.English(c.Message())}
	}
	if !l.Recipe().HasHolder || l.Free() {
		return lines
	}
	held, atLeast := l.HeldFor(now)
	line := fmt.Sprintf("%s holds for %s", d.k.Owners.Who(l.Head().Ref()), model.Duration(held, atLeast))
	longest, bound, any := l.LongestWait(now)
	switch {
	case !l.Recipe().WaitersVisible():
		line += "; who waits for it leaves no trace in etcd"
	case any:
		line += fmt.Sprintf("; %s, the longest for %s", Waiting(l.Behind()), model.Duration(longest, bound))
	default:
		line += "; nobody waits"
	}
	lines = append(lines, line)
	if d.k.Keys.NoValues() {
		lines = append(lines, model.NamesUnread)
	}
	if until := status.DeadlineOf(d, l, now); until != "" {
		lines = append(lines, "it stays so "+until)
	}
	if st := l.Stats(); st.Holds >= LongHolds {
		lines = append(lines, fmt.Sprintf("of the last %d holds half took %s at most, the longest %s", st.Holds,
			model.Duration(st.HoldP50, false), model.Duration(locks.Percentile(l.HoldTimes(), 100), false)))
	} else {
		lines = append(lines, fmt.Sprintf("an estimate needs %d holds that were seen whole; %d were", LongHolds, st.Holds))
	}
	return append(lines, "a hung program whose client still renews looks the same in etcd")
}
