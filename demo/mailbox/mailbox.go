// Package mailbox keeps the reports of a lab until somebody reads them: those of contenders, the
// proxy, faults and the guarded resource. It is the [model.Source] of a lab.
package mailbox

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"locktop/demo/process"
	"locktop/model"
)

const (
	// drainFor is how long Next collects what comes together.
	drainFor = 20 * time.Millisecond
	// batchMax bounds one batch.
	batchMax = 2000
	// maxUnmerged is how many events wait unmerged.
	maxUnmerged = 4000
)

// ErrClosed says that the lab was closed.
var ErrClosed = errors.New("the lab is closed")

// Mailbox keeps reports until somebody asks for them. While somebody asks, it keeps every
// one. If nobody asks, it does not grow: see merge.
type Mailbox struct {
	wake chan struct{} // holds one token while there is something to be had

	mu     sync.Mutex
	events []model.Event
	full   int // merge when there are that many
	closed bool
}

// New returns an empty one.
func New() *Mailbox {
	return &Mailbox{wake: make(chan struct{}, 1), full: maxUnmerged}
}

// Put adds a report. It never waits.
func (b *Mailbox) Put(e model.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
	if len(b.events) >= b.full {
		b.events = merge(b.events, maxUnmerged/2)
		b.full = max(maxUnmerged, 2*len(b.events))
	}
	b.ring()
}

// Close lets Next return what is left, and then [ErrClosed].
func (b *Mailbox) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.ring()
}

// ring leaves a token if there is none.
func (b *Mailbox) ring() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take removes up to n events. The error is ErrClosed when nothing will come any
// more.
func (b *Mailbox) take(n int) (events []model.Event, left int, err error) {
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

// Next is that of [model.Source]. Of what is wanted it takes the time to wake at, zero for never.
func (b *Mailbox) Next(ctx context.Context, wakeAt time.Time, now func() time.Time) (model.Batch, error) {
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
		if !process.Sleep(ctx, nil, drainFor) {
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
	kind      string
	who, what string
	member    string
	lease     model.LeaseID
	renews    bool
}

// subjectOf returns what e is the latest about, false if it is about nothing but
// itself.
func subjectOf(e model.Event) (subject, bool) {
	switch e := e.(type) {
	case model.Belief:
		return subject{kind: "belief", who: e.Contender, what: e.Lock}, true
	case model.Contender:
		return subject{kind: "contender", who: e.Name}, true
	case model.LeaseOwner:
		return subject{kind: "lease", who: e.Name, lease: e.Lease, renews: e.Renews}, true
	case model.Connected:
		return subject{kind: "connected", who: e.Name, what: e.Peer, member: e.Member}, true
	case model.Watches:
		return subject{kind: "watches", who: e.Name, what: e.Key}, true
	}
	return subject{}, false
}

// isEvidence says whether e is of those that clients bring about, any number of
// them. All else is of people, and of contenders whose number is bounded.
func isEvidence(e model.Event) bool {
	switch e.(type) {
	case model.LeaseOwner, model.Connected, model.Watches, model.Wrote, model.Revoked, model.Refused, model.Access, model.Printed:
		return true
	}
	return false
}

// merge keeps the latest event about each subject, and of all others every one, in
// their order. If that is more than limit, the oldest evidence goes.
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
		if excess <= 0 || !isEvidence(e) {
			return false
		}
		excess--
		return true
	})
}
