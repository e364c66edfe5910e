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
		Code:       model.CodeLockCycle,
		Place:      250,
		Severity:   model.SevError,
		Word:       model.Say("state-lock-cycle"),
		Story:      model.Say("headline-lock-cycle", theLock),
		Title:      model.Say("about-lock-cycle"),
		Mechanism:  model.Say("mechanism-lock-cycle"),
		Looks:      model.Say("looks-lock-cycle"),
		Do:         model.Say("do-lock-cycle"),
		Threads:    []string{"redlock#305"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-lock-cycle")},
	},
	{
		Code:       model.CodeSharedLease,
		Place:      260,
		Severity:   model.SevInfo,
		Word:       model.Say("state-shared-lease"),
		Story:      model.Say("headline-shared-lease", theLock),
		Title:      model.Say("about-shared-lease"),
		Mechanism:  model.Say("mechanism-shared-lease"),
		Looks:      model.Say("looks-shared-lease"),
		Do:         model.Say("do-shared-lease"),
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
