package locks

import (
	"time"

	"locktop/model"
	"locktop/model/journal"
)

// Change is one thing that an event changed, or that time brought. [State.Apply] returns those of
// the keys and leases; the parts after it add theirs and read those before.
type Change struct {
	Kind ChangeKind
	// Lock is that which changed, or for which the claim competed; nil for none.
	Lock *Lock
	// Claim is that of Came, Gone and LetGo.
	Claim *Claim
	// At is when it was seen, and Rev the revision, 0 if that is not known; of Came, Gone and
	// LetGo.
	At  time.Time
	Rev int64
	// Hold is that of LetGo.
	Hold *Hold
	// Lease is that of Session.
	Lease *Lease
	// Entry is that of Happened and Explained.
	Entry *journal.Entry
	// Why is that of Explained.
	Why *Explanation
	// Name is that of the lock of Believed and Doubted: it may have no keys.
	Name string
}

// Explanation says why a claim went, as somebody saw it.
type Explanation struct {
	Cause      journal.Cause
	Confidence model.Confidence
	Evidence   model.Message
}

// ChangeKind is what became of what.
type ChangeKind uint8

// Kinds of changes.
const (
	// Came: a key is there that was not. It may have gone in the same revision.
	Came ChangeKind = iota + 1
	// Gone: a key is there no more.
	Gone
	// LetGo: a claim does not hold any more, and its key stays.
	LetGo
	// Changed: what is known of a lock, its claims, their names or its findings is other than
	// before. A lock that is not listed any more is forgotten.
	Changed
	// Due: nothing of a lock changed, but its findings may be other ones: a reading tells another
	// number, or a time is over.
	Due
	// Session: a session changed that has, or had, claims in several places: cycles go through
	// such a one.
	Session
	// Coverage: how much is seen changed, or something that is of no lock.
	Coverage
	// Happened: there is a line for the journal.
	Happened
	// Explained: somebody saw why the claim of an entry went.
	Explained
	// Believed: a client believes that it holds a lock. The lock is not forgotten, though it may
	// have no keys.
	Believed
	// Doubted: no client believes so any more.
	Doubted
)

// Hold is a time for which a claim held.
type Hold struct {
	Claim   model.ClaimRef // its key may be another's by now
	Since   time.Time
	AtLeast bool // it held before
}

// currentChange is what the event at hand changed.
type currentChange struct {
	all        []Change // in their order; the memory is used again for the next event
	event      uint64   // counts events
	round      uint64   // counts transitions
	touched    []*Lock
	newClaims  []*Claim // some may have gone in the same revision
	removed    []removedKey
	owners     int           // what severalOwners has counted, two at most
	request    model.Message // that one request took them
	unobserved bool          // the commit at hand was not seen as it happened
	timed      bool          // what happens now was seen as it happened
	// unseen is since when nothing was seen, of a commit that came late: it happened after that.
	unseen time.Time
	stayed stayed
	told   []*journal.Entry // findings that are the first of their words
}

// stayed says whether any key that stayed on a lease is told of by a watch.
type stayed struct {
	lease  *Lease
	prefix string
	any    bool
}

// removedKey is a key that a revision took.
type removedKey struct {
	claim *Claim
	lease *Lease
	lock  *Lock
	place int
	head  bool
	// judged: the lock's recipe said who held.
	judged bool
}

// reset forgets what the event before changed.
func (ch *currentChange) reset() {
	ch.event++
	clear(ch.all)
	ch.all, ch.newClaims, ch.touched, ch.removed = ch.all[:0], ch.newClaims[:0], ch.touched[:0], ch.removed[:0]
	ch.owners, ch.stayed, ch.told = 0, stayed{}, nil
}

func (ch *currentChange) add(c Change) { ch.all = append(ch.all, c) }

// changed notes that a lock changed. It is said once of an event.
func (ch *currentChange) changed(l *Lock) { ch.note(l, Changed) }

