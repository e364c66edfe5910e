package diagnose

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
)

// circlesFamily is about sessions with several locks.
var circlesFamily = []Entry{
	{
		Code:  model.CodeLockCycle,
		Word:  "deadlock",
		Story: "Deadlock on {lock}: sessions wait for each other",
		Title: "Deadlock: sessions wait for each other",
		Mechanism: "One session holds lock 1 and waits for lock 2, another holds 2 and waits for 1. Both renew, so it never ends by " +
			"itself. Circles of more than two are the same.",
		Looks: "The same leases stand first in one queue and wait in another, and the arrows close. A circle between programs " +
			"that use a session for each lock cannot be seen in etcd, only guessed from values or from the proxy.",
		Do: "Break one side, the one whose work is easier to repeat. Then make every program take these locks in the same " +
			"order.",
		Threads:    []string{"redlock#305"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{BreakCures, "one break opens the whole circle: choose the side whose work is easier to repeat, and stop it first"},
	},
	{
		Code:  model.CodeSharedLease,
		Word:  "shared lease",
		Story: "Several locks share the lease of {lock}",
		Title: "Several locks share one lease",
		Mechanism: "A program put several locks, or locks and other keys, on one session. When that lease ends all of them go at " +
			"once, and any living part of the program keeps all of them taken. This is a risk, not a fault.",
		Looks: "Reading the lease with its keys lists more than one lock. Locks of one holder come and go at the same revision.",
		Do: "Before a revoke read the list of keys that will go. To free only one lock, delete its claim, guarded by its " +
			"create revision. Its owner is not notified. Use a session per lock where one loss must not drop the rest.",
		Threads:    []string{"cilium#8195", "cilium#28834"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{BreakWrong, nothingWrong + ", and a revoke breaks every lock of its session"},
	},
}

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
	since, seen := c.closed(x.k.Woke())
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
		Advice:  []string{"break the side whose work is easier to repeat: locktop shows first what goes with it", "then make every program take these locks in the same order"},
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
		Summary:  count + " locks share one lease: revoking it breaks all of them",
		Evidence: []string{strings.Join(list, ", ")},
		Advice:   []string{"see what goes with it before a break; to free only this lock, delete its claim and not its lease; its owner is not notified"}}, x.head)
}
