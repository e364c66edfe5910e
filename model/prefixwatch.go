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
	until   int64 // up to where its history is being read, 0 for not
	gen     uint64
	touched []*Lock // by the list under way
	before  int     // keys known when it began
	room    bool    // made for the keys of the list
}

// Watches returns the prefixes that are watched, by name.
func (s *State) Watches() []*PrefixWatch {
	feeds := make([]*PrefixWatch, 0, len(s.feeds))
	for _, f := range s.feeds {
		feeds = append(feeds, f)
	}
	slices.SortFunc(feeds, func(a, b *PrefixWatch) int { return strings.Compare(a.Prefix, b.Prefix) })
	return feeds
}

// Loaded says whether every prefix that was requested has been listed at least once.
// Before that a lock may lack claims, and one that is not there may yet come.
func (s *State) Loaded() bool {
	for _, f := range s.feeds {
		if !f.loaded {
			return false
		}
	}
	return len(s.feeds) > 0
}

func (s *State) feed(prefix string) *PrefixWatch {
	f := s.feeds[prefix]
	if f == nil {
		f = &PrefixWatch{Prefix: prefix}
		s.feeds[prefix] = f
	}
	return f
}

func (f *PrefixWatch) become(state WatchState, at time.Time) {
	if f.State != state {
		f.State, f.Since = state, at
	}
}

// requested makes every prefix known, so that all of them are waited for.
func (s *State) requested(e Requested) {
	for _, p := range e.Prefixes {
		if f := s.feed(p); f.State == "" {
			f.become(WatchLoading, e.At)
		}
	}
}

