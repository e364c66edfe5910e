package findings

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
)

// Bounds of what is followed of holders whose key went while their lease lived.
const (
	keptLeases  = 64  // leases at once
	keptPasts   = 512 // leases, and locks, of which the past is known
	keptGaps    = 8   // times of each
	keptSteady  = 3   // times before, at least, that show how a client is
	keptLeast   = 5 * time.Second
	keptTTL     = 15 * time.Second // a longer TTL is no reason to wait for longer
	keptTimes   = 5                // so many times the usual time is long
	keptExactly = 1000             // a part of a hold so small that a delete by others seldom falls into it
	keptApart   = 500 * time.Microsecond
)

// OutlivingLease is a lease that lives on after its holder's key went. Its program let go and keeps its
// session, or somebody else deleted the key and it works on.
type OutlivingLease struct {
	ID    model.LeaseID
	Lock  string
	Claim model.ClaimRef
	// Gone is when its key went, Held how long it had held, at least if HeldAtLeast.
	Gone        time.Time
	Held        time.Duration
	HeldAtLeast bool
	// Due is when it was away for so long that it is told, if it is renewed.
	Due time.Time
	// Usual is how long those of this lock are away as a rule, 0 if that is not known.
	Usual time.Duration
	// Read is the last reading since.
	Read model.LeaseRead

	rev   int64
	empty bool // etcd lists no key of it
}

// Renewed says whether it was renewed for sure after its key went.
func (o *OutlivingLease) Renewed() bool {
	return o.Read.Granted > 0 && o.Read.At.Add(-time.Duration(o.Read.Granted-o.Read.Remaining)*time.Second).After(o.Gone)
}

// gaps are the last times for which a lease, or those of a lock, were away.
type gaps []time.Duration

// outlivingLeases follows them, the oldest first.
type outlivingLeases struct {
	k       *locks.State
	work    *worklist
	list    []*OutlivingLease
	byLease map[model.LeaseID]gaps
	byLock  map[string]gaps
	order   []model.LeaseID // of byLease, and
	locks   []string        // of byLock, the oldest first
	// explained are the entries of which the event at hand told more.
	explained []locks.Change
}

func newKeptBook(k *locks.State, w *worklist) outlivingLeases {
	return outlivingLeases{k: k, work: w, byLease: map[model.LeaseID]gaps{}, byLock: map[string]gaps{}}
}

func (o *outlivingLeases) forget() {
	for _, x := range o.list {
		o.work.addNamed(x.Lock)
	}
}

// commit notes which holders went, and which of those that had gone are back.
func (o *outlivingLeases) commit(rev int64, changes []locks.Change) {
	for c := range keys(changes, locks.Came) {
		if at := o.find(c.KV.Lease); at >= 0 {
			o.back(o.list[at], c)
			o.drop(at)
		}
	}
	for c, lock := range keys(changes, locks.Gone) {
		if lock == nil || c.KV.Lease == 0 || !lock.Recipe().HasHolder {
			continue
		}
		f := lock.LastLoss()
		if f == nil || f.GoneRev != rev || !f.Removed().Same(c.Ref()) || o.find(c.KV.Lease) >= 0 {
			continue
		}
		if !f.Pending && (f.Cause != journal.CauseReleased && f.Cause != journal.CauseDeleted || f.Past) {
			continue // it went with its lease, or nobody can tell
		}
		o.follow(&OutlivingLease{ID: c.KV.Lease, Lock: lock.Name, Claim: c.Ref(), Gone: o.k.Now(), Held: f.Held, HeldAtLeast: f.HeldAtLeast, rev: rev})
	}
}

func (o *outlivingLeases) follow(x *OutlivingLease) {
	if len(o.list) == keptLeases {
		o.drop(0)
	}
	ttl := keptTTL
	if l := o.k.Leases.Lease(x.ID); l != nil && l.Granted() > 0 {
		ttl = min(ttl, time.Duration(l.Granted())*time.Second)
	}
	if past := o.byLock[x.Lock]; len(past) >= keptSteady {
		x.Usual = model.Percentile(past, 50)
	}
	x.Due = x.Gone.Add(max(keptLeast, ttl, keptTimes*x.Usual))
	o.list = append(o.list, x)
}

func (o *outlivingLeases) find(id model.LeaseID) int {
	if id == 0 {
		return -1
	}
	return slices.IndexFunc(o.list, func(x *OutlivingLease) bool { return x.ID == id })
}

func (o *outlivingLeases) drop(at int) {
	o.work.addNamed(o.list[at].Lock)
	o.list = slices.Delete(o.list, at, at+1)
}

