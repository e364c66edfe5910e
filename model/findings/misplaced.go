package findings

import (
	"locktop/model"
	"locktop/model/locks"
	"locktop/model/recipe"
)

// misplacedFamily is about keys that block by their mere form.
var misplacedFamily = Family{Lock: []Func{wrongHead, wrongWaiter}, Entries: []Entry{
	{
		Code:       model.CodeOrphanKey,
		Place:      90,
		Severity:   model.SevError,
		Word:       model.Say("state-orphan-key"),
		Story:      model.Say("headline-orphan-key", theLock),
		Title:      model.Say("about-orphan-key"),
		Mechanism:  model.Say("mechanism-orphan-key"),
		Looks:      model.Say("looks-orphan-key"),
		Do:         model.Say("do-orphan-key"),
		Threads:    []string{"hashicorp/vault#2526"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakCures, Why: WriterGone},
	},
	{
		Code:       model.CodeLeaseDetached,
		Place:      100,
		Severity:   model.SevError,
		Word:       model.Say("state-lease-detached"),
		Story:      model.Say("headline-lease-detached", theLock),
		Title:      model.Say("about-lease-detached"),
		Mechanism:  model.Say("mechanism-lease-detached"),
		Looks:      model.Say("looks-lease-detached"),
		Do:         model.Say("do-lease-detached"),
		Threads:    []string{"pingcap/tidb#43850", "pingcap/tidb#43894", "etcd-io/etcd#14758"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakCures, Why: WriterGone},
	},
	{
		Code:       model.CodeForeignKey,
		Place:      110,
		Severity:   model.SevError,
		Word:       model.Say("state-foreign-key"),
		Story:      model.Say("headline-foreign-key", theLock),
		Title:      model.Say("about-foreign-key"),
		Mechanism:  model.Say("mechanism-foreign-key"),
		Looks:      model.Say("looks-foreign-key"),
		Do:         model.Say("do-foreign-key"),
		Threads:    []string{"website#710", "etcd-io/etcd#6278", "etcd-io/etcd#6284", "vitess#15118"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-foreign-key")},
	},
	{
		Code:       model.CodeNestedPrefix,
		Place:      120,
		Severity:   model.SevError,
		Word:       model.Say("state-nested-prefix"),
		Story:      model.Say("headline-nested-prefix", theLock),
		Title:      model.Say("about-nested-prefix"),
		Mechanism:  model.Say("mechanism-nested-prefix"),
		Looks:      model.Say("looks-nested-prefix"),
		Do:         model.Say("do-nested-prefix"),
		Threads:    []string{"website#710"},
		Needs:      []Needs{NeedsEtcd},
		Confidence: model.Certain,
		Breaking:   Breaking{Effect: BreakWrong, Why: model.Say("break-nested-prefix")},
	},
}}

// wrongHead finds a head that never leaves because it is no live claim: a key
// without a lease, a foreign key, a nested lock (etcd client/v3 concurrency/key.go:
// the wait looks at every key under the name).
func wrongHead(x *Context) {
	if x.L.Recipe().Permits > 1 {
		keptPermits(x)
		return
	}
	alone := x.L.Shape() == recipe.Single && x.Head.Stripped() // who waits for it leaves no trace
	f, ok := misplaced(x, x.Head)
	switch {
	case !ok:
	case alone:
		f.Severity = model.SevError
		x.Report(f, x.Head)
	case x.L.Behind() > 0:
		f.Severity = model.SevError
		f.Evidence = append(f.Evidence, model.Say("waiters-behind-it", x.L.Behind()))
		if n := x.L.Between(); n > 1 {
			f.Evidence = append(f.Evidence, model.Say("ahead-of-the-next-claim", n))
		}
		x.Report(f, x.Head)
	case f.Code == model.CodeLeaseDetached: // who comes next is blocked
		f.Severity = model.SevWarning
		x.Report(f, x.Head)
	}
}

// keptPermits finds holders of a semaphore that lost their lease, and so keep their permits for ever.
func keptPermits(x *Context) {
	var first *locks.Claim
	kept := 0
	for c := range x.L.First(min(x.L.Holders(), locks.MaxScan)) {
		if c.KV.Lease == 0 {
			if kept++; first == nil {
				first = c
			}
		}
	}
	if first == nil {
		return
	}
	f, _ := misplaced(x, first)
	f.Severity, f.Summary = model.SevWarning, model.Say("keeps-permits", first.Key, kept, x.L.Recipe().Permits)
	if kept == x.L.Holders() && x.L.Behind() > 0 {
		f.Severity = model.SevError
		f.Evidence = append(f.Evidence, model.Say("waiters-behind-it", x.L.Behind()))
	}
	x.Report(f, first)
}

// wrongWaiter finds such a key in the middle of the queue, with a claim behind it, which it
// blocks when its turn comes. Those behind a head that blocks are counted with that one.
func wrongWaiter(x *Context) {
	if x.L.Shape() != recipe.Queue || x.L.AllByLease() || x.L.Recipe().Permits > 1 {
		return
	}
	place, told := 0, 1
	if x.L.Blocked() {
		told = x.L.Between()
	}
	x.L.Claims(func(c *locks.Claim) bool {
		if place++; place <= told {
			return place < locks.MaxScan
		}
		if f, ok := misplaced(x, c); ok && x.L.Bars(c) {
			f.Severity = model.SevWarning
			f.Summary = model.Say("when-it-becomes-first", f.Summary, place)
			x.Report(f, c)
			return false
		}
		return place < locks.MaxScan
	})
}

// misplaced says what is wrong with a key of the queue by its form alone.
func misplaced(x *Context, c *locks.Claim) (model.Finding, bool) {
	if c.KV.Lease != 0 && x.L.IsClaim(c) {
		return model.Finding{}, false // the usual case, for which nothing is written
	}
	f := model.Finding{Confidence: model.Certain, Lease: c.KV.Lease}
	f.Evidence = []model.Message{model.Say("key-as-it-stands", c.Key, c.CreateRev, c.Version, leaseWords(c))}
	switch {
	case c.KV.Lease == 0 && x.L.IsClaim(c) && c.Version > 1:
		f.Code = model.CodeLeaseDetached
		f.Summary = model.Say("lost-its-lease", c.Key)
		f.Advice = []model.Message{model.Say("make-sure-that-its-writer"), deletes(c), model.Say("make-the-client-pass")}
	case c.KV.Lease == 0 && (x.L.IsClaim(c) || x.L.Recipe().AnyName && x.L.IsDirectChild(c)):
		f.Code = model.CodeOrphanKey
		f.Summary = model.Say("has-no-lease-it-never", c.Key)
		f.Advice = []model.Message{model.Say("make-sure-that-its-writer"), deletes(c)}
	case !x.L.IsDirectChild(c) && c.Lock() != nil && c.Lock().Recipe().HasHolder:
		below := lockWords(c.Lock())
		f.Code = model.CodeNestedPrefix
		f.Summary = model.Say("waits-for-whose-name-lies", x.L.Name, below)
		f.Advice = []model.Message{model.Say("wait-until-lock-is-let-go", c.Lock().Name),
			model.Say("rename-one-of-the-two")}
	case !x.L.IsDirectChild(c) && c.Lock() != nil:
		f.Code = model.CodeForeignKey
		f.Summary = model.Say("is-one-of-a-group", c.Key, c.Lock().Len(), c.Lock().Name)
		f.Advice = []model.Message{model.Say("find-out-whose-key"),
			model.Say("rename-the-lock")}
	case c.KV.Lease != 0:
		f.Code, f.Confidence = model.CodeForeignKey, model.Strong
		f.Summary = model.Say("is-not-named-by-its-lease", c.Key)
		f.Advice = []model.Message{model.Say("wait-until-its-lease-ends-or-move")}
		if key := c.KV.RecipeKey(); recipe.NamesLease(&key) { // as of a claim that was put again before we looked
			f.Confidence = model.Hint
		}
	default:
		f.Code = model.CodeForeignKey
		f.Summary = model.Say("is-not-a-lock-key", c.Key)
		f.Advice = []model.Message{model.Say("move-the-data-elsewhere")}
	}
	return f, true
}

// lockWords name a lock, and say where only its form looks like one.
func lockWords(l *locks.Lock) model.Message {
	if l.RecipeConfidence() == model.Hint {
		return model.Say("which-looks-like-a-lock", l.Name, l.Recipe().Name)
	}
	return model.Say("lock-named", l.Name)
}

// leaseWords names the lease of a key in a message.
func leaseWords(c *locks.Claim) any {
	if c.KV.Lease == 0 {
		return model.Say("none")
	}
	return c.KV.Lease
}
