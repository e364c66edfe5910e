// This file follows leases that outlive the last of their keys. A program that opens a
// session for each try, and closes none, leaves one behind each time.
//
// The keys of a lock tell of that only when they go: then one reading says that the lease lives,
// and a few more, with its keys, that nothing hangs on it. What has a name of its own in its
// value is told from others. A program that uses a lease again does not leak it, and is given a
// TTL to do so. Of each holder whose key went while its lease lived, by whatever name, [OutlivingLease]
// follows whether it comes back. A name under which two hold or wait at once may be several programs, so it is
// not said to leak.
//
// All of it is bounded, and nothing is kept over a gap in the watch.
package findings

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/recipe"
)

// Least is how many leases of one name make a leak: so many came within one TTL, hold nothing,
// and live.
const Least = 5

// Bounds.
const (
	unreadMost = 256         // leases whose last key went, and that were not read since: so many at least are kept
	namesMost  = 512         // names that left any behind
	valueMost  = 512         // bytes of a value that may tell a name
	seenMost   = 64          // leases of a name that are known if they come again
	keptMost   = Least + 1   // leases of a name
	askMost    = 4           // readings asked for at once
	readLeast  = time.Second // between two readings of a lease
	readMost   = 30 * time.Second
	idleLeast  = 2 * time.Second // a lease that was there for longer before its key was not made for it
)

// OrphanLeases follows them.
type OrphanLeases struct {
	k         *locks.State
	work      *worklist
	unread    []orphanRecord // the oldest first
	names     map[string]*OrphanName
	order     []*OrphanName // those that left one behind last come last
	leases    map[model.LeaseID]*OrphanLease
	found     []*OrphanName
	outliving outlivingLeases
}

// orphanRecord is a lease of which a key went. What says who it is may go before the last one.
type orphanRecord struct {
	lock, key, value string
	rev              int64
	locks            bool // the lock has a holder
	lease            OrphanLease
}

// OrphanLease is one that lives on without a key.
type OrphanLease struct {
	ID         model.LeaseID
	Came, Gone time.Time       // its key
	Read       model.LeaseRead // the last reading, of no time if there is none
	Empty      bool            // etcd lists no key of it
	name       *OrphanName
}

// OrphanName is one name that left leases behind.
type OrphanName struct {
	// Client is whose it is, and Lock the lock on which it left the last one.
	Client, Lock string
	// Since is when Least of its leases were known to be empty, and ReportAt when it is to be told.
	Since, ReportAt time.Time
	leases          []*OrphanLease
	leftLeases      []model.LeaseID // that it left behind, followed or not, the oldest first
	shared          bool            // it is of several programs, or of one that uses its leases again
	suspect         bool
}

// newOrphanLeases returns an empty one, which has the locks judged that it is about.
func newOrphanLeases(k *locks.State, w *worklist) *OrphanLeases {
	return &OrphanLeases{k: k, work: w, names: map[string]*OrphanName{}, leases: map[model.LeaseID]*OrphanLease{}, outliving: newKeptBook(k, w)}
}

// Apply takes in what an event, and what it changed, tells of leases. It returns what it tells of
// why claims went.
func (ol *OrphanLeases) Apply(e model.Event, changes []locks.Change) []locks.Change {
	clear(ol.outliving.explained)
	ol.outliving.explained = ol.outliving.explained[:0]
	switch e := e.(type) {
	case model.Committed:
		if !e.Past && ol.k.Prefixes.UnseenSince(e).IsZero() {
			ol.commit(e.Rev, changes)
			ol.outliving.commit(e.Rev, changes)
		}
	case model.LeaseRead:
		ol.read(e)
		ol.outliving.read(e)
	case model.LeaseKeys:
		ol.outliving.keys(e)
		if l := ol.leases[e.ID]; l != nil {
			if l.Empty = e.Reason.IsZero() && e.Total == 0; !l.Empty { // in use, or nobody may say
				ol.share(l.name)
			}
			ol.judge(l.name)
		}
	case model.Lost, model.LoadStarted, model.Slept:
		ol.forget()
	}
	return ol.outliving.explained
}

func (ol *OrphanLeases) forget() {
	for _, n := range ol.found {
		ol.work.addNamed(n.Lock)
	}
	ol.outliving.forget()
	*ol = *newOrphanLeases(ol.k, ol.work)
}

