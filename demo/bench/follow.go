package main

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"locktop/model"
	"locktop/watcher"
)

// followResult is what a watcher with a model behind it has seen of a flood.
type followResult struct {
	Events     int // puts and deletes of claims
	OutOfOrder int // revisions that did not come after the one before
	Lost       int // times that the watch was lost
	LagP99     float64
}

// follower is the road of the console without a screen: watcher, model.
type follower struct {
	result followResult
	state  *model.State
	rev    int64
	lags   []time.Duration
	latest time.Time
}

// followQuiet is how long nothing may come before the flood is over.
const followQuiet = time.Second

// serveFollow watches until its standard input has ended and nothing comes any more.
func serveFollow(arg []byte, ended <-chan struct{}) error {
	var endpoint string
	if err := json.Unmarshal(arg, &endpoint); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, err := dial(ctx, endpoint)
	if err != nil {
		return err
	}
	defer c.Close()
	w := watcher.New(c, watcher.Options{Prefixes: []string{prefix}})
	defer w.Close()
	f := &follower{state: model.NewState()}
	for said := false; ; {
		b, err := w.Next(ctx, f.state.Want())
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
		select {
		case <-ended:
			if time.Since(f.latest) > followQuiet {
				f.result.LagP99 = ms(quantile(f.lags, 0.99))
				return say(f.result)
			}
		default:
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
			if sent, err := strconv.ParseInt(c.KV.Value, 10, 64); err == nil && !c.Deleted {
				f.lags = append(f.lags, time.Since(time.Unix(0, sent)))
			}
		}
	}
}

// follow starts a follower on a server.
func (e *env) follow(ctx context.Context, endpoint string) (*child, error) {
	return e.start(ctx, followRole, endpoint, patience)
}

// followed ends a follower, and returns what it saw and the processor time it took.
func followed(c *child) (followResult, time.Duration, error) {
	var r followResult
	err := c.answer(&r)
	if c.cmd.ProcessState == nil {
		return r, 0, errors.Join(err, errors.New("the follower has not ended"))
	}
	return r, c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime(), err
}
