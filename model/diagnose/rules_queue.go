package diagnose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/lab"
)

// A circle is not one if a session has several workers, each of which wants one lock
// only: then it ends with the next hold. So it has to last for cycleMin to be
// reported, and for cycleSure to be certain.
const (
	cycleMin  = 3 * time.Second
	cycleSure = 10 * time.Second
)

// inCycle finds a lock in a circle of sessions that wait for each other.
func inCycle(x *ruleContext) {
	c := x.circles[x.l]
	if c == nil {
		return
	}
	since, seen := c.closed()
	sure := model.Strong
	switch lasts := x.k.Now().Sub(since); {
	case seen && lasts < cycleMin:
		x.recheck(since.Add(cycleMin))
		return
	case lasts < cycleSure:
		x.recheck(since.Add(cycleSure))
	default:
		sure = model.Certain
	}
	held := c.heldIn(x.l)
	x.report(model.Finding{Code: model.CodeLockCycle, Severity: model.SevError, Confidence: sure, Lease: held.KV.Lease,
		Summary: c.words(x.k), Evidence: c.evidence(),
		Advice:  []string{"break one side", "then make every program take these locks in the same order"},
		Etcdctl: c.etcdctl()}, held)
}

// shared notes that several locks hang on one lease: what ends it frees them all,
// and what keeps it alive keeps them all.
func shared(x *ruleContext) {
	if x.lease == nil || len(x.lease.Claims()) < 2 {
		return
	}
	names := map[string]bool{}
	for _, c := range x.lease.Claims()[:min(len(x.lease.Claims()), model.MaxScan)] {
		if l := c.Lock(); l != nil && l.Recipe().HasHolder {
			names[l.Name] = true
		}
	}
	if len(names) < 2 {
		return
	}
	count := strconv.Itoa(len(names))
	if len(x.lease.Claims()) > model.MaxScan {
		count = "more than " + count // not all are looked at
	}
	var list []string
	for n := range names {
		list = append(list, model.Printable(n))
	}
	slices.Sort(list)
	if len(list) > 8 {
		list = append(list[:8], "and more")
	}
	x.report(model.Finding{Code: model.CodeSharedLease, Severity: model.SevInfo, Confidence: model.Certain, Lease: x.lease.ID,
		Summary:  count + " locks hang on one lease: revoking it breaks all of them",
		Evidence: []string{strings.Join(list, ", ")},
		Advice:   []string{"to free only this lock delete the claim, guarded by its create revision; its owner is not told"}}, x.head)
}

// Bounds of longHeld: a hold is long if it is this many times the longest of the
// last ones.
const (
	longHolds  = 10 // that have to be known
	longFactor = 5
	longLeast  = 30 * time.Second
)

// longHeld says honestly that etcd cannot tell a hung holder from a busy one.
func longHeld(x *ruleContext) {
	if x.explained || x.lease == nil || x.lease.State() != model.LeaseHealthy || len(x.l.HoldTimes()) < longHolds {
		return
	}
	usual := slices.Max(x.l.HoldTimes())
	limit := max(longFactor*usual, longLeast)
	held, atLeast := x.l.HeldFor(x.k.Now())
	if held < limit {
		x.recheck(x.l.HeadSince().Add(limit))
		return
	}
	f := model.Finding{Code: model.CodeLongHeld, Severity: model.SevInfo, Confidence: model.Hint, Lease: x.lease.ID,
		Summary: fmt.Sprintf("%s holds for %s, where the last %d holds took %s at most; it is alive in etcd's eyes, which cannot tell a hung holder from a busy one",
			x.k.Who(x.head.Ref()), model.Duration(held, atLeast), len(x.l.HoldTimes()), model.Duration(usual, false)),
		Evidence:     []string{readingWords(x.lease)},
		Advice:       []string{"look at the holder's process: does it work?", "if it does not, break the lock"},
		Alternatives: []model.Code{model.CodeZombieHolder, model.CodeUnlockLost, model.CodeGhostWaiter, model.CodeMissedDelete, model.CodeForeignKeepalive}}
	if x.l.Behind() > 0 {
		f.Severity = model.SevWarning
	}
	x.report(f, x.head)
}