// commit notes the leases of which a key went, and those that are used again.
func (ol *OrphanLeases) commit(rev int64, changes []locks.Change) {
	for c := range keys(changes, locks.Came) {
		if l := ol.leases[c.KV.Lease]; l != nil {
			ol.share(l.name)
		}
	}
	for c, lock := range keys(changes, locks.Gone) {
		if lock == nil || c.KV.Lease == 0 || len(c.Value) > valueMost || c.SinceAtLeast {
			continue
		}
		l := ol.k.Leases.Lease(c.KV.Lease)
		n := orphanRecord{lock.Name, c.Key, c.Value, rev, lock.Recipe().HasHolder, OrphanLease{ID: c.KV.Lease, Came: c.Since, Gone: ol.k.Now()}}
		if l != nil && l.HasRead {
			n.lease.Read = l.First()
		}
		if len(ol.unread) == 2*unreadMost { // not one at a time: what stays has to be moved
			ol.unread = slices.Delete(ol.unread, 0, unreadMost)
		}
		ol.unread = append(ol.unread, n)
	}
}

// keys yields the keys that came, or that went, each with the lock for which it competed, nil for
// none or for one that came.
func keys(changes []locks.Change, kind locks.ChangeKind) func(yield func(*locks.Claim, *locks.Lock) bool) {
	return func(yield func(*locks.Claim, *locks.Lock) bool) {
		for i := range changes {
			if c := &changes[i]; c.Kind == kind && !yield(c.Claim, c.Lock) {
				return
			}
		}
	}
}

// read takes a reading in.
func (ol *OrphanLeases) read(e model.LeaseRead) {
	if l := ol.leases[e.ID]; l != nil {
		if e.Granted <= 0 || e.Remaining < 0 {
			ol.drop(l)
		} else if e.At.After(l.Read.At) {
			l.Read = e
		}
		ol.judge(l.name)
		return
	}
	at := slices.IndexFunc(ol.unread, func(n orphanRecord) bool { return n.lease.ID == e.ID })
	if at < 0 || e.Rev != 0 && e.Rev < ol.unread[at].rev {
		return
	}
	n := ol.unread[at]
	for _, o := range ol.unread[at+1:] { // one key may say who, and another where
		if o.lease.ID == e.ID {
			n = n.and(o)
		}
	}
	ol.unread = slices.DeleteFunc(ol.unread, func(n orphanRecord) bool { return n.lease.ID == e.ID })
	if e.Granted > 0 && e.Remaining >= 0 {
		ol.lives(n, e)
	}
}

// and joins what another key of the same lease told, which went later.
func (r orphanRecord) and(o orphanRecord) orphanRecord {
	if r.value == "" {
		r.value, r.key = o.value, o.key
	}
	if o.locks && !r.locks {
		r.lock, r.locks = o.lock, true
	}
	r.lease.Gone = o.lease.Gone
	return r
}

// lives notes that a lease lives on after its last key, if it was made for that key.
func (ol *OrphanLeases) lives(n orphanRecord, e model.LeaseRead) {
	if l := ol.k.Leases.Lease(e.ID); l != nil && len(l.Claims()) > 0 {
		return // used again
	}
	first := n.lease.Read
	if first.Granted <= 0 {
		first = e
	}
	renewed := first.At.Add(-time.Duration(first.Granted-first.Remaining-1) * time.Second) // at the latest
	owner, _ := recipe.Owner(n.value)
	who := model.Printable(owner)
	if !recipe.NamesOne(who) || strings.Contains(n.key, owner) || renewed.Before(n.lease.Came.Add(-idleLeast)) {
		return
	}
	name := ol.name(who)
	if name.shared {
		return
	}
	if slices.Contains(name.leftLeases, n.lease.ID) {
		ol.share(name)
		return
	}
	if name.leftLeases = append(name.leftLeases, n.lease.ID); len(name.leftLeases) > seenMost {
		name.leftLeases = slices.Delete(name.leftLeases, 0, 1)
	}
	if last := len(name.leases) - 1; last >= 0 {
		before := name.leases[last]
		switch {
		case n.lease.Came.Before(before.Gone):
			ol.share(name)
			return
		case ol.older(n.lease.ID, before.ID):
			return // the one before was granted later
		}
	}
	if name.suspect && len(name.leases) == keptMost && !name.room(n.lease.Came) {
		return
	}
	l := &OrphanLease{ID: n.lease.ID, Came: n.lease.Came, Gone: n.lease.Gone, Read: e, name: name}
	name.leases, ol.leases[l.ID] = append(name.leases, l), l
	if len(name.leases) > keptMost {
		ol.drop(name.leases[0])
	}
	if name.Lock != n.lock {
		ol.work.addNamed(name.Lock)
		name.Lock = n.lock
	}
	ol.judge(name)
}