// back takes in that a program put a key on its lease again. One that queues for the same lock
// does not work on: where it does so at once, as it always does, it let go itself. Somebody else
// would have had to delete its key within the last thousandth of its hold.
func (o *outlivingLeases) back(x *OutlivingLease, c *locks.Claim) {
	away := o.k.Now().Sub(x.Gone)
	past := o.byLease[x.ID]
	if lock := c.Lock(); lock != nil && lock.Name == x.Lock && !x.HeldAtLeast && len(past) >= keptSteady {
		most := slices.Min(past) + x.Held/keptExactly
		if away >= keptApart && !slices.ContainsFunc(append(slices.Clone(past[len(past)-keptSteady:]), away), func(d time.Duration) bool { return d > most }) {
			o.inOrder(x, lock, model.Say("queued-again-as-before", away, keptSteady))
		}
	}
	o.order = remember(o.byLease, o.order, x.ID, away)
	o.locks = remember(o.byLock, o.locks, x.Lock, away)
}

// remember notes for how long one was away. The one that was noted first makes room.
func remember[K comparable](in map[K]gaps, order []K, key K, away time.Duration) []K {
	past, known := in[key]
	if !known {
		if len(order) == keptPasts {
			delete(in, order[0])
			order = slices.Delete(order, 0, 1)
		}
		order = append(order, key)
	}
	if past = append(past, away); len(past) > keptGaps {
		past = slices.Delete(past, 0, 1)
	}
	in[key] = past
	return order
}

// inOrder makes it strong that the owner of x let go, in the entries that tell how it went, if
// nothing is known that is surer.
func (o *outlivingLeases) inOrder(x *OutlivingLease, lock *locks.Lock, why model.Message) {
	for f := range x.entries(lock) {
		if f.Alone() && f.Confidence == model.Hint && f.Cause == journal.CauseReleased && !f.Pending {
			o.explained = append(o.explained, locks.Change{Kind: locks.Explained, Entry: f,
				Why: &locks.Explanation{Cause: f.Cause, Confidence: model.Strong, Evidence: model.Say("and", f.Evidence, why)}})
		}
	}
}

// entries yields what the journal of its lock tells of how o went.
func (o *OutlivingLease) entries(lock *locks.Lock) func(yield func(*journal.Entry) bool) {
	return func(yield func(*journal.Entry) bool) {
		for _, f := range slices.Backward(lock.Journal()) {
			if f.GoneRev == o.rev && f.Removed().Same(o.Claim) && !yield(f) {
				return
			}
		}
	}
}

// read takes a reading in.
func (o *outlivingLeases) read(e model.LeaseRead) {
	at := o.find(e.ID)
	if at < 0 || e.Rev != 0 && e.Rev < o.list[at].rev || !e.At.After(o.list[at].Read.At) {
		return
	}
	if e.Granted <= 0 || e.Remaining < 0 {
		o.drop(at)
		return
	}
	o.list[at].Read = e
	o.work.addNamed(o.list[at].Lock)
}

// keys takes in what hangs on a lease.
func (o *outlivingLeases) keys(e model.LeaseKeys) {
	if at := o.find(e.ID); at >= 0 && e.Rev >= o.list[at].rev {
		o.list[at].empty = e.Reason.IsZero() && e.Total == 0
		o.work.addNamed(o.list[at].Lock)
	}
}

// ask adds to what is wanted those that are away for longer than usual, now and then.
func (o *outlivingLeases) ask(w model.Want) model.Want {
	now, asked := o.k.Now(), 0
	for _, x := range o.list {
		due := x.Due
		switch every := readMost; {
		case x.Read.At.IsZero():
		case !x.Renewed() || !x.empty:
			every = min(readMost, max(keptLeast, time.Duration(x.Read.Granted)*time.Second/3))
			fallthrough
		default:
			due = model.Later(due, x.Read.At.Add(every))
		}
		switch {
		case due.After(now):
			if w.WakeAt.IsZero() || due.Before(w.WakeAt) {
				w.WakeAt = due
			}
		case asked < askMost:
			asked++
			w.Leases, w.Keys = append(w.Leases, x.ID), append(w.Keys, x.ID)
		}
	}
	return w
}

// OutlivedBy returns the leases that live on without a key since they held a lock, and are away for
// longer than usual, though nobody is known to have let go. Each was renewed since.
func (ol *OrphanLeases) OutlivedBy(lock *locks.Lock) (all []*OutlivingLease) {
	for _, x := range ol.outliving.list {
		if x.Lock != lock.Name || !x.empty || !x.Renewed() || ol.k.Now().Before(x.Due) {
			continue
		}
		letGo := false
		for f := range x.entries(lock) {
			letGo = letGo || f.Cause == journal.CauseReleased && f.Confidence != model.Hint
		}
		if !letGo {
			all = append(all, x)
		}
	}
	return all
}
