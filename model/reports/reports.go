package reports

import (
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/timeline"
)

// ContenderInfo is a contender with its belief beside what etcd says.
type ContenderInfo struct {
	model.Contender
	Belief model.Belief // its last word, on whichever lock; zero At: it has said nothing yet
	Lease  model.LeaseID
	// LastAccess is its last access to the guarded resource, zero At for none;
	// Accepted and Refused count them all.
	LastAccess        model.Access
	Accepted, Refused int
	// Asked is what it asked of the members, zero At where nobody counts.
	Asked model.Asked

	wrote       string        // the last key that it put with a lease
	pauseEnded  time.Time     // when its process last ran on after a pause
	competitors []*Competitor // on the locks that it competes for, in the order in which it came to them
}

// Competitor is what a contender says of one lock: one that takes several says of one of
// them that it holds while it waits for the next.
type Competitor struct {
	*ContenderInfo
	Belief model.Belief // its last word on this lock; zero At: it has said nothing of it yet

	place    *Lock
	interval *span // while it believes that it holds
}

// competitorsMax bounds how many locks of a contender are followed, the last ones.
const competitorsMax = 16

// Reports is what the lab and its proxy reported.
type Reports struct {
	k        *locks.State
	timeline *timeline.Timeline
	faults   []model.FaultOn
	unlocks  map[*Lock]bool  // those of which deletes have yet to show what they did
	revokes  []model.Revoked // the last that were answered, newest last
	believed map[string]bool // locks that a client believes it holds, as the locks were told
	lagging  bool            // beliefs were not held against the keys while those were not seen whole
	news     *news
	Programs *Programs
	Keepers  *Keepers
	places   *places
	notebook *notebook
	accesses []Accessed // the last ones, oldest first
	outputs  []*Output  // of the programs, in the order in which they first printed something
}

// contendersMax bounds how many contenders are kept,
// from where on those that ended make room.
const contendersMax = 512

// Lock is what the lab and its proxy reported about one lock.
type Lock struct {
	name        string
	since       time.Time      // since when it is kept
	Competitors []*Competitor  // by name
	Open        []*Notes       // of the keys about which something is open, by key
	removed     []RemovedClaim // the last keys that went, newest last
	exclusive   bool           // one held at a time when the last of them went: its recipe may have gone with it
	beliefs     []*span        // by their beginning
	Stale       []*StaleUnlock
}

// RemovedClaim is a key that went.
type RemovedClaim struct {
	Ref       model.ClaimRef
	At, since time.Time
	Rev       int64
	loss      *journal.Entry // how it went, if it held
}

// places are the locks of which the lab or its proxy reported something.
type places struct {
	k     *locks.State
	locks map[string]*Lock
}

// notebook is what clients did to keys, as far as the proxy reported.
type notebook struct {
	k      *locks.State
	news   *news
	places *places
	notes  map[string]*Notes
	order  []string // the keys of notes, oldest first
}

// Notes is what clients did to one key.
type Notes struct {
	Key      string
	lock     string          // for which it competes, as far as its name tells
	at       time.Time       // of the last report
	writes   []model.Wrote   // newest last
	Watchers []model.Watches // who watches it now
	GoneAt   time.Time       // when it was seen to go, zero while it is there or was never seen
	goneRev  int64           // at which revision it last went, 0 if that is not known
	// Ghost is a put that was done and of which its client was not told, nor has it
	// shown since that it knows. Undone is a delete that ended without effect.
	Ghost, Undone *model.Wrote
}

// span is a belief on its way.
type span struct {
	Believed
	token int64
	end   model.BeliefState // what it believed after it
	held  bool              // it was seen to be true
	// silent: it named no claim. Its Lease is then that of a claim which is certainly the
	// program's own, 0 while there is none.
	silent bool
}

// StaleUnlock is a delete by which a client took a claim of its own, which it may not
// have meant: Unlock deletes by name (etcd-io/etcd#22082).
type StaleUnlock struct {
	Key, Client string
	At          time.Time
	Rev         int64
	Retried     bool      // an earlier delete of the key was not answered
	Victim      string    // who still believed afterwards, once that is known
	Shared      bool      // another worker of the same session let go
	FoundAt     time.Time // when that was found out
}

// client is what is known of a client of the proxy.
type client struct {
	model.Client
	since            time.Time
	lastActive       time.Time         // when it was last connected, or did something
	conns            []model.Connected // the open ones, newest last
	granted, renewed int
	watching         map[string]bool
	reported         bool // its connections are reported
}

// clients are those of the proxy, by name.
type clients map[string]*client

// Programs are the contenders and the clients of the proxy, by name, and what is behind a name.
type Programs struct {
	contenders map[string]*ContenderInfo
	clients    clients
}

// Keepers are the clients of leases: who was granted one, who renews it, and whom it is refused.
type Keepers struct {
	k       *locks.State
	news    *news
	order   []model.LeaseID                      // that are kept, oldest first
	keepers map[model.LeaseID][]model.LeaseOwner // who was granted a lease and who renews it, the last word of each
	refused map[model.LeaseID]model.Refused      // refused renewals
	shared  map[model.LeaseID]bool               // leases that several renew
}
