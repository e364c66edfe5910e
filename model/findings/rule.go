package findings

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/reports"
)

// Context is one look at one lock.
type Context struct {
	K       *locks.State
	Reports *reports.Reports
	Cycles  *Cycles
	L       *locks.Lock
	Head    *locks.Claim
	Lease   *locks.Lease  // the head's, nil for none
	Lab     *reports.Lock // what the lab and its proxy say of the lock, nil for nothing
	Names   *leasesByName
	Leaks   *OrphanLeases
	Queue   *pastQueue      // what was seen of its queue before, nil for nothing
	Before  []model.Finding // what was found last
	// FewSince is since when there are fewer claims than declared, zero if there are not.
	FewSince time.Time
	Found    []model.Finding // what was reported
	Again    time.Time       // when time alone may change the answer
	// Explained: the lab says why a head that is renewed does not leave.
	Explained bool
}

// Func looks for one mechanism, or for one family of neighbours that exclude each
// other.
type Func func(*Context)

// ClusterFunc looks at the members, after each round of status.
type ClusterFunc func(*ClusterContext)

// Family is what one file has: findings with their words, and the rules that find them.
type Family struct {
	Any     []Func // of every lock, one that is free, too
	Lock    []Func // of a lock that has a head, and is no Lease of Kubernetes
	Kube    []Func // of a Lease of Kubernetes
	Lab     []Func // of a lock of which the lab or its proxy has reported something
	Cluster []ClusterFunc
	Entries []Entry
}

// Report adds a finding about the lock, and about a claim in its queue, nil for none.
func (cx *Context) Report(f model.Finding, about *locks.Claim) {
	f.Lock, f.Claim = cx.L.Name, about.Ref()
	cx.presume(&f)
	f.Severity = bounded(&f)
	if f.Etcdctl == nil {
		f.Etcdctl = cx.L.Etcdctl()
	}
	cx.Found = append(cx.Found, f)
}

// presume makes what is found of keys of which only their names say that they are a lock a hint, unless
// it is about a lease alone. Where their path speaks of members or permits, what befalls one of them
// is nobody's trouble.
func (cx *Context) presume(f *model.Finding) {
	switch f.Code {
	case model.CodeSharedLease, model.CodeLeaseLeak, model.CodeLeaseOverdue, model.CodeExpiryBacklog, model.CodeRevokeFailing, model.CodeRevokeForgotten, model.CodeTTLReset, model.CodeTTLRollover, model.CodeTTLFloor:
		return
	}
	if !cx.L.Presumed() {
		return
	}
	f.Confidence = model.Hint
	f.Evidence = append(f.Evidence, model.Say("only-perhaps-a-lock", cx.L.Name))
	first := f.Advice[:min(1, len(f.Advice))]
	if len(f.Alternatives) == 0 || len(first) > 0 && !slices.Contains(patient, first[0].ID) {
		first = nil
	}
	f.Advice = append(slices.Clone(first), model.Say("find-out-what-the-keys-are", model.Verbatim(pinOf(cx.L.Name, cx.L.Recipe().Name))))
	if !ofQueue(f.Code) && cx.L.SpeaksOfMembers() {
		f.Severity = model.SevInfo
	}
}

// pinOf is what --recipe takes to make these keys a lock, quoted for a shell. Of a name that ends in
// "=", as base64 does, that lock alone: PREFIX=NAME would read the end of the name as part of "==".
func pinOf(name, recipe string) string {
	is := "="
	if strings.HasSuffix(name, is) {
		is = "=="
	}
	return model.ShellQuote(model.Printable(name) + is + recipe)
}

// patient are the advices to wait and look first: they are right of what is no lock, too.
var patient = []model.MessageID{"wait-until-its-lease-ends", "wait-for-the-end", "watch-for-a-minute", "look-at-the-holder-paused"}

// ofQueue says whether a finding is about a queue that cannot move, whoever holds and waits.
func ofQueue(code model.Code) bool {
	switch code {
	case model.CodeOrphanKey, model.CodeLeaseDetached, model.CodeForeignKey, model.CodeNestedPrefix, model.CodeLockCycle:
		return true
	}
	return false
}

// Recheck asks to be examined again at that time.
func (cx *Context) Recheck(at time.Time) {
	if at.After(cx.K.Now()) && (cx.Again.IsZero() || at.Before(cx.Again)) {
		cx.Again = at
	}
}

// ClusterContext is one look at the cluster.
type ClusterContext struct {
	K             *locks.State
	Reports       *reports.Reports
	Before, Found []model.Finding
}

// Report adds a finding about the cluster.
func (c *ClusterContext) Report(f model.Finding) {
	f.Severity = bounded(&f)
	c.Found = append(c.Found, f)
}

// bounded is the severity of a finding, that of a hint a warning at most: nobody is to be
// woken by a guess.
func bounded(f *model.Finding) model.Severity {
	if f.Confidence == model.Hint && f.Severity == model.SevError {
		return model.SevWarning
	}
	return f.Severity
}

// Same returns that of a list which says the same as f, nil for none.
func Same(list []model.Finding, f *model.Finding) *model.Finding {
	for i := range list {
		if list[i].Same(f) {
			return &list[i]
		}
	}
	return nil
}

// ClaimOn returns the claim of this lock that hangs on a lease, nil for none.
func (cx *Context) ClaimOn(l *locks.Lease) *locks.Claim {
	for _, c := range l.Claims()[:min(len(l.Claims()), locks.MaxScan)] {
		if c.Lock() == cx.L {
			return c
		}
	}
	return nil
}
