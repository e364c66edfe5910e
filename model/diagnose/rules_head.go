package diagnose

import (
	"fmt"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/recipe"
)

// wrongHead finds a head that never leaves because it is no live claim: a key
// without a lease, a foreign key, a nested lock (etcd client/v3 concurrency/key.go:
// the wait looks at every key under the name).
func wrongHead(x *ruleContext) {
	if x.l.Len() < 2 || x.l.Shape() != recipe.Queue {
		return
	}
	if f, ok := x.misplaced(x.head); ok {
		f.Severity = model.SevError
		f.Evidence = append(f.Evidence, fmt.Sprintf("%d behind it wait", x.l.Len()-1))
		x.report(f, x.head)
	}
}

// wrongWaiter finds such a key in the middle of the queue: it blocks when its turn
// comes, if a claim stands behind it.
func wrongWaiter(x *ruleContext) {
	if x.l.Shape() != recipe.Queue || x.l.AllByLease() {
		return
	}
	place := 0
	x.l.Claims(func(c *model.Claim) bool {
		place++
		if place == 1 || place == x.l.Len() {
			return place < model.MaxScan
		}
		if f, ok := x.misplaced(c); ok {
			f.Severity = model.SevWarning
			f.Summary += fmt.Sprintf(", when it becomes first; it is at place %d", place)
			x.report(f, c)
			return false
		}
		return place < model.MaxScan
	})
}

// misplaced says what is wrong with a key of the queue by its form alone.
func (x *ruleContext) misplaced(c *model.Claim) (model.Finding, bool) {
	if c.KV.Lease != 0 && x.l.IsClaim(c) {
		return model.Finding{}, false // the usual case, for which nothing is written
	}
	key := model.Printable(c.Key)
	guarded := "delete it guarded by its revisions, not by name: " +
		model.Action{Kind: model.DeleteClaim, Key: c.Key, CreateRev: c.CreateRev, ModRev: c.ModRev}.Etcdctl()
	f := model.Finding{Confidence: model.Certain, Lease: c.KV.Lease}
	f.Evidence = []string{fmt.Sprintf("key %s, create revision %d, version %d, lease %s", key, c.CreateRev, c.Version, leaseWords(c))}
	switch {
	case c.KV.Lease == 0 && x.l.IsClaim(c) && c.Version > 1:
		f.Code = model.CodeLeaseDetached
		f.Summary = key + " lost its lease by a later put without one: it never expires and blocks the lock"
		f.Advice = []string{"make sure that its writer is gone", guarded, "make the client pass its lease, or IgnoreLease, with every put"}
	case c.KV.Lease == 0 && (x.l.IsClaim(c) || x.l.Recipe().AnyName && x.l.Beside(c)):
		f.Code = model.CodeOrphanKey
		f.Summary = key + " has no lease: it never expires and blocks the lock"
		f.Advice = []string{"make sure that its writer is gone", guarded}
	case !x.l.Beside(c) && c.Lock() != nil:
		f.Code = model.CodeNestedPrefix
		f.Summary = fmt.Sprintf("%s waits for the lock %s, whose name lies below its own", model.Printable(x.l.Name), model.Printable(c.Lock().Name))
		f.Advice = []string{"wait for " + model.Printable(c.Lock().Name) + " to be let go, or break that one",
			"rename one of the two, so that no lock's name is a path above another's"}
	default:
		f.Code = model.CodeForeignKey
		f.Summary = key + " is no claim, but it is counted as one: it blocks the lock"
		f.Advice = []string{"move the data elsewhere, or rename the lock"}
	}
	return f, true
}

func leaseWords(c *model.Claim) string {
	if c.KV.Lease == 0 {
		return "none"
	}
	return c.KV.Lease.String()
}

// overdueError is how long a lease may be past its end before it is an error: a
// server is up to some seconds late when many leases end together.
const overdueError = 10

// backlogRate is how many leases past their end a server removes in a second at the least:
// what takes longer does not work.
const backlogRate = 200

// forgottenAfter is how many seconds past its end a lease of an old server has to be
// to count as forgotten: by then others that ended with it have been read.
const forgottenAfter = 60

