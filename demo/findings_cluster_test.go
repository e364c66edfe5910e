package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/server/v3/storage/mvcc"

	"locktop/demo/cluster"
	"locktop/model"
	"locktop/model/store"
)

type sessionOf = *concurrency.Session

// clusterStories need a cluster that they may harm.
var clusterStories = []story{
	{
		code: model.CodeTTLReset, on: threeMembers, reason: "a dead holder gets a fresh term from a new leader",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "the leader moves while a lease is not renewed", played: func(sc *scene) {
			sc.stopRenewing(9)
			sc.found(model.CodeKeepaliveStalled)
			sc.moveLeader()
		}},
		alike: part{words: "the leader moves while all leases are renewed", played: func(sc *scene) {
			holder, waiter := sc.pair(9)
			term := sc.s.Lease(leaseOf(holder)).Read.Term
			sc.moveLeader()
			sc.until("a reading of the new term", func(s *store.Store) bool { return s.Lease(leaseOf(holder)).Read.Term > term })
			sc.learned(leaseOf(holder), sc.s.Lease(leaseOf(holder)).Renewals+2)
			sc.learned(leaseOf(waiter), sc.s.Lease(leaseOf(waiter)).Renewals+1)
		}},
	},
	{
		code: model.CodeNoQuorum, on: threeMembers, reason: "nothing moves any more", severity: model.SevError, confidence: model.Strong,
		found: part{words: "two of three members stopped", played: func(sc *scene) {
			sc.hold(sc.session(9), sc.name("l"))
			sc.stop(sc.follower())
			sc.stop(sc.leader())
		}},
		alike: part{words: "one of three members stopped", played: func(sc *scene) {
			s := sc.session(9)
			sc.hold(s, sc.name("l"))
			sc.stop(sc.follower())
			sc.statusRounds(3, func(c model.ClusterStatus) bool { return c.Up() == 2 })
			sc.goesOn(leaseOf(s), 1)
		}},
	},
	{
		code: model.CodeNoSpace, on: smallQuota, reason: "nobody new gets in", severity: model.SevError, confidence: model.Certain,
		found: part{words: "a database filled up", played: func(sc *scene) {
			sc.hold(sc.session(9), sc.name("l"))
			if err := sc.fill(2000); !errors.Is(err, rpctypes.ErrNoSpace) {
				sc.t.Fatalf("the quota did not stop it: %v", err)
			}
		}},
		alike: part{words: "a database half full", played: func(sc *scene) {
			sc.hold(sc.session(9), sc.name("l"))
			if err := sc.fill(8); err != nil {
				sc.t.Fatal(err)
			}
			sc.statusRounds(3, func(c model.ClusterStatus) bool { return c.Up() == 1 })
		}},
	},
	{
		code: model.CodePinnedBadMember, on: threeMembers, reason: "clients that stick to a member which is cut off",
		severity: model.SevInfo, confidence: model.Hint,
		found: part{words: "a member cut off with its clients", played: func(sc *scene) {
			cut := sc.follower()
			// Not through the one that will be cut off: a client asks its members in turn,
			// and a third of the readings would be refused.
			sc.watch(slices.DeleteFunc(sc.cluster.MemberEndpoints(), func(ep string) bool { return ep == cut.Endpoint }))
			for _, m := range sc.cluster.Inside() {
				sc.holdersOn(m, 6) // nobody asks the one that is cut off how it does, so one program that died looks the same
			}
			sc.cut(cut)
		}, also: []model.Code{model.CodeKeepaliveStalled, model.CodeDeadHolder}},
		alike: part{words: "as many clients dead, one of each member", played: func(sc *scene) {
			var dead []sessionOf
			for _, m := range sc.cluster.Inside() {
				dead = append(dead, sc.holdersOn(m, 3)[0])
			}
			for _, s := range dead {
				s.Orphan()
			}
			stalled := func(s *store.Store) bool {
				return !slices.ContainsFunc(dead, func(d sessionOf) bool {
					l := s.Lease(leaseOf(d))
					return l == nil || l.State() != model.LeaseLate && l.State() != model.LeaseSilent
				})
			}
			sc.until("all three stall", stalled)
			sc.statusRounds(2, func(model.ClusterStatus) bool { return stalled(sc.s) })
		}, also: []model.Code{model.CodeKeepaliveStalled, model.CodeDeadHolder}},
	},
}

