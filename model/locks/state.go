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
func (s *State) Apply(event model.Event) []Change {
	s.Journals.log.Trim()
	s.change.reset()
	s.pass(event.When())
	switch e := event.(type) {
	case model.Committed:
		s.advance(e.Rev)
		s.commit.apply(e, s.Prefixes.UnseenSince(e))
	case model.Requested:
		s.Prefixes.apply(event)
	case model.LoadStarted:
		s.noteRev(e.Rev)
		s.Prefixes.apply(event)
		delete(s.lists.listings, e.Prefix)
	case model.Listed:
		s.Prefixes.apply(event)
		s.lists.takeList(e)
	case model.Loaded:
		was := s.Prefixes.apply(event)
		if was.Rev > e.Rev { // restored from a backup
			s.rev, s.keysRev = 0, 0
			s.Leases.beginAnew()
		}
		s.advance(e.Rev)
		s.lists.loaded(e, was)
	case model.Watching:
		s.advance(e.Rev)
		s.lists.noteEndOfHistory(s.Prefixes.apply(event), e.At)
	case model.Lost:
		was := s.Prefixes.apply(event)
		if e.Reason == model.LostCluster {
			s.forgetCluster()
		}
		s.lists.lost(e, was)
	case model.Back:
		s.advance(e.Rev)
		s.lists.back(e, s.Prefixes.apply(event))
	case model.LeaseRead:
		s.scheduler.answers++
		s.leaseRead(e)
	case model.LeaseUnread:
		s.scheduler.answers++
		s.Leases.leaseUnread(e)
	case model.LeaseKeys:
		if !e.At.Before(s.Prefixes.Woke()) {
			s.Leases.leaseKeys(e)
		}
	case model.ClusterStatus:
		s.clusterStatus(e)
	case model.Slept:
		s.lists.slept(e)
	case model.Acted:
		s.Journals.acted(e.Outcome)
	case model.LeaseOwner:
		s.Owners.reported(e)
	case model.Contender:
		s.Keys.plays(e.Lock)
	case model.Watches:
		s.Keys.watchedBy(e)
	case model.Belief:
		s.Keys.plays(e.Lock)
		if e.Lease != 0 {
			s.Owners.reported(model.LeaseOwner{At: e.At, Lease: e.Lease, Client: model.Client{Name: e.Contender, Certain: true}})
		}
	}
	return s.change.all
}

// Write takes in what later parts know: lines for the journal, why claims went, and which locks
// clients believe they hold.
func (s *State) Write(changes []Change) {
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case Happened:
			s.Journals.write(c.Entry)
		case Explained:
			s.causes.takeExplanation(c.Entry, c.Why)
		case Believed:
			s.transitions.believed[c.Name] = true
		case Doubted:
			delete(s.transitions.believed, c.Name)
		}
	}
}

// pass moves the time on and does what fell due.
func (s *State) pass(now time.Time) {
	if !now.After(s.scheduler.now) {
		return
	}
	for {
		f, until := s.Journals.log.FirstWaiting()
		upTo := now
		if f != nil && until.Before(now) {
			upTo = until
		}
		if d, ok := s.scheduler.nextDue(upTo); ok {
			s.scheduler.now = d.at
			if d.lock != nil {
				s.transitions.forgetFree(d.lock)
			} else {
				s.change.due(d.check)
			}
			continue
		}
		if f == nil || until.After(now) {
			break
		}
		s.scheduler.now = until
		s.causes.giveUp(s.Journals.log.EndWait())
	}
	s.scheduler.now = now
	for s.Journals.log.Waiting() > unexplainedMax {
		s.causes.giveUp(s.Journals.log.EndWait())
	}
}

// unexplainedMax is how many entries may wait for a reading. More come only when
// thousands of claims go in a second, of which a budget for readings reaches very few;
// those that waited longest have then left the journal.
const unexplainedMax = journal.Max

// noteRev notes that the cluster has come to a revision.
func (s *State) noteRev(rev int64) { s.rev = max(s.rev, rev) }

// advance notes that the keys have come to a revision, and the cluster with them.
func (s *State) advance(rev int64) {
	s.keysRev = max(s.keysRev, rev)
	s.noteRev(rev)
}

// forgetCluster drops all that is known: the keys, leases and revisions of another cluster
// are other ones, even where they look the same. What happened stays in the journal.
func (s *State) forgetCluster() {
	old := *s
	*s = *newState(old.Pins, old.Prefixes)
	s.scheduler.now, s.change.event, s.change.round, s.Keys.noValues = old.scheduler.now, old.change.event, old.change.round, old.Keys.noValues
	s.Journals.log = old.Journals.log
	s.Journals.log.Forget()
}

// leaseRead takes a reading in.
func (s *State) leaseRead(e model.LeaseRead) {
	l := s.Leases.byID[e.ID]
	switch {
	case l == nil: // nothing hangs on it any more
	case e.At.Before(s.Prefixes.Woke()):
		s.causes.settlePending(l, e)
	case l.HasRead && e.At.Before(l.Read.At):
	case e.Granted > 0 && e.Remaining > e.Granted:
		s.Leases.readOdd(l, e)
	default:
		s.Members.SeeTerm(e.Term, e.At)
		before := l.State()
		if e.Granted <= 0 { // its end may have been read before its keys were seen to go: what was read before that tells
			l.Read = l.lastAlive()
		}
		s.causes.settlePending(l, e)
		s.Leases.read(l, e, before)
	}
}

