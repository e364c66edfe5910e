package demo

import (
	"time"

	"locktop/model"
	"locktop/model/store"
)

// strainStories are of a cluster that serves locks late, in part, or not for long any more. They are
// told: that a disk is slow, a leader stalls or a database grows takes minutes.
var strainStories = []story{
	{
		code: model.CodeSlowCluster, on: recorded, reason: "a leader that stands still for most of each second is no leader that is gone",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "a leader that stalls again and again", told: func(ta *tale) {
			ta.crowd(3, 60)
			ta.answers(slowLeader, fast)
		}},
		alike: part{words: "one slow request", told: func(ta *tale) {
			ta.crowd(3, 60)
			ta.answers(model.Answers{Asked: 20, Usual: 3 * time.Millisecond, Longest: 2 * time.Second, Slow: 1}, fast)
		}},
	},
	{
		code: model.CodeSlowCluster, on: recorded, reason: "an election makes all requests of its moment late",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "a cluster that agrees slowly for 10 s", told: func(ta *tale) {
			ta.answers(model.Answers{Asked: 14, Failed: 4, Usual: 400 * time.Millisecond, Longest: time.Second, Slow: 6, SlowFor: 10 * time.Second}, fast)
		}},
		alike: part{words: "one election", told: func(ta *tale) {
			ta.answers(model.Answers{Asked: 14, Failed: 4, Usual: 3 * time.Millisecond, Longest: 2 * time.Second, Slow: 6, SlowFor: 3 * time.Second}, fast)
			ta.elect("m2")
			ta.answers(model.Answers{Asked: 14, Failed: 4, Usual: 3 * time.Millisecond, Longest: 2 * time.Second, Slow: 6, SlowFor: 3 * time.Second}, fast)
		}},
	},
	{
		code: model.CodeSlowCluster, on: recorded, reason: "where every answer is late the way there may be slow",
		severity: model.SevInfo, confidence: model.Hint,
		found: part{words: "no member answers fast", told: func(ta *tale) {
			ta.answers(slowLeader, slowLeader)
		}},
		alike: part{words: "a long way: every answer takes as long as the fastest", told: func(ta *tale) {
			far := model.Answers{Asked: 20, Usual: 400 * time.Millisecond, Longest: 450 * time.Millisecond}
			ta.answers(far, far)
		}},
	},
	{
		code: model.CodeLeaderChanges, on: recorded, reason: "each new leader starts every lease anew",
		severity: model.SevWarning, confidence: model.Certain,
		found: part{words: "four leaders within half a minute", told: func(ta *tale) {
			ta.crowd(12, 60)
			ta.leaders(10*time.Second, "m2", "m3", "m1", "m2")
		}},
		alike: part{words: "one change of the leader", told: func(ta *tale) {
			ta.crowd(12, 60)
			ta.leaders(10*time.Second, "m2")
		}},
	},
	{
		code: model.CodeLeaderChanges, on: recorded, reason: "an upgrade restarts one member after the other",
		severity: model.SevWarning, confidence: model.Certain,
		found: part{words: "a leader that is elected anew each minute", told: func(ta *tale) {
			ta.crowd(2, 600)
			ta.leaders(time.Minute, "m1", "m1", "m1")
		}},
		alike: part{words: "two changes in an upgrade", told: func(ta *tale) {
			ta.crowd(2, 600)
			ta.leaders(time.Minute, "m2", "m3")
		}},
	},
	{
		code: model.CodeLowSpace, on: recorded, reason: "before the alarm there is time to act",
		severity: model.SevWarning, confidence: model.Certain,
		found: part{words: "a database of 85 % of a quota that it tells", told: func(ta *tale) {
			ta.databases("3.6.1", 8<<30, 68*8<<30/80)
		}},
		alike: part{words: "a database at half of its quota", told: func(ta *tale) {
			ta.databases("3.6.1", 8<<30, 4<<30)
		}},
	},
	{
		code: model.CodeLowSpace, on: recorded, reason: "old servers do not tell their quota",
		severity: model.SevWarning, confidence: model.Hint,
		found: part{words: "1.9 GiB on a server that tells no quota", told: func(ta *tale) {
			ta.databases("3.5.21", 0, 19<<30/10)
		}},
		alike: part{words: "5 GiB on such a server: its quota is another", told: func(ta *tale) {
			ta.databases("3.5.21", 0, 5<<30)
		}},
	},
	{
		code: model.CodeCorrupt, on: recorded, reason: "nothing is written, and renewals go on",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "the alarm CORRUPT", told: func(ta *tale) {
			ta.crowd(2, 60)
			ta.statusOf("3.5.1", func(c *model.ClusterStatus) { c.Alarms = []string{"CORRUPT on m2"} })
		}},
		alike: part{words: "an alarm that is over", told: func(ta *tale) {
			ta.crowd(2, 60)
			ta.status("3.5.1")
		}},
	},
}

