package demo

import (
	"time"

	"locktop/demo/contender"
	"locktop/model"
)

// proxyStories are told as the proxy and the contenders report them. Each neighbour is
// the same with the one report that makes it harmless.
var proxyStories = []story{
	{
		code: model.CodeGhostWaiter, on: recorded, reason: "the answer to its put was lost, so it believes that its Lock failed",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "a put that was done and its client never told, which then comes first", told: func(ta *tale) {
			ta.ghost(func() { ta.believes("c2", model.BeliefIdle, "", 0) })
		}},
		alike: part{words: "the same, and its client waits for the key ahead", told: func(ta *tale) {
			ta.ghost(func() { ta.watches("c2", ta.key(0xa1), true) })
		}},
	},
	{
		code: model.CodeUnlockLost, on: recorded, reason: "the session lives, so nothing ends it",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "a delete that never reached the member, and its client idle", told: func(ta *tale) {
			ta.unlock(func() {})
		}},
		alike: part{words: "the same, and the delete tried again with success", told: func(ta *tale) {
			ta.unlock(func() {
				ta.del(ta.key(0xa1))
				ta.wrote("c1", ta.key(0xa1), true, ta.rev, true)
			})
		}},
	},
	{
		code: model.CodeMissedDelete, on: recorded, reason: "it renews and waits for what went",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "a head whose watch of the key ahead stays open", told: func(ta *tale) {
			ta.turnComes(func() {})
		}},
		alike: part{words: "a head that heard of its turn", told: func(ta *tale) {
			ta.turnComes(func() { ta.watches("c2", ta.key(0xa1), false) })
		}},
	},
	{
		code: model.CodeForeignKeepalive, on: recorded, reason: "the end of its owner would not free the lock",
		severity: model.SevWarning, confidence: model.Certain,
		found: part{words: "the head's lease renewed by another client", told: func(ta *tale) {
			ta.renewedBy("c3")
		}},
		alike: part{words: "the head's lease renewed by its own client", told: func(ta *tale) {
			ta.renewedBy("c1")
		}},
	},
	{
		code: model.CodeKeepaliveDenied, on: recorded, reason: "the member says so to the client, and nobody else hears it",
		severity: model.SevWarning, confidence: model.Certain,
		found: part{words: "a renewal refused, and none since", told: func(ta *tale) {
			ta.refusal(8)
		}},
		alike: part{words: "a renewal refused, and one since", told: func(ta *tale) {
			ta.refusal(13)
		}},
	},
	{
		code: model.CodePinnedBadMember, on: recorded, reason: "with the proxy one lease is enough",
		severity: model.SevWarning, confidence: model.Certain,
		found: part{words: "a stalled lease renewed through a member that knows no leader", told: func(ta *tale) {
			ta.pinned("m3")
		}, also: []model.Code{model.CodeKeepaliveStalled, model.CodeDeadHolder}},
		alike: part{words: "a stalled lease renewed through a healthy member, another one cut off", told: func(ta *tale) {
			ta.pinned("m2")
		}, also: []model.Code{model.CodeKeepaliveStalled, model.CodeDeadHolder}},
	},
}

