package model

import (
	"slices"
	"strings"
	"time"

	"locktop/model/recipe"
)

// State is everything that is known, folded from batches. It is not safe for
// concurrent use: one goroutine applies and reads. Only of the locks that Locks returned
// several may read queues, claims, findings and identities while nobody applies.
type State struct {
	pins      []Pin
	key       recipe.Key // the one that is shown to recipes
	now       time.Time
	claims    map[string]*Claim // every watched key
	dirs      map[string]*dir
	near      *dir   // that was asked for last: keys come in their order
	maxKey    string // no key that was ever there comes behind it
	infos     int    // how many keys lockInfo could read
	leases    map[LeaseID]*Lease
	leaseList []*Lease // the same, to go through
	missed    int      // how many of them missed a renewal at a third of their TTL, by the last reading
	order     []*Lock  // every lock, sorted by name unless unsorted
	dirty     bool     // order needs sorting
	own       int      // claims in all

	journal        []*JournalEntry
	entrySeq       uint64
	journalVersion uint64
	acts           []Outcome

	due         [classCount]leaseHeap
	focused     []*Lease
	deadlines   deadlineHeap
	unexplained line // of entries whose cause waits for a reading
	deadlineSeq uint64

	feeds   map[string]*PrefixWatch
	gen     uint64 // of lists
	cluster ClusterStatus
	rev     int64
	lab     labState

	marked          []*Lock     // their findings are to be derived anew
	spareMarked     []*Lock     // memory for the next marked
	context         ruleContext // memory for the one that is under way
	troubled        map[*Lock]struct{}
	clusterFindings []Finding
	suspects        []*Lease // sessions with several claims that changed
	cyclesStale     bool
	cyclic          []*Lock
	lateLeases      map[*Lease]struct{}
	overdueLeases   map[*Lease]struct{}
	term            uint64
	leaderSince     time.Time  // of the last change of leader that was seen
	early           []earlyEnd // healthy leases that ended early, of the last seconds
	past            bool       // the commit at hand is from etcd's history
	priorRev        int64      // the highest revision that the round of status before told
	leaderless      int        // rounds of status in which no member knew a leader

	version      uint64 // of the last change of any lock
	marks        uint64 // of settlings
	free         int    // locks remembered without claims
	otherCluster string
	touched      []*Lock
	gone         []gone
	came         []*Claim
}

// gone is a key that a revision took.
type gone struct {
	claim *Claim
	lease *Lease
	lock  *Lock
	place int
	head  bool
	// judged: the lock's recipe said who held.
	judged bool
}

// NewState returns an empty state. Pins fix recipes by hand; the longest prefix
// that covers a key counts.
func NewState(pins ...Pin) *State {
	return &State{
		pins:   pins,
		claims: map[string]*Claim{},
		dirs:   map[string]*dir{},
		leases: map[LeaseID]*Lease{},
		feeds:  map[string]*PrefixWatch{},
		lab:    newLabState(),

		troubled:      map[*Lock]struct{}{},
		lateLeases:    map[*Lease]struct{}{},
		overdueLeases: map[*Lease]struct{}{},
	}
}

// Apply folds a batch into the state.
func (s *State) Apply(b Batch) {
	for _, e := range b.Events {
		s.pass(e.When())
		s.apply(e)
		s.diagnose()
	}
}

func (s *State) apply(e Event) {
	switch e := e.(type) {
	case Committed:
		s.commit(e)
	case Requested:
		s.requested(e)
	case LoadStarted:
		s.loadStarted(e)
	case Listed:
		s.listed(e)
	case Loaded:
		s.loaded(e)
	case Watching:
		s.watching(e)
	case Lost:
		s.lost(e)
	case Back:
		s.back(e)
	case LeaseRead:
		s.leaseRead(e)
	case LeaseUnread:
		s.leaseUnread(e)
	case ClusterStatus:
		s.clusterStatus(e)
	case Tick:
	default:
		s.lab.apply(s, e)
	}
}

// Now returns the time of the last event.
func (s *State) Now() time.Time { return s.now }

// Rev returns the last revision that is known of.
func (s *State) Rev() int64 { return s.rev }

// Version rises with every change of any lock: see [Lock.Version].
func (s *State) Version() uint64 { return s.version }

// Locks returns every lock by name, the free ones that are still remembered
// included. The slice is the state's own and valid until the next Apply.
func (s *State) Locks() []*Lock {
	if s.dirty {
		s.order = slices.DeleteFunc(s.order, func(l *Lock) bool { return !l.listed })
		slices.SortFunc(s.order, func(a, b *Lock) int { return strings.Compare(a.Name, b.Name) })
		s.dirty = false
	}
	return s.order
}

// Lock returns the lock of that name, nil if there is none.
func (s *State) Lock(name string) *Lock {
	if d := s.dirs[name]; d != nil && d.lock != nil && d.lock.listed {
		return d.lock
	}
	return nil
}

