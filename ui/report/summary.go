package report

import (
	"fmt"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/recipe"
	"locktop/model/status"
	"locktop/model/store"
)

// Summary is the last line of a diagnosis: how many problems of each severity, on how many
// locks. blind says that not all could be seen. Of no lock nothing is said to be well, and groups of
// leased keys, which are none, are counted by themselves.
func Summary(s *store.View, locks []*locks.Lock, o Observation, blind bool) string {
	none := "No problems"
	if len(o.Over) > 0 {
		none = "No problems now"
	}
	text := judged(s, locks, blind, none)
	for _, b := range o.Bare {
		text += "; " + b.Words()
	}
	return text
}

func judged(s *store.View, locks []*locks.Lock, blind bool, none string) string {
	sealed := 0
	for _, l := range locks {
		if status.Sealed(l) {
			sealed++
		}
	}
	if sealed > 0 {
		return summary(s, locks, blind, none) + "; " + model.CountOf(sealed, "Lease") + " of Kubernetes not judged: encrypted"
	}
	return summary(s, locks, blind, none)
}

func summary(s *store.View, all []*locks.Lock, blind bool, none string) string {
	n, claims, groups := map[model.Severity]int{}, 0, 0
	told := map[uint64]bool{} // a story counts once, however many locks it is about
	count := func(found []model.Finding) {
		for i := range found {
			if story := found[i].Story; story == 0 || !told[story] {
				n[found[i].Severity]++
				told[story] = true
			}
		}
	}
	count(s.ClusterFindings())
	for _, l := range all {
		count(s.FindingsOf(l))
		if l.Shape() == recipe.Group {
			groups++
		} else {
			claims += l.Len()
		}
	}
	locks, beside := model.CountOf(len(all)-groups, "lock"), ""
	if groups > 0 {
		beside = ", and " + model.CountOf(groups, "group") + " of leased keys"
	}
	switch {
	case len(n) > 0:
		return fmt.Sprintf("%s, %s, %d info on %s%s", model.CountOf(n[model.SevError], "error"), model.CountOf(n[model.SevWarning], "warning"), n[model.SevInfo], locks, beside)
	case len(all) == groups:
		return "Nothing was judged: there is no lock" + beside
	case blind:
		return none + " in what could be seen of " + locks + beside
	}
	if len(all) == len(s.Locks()) {
		_, claims = s.Counts() // without the keys that are no claims
	}
	return fmt.Sprintf("%s on %s (%s)%s", none, locks, model.CountOf(claims, "claim"), beside)
}
