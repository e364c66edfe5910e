package session

import (
	"context"
	"errors"
	"testing"
	"time"

	"locktop/model"
)

// script is a source that hands out what is sent to it, and a tick when it is to
// wake.
type script struct {
	batches chan model.Batch
	wants   chan model.Want // of each call, if somebody looks
}

var errSpent = errors.New("spent")

func (s script) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	select {
	case s.wants <- want:
	default:
	}
	var due <-chan time.Time
	if !want.WakeAt.IsZero() {
		due = time.After(time.Until(want.WakeAt))
	}
	select {
	case b, ok := <-s.batches:
		if !ok {
			return model.Batch{}, errSpent
		}
		return b, nil
	case <-due:
		return model.Batch{Events: []model.Event{model.Tick{At: want.WakeAt}}}, nil
	case <-ctx.Done():
		return model.Batch{}, ctx.Err()
	}
}

func newScript() script {
	return script{batches: make(chan model.Batch, 8), wants: make(chan model.Want, 64)}
}

func tick(sec int64) model.Batch {
	return model.Batch{Events: []model.Event{model.Tick{At: time.Unix(sec, 0)}}}
}

// interrupted makes a call that ends with its context.
func interrupted(t *testing.T, src model.Source, want model.Want) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if b, err := src.Next(ctx, want); err == nil {
		t.Fatalf("%v from a call that was cancelled", b)
	}
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestMergeWakesForTheLatestWant(t *testing.T) {
	a, b := newScript(), newScript()
	src := Merge(within(t), a, b)
	interrupted(t, src, model.Want{})
	got, err := src.Next(within(t), model.Want{WakeAt: time.Now()})
	if err != nil || len(got.Events) == 0 {
		t.Fatalf("%v, %v: want a tick, although the sources were asked before for none", got, err)
	}
}

func TestMergeLosesNothing(t *testing.T) {
	a, b := newScript(), newScript()
	src := Merge(within(t), a, b)
	sent, came := 0, 0
	for round := range 200 {
		to := a
		if round%3 == 0 {
			to = b
		}
		to.batches <- tick(int64(round))
		sent++
		interrupted(t, src, model.Want{Leases: []model.LeaseID{model.LeaseID(round + 1)}})
		for came < sent {
			got, err := src.Next(within(t), model.Want{})
			if err != nil {
				t.Fatal(err)
			}
			came += len(got.Events)
		}
	}
	close(b.batches)
	if _, err := src.Next(within(t), model.Want{}); !errors.Is(err, errSpent) {
		t.Errorf("%v: want the error of the source that is spent", err)
	}
}

func TestForkGivesBothTheSame(t *testing.T) {
	src := newScript()
	a, b := Fork(within(t), src)
	src.batches <- tick(1)
	src.batches <- tick(2)
	for name, side := range map[string]*Branch{"a": a, "b": b} {
		for n := 0; n < 2; {
			got, err := side.Next(within(t), model.Want{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			n += len(got.Events)
		}
	}
	if got, err := a.Next(within(t), model.Want{WakeAt: time.Now()}); err != nil || len(got.Events) == 0 {
		t.Errorf("%v, %v: want a tick for the one who asks", got, err)
	}
	b.Leave()
	interrupted(t, a, model.Want{Leases: []model.LeaseID{7}})
	for want := range src.wants { // until the wish has come through
		if len(want.Leases) == 1 && want.Leases[0] == 7 {
			break
		}
	}
	close(src.batches)
	var err error
	for err == nil { // a tick that a was to wake for may come first
		_, err = a.Next(within(t), model.Want{})
	}
	if !errors.Is(err, errSpent) {
		t.Errorf("%v: want the error of the source", err)
	}
}