// Claim returns the watched key of that name, nil if there is none.
func (s *State) Claim(key string) *Claim { return s.claims[key] }

// Lease returns what is known of a lease, nil if nothing is.
func (s *State) Lease(id LeaseID) *Lease { return s.leases[id] }

// Counts returns the numbers of watched keys, and of those that are claims of a
// lock.
func (s *State) Counts() (keys, claims int) { return len(s.claims), s.own }

// Cluster returns the last round of status requests.
func (s *State) Cluster() ClusterStatus { return s.cluster }

func (s *State) seen(rev int64) { s.rev = max(s.rev, rev) }

// commit applies one revision as a whole.
func (s *State) commit(e Committed) {
	s.seen(e.Rev)
	s.past = e.Past
	defer func() { s.past = false }()
	s.begin()
	for _, ch := range e.Changes {
		if ch.Deleted {
			if c := s.claims[ch.KV.Key]; c != nil && c.ModRev <= ch.KV.ModRev {
				s.take(c)
			}
			continue
		}
		s.put(ch.KV, e.At, e.Past)
	}
	s.compareWithBefore(e.At, e.Rev, false)
}

// begin starts a settling: what is touched from here on is compared with now.
func (s *State) begin() {
	s.marks++
	s.touched, s.gone, s.came = s.touched[:0], s.gone[:0], s.came[:0]
}

// touch notes the head of a lock before the settling changes it.
func (s *State) remember(l *Lock) {
	if l.mark != s.marks {
		l.mark = s.marks
		l.headAtMark = l.queue.first()
		l.headRef = refOf(l.headAtMark)
		l.heldAtMark = l.Holder() != nil
		l.holdsAtMark = l.holds
		l.headGone = 0
		s.touched = append(s.touched, l)
	}
}

func (s *State) changed(l *Lock) {
	s.version++
	l.version = s.version
	s.mark(l)
}

// put takes a key in as it is now; listed if it comes from a list or from history, and
// not from a revision that was seen as it happened.
func (s *State) put(kv KV, at time.Time, listed bool) *Claim {
	var c *Claim
	if kv.Key <= s.maxKey { // a list comes in key order: most of it needs no search
		c = s.claims[kv.Key]
	}
	if c != nil && c.CreateRev != kv.CreateRev && c.ModRev < kv.ModRev {
		s.take(c) // deleted and created again, unseen or in one transaction
		c = nil
	}
	switch {
	case c == nil:
		return s.create(kv, at, listed)
	case c.ModRev < kv.ModRev:
		s.rewrite(c, kv)
	}
	return c
}

func (s *State) create(kv KV, at time.Time, listed bool) *Claim {
	c := &Claim{KV: kv, Since: at, SinceAtLeast: listed}
	s.claims[kv.Key] = c
	s.maxKey = max(s.maxKey, kv.Key)
	s.countInfo(c, 1)
	s.attach(c)
	if path, _, ok := split(kv.Key); ok {
		c.dir = s.dirAt(path)
		for d := c.dir; d != nil; d = d.parent {
			d.keys++
		}
	}
	s.enter(c)
	s.noteMulti(c.lease) // scheduled by settle, when it is known whether c is a head
	s.came = append(s.came, c)
	return c
}

// take removes a key. Its lease stays until the settling has asked why it went.
func (s *State) take(c *Claim) {
	g := gone{claim: c, lease: c.lease, lock: c.Lock()}
	if g.lock != nil {
		s.remember(g.lock)
		g.place = g.lock.queue.rank(c)
		g.head = g.lock.headAtMark == c
		g.judged = g.lock.recipe.HasHolder
	}
	s.leave(c)
	s.setHead(c, false)
	s.detach(c)
	if g.lease != nil {
		g.lease.going++
	}
	delete(s.claims, c.Key)
	s.countInfo(c, -1)
	for d := c.dir; d != nil; d = d.parent {
		d.keys--
	}
	s.gone = append(s.gone, g)
	if g.head {
		g.lock.headGone = len(s.gone)
	}
}

// setHead notes whether c is the head of its own lock, for its lease.
func (s *State) setHead(c *Claim, head bool) {
	if c.head == head {
		return
	}
	c.head = head
	if c.lease == nil {
		return
	}
	if head {
		c.lease.heads++
	} else {
		c.lease.heads--
	}
}

// rewrite takes a later put of the same key in.
func (s *State) rewrite(c *Claim, kv KV) {
	s.leave(c)
	s.setHead(c, false) // settled again at the end of the revision
	old := c.lease
	moved := c.KV.Lease != kv.Lease
	if moved {
		s.detach(c)
	}
	c.KV = kv
	if moved {
		s.attach(c)
		if old != nil {
			s.noteMulti(old)
			s.releaseLease(old)
		}
	}
	s.enter(c)
	s.leaseChanged(c.lease)
}

// leaseChanged follows up on a change of the claims that hang on a lease.
func (s *State) leaseChanged(l *Lease) {
	if l != nil {
		s.schedule(l)
		s.noteMulti(l)
	}
}
