package findings

import (
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// overdueFamily is about leases that are past their end and still there.
var overdueFamily = Family{Lock: []Func{overdue}, Entries: []Entry{
	{
		Code:       model.CodeLeaseOverdue,
		Place:      160,
		Severity:   model.SevWarning,
		Word:       model.Say("state-lease-overdue"),
		Story:      model.Say("headline-lease-overdue", theLock),
		Title:      model.Say("about-lease-overdue"),
		Mechanism:  model.Say("mechanism-lease-overdue"),
		Looks:      model.Say("looks-lease-overdue"),
		Do:         model.Say("do-lease-overdue"),
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakHarmless, Why: model.Say("break-lease-overdue")},
	},
	{
		Code:       model.CodeExpiryBacklog,
		Place:      170,
		Severity:   model.SevWarning,
		Word:       model.Say("state-expiry-backlog"),
		Story:      model.Say("headline-expiry-backlog", theLock),
		Title:      model.Say("about-expiry-backlog"),
		Mechanism:  model.Say("mechanism-expiry-backlog"),
		Looks:      model.Say("looks-expiry-backlog"),
		Do:         model.Say("do-expiry-backlog"),
		Threads:    []string{"etcd-io/etcd#8097", "etcd-io/etcd#9360", "etcd-io/etcd#12105", "etcd-io/etcd#11886", "etcd-io/etcd#20492"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakHarmless, Why: model.Say("break-expiry-backlog")},
	},
	{
		Code:       model.CodeRevokeFailing,
		Place:      180,
		Severity:   model.SevError,
		Word:       model.Say("state-revoke-failing"),
		Story:      model.Say("headline-revoke-failing", theLock),
		Title:      model.Say("about-revoke-failing"),
		Mechanism:  model.Say("mechanism-revoke-failing"),
		Looks:      model.Say("looks-revoke-failing"),
		Do:         model.Say("do-revoke-failing"),
		Threads:    []string{"etcd-io/etcd#13975", "etcd-io/etcd#11123", "etcd-io/etcd#13205", "etcd-cloud-operator#63"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-revoke-failing")},
	},
	{
		Code:       model.CodeRevokeForgotten,
		Place:      190,
		Severity:   model.SevError,
		Word:       model.Say("state-revoke-forgotten"),
		Story:      model.Say("headline-revoke-forgotten", theLock),
		Title:      model.Say("about-revoke-forgotten"),
		Mechanism:  model.Say("mechanism-revoke-forgotten"),
		Looks:      model.Say("looks-revoke-forgotten"),
		Do:         model.Say("do-revoke-forgotten"),
		Threads:    []string{"etcd-io/etcd#9935", "etcd-io/etcd#10686", "etcd-io/etcd#10693", "neco#417"},
		Needs:      []Needs{NeedsVersion},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-revoke-forgotten")},
	},
}}

// overdueError is how long a lease may be past its end before it is an error: a server is
// some seconds late when many leases end together, and half a minute when it is starved of
// processors. What fails goes on to fail.
const overdueError = 30

// backlogRate is how many leases past their end a server removes in a second at the least:
// what takes longer does not work.
const backlogRate = 200

// forgottenAfter is how many seconds past its end a lease of an old server has to be
// to count as forgotten: by then others that ended with it have been read.
const forgottenAfter = 60

// overdue finds a head whose lease is past its end and still there.
func overdue(x *Context) {
	if x.Lease == nil || x.Lease.State() != model.LeaseOverdue {
		return
	}
	late := -x.Lease.Read.Remaining
	seen := late // for how long nobody removed it, who could
	f := model.Finding{Code: model.CodeLeaseOverdue, Severity: model.SevWarning, Confidence: model.Certain, Lease: x.Lease.ID,
		Summary:  model.Say("lease-ended-but-not-removed", x.Head.Key, late),
		Evidence: []model.Message{readingWords(x.Lease)},
		Advice:   []model.Message{model.Say("look-at-the-leader"), model.Say("moving-the-leader-makes")}}
	if works := x.K.WorksSince(); x.Lease.Read.At.Add(-time.Duration(late) * time.Second).Before(works) {
		seen = max(0, min(late, int64(x.Lease.Read.At.Sub(works)/time.Second)))
		f.Evidence = append(f.Evidence, model.Say("the-cluster-was-not-seen", seen))
	}
	if seen >= overdueError {
		f.Severity = model.SevError
	}
	switch n := x.K.Leases.Overdue(); {
	case versionBelow(x.K.Members.Cluster(), 3, 4) && seen >= forgottenAfter && n < locks.BacklogMin:
		f.Code = model.CodeRevokeForgotten
		f.Evidence = append(f.Evidence, model.Say("server-before-3-4", serverVersion(x.K.Members.Cluster())))
		f.Advice = append(x.ToBreak(x.Head, f.Confidence), model.Say("upgrade"))
	case n >= locks.BacklogMin && seen < overdueError+int64(n)/backlogRate:
		f.Code, f.Confidence = model.CodeExpiryBacklog, model.Strong
		f.Evidence = append(f.Evidence, model.Say("leases-past-end-backlog", n))
		f.Advice = []model.Message{model.Say("wait-the-backlog-shrinks"), model.Say("spread-the-ttls-or-use")}
	case seen >= overdueError:
		f.Code, f.Confidence = model.CodeRevokeFailing, model.Strong
		f.Evidence = append(f.Evidence, model.Say("leases-past-end-no-backlog", n))
		f.Advice = append(append(f.Advice, model.Say("or-by-hand-as-root")), x.ToBreak(x.Head, f.Confidence)...)
	}
	x.Report(f, x.Head)
}
