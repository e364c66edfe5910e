package leases

import (
	"fmt"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/diagnose/rule"
	"locktop/model/keyspace"
	"locktop/model/recipe"
)

// Predecessor is about programs that were restarted.
var Predecessor = rule.Family{Lock: []rule.Func{predecessorClaim}, Entries: []rule.Entry{
	{
		Code:  model.CodePredecessorClaim,
		Place: 230,
		Word:  "of a dead run",
		Story: "The holder of {lock} was restarted, and its old claim is still there",
		Title: "A program was restarted, and the claim of its run before still holds",
		Mechanism: "A program that dies without closing its session leaves its key until the lease ends. When it comes back before " +
			"that, it has another lease and the same name. Some take the old key for their own since it has their name, " +
			"and go on without a lock once it goes: then two work. Others wait behind their own dead key.",
		Looks: "The holder's lease is not renewed, and one that came after its last renewal has keys of the same name. Two programs " +
			"that share a name look the same, so it is a hint.",
		Do: "See whether the program believes that it holds: a key is its own only if it hangs on its own lease. Otherwise the lock " +
			"moves when the old lease ends. In the program: compare the lease of the key, not the name in it, and revoke the " +
			"lease on exit.",
		Threads:    []string{"apache/dolphinscheduler#18644", "pingcap/tidb#65543", "fabric8io/kubernetes-client#7350"},
		Needs:      []rule.Needs{rule.NeedsEtcd},
		Confidence: model.Hint,
		Breaking:   rule.Breaking{Effect: rule.BreakCures, Why: "it frees the lock of a run that is over; see first that the next run does not work under this claim"},
	},
}}

// predecessorClaim finds a holder that is not renewed any more, and whose name has come back
// with another lease (apache/dolphinscheduler#18644).
func predecessorClaim(x *rule.Context) {
	if !unrenewed(x) || x.L.Holders() != 1 {
		return
	}
	who := x.K.IdentityOf(x.Head)
	if who.Source == "uuid" || who.Source == "proxy" || !recipe.NamesOne(who.Text) { // what the lab knows of it is told by others
		return
	}
	next := cameBack(x, who.Text)
	if next == nil {
		return
	}
	left, _ := x.Lease.Remaining(x.K.Now())
	ends := model.Duration(time.Duration(left)*time.Second+rule.ExpiryLag, false)
	f := model.Finding{Code: model.CodePredecessorClaim, Severity: model.SevWarning, Confidence: model.Hint, Lease: x.Lease.ID,
		Summary: fmt.Sprintf("%s may have been restarted: its claim is of a lease that is not renewed, and it is back with another; if it takes that claim for its own, nobody holds in about %s",
			who.Text, ends),
		Evidence:     []string{rule.ReadingWords(x.Lease), "lease " + next.ID.String() + " has the same name, on " + model.Printable(next.Claims()[0].Key)},
		Advice:       append([]string{"see whether " + who.Text + " believes that it holds: only a claim on its own lease is its own"}, x.ToBreak(x.Head, model.Hint)...),
		Alternatives: []model.Code{model.CodeDeadHolder}}
	if c := x.ClaimOn(next); c != nil {
		f.Summary = fmt.Sprintf("%s may have been restarted: it waits at place %d behind a claim of its own name that is not renewed, for about %s yet",
			who.Text, x.L.Place(c)+1, ends)
	}
	x.Report(f, x.Head)
}

// unrenewed says whether the holder's lease has missed its renewals, or, where its program
// renews when it likes and was not seen to, is more than half over.
func unrenewed(x *rule.Context) bool {
	switch l := x.Lease; {
	case l == nil || !l.HasRead || l.Read.Granted <= 0 || !l.ResetAt.IsZero():
		return false
	case l.State() == model.LeaseSilent:
		return true
	default:
		return l.State() == model.LeaseHealthy && !l.Learned() && x.L.Recipe().Rhythm == recipe.RenewsByHand && 2*l.Read.Remaining < l.Read.Granted
	}
}

// cameBack returns the lease with which a name came back after the last renewal of the
// head's, nil for none. One that it had before tells that the name is not of one run.
func cameBack(x *rule.Context, who string) (next *keyspace.Lease) {
	x.Names.Gather(x.K)
	for _, l := range x.Names.Of[who] {
		if l == x.Lease {
			continue
		}
		for _, c := range rule.FirstKeys(l) { // none if it is gone since
			if names := rule.NamesOn(x.K, c); !slices.Contains(names[:], who) {
				continue
			}
			if !later(x, l, c) || l.State() == model.LeaseSilent {
				return nil
			}
			next = l
			break
		}
	}
	return next
}

// later says whether a lease, with one of its claims, came after the last renewal of the
// head's: by the time where it was seen to, else by the revisions. Leases that one member
// granted are numbered in order.
func later(x *rule.Context, l *keyspace.Lease, c *keyspace.Claim) bool {
	if uint64(l.ID)>>48 == uint64(x.Lease.ID)>>48 && x.K.GrantedBy(l.ID) != "" && uint64(l.ID) < uint64(x.Lease.ID) {
		return false
	}
	born, seen := l.Born()
	if !seen {
		return c.CreateRev > x.Head.CreateRev
	}
	renewed := x.Lease.Read.At.Add(-time.Duration(x.Lease.Read.Granted-x.Lease.Read.Remaining-1) * time.Second) // at the latest
	return born.After(renewed)
}
