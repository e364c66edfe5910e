package model

import (
	"cmp"
	"slices"
	"time"

	"locktop/model/recipe"
)

// Claim is one key in a lock's queue, or a key under a lock's name that is no
// claim of its own but is counted by the recipe all the same.
type Claim struct {
	KV
	// Since is when it appeared. SinceAtLeast: it was there before we looked.
	Since        time.Time
	SinceAtLeast bool

	// There are as many of these as keys: what is added here is paid for every one.
	form     recipe.FormID
	gotLate  bool   // it held before we looked: got is when we learnt of it
	detached bool   // named by a lease that the last put took away, or a lock by itself that had one
	head     bool   // it is the head of its own lock
	leaving  bool   // the revision at hand takes it
	slot     int32  // its place in lease.claims
	dir      *dir   // where the key stands; nil for a key without a slash
	home     *dir   // the dir of the lock that it competes for, nil for none
	lease    *Lease // nil for none
	gen      uint64 // the last list that contained it
	got      int64  // since when it holds, in µs since 1970; 0: it does not
}

// HeldSince returns since when the claim holds, or held when it went; atLeast if it was
// before we looked. A claim that only waits has no such time.
func (c *Claim) HeldSince() (since time.Time, atLeast, holds bool) {
	if c.got == 0 {
		return time.Time{}, false, false
	}
	return time.UnixMicro(c.got).In(c.Since.Location()), c.gotLate, true
}

// Form returns the form of the key, by which its recipe knows it.
func (c *Claim) Form() recipe.FormID { return c.form }

// Stripped says whether the key was a lock by itself, and a later put took its lease off.
// The keys alone do not tell: without a lease it might be any data.
func (c *Claim) Stripped() bool { return c.detached && c.form.Shape() == recipe.Single }

// Lock returns the lock the claim competes for, nil if it is no claim.
func (c *Claim) Lock() *Lock {
	if c.home != nil && c.home.lock != nil && c.home.lock.IsClaim(c) {
		return c.home.lock
	}
	return nil
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

	mode   recipe.Shape // what the keys make of the directory
	recipe *recipe.Recipe
	told                // by which signs
	queue  queue        // of a queue every key under Name + "/", in order
	tally  recipe.Tally // of its claims
	holds  int          // how many of the first keys hold

	headSince   time.Time
	headAtLeast bool
	freeSince   time.Time       // zero while there is a head
	freePast    bool            // it became free before we looked, freeSince is when we learnt of it
	lastHolder  ClaimRef        // who held before, for the next handover
	renewed     renewal         // of a Lease of Kubernetes
	heldAs      string          // the value with which the head became the holder
	sharing     map[*Claim]bool // of a lock that several hold together
	past
	diagnosed
	before

	version       uint64
	listed        bool // among those that are shown
	moving        bool // it changed hands, and is not held for much longer than before
	freeScheduled bool
	dir           *dir
}

// told is how the recipe of a lock was told.
type told struct {
	sign     *recipe.Sign
	sure     Confidence
	kind     recipe.FormSet // of the keys that compete, 0 until the first look
	observed bool           // by what the watch has seen of the key
}

// past is what the handovers of a lock told.
type past struct {
	lastLoss  *JournalEntry   // how the last holder lost it
	journal   []*JournalEntry // the lock's own journal, newest last
	holdTimes []time.Duration // of the last holds that were seen whole
	waitTimes []time.Duration // of the last that got the lock
	stopAges  []time.Duration // how old holders' leases were when their renewals stopped
	overtakes int

	same, other int // of a group: keys that came back by another lease, with the same value or with another
}

// diagnosed is what was found of a lock, and when it is to be looked at again.
type diagnosed struct {
	findings  []Finding
	marked    bool      // its findings are to be derived anew
	fewSince  time.Time // since when there are fewer claims than declared
	recheckAt time.Time // when time alone may change them
}

// before is what a lock was when a settling, or a list, touched it first.
type before struct {
	mark        uint64 // the last settling that touched it
	headAtMark  *Claim
	heldAtMark  bool     // headAtMark held, and was not a foreign key
	headGone    int      // place of headAtMark in what went, from 1; 0 if it did not go
	holdsAtMark int      // how many held
	headRef     ClaimRef // headAtMark by value: it may be gone by then
	headWrote   string   // the value of its key
	loadGen     uint64   // the list that touched it last
	loadHead    ClaimRef // its holder before that list
}

