package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// WatchState is how fresh the keys of a prefix are.
type WatchState string

// PrefixWatch states.
const (
	WatchLoading WatchState = "loading"
	WatchLive    WatchState = "live"
	WatchLost    WatchState = "lost"
)

// PrefixWatch is what is known of the watch of one prefix.
type PrefixWatch struct {
	Prefix string
	State  WatchState
	// Since is when it came into that state; Rev up to where it is known.
	Since time.Time
	Rev   int64
	// Done and Total count the keys of a list under way, Total 0 for not known.
	Done, Total int64
	// Reason and Detail are those of Lost.
	Reason LostReason
	Detail string
	// SeenAt is the last time that the prefix was known to be complete.
	SeenAt time.Time
	// Missed is how long in all nothing was seen of it, so that what happened then stays
	// unknown: a list had to take the place of a watch.
	Missed time.Duration

	loaded  bool  // it was live before
	behind  bool  // we slept, and it was not seen up to then since
	until   int64 // up to where its history is being read, 0 for not
	gen     uint64
	touched []*Lock // by the list under way
	before  int     // keys known when it began
	room    bool    // made for the keys of the list
}

// Prefixes are all that are watched.
type Prefixes struct {
	watches map[string]*PrefixWatch
	gen     uint64    // of lists
	woke    time.Time // when we last came back from a sleep
	// otherCluster says that another cluster answered than at first, and where.
	otherCluster string
}

// Watches returns the prefixes that are watched, by name.
func (ps *Prefixes) Watches() []*PrefixWatch {
	watches := make([]*PrefixWatch, 0, len(ps.watches))
	for _, f := range ps.watches {
		watches = append(watches, f)
	}
	slices.SortFunc(watches, func(a, b *PrefixWatch) int { return strings.Compare(a.Prefix, b.Prefix) })
	return watches
}

// Loaded says whether every prefix that was requested has been listed at least once.
// Before that a lock may lack claims, and one that is not there may yet come.
func (ps *Prefixes) Loaded() bool {
	for _, f := range ps.watches {
		if !f.loaded {
			return false
		}
	}
	return len(ps.watches) > 0
}

// LoadedButDenied says the same of what may be read: a prefix that is refused is not
// waited for.
func (ps *Prefixes) LoadedButDenied() bool {
	for _, f := range ps.watches {
		if !f.loaded && (f.State != WatchLost || f.Reason != LostDenied) {
			return false
		}
	}
	return len(ps.watches) > 0
}

// Listed rises while lists get on: it counts the keys that are listed, and the lists that ended.
func (ps *Prefixes) Listed() (n int64) {
	for _, f := range ps.watches {
		if n += f.Done; f.loaded {
			n++
		}
	}
	return n
}

func (ps *Prefixes) watchOf(prefix string) *PrefixWatch {
	f := ps.watches[prefix]
	if f == nil {
		f = &PrefixWatch{Prefix: prefix}
		ps.watches[prefix] = f
	}
	return f
}

func (f *PrefixWatch) become(state WatchState, at time.Time) {
	if f.State != state {
		f.State, f.Since = state, at
	}
}

// requested makes every prefix known, so that all of them are waited for.
func (ps *Prefixes) requested(e Requested) {
	for _, p := range e.Prefixes {
		if f := ps.watchOf(p); f.State == "" {
			f.become(WatchLoading, e.At)
		}
	}
}

func (k *Keyspace) loadStarted(e LoadStarted) {
	f := k.watchOf(e.Prefix)
	k.gen++
	f.become(WatchLoading, e.At)
	f.gen, f.Done, f.Total, f.touched, f.before, f.room = k.gen, 0, 0, nil, len(k.claims), false
	k.seen(e.Rev)
}

// For how many keys room is made on the word of a server: for less it is not worth it.
const (
	roomMin = 1 << 10
	roomMax = 1 << 20
)

func withRoom[K comparable, V any](m map[K]V, room int) map[K]V {
	larger := make(map[K]V, room)
	maps.Copy(larger, m)
	return larger
}

