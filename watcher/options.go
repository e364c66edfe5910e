package watcher

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"locktop/watcher/pace"
)

// Options says what to watch and what it may cost. The zero value watches every
// key with up to 20 lease readings a second.
type Options struct {
	// Prefixes are raw key prefixes. None, or an empty one, means all keys. One
	// that lies within another is dropped.
	Prefixes []string
	// Budget is the number of lease readings that any second may see, 0 means 20: a
	// quarter of them at once, three quarters of them every second. Below 0 nothing is
	// read.
	Budget int
	// OneLook lists the keys and asks for the status once, without a watch.
	// Lease readings are then bound not by the budget (unless it is below 0) but
	// by 64 in flight.
	OneLook bool
	// Since is the revision from which etcd's history is read, [SinceAll] for all that is
	// left of it; 0: none. The prefixes are listed as they were then, and one watch for
	// each, one after another, brings what came after, as Committed that are Past.
	// OneLook reads none.
	Since int64
	// SinceMax is how many revisions of history are read at most, the newest ones; 0
	// means [DefaultSinceMax]. Every write of anybody anywhere makes a revision.
	SinceMax int64
	// LeaseLists lets the leases that each member lists be compared, too. Listing
	// needs root, or read on every key of every lease, and costs a member a walk
	// over all leases.
	LeaseLists bool
	// Now stamps the events. Nil: the clock of this program, which nobody sets ([pace.Process]).
	// It has no monotonic reading, which no recording can hold: what is concluded from one is to
	// be the same to the nanosecond, and a machine that slept has slept. Timers always run on
	// real time.
	Now func() time.Time
	// PageSize is how many keys a page of a list holds, 0 means 50,000. Servers
	// from 3.7 on stream the list instead. Every page makes the server count all
	// keys that are left, so small pages are quadratic.
	PageSize int
	// Timing overrides the rhythm; fields that are zero keep their default.
	Timing Timing
}

// SinceAll asks for all history that is not compacted.
const SinceAll = -1

// DefaultSinceMax bounds what history costs: a server hands a watch that is behind at
// most 1,000 revisions every 100 ms, but old ones read all that are left for that each
// time (etcd server/storage/mvcc watchable_store.go, syncWatchers).
const DefaultSinceMax = 10_000

// Timing is the rhythm of a watcher.
type Timing struct {
	Drain      time.Duration // how long Next collects, but for what comes after a quiet time
	Lull       time.Duration // how long Next collects readings while more of them are wanted
	Nap        time.Duration // the least that Next sleeps before a Tick
	Probe      time.Duration // between two linearizable reads
	ProbeRetry time.Duration // the same while they fail
	Silence    time.Duration // how long a watch may stay behind, or reads may fail, before Lost
	Ask        time.Duration // between progress requests to a watch that is behind
	Call       time.Duration // limit of one small request
	Answer     time.Duration // the same of one on which no list depends: how each member does
	Again      time.Duration // how long a reading waits for one member before it asks another, too
	Stall      time.Duration // limit of one page, or of the wait for the next part of a stream
	Status     time.Duration // between two rounds of status requests
	Compare    time.Duration // between two comparisons of the members' keys
	Settle     time.Duration // how long a member may lag before what it lists is held against it
	BackoffMin time.Duration // first wait after a failure; it doubles …
	BackoffMax time.Duration // … up to this
	Denied     time.Duration // wait after a refusal: it takes a person to change that
	Grace      time.Duration // how long after the last Next somebody still counts as pulling
	Sole       time.Duration // how long one cluster has to answer alone after two did by turns
}

var defaults = Timing{
	Drain:      25 * time.Millisecond,
	Lull:       200 * time.Millisecond,
	Nap:        10 * time.Millisecond,
	Probe:      3 * time.Second,
	ProbeRetry: 500 * time.Millisecond,
	Silence:    5 * time.Second,
	Ask:        250 * time.Millisecond,
	Call:       2 * time.Second,
	Answer:     2 * time.Second,
	Again:      500 * time.Millisecond,
	Stall:      30 * time.Second,
	Status:     5 * time.Second,
	Compare:    time.Minute,
	Settle:     2 * time.Second,
	BackoffMin: 100 * time.Millisecond,
	BackoffMax: 5 * time.Second,
	Denied:     30 * time.Second,
	Grace:      10 * time.Second,
	Sole:       15 * time.Second,
}

const (
	defaultBudget   = 20
	defaultPageSize = 50_000
	chunkKeys       = 2_000     // keys in one Listed
	listKeys        = 2_000_000 // keys in one list, or it is given up: a list without an end would take all memory
	listBytes       = 512 << 20 // and bytes of keys and values
	muchChanges     = 100       // changes in one batch of many
	queueLimit      = 16_000    // changes that wait before followers stop reading
	readersInFlight = 8
	oneLookInFlight = 64
)

// withDefaults fills what was left open.
func (o Options) withDefaults() Options {
	o.Prefixes = normalise(o.Prefixes)
	if o.Budget == 0 {
		o.Budget = defaultBudget
	}
	if o.Now == nil {
		o.Now = pace.Now
	}
	if o.SinceMax <= 0 {
		o.SinceMax = DefaultSinceMax
	}
	if o.OneLook {
		o.Since = 0
	}
	if o.PageSize <= 0 {
		o.PageSize = defaultPageSize
	}
	o.Timing = o.Timing.withDefaults()
	return o
}

// withDefaults fills every field: a list of them once lacked two.
func (t Timing) withDefaults() Timing {
	fields, def := reflect.ValueOf(&t).Elem(), reflect.ValueOf(defaults)
	for i := range def.NumField() {
		if fields.Field(i).Int() <= 0 {
			fields.Field(i).Set(def.Field(i))
		}
	}
	return t
}

// normalise sorts prefixes and drops those that another one covers.
func normalise(prefixes []string) []string {
	if len(prefixes) == 0 {
		return []string{""}
	}
	sorted := slices.Sorted(slices.Values(prefixes))
	out := sorted[:1]
	for _, p := range sorted[1:] {
		// In sorted order a covering prefix is always the last one that was kept.
		if !strings.HasPrefix(p, out[len(out)-1]) {
			out = append(out, p)
		}
	}
	return out
}
