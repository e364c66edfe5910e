package demo

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"locktop/model"
)

const (
	// drainFor is how long Next collects what comes together.
	drainFor = 20 * time.Millisecond
	// batchMax bounds one batch.
	batchMax = 2000
	// mailboxMax is how many events wait unmerged.
	mailboxMax = 4000
)

// ErrClosed says that the lab was closed.
var ErrClosed = errors.New("the lab is closed")

// mailbox keeps reports until somebody asks for them. Where nobody does, it does
// not grow: of what a contender is and believes the latest is enough.
type mailbox struct {
	wake chan struct{} // holds one token while there is something to be had

	mu     sync.Mutex
	events []model.Event
	full   int // merge when there are that many
	closed bool
}

func newMailbox() *mailbox {
	return &mailbox{wake: make(chan struct{}, 1), full: mailboxMax}
}

func (b *mailbox) put(e model.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
	if len(b.events) >= b.full {
		b.events = merge(b.events, mailboxMax/2)
		b.full = max(mailboxMax, 2*len(b.events))
	}
	b.ring()
}

func (b *mailbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.ring()
}

// ring leaves a token if there is none.
func (b *mailbox) ring() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take removes up to n events. The error is ErrClosed when nothing will come any
// more.
func (b *mailbox) take(n int) (events []model.Event, left int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, len(b.events))
	events = slices.Clone(b.events[:n])
	b.events = slices.Delete(b.events, 0, n)
	if len(b.events) > 0 || b.closed {
		b.ring()
	}
	if n == 0 && b.closed {
		return nil, 0, ErrClosed
	}
	return events, len(b.events), nil
}

// next is Next of [model.Source].
func (b *mailbox) next(ctx context.Context, wakeAt time.Time, now func() time.Time) (model.Batch, error) {
	var due <-chan time.Time
	if !wakeAt.IsZero() {
		t := time.NewTimer(wakeAt.Sub(now()))
		defer t.Stop()
		due = t.C
	}
	for {
		if err := ctx.Err(); err != nil {
			return model.Batch{}, err
		}
		select {
		case <-ctx.Done():
			return model.Batch{}, ctx.Err()
		case <-due:
			return model.Batch{Events: []model.Event{model.Tick{At: now()}}}, nil
		case <-b.wake:
		}
		if !sleep(ctx, nil, drainFor) {
			b.ring() // the events stay for the next call
			return model.Batch{}, ctx.Err()
		}
		events, left, err := b.take(batchMax)
		if err != nil || len(events) > 0 {
			return model.Batch{Events: events, Cost: model.Cost{Behind: left}}, err
		}
	}
}

// subject is what an event says the latest about.
type subject struct {
	kind  string
	name  string
	lease model.LeaseID
}

// subjectOf returns what e is the latest about, false if it has to be kept.
func subjectOf(e model.Event) (subject, bool) {
	switch e := e.(type) {
	case model.Belief:
		return subject{kind: "belief", name: e.Contender}, true
	case model.Contender:
		return subject{kind: "contender", name: e.Name}, true
	case model.LeaseOwner:
		return subject{kind: "lease", lease: e.Lease}, true
	}
	return subject{}, false
}

// merge keeps the latest event about each contender, belief and lease, and of all
// others every one, in their order. If that is more than limit, the oldest owners
// of leases go: clients that are not ours may open any number of them.
func merge(events []model.Event, limit int) []model.Event {
	seen := map[subject]bool{}
	var kept []model.Event
	for _, e := range slices.Backward(events) {
		s, ok := subjectOf(e)
		if ok && seen[s] {
			continue
		}
		seen[s] = ok
		kept = append(kept, e)
	}
	slices.Reverse(kept)
	excess := len(kept) - limit
	return slices.DeleteFunc(kept, func(e model.Event) bool {
		if _, ok := e.(model.LeaseOwner); !ok || excess <= 0 {
			return false
		}
		excess--
		return true
	})
}
