package session

import (
	"context"

	"locktop/model"
)

// Tap returns the source with a look at what each call returns. It is for those who pull by
// themselves: a [Session] has hooks.
func Tap(src model.Source, look func(model.Batch, error)) model.Source { return tapped{src, look} }

type tapped struct {
	model.Source
	look func(model.Batch, error)
}

// Map returns the source with every event as change makes it.
func Map(src model.Source, change func(model.Event) model.Event) model.Source {
	return mapped{src, change}
}

type mapped struct {
	model.Source
	change func(model.Event) model.Event
}

// Next implements model.Source.
func (m mapped) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b, err := m.Source.Next(ctx, want)
	events := make([]model.Event, len(b.Events)) // those of the batch may be others', too
	for i, e := range b.Events {
		events[i] = m.change(e)
	}
	b.Events = events
	return b, err
}

// Next implements model.Source.
func (t tapped) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b, err := t.Source.Next(ctx, want)
	t.look(b, err)
	return b, err
}
