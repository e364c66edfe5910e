package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// clusterRules look at the members, before any lock is judged.
func (s *State) diagnoseCluster() {
	var found []Finding
	report := func(f Finding) { found = append(found, f) }
	s.noQuorum(report)
	s.noSpace(report)
	s.divergence(report)
	s.ghostLeases(report)
	s.oldLockService(report)
	s.pinnedMember(report)
	s.massRevocation(report)
	for i := range found {
		f := &found[i]
		f.Since = s.now
		if o := same(s.clusterFindings, f); o != nil {
			f.Since = o.Since
		} else if f.Severity != SevInfo {
			s.record(&JournalEntry{Kind: EntryFinding, Severity: f.Severity, Confidence: f.Confidence,
				Text: string(f.Code) + " (" + string(f.Confidence) + "): " + f.Summary})
		}
	}
	for i := range s.clusterFindings {
		if o := &s.clusterFindings[i]; o.Severity != SevInfo && same(found, o) == nil {
			s.record(&JournalEntry{Kind: EntryFinding, Severity: SevInfo,
				Text: string(o.Code) + " is over, after " + Duration(s.now.Sub(o.Since), false)})
		}
	}
	if len(found)+len(s.clusterFindings) > 0 {
		s.version++
	}
	s.clusterFindings = found
}

// ClusterFindings returns the diagnoses of the cluster as a whole.
func (s *State) ClusterFindings() []Finding { return append([]Finding(nil), s.clusterFindings...) }

// noQuorum: without a leader nothing expires, nothing is taken, nothing let go.
func (s *State) noQuorum(report func(Finding)) {
	c := s.cluster
	if c.At.IsZero() || c.Up() == 0 || c.Leader().ID != 0 {
		s.leaderless = 0
		return
	}
	s.leaderless++
	if s.leaderless < 2 && 2*c.Up() > c.Asked() {
		return // enough are there, as far as they were asked: an election takes a moment
	}
	f := Finding{Code: CodeNoQuorum, Severity: SevError, Confidence: Certain,
		Summary:  fmt.Sprintf("the cluster has no leader: %d of %d members answer, and none knows one", c.Up(), c.Asked()),
		Advice:   []string{"bring members back until more than half are there", "expect every lease to start its full TTL anew after that"},
		Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"},
		Evidence: []string{"no lock can be taken, let go or expire meanwhile; holders' sessions end on their side while their keys stay"}}
	for _, m := range c.Members {
		if m.Err != "" {
			f.Evidence = append(f.Evidence, m.label()+": "+Printable(m.Err))
		}
	}
	report(f)
}

// noSpace: with the alarm up locks can be let go, but not taken.
func (s *State) noSpace(report func(Finding)) {
	for _, a := range s.cluster.Alarms {
		if !strings.Contains(a, "NOSPACE") {
			continue
		}
		report(Finding{Code: CodeNoSpace, Severity: SevError, Confidence: Certain,
			Summary:  "the database is full: no new claim or lease can be written; holders stay, queues only shrink",
			Evidence: []string{"alarm: " + Printable(a)},
			Advice:   []string{"compact, defragment, then disarm the alarm"},
			Etcdctl:  []string{"etcdctl alarm list", "etcdctl endpoint status --cluster -w table"}})
		return
	}
}

// divergence: members that have different keys at the same revision have come apart.
// It stays until a later count of all of them agrees.
func (s *State) divergence(report func(Finding)) {
	var first *Member
	differ, counted := false, 0
	var evidence []string
	for i := range s.cluster.Members {
		m := &s.cluster.Members[i]
		if m.KeysRev == 0 {
			continue
		}
		counted++
		evidence = append(evidence, fmt.Sprintf("%s: %d keys at revision %d", m.label(), m.Keys, m.KeysRev))
		if first == nil {
			first = m
		} else if m.KeysRev == first.KeysRev && m.Keys != first.Keys {
			differ = true
		}
	}
	if counted < 2 {
		if old := same(s.clusterFindings, &Finding{Code: CodeMemberDivergence}); old != nil {
			report(*old)
		}
		return
	}
	if differ {
		report(Finding{Code: CodeMemberDivergence, Severity: SevError, Confidence: Certain,
			Summary: "members have different keys at the same revision: who holds a lock depends on whom one asks", Evidence: evidence,
			Advice:  []string{"find the odd one out (etcdctl endpoint hashkv), take it out of the cluster and add it anew"},
			Etcdctl: []string{"etcdctl endpoint hashkv --cluster -w table"}})
	}
}