// overdue finds a head whose lease is past its end and still there.
func overdue(x *ruleContext) {
	if x.lease == nil || x.lease.State() != model.LeaseOverdue {
		return
	}
	late := -x.lease.Read.Remaining
	f := model.Finding{Code: model.CodeLeaseOverdue, Severity: model.SevWarning, Confidence: model.Certain, Lease: x.lease.ID,
		Summary:  fmt.Sprintf("the lease of %s ended %d s ago, but etcd has not removed it", model.Printable(x.head.Key), late),
		Evidence: []string{readingWords(x.lease)},
		Advice:   []string{"look at the leader: is it overloaded, or does it log \"failed to revoke\"?", "moving the leader makes the new one try again"}}
	if late >= overdueError {
		f.Severity = model.SevError
	}
	switch n := x.k.Overdue(); {
	case versionBelow(x.k.Cluster(), 3, 4) && late >= forgottenAfter && n < model.BacklogMin:
		f.Code = model.CodeRevokeForgotten
		f.Evidence = append(f.Evidence, "server "+model.Printable(serverVersion(x.k.Cluster()))+": before 3.4 a failed revoke was never tried again (etcd-io/etcd#10693)")
		f.Advice = []string{"revoke it by hand: " + model.Action{Kind: model.RevokeLease, Lease: x.lease.ID}.Etcdctl(), "upgrade"}
	case n >= model.BacklogMin && late < overdueError+int64(n)/backlogRate:
		f.Code, f.Confidence = model.CodeExpiryBacklog, model.Strong
		f.Evidence = append(f.Evidence, fmt.Sprintf("%d leases are past their end: etcd removes at most 1000 a second", n))
		f.Advice = []string{"wait: the backlog shrinks by itself", "spread the TTLs, or use fewer leases"}
	case late >= overdueError:
		f.Code, f.Confidence = model.CodeRevokeFailing, model.Strong
		f.Evidence = append(f.Evidence, fmt.Sprintf("%d leases are past their end: etcd removes hundreds a second, so this is no backlog", n))
		f.Advice = append(f.Advice, "revoke it by hand as root: "+model.Action{Kind: model.RevokeLease, Lease: x.lease.ID}.Etcdctl())
	}
	x.report(f, x.head)
}

// oddKeep is how long an unbelievable answer is worth mentioning.
const oddKeep = 30 * time.Second

// unbelievable finds a reading with more left than was granted (etcd-io/etcd#12381).
func unbelievable(x *ruleContext) {
	if x.lease == nil || x.lease.Odd.At.IsZero() || x.k.Now().Sub(x.lease.Odd.At) > oddKeep {
		return
	}
	o := x.lease.Odd
	x.recheck(o.At.Add(oddKeep + time.Millisecond))
	x.report(model.Finding{Code: model.CodeTTLRollover, Severity: model.SevInfo, Confidence: model.Certain, Lease: o.ID,
		Summary:  fmt.Sprintf("a reading said %d s left of %d: it is not believed", o.Remaining, o.Granted),
		Evidence: []string{"a leader that was just deposed answers like that (etcd-io/etcd#12381)"},
		Advice:   []string{"nothing: the lease is read again"}}, x.head)
}

// reset finds a head that was not renewed and got a whole TTL more from a new raft
// leader (etcd-io/etcd#9395).
func reset(x *ruleContext) {
	if x.lease == nil || x.lease.ResetAt.IsZero() {
		return
	}
	sure, dead := x.lease.ResetDead()
	if !dead {
		return
	}
	x.report(model.Finding{Code: model.CodeTTLReset, Severity: model.SevWarning, Confidence: sure, Lease: x.lease.ID,
		Summary:  fmt.Sprintf("a new raft leader gave the lease of %s its full %d s anew, though nobody renewed it", model.Printable(x.head.Key), x.lease.Read.Granted),
		Evidence: []string{readingWords(x.lease), fmt.Sprintf("the raft term changed to %d between two readings; before, renewals were missed", x.lease.Read.Term)},
		Advice:   []string{"wait for the end of the new term, or break the lock", "find out why the leader changes"}}, x.head)
}

// etaError is how far away the end of a dead holder's lease has to be to be an
// error for those who wait.
const etaError = 30 * time.Second

// missedRenewals finds a head whose lease is not renewed any more, or never was.
func missedRenewals(x *ruleContext) {
	if x.lease == nil || x.denied(x.lease) {
		return
	}
	if _, dead := x.lease.ResetDead(); dead {
		return
	}
	st := x.lease.State()
	if st != model.LeaseLate && st != model.LeaseSilent {
		return
	}
	if x.unattended(x.head) {
		return
	}
	f := model.Finding{Severity: model.SevWarning, Confidence: model.Strong, Lease: x.lease.ID,
		Evidence:     []string{readingWords(x.lease), x.rhythmWords()},
		Alternatives: []model.Code{model.CodeKeepaliveCancelled, model.CodeKeepaliveHalted, model.CodeHalfOpenTCP}}
	if !x.lease.Learned() {
		f.Confidence = model.Hint // some clients renew only at the very end (etcd-cpp-apiv3: a second before)
	}
	left, _ := x.lease.Remaining(x.k.Now())
	eta := time.Duration(left)*time.Second + expiryLag
	who := x.k.Who(x.head.Ref())
	x.namePattern(&f)
	if f.Code != "" {
		f.Summary = fmt.Sprintf("%s; the lock is free in about %s", f.Summary, model.Duration(eta, false))
	} else if st == model.LeaseLate {
		f.Code = model.CodeKeepaliveStalled
		f.Summary = fmt.Sprintf("%s has missed a renewal; if it does not come, the lock is free in about %s", who, model.Duration(eta, false))
		f.Advice = []string{"look at the holder: paused, starved of CPU, cut off?"}
	} else {
		f.Code = model.CodeDeadHolder
		f.Summary = fmt.Sprintf("%s does not renew any more: the lock is free in about %s", who, model.Duration(eta, false))
		f.Advice = []string{"wait for it, or break the lock now if the holder is certainly dead"}
		if x.l.Behind() > 0 && eta > etaError {
			f.Severity = model.SevError
		}
	}
	x.report(f, x.head)
}

