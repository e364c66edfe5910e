package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/diagnose/rule"
	"locktop/model/keyspace"
)

// Members is about a member that is ill, and a leader that changes.
var Members = rule.Family{Cluster: []rule.ClusterFunc{pinnedMember, massRevocation}, Entries: []rule.Entry{
	{
		Code:  model.CodePinnedBadMember,
		Place: 50,
		Word:  "bad member",
		Story: "Clients hang on a member that is cut off or frozen",
		Title: "Clients stick to a member that is cut off or frozen",
		Mechanism: "A paused or partitioned member may still accept TCP, so its clients see no reason to change. Their renewals go " +
			"nowhere and their leases run out together.",
		Looks: "Several leases stall at the same time and were granted through the same member, while leases of other members " +
			"are renewed. That member lags behind, knows no leader, or does not answer; if it looks well, or nobody asks it, " +
			"six or more are a hint: one program that had all of them and died looks the same. A lease ID tells which member granted " +
			"it, not where its client is connected now: the proxy knows that, so one such lease is enough for it to be certain.",
		Do: "Look at that member: paused, out of CPU, stuck on disk, cut off? Restart the clients that hang. Set " +
			"DialKeepAliveTime, DialKeepAliveTimeout and WithRequireLeader in them.",
		Threads: []string{"patroni#3335", "etcd-io/etcd#8660", "etcd-io/etcd#10816", "etcd-io/etcd#14641", "etcd-io/etcd#8382",
			"pingcap/tiflow#7470"},
		Needs:      []rule.Needs{rule.NeedsEtcd, rule.NeedsProxy},
		Confidence: model.Strong,
		Breaking:   rule.Breaking{Effect: rule.BreakNone, Why: "no single claim is to blame: look at the member, and restart the clients that hang"},
	},
	{
		Code:  model.CodeMassRevocation,
		Place: 60,
		Word:  "mass revoke",
		Story: "Many leases were revoked when the leader changed",
		Title: "Many healthy leases were revoked just after a leader change",
		Mechanism: "A leader that was stuck in a disk sync or without CPU wakes up, still believes that it leads, and revokes every " +
			"lease that it thinks has run out. The leases had been renewed with the new leader meanwhile. Fixed in 3.5.13.",
		Looks: "A burst of leases ends within seconds after a leader change, though their last readings were healthy. On a " +
			"server older than 3.5.13 this pattern is as good as certain.",
		Do: "Upgrade. Until then find out why the old leader hung: slow disk, starved CPU, a suspended machine. The lost " +
			"locks are lost: make sure that their old holders have stopped.",
		Threads:    []string{"etcd-io/etcd#15247", "etcd-io/etcd#12528", "etcd-io/etcd#17425"},
		Needs:      []rule.Needs{rule.NeedsEtcd, rule.NeedsVersion},
		Confidence: model.Strong,
		Breaking:   rule.Breaking{Effect: rule.BreakNone, Why: "the leases are gone already"},
	},
}}

// pinnedMin is how many stalled leases of one member make a pattern if that member is
// seen to be ill, pinnedMany if it is not: that is a hint, since many leases may be of one
// program, which came through one member and died.
const (
	pinnedMin  = 3
	pinnedMany = 6
)

// pinnedMember finds leases that stall together and were granted through the same
// member, while those of others are renewed.
func pinnedMember(x *rule.ClusterContext) {
	if len(x.K.Late()) == 0 || len(x.K.Cluster().Members) < 2 || pinnedByProxy(x) || len(x.K.Late()) < pinnedMin {
		return
	}
	by := map[string][]*keyspace.Lease{}
	for l := range x.K.Late() {
		member := x.K.GrantedBy(l.ID)
		by[member] = append(by[member], l)
	}
	for member, late := range by {
		n := len(late)
		if member == "" || n < pinnedMin || 5*n < 4*len(x.K.Late()) { // nearly all of them
			continue
		}
		healthy := renewedSince(x, stalledFor(x, late), member)
		if healthy < pinnedMin || n < pinnedMany && !ill(x, member) {
			return
		}
		f := model.Finding{Code: model.CodePinnedBadMember, Severity: model.SevWarning, Confidence: model.Strong,
			Summary:  fmt.Sprintf("%d leases stall, all granted through %s, while %d of other members are renewed", n, member, healthy),
			Evidence: []string{"a lease's id tells which member granted it (etcd pkg/idutil); its client may sit there still"},
			Advice:   []string{"look at " + member + ": cut off or paused, with its connections still open?", "set DialKeepAliveTime and -Timeout in the clients, restart those that hang"},
			Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}}
		if !ill(x, member) {
			f.Severity, f.Confidence = model.SevInfo, model.Hint
			f.Evidence = append(f.Evidence, "nothing is seen to be wrong with "+member+" itself: one program that had all these leases and died looks the same")
			f.Advice = append([]string{"see whether the programs that had these leases still run"}, f.Advice...)
		}
		x.Report(f)
	}
}

