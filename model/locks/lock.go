package locks

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/recipe"
)

// Etcdctl returns the lines that show the lock by hand: its queue in order, and the
// lease of its head with all that hangs on it.
func (l *Lock) Etcdctl() []string {
	order := "CREATE"
	if l.recipe.Order == recipe.ByMod {
		order = "MODIFY"
	}
	lines := []string{"etcdctl get --prefix " + model.ShellQuote(l.Name+"/") + " --sort-by=" + order + " --order=ASCEND -w fields"}
	if l.mode == recipe.Single {
		lines[0] = "etcdctl get " + model.ShellQuote(l.Name) + " -w fields"
	}
	if h := l.queue.First(); h != nil && h.KV.Lease != 0 {
		lines = append(lines, h.KV.Lease.Etcdctl())
	}
	return lines
}

// HeldSince returns since when the claim holds, or held when it went; atLeast if it was
// before we looked. A claim that only waits has no such time.
func (c *Claim) HeldSince() (since time.Time, atLeast, holds bool) {
	if c.got == 0 {
		return time.Time{}, false, false
	}
	return time.UnixMicro(c.got).In(c.Since.Location()), c.gotLate, true
}

// Waits says whether the claim, which hangs on a lease, waits for its lock.
func (c *Claim) Waits() bool { return c.waits }

// Form returns the form of the key, by which its recipe knows it.
func (c *Claim) Form() recipe.FormID { return c.form }

// Stripped says whether the key was a lock by itself, and a later put took its lease off.
// The keys alone do not tell: without a lease it might be any data.
func (c *Claim) Stripped() bool { return c.detached && c.form.Shape() == recipe.Single }

// Moved says whether a put took the claim to another lease than that by which its key is named. The
// keys alone do not tell that it is a claim.
func (c *Claim) Moved() bool { return c.moved }

// Lock returns the lock the claim competes for, nil if it is not a claim.
func (c *Claim) Lock() *Lock {
	if c.home != nil && c.home.lock != nil && c.home.lock.IsClaim(c) {
		return c.home.lock
	}
	return nil
}

// LeaseInfo returns what is known of the claim's lease, nil if it has none.
func (c *Claim) LeaseInfo() *Lease { return c.lease }

// Waited returns how long ago the claim took its place; atLeast if that was before we
// looked. In a queue in the order of the last puts, who puts its claim again goes to the end.
func (c *Claim) Waited(now time.Time) (d time.Duration, atLeast bool) {
	var l *Lock
	if c.home != nil {
		l = c.home.lock
	}
	since, atLeast := c.began()
	now, lost := l.seenTo(now)
	return max(0, now.Sub(since)), atLeast || lost
}

// seenTo is now, or the time up to which the lock was seen, if its watch is lost.
func (l *Lock) seenTo(now time.Time) (_ time.Time, lost bool) {
	if l == nil || l.lostAt == 0 {
		return now, false
	}
	if at := time.UnixMicro(l.lostAt); at.Before(now) {
		now = at
	}
	return now, true
}

// began returns when the claim took its place; atLeast if that was before we looked.
func (c *Claim) began() (at time.Time, atLeast bool) {
	if c.put != 0 && c.home != nil && c.home.lock != nil && c.home.lock.queue.Second() {
		return time.UnixMicro(c.put), c.putLate
	}
	return c.Since, c.SinceAtLeast
}

// Compare orders claims in a queue: by create revision, or by mod revision where that is the
// order of the recipe, and by key where one transaction wrote several.
func (c *Claim) Compare(with *Claim, byMod bool) int {
	x, y := c.CreateRev, with.CreateRev
	if byMod {
		x, y = c.ModRev, with.ModRev
	}
	if n := cmp.Compare(x, y); n != 0 {
		return n
	}
	return strings.Compare(c.Key, with.Key)
}

func refOf(c *Claim) model.ClaimRef {
	if c == nil {
		return model.ClaimRef{}
	}
	r := model.ClaimRef{Key: c.Key, CreateRev: c.CreateRev, Lease: c.KV.Lease}
	if c.form.Claims() || c.detached {
		r.Value = c.Value // of a foreign key the value says nothing about who
	}
	return r
}

// Ref names the claim in a form that outlives it, nothing for nil.
func (c *Claim) Ref() model.ClaimRef { return refOf(c) }

// Shape returns what the keys make of the name: a queue, a group, a key by itself.
func (l *Lock) Shape() recipe.Shape { return l.mode }

