package store

import (
	"fmt"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
)

// life is one life of a key: who created it, by which value, and for how many seconds.
type life struct {
	lease model.LeaseID
	value string
	sec   float64
}

// TestWhatBehaviourTells: keys that go and come back, and what is said of them at the end.
func TestWhatBehaviourTells(t *testing.T) {
	turns := []life{{1, "node-a", 4}, {2, "node-b", 9}, {3, "node-a", 2}, {4, "node-c", 60}}
	silent := []life{{1, "", 4}, {2, "", 9}, {3, "", 2}, {4, "", 60}}
	same := []life{{1, "up", 4}, {2, "up", 9}, {3, "up", 2}, {4, "up", 60}}
	for _, r := range []struct {
		reason string
		key    string
		lives  []life
		beside []string // leased keys that stay
		want   string
	}{
		{"one client after another creates a key whose path speaks of locks", "/app/cron/lock/job3", silent, nil,
			"/app/cron/lock/job3 single-key strong true 3 handovers"},
		{"with other jobs beside it", "/app/cron/lock/job3", silent, []string{"/app/cron/lock/job4"},
			"/app/cron/lock order-only hint false 0 handovers\n/app/cron/lock/job3 single-key strong true 3 handovers"},
		{"once is a hint", "/app/cron/lock/job3", silent[:2], nil, "/app/cron/lock/job3 single-key hint true 1 handovers"},
		{"owners take turns at a key of any name", "/app/report", turns, []string{"/app/other"},
			"/app order-only hint false 0 handovers\n/app/report single-key hint true 2 handovers"},
		{"owners take turns at a name without a slash", "report", turns, []string{"other"}, "report single-key hint true 2 handovers"},
		{"at one that speaks of locks", "lock:bill", silent, nil, "lock:bill single-key strong true 3 handovers"},
		{"a value that comes back at such a name", "report", same, []string{"other"}, ""},
		{"a key by itself whose path says nothing", "/app/report", silent, nil, "/app/report single-key hint true 2 handovers"},
		{"a name that is known is a hint until that is seen", "/cron/lock/backup", silent, nil, "/cron/lock/backup cron-lock strong true 3 handovers"},
		{"one client that creates its key again on the same lease shows nothing", "/app/cron/lock/job3", []life{{1, "a", 4}, {1, "a", 9}, {1, "a", 2}, {1, "a", 60}}, nil,
			"/app/cron/lock order-only hint false 0 handovers"},
		{"an instance that starts again has its value again, and others stay", "/app/a", same, []string{"/app/b"}, "/app order-only strong true 0 handovers"},
		{"instances say where they are, and never hold", "/app/lock/10.0.0.1:80", silent, []string{"/app/lock/10.0.0.2:80"}, "/app/lock order-only hint false 0 handovers"},
		{"users that come and go beside others", "/online/ann", silent, []string{"/online/bob"}, "/online order-only hint false 0 handovers"},
		{"a cached value that runs out each time", "/price/btc", []life{{1, "65", 10}, {2, "66", 10.4}, {3, "65", 10.1}, {4, "67", 60}}, nil, "/price order-only hint false 0 handovers"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			sec := 1.0
			for i, key := range r.beside {
				h.Put(sec, key, "stays", model.LeaseID(0x100+i))
			}
			for i, l := range r.lives {
				h.Put(sec, r.key, l.value, l.lease)
				if sec += l.sec; i < len(r.lives)-1 {
					h.Del(sec, r.key)
				}
				sec++
			}
			s := state(h)
			var got []string
			for _, l := range s.Locks() {
				if !l.Free() {
					got = append(got, fmt.Sprintf("%s %s %s %v %d handovers", l.Name, l.Recipe().Name, l.RecipeConfidence(), l.RecipeObserved(), l.Handovers))
				}
			}
			if strings.Join(got, "\n") != r.want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), r.want)
			}
		})
	}
}

// TestWhatBehaviourTellsIsBounded: of keys that come and go without end only some are
// remembered, and one that takes turns is not lost among them.
func TestWhatBehaviourTellsIsBounded(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	for i := range 20_000 {
		sec := float64(i)
		h.Put(sec, fmt.Sprintf("/sessions/%d", i), "", model.LeaseID(1000+i))
		h.Del(sec+0.1, fmt.Sprintf("/sessions/%d", i))
		if i%1000 == 0 {
			h.Put(sec+0.2, "/app/lock/job", "", model.LeaseID(100_000+i))
			h.Del(sec+0.3, "/app/lock/job")
		}
	}
	h.Put(20_001, "/app/lock/job", "", 7)
	s := state(h)
	if l := s.Lock("/app/lock/job"); l == nil || l.RecipeConfidence() != model.Strong || l.Holder() == nil {
		t.Error("a lock that was taken again and again is forgotten")
	}
	if n := s.locks.Keys.Remembered(); n > 4096 {
		t.Errorf("%d keys that went are remembered", n)
	}
}