// deadWaiters finds claims behind the head that nobody renews any more: when their
// turn comes the lock idles for the rest of their TTL.
func deadWaiters(x *ruleContext) {
	if x.k.Missed() == 0 && x.lab == nil {
		return // no lease anywhere is silent, and no process of the lab has ended
	}
	var dead []*model.Claim
	place := 0
	x.l.Claims(func(c *model.Claim) bool {
		place++
		if place > x.l.Holders() && place > 1 && c.LeaseInfo() != nil && x.l.IsClaim(c) {
			if c.LeaseInfo().State() == model.LeaseSilent && !x.unattended(c) || x.processEnded(c) {
				dead = append(dead, c)
			}
		}
		return place < model.MaxScan
	})
	if len(dead) == 0 {
		return
	}
	c := dead[0]
	left, _ := c.LeaseInfo().Remaining(x.k.Now())
	f := model.Finding{Code: model.CodeDeadWaiter, Severity: model.SevWarning, Confidence: model.Strong, Lease: c.LeaseInfo().ID,
		Summary: fmt.Sprintf("%s waits at place %d but does not renew any more: at its turn the lock idles for up to %d s",
			x.k.Who(c.Ref()), x.l.Place(c)+1, left),
		Evidence: []string{readingWords(c.LeaseInfo())},
		Advice:   []string{"revoke its lease now, nobody is harmed: " + model.Action{Kind: model.RevokeLease, Lease: c.LeaseInfo().ID}.Etcdctl()},
		Etcdctl:  []string{c.LeaseInfo().ID.Etcdctl()}}
	f.Alternatives = []model.Code{model.CodeLockOverrunsDeadline, model.CodeHalfOpenTCP}
	switch {
	case x.processEnded(c):
		f.Confidence, f.Alternatives = model.Certain, nil
		f.Evidence = append(f.Evidence, "its process has ended")
	case !c.LeaseInfo().Learned():
		f.Confidence = model.Hint
	}
	if len(dead) > 1 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%d more waiters look the same", len(dead)-1))
	}
	x.report(f, c)
}

// processEnded says whether the lab saw the process of a claim end, long enough ago
// that the claim would have gone if it had let go in order.
func (x *ruleContext) processEnded(c *model.Claim) bool {
	o, known := x.reports.LeaseOwner(c.KV.Lease)
	if !known || !o.Certain || x.lab == nil {
		return false
	}
	p := x.reports.Program(o.Name)
	if p == nil || p.Proc != model.ProcEnded {
		return false
	}
	if late := p.At.Add(lab.Grace); x.k.Now().Before(late) {
		x.recheck(late)
		return false
	}
	return true
}

// longQueueMin is how many waiters make a long queue.
const longQueueMin = 100

// longQueue notes a queue so long that its last one waits for very long.
func longQueue(x *ruleContext) {
	n := x.l.Behind()
	if n < longQueueMin {
		return
	}
	f := model.Finding{Code: model.CodeLongQueue, Severity: model.SevInfo, Confidence: model.Certain,
		Summary:  fmt.Sprintf("%d wait in the queue", n),
		Evidence: []string{"no hold was seen whole often enough to say how long the last one waits"},
		Advice:   []string{"shard the lock, or give up after a while (TryLock, a deadline)"}}
	if len(x.l.HoldTimes()) >= longHolds {
		usual := model.Percentile(x.l.HoldTimes(), 50)
		f.Evidence = []string{fmt.Sprintf("a hold usually takes %s: the last one waits for about %s",
			model.Duration(usual, false), model.Duration(usual*time.Duration(n), false))}
	}
	x.report(f, nil)
}

// missingAfter is how long fewer contenders than declared have to be seen: a client
// that comes back takes a moment.
const missingAfter = 10 * time.Second

// missing finds a queue with fewer claims than the operator declared: one of them may
// sit in Lock or Campaign with a dead session (etcd-io/etcd#19597).
func missing(x *ruleContext) {
	since := x.l.FewSince()
	if since.IsZero() {
		return
	}
	if x.k.Now().Sub(since) < missingAfter {
		x.recheck(since.Add(missingAfter))
		return
	}
	x.report(model.Finding{Code: model.CodeZombieCandidate, Severity: model.SevWarning, Confidence: model.Strong,
		Summary:  fmt.Sprintf("%d contenders are in the queue, %d were declared", x.l.Own(), x.k.Expected(x.l.Name)),
		Evidence: []string{fmt.Sprintf("fewer than declared since %s", model.Duration(x.k.Now().Sub(since), false))},
		Advice:   []string{"look at the clients that are not there: one may wait for ever with a session that ended", "restart it; select on session.Done() around Lock and Campaign"}}, nil)
}