func (k *Keyspace) takeList(e Listed) {
	f := k.watchOf(e.Prefix)
	f.Done, f.Total = e.Done, e.Total
	if room := int(min(e.Total, roomMax)); !f.room && room > roomMin+2*len(k.claims) { // not made anew again and again while it grows
		f.room = true
		k.claims, k.byID = withRoom(k.claims, room), withRoom(k.byID, room)
		k.leaseList = slices.Grow(k.leaseList, max(0, room-len(k.leaseList)))
	}
	k.begin()
	for _, kv := range e.KVs {
		k.put(kv, e.At, true).gen = f.gen
	}
	k.compareListed(f, e.At)
}

// compareListed settles a part of a list. What a relist changed is compared as a
// whole when it has ended.
func (k *Keyspace) compareListed(f *PrefixWatch, at time.Time) {
	for _, l := range k.touched {
		if l.loadGen == f.gen {
			continue
		}
		l.loadGen, l.loadHead = f.gen, l.headRef
		if !l.heldAtMark {
			l.loadHead = ClaimRef{}
		}
		f.touched = append(f.touched, l)
	}
	k.compareWithBefore(at, 0, true)
}

// loaded ends a list: what it did not contain is gone. When and why was not seen.
func (k *Keyspace) loaded(e Loaded) {
	f := k.watchOf(e.Prefix)
	k.seen(e.Rev)
	again := f.loaded
	if again {
		f.Missed += e.At.Sub(f.SeenAt)
		k.dropUnlisted(f, e.At)
		for _, l := range f.touched {
			k.writeUnseenChange(l, e.At, e.Rev)
		}
		k.Record(&JournalEntry{At: e.At, Rev: e.Rev, Kind: EntryGap, Text: fmt.Sprintf(
			"%s was listed again at revision %d: what happened in between was not seen", prefixName(e.Prefix), e.Rev)})
	}
	f.loaded, f.touched, f.until = true, nil, 0
	f.Rev, f.SeenAt, f.Detail = e.Rev, e.At, ""
	k.version++
	if e.Note != "" {
		k.Record(&JournalEntry{At: e.At, Rev: e.Rev, Kind: EntryGap, Text: e.Note})
	}
	if e.Until <= e.Rev {
		f.become(WatchLive, e.At)
		return
	}
	f.until = e.Until
	k.Record(&JournalEntry{At: e.At, Rev: e.Rev, Kind: EntryGap, Text: fmt.Sprintf(
		"the history of %s is read from revision %d on: when it happened is not known, nor what came before", prefixName(e.Prefix), e.Rev)})
}

// endHistory says that what follows is seen as it happens.
func (k *Keyspace) endHistory(f *PrefixWatch, at time.Time, rev int64) {
	if f.until == 0 || rev < f.until {
		return
	}
	k.Record(&JournalEntry{At: at, Rev: f.until, Kind: EntryGap, Text: fmt.Sprintf(
		"the history of %s is read up to revision %d: from here on it is seen as it happens", prefixName(f.Prefix), f.until)})
	f.until = 0
	f.become(WatchLive, at)
	k.version++
}

// inHistory says whether the history of any prefix is being read: then the queues are
// those of a time that is over, and nothing follows from them.
func (ps *Prefixes) inHistory() bool {
	for _, f := range ps.watches {
		if f.until > 0 {
			return true
		}
	}
	return false
}

func (k *Keyspace) dropUnlisted(f *PrefixWatch, at time.Time) {
	var stale []*Claim
	for key, c := range k.claims {
		if c.gen != f.gen && strings.HasPrefix(key, f.Prefix) {
			stale = append(stale, c)
		}
	}
	slices.SortFunc(stale, func(a, b *Claim) int { return strings.Compare(a.Key, b.Key) })
	k.begin()
	for _, c := range stale {
		k.take(c)
	}
	k.compareListed(f, at)
}

