package keyspace

import (
	"maps"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/members"
	"locktop/model/prefixes"
)

// Keyspace is what the keys, the leases and the members say: every lock with its queue,
// and the journal of what happened. It is folded from events, and knows nothing of rules
// or of what the lab reports. It is not safe for concurrent use: one goroutine applies and
// reads. Only of the locks that Locks returned several may read queues, claims, findings
// and identities while nobody applies.
type Keyspace struct {
	rev, keysRev int64

	// What answers. Each knows only those above it.
	*pins
	*prefixes.Prefixes
	*members.Members
	*agenda
	*change
	*Marks
	*LeaseBook
	*Keys
	*owners
	*journals

	// These fold events into the parts above. Each knows those above it, too.
	causes   *causes
	settling *settling
	commit   *commit
	lists    *lists
}

// NewKeyspace returns an empty keyspace. Pins fix recipes by hand; the longest prefix
// that covers a key counts.
func NewKeyspace(all ...model.Pin) *Keyspace { return newKeyspace(&pins{all}, prefixes.New()) }

// newKeyspace returns one in which each part knows those that it uses.
func newKeyspace(said *pins, watched *prefixes.Prefixes) *Keyspace {
	k := &Keyspace{pins: said, Prefixes: watched, Members: &members.Members{}, agenda: &agenda{}, change: &change{}, Marks: &Marks{}}
	k.LeaseBook = newLeaseBook(k.agenda, k.Marks)
	k.Keys = newKeys(k.pins, k.Marks, k.change)
	k.owners = &owners{keys: k.Keys, leases: k.LeaseBook, witness: nobody{}}
	k.journals = &journals{agenda: k.agenda, keys: k.Keys, change: k.change}
	k.causes = &causes{agenda: k.agenda, prefixes: k.Prefixes, keys: k.Keys, leases: k.LeaseBook, change: k.change, owners: k.owners, journals: k.journals}
	k.settling = &settling{agenda: k.agenda, keys: k.Keys, leases: k.LeaseBook, change: k.change, marks: k.Marks, owners: k.owners, journals: k.journals, causes: k.causes}
	k.commit = &commit{agenda: k.agenda, keys: k.Keys, leases: k.LeaseBook, change: k.change, marks: k.Marks, causes: k.causes, settling: k.settling}
	k.lists = &lists{agenda: k.agenda, prefixes: k.Prefixes, keys: k.Keys, leases: k.LeaseBook, change: k.change, marks: k.Marks, journals: k.journals,
		settling: k.settling, commit: k.commit, listings: map[string]*listing{}}
	return k
}

// SetWitness names whom the keyspace asks about what the keys do not tell.
func (k *Keyspace) SetWitness(w Witness) { k.witness = w }

// Apply folds an event into the keyspace. It says nothing about the reports of the lab,
// but for what the console did.
func (k *Keyspace) Apply(event model.Event) {
	k.chronicle.Trim()
	k.pass(event.When())
	k.change.reset()
	switch e := event.(type) {
	case model.Committed:
		k.follow(e.Rev)
		k.commit.apply(e, e.Past || k.CatchingUp())
	case model.Requested:
		k.Prefixes.Apply(event)
	case model.LoadStarted:
		k.seen(e.Rev)
		k.Prefixes.Apply(event)
		delete(k.lists.listings, e.Prefix)
	case model.Listed:
		k.Prefixes.Apply(event)
		k.lists.takeList(e)
	case model.Loaded:
		k.follow(e.Rev)
		k.lists.loaded(e, k.Prefixes.Apply(event))
	case model.Watching:
		k.follow(e.Rev)
		k.lists.noteEndOfHistory(k.Prefixes.Apply(event), e.At)
	case model.Lost:
		was := k.Prefixes.Apply(event)
		if e.Reason == model.LostCluster {
			k.forgetCluster()
		}
		k.lists.lost(e, was)
	case model.Back:
		k.follow(e.Rev)
		k.lists.back(e, k.Prefixes.Apply(event))
	case model.LeaseRead:
		k.leaseRead(e)
	case model.LeaseUnread:
		k.leaseUnread(e)
	case model.LeaseKeys:
		if !e.At.Before(k.Woke()) {
			k.leaseKeys(e)
		}
	case model.ClusterStatus:
		k.clusterStatus(e)
	case model.Slept:
		k.lists.slept(e)
	case model.Acted:
		k.acted(e.Outcome)
	}
}

