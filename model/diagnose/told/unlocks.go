package told

import (
	"fmt"
	"slices"

	"locktop/model"
	"locktop/model/diagnose/rule"
	"locktop/model/keyspace"
	"locktop/model/lab"
)

// Unlocks is about claims that were taken from under their owner, and locks of one session that let two in.
var Unlocks = rule.Family{Lab: []rule.Func{staleUnlocks, sameSession}, Entries: []rule.Entry{
	{
		Code:  model.CodeSameSession,
		Place: 330,
		Word:  "two act",
		Story: "Two workers act on {lock} by one claim",
		Title: "Several owners inside one process share one claim",
		Mechanism: "A session has one key per lock name. A second Lock on the same session succeeds at once, and the first Unlock " +
			"frees the lock for all of them.",
		Looks: "One key, nothing more: etcd cannot show how many believe they hold it. A counter that goes wrong under an intact " +
			"lock is the usual sign.",
		Do: "Give each actor its own session, or put a mutex of the programming language around the lock. Nothing has to be " +
			"broken in etcd.",
		Threads:    []string{"etcd-io/etcd#7444", "etcd-io/etcd#10756", "cilium#6667"},
		Needs:      []rule.Needs{rule.NeedsClient},
		Confidence: model.Strong,
		Breaking:   rule.Breaking{Effect: rule.BreakWrong, Why: "it stops none of the workers that believe, and lets one more in: stop them first"},
	},
	{
		Code:  model.CodeRenewRace,
		Place: 460,
		Word:  "renew race",
		Story: "A renewal of {lock} was answered while its lease was revoked",
		Title: "A renewal was answered OK while the lease was being revoked",
		Mechanism: "The reply to a renewal can cross the revoke. The client reads a positive TTL for a lease that has ended, and " +
			"goes on until the next reply. Replies that the client had buffered before a revoke have the same effect. Fixed " +
			"in 3.5.23 and 3.6.5.",
		Looks: "etcd shows a normal end of the lease. The proxy sees a reply with a TTL above 0 whose revision is not newer than " +
			"the deletion.",
		Do: "Upgrade. In the client: read the keepalive channel to its close, and do not take one good reply as proof that " +
			"the lock is held.",
		Threads:    []string{"etcd-io/etcd#14758", "etcd-io/etcd#21389", "etcd-io/etcd#20590", "etcd-io/etcd#21638"},
		Needs:      []rule.Needs{rule.NeedsProxy, rule.NeedsClient},
		Confidence: model.Certain,
		Breaking:   rule.Breaking{Effect: rule.BreakNone, Why: rule.GoneStopIt},
	},
	{
		Code:  model.CodeStaleUnlock,
		Place: 470,
		Word:  "stale unlock",
		Story: "A late unlock released {lock} under its holder",
		Title: "A late unlock removed a newer lock of the same session",
		Mechanism: "Unlock deletes its key by name, without looking at the revision. When an unlock is retried after its reply was " +
			"lost, and the session has taken the lock again in between, the new claim goes. Open in etcd.",
		Looks: "It looks like a normal unlock: the key goes and its lease lives. The owner works on. The proxy sees two deletes " +
			"of one key.",
		Do: "Stop the owner's work: it no longer holds. In the client: a new session for each acquisition, or a delete " +
			"guarded by the create revision.",
		Threads:    []string{"etcd-io/etcd#22082", "etcd-io/etcd#22115"},
		Needs:      []rule.Needs{rule.NeedsProxy, rule.NeedsClient},
		Confidence: model.Certain,
		Breaking:   rule.Breaking{Effect: rule.BreakNone, Why: rule.GoneStopIt},
	},
	{
		Code:  model.CodeExternalRevoke,
		Place: 480,
		Word:  "revoked",
		Story: "The lease of {lock} was revoked from outside",
		Title: "The lease was revoked from outside while its owner worked",
		Mechanism: "An operator or a cleaning job revoked the lease: all its keys go at once. From outside an owner that closes its " +
			"session does the same.",
		Looks: "All keys of the lease go at one revision, though clearly more than 1 s was left. Who did it is certain only from " +
			"locktop's own journal or from the proxy.",
		Do: "Ask who did it before you accuse anyone, and check that the old owner has stopped. Keep a record of every break; " +
			"locktop writes its own.",
		Threads:    []string{"cilium#9982"},
		Needs:      []rule.Needs{rule.NeedsEtcd, rule.NeedsProxy},
		Confidence: model.Hint,
		Breaking:   rule.Breaking{Effect: rule.BreakNone, Why: rule.GoneStopIt},
	},
	{
		Code:  model.CodeExternalDelete,
		Place: 490,
		Word:  "deleted",
		Story: "The claim on {lock} was deleted from outside",
		Title: "The claim was deleted from outside while its owner worked",
		Mechanism: "An operator or a cleaning job deleted the key; the lease lives on and the owner is not told. The next in line " +
			"gets the lock while the old holder may still work.",
		Looks: "One key goes and its lease is still renewed: an unlock looks exactly the same. It is certain only from locktop's " +
			"own journal or from the proxy.",
		Do: "Ask the old owner whether it let go, and stop it if not. To break a lock whose owner must notice, revoke the " +
			"lease, and see first what else hangs on it.",
		Threads:    []string{"cilium#9982"},
		Needs:      []rule.Needs{rule.NeedsEtcd, rule.NeedsProxy},
		Confidence: model.Hint,
		Breaking:   rule.Breaking{Effect: rule.BreakNone, Why: rule.GoneStopIt},
	},
}}

