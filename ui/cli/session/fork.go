package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"locktop/model"
)

// Fork makes two sources of one: each of them gets every batch. What the two want
// is asked for together. It ends with ctx, or with the source.
func Fork(ctx context.Context, src model.Source) (a, b *Branch) {
	f := &forked{src: src, changed: make(chan struct{}, 1)}
	a, b = &Branch{f: f, ready: make(chan struct{}, 1)}, &Branch{f: f, ready: make(chan struct{}, 1)}
	f.branches = []*Branch{a, b}
	go f.pump(ctx)
	return a, b
}

// forked is the source behind the branches.
type forked struct {
	src      model.Source
	changed  chan struct{} // holds a token when a branch wants something else
	mu       sync.Mutex
	branches []*Branch
	err      error
}

// Branch is one of the two. Once it is left, nothing is kept for it.
type Branch struct {
	f     *forked
	ready chan struct{} // holds a token when there is something to be had

	// Guarded by the mutex of f.
	want   model.Want
	events []model.Event
	cost   model.Cost
	closed bool
}

// pump asks the source again whenever a branch wants something else.
func (f *forked) pump(ctx context.Context) {
	for ctx.Err() == nil {
		asking, cancel := context.WithCancel(ctx)
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			select {
			case <-f.changed:
				cancel()
			case <-stop:
			}
		}()
		batch, err := f.src.Next(asking, f.wanted())
		close(stop)
		<-stopped // before the wants are read again: it may have taken the token of a new one
		again := err != nil && asking.Err() != nil && ctx.Err() == nil
		cancel()
		if again {
			continue // a call that ends with its context has consumed nothing
		}
		f.deliver(batch, err)
		if err != nil {
			return
		}
	}
}

// wanted is what both want.
func (f *forked) wanted() model.Want {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all model.Want
	for _, b := range f.branches {
		if b.closed {
			continue
		}
		if b.want.Hurry && !all.Hurry { // what cannot wait comes first
			all.Leases, all.Hurry = append(slices.Clone(b.want.Leases), all.Leases...), true
		} else {
			all.Leases = append(all.Leases, b.want.Leases...)
		}
		all.Keys = append(all.Keys, b.want.Keys...)
		all.Confirm = all.Confirm || b.want.Confirm
		if at := b.want.WakeAt; !at.IsZero() && (all.WakeAt.IsZero() || at.Before(all.WakeAt)) {
			all.WakeAt = at
		}
	}
	return all
}

func (f *forked) deliver(batch model.Batch, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
	for _, b := range f.branches {
		if !b.closed {
			b.events, b.cost = append(b.events, batch.Events...), batch.Cost
			b.ring()
			if len(batch.Events) > 0 {
				b.want.WakeAt = time.Time{} // it is awake, and says anew when it comes again
			}
		}
	}
}

// ring leaves a token if there is none.
func (b *Branch) ring() {
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// Next implements model.Source.
func (b *Branch) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b.f.mu.Lock()
	b.want = want
	b.f.mu.Unlock()
	select {
	case b.f.changed <- struct{}{}:
	default:
	}
	for {
		if ctx.Err() != nil { // though there may be something as well
			return model.Batch{}, ctx.Err()
		}
		select {
		case <-ctx.Done():
			return model.Batch{}, ctx.Err()
		case <-b.ready:
		}
		b.f.mu.Lock()
		batch, err := model.Batch{Events: b.events, Cost: b.cost}, b.f.err
		b.events = nil
		if err != nil {
			b.ring() // it stays so
		}
		b.f.mu.Unlock()
		switch {
		case len(batch.Events) > 0:
			return batch, nil
		case err != nil:
			return model.Batch{}, err
		}
	}
}

// Leave says that nobody asks this branch any more.
func (b *Branch) Leave() {
	b.f.mu.Lock()
	defer b.f.mu.Unlock()
	b.closed, b.events = true, nil
}
