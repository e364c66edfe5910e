package locks

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
)

// Prefixes are all that are watched.
type Prefixes struct {
	watches map[string]*Watch
	lists   uint32    // that began
	woke    time.Time // when we last came back from a sleep
	dozed   time.Time // since when we had slept, while anything told may be from then
	// otherCluster says that another cluster answered than at first, and where.
	otherCluster model.Message
}

// newPrefixes returns those of which nothing is known yet.
func newPrefixes() *Prefixes { return &Prefixes{watches: map[string]*Watch{}} }

// apply folds an event in, and returns what was known of its prefix before.
func (ps *Prefixes) apply(e model.Event) (was Watch) {
	switch e := e.(type) {
	case model.Requested: // makes every prefix known, so that all of them are waited for
		for _, p := range e.Prefixes {
			if w := ps.watch(p); w.State == "" {
				w.become(Loading, e.At)
			}
		}
	case model.LoadStarted:
		w := ps.watch(e.Prefix)
		was = *w
		w.become(Loading, e.At)
		ps.lists++
		w.list, w.Done, w.Total = ps.lists, 0, 0
	case model.Listed:
		w := ps.watch(e.Prefix)
		was = *w
		w.Done, w.Total = e.Done, e.Total
	case model.Loaded:
		w := ps.watch(e.Prefix)
		was = *w
		w.listed(e)
	case model.Watching:
		w := ps.watch(e.Prefix)
		was = *w
		w.Rev, w.SeenAt = max(w.Rev, e.Rev), e.At
		if !e.Asked.IsZero() {
			w.SeenAt = e.Asked
		}
		w.lagging = w.lagging && w.SeenAt.Before(ps.woke)
		w.endHistory(e.At, e.Rev)
	case model.Lost:
		w := ps.watch(e.Prefix)
		was = *w
		if e.Reason == model.LostCluster {
			ps.forget(e.Detail)
		}
		w.lost(e)
	case model.Back:
		w := ps.watch(e.Prefix)
		was = *w
		w.backRev, w.unseenFrom = e.Rev, w.SeenAt
		w.Rev, w.SeenAt, w.Detail = max(w.Rev, e.Rev), e.At, model.Message{}
		w.endHistory(e.At, e.Rev)
		w.become(Live, e.At)
	case model.Slept:
		if ps.woke = e.At; !ps.CatchingUp() {
			ps.dozed = e.Since
		}
		for _, w := range ps.watches {
			w.lagging = w.State != Lost // that one is listed again, or comes back
		}
	}
	return was
}

// forget drops what was seen of another cluster than the one that answers now.
func (ps *Prefixes) forget(detail model.Message) {
	ps.woke, ps.otherCluster = time.Time{}, detail
	for _, w := range ps.watches {
		*w = Watch{Prefix: w.Prefix, State: w.State, Since: w.Since, Reason: w.Reason, Detail: w.Detail}
	}
}

// Watch returns what is known of a prefix as it is now.
func (ps *Prefixes) Watch(prefix string) Watch {
	if w := ps.watches[prefix]; w != nil {
		return *w
	}
	return Watch{Prefix: prefix}
}

// watch returns what is known of a prefix, made if needed.
func (ps *Prefixes) watch(prefix string) *Watch {
	w := ps.watches[prefix]
	if w == nil {
		w = &Watch{Prefix: prefix}
		ps.watches[prefix] = w
	}
	return w
}

// Watches returns the prefixes that are watched, by name.
func (ps *Prefixes) Watches() []*Watch {
	watches := make([]*Watch, 0, len(ps.watches))
	for _, w := range ps.watches {
		watches = append(watches, w)
	}
	slices.SortFunc(watches, func(a, b *Watch) int { return strings.Compare(a.Prefix, b.Prefix) })
	return watches
}

// Loaded says whether every prefix that was requested has been listed at least once.
// Before that a lock may lack claims, and one that is not there may yet come.
func (ps *Prefixes) Loaded() bool {
	for _, w := range ps.watches {
		if !w.loaded {
			return false
		}
	}
	return len(ps.watches) > 0
}

// LoadedButDenied says the same of what may be read: a prefix that is refused is not
// waited for.
func (ps *Prefixes) LoadedButDenied() bool {
	for _, w := range ps.watches {
		if !w.loaded && (w.State != Lost || w.Reason != model.LostDenied) {
			return false
		}
	}
	return len(ps.watches) > 0
}

// LoadedFor says whether the prefix in which the keys of a lock lie has been listed at least
// once. Before that it is not known which keys the lock has.
func (ps *Prefixes) LoadedFor(lock string) bool {
	return ps.any(func(w *Watch) bool { return w.loaded && w.covers(lock) })
}

// any says whether it is so of any of the watches.
func (ps *Prefixes) any(is func(*Watch) bool) bool {
	for _, w := range ps.watches {
		if is(w) {
			return true
		}
	}
	return false
}

