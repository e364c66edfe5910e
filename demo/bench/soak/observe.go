package soak

import (
	"context"
	"fmt"
	"strings"
	"time"

	"locktop/demo/bench/load"
	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/watcher"
)

// Observer is the role of a process that watches the cluster as the screen would.
const Observer load.Role = "soak-observer" // order

func init() { load.Plays(Observer, serveObserver) }

// order is what an observer is told.
type order struct {
	Endpoints []string
	Prefixes  []string // none: all keys
}

// told is what an observer says: one of these.
type told struct {
	At      time.Time
	Finding *model.Finding `json:",omitempty"` // that is new, without its sentences
	Words   string         `json:",omitempty"` // what it says
	Read    time.Time      // when its lease was read
	Cause   *cause         `json:",omitempty"` // that has become known
	Lost    string         `json:",omitempty"` // the watch
	Done    *totals        `json:",omitempty"` // the last word
}

// cause is why a claim went, as the journal says it.
type cause struct {
	Kind       journal.Kind
	At         time.Time // when it went
	Gone       model.ClaimRef
	Cause      journal.Cause
	Confidence model.Confidence
	Evidence   string
}

// totals are the figures of an observer.
type totals struct {
	Batches  int     `json:"batches"`
	RPS      float64 `json:"requests_per_second"` // to the cluster, on average
	RPSMax   float64 `json:"requests_per_second_max"`
	RSSStart int     `json:"rss_start_mib"`
	RSSEnd   int     `json:"rss_end_mib"`
}

// observer follows the cluster and says what the model infers.
type observer struct {
	watcher *watcher.Watcher
	state   *store.Store
	seq     uint64 // of the last entry that was looked at
	pending []*journal.Entry
	done    map[claimID]struct{} // whose cause was said
	active  map[string]struct{}  // findings that stand
	totals  totals
}

// serveObserver watches until its standard input ends.
func serveObserver(ctx context.Context, o order) error {
	c, err := load.Dial(ctx, o.Endpoints...)
	if err != nil {
		return fmt.Errorf("dial: %w", err)
	}
	defer c.Close()
	w := watcher.New(c, watcher.Options{Prefixes: o.Prefixes})
	defer w.Close()
	obs := &observer{watcher: w, state: store.New(), done: map[claimID]struct{}{}, active: map[string]struct{}{}}
	if err := load.Say("watching"); err != nil {
		return err
	}
	if obs.totals.RSSStart, err = rss(); err != nil {
		return err
	}
	if err := obs.run(ctx); err != nil {
		return err
	}
	if obs.totals.RSSEnd, err = rss(); err != nil {
		return err
	}
	if obs.totals.Batches > 0 {
		obs.totals.RPS /= float64(obs.totals.Batches)
	}
	return load.Say(told{At: time.Now(), Done: &obs.totals})
}

// run follows until ctx ends.
func (o *observer) run(ctx context.Context) error {
	for {
		b, err := o.watcher.Next(ctx, o.state.Want(nil))
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		o.state.Apply(b)
		o.totals.Batches++
		o.totals.RPS += b.Cost.RPS
		o.totals.RPSMax = max(o.totals.RPSMax, b.Cost.RPS)
		for _, e := range b.Events {
			if l, ok := e.(model.Lost); ok {
				err = load.Say(told{At: time.Now(), Lost: l.Detail})
			}
		}
		if err == nil {
			err = o.causes()
		}
		if err == nil {
			err = o.findings()
		}
		if err != nil {
			return err
		}
	}
}

// causes says those that have become known.
func (o *observer) causes() error {
	next := o.state.JournalAfter(o.seq)
	if len(next) > 0 {
		o.seq = next[len(next)-1].Seq
	}
	o.pending = append(o.pending, next...)
	kept := o.pending[:0]
	for _, f := range o.pending {
		if f.Pending {
			kept = append(kept, f)
			continue
		}
		if err := o.cause(f); err != nil {
			return err
		}
	}
	clear(o.pending[len(kept):])
	o.pending = kept
	return nil
}

func (o *observer) cause(f *journal.Entry) error {
	gone := f.Removed()
	id := claimID{gone.Key, gone.CreateRev}
	switch f.Kind {
	case journal.Handover, journal.Left, journal.First:
	default:
		return nil
	}
	if _, seen := o.done[id]; seen || gone.IsZero() || f.Unseen || f.Cause == "" {
		return nil
	}
	o.done[id] = struct{}{}
	return load.Say(told{At: time.Now(), Cause: &cause{f.Kind, f.At, gone, f.Cause, f.Confidence, text.English(f.Evidence)}})
}

// findings says those that are new.
func (o *observer) findings() error {
	now := map[string]struct{}{}
	for _, f := range o.state.Findings() {
		id := strings.Join([]string{string(f.Severity), string(f.Code), f.Lock, f.Lease.String()}, " ")
		now[id] = struct{}{}
		if _, known := o.active[id]; known {
			continue
		}
		words := strings.Join(append([]string{text.English(f.Summary)}, text.EnglishAll(f.Evidence)...), "; ")
		f.Summary, f.Evidence, f.Advice = model.Message{}, nil, nil // JSON keeps no kinds of arguments
		t := told{At: time.Now(), Finding: &f, Words: words, Read: time.Now()}
		if l := o.state.Lease(f.Lease); l != nil && l.HasRead {
			t.Read = l.Read.At
		}
		if err := load.Say(t); err != nil {
			return err
		}
	}
	o.active = now
	return nil
}
