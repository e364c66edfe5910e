package store

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/recipe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// address is where a story stands in memory.
var address = regexp.MustCompile(`story:0x[0-9a-f]+`)

// dump prints the whole state, queues first; history says whether what only
// history knows is wanted too.
func dump(s *Store, whole bool, but ...string) string {
	var b strings.Builder
	for _, l := range s.Locks() {
		if !whole && (l.Free() || slices.Contains(but, l.Name)) {
			continue
		}
		fmt.Fprintf(&b, "lock %q %s holder=%v of %d blocked=%v\n", l.Name, l.Recipe().Name, l.Holder().Ref(), l.Holders(), l.Blocked())
		for c := range l.Claims {
			form := c.Form()
			if !l.IsClaim(c) {
				form = 0 // it may be a lock by itself by what was seen of it
			}
			fmt.Fprintf(&b, "  %+v form=%d claim=%v\n", c.KV, form, l.IsClaim(c))
			if whole {
				fmt.Fprintf(&b, "    since %v %v\n", c.Since.Sub(modeltest.Start), c.SinceAtLeast)
			}
		}
		if whole {
			free, _ := l.FreeFor(s.Now())
			fmt.Fprintf(&b, "  head since %v, %d handovers, free since %v\n", l.HeadSince().Sub(modeltest.Start), l.Handovers, free)
		}
	}
	leases := slices.Clone(s.Leases())
	slices.SortFunc(leases, func(a, b *locks.Lease) int { return a.ID.Compare(b.ID) })
	for _, l := range leases {
		if len(l.Claims()) == 0 {
			continue
		}
		var keys []string
		for _, c := range l.Claims() {
			keys = append(keys, c.Key)
		}
		slices.Sort(keys)
		fmt.Fprintf(&b, "lease %s keys=%q\n", l.ID, keys)
		if whole {
			fmt.Fprintf(&b, "  %+v %s\n", l.Read, l.State())
		}
	}
	if whole {
		for _, f := range s.Journal() {
			fmt.Fprintln(&b, address.ReplaceAllString(fmt.Sprintf("%+v", *f), "told together"))
			if f.Kind == journal.Together {
				fmt.Fprintln(&b, f.Sentence(s.Who))
			}
		}
		for _, f := range s.Findings() {
			fmt.Fprintf(&b, "%+v\n", f)
		}
		fmt.Fprintf(&b, "want %v\n", s.Want(nil))
	}
	return b.String()
}

// seen names the locks that are told by more than their keys: a key that lost its lease, or
// that was seen to come back, or claims without their leases, of which the others have gone.
// A group lacks a key that became a lock so.
func seen(states ...*Store) (names []string) {
	for _, s := range states {
		for _, l := range s.Locks() {
			moved, formed := false, false
			l.Claims(func(c *locks.Claim) bool { moved, formed = moved || c.Moved(), formed || c.Form() != 0; return true })
			if h := l.Head(); moved || !formed || l.RecipeObserved() || h != nil && h.Stripped() && l.Shape() == recipe.Single {
				dir, _, _ := model.Split(l.Name)
				names = append(names, l.Name, dir)
			}
		}
	}
	return names
}

// envelopes puts events into batches of random size.
func envelopes(t *rapid.T, events []model.Event) []model.Batch {
	var batches []model.Batch
	for len(events) > 0 {
		n := rapid.IntRange(1, len(events)).Draw(t, "batch")
		batches = append(batches, model.Batch{Events: events[:n]})
		events = events[n:]
	}
	return batches
}

func apply(batches ...model.Batch) *Store {
	s := New()
	for _, b := range batches {
		s.Apply(b)
	}
	return lawful(s)
}

// lawful panics where a finding breaks the law of advice: every story of the tests is asked.
func lawful(s *Store) *Store {
	for _, f := range s.Findings() {
		if why := modeltest.Unlawful(&f); why != "" {
			panic(string(f.Code) + ": " + why)
		}
	}
	return s
}

