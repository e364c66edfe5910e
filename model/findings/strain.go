package findings

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// strainFamily is about a cluster that has a leader, and serves locks late, in part, or not for long
// any more.
var strainFamily = Family{Cluster: []ClusterFunc{corrupt, lowSpace, slowCluster, leaderChanges}, Entries: []Entry{
	{
		Code:       model.CodeCorrupt,
		Place:      22,
		Severity:   model.SevError,
		Word:       model.Say("state-corrupt"),
		Story:      model.Say("headline-corrupt"),
		Title:      model.Say("about-corrupt"),
		Mechanism:  model.Say("mechanism-corrupt"),
		Looks:      model.Say("looks-corrupt"),
		Do:         model.Say("do-corrupt"),
		Threads:    []string{"etcd-io/etcd#13766", "etcd-io/etcd#14039"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-corrupt")},
	},
	{
		Code:       model.CodeLowSpace,
		Place:      24,
		Severity:   model.SevWarning,
		Word:       model.Say("state-low-space"),
		Story:      model.Say("headline-low-space"),
		Title:      model.Say("about-low-space"),
		Mechanism:  model.Say("mechanism-low-space"),
		Looks:      model.Say("looks-low-space"),
		Do:         model.Say("do-low-space"),
		Threads:    []string{"etcd-io/etcd#11309", "etcd-io/etcd#17318"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-low-space")},
	},
	{
		Code:       model.CodeSlowCluster,
		Place:      62,
		Severity:   model.SevWarning,
		Word:       model.Say("state-slow-cluster"),
		Story:      model.Say("headline-slow-cluster"),
		Title:      model.Say("about-slow-cluster"),
		Mechanism:  model.Say("mechanism-slow-cluster"),
		Looks:      model.Say("looks-slow-cluster"),
		Do:         model.Say("do-slow-cluster"),
		Threads:    []string{"etcd-io/etcd#13156", "etcd-io/etcd#15247", "milvus-io/milvus#50752", "pingcap/tiflow#4248"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-slow-cluster")},
	},
	{
		Code:       model.CodeLeaderChanges,
		Place:      64,
		Severity:   model.SevWarning,
		Word:       model.Say("state-leader-changes"),
		Story:      model.Say("headline-leader-changes"),
		Title:      model.Say("about-leader-changes"),
		Mechanism:  model.Say("mechanism-leader-changes"),
		Looks:      model.Say("looks-leader-changes"),
		Do:         model.Say("do-leader-changes"),
		Threads:    []string{"etcd-io/etcd#9395", "etcd-io/etcd#20273", "gardener/etcd-druid#733"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-leader-changes")},
	},
}}

// corrupt: with the alarm up nothing is written, so no lock is taken, let go or ended.
func corrupt(x *ClusterContext) {
	for _, a := range x.K.Members.Cluster().Alarms {
		if !strings.Contains(a, "CORRUPT") {
			continue
		}
		x.Report(model.Finding{Code: model.CodeCorrupt, Severity: model.SevError, Confidence: model.Certain,
			Summary:  model.Say("a-member-is-corrupt"),
			Evidence: []model.Message{model.Say("alarm", a), model.Say("no-lock-while-corrupt", heldOn(x, anyLease))},
			Advice:   []model.Message{model.Say("replace-the-corrupt-member"), model.Say("restart-no-client-meanwhile")},
			Etcdctl:  []string{"etcdctl alarm list", "etcdctl endpoint hashkv --cluster -w table"}})
		return
	}
}

// Bounds of lowSpace. A server that does not tell its quota has this one, unless somebody set another
// (DefaultQuotaBytes of etcd's package storage).
const (
	lowSpacePercent = 80
	presumedQuota   = 2 << 30
)

// lowSpace finds a database that is nearly full: once it is, nobody new gets a lock.
func lowSpace(x *ClusterContext) {
	var worst *model.Member
	for i := range x.K.Members.Cluster().Members {
		m := &x.K.Members.Cluster().Members[i]
		if percent := fullBy(m); percent >= lowSpacePercent && (worst == nil || percent > fullBy(worst)) {
			worst = m
		}
	}
	if worst == nil || slices.ContainsFunc(x.K.Members.Cluster().Alarms, func(a string) bool { return strings.Contains(a, "NOSPACE") }) {
		return
	}
	f := model.Finding{Code: model.CodeLowSpace, Severity: model.SevWarning, Confidence: model.Certain,
		Summary:  model.Say("database-nearly-full", worst.Message(), fullBy(worst), model.Verbatim(model.Bytes(quotaOf(worst)))),
		Evidence: []model.Message{model.Say("database-size", model.Verbatim(model.Bytes(worst.DBSize)), model.Verbatim(model.Bytes(worst.DBUsed))), model.Say("quota-told")},
		Advice:   []model.Message{model.Say("compact-and-defragment-before"), model.Say("or-raise-the-quota")},
		Etcdctl:  []string{"etcdctl endpoint status --cluster -w table", "etcdctl alarm list"}}
	if worst.DBQuota == 0 {
		f.Confidence, f.Evidence[1] = model.Hint, model.Say("quota-presumed")
	}
	x.Report(f)
}

// quotaOf is how large the database of a member may become, as far as is known.
func quotaOf(m *model.Member) int64 {
	if m.DBQuota > 0 {
		return m.DBQuota
	}
	return presumedQuota
}

// fullBy is how full the database of a member is, in percent, 0 where that cannot be told: one that is
// larger than its quota has another than is presumed.
func fullBy(m *model.Member) int {
	if m.DBSize <= 0 || m.DBQuota <= 0 && m.DBSize > presumedQuota {
		return 0
	}
	return int(min(100, m.DBSize/max(1, quotaOf(m)/100)))
}

// Bounds of slowCluster: it takes so many answers of a member itself to say that it answers fast, and so
// many times smaller a part of them that was slow.
const (
	ownLeast = 3
	ownTimes = 2
)

// slowCluster finds a cluster that agrees late again and again: its disk, its processor or the way between
// its members.
func slowCluster(x *ClusterContext) {
	c := x.K.Members.Cluster()
	a := c.Agreed
	if !a.Late() {
		return
	}
	f := model.Finding{Code: model.CodeSlowCluster, Severity: model.SevInfo, Confidence: model.Hint,
		Summary: model.Say("answers-come-late", a.Slow, a.Answered(), a.Longest),
		Advice:  []model.Message{model.Say("look-at-the-leader-of-slow"), model.Say("leave-locks-of-slow")},
		Etcdctl: []string{"etcdctl endpoint status --cluster -w table", "etcdctl check perf"}}
	for _, m := range c.Members {
		own := m.Answers
		if own.Answered() == 0 {
			continue
		}
		said := model.Say("member-answers-within", m.Message(), own.Usual, own.Longest)
		if m.Leader {
			said = model.Say("leader-answers-within", m.Message(), own.Usual, own.Longest)
		}
		f.Evidence = append(f.Evidence, said)
		if own.Answered() >= ownLeast && ownTimes*own.Slow*a.Answered() < a.Slow*own.Answered() {
			f.Severity, f.Confidence = model.SevWarning, model.Strong // neither our way there nor this machine is slow
		}
	}
	if f.Confidence == model.Hint {
		f.Evidence = append(f.Evidence, model.Say("way-may-be-slow"))
	}
	if n := heldOn(x, func(l *locks.Lease) bool { return time.Duration(l.Granted())*time.Second*2/3 <= a.Longest }); n > 0 {
		f.Evidence = append(f.Evidence, model.Say("leases-may-end-of-slow", n))
	}
	x.Report(f)
}

// Bounds of leaderChanges: so many changes within leaderSpan, the last of them no longer ago than leaderCalm.
const (
	leaderMin  = 3
	leaderSpan = 5 * time.Minute
	leaderCalm = 2 * time.Minute
)

// leaderChanges finds a leader that changes again and again. Each one starts every lease anew, so dead
// holders keep their locks, and clients may lose theirs.
func leaderChanges(x *ClusterContext) {
	now := x.K.Now()
	all := x.K.Members.LeaderChanges(now.Add(-leaderSpan))
	if len(all) < leaderMin || now.Sub(all[len(all)-1]) > leaderCalm {
		return
	}
	first, n := all[0], heldOn(x, anyLease)
	there := heldOn(x, func(l *locks.Lease) bool { born, known := l.Born(); return !known || !born.After(first) })
	f := model.Finding{Code: model.CodeLeaderChanges, Severity: model.SevWarning, Confidence: model.Certain,
		Summary:  model.Say("leader-changed-again", len(all), all[len(all)-1].Sub(first), there),
		Evidence: []model.Message{model.Say("leader-changed-last", now.Sub(all[len(all)-1]), x.K.Members.Cluster().Term())},
		Advice:   []model.Message{model.Say("find-why-leaders-change"), model.Say("break-no-lock-of-leaders")},
		Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}}
	if n > there {
		f.Evidence = append(f.Evidence, model.Say("leases-seen-meanwhile", n-there))
	}
	x.Report(f)
}

func anyLease(*locks.Lease) bool { return true }

// heldOn counts the locks that are held on leases of which is says so. It goes through all leases, so it
// is for a cluster that is in trouble.
func heldOn(x *ClusterContext, is func(*locks.Lease) bool) (n int) {
	for _, l := range x.K.Leases.Leases() {
		if l.Heads() > 0 && is(l) {
			n += l.Heads()
		}
	}
	return n
}
