package watcher

import (
	"context"

	"locktop/model"
)

// history is what a follower reads of the past before it follows the present.
//
// It is asked for, or it is not read. It is bounded by revisions, which are known before
// anything is read, so the bound holds for the servers too. Followers read it one after
// another: a watch that is behind makes its member read from the disk.
type history struct {
	since    int64 // where to begin, SinceAll for the oldest; 0: no history, or not any more
	sinceMax int64 // how many revisions at most
	until    int64 // what is delivered up to here is past
	turn     chan struct{}
	myTurn   bool
}

// takeTurn waits until no other follower reads history, if this one is to.
func (h *history) takeTurn(ctx context.Context) error {
	if h.since == 0 || h.myTurn {
		return nil
	}
	select {
	case h.turn <- struct{}{}:
		h.myTurn = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// passTurn lets the next follower read.
func (h *history) passTurn() {
	if h.myTurn {
		h.myTurn = false
		<-h.turn
	}
}

// backFrom returns the revision to list at where the cluster stands at head, and says
// in l what history follows, and why it is less than was asked for.
func (f *follower) backFrom(ctx context.Context, head int64, l *model.Loaded) (int64, error) {
	if f.since == 0 {
		return head, nil
	}
	from := max(1, f.since)
	switch {
	case from > head:
		l.Note = model.Say("no-history-since", from, head)
		return head, nil
	case head-from > f.sinceMax:
		if from = head - f.sinceMax; f.since > 0 {
			l.Note = model.Say("history-too-far-back", f.since, head-f.since, f.sinceMax, from)
		} else {
			l.Note = model.Say("history-only-the-last", f.sinceMax, from)
		}
	}
	first, err := f.remote.oldest(ctx, f.prefix, from)
	if err != nil {
		return 0, err
	}
	if first > from && f.since > 0 {
		l.Note = model.Say("history-compacted", f.since, first)
	} else if first > from {
		l.Note = model.Say("history-compacted-before", first)
	}
	if first < head {
		l.Until = head
	}
	return first, nil
}