// ghostLeases: a member lists leases that the leader does not know; a revoke says
// "not found" (etcd-io/etcd#14019).
func (s *State) ghostLeases(report func(Finding)) {
	for _, m := range s.cluster.Members {
		if len(m.GhostLeases) == 0 {
			continue
		}
		first := m.GhostLeases[0]
		report(Finding{Code: CodeLeaseGhostList, Severity: SevWarning, Confidence: Certain, Lease: first,
			Summary:  fmt.Sprintf("%s lists %d leases that the leader does not know", m.label(), len(m.GhostLeases)),
			Evidence: []string{"one of them is " + first.String()},
			Advice:   []string{"restart that member, or replace it"},
			Etcdctl:  []string{"etcdctl --endpoints " + shellQuote(m.Endpoint) + " lease list", first.Etcdctl()}})
	}
}

// oldLockService: the 3.4 server's own lock service can return success to a waiter
// whose lease died (fix etcd-io/etcd#11408 only in 3.5 and later).
func (s *State) oldLockService(report func(Finding)) {
	if !s.versionBelow(3, 5) {
		return
	}
	report(Finding{Code: CodeExpiredWaiterWins, Severity: SevInfo, Confidence: Certain,
		Summary:  "the lock service of server " + Printable(s.serverVersion()) + " can tell a waiter whose lease died in the queue that it got the lock",
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
func (s *State) pinnedMember(report func(Finding)) {
	if len(s.lateLeases) == 0 || len(s.cluster.Members) < 2 || s.pinnedByProxy(report) || len(s.lateLeases) < pinnedMin {
		return
	}
	by := map[string]int{}
	for l := range s.lateLeases {
		by[s.GrantedBy(l.ID)]++
	}
	for member, n := range by {
		if member == "" || n < pinnedMin || 5*n < 4*len(s.lateLeases) { // nearly all of them
			continue
		}
		healthy := 0
		for _, l := range s.leases {
			if l.HasRead && l.State() == LeaseHealthy && s.GrantedBy(l.ID) != member {
				healthy++
			}
		}
		if healthy < pinnedMin || n < pinnedMany && !s.ill(member) {
			return
		}
		report(Finding{Code: CodePinnedBadMember, Severity: SevWarning, Confidence: Strong,
			Summary:  fmt.Sprintf("%d leases stall, all granted through %s, while %d of other members are renewed", n, member, healthy),
			Evidence: []string{"a lease's id tells which member granted it (etcd pkg/idutil); its client may sit there still"},
			Advice:   []string{"look at " + member + ": cut off or paused, with its connections still open?", "set DialKeepAliveTime and -Timeout in the clients, restart those that hang"},
			Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}})
	}
}

// pinnedByProxy finds a member that serves nobody and through which the proxy saw a
// stalled lease being renewed: then one such lease is enough.
func (s *State) pinnedByProxy(report func(Finding)) bool {
	if len(s.lab.keepers) == 0 {
		return false
	}
	through := map[string]int{} // by address
	for l := range s.lateLeases {
		if k := s.lab.renewer(l.ID); k.Member != "" {
			through[bare(k.Member)]++
		}
	}
	healthy := false
	for _, m := range s.cluster.Members {
		healthy = healthy || s.ailment(m) == "" && m.Endpoint != ""
	}
	if !healthy {
		return false // that is no member's fault
	}
	for _, m := range s.cluster.Members {
		n, why := through[bare(m.Endpoint)], s.ailment(m)
		if n == 0 || why == "" || m.Endpoint == "" {
			continue
		}
		report(Finding{Code: CodePinnedBadMember, Severity: SevWarning, Confidence: Certain,
			Summary:  fmt.Sprintf("%d stalled leases are renewed through %s, which %s, while other members are well", n, m.label(), why),
			Evidence: []string{"the proxy saw their renewals go to " + Printable(m.Endpoint)},
			Advice:   []string{"look at " + m.label() + ": cut off or paused, with its connections still open?", "set DialKeepAliveTime and -Timeout in the clients, restart those that hang"},
			Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}})
		return true
	}
	return false
}

// ill says whether that member is seen not to serve.
func (s *State) ill(label string) bool {
	return slices.ContainsFunc(s.cluster.Members, func(m Member) bool { return m.label() == label && s.ailment(m) != "" })
}

// ailment says in words what keeps a member from serving, "" if nothing does.
func (s *State) ailment(m Member) string {
	switch {
	case m.Unasked:
		return "" // nothing is known of it
	case m.Err != "":
		return "does not answer"
	case m.NoLeader:
		return "knows no leader"
	case m.Rev < s.priorRev:
		return "lags behind" // by more than a whole round
	}
	return ""
}

// renewer returns who renewed a lease last, as far as the proxy reported.
func (lab *labState) renewer(id LeaseID) (last LeaseOwner) {
	for _, k := range lab.keepers[id] {
		if k.Renews && !k.At.Before(last.At) {
			last = k
		}
	}
	return last
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
	massWindow = 10 * time.Second
	massBurst  = 2 * time.Second
	massMin    = 10
)

// earlyEnd is a healthy lease that ended before its time.
type earlyEnd struct {
	at    time.Time
	lease LeaseID
}

// endedEarly remembers such leases for as long as they can be part of a burst.
func (s *State) endedEarly(id LeaseID, at time.Time) {
	for len(s.early) > 0 && at.Sub(s.early[0].at) > 2*massWindow {
		s.early = s.early[1:]
	}
	for _, e := range s.early {
		if e.lease == id {
			return
		}
	}
	s.early = append(s.early, earlyEnd{at, id})
}

// noteTerm notices a change of leader by the raft term, which every answer tells.
func (s *State) noteTerm(term uint64, at time.Time) {
	if term > s.term {
		if s.term != 0 {
			s.leaderSince = at
		}
		s.term = term
	}
}

// massRevocation finds many healthy leases that ended early at once, about when the
// leader changed: an old leader that still thought it led (etcd-io/etcd#15247,
// fixed in 3.5.13). On later servers these are sessions that were closed.
func (s *State) massRevocation(report func(Finding)) {
	v := s.serverVersion()
	if v == "" || !versionLess(v, "3.5.13") || s.leaderSince.IsZero() || s.now.Sub(s.leaderSince) > time.Minute {
		return
	}
	n := 0
	for i, from := range s.early {
		burst := 0
		for _, e := range s.early[i:] {
			if e.at.Sub(from.at) <= massBurst && e.at.Sub(s.leaderSince).Abs() <= massWindow {
				burst++
			}
		}
		n = max(n, burst)
	}
	if n < massMin {
		return
	}
	report(Finding{Code: CodeMassRevocation, Severity: SevWarning, Confidence: Strong,
		Summary:  fmt.Sprintf("%d leases ended early within %s, about when the leader changed", n, Duration(massBurst, false)),
		Evidence: []string{"their last readings were healthy; server " + v},
		Advice:   []string{"upgrade: before 3.5.13 a leader that hung revokes every lease when it wakes (etcd-io/etcd#15247)"},
		Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}})
}

// serverVersion returns the lowest version among the members, "" if unknown.
func (s *State) serverVersion() string {
	low := ""
	for _, m := range s.cluster.Members {
		known := m.Version != "" && m.Version[0] >= '0' && m.Version[0] <= '9'
		if known && (low == "" || versionLess(m.Version, low)) {
			low = m.Version
		}
	}
	return low
}

// versionBelow says whether a member is known to be older.
func (s *State) versionBelow(major, minor int) bool {
	v := s.serverVersion()
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