// sameSession finds workers that all believe to hold by one and the same claim: a second
// Lock on a session succeeds at once (etcd-io/etcd#7444).
func sameSession(x *rule.Context) {
	if x.Lab == nil {
		return
	}
	var before []*lab.Competitor
	for _, c := range x.Lab.Competitors {
		if c.Belief.State != model.BeliefHolding || c.Belief.Key == "" || x.Reports.ProcOf(c.ContenderInfo) == model.ProcEnded {
			continue
		}
		at := slices.IndexFunc(before, func(o *lab.Competitor) bool { return byOneClaim(x, o.Belief, c.Belief) })
		if before = append(before, c); at < 0 {
			continue
		}
		o, since := before[at], c.Belief.At
		if o.Belief.At.After(since) {
			since = o.Belief.At
		}
		if x.K.Now().Sub(since) < lab.Grace {
			x.Recheck(since.Add(lab.Grace))
			continue
		}
		x.Report(model.Finding{Code: model.CodeSameSession, Severity: model.SevError, Confidence: model.Strong, Lease: c.Belief.Lease,
			Summary:  fmt.Sprintf("%s and %s both believe that they hold %s, by one claim", model.Printable(o.Name), model.Printable(c.Name), model.Printable(x.L.Name)),
			Evidence: []string{"both name the key " + model.Printable(c.Belief.Key)},
			Advice:   []string{"give each worker a session of its own, or put a mutex of the programming language around the lock"}}, claimHere(x, c.Belief.Key))
		return
	}
}

// byOneClaim says whether two believe by one claim: the one that is there, or the last that
// was. A key that others had before is under another lease, or was created anew.
func byOneClaim(x *rule.Context, a, b model.Belief) bool {
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
func claimHere(x *rule.Context, key string) *keyspace.Claim {
	if c := x.K.Claim(key); c != nil && c.Lock() == x.L {
		return c
	}
	return nil
}

// staleUnlocks finds a contender whose claim its own client deleted while it believes
// on: an unlock that was tried again took a later claim of the same name. Where
// workers share a session, the unlock of one of them does the same.
func staleUnlocks(x *rule.Context) {
	if x.Lab == nil {
		return
	}
	for _, u := range x.Lab.Stale {
		if u.Victim == "" {
			x.Recheck(u.At.Add(lab.Grace))
			continue
		}
		x.Recheck(u.Told.Add(lab.ToldFor))
		staleUnlock(x, u)
	}
}

// staleUnlock reports one of them.
func staleUnlock(x *rule.Context, u *lab.StaleUnlock) {
	f := model.Finding{Code: model.CodeStaleUnlock, Severity: model.SevWarning, Confidence: model.Certain,
		Summary:  fmt.Sprintf("%s deleted a claim by which %s went on to believe that it held: the lock was let go under it", model.Printable(u.Client), model.Printable(u.Victim)),
		Evidence: []string{fmt.Sprintf("the proxy saw %s delete %s at revision %d; %s did not say that it let go", model.Printable(u.Client), model.Printable(u.Key), u.Rev, model.Printable(u.Victim))},
		Advice:   []string{"stop " + model.Printable(u.Victim) + ": it does not hold any more", "in the client: a session of its own for each acquisition, or a delete guarded by the create revision"}}
	if u.Retried {
		f.Evidence = append(f.Evidence, "an earlier delete of that key was not answered, so the client tried again")
	}
	if u.Shared && !u.Retried {
		f.Code, f.Confidence = model.CodeSameSession, model.Strong
		f.Advice[1] = "give each worker a session of its own"
	}
	if x.Reports.BelievesOn(u, x.L.Name) {
		f.Severity = model.SevError
	}
	x.Report(f, nil)
}