// pass moves the time on and does what fell due.
func (k *Keyspace) pass(now time.Time) {
	if !now.After(k.now) {
		return
	}
	for {
		d, ok := k.nextDue(now)
		if !ok {
			break
		}
		k.now = d.at
		switch {
		case d.fact != nil:
			k.causes.giveUp(d.fact)
		case d.lock != nil:
			k.settling.forgetFree(d.lock)
		case d.check != nil:
			k.Mark(d.check)
		}
	}
	k.now = now
	for k.unexplained.len() > unexplainedMax {
		k.causes.giveUp(k.unexplained.pop().fact)
	}
}

// seen notes that the cluster has come to a revision.
func (k *Keyspace) seen(rev int64) { k.rev = max(k.rev, rev) }

// follow notes that the keys have come to a revision, and the cluster with them.
func (k *Keyspace) follow(rev int64) {
	k.keysRev = max(k.keysRev, rev)
	k.seen(rev)
}

// forgetCluster drops all that is known: the keys, leases and revisions of another cluster
// are other ones, even where they look the same. What happened stays in the journal.
func (k *Keyspace) forgetCluster() {
	old := *k
	*k = *newKeyspace(old.pins, old.Prefixes)
	k.now, k.round, k.version, k.witness = old.now, old.round, old.version+1, old.witness
	k.chronicle = old.chronicle
	k.chronicle.Forget()
}

// leaseRead takes a reading in.
func (k *Keyspace) leaseRead(e model.LeaseRead) {
	l := k.byID[e.ID]
	switch {
	case l == nil: // nothing hangs on it any more
	case e.At.Before(k.Woke()):
		k.causes.settlePending(l, e)
	case l.HasRead && e.At.Before(l.Read.At):
	case e.Granted > 0 && e.Remaining > e.Granted:
		k.readOdd(l, e)
	default:
		k.SeeTerm(e.Term, e.At)
		before := l.State()
		if e.Granted <= 0 && l.alive != nil { // its end was read before its keys were seen to go: what was read before that tells
			l.Read = *l.alive
		}
		k.causes.settlePending(l, e)
		k.read(l, e, before)
	}
}

// clusterStatus takes a round of status requests in, and writes what changed.
func (k *Keyspace) clusterStatus(e model.ClusterStatus) {
	for _, m := range e.Members {
		k.seen(m.Rev)
	}
	news, elected := k.Members.Apply(e)
	if elected {
		k.readAgain(e.At)
	}
	for _, text := range news {
		k.Record(&journal.Entry{At: e.At, Kind: journal.Member, Text: text})
	}
}

// Amend returns the entry to change in the place of one, wherever that stands: other states may
// have it too.
func Amend(k *Keyspace, f *journal.Entry) *journal.Entry { return k.amend(f) }

// Rev returns the last revision that is known of. The keys may be behind it: a member tells
// its revision when it is asked how it is.
func (k *Keyspace) Rev() int64 { return k.rev }

// KeysRev returns the revision up to which the keys are known, 0 before the first list. Where
// several prefixes are watched, it is that of the one that came furthest.
func (k *Keyspace) KeysRev() int64 { return k.keysRev }

// WorksSince returns since when nothing kept the observer from seeing the cluster work: it
// ran, and every watch was answered. Zero: from the start.
func (k *Keyspace) WorksSince() time.Time { return k.Prefixes.WorksSince(k.now) }

// TakeMarked yields every lock that was marked and marks none, until none is left. Some
// are forgotten by now.
func (k *Keyspace) TakeMarked(yield func(*Lock)) {
	for len(k.marked) > 0 {
		marked := k.marked
		k.marked = k.spare
		for _, l := range marked {
			l.marked = false
			k.countFew(l)
			k.notePace(l)
			yield(l)
		}
		clear(marked)
		k.spare = marked[:0]
	}
}

