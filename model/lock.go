package model

import "time"

// Claim is one key in a lock's queue, or a key under a lock's name that is no
// claim of its own but is counted by the recipe all the same.
type Claim struct {
	KV
	// Since is when it appeared. SinceAtLeast: it was there before we looked.
	Since        time.Time
	SinceAtLeast bool

	dir   *dir   // where the key stands; nil for a key without a slash
	own   bool   // the key is named by its lease: a claim of its dir's lock
	lease *Lease // nil for none
	slot  int    // its place in lease.claims
	head  bool   // it is the head of its own lock
	gen   uint64 // the last list that contained it
}

// Lock returns the lock the claim competes for, nil if it is no claim.
func (c *Claim) Lock() *Lock {
	if !c.own {
		return nil
	}
	return c.dir.lock
}

// LeaseInfo returns what is known of the claim's lease, nil if it has none.
func (c *Claim) LeaseInfo() *Lease { return c.lease }

// Waited returns how long ago the claim appeared; atLeast if it was there before
// we looked.
func (c *Claim) Waited(now time.Time) (d time.Duration, atLeast bool) {
	return max(0, now.Sub(c.Since)), c.SinceAtLeast
}

// Lock is a name under which keys compete.
type Lock struct {
	Name string
	// Handovers counts the changes of holder seen.
	Handovers int

	queue         queue // every key under Name + "/", in order
	own           int   // how many of them are claims of this lock
	valued        int   // how many of those carry a value
	headSince     time.Time
	headAtLeast   bool
	freeSince     time.Time // zero while there is a head
	lastHolder    ClaimRef  // who held before, for the next handover
	lastFact      *Fact     // how that one lost it
	facts         []*Fact   // the lock's own journal, newest last
	version       uint64
	mark          uint64 // the last settling that touched it
	headAtMark    *Claim
	heldAtMark    bool     // headAtMark held, and was not a foreign key
	headRef       ClaimRef // headAtMark by value: it may be gone by then
	loadGen       uint64   // the list that touched it last
	loadHead      ClaimRef // its holder before that list
	listed        bool     // in State.order
	dir           *dir
	freeScheduled bool
}

// Recipe returns the rule by which the keys compete.
func (l *Lock) Recipe() *Recipe { return recipeOf(l.own, l.valued) }

// Version rises with every change of the lock, its claims or their leases.
func (l *Lock) Version() uint64 { return l.version }

// Head returns the key that every claim waits for, nil if there is none. It may
// be no claim of this lock: see Holder.
func (l *Lock) Head() *Claim { return l.queue.first() }

// Holder returns the claim that holds. It is nil if the lock is free, and also if
// a foreign or nested key stands first and blocks the lock: then Head is that key.
func (l *Lock) Holder() *Claim {
	if h := l.queue.first(); h != nil && h.dir == l.dir && h.own {
		return h
	}
	return nil
}

// Blocked says whether a key that is no claim of this lock stands first.
func (l *Lock) Blocked() bool { return l.Head() != nil && l.Holder() == nil }

// Free says whether there is no key at all. A free lock does not exist in etcd;
// it is kept for a while because it was seen.
func (l *Lock) Free() bool { return l.queue.n == 0 }

// FreeFor returns how long nobody has held the lock.
func (l *Lock) FreeFor(now time.Time) time.Duration {
	if l.freeSince.IsZero() {
		return 0
	}
	return max(0, now.Sub(l.freeSince))
}

// Len returns the number of keys in the queue, the head included.
func (l *Lock) Len() int { return l.queue.n }

// Behind returns how many keys wait behind the head.
func (l *Lock) Behind() int { return max(0, l.queue.n-1) }

// At returns the key at place i, from 0, nil beyond the end.
func (l *Lock) At(i int) *Claim { return l.queue.at(i) }

// Place returns the place of c in the queue, from 0, -1 if it is not in it.
func (l *Lock) Place(c *Claim) int { return l.queue.rank(c) }

// WaitsFor returns the key just ahead of c, the only one it waits for
// (etcd client/v3 concurrency/key.go). It is nil for the head.
func (l *Lock) WaitsFor(c *Claim) *Claim { return l.queue.prev(c) }

// Claims yields the queue in order, the head first.
func (l *Lock) Claims(yield func(*Claim) bool) { l.queue.all(yield) }

// IsClaim says whether c is a claim of this lock, and not a foreign or nested
// key that the recipe counts.
func (l *Lock) IsClaim(c *Claim) bool { return c.own && c.dir == l.dir }

// HeldFor returns how long the head has been first; atLeast if it was before we
// looked.
func (l *Lock) HeldFor(now time.Time) (d time.Duration, atLeast bool) {
	if l.Free() {
		return 0, false
	}
	return max(0, now.Sub(l.headSince)), l.headAtLeast
}

// LongestWait returns the longest time that any key behind the head has waited.
// Claims arrive in the order of the queue, so that is the second one.
func (l *Lock) LongestWait(now time.Time) (d time.Duration, atLeast, any bool) {
	c := l.queue.at(1)
	if c == nil {
		return 0, false, false
	}
	d, atLeast = c.Waited(now)
	return d, atLeast, true
}

// Facts returns the last facts about the lock, newest last.
func (l *Lock) Facts() []*Fact { return l.facts }

// dir is a directory of keys: what stands between two slashes of a key. The
// queue of a lock contains everything below its dir.
type dir struct {
	path     string
	parent   *dir
	children map[*dir]struct{}
	others   map[*Claim]struct{} // keys right here that are no claims
	keys     int                 // keys in here and below
	lock     *Lock               // while there is a claim right here, or it is remembered as free
}

// dirAt returns the directory of that path, made with its parents if needed.
func (s *State) dirAt(path string) *dir {
	if d := s.dirs[path]; d != nil {
		return d
	}
	d := &dir{path: path}
	s.dirs[path] = d
	if up, _, ok := split(path); ok {
		d.parent = s.dirAt(up)
		if d.parent.children == nil {
			d.parent.children = map[*dir]struct{}{}
		}
		d.parent.children[d] = struct{}{}
	}
	return d
}

// dropDir forgets d and its parents as far as nothing is in them.
func (s *State) dropDir(d *dir) {
	for d != nil && d.keys == 0 && d.lock == nil && len(d.children) == 0 {
		delete(s.dirs, d.path)
		if d.parent != nil {
			delete(d.parent.children, d)
		}
		d = d.parent
	}
}

// below yields every key in d and under it. Where there is a lock with claims,
// its queue has them all.
func (d *dir) below(yield func(*Claim)) {
	if d.lock != nil && d.lock.own > 0 {
		d.lock.queue.all(func(c *Claim) bool { yield(c); return true })
		return
	}
	for c := range d.others {
		yield(c)
	}
	for child := range d.children {
		child.below(yield)
	}
}
