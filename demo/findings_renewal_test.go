package demo

import (
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3lock"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3lock/v3lockpb"

	"locktop/model"
	"locktop/model/store"
)

// stallCauses look like a stall from outside.
var stallCauses = []model.Code{model.CodeKeepaliveCancelled, model.CodeKeepaliveHalted, model.CodeHalfOpenTCP}

// renewalStories are about leases that are not renewed, or seem so.
var renewalStories = []story{
	{
		code: model.CodeDeadHolder, reason: "two renewals missed by a holder whose rhythm is known",
		severity: model.SevWarning, confidence: model.Strong, alternatives: stallCauses,
		found: part{words: "a holder that stops renewing", played: func(sc *scene) {
			sc.stopRenewing(12)
		}},
		alike: part{words: "a holder that missed one renewal and comes back", also: []model.Code{model.CodeKeepaliveStalled}, played: func(sc *scene) {
			s := sc.stopRenewing(12)
			sc.found(model.CodeKeepaliveStalled)
			sc.renewAgain(s)
			n := sc.s.Lease(leaseOf(s)).Renewals
			sc.learned(leaseOf(s), n+2)
		}},
	},
	{
		code: model.CodeDeadHolder, reason: "a client that was never seen to renew may have a rhythm of its own",
		severity: model.SevWarning, confidence: model.Hint, alternatives: stallCauses,
		found: part{words: "a claim that was never renewed", played: func(sc *scene) {
			lock, id := sc.name("l"), sc.grant(8)
			sc.put(claimOf(lock, id), "", withLease(id))
			sc.wait(sc.session(6), lock, 2)
		}},
		alike: part{words: "a lock that nobody is supposed to renew", played: func(sc *scene) {
			id := sc.grant(5)
			sc.put(sc.name("lock|||l"), "me", withLease(id))
			sc.queued(sc.name("lock|||l"), 1)
			sc.look(model.LeaseID(id))
			sc.until("its time is over", func(s *store.Store) bool { return s.Claim(sc.name("lock|||l")) == nil })
		}},
	},
	{
		code: model.CodeKeepaliveStalled, reason: "one renewal missed, measured by the rhythm that this client has",
		severity: model.SevWarning, confidence: model.Strong, alternatives: stallCauses,
		found: part{words: "a holder that is late", played: func(sc *scene) {
			sc.stopRenewing(9)
		}},
		alike: part{words: "a client that always renews just before the end, once that was seen twice", played: func(sc *scene) {
			sc.renewLate()
		}},
	},
	{
		code: model.CodeDeadWaiter, reason: "it will idle the lock at its turn",
		severity: model.SevWarning, confidence: model.Strong,
		alternatives: []model.Code{model.CodeLockOverrunsDeadline, model.CodeHalfOpenTCP},
		found: part{words: "a waiter that stops renewing", played: func(sc *scene) {
			_, waiter := sc.pair(9)
			waiter.Orphan()
		}},
		alike: part{words: "a waiter that waits and renews", played: func(sc *scene) {
			_, waiter := sc.pair(9)
			sc.learned(leaseOf(waiter), 3)
		}},
	},
	{
		code: model.CodeUnattendedLease, reason: "the lock service grants 60 s when it is asked without a lease",
		severity: model.SevWarning, confidence: model.Hint, alternatives: []model.Code{model.CodeDeadHolder},
		found: part{words: "a Lock request without a lease, and an owner who puts its key again", played: func(sc *scene) {
			key := sc.lockByService(0)
			sc.wait(sc.session(6), sc.name("l"), 2)
			sc.until("it is time for a renewal", func(st *store.Store) bool { return sc.heldFor(st) > 21*time.Second })
			sc.put(key, "", clientv3.WithIgnoreLease()) // its owner lives
		}},
		alike: part{words: "a Lock request with a lease of 60 s that is renewed", played: func(sc *scene) {
			s := sc.session(60)
			sc.lockByService(int64(s.Lease()))
			sc.wait(sc.session(6), sc.name("l"), 2)
			sc.until("it would have been found", func(st *store.Store) bool {
				return sc.heldFor(st) > 26*time.Second
			})
		}},
	},
}

// pair lets one session hold and one wait, both on the screen, until the rhythm of
// both is known.
func (sc *scene) pair(ttl int) (holder, waiter *concurrency.Session) {
	holder, waiter = sc.session(ttl), sc.session(ttl)
	sc.hold(holder, sc.name("l"))
	sc.wait(waiter, sc.name("l"), 2)
	sc.look(leaseOf(holder), leaseOf(waiter))
	sc.learned(leaseOf(holder), 1)
	sc.learned(leaseOf(waiter), 1)
	return holder, waiter
}

// stopRenewing lets a holder die whose rhythm is known, with a waiter behind it.
func (sc *scene) stopRenewing(ttl int) *concurrency.Session {
	s := sc.session(ttl)
	sc.hold(s, sc.name("l"))
	sc.wait(sc.session(ttl), sc.name("l"), 2)
	sc.learned(leaseOf(s), 1)
	s.Orphan()
	return s
}

// renewAgain renews the lease of a session that does not by itself any more.
func (sc *scene) renewAgain(s *concurrency.Session) {
	replies, err := sc.cli.KeepAlive(sc.ctx, s.Lease())
	if err != nil {
		sc.t.Fatal(err)
	}
	sc.waiting.Go(func() {
		for range replies { // the end of the scene ends it
		}
	})
}

// renewLate plays a client that renews when its lease is about to end, as
// etcd-cpp-apiv3 does. Before its rhythm is known it looks like a stall.
func (sc *scene) renewLate() {
	lock, id := sc.name("l"), sc.grant(7)
	lease := model.LeaseID(id)
	sc.put(claimOf(lock, id), "", withLease(id))
	sc.wait(sc.session(6), lock, 2)
	for i := range 4 {
		sc.muted = i < 2
		sc.until("its lease is about to end", func(s *store.Store) bool {
			l := s.Lease(lease)
			return l.HasRead && l.Read.Remaining <= 1
		})
		if _, err := sc.cli.KeepAliveOnce(sc.ctx, id); err != nil {
			sc.t.Fatal(err)
		}
		sc.learned(lease, i+1)
	}
}

// lockByService asks the server's own lock service for the lock, 0 for no lease. It
// is that of the embedded server, but with a client that can be closed: the server
// leaves the goroutines of its own behind.
func (sc *scene) lockByService(lease int64) string {
	r, err := v3lock.NewLockServer(sc.cli).Lock(sc.ctx, &v3lockpb.LockRequest{Name: []byte(sc.name("l")), Lease: lease})
	if err != nil {
		sc.t.Fatal(err)
	}
	return string(r.Key)
}
