package load

import (
	"context"
	"time"

	"locktop/model"
	"locktop/model/store"
	"locktop/watcher"
)

// FollowResult is what a watcher with a model behind it has seen of a flood.
type FollowResult struct {
	Events     int // puts and deletes of claims
	OutOfOrder int // revisions that did not come after the one before
	Lost       int // times that the watch was lost
	LagP99     float64
}

// followQuiet is how long nothing may come before the flood is over.
const followQuiet = time.Second

// serveFollow is the road of the console without a screen: watcher, model. It watches
// until its standard input has ended and nothing comes any more.
func serveFollow(ctx context.Context, endpoint string) error {
	life := context.WithoutCancel(ctx)
	c, err := Dial(life, endpoint)
	if err != nil {
		return err
	}
	defer c.Close()
	w := watcher.New(c, watcher.Options{Prefixes: []string{Prefix}})
	defer w.Close()
	var r FollowResult
	var last model.Committed
	var latest time.Time
	var lags []time.Duration
	state := store.New()
	for said := false; ctx.Err() == nil || time.Since(latest) <= followQuiet; {
		b, err := w.Next(life, state.Want(nil))
		if err != nil {
			return err
		}
		state.Apply(b)
		for _, e := range b.Events {
			if _, lost := e.(model.Lost); lost {
				r.Lost++
			}
			commit, ok := e.(model.Committed)
			if !ok {
				continue
			}
			if commit.Rev <= last.Rev {
				r.OutOfOrder++
			}
			last, latest = commit, time.Now()
			r.Events += len(commit.Changes)
			for _, change := range commit.Changes {
				if lag, ok := Lag(change.KV.Value); ok && !change.Deleted {
					lags = append(lags, lag)
				}
			}
		}
		if !said && state.Coverage().Loaded() {
			said = true
			if err := Say("ready"); err != nil {
				return err
			}
		}
	}
	r.LagP99 = Quantile(lags, 0.99)
	return Say(r)
}