// room says whether a lease that came then may take the place of the oldest: those that are
// read are to be known, however fast there are more, and not to run out together.
func (n *OrphanName) room(came time.Time) bool {
	first := n.leases[0]
	return len(n.Live()) == len(n.leases) && came.Sub(first.Came) > time.Duration(first.Read.Granted)*time.Second/2
}

// older says whether one lease was granted before another: one member numbers them in order.
func (ol *OrphanLeases) older(one, other model.LeaseID) bool {
	return uint64(one)>>48 == uint64(other)>>48 && uint64(one) < uint64(other) && ol.k.Members.GrantedBy(one) != ""
}

// name returns the record of a name. The one that left a lease behind longest ago makes room.
func (ol *OrphanLeases) name(who string) *OrphanName {
	n := ol.names[who]
	if n == nil {
		if len(ol.order) == namesMost {
			ol.share(ol.order[0])
			delete(ol.names, ol.order[0].Client)
			ol.order = slices.Delete(ol.order, 0, 1)
		}
		n = &OrphanName{Client: who}
		ol.names[who] = n
	} else {
		ol.order = slices.DeleteFunc(ol.order, func(o *OrphanName) bool { return o == n })
	}
	ol.order = append(ol.order, n)
	return n
}

// share notes that a name may be of several programs, or uses its leases again.
func (ol *OrphanLeases) share(n *OrphanName) {
	n.shared, n.leftLeases = true, nil
	for len(n.leases) > 0 {
		ol.drop(n.leases[0])
	}
	ol.judge(n)
}

func (ol *OrphanLeases) drop(l *OrphanLease) {
	delete(ol.leases, l.ID)
	l.name.leases = slices.DeleteFunc(l.name.leases, func(o *OrphanLease) bool { return o == l })
}

// judge decides whether a name leaks, and has its lock looked at again.
func (ol *OrphanLeases) judge(n *OrphanName) {
	if from := len(n.leases) - Least; from >= 0 {
		first, last := n.leases[from], n.leases[len(n.leases)-1]
		n.suspect = n.suspect || last.Came.Sub(first.Came) <= time.Duration(first.Read.Granted)*time.Second
	} else {
		n.suspect = false
	}
	is := n.suspect && len(n.Live()) >= Least
	switch {
	case !n.suspect:
		n.Since = time.Time{}
	case is && n.Since.IsZero():
		n.Since = ol.k.Now()
		n.ReportAt = n.Since.Add(time.Duration(n.leases[0].Read.Granted) * time.Second)
	}
	at := slices.Index(ol.found, n)
	switch {
	case is && at < 0:
		ol.found = append(ol.found, n)
	case !is && at >= 0:
		ol.found = slices.Delete(ol.found, at, at+1)
	case !is:
		return
	}
	ol.work.addNamed(n.Lock)
}

// NamesOf returns the names that leak, and left the last of their leases on that lock.
func (ol *OrphanLeases) NamesOf(lock string) (all []*OrphanName) {
	for _, n := range ol.found {
		if n.Lock == lock {
			all = append(all, n)
		}
	}
	return all
}

// Live returns the leases of a name that were read, and on which nothing hangs, the oldest
// first. There may be more.
func (n *OrphanName) Live() []*OrphanLease {
	return slices.DeleteFunc(slices.Clone(n.leases), func(l *OrphanLease) bool { return !l.Empty })
}

// Ask adds to what is wanted the leases of those that are suspected.
func (ol *OrphanLeases) Ask(w model.Want) model.Want {
	if ol.k.Prefixes.CatchingUp() {
		return w
	}
	now, asked := ol.k.Now(), 0
	for l := range ol.suspected {
		due := l.Read.At.Add(min(readMost, max(readLeast, time.Duration(l.Read.Remaining)*time.Second)))
		if !l.Empty {
			due = l.Read.At.Add(readLeast)
		}
		switch {
		case due.After(now):
			if w.WakeAt.IsZero() || due.Before(w.WakeAt) {
				w.WakeAt = due
			}
		case asked < askMost:
			asked++
			w.Leases, w.Keys = append(w.Leases, l.ID), append(w.Keys, l.ID)
		}
	}
	return ol.outliving.ask(w)
}

// suspected yields the leases of all names that may leak, first those of the name that left one last.
func (ol *OrphanLeases) suspected(yield func(*OrphanLease) bool) {
	for i := len(ol.order) - 1; i >= 0; i-- {
		if n := ol.order[i]; n.suspect {
			for _, l := range n.leases {
				if !yield(l) {
					return
				}
			}
		}
	}
}
