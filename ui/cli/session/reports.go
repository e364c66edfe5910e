package session

import (
	"context"

	"locktop/model"
)

// Reports is the source of what the gate did on a cluster that is not a lab: only
// that makes the cause of a revoke or a delete certain.
type Reports chan model.Event

// NewReports returns the source with room for far more than a person does between two
// pulls.
func NewReports() Reports { return make(Reports, 64) }

// Add takes what the gate reports. It never blocks: should nobody pull any more, what was
// done is in the journal all the same.
func (r Reports) Add(e model.Event) {
	select {
	case r <- e:
	default:
	}
}

// Next implements model.Source.
func (r Reports) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
	select {
	case e := <-r:
		return model.Batch{Events: []model.Event{e}}, nil
	case <-ctx.Done():
		return model.Batch{}, ctx.Err()
	}
}
