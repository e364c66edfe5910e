package findings

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/reports"
)

// Set is what the rules found, of the cluster and of each lock.
type Set struct {
	k       *locks.State
	reports *reports.Reports
	cluster []model.Finding
	byLock  map[*locks.Lock][]model.Finding // the worst first; none is empty
	few     map[*locks.Lock]time.Time       // since when locks have fewer claims than declared
	cycles  *Cycles
	names   *leasesByName
	leaks   *OrphanLeases // leases that live on without a key
	queues  *Queues       // how they were before
	work    *worklist
	context Context        // memory for the one that is under way
	news    []locks.Change // what the event at hand changed of the findings
}

// New returns that of a state of the locks and what was reported of it, before anything
// was found.
func New(k *locks.State, reports *reports.Reports) *Set {
	w := newWorklist(k)
	return &Set{k: k, reports: reports, names: &leasesByName{}, leaks: newOrphanLeases(k, w), byLock: map[*locks.Lock][]model.Finding{},
		few: map[*locks.Lock]time.Time{}, cycles: newCycles(w), work: w, queues: &Queues{map[*locks.Lock]*pastQueue{}}}
}

// Apply takes in an event and what it changed, and derives the findings anew of the locks that
// changed or whose time has come. It returns what that changed, which is valid until the next event:
// locks of which something else is found, and lines for the journal. While a list is under way it
// waits: half a queue would be judged. It goes on as long as on says, which it asks before each lock.
func (set *Set) Apply(e model.Event, changes []locks.Change, goOn func() bool) []locks.Change {
	clear(set.news)
	set.news = set.news[:0]
	set.work.addChanged(changes)
	set.news = append(set.news, set.leaks.Apply(e, changes)...)
	set.queues.Apply(e, changes)
	switch e := e.(type) {
	case model.Lost:
		if e.Reason == model.LostCluster { // what was found is of another one
			*set = *New(set.k, set.reports)
		}
	case model.Slept:
		for l := range set.few {
			set.few[l] = e.At
		}
	case model.ClusterStatus:
		set.judgeCluster()
	}
	set.cycles.note(changes)
	if set.k.Prefixes.Partial() {
		return set.news
	}
	set.cycles.Update(set.k)
	set.work.take(func(l *locks.Lock) bool {
		set.judge(l)
		return goOn()
	})
	return set.news
}

// Ask adds to what is wanted what the rules need: readings of leases that may be left behind, and
// to be woken when time alone may change what is found.
func (set *Set) Ask(w model.Want) model.Want { return set.work.ask(set.leaks.Ask(w)) }

// countFew notes since when a lock has fewer claims than declared.
func (set *Set) countFew(l *locks.Lock) {
	if since, few := set.few[l]; !set.k.Pins.Few(l) {
		delete(set.few, l)
	} else if !few || since.IsZero() {
		set.few[l] = set.k.Now()
	}
}

// judge derives the findings of a lock anew.
func (set *Set) judge(l *locks.Lock) {
	if !l.Listed() {
		delete(set.byLock, l)
		delete(set.few, l)
		return // forgotten, with its findings
	}
	set.countFew(l)
	x := &set.context // there is one for every event
	*x = Context{K: set.k, Reports: set.reports, Cycles: set.cycles, Names: set.names, Leaks: set.leaks, Queue: set.queues.byLock[l], L: l, Before: set.byLock[l], FewSince: set.few[l], Head: l.Head(), Lab: set.reports.Lock(l.Name)}
	if x.Head != nil {
		x.Lease = x.Head.LeaseInfo()
	}
	if x.Lease.Stale() { // it is read again, and then it is judged
		set.replace(l, slices.DeleteFunc(slices.Clone(x.Before), func(f model.Finding) bool {
			return !f.Claim.IsZero() && !f.About(set.k.Keys.Claim(f.Claim.Key).Ref())
		}))
		return
	}
	lab := x.Lab != nil || len(set.reports.Keepers.Shared())+len(set.reports.Keepers.Refusals()) > 0
	if !lab && !set.k.Prefixes.LostFor(l.Name).IsZero() {
		return // what was found is of when it was seen last; it is judged when it is seen again
	}
	if lab {
		ask(x, func(f *Family) []Func { return f.Lab }) // these also where the lock is free
	}
	ask(x, func(f *Family) []Func { return f.Any })
	switch {
	case x.Head == nil || !l.Recipe().HasHolder:
	case l.Recipe().OfKube(): // it has no lease of etcd to judge
		ask(x, func(f *Family) []Func { return f.Kube })
	default:
		ask(x, func(f *Family) []Func { return f.Lock })
	}
	set.replace(l, x.Found)
	if !x.Again.IsZero() {
		set.work.addAt(l, x.Again)
	}
}

// ask asks some rules of each family.
func ask(x *Context, which func(*Family) []Func) {
	for _, f := range families {
		for _, r := range which(f) {
			r(x)
		}
	}
}

// replace puts the findings of a lock in the place of the old ones.
func (set *Set) replace(l *locks.Lock, found []model.Finding) {
	old := set.byLock[l]
	if len(found) == 0 && len(old) == 0 {
		return
	}
	slices.SortStableFunc(found, func(a, b model.Finding) int { return a.Severity.Compare(b.Severity) })
	set.note(old, found, l.Name)
	set.Put(l, found)
	set.news = append(set.news, locks.Change{Kind: locks.Changed, Lock: l})
}