// countFew notes since when a lock has fewer claims than declared.
func (k *Keyspace) countFew(l *Lock) {
	switch want := k.Expected(l.Name); {
	case want == 0 || l.Own() >= want || !l.recipe.HasHolder:
		l.fewSince = time.Time{}
	case l.fewSince.IsZero():
		l.fewSince = k.now
	}
}

// Want returns what the state asks of its source now. Most needed first, in turns,
// so that a budget too small for the causes and the screen does not starve the
// rest.
func (k *Keyspace) Want() model.Want {
	if k.InHistory() { // a reading tells how a lease is now, and not how it was then
		return model.Want{WakeAt: k.wakeAt()}
	}
	causes := k.peek(classCause, wantMax)
	shown := k.peek(classShown, wantMax)
	seen := k.peek(classSeen, wantMax)
	rest := k.peek(classHead, wantMax)
	rest = append(rest, k.peek(classWaiter, wantMax-len(rest))...)
	hurry := len(causes) > 0
	var ids []model.LeaseID
	for len(ids) < wantMax && len(causes)+len(shown)+len(seen)+len(rest) > 0 {
		for _, turn := range []struct {
			from *[]model.LeaseID
			n    int
		}{{&causes, 2}, {&shown, 2}, {&seen, 1}, {&rest, 1}} {
			n := min(turn.n, len(*turn.from))
			ids = append(ids, (*turn.from)[:n]...)
			*turn.from = (*turn.from)[n:]
		}
	}
	return model.Want{Leases: ids, Keys: k.KeysNeeded(), Hurry: hurry, WakeAt: k.wakeAt()}
}

// listPart is how many keys are in a part of a list.
const listPart = 1000

// Beginning returns events from which another keyspace knows the keys, the leases and the
// members as they are now, so that it can go on from here. What only history tells, like since
// when a key is there, is not in them. No list may be under way.
func (k *Keyspace) Beginning() []model.Event {
	requested := model.Requested{At: k.now}
	for _, w := range k.Watches() {
		requested.Prefixes = append(requested.Prefixes, w.Prefix)
	}
	all := []model.Event{requested}
	if !k.Cluster().At.IsZero() {
		all = append(all, k.Cluster())
	}
	keys := slices.Sorted(maps.Keys(k.claims))
	for _, w := range k.Watches() {
		if w.WasListed() {
			all = append(all, k.listed(w, keys)...)
		}
		switch w.State {
		case prefixes.Live:
			all = append(all, model.Watching{At: w.SeenAt, Prefix: w.Prefix, Rev: w.Rev})
		case prefixes.Lost:
			all = append(all, model.Lost{At: w.Since, Prefix: w.Prefix, Reason: w.Reason, Detail: w.Detail})
		}
	}
	for _, l := range slices.SortedFunc(slices.Values(k.leaseList), func(a, b *Lease) int { return a.ID.Compare(b.ID) }) {
		switch {
		case l.Unread != "":
			all = append(all, model.LeaseUnread{At: k.now, ID: l.ID, Reason: l.Unread})
		case l.HasRead && len(l.claims) > 0:
			all = append(all, l.Read)
		}
	}
	return all
}

// listed is the list of a prefix as it stands now.
func (k *Keyspace) listed(w *prefixes.Watch, keys []string) []model.Event {
	from, _ := slices.BinarySearch(keys, w.Prefix)
	keys = keys[from:]
	if end := slices.IndexFunc(keys, func(key string) bool { return !strings.HasPrefix(key, w.Prefix) }); end >= 0 {
		keys = keys[:end]
	}
	all := []model.Event{model.LoadStarted{At: k.now, Prefix: w.Prefix, Rev: w.Rev}}
	done := int64(0)
	for part := range slices.Chunk(keys, listPart) {
		e := model.Listed{At: k.now, Prefix: w.Prefix, Rev: w.Rev, Total: int64(len(keys))}
		for _, key := range part {
			e.KVs = append(e.KVs, k.claims[key].KV)
		}
		done += int64(len(part))
		e.Done = done
		all = append(all, e)
	}
	return append(all, model.Loaded{At: k.now, Prefix: w.Prefix, Rev: w.Rev})
}