// wordStories rest on what contenders say of themselves.
var wordStories = []story{
	{
		code: model.CodeZombieHolder, on: recorded, reason: "its work is over and its session is not",
		severity: model.SevError, confidence: model.Strong,
		found: part{words: "a head that says it is idle and is renewed, with others waiting", told: func(ta *tale) {
			ta.idles(6 * time.Second)
		}},
		alike: part{words: "a head that says it is idle and goes a moment later", told: func(ta *tale) {
			ta.idles(3 * time.Second)
			ta.del(ta.key(0xa1))
		}},
	},
	{
		code: model.CodeSameSession, on: recorded, reason: "there is one key, however many believe that it is theirs",
		severity: model.SevError, confidence: model.Strong,
		found: part{words: "two workers of one session that both hold by one key", told: func(ta *tale) {
			ta.workers(model.BeliefHolding)
		}},
		alike: part{words: "two workers of one session of which one holds", told: func(ta *tale) {
			ta.workers(model.BeliefWaiting)
		}},
	},
	{
		code: model.CodeZombieCandidate, on: recorded, reason: "the contender's word needs no declaration",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "a contender that waits on after its key went", told: func(ta *tale) {
			ta.leaseGoes(0xb2, func() {})
		}},
		alike: part{words: "a contender that learns of it", told: func(ta *tale) {
			ta.leaseGoes(0xb2, func() { ta.believes("c2", model.BeliefLost, ta.key(0xb2), 0xb2) })
		}},
	},
	{
		code: model.CodeStaleUnlock, on: recorded, reason: "an unlock by name, tried again, takes a later claim",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "a claim deleted by its own client, which believes on", told: func(ta *tale) {
			ta.unlockTwice(func() {})
		}},
		alike: part{words: "the same deletes, and the client lets go", told: func(ta *tale) {
			ta.unlockTwice(func() { ta.believes("c1", model.BeliefIdle, "", 0) })
		}},
	},
	{
		code: model.CodeLateDone, on: recorded, reason: "a healthy client learns late, too",
		severity: model.SevInfo, confidence: model.Certain,
		found: part{words: "a holder that learns of its loss 300 ms after the next one had the lock", told: func(ta *tale) {
			ta.learns(300*time.Millisecond, model.BeliefLost)
		}},
		alike: part{words: "a holder that let go and says so 30 ms later", told: func(ta *tale) {
			ta.learns(30*time.Millisecond, model.BeliefIdle)
		}},
	},
	{
		code: model.CodeGhostLeader, on: recorded, reason: "Campaign does not look at its own key",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "a candidate that leads by a key that had gone before", told: func(ta *tale) {
			ta.winsAfterLoss(contender.RecipeElection, true)
		}},
		alike: part{words: "a candidate whose session is said to be gone", told: func(ta *tale) {
			ta.winsAfterLoss(contender.RecipeElection, false)
		}},
	},
	{
		code: model.CodeExpiredWaiterWins, on: recorded, reason: "the contender's word proves that it happened",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "a waiter that got a mutex by a key that had gone before", told: func(ta *tale) {
			ta.winsAfterLoss(contender.RecipeMutex, true)
		}},
		alike: part{words: "a waiter whose session is said to be gone", told: func(ta *tale) {
			ta.winsAfterLoss(contender.RecipeMutex, false)
		}},
	},
	{
		code: model.CodeRWExpiredWriter, on: recorded, reason: "the recipe does not look at its own key",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "a writer that works by a key that had gone before", told: func(ta *tale) {
			ta.winsAfterLoss("rwmutex", true)
		}},
		alike: part{words: "a writer whose session is said to be gone", told: func(ta *tale) {
			ta.winsAfterLoss("rwmutex", false)
		}},
	},
	{
		code: model.CodeStaleHolder, on: recorded, reason: "the guarded resource proves that two acted",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "an old holder whose token the resource accepts after its loss", told: func(ta *tale) {
			ta.acts(true)
		}},
		alike: part{words: "an old holder that learnt of it before its next access", told: func(ta *tale) {
			ta.acts(false)
		}},
	},
}

func (ta *tale) key(lease model.LeaseID) string { return "/lock/" + lease.String() }

func (ta *tale) del(key string) {
	ta.rev++
	delete(ta.keys, key)
	ta.tell(model.Committed{At: ta.now, Rev: ta.rev, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: key, ModRev: ta.rev}}}})
}

func certainly(name string) model.Client { return model.Client{Name: name, Certain: true} }

// contends is a contender with a process that runs and a lease that it was granted.
func (ta *tale) contends(name, recipe string, lease model.LeaseID) {
	ta.tell(model.Contender{At: ta.now, Name: name, PID: 7, Lock: "/lock", Recipe: recipe, TTL: 10, Proc: model.ProcRunning},
		model.LeaseOwner{At: ta.now, Lease: lease, Client: certainly(name)},
		model.LeaseOwner{At: ta.now, Lease: lease, Client: certainly(name), Renews: true})
}

func (ta *tale) believes(name string, state model.BeliefState, key string, lease model.LeaseID) {
	ta.tell(model.Belief{At: ta.now, Contender: name, Lock: "/lock", State: state, Key: key, Lease: lease, Token: ta.keys[key].CreateRev})
}

func (ta *tale) wrote(name, key string, del bool, rev int64, told bool) {
	lease := ta.keys[key].Lease
	if del {
		lease = 0
	}
	ta.tell(model.Wrote{At: ta.now, Client: certainly(name), Key: key, Delete: del, Took: del && rev > 0, Lease: lease, Rev: rev, Told: told})
}

func (ta *tale) watches(name, key string, on bool) {
	ta.tell(model.Watches{At: ta.now, Client: certainly(name), Key: key, On: on})
}

// takes lets a contender hold or wait by a claim, and say so.
func (ta *tale) takes(name string, lease model.LeaseID, state model.BeliefState) {
	ta.contends(name, contender.RecipeMutex, lease)
	ta.claim("/lock", lease)
	ta.wrote(name, ta.key(lease), false, ta.rev, true)
	ta.believes(name, state, ta.key(lease), lease)
}

