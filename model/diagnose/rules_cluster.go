package diagnose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/lab"
)

// clusterContext is one look at the cluster.
type clusterContext struct {
	k             *model.Keyspace
	reports       *lab.Reports
	before, found []model.Finding
}

func (x *clusterContext) report(f model.Finding) { x.found = append(x.found, f) }

// clusterRules look at the members, after each round of status.
var clusterRules = []func(*clusterContext){noQuorum, noSpace, divergence, ghostLeases, oldLockService, pinnedMember, massRevocation}

// noQuorum: without a leader nothing expires, nothing is taken, nothing let go.
func noQuorum(x *clusterContext) {
	c := x.k.Cluster()
	rounds := x.k.Leaderless()
	if rounds == 0 || rounds == 1 && 2*c.Up() > c.Asked() {
		return // enough are there, as far as they were asked: an election takes a moment
	}
	f := model.Finding{Code: model.CodeNoQuorum, Severity: model.SevError, Confidence: model.Certain,
		Summary:  fmt.Sprintf("the cluster has no leader: %d of %d members answer, and none knows one", c.Up(), c.Asked()),
		Advice:   []string{"bring members back until more than half are there", "expect every lease to start its full TTL anew after that"},
		Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"},
		Evidence: []string{"no lock can be taken, let go or expire meanwhile; holders' sessions end on their side while their keys stay"}}
	for _, m := range c.Members {
		if m.Err != "" {
			f.Evidence = append(f.Evidence, m.Label()+": "+model.Printable(m.Err))
		}
	}
	x.report(f)
}

// noSpace: with the alarm up locks can be let go, but not taken.
func noSpace(x *clusterContext) {
	for _, a := range x.k.Cluster().Alarms {
		if !strings.Contains(a, "NOSPACE") {
			continue
		}
		x.report(model.Finding{Code: model.CodeNoSpace, Severity: model.SevError, Confidence: model.Certain,
			Summary:  "the database is full: no new claim or lease can be written; holders stay, queues only shrink",
			Evidence: []string{"alarm: " + model.Printable(a)},
			Advice:   []string{"compact, defragment, then disarm the alarm"},
			Etcdctl:  []string{"etcdctl alarm list", "etcdctl endpoint status --cluster -w table"}})
		return
	}
}

// divergence: members that have different keys at the same revision have come apart.
// It stays until a later count of all of them agrees.
func divergence(x *clusterContext) {
	var first *model.Member
	differ, counted := false, 0
	var evidence []string
	for i := range x.k.Cluster().Members {
		m := &x.k.Cluster().Members[i]
		if m.KeysRev == 0 {
			continue
		}
		counted++
		evidence = append(evidence, fmt.Sprintf("%s: %d keys at revision %d", m.Label(), m.Keys, m.KeysRev))
		if first == nil {
			first = m
		} else if m.KeysRev == first.KeysRev && m.Keys != first.Keys {
			differ = true
		}
	}
	if counted < 2 {
		if old := same(x.before, &model.Finding{Code: model.CodeMemberDivergence}); old != nil {
			x.report(*old)
		}
		return
	}
	if differ {
		x.report(model.Finding{Code: model.CodeMemberDivergence, Severity: model.SevError, Confidence: model.Certain,
			Summary: "members have different keys at the same revision: who holds a lock depends on whom one asks", Evidence: evidence,
			Advice:  []string{"find the odd one out (etcdctl endpoint hashkv), take it out of the cluster and add it anew"},
			Etcdctl: []string{"etcdctl endpoint hashkv --cluster -w table"}})
	}
}

// ghostLeases: a member lists leases that the leader does not know; a revoke says
// "not found" (etcd-io/etcd#14019).
func ghostLeases(x *clusterContext) {
	for _, m := range x.k.Cluster().Members {
		if len(m.GhostLeases) == 0 {
			continue
		}
		first := m.GhostLeases[0]
		x.report(model.Finding{Code: model.CodeLeaseGhostList, Severity: model.SevWarning, Confidence: model.Certain, Lease: first,
			Summary:  fmt.Sprintf("%s lists %d leases that the leader does not know", m.Label(), len(m.GhostLeases)),
			Evidence: []string{"one of them is " + first.String()},
			Advice:   []string{"restart that member, or replace it"},
			Etcdctl:  []string{"etcdctl --endpoints " + model.ShellQuote(m.Endpoint) + " lease list", first.Etcdctl()}})
	}
}

// oldLockService: the 3.4 server's own lock service can return success to a waiter
// whose lease died (fix etcd-io/etcd#11408 only in 3.5 and later).
func oldLockService(x *clusterContext) {
	if !versionBelow(x.k.Cluster(), 3, 5) {
		return
	}
	x.report(model.Finding{Code: model.CodeExpiredWaiterWins, Severity: model.SevInfo, Confidence: model.Certain,
		Summary:  "the lock service of server " + model.Printable(serverVersion(x.k.Cluster())) + " can tell a waiter whose lease died in the queue that it got the lock",
		Evidence: []string{"etcd-io/etcd#11456; fixed by #11408 in 3.5, never in 3.4"},
		Advice:   []string{"upgrade, or check after Lock that the key is still there"},
		Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}})
}

// pinnedMin is how many stalled leases of one member make a pattern if that member is
// seen to be ill, pinnedMany if it is not: three clients that die at once came through
// the same one of three members once in nine times, six of them once in 243.
const (
	pinnedMin  = 3
	pinnedMany = 6
)