// clusterStatus takes a round of status requests in, and writes what changed.
func (s *State) clusterStatus(e model.ClusterStatus) {
	for _, m := range e.Members {
		s.noteRev(m.Rev)
	}
	news, back := s.Members.Apply(e)
	if back {
		s.Leases.readAgain(e.At)
	}
	for _, line := range news {
		s.Journals.Record(&journal.Entry{At: e.At, Kind: journal.Member, Text: line})
	}
}

// Now returns the time of the last event.
func (s *State) Now() time.Time { return s.scheduler.Now() }

// Rev returns the last revision that is known of. The keys may be behind it: a member tells
// its revision when it is asked how it is.
func (s *State) Rev() int64 { return s.rev }

// KeysRev returns the revision up to which the keys are known, 0 before the first list. Where
// several prefixes are watched, it is that of the one that came furthest.
func (s *State) KeysRev() int64 { return s.keysRev }

// WorksSince returns since when nothing kept the observer from seeing the cluster work: it
// ran, and every watch was answered. Zero: from the start.
func (s *State) WorksSince() time.Time { return s.Prefixes.WorksSince(s.scheduler.now) }

// Want returns what the state asks of its source now. Most needed first, in turns,
// so that a budget too small for the causes and the screen does not starve the
// rest. With each answer the next turn comes first: where locks change hands faster than
// readings may be made, a source takes no more than the first of what is wanted at a time.
func (s *State) Want() model.Want {
	if s.Prefixes.InHistory() { // a reading tells how a lease is now, and not how it was then
		return model.Want{WakeAt: s.scheduler.wakeAt(s.waits())}
	}
	causes := s.scheduler.peek(classCause, wantMax)
	shown := s.scheduler.peek(classShown, wantMax)
	seen := s.scheduler.peek(classSeen, wantMax)
	rest := s.scheduler.peek(classHead, wantMax)
	rest = append(rest, s.scheduler.peek(classWaiter, wantMax-len(rest))...)
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
	for i := s.scheduler.answers; len(ids) < wantMax && len(causes)+len(shown)+len(seen)+len(rest) > 0; i++ {
		if due := turns[i%len(turns)]; len(*due) > 0 {
			ids, *due = append(ids, (*due)[0]), (*due)[1:]
		}
	}
	return model.Want{Leases: ids, Keys: s.Leases.KeysNeeded(), Hurry: hurry, WakeAt: s.scheduler.wakeAt(s.waits())}
}

// waits returns up to when the first entry waits for its cause, zero if none does.
func (s *State) waits() time.Time {
	_, at := s.Journals.log.FirstWaiting()
	return at
}

// listPart is how many keys are in a part of a list.
const listPart = 1000

// Checkpoint returns events from which another state knows the keys, the leases and the
// members as they are now, so that it can go on from here. What only history tells, like since
// when a key is there, is not in them. No list may be under way.
func (s *State) Checkpoint() []model.Event {
	requested := model.Requested{At: s.scheduler.now}
	for _, w := range s.Prefixes.Watches() {
		requested.Prefixes = append(requested.Prefixes, w.Prefix)
	}
	all := []model.Event{requested}
	if !s.Members.Cluster().At.IsZero() {
		all = append(all, s.Members.Cluster())
	}
	keys := slices.Sorted(maps.Keys(s.Keys.claims))
	for _, w := range s.Prefixes.Watches() {
		if w.WasListed() {
			all = append(all, s.listed(w, keys)...)
		}
		switch w.State {
		case Live:
			all = append(all, model.Watching{At: w.SeenAt, Prefix: w.Prefix, Rev: w.Rev})
		case Lost:
			all = append(all, model.Lost{At: w.Since, Prefix: w.Prefix, Reason: w.Reason, Detail: w.Detail})
		}
	}
	for _, l := range slices.SortedFunc(slices.Values(s.Leases.leaseList), func(a, b *Lease) int { return a.ID.Compare(b.ID) }) {
		switch {
		case !l.Unread.IsZero():
			all = append(all, model.LeaseUnread{At: s.scheduler.now, ID: l.ID, Reason: l.Unread})
		case l.HasRead && len(l.claims) > 0:
			all = append(all, l.Read)
		}
	}
	return append(all, s.Owners.checkpoint()...)
}

// listed is the list of a prefix as it stands now.
func (s *State) listed(w *Watch, keys []string) []model.Event {
	from, _ := slices.BinarySearch(keys, w.Prefix)
	keys = keys[from:]
	if end := slices.IndexFunc(keys, func(key string) bool { return !strings.HasPrefix(key, w.Prefix) }); end >= 0 {
		keys = keys[:end]
	}
	all := []model.Event{model.LoadStarted{At: s.scheduler.now, Prefix: w.Prefix, Rev: w.Rev}}
	done := int64(0)
	for part := range slices.Chunk(keys, listPart) {
		e := model.Listed{At: s.scheduler.now, Prefix: w.Prefix, Rev: w.Rev, Total: int64(len(keys))}
		for _, key := range part {
			e.KVs = append(e.KVs, s.Keys.claims[key].KV)
		}
		done += int64(len(part))
		e.Done = done
		all = append(all, e)
	}
	return append(all, model.Loaded{At: s.scheduler.now, Prefix: w.Prefix, Rev: w.Rev})
}