// renewed reads leases of 10 s as just renewed, twice a second apart.
func (ta *tale) renewed(leases ...model.LeaseID) {
	for range 3 {
		ta.after(time.Second)
		for _, id := range leases {
			ta.read(id, 10, 9)
		}
	}
}

// ghost is a put of c2 that was done and not told, behind c1 that then lets go.
func (ta *tale) ghost(then func()) {
	ta.takes("c1", 0xa1, model.BeliefHolding)
	ta.contends("c2", contender.RecipeMutex, 0xb2)
	ta.believes("c2", model.BeliefWaiting, ta.key(0xb2), 0xb2)
	ta.after(time.Second)
	ta.claim("/lock", 0xb2)
	ta.wrote("c2", ta.key(0xb2), false, ta.rev, false)
	ta.after(100 * time.Millisecond)
	then()
	ta.takes("c3", 0xc3, model.BeliefWaiting)
	ta.after(time.Second)
	ta.del(ta.key(0xa1))
	ta.wrote("c1", ta.key(0xa1), true, ta.rev, true)
	ta.believes("c1", model.BeliefIdle, "", 0)
	ta.watches("c2", ta.key(0xa1), false)
	ta.renewed(0xb2, 0xc3)
}

// unlock is a delete of c1's claim that did not reach the member.
func (ta *tale) unlock(then func()) {
	ta.takes("c1", 0xa1, model.BeliefHolding)
	ta.takes("c2", 0xb2, model.BeliefWaiting)
	ta.renewed(0xa1, 0xb2)
	ta.tell(model.Wrote{At: ta.now, Client: certainly("c1"), Key: ta.key(0xa1), Delete: true, Unsent: true})
	ta.believes("c1", model.BeliefIdle, "", 0)
	ta.after(time.Second)
	then()
	ta.renewed(0xa1, 0xb2)
}

// turnComes lets c2 become first, with c3 behind it.
func (ta *tale) turnComes(then func()) {
	ta.takes("c1", 0xa1, model.BeliefHolding)
	ta.takes("c2", 0xb2, model.BeliefWaiting)
	ta.watches("c2", ta.key(0xa1), true)
	ta.takes("c3", 0xc3, model.BeliefWaiting)
	ta.watches("c3", ta.key(0xb2), true)
	ta.renewed(0xa1, 0xb2, 0xc3)
	ta.del(ta.key(0xa1))
	ta.wrote("c1", ta.key(0xa1), true, ta.rev, true)
	ta.believes("c1", model.BeliefIdle, "", 0)
	ta.after(50 * time.Millisecond)
	then()
	ta.renewed(0xb2, 0xc3)
}

// renewedBy is a head that is renewed by its owner c1 and by that client.
func (ta *tale) renewedBy(name string) {
	for _, c := range []string{"c1", "c3"} {
		ta.tell(model.Connected{At: ta.now, Client: certainly(c), Peer: "127.0.0.1:9", Member: "m1:2379", On: true})
	}
	ta.takes("c1", 0xa1, model.BeliefHolding)
	ta.takes("c2", 0xb2, model.BeliefWaiting)
	ta.after(time.Second)
	ta.tell(model.LeaseOwner{At: ta.now, Lease: 0xa1, Client: certainly(name), Renews: true, Member: "m2:2379"})
	ta.renewed(0xa1, 0xb2)
}

// refusal is a renewal that is refused, and the lease read 7 s later.
func (ta *tale) refusal(left int64) {
	ta.takes("c1", 0xa1, model.BeliefHolding)
	ta.read(0xa1, 15, 14)
	ta.after(4 * time.Second)
	ta.tell(model.Refused{At: ta.now, Client: certainly("c1"), Method: "Lease/LeaseKeepAlive", Lease: 0xa1, Text: "etcdserver: permission denied"})
	ta.after(3 * time.Second)
	ta.read(0xa1, 15, left)
}

// pinned is one lease that stalls, renewed through that member, while m3 has no
// leader.
func (ta *tale) pinned(member string) {
	status := func() {
		ta.status("3.7.3")
		m := ta.events[len(ta.events)-1].(model.ClusterStatus).Members
		m[2].NoLeader = true
	}
	status()
	ta.takes("c1", 0xa1, model.BeliefHolding)
	ta.tell(model.LeaseOwner{At: ta.now, Lease: 0xa1, Client: certainly("c1"), Renews: true, Member: member + ":2379"})
	ta.falls(0xa1, 15, 9*time.Second)
	status()
}

// idles is a head that has said for that long that it does not want the lock.
func (ta *tale) idles(d time.Duration) {
	ta.takes("c1", 0xa1, model.BeliefHolding)
	ta.takes("c2", 0xb2, model.BeliefWaiting)
	ta.believes("c1", model.BeliefIdle, "", 0)
	for range d / time.Second {
		ta.after(time.Second)
		ta.read(0xa1, 10, 9)
	}
}

