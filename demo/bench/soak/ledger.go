package soak

import (
	"slices"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/journal"
)

// ending is how a contender gave up a claim.
type ending string

const (
	unlocked       ending = "unlocked"        // the key was deleted, the session goes on
	unlockedClosed ending = "unlocked-closed" // the key was deleted, then the session was closed
	closed         ending = "closed"          // the session was closed, which revokes the lease
	lost           ending = "lost"            // the session ended by itself, or its client was killed
	withdrawn      ending = "withdrawn"       // it never held, and its owner gave up
)

// claimID is one life of a key.
type claimID struct {
	key string
	rev int64 // create revision
}

// span is a time; it goes on while it has no end.
type span struct{ from, to time.Time }

// beat is a renewal, or the grant: it happened between the question and the answer.
type beat struct{ asked, heard time.Time }

// lifeline is what is known of a lease from the side of its owner.
type lifeline struct {
	client  int // that has it
	ttl     int64
	beats   []beat        // the last ones
	longest time.Duration // between two answers
	holds   []span        // the last ones
	killed  time.Time
	closing time.Time // it is about to be closed on purpose
	gone    time.Time // that was done
	lapsed  bool      // its owner was told that it ended
}

const keptOf = 64 // beats and holds

// ledger is the truth: what the contenders did, written down before they do it.
type ledger struct {
	mu       sync.Mutex
	ends     map[claimID]end
	leases   map[clientv3.LeaseID]*lifeline
	killed   map[int]time.Time // clients
	clients  int
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
	return &ledger{ends: map[claimID]end{}, leases: map[clientv3.LeaseID]*lifeline{}, killed: map[int]time.Time{}}
}

// joins numbers a new client.
func (l *ledger) joins() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clients++
	return l.clients
}

// kill notes that a client is about to be killed, with all of its leases.
func (l *ledger) kill(client int) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.killed[client] = time.Now()
	for _, life := range l.leases {
		if life.client == client && life.gone.IsZero() && !life.lapsed {
			life.killed = time.Now()
			n++
		}
	}
	return n
}

func (l *ledger) renewed(client int, id clientv3.LeaseID, ttl int64, b beat) {
	l.mu.Lock()
	defer l.mu.Unlock()
	life := l.leases[id]
	if life == nil {
		life = &lifeline{client: client, ttl: ttl, killed: l.killed[client]}
		l.leases[id] = life
	}
	if n := len(life.beats); n > 0 {
		life.longest = max(life.longest, b.heard.Sub(life.beats[n-1].heard))
	}
	life.beats = last(life.beats, b)
}

func last[T any](all []T, next T) []T {
	if len(all) == keptOf {
		all = slices.Delete(all, 0, 1)
	}
	return append(all, next)
}

// of is the lifeline of a lease; of one that was never heard of, a new one.
func (l *ledger) of(id clientv3.LeaseID) *lifeline {
	if l.leases[id] == nil {
		l.leases[id] = &lifeline{}
	}
	return l.leases[id]
}

func (l *ledger) holds(id clientv3.LeaseID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	life := l.of(id)
	life.holds = last(life.holds, span{from: time.Now()})
	l.acquired++
}

// end notes how a claim is about to be given up.
func (l *ledger) end(c claimID, id clientv3.LeaseID, how ending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ends[c] = end{how, id, time.Now()}
	if life := l.of(id); len(life.holds) > 0 && life.holds[len(life.holds)-1].to.IsZero() {
		life.holds[len(life.holds)-1].to = time.Now()
	}
	if how == lost {
		l.lost++
	}
}

// closing notes that a session is about to be closed.
func (l *ledger) closing(id clientv3.LeaseID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of(id).closing = time.Now()
}

// closed notes that a session is closed.
func (l *ledger) closed(id clientv3.LeaseID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of(id).gone = time.Now()
}

// lapses notes that an owner was told of the end of its session, and says whether its
// client was killed.
func (l *ledger) lapses(id clientv3.LeaseID) (killed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	life := l.of(id)
	life.lapsed = true
	return !life.killed.IsZero()
}

// dies says whether the client of a lease was killed.
func (l *ledger) dies(id clientv3.LeaseID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.of(id).killed.IsZero()
}

// failed notes a request that failed.
func (l *ledger) failed(lock string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.failures) < kept {
		l.failures = append(l.failures, lock+": "+err.Error())
	}
}

// verdict is what becomes of an inferred cause.
type verdict string

const (
	right  verdict = "right"
	unsaid verdict = "unsaid" // unknown was the answer
	nearly verdict = "nearly" // the lease did end, just after the unlock
	wrong  verdict = "wrong"  // it was another
)

