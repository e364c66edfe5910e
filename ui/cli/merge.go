package cli

import (
	"context"

	"locktop/model"
)

// merged is several sources as one. Each has one outstanding call of its own,
// made with the want of the moment; what has arrived by the time that one of them
// answers comes in the same batch. No order holds between sources.
type merged struct {
	sources []model.Source
	ctx     context.Context
	asked   []bool
	answers chan answer
	cost    model.Cost // of the first source, the only one that costs the cluster anything
}

type answer struct {
	from  int
	batch model.Batch
	err   error
}

// merge joins sources until ctx ends.
func merge(ctx context.Context, sources ...model.Source) model.Source {
	return &merged{sources: sources, ctx: ctx, asked: make([]bool, len(sources)), answers: make(chan answer, len(sources))}
}

// Next implements model.Source. A call that ends with ctx consumed nothing: the
// answers wait for the next one.
func (m *merged) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	for i, src := range m.sources {
		if !m.asked[i] {
			m.asked[i] = true
			go func() {
				b, err := src.Next(m.ctx, want)
				m.answers <- answer{from: i, batch: b, err: err}
			}()
		}
	}
	var all model.Batch
	select {
	case <-ctx.Done():
		return all, ctx.Err()
	case a := <-m.answers:
		for {
			m.asked[a.from] = false
			if a.err != nil {
				return all, a.err
			}
			all.Events = append(all.Events, a.batch.Events...)
			if a.from == 0 {
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
}
