package diagnose

import (
	"time"

	"locktop/model"
	"locktop/model/keyspace"
	"locktop/model/lab"
	"locktop/model/leftover"
)

// ruleContext is one look at one lock.
type ruleContext struct {
	k       *keyspace.Keyspace
	reports *lab.Reports
	circles map[*keyspace.Lock]*cycle
	l       *keyspace.Lock
	head    *keyspace.Claim
	lease   *keyspace.Lease // the head's, nil for none
	lab     *lab.Lock       // what the lab and its proxy say of the lock, nil for nothing
	found   []model.Finding
	names   *namesakes
	leaks   *leftover.Book
	again   time.Time // when time alone may change the answer
	// explained: the lab says why a head that is renewed does not leave.
	explained bool
}

// rule looks for one mechanism, or for one family of neighbours that exclude each
// other.
type rule func(*ruleContext)

// clusterRule looks at the members, after each round of status.
type clusterRule func(*clusterContext)

// family is what one file has: findings with their words, and the rules that find them.
type family struct {
	any     []rule // of every lock, one that is free, too
	lock    []rule // of a lock that has a head, and is no Lease of Kubernetes
	kube    []rule // of a Lease of Kubernetes
	lab     []rule // of a lock of which the lab or its proxy has reported something
	cluster []clusterRule
	entries []Entry
}

// families are asked in this order: first two who believe, then what the proxy proves of
// a claim, then what blocks by its mere form, then how the head's lease is, then what a
// healthy head may hide, then the waiters.
var families = []*family{&clusterFamily,
	&beliefsFamily, &unlocksFamily, &untoldFamily, &renewersFamily,
	&misplacedFamily, &overdueFamily, &ttlFamily, &renewalsFamily, &predecessorFamily, &offLeaderFamily, &kubernetesFamily,
	&circlesFamily, &leakFamily, &holdsFamily, &waitersFamily, &membersFamily}

// report adds a finding about the lock, and about a claim in its queue, nil for none.
func (x *ruleContext) report(f model.Finding, about *keyspace.Claim) {
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
	k             *keyspace.Keyspace
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
