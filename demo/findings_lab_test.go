package demo

import (
	"context"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/reports"
	"locktop/model/store"
)

// both merges the reports of a lab with what a watcher sees.
type both struct {
	lab  *Lab
	eyes model.Source
}

var _ model.Source = (*both)(nil)

// Next listens to the lab for a moment and then looks at etcd for a moment.
func (b *both) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	said, err := b.lab.Next(ctx, model.Want{WakeAt: time.Now().Add(50 * time.Millisecond)})
	if err != nil {
		return model.Batch{}, err
	}
	soon := time.Now().Add(50 * time.Millisecond)
	if want.WakeAt.IsZero() || want.WakeAt.After(soon) {
		want.WakeAt = soon
	}
	seen, err := b.eyes.Next(ctx, want)
	return model.Batch{Events: append(said.Events, seen.Events...)}, err
}

// newLabScene opens a scene in a lab with two contenders for one lock, who keep it.
func newLabScene(t *testing.T) *scene {
	l, err := Start(t.Context(), Options{Members: 1, Contenders: 2, Locks: []string{"/s/l"}, Self: self(),
		TTL: 6, Hold: time.Hour, Think: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	sc := newScene(t, l.cluster, "/s/")
	sc.lab, sc.source = l, &both{l, sc.source}
	return sc
}

func (sc *scene) do(a model.Action) {
	sc.t.Helper()
	do(sc.t, sc.lab, a)
}

// believer waits until one contender believes that it holds and the other waits.
func (sc *scene) believer() (who string) {
	sc.t.Helper()
	sc.queued("/s/l", 2)
	sc.until("a contender believes that it holds", func(s *store.Store) bool {
		for _, c := range s.Reports().Contenders() {
			if c.Belief.State == model.BeliefHolding {
				who = c.Name
			}
		}
		return who != "" && sc.contender(other(who)).Belief.State == model.BeliefWaiting
	})
	return who
}

// other is the second of two contenders.
func other(name string) string {
	if name == "c1" {
		return "c2"
	}
	return "c1"
}

func (sc *scene) contender(name string) reports.ContenderInfo {
	for _, c := range sc.s.Reports().Contenders() {
		if c.Name == name {
			return c
		}
	}
	return reports.ContenderInfo{}
}
