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

// Next implements model.Source.
func (t tapped) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b, err := t.Source.Next(ctx, want)
	t.look(b, err)
	return b, err
}
