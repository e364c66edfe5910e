package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/keyspace"
	"locktop/model/recipe"
)

// predecessorFamily is about programs that were restarted.
var predecessorFamily = family{lock: []rule{predecessorClaim}, entries: []Entry{
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
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Hint,
		Breaking:   Breaking{BreakCures, "it frees the lock of a run that is over; see first that the next run does not work under this claim"},
	},
}}

// predecessorClaim finds a holder that is not renewed any more, and whose name has come back
// with another lease (apache/dolphinscheduler#18644).
func predecessorClaim(x *ruleContext) {
	if !x.unrenewed() || x.l.Holders() != 1 {
		return
	}
	who := x.k.IdentityOf(x.head)
	if who.Source == "uuid" || who.Source == "proxy" || !recipe.NamesOne(who.Text) { // what the lab knows of it is told by others
		return
	}
	next := x.cameBack(who.Text)
	if next == nil {
		return
	}
	left, _ := x.lease.Remaining(x.k.Now())
	ends := model.Duration(time.Duration(left)*time.Second+expiryLag, false)
	f := model.Finding{Code: model.CodePredecessorClaim, Severity: model.SevWarning, Confidence: model.Hint, Lease: x.lease.ID,
		Summary: fmt.Sprintf("%s may have been restarted: its claim is of a lease that is not renewed, and it is back with another; if it takes that claim for its own, nobody holds in about %s",
			who.Text, ends),
		Evidence:     []string{readingWords(x.lease), "lease " + next.ID.String() + " has the same name, on " + model.Printable(next.Claims()[0].Key)},
		Advice:       append([]string{"see whether " + who.Text + " believes that it holds: only a claim on its own lease is its own"}, x.toBreak(x.head, model.Hint)...),
		Alternatives: []model.Code{model.CodeDeadHolder}}
	if c := x.claimOn(next); c != nil {
		f.Summary = fmt.Sprintf("%s may have been restarted: it waits at place %d behind a claim of its own name that is not renewed, for about %s yet",
			who.Text, x.l.Place(c)+1, ends)
	}
	x.report(f, x.head)
}

// unrenewed says whether the holder's lease has missed its renewals, or, where its program
// renews when it likes and was not seen to, is more than half over.
func (x *ruleContext) unrenewed() bool {
	switch l := x.lease; {
	case l == nil || !l.HasRead || l.Read.Granted <= 0 || !l.ResetAt.IsZero():
		return false
	case l.State() == model.LeaseSilent:
		return true
	default:
		return l.State() == model.LeaseHealthy && !l.Learned() && x.l.Recipe().Rhythm == recipe.RenewsByHand && 2*l.Read.Remaining < l.Read.Granted
	}
}

// namesakes are the leases by the names that their keys carry. They are gathered at most once
// a second, and only when a holder is not renewed: when one client with thousands of locks
// dies, each of them asks.
type namesakes struct {
	of       map[string][]*keyspace.Lease // those that came last first
	gathered time.Time
}

// Bounds of what is gathered: the leases that came last, and some keys of each.
const (
	namesakesLeases = 20_000
	namesakesKeys   = 8
	namesakesFor    = time.Second
)

// gather goes through the leases unless that was done within the second.
func (n *namesakes) gather(k *keyspace.Keyspace) {
	now := k.Now()
	if n.of != nil && !now.Before(n.gathered) && now.Sub(n.gathered) < namesakesFor {
		return
	}
	n.of, n.gathered = map[string][]*keyspace.Lease{}, now
	all := k.Leases()
	for i := len(all) - 1; i >= max(0, len(all)-namesakesLeases); i-- {
		l := all[i]
		for _, c := range firstKeys(l) {
			for _, name := range namesOn(k, c) {
				if of := n.of[name]; recipe.NamesOne(name) && (len(of) == 0 || of[len(of)-1] != l) {
					n.of[name] = append(of, l)
				}
			}
		}
	}
}

func firstKeys(l *keyspace.Lease) []*keyspace.Claim {
	return l.Claims()[:min(len(l.Claims()), namesakesKeys)]
}

// namesOn are the names that a key carries: those of its claim, of its value and, as
// registrations do, its own.
func namesOn(k *keyspace.Keyspace, c *keyspace.Claim) [3]string {
	owner, _ := recipe.Owner(c.Value)
	return [...]string{k.IdentityOf(c).Text, model.Printable(c.Key[strings.LastIndexByte(c.Key, '/')+1:]), model.Printable(owner)}
}

// cameBack returns the lease with which a name came back after the last renewal of the
// head's, nil for none. One that it had before tells that the name is not of one run.
func (x *ruleContext) cameBack(who string) (next *keyspace.Lease) {
	x.names.gather(x.k)
	for _, l := range x.names.of[who] {
		if l == x.lease {
			continue
		}
		for _, c := range firstKeys(l) { // none if it is gone since
			if names := namesOn(x.k, c); !slices.Contains(names[:], who) {
				continue
			}
			if !x.later(l, c) || l.State() == model.LeaseSilent {
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
func (x *ruleContext) later(l *keyspace.Lease, c *keyspace.Claim) bool {
	if uint64(l.ID)>>48 == uint64(x.lease.ID)>>48 && x.k.GrantedBy(l.ID) != "" && uint64(l.ID) < uint64(x.lease.ID) {
		return false
	}
	born, seen := l.Born()
	if !seen {
		return c.CreateRev > x.head.CreateRev
	}
	renewed := x.lease.Read.At.Add(-time.Duration(x.lease.Read.Granted-x.lease.Read.Remaining-1) * time.Second) // at the latest
	return born.After(renewed)
}
