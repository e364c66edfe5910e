package locks

import (
	"maps"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
)

// State is what the keys, the leases and the members say: every lock with its queue,
// and the journal of what happened. It is made of events, and knows nothing of rules. Of what the
// lab reports it knows whose a lease is. It is not safe for concurrent use: one goroutine applies and
// reads. Only of the locks that Locks returned several may read queues, claims, findings
// and identities while nobody applies.
type State struct {
	rev, keysRev int64

	// What answers. Each knows only those above it.
	Pins      *Pins
	Prefixes  *Prefixes
	Members   *Members
	scheduler *scheduler
	change    *currentChange
	Leases    *LeaseTable
	Keys      *Keys
	Owners    *Owners
	Journals  *Journals

	// These fold events into the parts above. Each knows those above it, too.
	causes      *attribution
	transitions *transitions
	commit      *commit
	lists       *lists
}

// NewState returns an empty state. Pins fix recipes by hand; the longest prefix
// that covers a key counts.
func NewState(all ...model.Pin) *State { return newState(&Pins{all}, newPrefixes()) }

// newState returns one in which each part knows those that it uses.
func newState(pinned *Pins, watched *Prefixes) *State {
	k := &State{Pins: pinned, Prefixes: watched, Members: &Members{}, scheduler: &scheduler{}, change: &currentChange{}}
	k.Leases = newLeaseTable(k.scheduler, k.change)
	k.Keys = newKeys(k.Pins, k.change)
	k.Owners = newOwners(k.Keys, k.Leases, k.change)
	k.Journals = &Journals{scheduler: k.scheduler, keys: k.Keys, change: k.change}
	k.causes = &attribution{members: k.Members, scheduler: k.scheduler, prefixes: k.Prefixes, keys: k.Keys, leases: k.Leases, change: k.change, owners: k.Owners, journals: k.Journals}
	k.transitions = &transitions{scheduler: k.scheduler, keys: k.Keys, leases: k.Leases, change: k.change, owners: k.Owners, journals: k.Journals, causes: k.causes, believed: map[string]bool{}}
	k.commit = &commit{scheduler: k.scheduler, keys: k.Keys, leases: k.Leases, change: k.change, causes: k.causes, transitions: k.transitions}
	k.lists = &lists{scheduler: k.scheduler, prefixes: k.Prefixes, keys: k.Keys, leases: k.Leases, change: k.change, journals: k.Journals,
		transitions: k.transitions, commit: k.commit, listings: map[string]*listing{}}
	return k
}

// Apply folds an event into the state, and returns what it changed, which is valid until the next
// one. First comes what time brought. Of the reports of the lab it takes in what the console did, and
// whose a lease is.
func (k *State) Apply(event model.Event) []Change {
	k.Journals.log.Trim()
	k.change.reset()
	k.pass(event.When())
	switch e := event.(type) {
	case model.Committed:
		k.advance(e.Rev)
		k.commit.apply(e, k.Prefixes.UnseenSince(e))
	case model.Requested:
		k.Prefixes.apply(event)
	case model.LoadStarted:
		k.noteRev(e.Rev)
		k.Prefixes.apply(event)
		delete(k.lists.listings, e.Prefix)
	case model.Listed:
		k.Prefixes.apply(event)
		k.lists.takeList(e)
	case model.Loaded:
		was := k.Prefixes.apply(event)
		if was.Rev > e.Rev { // restored from a backup
			k.rev, k.keysRev = 0, 0
			k.Leases.beginAnew()
		}
		k.advance(e.Rev)
		k.lists.loaded(e, was)
	case model.Watching:
		k.advance(e.Rev)
		k.lists.noteEndOfHistory(k.Prefixes.apply(event), e.At)
	case model.Lost:
		was := k.Prefixes.apply(event)
		if e.Reason == model.LostCluster {
			k.forgetCluster()
		}
		k.lists.lost(e, was)
	case model.Back:
		k.advance(e.Rev)
		k.lists.back(e, k.Prefixes.apply(event))
	case model.LeaseRead:
		k.scheduler.answers++
		k.leaseRead(e)
	case model.LeaseUnread:
		k.scheduler.answers++
		k.Leases.leaseUnread(e)
	case model.LeaseKeys:
		if !e.At.Before(k.Prefixes.Woke()) {
			k.Leases.leaseKeys(e)
		}
	case model.ClusterStatus:
		k.clusterStatus(e)
	case model.Slept:
		k.lists.slept(e)
	case model.Acted:
		k.Journals.acted(e.Outcome)
	case model.LeaseOwner:
		k.Owners.reported(e)
	case model.Contender:
		k.Keys.plays(e.Lock)
	case model.Watches:
		k.Keys.watchedBy(e)
	case model.Belief:
		k.Keys.plays(e.Lock)
		if e.Lease != 0 {
			k.Owners.reported(model.LeaseOwner{At: e.At, Lease: e.Lease, Client: model.Client{Name: e.Contender, Certain: true}})
		}
	}
	return k.change.all
}

