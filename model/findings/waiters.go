package findings

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/reports"
)

// waiterFamily is about waiters.
var waiterFamily = Family{Lock: []Func{deadWaiters, longQueue, starving, growing}, Any: []Func{missing}, Cluster: []ClusterFunc{neverHeld}, Lab: []Func{zombieCandidates}, Entries: []Entry{
	{
		Code:       model.CodeDeadWaiter,
		Place:      350,
		Severity:   model.SevWarning,
		Word:       model.Say("state-dead-waiter"),
		Story:      model.Say("headline-dead-waiter", theLock),
		Title:      model.Say("about-dead-waiter"),
		Mechanism:  model.Say("mechanism-dead-waiter"),
		Looks:      model.Say("looks-dead-waiter"),
		Do:         model.Say("do-dead-waiter"),
		Threads:    []string{"etcd-io/jetcd#291"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-dead-waiter")},
	},
	{
		Code:      model.CodeZombieCandidate,
		Place:     360,
		Severity:  model.SevWarning,
		Word:      model.Say("state-zombie-candidate"),
		Story:     model.Say("headline-zombie-candidate", theLock),
		Title:     model.Say("about-zombie-candidate"),
		Mechanism: model.Say("mechanism-zombie-candidate"),
		Looks:     model.Say("looks-zombie-candidate"),
		Do:        model.Say("do-zombie-candidate"),
		Threads: []string{"etcd-io/etcd#19597", "etcd-io/etcd#22387", "cagriekin/charts#326", "mailgun/holster#36", "pingcap/tiflow#5753",
			"pingcap/tiflow#5745", "python-etcd#181"},
		Needs:      []Needs{NeedsDeclaration, NeedsClient},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-zombie-candidate")},
	},
	{
		Code:      model.CodeDeadSessionLoop,
		Place:     370,
		NotFound:  model.Say("not-found-dead-session-loop"),
		Word:      model.Say("state-dead-session-loop"),
		Story:     model.Say("headline-dead-session-loop", theLock),
		Title:     model.Say("about-dead-session-loop"),
		Mechanism: model.Say("mechanism-dead-session-loop"),
		Looks:     model.Say("looks-dead-session-loop"),
		Do:        model.Say("do-dead-session-loop"),
		Threads: []string{"cilium#42596", "cilium#42709", "titan#220", "Scalingo/link#78", "pingcap/tidb#3869",
			"milvus#26846"},
		Needs:      []Needs{NeedsDeclaration, NeedsProxy},
		Confidence: model.Hint,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-dead-session-loop")},
	},
	{
		Code:       model.CodeLockOverrunsDeadline,
		Place:      380,
		NotFound:   model.Say("not-found-lock-overruns-deadline"),
		Word:       model.Say("state-lock-overruns-deadline"),
		Story:      model.Say("headline-lock-overruns-deadline", theLock),
		Title:      model.Say("about-lock-overruns-deadline"),
		Mechanism:  model.Say("mechanism-lock-overruns-deadline"),
		Looks:      model.Say("looks-lock-overruns-deadline"),
		Do:         model.Say("do-lock-overruns-deadline"),
		Threads:    []string{"vitess#20149", "vitess#15756"},
		Needs:      []Needs{NeedsEtcd, NeedsClient},
		Confidence: model.Hint,
		Breaking:   Breaking{Effect: BreakHarmless, Why: model.Say("break-lock-overruns-deadline")},
	},
	{
		Code:       model.CodeCompactedWait,
		Place:      390,
		NotFound:   model.Say("not-found-compacted-wait"),
		Word:       model.Say("state-compacted-wait"),
		Story:      model.Say("headline-compacted-wait", theLock),
		Title:      model.Say("about-compacted-wait"),
		Mechanism:  model.Say("mechanism-compacted-wait"),
		Looks:      model.Say("looks-compacted-wait"),
		Do:         model.Say("do-compacted-wait"),
		Threads:    []string{"etcd-io/etcd#9715", "etcd-io/etcd#9386"},
		Needs:      []Needs{NeedsClient},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-compacted-wait")},
	},
	{
		Code:       model.CodeLongQueue,
		Place:      400,
		Severity:   model.SevInfo,
		Word:       model.Say("state-long-queue"),
		Story:      model.Say("headline-long-queue", theLock),
		Title:      model.Say("about-long-queue"),
		Mechanism:  model.Say("mechanism-long-queue"),
		Looks:      model.Say("looks-long-queue"),
		Do:         model.Say("do-long-queue"),
		Threads:    []string{"consul#7523", "etcd-cpp-apiv3#269"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-long-queue")},
	},
	{
		Code:       model.CodeStarvingWaiter,
		Place:      402,
		Severity:   model.SevWarning,
		Word:       model.Say("state-starving-waiter"),
		Story:      model.Say("headline-starving-waiter", theLock),
		Title:      model.Say("about-starving-waiter"),
		Mechanism:  model.Say("mechanism-starving-waiter"),
		Looks:      model.Say("looks-starving-waiter"),
		Do:         model.Say("do-starving-waiter"),
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-starving-waiter")},
	},
	{
		Code:       model.CodeGrowingQueue,
		Place:      404,
		Severity:   model.SevWarning,
		Word:       model.Say("state-growing-queue"),
		Story:      model.Say("headline-growing-queue", theLock),
		Title:      model.Say("about-growing-queue"),
		Mechanism:  model.Say("mechanism-growing-queue"),
		Looks:      model.Say("looks-growing-queue"),
		Do:         model.Say("do-growing-queue"),
		Threads:    []string{"OpenCTI-Platform/opencti#17341"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-growing-queue")},
	},
	{
		Code:       model.CodeNobodyHolds,
		Place:      355,
		Severity:   model.SevError,
		Word:       model.Say("state-nobody-holds"),
		Story:      model.Say("headline-nobody-holds", theLock),
		Title:      model.Say("about-nobody-holds"),
		Mechanism:  model.Say("mechanism-nobody-holds"),
		Looks:      model.Say("looks-nobody-holds"),
		Do:         model.Say("do-nobody-holds"),
		Threads:    []string{"hashicorp/vault#3031", "hashicorp/vault#9920", "milvus-io/milvus#44111"},
		Needs:      []Needs{NeedsDeclaration},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-nobody-holds")},
	},
}}

// deadWaiters finds claims behind the head that nobody renews any more: when their
// turn comes the lock idles for the rest of their TTL.
func deadWaiters(x *Context) {
	if x.K.Leases.Missed() == 0 && x.Lab == nil {
		return // no lease anywhere is silent, and no process of the lab has ended
	}
	var dead []*locks.Claim
	for _, c := range x.L.Waiters(locks.MaxScan) {
		if c.LeaseInfo() != nil && (c.LeaseInfo().State() == model.LeaseSilent && !unattended(x, c) || processEnded(x, c)) {
			dead = append(dead, c)
		}
	}
	if len(dead) == 0 {
		return
	}
	c := dead[0]
	left, _ := c.LeaseInfo().Remaining(x.K.Now()) // whole seconds, cut down: 0 is less than one
	f := model.Finding{Code: model.CodeDeadWaiter, Severity: model.SevWarning, Confidence: model.Strong, Lease: c.LeaseInfo().ID,
		Summary:  model.Say("waits-but-stopped-renewing", model.Verbatim(x.K.Owners.Who(c.Ref())), x.L.Place(c)+1, max(left, 1)),
		Evidence: []model.Message{readingWords(c.LeaseInfo())},
		Etcdctl:  []string{c.LeaseInfo().ID.Etcdctl()}}
	f.Alternatives = []model.Code{model.CodeLockOverrunsDeadline, model.CodeHalfOpenTCP}
	if ofService(c) {
		f.Alternatives = append([]model.Code{model.CodeUnattendedLease}, f.Alternatives...)
	}
	switch {
	case processEnded(x, c):
		f.Confidence, f.Alternatives = model.Certain, nil
		f.Evidence = append(f.Evidence, model.Say("its-process-has-ended"))
	case !c.LeaseInfo().Learned():
		f.Confidence = model.Hint
	}
	f.Advice = append(x.ToBreak(c, f.Confidence), model.Say("or-wait-if-its-lease"))
	if len(dead) > 1 {
		f.Evidence = append(f.Evidence, model.Say("more-waiters-look-the-same", len(dead)-1))
	}
	x.Report(f, c)
}

// processEnded says whether the lab saw the process of a claim end, long enough ago
// that the claim would have gone if it had let go in order.
func processEnded(x *Context, c *locks.Claim) bool {
	p := programOf(x, c)
	if p == nil || p.Proc != model.ProcEnded {
		return false
	}
	if late := p.At.Add(reports.Grace); x.K.Now().Before(late) {
		x.Recheck(late)
		return false
	}
	return true
}

// candidateAfter is how long a healthy client takes at least to learn that its lease
// has gone.
const candidateAfter = 2 * time.Second

// zombieCandidates finds a contender that waits for ever: its key went while it
// waited, which Lock and Campaign do not notice (etcd-io/etcd#19597).
func zombieCandidates(x *Context) {
	if x.Lab == nil || x.K.Prefixes.LiveSince(x.L.Name).IsZero() {
		return
	}
	for _, c := range x.Lab.Competitors {
		b := c.Belief
		if b.State != model.BeliefWaiting || b.Key == "" || x.K.Keys.Claim(b.Key) != nil || x.Reports.Programs.ProcOf(c.ContenderInfo) != model.ProcRunning {
			continue
		}
		g := x.Lab.Removed(b.Key)
		if g == nil || g.At.Before(b.At) {
			continue // its request may be under way
		}
		grace := max(candidateAfter, time.Duration(c.TTL)*time.Second/3+time.Second) // its next renewal tells it
		if x.K.Now().Sub(g.At) < grace {
			x.Recheck(g.At.Add(grace))
			continue
		}
		x.Report(model.Finding{Code: model.CodeZombieCandidate, Severity: model.SevWarning, Confidence: model.Strong, Lease: b.Lease,
			Summary:  model.Say("waits-for-since-its-claim", c.Name, x.L.Name, x.K.Now().Sub(g.At)),
			Evidence: []model.Message{model.Say("key-is-gone-the-contenders", b.Key)},
			Advice:   []model.Message{model.Say("restart", c.Name), model.Say("wait-for-lock-and-session")}}, nil)
	}
}

// missingAfter is how long fewer contenders than declared have to be seen: a client
// that comes back takes a moment.
const missingAfter = 10 * time.Second

// missing finds a queue with fewer claims than the operator declared: one of them may
// sit in Lock or Campaign with a dead session (etcd-io/etcd#19597).
func missing(x *Context) {
	since := x.FewSince
	if since.IsZero() {
		return
	}
	if x.K.Now().Sub(since) < missingAfter {
		x.Recheck(since.Add(missingAfter))
		return
	}
	if x.L.Own() == 0 {
		x.Report(nobodyHolds(x.K.Pins.Expected(x.L.Name), x.K.Now().Sub(since)), nil)
		return
	}
	x.Report(model.Finding{Code: model.CodeZombieCandidate, Severity: model.SevWarning, Confidence: model.Strong,
		Summary:  model.Say("contenders-are-in-the-queue", x.L.Own(), x.K.Pins.Expected(x.L.Name)),
		Evidence: []model.Message{model.Say("fewer-than-declared-since", x.K.Now().Sub(since))},
		Advice:   []model.Message{model.Say("look-at-the-clients"), model.Say("restart-it-select-on-session")}}, nil)
}

// nobodyHolds says that nobody has a lock, or waits for it, for which contenders are declared.
func nobodyHolds(expected int, since time.Duration) model.Finding {
	return model.Finding{Code: model.CodeNobodyHolds, Severity: model.SevError, Confidence: model.Certain,
		Summary:  model.Say("nobody-holds-though-declared", expected),
		Evidence: []model.Message{model.Say("no-claim-since", since)},
		Advice:   []model.Message{model.Say("look-whether-any-program-runs"), model.Say("restart-it-select-on-session")}}
}

// neverHeld finds contenders that are declared for a prefix under which no lock was ever seen.
func neverHeld(x *ClusterContext) {
	for prefix, expected := range x.K.Unheld {
		since := x.K.Prefixes.LiveSince(prefix)
		if since.IsZero() || x.K.Now().Sub(since) < missingAfter {
			continue
		}
		f := nobodyHolds(expected, x.K.Now().Sub(since))
		f.Lock = strings.TrimSuffix(prefix, "/")
		f.Summary = model.Say("nobody-holds-the-declared", expected, f.Lock)
		f.Etcdctl = []string{"etcdctl get --prefix " + model.ShellQuote(prefix) + " --keys-only"}
		x.Report(f)
	}
}

// Bounds of starving: so often in a row somebody left the queue without having had the lock, while others
// got it as often.
const (
	starvingTimes = 3
	starvingKept  = time.Minute // after its last try it waits no more
)

// starving finds who gives up and comes again and again: each time it goes to the end of the queue.
func starving(x *Context) {
	if x.Queue == nil || x.L.LikeMembers() {
		return
	}
	for _, t := range slices.Backward(x.Queue.tries) { // the last one first
		others := x.L.Handovers - t.Handovers
		if t.Times < starvingTimes || others < starvingTimes {
			continue
		}
		ref := model.ClaimRef{Lease: t.Lease, Value: t.who}
		if again := claimAgain(x, t); again != nil {
			ref = again.Ref()
		} else if gone := x.K.Now().Sub(t.Last); gone >= starvingKept {
			continue
		}
		x.Recheck(t.Last.Add(starvingKept))
		f := model.Finding{Code: model.CodeStarvingWaiter, Severity: model.SevWarning, Confidence: model.Strong, Lease: t.Lease,
			Summary:  model.Say("gave-up-and-came-again", model.Verbatim(x.K.Owners.Who(ref)), t.Times, t.Last.Sub(t.First), others),
			Evidence: []model.Message{model.Say("waited-at-most", t.Waited)},
			Advice:   []model.Message{model.Say("let-it-wait-longer")}}
		if times := x.L.HoldTimes(); len(times) >= longHolds {
			usual := model.Percentile(times, 50)
			f.Evidence = append(f.Evidence, model.Say("a-hold-usually-takes", usual, usual*time.Duration(x.L.Behind())))
		}
		x.Report(f, nil)
		return
	}
}

// claimAgain is the claim with which somebody came back, nil for none among the last ones.
func claimAgain(x *Context, t Tries) (found *locks.Claim) {
	n := 0
	x.L.ClaimsBack(func(c *locks.Claim) bool {
		if n++; c.KV.Lease == t.Lease && t.Lease != 0 || t.who != "" && named(c.Ref()) == t.who {
			found = c
		}
		return found == nil && n < locks.MaxScan
	})
	return found
}

// Bounds of growing: for so long a queue grew, by so many, and others got the lock meanwhile.
const (
	growingFor  = 2 * time.Minute
	growingSeen = 5 * time.Minute // how long it has to be known how it was before
	growingBy   = 10
)

// growing finds a queue that grows for longer than it ever did, although the lock changes hands: more
// come than it can serve.
func growing(x *Context) {
	g := x.Queue
	if g == nil || g.since.IsZero() || x.L.LikeMembers() {
		return
	}
	lasts, by, moved := g.rose.Sub(g.since), g.last-g.start, x.L.Handovers-g.moved
	if lasts < growingFor || lasts <= g.longest || by < growingBy || moved < starvingTimes || x.K.Now().Sub(g.first) < growingSeen || x.K.Now().Sub(g.rose) > growPause {
		return
	}
	x.Recheck(g.rose.Add(growPause + time.Millisecond))
	f := model.Finding{Code: model.CodeGrowingQueue, Severity: model.SevWarning, Confidence: model.Strong,
		Summary:  model.Say("queue-grows", lasts, g.start, g.last, moved),
		Evidence: []model.Message{model.Say("grew-before-at-most", g.longest, x.K.Now().Sub(g.first))},
		Advice:   []model.Message{model.Say("hold-shorter-or-shard"), model.Say("see-who-came-new")}}
	if g.longest == 0 {
		f.Evidence[0] = model.Say("never-grew-before", x.K.Now().Sub(g.first))
	}
	x.Report(f, nil)
}

// longQueueMin is how many waiters make a long queue.
const longQueueMin = 100

// longQueue notes a queue so long that its last one waits for very long.
func longQueue(x *Context) {
	n := x.L.Behind()
	if n < longQueueMin || x.L.LikeMembers() {
		return
	}
	f := model.Finding{Code: model.CodeLongQueue, Severity: model.SevInfo, Confidence: model.Certain,
		Summary:  model.Say("many-wait-in-the-queue", n),
		Evidence: []model.Message{model.Say("no-hold-was-seen-whole")},
		Advice:   []model.Message{model.Say("shard-the-lock-or-give")}}
	switch {
	case x.L.Others() > 0:
		f.Evidence = []model.Message{model.Say("keys-in-queue-are-no-claims", x.L.Others())}
	case len(x.L.HoldTimes()) >= longHolds:
		usual := model.Percentile(x.L.HoldTimes(), 50)
		f.Evidence = []model.Message{model.Say("a-hold-usually-takes", usual, usual*time.Duration(n))}
	}
	x.Report(f, nil)
}
