package findings_test

import (
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/modeltest"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/model/text"

	"github.com/google/go-cmp/cmp"
)

// state folds a story.
func state(h *modeltest.History) *store.Store {
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	for _, f := range s.Findings() {
		if why := modeltest.Unlawful(&f); why != "" {
			panic(string(f.Code) + ": " + why)
		}
	}
	return s
}

// codes returns what is found, as "severity code (confidence) lock".
func codes(s *store.Store) []string {
	var out []string
	for _, f := range s.Findings() {
		out = append(out, string(f.Severity)+" "+string(f.Code)+" ("+string(f.Confidence)+") "+f.Lock)
	}
	return out
}

func TestFindingsFromStories(t *testing.T) {
	a, b, c := model.LeaseID(0xa1), model.LeaseID(0xb2), model.LeaseID(0xc3)
	two := func(h *modeltest.History) {
		h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
		h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
	}
	rows := []struct {
		name, reason string
		tell         func(h *modeltest.History)
		want         []string
	}{
		{"healthy", "a lease that is renewed on time accuses nobody", func(h *modeltest.History) {
			two(h)
			h.Read(3, a, 60, 58)
			h.Read(22, a, 60, 59)
			h.Read(43, a, 60, 58)
		}, nil},
		{"stalled", "its own rhythm was learned, so this is strong", func(h *modeltest.History) {
			two(h)
			h.Read(3, a, 60, 58)
			h.Read(23, a, 60, 59)
			h.Read(48, a, 60, 35)
		}, []string{"warning keepalive-stalled (strong) /lock"}},
		{"stalled as it waited", "it is the holder now", func(h *modeltest.History) {
			two(h)
			h.Read(3, b, 60, 58)
			h.Read(23, b, 60, 59)
			h.Read(48, b, 60, 35)
			h.Del(55, modeltest.ClaimKey("/lock", a))
		}, []string{"warning keepalive-stalled (strong) /lock"}},
		{"stalled long ago as it waited", "it had time for another renewal since that reading", func(h *modeltest.History) {
			two(h)
			h.Read(3, b, 60, 58)
			h.Read(23, b, 60, 59)
			h.Read(48, b, 60, 35)
			h.Del(70, modeltest.ClaimKey("/lock", a))
		}, nil},
		{"dead as it waited", "it is the holder now", func(h *modeltest.History) {
			two(h)
			h.Read(3, b, 60, 58)
			h.Read(23, b, 60, 59)
			h.Read(70, b, 60, 12)
			h.Del(75, modeltest.ClaimKey("/lock", a))
		}, []string{"warning dead-holder (strong) /lock"}},
		{"silent long ago as it waited", "it would have gone by now, had it not renewed since that reading", func(h *modeltest.History) {
			two(h)
			h.Read(3, b, 60, 58)
			h.Read(23, b, 60, 59)
			h.Read(70, b, 60, 12)
			h.Del(95, modeltest.ClaimKey("/lock", a))
		}, nil},
		{"dead", "two renewals missed and others wait for long", func(h *modeltest.History) {
			two(h)
			h.Read(3, a, 120, 118)
			h.Read(43, a, 120, 119)
			h.Read(128, a, 120, 34)
		}, []string{"error dead-holder (strong) /lock"}},
		{"first look at a falling lease", "some clients renew only at the very end: a hint", func(h *modeltest.History) {
			two(h)
			h.Read(3, a, 60, 10)
		}, []string{"warning dead-holder (hint) /lock"}},
		{"a slow renewer", "a client that renews a second before the end is healthy once that is known", func(h *modeltest.History) {
			two(h)
			h.Read(3, a, 10, 9)
			h.Read(11.5, a, 10, 1)
			h.Read(12.5, a, 10, 9)
			h.Read(20, a, 10, 2)
		}, nil},
		{"a new leader", "a full TTL anew for a lease that was not renewed", func(h *modeltest.History) {
			two(h)
			h.Read(3, a, 60, 58)
			h.Read(23, a, 60, 59)
			h.Read(70, a, 60, 13)
			h.Add(model.LeaseRead{At: modeltest.At(71), ID: a, Granted: 60, Remaining: 59, Term: 3})
		}, []string{"warning ttl-reset (certain) /lock"}},
		{"an older revision", "a member that lags may say so: a hint, and a hint names what looks the same", func(h *modeltest.History) {
			two(h)
			h.Add(model.LeaseRead{At: modeltest.At(23), ID: a, Granted: 60, Remaining: 59, Term: 2, Rev: 9})
			h.Add(model.LeaseRead{At: modeltest.At(70), ID: a, Granted: 60, Remaining: 13, Term: 2, Rev: 9})
			h.Add(model.LeaseRead{At: modeltest.At(71), ID: a, Granted: 60, Remaining: 59, Term: 2, Rev: 8})
		}, []string{"warning ttl-reset (hint) /lock"}},
		{"a new leader and a healthy lease", "the next renewal comes by itself", func(h *modeltest.History) {
			two(h)
			h.Read(3, a, 60, 58)
			h.Add(model.LeaseRead{At: modeltest.At(15), ID: a, Granted: 60, Remaining: 59, Term: 3})
		}, nil},
		{"an answer from a deposed leader", "more left than was granted (etcd-io/etcd#12381)", func(h *modeltest.History) {
			two(h)
			h.Read(3, a, 60, 58)
			h.Read(4, a, 60, 9_223_372_036)
		}, []string{"info ttl-rollover (certain) /lock"}},
		{"past its end", "beyond half a minute, alone: revoking fails", func(h *modeltest.History) {
			two(h)
			h.Read(3, a, 60, -3)
			h.Read(33, a, 60, -33)
		}, []string{"error revoke-failing (strong) /lock"}},
		{"past its end by less", "a server without processors is as late", func(h *modeltest.History) {
			two(h)
			h.Read(3, a, 60, -3)
			h.Read(20, a, 60, -20)
		}, []string{"warning lease-overdue (certain) /lock"}},
		{"past its end, and the cluster answered nobody for a while", "what does not work at all does not fail at this lease", func(h *modeltest.History) {
			two(h)
			h.Read(3, a, 60, -3)
			h.Add(model.Lost{At: modeltest.At(5), Reason: model.LostDisconnect}, model.Back{At: modeltest.At(30), Rev: h.Rev})
			h.Read(33, a, 60, -33)
		}, []string{"warning lease-overdue (certain) /lock"}},
		{"past its end, and the cluster had the time since", "it works again, and the lease is still there", func(h *modeltest.History) {
			two(h)
			h.Read(3, a, 60, -3)
			h.Add(model.Lost{At: modeltest.At(5), Reason: model.LostDisconnect}, model.Back{At: modeltest.At(30), Rev: h.Rev})
			h.Read(61, a, 60, -61)
		}, []string{"error revoke-failing (strong) /lock"}},
		{"never renewed", "a program that died before its first renewal is likelier than a caller of the lock service", func(h *modeltest.History) {
			two(h)
			h.Read(1.1, a, 60, 59)
			h.Read(14, a, 60, 47)
			h.Read(24, a, 60, 37)
		}, []string{"warning dead-holder (hint) /lock"}},
		{"a dead waiter", "the lock will idle at its turn", func(h *modeltest.History) {
			two(h)
			h.Put(2, modeltest.ClaimKey("/lock", c), "", c)
			h.Read(3, a, 10, 9)
			h.Read(3, b, 10, 9)
			h.Read(7, b, 10, 9)
			h.Read(15, b, 10, 1)
		}, []string{"warning dead-waiter (strong) /lock"}},
		{"stopped at a leader change", "others were renewed since, this one never: it is not renewed for sure, and that its loop ended is a guess", func(h *modeltest.History) {
			two(h)
			for i := range model.LeaseID(3) {
				h.Put(2, modeltest.ClaimKey("/other", 0x10+i), "", 0x10+i)
			}
			h.Read(3, a, 30, 28)
			h.Read(12, a, 30, 29)
			for i := range model.LeaseID(3) {
				h.Read(13, 0x10+i, 30, 29)
			}
			term3 := func(sec float64, id model.LeaseID, left int64) {
				h.Add(model.LeaseRead{At: modeltest.At(sec), ID: id, Granted: 30, Remaining: left, Term: 3})
			}
			for i := range model.LeaseID(3) {
				term3(20, 0x10+i, 29)
				term3(29, 0x10+i, 21)
				term3(31, 0x10+i, 29)
			}
			term3(20, a, 29)
			term3(40.5, a, 9)
		}, []string{"warning keepalive-halted (hint) /lock", "warning keepalive-stalled (strong) /lock"}},
		{"stopped young again and again", "who dies before the third renewal dies at one of three ages", func(h *modeltest.History) {
			sec := 1.0
			for i := range model.LeaseID(4) {
				id := 0x20 + i
				h.Put(sec, modeltest.ClaimKey("/lock", id), "", id)
				h.Put(sec, modeltest.ClaimKey("/lock", b), "", b)
				h.Read(sec+1, id, 30, 29)
				h.Read(sec+10, id, 30, 29) // the last renewal, at the age of 10 s
				if i == 3 {
					h.Read(sec+38, id, 30, 2)
					return
				}
				h.Read(sec+39.5, id, 30, 0)
				h.End(sec+40, id)
				h.Read(sec+40, id, 0, -1)
				h.Del(sec+40, modeltest.ClaimKey("/lock", b))
				sec += 41
			}
		}, []string{"warning dead-holder (strong) /lock"}},
		{"stopped at the same age again and again", "a timeout of the client's is behind it", func(h *modeltest.History) {
			sec := 1.0
			for i := range model.LeaseID(4) {
				id := 0x20 + i
				h.Put(sec, modeltest.ClaimKey("/lock", id), "", id)
				h.Put(sec, modeltest.ClaimKey("/lock", b), "", b)
				h.Read(sec+1, id, 10, 9)
				h.Read(sec+19, id, 10, 9)
				h.Read(sec+30, id, 10, 9) // the last renewal, at the age of 30 s
				if i == 3 {
					h.Read(sec+38, id, 10, 1)
					return
				}
				h.Read(sec+39.5, id, 10, 0)
				h.End(sec+40, id)
				h.Read(sec+40, id, 0, -1)
				h.Del(sec+40, modeltest.ClaimKey("/lock", b))
				sec += 41
			}
		}, []string{"warning keepalive-cancelled (strong) /lock"}},
		{"an orphan", "a key without a lease, named by none", func(h *modeltest.History) {
			h.Put(1, "/lock/694d81e5fc652594", "", 0)
			h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
		}, []string{"error orphan-key (certain) /lock"}},
		{"a detached lease", "a later put took the lease away", func(h *modeltest.History) {
			x := model.LeaseID(0x694d81e5fc652594)
			h.Put(1, modeltest.ClaimKey("/lock", x), "", x)
			h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
			h.Put(3, modeltest.ClaimKey("/lock", x), "status", 0)
		}, []string{"error lease-detached (certain) /lock"}},
		{"a nested lock", "/lock waits for /lock/sub, not the other way", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock/sub", a), "", a)
			h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
		}, []string{"error nested-prefix (certain) /lock"}},
		{"a registration below", "it is counted by the lock, and is no lock that anybody could wait for", func(h *modeltest.History) {
			h.Put(1, "/lock/workers/10.0.0.2:80", "", a)
			h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
			h.Put(3, "/lock/workers/10.0.0.3:80", "", c)
		}, []string{"error foreign-key (certain) /lock"}},
		{"siblings", "a name that begins alike is no path above", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock2", a), "", a)
			h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
		}, nil},
		{"two sessions cross", "each holds what the other waits for", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(2, modeltest.ClaimKey("/mutex/m", b), "", b)
			h.Put(3, modeltest.ClaimKey("/mutex/m", a), "", a)
			h.Put(4, modeltest.ClaimKey("/lock", b), "", b)
			h.Add(model.Tick{At: modeltest.At(20)})
		}, []string{"error lock-cycle (strong) /lock", "error lock-cycle (strong) /mutex/m", "info shared-lease (certain) /lock", "info shared-lease (certain) /mutex/m"}},
		{"three sessions in a cycle", "of any length", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(2, modeltest.ClaimKey("/mutex/m", b), "", b)
			h.Put(3, modeltest.ClaimKey("/mutex/n", c), "", c)
			h.Put(4, modeltest.ClaimKey("/mutex/m", a), "", a)
			h.Put(5, modeltest.ClaimKey("/mutex/n", b), "", b)
			h.Put(6, modeltest.ClaimKey("/lock", c), "", c)
			h.Add(model.Tick{At: modeltest.At(20)})
		}, []string{"error lock-cycle (strong) /lock", "error lock-cycle (strong) /mutex/m", "error lock-cycle (strong) /mutex/n",
			"info shared-lease (certain) /lock", "info shared-lease (certain) /mutex/m", "info shared-lease (certain) /mutex/n"}},
		{"the same order", "both take /lock first: they wait, but not for each other", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(2, modeltest.ClaimKey("/mutex/m", a), "", a)
			h.Put(3, modeltest.ClaimKey("/lock", b), "", b)
		}, []string{"info shared-lease (certain) /lock", "info shared-lease (certain) /mutex/m"}},
		{"a cycle that was broken", "one side went", func(h *modeltest.History) {
			h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
			h.Put(2, modeltest.ClaimKey("/mutex/m", b), "", b)
			h.Put(3, modeltest.ClaimKey("/mutex/m", a), "", a)
			h.Put(4, modeltest.ClaimKey("/lock", b), "", b)
			h.End(15, b)
		}, []string{"info shared-lease (certain) /lock", "info shared-lease (certain) /mutex/m"}},
		{"a registry", "leased keys side by side are no lock", func(h *modeltest.History) {
			h.Put(1, "/services/api/10.0.0.1:80", "up", a)
			h.Put(2, "/services/api/10.0.0.2:80", "up", b)
			h.Read(3, a, 60, 2)
			h.Read(3, b, 60, 2)
		}, nil},
		{"a lock that is not renewed by design", "its TTL is the time to work", func(h *modeltest.History) {
			h.Put(1, "shedlock:prod:report", "ADDED:2026-01-02T03:04:05Z@host-7", a)
			h.Read(2, a, 600, 598)
			h.Read(500, a, 600, 100)
		}, nil},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			r.tell(h)
			if d := cmp.Diff(r.want, codes(state(h))); d != "" {
				t.Errorf("%s\n(-want +got)\n%s", r.reason, d)
			}
		})
	}
}

