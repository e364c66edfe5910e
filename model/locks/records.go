package locks

import (
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/recipe"
)

// Claim is one key in a lock's queue, or a key under a lock's name that is no
// claim of its own but is counted by the recipe all the same.
type Claim struct {
	model.KV
	// Since is when it appeared. SinceAtLeast: it was there before we looked.
	Since        time.Time
	SinceAtLeast bool

	// There are as many of these as keys: what is added here is paid for every one.
	form     recipe.FormID
	gotLate  bool   // it held before we looked: got is when we learnt of it
	putLate  bool   // the same of put
	detached bool   // named by a lease that the last put took away, or a lock by itself that had one
	moved    bool   // a later put moved it to another lease than that by which it is named
	head     bool   // it is the head of its own lock
	leaving  bool   // the revision at hand takes it
	thirds   bool   // it is counted in lease.thirds
	waits    bool   // and in lease.waiting
	slot     int32  // its place in lease.claims
	list     uint32 // the last list that contained it
	dir      *dir   // where the key stands; nil for a key without a slash
	home     *dir   // the dir of the lock that it competes for, nil for none
	lease    *Lease // nil for none
	got      int64  // since when it holds, in µs since 1970; 0: it does not
	put      int64  // when it was last put again, in µs since 1970; 0: it was not
}

// Lock is a name under which keys compete.
type Lock struct {
	Name string
	// Handovers counts the changes of holder seen.
	Handovers int

	mode           recipe.Shape // what the keys make of the directory
	recipe         *recipe.Recipe
	inferredRecipe               // by which signs
	counted        counted       // when its claims were counted last
	queue          Queue[*Claim] // of a queue every key under Name + "/", in order
	others         Queue[*Claim] // those of them that are no claims of this lock, in the same order
	counts         recipe.Tally  // of its claims
	holds          int           // how many of the first keys hold

	headSince  time.Time
	freeSince  time.Time       // zero while there is a head
	lostAt     int64           // up to when it was seen, in µs since 1970, if its watch is lost; else 0
	lastHolder model.ClaimRef  // who held before, for the next handover
	renewed    renewal         // of a Lease of Kubernetes
	heldAs     string          // the value with which the head became the holder
	sharing    map[*Claim]bool // of a lock that several hold together
	handoverStats
	evidence evidence
	before

	noted         noted     // what was said of it in which event
	recheckAt     time.Time // when it is due again
	headAtLeast   bool      // the head was first before we looked: headSince is when we learnt of it
	freePast      bool      // it became free before we looked, freeSince is when we learnt of it
	freeLate      bool      // it became free when nothing was seen: it may have been earlier
	listed        bool      // among those that are shown
	freeScheduled bool
	direct        bool // keys that are no claims of it do not count, as for a semaphore
	dir           *dir
}

// counted is what a lock was when its claims were counted for their leases.
type counted struct {
	mode   recipe.Shape
	kind   recipe.FormSet
	recipe *recipe.Recipe
}

// inferredRecipe is how the recipe of a lock was told.
type inferredRecipe struct {
	sign       *recipe.Sign
	confidence model.Confidence
	kind       recipe.FormSet // of the keys that compete, 0 until the first look
	observed   bool           // by what the watch has seen of the key
}

// handoverStats is what the handovers of a lock told.
type handoverStats struct {
	lastLoss  *journal.Entry   // how the last holder lost it
	journal   []*journal.Entry // the lock's own journal, newest last
	holdTimes []time.Duration  // of the last holds that were seen whole
	waitTimes []time.Duration  // of the last that got the lock
	stops     []Stop           // of renewals, of the last holders that ended by that
	overtakes int
	// longestUnseen is the longest of the holds that are not among holdTimes.
	longestUnseen time.Duration
	// How many holders were never renewed: see [Lock.Unrenewed].
	unrenewedReleased, unrenewedLost int

	same, other int // of a group: keys that came back by another lease, with the same value or with another
}

// Stop is after which times the renewals of a holder stopped, whose lease then ran out: since it held, and
// since its claim came.
type Stop struct{ Held, Lived time.Duration }

// noted is what was said last of a lock, so that it is said once of an event.
type noted struct {
	event uint64
	kind  ChangeKind
}

