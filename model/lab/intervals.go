package lab

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/recipe"
)

// IntervalKind is what a contender did for a while.
type IntervalKind string

// Kinds of intervals. The first two are what etcd says, the last is what the contender
// says: where it believes and does not hold, it has lost the lock or never had it.
const (
	IntervalWaits    IntervalKind = "waits"
	IntervalHolds    IntervalKind = "holds"
	IntervalBelieves IntervalKind = "believes" // that it holds
)

// Interval is a time during which a contender waited, held, or believed that it held.
type Interval struct {
	Kind  IntervalKind
	Lock  string
	Key   string
	Lease model.LeaseID
	// To is zero while it goes on.
	From, To time.Time
}

// Overlap is a time during which a contender believed that it held a lock that
// somebody else held.
type Overlap struct {
	Lock string
	// Believer is the contender's name, Holder the claim that held, and Who that is.
	Believer string
	Holder   model.ClaimRef
	Who      string
	// To is zero while it goes on.
	From, To time.Time
}

// For returns how long the overlap lasted, or lasts at now.
func (o Overlap) For(now time.Time) time.Duration { return until(o.To, now).Sub(o.From) }

// span an Interval on its way, with the claim behind it.
type span struct {
	Interval
	who  string              // the contender, of what it believes
	end  model.BeliefState   // what it believed after it
	held bool                // of a belief: it was seen to be true
	ref  model.ClaimRef      // of a claim
	left *model.JournalEntry // how a holder went
}

// Bounds of what is remembered of a lock of the lab.
const (
	labLocksMax  = 512
	intervalsMax = 256
	removedMax   = 64
	overlapsMax  = 64
	staleMax     = 8
)

// LabLock what the lab and its proxy reported about one lock, and the past of its
// claims beside it.
type LabLock struct {
	name        string
	since       time.Time      // since when it is kept
	Competitors []*Competitor  // by name
	Open        []string       // the keys whose notes have something open, sorted
	removed     []RemovedClaim // the last keys that went, newest last
	intervals   []*span        // oldest first
	running     map[string]*span
	Stale       []*StaleUnlock
}

// RemovedClaim a key that went.
type RemovedClaim struct {
	Ref       model.ClaimRef
	At, since time.Time
	Rev       int64
}

// lock returns what the lab says of a lock, made if needed.
func (lab *Reports) lock(name string) *LabLock {
	ll := lab.locks[name]
	if ll == nil {
		if len(lab.locks) >= labLocksMax {
			lab.dropIdleLocks()
		}
		ll = &LabLock{name: name, since: lab.k.Now(), running: map[string]*span{}}
		lab.locks[name] = ll
	}
	return ll
}

// dropIdleLocks forgets the locks without contenders.
func (lab *Reports) dropIdleLocks() {
	for name, ll := range lab.locks {
		if len(ll.Competitors) == 0 {
			for _, key := range ll.Open {
				n := lab.notes[key]
				n.Ghost, n.Undone, n.Watchers = nil, nil, nil
			}
			delete(lab.locks, name)
		}
	}
}

// dropLock forgets a lock about which nothing is said any more.
func (lab *Reports) dropLock(ll *LabLock) {
	if len(ll.Competitors)+len(ll.Open)+len(ll.Stale) == 0 {
		delete(lab.locks, ll.name)
	}
}

// lockName is the lock for which a key competes, as far as its name tells.
func (lab *Reports) lockName(key string) string {
	if lab.locks[key] != nil {
		return key // a lock of one key
	}
	dir, _, ok := model.Split(key)
	if !ok {
		return key
	}
	if up, last, ok := model.Split(dir); ok && lab.locks[dir] == nil && lab.locks[up] != nil && recipe.IsUnder(last) {
		return up
	}
	return dir
}

// placeOf returns what the lab says of the lock of a key, nil for nothing.
func (lab *Reports) placeOf(key string) *LabLock { return lab.locks[lab.lockName(key)] }