// A session with several workers, each of which wants one lock only, makes the same picture
// for as long as a hold takes. It does what nobody does who takes one lock after the other.
func TestACycleHasToLast(t *testing.T) {
	const a, b = model.LeaseID(0xa1), model.LeaseID(0xb2)
	put := func(h *modeltest.History, sec float64, lock string, id model.LeaseID) {
		h.Put(sec, modeltest.ClaimKey(lock, id), "", id)
	}
	cross := func(h *modeltest.History, sec float64) {
		put(h, sec, "/lock", a)
		put(h, sec, "/mutex/m", b)
		put(h, sec, "/mutex/m", a)
		put(h, sec, "/lock", b)
	}
	for _, r := range []struct {
		reason        string
		tell          func(*modeltest.History)
		closed        float64
		short, longer string // after four seconds, and after a minute
	}{
		{"each takes one after the other", func(h *modeltest.History) { cross(h, 5) }, 5, "error strong", "error strong"},
		{"another lock that it had before", func(h *modeltest.History) { put(h, 1, "/mutex/n", a); cross(h, 5) }, 5, "error strong", "error strong"},
		{"a third one waits for both", func(h *modeltest.History) { cross(h, 5); put(h, 5, "/lock", 0xc3); put(h, 5, "/mutex/m", 0xc3) }, 5, "error strong", "error strong"},
		{"it waits for two at once", func(h *modeltest.History) { put(h, 1, "/mutex/n", 0xc3); cross(h, 5); put(h, 5, "/mutex/n", a) }, 5, "", "info hint"},
		{"it took one while it waited", func(h *modeltest.History) { cross(h, 5); put(h, 6, "/mutex/n", b); put(h, 7, "/mutex/n", 0xc3) }, 5, "", "info hint"},
		{"it wrote and took away what nobody else wants", func(h *modeltest.History) {
			cross(h, 5)
			put(h, 6, "/presence", b)
			put(h, 6, "/here", b)
			h.Del(7, modeltest.ClaimKey("/here", b))
		}, 5, "error strong", "error strong"},
		{"it got one while it waited", func(h *modeltest.History) {
			put(h, 1, "/mutex/n", 0xc3)
			put(h, 2, "/mutex/n", a)
			cross(h, 5)
			h.Del(6, modeltest.ClaimKey("/mutex/n", 0xc3))
		}, 5, "", "info hint"},
		{"it let go of one while it waited", func(h *modeltest.History) {
			put(h, 1, "/mutex/n", a)
			put(h, 2, "/mutex/n", 0xc3)
			cross(h, 5)
			h.Del(6, modeltest.ClaimKey("/mutex/n", a))
		}, 5, "", "info hint"},
		{"it let go of one while it waited, long ago", func(h *modeltest.History) {
			put(h, 1, "/mutex/n", a)
			put(h, 1, "/mutex/n", 0xc3)
			put(h, 1, "/o", 0xc3)
			put(h, 1, "/o", a)
			h.Del(2, modeltest.ClaimKey("/mutex/n", a))
			h.Del(3, modeltest.ClaimKey("/o", a))
			cross(h, 5)
		}, 5, "", "info hint"},
		{"it gave up a wait, and waits for another", func(h *modeltest.History) {
			put(h, 1, "/o", 0xc3)
			put(h, 2, "/o", a)
			h.Del(3, modeltest.ClaimKey("/o", a))
			cross(h, 5)
		}, 5, "error strong", "error strong"},
		{"the waits are old, and the hold is new", func(h *modeltest.History) {
			put(h, 1, "/lock", 0xc3)
			put(h, 2, "/lock", a)
			put(h, 3, "/mutex/m", b)
			put(h, 4, "/mutex/m", a)
			put(h, 5, "/lock", b)
			h.Del(60, modeltest.ClaimKey("/lock", 0xc3)) // closes it: a holds /lock now
		}, 60, "", "info hint"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		r.tell(h)
		s := state(h)
		said := func() string {
			for _, f := range s.FindingsOf(s.Lock("/lock")) {
				if f.Code == model.CodeLockCycle {
					return string(f.Severity) + " " + string(f.Confidence)
				}
			}
			return ""
		}
		for _, at := range []struct {
			sec  float64
			want string
		}{{2, ""}, {4, r.short}, {62, r.longer}} {
			s.Apply(model.Batch{Events: []model.Event{model.Tick{At: modeltest.At(r.closed + at.sec)}}})
			if got := said(); got != at.want {
				t.Errorf("%s: %q after %v s, want %q", r.reason, got, at.sec, at.want)
			}
		}
	}
}

// TestOneLookAtACycleIsAHint: what the keys of a session with several workers look like at
// one moment is what a deadlock looks like. Who leads several groups looks so for ever.
func TestOneLookAtACycleIsAHint(t *testing.T) {
	cross := func(value string) []model.KV {
		var all []model.KV
		for i, c := range []struct {
			lock string
			id   model.LeaseID
		}{{"/lock", 0xa1}, {"/mutex/m", 0xb2}, {"/mutex/m", 0xa1}, {"/lock", 0xb2}} {
			rev := int64(i + 2)
			all = append(all, model.KV{Key: modeltest.ClaimKey(c.lock, c.id), Value: value, Lease: c.id, CreateRev: rev, ModRev: rev, Version: 1})
		}
		return all
	}
	for _, r := range []struct {
		reason, value       string
		first, later, worst string // at once, after 59 s, and after 61
	}{
		{"who holds and who waits may be two workers of one session; a hold that long is rare", "", "warning hint", "warning hint", "error strong"},
		{"two programs that stand for both groups, and each leads one", "10.0.0.7:80", "", "", "info hint"},
	} {
		h := modeltest.New()
		h.Add(model.LoadStarted{At: modeltest.At(1)}, model.Listed{At: modeltest.At(1), Rev: 9, KVs: cross(r.value)}, model.Loaded{At: modeltest.At(1), Rev: 9})
		s := state(h)
		said := func() string {
			for _, f := range s.FindingsOf(s.Lock("/lock")) {
				if f.Code == model.CodeLockCycle {
					if sure := f.Confidence != model.Hint; strings.Contains(text.English(f.Summary), "neither can proceed") != sure ||
						strings.Contains(text.English(status.NextMove(s, s.Lock("/lock"), s.Now()).When), "will not clear") != (sure && s.Lock("/lock").Head().LeaseInfo().State() == model.LeaseHealthy) {
						t.Errorf("%s: %s", r.reason, text.English(f.Summary))
					}
					return string(f.Severity) + " " + string(f.Confidence)
				}
			}
			return ""
		}
		for _, at := range []struct {
			sec  float64
			want string
		}{{1.1, r.first}, {59, r.later}, {62, r.worst}} {
			h := modeltest.New()
			h.Read(at.sec, 0xa1, 90, 80)
			h.Read(at.sec, 0xb2, 90, 80)
			s.Apply(model.Batch{Events: h.Events})
			if got := said(); got != at.want {
				t.Errorf("%s: %q at %v s, want %q", r.reason, got, at.sec, at.want)
			}
		}
	}
}

func TestLongHeldNeedsAHistory(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	sec := 1.0
	for i := range 12 {
		lease := model.LeaseID(0x100 + i)
		h.Put(sec, modeltest.ClaimKey("/lock", lease), "", lease)
		sec++
		h.Del(sec, modeltest.ClaimKey("/lock", lease))
		h.Read(sec, lease, 10, 9)
	}
	h.Put(sec, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1)
	h.Put(sec, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
	h.Read(sec+1, 0xa1, 60, 59)
	h.Add(model.Tick{At: modeltest.At(sec + 20)})
	s := state(h)
	if got := codes(s); len(got) != 0 {
		t.Fatalf("after 20 s where a second is usual: %v, want nothing below 30 s", got)
	}
	s.Apply(model.Batch{Events: []model.Event{model.Tick{At: modeltest.At(sec + 31)}}})
	if d := cmp.Diff([]string{"warning long-held (hint) /lock"}, codes(s)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if alt := s.Findings()[0].Alternatives; len(alt) != 6 {
		t.Errorf("alternatives %v: a hint names what looks the same", alt)
	}
}

// TestAWaitIsWorthAWordWithoutAHistory: a holder that renews and does nothing looks well
// for ever, so what tells is how many have waited for how long. A leader holds for as long
// as it lives.
func TestAWaitIsWorthAWordWithoutAHistory(t *testing.T) {
	for _, r := range []struct {
		reason, value string
		waiters       int
		ttl           int64
		warnWait      time.Duration
		silent, says  float64 // seconds after the lock was taken; 0: it never says a word
		dead          bool    // the holder, which does not renew
	}{
		{"ten times the TTL, by five that wait", "", 5, 60, 0, 115, 125, false},
		{"one alone is waited for longer", "", 1, 10, 0, 95, 105, false},
		{"a short lease is no reason to be hasty", "", 5, 5, 0, 28, 32, false},
		{"who renews a lease of an hour may hold for some minutes", "", 1, 3600, 0, 295, 305, false},
		{"a lease of an hour hides a dead holder for an hour", "", 1, 3600, 0, 55, 65, true},
		{"a lease of 15 minutes is renewed every 5, so a minute tells nothing yet", "", 1, 900, 0, 295, 0, true},
		{"nobody waits", "", 0, 60, 0, 3600, 0, false},
		{"a leader", "node", 5, 60, 0, 3600, 0, false},
		{"somebody said from when on", "", 1, 60, 20 * time.Second, 15, 25, false},
		{"also of a leader", "node", 1, 60, 20 * time.Second, 15, 25, false},
		{"or that he has patience", "", 5, 60, 2 * time.Hour, 3600, 0, false},
		{"somebody said, but nobody waits", "", 0, 60, 20 * time.Second, 3600, 0, false},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for i := range r.waiters + 1 {
			lease := model.LeaseID(0xa0 + i)
			h.Put(1, modeltest.ClaimKey("/lock", lease), r.value, lease)
		}
		s := store.New(model.Pin{Wait: r.warnWait})
		s.Apply(model.Batch{Events: h.Events})
		read := func(sec float64, left int64) {
			s.Apply(model.Batch{Events: []model.Event{model.LeaseRead{At: modeltest.At(1 + sec), ID: 0xa0, Granted: r.ttl, Remaining: left, Term: 2}}})
		}
		look := func(sec float64) []string {
			if r.dead {
				read(sec, r.ttl-int64(sec))
				return codes(s)
			}
			read(sec-1, r.ttl-3)
			read(sec, r.ttl-1) // it was renewed a moment ago
			return codes(s)
		}
		if got := look(r.silent); len(got) > 0 {
			t.Errorf("%s: %v after %v s", r.reason, got, r.silent)
		}
		if r.says == 0 {
			continue
		}
		if r.warnWait == 0 && !r.dead { // a service that leads by a mutex has programs that stand by
			if d := cmp.Diff([]string{"info long-held (hint) /lock"}, look(r.says)); d != "" {
				t.Errorf("%s, but they may stand by, after %v s (-want +got)\n%s", r.reason, r.says, d)
			}
			h.Events = nil
			h.Put(r.says-2, modeltest.ClaimKey("/lock", 0xff), r.value, 0xff)
			h.Del(r.says-1, modeltest.ClaimKey("/lock", 0xff))
			h.Read(r.says-0.5, 0xff, r.ttl, r.ttl-1)
			s.Apply(model.Batch{Events: h.Events})
		}
		if d := cmp.Diff([]string{"warning long-held (hint) /lock"}, look(r.says)); d != "" {
			t.Errorf("%s, after %v s (-want +got)\n%s", r.reason, r.says, d)
		}
		if r.warnWait == 0 && !r.dead {
			if d := cmp.Diff([]string{"info long-held (hint) /lock"}, look(r.says+601)); d != "" {
				t.Errorf("%s, and nobody came or gave up for ten minutes (-want +got)\n%s", r.reason, d)
			}
		}
	}
}

// TestWhatIsSaidToBeHeldForLongIsNotHeldLong: --long names what a service leads by.
func TestWhatIsSaidToBeHeldForLongIsNotHeldLong(t *testing.T) {
	for _, r := range []struct {
		reason, prefix string
		want           []string
	}{
		{"it is named", "/lock", nil},
		{"a path above it is", "/", nil},
		{"another one is", "/lock2", []string{"info long-held (hint) /lock"}},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for i := range 3 {
			h.Put(1, modeltest.ClaimKey("/lock", model.LeaseID(0xa0+i)), "", model.LeaseID(0xa0+i))
		}
		h.Read(3000, 0xa0, 60, 57)
		h.Read(3001, 0xa0, 60, 59)
		s := store.New(model.Pin{Prefix: r.prefix, Long: true})
		s.Apply(model.Batch{Events: h.Events})
		if d := cmp.Diff(r.want, codes(s)); d != "" {
			t.Errorf("%s (-want +got)\n%s", r.reason, d)
		}
	}
}

func TestDeclaredContendersAreMissed(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, modeltest.ClaimKey("/ha", 0xa1), "node-1", 0xa1)
	s := store.New(model.Pin{Prefix: "/ha", Expect: 2})
	s.Apply(model.Batch{Events: h.Events})
	if got := codes(s); len(got) != 0 {
		t.Fatalf("at once: %v; a client that comes back takes a moment", got)
	}
	s.Apply(model.Batch{Events: []model.Event{model.Tick{At: modeltest.At(12)}}})
	if d := cmp.Diff([]string{"warning zombie-candidate (strong) /ha"}, codes(s)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	h.Put(13, modeltest.ClaimKey("/ha", 0xb2), "node-2", 0xb2)
	s.Apply(model.Batch{Events: h.Events[len(h.Events)-1:]})
	if got := codes(s); len(got) != 0 {
		t.Errorf("with two in the queue: %v", got)
	}
}

func TestTheLabKnowsWhatWasAskedFor(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1)
	h.Add(model.Contender{At: modeltest.At(1), Name: "c1", Lock: "/lock", TTL: 1, Proc: model.ProcRunning},
		model.Belief{At: modeltest.At(1), Contender: "c1", Lock: "/lock", State: model.BeliefHolding, Lease: 0xa1})
	h.Read(2, 0xa1, 2, 1)
	if d := cmp.Diff([]string{"info ttl-floor (certain) /lock"}, codes(state(h))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestMembersThatDiffer(t *testing.T) {
	status := func(sec float64, a, b, rev int64) model.ClusterStatus {
		return model.ClusterStatus{At: modeltest.At(sec), Members: []model.Member{{ID: 1, Name: "m1", Leader: true, Version: "3.6.1", Keys: a, KeysRev: rev},
			{ID: 2, Name: "m2", Version: "3.6.1", Keys: b, KeysRev: rev}}}
	}
	rows := []struct {
		events []model.Event
		want   []string
		reason string
	}{
		{[]model.Event{status(1, 7, 7, 40)}, nil, "the same number at the same revision"},
		{[]model.Event{status(1, 7, 6, 40)}, []string{"error member-divergence (certain) "}, "one has lost a key"},
		{[]model.Event{status(1, 7, 6, 40), status(6, 0, 0, 0)}, []string{"error member-divergence (certain) "}, "not counted again: what was found stays"},
		{[]model.Event{status(1, 7, 6, 40), status(61, 9, 9, 50)}, nil, "a later count agrees"},
	}
	for _, r := range rows {
		s := store.New()
		s.Apply(model.Batch{Events: r.events})
		if d := cmp.Diff(r.want, codes(s)); d != "" {
			t.Errorf("%s\n(-want +got)\n%s", r.reason, d)
		}
	}
}

func TestEveryFindingSaysWhatToDo(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/lock/config\x1b[31m", "x", 0)
	h.Put(2, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
	for _, f := range state(h).Findings() {
		if f.Summary.IsZero() || len(f.Evidence) == 0 || len(f.Advice) == 0 || len(f.Etcdctl) == 0 {
			t.Errorf("%s: %+v", f.Code, f)
		}
		if strings.ContainsAny(text.English(f.Summary)+strings.Join(text.EnglishAll(f.Evidence), ""), "\x1b\n") {
			t.Errorf("%s is not fit for a terminal: %q", f.Code, text.English(f.Summary))
		}
		if _, ok := findings.Explain(f.Code); !ok {
			t.Errorf("%s is not in the catalogue", f.Code)
		}
	}
}

// TestUnaskedMembersAreNotDown: one endpoint of three is asked.
func TestUnaskedMembersAreNotDown(t *testing.T) {
	s := store.New()
	round := func(sec float64, leader bool) {
		s.Apply(model.Batch{Events: []model.Event{model.ClusterStatus{At: modeltest.At(sec), Members: []model.Member{
			{ID: 1, Name: "m1", Version: "3.6.1", NoLeader: !leader}, {ID: 2, Name: "m2", Unasked: true, Leader: leader}, {ID: 3, Name: "m3", Unasked: true}}}}})
	}
	round(1, true)
	round(2, false)
	if c := s.Cluster(); c.Up() != 1 || c.Asked() != 1 {
		t.Errorf("%d of %d are up", c.Up(), c.Asked())
	}
	if all := s.ClusterFindings(); len(all) > 0 {
		t.Errorf("an election takes a moment: %v", all)
	}
	round(3, false)
	if all := s.ClusterFindings(); len(all) != 1 || all[0].Code != model.CodeNoQuorum || all[0].Confidence != model.Hint || !strings.Contains(text.English(all[0].Summary), "1 of 3 members answer") {
		t.Errorf("got %v", all)
	}
	s.Apply(model.Batch{Events: []model.Event{model.ClusterStatus{At: modeltest.At(4), Members: []model.Member{{ID: 1, Name: "m1", Leader: true}, {ID: 2, Name: "m2", Err: model.Say("quote", "refused")}, {ID: 3, Name: "m3"}}}}})
	for _, f := range s.Journal() {
		if f.Kind == journal.Member && (strings.Contains(text.English(f.Text), "does not answer") || strings.Contains(text.English(f.Text), "answers again")) {
			t.Errorf("nothing was known of it before: %s", text.English(f.Text))
		}
	}
}

// TestAClusterThatFallsSilentIsNotWell: what was found of it is over only where a member says so.
func TestAClusterThatFallsSilentIsNotWell(t *testing.T) {
	leaderless := model.Member{ID: 1, Name: "m1", Version: "3.6.1", NoLeader: true}
	dead := model.Member{ID: 1, Name: "m1", Err: model.Say("quote", "refused")}
	led := model.Member{ID: 1, Name: "m1", Version: "3.6.1", Leader: true}
	for _, r := range []struct {
		reason string
		then   model.Member
		says   string
	}{
		{"its last member is killed", dead, "No leader is out of sight after 4.0s: no member answers"},
		{"a leader is elected", led, "No leader is over, after 4.0s"},
	} {
		s := store.New()
		for i, m := range []model.Member{leaderless, leaderless, r.then} {
			s.Apply(model.Batch{Events: []model.Event{model.ClusterStatus{At: modeltest.At(float64(2 * i)), Members: []model.Member{m, {ID: 2, Name: "m2", Err: model.Say("quote", "refused")}, {ID: 3, Name: "m3", Err: model.Say("quote", "refused")}}}}})
		}
		all := s.Journal()
		if last := all[len(all)-1]; text.English(last.Text) != r.says {
			t.Errorf("%s: %q, want %q", r.reason, text.English(last.Text), r.says)
		}
	}
}

// TestWhatBlocksIsNamedForWhatItIs: only what is a lock is waited for, or broken.
func TestWhatBlocksIsNamedForWhatItIs(t *testing.T) {
	for _, r := range []struct {
		reason, key string
		says, not   string
	}{
		{"a claim of a lock", modeltest.ClaimKey("/lock/sub", 0xa1), "/lock waits for the lock /lock/sub,", "group"},
		{"an instance of a service", "/lock/workers/10.0.0.2:80", "/lock/workers/10.0.0.2:80 is one of 1 key in the group /lock/workers, which is not a lock", "waits for the lock"},
		{"data", "/lock/setting", "/lock/setting is not named by its lease", "group"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, r.key, "", 0xa1)
		h.Put(2, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
		f := state(h).Findings()[0]
		said := text.English(f.Summary) + "\n" + strings.Join(text.EnglishAll(f.Advice), "\n")
		if !strings.Contains(said, r.says) || strings.Contains(said, r.not) {
			t.Errorf("%s: want %q and no %q in\n%s", r.reason, r.says, r.not, said)
		}
		if strings.Contains(said, "break") != strings.Contains(said, "the lock /lock/sub") {
			t.Errorf("%s: a break is advised of what is no lock, or not of a lock:\n%s", r.reason, said)
		}
	}
}

// TestTheRecipeThatIsAdvisedIsThatOfTheLock: a line that is copied names the lock, whatever its bytes.
func TestTheRecipeThatIsAdvisedIsThatOfTheLock(t *testing.T) {
	for _, r := range []struct{ name, want, reason string }{
		{"/jobs/a", "'/jobs/a=mutex'", "a plain name"},
		{"/jobs/\x1b[31m", `'/jobs/\x1b[31m=mutex'`, "escaped once, as --recipe reads it"},
		{`/jobs/a\b`, `'/jobs/a\\b=mutex'`, "a backslash of the name"},
		{"/jobs/it's", `'/jobs/it'\''s=mutex'`, "a quote"},
		{"/jobs/bG9jaw==", "'/jobs/bG9jaw====mutex'", "KEY==NAME: its own signs at the end stay its own"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, modeltest.ClaimKey(r.name, 0xa1), "", 0xa1)
		h.Read(2, 0xa1, 600, 250)
		said := ""
		for _, f := range state(h).Findings() {
			said += strings.Join(text.EnglishAll(f.Advice), "\n")
		}
		if !strings.Contains(said, "add --recipe "+r.want+" if") {
			t.Errorf("%s: want --recipe %s in\n%s", r.reason, r.want, said)
		}
	}
}

// TestWhatOnlyLooksLikeANestedLock: a lock below is called one as far as it is sure that it is.
func TestWhatOnlyLooksLikeANestedLock(t *testing.T) {
	const a, b, c = model.LeaseID(0x1a), model.LeaseID(0x1b), model.LeaseID(0x1c)
	for _, r := range []struct {
		reason string
		below  func(h *modeltest.History)
		want   string
	}{
		{"a mutex is certain", func(h *modeltest.History) { h.Put(1, modeltest.ClaimKey("/lock/sub", a), "", a) },
			"/lock waits for the lock /lock/sub, whose name lies below its own"},
		{"a reader and a writer side by side", func(h *modeltest.History) {
			h.Put(1, "/lock/sub/read/1700000000000000001", "", a)
			h.Put(1.5, "/lock/sub/write/1700000000000000002", "", c)
		}, "/lock waits for the lock /lock/sub, whose name lies below its own"},
		{"a writer alone may be something else", func(h *modeltest.History) { h.Put(1, "/lock/sub/write/1700000000000000001", "", a) },
			"/lock waits for /lock/sub, which looks like a lock (rwmutex, hint), whose name lies below its own"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		r.below(h)
		h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
		s := state(h)
		if found := s.FindingsOf(s.Lock("/lock")); len(found) == 0 || text.English(found[0].Summary) != r.want {
			t.Errorf("%s: %+v, want %q", r.reason, found, r.want)
		}
	}
}
