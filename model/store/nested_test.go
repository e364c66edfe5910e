package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/text"

	"pgregory.net/rapid"
)

// Only claims of a lock wait for it. Keys of other names below its own stand in its queue and
// block it: they are told apart everywhere.
func TestOnlyItsOwnClaimsWaitForALock(t *testing.T) {
	held := func(h *modeltest.History, name string, n int) { // n locks, each with its own holder
		for i := range n {
			lease := model.LeaseID(0x1000 + i)
			h.Put(1, modeltest.ClaimKey(fmt.Sprintf(name, i), lease), "", lease)
		}
	}
	two := func(h *modeltest.History) {
		h.Put(2, "/jobs-lock/a1", "", 0xa1)
		h.Put(4, "/jobs-lock/b2", "", 0xb2)
	}
	many := func(h *modeltest.History, n int) {
		for i := range n {
			lease := model.LeaseID(0x5000 + i)
			h.Put(3, modeltest.ClaimKey("/jobs-lock", lease), "", lease)
		}
	}
	for _, r := range []struct {
		reason  string
		tell    func(h *modeltest.History)
		behind  int
		blocked bool
		longest time.Duration // at 10 s
		finding string
	}{
		{"70 locks below it are held, and two claims wait behind their keys", func(h *modeltest.History) { held(h, "/jobs-lock/%d", 70); two(h) }, 2, true, 8 * time.Second,
			"nested-prefix: 2 waiters behind it; 70 keys ahead of the next claim are not claims of the lock"},
		{"they lie two names below it", func(h *modeltest.History) { held(h, "/jobs-lock/%d/deep", 70); two(h) }, 2, true, 8 * time.Second,
			"nested-prefix: 2 waiters behind it; 70 keys ahead of the next claim are not claims of the lock"},
		{"a lock below holds, and one below that waits for nobody here", func(h *modeltest.History) {
			h.Put(1, "/jobs-lock/x/c3", "", 0xc3)
			held(h, "/jobs-lock/x/%d", 3)
			two(h)
		}, 2, true, 8 * time.Second,
			"nested-prefix: 2 waiters behind it; 4 keys ahead of the next claim are not claims of the lock"},
		{"260 locks below it are no long queue", func(h *modeltest.History) { held(h, "/jobs-lock/%d", 260); two(h) }, 2, true, 8 * time.Second,
			"nested-prefix: 2 waiters behind it; 260 keys ahead of the next claim are not claims of the lock"},
		{"an election below it blocks as well", func(h *modeltest.History) { h.Put(1, "/jobs-lock/lead/c3", "host-1", 0xc3); two(h) }, 2, true, 8 * time.Second,
			"nested-prefix: 2 waiters behind it"},
		{"a name that ends with a slash is a lock below the name without", func(h *modeltest.History) { h.Put(1, "/jobs-lock//c3", "", 0xc3); two(h) }, 2, true, 8 * time.Second,
			"nested-prefix: 2 waiters behind it"},
		{"data below it blocks, with a lease and without", func(h *modeltest.History) {
			h.Put(1, "/jobs-lock/cfg", "x", 0)
			h.Put(1, "/jobs-lock/a/b/c", "x", 0xd4)
			two(h)
		}, 2, true, 8 * time.Second,
			"foreign-key: 2 waiters behind it; 2 keys ahead of the next claim are not claims of the lock"},
		{"its own holder holds, and one waits: the locks below came between", func(h *modeltest.History) {
			h.Put(1, "/jobs-lock/a1", "", 0xa1)
			held(h, "/jobs-lock/%d", 70)
			h.Put(4, "/jobs-lock/b2", "", 0xb2)
			h.Read(4, 0xa1, 60, 59)
		}, 1, false, 6 * time.Second, "nested-prefix: "},
		{"its own holder holds, and nobody waits: the locks below are in nobody's way", func(h *modeltest.History) {
			h.Put(1, "/jobs-lock/a1", "", 0xa1)
			held(h, "/jobs-lock/%d", 160)
		}, 0, false, -1, ""},
		{"a claim that lost its lease waits on", func(h *modeltest.History) {
			two(h)
			h.Put(5, "/jobs-lock/694d81e5fc652594", "", 0)
		}, 2, false, 6 * time.Second, ""},
		{"a queue that is long by its own claims is long", func(h *modeltest.History) {
			h.Put(1, "/jobs-lock/a1", "", 0xa1)
			held(h, "/jobs-lock/%d", 70)
			many(h, 100)
		}, 100, false, 7 * time.Second, "long-queue: 70 keys in the queue are not claims of the lock: how long the last one waits is not known"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			r.tell(h)
			h.Add(model.Tick{At: modeltest.At(10)})
			s := state(h)
			l := s.Lock("/jobs-lock")
			longest, _, any := l.LongestWait(s.Now())
			if !any {
				longest = -1
			}
			if l.Behind() != r.behind || l.Blocked() != r.blocked || longest != r.longest {
				t.Errorf("%d behind, blocked %v, the longest waits for %s; want %d, %v, %s", l.Behind(), l.Blocked(), longest, r.behind, r.blocked, r.longest)
			}
			var all []string
			for _, f := range s.FindingsOf(l) {
				all = append(all, string(f.Code)+": "+strings.Join(text.EnglishAll(f.Evidence[min(len(f.Evidence), 1):]), "; "))
				if f.Code == model.CodeLongQueue {
					all[len(all)-1] = string(f.Code) + ": " + strings.Join(text.EnglishAll(f.Evidence), "; ")
				}
			}
			if got := strings.Join(all, "\n"); got != r.finding && !(r.behind == 100 && strings.HasSuffix(got, r.finding)) {
				t.Errorf("found\n%s\nwant\n%s", got, r.finding)
			}
		})
	}
}