// judge holds an inferred cause against what was done.
func (l *ledger) judge(cause journal.Cause, gone model.ClaimRef, at time.Time) (verdict, ending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, known := l.ends[claimID{gone.Key, gone.CreateRev}]
	life := l.of(clientv3.LeaseID(gone.Lease))
	var may []journal.Cause
	switch {
	case known:
		may = []journal.Cause{map[ending]journal.Cause{unlocked: journal.CauseReleased, unlockedClosed: journal.CauseReleased,
			closed: journal.CauseRevoked, lost: journal.CauseExpired}[e.ending]}
	case !life.killed.IsZero() && at.After(life.killed.Add(closedAfter)):
		e.ending, may = lost, []journal.Cause{journal.CauseExpired}
	case !life.closing.IsZero(): // a waiter that gives up deletes its key, and then closes its session
		e.ending, may = withdrawn, []journal.Cause{journal.CauseReleased, journal.CauseRevoked}
	default: // what never held was withdrawn by its owner, who deletes the key
		e.ending, may = withdrawn, []journal.Cause{journal.CauseReleased}
	}
	switch {
	case life.killed.IsZero():
	case isService(gone.Key):
		may = append(may, journal.CauseExpired, journal.CauseReleased) // the lock service deletes what its caller waited with
	case known && life.killed.Sub(e.at) < closedAfter:
		may = append(may, journal.CauseExpired) // its last request may not have come through
	}
	if life.lapsed && e.ending != unlocked || life.mayEnd(at) {
		may = append(may, journal.CauseExpired)
	}
	switch {
	case slices.Contains(may, cause):
		return right, e.ending
	case cause == journal.CauseUnknown:
		return unsaid, e.ending
	case cause == journal.CauseRevoked && (e.ending == unlockedClosed ||
		e.ending == unlocked && !life.closing.IsZero() && life.closing.Sub(e.at) < closedAfter):
		return nearly, e.ending
	}
	return wrong, e.ending
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
	readTakes = time.Second // from the look at a lease to its answer
)

// confirms says whether a warning was true when it was given, of a lease when it was read.
func (l *ledger) confirms(f model.Finding, at, read time.Time) (ok bool, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	life := l.leases[clientv3.LeaseID(f.Lease)]
	if f.Severity == model.SevError && (f.Code != model.CodeDeadHolder || f.Confidence == model.Hint) {
		return false, "nothing blocks for good here"
	}
	switch f.Code {
	case model.CodeKeepaliveHalted:
		if f.Confidence != model.Hint {
			return false, "nobody's renewals halt by themselves"
		}
		fallthrough
	case model.CodeKeepaliveStalled, model.CodeDeadHolder, model.CodeDeadWaiter, model.CodeUnattendedLease:
		return life.late(read, func(ttl time.Duration) time.Duration { return ttl/3 + renewLate })
	case model.CodeLeaseOverdue:
		return life.late(read, func(ttl time.Duration) time.Duration { return ttl })
	case model.CodePredecessorClaim: // who is killed comes back by the same name
		return life != nil && !life.killed.IsZero() && life.killed.Before(at), "its client was killed"
	case model.CodeTTLReset:
		return life.missed(read)
	case model.CodeLongHeld:
		return life.held(at)
	case model.CodeMassRevocation:
		n := 0
		for _, life := range l.leases {
			if !life.closing.IsZero() && life.closing.Before(at) && at.Sub(life.closing) < massSpan {
				n++
			}
		}
		return n >= massTrue, "leases were revoked on purpose"
	}
	return false, "nothing of the kind was done"
}

// missed says whether in the TTL before that moment its owner missed a renewal, which a new
// leader makes good.
func (l *lifeline) missed(at time.Time) (bool, string) {
	if l == nil || len(l.beats) == 0 {
		return false, "its lease is not known"
	}
	ttl, before := time.Duration(l.ttl)*time.Second, l.beats[0]
	for _, b := range append(slices.Clone(l.beats[1:]), beat{at, at}) {
		if b.heard.After(at.Add(-ttl)) && min(b.heard.Sub(before.asked), at.Sub(before.asked)) > ttl/3+renewLate {
			return true, "renewals were missed"
		}
		before = b
	}
	return false, "renewals were not missed"
}

// mayEnd says whether the lease could have run out at that time, whoever else ended it.
func (l *lifeline) mayEnd(at time.Time) bool {
	for _, b := range l.beats {
		if b.heard.Before(at) && at.Sub(b.asked) < time.Duration(l.ttl)*time.Second-time.Second {
			return false
		}
	}
	return len(l.beats) > 0
}

// late says whether the last renewal was older than that when the lease was read. It is
// certain that it was not where one was asked for since, and answered before.
func (l *lifeline) late(read time.Time, limit func(ttl time.Duration) time.Duration) (bool, string) {
	if l == nil || !l.gone.IsZero() && l.gone.Before(read) {
		return false, "its lease is gone"
	}
	ttl, why := time.Duration(l.ttl)*time.Second, ""
	late := false
	for _, b := range l.beats {
		if b.heard.Before(read.Add(-readTakes)) {
			late = read.Sub(b.asked) > limit(ttl)
			why = "renewed " + ms(read.Sub(b.asked)) + " to " + ms(read.Sub(b.heard)) + " before it was read, "
		}
	}
	why += "at most " + ms(l.longest) + " apart, TTL " + ttl.String()
	if !l.killed.IsZero() {
		why += ", its client was killed " + ms(read.Sub(l.killed)) + " before"
	}
	return late, why
}

func ms(d time.Duration) string { return d.Round(time.Millisecond).String() }

// held says whether it held for long at that time.
func (l *lifeline) held(at time.Time) (bool, string) {
	if l == nil {
		return false, "its lease is not known"
	}
	const slack = time.Second // until the news is here
	for _, h := range l.holds {
		if (h.to.IsZero() || h.to.After(at.Add(-slack))) && at.Sub(h.from) > 0 {
			return at.Sub(h.from) >= longTrue, "held for " + at.Sub(h.from).Round(time.Millisecond).String()
		}
	}
	return false, "it did not hold"
}
