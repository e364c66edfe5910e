package queues

import (
	"fmt"

	"locktop/model"
	"locktop/model/diagnose/rule"
	"locktop/model/keyspace"
	"locktop/model/recipe"
)

// Misplaced is about keys that block by their mere form.
var Misplaced = rule.Family{Lock: []rule.Func{wrongHead, wrongWaiter}, Entries: []rule.Entry{
	{
		Code:  model.CodeOrphanKey,
		Place: 90,
		Word:  "no lease",
		Story: "A key without a lease blocks {lock}",
		Title: "The head of the queue has no lease and never expires",
		Mechanism: "Someone wrote a key under the lock's name without a lease: a home-made lock, a forgotten option, a restored " +
			"backup. etcd removes only keys that hang on a lease, so this one stays until it is deleted.",
		Looks: "The head shows lease 0 while those behind it have leases, and the queue does not move.",
		Do: "Make sure that its writer is gone. Then delete that claim guarded by its create revision, not by its bare name: " +
			"the name may belong to a new claim by then.",
		Threads:    []string{"hashicorp/vault#2526"},
		Needs:      []rule.Needs{rule.NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   rule.Breaking{Effect: rule.BreakCures, Why: rule.WriterGone},
	},
	{
		Code:  model.CodeLeaseDetached,
		Place: 100,
		Word:  "lease detached",
		Story: "A write took the lease off the holder of {lock}",
		Title: "A later write took the lease off the claim",
		Mechanism: "A key keeps only the lease of its last put. A client that writes into its own claim without passing the lease " +
			"(or IgnoreLease) turns it into a key that never expires. When that client ends, the lock stays taken.",
		Looks: "The key's name still ends in a lease ID, but its lease is 0 and its version is above 1. The lease in the name " +
			"may be gone already.",
		Do: "Check that the writer is gone, then delete that claim guarded by its create revision. Fix the client, or it " +
			"happens again with the next holder.",
		Threads:    []string{"pingcap/tidb#43850", "pingcap/tidb#43894", "etcd-io/etcd#14758"},
		Needs:      []rule.Needs{rule.NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   rule.Breaking{Effect: rule.BreakCures, Why: rule.WriterGone},
	},
	{
		Code:  model.CodeForeignKey,
		Place: 110,
		Word:  "blocked",
		Story: "A key that is not a lock key blocks {lock}",
		Title: "A key that is not a claim stands first and blocks the lock",
		Mechanism: "The Go client's rule counts every key under the lock's name, whatever it is. Data that was stored there before " +
			"the first claim is the oldest, so all claims wait for it, for ever.",
		Looks: "The head's last segment is not its lease ID. Often it has a value and no lease. All real claims wait behind it.",
		Do: "Find out whose data it is and move it elsewhere, or rename the lock. Do not simply delete it: some program needs " +
			"it.",
		Threads:    []string{"website#710", "etcd-io/etcd#6278", "etcd-io/etcd#6284", "vitess#15118"},
		Needs:      []rule.Needs{rule.NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   rule.Breaking{Effect: rule.BreakWrong, Why: "some program may need this key: find out whose it is, and move the data or rename the lock"},
	},
	{
		Code:  model.CodeNestedPrefix,
		Place: 120,
		Word:  "nested",
		Story: "A nested lock blocks {lock}",
		Title: "The lock waits for another lock whose name lies below its own",
		Mechanism: "The claims of lock a/b also lie under a/, so whoever wants a waits for each older claim of a/b. The other way " +
			"round there is no waiting: a/b does not look at a.",
		Looks: "The head's key has more path segments than the other claims have, and it is a claim of the deeper lock at the " +
			"same time.",
		Do: "Wait until the deeper lock is let go, or break that one if its holder is dead. Then rename, so that no lock's " +
			"name is a path above another's.",
		Threads:    []string{"website#710"},
		Needs:      []rule.Needs{rule.NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   rule.Breaking{Effect: rule.BreakWrong, Why: "this is a rightful claim of the lock below: wait until it is let go, and break it only if its holder is dead"},
	},
}}

// wrongHead finds a head that never leaves because it is no live claim: a key
// without a lease, a foreign key, a nested lock (etcd client/v3 concurrency/key.go:
// the wait looks at every key under the name).
func wrongHead(x *rule.Context) {
	alone := x.L.Shape() == recipe.Single && x.Head.Stripped() // who waits for it leaves no trace
	if !alone && (x.L.Len() < 2 || x.L.Shape() != recipe.Queue) {
		return
	}
	if f, ok := misplaced(x, x.Head); ok && alone {
		f.Severity = model.SevError
		x.Report(f, x.Head)
	} else if ok {
		f.Severity = model.SevError
		f.Evidence = append(f.Evidence, rule.WaitersWords(x.L.Len()-1)+" behind it")
		x.Report(f, x.Head)
	}
}

// wrongWaiter finds such a key in the middle of the queue: it blocks when its turn
// comes, if a claim stands behind it.
func wrongWaiter(x *rule.Context) {
	if x.L.Shape() != recipe.Queue || x.L.AllByLease() {
		return
	}
	place := 0
	x.L.Claims(func(c *keyspace.Claim) bool {
		place++
		if place == 1 || place == x.L.Len() {
			return place < keyspace.MaxScan
		}
		if f, ok := misplaced(x, c); ok {
			f.Severity = model.SevWarning
			f.Summary += fmt.Sprintf(", when it becomes first; it is at place %d", place)
			x.Report(f, c)
			return false
		}
		return place < keyspace.MaxScan
	})
}

// misplaced says what is wrong with a key of the queue by its form alone.
func misplaced(x *rule.Context, c *keyspace.Claim) (model.Finding, bool) {
	if c.KV.Lease != 0 && x.L.IsClaim(c) {
		return model.Finding{}, false // the usual case, for which nothing is written
	}
	key := model.Printable(c.Key)
	f := model.Finding{Confidence: model.Certain, Lease: c.KV.Lease}
	f.Evidence = []string{fmt.Sprintf("key %s, create revision %d, version %d, lease %s", key, c.CreateRev, c.Version, leaseWords(c))}
	switch {
	case c.KV.Lease == 0 && x.L.IsClaim(c) && c.Version > 1:
		f.Code = model.CodeLeaseDetached
		f.Summary = key + " lost its lease by a later put without one: it never expires and blocks the lock"
		f.Advice = []string{"make sure that its writer is gone, then delete the key", rule.Deletes(c), "make the client pass its lease, or IgnoreLease, with every put"}
	case c.KV.Lease == 0 && (x.L.IsClaim(c) || x.L.Recipe().AnyName && x.L.Beside(c)):
		f.Code = model.CodeOrphanKey
		f.Summary = key + " has no lease: it never expires and blocks the lock"
		f.Advice = []string{"make sure that its writer is gone, then delete the key", rule.Deletes(c)}
	case !x.L.Beside(c) && c.Lock() != nil && c.Lock().Recipe().HasHolder:
		below := lockWords(c.Lock())
		f.Code = model.CodeNestedPrefix
		f.Summary = fmt.Sprintf("%s waits for %s, whose name lies below its own", model.Printable(x.L.Name), below)
		f.Advice = []string{"wait until " + model.Printable(c.Lock().Name) + " is let go; break it only if its holder is dead",
			"rename one of the two, so that no lock's name is a path above another's"}
	case !x.L.Beside(c) && c.Lock() != nil:
		f.Code = model.CodeForeignKey
		f.Summary = fmt.Sprintf("%s is one of %s in the group %s, which is not a lock, but it is counted as a claim: it blocks the lock",
			key, members(c.Lock().Len()), model.Printable(c.Lock().Name))
		f.Advice = []string{"find out whose key it is: a program registered there loses its registration with it",
			"rename the lock or the group, so that neither name is a path above the other's"}
	default:
		f.Code = model.CodeForeignKey
		f.Summary = key + " is not a lock key, but sits in the queue and blocks it"
		f.Advice = []string{"move the data elsewhere, or rename the lock"}
	}
	return f, true
}

// lockWords name a lock, and say where only its form looks like one.
func lockWords(l *keyspace.Lock) string {
	if l.RecipeConfidence() == model.Hint {
		return fmt.Sprintf("%s, which looks like a lock (%s, hint)", model.Printable(l.Name), l.Recipe().Name)
	}
	return "the lock " + model.Printable(l.Name)
}

// members counts the keys of a group.
func members(n int) string {
	if n == 1 {
		return "1 key"
	}
	return fmt.Sprintf("%d keys", n)
}

func leaseWords(c *keyspace.Claim) string {
	if c.KV.Lease == 0 {
		return "none"
	}
	return c.KV.Lease.String()
}