// before is what a lock was when a transition, or a list, touched it first.
type before struct {
	mark          uint64 // the last transitions that touched it
	headAtMark    *Claim
	headGone      int            // place of headAtMark in what went, from 1; 0 if it did not go
	holdsAtMark   int            // how many held
	headRef       model.ClaimRef // headAtMark by value: it may be gone by then
	headWrote     string         // the value of its key
	listedIn      uint32         // the list that touched it last
	heldAtMark    bool           // headAtMark held, and was not a foreign key
	membersAtMark bool           // the keys might as well be members
	listHead      model.ClaimRef // its holder before that list
}

// renewal is the last put of a Lease of Kubernetes.
type renewal struct {
	rev  int64
	at   time.Time // since when it is known that nobody put it again
	live bool      // it was seen as it happened
}

// Lease is what is known of one lease: the claims that hang on it and the
// readings of it.
type Lease struct {
	ID model.LeaseID
	*Readings

	claims    []*Claim         // keys that are no claims last
	inline    [1]*Claim        // what claims begins with: most leases have one claim
	competing int32            // how many of its keys are claims, the first ones
	thirds    int32            // how many of these a program renews at a third of the TTL, by its recipe
	waiting   int32            // and how many wait for a lock
	going     int32            // how many of its claims the revision at hand takes
	heads     int32            // of how many locks a claim of it is the holder
	index     int32            // place in the heap
	pending   []*journal.Entry // entries whose cause waits for a reading
	due       int64            // when a reading is next worth its price, in ns since 1970; 0: it never was
	class     int8             // which heap it is in, -1 for none
	asked     bool             // one of the pending is worth a reading before others
	wasMulti  bool             // it had claims in several places
	focus     bool             // it is on the screen
	Workers   bool             // it let go of a lock that others want, too, while it waited for another: several share it
	slot      int32            // place in the list of all leases
	born      int64            // when the first key was seen to be put on it, in µs since 1970; 0: it had some before we looked
}

// Readings are what was read of a lease.
type Readings struct {
	// Read is the last reading; it is meaningful only if HasRead.
	Read model.LeaseRead
	// Unread is why the last attempt at a reading failed, zero if it did not.
	Unread model.Message

	// Renewals counts the renewals that readings show, at least; Rhythm is the
	// longest time without one that was followed by one: how long this client is
	// known to leave its lease alone.
	Renewals int
	Rhythm   time.Duration
	// endFrom and endTo are between which times the lease ends if nobody renews it, by all readings
	// since its last renewal.
	endFrom, endTo time.Time
	// ResetAt is when a new raft leader last gave the lease its full TTL anew, zero
	// if it was renewed since (etcd-io/etcd#9395).
	ResetAt time.Time
	// Odd is the last reading that nobody can believe: more left than was granted
	// (etcd-io/etcd#12381). It is not used.
	Odd *model.LeaseRead
	// alive is the last reading of the lease while it lived, once it was read as gone. nil
	// before.
	alive *model.LeaseRead

	first     struct{ at, granted, left int64 } // the first reading, in µs since 1970 and seconds
	attached  *model.LeaseKeys                  // what hangs on it, nil if nobody asked
	resetSure model.Confidence                  // how sure resetDead is
	failures  int32                             // readings that failed since the last that did not
	// HasRead says that there is a reading.
	HasRead       bool
	resetDead     bool // renewals were missed before the reset
	missedRenewal bool // it is counted in LeaseTable.missed
	renewedNow    bool // and in LeaseTable.renewed
	stale         bool // it was read, but not since we slept
	needKeys      bool // somebody wants to know what hangs on it
}

// dir is a directory of keys: what stands between two slashes of a key.
type dir struct {
	path     string
	parent   *dir
	children map[*dir]struct{}
	keys     int                 // keys in here and below
	others   map[*Claim]struct{} // keys right here, but for the claims of a queue right here
	self     *Claim              // the key whose name is the path, if it is a lock by itself
	queued   int                 // claims that make this a queue
	detached int                 // claims right here that lost their leases: they keep it a queue
	leased   int                 // leased keys right here that fit no recipe
	lock     *Lock               // what that makes of it, or made: a free lock is remembered
}
