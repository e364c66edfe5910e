package findings

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/recipe"
)

// predecessorFamily is about programs that were restarted.
var predecessorFamily = Family{Lock: []Func{predecessorClaim}, Entries: []Entry{
	{
		Code:       model.CodePredecessorClaim,
		Place:      230,
		Severity:   model.SevWarning,
		Word:       model.Say("state-predecessor-claim"),
		Story:      model.Say("headline-predecessor-claim", theLock),
		Title:      model.Say("about-predecessor-claim"),
		Mechanism:  model.Say("mechanism-predecessor-claim"),
		Looks:      model.Say("looks-predecessor-claim"),
		Do:         model.Say("do-predecessor-claim"),
		Threads:    []string{"apache/dolphinscheduler#18644", "pingcap/tidb#65543", "fabric8io/kubernetes-client#7350"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Hint,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-predecessor-claim")},
	},
}}

// predecessorClaim finds a holder that is not renewed any more, and whose name has come back
// with another lease (apache/dolphinscheduler#18644).
func predecessorClaim(x *Context) {
	if !unrenewed(x) || x.L.Holders() != 1 {
		return
	}
	who := x.K.Owners.IdentityOf(x.Head)
	if who.Source == "uuid" || who.Source == "proxy" || !recipe.NamesOne(who.Text) { // what the lab knows of it is told by others
		return
	}
	next := cameBack(x, who.Text)
	if next == nil {
		return
	}
	left, _ := x.Lease.Remaining(x.K.Now())
	ends := time.Duration(left)*time.Second + expiryLag
	f := model.Finding{Code: model.CodePredecessorClaim, Severity: model.SevWarning, Confidence: model.Hint, Lease: x.Lease.ID,
		Summary:      model.Say("may-have-been-restarted", model.Verbatim(who.Text), ends),
		Evidence:     []model.Message{readingWords(x.Lease), model.Say("lease-has-the-same-name", next.ID, next.Claims()[0].Key)},
		Advice:       append([]model.Message{model.Say("see-whether-it-believes", model.Verbatim(who.Text))}, x.ToBreak(x.Head, model.Hint)...),
		Alternatives: []model.Code{model.CodeDeadHolder}}
	if c := x.ClaimOn(next); c != nil {
		f.Summary = model.Say("may-have-been-restarted-and-waits", model.Verbatim(who.Text), x.L.Place(c)+1, ends)
	}
	x.Report(f, x.Head)
}

// unrenewed says whether the holder's lease has missed its renewals, or, where its program
// renews when it likes and was not seen to, is more than half over.
func unrenewed(x *Context) bool {
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
func cameBack(x *Context, who string) (next *locks.Lease) {
	x.Names.gather(x.K)
	same := x.Names.byName[who]
	if len(same) > locks.MaxScan {
		return nil // a name of so many is not that of one run
	}
	for _, l := range same {
		if l == x.Lease {
			continue
		}
		for _, c := range firstKeys(l) { // none if it is gone since
			if names := namesOn(x.K, c); !slices.Contains(names[:], who) {
				continue
			}
			if !cameAfterRenewal(x, l, c) || l.State() == model.LeaseSilent {
				return nil
			}
			next = l
			break
		}
	}
	return next
}

// cameAfterRenewal says whether a lease, with one of its claims, came after the last renewal of the
// head's: by the time where it was seen to, else by the revisions. Leases that one member
// granted are numbered in order.
func cameAfterRenewal(x *Context, l *locks.Lease, c *locks.Claim) bool {
	if uint64(l.ID)>>48 == uint64(x.Lease.ID)>>48 && x.K.Members.GrantedBy(l.ID) != "" && uint64(l.ID) < uint64(x.Lease.ID) {
		return false
	}
	born, seen := l.Born()
	if !seen {
		return c.CreateRev > x.Head.CreateRev
	}
	renewed := x.Lease.Read.At.Add(-time.Duration(x.Lease.Read.Granted-x.Lease.Read.Remaining-1) * time.Second) // at the latest
	return born.After(renewed)
}