// harmStories are of clusters that do harm to their clients.
var harmStories = []story{
	{
		code: model.CodeMemberDivergence, on: threeMembers, reason: "who holds depends on whom one asks",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "a key that only one member has lost", played: func(sc *scene) {
			m := sc.hold(sc.session(9), sc.name("l"))
			kv := sc.follower().Server.KV()
			sc.until("the follower has the key", func(*store.Store) bool { // it may lag
				r, err := kv.Range(sc.ctx, []byte(m.Key()), nil, mvcc.RangeOptions{})
				return err == nil && len(r.KVs) == 1
			})
			tx := kv.Write(nil)
			tx.DeleteRange([]byte(m.Key()), nil)
			tx.End()
			for range 3 { // which it can only tell at a revision that all of them have
				sc.put(sc.name("data"), "x")
			}
		}},
		alike: part{words: "a member that lags behind", played: func(sc *scene) {
			sc.hold(sc.session(9), sc.name("l"))
			lags := sc.follower()
			lead := sc.dial(sc.leader())
			sc.cut(lags)
			for i := range 20 {
				// Through the leader: the one that is cut off would not answer.
				if _, err := lead.Put(sc.ctx, sc.name(fmt.Sprint("data", i)), "x"); err != nil {
					sc.t.Fatal(err)
				}
			}
			sc.statusRounds(3, func(c model.ClusterStatus) bool {
				n := 0
				for _, m := range c.Members {
					if m.KeysRev > 0 {
						n++
					}
				}
				return n == 3
			})
		}},
	},
	{
		code: model.CodeKeepaliveHalted, on: threeMembers, reason: "a client whose loop ended at a change of the leader",
		severity: model.SevWarning, confidence: model.Hint, alternatives: []model.Code{model.CodeDeadHolder, model.CodeHalfOpenTCP},
		found: part{words: "one of four holders renews no more after the leader moved", also: []model.Code{model.CodeKeepaliveStalled, model.CodeDeadHolder}, played: func(sc *scene) {
			sc.fourThroughAMove(func(s sessionOf) { s.Orphan() }, func(sessionOf) {})
		}},
		alike: part{words: "one that renewed after the move, and stopped then", also: []model.Code{model.CodeKeepaliveStalled, model.CodeDeadHolder},
			played: func(sc *scene) {
				sc.fourThroughAMove(func(sessionOf) {}, func(s sessionOf) {
					sc.learned(leaseOf(s), sc.s.Lease(leaseOf(s)).Renewals+2)
					s.Orphan()
					sc.found(model.CodeDeadHolder)
				})
			}},
	},
	{
		code: model.CodeZombieCandidate, reason: "a client sits in Lock with a dead session, which etcd does not know",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "the lease of a waiter revoked, three declared", played: func(sc *scene) {
			sc.revoke(sc.threeDeclared())
		}},
		alike: part{words: "a waiter that comes back at once", played: func(sc *scene) {
			sc.revoke(sc.threeDeclared())
			sc.queued(sc.name("l"), 2)
			sc.wait(sc.session(9), sc.name("l"), 3)
			begun := sc.s.Now()
			sc.until("it would have been found", func(s *store.Store) bool { return s.Now().Sub(begun) > 12*time.Second })
		}},
	},
}

// fourThroughAMove lets four sessions hold a lock each and moves the leader. One of
// them is handed out just before the new leader is noticed, and again after it.
func (sc *scene) fourThroughAMove(before, after func(sessionOf)) {
	var all []sessionOf
	for i := range 4 {
		s := sc.session(20) // what is found is found of its last third, and a busy machine has to see it
		sc.hold(s, sc.name(fmt.Sprint("l", i)))
		sc.look(leaseOf(s))
		all = append(all, s)
	}
	for _, s := range all {
		sc.learned(leaseOf(s), 1)
	}
	one := leaseOf(all[0])
	term := sc.s.Lease(one).Read.Term
	before(all[0])
	// The new term shows only in a lease that has some seconds behind it.
	sc.until("the last reading is some seconds old", func(s *store.Store) bool {
		return s.Now().Sub(s.Lease(one).Read.At) > 2500*time.Millisecond
	})
	sc.moveLeader()
	sc.until("a reading of the new term", func(s *store.Store) bool { return s.Lease(one).Read.Term > term })
	after(all[0])
}