// writeUnseenChange writes that the holder changed while nobody watched.
func (k *Keyspace) writeUnseenChange(l *Lock, at time.Time, rev int64) {
	holder := refOf(l.Holder())
	if holder == l.loadHead || (holder.Key == l.loadHead.Key && holder.CreateRev == l.loadHead.CreateRev) {
		return
	}
	fact := &JournalEntry{At: at, Rev: rev, Lock: l.Name, Unseen: true, Claim: holder,
		Cause: CauseUnknown, Confidence: Hint, Evidence: "it happened while the watch was lost"}
	switch {
	case holder.IsZero():
		fact.Kind, fact.WasHolder, fact.Place, fact.Claim = EntryLeft, true, 1, l.loadHead
		l.lastHolder, l.lastLoss = l.loadHead, fact
	case l.loadHead.IsZero():
		fact.Kind = EntryAcquired
	default:
		fact.Kind, fact.From = EntryHandover, l.loadHead
		l.Handovers++
	}
	k.Record(fact)
}

func (k *Keyspace) watching(e Watching) {
	f := k.watchOf(e.Prefix)
	f.Rev, f.SeenAt = max(f.Rev, e.Rev), e.At
	if !e.Asked.IsZero() {
		f.SeenAt = e.Asked
	}
	k.seen(e.Rev)
	f.behind = f.behind && f.SeenAt.Before(k.woke)
	k.endHistory(f, e.At, e.Rev)
}

func (k *Keyspace) lost(e Lost) {
	f := k.watchOf(e.Prefix)
	first := f.State != WatchLost || f.Reason != e.Reason
	if e.Reason == LostCluster {
		k.forgetCluster(e)
	}
	f.behind = f.behind && f.loaded && e.Reason != LostDenied // else nothing is waited for
	f.become(WatchLost, e.At)
	f.Reason, f.Detail = e.Reason, e.Detail
	k.version++
	if first {
		k.Record(&JournalEntry{At: e.At, Kind: EntryGap, Text: fmt.Sprintf("the watch of %s is lost (%s): %s",
			prefixName(e.Prefix), e.Reason, e.Detail)})
	}
}

// forgetCluster drops all that is known: the keys, leases and revisions of another cluster
// are other ones, even where they look the same. What happened stays in the journal.
func (k *Keyspace) forgetCluster(e Lost) {
	for _, f := range k.journal {
		if f.Pending {
			f.Pending = false
			f.Evidence += "; another cluster answered before that could be told"
		}
	}
	old := *k
	*k = *NewKeyspace(old.pins...)
	k.now, k.otherCluster = old.now, e.Detail
	k.Chronicle.journal, k.entrySeq, k.journalVersion = old.journal, old.entrySeq, old.journalVersion+1
	k.gen, k.round, k.version = old.gen, old.round, old.version+1
	k.witness = old.witness
	for prefix, f := range old.watches {
		*f = PrefixWatch{Prefix: prefix, State: f.State, Since: f.Since, Reason: f.Reason, Detail: f.Detail}
		k.watches[prefix] = f
	}
}

// OtherCluster says that another cluster answered than at first, and where; empty if none
// did. All that is known is of the newest one.
func (ps *Prefixes) OtherCluster() string { return ps.otherCluster }

func (k *Keyspace) back(e Back) {
	f := k.watchOf(e.Prefix)
	k.seen(e.Rev)
	if f.State == WatchLost {
		k.Record(&JournalEntry{At: e.At, Rev: e.Rev, Kind: EntryGap, Text: fmt.Sprintf(
			"the watch of %s is back after %s, nothing was missed", prefixName(e.Prefix), Duration(e.At.Sub(f.Since), false))})
	}
	f.Rev, f.SeenAt, f.Detail = max(f.Rev, e.Rev), e.At, ""
	k.endHistory(f, e.At, e.Rev)
	f.become(WatchLive, e.At)
	k.version++
}

func prefixName(p string) string {
	if p == "" {
		return "all keys"
	}
	return Printable(p)
}
