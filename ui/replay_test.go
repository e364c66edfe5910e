package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/fold"
	"locktop/ui/replay"
)

// spool is a recording that goes to the moment that it has, or to none.
type spool struct{ there *fold.State }

func (s spool) Now() time.Time { return at(5) }
func (s spool) Says() string   { return "1x" }
func (s spool) Pause()         {}
func (s spool) Faster(int)     {}
func (s spool) Go(context.Context, replay.Goal) (*fold.State, error) {
	if s.there == nil {
		return nil, errors.New("no event after this")
	}
	return s.there, nil
}

// TestSeekLosesNothing: what the recording tells while another moment is looked up counts
// if there is no such moment, whenever it comes, and does not if there is one. One
// call of the source is under way at the end, as before.
func TestSeekLosesNothing(t *testing.T) {
	for _, r := range []struct {
		reason        string
		found, during bool
		want          bool
	}{
		{"there is no such moment, and the event comes while it is looked up", false, true, true},
		{"there is none, and the event comes after that was said", false, false, true},
		{"the event is of the moment before", true, true, false},
		{"the event is of the moment before, and comes late", true, false, false},
	} {
		tape := spool{}
		if r.found {
			tape.there = fold.NewState()
		}
		b := newBench(t, Options{Tape: tape})
		calls := &counted{}
		b.live.Source = calls
		b.sync(1)
		source, before := b.sources, calls.n
		_, seek := b.Update(keyMsg("."))
		b.w.claim(2, "/l", "", 0xa1)
		told := func() { b.send(pulledMsg{source, b.w.batch()}) }
		if r.during {
			told()
		}
		b.send(seek())
		if !r.during {
			told()
		}
		if got := b.state.Lock("/l") != nil; got != r.want {
			t.Errorf("%s: taken in: %v", r.reason, got)
		}
		if calls.n != before+1 {
			t.Errorf("%s: %d calls of the source, want one", r.reason, calls.n-before)
		}
	}
}

// counted is a source whose calls are counted.
type counted struct{ n int }

func (c *counted) Next(context.Context, model.Want) (model.Batch, error) {
	c.n++
	return model.Batch{}, context.Canceled
}
