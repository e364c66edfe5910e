package findings

import (
	"time"

	"locktop/model"
	"locktop/model/recipe"
)

// offLeaderFamily is about the leader of PD, which has an etcd of its own.
var offLeaderFamily = Family{Lock: []Func{offLeader}, Entries: []Entry{
	{
		Code:       model.CodeLeaderOffLeader,
		Place:      340,
		Severity:   model.SevWarning,
		Word:       model.Say("state-leader-off-leader"),
		Story:      model.Say("headline-leader-off-leader", theLock),
		Title:      model.Say("about-leader-off-leader"),
		Mechanism:  model.Say("mechanism-leader-off-leader"),
		Looks:      model.Say("looks-leader-off-leader"),
		Do:         model.Say("do-leader-off-leader"),
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
			f.Evidence = append(f.Evidence, readingWords(x.Lease))
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
