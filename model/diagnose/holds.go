package diagnose

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/lab"
)

// holdsFamily is about holders that are renewed and do not let go.
var holdsFamily = family{lock: []rule{longHeld}, lab: []rule{zombieHolder}, entries: []Entry{
	{
		Code:  model.CodeLongHeld,
		Place: 270,
		Word:  "held long",
		Story: "A holder renews, and keeps {lock} for long",
		Title: "The lock is held far longer than usual by a holder that renews",
		Mechanism: "The lease proves that something renews it, not that work is done. Behind the same picture stand a slow holder, " +
			"zombie-holder, unlock-lost, ghost-waiter, missed-delete and foreign-keepalive.",
		Looks: "The holder renews on schedule and holds several times longer than the longest of ten or more holds of this lock. " +
			"Without such a history it is said where others wait: of a hold that, times their number, is ten times the TTL, after " +
			"5 minutes at the latest, and of no leader. --warn-wait says from which wait on.",
		Do: "Look at the holder's process: does it work, and does it know that it holds? If it only works slowly, leave it. " +
			"If it does not, break the lock. Do not revoke by the age alone.",
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Hint,
		Breaking:   Breaking{BreakCures, "it frees the lock, but a holder that works would lose it: look at its process first"},
	},
	{
		Code:  model.CodeZombieHolder,
		Place: 280,
		Word:  "holder hangs",
		Story: "The holder of {lock} hangs, and its lease is renewed all the same",
		Title: "The holder hangs, but its session goes on renewing",
		Mechanism: "In the client library a goroutine of its own keeps the lease alive. The work under the lock may hang, be " +
			"finished or have died, and renewals still go out. The lease shows that the process lives, no more.",
		Looks: "Exactly like a busy holder: it renews on schedule, and holds far longer than usual. An election value that no " +
			"longer changes, or no guarded writes, make it likelier.",
		Do: "Look at the process first (stack dump, log, CPU). If it hangs, stop it, or revoke its lease, which ends all its keys: " +
			"see first which. If it turns out to be busy, a revoke would make two of them work.",
		Threads:    []string{"etcd-io/etcd#17470", "etcd-io/etcd#6127", "rabbitmq#17404", "projecteru2/core#399", "vitess#4189"},
		Needs:      []Needs{NeedsClient},
		Confidence: model.Strong,
		Breaking:   Breaking{BreakCures, "its program says that it does not hold, so no work is lost"},
	},
}}

// Bounds of longHeld: a hold is long if it is this many times the longest of the last ones,
// or where too few are known, if what is waited for it together is this many times the TTL.
const (
	longHolds  = 10 // that have to be known
	longFactor = 5
	longLeast  = 30 * time.Second
	longTTLs   = 10
	longMost   = 5 * time.Minute // without a history, however long the TTL
)

// longHeld says honestly that etcd cannot tell a hung holder from a busy one.
func longHeld(x *ruleContext) {
	if x.explained || x.lease == nil || x.lease.State() != model.LeaseHealthy {
		return
	}
	held, atLeast := x.l.HeldFor(x.k.Now())
	for _, p := range []patience{x.declared(), x.usual(), x.untold()} {
		switch {
		case p.limit == 0:
			continue
		case p.limit > p.lasted:
			x.recheck(x.k.Now().Add(p.limit - p.lasted))
		default:
			x.holdsLong(held, atLeast, p.than)
		}
		return
	}
}

// patience is what is compared with a limit, and in words what the limit is; limit 0: none.
type patience struct {
	lasted, limit time.Duration
	than          string
}

// declared is the limit that somebody set for waiting.
func (x *ruleContext) declared() patience {
	limit := x.k.WarnWait(x.l.Name)
	longest, atLeast, any := x.l.LongestWait(x.k.Now())
	if !any || limit == 0 {
		return patience{}
	}
	return patience{longest, limit, fmt.Sprintf("%s, one of them for %s", waiting(x.l.Behind()), model.Duration(longest, atLeast))}
}

// usual is that of the lock's own past.
func (x *ruleContext) usual() patience {
	known := x.l.HoldTimes()
	if len(known) < longHolds {
		return patience{}
	}
	most := slices.Max(known)
	held, _ := x.l.HeldFor(x.k.Now())
	return patience{held, max(longFactor*most, longLeast),
		fmt.Sprintf("where the last %d holds took %s at most", len(known), model.Duration(most, false))}
}

