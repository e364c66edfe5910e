package model

import (
	"slices"
	"strings"
	"time"

	"locktop/model/recipe"
)

// Keyspace is what the keys, the leases and the members say: every lock with its queue,
// and the journal of what happened. It is folded from events, and knows nothing of rules
// or of what the lab reports. It is not safe for concurrent use: one goroutine applies and
// reads. Only of the locks that Locks returned several may read queues, claims, findings
// and identities while nobody applies.
type Keyspace struct {
	pins    []Pin
	witness Witness
	now     time.Time
	rev     int64
	version uint64 // of the last change of any lock

	Prefixes
	Keys
	locks
	LeaseBook
	agenda
	Chronicle
	Members
	settling
	habits habits
	Marks
}

// Keys are the watched keys and the directories in which they stand.
type Keys struct {
	shownKey recipe.Key        // the one that is shown to recipes
	claims   map[string]*Claim // every watched key
	dirs     map[string]*dir
	near     *dir   // that was asked for last: keys come in their order
	maxKey   string // no key that was ever there comes behind it
	infos    int    // how many keys lockInfo could read
	own      int    // claims in all
}

// locks are what the keys make of the directories.
type locks struct {
	order []*Lock // every lock, sorted by name unless dirty
	dirty bool
	free  int // locks remembered without claims
}

// settling is what an event changed of the keys. It is kept until the next one.
type settling struct {
	Settled
	round   uint64 // of settlings
	touched []*Lock
	gone    []gone
	owners  int             // what severalOwners has counted, two at most
	request string          // how it is said that one request took them
	parts   []*JournalEntry // memory of wentTogether, empty between revisions
	past    bool            // the commit at hand is from etcd's history
	timed   bool            // what happens now was seen as it happened
}

// Settled is what the last event changed of the keys.
type Settled struct {
	At   time.Time
	Rev  int64    // 0 if that is not known
	Came []*Claim // some may have gone in the same revision
	// Unheld are the claims that do not hold any more, and did not go.
	Unheld []Unheld
}

// Unheld is a claim that stopped to hold and stays, and since when it had held.
type Unheld struct {
	Who     ClaimRef // its key may be another's by now
	Claim   *Claim
	Lock    *Lock
	Since   time.Time
	AtLeast bool
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

// Witness tells what the keys do not: what others report of them.
type Witness interface {
	// Owner returns the name of the client whose lease it is.
	Owner(id LeaseID) (name string, known bool)
	// Believed says whether anybody believes that he holds the lock: then it is not
	// forgotten, though it has no keys.
	Believed(lock string) bool
	// Explain fills in the cause of an entry if somebody saw what took the claim.
	Explain(f *JournalEntry) bool
}

// nobody is the witness where there is none.
type nobody struct{}

func (nobody) Owner(LeaseID) (string, bool) { return "", false }
func (nobody) Believed(string) bool         { return false }
func (nobody) Explain(*JournalEntry) bool   { return false }

// NewKeyspace returns an empty keyspace. Pins fix recipes by hand; the longest prefix
// that covers a key counts.
func NewKeyspace(pins ...Pin) *Keyspace {
	return &Keyspace{
		pins:      pins,
		witness:   nobody{},
		Prefixes:  Prefixes{watches: map[string]*PrefixWatch{}},
		Keys:      Keys{claims: map[string]*Claim{}, dirs: map[string]*dir{}},
		LeaseBook: LeaseBook{byID: map[LeaseID]*Lease{}, late: map[*Lease]struct{}{}, overdue: map[*Lease]struct{}{}},
	}
}

// SetWitness names whom the keyspace asks about what the keys do not tell.
func (k *Keyspace) SetWitness(w Witness) { k.witness = w }

// Apply folds an event into the keyspace. It says nothing about the reports of the lab,
// but for what the console did.
func (k *Keyspace) Apply(e Event) {
	k.trimJournal()
	k.pass(e.When())
	k.Came, k.Unheld, k.touched, k.gone = k.Came[:0], k.Unheld[:0], k.touched[:0], k.gone[:0]
	k.owners = 0
	switch e := e.(type) {
	case Committed:
		k.commit(e)
	case Requested:
		k.requested(e)
	case LoadStarted:
		k.loadStarted(e)
	case Listed:
		k.takeList(e)
	case Loaded:
		k.loaded(e)
	case Watching:
		k.watching(e)
	case Lost:
		k.lost(e)
	case Back:
		k.back(e)
	case LeaseRead:
		k.leaseRead(e)
	case LeaseUnread:
		k.leaseUnread(e)
	case LeaseKeys:
		k.leaseKeys(e)
	case ClusterStatus:
		k.clusterStatus(e)
	case Slept:
		k.slept(e)
	case Acted:
		k.acted(e.Outcome)
	}
}

// Settled returns what the last event changed of the keys; it is valid until the next.
func (k *Keyspace) Settled() *Settled { return &k.settling.Settled }

// Gone yields the keys that the last event took, each with the lock for which it competed,
// nil for none.
func (k *Keyspace) Gone(yield func(*Claim, *Lock) bool) {
	for _, g := range k.gone {
		if !yield(g.claim, g.lock) {
			return
		}
	}
}

// Touched returns the locks whose queues the last event changed.
func (k *Keyspace) Touched() []*Lock { return k.touched }

// Now returns the time of the last event.
func (k *Keyspace) Now() time.Time { return k.now }

// Rev returns the last revision that is known of.
func (k *Keyspace) Rev() int64 { return k.rev }

// Version rises with every change of any lock: see [Lock.Version].
func (k *Keyspace) Version() uint64 { return k.version }

// Locks returns every lock by name, the free ones that are still remembered
// included. The slice is the state's own and valid until the next Apply.
func (k *Keyspace) Locks() []*Lock {
	if k.dirty {
		k.order = slices.DeleteFunc(k.order, func(l *Lock) bool { return !l.listed })
		slices.SortFunc(k.order, func(a, b *Lock) int { return strings.Compare(a.Name, b.Name) })
		k.dirty = false
	}
	return k.order
}

// Lock returns the lock of that name, nil if there is none.
func (k *Keys) Lock(name string) *Lock {
	if d := k.dirs[name]; d != nil && d.lock != nil && d.lock.listed {
		return d.lock
	}
	return nil
}

// Claim returns the watched key of that name, nil if there is none.
func (k *Keys) Claim(key string) *Claim { return k.claims[key] }

// Lease returns what is known of a lease, nil if nothing is.
func (b *LeaseBook) Lease(id LeaseID) *Lease { return b.byID[id] }

// Counts returns the numbers of watched keys, and of those that are claims of a
// lock.
func (k *Keys) Counts() (keys, claims int) { return len(k.claims), k.own }
