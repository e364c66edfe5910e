package findings

import (
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// overdueFamily is about leases that are past their end and still there.
var overdueFamily = Family{Lock: []Func{overdue}, Entries: []Entry{
	{
		Code:     model.CodeLeaseOverdue,
		Place:    160,
		Severity: model.SevWarning,
		Word:     model.Say("state-lease-overdue"),
		Story:    model.Say("headline-lease-overdue", theLock),
		Title:    "The lease has ended, but etcd has not removed it",
		Mechanism: "The lease is past its end, but the revoke that the leader should send has not been applied. The key stays and " +
			"blocks meanwhile. The causes have codes of their own: expiry-backlog, revoke-failing, revoke-forgotten.",
		Looks: "The remaining TTL is 0 or negative while the key is still there, and a renewal hangs.",
		Do: "See whether it is one lease or many, and whether the number shrinks. Look at the leader's log and load. If it " +
			"lasts more than half a minute, revoke the lease by hand.",
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakHarmless, Why: model.Say("break-lease-overdue")},
	},
	{
		Code:     model.CodeExpiryBacklog,
		Place:    170,
		Severity: model.SevWarning,
		Word:     model.Say("state-expiry-backlog"),
		Story:    model.Say("headline-expiry-backlog", theLock),
		Title:    "Too many leases end at once; etcd is working them off",
		Mechanism: "A leader revokes at most 1000 leases a second. When very many end together, typically one TTL after a leader " +
			"change, the last ones wait their turn. 6000 leases were 5.5 s late, 900,000 were reported 600 s late.",
		Looks: "Many leases are overdue at the same time, and their number falls by up to 1000 a second.",
		Do: "Wait, it shrinks by itself. A revoke by hand frees the one lock that cannot wait. Later: fewer leases, or TTLs " +
			"that differ a little. 3.7 lets revokes go first under overload.",
		Threads:    []string{"etcd-io/etcd#8097", "etcd-io/etcd#9360", "etcd-io/etcd#12105", "etcd-io/etcd#11886", "etcd-io/etcd#20492"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakHarmless, Why: model.Say("break-expiry-backlog")},
	},
	{
		Code:     model.CodeRevokeFailing,
		Place:    180,
		Severity: model.SevError,
		Word:     model.Say("state-revoke-failing"),
		Story:    model.Say("headline-revoke-failing", theLock),
		Title:    "The leader's own revokes are refused",
		Mechanism: "With authentication on, the leader can hold a stale token after a membership change or a restored snapshot. Its " +
			"revokes are then refused, so leases that have ended pile up. Fixed in 3.5.5.",
		Looks: "Leases are overdue by minutes to days and become more. The leader logs: failed to revoke, with invalid auth " +
			"token. Without that log the cause remains a guess; what is seen is that they do not shrink.",
		Do:         "Revoke the blocking lease by hand as root. Then move the leader or restart it, and upgrade.",
		Threads:    []string{"etcd-io/etcd#13975", "etcd-io/etcd#11123", "etcd-io/etcd#13205", "etcd-cloud-operator#63"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-revoke-failing")},
	},
	{
		Code:     model.CodeRevokeForgotten,
		Place:    190,
		Severity: model.SevError,
		Word:     model.Say("state-revoke-forgotten"),
		Story:    model.Say("headline-revoke-forgotten", theLock),
		Title:    "An old server forgot to try its revoke again",
		Mechanism: "Up to 3.3 a leader tried the revoke of an ended lease once. If that failed, it never tried again, and the key " +
			"stayed. Fixed in 3.4.0.",
		Looks:      "A single lease is overdue by minutes, hours or days on a server older than 3.4, while others expire in time.",
		Do:         "Revoke that lease by hand. Then upgrade.",
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
		Evidence: []model.Message{ReadingWords(x.Lease)},
		Advice:   []model.Message{model.Say("look-at-the-leader"), model.Say("moving-the-leader-makes")}}
	if works := x.K.WorksSince(); x.Lease.Read.At.Add(-time.Duration(late) * time.Second).Before(works) {
		seen = max(0, min(late, int64(x.Lease.Read.At.Sub(works)/time.Second)))
		f.Evidence = append(f.Evidence, model.Say("the-cluster-was-not-seen", seen))
	}
	if seen >= overdueError {
		f.Severity = model.SevError
	}
	switch n := x.K.Leases.Overdue(); {
	case VersionBelow(x.K.Members.Cluster(), 3, 4) && seen >= forgottenAfter && n < locks.BacklogMin:
		f.Code = model.CodeRevokeForgotten
		f.Evidence = append(f.Evidence, model.Say("server-before-3-4", ServerVersion(x.K.Members.Cluster())))
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
