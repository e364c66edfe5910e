package findings

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// memberFamily is about a member that is ill, and a leader that changes.
var memberFamily = Family{Cluster: []ClusterFunc{pinnedMember, massRevocation}, Entries: []Entry{
	{
		Code:      model.CodePinnedBadMember,
		Place:     50,
		Severity:  model.SevWarning,
		Word:      model.Say("state-pinned-bad-member"),
		Story:     model.Say("headline-pinned-bad-member"),
		Title:     model.Say("about-pinned-bad-member"),
		Mechanism: model.Say("mechanism-pinned-bad-member"),
		Looks:     model.Say("looks-pinned-bad-member"),
		Do:        model.Say("do-pinned-bad-member"),
		Threads: []string{"patroni#3335", "etcd-io/etcd#8660", "etcd-io/etcd#10816", "etcd-io/etcd#14641", "etcd-io/etcd#8382",
			"pingcap/tiflow#7470"},
		Needs:      []Needs{NeedsEtcd, NeedsProxy},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-pinned-bad-member")},
	},
	{
		Code:       model.CodeMassRevocation,
		Place:      60,
		Severity:   model.SevWarning,
		Word:       model.Say("state-mass-revocation"),
		Story:      model.Say("headline-mass-revocation"),
		Title:      model.Say("about-mass-revocation"),
		Mechanism:  model.Say("mechanism-mass-revocation"),
		Looks:      model.Say("looks-mass-revocation"),
		Do:         model.Say("do-mass-revocation"),
		Threads:    []string{"etcd-io/etcd#15247", "etcd-io/etcd#12528", "etcd-io/etcd#17425"},
		Needs:      []Needs{NeedsEtcd, NeedsVersion},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-mass-revocation")},
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
func pinnedMember(x *ClusterContext) {
	if len(x.K.Leases.Late()) == 0 || len(x.K.Members.Cluster().Members) < 2 || pinnedByProxy(x) || len(x.K.Leases.Late()) < pinnedMin {
		return
	}
	byMember := map[string][]*locks.Lease{}
	for l := range x.K.Leases.Late() {
		member := x.K.Members.GrantedBy(l.ID)
		byMember[member] = append(byMember[member], l)
	}
	for member, late := range byMember {
		n := len(late)
		if member == "" || n < pinnedMin || 5*n < 4*len(x.K.Leases.Late()) { // nearly all of them
			continue
		}
		healthy := healthyElsewhere(x, stalledFor(x, late), member)
		if healthy < pinnedMin || n < pinnedMany && !ill(x, member) {
			return
		}
		f := model.Finding{Code: model.CodePinnedBadMember, Severity: model.SevWarning, Confidence: model.Strong,
			Summary:  model.Say("leases-stall-all-granted-through", n, model.Verbatim(member), healthy),
			Evidence: []model.Message{model.Say("lease-id-tells-its-member")},
			Advice:   []model.Message{model.Say("look-at-member", model.Verbatim(member)), model.Say("set-keepalive-of-connections")},
			Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}}
		if !ill(x, member) {
			f.Severity, f.Confidence = model.SevInfo, model.Hint
			f.Evidence = append(f.Evidence, model.Say("member-seems-well", model.Verbatim(member)))
			f.Advice = append([]model.Message{model.Say("see-whether-the-programs")}, f.Advice...)
		}
		x.Report(f)
	}
}

// stalledFor returns how long ago pinnedMin of the leases had missed a renewal.
func stalledFor(x *ClusterContext, late []*locks.Lease) time.Duration {
	missed := make([]time.Duration, 0, len(late))
	for _, l := range late {
		d, _ := l.MissedFor(x.K.Now()) // after a new leader its renewal is not known: it does not make the others wait
		missed = append(missed, d)
	}
	slices.Sort(missed)
	return missed[len(missed)-pinnedMin]
}

// healthyElsewhere counts the healthy leases of other members that were renewed within that
// time. A lease that was renewed before the others stalled tells nothing: when the whole
// cluster or its machine stands still, those that are read first look stalled alone.
func healthyElsewhere(x *ClusterContext, within time.Duration, member string) int {
	n := 0
	for _, l := range x.K.Leases.Leases() {
		if l.State() != model.LeaseHealthy || x.K.Members.GrantedBy(l.ID) == member {
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
func pinnedByProxy(x *ClusterContext) bool {
	through := map[string]int{} // by address
	for l := range x.K.Leases.Late() {
		if k := x.Reports.Keepers.Renewer(l.ID); k.Member != "" {
			through[model.Address(k.Member)]++
		}
	}
	healthy, last := false, len(x.K.Members.Rounds())-1
	for _, m := range x.K.Members.Cluster().Members {
		healthy = healthy || ailment(x, m, last).IsZero() && m.Endpoint != ""
	}
	if !healthy {
		return false // that is no member's fault
	}
	for _, m := range x.K.Members.Cluster().Members {
		n, why := through[model.Address(m.Endpoint)], ailment(x, m, last)
		if n == 0 || why.IsZero() || m.Endpoint == "" {
			continue
		}
		x.Report(model.Finding{Code: model.CodePinnedBadMember, Severity: model.SevWarning, Confidence: model.Certain,
			Summary:  model.Say("stalled-leases-are-renewed-through", n, m.Message(), why),
			Evidence: []model.Message{model.Say("the-proxy-saw-their-renewals", m.Endpoint)},
			Advice:   []model.Message{model.Say("look-at-member", m.Message()), model.Say("set-keepalive-of-connections")},
			Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}})
		return true
	}
	return false
}

// ill says whether that member was seen not to serve in the last two rounds of status: where a machine has
// much to do, one alone may have been late.
func ill(x *ClusterContext, label string) bool {
	n := len(x.K.Members.Rounds())
	for round := n - 2; round < n; round++ {
		if round < 0 || !slices.ContainsFunc(x.K.Members.Rounds()[round].Members, func(m model.Member) bool {
			return m.Label() == label && !ailment(x, m, round).IsZero()
		}) {
			return false
		}
	}
	return true
}

// ailment says what kept a member from serving in a round of status, and nothing if nothing did.
func ailment(x *ClusterContext, m model.Member, round int) model.Message {
	switch {
	case m.Unasked:
		return model.Message{} // nothing is known of it
	case !m.Err.IsZero():
		return model.Say("does-not-answer")
	case m.NoLeader:
		return model.Say("knows-no-leader")
	case round > 0 && m.Rev < x.K.Members.Rounds()[round-1].Rev():
		return model.Say("lags-behind") // by more than a whole round
	}
	return model.Message{}
}

// Bounds of massRevocation: that many healthy leases within massBurst, at most
// massWindow from a change of leader.
const (
	massWindow = locks.EarlyKept / 2
	massBurst  = 2 * time.Second
	massMin    = 10
)

// massRevocation finds many healthy leases that ended early at once, about when the
// leader changed: an old leader that still thought it led (etcd-io/etcd#15247,
// fixed in 3.5.13). On later servers these are sessions that were closed.
func massRevocation(x *ClusterContext) {
	v := serverVersion(x.K.Members.Cluster())
	if v == "" || !versionLess(v, "3.5.13") || x.K.Members.LeaderSince().IsZero() || x.K.Now().Sub(x.K.Members.LeaderSince()) > time.Minute {
		return
	}
	n := 0
	for i, from := range x.K.Leases.EndedEarly() {
		burst := 0
		for _, e := range x.K.Leases.EndedEarly()[i:] {
			if e.At.Sub(from.At) <= massBurst && e.At.Sub(x.K.Members.LeaderSince()).Abs() <= massWindow {
				burst++
			}
		}
		n = max(n, burst)
	}
	if n < massMin {
		return
	}
	x.Report(model.Finding{Code: model.CodeMassRevocation, Severity: model.SevWarning, Confidence: model.Strong,
		Summary:  model.Say("leases-ended-early-within-about", n, massBurst),
		Evidence: []model.Message{model.Say("last-readings-were-healthy", model.Verbatim(v))},
		Advice:   []model.Message{model.Say("upgrade-to-3-5-13")},
		Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}})
}