// slowStories are the same on real members.
var slowStories = []story{
	{
		code: model.CodeSlowCluster, on: threeMembers, reason: "a leader that the others reach late, on real members",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "what the others send to the leader takes 0.5 s", played: func(sc *scene) {
			sc.slowLeader(500 * time.Millisecond)
		}},
		alike: part{words: "what the others send to the leader takes 50 ms", played: func(sc *scene) {
			sc.slowLeader(50 * time.Millisecond)
			sc.statusRounds(14, func(c model.ClusterStatus) bool { return c.Agreed.Answered() > 0 })
		}},
	},
	{
		code: model.CodeLeaderChanges, on: threeMembers, reason: "real members elect",
		severity: model.SevWarning, confidence: model.Certain,
		found: part{words: "a leader moved three times", played: func(sc *scene) {
			sc.hold(sc.session(60), sc.name("l"))
			for range 3 {
				sc.moveLeaderAndSeeIt()
			}
		}},
		alike: part{words: "a leader moved once", played: func(sc *scene) {
			sc.hold(sc.session(60), sc.name("l"))
			sc.moveLeaderAndSeeIt()
			sc.statusRounds(2, func(model.ClusterStatus) bool { return true })
		}},
	},
}

// slowLeader makes what the others send to the leader late.
func (sc *scene) slowLeader(by time.Duration) {
	sc.hold(sc.session(60), sc.name("l"))
	if err := sc.cluster.Slow(sc.leader().Name, by); err != nil {
		sc.t.Fatal(err)
	}
}

// moveLeaderAndSeeIt moves the leader, and waits until a round of status tells.
func (sc *scene) moveLeaderAndSeeIt() {
	sc.until("a term is known", func(s *store.Store) bool { return s.Cluster().Term() > 0 })
	term := sc.s.Cluster().Term()
	sc.moveLeader()
	sc.until("the term of the new leader", func(s *store.Store) bool { return s.Cluster().Term() > term })
}

// waitingStories are of those who wait: in vain, in a queue that grows, or not at all.
var waitingStories = []story{
	{
		code: model.CodeStarvingWaiter, on: recorded, reason: "each time it gives up it goes to the end of the queue",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "a waiter that gives up four times while others get the lock", told: func(ta *tale) {
			ta.givesUp(4, true)
		}},
		alike: part{words: "a waiter that gives up twice and then gets it, again and again", told: func(ta *tale) {
			ta.givesUp(2, true)
			ta.getsIt()
			ta.givesUp(2, true)
			ta.getsIt()
		}},
	},
	{
		code: model.CodeStarvingWaiter, on: recorded, reason: "a standby that looks in vain whether the leader is gone waits its turn",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "a candidate with a name that comes with a new session each time", told: func(ta *tale) {
			ta.candidate(4)
		}},
		alike: part{words: "a waiter that gives up as often while one holder keeps the lock", told: func(ta *tale) {
			ta.givesUp(4, false)
		}},
	},
	{
		code: model.CodeGrowingQueue, on: recorded, reason: "more come than the lock can serve",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "a queue that grows for three minutes, after five in which it did not", told: func(ta *tale) {
			ta.traffic(30, 1, 1)
			ta.traffic(18, 3, 2)
		}},
		alike: part{words: "a burst that is served", told: func(ta *tale) {
			ta.traffic(30, 1, 1)
			ta.traffic(6, 4, 1)
			ta.traffic(18, 1, 2)
		}},
	},
	{
		code: model.CodeGrowingQueue, on: recorded, reason: "a queue that has grown as long before is as usual",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "a queue that grows for longer than in its rush before", told: func(ta *tale) {
			ta.traffic(13, 3, 2)
			ta.traffic(30, 1, 2)
			ta.traffic(18, 3, 2)
		}},
		alike: part{words: "the same rush again", told: func(ta *tale) {
			ta.traffic(15, 3, 2)
			ta.traffic(30, 1, 2)
			ta.traffic(14, 3, 2)
		}},
	},
	{
		code: model.CodeNobodyHolds, on: oneMember, reason: "a service that nobody leads",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "the only holder gone, two contenders declared", played: func(sc *scene) {
			sc.revoke(sc.declared(2))
		}},
		alike: part{words: "another one that takes the lock within seconds", also: []model.Code{model.CodeZombieCandidate}, played: func(sc *scene) {
			sc.revoke(sc.declared(2))
			sc.queued(sc.name("l"), 0)
			sc.hold(sc.session(9), sc.name("l"))
			begun := sc.s.Now()
			sc.until("it would have been found", func(s *store.Store) bool { return s.Now().Sub(begun) > 12*time.Second })
		}},
	},
	{
		code: model.CodeNobodyHolds, on: oneMember, reason: "a lock that never was",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "contenders declared for a lock that nobody ever took", played: func(sc *scene) {
			sc.watch(sc.cluster.MemberEndpoints(), model.Pin{Prefix: sc.name("l"), Expect: 2})
		}},
		alike: part{words: "a lock that nobody took, and for which nobody is declared", played: func(sc *scene) {
			sc.hold(sc.session(9), sc.name("other"))
			begun := sc.s.Now()
			sc.until("it would have been found", func(s *store.Store) bool { return s.Now().Sub(begun) > 12*time.Second })
		}},
	},
}

