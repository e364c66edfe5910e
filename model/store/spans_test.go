package store

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/text"

	"pgregory.net/rapid"
)

// TestNoTimeIsLongerThanWasWatched: whatever happened, nothing is said to have lasted for longer
// than since the first event, or for less than no time.
func TestNoTimeIsLongerThanWasWatched(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) *modeltest.History{"queues": modeltest.Draw, "keys that come back": modeltest.DrawReturns} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := New()
				for _, e := range draw(t).Events {
					s.Apply(model.Batch{Events: []model.Event{e}})
				}
				if wrong := impossibleTimes(s); len(wrong) > 0 {
					t.Fatal(strings.Join(wrong, "\n"))
				}
			})
		})
	}
}

// impossibleTimes returns what is said to have lasted for longer than was watched, in words.
func impossibleTimes(s *Store) (wrong []string) {
	check := func(what string, d time.Duration, until time.Time) {
		if most := until.Sub(modeltest.Start); d < 0 || d > most {
			wrong = append(wrong, fmt.Sprintf("%s: %s, of %s", what, d, most))
		}
	}
	since := func(what string, at time.Time) { check(what, s.Now().Sub(at), s.Now()) }
	for _, f := range s.Journal() {
		said := f.Sentence(s.Who)
		check("held: "+said, f.Held, f.At)
		check("gap: "+said, f.Gap, f.At)
		check("waited: "+said, f.Waited, f.At)
		wrong = append(wrong, tooLong(said+text.English(f.Evidence))...)
	}
	for _, l := range s.Locks() {
		held, _ := l.HeldFor(s.Now())
		check(l.Name+" held", held, s.Now())
		longest, _, _ := l.LongestWait(s.Now())
		check(l.Name+" longest wait", longest, s.Now())
		free, _ := l.FreeFor(s.Now())
		check(l.Name+" free", free, s.Now())
		for _, list := range [][]time.Duration{l.HoldTimes(), stopsOf(l), {l.Stats().HoldP99, l.Stats().WaitP99}} {
			for _, d := range list {
				check(l.Name+" times", d, s.Now())
			}
		}
		for c := range l.Claims {
			waited, _ := c.Waited(s.Now())
			check(c.Key+" waited", waited, s.Now())
			if at, _, holds := c.HeldSince(); holds {
				since(c.Key+" holds since", at)
			}
		}
		if l.Head() != nil {
			since(l.Name+" head since", l.HeadSince())
		}
		for x := range s.Timeline().Spans(l.Name, time.Time{}, s.Now()) {
			check(l.Name+" stay waited", x.Waited(s.Now()), s.Now())
			check(l.Name+" stay held", x.Held(s.Now()), s.Now())
		}
	}
	for _, f := range s.Findings() {
		since(string(f.Code)+" found", f.Since)
		wrong = append(wrong, tooLong(text.English(f.Summary)+strings.Join(text.EnglishAll(f.Evidence), " "))...)
	}
	return wrong
}

var hoursOrDays = regexp.MustCompile(`\d+(d\d\dh|h\d\dm)`)

// tooLong finds times of hours in a text: no history here lasts for one.
func tooLong(text string) (wrong []string) {
	if d := hoursOrDays.FindString(text); d != "" {
		wrong = append(wrong, d+" in "+text)
	}
	return wrong
}

// TestAKeyThatBecameALockWasHeldAsLongAsItWasThere: by its second life a key is known to be a lock,
// and its first one was the hold before.
func TestAKeyThatBecameALockWasHeldAsLongAsItWasThere(t *testing.T) {
	key := "/app/cron/lock/job"
	for _, r := range []struct {
		reason string
		story  func(*modeltest.History)
		want   string
	}{
		{"its first life was seen whole", func(h *modeltest.History) {
			h.Loaded(0)
			h.Put(1, key, "", 1)
			h.Del(5, key)
			h.Put(7, key, "", 2)
		}, "2 took over /app/cron/lock/job from 1 (held 4.0s, cause unknown: hint; it was free for 2.0s)"},
		{"it was there before we looked", func(h *modeltest.History) {
			h.Add(model.LoadStarted{At: modeltest.At(0), Rev: 100}, model.Listed{At: modeltest.At(0), Rev: 100, KVs: []model.KV{
				{Key: key, CreateRev: 90, ModRev: 90, Version: 1, Lease: 1}}}, model.Loaded{At: modeltest.At(0), Rev: 100})
			h.Del(5, key)
			h.Put(7, key, "", 2)
		}, "2 took over /app/cron/lock/job from 1 (held 5s+, cause unknown: hint; it was free for 2.0s)"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			h := modeltest.New()
			r.story(h)
			s := state(h)
			all := s.Journal()
			if got := all[len(all)-1].Sentence(s.Who); got != r.want {
				t.Errorf("got  %s\nwant %s", got, r.want)
			}
		})
	}
}

func stopsOf(l *locks.Lock) (all []time.Duration) {
	for _, s := range l.Stops() {
		all = append(all, s.Held, s.Lived)
	}
	return all
}
