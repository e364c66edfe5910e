package findings

import (
	"time"

	"locktop/model"
	"locktop/model/recipe"
)

// offLeaderFamily is about the leader of PD, which has an etcd of its own.
var offLeaderFamily = Family{Lock: []Func{offLeader}, Entries: []Entry{
	{
		Code:     model.CodeLeaderOffLeader,
		Place:    340,
		Severity: model.SevWarning,
		Word:     model.Say("state-leader-off-leader"),
		Story:    model.Say("headline-leader-off-leader", theLock),
		Title:    "PD's leader is a member that does not lead its etcd",
		Mechanism: "PD runs inside the members of an etcd of its own, and its leader is meant to be the member that leads etcd. When " +
			"etcd's leader moves, PD's gives up within seconds. One that hangs, on a slow disk or without CPU, may not, while " +
			"its lease goes on being renewed: then no other takes over. One case lasted 48 minutes.",
		Looks: "The key of PD's leader names one member and is renewed, and another member leads etcd for 10 seconds and more. A " +
			"single short look may meet the moment between two leaders, and then it is a hint.",
		Do: "Look at the member that the key names: its disk, its CPU, the connections to the others. If it does not serve, move " +
			"PD's leader with pd-ctl (member leader transfer), or stop that member.",
		Threads:    []string{"tikv/pd#10671"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-leader-off-leader")},
	},
}}

// offLeaderAfter is for how long two members have to lead: PD and its etcd do not move at
// one instant.
const offLeaderAfter = 10 * time.Second

// offLeader finds a leader of PD that is renewed, though another member leads etcd
// (tikv/pd#10671).
func offLeader(x *Context) {
	name, number, pd := recipe.PDLeader(x.Head.Key, x.Head.Value)
	c := x.K.Members.Cluster()
	leads := c.Leader()
	if pd {
		x.Recheck(x.K.Now().Add(time.Second)) // the members tell something new without a word of this lock
	}
	if !pd || leads.ID == 0 || x.K.Prefixes.LiveSince(x.L.Name).IsZero() {
		return
	}
	m, known := memberOf(c, name, number)
	if st := x.Lease.State(); !known || m.ID == leads.ID || st != model.LeaseHealthy && st != model.LeaseUnknown {
		return
	}
	since, seen := x.K.Members.LeaderSince(), true
	if x.L.HeadSince().After(since) {
		_, atLeast := x.L.HeldFor(x.K.Now())
		since, seen = x.L.HeadSince(), !atLeast
	}
	lasted := c.At.Sub(since)
	f := model.Finding{Code: model.CodeLeaderOffLeader, Severity: model.SevWarning, Confidence: model.Strong,
		Evidence: []model.Message{model.Say("is-named-by-pds-key", m.Message(), leads.Message(), leads.Term)},
		Advice: []model.Message{model.Say("look-at-disk-of-member", m.Message()),
			model.Say("if-it-does-not-serve", model.Verbatim(model.ShellQuote(leads.Name)))},
		Etcdctl: append(x.L.Etcdctl(), "etcdctl endpoint status --cluster -w table")}
	f.Summary = model.Say("holds-pds-leadership", m.Message(), model.Span{For: lasted, AtLeast: !seen}, leads.Message())
	switch {
	case lasted >= offLeaderAfter:
	case seen:
		return // it is about to give up
	default:
		f.Confidence = model.Hint
		f.Evidence = append(f.Evidence, model.Say("since-when-is-not-known"))
	}
	if x.Lease != nil {
		f.Lease = x.Lease.ID
		if x.Lease.HasRead {
			f.Evidence = append(f.Evidence, ReadingWords(x.Lease))
		}
	}
	x.Report(f, x.Head)
}

// memberOf returns the member with that number, else the one of that name: known is false if
// neither is there, as where the key was copied from another etcd.
func memberOf(c model.ClusterStatus, name string, number uint64) (model.Member, bool) {
	var named model.Member
	for _, m := range c.Members {
		if number != 0 && m.ID == number {
			return m, true
		}
		if m.ID != 0 && m.Name == name && name != "" {
			named = m
		}
	}
	return named, named.ID != 0
}
