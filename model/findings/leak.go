package findings

import (
	"locktop/model"
)

// leakFamily is about leases that nobody gives back.
var leakFamily = Family{Any: []Func{leaseLeak}, Entries: []Entry{{
	Code:       model.CodeLeaseLeak,
	Place:      265,
	Severity:   model.SevInfo,
	Word:       model.Say("state-lease-leak"),
	Story:      model.Say("headline-lease-leak", theLock),
	Title:      model.Say("about-lease-leak"),
	Mechanism:  model.Say("mechanism-lease-leak"),
	Looks:      model.Say("looks-lease-leak"),
	Do:         model.Say("do-lease-leak"),
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