// Shape returns what the keys make of the name: a queue, a group, a key by itself.
func (l *Lock) Shape() recipe.Shape { return l.mode }

// Listed says whether the lock is still known. One that is forgotten has no keys.
func (l *Lock) Listed() bool { return l.listed }

// Own returns how many of the keys are claims of this lock.
func (l *Lock) Own() int { return int(l.tally.Own(l.kind)) }

// AllByLease says whether all keys of a queue are named by their lease: then each has
// one, and none is of another lock.
func (l *Lock) AllByLease() bool { return int(l.tally.ByLease(l.kind)) == l.queue.n }

// Beside says whether a key stands right under the name of the lock, and not of one below.
func (l *Lock) Beside(c *Claim) bool { return c.dir == l.dir }

// HeadSince returns since when the head is first.
func (l *Lock) HeadSince() time.Time { return l.headSince }

// FewSince returns since when there are fewer claims than declared, zero if there are not.
func (l *Lock) FewSince() time.Time { return l.fewSince }

// HoldTimes returns the times of the last holds that were seen whole.
func (l *Lock) HoldTimes() []time.Duration { return l.holdTimes }

// StopAges returns how old the leases of the last holders were when their renewals stopped.
func (l *Lock) StopAges() []time.Duration { return l.stopAges }

// LastLoss returns how the last holder lost the lock, nil if none was seen to.
func (l *Lock) LastLoss() *JournalEntry { return l.lastLoss }

// Findings returns the diagnoses of the lock, the worst first.
func (l *Lock) Findings() []Finding { return l.findings }

// Recipe returns the rule by which the keys compete.
func (l *Lock) Recipe() *recipe.Recipe { return l.recipe }

// RecipeEvidence says in words why it is that recipe; nil for a lock that was free
// before anything could be told.
func (l *Lock) RecipeEvidence() []string {
	if l.sign == nil {
		return nil
	}
	return l.sign.Why
}

// RecipeConfidence says how sure it is that it is that recipe.
func (l *Lock) RecipeConfidence() Confidence { return cmp.Or(l.sure, l.recipe.Confidence) }

// RecipeObserved says whether the recipe was raised or lowered by what the watch has seen:
// a snapshot of the same keys says less.
func (l *Lock) RecipeObserved() bool { return l.observed }

// RecipeLabel is the name of the recipe for people: behind one that is a guess stands a
// question mark. Of what nobody holds nothing is guessed.
func (l *Lock) RecipeLabel() string {
	if l.recipe.HasHolder && l.RecipeConfidence() == Hint {
		return l.recipe.Name + "?"
	}
	return l.recipe.Name
}

// Version rises with every change of the lock, its claims or findings, and when a lease
// turns well or unwell. A reading that only says how much is left changes nothing.
func (l *Lock) Version() uint64 { return l.version }

// Head returns the key that every claim waits for, nil if there is none. It may
// be no claim of this lock: see Holder.
func (l *Lock) Head() *Claim { return l.queue.first() }

// Holder returns the claim that holds, the first one where several may. It is nil
// if the lock is free, if nothing is known of a holder, and also if a foreign or
// nested key stands first and blocks the lock: then Head is that key.
func (l *Lock) Holder() *Claim {
	if h := l.queue.first(); h != nil && l.recipe.HasHolder && l.IsClaim(h) && (l.recipe.Held == nil || l.recipe.Held(h.Value)) {
		return h
	}
	return nil
}

// Holders returns how many keys hold, the first ones of the queue.
func (l *Lock) Holders() int { return l.holds }

// Holds says whether the key at that place, from 0, holds.
func (l *Lock) Holds(place int) bool { return place >= 0 && place < l.holds }

// Blocked says whether a key that is no claim of this lock stands first.
func (l *Lock) Blocked() bool { return l.recipe.HasHolder && l.Head() != nil && !l.IsClaim(l.Head()) }

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

// Behind returns how many keys wait behind the holder, or behind the key that
// blocks the lock.
func (l *Lock) Behind() int {
	if !l.recipe.HasHolder {
		return 0
	}
	return max(0, l.queue.n-max(1, l.holds))
}

// At returns the key at place i, from 0, nil beyond the end.
func (l *Lock) At(i int) *Claim { return l.queue.at(i) }

// Place returns the place of c in the queue, from 0, -1 if it is not in it.
func (l *Lock) Place(c *Claim) int { return l.queue.rank(c) }

