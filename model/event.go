package model

import (
	"context"
	"strings"
	"time"
)

// Source is where batches come from: etcd, a recording, the lab, or several of
// them merged.
//
// Next blocks until something happened, until want.WakeAt, or until ctx ends;
// it then drains what arrives within a short window and returns it as one
// batch. There is exactly one outstanding call. A call that ends with ctx's
// error has consumed nothing. Any other error is final: the source is spent.
type Source interface {
	Next(ctx context.Context, want Want) (Batch, error)
}

// Want is what the state asks of its source.
type Want struct {
	// Leases are worth a reading now, most needed first. The source reads as
	// many of them as its budget allows; an id that is left over is asked for
	// again.
	Leases []LeaseID
	// Keys are those of Leases of which it is to be told, too, what hangs on them.
	Keys []LeaseID
	// Hurry says that the first of Leases tells why something happened: every moment
	// that its reading waits makes that less sure. Others may be read in groups.
	Hurry bool
	// Confirm asks at once whether everything was delivered. A Watching of each prefix
	// is the answer; none comes while the cluster, or its watch, does not answer.
	Confirm bool
	// WakeAt is when something falls due without any event. Zero: never.
	WakeAt time.Time
}

// Batch is an envelope of events in the order in which they were observed.
type Batch struct {
	Events []Event
	// Cost is what the source has spent so far. It is no part of the state.
	Cost Cost
}

// Cost counts what the source asks of the cluster.
type Cost struct {
	// RPS is requests per second of ours, averaged over the last seconds, and ByKind those of each kind.
	RPS    float64
	ByKind [RequestKinds]float64
	// Budget is the number of lease readings per second that are allowed.
	Budget int
	// Readings counts lease readings since the start.
	Readings int64
	// Behind is how many events wait to be delivered.
	Behind int
}

// RequestKind is what a request of ours is for.
type RequestKind int

// Kinds of requests. Watches are opened and then cost nothing but the events.
const (
	RequestLeases RequestKind = iota // what is left of a lease
	RequestStatus                    // of members
	RequestReads                     // of keys: lists, and whether the watch is up to date
	RequestKinds  = iota
)

// Event is one thing that was observed. The set is closed: the types in this
// file and the reports of the lab.
type Event interface {
	// When is the time of observation.
	When() time.Time
	event()
}

// KV is one key as etcd returns it. Key and Value are raw bytes and hostile:
// escape them before they reach a terminal.
type KV struct {
	Key, Value string
	// CreateRev never changes until the key is deleted; ModRev and Version rise
	// with every put.
	CreateRev, ModRev, Version int64
	// Lease is the lease of the last put, 0 for none: a put without a lease
	// detaches the key, which then never expires.
	Lease LeaseID
	// Unread: the key has a value, and a recording left it out. Value is empty then.
	Unread bool `json:",omitempty"`
}

// Change is what one revision did to one key. For a delete only KV.Key and
// KV.ModRev (the revision of the delete) mean anything.
type Change struct {
	Deleted bool
	KV      KV
}

// Committed is everything that one revision did to the watched keys. It is
// applied as a whole, so no half state is ever visible.
type Committed struct {
	At      time.Time
	Rev     int64
	Changes []Change
	// Past: it is from etcd's history, which keeps no times. It happened before At, when
	// is not known.
	Past bool
}

// Requested names every prefix that a source was asked for, before it tells anything of
// them: what it has not begun to list is not known to be empty.
type Requested struct {
	At       time.Time
	Prefixes []string
}

// LoadStarted says that the keys of a prefix are about to be listed as they
// stood at revision Rev. Keys that are already known stay visible meanwhile.
type LoadStarted struct {
	At     time.Time
	Prefix string
	Rev    int64
}

// Listed is a part of the list that LoadStarted announced. Keys come in key
// order, so until Loaded nothing can be said about who holds.
type Listed struct {
	At     time.Time
	Prefix string
	Rev    int64
	KVs    []KV
	// Done and Total count keys; Total is 0 while it is not known.
	Done, Total int64
}

// Loaded ends a list. Known keys of the prefix that were not in it are gone;
// when and why is not known.
type Loaded struct {
	At     time.Time
	Prefix string
	Rev    int64
	// Until, if not 0, is up to where the history of the prefix follows as Committed that
	// are Past. Before that the prefix is not live, and a Watching ends it.
	Until int64
	// Note is why the history does not begin where it was asked to, zero if it does.
	Note Message
}

