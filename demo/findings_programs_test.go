package demo

import (
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"google.golang.org/protobuf/encoding/protowire"

	"locktop/model"
	"locktop/model/store"
)

// programStories are about what certain programs write into their keys.
var programStories = []story{
	{
		code: model.CodeKubeLeaseOverdue, reason: "no server removes a Lease that has ended",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "a Lease of Kubernetes that was renewed, and then was not", played: func(sc *scene) {
			sc.kube("a", 2, 0)
			sc.kube("a", 2, 0)
		}},
		alike: part{words: "one that is renewed by a holder whose clock is an hour behind", played: func(sc *scene) {
			for range 8 { // longer than it holds, with room for a machine that is busy
				sc.kube("a", 5, -time.Hour)
				sc.rest(time.Second)
			}
		}},
	},
	{
		code: model.CodeKubeLeaseOverdue, reason: "what is let go ends, and nobody is late",
		severity: model.SevWarning, confidence: model.Hint,
		found: part{words: "a Lease of Kubernetes that ended by its holder's clock before locktop looked", played: func(sc *scene) {
			sc.kube("a", 600, -time.Hour)
			sc.watch(sc.cluster.MemberEndpoints())
		}},
		alike: part{words: "one that its holder let go", played: func(sc *scene) {
			sc.kube("a", 1, 0)
			sc.kube("", 1, 0)
			sc.rest(3 * time.Second)
		}},
	},
	{
		code: model.CodeLeaderOffLeader, on: threeMembers, reason: "PD's leader is meant to give up when it does not lead etcd any more",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "PD's leader is renewed by another member than the one that leads etcd", played: func(sc *scene) {
			sc.leadPD(1)
		}},
		alike: part{words: "PD's leader is the member that leads etcd", played: func(sc *scene) {
			sc.leadPD(0)
			sc.rest(14 * time.Second)
		}},
	},
	{
		code: model.CodeLeaseLeak, reason: "a session for each try that nobody closes lives on without a key",
		severity: model.SevInfo, confidence: model.Hint,
		found: part{words: "a program leads six times, each time with a session that it does not close", played: func(sc *scene) {
			sc.sessions(6, func(int) *concurrency.Session { return sc.session(30) }, func(*concurrency.Session) {})
		}},
		alike: part{words: "it closes them; and it has six that it uses in turn", played: func(sc *scene) {
			sc.sessions(6, func(int) *concurrency.Session { return sc.session(60) }, func(s *concurrency.Session) { _ = s.Close() })
			var pool []*concurrency.Session
			for range 6 {
				pool = append(pool, sc.session(60))
			}
			sc.rest(4 * time.Second)
			sc.sessions(6, func(i int) *concurrency.Session { return pool[i] }, func(*concurrency.Session) {})
			sc.rest(3 * time.Second)
		}},
	},
	{
		code: model.CodeExternalDelete, reason: "in etcd a delete by hand looks like an unlock, but for what follows",
		severity: model.SevInfo, confidence: model.Hint,
		found: part{words: "the key of a holder is deleted by hand, and its session is kept beside the next holder", played: func(sc *scene) {
			m := sc.twoOn(5)
			if _, err := sc.cli.Delete(sc.ctx, m.Key()); err != nil {
				sc.t.Fatal(err)
			}
		}},
		alike: part{words: "it unlocks, and waits for the lock again", played: func(sc *scene) {
			m := sc.twoOn(5)
			if err := m.Unlock(sc.ctx); err != nil {
				sc.t.Fatal(err)
			}
			sc.rest(time.Second)
			sc.waiting.Go(func() { _ = m.Lock(sc.ctx) }) // the end of the scene ends it
			sc.rest(9 * time.Second)
		}},
	},
	{
		code: model.CodePredecessorClaim, reason: "a program that was killed comes back, and may take its old key for its own",
		severity: model.SevWarning, confidence: model.Hint, alternatives: []model.Code{model.CodeDeadHolder},
		found: part{words: "the holder dies and registers again with another lease", also: dying, played: func(sc *scene) {
			s := sc.lead("10.0.0.7:5678", 12)
			s.Orphan()
			sc.until("the old lease is late", late(s))
			sc.put(sc.name("nodes/7"), "10.0.0.7:5678", clientv3.WithLease(sc.session(12).Lease()))
		}},
		alike: part{words: "another program registers while the holder dies", also: dying, played: func(sc *scene) {
			s := sc.lead("10.0.0.7:5678", 12)
			s.Orphan()
			sc.until("the old lease is late", late(s))
			sc.put(sc.name("nodes/7"), "10.0.0.8:5678", clientv3.WithLease(sc.session(12).Lease()))
			sc.until("it ends", func(st *store.Store) bool { return st.Claim(sc.name("nodes/7")) != nil && st.Lock(sc.name("l")).Free() })
		}},
	},
	{
		code: model.CodePredecessorClaim, reason: "it may as well wait behind itself, and all wait for its old lease",
		severity: model.SevWarning, confidence: model.Hint, alternatives: []model.Code{model.CodeDeadHolder},
		found: part{words: "the holder dies and waits for the lock again", also: dying, played: func(sc *scene) {
			s := sc.lead("worker-7", 12)
			s.Orphan()
			sc.until("the old lease is late", late(s))
			next := sc.session(12)
			sc.waiting.Go(func() { _ = concurrency.NewElection(next, sc.name("l")).Campaign(sc.ctx, "worker-7") }) // the end of the scene ends it
		}},
		alike: part{words: "the holder's session dies, and its program has another one since before", also: dying, played: func(sc *scene) {
			own := sc.session(12)
			sc.put(sc.name("nodes/7"), "worker-7", clientv3.WithLease(own.Lease()))
			s := sc.lead("worker-7", 12)
			s.Orphan()
			sc.until("it ends", func(st *store.Store) bool { return st.Lock(sc.name("l")).Free() })
		}},
	},
}

