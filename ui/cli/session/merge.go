package session

import (
	"context"
	"slices"

	"locktop/model"
)

// merged is several sources as one. Each has one outstanding call of its own, which
// is made anew when something else is wanted; what has arrived by the time that one
// of them answers comes in the same batch. No order holds between sources.
type merged struct {
	ctx     context.Context
	sources []model.Source
	calls   []*call // the outstanding ones, nil for none
	answers chan answer
	cost    model.Cost // of the first source, the only one that costs the cluster anything
}

// call is one outstanding call.
type call struct {
	want    model.Want
	ctx     context.Context
	abandon context.CancelFunc
}

type answer struct {
	from  int
	call  *call
	batch model.Batch
	err   error
}

// Merge makes one source of several, until ctx ends. The batches say what the first one
// costs.
func Merge(ctx context.Context, sources ...model.Source) model.Source {
	return &merged{sources: sources, ctx: ctx, calls: make([]*call, len(sources)), answers: make(chan answer, len(sources))}
}

// Next implements model.Source. A call that ends with ctx consumed nothing: the
// answers wait for the next one.
func (m *merged) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	m.ask(want)
	for {
		if ctx.Err() != nil { // though there may be an answer as well
			return model.Batch{}, ctx.Err()
		}
		select {
		case <-ctx.Done():
			return model.Batch{}, ctx.Err()
		case a := <-m.answers:
			batch, err := m.drain(a)
			if err != nil || len(batch.Events) > 0 {
				return batch, err
			}
			m.ask(want) // of those that were abandoned
		}
	}
}

// ask makes the calls that are not outstanding, and abandons those that want
// something else: they consume nothing.
func (m *merged) ask(want model.Want) {
	for i, src := range m.sources {
		switch c := m.calls[i]; {
		case c == nil:
			c = &call{want: want}
			c.ctx, c.abandon = context.WithCancel(m.ctx)
			m.calls[i] = c
			go func() {
				b, err := src.Next(c.ctx, want)
				m.answers <- answer{from: i, call: c, batch: b, err: err}
			}()
		case c.want.Hurry != want.Hurry || c.want.Confirm != want.Confirm || !c.want.WakeAt.Equal(want.WakeAt) ||
			!slices.Equal(c.want.Leases, want.Leases) || !slices.Equal(c.want.Keys, want.Keys):
			c.abandon()
		}
	}
}

// drain takes this answer and what else has come.
func (m *merged) drain(a answer) (model.Batch, error) {
	var all model.Batch
	for {
		m.calls[a.from] = nil
		abandoned := a.call.ctx.Err() != nil && m.ctx.Err() == nil
		a.call.abandon()
		if a.err != nil && !abandoned {
			return all, a.err
		}
		all.Events = append(all.Events, a.batch.Events...)
		if a.from == 0 && a.err == nil {
			m.cost = a.batch.Cost
		}
		select {
		case a = <-m.answers:
		default:
			all.Cost = m.cost
			return all, nil
		}
	}
}
