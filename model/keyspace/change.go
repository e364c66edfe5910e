package keyspace

import (
	"strconv"
	"time"

	"locktop/model"
)

// change is what the event at hand changed of the keys. It is kept until the next one.
type change struct {
	settled Settled
	round   uint64 // of settlings
	touched []*Lock
	gone    []gone
	owners  int    // what severalOwners has counted, two at most
	request string // how it is said that one request took them
	past    bool   // the commit at hand is from etcd's history
	timed   bool   // what happens now was seen as it happened
}

// reset forgets what the event before changed.
func (ch *change) reset() {
	ch.settled.Came, ch.settled.Unheld, ch.touched, ch.gone = ch.settled.Came[:0], ch.settled.Unheld[:0], ch.touched[:0], ch.gone[:0]
	ch.owners = 0
}

// Settled is what the last event changed of the keys.
type Settled struct {
	At   time.Time
	Rev  int64    // 0 if that is not known
	Came []*Claim // some may have gone in the same revision
	// Unheld are the claims that do not hold any more, and did not go.
	Unheld []Unheld
}

// Unheld is a claim that does not hold any more and stays, and since when it had held.
type Unheld struct {
	Who     model.ClaimRef // its key may be another's by now
	Claim   *Claim
	Lock    *Lock
	Since   time.Time
	AtLeast bool
}

// gone is a key that a revision took.
type gone struct {
	claim *Claim
	lease *Lease
	lock  *Lock
	place int
	head  bool
	// judged: the lock's recipe said who held.
	judged bool
}

// Settled returns what the last event changed of the keys; it is valid until the next.
func (ch *change) Settled() *Settled { return &ch.settled }

// Gone yields the keys that the last event took, each with the lock for which it competed,
// nil for none.
func (ch *change) Gone(yield func(*Claim, *Lock) bool) {
	for _, g := range ch.gone {
		if !yield(g.claim, g.lock) {
			return
		}
	}
}

// Touched returns the locks whose queues the last event changed.
func (ch *change) Touched() []*Lock { return ch.touched }

// begin starts a settling: what is touched from here on is compared with now. There is one
// in an event at most.
func (ch *change) begin() {
	ch.round++
}

// remember notes the head of a lock before the settling changes it.
func (ch *change) remember(l *Lock) {
	if l.mark != ch.round {
		l.mark = ch.round
		l.headAtMark = l.queue.First()
		l.headRef = refOf(l.headAtMark)
		l.heldAtMark = l.Holder() != nil
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
func (ch *change) severalOwners() bool {
	if ch.owners > 0 { // counted, as far as to two
		return ch.owners > 1
	}
	var first *Lease
	for _, g := range ch.gone {
		if g.lease == nil && g.lock == nil || g.lease != nil && g.lease == first {
			continue
		}
		if first == nil {
			first = g.lease
		}
		if ch.owners++; ch.owners > 1 {
			ch.request = strconv.Itoa(len(ch.gone)) + " keys of several leases went in one revision: one request deleted them"
			return true
		}
	}
	return false
}

// unhold notes that a claim does not hold any more, though its key is there. What a list
// says before its end says nothing: it comes in the order of keys.
func (ch *change) unhold(l *Lock, who model.ClaimRef, c *Claim, late bool) {
	if since, atLeast, holds := c.HeldSince(); holds && (!late || ch.past) {
		ch.settled.Unheld = append(ch.settled.Unheld, Unheld{who, c, l, since, atLeast})
	}
	c.got, c.gotLate = 0, false
}

// Marks are what has to be looked at again, until the rules have.
type Marks struct {
	version     uint64  // of the last change of any lock
	marked      []*Lock // their findings may have changed
	spare       []*Lock // memory for the next marked
	suspects    []*Lease
	cyclesStale bool
}

// Mark notes that the findings of a lock may have changed.
func (m *Marks) Mark(l *Lock) {
	if !l.marked {
		l.marked = true
		m.marked = append(m.marked, l)
	}
}

func (m *Marks) changed(l *Lock) {
	m.version++
	l.version = m.version
	m.Mark(l)
}

// TouchLease marks every lock in which the lease has a claim as changed.
func (m *Marks) TouchLease(l *Lease) {
	m.version++ // also where it has no claim: it may be listed as a session in trouble
	for _, c := range l.claims {
		if lk := c.Lock(); lk != nil {
			m.changed(lk)
		}
	}
}

// SetFindings puts a list, the worst first, in the place of what was found of a lock.
func (m *Marks) SetFindings(l *Lock, found []model.Finding) {
	l.findings = found
	m.version++
	l.version = m.version
}

// Renew says that something changed that is of no lock.
func (m *Marks) Renew() { m.version++ }

// Version rises with every change of any lock: see [Lock.Version].
func (m *Marks) Version() uint64 { return m.version }

// noteMulti notes that a session with several claims changed. A new circle goes
// through such a one, so the search begins there and not everywhere.
func (m *Marks) noteMulti(l *Lease) {
	if l == nil {
		return
	}
	is := l.Multi()
	m.cyclesStale = m.cyclesStale || is || l.wasMulti
	l.wasMulti = is
	if is {
		m.suspects = append(m.suspects, l)
	}
}

// TakeSuspects returns the sessions with several claims that changed since it was asked
// last, and whether any session did by which circles may have come or gone. The list is
// valid until the next Apply.
func (m *Marks) TakeSuspects() (list []*Lease, stale bool) {
	list, stale = m.suspects, m.cyclesStale
	m.suspects, m.cyclesStale = m.suspects[:0], false
	return list, stale
}
