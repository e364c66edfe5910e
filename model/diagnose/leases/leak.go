package leases

import (
	"fmt"

	"locktop/model"
	"locktop/model/diagnose/rule"
)

// Leak is about leases that nobody gives back.
var Leak = rule.Family{Any: []rule.Func{leaseLeak}, Entries: []rule.Entry{{
	Code:  model.CodeLeaseLeak,
	Place: 265,
	Word:  "lease leak",
	Story: "A program leaves a lease behind with each try for {lock}",
	Title: "A program takes a lease for each try, and gives none back",
	Mechanism: "A program grants a lease or opens a session for each try, and neither revokes nor closes it. A lease that " +
		"nobody renews is left for its TTL, a session that was left open for as long as the process lives. Many thousands " +
		"of them make expiry and a change of leader slow.",
	Looks: "The keys of one name, as their value tells it, come and go with five new leases within one TTL, each of these lives " +
		"on without a key, and one TTL later none was used again. Only the watch sees that. Programs that share a name and use " +
		"their sessions in turn look the same until then, so it is a hint. Where values name nobody, the members' metrics count " +
		"what was granted, revoked and expired.",
	Do: "In the client: one session per process, and close what failed or is done. To count them: etcdctl lease list (root where " +
		"auth is on) now and an hour later; etcdctl lease timetolive ID --keys of some that are new: without keys, and renewed, they are leaked.",
	Threads:    []string{"go-micro/plugins#48"},
	Needs:      []rule.Needs{rule.NeedsEtcd, rule.NeedsMetrics},
	Confidence: model.Hint,
	Breaking:   rule.Breaking{Effect: rule.BreakNone, Why: "what is leaked has no keys: there is nothing to break"},
}}}

// leaseLeak finds a program that leaves a lease behind each time (go-micro/plugins#48).
func leaseLeak(x *rule.Context) {
	for _, n := range x.Leaks.Of(x.L.Name) {
		if x.K.Now().Before(n.Told) {
			x.Recheck(n.Told)
			continue
		}
		leases := n.Live()
		last := leases[len(leases)-1]
		f := model.Finding{Code: model.CodeLeaseLeak, Severity: model.SevInfo, Confidence: model.Hint, Lease: last.ID,
			Summary:  fmt.Sprintf("%s left at least %d leases behind, the last one here: each was new, and lives on without a key", n.Who, len(leases)),
			Evidence: []string{fmt.Sprintf("they had keys of that name within %s, and have a TTL of %d s", model.Duration(last.Came.Sub(leases[0].Came), false), last.Read.Granted)},
			Advice: []string{"use one session for each process, and close it where it ends",
				"check whether the empty leases are renewed: a program that uses its sessions in turn will come back with one of them"}}
		for _, l := range leases {
			f.Evidence = append(f.Evidence, fmt.Sprintf("lease %s: its key went %s ago; %d of %d s left %s ago, and no keys", l.ID,
				model.Duration(x.K.Now().Sub(l.Gone), false), l.Read.Remaining, l.Read.Granted, model.Duration(x.K.Now().Sub(l.Read.At), false)))
			f.Etcdctl = append(f.Etcdctl, l.ID.Etcdctl())
		}
		x.Report(f, nil)
	}
}