// due notes that the findings of a lock may have changed, though the lock did not.
func (ch *currentChange) due(l *Lock) { ch.note(l, Due) }

func (ch *currentChange) note(l *Lock, kind ChangeKind) {
	if l.noted.event == ch.event && (l.noted.kind == kind || l.noted.kind == Changed) {
		return
	}
	l.noted = noted{ch.event, kind}
	ch.add(Change{Kind: kind, Lock: l})
}

// leaseChanged notes that every lock in which the lease has a claim changed.
func (ch *currentChange) leaseChanged(l *Lease) {
	ch.add(Change{Kind: Coverage}) // also where it has no claim: it may be listed as a session in trouble
	for _, c := range l.claims {
		if lk := c.Lock(); lk != nil {
			ch.changed(lk)
		}
	}
}

// LeaseChanged adds to changes that every lock changed in which the lease has a claim, nil for none
// that is known: whose it is, or who renews it, is told otherwise than before.
func LeaseChanged(changes []Change, l *Lease) []Change {
	if l == nil {
		return changes
	}
	changes = append(changes, Change{Kind: Coverage})
	for _, c := range l.claims {
		if lk := c.Lock(); lk != nil {
			changes = append(changes, Change{Kind: Changed, Lock: lk})
		}
	}
	return changes
}

// session notes that a session changed. A new cycle goes through one with several claims, so the
// search begins there and not everywhere.
func (ch *currentChange) session(l *Lease) {
	if l == nil {
		return
	}
	is := l.Multi()
	if is || l.wasMulti {
		ch.add(Change{Kind: Session, Lease: l})
	}
	l.wasMulti = is
}

// begin starts a transition: what is touched from here on is compared with now. There is one
// in an event at most.
func (ch *currentChange) begin() {
	ch.round++
}

// remember notes the head of a lock before the transition changes it.
func (ch *currentChange) remember(l *Lock) {
	if l.mark != ch.round {
		l.mark = ch.round
		l.headAtMark = l.queue.First()
		l.headRef = refOf(l.headAtMark)
		l.heldAtMark, l.membersAtMark = l.Holder() != nil, l.mayBeMembers()
		l.headWrote = l.headRef.Value
		if l.heldAtMark && l.heldAs != "" {
			l.headRef.Value = l.heldAs
		}
		l.holdsAtMark = l.holds
		l.headGone = 0
		ch.touched = append(ch.touched, l)
	}
}

// severalOwners says whether the keys that the revision took hung on several leases. A
// claim without a lease counts as one more, other data does not.
func (ch *currentChange) severalOwners() bool {
	if ch.owners > 0 { // counted, as far as to two
		return ch.owners > 1
	}
	var first *Lease
	for _, g := range ch.removed {
		if g.lease == nil && g.lock == nil || g.lease != nil && g.lease == first {
			continue
		}
		if first == nil {
			first = g.lease
		}
		if ch.owners++; ch.owners > 1 {
			ch.request = model.Say("keys-of-several-leases-went", len(ch.removed))
			return true
		}
	}
	return false
}

// unhold notes that a claim does not hold any more, though its key is there. What a list
// says before its end says nothing: it comes in the order of keys.
func (ch *currentChange) unhold(l *Lock, who model.ClaimRef, c *Claim, at time.Time, late bool) {
	if since, atLeast, holds := c.HeldSince(); holds && (!late || ch.unobserved) {
		ch.add(Change{Kind: LetGo, Lock: l, Claim: c, At: at, Hold: &Hold{who, since, atLeast}})
	}
	c.got, c.gotLate = 0, false
	c.count()
}

// keysChanged says which keys came and went in the transition.
func (ch *currentChange) keysChanged(at time.Time, rev int64) {
	for _, g := range ch.removed {
		ch.add(Change{Kind: Gone, Lock: g.lock, Claim: g.claim, At: at, Rev: rev})
	}
	for _, c := range ch.newClaims {
		ch.add(Change{Kind: Came, Claim: c, At: at, Rev: rev})
	}
}