func (s *State) loadStarted(e LoadStarted) {
	f := s.feed(e.Prefix)
	s.gen++
	f.become(WatchLoading, e.At)
	f.gen, f.Done, f.Total, f.touched, f.before, f.room = s.gen, 0, 0, nil, len(s.claims), false
	s.seen(e.Rev)
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

func (s *State) listed(e Listed) {
	f := s.feed(e.Prefix)
	f.Done, f.Total = e.Done, e.Total
	if room := int(min(e.Total, roomMax)); !f.room && room > roomMin+2*len(s.claims) { // not made anew again and again while it grows
		f.room = true
		s.claims, s.leases = withRoom(s.claims, room), withRoom(s.leases, room)
		s.leaseList = slices.Grow(s.leaseList, max(0, room-len(s.leaseList)))
	}
	s.begin()
	for _, kv := range e.KVs {
		s.put(kv, e.At, true).gen = f.gen
	}
	s.compareListed(f, e.At)
}

// settleList settles a part of a list. What a relist changed is compared as a
// whole when it has ended.
func (s *State) compareListed(f *PrefixWatch, at time.Time) {
	for _, l := range s.touched {
		if l.loadGen == f.gen {
			continue
		}
		l.loadGen, l.loadHead = f.gen, l.headRef
		if !l.heldAtMark {
			l.loadHead = ClaimRef{}
		}
		f.touched = append(f.touched, l)
	}
	s.compareWithBefore(at, 0, true)
}

// loaded ends a list: what it did not contain is gone. When and why was not seen.
func (s *State) loaded(e Loaded) {
	f := s.feed(e.Prefix)
	s.seen(e.Rev)
	again := f.loaded
	if again {
		f.Missed += e.At.Sub(f.SeenAt)
		s.dropUnlisted(f, e.At)
		for _, l := range f.touched {
			s.writeUnseenChange(l, e.At, e.Rev)
		}
		s.record(&JournalEntry{At: e.At, Rev: e.Rev, Kind: EntryGap, Text: fmt.Sprintf(
			"%s was listed again at revision %d: what happened in between was not seen", prefixName(e.Prefix), e.Rev)})
	}
	f.loaded, f.touched, f.until = true, nil, 0
	f.Rev, f.SeenAt, f.Detail = e.Rev, e.At, ""
	s.version++
	if e.Note != "" {
		s.record(&JournalEntry{At: e.At, Rev: e.Rev, Kind: EntryGap, Text: e.Note})
	}
	if e.Until <= e.Rev {
		f.become(WatchLive, e.At)
		return
	}
	f.until = e.Until
	s.record(&JournalEntry{At: e.At, Rev: e.Rev, Kind: EntryGap, Text: fmt.Sprintf(
		"the history of %s is read from revision %d on: when it happened is not known, nor what came before", prefixName(e.Prefix), e.Rev)})
}

// endHistory says that what follows is seen as it happens.
func (s *State) endHistory(f *PrefixWatch, at time.Time, rev int64) {
	if f.until == 0 || rev < f.until {
		return
	}
	s.record(&JournalEntry{At: at, Rev: f.until, Kind: EntryGap, Text: fmt.Sprintf(
		"the history of %s is read up to revision %d: from here on it is seen as it happens", prefixName(f.Prefix), f.until)})
	f.until = 0
	f.become(WatchLive, at)
	s.version++
}

// inHistory says whether the history of any prefix is being read: then the queues are
// those of a time that is over, and nothing follows from them.
func (s *State) inHistory() bool {
	for _, f := range s.feeds {
		if f.until > 0 {
			return true
		}
	}
	return false
}

func (s *State) dropUnlisted(f *PrefixWatch, at time.Time) {
	var stale []*Claim
	for key, c := range s.claims {
		if c.gen != f.gen && strings.HasPrefix(key, f.Prefix) {
			stale = append(stale, c)
		}
	}
	slices.SortFunc(stale, func(a, b *Claim) int { return strings.Compare(a.Key, b.Key) })
	s.begin()
	for _, c := range stale {
		s.take(c)
	}
	s.compareListed(f, at)
}

// relistFact writes that the holder changed while nobody watched.
func (s *State) writeUnseenChange(l *Lock, at time.Time, rev int64) {
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
	s.record(fact)
}

func (s *State) watching(e Watching) {
	f := s.feed(e.Prefix)
	f.Rev, f.SeenAt = max(f.Rev, e.Rev), e.At
	s.seen(e.Rev)
	s.endHistory(f, e.At, e.Rev)
}

func (s *State) lost(e Lost) {
	f := s.feed(e.Prefix)
	first := f.State != WatchLost || f.Reason != e.Reason
	if e.Reason == LostCluster {
		s.forgetCluster(e)
	}
	f.become(WatchLost, e.At)
	f.Reason, f.Detail = e.Reason, e.Detail
	s.version++
	if first {
		s.record(&JournalEntry{At: e.At, Kind: EntryGap, Text: fmt.Sprintf("the watch of %s is lost (%s): %s",
			prefixName(e.Prefix), e.Reason, e.Detail)})
	}
}

// forgetCluster drops all that is known: the keys, leases and revisions of another cluster
// are other ones, even where they look the same. What happened stays in the journal.
func (s *State) forgetCluster(e Lost) {
	for _, f := range s.journal {
		if f.Pending {
			f.Pending = false
			f.Evidence += "; another cluster answered before that could be told"
		}
	}
	old := *s
	*s = *NewState(old.pins...)
	s.now, s.otherCluster = old.now, e.Detail
	s.journal, s.entrySeq, s.journalVersion = old.journal, old.entrySeq, old.journalVersion+1
	s.gen, s.marks, s.version = old.gen, old.marks, old.version+1
	s.lab.contenders, s.lab.faults = old.lab.contenders, old.lab.faults // processes, not keys
	for prefix, f := range old.feeds {
		*f = PrefixWatch{Prefix: prefix, State: f.State, Since: f.Since, Reason: f.Reason, Detail: f.Detail}
		s.feeds[prefix] = f
	}
}

// OtherCluster says that another cluster answered than at first, and where; empty if none
// did. All that is known is of the newest one.
func (s *State) OtherCluster() string { return s.otherCluster }

func (s *State) back(e Back) {
	f := s.feed(e.Prefix)
	s.seen(e.Rev)
	if f.State == WatchLost {
		s.record(&JournalEntry{At: e.At, Rev: e.Rev, Kind: EntryGap, Text: fmt.Sprintf(
			"the watch of %s is back after %s, nothing was missed", prefixName(e.Prefix), Duration(e.At.Sub(f.Since), false))})
	}
	f.Rev, f.SeenAt, f.Detail = max(f.Rev, e.Rev), e.At, ""
	s.endHistory(f, e.At, e.Rev)
	f.become(WatchLive, e.At)
	s.version++
}

func prefixName(p string) string {
	if p == "" {
		return "all keys"
	}
	return Printable(p)
}

// clusterStatus takes a round of status requests in, and writes what changed.
func (s *State) clusterStatus(e ClusterStatus) {
	old := s.cluster
	s.cluster, s.priorRev = e, 0
	for _, m := range old.Members {
		s.priorRev = max(s.priorRev, m.Rev)
	}
	defer s.diagnoseCluster()
	for _, m := range e.Members {
		s.seen(m.Rev)
		s.noteTerm(m.Term, e.At)
	}
	if old.At.IsZero() {
		return
	}
	if was, is := old.Leader(), e.Leader(); was.ID != is.ID && (was.ID != 0 || is.ID != 0) {
		text := "the cluster has no leader: no lock can be taken, freed or expire"
		if is.ID != 0 {
			text = fmt.Sprintf("%s leads the cluster now, term %d: every lease starts its TTL anew", is.label(), is.Term)
			s.readAgain(e.At)
		}
		s.record(&JournalEntry{At: e.At, Kind: EntryMember, Text: text})
	}
	for _, m := range e.Members {
		for _, was := range old.Members {
			if was.ID == m.ID && !was.Unasked && !m.Unasked && (was.Err == "") != (m.Err == "") {
				s.record(&JournalEntry{At: e.At, Kind: EntryMember, Text: memberText(m)})
			}
		}
	}
	for _, a := range e.Alarms {
		if !slices.Contains(old.Alarms, a) {
			s.record(&JournalEntry{At: e.At, Kind: EntryMember, Text: "alarm: " + a})
		}
	}
}

func memberText(m Member) string {
	if m.Err != "" {
		return m.label() + " does not answer: " + Printable(m.Err)
	}
	return m.label() + " answers again"
}

func (m Member) label() string {
	if m.Name != "" {
		return "member " + Printable(m.Name)
	}
	return fmt.Sprintf("member %x", m.ID)
}

// Leader returns the member that leads, the zero Member if none is known to.
func (c ClusterStatus) Leader() Member {
	for _, m := range c.Members {
		if m.Leader {
			return m
		}
	}
	return Member{}
}

// Size returns how many members the cluster has, as far as is known.
func (c ClusterStatus) Size() int { return len(c.known()) }

// Down returns how many of them were asked and did not answer.
func (c ClusterStatus) Down() int {
	n := 0
	for _, m := range c.known() {
		if m.Err != "" {
			n++
		}
	}
	return n
}

// known are the members that the cluster itself names, all of them where none has. An
// endpoint that never answered may be one of them under another address.
func (c ClusterStatus) known() []Member {
	members := slices.DeleteFunc(slices.Clone(c.Members), func(m Member) bool { return m.ID == 0 })
	if len(members) == 0 {
		return c.Members
	}
	return members
}

// Up returns how many members answered.
func (c ClusterStatus) Up() int {
	n := 0
	for _, m := range c.Members {
		if m.Err == "" && !m.Unasked {
			n++
		}
	}
	return n
}

// Asked returns how many members were asked how they do.
func (c ClusterStatus) Asked() int {
	n := 0
	for _, m := range c.Members {
		if !m.Unasked {
			n++
		}
	}
	return n
}
