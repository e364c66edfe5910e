package findings

import (
	"strings"

	"locktop/model"
)

// clusterFamily is about the cluster as a whole.
var clusterFamily = Family{Cluster: []ClusterFunc{noQuorum, noSpace, divergence, ghostLeases}, Entries: []Entry{
	{
		Code:     model.CodeNoQuorum,
		Place:    10,
		Severity: model.SevError,
		Word:     model.Say("state-no-quorum"),
		Story:    model.Say("headline-no-quorum"),
		Title:    "The cluster has no leader: nothing is taken, let go or expired",
		Mechanism: "Without a majority nothing can be written, so no lock is taken, no unlock arrives and no lease ends. Clients " +
			"count down on their own and give their sessions up, while their keys stay in etcd. The next leader starts every " +
			"lease at its full TTL.",
		Looks: "The members that answer know no leader. TTLs cannot be read, every queue stands still. When the leader is back, " +
			"each remaining TTL equals the granted one. Where no more than half of the members answer it is not certain: they may be " +
			"cut off from the others. Where none answers it is not said: the path to them may have failed.",
		Do: "Bring back members until more than half are there. Then expect one more full TTL before the locks of dead " +
			"holders move. Do not delete keys or restart clients meanwhile: neither can work without a leader.",
		Threads:    []string{"etcd-io/etcd#2660", "etcd-io/etcd#9395", "cilium#9855"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-no-quorum")},
	},
	{
		Code:     model.CodeNoSpace,
		Place:    20,
		Severity: model.SevError,
		Word:     model.Say("state-nospace"),
		Story:    model.Say("headline-nospace"),
		Title:    "The database is full: locks can be let go, but not taken",
		Mechanism: "When the size quota is reached, etcd raises the NOSPACE alarm and refuses puts and new leases. Keepalive, unlock " +
			"and revoke still work. So holders stay and queues only shrink.",
		Looks: "A member reports the alarm. The queues look healthy and get shorter, no new claim appears, and clients report: " +
			"database space exceeded.",
		Do: "Compact, defragment each member, then disarm the alarm (etcdctl alarm disarm). Find out what filled the " +
			"database, or it comes back. Restarting clients does not help: they cannot grant a new lease.",
		Threads:    []string{"etcd-io/etcd#11309", "etcd-io/etcd#11947", "etcd-io/etcd#17318"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-nospace")},
	},
	{
		Code:     model.CodeMemberDivergence,
		Place:    30,
		Severity: model.SevError,
		Word:     model.Say("state-member-divergence"),
		Story:    model.Say("headline-member-divergence"),
		Title:    "Members disagree about what is stored",
		Mechanism: "Bugs of some releases let members drift apart: an upgrade from 3.2 to 3.3 with authentication on, and a bug of " +
			"3.5.0 to 3.5.2. Who holds a lock then depends on which member is asked.",
		Looks: "A serializable read of one lock differs between members at the same revision, or their HashKV differs. Clients " +
			"on different members see different holders.",
		Do: "Compare etcdctl endpoint hashkv --cluster at one revision, then remove the odd member and add it again with an " +
			"empty data directory. Upgrade. Trust no lock until the members agree.",
		Threads:    []string{"etcd-io/etcd#12651", "etcd-io/etcd#11689", "etcd-io/etcd#13766", "coreos/bugs#852"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-member-divergence")},
	},
	{
		Code:     model.CodeLeaseGhostList,
		Place:    40,
		Severity: model.SevWarning,
		Word:     model.Say("state-lease-ghost-list"),
		Story:    model.Say("headline-lease-ghost-list"),
		Title:    "A member lists leases that no longer exist",
		Mechanism: "The lease list is answered by each member from its own memory. A member can keep leases there that the leader " +
			"has long dropped.",
		Looks: "etcdctl lease list shows an ID on one member. Its time to live is answered with -1, and a revoke with: requested " +
			"lease not found.",
		Do:         "Restart or replace that member. The ghosts block no lock: the keys are gone.",
		Threads:    []string{"etcd-io/etcd#14019"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-lease-ghost-list")},
	},
	{
		Code:     model.CodeOverloadReject,
		Place:    70,
		NotFound: "needs the members' own metrics; late renewals alone are keepalive-stalled",
		Word:     model.Say("state-overload-reject"),
		Story:    model.Say("headline-overload-reject", theLock),
		Title:    "etcd is overloaded and renewals come late",
		Mechanism: "When entries are applied too slowly, etcd refuses requests (too many requests), and a renewal waits until the " +
			"member has caught up. Leases of healthy clients can run out that way. From 3.7 on renewals no longer have to " +
			"wait (FastLeaseKeepAlive).",
		Looks: "Many leases renew late at once. The server's metrics show pending proposals and slow applies, its log complains " +
			"of slow requests.",
		Do: "Cut the load first: large range reads, and watches that start at very old revisions. Then look at the disks. " +
			"Longer TTLs give time, 3.7 gives relief.",
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
		if m.Err != "" {
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
