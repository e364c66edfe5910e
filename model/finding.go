package model

import (
	"slices"
	"strings"
	"time"

	"locktop/model/recipe"
)

// Severity says how bad a finding is.
type Severity string

// Severities, in falling order.
const (
	SevError   Severity = "error"   // blocks, or lets two hold, now, and does not end by itself
	SevWarning Severity = "warning" // will end, or may harm
	SevInfo    Severity = "info"    // worth knowing
)

func (s Severity) rank() int {
	switch s {
	case SevError:
		return 0
	case SevWarning:
		return 1
	}
	return 2
}

// AtLeast says whether s is as bad as t, or worse.
func (s Severity) AtLeast(t Severity) bool { return s.rank() <= t.rank() }

// Finding is a diagnosis. It never claims more than its code allows: see Catalogue.
type Finding struct {
	Code       Code
	Severity   Severity
	Confidence Confidence
	// Lock and Lease are what it is about; a finding of the cluster has neither.
	Lock  string
	Lease LeaseID
	// Claim is the claim that it is about, in the queue of Lock. It names nothing where
	// that claim is gone, or where no claim is to blame.
	Claim ClaimRef
	// Summary is one sentence, Evidence what it rests on, Advice what to do, in
	// order. All are escaped for a terminal.
	Summary  string
	Evidence []string
	Advice   []string
	// Etcdctl are the lines that show the same by hand.
	Etcdctl []string
	// Alternatives are codes that look the same from outside.
	Alternatives []Code
	// Since is when it was first found.
	Since time.Time
}

// ruleContext is one look at one lock.
type ruleContext struct {
	s     *State
	l     *Lock
	head  *Claim
	lease *Lease   // the head's, nil for none
	lab   *labLock // what the lab and its proxy say of the lock, nil for nothing
	found []Finding
	again time.Time // when time alone may change the answer
	// explained: the lab says why a head that is renewed does not leave.
	explained bool
}

// rule looks for one mechanism, or for one family of neighbours that exclude each
// other.
type rule func(*ruleContext)

// rules are asked in this order: what blocks by its mere form, then how the head's
// lease is, then what a healthy head may hide, then the waiters.
var rules = []rule{
	wrongHead, wrongWaiter,
	overdue, unbelievable, reset, missedRenewals,
	inCycle, shared, longHeld,
	deadWaiters, longQueue,
}

// labRules are asked before the others, and only of locks of which the lab or its
// proxy has reported something: first two who believe, then what the proxy proves of
// a claim, then what a contender's own word tells.
var labRules = []rule{
	falseBeliefs, staleUnlocks, sameSession, lateDone,
	openNotes, foreignKeepalive, keepaliveDenied,
	zombieHolder, zombieCandidates, ttlFloor,
}

// report adds a finding about the lock, and about a claim in its queue, nil for none.
func (x *ruleContext) report(f Finding, about *Claim) {
	f.Lock, f.Claim = x.l.Name, refOf(about)
	if f.Etcdctl == nil {
		f.Etcdctl = x.l.Etcdctl()
	}
	x.found = append(x.found, f)
}

// recheck asks to be examined again at that time.
func (x *ruleContext) recheck(at time.Time) {
	if at.After(x.s.now) && (x.again.IsZero() || at.Before(x.again)) {
		x.again = at
	}
}

// mark notes that the findings of a lock may have changed.
func (s *State) mark(l *Lock) {
	if !l.marked {
		l.marked = true
		s.marked = append(s.marked, l)
	}
}

// diagnose derives the findings anew of every lock that is marked. While a list is
// under way it waits: half a queue would be judged.
func (s *State) diagnose() {
	if s.inHistory() {
		return
	}
	for _, f := range s.feeds {
		if f.State == WatchLoading {
			return
		}
	}
	if s.cyclesStale {
		s.findCycles()
	}
	for len(s.marked) > 0 {
		marked := s.marked
		s.marked = s.spareMarked
		for _, l := range marked {
			l.marked = false
			s.examine(l)
		}
		clear(marked)
		s.spareMarked = marked[:0]
	}
}

func (s *State) examine(l *Lock) {
	if !l.listed {
		return // forgotten, with its findings
	}
	x := &s.context // in the state's memory: there is one for every event
	*x = ruleContext{s: s, l: l, head: l.queue.first(), lab: s.lab.locks[l.Name]}
	if x.head != nil {
		x.lease = x.head.lease
	}
	if x.lab != nil || len(s.lab.shared)+len(s.lab.refused) > 0 {
		for _, r := range labRules { // these also where the lock is free
			r(x)
		}
	}
	missing(x)
	if x.head != nil {
		if l.recipe.HasHolder {
			for _, r := range rules {
				r(x)
			}
		}
	}
	s.replace(l, x.found)
	if !x.again.IsZero() && (l.recheckAt.IsZero() || !l.recheckAt.After(s.now) || x.again.Before(l.recheckAt)) {
		l.recheckAt = x.again
		s.later(deadline{at: x.again, check: l})
	}
}

