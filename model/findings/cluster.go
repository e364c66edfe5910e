package findings

import (
	"strings"

	"locktop/model"
)

// clusterFamily is about the cluster as a whole.
var clusterFamily = Family{Cluster: []ClusterFunc{noQuorum, noSpace, divergence, ghostLeases}, Entries: []Entry{
	{
		Code:       model.CodeNoQuorum,
		Place:      10,
		Severity:   model.SevError,
		Word:       model.Say("state-no-quorum"),
		Story:      model.Say("headline-no-quorum"),
		Title:      model.Say("about-no-quorum"),
		Mechanism:  model.Say("mechanism-no-quorum"),
		Looks:      model.Say("looks-no-quorum"),
		Do:         model.Say("do-no-quorum"),
		Threads:    []string{"etcd-io/etcd#2660", "etcd-io/etcd#9395", "cilium#9855"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-no-quorum")},
	},
	{
		Code:       model.CodeNoSpace,
		Place:      20,
		Severity:   model.SevError,
		Word:       model.Say("state-nospace"),
		Story:      model.Say("headline-nospace"),
		Title:      model.Say("about-nospace"),
		Mechanism:  model.Say("mechanism-nospace"),
		Looks:      model.Say("looks-nospace"),
		Do:         model.Say("do-nospace"),
		Threads:    []string{"etcd-io/etcd#11309", "etcd-io/etcd#11947", "etcd-io/etcd#17318"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-nospace")},
	},
	{
		Code:       model.CodeMemberDivergence,
		Place:      30,
		Severity:   model.SevError,
		Word:       model.Say("state-member-divergence"),
		Story:      model.Say("headline-member-divergence"),
		Title:      model.Say("about-member-divergence"),
		Mechanism:  model.Say("mechanism-member-divergence"),
		Looks:      model.Say("looks-member-divergence"),
		Do:         model.Say("do-member-divergence"),
		Threads:    []string{"etcd-io/etcd#12651", "etcd-io/etcd#11689", "etcd-io/etcd#13766", "coreos/bugs#852"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-member-divergence")},
	},
	{
		Code:       model.CodeLeaseGhostList,
		Place:      40,
		Severity:   model.SevWarning,
		Word:       model.Say("state-lease-ghost-list"),
		Story:      model.Say("headline-lease-ghost-list"),
		Title:      model.Say("about-lease-ghost-list"),
		Mechanism:  model.Say("mechanism-lease-ghost-list"),
		Looks:      model.Say("looks-lease-ghost-list"),
		Do:         model.Say("do-lease-ghost-list"),
		Threads:    []string{"etcd-io/etcd#14019"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-lease-ghost-list")},
	},
	{
		Code:       model.CodeOverloadReject,
		Place:      70,
		NotFound:   model.Say("not-found-overload-reject"),
		Word:       model.Say("state-overload-reject"),
		Story:      model.Say("headline-overload-reject", theLock),
		Title:      model.Say("about-overload-reject"),
		Mechanism:  model.Say("mechanism-overload-reject"),
		Looks:      model.Say("looks-overload-reject"),
		Do:         model.Say("do-overload-reject"),
		Threads:    []string{"etcd-io/etcd#16287", "etcd-io/etcd#13156"},
		Needs:      []Needs{NeedsMetrics},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-overload-reject")},
	},
}}

// noQuorum: without a leader nothing expires, nothing is taken, nothing let go.
func noQuorum(x *ClusterContext) {
	c := x.K.Members.Cluster()
	rounds := x.K.Members.Leaderless()
	if rounds == 0 || rounds == 1 && 2*c.Up() > c.Asked() {
		return // enough are there, as far as they were asked: an election takes a moment
	}
	f := model.Finding{Code: model.CodeNoQuorum, Severity: model.SevError, Confidence: model.Certain,
		Summary:  model.Say("the-cluster-has-no-leader", c.Up(), c.Size()),
		Advice:   []model.Message{model.Say("bring-members-back-until-more"), model.Say("expect-every-lease-to-start")},
		Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"},
		Evidence: []model.Message{model.Say("no-lock-can-be-taken")}}
	if 2*c.Up() <= c.Size() { // the others may have a leader, on their side
		f.Confidence = model.Strong
		if c.Asked() < c.Size() {
			f.Confidence = model.Hint
		}
		f.Summary = model.Say("no-leader-is-known", c.Up(), c.Size())
		f.Evidence[0] = model.Say("through-them-no-lock-can")
		f.Advice[0] = model.Say("see-whether-the-others-run")
	}
	for _, m := range c.Members {
		if !m.Err.IsZero() {
			f.Evidence = append(f.Evidence, model.Say("member-says", m.Message(), m.Err))
		}
	}
	x.Report(f)
}

// noSpace: with the alarm up locks can be let go, but not taken.
func noSpace(x *ClusterContext) {
	for _, a := range x.K.Members.Cluster().Alarms {
		if !strings.Contains(a, "NOSPACE") {
			continue
		}
		x.Report(model.Finding{Code: model.CodeNoSpace, Severity: model.SevError, Confidence: model.Certain,
			Summary:  model.Say("the-database-is-full-no"),
			Evidence: []model.Message{model.Say("alarm", a)},
			Advice:   []model.Message{model.Say("compact-defragment-then-disarm")},
			Etcdctl:  []string{"etcdctl alarm list", "etcdctl endpoint status --cluster -w table"}})
		return
	}
}

// divergence: members that have different keys at the same revision have come apart.
// It stays until a later count of all of them agrees.
func divergence(x *ClusterContext) {
	var first *model.Member
	differ, counted := false, 0
	var evidence []model.Message
	for i := range x.K.Members.Cluster().Members {
		m := &x.K.Members.Cluster().Members[i]
		if m.KeysRev == 0 {
			continue
		}
		counted++
		evidence = append(evidence, model.Say("member-has-keys-at-revision", m.Message(), m.Keys, m.KeysRev))
		if first == nil {
			first = m
		} else if m.KeysRev == first.KeysRev && m.Keys != first.Keys {
			differ = true
		}
	}
	if counted < 2 {
		if old := Same(x.Before, &model.Finding{Code: model.CodeMemberDivergence}); old != nil {
			x.Report(*old)
		}
		return
	}
	if differ {
		x.Report(model.Finding{Code: model.CodeMemberDivergence, Severity: model.SevError, Confidence: model.Certain,
			Summary: model.Say("members-have-different-keys"), Evidence: evidence,
			Advice:  []model.Message{model.Say("find-the-odd-one-out")},
			Etcdctl: []string{"etcdctl endpoint hashkv --cluster -w table"}})
	}
}

// ghostLeases: a member lists leases that the leader does not know; a revoke says
// "not found" (etcd-io/etcd#14019).
func ghostLeases(x *ClusterContext) {
	for _, m := range x.K.Members.Cluster().Members {
		if len(m.GhostLeases) == 0 {
			continue
		}
		first := m.GhostLeases[0]
		x.Report(model.Finding{Code: model.CodeLeaseGhostList, Severity: model.SevWarning, Confidence: model.Certain, Lease: first,
			Summary:  model.Say("lists-leases-that-the-leader", m.Message(), len(m.GhostLeases)),
			Evidence: []model.Message{model.Say("one-ghost-lease", first)},
			Advice:   []model.Message{model.Say("restart-that-member-or-replace")},
			Etcdctl:  []string{"etcdctl --endpoints " + model.ShellQuote(m.Endpoint) + " lease list", first.Etcdctl()}})
	}
}
