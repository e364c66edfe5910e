package demo

import (
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/store"
)

// formStories are about keys that block a lock by their mere form.
var formStories = []story{
	{
		code: model.CodeOrphanKey, reason: "a home-made lock that forgot the lease",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "a claim written without a lease", played: func(sc *scene) {
			lock := sc.name("l")
			sc.put(claimOf(lock, sc.grant(60)), "")
			sc.wait(sc.session(6), lock, 2)
		}},
		alike: part{words: "the same key with its lease", played: func(sc *scene) {
			lock, s := sc.name("l"), sc.session(6)
			sc.put(claimOf(lock, s.Lease()), "", clientv3.WithLease(s.Lease()))
			sc.wait(sc.session(6), lock, 2)
			sc.goesOn(leaseOf(s), 3)
		}},
	},
	{
		code: model.CodeOrphanKey, reason: "the key must block somebody, or it is only data",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "a queue of free names with one key that has no lease", played: func(sc *scene) {
			lock := sc.name("lock/l")
			sc.put(lock+"/7d444840-9dc0-11d1-b245-5ffdce74fad1", "")
			sc.put(lock+"/7d444840-9dc0-11d1-b245-5ffdce74fad2", "", clientv3.WithLease(sc.session(6).Lease()))
		}},
		alike: part{words: "a key without a lease that nobody waits for", played: func(sc *scene) {
			s := sc.session(6)
			sc.put(claimOf(sc.name("lock/l"), sc.grant(60)), "")
			sc.hold(s, sc.name("lock/other"))
			sc.goesOn(leaseOf(s), 1)
		}},
	},
	{
		code: model.CodeLeaseDetached, reason: "a status put without the lease",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "a plain put on the held key", played: func(sc *scene) {
			lock, s := sc.name("l"), sc.session(6)
			m := sc.hold(s, lock)
			sc.wait(sc.session(6), lock, 2)
			sc.put(m.Key(), "status")
		}},
		alike: part{words: "the same put with IgnoreLease", played: func(sc *scene) {
			lock, s := sc.name("l"), sc.session(6)
			m := sc.hold(s, lock)
			sc.wait(sc.session(6), lock, 2)
			sc.put(m.Key(), "status", clientv3.WithIgnoreLease())
			sc.until("the put is seen", func(st *store.Store) bool { return st.Claim(m.Key()).Version == 2 })
			sc.goesOn(leaseOf(s), 2)
		}},
	},
	{
		code: model.CodeForeignKey, reason: "data that was there before the first claim",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "data under the lock's name", played: func(sc *scene) {
			lock := sc.name("l")
			sc.put(lock+"/config", "x=1")
			sc.wait(sc.session(6), lock, 2)
		}},
		alike: part{words: "data beside the lock's name", played: func(sc *scene) {
			lock, s := sc.name("l"), sc.session(6)
			sc.put(lock+"-config", "x=1")
			sc.put(lock+"2/config", "x=1")
			sc.hold(s, lock)
			sc.wait(sc.session(6), lock, 2)
			sc.goesOn(leaseOf(s), 2)
		}},
	},
	{
		code: model.CodeForeignKey, reason: "not yet first: it will block later, which is no error yet",
		severity: model.SevWarning, confidence: model.Certain,
		found: part{words: "data in the middle of the queue", played: func(sc *scene) {
			lock := sc.name("l")
			sc.hold(sc.session(6), lock)
			sc.put(lock+"/config", "x=1")
			sc.wait(sc.session(6), lock, 3)
		}},
		alike: part{words: "data behind every claim", played: func(sc *scene) {
			lock, s := sc.name("l"), sc.session(6)
			sc.hold(s, lock)
			sc.wait(sc.session(6), lock, 2)
			sc.put(lock+"/config", "x=1")
			sc.queued(lock, 3)
			sc.goesOn(leaseOf(s), 2)
		}},
	},
	{
		code: model.CodeNestedPrefix, reason: "a lock whose name is a path above another's",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "the upper lock asked for while the lower one is held", played: func(sc *scene) {
			sc.hold(sc.session(6), sc.name("a/b"))
			sc.wait(sc.session(6), sc.name("a"), 2)
		}},
		alike: part{words: "the other way round, where nobody waits", played: func(sc *scene) {
			s := sc.session(6)
			sc.hold(s, sc.name("a"))
			sc.hold(sc.session(6), sc.name("a/b"))
			sc.queued(sc.name("a"), 2)
			sc.goesOn(leaseOf(s), 2)
		}},
	},
}
