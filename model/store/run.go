package store

import (
	"context"

	"locktop/model"
)

// Ask is the first half of a step: it returns the call that asks a source for what the store wants
// now. The call may run beside the store. What it returns goes to ApplyWhile, the other half.
func (s *Store) Ask(src model.Source, visible []model.LeaseID) func(context.Context) (model.Batch, error) {
	want := s.Want(visible)
	return func(ctx context.Context) (model.Batch, error) { return src.Next(ctx, want) }
}

// Loop says what Run does beside its steps. The zero value does nothing.
type Loop struct {
	Until func() bool             // ends Run when it says true; asked before each step
	Event func(model.Event)       // called after each event
	Batch func(model.Batch) error // called after each batch; an error ends Run
}

// Run takes one step after another: it asks src for what the store wants, and applies what comes.
// It returns nil when l.Until says so, else the first error of src, of l.Batch, or of ctx if that
// ends while a batch is applied.
func (s *Store) Run(ctx context.Context, src model.Source, l Loop) error {
	goOn := func() bool { return ctx.Err() == nil }
	for l.Until == nil || !l.Until() {
		b, err := s.Ask(src, nil)(ctx)
		if err != nil {
			return err
		}
		if !s.applyEach(b, goOn, l.Event) {
			return ctx.Err()
		}
		if l.Batch == nil {
			continue
		}
		if err := l.Batch(b); err != nil {
			return err
		}
	}
	return nil
}
