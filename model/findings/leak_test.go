package findings_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/model/text"
)

// granter is a server of leases that answers what the state asks for, once a second.
type granter struct {
	*modeltest.History
	s       *store.Store
	sec     float64
	applied int
	leases  map[model.LeaseID]*granted
	last    model.LeaseID
	denied  bool
	reads   int // answers that were asked for
	worst   int // at one time
}

type granted struct {
	ttl, renewed float64
	kept         bool // its program renews it
}

func newGranter() *granter {
	g := &granter{History: modeltest.New(), s: store.New(), sec: 1, leases: map[model.LeaseID]*granted{}, last: 0x694d81e5fc652500}
	g.Loaded(g.sec)
	return g
}

// grant returns a new lease.
func (g *granter) grant(ttl float64, kept bool) model.LeaseID {
	g.last += 2
	id := g.last
	g.leases[id] = &granted{ttl, g.sec, kept}
	return id
}

// pass lets time go by in steps of a second, and answers what is asked.
func (g *granter) pass(seconds float64) {
	for end := g.sec + seconds; ; g.sec++ {
		for _, id := range slices.Sorted(maps.Keys(g.leases)) {
			switch l := g.leases[id]; {
			case l.kept && g.sec-l.renewed >= l.ttl/3:
				l.renewed = g.sec
			case g.sec-l.renewed > l.ttl:
				delete(g.leases, id)
				g.End(g.sec, id)
			}
		}
		g.answer()
		if g.sec+1 > end {
			g.sec = end
			return
		}
	}
}

func (g *granter) answer() {
	g.s.Apply(model.Batch{Events: append(g.Events[g.applied:], model.Tick{At: modeltest.At(g.sec)})})
	g.applied = len(g.Events)
	w := g.s.Want(nil)
	g.reads, g.worst = g.reads+len(w.Leases), max(g.worst, len(w.Leases))
	for _, id := range w.Leases {
		if l := g.leases[id]; l != nil {
			g.Read(g.sec+0.01, id, int64(l.ttl), int64(l.ttl-(g.sec-l.renewed)))
		} else {
			g.Read(g.sec+0.01, id, 0, -1)
		}
		if !slices.Contains(w.Keys, id) {
			continue
		}
		keys := model.LeaseKeys{At: modeltest.At(g.sec + 0.02), ID: id, Rev: g.Rev}
		for _, kv := range g.Keys {
			if kv.Lease == id {
				keys.Keys, keys.Total = append(keys.Keys, kv.Key), keys.Total+1
			}
		}
		if g.denied && keys.Total > 0 {
			keys = model.LeaseKeys{At: keys.At, ID: id, Reason: model.Say("quote", "permission denied")}
		}
		g.Add(keys)
	}
	g.s.Apply(model.Batch{Events: g.Events[g.applied:]})
	g.applied = len(g.Events)
}

// try takes the lock with a lease, holds it for a second, and deletes its key.
func (g *granter) try(lock, who string, lease model.LeaseID) {
	key := modeltest.ClaimKey(lock, lease)
	g.Put(g.sec, key, who, lease)
	g.pass(1)
	g.Del(g.sec, key)
	g.pass(1)
}

func (g *granter) leaks() (all []model.Finding) {
	for _, f := range g.s.Findings() {
		if f.Code == model.CodeLeaseLeak {
			if why := modeltest.Unlawful(&f); why != "" || f.Severity != model.SevInfo || f.Confidence != model.Hint {
				panic(why + ": " + text.English(f.Summary))
			}
			all = append(all, f)
		}
	}
	return all
}

