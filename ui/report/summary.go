package report

import (
	"fmt"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/store"
)

// Summary is the last line of a diagnosis: how many findings of each severity, on how many
// locks. blind says that not all could be seen. Of no lock nothing is said to be well.
func Summary(s *store.View, locks []*locks.Lock, o Observation, blind bool) string {
	text := judged(s, locks, blind)
	for _, b := range o.Bare {
		text += "; " + b.Words()
	}
	return text
}

func judged(s *store.View, locks []*locks.Lock, blind bool) string {
	sealed := 0
	for _, l := range locks {
		if status.Sealed(l) {
			sealed++
		}
	}
	if sealed > 0 {
		return summary(s, locks, blind) + "; " + model.CountOf(sealed, "Lease") + " of Kubernetes not judged: encrypted"
	}
	return summary(s, locks, blind)
}

func summary(s *store.View, all []*locks.Lock, blind bool) string {
	locks := model.CountOf(len(all), "lock")
	n, claims := map[model.Severity]int{}, 0
	count := func(found []model.Finding) {
		for i := range found {
			n[found[i].Severity]++
		}
	}
	count(s.ClusterFindings())
	for _, l := range all {
		count(s.FindingsOf(l))
		claims += l.Len()
	}
	switch {
	case len(n) > 0:
		return fmt.Sprintf("%s, %s, %d info on %s", model.CountOf(n[model.SevError], "error"), model.CountOf(n[model.SevWarning], "warning"), n[model.SevInfo], locks)
	case len(all) == 0:
		return "Nothing was judged: there is no lock"
	case blind:
		return "No problems in what could be seen of " + locks
	}
	if len(all) == len(s.Locks()) {
		_, claims = s.Counts() // without the keys that are no claims
	}
	return fmt.Sprintf("No problems on %s (%s)", locks, model.CountOf(claims, "claim"))
}