// threeDeclared lets three sessions queue for a lock for which three are declared,
// and returns the one in the middle.
func (sc *scene) threeDeclared() (middle sessionOf) {
	lock := sc.name("l")
	sc.watch(sc.cluster.MemberEndpoints(), model.Pin{Prefix: lock, Expect: 3})
	middle = sc.session(9)
	sc.hold(sc.session(9), lock)
	sc.wait(middle, lock, 2)
	sc.wait(sc.session(9), lock, 3)
	return middle
}

func (sc *scene) revoke(s sessionOf) {
	sc.t.Helper()
	if _, err := sc.cli.Revoke(sc.ctx, s.Lease()); err != nil {
		sc.t.Fatal(err)
	}
}

// cut takes a member off the others, both ways. Clients still reach it.
func (sc *scene) cut(off cluster.Inside) {
	for _, m := range sc.cluster.Inside() {
		if m.Name != off.Name {
			m.Server.CutPeer(off.Server.MemberID())
			off.Server.CutPeer(m.Server.MemberID())
		}
	}
}

// dial connects to one member, until the scene ends.
func (sc *scene) dial(m cluster.Inside) *clientv3.Client {
	cli := dialQuietly(sc.t, m.Endpoint)
	sc.t.Cleanup(func() { cli.Close() })
	return cli
}

func (sc *scene) leader() cluster.Inside {
	for _, m := range sc.cluster.Inside() {
		if m.Server.Leader() == m.Server.MemberID() {
			return m
		}
	}
	sc.t.Fatal("no leader")
	return cluster.Inside{}
}

func (sc *scene) follower() cluster.Inside {
	lead := sc.leader()
	for _, m := range sc.cluster.Inside() {
		if m.Name != lead.Name {
			return m
		}
	}
	return cluster.Inside{}
}

func (sc *scene) moveLeader() {
	from, to := sc.leader(), sc.follower()
	ctx, cancel := context.WithTimeout(sc.ctx, 10*time.Second)
	defer cancel()
	err := from.Server.MoveLeader(ctx, uint64(from.Server.MemberID()), uint64(to.Server.MemberID()))
	if err != nil {
		sc.t.Fatal(err)
	}
}

// stop ends a member as if its machine had gone.
func (sc *scene) stop(m cluster.Inside) {
	m.Vanish()
}

// statusRounds waits for n rounds of status requests of which ok.
func (sc *scene) statusRounds(n int, ok func(model.ClusterStatus) bool) {
	last := sc.s.Cluster().At
	sc.until(fmt.Sprint(n, " more rounds of status"), func(s *store.Store) bool {
		if c := s.Cluster(); c.At.After(last) && ok(c) {
			last, n = c.At, n-1
		}
		return n <= 0
	})
}

// holdersOn lets n programs hold a lock each, connected to one member, and puts them on
// the screen until their rhythm is known.
func (sc *scene) holdersOn(m cluster.Inside, n int) (sessions []sessionOf) {
	cli := sc.dial(m)
	for i := range n {
		s := sc.sessionAt(cli, 24)
		sc.hold(s, sc.name(fmt.Sprint(m.Name, "-", i)))
		sc.look(leaseOf(s))
		sessions = append(sessions, s)
	}
	for _, s := range sessions {
		sc.learned(leaseOf(s), 1)
	}
	return sessions
}

// fill writes n values of 128 KiB, as far as they go in.
func (sc *scene) fill(n int) error {
	value := strings.Repeat("x", 128<<10)
	for i := range n {
		if _, err := sc.cli.Put(sc.ctx, sc.name(fmt.Sprint("data", i)), value); err != nil {
			return err
		}
	}
	return nil
}

// quotaCluster is one member that is full after 4 MiB, as soon as it has written them
// to its file, which it does ten times a second.
func quotaCluster(t *testing.T) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Start(t.Context(), cluster.Options{Members: 1, Dir: t.TempDir(), Quota: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
