package findings

import (
	"slices"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/reports"
)

// unlockFamily is about claims that were taken from under their owner, and locks of one session that let two in.
var unlockFamily = Family{Lock: []Func{livesOn}, Lab: []Func{staleUnlocks, sameSession}, Entries: []Entry{
	{
		Code:       model.CodeSameSession,
		Place:      330,
		Severity:   model.SevError,
		Word:       model.Say("state-same-session"),
		Story:      model.Say("headline-same-session", theLock),
		Title:      model.Say("about-same-session"),
		Mechanism:  model.Say("mechanism-same-session"),
		Looks:      model.Say("looks-same-session"),
		Do:         model.Say("do-same-session"),
		Threads:    []string{"etcd-io/etcd#7444", "etcd-io/etcd#10756", "cilium#6667"},
		Needs:      []Needs{NeedsClient},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-same-session")},
	},
	{
		Code:       model.CodeRenewRace,
		Place:      460,
		NotFound:   model.Say("not-found-renew-race"),
		Word:       model.Say("state-renew-race"),
		Story:      model.Say("headline-renew-race", theLock),
		Title:      model.Say("about-renew-race"),
		Mechanism:  model.Say("mechanism-renew-race"),
		Looks:      model.Say("looks-renew-race"),
		Do:         model.Say("do-renew-race"),
		Threads:    []string{"etcd-io/etcd#14758", "etcd-io/etcd#21389", "etcd-io/etcd#20590", "etcd-io/etcd#21638"},
		Needs:      []Needs{NeedsProxy, NeedsClient},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: GoneStopIt},
	},
	{
		Code:       model.CodeStaleUnlock,
		Place:      470,
		Severity:   model.SevError,
		Word:       model.Say("state-stale-unlock"),
		Story:      model.Say("headline-stale-unlock", theLock),
		Title:      model.Say("about-stale-unlock"),
		Mechanism:  model.Say("mechanism-stale-unlock"),
		Looks:      model.Say("looks-stale-unlock"),
		Do:         model.Say("do-stale-unlock"),
		Threads:    []string{"etcd-io/etcd#22082", "etcd-io/etcd#22115"},
		Needs:      []Needs{NeedsProxy, NeedsClient},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: GoneStopIt},
	},
	{
		Code:       model.CodeExternalRevoke,
		Place:      480,
		NotFound:   model.Say("not-found-external-revoke"),
		Word:       model.Say("state-external-revoke"),
		Story:      model.Say("headline-external-revoke", theLock),
		Title:      model.Say("about-external-revoke"),
		Mechanism:  model.Say("mechanism-external-revoke"),
		Looks:      model.Say("looks-external-revoke"),
		Do:         model.Say("do-external-revoke"),
		Threads:    []string{"cilium#9982"},
		Needs:      []Needs{NeedsEtcd, NeedsProxy},
		Confidence: model.Hint,
		Breaking:   Breaking{Effect: BreakNone, Why: GoneStopIt},
	},
	{
		Code:       model.CodeExternalDelete,
		Place:      490,
		Severity:   model.SevInfo,
		Word:       model.Say("state-external-delete"),
		Story:      model.Say("headline-external-delete", theLock),
		Title:      model.Say("about-external-delete"),
		Mechanism:  model.Say("mechanism-external-delete"),
		Looks:      model.Say("looks-external-delete"),
		Do:         model.Say("do-external-delete"),
		Threads:    []string{"cilium#9982"},
		Needs:      []Needs{NeedsEtcd, NeedsProxy},
		Confidence: model.Hint,
		Breaking:   Breaking{Effect: BreakNone, Why: GoneStopIt},
	},
}}

// livesOn finds a holder whose key went while its lease lived, and that neither queues again nor
// ends its session: it may work on beside the next one (cilium#9982).
func livesOn(x *Context) {
	holder := x.L.Holder()
	if holder == nil {
		return
	}
	for _, k := range x.Leaks.OutlivedBy(x.L) {
		if k.ID == holder.KV.Lease || speaks(x, k.ID) {
			continue
		}
		now := x.K.Now()
		f := model.Finding{Code: model.CodeExternalDelete, Severity: model.SevInfo, Confidence: model.Hint, Lease: k.ID,
			Summary:  model.Say("held-until-its-key", model.Verbatim(x.K.Owners.Who(k.Claim)), x.L.Name, now.Sub(k.Gone), model.Verbatim(x.K.Owners.Who(holder.Ref()))),
			Evidence: []model.Message{model.Say("renewed-since-its-key-went", k.ID, k.Read.Remaining, k.Read.Granted, now.Sub(k.Read.At))},
			Advice:   []model.Message{model.Say("ask-the-program"), model.Say("if-it-works-on-stop")},
			Etcdctl:  []string{k.ID.Etcdctl()}}
		if usual := model.Percentile(x.L.HoldTimes(), 50); len(x.L.HoldTimes()) >= longHolds && !k.HeldAtLeast && k.Held < usual/2 {
			f.Severity = model.SevWarning
			f.Evidence = append(f.Evidence, model.Say("had-held-shorter-than-usual", k.Held, usual))
		}
		if k.Usual > 0 {
			f.Evidence = append(f.Evidence, model.Say("those-that-held-before-usually", k.Usual))
		}
		x.Report(f, nil)
	}
}

