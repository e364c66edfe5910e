package diagnose

import (
	"time"

	"locktop/model"
	"locktop/model/lab"
)

// ruleContext is one look at one lock.
type ruleContext struct {
	k       *model.Keyspace
	reports *lab.Reports
	circles map[*model.Lock]*cycle
	l       *model.Lock
	head    *model.Claim
	lease   *model.Lease // the head's, nil for none
	lab     *lab.Lock    // what the lab and its proxy say of the lock, nil for nothing
	found   []model.Finding
	again   time.Time // when time alone may change the answer
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
func (x *ruleContext) report(f model.Finding, about *model.Claim) {
	f.Lock, f.Claim = x.l.Name, about.Ref()
	f.Severity = bounded(&f)
	if f.Etcdctl == nil {
		f.Etcdctl = x.l.Etcdctl()
	}
	x.found = append(x.found, f)
}

// recheck asks to be examined again at that time.
func (x *ruleContext) recheck(at time.Time) {
	if at.After(x.k.Now()) && (x.again.IsZero() || at.Before(x.again)) {
		x.again = at
	}
}

// clusterContext is one look at the cluster.
type clusterContext struct {
	k             *model.Keyspace
	reports       *lab.Reports
	before, found []model.Finding
}

func (x *clusterContext) report(f model.Finding) {
	f.Severity = bounded(&f)
	x.found = append(x.found, f)
}

// bounded is the severity of a finding, that of a hint a warning at most: nobody is to be
// woken by a guess.
func bounded(f *model.Finding) model.Severity {
	if f.Confidence == model.Hint && f.Severity == model.SevError {
		return model.SevWarning
	}
	return f.Severity
}

// clusterRules look at the members, after each round of status.
var clusterRules = []func(*clusterContext){noQuorum, noSpace, divergence, ghostLeases, oldLockService, pinnedMember, massRevocation}