// replace puts the findings of a lock in the place of the old ones, and writes to
// the journal which came and which went.
func (s *State) replace(l *Lock, found []Finding) {
	if len(found) == 0 && len(l.findings) == 0 {
		return
	}
	old := l.findings
	slices.SortStableFunc(found, func(a, b Finding) int { return a.Severity.rank() - b.Severity.rank() })
	for i := range found {
		f := &found[i]
		f.Since = s.now
		if o := same(old, f); o != nil {
			f.Since = o.Since
		} else if f.Severity != SevInfo {
			s.record(&JournalEntry{Kind: EntryFinding, Lock: l.Name, Severity: f.Severity, Confidence: f.Confidence,
				Text: string(f.Code) + " (" + string(f.Confidence) + "): " + f.Summary})
		}
	}
	for i := range old {
		if o := &old[i]; o.Severity != SevInfo && !follows(found, o) {
			s.record(&JournalEntry{Kind: EntryFinding, Lock: l.Name, Severity: SevInfo, Text: string(o.Code) + " on " + Printable(l.Name) + " is over, after " +
				Duration(s.now.Sub(o.Since), false)})
		}
	}
	l.findings = found
	s.version++
	l.version = s.version
	if len(found) > 0 {
		s.troubled[l] = struct{}{}
	} else {
		delete(s.troubled, l)
	}
}

// follows says whether the same, or another finding about the same lease, took the
// place of f.
func follows(list []Finding, f *Finding) bool {
	for i := range list {
		if list[i].Same(f) || f.Lease != 0 && list[i].Lease == f.Lease && list[i].Severity != SevInfo {
			return true
		}
	}
	return false
}

func same(list []Finding, f *Finding) *Finding {
	for i := range list {
		if list[i].Same(f) {
			return &list[i]
		}
	}
	return nil
}

// Same says whether both findings say the same of the same: code, lock, lease and claim.
func (f *Finding) Same(o *Finding) bool {
	return f.Code == o.Code && f.Lock == o.Lock && f.Lease == o.Lease && f.Claim.Same(o.Claim)
}

// About says whether it is about that claim.
func (f *Finding) About(c *Claim) bool { return c != nil && f.Claim.Same(refOf(c)) }

// Breaking says whether breaking the claim that it is about is a cure.
func (f *Finding) Breaking() Breaking { return breakings[f.Code] }

// BreakWords say the same in a sentence, or what to do where it is about no claim.
func (f *Finding) BreakWords() string {
	if f.Claim.IsZero() {
		return "there is no claim to break: " + f.Breaking().Why
	}
	return f.Breaking().Words()
}

// Findings returns the diagnoses of the lock, the worst first.
func (l *Lock) Findings() []Finding { return l.findings }

// BeforeBreak returns the finding to read before a claim in the queue of the lock is
// broken, nil for none: one for which a break is the wrong cure and no claim is to blame,
// else the worst about that claim.
func (l *Lock) BeforeBreak(c *Claim) *Finding {
	var worst *Finding
	for i := range l.findings {
		f := &l.findings[i]
		if f.Claim.IsZero() && f.Severity == SevError && f.Breaking().Effect == BreakWrong {
			return f
		}
		if worst == nil && f.About(c) {
			worst = f
		}
	}
	return worst
}

// Findings returns every diagnosis, of the cluster first, then of the locks, the
// worst first and by name.
func (s *State) Findings() []Finding {
	all := s.ClusterFindings()
	var of []Finding
	for l := range s.troubled {
		of = append(of, l.findings...)
	}
	slices.SortStableFunc(of, func(a, b Finding) int {
		if d := a.Severity.rank() - b.Severity.rank(); d != 0 {
			return d
		}
		if d := strings.Compare(a.Lock, b.Lock); d != 0 {
			return d
		}
		return strings.Compare(string(a.Code), string(b.Code))
	})
	return append(all, of...)
}

// CountFindings returns how many findings there are of each severity.
func (s *State) CountFindings() (errors, warnings, infos int) {
	count := func(f Finding) {
		switch f.Severity {
		case SevError:
			errors++
		case SevWarning:
			warnings++
		default:
			infos++
		}
	}
	for _, f := range s.clusterFindings {
		count(f)
	}
	for l := range s.troubled {
		for _, f := range l.findings {
			count(f)
		}
	}
	return errors, warnings, infos
}

// Etcdctl returns the lines that show the lock by hand: its queue in order, and the
// lease of its head with all that hangs on it.
func (l *Lock) Etcdctl() []string {
	by := "CREATE"
	if l.recipe.Order == recipe.ByMod {
		by = "MODIFY"
	}
	lines := []string{"etcdctl get --prefix " + shellQuote(l.Name+"/") + " --sort-by=" + by + " --order=ASCEND -w fields"}
	if l.mode == recipe.Single {
		lines[0] = "etcdctl get " + shellQuote(l.Name) + " -w fields"
	}
	if h := l.queue.first(); h != nil && h.KV.Lease != 0 {
		lines = append(lines, h.KV.Lease.Etcdctl())
	}
	return lines
}

// Etcdctl returns the line that shows the lease by hand.
func (id LeaseID) Etcdctl() string { return "etcdctl lease timetolive --keys " + id.String() }
