// Package queue is the bounded queue of events between those who see things happen and the one
// who takes them: the watcher's, the lab's and the gate's.
//
//	Push, which waits while it is full ─┐
//	Add, which never waits             ─┴─▶ Queue ─▶ Take, or Next as a [model.Source]
//
// Its measure is the weight: key changes, and one for any other event. A reader who comes in time
// gets every event, in order. When a queue is full, readings that were overtaken by a newer one
// of the same subject go (see subjectOf), and of those who cannot wait the oldest evidence, of
// which clients bring about any number. Whatever tells that something began, changed hands or
// ended stays, in its place: a revision, a loss, a fault, a process, an action.
//
// It is a leaf: it knows the model alone, so every room may use it.
package queue

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"locktop/model"
)

// BatchMax is the weight of one batch: a reader takes no more at once, but for one event that is
// heavier by itself.
const BatchMax = 2_000

// drainFor is how long [Queue.Next] collects what comes together.
const drainFor = 20 * time.Millisecond

// ErrClosed is what Next returns once the queue is closed and empty.
var ErrClosed = errors.New("the queue is closed")

// Queue is made by [New]. Any number of goroutines may put events in; one at a time takes them.
type Queue struct {
	now   func() time.Time // stamps a Tick; nil: Next returns none
	ready chan struct{}    // holds a token when something was put in

	mu     sync.Mutex
	limit  int // of the weight
	events []model.Event
	weight int
	urgent int // events that somebody waits for
	lists  int // those of them that are parts of a list
	closed bool
	// collecting: who takes lets more arrive once something happened, and is not woken for each.
	collecting bool
	// shed is the weight from which on it is worth while to look for what can go.
	shed  int
	space chan struct{} // closed and replaced when something was taken
}

// New returns an empty queue that holds so much weight. The clock stamps the Tick of a call of
// Next that ends since it is time; without one no call does.
func New(limit int, now func() time.Time) *Queue {
	return &Queue{limit: limit, shed: limit, now: now, ready: make(chan struct{}, 1), space: make(chan struct{})}
}

// Push appends events, waiting while the queue is full. As many as fit go in at once, so that
// what one response brought is taken in one batch. A single event may exceed the limit, since a
// revision is never cut. It fails with ctx alone.
func (q *Queue) Push(ctx context.Context, events ...model.Event) error {
	for {
		q.mu.Lock()
		for len(events) > 0 && (q.fits(events[0]) || q.makeRoom() && q.fits(events[0])) {
			q.put(events[0])
			events = events[1:]
		}
		space := q.space
		q.mu.Unlock()
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

// Add appends an event, and never waits: when the queue is full, evidence goes as well. What
// never goes is of people, and of programs whose number is bounded: of that it takes any amount.
func (q *Queue) Add(e model.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.fits(e) && q.makeRoom() && q.weight > q.limit/2 {
		q.dropEvidence(q.weight - q.limit/2)
		q.shed = max(q.limit, 2*q.weight)
	}
	q.put(e)
}

// fits needs the lock.
func (q *Queue) fits(e model.Event) bool { return q.weight == 0 || q.weight+Weigh(e) <= q.limit }

// put needs the lock.
func (q *Queue) put(e model.Event) {
	more := q.collecting && q.urgent > 0 && !isList(e)
	q.events = append(q.events, e)
	q.count(e, 1)
	if !more || q.weight >= BatchMax {
		q.wake()
	}
}

// count needs the lock.
func (q *Queue) count(e model.Event, by int) {
	q.weight += by * Weigh(e)
	if !Urgent(e) {
		return
	}
	q.urgent += by
	if isList(e) {
		q.lists += by
	}
}

// wake leaves a token for the reader, if there is none.
func (q *Queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// Take removes the oldest events up to a weight of limit, or one that is heavier. It also returns
// how many are left.
func (q *Queue) Take(limit int) (taken []model.Event, left int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	weight, n := 0, 0
	for ; n < len(q.events); n++ {
		w := Weigh(q.events[n])
		if weight > 0 && weight+w > limit {
			break
		}
		weight += w
		q.count(q.events[n], -1)
	}
	taken = slices.Clone(q.events[:n])
	clear(q.events[:n]) // let go of what was handed out
	q.events = q.events[n:]
	if len(q.events) == 0 {
		q.events = nil
	}
	q.shed = q.limit
	close(q.space)
	q.space = make(chan struct{})
	return taken, len(q.events)
}

// State says how much waits, whether somebody waits for an event among it, and whether the queue
// was closed. A reader that is collecting is from then on woken by all that comes up to the first
// urgent event, then by parts of a list, and once there is enough for a batch.
func (q *Queue) State(collecting bool) (weight int, urgent, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.collecting = collecting
	return q.weight, q.urgent > 0, q.closed
}

// OnlyLists says whether all urgent events are parts of lists. These are large, and none is
// joined with another.
func (q *Queue) OnlyLists() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lists > 0 && q.lists == q.urgent
}

// Ready holds a token when something was put in of which the reader is to hear, see State.
func (q *Queue) Ready() <-chan struct{} { return q.ready }

// Close wakes whoever waits for events. What is in the queue can still be taken.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.wake()
}

// Await returns when there are events or the queue was closed, with tick when due says that it is
// time and there are none, or with ctx's error.
func (q *Queue) Await(ctx context.Context, due <-chan time.Time) (tick bool, err error) {
	for {
		weight, _, closed := q.State(false)
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case weight > 0 || closed:
			return false, nil
		}
		select {
		case <-q.ready:
		case <-due:
			if weight, _, closed := q.State(false); weight == 0 && !closed {
				return true, nil
			}
		case <-ctx.Done():
		}
	}
}

// Next is that of [model.Source], for reports that cost nobody a request: it collects for 20 ms
// what comes together. Of what is wanted it heeds the time to wake at.
func (q *Queue) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	var due <-chan time.Time
	if q.now != nil && !want.WakeAt.IsZero() {
		t := time.NewTimer(want.WakeAt.Sub(q.now()))
		defer t.Stop()
		due = t.C
	}
	tick, err := q.Await(ctx, due)
	switch {
	case err != nil:
		return model.Batch{}, err
	case tick:
		return model.Batch{Events: []model.Event{model.Tick{At: q.now()}}}, nil
	}
	drain := time.NewTimer(drainFor)
	defer drain.Stop()
	select {
	case <-drain.C:
	case <-ctx.Done(): // the events stay for the next call
		return model.Batch{}, ctx.Err()
	}
	events, left := q.Take(BatchMax)
	if len(events) == 0 {
		return model.Batch{}, ErrClosed
	}
	return model.Batch{Events: events, Cost: model.Cost{Behind: left}}, nil
}