// Answers of members.
var (
	fast       = model.Answers{Asked: 6, Usual: 2 * time.Millisecond, Longest: 5 * time.Millisecond}
	slowLeader = model.Answers{Asked: 20, Usual: 420 * time.Millisecond, Longest: 900 * time.Millisecond, Slow: 11, SlowFor: 25 * time.Second}
)

// answers is a round in which requests to the leader and to each member were answered like that.
func (ta *tale) answers(agreed, own model.Answers) {
	ta.statusOf("3.6.1", func(c *model.ClusterStatus) {
		c.Agreed = agreed
		for i := range c.Members {
			if c.Members[i].Answers = own; c.Members[i].Leader {
				c.Members[i].Answers = slowLeader
			}
		}
	})
	ta.after(5 * time.Second)
}

// leaders lets one after another lead, each for that long.
func (ta *tale) leaders(each time.Duration, names ...string) {
	ta.status("3.6.1")
	for _, name := range names {
		ta.after(each)
		ta.elect(name)
		ta.status("3.6.1")
	}
}

// databases is a round in which the first member has a database of that size.
func (ta *tale) databases(version string, quota, size int64) {
	ta.statusOf(version, func(c *model.ClusterStatus) {
		for i := range c.Members {
			c.Members[i].DBQuota, c.Members[i].DBSize, c.Members[i].DBUsed = quota, 1<<20, 1<<20
		}
		c.Members[0].DBSize = size
	})
}

// declared takes a lock for which n contenders are declared.
func (sc *scene) declared(n int) (holder sessionOf) {
	lock := sc.name("l")
	sc.watch(sc.cluster.MemberEndpoints(), model.Pin{Prefix: lock, Expect: n})
	holder = sc.session(9)
	sc.hold(holder, lock)
	sc.queued(lock, 1)
	return holder
}

// givesUp lets a waiter give up n times after two seconds each, behind one that always waits, and come
// again; in between the lock changes hands, or not.
func (ta *tale) givesUp(n int, moves bool) {
	const waiter = 0xb2
	ta.holder()
	for range n {
		ta.claim("/lock", waiter)
		ta.read(waiter, 60, 59)
		ta.after(2 * time.Second)
		ta.leave("/lock", waiter)
		ta.after(time.Second)
		if moves {
			ta.handOver()
		}
	}
	ta.claim("/lock", waiter)
	ta.after(time.Second)
}

// candidate is the same with the name of who waits as the value of its key, and another lease each time.
func (ta *tale) candidate(n int) {
	ta.holder()
	for i := range n {
		lease := model.LeaseID(0xb00 + i)
		ta.put("/lock/"+lease.String(), "api-7:4000", lease)
		ta.after(2 * time.Second)
		ta.leave("/lock", lease)
		ta.after(time.Second)
		ta.handOver()
	}
}

// getsIt lets the waiter have the lock, and let it go.
func (ta *tale) getsIt() {
	for len(ta.line) > 0 {
		ta.serve()
	}
	ta.leave("/lock", 0xb2)
}

// holder makes sure that the lock is held, and that one waits.
func (ta *tale) holder() {
	for len(ta.line) < 2 {
		ta.joins()
	}
}

// joins puts a new claim at the end of the queue.
func (ta *tale) joins() {
	ta.next++
	id := model.LeaseID(0xc00 + ta.next)
	ta.claim("/lock", id)
	ta.read(id, 60, 59)
	ta.line = append(ta.line, id)
}

// handOver lets the first one go, and another one come.
func (ta *tale) handOver() {
	ta.serve()
	ta.holder()
}

// serve lets the first one go.
func (ta *tale) serve() {
	ta.leave("/lock", ta.line[0])
	ta.line = ta.line[1:]
	ta.after(100 * time.Millisecond)
}

// leave deletes one claim.
func (ta *tale) leave(lock string, lease model.LeaseID) {
	ta.rev++
	key := lock + "/" + lease.String()
	delete(ta.keys, key)
	ta.tell(model.Committed{At: ta.now, Rev: ta.rev, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: key, ModRev: ta.rev}}}})
}

// traffic lets, in each of so many times ten seconds, so many come and so many be served.
func (ta *tale) traffic(whiles, come, served int) {
	for len(ta.line) < 8 {
		ta.joins()
	}
	for range whiles {
		for range come {
			ta.joins()
		}
		for range min(served, len(ta.line)-7) {
			ta.serve()
		}
		ta.after(10*time.Second + 100*time.Millisecond)
		for _, id := range ta.line {
			ta.read(id, 60, 59)
		}
	}
}