// Put puts a list, the worst first, in the place of what was found of a lock.
func (set *Set) Put(l *locks.Lock, found []model.Finding) {
	if set.byLock[l] = found; len(found) == 0 {
		delete(set.byLock, l)
	}
}

// judgeCluster derives the findings anew that are of no lock.
func (set *Set) judgeCluster() {
	x := &ClusterContext{K: set.k, Reports: set.reports, Before: set.cluster}
	for _, f := range families {
		for _, r := range f.Cluster {
			r(x)
		}
	}
	if len(x.Found)+len(set.cluster) > 0 {
		set.note(set.cluster, x.Found, "")
		set.news = append(set.news, locks.Change{Kind: locks.Coverage})
	}
	set.cluster = worstFirst(x.Found)
}

// write has a line for the journal.
func (set *Set) write(line *journal.Entry) {
	set.news = append(set.news, locks.Change{Kind: locks.Happened, Entry: line})
}

// note dates what was found, and writes to the journal what came, what grew worse or surer,
// and what went.
func (set *Set) note(old, found []model.Finding, lock string) {
	for i := range found {
		f, before := &found[i], Same(old, &found[i])
		f.Since = set.k.Now()
		if before != nil {
			f.Since = before.Since
		}
		if f.Severity != model.SevInfo && (before == nil || grew(before, f)) {
			as := journal.Found(*f)
			set.write(&journal.Entry{Kind: journal.Finding, Lock: lock, Severity: f.Severity, Code: f.Code, Found: &as, Why: journal.Why{Confidence: f.Confidence},
				Text: model.Say("found", Problem(f), f.Confidence, f.Summary)})
		}
	}
	for i := range old {
		o := &old[i]
		if o.Severity == model.SevInfo || slices.ContainsFunc(found, func(f model.Finding) bool { return f.Follows(o) }) {
			continue
		}
		text := model.Say("found-over", Problem(o), set.k.Now().Sub(o.Since))
		if lock == "" && set.k.Members.Cluster().Silent() { // whether it goes on nobody can say
			text = model.Say("found-out-of-sight", Problem(o), set.k.Now().Sub(o.Since))
		}
		set.write(&journal.Entry{Kind: journal.Finding, Lock: lock, Severity: model.SevInfo, Code: o.Code, Text: text})
	}
}

// grew says whether a finding is more than the same one was before: worse, or no longer a hint.
func grew(before, f *model.Finding) bool {
	worse := !before.Severity.AtLeast(f.Severity)
	return worse || before.Confidence == model.Hint && f.Confidence != model.Hint
}

// FindingsOf returns what was found of a lock, the worst first. It is not a copy: only for reading.
func (set *Set) FindingsOf(l *locks.Lock) []model.Finding { return set.byLock[l] }

// Now is the time of the last event.
func (set *Set) Now() time.Time { return set.k.Now() }

// known yields what was found of each lock that is known. One that is forgotten is passed over
// before the rules come to it.
func (set *Set) known(yield func(*locks.Lock, []model.Finding) bool) {
	for l, found := range set.byLock {
		if l.Listed() && !yield(l, found) {
			return
		}
	}
}

// ClusterFindings returns the diagnoses of the cluster as a whole.
func (set *Set) ClusterFindings() []model.Finding {
	return append([]model.Finding(nil), set.cluster...)
}

// Findings returns every diagnosis, the worst first: of the cluster, then of the locks by name.
func (set *Set) Findings() []model.Finding { return copied(set.inOrder(set.found(nil))) }

// worstFirst puts findings in the order of their severities, and leaves those of one as they are.
func worstFirst(all []model.Finding) []model.Finding {
	slices.SortStableFunc(all, func(a, b model.Finding) int { return a.Severity.Compare(b.Severity) })
	return all
}

// Ring returns the sessions of the deadlock that was found of a lock, in their order, nil if
// none was.
func (set *Set) Ring(l *locks.Lock) []Link {
	c := set.cycles.ByLock[l]
	if c == nil || !c.Stands() || !slices.ContainsFunc(set.FindingsOf(l), func(f model.Finding) bool { return f.Code == model.CodeLockCycle }) {
		return nil
	}
	return slices.Clone(c.Steps)
}

// deadlocks are those that were counted: the locks of one have each a finding with the same words.
type deadlocks []model.Message

// again says whether a finding is of a deadlock that was counted before.
func (d *deadlocks) again(f *model.Finding) bool {
	if f.Code != model.CodeLockCycle {
		return false
	}
	if slices.ContainsFunc(*d, f.Summary.Same) {
		return true
	}
	*d = append(*d, f.Summary)
	return false
}

// CountFindings returns how many findings there are of each severity: a deadlock is one, however many
// locks are in it.
func (set *Set) CountFindings() (errors, warnings, infos int) {
	var told deadlocks
	count := func(list []model.Finding) {
		for i := range list {
			if told.again(&list[i]) {
				continue
			}
			switch list[i].Severity {
			case model.SevError:
				errors++
			case model.SevWarning:
				warnings++
			default:
				infos++
			}
		}
	}
	count(set.cluster)
	for _, found := range set.known {
		count(found)
	}
	return errors, warnings, infos
}