// untold is that of a lock of which too little is known: the more wait, and the shorter
// the lease, the sooner. A leader is meant to hold.
func (x *ruleContext) untold() patience {
	n, ttl := x.l.Behind(), x.lease.Granted()
	if n == 0 || ttl <= 0 || x.l.Recipe().Leads || x.saysItHolds() {
		return patience{}
	}
	held, _ := x.l.HeldFor(x.k.Now())
	limit := min(max(time.Duration(ttl)*time.Second*longTTLs/time.Duration(n), longLeast), longMost)
	return patience{held, limit, fmt.Sprintf("and %s, where its lease is of %d s", waiting(n), ttl)}
}

// saysItHolds says whether the holder is a running program of the lab that says so itself:
// that it holds for long is what it is there for, as in a lesson that waits for its reader.
func (x *ruleContext) saysItHolds() bool {
	if x.lab == nil {
		return false
	}
	for _, c := range x.lab.Competitors {
		if c.Belief.State == model.BeliefHolding && c.Belief.Key != "" && c.Belief.SpeaksOf(x.head.Ref()) && x.reports.ProcOf(c.ContenderInfo) == model.ProcRunning {
			return true
		}
	}
	return false
}

func waiting(n int) string {
	if n == 1 {
		return "1 waits"
	}
	return fmt.Sprintf("%d wait", n)
}

func (x *ruleContext) holdsLong(held time.Duration, atLeast bool, than string) {
	f := model.Finding{Code: model.CodeLongHeld, Severity: model.SevInfo, Confidence: model.Hint, Lease: x.lease.ID,
		Summary: fmt.Sprintf("%s holds for %s, %s; it is alive in etcd's eyes, which cannot tell a hung holder from a busy one",
			x.k.Who(x.head.Ref()), model.Duration(held, atLeast), than),
		Evidence:     []string{readingWords(x.lease)},
		Advice:       []string{"look at the holder's process: does it work, and does it know that it holds?", "if it works only slowly, leave it; if it hangs, stop it, or break the lock"},
		Alternatives: []model.Code{model.CodeZombieHolder, model.CodeUnlockLost, model.CodeGhostWaiter, model.CodeMissedDelete, model.CodeForeignKeepalive}}
	if !x.lease.Learned() {
		f.Evidence = append(f.Evidence, "its lease was not seen to be renewed yet: it ends in "+model.Duration(x.left(), false)+" if its holder is dead")
		f.Alternatives = append(f.Alternatives, model.CodeDeadHolder)
	}
	if x.l.Behind() > 0 {
		f.Severity = model.SevWarning
	}
	x.report(f, x.head)
}

// left is what the lease of the head has left.
func (x *ruleContext) left() time.Duration {
	left, _ := x.lease.Remaining(x.k.Now())
	return time.Duration(left) * time.Second
}

// zombieAfter is how long a contender that does not want the lock may take to let go.
const zombieAfter = 5 * time.Second

// zombieHolder finds a head that is renewed though no worker of its process wants the
// lock: a session that was never closed (projecteru2/core#399).
func zombieHolder(x *ruleContext) {
	if x.explained || x.lab == nil || x.l.Behind() == 0 || x.lease == nil || x.lease.State() != model.LeaseHealthy {
		return
	}
	o, known := x.reports.LeaseOwner(x.lease.ID)
	if !known {
		return
	}
	since := x.l.HeadSince()
	var who *lab.Competitor
	for _, c := range x.reports.Workers(o.Name) {
		if !c.CompetesFor(x.lab) {
			continue
		}
		if c.Belief.At.IsZero() || x.reports.ProcOf(c.ContenderInfo) != model.ProcRunning ||
			c.Belief.State != model.BeliefIdle && c.Belief.State != model.BeliefLost {
			return
		}
		if who = c; c.Belief.At.After(since) {
			since = c.Belief.At
		}
	}
	if who == nil {
		return
	}
	if x.k.Now().Sub(since) < zombieAfter {
		x.recheck(since.Add(zombieAfter))
		return
	}
	x.explained = true
	x.report(model.Finding{Code: model.CodeZombieHolder, Severity: model.SevError, Confidence: model.Strong, Lease: x.lease.ID,
		Summary: fmt.Sprintf("%s says that it is %s since %s, but its claim heads the queue of %s and is renewed",
			model.Printable(who.Name), who.Belief.State, model.Duration(x.k.Now().Sub(since), false), model.Printable(x.l.Name)),
		Evidence: []string{readingWords(x.lease), waitersWords(x.l.Behind()) + " behind it"},
		Advice:   append(x.toBreak(x.head, model.Strong), "make the client close its session when it does not want the lock any more")}, x.head)
}

// waitersWords says how many wait: "1 waiter", "2 waiters".
func waitersWords(n int) string {
	if n == 1 {
		return "1 waiter"
	}
	return strconv.Itoa(n) + " waiters"
}