// twoOn lets one session hold the lock of the scene while another one waits.
func (sc *scene) twoOn(ttl int) *concurrency.Mutex {
	sc.t.Helper()
	m := concurrency.NewMutex(sc.session(ttl), sc.name("l"))
	if err := m.Lock(sc.ctx); err != nil {
		sc.t.Fatal(err)
	}
	next := concurrency.NewMutex(sc.session(ttl), sc.name("l"))
	sc.waiting.Go(func() { _ = next.Lock(sc.ctx) }) // the end of the scene ends it
	sc.until("two are there", func(st *store.Store) bool { l := st.Lock(sc.name("l")); return l != nil && l.Len() == 2 })
	return m
}

// sessions campaigns that many times, each time with a session as next has it, and resigns.
func (sc *scene) sessions(n int, next func(int) *concurrency.Session, done func(*concurrency.Session)) {
	sc.t.Helper()
	for i := range n {
		s := next(i)
		e := concurrency.NewElection(s, sc.name("l"))
		if err := e.Campaign(sc.ctx, "10.0.0.7:5678"); err != nil {
			sc.t.Fatal(err)
		}
		if err := e.Resign(sc.ctx); err != nil {
			sc.t.Fatal(err)
		}
		sc.until("it is free, and told why", func(st *store.Store) bool {
			l := st.Lock(sc.name("l"))
			j := st.Journal()
			return l != nil && l.Free() && l.Handovers >= i && !j[len(j)-1].Pending
		})
		done(s)
	}
}

// dying is what is true of any holder that is not renewed any more.
var dying = []model.Code{model.CodeKeepaliveStalled, model.CodeDeadHolder}

// late says whether the lease of a session has missed a renewal.
func late(s *concurrency.Session) func(*store.Store) bool {
	return func(st *store.Store) bool {
		l := st.Lease(leaseOf(s))
		return l != nil && (l.State() == model.LeaseLate || l.State() == model.LeaseSilent)
	}
}

// lead lets a program of that name hold the lock of the scene, with a lease whose renewals are seen.
func (sc *scene) lead(name string, ttl int) *concurrency.Session {
	sc.t.Helper()
	s := sc.session(ttl)
	if err := concurrency.NewElection(s, sc.name("l")).Campaign(sc.ctx, name); err != nil {
		sc.t.Fatal(err)
	}
	sc.learned(leaseOf(s), 1)
	return s
}

// rest watches on for that long.
func (sc *scene) rest(d time.Duration) {
	sc.t.Helper()
	end := time.Now().Add(d)
	sc.until("it has rested", func(st *store.Store) bool { return st.Now().After(end) })
}

// kube puts a Lease of Kubernetes as the API server does, and waits until that is seen. The
// holder's clock is off by that much.
func (sc *scene) kube(holder string, seconds int, off time.Duration) {
	sc.t.Helper()
	key := sc.name("leases/kube-system/scheduler")
	sc.put(key, fmt.Sprintf(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","spec":{"holderIdentity":%q,"leaseDurationSeconds":%d,"renewTime":%q}}`,
		holder, seconds, time.Now().Add(off).UTC().Format("2006-01-02T15:04:05.000000Z")))
	r, err := sc.cli.Get(sc.ctx, key)
	if err != nil {
		sc.t.Fatal(err)
	}
	sc.until("the Lease is seen", func(st *store.Store) bool {
		c := st.Claim(key)
		return c != nil && c.ModRev >= r.Kvs[0].ModRevision
	})
}

// leadPD puts the key of PD's leader with a lease that is renewed. It names the leader of
// etcd, or the member that many places further on.
func (sc *scene) leadPD(off int) {
	sc.t.Helper()
	sc.prefix = "/pd/"
	sc.watch(sc.cluster.MemberEndpoints())
	sc.until("the members are known", func(st *store.Store) bool { return len(st.Cluster().Members) == 3 && st.Cluster().Leader().ID != 0 })
	members, leader := sc.s.Cluster().Members, sc.s.Cluster().Leader()
	at := 0
	for members[at].ID != leader.ID {
		at++
	}
	m := members[(at+off)%3]
	value := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), m.Name)
	value = protowire.AppendVarint(protowire.AppendTag(value, 2, protowire.VarintType), m.ID)
	value = protowire.AppendString(protowire.AppendTag(value, 4, protowire.BytesType), "http://10.0.0.1:2379")
	sc.put("/pd/7/leader", string(value), clientv3.WithLease(sc.session(5).Lease()))
}