func TestLaw1TheSameHistoryGivesTheSameState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := modeltest.Draw(t)
		batch := model.Batch{Events: h.Events}
		if d := cmp.Diff(dump(apply(batch), true), dump(apply(batch), true)); d != "" {
			t.Fatal(d)
		}
	})
}

// What the lab reports fills belief. It never changes what is true of the queues.
func TestReportsDoNotChangeTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := modeltest.Draw(t)
		truth := slices.DeleteFunc(slices.Clone(h.Events), func(e model.Event) bool {
			switch e.(type) {
			case model.Contender, model.Belief, model.LeaseOwner, model.Wrote, model.Watches, model.Refused, model.Connected, model.Access:
				return true
			}
			return false
		})
		with, without := apply(model.Batch{Events: h.Events}), apply(model.Batch{Events: truth})
		if d := cmp.Diff(dump(without, false), dump(with, false)); d != "" {
			t.Fatalf("(-without reports +with)\n%s", d)
		}
	})
}

func TestLaw2EnvelopesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := modeltest.Draw(t)
		one := apply(model.Batch{Events: h.Events})
		many := apply(envelopes(t, h.Events)...)
		if d := cmp.Diff(dump(one, true), dump(many, true)); d != "" {
			t.Fatal(d)
		}
	})
}

func TestLaw3ASnapshotAndTheRestGiveTheSameQueues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := modeltest.Draw(t)
		cut := rapid.IntRange(2, len(h.Events)).Draw(t, "cut")
		all := apply(model.Batch{Events: h.Events})
		short := apply(append(snapshot(t, h.Events[:cut]), model.Batch{Events: h.Events[cut:]})...)
		if d := cmp.Diff(dump(all, false, seen(all, short)...), dump(short, false, seen(all, short)...)); d != "" {
			t.Fatalf("(-from the start +from a snapshot)\n%s", d)
		}
	})
}

// The same law for a watch that was lost: a list over what was known gives the
// same queues as the events that were missed.
func TestLaw3HoldsForARelistToo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := modeltest.Draw(t)
		lost := rapid.IntRange(2, len(h.Events)).Draw(t, "lost at")
		found := rapid.IntRange(lost, len(h.Events)).Draw(t, "listed at")
		all := apply(model.Batch{Events: h.Events})
		batches := []model.Batch{{Events: h.Events[:lost]}}
		batches = append(batches, snapshot(t, h.Events[:found])...)
		gapped := apply(append(batches, model.Batch{Events: h.Events[found:]})...)
		if d := cmp.Diff(dump(all, false, seen(all, gapped)...), dump(gapped, false, seen(all, gapped)...)); d != "" {
			t.Fatalf("(-all seen +relisted)\n%s", d)
		}
	})
}

// snapshot lists the keys as they stand after events, in chunks, in key order.
func snapshot(t *rapid.T, events []model.Event) []model.Batch {
	s := apply(model.Batch{Events: events})
	keys := map[string]model.KV{}
	for _, e := range events {
		if e, ok := e.(model.Committed); ok {
			for _, ch := range e.Changes {
				if keys[ch.KV.Key] = ch.KV; ch.Deleted {
					delete(keys, ch.KV.Key)
				}
			}
		}
	}
	kvs := slices.Collect(maps.Values(keys))
	slices.SortFunc(kvs, func(a, b model.KV) int { return strings.Compare(a.Key, b.Key) })
	now := s.Now()
	list := []model.Event{model.LoadStarted{At: now, Rev: s.Rev()}}
	for len(kvs) > 0 {
		n := rapid.IntRange(1, len(kvs)).Draw(t, "chunk")
		list = append(list, model.Listed{At: now, Rev: s.Rev(), KVs: kvs[:n]})
		kvs = kvs[n:]
	}
	return envelopes(t, append(list, model.Loaded{At: now, Rev: s.Rev()}))
}