// speaks says whether the program of a lease tells itself what it believes: then that counts.
func speaks(x *Context, id model.LeaseID) bool {
	o, known := x.K.Owners.LeaseOwner(id)
	return known && slices.ContainsFunc(x.Reports.Programs.Workers(o.Name), func(c *reports.Competitor) bool { return !c.Belief.At.IsZero() })
}

// sameSession finds workers that all believe to hold by one and the same claim: a second
// Lock on a session succeeds at once (etcd-io/etcd#7444).
func sameSession(x *Context) {
	if x.Lab == nil {
		return
	}
	var before []*reports.Competitor
	for _, c := range x.Lab.Competitors {
		if c.Belief.State != model.BeliefHolding || c.Belief.Key == "" || x.Reports.Programs.ProcOf(c.ContenderInfo) == model.ProcEnded {
			continue
		}
		at := slices.IndexFunc(before, func(o *reports.Competitor) bool { return byOneClaim(x, o.Belief, c.Belief) })
		if before = append(before, c); at < 0 {
			continue
		}
		o, since := before[at], c.Belief.At
		if o.Belief.At.After(since) {
			since = o.Belief.At
		}
		if x.K.Now().Sub(since) < reports.Grace {
			x.Recheck(since.Add(reports.Grace))
			continue
		}
		x.Report(model.Finding{Code: model.CodeSameSession, Severity: model.SevError, Confidence: model.Strong, Lease: c.Belief.Lease,
			Summary:  model.Say("both-believe-that-they-hold", o.Name, c.Name, x.L.Name),
			Evidence: []model.Message{model.Say("both-name-the-key", c.Belief.Key)},
			Advice:   []model.Message{model.Say("give-each-worker-a-session")}}, claimHere(x, c.Belief.Key))
		return
	}
}

// byOneClaim says whether two believe by one claim: the one that is there, or the last that
// was. A key that others had before is under another lease, or was created anew.
func byOneClaim(x *Context, a, b model.Belief) bool {
	if a.Key != b.Key || a.Lease != 0 && b.Lease != 0 && a.Lease != b.Lease {
		return false
	}
	if c := claimHere(x, a.Key); c != nil {
		return a.SpeaksOf(c.Ref()) && b.SpeaksOf(c.Ref())
	}
	g := x.Lab.Removed(a.Key)
	return g == nil || a.SpeaksOf(g.Ref) && b.SpeaksOf(g.Ref)
}

// claimHere returns the claim of this lock that has that key, nil for none.
func claimHere(x *Context, key string) *locks.Claim {
	if c := x.K.Keys.Claim(key); c != nil && c.Lock() == x.L {
		return c
	}
	return nil
}

// staleUnlocks finds a contender whose claim its own client deleted while it believes
// on: an unlock that was tried again took a later claim of the same name. Where
// workers share a session, the unlock of one of them does the same.
func staleUnlocks(x *Context) {
	if x.Lab == nil {
		return
	}
	for _, u := range x.Lab.Stale {
		if u.Victim == "" {
			x.Recheck(u.At.Add(reports.Grace))
			continue
		}
		x.Recheck(u.FoundAt.Add(reports.ToldFor))
		staleUnlock(x, u)
	}
}

func staleUnlock(x *Context, u *reports.StaleUnlock) {
	f := model.Finding{Code: model.CodeStaleUnlock, Severity: model.SevWarning, Confidence: model.Certain,
		Summary:  model.Say("deleted-a-claim", u.Client, u.Victim),
		Evidence: []model.Message{model.Say("the-proxy-saw-delete", u.Client, u.Key, u.Rev, u.Victim)},
		Advice:   []model.Message{model.Say("stop-it-does-not-hold", u.Victim), model.Say("session-for-each-acquisition")}}
	if u.Retried {
		f.Evidence = append(f.Evidence, model.Say("an-earlier-delete"))
	}
	if u.Shared && !u.Retried {
		f.Code, f.Confidence = model.CodeSameSession, model.Strong
		f.Advice[1] = model.Say("give-each-worker-a-session-of-its-own")
	}
	if x.Reports.BelievesOn(u, x.L.Name) {
		f.Severity = model.SevError
	}
	x.Report(f, nil)
}