// Watching says that the watch has delivered everything of the prefix up to
// Rev, and that the cluster, asked with a linearizable read, stood at Rev.
type Watching struct {
	At time.Time
	// Asked is when that read began: what came later may not be in it. Zero is At, as in
	// recordings from before it was told.
	Asked  time.Time `json:",omitzero"`
	Prefix string
	Rev    int64
}

// LostReason says why a prefix is no longer live.
type LostReason int

// Reasons for Lost.
const (
	LostDisconnect LostReason = iota // no connection, no leader, or the stream broke
	LostCompacted                    // the watch fell behind the compacted revision
	LostSilent                       // the member answers, but its watch does not follow the cluster
	LostDenied                       // no permission
	LostCluster                      // another cluster answers, or several do: what was known does not apply
	LostRestored                     // the revision of the cluster went back: it holds older data
)

// Anew says whether a watch cannot go on from where it was, so that the prefix is listed again.
func (r LostReason) Anew() bool { return r == LostCompacted || r == LostRestored }

// String returns the reason as a word for the screen.
func (r LostReason) String() string {
	switch r {
	case LostDisconnect:
		return "disconnected"
	case LostCompacted:
		return "compacted"
	case LostSilent:
		return "watch silent"
	case LostDenied:
		return "denied"
	case LostCluster:
		return "another cluster"
	case LostRestored:
		return "older data"
	}
	return "lost"
}

// Lost says that a prefix is not watched any more. What is shown stays, with
// its age. Detail is for the person at the keyboard: what failed, on which
// endpoint, what to do next.
type Lost struct {
	At     time.Time
	Prefix string
	Reason LostReason
	Detail Message
}

// Back says that a watch continues after Lost without a gap: every revision
// since is delivered. After a gap there is a list instead.
type Back struct {
	At     time.Time
	Prefix string
	Rev    int64
}

// LeaseRead is one answer to LeaseTimeToLive, which the raft leader gives and
// which does not renew. Granted and Remaining are whole seconds, Remaining cut
// down. A lease that etcd does not know reads Granted 0, Remaining -1; one that
// is past its end but not yet revoked reads Remaining <= 0 with Granted > 0
// (etcd-io/etcd#13975, #9935).
type LeaseRead struct {
	At                 time.Time
	ID                 LeaseID
	Granted, Remaining int64
	// Term is the raft term of the answer. A new leader refreshes every lease,
	// so a jump with a new term is no renewal (etcd-io/etcd#9395).
	Term uint64
	// Rev is the store revision of the member that answered: the reading is not
	// older than that revision.
	Rev int64
	// Took bounds how long before At the leader looked: the time from the question to the answer.
	Took time.Duration
}

// End returns between which times the lease ends if nobody renews it: not before from, and before to.
// Etcd cuts what is left down to seconds, towards zero, and removes a lease some time after its end.
func (r *LeaseRead) End() (from, to time.Time) {
	from, to = r.At.Add(time.Duration(r.Remaining)*time.Second-r.Took), r.At.Add(time.Duration(r.Remaining+1)*time.Second)
	if r.Remaining <= 0 {
		from = from.Add(-time.Second)
	}
	if r.Remaining < 0 {
		to = to.Add(-time.Second)
	}
	return from, to
}

// LeaseUnread says that a reading was tried and refused or failed.
type LeaseUnread struct {
	At     time.Time
	ID     LeaseID
	Reason Message
}

// LeaseKeys says what hangs on a lease, as etcd lists it: also keys that are not watched.
type LeaseKeys struct {
	At time.Time
	ID LeaseID
	// Keys are some of them, Total is how many there are.
	Keys  []string
	Total int
	// Rev is the revision that the list is not older than.
	Rev int64
	// Reason is why they could not be listed, zero if they could: etcd lists them only for
	// who may read each.
	Reason Message
}

// MaxLeaseKeys bounds how many keys of a lease are named.
const MaxLeaseKeys = 100

// Member is one member of the cluster as it describes itself.
type Member struct {
	ID       uint64
	Name     string
	Endpoint string
	Leader   bool
	Version  string
	Term     uint64
	Rev      int64
	// Keys is how many watched keys it has in its own store at KeysRev; KeysRev 0:
	// they were not counted this time.
	Keys, KeysRev int64
	// GhostLeases are leases that it lists and the leader does not know.
	GhostLeases []LeaseID
	// NoLeader: it answers, but knows no leader, so it serves nobody.
	NoLeader bool
	// Unasked: none of our endpoints leads to it, so how it does is not known.
	Unasked bool
	// Answers are those of the member itself, which take no leader.
	Answers Answers
	// DBSize is how large its database is, DBUsed how much of that has data, DBQuota how large it may
	// become: 0 where it does not tell, as before etcd 3.6.
	DBSize, DBUsed, DBQuota int64
	// Err is why its status could not be had, zero if it could or was not asked for.
	Err Message
}