// PutAgain returns when the key was last put again; ok is false where it was not, or not seen to be.
func (c *Claim) PutAgain() (at time.Time, ok bool) {
	return time.UnixMicro(c.put), c.put != 0 && !c.putLate
}

// Unrenewed returns how many holders released though their leases were not renewed when it was time, and
// how many in a row, up to the last one, held until their leases ran out without one renewal.
func (l *Lock) Unrenewed() (released, lost int) { return l.unrenewedReleased, l.unrenewedLost }

// Listed says whether the lock is still known. One that is forgotten has no keys.
func (l *Lock) Listed() bool { return l.listed }

// Own returns how many of the keys are claims of this lock.
func (l *Lock) Own() int { return int(l.counts.Own(l.kind)) }

// AllByLease says whether all keys of a queue are named by their lease: then each has
// one, and none is of another lock.
func (l *Lock) AllByLease() bool { return int(l.counts.ByLease(l.kind)) == l.queue.Len() }

// IsDirectChild says whether a key stands right under the name of the lock, and not of one below.
func (l *Lock) IsDirectChild(c *Claim) bool { return c.dir == l.dir }

// HeadSince returns since when the head is first.
func (l *Lock) HeadSince() time.Time { return l.headSince }

// HoldTimes returns the times of the last holds that were seen whole.
func (l *Lock) HoldTimes() []time.Duration { return l.holdTimes }

// LongestUnseen returns the longest hold that was not seen from its beginning, as far as it was seen.
func (l *Lock) LongestUnseen() time.Duration { return l.longestUnseen }

// Stops returns when the renewals of the last holders stopped that were seen from their beginning, the
// newest last.
func (l *Lock) Stops() []Stop { return l.stops }

// LastLoss returns how the last holder lost the lock, nil if none was seen to.
func (l *Lock) LastLoss() *journal.Entry { return l.lastLoss }

// Recipe returns the rule by which the keys compete.
func (l *Lock) Recipe() *recipe.Recipe { return l.recipe }

// RecipeEvidence says in words by which signs of its keys it is that recipe; nil for a lock that was free
// before anything could be told. [Lock.Seen] goes on.
func (l *Lock) RecipeEvidence() []string {
	if l.sign == nil {
		return nil
	}
	return l.sign.Why
}

// RecipeConfidence says how sure it is that it is that recipe.
func (l *Lock) RecipeConfidence() model.Confidence {
	if l.raises() {
		sure, _ := l.proof()
		return sure
	}
	return cmp.Or(l.confidence, l.recipe.Confidence)
}

// RecipeObserved says whether the recipe was raised or lowered by what the watch has seen:
// a snapshot of the same keys says less.
func (l *Lock) RecipeObserved() bool { return l.observed || l.raises() }

// RecipeLabel is the name of the recipe for people: behind one that is a guess stands a
// question mark. Of what nobody holds nothing is guessed.
func (l *Lock) RecipeLabel() string {
	if l.recipe.HasHolder && l.RecipeConfidence() == model.Hint {
		return l.recipe.Name + "?"
	}
	return l.recipe.Name
}

// Head returns the key that every claim waits for, nil if there is none. It may
// be no claim of this lock: see Holder.
func (l *Lock) Head() *Claim { return l.queue.First() }

// Holder returns the claim that holds, the first one where several may. It is nil
// if the lock is free, if nothing is known of a holder, and also if a foreign or
// nested key stands first and blocks the lock: then Head is that key.
func (l *Lock) Holder() *Claim {
	if h := l.queue.First(); h != nil && l.recipe.HasHolder && l.IsClaim(h) && (l.recipe.Held == nil || l.recipe.Held(h.Value)) {
		return h
	}
	return nil
}

// Holders returns how many keys hold, the first ones of the queue.
func (l *Lock) Holders() int { return l.holds }

// Holds says whether the key at that place, from 0, holds.
func (l *Lock) Holds(place int) bool { return place >= 0 && place < l.holds }

// Blocked says whether a key that is not a claim of this lock stands first.
func (l *Lock) Blocked() bool { return l.recipe.HasHolder && l.Head() != nil && !l.IsClaim(l.Head()) }

// Free says whether there is no key at all. A free lock does not exist in etcd;
// it is kept for a while because it was seen.
func (l *Lock) Free() bool { return l.queue.Len() == 0 }

// FreeFor returns how long nobody has held the lock; atLeast if it became free when nothing was seen, or
// is not seen any more.
func (l *Lock) FreeFor(now time.Time) (d time.Duration, atLeast bool) {
	if l.freeSince.IsZero() {
		return 0, false
	}
	now, lost := l.seenTo(now)
	return max(0, now.Sub(l.freeSince)), l.freeLate || lost
}

