package cli

import (
	"context"

	"locktop/model"
)

// reports is the source of what the gate did on a cluster that is not a lab: only
// that makes the cause of a revoke or a delete certain.
type reports chan model.Event

// maxReports bounds what waits to be pulled. A person acts far more slowly.
const maxReports = 64

// add is called by the gate. It never blocks: should nobody pull any more, what was
// done is in the journal all the same.
func (r reports) add(e model.Event) {
	select {
	case r <- e:
	default:
	}
}

// Next implements model.Source.
func (r reports) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
	select {
	case e := <-r:
		return model.Batch{Events: []model.Event{e}}, nil
	case <-ctx.Done():
		return model.Batch{}, ctx.Err()
	}
}