// move puts a contender to another lock than those that it competed for; "" is none.
func (lab *Reports) move(c *ContenderInfo, lock string) {
	lab.leave(c)
	if c.Lock = lock; lock != "" {
		lab.join(c, lock)
	}
}

// leave ends what a contender says of any lock.
func (lab *Reports) leave(c *ContenderInfo) {
	for _, st := range c.competitors {
		lab.drop(st)
	}
	c.competitors = nil
}

func (lab *Reports) drop(st *Competitor) {
	ll := st.place
	ll.Competitors = slices.DeleteFunc(ll.Competitors, func(o *Competitor) bool { return o == st })
	lab.dropLock(ll)
}

// join returns what a contender says of a lock, made if needed.
func (lab *Reports) join(c *ContenderInfo, lock string) *Competitor {
	if st := c.on(lock); st != nil {
		return st
	}
	if len(c.competitors) >= competitorsMax {
		lab.drop(c.competitors[0])
		c.competitors = slices.Delete(c.competitors, 0, 1)
	}
	st := &Competitor{ContenderInfo: c, place: lab.lock(lock)}
	c.competitors = append(c.competitors, st)
	i, _ := slices.BinarySearchFunc(st.place.Competitors, c.Name, func(o *Competitor, name string) int { return strings.Compare(o.Name, name) })
	st.place.Competitors = slices.Insert(st.place.Competitors, i, st)
	if l := lab.k.Lock(lock); l != nil && len(st.place.Competitors) == 1 {
		lab.begin(st.place, l)
	}
	return st
}

// on returns what a contender says of a lock, nil if it does not compete for it.
func (c *ContenderInfo) on(lock string) *Competitor {
	if c == nil {
		return nil
	}
	for _, st := range c.competitors {
		if st.place.name == lock {
			return st
		}
	}
	return nil
}

// begin notes the intervals of the claims that are there when the first contender is
// heard of.
func (lab *Reports) begin(ll *LabLock, l *model.Lock) {
	for c := range l.First(model.MaxScan) {
		from := c.Since
		if l.Holds(l.Place(c)) && l.HeadSince().After(from) {
			from = l.HeadSince()
		}
		ll.turn(l, c, from)
	}
}

// Follow notes what the last event changed of the keys in the locks of the lab.
func (lab *Reports) Follow() {
	if len(lab.locks)+len(lab.notes) == 0 {
		return
	}
	change := lab.k.Settled()
	for c, l := range lab.k.Gone {
		for at := c.Key; ; {
			if ll := lab.locks[at]; ll != nil {
				ll.end(c.Key, change.At, l)
			}
			up, _, ok := model.Split(at)
			if !ok {
				break
			}
			at = up
		}
		lab.keyGone(c, change.At, change.Rev)
	}
	for _, c := range change.Came {
		if lab.k.Claim(c.Key) != c {
			continue
		}
		lab.keyCame(c)
		l := c.Lock()
		if l == nil {
			continue
		}
		if ll := lab.locks[l.Name]; ll != nil && len(ll.Competitors) > 0 {
			ll.turn(l, c, change.At)
		}
	}
	for _, l := range lab.k.Touched() {
		if ll := lab.locks[l.Name]; ll != nil && len(ll.Competitors) > 0 {
			for c := range l.First(min(l.Holders(), model.MaxScan)) {
				ll.turn(l, c, change.At)
			}
		}
	}
}

// turn notes that a claim waits or holds from then on.
func (ll *LabLock) turn(l *model.Lock, c *model.Claim, from time.Time) {
	if !l.Recipe().HasHolder || !l.IsClaim(c) {
		return
	}
	kind := IntervalWaits
	if l.Holds(l.Place(c)) {
		kind = IntervalHolds
	}
	old := ll.running[c.Key]
	switch {
	case old != nil && old.Kind == kind && old.ref.CreateRev == c.CreateRev:
		return
	case old != nil:
		old.To = from
	case len(ll.running) >= intervalsMax:
		return
	}
	sp := &span{Interval: Interval{Kind: kind, Lock: ll.name, Key: c.Key, Lease: c.KV.Lease, From: from}, ref: c.Ref()}
	ll.running[c.Key] = sp
	ll.keep(sp)
}

