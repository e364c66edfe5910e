package findings

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// cycleFamily is about sessions with several locks.
var cycleFamily = Family{Lock: []Func{inCycle, shared}, Entries: []Entry{
	{
		Code:     model.CodeLockCycle,
		Place:    250,
		Severity: model.SevError,
		Word:     model.Say("state-lock-cycle"),
		Story:    model.Say("headline-lock-cycle", theLock),
		Title:    "Deadlock: sessions wait for each other",
		Mechanism: "One session holds lock 1 and waits for lock 2, another holds 2 and waits for 1. Both renew, so it never ends by " +
			"itself. Cycles of more than two are the same.",
		Looks: "The same leases stand first in one queue and wait in another, and the arrows close. Of a session with several " +
			"workers that is not a deadlock: it waits for two locks at once, or takes or lets go of one while it waits for another. " +
			"One look cannot see that, so it gives a hint; a minute of watching tells more. A program that leads several groups " +
			"with one session, and stands by for others, makes the same picture for as long as it lives. " +
			"A cycle between programs that use a session for each lock cannot be seen in etcd, only guessed from values or from the proxy.",
		Do: "Break one side, the one whose work is easier to repeat. Then make every program take these locks in the same " +
			"order.",
		Threads:    []string{"redlock#305"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-lock-cycle")},
	},
	{
		Code:     model.CodeSharedLease,
		Place:    260,
		Severity: model.SevInfo,
		Word:     model.Say("state-shared-lease"),
		Story:    model.Say("headline-shared-lease", theLock),
		Title:    "Several locks share one lease",
		Mechanism: "A program put several locks, or locks and other keys, on one session. When that lease ends all of them go at " +
			"once, and any living part of the program keeps all of them taken. This is a risk, not a fault.",
		Looks: "Reading the lease with its keys lists more than one lock. Locks of one holder come and go at the same revision.",
		Do: "Before a revoke read the list of keys that will go. To free only one lock, delete its claim, guarded by its " +
			"create revision. Its owner is not notified. Use a session per lock where one loss must not drop the rest.",
		Threads:    []string{"cilium#8195", "cilium#28834"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-shared-lease")},
	},
}}

// A cycle is not one if a session has several workers, each of which wants one lock
// only: then it ends with the next hold. So it has to last for cycleMin to be
// reported, and where there may be such workers for cycleLong, to be more than a hint.
const (
	cycleMin  = 3 * time.Second
	cycleLong = time.Minute
)

// ringKeys bounds of how many sessions of a cycle it is asked what hangs on them.
const ringKeys = 8

// inCycle finds a lock in a cycle of sessions that wait for each other. Of one that was
// closed before we looked, nobody knows who took what while he waited: it is a hint until it
// has stood before our eyes for long.
func inCycle(x *Context) {
	last := x.Cycles.LastTold(x.K, x.L)
	if last == nil {
		return
	}
	c := last.Cycle
	f := model.Finding{Code: model.CodeLockCycle, Severity: model.SevError, Confidence: model.Strong, Evidence: c.Evidence(),
		Advice:  []model.Message{model.Say("break-the-side-whose-work"), model.Say("then-make-every-program-take")},
		Etcdctl: c.Etcdctl()}
	since, seen := last.Since, last.Observed
	stood := x.K.Now().Sub(since)
	why, least := last.Workers, cycleMin
	if !why.IsZero() {
		least, f.Severity = cycleLong, model.SevInfo
	} else if !seen && stood < cycleLong && !since.Before(x.K.Prefixes.Woke()) { // who slept while it stood had seen it
		least, f.Severity = 0, model.SevWarning
		x.Recheck(since.Add(cycleLong))
		why = model.Say("cycle-was-there-before")
		f.Advice = append([]model.Message{model.Say("watch-for-a-minute")}, f.Advice...)
	}
	if !why.IsZero() {
		f.Confidence, f.Alternatives = model.Hint, []model.Code{model.CodeSharedLease}
		f.Evidence = append(f.Evidence, why)
	}
	if stood < least {
		x.Recheck(since.Add(least))
		return
	}
	f.Summary = c.Message(x.K, f.Confidence)
	for _, st := range c.Steps[:min(len(c.Steps), ringKeys)] {
		x.K.Leases.NeedKeys(st.Lease) // what it costs to end it is more than what is watched
	}
	held := c.HeldIn(x.L)
	f.Lease = held.KV.Lease
	x.Report(f, held)
}

// shared notes that several locks hang on one lease: what ends it frees them all,
// and what keeps it alive keeps them all.
func shared(x *Context) {
	if x.Lease == nil || len(x.Lease.Claims()) < 2 {
		return
	}
	claims := x.Lease.Claims()
	names := make([]string, 0, min(len(claims), locks.MaxScan))
	for _, c := range claims[:cap(names)] {
		if l := c.Lock(); l != nil && l.Recipe().HasHolder {
			names = append(names, l.Name)
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) < 2 {
		return
	}
	count := model.Say("number", len(names))
	if len(claims) > locks.MaxScan {
		count = model.Say("more-than", len(names)) // not all are looked at
	}
	const shown = 8
	var list []model.Message
	for _, name := range names[:min(len(names), shown)] {
		list = append(list, model.Say("lock", name))
	}
	if len(names) > shown {
		list = append(list, model.Say("and-more"))
	}
	x.Report(model.Finding{Code: model.CodeSharedLease, Severity: model.SevInfo, Confidence: model.Certain, Lease: x.Lease.ID,
		Summary:  model.Say("locks-share-one-lease-revoking", count),
		Evidence: []model.Message{model.Say("list", list)},
		Advice:   []model.Message{model.Say("see-what-goes-with-lease")}}, x.Head)
}