// TestLeasesThatAreLeftBehind: who takes a new lease each time, and gives none back. Programs
// that look alike for a while are told nothing about.
func TestLeasesThatAreLeftBehind(t *testing.T) {
	const host = "10.0.0.7:5678"
	rounds := func(n int, do func(g *granter, i int)) func(*granter) {
		return func(g *granter) {
			for i := range n {
				do(g, i)
			}
		}
	}
	for _, r := range []struct {
		reason string
		tell   func(*granter)
		want   int
	}{
		{"a session for each try that is never closed", rounds(30, func(g *granter, _ int) { g.try("/lock", host, g.grant(30, true)) }), 1},
		{"a lease for each try that is left to run out", rounds(40, func(g *granter, _ int) { g.try("/lock", host, g.grant(30, false)) }), 1},
		{"a lock by itself, and a short hold each time", rounds(90, func(g *granter, _ int) {
			g.Put(g.sec, "/locks/job", `{"holder":"pod-7"}`, g.grant(60, true))
			g.Del(g.sec+0.1, "/locks/job")
			g.pass(1)
		}), 1},
		{"one name on many locks", rounds(40, func(g *granter, i int) { g.try(fmt.Sprintf("/jobs/%d", i), host, g.grant(30, true)) }), 1},
		{"two programs leak on one lock", rounds(30, func(g *granter, _ int) {
			g.try("/lock", host, g.grant(60, true))
			g.try("/lock", "10.0.0.8:5678", g.grant(60, true))
		}), 2},
		{"ten times a second, and the leases run out", rounds(900, func(g *granter, _ int) {
			id := g.grant(30, false)
			g.Put(g.sec, modeltest.ClaimKey("/lock", id), host, id)
			g.Del(g.sec+0.01, modeltest.ClaimKey("/lock", id))
			g.pass(0.1)
		}), 1},
		{"the name stands beside the lock, on its lease, and goes first", rounds(40, func(g *granter, _ int) {
			id := g.grant(30, true)
			g.Put(g.sec, modeltest.ClaimKey("/lock", id), "", id)
			g.Put(g.sec, "/data/l", host, id)
			g.pass(1)
			g.Del(g.sec, "/data/l")
			g.Del(g.sec+0.1, modeltest.ClaimKey("/lock", id))
			g.pass(1)
		}), 1},
		{"programs that write one version, each on its session, take turns", func(g *granter) {
			var pool []model.LeaseID
			for range 6 {
				pool = append(pool, g.grant(10, true))
			}
			rounds(12, func(g *granter, i int) { g.try("/lock", "v1.2.3", pool[i%6]) })(g)
		}, 0},
		{"four are too few", func(g *granter) {
			rounds(4, func(g *granter, _ int) { g.try("/lock", host, g.grant(30, true)) })(g)
			g.pass(40)
		}, 0},
		{"never five within one TTL", rounds(7, func(g *granter, _ int) { g.try("/lock", host, g.grant(30, true)); g.pass(8) }), 0},
		{"one session, taken again and again", func(g *granter) {
			one := g.grant(30, true)
			rounds(8, func(g *granter, _ int) { g.try("/lock", host, one) })(g)
		}, 0},
		{"a cron lock: its lease is revoked each time", rounds(8, func(g *granter, _ int) {
			id := g.grant(30, true)
			g.Put(g.sec, modeltest.ClaimKey("/lock", id), host, id)
			g.pass(0.5)
			delete(g.leases, id)
			g.End(g.sec, id)
			g.pass(0.5)
		}), 0},
		{"a pool of sessions that each hold something yet", rounds(8, func(g *granter, i int) {
			id := g.grant(30, true)
			g.Put(g.sec, fmt.Sprintf("/elsewhere/%d", i), host, id)
			g.try("/lock", host, id)
		}), 0},
		{"the same where it may not be read what they hold", func(g *granter) {
			g.denied = true
			rounds(8, func(g *granter, i int) {
				id := g.grant(30, true)
				g.Put(g.sec, fmt.Sprintf("/elsewhere/%d", i), host, id)
				g.try("/lock", host, id)
			})(g)
		}, 0},
		{"a pool of sessions that were opened before, used in turn", func(g *granter) {
			var pool []model.LeaseID
			for range 6 {
				pool = append(pool, g.grant(60, true))
			}
			g.pass(5)
			rounds(6, func(g *granter, i int) { g.try("/lock", host, pool[i]) })(g)
		}, 0},
		{"a pool that has come round", func(g *granter) {
			var pool []model.LeaseID
			rounds(6, func(g *granter, _ int) {
				pool = append(pool, g.grant(30, true))
				g.try("/lock", host, pool[len(pool)-1])
			})(g)
			g.try("/lock", host, pool[2])
		}, 0},
		{"a pool of twenty that has come round, each opened when it was first needed", func(g *granter) {
			var pool []model.LeaseID
			rounds(50, func(g *granter, i int) {
				at := i * 7 % 20
				if i < 20 {
					at, pool = i, append(pool, g.grant(30, true))
				}
				g.try("/lock", host, pool[at])
			})(g)
		}, 0},
		{"workers of one name that wait for each other", rounds(7, func(g *granter, _ int) {
			one, two := g.grant(30, true), g.grant(30, true)
			g.Put(g.sec, modeltest.ClaimKey("/lock", one), host, one)
			g.Put(g.sec, modeltest.ClaimKey("/lock", two), host, two)
			g.pass(1)
			g.Del(g.sec, modeltest.ClaimKey("/lock", one))
			g.pass(1)
			g.Del(g.sec, modeltest.ClaimKey("/lock", two))
			g.pass(1)
		}), 0},
		{"five programs with a value that names nobody", rounds(7, func(g *granter, _ int) { g.try("/lock", "locked", g.grant(30, true)) }), 0},
		{"five programs with no value", rounds(7, func(g *granter, _ int) { g.try("/lock", "", g.grant(30, true)) }), 0},
		{"five programs that write what they do", rounds(7, func(g *granter, _ int) { g.try("/jobs/job-7", "job-7", g.grant(30, true)) }), 0},
		{"five programs with a name each", rounds(7, func(g *granter, i int) { g.try("/lock", fmt.Sprintf("10.0.0.%d:80", i), g.grant(30, true)) }), 0},
		{"five that died, one after the other", rounds(6, func(g *granter, _ int) {
			id := g.grant(5, false)
			g.Put(g.sec, modeltest.ClaimKey("/lock", id), host, id)
			g.pass(7)
		}), 0},
		{"what happened in a gap is not known", func(g *granter) {
			rounds(4, func(g *granter, _ int) { g.try("/lock", host, g.grant(60, true)) })(g)
			g.Add(model.Slept{At: modeltest.At(g.sec + 1), Since: modeltest.At(g.sec)}, model.Watching{At: modeltest.At(g.sec + 1.1), Asked: modeltest.At(g.sec + 1.1), Rev: g.Rev})
			g.pass(2)
			rounds(4, func(g *granter, _ int) { g.try("/lock", host, g.grant(60, true)) })(g)
		}, 0},
	} {
		g := newGranter()
		r.tell(g)
		g.pass(1)
		if got := g.leaks(); len(got) != r.want {
			t.Errorf("%s: %d found, want %d: %+v", r.reason, len(got), r.want, got)
		}
	}
}

