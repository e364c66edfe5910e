package leases

import (
	"fmt"
	"time"

	"locktop/model"
	"locktop/model/diagnose/rule"
	"locktop/model/recipe"
)

// OffLeader is about the leader of PD, which has an etcd of its own.
var OffLeader = rule.Family{Lock: []rule.Func{offLeader}, Entries: []rule.Entry{
	{
		Code:  model.CodeLeaderOffLeader,
		Place: 340,
		Word:  "off its leader",
		Story: "PD's leader by {lock} is not the member that leads its etcd",
		Title: "PD's leader is a member that does not lead its etcd",
		Mechanism: "PD runs inside the members of an etcd of its own, and its leader is meant to be the member that leads etcd. When " +
			"etcd's leader moves, PD's gives up within seconds. One that hangs, on a slow disk or without CPU, may not, while " +
			"its lease goes on being renewed: then no other takes over. One case lasted 48 minutes.",
		Looks: "The key of PD's leader names one member and is renewed, and another member leads etcd for 10 seconds and more. A " +
			"single short look may meet the moment between two leaders, and then it is a hint.",
		Do: "Look at the member that the key names: its disk, its CPU, the connections to the others. If it does not serve, move " +
			"PD's leader with pd-ctl (member leader transfer), or stop that member.",
		Threads:    []string{"tikv/pd#10671"},
		Needs:      []rule.Needs{rule.NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   rule.Breaking{Effect: rule.BreakCures, Why: "it makes PD elect anew, and the member that leads etcd takes part; PD serves nobody until one is elected"},
	},
}}

// offLeaderAfter is for how long two members have to lead: PD and its etcd do not move at
// one instant.
const offLeaderAfter = 10 * time.Second

// offLeader finds a leader of PD that is renewed, though another member leads etcd
// (tikv/pd#10671).
func offLeader(x *rule.Context) {
	name, number, pd := recipe.PDLeader(x.Head.Key, x.Head.Value)
	c := x.K.Cluster()
	leads := c.Leader()
	if pd {
		x.Recheck(x.K.Now().Add(time.Second)) // the members tell something new without a word of this lock
	}
	if !pd || leads.ID == 0 || x.K.LiveSince(x.L.Name).IsZero() {
		return
	}
	m, known := memberOf(c, name, number)
	if st := x.Lease.State(); !known || m.ID == leads.ID || st != model.LeaseHealthy && st != model.LeaseUnknown {
		return
	}
	since, seen := x.K.LeaderSince(), true
	if x.L.HeadSince().After(since) {
		_, atLeast := x.L.HeldFor(x.K.Now())
		since, seen = x.L.HeadSince(), !atLeast
	}
	lasted := c.At.Sub(since)
	f := model.Finding{Code: model.CodeLeaderOffLeader, Severity: model.SevWarning, Confidence: model.Strong,
		Evidence: []string{m.Label() + " is named by PD's key; " + leads.Label() + fmt.Sprintf(" leads etcd, term %d", leads.Term)},
		Advice: []string{"look at " + m.Label() + ": its disk, its CPU, its connections to the other members",
			"if it does not serve: pd-ctl member leader transfer " + model.ShellQuote(leads.Name)},
		Etcdctl: append(x.L.Etcdctl(), "etcdctl endpoint status --cluster -w table")}
	f.Summary = fmt.Sprintf("%s holds PD's leadership for %s while %s leads etcd", m.Label(), model.Duration(lasted, !seen), leads.Label())
	switch {
	case lasted >= offLeaderAfter:
	case seen:
		return // it is about to give up
	default:
		f.Confidence = model.Hint
		f.Evidence = append(f.Evidence, "since when is not known: PD may be about to move its leader")
	}
	if x.Lease != nil {
		f.Lease = x.Lease.ID
		if x.Lease.HasRead {
			f.Evidence = append(f.Evidence, rule.ReadingWords(x.Lease))
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
