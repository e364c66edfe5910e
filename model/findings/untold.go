package findings

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/reports"
)

// untoldFamily is about clients that were not told what became of a request or of a key.
var untoldFamily = Family{Lab: []Func{openNotes}, Entries: []Entry{
	{
		Code:       model.CodeUnlockLost,
		Place:      290,
		Severity:   model.SevError,
		Word:       model.Say("state-unlock-lost"),
		Story:      model.Say("headline-unlock-lost", theLock),
		Title:      model.Say("about-unlock-lost"),
		Mechanism:  model.Say("mechanism-unlock-lost"),
		Looks:      model.Say("looks-unlock-lost"),
		Do:         model.Say("do-unlock-lost"),
		Threads:    []string{"cilium#9855", "cilium#9046", "cilium#9982"},
		Needs:      []Needs{NeedsProxy},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-unlock-lost")},
	},
	{
		Code:       model.CodeGhostWaiter,
		Place:      310,
		Severity:   model.SevError,
		Word:       model.Say("state-ghost-waiter"),
		Story:      model.Say("headline-ghost-waiter", theLock),
		Title:      model.Say("about-ghost-waiter"),
		Mechanism:  model.Say("mechanism-ghost-waiter"),
		Looks:      model.Say("looks-ghost-waiter"),
		Do:         model.Say("do-ghost-waiter"),
		Threads:    []string{"etcd-io/etcd#9715", "etcd-io/etcd#10153", "etcd-io/etcd#10111", "etcd-io/jetcd#291"},
		Needs:      []Needs{NeedsProxy},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-ghost-waiter")},
	},
	{
		Code:      model.CodeMissedDelete,
		Place:     320,
		Severity:  model.SevError,
		Word:      model.Say("state-missed-delete"),
		Story:     model.Say("headline-missed-delete", theLock),
		Title:     model.Say("about-missed-delete"),
		Mechanism: model.Say("mechanism-missed-delete"),
		Looks:     model.Say("looks-missed-delete"),
		Do:        model.Say("do-missed-delete"),
		Threads: []string{"etcd-io/etcd#7247", "etcd-io/etcd#8980", "etcd-io/etcd#12534", "etcd-io/etcd#14641", "etcd-io/etcd#17611",
			"k8s#89488", "cilium#23590", "etcd-io/etcd#17612", "etcd-io/etcd#17529", "etcd-io/etcd#18089",
			"etcd-io/etcd#18475", "etcd-io/etcd#19179", "etcd-io/etcd#19249"},
		Needs:      []Needs{NeedsProxy},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakCures, Why: model.Say("break-missed-delete")},
	},
}}

// openAfter is how long an answer, a watch event or a second try may be under way.
const openAfter = 2 * time.Second

// stillOpen says whether something is under way since then for longer than it may be. What the cluster
// was not seen to do while it was not seen to work at all does not count.
func stillOpen(x *Context, since time.Time) bool {
	since = model.Later(since, x.K.WorksSince())
	if x.K.Now().Sub(since) < openAfter {
		x.Recheck(since.Add(openAfter))
		return false
	}
	return true
}

// openNotes looks at what the proxy saw of this lock's keys and what has not come to
// its end.
func openNotes(x *Context) {
	if x.Lab == nil || !x.L.Recipe().HasHolder {
		return
	}
	missed := false
	for _, n := range x.Lab.Open {
		if c := x.K.Keys.Claim(n.Key); c != nil && c.Lock() == x.L {
			ghostWaiter(x, n, c)
			unlockLost(x, n, c)
		} else if !missed {
			missed = missedDelete(x, n)
		}
	}
}

// blocks raises a finding to an error if its claim is first and others wait.
func blocks(x *Context, f *model.Finding, c *locks.Claim) {
	f.Severity = model.SevWarning
	if c == x.Head && x.L.Behind() > 0 {
		f.Severity = model.SevError
		x.Explained = true
		f.Evidence = append(f.Evidence, model.Say("is-first-with-waiters-behind", x.L.Behind()))
	}
}

