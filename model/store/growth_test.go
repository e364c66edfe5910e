package store

import (
	"fmt"
	"slices"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/status"
)

// shape is a history in which one thing is n times there: locks of a lease, sessions in a
// cycle, waiters. What follows on it is measured; before is only its beginning.
type shape struct {
	name   string
	before func(g *grown, n int)
	after  func(g *grown, n int)
}

// grown writes such a history.
type grown struct {
	*modeltest.History
	sec float64
}

// step lets a moment pass.
func (g *grown) step() float64 { g.sec += 0.001; return g.sec }

// wait lets seconds pass.
func (g *grown) wait(sec float64) float64 { g.sec += sec; return g.sec }

// list lists what was put since mark instead, as etcd brings it.
func (g *grown) list(kvs []model.KV) {
	slices.SortFunc(kvs, func(a, b model.KV) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	at := modeltest.At(g.sec)
	g.Add(model.LoadStarted{At: at, Rev: g.Rev})
	for part := range slices.Chunk(kvs, 2_000) {
		g.Add(model.Listed{At: at, Rev: g.Rev, KVs: part, Total: int64(len(kvs))})
	}
	g.Add(model.Loaded{At: at, Rev: g.Rev})
}

func (g *grown) kv(key, value string, lease model.LeaseID) model.KV {
	g.Rev++
	return g.Write(key, value, lease)
}

// manyClients is a shape: of fewer than a thousand open entries all are compared with each, of more no
// more than a thousand.
const manyClients = "sessions of many clients that close together"

const oneLease model.LeaseID = 0x694d81e5fc650000

func leaseOf(i int) model.LeaseID { return oneLease + 1 + model.LeaseID(i) }

func single(i int) string { return fmt.Sprintf("/locks/k%06d", i) }

func queued(i int, lease model.LeaseID) string {
	return fmt.Sprintf("/queues/q%06d/%s", i, lease)
}

// singles lists n locks of one key each, all on one lease.
func singles(g *grown, n int) {
	var kvs []model.KV
	for i := range n {
		kvs = append(kvs, g.kv(single(i), "", oneLease))
	}
	g.list(kvs)
}

// queues lists n locks with a claim each of its own lease, with that value.
func queues(g *grown, n int, value string) {
	var kvs []model.KV
	for i := range n {
		kvs = append(kvs, g.kv(queued(i, leaseOf(i)), value, leaseOf(i)))
	}
	g.list(kvs)
}

var shapes = []shape{
	{"locks of one key each on a lease that misses its renewal", singles, func(g *grown, _ int) {
		for left := int64(30); left >= 0; left -= 6 {
			g.Read(g.wait(6), oneLease, 30, left)
		}
	}},
	{"mutexes on a lease that misses its renewal", func(g *grown, n int) {
		var kvs []model.KV
		for i := range n {
			kvs = append(kvs, g.kv(queued(i, oneLease), "", oneLease))
		}
		g.list(kvs)
	}, func(g *grown, _ int) {
		for left := int64(30); left >= 0; left -= 6 {
			g.Read(g.wait(6), oneLease, 30, left)
		}
	}},
	{"locks on a lease that also has keys which say who it is", func(g *grown, n int) {
		var kvs []model.KV
		for i := range n {
			kvs = append(kvs, g.kv(single(i), "", oneLease), g.kv(fmt.Sprintf("/who/a/b-%06d/x", i), "host-1", oneLease))
		}
		g.list(kvs)
	}, func(g *grown, _ int) { g.Read(g.wait(1), oneLease, 30, 2) }},
	{"locks that one session takes, one after the other, and of which it is known what hangs on it", func(g *grown, n int) {
		g.list([]model.KV{g.kv(queued(n, oneLease), "", oneLease)})
		g.Add(model.LeaseKeys{At: modeltest.At(g.sec), ID: oneLease, Keys: []string{queued(n, oneLease)}, Total: 1, Rev: g.Rev})
		g.Read(g.wait(1), oneLease, 30, 29)
		g.Read(g.wait(28), oneLease, 30, 1)
	}, func(g *grown, n int) {
		for i := range n {
			g.Put(g.step(), queued(i, oneLease), "", oneLease)
		}
	}},
	{"locks that a dying session loses, one after the other", singles, func(g *grown, n int) {
		g.Read(g.wait(1), oneLease, 30, 29)
		g.Read(g.wait(25), oneLease, 30, 4)
		for i := range n {
			g.Del(g.step(), single(i))
		}
	}},
	{"locks of a session that ends, with no reading after", singles, func(g *grown, _ int) {
		g.Read(g.wait(1), oneLease, 30, 29)
		g.End(g.wait(1), oneLease)
		g.Add(model.Tick{At: modeltest.At(g.wait(30))})
	}},
	{"locks of a session under one of two prefixes, of which the other still has its keys", func(g *grown, n int) {
		at := modeltest.At(0)
		for _, p := range []string{"/a/", "/b/"} {
			g.Add(model.LoadStarted{At: at, Prefix: p, Rev: g.Rev})
			var kvs []model.KV
			for i := range n {
				kvs = append(kvs, g.kv(fmt.Sprintf("%sk%06d", p, i), "", oneLease))
			}
			g.Add(model.Listed{At: at, Prefix: p, Rev: g.Rev, KVs: kvs}, model.Loaded{At: at, Prefix: p, Rev: g.Rev})
		}
	}, func(g *grown, n int) {
		var keys []string
		for i := range n {
			keys = append(keys, fmt.Sprintf("/a/k%06d", i))
		}
		g.Del(g.wait(1), keys...)
	}},
	{"waiters of one session in many locks, while it takes more", func(g *grown, n int) {
		var kvs []model.KV
		for i := range n {
			kvs = append(kvs, g.kv(queued(i, leaseOf(i)), "", leaseOf(i)), g.kv(queued(i, oneLease), "", oneLease))
		}
		kvs = append(kvs, g.kv("/held/a/"+oneLease.String(), "", oneLease))
		g.list(kvs)
	}, func(g *grown, n int) {
		for i := range n {
			g.Put(g.step(), queued(n+i, oneLease), "", oneLease)
		}
	}},
	{"pairs of sessions in a deadlock, broken one after the other", func(g *grown, n int) {
		var kvs []model.KV
		for i := 0; i+1 < n; i += 2 {
			a, b := leaseOf(i), leaseOf(i+1)
			kvs = append(kvs, g.kv(queued(i, a), "", a), g.kv(queued(i+1, b), "", b), g.kv(queued(i+1, a), "", a), g.kv(queued(i, b), "", b))
		}
		g.list(kvs)
	}, func(g *grown, n int) {
		g.Add(model.Tick{At: modeltest.At(g.wait(5))})
		for i := 0; i+1 < n; i += 2 {
			g.Del(g.step(), queued(i+1, leaseOf(i)))
		}
	}},
	{"sessions in one cycle", func(g *grown, n int) {
		var kvs []model.KV
		for i := range n {
			kvs = append(kvs, g.kv(queued(i, leaseOf(i)), "", leaseOf(i)))
		}
		for i := range n {
			next := (i + 1) % n
			kvs = append(kvs, g.kv(queued(next, leaseOf(i)), "", leaseOf(i)))
		}
		g.list(kvs)
	}, func(g *grown, _ int) {
		g.Add(model.Tick{At: modeltest.At(g.wait(5))}, model.Tick{At: modeltest.At(g.wait(70))})
	}},
	{"leases of one client that expire together", func(g *grown, n int) { queues(g, n, "host-1") }, func(g *grown, n int) {
		for i := range n {
			g.Read(g.step(), leaseOf(i), 30, 1)
		}
		for i := range n {
			g.Del(g.step(), queued(i, leaseOf(i)))
		}
		for i := range n {
			g.Read(g.step(), leaseOf(i), 0, -1)
		}
		g.Add(model.Tick{At: modeltest.At(g.wait(30))})
	}},
	{manyClients, func(g *grown, n int) {
		var kvs []model.KV
		for i := range n {
			kvs = append(kvs, g.kv(queued(i, leaseOf(i)), fmt.Sprintf("host-%d", i), leaseOf(i)))
		}
		g.list(kvs)
		for i := range n {
			g.Read(g.sec, leaseOf(i), 30, 29)
		}
	}, func(g *grown, n int) {
		g.wait(15)
		for i := range n {
			g.Read(g.step(), leaseOf(i), 30, 28)
		}
		for i := range n {
			g.Del(g.step(), queued(i, leaseOf(i)))
		}
		for i := range n {
			g.Read(g.step(), leaseOf(i), 0, -1)
		}
	}},
	{"sessions of a program that was restarted", func(g *grown, n int) {
		queues(g, n, "host-1")
		for i := range n {
			g.Read(g.sec, leaseOf(i), 30, 29)
		}
	}, func(g *grown, n int) {
		g.wait(25)
		for i := range n {
			g.Put(g.step(), queued(i, leaseOf(n+i)), "host-1", leaseOf(n+i))
		}
		g.Read(g.step(), leaseOf(0), 30, 3)
		for i := range n {
			g.Read(g.step(), leaseOf(n+i), 30, 29)
		}
		for i := range n {
			g.Read(g.step(), leaseOf(i), 30, 3)
		}
	}},
	{"sessions that nobody renews after a change of leader", func(g *grown, n int) {
		queues(g, n, "")
		for i := range n {
			g.Read(g.sec, leaseOf(i), 30, 29)
		}
	}, func(g *grown, n int) {
		for _, left := range []int64{30, 3} {
			g.wait(20)
			for i := range n {
				g.Add(model.LeaseRead{At: modeltest.At(g.step()), ID: leaseOf(i), Granted: 30, Remaining: left, Term: 3, Rev: g.Rev})
			}
		}
	}},
	{"waiters of one lock that nobody renews", func(g *grown, n int) {
		var kvs []model.KV
		for i := range n {
			kvs = append(kvs, g.kv(queued(0, leaseOf(i)), "", leaseOf(i)))
		}
		g.list(kvs)
		for i := range n {
			g.Read(g.sec, leaseOf(i), 30, 29)
		}
	}, func(g *grown, n int) {
		g.wait(25)
		for i := range n {
			g.Read(g.step(), leaseOf(i), 30, 4)
		}
		for i := range n {
			g.Del(g.step(), queued(0, leaseOf(i)))
		}
	}},
	{"claims of one session in one lock", func(g *grown, n int) {
		var kvs []model.KV
		for i := range n {
			kvs = append(kvs, g.kv(fmt.Sprintf("/election/c/%019d", 1_700_000_000_000_000_000+i), "", oneLease))
		}
		g.list(kvs)
	}, func(g *grown, n int) {
		g.Read(g.wait(1), oneLease, 30, 29)
		g.Read(g.wait(25), oneLease, 30, 4)
		for i := range n {
			g.Del(g.step(), fmt.Sprintf("/election/c/%019d", 1_700_000_000_000_000_000+i))
		}
	}},
	{"locks below the name of another, which come and go", func(g *grown, n int) {
		var kvs []model.KV
		for i := range n {
			kvs = append(kvs, g.kv(fmt.Sprintf("/queues/q%06d/%s", i, leaseOf(i)), "", leaseOf(i)))
		}
		kvs = append(kvs, g.kv("/queues/"+leaseOf(n).String(), "", leaseOf(n)), g.kv("/queues/"+leaseOf(n+1).String(), "", leaseOf(n+1)))
		g.list(kvs)
	}, func(g *grown, n int) {
		for i := range n {
			g.Del(g.step(), queued(i, leaseOf(i)))
			g.Put(g.step(), queued(i, leaseOf(i)), "", leaseOf(i))
		}
	}},
}

// ready is a state at the beginning of a shape, and what follows as batches.
func (sh shape) ready(n int) (*Store, []model.Batch) {
	g := &grown{History: modeltest.New()}
	sh.before(g, n)
	s := New()
	s.Apply(model.Batch{Events: g.Events})
	s.Want(nil)
	g.Events = nil
	sh.after(g, n)
	var rest []model.Batch
	for part := range slices.Chunk(g.Events, 2_000) {
		rest = append(rest, model.Batch{Events: part})
	}
	return s, rest
}

// play applies what follows, and then reads what commands and pages print.
func play(s *Store, rest []model.Batch) {
	for _, b := range rest {
		s.Apply(b)
		s.Want(nil)
	}
	s.StoriesOf(nil)
	s.Verdict()
	for _, l := range s.Locks() {
		status.ConditionOf(s, l)
		if h := l.Head(); h != nil {
			s.IdentityOf(h)
			s.Who(h.Ref())
		}
	}
	for _, l := range s.Leases() {
		status.OfSession(s, l)
	}
	s.CoverageGaps(s.Now(), nil)
}

// BenchmarkGrowthOf is what each shape costs, in all.
func BenchmarkGrowthOf(b *testing.B) {
	for _, sh := range shapes {
		for _, n := range []int{1_000, 10_000, 20_000} {
			b.Run(fmt.Sprintf("%s/%d", sh.name, n), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					s, rest := sh.ready(n)
					b.StartTimer()
					play(s, rest)
				}
			})
		}
	}
}