// Write takes in what later parts know: lines for the journal, why claims went, and which locks
// clients believe they hold.
func (k *State) Write(changes []Change) {
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case Happened:
			k.Journals.write(c.Entry)
		case Explained:
			k.causes.takeExplanation(c.Entry, c.Why)
		case Believed:
			k.transitions.believed[c.Name] = true
		case Doubted:
			delete(k.transitions.believed, c.Name)
		}
	}
}

// pass moves the time on and does what fell due.
func (k *State) pass(now time.Time) {
	if !now.After(k.scheduler.now) {
		return
	}
	for {
		f, until := k.Journals.log.FirstWaiting()
		upTo := now
		if f != nil && until.Before(now) {
			upTo = until
		}
		if d, ok := k.scheduler.nextDue(upTo); ok {
			k.scheduler.now = d.at
			if d.lock != nil {
				k.transitions.forgetFree(d.lock)
			} else {
				k.change.due(d.check)
			}
			continue
		}
		if f == nil || until.After(now) {
			break
		}
		k.scheduler.now = until
		k.causes.giveUp(k.Journals.log.EndWait())
	}
	k.scheduler.now = now
	for k.Journals.log.Waiting() > unexplainedMax {
		k.causes.giveUp(k.Journals.log.EndWait())
	}
}

// unexplainedMax is how many entries may wait for a reading. More come only when
// thousands of claims go in a second, of which a budget for readings reaches very few;
// those that waited longest have then left the journal.
const unexplainedMax = journal.Max

// noteRev notes that the cluster has come to a revision.
func (k *State) noteRev(rev int64) { k.rev = max(k.rev, rev) }

// advance notes that the keys have come to a revision, and the cluster with them.
func (k *State) advance(rev int64) {
	k.keysRev = max(k.keysRev, rev)
	k.noteRev(rev)
}

// forgetCluster drops all that is known: the keys, leases and revisions of another cluster
// are other ones, even where they look the same. What happened stays in the journal.
func (k *State) forgetCluster() {
	old := *k
	*k = *newState(old.Pins, old.Prefixes)
	k.scheduler.now, k.change.event, k.change.round, k.Keys.noValues = old.scheduler.now, old.change.event, old.change.round, old.Keys.noValues
	k.Journals.log = old.Journals.log
	k.Journals.log.Forget()
}

// leaseRead takes a reading in.
func (k *State) leaseRead(e model.LeaseRead) {
	l := k.Leases.byID[e.ID]
	switch {
	case l == nil: // nothing hangs on it any more
	case e.At.Before(k.Prefixes.Woke()):
		k.causes.settlePending(l, e)
	case l.HasRead && e.At.Before(l.Read.At):
	case e.Granted > 0 && e.Remaining > e.Granted:
		k.Leases.readOdd(l, e)
	default:
		k.Members.SeeTerm(e.Term, e.At)
		before := l.State()
		if e.Granted <= 0 { // its end may have been read before its keys were seen to go: what was read before that tells
			l.Read = l.lastAlive()
		}
		k.causes.settlePending(l, e)
		k.Leases.read(l, e, before)
	}
}

// clusterStatus takes a round of status requests in, and writes what changed.
func (k *State) clusterStatus(e model.ClusterStatus) {
	for _, m := range e.Members {
		k.noteRev(m.Rev)
	}
	news, back := k.Members.Apply(e)
	if back {
		k.Leases.readAgain(e.At)
	}
	for _, line := range news {
		k.Journals.Record(&journal.Entry{At: e.At, Kind: journal.Member, Text: line})
	}
}

// Now returns the time of the last event.
func (k *State) Now() time.Time { return k.scheduler.Now() }

// Rev returns the last revision that is known of. The keys may be behind it: a member tells
// its revision when it is asked how it is.
func (k *State) Rev() int64 { return k.rev }

// KeysRev returns the revision up to which the keys are known, 0 before the first list. Where
// several prefixes are watched, it is that of the one that came furthest.
func (k *State) KeysRev() int64 { return k.keysRev }

// WorksSince returns since when nothing kept the observer from seeing the cluster work: it
// ran, and every watch was answered. Zero: from the start.
func (k *State) WorksSince() time.Time { return k.Prefixes.WorksSince(k.scheduler.now) }