// workers are two that share a session, one of which holds.
func (ta *tale) workers(second model.BeliefState) {
	ta.contends("c1", contender.RecipeMutex, 0xa1)
	ta.claim("/lock", 0xa1)
	ta.believes("c1.1", model.BeliefHolding, ta.key(0xa1), 0xa1)
	ta.after(100 * time.Millisecond)
	ta.believes("c1.2", second, ta.key(0xa1), 0xa1)
	ta.renewed(0xa1)
}

// leaseGoes revokes a waiter's lease.
func (ta *tale) leaseGoes(lease model.LeaseID, then func()) {
	ta.takes("c1", 0xa1, model.BeliefHolding)
	ta.takes("c2", 0xb2, model.BeliefWaiting)
	ta.renewed(0xa1, 0xb2)
	ta.end(lease)
	ta.after(time.Second)
	then()
	for range 5 {
		ta.after(time.Second)
		ta.read(0xa1, 10, 9)
	}
}

// unlockTwice is an unlock that is not answered, the same lock taken again, and
// another delete of the same key.
func (ta *tale) unlockTwice(then func()) {
	ta.takes("c1", 0xa1, model.BeliefHolding)
	ta.renewed(0xa1)
	ta.del(ta.key(0xa1))
	ta.wrote("c1", ta.key(0xa1), true, ta.rev, false)
	ta.believes("c1", model.BeliefIdle, "", 0)
	ta.after(time.Second)
	ta.takes("c1", 0xa1, model.BeliefHolding)
	ta.renewed(0xa1)
	ta.del(ta.key(0xa1))
	ta.wrote("c1", ta.key(0xa1), true, ta.rev, true)
	ta.after(20 * time.Millisecond)
	then()
	ta.after(time.Second)
}

// learns is a holder that is not first any more and says so that much later.
func (ta *tale) learns(late time.Duration, as model.BeliefState) {
	ta.takes("c1", 0xa1, model.BeliefHolding)
	ta.takes("c2", 0xb2, model.BeliefWaiting)
	ta.renewed(0xa1, 0xb2)
	if as == model.BeliefLost {
		ta.end(0xa1)
	} else {
		ta.del(ta.key(0xa1))
		ta.wrote("c1", ta.key(0xa1), true, ta.rev, true)
	}
	ta.believes("c2", model.BeliefHolding, ta.key(0xb2), 0xb2)
	ta.after(late)
	ta.believes("c1", as, "", 0)
	ta.renewed(0xb2)
}

// winsAfterLoss is a waiter whose lease goes before the holder lets go, and which is
// then told that it won, or that its session is gone.
func (ta *tale) winsAfterLoss(recipe string, wins bool) {
	ta.contends("c1", recipe, 0xa1)
	ta.contends("c2", recipe, 0xb2)
	for i, id := range []model.LeaseID{0xa1, 0xb2} {
		value := ""
		if recipe == contender.RecipeElection {
			value = []string{"c1", "c2"}[i]
		}
		ta.put(ta.key(id), value, id)
	}
	ta.believes("c1", model.BeliefHolding, ta.key(0xa1), 0xa1)
	ta.believes("c2", model.BeliefWaiting, ta.key(0xb2), 0xb2)
	ta.renewed(0xa1, 0xb2)
	ta.end(0xb2)
	ta.after(time.Second)
	ta.del(ta.key(0xa1))
	ta.wrote("c1", ta.key(0xa1), true, ta.rev, true)
	ta.believes("c1", model.BeliefIdle, "", 0)
	ta.after(20 * time.Millisecond)
	if wins {
		ta.believes("c2", model.BeliefHolding, ta.key(0xb2), 0xb2)
	} else {
		ta.believes("c2", model.BeliefLost, ta.key(0xb2), 0xb2)
	}
	ta.after(time.Second)
}

// acts is a holder whose lease ends, and which believes on and writes, or does not.
func (ta *tale) acts(stale bool) {
	ta.takes("c1", 0xa1, model.BeliefHolding)
	token := ta.rev
	ta.takes("c2", 0xb2, model.BeliefWaiting)
	ta.renewed(0xa1, 0xb2)
	ta.end(0xa1)
	ta.believes("c2", model.BeliefHolding, ta.key(0xb2), 0xb2)
	if !stale {
		ta.believes("c1", model.BeliefLost, ta.key(0xa1), 0xa1)
	}
	ta.after(time.Second)
	ta.tell(model.Access{At: ta.now, Contender: "c1", Lock: "/lock", Write: true, Token: token, Highest: token, Accepted: stale})
	ta.renewed(0xb2)
}