// ghostWaiter finds a claim whose client was never told that it was written: it
// believes that its Lock failed, and its session renews the claim all the same
// (etcd-io/etcd#9715).
func ghostWaiter(x *Context, n *reports.Notes, c *locks.Claim) {
	w := n.Ghost
	if w == nil || c.CreateRev > w.Rev || c.KV.Lease != w.Lease {
		return
	}
	if !stillOpen(x, w.At) {
		return
	}
	f := model.Finding{Code: model.CodeGhostWaiter, Confidence: proxyConfidence(w.Client), Lease: w.Lease,
		Summary: model.Say("was-never-told-of-its-claim", w.Name),
		Evidence: []model.Message{model.Say("the-proxy-saw-the-put", n.Key, w.Rev),
			model.Say("the-client-has-not-spoken")},
		Advice: append(x.ToBreak(c, model.Strong), model.Say("close-session-after-lock-error"))}
	blocks(x, &f, c)
	x.Report(f, c)
}

// unlockLost finds a claim that its client tried to delete, without effect, while its
// session lives on (cilium#9855).
func unlockLost(x *Context, n *reports.Notes, c *locks.Claim) {
	w := n.Undone
	if w == nil || c.Since.After(w.At) || c.LeaseInfo().State() != model.LeaseHealthy {
		return
	}
	if o, known := x.K.Owners.LeaseOwner(c.KV.Lease); known && !x.Reports.Programs.SameProgram(o.Name, w.Name) {
		return // a key of the same name, which somebody else has put
	}
	if !stillOpen(x, w.At) {
		return
	}
	what := model.Say("sent-and-not-answered")
	if w.Unsent {
		what = model.Say("never-reached-the-member")
	}
	f := model.Finding{Code: model.CodeUnlockLost, Confidence: proxyConfidence(w.Client), Lease: c.KV.Lease,
		Summary: model.Say("tried-to-delete-its-claim", w.Name, x.K.Now().Sub(w.At)),
		Evidence: []model.Message{model.Say("the-proxy-saw-the-delete", n.Key, what),
			model.Say("the-claim-is-still-there", readingWords(c.LeaseInfo()))},
		Advice: append(x.ToBreak(c, model.Strong), model.Say("close-session-when-unlock-fails"))}
	for _, o := range x.Reports.Programs.Workers(w.Name) {
		if o.CompetesFor(x.Lab) && o.Belief.State == model.BeliefIdle && o.Belief.At.After(c.Since) {
			f.Evidence = append(f.Evidence, model.Say("says-that-it-is-idle", o.Name))
		}
	}
	blocks(x, &f, c)
	x.Report(f, c)
}

// missedDelete finds a head that still watches a key which went: it does not know that
// its turn has come (etcd-io/etcd#17529 and others).
func missedDelete(x *Context, n *reports.Notes) bool {
	if x.Head == nil || x.Lease == nil || n.GoneAt.IsZero() || x.Lease.State() != model.LeaseHealthy {
		return false
	}
	o, known := x.K.Owners.LeaseOwner(x.Lease.ID)
	if !known || x.Reports.HoldsBy(o.Name, x.Head.Key) {
		return false
	}
	at := slices.IndexFunc(n.Watchers, func(w model.Watches) bool { return x.Reports.Programs.SameProgram(w.Name, o.Name) })
	if at < 0 {
		return false
	}
	w, since := n.Watchers[at], n.GoneAt
	if w.At.After(since) {
		since = w.At
	}
	if !stillOpen(x, since) {
		return false
	}
	f := model.Finding{Code: model.CodeMissedDelete, Confidence: proxyConfidence(o.Client, w.Client), Lease: x.Lease.ID,
		Summary: model.Say("is-first-and-does-not-know", o.Name, x.K.Now().Sub(n.GoneAt)),
		Evidence: []model.Message{model.Say("the-proxy-sees-its-watch", n.Key),
			readingWords(x.Lease)},
		Advice: []model.Message{model.Say("restart-and-its-claim-goes", o.Name), model.Say("require-leader-in-clients")}}
	blocks(x, &f, x.Head)
	x.Report(f, x.Head)
	return true
}
