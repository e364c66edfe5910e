package findings

import (
	"maps"
	"slices"

	"locktop/model"
	"locktop/model/locks"
)

// renewerFamily is about who renews a lease, and who may not.
var renewerFamily = Family{Lab: []Func{foreignKeepalive, keepaliveDenied}, Entries: []Entry{
	{
		Code:       model.CodeForeignKeepalive,
		Place:      300,
		Severity:   model.SevWarning,
		Word:       model.Say("state-foreign-keepalive"),
		Story:      model.Say("headline-foreign-keepalive", theLock),
		Title:      model.Say("about-foreign-keepalive"),
		Mechanism:  model.Say("mechanism-foreign-keepalive"),
		Looks:      model.Say("looks-foreign-keepalive"),
		Do:         model.Say("do-foreign-keepalive"),
		Threads:    []string{"etcd-io/etcd#10117", "etcd-io/etcd#9218"},
		Needs:      []Needs{NeedsProxy},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-foreign-keepalive")},
	},
	{
		Code:       model.CodeKeepaliveDenied,
		Place:      440,
		Severity:   model.SevWarning,
		Word:       model.Say("state-keepalive-denied"),
		Story:      model.Say("headline-keepalive-denied", theLock),
		Title:      model.Say("about-keepalive-denied"),
		Mechanism:  model.Say("mechanism-keepalive-denied"),
		Looks:      model.Say("looks-keepalive-denied"),
		Do:         model.Say("do-keepalive-denied"),
		Threads:    []string{"patroni#2332", "etcd-io/etcd#13300", "etcd-io/etcd#8287"},
		Needs:      []Needs{NeedsProxy},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-keepalive-denied")},
	},
}}

// claimsHere yields the claims of this lock that hang on one of some leases, by lease:
// the leases are few, the claims may be many.
func claimsHere[V any](x *Context, leases map[model.LeaseID]V, yield func(*locks.Lease, *locks.Claim)) {
	if len(leases) == 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(leases)) {
		l := x.K.Leases.Lease(id)
		if l == nil {
			continue
		}
		if c := x.ClaimOn(l); c != nil {
			yield(l, c)
		}
	}
}

// foreignKeepalive finds a lease that somebody else than its owner renews, so that the
// owner's end would not free the lock (etcd-io/etcd#10117).
func foreignKeepalive(x *Context) {
	if !x.L.Recipe().HasHolder {
		return
	}
	claimsHere(x, x.Reports.Keepers.Shared(), func(l *locks.Lease, c *locks.Claim) {
		names := x.Reports.ForeignKeepers(l.ID, x.K.Now())
		if len(names) == 0 {
			return
		}
		f := model.Finding{Code: model.CodeForeignKeepalive, Severity: model.SevInfo, Confidence: model.Certain, Lease: l.ID,
			Summary:  model.Say("lease-is-renewed-by", c.Key, together(names)),
			Evidence: []model.Message{model.Say("the-proxy-saw-their-requests")},
			Advice:   []model.Message{model.Say("find-out-who-renews")}}
		if c == x.Head && x.L.Behind() > 0 {
			f.Severity = model.SevWarning
		}
		x.Report(f, c)
	})
}

// together names several clients in a message.
func together(names []string) model.Message {
	all := model.Say("client", model.Verbatim(names[0]))
	for _, name := range names[1:] {
		all = model.Say("both", all, model.Verbatim(name))
	}
	return all
}

// keepaliveDenied finds a claim whose lease may not be renewed any more
// (etcd-io/etcd#13300, the fix of CVE-2026-33413).
func keepaliveDenied(x *Context) {
	if !x.L.Recipe().HasHolder {
		return
	}
	claimsHere(x, x.Reports.Keepers.Refusals(), func(l *locks.Lease, c *locks.Claim) {
		if !denied(x, l) {
			return
		}
		r := x.Reports.Keepers.Refusals()[l.ID]
		left, _ := l.Remaining(x.K.Now())
		f := model.Finding{Code: model.CodeKeepaliveDenied, Severity: model.SevWarning, Confidence: proxyConfidence(r.Client), Lease: l.ID,
			Summary:  model.Say("may-not-renew-the-lease", r.Name, c.Key, left),
			Evidence: []model.Message{model.Say("the-member-refused-its-renewal", r.Text), readingWords(l)},
			Advice:   []model.Message{model.Say("give-its-role-write-permission")}}
		x.Report(f, c)
	})
}