// Partial says that a list or a history of some prefix is under way, or that it was not
// seen since we slept: half a queue would be judged, or one of a time that is over.
func (ps *Prefixes) Partial() bool {
	return ps.any(func(w *Watch) bool { return w.until > 0 || w.State == Loading || w.lagging })
}

// InHistory says whether the history of any prefix is being read: then the queues are
// those of a time that is over, and nothing follows from them.
func (ps *Prefixes) InHistory() bool { return ps.any(func(w *Watch) bool { return w.until > 0 }) }

// CatchingUp says whether what is told now may have happened while the observer slept.
func (ps *Prefixes) CatchingUp() bool { return ps.any(func(w *Watch) bool { return w.lagging }) }

// UnseenSince returns since when what is told of a revision now may have happened: its watch was
// lost and is not back, or the server said too early that it had told all, or we slept. Zero: it
// is told as it happens.
func (ps *Prefixes) UnseenSince(e model.Committed) (since time.Time) {
	if !ps.any(func(w *Watch) bool { return w.lagging || w.State == Lost || w.toldLate(e.Rev) }) {
		return since
	}
	for _, ch := range e.Changes {
		if at := ps.unseenSince(ch.KV.Key, e.Rev); !at.IsZero() && (since.IsZero() || at.Before(since)) {
			since = at
		}
	}
	return since
}

// unseenSince says so of a key.
func (ps *Prefixes) unseenSince(key string, rev int64) time.Time {
	w := ps.teller(key)
	if w == nil || !w.loaded {
		return time.Time{}
	}
	since := time.Time{}
	switch {
	case w.State == Lost:
		since = w.SeenAt
	case w.toldLate(rev):
		since = w.unseenFrom
	}
	if w.lagging && (since.IsZero() || ps.dozed.Before(since)) {
		since = ps.dozed
	}
	return since
}

// LostFor returns since when the keys of a lock are not seen because their watch is lost, zero if
// it is not.
func (ps *Prefixes) LostFor(lock string) time.Time {
	if w := ps.teller(lock + "/"); w != nil && w.loaded && w.State == Lost {
		return w.SeenAt
	}
	return time.Time{}
}

// teller is the watch that tells of a key, nil for none.
func (ps *Prefixes) teller(key string) *Watch {
	if len(ps.watches) == 1 {
		for _, w := range ps.watches {
			return w
		}
	}
	return ps.watches[ps.ToldBy(key)]
}

// Lost says whether any prefix is lost.
func (ps *Prefixes) Lost() bool { return ps.any(func(w *Watch) bool { return w.State == Lost }) }

// SeenUpTo says whether nothing more is to be had of any prefix as it was at a time:
// each was seen whole since, or is lost. It is false while nothing was told of any.
func (ps *Prefixes) SeenUpTo(at time.Time) bool {
	return len(ps.watches) > 0 && !ps.any(func(w *Watch) bool { return w.State != Lost && w.SeenAt.Before(at) })
}

// PrefixOf returns the longest watched prefix that the keys of a lock lie under, "" for none.
func (ps *Prefixes) PrefixOf(lock string) (longest string) {
	for _, w := range ps.watches {
		if len(w.Prefix) > len(longest) && w.covers(lock) {
			longest = w.Prefix
		}
	}
	return longest
}

// ToldBy returns the prefix whose watch tells of a key, "" for the only one and for the one
// of all keys.
func (ps *Prefixes) ToldBy(key string) (longest string) {
	if len(ps.watches) < 2 {
		return ""
	}
	for prefix := range ps.watches {
		if len(prefix) > len(longest) && strings.HasPrefix(key, prefix) {
			longest = prefix
		}
	}
	return longest
}

// Listed rises while lists get on: it counts the keys that are listed, and the lists that ended.
func (ps *Prefixes) Listed() (n int64) {
	for _, w := range ps.watches {
		if n += w.Done; w.loaded {
			n++
		}
	}
	return n
}

// LiveSince returns since when the keys of a lock are watched without a break, zero if
// they are not. Of several prefixes over it the longest tells of its keys.
func (ps *Prefixes) LiveSince(lock string) time.Time {
	if w := ps.watches[ps.PrefixOf(lock)]; w != nil && w.State == Live && w.covers(lock) {
		return w.Since
	}
	return time.Time{}
}

// WorksSince returns since when nothing kept the observer from seeing the cluster work: it
// ran, and every watch was answered. It is now while one is not; zero: from the start.
func (ps *Prefixes) WorksSince(now time.Time) time.Time {
	since := ps.woke
	for _, w := range ps.watches {
		if w.State == Lost && w.Reason == model.LostDisconnect {
			return now
		}
		if w.regained.After(since) {
			since = w.regained
		}
	}
	return since
}

// Woke returns when the observer last came back from a sleep, zero for never.
func (ps *Prefixes) Woke() time.Time { return ps.woke }

// OtherCluster says that another cluster answered than at first, and where; zero if none
// did. All that is known is of the newest one.
func (ps *Prefixes) OtherCluster() model.Message { return ps.otherCluster }