// pinnedMember finds leases that stall together and were granted through the same
// member, while those of others are renewed.
func pinnedMember(x *clusterContext) {
	if len(x.k.Late()) == 0 || len(x.k.Cluster().Members) < 2 || pinnedByProxy(x) || len(x.k.Late()) < pinnedMin {
		return
	}
	by := map[string]int{}
	for l := range x.k.Late() {
		by[x.k.GrantedBy(l.ID)]++
	}
	for member, n := range by {
		if member == "" || n < pinnedMin || 5*n < 4*len(x.k.Late()) { // nearly all of them
			continue
		}
		healthy := 0
		for _, l := range x.k.Leases() {
			if l.HasRead && l.State() == model.LeaseHealthy && x.k.GrantedBy(l.ID) != member {
				healthy++
			}
		}
		if healthy < pinnedMin || n < pinnedMany && !x.ill(member) {
			return
		}
		x.report(model.Finding{Code: model.CodePinnedBadMember, Severity: model.SevWarning, Confidence: model.Strong,
			Summary:  fmt.Sprintf("%d leases stall, all granted through %s, while %d of other members are renewed", n, member, healthy),
			Evidence: []string{"a lease's id tells which member granted it (etcd pkg/idutil); its client may sit there still"},
			Advice:   []string{"look at " + member + ": cut off or paused, with its connections still open?", "set DialKeepAliveTime and -Timeout in the clients, restart those that hang"},
			Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}})
	}
}

// pinnedByProxy finds a member that serves nobody and through which the proxy saw a
// stalled lease being renewed: then one such lease is enough.
func pinnedByProxy(x *clusterContext) bool {
	through := map[string]int{} // by address
	for l := range x.k.Late() {
		if k := x.reports.Renewer(l.ID); k.Member != "" {
			through[bare(k.Member)]++
		}
	}
	healthy := false
	for _, m := range x.k.Cluster().Members {
		healthy = healthy || x.ailment(m) == "" && m.Endpoint != ""
	}
	if !healthy {
		return false // that is no member's fault
	}
	for _, m := range x.k.Cluster().Members {
		n, why := through[bare(m.Endpoint)], x.ailment(m)
		if n == 0 || why == "" || m.Endpoint == "" {
			continue
		}
		x.report(model.Finding{Code: model.CodePinnedBadMember, Severity: model.SevWarning, Confidence: model.Certain,
			Summary:  fmt.Sprintf("%d stalled leases are renewed through %s, which %s, while other members are well", n, m.Label(), why),
			Evidence: []string{"the proxy saw their renewals go to " + model.Printable(m.Endpoint)},
			Advice:   []string{"look at " + m.Label() + ": cut off or paused, with its connections still open?", "set DialKeepAliveTime and -Timeout in the clients, restart those that hang"},
			Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}})
		return true
	}
	return false
}

// ill says whether that member is seen not to serve.
func (x *clusterContext) ill(label string) bool {
	return slices.ContainsFunc(x.k.Cluster().Members, func(m model.Member) bool { return m.Label() == label && x.ailment(m) != "" })
}

// ailment says in words what keeps a member from serving, "" if nothing does.
func (x *clusterContext) ailment(m model.Member) string {
	switch {
	case m.Unasked:
		return "" // nothing is known of it
	case m.Err != "":
		return "does not answer"
	case m.NoLeader:
		return "knows no leader"
	case m.Rev < x.k.PriorRev():
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
	massWindow = model.EarlyKept / 2
	massBurst  = 2 * time.Second
	massMin    = 10
)

// massRevocation finds many healthy leases that ended early at once, about when the
// leader changed: an old leader that still thought it led (etcd-io/etcd#15247,
// fixed in 3.5.13). On later servers these are sessions that were closed.
func massRevocation(x *clusterContext) {
	v := serverVersion(x.k.Cluster())
	if v == "" || !versionLess(v, "3.5.13") || x.k.LeaderSince().IsZero() || x.k.Now().Sub(x.k.LeaderSince()) > time.Minute {
		return
	}
	n := 0
	for i, from := range x.k.EndedEarly() {
		burst := 0
		for _, e := range x.k.EndedEarly()[i:] {
			if e.At.Sub(from.At) <= massBurst && e.At.Sub(x.k.LeaderSince()).Abs() <= massWindow {
				burst++
			}
		}
		n = max(n, burst)
	}
	if n < massMin {
		return
	}
	x.report(model.Finding{Code: model.CodeMassRevocation, Severity: model.SevWarning, Confidence: model.Strong,
		Summary:  fmt.Sprintf("%d leases ended early within %s, about when the leader changed", n, model.Duration(massBurst, false)),
		Evidence: []string{"their last readings were healthy; server " + v},
		Advice:   []string{"upgrade: before 3.5.13 a leader that hung revokes every lease when it wakes (etcd-io/etcd#15247)"},
		Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}})
}

// serverVersion returns the lowest version among the members, "" if unknown.
func serverVersion(c model.ClusterStatus) string {
	low := ""
	for _, m := range c.Members {
		known := m.Version != "" && m.Version[0] >= '0' && m.Version[0] <= '9'
		if known && (low == "" || versionLess(m.Version, low)) {
			low = m.Version
		}
	}
	return low
}

// versionBelow says whether a member is known to be older.
func versionBelow(c model.ClusterStatus, major, minor int) bool {
	v := serverVersion(c)
	return v != "" && versionLess(v, fmt.Sprintf("%d.%d.0", major, minor))
}

func versionLess(a, b string) bool {
	pa, pb := versionParts(a), versionParts(b)
	for i := range pa {
		if pa[i] != pb[i] {
			return pa[i] < pb[i]
		}
	}
	return false
}

func versionParts(v string) (parts [3]int) {
	for i, p := range strings.SplitN(strings.SplitN(v, "-", 2)[0], ".", 3) {
		parts[i], _ = strconv.Atoi(p) // what is no number counts as 0
	}
	return parts
}
