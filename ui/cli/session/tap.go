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

// Map returns the source with what change makes of every event: another, none, or several.
func Map(src model.Source, change func(model.Event) []model.Event) model.Source {
	return mapped{src, change}
}

type mapped struct {
	model.Source
	change func(model.Event) []model.Event
}

// Next implements model.Source. A batch of which nothing is left is none.
func (m mapped) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	for {
		b, err := m.Source.Next(ctx, want)
		var events []model.Event // those of the batch may be others', too
		for _, e := range b.Events {
			events = append(events, m.change(e)...)
		}
		if err != nil || len(events) > 0 || len(b.Events) == 0 {
			b.Events = events
			return b, err
		}
	}
}

// Next implements model.Source.
func (t tapped) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b, err := t.Source.Next(ctx, want)
	t.look(b, err)
	return b, err
}