// Answers are how small requests were answered lately, as seen from here: those that are made
// anyway, of the last [AnswersSpan]. The zero value says nothing.
type Answers struct {
	// Asked is how many requests there were, Failed how many of them had no answer, or none in time.
	Asked, Failed int
	// Usual is how long half of the answers took at most, Longest how long all of them did.
	Usual, Longest time.Duration
	// Last is how long the newest of them took.
	Last time.Duration
	// Slow is how many answers took longer than the fastest of any member by [SlowBy], and SlowFor how
	// long it was from the first of these to the last.
	Slow    int
	SlowFor time.Duration
}

// Answered returns how many requests were answered.
func (a Answers) Answered() int { return a.Asked - a.Failed }

// Delayed says whether answers came late more than once or twice, be it while one leader is elected: what
// somebody did then may have taken effect late, too.
func (a Answers) Delayed() bool { return a.Slow >= 3 }

// Late says whether answers came late again and again, and not all of them together: one in ten, over ten
// seconds.
func (a Answers) Late() bool {
	return a.Delayed() && 10*a.Slow >= a.Answered() && a.SlowFor >= 10*time.Second
}

// Bounds of answers. A healthy cluster agrees on a read within some milliseconds, over a long way in
// little more than the way takes, which the fastest answer tells.
const (
	AnswersSpan = 30 * time.Second
	SlowBy      = 300 * time.Millisecond
)

// Address is an endpoint without its scheme, which members advertise and people leave out.
func Address(endpoint string) string {
	if _, address, ok := strings.Cut(endpoint, "://"); ok {
		return address
	}
	return endpoint
}

// ClusterStatus is a round of status requests.
type ClusterStatus struct {
	At        time.Time
	ClusterID uint64
	Members   []Member
	// Agreed are the answers to which the leader has to agree, whichever member they came through:
	// linearizable reads, and readings of leases.
	Agreed Answers
	// Alarms in force, as words ("NOSPACE on m1").
	Alarms []string
	// Unlisted is why the leases that the members list could not be compared, and
	// UnlistedSince since when; zero if they could, or nobody asked for it.
	Unlisted      Message
	UnlistedSince time.Time
}

// Tick is the passing of time alone: Want.WakeAt was reached.
type Tick struct {
	At time.Time
}

// Slept says that whoever observes did not run from Since to At: it was stopped, its
// machine slept, or it had no processor. What comes next may have happened meanwhile, and
// nothing follows from it before a Watching that was asked for later.
type Slept struct {
	At, Since time.Time
}

// Starved says that for so long of the time from Since to At somebody was ready to run and had no processor:
// a contender by its name, or, where that is "", the lab with its members. It is at least that, as one thread
// is counted where there are several.
type Starved struct {
	At, Since time.Time
	Name      string
	For       time.Duration
}

func (e Committed) When() time.Time { return e.At }

func (e Requested) When() time.Time { return e.At }

func (e LoadStarted) When() time.Time { return e.At }

func (e Listed) When() time.Time { return e.At }

func (e Loaded) When() time.Time { return e.At }

func (e Watching) When() time.Time { return e.At }

func (e Lost) When() time.Time { return e.At }

func (e Back) When() time.Time { return e.At }

func (r LeaseRead) When() time.Time { return r.At }

func (e LeaseUnread) When() time.Time { return e.At }

func (e LeaseKeys) When() time.Time { return e.At }

func (c ClusterStatus) When() time.Time { return c.At }

func (e Tick) When() time.Time { return e.At }

func (e Slept) When() time.Time { return e.At }

func (e Starved) When() time.Time { return e.At }

func (Committed) event() {}

func (Requested) event() {}

func (LoadStarted) event() {}

func (Listed) event() {}

func (Loaded) event() {}

func (Watching) event() {}

func (Lost) event() {}

func (Back) event() {}

func (LeaseRead) event() {}

func (LeaseUnread) event() {}

func (LeaseKeys) event() {}

func (ClusterStatus) event() {}

func (Tick) event() {}

func (Slept) event() {}

func (Starved) event() {}

// Missed returns how long ago, at least, the lease was renewed, and whether that is more
// than a third of its TTL, and a second.
func (r *LeaseRead) Missed() (since time.Duration, _ bool) {
	since = time.Duration(r.Granted-r.Remaining-1) * time.Second
	return since, since > time.Duration(r.Granted)*time.Second/3+time.Second
}
