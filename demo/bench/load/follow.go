package load

import (
	"context"
	"time"

	"locktop/model"
	"locktop/watcher"
)

// FollowResult is what a watcher with a model behind it has seen of a flood.
type FollowResult struct {
	Events     int // puts and deletes of claims
	OutOfOrder int // revisions that did not come after the one before
	Lost       int // times that the watch was lost
	LagP99     float64
}

// follower is the road of the console without a screen: watcher, model.
type follower struct {
	result FollowResult
	state  *model.State
	rev    int64
	lags   []time.Duration
	latest time.Time
}

// followQuiet is how long nothing may come before the flood is over.
const followQuiet = time.Second

// serveFollow watches until its standard input has ended and nothing comes any more.
func serveFollow(ctx context.Context, endpoint string) error {
	life := context.WithoutCancel(ctx)
	c, err := Dial(life, endpoint)
	if err != nil {
		return err
	}
	defer c.Close()
	w := watcher.New(c, watcher.Options{Prefixes: []string{Prefix}})
	defer w.Close()
	f := &follower{state: model.NewState()}
	for said := false; ; {
		b, err := w.Next(life, f.state.Want())
		if err != nil {
			return err
		}
		f.state.Apply(b)
		for _, e := range b.Events {
			f.event(e)
		}
		if !said && f.state.Loaded() {
			said = true
			if err := say("ready"); err != nil {
				return err
			}
		}
		if ctx.Err() != nil && time.Since(f.latest) > followQuiet {
			f.result.LagP99 = Quantile(f.lags, 0.99)
			return say(f.result)
		}
	}
}

func (f *follower) event(e model.Event) {
	switch e := e.(type) {
	case model.Lost:
		f.result.Lost++
	case model.Committed:
		f.latest = time.Now()
		if e.Rev <= f.rev {
			f.result.OutOfOrder++
		}
		f.rev = e.Rev
		f.result.Events += len(e.Changes)
		for _, c := range e.Changes {
			if lag, ok := Lag(c.KV.Value); ok && !c.Deleted {
				f.lags = append(f.lags, lag)
			}
		}
	}
}
