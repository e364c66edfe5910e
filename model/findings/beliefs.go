package findings

import (
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/recipe"
	"locktop/model/reports"
)

// beliefFamily is about two who believe that they hold the lock, which etcd itself never shows.
var beliefFamily = Family{Lab: []Func{falseBeliefs, lateDone}, Cluster: []ClusterFunc{oldLockService}, Entries: []Entry{
	{
		Code:      model.CodeStaleHolder,
		Place:     500,
		Severity:  model.SevError,
		Word:      model.Say("state-stale-holder"),
		Story:     model.Say("headline-stale-holder", theLock),
		Title:     model.Say("about-stale-holder"),
		Mechanism: model.Say("mechanism-stale-holder"),
		Looks:     model.Say("looks-stale-holder"),
		Do:        model.Say("do-stale-holder"),
		Threads: []string{"etcd-io/etcd#10811", "etcd-io/etcd#11457", "ftl#2044", "pingcap/tiflow#1540", "pingcap/tiflow#1533",
			"posthog#74478"},
		Needs:      []Needs{NeedsClient, NeedsProxy},
		Confidence: model.Strong,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-stale-holder")},
	},
	{
		Code:       model.CodeLateDone,
		Place:      510,
		Severity:   model.SevInfo,
		Word:       model.Say("state-late-done"),
		Story:      model.Say("headline-late-done", theLock),
		Title:      model.Say("about-late-done"),
		Mechanism:  model.Say("mechanism-late-done"),
		Looks:      model.Say("looks-late-done"),
		Do:         model.Say("do-late-done"),
		Needs:      []Needs{NeedsClient},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: model.Say("break-late-done")},
	},
	{
		Code:       model.CodeExpiredWaiterWins,
		Place:      520,
		Severity:   model.SevError,
		Word:       model.Say("state-expired-waiter-wins"),
		Story:      model.Say("headline-expired-waiter-wins", theLock),
		Title:      model.Say("about-expired-waiter-wins"),
		Mechanism:  model.Say("mechanism-expired-waiter-wins"),
		Looks:      model.Say("looks-expired-waiter-wins"),
		Do:         model.Say("do-expired-waiter-wins"),
		Threads:    []string{"etcd-io/etcd#11456", "etcd-io/etcd#9921", "etcd-io/etcd#11408"},
		Needs:      []Needs{NeedsVersion, NeedsClient},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: GhostAtWork},
	},
	{
		Code:       model.CodeGhostLeader,
		Place:      530,
		Severity:   model.SevError,
		Word:       model.Say("state-ghost-leader"),
		Story:      model.Say("headline-ghost-leader", theLock),
		Title:      model.Say("about-ghost-leader"),
		Mechanism:  model.Say("mechanism-ghost-leader"),
		Looks:      model.Say("looks-ghost-leader"),
		Do:         model.Say("do-ghost-leader"),
		Threads:    []string{"cagriekin/charts#326", "cagriekin/charts#327", "mailgun/holster#38", "etcd-io/etcd#22387"},
		Needs:      []Needs{NeedsClient},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: GhostAtWork},
	},
	{
		Code:       model.CodeRWExpiredWriter,
		Place:      540,
		Severity:   model.SevError,
		Word:       model.Say("state-rw-expired-writer"),
		Story:      model.Say("headline-rw-expired-writer", theLock),
		Title:      model.Say("about-rw-expired-writer"),
		Mechanism:  model.Say("mechanism-rw-expired-writer"),
		Looks:      model.Say("looks-rw-expired-writer"),
		Do:         model.Say("do-rw-expired-writer"),
		Threads:    []string{"etcd-io/etcd#16221"},
		Needs:      []Needs{NeedsClient},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakNone, Why: GhostAtWork},
	},
}}

// falseBeliefs finds contenders that say they hold while etcd says that they do not:
// two may act now.
func falseBeliefs(x *Context) {
	if x.Lab == nil {
		return
	}
	for _, c := range x.Lab.Competitors {
		since, is := x.Reports.FalseSince(c, x.L)
		if !is {
			continue
		}
		claim, _ := x.Reports.ClaimOf(c, x.L)
		if grace := graceOf(x, c, claim, since); x.K.Now().Sub(since) < grace {
			x.Recheck(since.Add(grace))
			continue
		}
		if !x.Reports.TookItself(c) && !x.Reports.HangsInUnlock(c) {
			falseBelief(x, c, claim, since)
		}
	}
}

// lateGrace is how long a client that runs may go on believing after its lease ended,
// though it looks after its session: it counts the TTL from the last answer, looks
// about once a second, and its word has to come. What it tells then is [model.CodeLateDone].
const lateGrace = reports.Grace + 1500*time.Millisecond