// Want returns what the state asks of its source now. Most needed first, in turns,
// so that a budget too small for the causes and the screen does not starve the
// rest. With each answer the next turn comes first: where locks change hands faster than
// readings may be made, a source takes no more than the first of what is wanted at a time.
func (k *State) Want() model.Want {
	if k.Prefixes.InHistory() { // a reading tells how a lease is now, and not how it was then
		return model.Want{WakeAt: k.scheduler.wakeAt(k.waits())}
	}
	causes := k.scheduler.peek(classCause, wantMax)
	shown := k.scheduler.peek(classShown, wantMax)
	seen := k.scheduler.peek(classSeen, wantMax)
	rest := k.scheduler.peek(classHead, wantMax)
	rest = append(rest, k.scheduler.peek(classWaiter, wantMax-len(rest))...)
	hurry := len(causes) > 0
	var turns []*[]model.LeaseID
	for _, of := range []struct {
		due *[]model.LeaseID
		n   int
	}{{&causes, 2}, {&shown, 2}, {&seen, 1}, {&rest, 1}} {
		if len(*of.due) > 0 {
			turns = append(turns, slices.Repeat([]*[]model.LeaseID{of.due}, of.n)...)
		}
	}
	var ids []model.LeaseID
	for i := k.scheduler.answers; len(ids) < wantMax && len(causes)+len(shown)+len(seen)+len(rest) > 0; i++ {
		if due := turns[i%len(turns)]; len(*due) > 0 {
			ids, *due = append(ids, (*due)[0]), (*due)[1:]
		}
	}
	return model.Want{Leases: ids, Keys: k.Leases.KeysNeeded(), Hurry: hurry, WakeAt: k.scheduler.wakeAt(k.waits())}
}

// waits returns up to when the first entry waits for its cause, zero if none does.
func (k *State) waits() time.Time {
	_, at := k.Journals.log.FirstWaiting()
	return at
}

// listPart is how many keys are in a part of a list.
const listPart = 1000

// Checkpoint returns events from which another state knows the keys, the leases and the
// members as they are now, so that it can go on from here. What only history tells, like since
// when a key is there, is not in them. No list may be under way.
func (k *State) Checkpoint() []model.Event {
	requested := model.Requested{At: k.scheduler.now}
	for _, w := range k.Prefixes.Watches() {
		requested.Prefixes = append(requested.Prefixes, w.Prefix)
	}
	all := []model.Event{requested}
	if !k.Members.Cluster().At.IsZero() {
		all = append(all, k.Members.Cluster())
	}
	keys := slices.Sorted(maps.Keys(k.Keys.claims))
	for _, w := range k.Prefixes.Watches() {
		if w.WasListed() {
			all = append(all, k.listed(w, keys)...)
		}
		switch w.State {
		case Live:
			all = append(all, model.Watching{At: w.SeenAt, Prefix: w.Prefix, Rev: w.Rev})
		case Lost:
			all = append(all, model.Lost{At: w.Since, Prefix: w.Prefix, Reason: w.Reason, Detail: w.Detail})
		}
	}
	for _, l := range slices.SortedFunc(slices.Values(k.Leases.leaseList), func(a, b *Lease) int { return a.ID.Compare(b.ID) }) {
		switch {
		case !l.Unread.IsZero():
			all = append(all, model.LeaseUnread{At: k.scheduler.now, ID: l.ID, Reason: l.Unread})
		case l.HasRead && len(l.claims) > 0:
			all = append(all, l.Read)
		}
	}
	return append(all, k.Owners.checkpoint()...)
}

// listed is the list of a prefix as it stands now.
func (k *State) listed(w *Watch, keys []string) []model.Event {
	from, _ := slices.BinarySearch(keys, w.Prefix)
	keys = keys[from:]
	if end := slices.IndexFunc(keys, func(key string) bool { return !strings.HasPrefix(key, w.Prefix) }); end >= 0 {
		keys = keys[:end]
	}
	all := []model.Event{model.LoadStarted{At: k.scheduler.now, Prefix: w.Prefix, Rev: w.Rev}}
	done := int64(0)
	for part := range slices.Chunk(keys, listPart) {
		e := model.Listed{At: k.scheduler.now, Prefix: w.Prefix, Rev: w.Rev, Total: int64(len(keys))}
		for _, key := range part {
			e.KVs = append(e.KVs, k.Keys.claims[key].KV)
		}
		done += int64(len(part))
		e.Done = done
		all = append(all, e)
	}
	return append(all, model.Loaded{At: k.scheduler.now, Prefix: w.Prefix, Rev: w.Rev})
}
