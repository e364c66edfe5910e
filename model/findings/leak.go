package findings

import (
	"locktop/model"
)

// leakFamily is about leases that nobody gives back.
var leakFamily = Family{Any: []Func{leaseLeak}, Entries: []Entry{{
	Code:     model.CodeLeaseLeak,
	Place:    265,
	Severity: model.SevInfo,
	Word:     model.Say("state-lease-leak"),
	Story:    model.Say("headline-lease-leak", theLock),
	Title:    "A program takes a lease for each try, and gives none back",
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
	Needs:      []Needs{NeedsEtcd, NeedsMetrics},
	Confidence: model.Hint,
	Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-lease-leak")},
}}}

// leaseLeak finds a program that leaves a lease behind each time (go-micro/plugins#48).
func leaseLeak(x *Context) {
	for _, n := range x.Leaks.NamesOf(x.L.Name) {
		if x.K.Now().Before(n.ReportAt) {
			x.Recheck(n.ReportAt)
			continue
		}
		leases := n.Live()
		last := leases[len(leases)-1]
		f := model.Finding{Code: model.CodeLeaseLeak, Severity: model.SevInfo, Confidence: model.Hint, Lease: last.ID,
			Summary:  model.Say("left-at-least-leases-behind", model.Verbatim(n.Client), len(leases)),
			Evidence: []model.Message{model.Say("they-had-keys", last.Came.Sub(leases[0].Came), last.Read.Granted)},
			Advice: []model.Message{model.Say("use-one-session-for-each"),
				model.Say("check-whether-the-empty-leases")}}
		for _, l := range leases {
			f.Evidence = append(f.Evidence, model.Say("leaked-lease", l.ID, x.K.Now().Sub(l.Gone), l.Read.Remaining, l.Read.Granted, x.K.Now().Sub(l.Read.At)))
			f.Etcdctl = append(f.Etcdctl, l.ID.Etcdctl())
		}
		x.Report(f, nil)
	}
}
