package watcher

import (
	"context"
	"sync"

	"locktop/model"
	"locktop/watcher/pace"
)

// mailbox is a bounded queue of events between the goroutines and Next. Its
// measure is the weight: key changes, and one for any other event.
type mailbox struct {
	limit int

	mu     sync.Mutex
	events []model.Event // nil where a newer one of its kind took over
	weight int
	news   int // events of urgent kinds
	lists  int // those of them that are parts of a list
	closed bool
	// collecting: who takes lets more arrive once something happened, and is not woken for each.
	collecting bool
	// base is the position of events[0] since the start, latest the position of
	// the newest event of a kind that merges.
	base   int
	latest map[string]int

	ready chan struct{} // holds a token when something was pushed
	space chan struct{} // closed and replaced when something was taken
}

func newMailbox(limit int) *mailbox {
	return &mailbox{
		limit:  limit,
		latest: map[string]int{},
		ready:  make(chan struct{}, 1),
		space:  make(chan struct{}),
	}
}

// push appends events, waiting while the mailbox is full. As many as fit go in at
// once, so that what one response brought is taken in one batch. A single event may
// exceed the limit, since a revision is never cut.
func (b *mailbox) push(ctx context.Context, events ...model.Event) error {
	for {
		b.mu.Lock()
		for len(events) > 0 && (b.weight == 0 || b.weight+weigh(events[0]) <= b.limit) {
			b.put(events[0])
			events = events[1:]
		}
		space := b.space
		b.mu.Unlock()
		if len(events) == 0 {
			return ctx.Err()
		}
		select {
		case <-space:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// put needs the lock.
func (b *mailbox) put(ev model.Event) {
	if kind := mergeKind(ev); kind != "" {
		if at, ok := b.latest[kind]; ok && at >= b.base {
			b.events[at-b.base] = nil
			b.weight--
		}
		b.latest[kind] = b.base + len(b.events)
	}
	more := b.collecting && b.news > 0 && !isList(ev)
	b.events = append(b.events, ev)
	b.weight += weigh(ev)
	b.count(ev, 1)
	if !more || b.weight >= batchChanges {
		pace.Poke(b.ready)
	}
}

// count needs the lock.
func (b *mailbox) count(ev model.Event, by int) {
	if !urgent(ev) {
		return
	}
	b.news += by
	if isList(ev) {
		b.lists += by
	}
}

// take removes the oldest events up to a weight of max, or one that is heavier.
// It also returns how many are left.
func (b *mailbox) take(max int) (taken []model.Event, left int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	weight, n := 0, 0
	for ; n < len(b.events); n++ {
		ev := b.events[n]
		if ev == nil {
			continue
		}
		if weight > 0 && weight+weigh(ev) > max {
			break
		}
		weight += weigh(ev)
		b.count(ev, -1)
		taken = append(taken, ev)
	}
	clear(b.events[:n]) // let go of what was handed out
	b.events = b.events[n:]
	b.base += n
	b.weight -= weight
	if len(b.events) == 0 {
		b.events = nil
	}
	close(b.space)
	b.space = make(chan struct{})
	for _, ev := range b.events {
		if ev != nil {
			left++
		}
	}
	return taken, left
}

// state says how much waits, whether urgent events are among it, and whether the
// mailbox was closed. A reader that is collecting is from then on woken by all that comes up to the first
// urgent event, then by parts of a list, and once there is enough for a batch.
func (b *mailbox) state(collecting bool) (weight int, news, closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.collecting = collecting
	return b.weight, b.news > 0, b.closed
}

// listing says whether all that happened is parts of lists. These are large, and none
// is joined with another.
func (b *mailbox) listing() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lists > 0 && b.lists == b.news
}

// close wakes whoever waits for events.
func (b *mailbox) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	pace.Poke(b.ready)
}

func weigh(ev model.Event) int {
	switch e := ev.(type) {
	case model.Committed:
		return max(1, len(e.Changes))
	case model.Listed:
		return max(1, len(e.KVs))
	}
	return 1
}

// isList says whether an event is part of a list.
func isList(ev model.Event) bool {
	switch ev.(type) {
	case model.Requested, model.LoadStarted, model.Listed, model.Loaded:
		return true
	}
	return false
}

// urgent says whether a person waits for an event: it tells of something that
// happened. The rest are answers to questions that are asked every now and then.
func urgent(ev model.Event) bool {
	switch ev.(type) {
	case model.LeaseRead, model.LeaseUnread, model.LeaseKeys, model.ClusterStatus, model.Watching:
		return false
	}
	return true
}

// mergeKind names the events of which only the newest matters. Lease readings
// need no merging: a lease is not read again before its reading was taken.
func mergeKind(ev model.Event) string {
	switch e := ev.(type) {
	case model.ClusterStatus:
		return "status"
	case model.Watching:
		return "watching " + e.Prefix
	}
	return ""
}

// joinRevisions sorts each run of Committed by revision and joins the parts of
// one revision that came over the watches of several prefixes.
func joinRevisions(events []model.Event) []model.Event {
	out := make([]model.Event, 0, len(events))
	run := 0 // start in out of the present run of Committed
	for _, ev := range events {
		c, ok := ev.(model.Committed)
		if !ok {
			out = append(out, ev)
			run = len(out)
			continue
		}
		at := len(out)
		for at > run && out[at-1].(model.Committed).Rev > c.Rev {
			at--
		}
		if at > run && sameRevision(out[at-1].(model.Committed), c) {
			earlier := out[at-1].(model.Committed)
			// A fresh slice: the earlier one may be shared with a sender's.
			earlier.Changes = append(append([]model.Change(nil), earlier.Changes...), c.Changes...)
			out[at-1] = earlier
			continue
		}
		out = append(out, nil)
		copy(out[at+1:], out[at:])
		out[at] = c
	}
	return out
}

// sameRevision says whether two parts can be joined. One prefix may have read as history
// what another one saw as it happened.
func sameRevision(a, b model.Committed) bool { return a.Rev == b.Rev && a.Past == b.Past }