// Len returns the number of keys in the queue, the head included.
func (l *Lock) Len() int { return l.queue.Len() }

// insert puts a key into the queue.
func (l *Lock) insert(c *Claim) {
	if l.direct && !l.IsClaim(c) {
		return
	}
	l.queue.Insert(c)
	if l.mode == recipe.Queue && !l.IsClaim(c) {
		l.others.Insert(c)
	}
}

// remove takes a key out of the queue.
func (l *Lock) remove(c *Claim) {
	l.queue.Remove(c)
	l.others.Remove(c)
}

// become says of which forms the claims are: with other ones than before, other keys of the
// queue are claims.
func (l *Lock) become(kind recipe.FormSet) {
	was := l.kind
	if l.kind = kind; was == kind || l.mode != recipe.Queue {
		return
	}
	if all := l.counts.Own(recipe.AnyForm); (was == 0 || l.counts.Own(was) == all) && l.counts.Own(kind) == all {
		return // the same keys
	}
	l.others = newQueue[*Claim](l.queue.Second())
	l.queue.All(func(c *Claim) bool {
		if !l.IsClaim(c) {
			l.others.Insert(c)
		}
		return true
	})
}

// Behind returns how many claims of the lock wait for it. Keys that are no claims of it, as
// those of a lock whose name lies below its own, wait for nothing here: see [Lock.Others].
func (l *Lock) Behind() int {
	if !l.recipe.HasHolder || l.mode != recipe.Queue {
		return 0
	}
	return max(0, l.queue.Len()-l.others.Len()-l.first())
}

// first is the place at which the first key stands that does not hold.
func (l *Lock) first() int {
	if h := l.queue.First(); h == nil || !l.IsClaim(h) {
		return 0
	}
	return max(1, l.holds)
}

// Others returns how many keys of the queue are no claims of the lock: each blocks the
// claims that came later.
func (l *Lock) Others() int { return l.others.Len() }

// Next returns the claim that gets the lock next, nil if none waits. Keys that are no
// claims may have to go first: see [Lock.Between].
func (l *Lock) Next() *Claim {
	if l.Behind() == 0 {
		return nil
	}
	return l.queue.At(l.next())
}

// next is the place of the next claim: only keys that are no claims stand between it and
// those that hold.
func (l *Lock) next() int {
	from := l.first()
	return from + sort.Search(l.others.Len(), func(i int) bool { return l.queue.Rank(l.others.At(i)) != from+i })
}

// Between returns how many keys that are no claims of the lock have to go before the next
// claim gets it. A reader waits for none of them.
func (l *Lock) Between() int {
	if next := l.Next(); next == nil || l.recipe.Shares(next.form) {
		return 0
	}
	return l.next() - l.first()
}

// Waiters yields the claims that wait, the next one first, each with its place in the queue,
// from 0. It looks at n keys from there on.
func (l *Lock) Waiters(n int) func(yield func(place int, c *Claim) bool) {
	return func(yield func(int, *Claim) bool) {
		if l.Behind() == 0 {
			return
		}
		place := l.next()
		left := n
		for c := range l.queue.From(place) {
			if left == 0 || l.IsClaim(c) && !yield(place, c) {
				return
			}
			place++
			left--
		}
	}
}

// Ahead returns how many claims of the lock stand before a key of its queue.
func (l *Lock) Ahead(c *Claim) int { return l.queue.Rank(c) - l.others.Before(c) }

// Bars says whether a claim of the lock came later than a key of its queue, so that it waits
// for that one, too.
func (l *Lock) Bars(c *Claim) bool {
	upTo := l.Ahead(c)
	if l.IsClaim(c) {
		upTo++
	}
	return l.queue.Len()-l.others.Len() > upTo
}

// At returns the key at place i, from 0, nil beyond the end.
func (l *Lock) At(i int) *Claim { return l.queue.At(i) }

// Place returns the place of c in the queue, from 0, -1 if it is not in it.
func (l *Lock) Place(c *Claim) int { return l.queue.Rank(c) }

// WaitsFor returns the key that c waits for, as its recipe says: the one just ahead, or
// for a reader the last writer ahead. It is nil for a holder.
func (l *Lock) WaitsFor(c *Claim) *Claim {
	if !l.recipe.HasHolder {
		return nil
	}
	p := l.queue.Prev(c)
	if l.recipe.Shares(c.form) {
		for p != nil && !l.recipe.Bars(p.form) {
			p = l.queue.Prev(p)
		}
	}
	return p
}