// stalledFor returns how long ago pinnedMin of the leases had missed a renewal.
func stalledFor(x *rule.ClusterContext, late []*keyspace.Lease) time.Duration {
	missed := make([]time.Duration, 0, len(late))
	for _, l := range late {
		d, _ := l.MissedFor(x.K.Now()) // after a new leader its renewal is not known: it does not make the others wait
		missed = append(missed, d)
	}
	slices.Sort(missed)
	return missed[len(missed)-pinnedMin]
}

// renewedSince counts the healthy leases of other members that were renewed within that
// time. A lease that was renewed before the others stalled tells nothing: when the whole
// cluster or its machine stands still, those that are read first look stalled alone.
func renewedSince(x *rule.ClusterContext, within time.Duration, member string) int {
	n := 0
	for _, l := range x.K.Leases() {
		if l.State() != model.LeaseHealthy || x.K.GrantedBy(l.ID) == member {
			continue
		}
		if ago, ok := l.Renewed(x.K.Now()); ok && ago < within {
			n++
		}
	}
	return n
}

// pinnedByProxy finds a member that serves nobody and through which the proxy saw a
// stalled lease being renewed: then one such lease is enough.
func pinnedByProxy(x *rule.ClusterContext) bool {
	through := map[string]int{} // by address
	for l := range x.K.Late() {
		if k := x.Reports.Renewer(l.ID); k.Member != "" {
			through[bare(k.Member)]++
		}
	}
	healthy := false
	for _, m := range x.K.Cluster().Members {
		healthy = healthy || ailment(x, m) == "" && m.Endpoint != ""
	}
	if !healthy {
		return false // that is no member's fault
	}
	for _, m := range x.K.Cluster().Members {
		n, why := through[bare(m.Endpoint)], ailment(x, m)
		if n == 0 || why == "" || m.Endpoint == "" {
			continue
		}
		x.Report(model.Finding{Code: model.CodePinnedBadMember, Severity: model.SevWarning, Confidence: model.Certain,
			Summary:  fmt.Sprintf("%d stalled leases are renewed through %s, which %s, while other members are well", n, m.Label(), why),
			Evidence: []string{"the proxy saw their renewals go to " + model.Printable(m.Endpoint)},
			Advice:   []string{"look at " + m.Label() + ": cut off or paused, with its connections still open?", "set DialKeepAliveTime and -Timeout in the clients, restart those that hang"},
			Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}})
		return true
	}
	return false
}

// ill says whether that member is seen not to serve.
func ill(x *rule.ClusterContext, label string) bool {
	return slices.ContainsFunc(x.K.Cluster().Members, func(m model.Member) bool { return m.Label() == label && ailment(x, m) != "" })
}

// ailment says in words what keeps a member from serving, "" if nothing does.
func ailment(x *rule.ClusterContext, m model.Member) string {
	switch {
	case m.Unasked:
		return "" // nothing is known of it
	case m.Err != "":
		return "does not answer"
	case m.NoLeader:
		return "knows no leader"
	case m.Rev < x.K.PriorRev():
		return "lags behind" // by more than a whole round
	}
	return ""
}

// bare is an address without its scheme.
func bare(endpoint string) string {
	if _, rest, ok := strings.Cut(endpoint, "://"); ok {
		return rest
	}
	return endpoint
}

// Bounds of massRevocation: that many healthy leases within massBurst, at most
// massWindow from a change of leader.
const (
	massWindow = keyspace.EarlyKept / 2
	massBurst  = 2 * time.Second
	massMin    = 10
)

// massRevocation finds many healthy leases that ended early at once, about when the
// leader changed: an old leader that still thought it led (etcd-io/etcd#15247,
// fixed in 3.5.13). On later servers these are sessions that were closed.
func massRevocation(x *rule.ClusterContext) {
	v := rule.ServerVersion(x.K.Cluster())
	if v == "" || !rule.VersionLess(v, "3.5.13") || x.K.LeaderSince().IsZero() || x.K.Now().Sub(x.K.LeaderSince()) > time.Minute {
		return
	}
	n := 0
	for i, from := range x.K.EndedEarly() {
		burst := 0
		for _, e := range x.K.EndedEarly()[i:] {
			if e.At.Sub(from.At) <= massBurst && e.At.Sub(x.K.LeaderSince()).Abs() <= massWindow {
				burst++
			}
		}
		n = max(n, burst)
	}
	if n < massMin {
		return
	}
	x.Report(model.Finding{Code: model.CodeMassRevocation, Severity: model.SevWarning, Confidence: model.Strong,
		Summary:  fmt.Sprintf("%d leases ended early within %s, about when the leader changed", n, model.Duration(massBurst, false)),
		Evidence: []string{"their last readings were healthy; server " + v},
		Advice:   []string{"upgrade: before 3.5.13 a leader that hung revokes every lease when it wakes (etcd-io/etcd#15247)"},
		Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}})
}
