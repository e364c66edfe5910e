package soak

import (
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
)

// ending is how a contender gave up a claim.
type ending string

const (
	unlocked       ending = "unlocked"        // the key was deleted, the session goes on
	unlockedClosed ending = "unlocked-closed" // the key was deleted, then the session was closed
	closed         ending = "closed"          // the session was closed, which revokes the lease
	lost           ending = "lost"            // the session ended by itself
)

// claimID is one life of a key.
type claimID struct {
	key string
	rev int64 // create revision
}

// pulse is what is known of a lease from the side of its owner.
type pulse struct {
	ttl     int64
	at      time.Time
	longest time.Duration // between two answers
}

// ledger is the truth: what the contenders did, written down before they do it.
type ledger struct {
	mu       sync.Mutex
	ends     map[claimID]end
	closings map[clientv3.LeaseID]time.Time // when a session was closed on purpose
	held     map[clientv3.LeaseID]time.Time
	pulses   map[clientv3.LeaseID]pulse
	acquired int
	lost     int
	failures []string // what went wrong for a contender, the first ones
}

// end is how a claim was given up, and when.
type end struct {
	ending
	lease clientv3.LeaseID
	at    time.Time
}

func newLedger() *ledger {
	return &ledger{ends: map[claimID]end{}, closings: map[clientv3.LeaseID]time.Time{}, held: map[clientv3.LeaseID]time.Time{}, pulses: map[clientv3.LeaseID]pulse{}}
}

func (l *ledger) renewed(id clientv3.LeaseID, ttl int64, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.pulses[id]
	if !p.at.IsZero() {
		p.longest = max(p.longest, at.Sub(p.at))
	}
	p.ttl, p.at = ttl, at
	l.pulses[id] = p
}

func (l *ledger) holds(id clientv3.LeaseID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[id] = time.Now()
	l.acquired++
}

// end notes how a claim is about to be given up.
func (l *ledger) end(c claimID, id clientv3.LeaseID, how ending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ends[c] = end{how, id, time.Now()}
	delete(l.held, id)
	if how == lost {
		l.lost++
	}
}

// closing notes that a session is about to be closed.
func (l *ledger) closing(id clientv3.LeaseID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closings[id] = time.Now()
}

// failed notes a request that failed.
func (l *ledger) failed(lock string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.failures) < kept {
		l.failures = append(l.failures, lock+": "+err.Error())
	}
}

// forget drops a lease that is closed.
func (l *ledger) forget(id clientv3.LeaseID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pulses, id)
	delete(l.held, id)
}

// verdict is what becomes of an inferred cause.
type verdict string

const (
	right   verdict = "right"
	unsaid  verdict = "unsaid"   // unknown was the answer
	nearly  verdict = "nearly"   // the lease did end, just after the unlock
	wrong   verdict = "wrong"    // it was another
	noTruth verdict = "no truth" // the ledger does not know the claim
)

// judge holds an inferred cause against what was done.
func (l *ledger) judge(f *model.JournalEntry, gone model.ClaimRef) (verdict, ending) {
	l.mu.Lock()
	id := claimID{gone.Key, gone.CreateRev}
	e, known := l.ends[id]
	closing, closes := l.closings[e.lease]
	l.mu.Unlock()
	how := e.ending
	if !known { // what never held was withdrawn by its owner, who deletes the key
		return noTruth, ""
	}
	want := map[ending]model.Cause{unlocked: model.CauseReleased, unlockedClosed: model.CauseReleased,
		closed: model.CauseRevoked, lost: model.CauseExpired}[how]
	switch {
	case f.Cause == want:
		return right, how
	case f.Cause == model.CauseUnknown:
		return unsaid, how
	case how == unlockedClosed && f.Cause == model.CauseRevoked:
		return nearly, how
	case how == unlocked && f.Cause == model.CauseRevoked && closes && closing.Sub(e.at) < closedAfter:
		return nearly, how
	}
	return wrong, how
}

// closedAfter bounds how long after an unlock a session that is closed looks like the
// cause: the lease is read about a second later.
const closedAfter = 2 * time.Second

// Bounds by which a warning counts as true.
const (
	longTrue  = 29 * time.Second // held for that long
	massTrue  = 10               // leases revoked on purpose …
	massSpan  = 15 * time.Second // … in that time
	renewLate = 800 * time.Millisecond
)

// confirms says whether a warning was true.
func (l *ledger) confirms(f model.Finding) (ok bool, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := clientv3.LeaseID(f.Lease)
	switch f.Code {
	case model.CodeKeepaliveStalled, model.CodeDeadHolder, model.CodeDeadWaiter, model.CodeUnattendedLease:
		p, known := l.pulses[id]
		if !known {
			return false, "its lease is gone"
		}
		ago := time.Since(p.at)
		return ago > time.Duration(p.ttl)*time.Second/3+renewLate, "last renewed " + ago.Round(time.Millisecond).String() + " ago, at most " +
			p.longest.Round(time.Millisecond).String() + " apart, TTL " + (time.Duration(p.ttl) * time.Second).String()
	case model.CodeLongHeld:
		since, held := l.held[id]
		return held && time.Since(since) >= longTrue, "held for " + time.Since(since).Round(time.Millisecond).String()
	case model.CodeMassRevocation:
		n := 0
		for _, at := range l.closings {
			if time.Since(at) < massSpan {
				n++
			}
		}
		return n >= massTrue, "leases were revoked on purpose"
	}
	return false, "nothing of the kind was done"
}