// graceOf is how long a contender's belief has to be false to be reported. One that
// was paused, or that never held, is not merely late.
func graceOf(x *Context, c *reports.Competitor, claim *locks.Claim, since time.Time) time.Duration {
	if x.Reports.Programs.PausedSince(c.ContenderInfo, since) || claim == nil && x.Reports.NeverHeld(c) {
		return reports.Grace
	}
	return lateGrace
}

// falseBelief reports one of them, whose belief is false since then. What is said of who took over then
// stays while the lock goes on from one to the next.
func falseBelief(x *Context, c *reports.Competitor, claim *locks.Claim, since time.Time) {
	var queueHas any = model.Say("nobody")
	now := model.Say("nobody-holds-it")
	if x.Head != nil {
		holder := x.K.Owners.Who(x.Head.Ref())
		queueHas = model.Verbatim(holder)
		now = model.Say("etcd-gave-it-to", queueHas)
		if then := x.Reports.FirstBeside(c.Name, x.L.Name, since); then != "" && then != holder {
			now = model.Say("etcd-gave-it-and-now", model.Verbatim(then), queueHas)
		}
	}
	f := model.Finding{Code: model.CodeStaleHolder, Severity: model.SevError, Confidence: model.Strong, Lease: c.Lease,
		Summary:  model.Say("still-believes-that-it-holds", c.Name, x.L.Name, now),
		Evidence: []model.Message{model.Say("says-that-it-holds", c.Name, queueHas, x.Reports.Programs.ProcOf(c.ContenderInfo))},
		Advice:   []model.Message{model.Say("stop", c.Name), model.Say("make-the-protected-resource-reject")}}
	if x.Reports.Programs.PausedSince(c.ContenderInfo, since) {
		f.Summary = model.Say("was-paused-and-still-believes", c.Name, x.L.Name, now)
	}
	if claim == nil && x.Reports.NeverHeld(c) {
		f.Code, f.Confidence = ghostCode(c.Recipe), model.Certain
		f.Summary = model.Say("believes-that-it-holds", c.Name, x.L.Name, now)
		f.Evidence = []model.Message{model.Say("key-did-not-exist-when", c.Belief.Key)}
		f.Advice = []model.Message{model.Say("restart", c.Name), model.Say("wait-for-lock-and-check-key")}
	}
	if g := x.Lab.Unfenced(c.LastAccess, c.Belief); g != nil {
		f.Confidence = model.Certain
		f.Evidence = append(f.Evidence, model.Say("the-resource-accepted-its-token", c.LastAccess.Token, c.LastAccess.At.Sub(g.At)))
	}
	x.Report(f, claim)
}

// ghostCode names what a win without a key is, by the word for the contender's recipe.
func ghostCode(word string) model.Code {
	if r := recipe.Played(word); r != nil && r.Ghost != "" {
		return model.Code(r.Ghost)
	}
	return model.CodeGhostLeader
}

// lateDone notes that a contender learnt of its loss after the next one had the lock,
// though its process was never paused: the Go client counts the TTL from the last
// reply and looks once a second (client/v3 lease.go, deadlineLoop).
func lateDone(x *Context) {
	if x.Lab == nil || !x.L.Recipe().Exclusive() {
		return
	}
	var worst reports.LateWord
	for _, w := range x.Reports.LateWords(x.Lab) {
		if worst.Lock == "" || w.From.After(worst.From) {
			worst = w
		}
		x.Recheck(w.At.Add(reports.ToldFor))
	}
	if worst.Lock == "" {
		return
	}
	x.Report(model.Finding{Code: model.CodeLateDone, Severity: model.SevInfo, Confidence: model.Certain, Lease: worst.Holder.Lease,
		Summary:  model.Say("noticed-that-it-had-lost", worst.Believer, x.L.Name, worst.At.Sub(worst.From), model.Verbatim(worst.Client)),
		Evidence: []model.Message{model.Say("said-that-it-holds", worst.Believer, model.Verbatim(worst.Client))},
		Advice:   []model.Message{model.Say("let-holders-stop-after-two"), model.Say("make-the-protected-resource-reject")}}, nil)
}

// oldLockService: the 3.4 server's own lock service can return success to a waiter
// whose lease died (fix etcd-io/etcd#11408 only in 3.5 and later).
func oldLockService(x *ClusterContext) {
	if !versionBelow(x.K.Members.Cluster(), 3, 5) {
		return
	}
	x.Report(model.Finding{Code: model.CodeExpiredWaiterWins, Severity: model.SevInfo, Confidence: model.Certain,
		Summary:  model.Say("the-lock-service-of-server", serverVersion(x.K.Members.Cluster())),
		Evidence: []model.Message{model.Say("issue-11456-fixed-in-3-5")},
		Advice:   []model.Message{model.Say("upgrade-or-check-after-lock")},
		Etcdctl:  []string{"etcdctl endpoint status --cluster -w table"}})
}