// Claims yields the queue in order, the head first.
func (l *Lock) Claims(yield func(*Claim) bool) { l.queue.All(yield) }

// ClaimsBack yields the queue from its end.
func (l *Lock) ClaimsBack(yield func(*Claim) bool) { l.queue.Back(yield) }

// Queue yields the queue in order, each key with the one that it waits for: what
// [Lock.WaitsFor] says, without a search for each.
func (l *Lock) Queue(yield func(c, ahead *Claim) bool) {
	var last, writer *Claim
	l.queue.All(func(c *Claim) bool {
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
		l.queue.All(func(c *Claim) bool {
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
// looked, or is not seen any more since the watch was lost.
func (l *Lock) HeldFor(now time.Time) (d time.Duration, atLeast bool) {
	if l.Free() {
		return 0, false
	}
	now, lost := l.seenTo(now)
	return max(0, now.Sub(l.headSince)), l.headAtLeast || lost
}

// AllHeldFor returns how long all that hold together have held, as [Lock.HeldFor] does where one holds
// alone or who holds is no matter of permits.
func (l *Lock) AllHeldFor(now time.Time) (d time.Duration, atLeast bool) {
	last := l.queue.At(l.holds - 1)
	if l.recipe.Permits < 2 || last == nil {
		return l.HeldFor(now)
	}
	now, lost := l.seenTo(now)
	since, atLeast := l.HoldsSince(last)
	return max(0, now.Sub(since)), atLeast || lost
}

// LongestWait returns the longest time that any claim has waited that does not hold.
// Claims arrive in the order of the queue, so that is the first of them.
func (l *Lock) LongestWait(now time.Time) (d time.Duration, atLeast, any bool) {
	next := l.Next()
	if next == nil {
		return 0, false, false
	}
	d, atLeast = next.Waited(now)
	return d, atLeast, true
}

// Stats are what the handovers of a lock that were seen say.
type Stats struct {
	// Handovers counts them, Overtakes those in which somebody who had come earlier
	// was left behind: none in a fair queue.
	Handovers, Overtakes int
	// Waits and Holds are how many of the last ones were seen whole, at most 50; the percentiles are 0
	// where there is none. A wait is that of a claim that got the lock after another: the first of all
	// waited for nobody. Where waiting leaves no key there is none. The medians are the usual hold and
	// the usual wait, in every output.
	Waits, Holds                       int
	WaitP50, WaitP99, HoldP50, HoldP99 time.Duration
}

// Stats returns what the handovers say.
func (l *Lock) Stats() Stats {
	return Stats{Handovers: l.Handovers, Overtakes: l.overtakes, Waits: len(l.waitTimes), Holds: len(l.holdTimes),
		WaitP50: model.Percentile(l.waitTimes, 50), WaitP99: model.Percentile(l.waitTimes, 99),
		HoldP50: model.Percentile(l.holdTimes, 50), HoldP99: model.Percentile(l.holdTimes, 99)}
}

// Journal returns the last entries about the lock, newest last.
func (l *Lock) Journal() []*journal.Entry { return l.journal }

// MaxScan bounds how many claims a look goes through: a queue may have 100,000.
const MaxScan = 64

// HoldsSince returns since when a claim that holds does; atLeast if it did before we
// looked.
func (l *Lock) HoldsSince(c *Claim) (since time.Time, atLeast bool) {
	if since, atLeast, holds := c.HeldSince(); holds && l.sharing[c] {
		return since, atLeast
	}
	return l.headSince, l.headAtLeast
}

// LastRenewal returns since when it is known that nobody put a Lease of Kubernetes again;
// live says that its last put was seen as it happened.
func (l *Lock) LastRenewal() (at time.Time, live bool) { return l.renewed.at, l.renewed.live }

// A lock moves as long as it is not held for much longer than before.
const (
	movingFactor = 2 // times the longest of the last holds
	movingLeast  = 10 * time.Second
)

// Moving says whether the lock changed hands, and at a time is not held for much longer than before.
func (l *Lock) Moving(now time.Time) bool { return now.Before(l.movesUntil()) }

// movesUntil returns until when the lock moves if nothing happens, zero if it does not.
func (l *Lock) movesUntil() time.Time {
	if l.Holder() == nil || l.Handovers == 0 || len(l.holdTimes) == 0 {
		return time.Time{}
	}
	return l.headSince.Add(max(movingLeast, movingFactor*slices.Max(l.holdTimes)))
}
