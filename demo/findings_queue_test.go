package demo

import (
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/store"
)

func withLease(id clientv3.LeaseID) clientv3.OpOption { return clientv3.WithLease(id) }

// queueStories are about sessions that renew, and about beliefs.
var queueStories = []story{
	{
		code: model.CodeLockCycle, reason: "two that wait for each other", severity: model.SevError, confidence: model.Strong,
		found: part{words: "two sessions in opposite order", played: func(sc *scene) {
			sc.cycle(2)
		}},
		alike: part{words: "the same sessions in the same order", played: func(sc *scene) {
			sc.chain(2)
		}},
	},
	{
		code: model.CodeLockCycle, reason: "a cycle may be of any size", severity: model.SevError, confidence: model.Strong,
		found: part{words: "three sessions in a cycle", played: func(sc *scene) {
			sc.cycle(3)
		}},
		alike: part{words: "the same three in a chain", played: func(sc *scene) {
			sc.chain(3)
		}},
	},
	{
		code: model.CodeSharedLease, reason: "a revoke would break both", severity: model.SevInfo, confidence: model.Certain,
		found: part{words: "one session with two locks", played: func(sc *scene) {
			s := sc.session(6)
			sc.hold(s, sc.name("a"))
			sc.hold(s, sc.name("b"))
		}},
		alike: part{words: "a session each, one of them with a registration besides", played: func(sc *scene) {
			s, o := sc.session(6), sc.session(6)
			sc.hold(s, sc.name("a"))
			sc.put(sc.name("members/me"), "10.0.0.1", withLease(s.Lease()))
			sc.hold(o, sc.name("b"))
			sc.look(leaseOf(s), leaseOf(o))
			sc.goesOn(leaseOf(s), 2)
			sc.goesOn(leaseOf(o), 2)
		}},
	},
	{
		code: model.CodeLongHeld, reason: "a renewing holder that is not usual", severity: model.SevWarning, confidence: model.Hint,
		alternatives: []model.Code{model.CodeZombieHolder, model.CodeUnlockLost, model.CodeGhostWaiter,
			model.CodeMissedDelete, model.CodeForeignKeepalive},
		found: part{words: "half a minute after ten short holds", played: func(sc *scene) {
			sc.holdLong(10)
		}},
		alike: part{words: "half a minute after nine: no history to compare with", played: func(sc *scene) {
			sc.holdLong(9)
			sc.until("it holds as long", func(s *store.Store) bool {
				return sc.heldFor(s) > 32*time.Second
			})
		}},
	},
	{
		code: model.CodeLongQueue, reason: "the last one waits very long", severity: model.SevInfo, confidence: model.Certain,
		found: part{words: "a hundred behind the holder", played: func(sc *scene) {
			sc.crowd(101)
		}},
		alike: part{words: "ninety-nine behind the holder", played: func(sc *scene) {
			sc.crowd(100)
			sc.queued(sc.name("l"), 100)
		}},
	},
	{
		code: model.CodeStaleHolder, on: labStage, reason: "etcd has one owner, but two believe",
		severity: model.SevError, confidence: model.Strong,
		found: part{words: "a holder paused for longer than its TTL", played: func(sc *scene) {
			who := sc.believer()
			sc.do(pauseOf(who))
			sc.until("the other one holds", func(*store.Store) bool {
				return sc.contender(other(who)).Belief.State == model.BeliefHolding
			})
		}, also: []model.Code{model.CodeKeepaliveStalled, model.CodeDeadHolder}},
		alike: part{words: "a holder paused for a moment", also: []model.Code{model.CodeKeepaliveStalled}, played: func(sc *scene) {
			who := sc.believer()
			sc.do(pauseOf(who))
			lease := sc.contender(who).Lease
			sc.goesOn(lease, 2)
			sc.do(heal(model.FaultPause, who))
			sc.learned(lease, sc.s.Lease(lease).Renewals+2)
		}},
	},
}

// cycle lets n sessions hold a lock each and wait for the next one's.
func (sc *scene) cycle(n int) {
	lock := func(i int) string { return sc.name(fmt.Sprint("l", i%n)) }
	sessions := make([]sessionOf, n)
	for i := range n {
		sessions[i] = sc.session(6)
		sc.hold(sessions[i], lock(i))
	}
	for i := range n {
		sc.wait(sessions[i], lock(i+1), 2)
	}
}

// chain is the same without the arrow that closes the cycle: the last one has
// taken its locks in the order of the others.
func (sc *scene) chain(n int) {
	lock := func(i int) string { return sc.name(fmt.Sprint("l", i)) }
	sessions := make([]sessionOf, n)
	for i := range n {
		sessions[i] = sc.session(6)
		sc.hold(sessions[i], lock(i))
	}
	for i := range n - 1 {
		sc.wait(sessions[i], lock(i+1), 2)
	}
	sc.hold(sessions[n-1], lock(n))
	sc.queued(lock(n), 1)
	sc.goesOn(leaseOf(sessions[n-1]), 2)
}

// holdLong takes a lock for n short holds and once more for good, with a waiter.
func (sc *scene) holdLong(n int) {
	lock, s := sc.name("l"), sc.session(9)
	for i := range n {
		m := sc.hold(s, lock)
		sc.queued(lock, 1)
		if err := m.Unlock(sc.ctx); err != nil {
			sc.t.Fatal(err)
		}
		sc.until("the hold is counted", func(st *store.Store) bool { return st.Lock(lock) != nil && st.Lock(lock).Stats().Holds == i+1 })
	}
	sc.hold(s, lock)
	sc.wait(sc.session(9), lock, 2)
}

// crowd puts n claims on a lock, each with a lease of its own.
func (sc *scene) crowd(n int) {
	for range n {
		id := sc.grant(300)
		sc.put(claimOf(sc.name("l"), id), "", withLease(id))
	}
}