func (ll *LabLock) keep(sp *span) {
	if len(ll.intervals) >= intervalsMax {
		if old := ll.intervals[0]; ll.running[old.Key] == old {
			delete(ll.running, old.Key)
		}
		ll.intervals = slices.Delete(ll.intervals, 0, 1)
	}
	ll.intervals = append(ll.intervals, sp)
}

// end notes that a claim went.
func (ll *LabLock) end(key string, at time.Time, l *model.Lock) {
	sp := ll.running[key]
	if sp == nil {
		return
	}
	delete(ll.running, key)
	sp.To = at
	if sp.Kind == IntervalHolds && l != nil && l.LastLoss() != nil && l.LastLoss().Removed().Key == key {
		sp.left = l.LastLoss()
	}
}

func (ll *LabLock) gone(g RemovedClaim) {
	if len(ll.removed) >= removedMax {
		ll.removed = slices.Delete(ll.removed, 0, 1)
	}
	ll.removed = append(ll.removed, g)
}

// RemovedClaim the last one of that key, nil if it is not remembered.
func (ll *LabLock) Removed(key string) *RemovedClaim {
	for i := len(ll.removed) - 1; i >= 0; i-- {
		if ll.removed[i].Ref.Key == key {
			return &ll.removed[i]
		}
	}
	return nil
}

// believes notes what a word on a lock begins and ends.
func (st *Competitor) believes(e model.Belief) {
	holds := e.State == model.BeliefHolding
	if st.interval != nil && (!holds || st.interval.Key != e.Key) {
		st.endInterval(e.At, e.State)
	}
	if holds && st.interval == nil {
		lease := e.Lease
		if e.Key == "" {
			lease = cmp.Or(lease, st.Lease) // by which its claim is known
		}
		st.interval = &span{Interval: Interval{Kind: IntervalBelieves, Lock: st.place.name, Key: e.Key, Lease: lease, From: e.At}, who: st.Name}
		st.place.keep(st.interval)
	}
}

func (st *Competitor) endInterval(at time.Time, after model.BeliefState) {
	if st.interval != nil {
		st.interval.To, st.interval.end = at, after
		st.interval = nil
	}
}