// stopsMin is how many renewals have to have stopped at the same age to make a
// pattern, and stopSpread how far these ages may lie apart.
const (
	stopsMin   = 3
	stopSpread = 2 * time.Second
)

// namePattern tells two ways of stopping that leave a pattern: at a change of the
// leader while others go on, and at the same age in one holder after another.
func (x *ruleContext) namePattern(f *model.Finding) {
	who := x.k.Who(x.head.Ref())
	if !x.lease.ResetAt.IsZero() && x.renewedSince(x.k.LeaderSince()) >= stopsMin {
		f.Code = model.CodeKeepaliveHalted
		f.Summary = who + " was never renewed since the leader changed, while others are"
		f.Evidence = append(f.Evidence, fmt.Sprintf("a new raft term was seen %s ago", model.Duration(x.k.Now().Sub(x.k.LeaderSince()), false)))
		f.Advice = []string{"restart the holder: its renewing loop has ended", "upgrade its client, and watch the channel of KeepAlive for its end"}
		f.Alternatives = []model.Code{model.CodeHalfOpenTCP}
		return
	}
	if age, ok := constantAge(x.l.StopAges()); ok {
		f.Code = model.CodeKeepaliveCancelled
		f.Summary = fmt.Sprintf("%s does not renew any more, like the last %d holders that stopped at an age of about %s", who, len(x.l.StopAges()), model.Duration(age, false))
		f.Advice = []string{"look for a timeout of that length in the client: is KeepAlive bound to the context of the acquisition?"}
		f.Alternatives = []model.Code{model.CodeDeadHolder}
	}
}

// constantAge says whether all ages are about the same.
func constantAge(ages []time.Duration) (time.Duration, bool) {
	if len(ages) < stopsMin || slices.Max(ages)-slices.Min(ages) > stopSpread {
		return 0, false
	}
	return model.Percentile(ages, 50), true
}

// renewedSince counts the leases that are known to have been renewed since then.
func (x *ruleContext) renewedSince(t time.Time) int {
	n := 0
	for _, l := range x.k.Leases() {
		if l.HasRead && l.Read.At.After(t) && l.ResetAt.IsZero() && l.Renewals > 0 && l.State() == model.LeaseHealthy {
			n++
		}
	}
	return n
}

// expiryLag is how long after its end a lease is removed: the server looks every
// 500 ms.
const expiryLag = 500 * time.Millisecond

// unattended finds a claim whose lease nobody ever renewed, as the lock service
// grants it to callers that bring none (dotnet-etcd#321).
func (x *ruleContext) unattended(c *model.Claim) bool {
	l := c.LeaseInfo()
	rpcLease := c.Form().Of().ServerLease
	if rpcLease == 0 || l.Read.Granted != rpcLease || l.Renewals > 0 || c.SinceAtLeast {
		return false
	}
	if l.Read.At.Sub(l.First.At) < time.Duration(rpcLease)*time.Second/3 || l.First.Remaining < rpcLease-5 {
		return false
	}
	left, _ := l.Remaining(x.k.Now())
	x.report(model.Finding{Code: model.CodeUnattendedLease, Severity: model.SevWarning, Confidence: model.Hint, Lease: l.ID,
		Alternatives: []model.Code{model.CodeDeadHolder}, // a client with the usual TTL of 60 s that died before its first renewal
		Summary: fmt.Sprintf("the lease of %s was never renewed since it was granted: the key goes in about %d s, whatever its owner does",
			model.Printable(c.Key), left),
		Evidence: []string{readingWords(l), fmt.Sprintf("first read with %d s left %s ago, only falling since", l.First.Remaining, model.Duration(x.k.Now().Sub(l.First.At), false)),
			"60 s is what the lock service grants when it is called without a lease, and then nobody renews it"},
		Advice: []string{"make the caller grant a lease, keep it alive, and pass it"}}, c)
	return true
}

func readingWords(l *model.Lease) string {
	return fmt.Sprintf("lease %s: %d of %d s left at the last reading", l.ID, l.Read.Remaining, l.Read.Granted)
}

func (x *ruleContext) rhythmWords() string {
	if x.lease.Learned() {
		return fmt.Sprintf("it was seen to be renewed at least every %s before", model.Duration(max(x.lease.Rhythm, time.Duration(x.lease.Read.Granted)*time.Second/3), false))
	}
	return "it was not seen to be renewed yet; clients of this recipe usually renew at a third of the TTL"
}