// TestALeakEndsWithItsLeases: one that is mended is over when the last of its leases are, and
// what is read of them is little.
func TestALeakEndsWithItsLeases(t *testing.T) {
	g := newGranter()
	for range 6 {
		g.try("/lock", "pod-7", g.grant(20, true))
	}
	g.Put(g.sec, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1) // a lock that is free for long is forgotten
	g.leases[0xa1] = &granted{60, g.sec, true}
	g.pass(25)
	g.reads, g.worst = 0, 0
	for range 30 {
		g.pass(10)
		if len(g.leaks()) != 1 {
			t.Fatalf("not found any more at %v s: its sessions are renewed", g.sec)
		}
	}
	if g.reads > 300 || g.worst > 8 {
		t.Errorf("%d readings in 300 s, %d at one time: the budget is for locks", g.reads, g.worst)
	}
	for _, l := range g.leases {
		l.kept = false
	}
	g.pass(60)
	if got := g.leaks(); len(got) != 0 {
		t.Errorf("the leases ended, and it is still found: %+v", got)
	}
}

// TestLeaksAreBounded: many names leave leases behind, and few are followed.
func TestLeaksAreBounded(t *testing.T) {
	g := newGranter()
	for i := range 2000 {
		id := g.grant(3000, true)
		key := modeltest.ClaimKey("/lock", id)
		g.Put(g.sec, key, fmt.Sprintf("pod-%d", i%700), id)
		g.Del(g.sec+0.01, key)
		g.sec += 0.1
		g.answer()
	}
	if g.worst > 80 {
		t.Errorf("%d readings at one time", g.worst)
	}
}