// Intervals returns the last times during which a contender waited for its locks, held
// them, and believed that it held them, by their beginning. There are at most 256 of
// all contenders of a lock.
func (lab *Reports) Intervals(contender string) []Interval {
	c := lab.contenders[contender]
	if c == nil {
		return nil
	}
	var out []Interval
	for _, st := range c.competitors {
		for _, sp := range st.place.intervals {
			if sp.who == contender || sp.who == "" && lab.isOf(sp.Lease, c) {
				out = append(out, sp.Interval)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Interval) int { return a.From.Compare(b.From) })
	return out
}

// isOf says whether a lease is of a contender's process.
func (lab *Reports) isOf(lease model.LeaseID, c *ContenderInfo) bool {
	o, known := lab.owners[lease]
	return known && lab.SameProgram(o.Name, c.Name)
}

// Overlaps returns the last times, 64 at most, during which a contender believed that
// it held the lock while another claim did. A contender that let go by itself is not
// counted: its word comes later than its deed.
func (lab *Reports) Overlaps(lock string) []Overlap {
	ll, l := lab.locks[lock], lab.k.Lock(lock)
	if ll == nil || l == nil || !l.Recipe().Exclusive() {
		return nil
	}
	var out []Overlap
	for _, b := range ll.intervals {
		if b.Kind == IntervalBelieves && !lab.letGo(ll, b) {
			out = append(out, lab.overlapsOf(ll, b)...)
		}
	}
	slices.SortStableFunc(out, func(a, b Overlap) int { return a.From.Compare(b.From) })
	return out[max(0, len(out)-overlapsMax):]
}

// overlapsOf returns the times of a belief during which another claim held.
func (lab *Reports) overlapsOf(ll *LabLock, b *span) (out []Overlap) {
	for _, t := range ll.intervals {
		if t.Kind != IntervalHolds || b.speaksOf(t) {
			continue
		}
		from, to := b.From, b.To
		if t.From.After(from) {
			from = t.From
		}
		if to.IsZero() || !t.To.IsZero() && t.To.Before(to) {
			to = t.To
		}
		if to.IsZero() && lab.k.Now().After(from) || to.After(from) {
			out = append(out, Overlap{Lock: ll.name, Believer: b.who, Holder: t.ref, Who: lab.k.Who(t.ref), From: from, To: to})
		}
	}
	return out
}

// letGo says whether a contender that believed let its claim go by itself: then it
// knew of its end before it said so.
func (lab *Reports) letGo(ll *LabLock, b *span) bool {
	own := ll.heldBy(b)
	if own == nil || own.To.IsZero() {
		return false
	}
	if b.end == model.BeliefIdle || b.end == model.BeliefLeaving {
		return own.left == nil || own.left.Cause == model.CauseReleased || own.left.Cause == model.CauseRevoked || own.left.Cause == model.CauseUnknown
	}
	n := lab.notes[b.Key]
	return n != nil && own.left != nil && lab.asksToLetGo(n, b.who, own.left.Rev)
}

// asksToLetGo says whether a program deleted its key at a revision and was not told
// of it yet: it hangs in its unlock.
func (lab *Reports) asksToLetGo(n *Notes, who string, rev int64) bool {
	for _, w := range n.writes {
		if w.Delete && w.Rev > 0 && w.Rev == rev && !w.Told && lab.SameProgram(w.Name, who) {
			return true
		}
	}
	return false
}

// speaksOf says whether a belief is about the claim that held.
func (b *span) speaksOf(t *span) bool {
	return t.Key == b.Key || b.Key == "" && b.Lease != 0 && t.Lease == b.Lease
}

// heldBy returns the last time of a belief's own claim at the head, nil for none.
func (ll *LabLock) heldBy(b *span) *span {
	for _, t := range slices.Backward(ll.intervals) {
		if t.Kind == IntervalHolds && b.speaksOf(t) && (b.To.IsZero() || t.From.Before(b.To)) {
			return t
		}
	}
	return nil
}

func until(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t
}

// LateWord is an overlap that ended when the contender learnt of its loss, which was At.
type LateWord struct {
	Overlap
	At time.Time
}

// LateWords returns those of a lock that were told not long ago, by contenders whose
// process was not paused.
func (lab *Reports) LateWords(ll *LabLock) (words []LateWord) {
	for _, b := range ll.intervals {
		if b.Kind != IntervalBelieves || b.end != model.BeliefLost && b.end != model.BeliefIdle || lab.k.Now().Sub(b.To) >= ToldFor {
			continue
		}
		own := ll.heldBy(b)
		if own == nil || own.To.IsZero() || !own.To.Before(b.To) || b.byItself(own) {
			continue
		}
		if c := lab.contenders[b.who]; c == nil || lab.PausedSince(c, own.To) {
			continue
		}
		for _, o := range lab.overlapsOf(ll, b) {
			words = append(words, LateWord{o, b.To})
		}
	}
	return words
}

// byItself says whether the end of a belief is no late word of a loss: the contender
// let go by itself, or nothing says that it did not.
func (b *span) byItself(own *span) bool {
	return b.end == model.BeliefIdle && (own.left == nil || own.left.Cause != model.CauseExpired || own.left.Pending)
}