// What a lock counts of its queue is what a walk through the queue counts.
func TestALockCountsWhatAWalkCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := modeltest.Draw(t)
		cut := rapid.IntRange(2, len(h.Events)).Draw(t, "cut")
		for _, s := range []*Store{apply(envelopes(t, h.Events)...), apply(append(snapshot(t, h.Events[:cut]), model.Batch{Events: h.Events[cut:]})...)} {
			for _, l := range s.Locks() {
				if l.Recipe().HasHolder && l.Recipe().WaitersVisible() {
					walk(t, l)
				}
			}
		}
	})
}

func walk(t *rapid.T, l *locks.Lock) {
	var waiters []*locks.Claim
	others, own, between, place := 0, 0, 0, 0
	for c := range l.Claims {
		switch {
		case !l.IsClaim(c):
			others++
			if len(waiters) == 0 {
				between++
			}
		case place >= max(1, l.Holders()) || place > 0 && l.Holders() == 0:
			waiters = append(waiters, c)
			fallthrough
		default:
			if own != l.Ahead(c) {
				t.Fatalf("%s: %d claims ahead of %s, want %d", l.Name, l.Ahead(c), c.Key, own)
			}
			own++
		}
		place++
	}
	var next *locks.Claim
	if len(waiters) > 0 {
		next = waiters[0]
	} else {
		between = 0
	}
	i := 0
	for at, c := range l.Waiters(l.Len()) {
		if i >= len(waiters) || c != waiters[i] || l.At(at) != c {
			t.Fatalf("%s: waiter %d is %s", l.Name, i, c.Key)
		}
		i++
	}
	if l.Others() != others || l.Behind() != len(waiters) || l.Next() != next || i != len(waiters) ||
		l.Between() != between && !(next != nil && l.Recipe().Shares(next.Form())) {
		t.Fatalf("%s: %d others, %d behind, %d yielded, next %v, %d between; a walk counts %d, %d, %v, %d", l.Name, l.Others(), l.Behind(), i, l.Next(), l.Between(),
			others, len(waiters), next, between)
	}
}
