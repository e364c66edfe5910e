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
		Code:     model.CodeSameSession,
		Place:    330,
		Severity: model.SevError,
		Word:     model.Say("state-same-session"),
		Story:    model.Say("headline-same-session", theLock),
		Title:    "Several owners inside one process share one claim",
		Mechanism: "A session has one key per lock name. A second Lock on the same session succeeds at once, and the first Unlock " +
			"frees the lock for all of them.",
		Looks: "One key, nothing more: etcd cannot show how many believe they hold it. A counter that goes wrong under an intact " +
			"lock is the usual sign.",
		Do: "Give each actor its own session, or put a mutex of the programming language around the lock. Nothing has to be " +
			"broken in etcd.",
		Threads:    []string{"etcd-io/etcd#7444", "etcd-io/etcd#10756", "cilium#6667"},
		Needs:      []Needs{NeedsClient},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-same-session")},
	},
	{
		Code:     model.CodeRenewRace,
		Place:    460,
		NotFound: "looks like a normal end of the lease: the proxy does not report the answers to renewals",
		Word:     model.Say("state-renew-race"),
		Story:    model.Say("headline-renew-race", theLock),
		Title:    "A renewal was answered OK while the lease was being revoked",
		Mechanism: "The reply to a renewal can cross the revoke. The client reads a positive TTL for a lease that has ended, and " +
			"goes on until the next reply. Replies that the client had buffered before a revoke have the same effect. Fixed " +
			"in 3.5.23 and 3.6.5.",
		Looks: "etcd shows a normal end of the lease. The proxy sees a reply with a TTL above 0 whose revision is not newer than " +
			"the deletion.",
		Do: "Upgrade. In the client: read the keepalive channel to its close, and do not take one good reply as proof that " +
			"the lock is held.",
		Threads:    []string{"etcd-io/etcd#14758", "etcd-io/etcd#21389", "etcd-io/etcd#20590", "etcd-io/etcd#21638"},
		Needs:      []Needs{NeedsProxy, NeedsClient},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: GoneStopIt},
	},
	{
		Code:     model.CodeStaleUnlock,
		Place:    470,
		Severity: model.SevError,
		Word:     model.Say("state-stale-unlock"),
		Story:    model.Say("headline-stale-unlock", theLock),
		Title:    "A late unlock removed a newer lock of the same session",
		Mechanism: "Unlock deletes its key by name, without looking at the revision. When an unlock is retried after its reply was " +
			"lost, and the session has taken the lock again in between, the new claim goes. Open in etcd.",
		Looks: "It looks like a normal unlock: the key goes and its lease lives. The owner works on. The proxy sees two deletes " +
			"of one key.",
		Do: "Stop the owner's work: it no longer holds. In the client: a new session for each acquisition, or a delete " +
			"guarded by the create revision.",
		Threads:    []string{"etcd-io/etcd#22082", "etcd-io/etcd#22115"},
		Needs:      []Needs{NeedsProxy, NeedsClient},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: GoneStopIt},
	},
	{
		Code:     model.CodeExternalRevoke,
		Place:    480,
		NotFound: "looks like an owner that closes its session: the journal says that the lease ended early, and is certain only of your own acts",
		Word:     model.Say("state-external-revoke"),
		Story:    model.Say("headline-external-revoke", theLock),
		Title:    "The lease was revoked from outside while its owner worked",
		Mechanism: "An operator or a cleaning job revoked the lease: all its keys go at once. From outside an owner that closes its " +
			"session does the same.",
		Looks: "All keys of the lease go at one revision, though clearly more than 1 s was left. Who did it is certain only from " +
			"locktop's own journal or from the proxy.",
		Do: "Ask who did it before you accuse anyone, and check that the old owner has stopped. Keep a record of every break; " +
			"locktop writes its own.",
		Threads:    []string{"cilium#9982"},
		Needs:      []Needs{NeedsEtcd, NeedsProxy},
		Confidence: model.Hint,
		Breaking:   Breaking{Effect: BreakNone, Why: GoneStopIt},
	},
	{
		Code:     model.CodeExternalDelete,
		Place:    490,
		Severity: model.SevInfo,
		Word:     model.Say("state-external-delete"),
		Story:    model.Say("headline-external-delete", theLock),
		Title:    "The claim was deleted from outside while its owner worked",
		Mechanism: "An operator or a cleaning job deleted the key; the lease lives on and the owner is not told. The next in line " +
			"gets the lock while the old holder may still work.",
		Looks: "One key goes, and its lease is renewed on without a key beside the next holder, for its TTL (5 to 15 s) or five " +
			"times as long as those of this lock usually are away. An owner that unlocks and keeps its session looks the same: the " +
			"journal says released, as a hint. It is strong where the session queues again at once, as it always does, and certain only " +
			"from locktop's own journal or from the proxy.",
		Do: "Ask the old owner whether it let go, and stop it if not. To break a lock whose owner must notice, revoke the " +
			"lease, and see first what else hangs on it.",
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
		if usual := locks.Percentile(x.L.HoldTimes(), 50); len(x.L.HoldTimes()) >= LongHolds && !k.HeldAtLeast && k.Held < usual/2 {
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

// staleUnlock reports one of them.
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