// WaitsFor returns the key that c waits for, as its recipe says: the one just ahead, or
// for a reader the last writer ahead. It is nil for a holder.
func (l *Lock) WaitsFor(c *Claim) *Claim {
	if !l.recipe.HasHolder {
		return nil
	}
	p := l.queue.prev(c)
	if l.recipe.Shares(c.form) {
		for p != nil && !l.recipe.Bars(p.form) {
			p = l.queue.prev(p)
		}
	}
	return p
}

// Claims yields the queue in order, the head first.
func (l *Lock) Claims(yield func(*Claim) bool) { l.queue.all(yield) }

// ClaimsBack yields the queue from its end.
func (l *Lock) ClaimsBack(yield func(*Claim) bool) { l.queue.back(yield) }

// Queue yields the queue in order, each key with the one that it waits for: what
// [Lock.WaitsFor] says, without a search for each.
func (l *Lock) Queue(yield func(c, ahead *Claim) bool) {
	var last, writer *Claim
	l.queue.all(func(c *Claim) bool {
		ahead := last
		switch {
		case !l.recipe.HasHolder:
			ahead = nil
		case l.recipe.Shares(c.form):
			ahead = writer
		}
		last = c
		if l.recipe.Bars(c.form) {
			writer = c
		}
		return yield(c, ahead)
	})
}

// First yields the first n keys of the queue.
func (l *Lock) First(n int) func(yield func(*Claim) bool) {
	return func(yield func(*Claim) bool) {
		left := n
		l.queue.all(func(c *Claim) bool {
			left--
			return left >= 0 && yield(c) && left > 0
		})
	}
}

// IsClaim says whether c is a claim of this lock, and not a foreign or nested
// key that the recipe counts. A key that lost its lease is still a claim.
func (l *Lock) IsClaim(c *Claim) bool {
	if c.home == l.dir {
		return l.mode == c.form.Shape() && (l.mode != recipe.Queue || l.kind == 0 || l.kind.Has(c.form))
	}
	return c.detached && c.dir == l.dir && l.mode == recipe.Queue
}

// HeldFor returns how long the head has been first; atLeast if it was before we
// looked.
func (l *Lock) HeldFor(now time.Time) (d time.Duration, atLeast bool) {
	if l.Free() {
		return 0, false
	}
	return max(0, now.Sub(l.headSince)), l.headAtLeast
}

// LongestWait returns the longest time that any key has waited that does not hold.
// Claims arrive in the order of the queue, so that is the first of them.
func (l *Lock) LongestWait(now time.Time) (d time.Duration, atLeast, any bool) {
	if l.Behind() == 0 {
		return 0, false, false
	}
	d, atLeast = l.queue.at(max(1, l.holds)).Waited(now)
	return d, atLeast, true
}

// Stats are what the handovers of a lock that were seen say.
type Stats struct {
	// Handovers counts them, Overtakes those in which somebody who had come earlier
	// was left behind: none in a fair queue.
	Handovers, Overtakes int
	// Waits and Holds are how many of the last ones were seen whole, at most 50;
	// the percentiles are 0 where there is none.
	Waits, Holds                       int
	WaitP50, WaitP99, HoldP50, HoldP99 time.Duration
}

// Stats returns what the handovers say.
func (l *Lock) Stats() Stats {
	return Stats{Handovers: l.Handovers, Overtakes: l.overtakes, Waits: len(l.waitTimes), Holds: len(l.holdTimes),
		WaitP50: Percentile(l.waitTimes, 50), WaitP99: Percentile(l.waitTimes, 99),
		HoldP50: Percentile(l.holdTimes, 50), HoldP99: Percentile(l.holdTimes, 99)}
}

// timesMax bounds how many hold and wait times are kept.
const timesMax = 50

func keepTime(list []time.Duration, d time.Duration) []time.Duration {
	if len(list) >= timesMax {
		list = list[:copy(list, list[1:])]
	}
	return append(list, d)
}

// Journal returns the last entries about the lock, newest last.
func (l *Lock) Journal() []*JournalEntry { return l.journal }

// Percentile returns the p-th percentile of durations, which it does not change.
func Percentile(d []time.Duration, p int) time.Duration {
	if len(d) == 0 {
		return 0
	}
	sorted := slices.Clone(d)
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)*p/100]
}

// MaxScan bounds how many claims a look goes through: a queue may have 100,000.
const MaxScan = 64
