package demo

import (
	"time"

	"locktop/demo/contender"
	"locktop/model"
)

// recordedStories are told as histories of events: they need a server of another
// version, a broken one, thousands of leases, or hours.
var recordedStories = []story{
	{
		code: model.CodePinnedBadMember, on: recorded, reason: "a member that is seen to be ill, and leases of it alone that stall",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "three leases stall that a member without a leader granted", told: func(ta *tale) {
			ta.stallOn(3, true)
		}, also: []model.Code{model.CodeKeepaliveStalled, model.CodeDeadHolder}},
		alike: part{words: "three leases stall that a healthy member granted", told: func(ta *tale) {
			ta.stallOn(3, false)
		}, also: []model.Code{model.CodeKeepaliveStalled, model.CodeDeadHolder}},
	},
	{
		code: model.CodeLeaseOverdue, on: recorded, reason: "a leader that does not get to expire it",
		severity: model.SevWarning, confidence: model.Certain,
		found: part{words: "a lease three seconds past its end", told: func(ta *tale) {
			ta.overdue(1, -3, "3.5.21")
		}},
		alike: part{words: "a lease at its end", also: []model.Code{model.CodeKeepaliveStalled, model.CodeDeadHolder},
			told: func(ta *tale) {
				ta.overdue(1, 0, "3.5.21")
				ta.after(400 * time.Millisecond)
				ta.end(0xa00)
			}},
	},
	{
		code: model.CodeExpiryBacklog, on: recorded, reason: "many that end together",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "thirty leases some seconds past their end, and fewer later", also: []model.Code{model.CodeLeaseOverdue}, told: func(ta *tale) {
			ta.overdue(30, -4, "3.5.21")
			for i := range 5 {
				ta.end(model.LeaseID(0xa00 + i))
			}
		}},
		alike: part{words: "as many that are renewed", told: func(ta *tale) {
			for _, id := range ta.crowd(30, 20) {
				ta.read(id, 20, 19)
			}
			ta.after(7 * time.Second)
			for i := range 30 {
				ta.read(model.LeaseID(0xa00+i), 20, 19)
			}
		}},
	},
	{
		code: model.CodeRevokeFailing, on: recorded, reason: "the leader's own token is refused",
		severity: model.SevError, confidence: model.Strong,
		found: part{words: "one lease minutes past its end", told: func(ta *tale) {
			ta.overdue(1, -240, "3.5.4")
		}},
		alike: part{words: "one lease some seconds past its end, then gone", also: []model.Code{model.CodeLeaseOverdue}, told: func(ta *tale) {
			ta.overdue(1, -5, "3.5.4")
			ta.after(time.Second)
			ta.end(0xa00)
		}},
	},
	{
		code: model.CodeRevokeForgotten, on: recorded, reason: "servers before 3.4 tried a revoke once",
		severity: model.SevError, confidence: model.Certain,
		found: part{words: "one lease hours past its end on 3.3", told: func(ta *tale) {
			ta.overdue(1, -68272, "3.3.10")
		}},
		alike: part{words: "the same on 3.4, where it must have another cause", also: []model.Code{model.CodeRevokeFailing}, told: func(ta *tale) {
			ta.overdue(1, -68272, "3.4.0")
		}},
	},
	{
		code: model.CodeTTLRollover, on: recorded, reason: "an old server's leader that was just deposed",
		severity: model.SevInfo, confidence: model.Certain,
		found: part{words: "nine billion seconds left of ten", told: func(ta *tale) {
			ta.claim("/lock", 0xa1)
			ta.read(0xa1, 10, 9)
			ta.after(time.Second)
			ta.read(0xa1, 10, 9223372036)
		}},
		alike: part{words: "ten seconds left of ten", told: func(ta *tale) {
			ta.claim("/lock", 0xa1)
			ta.read(0xa1, 10, 9)
			ta.after(time.Second)
			ta.read(0xa1, 10, 10)
		}},
	},
	{
		code: model.CodeMassRevocation, on: recorded, reason: "a deposed leader that wakes up and revokes what others renewed",
		severity: model.SevWarning, confidence: model.Strong,
		found: part{words: "twelve healthy leases gone just after a leader change", told: func(ta *tale) {
			ta.burst("3.5.12", func() { ta.elect("m2") })
		}},
		alike: part{words: "the same with the leader that there was", told: func(ta *tale) {
			ta.burst("3.5.12", func() {})
		}},
	},
	{
		code: model.CodeExpiredWaiterWins, on: recorded, reason: "the version proves the risk",
		severity: model.SevInfo, confidence: model.Certain,
		found: part{words: "servers of 3.4", told: func(ta *tale) {
			ta.status("3.4.34")
		}},
		alike: part{words: "servers of 3.5", told: func(ta *tale) {
			ta.status("3.5.0")
		}},
	},
	{
		code: model.CodeKeepaliveCancelled, on: recorded, reason: "one holder after the other stops at the same age, after minutes",
		severity: model.SevWarning, confidence: model.Strong, alternatives: []model.Code{model.CodeDeadHolder},
		found: part{words: "four holders that each stop renewing after a minute", told: func(ta *tale) {
			ta.stopAt(60, 60, 60, 60)
		}, also: []model.Code{model.CodeDeadHolder, model.CodeKeepaliveStalled}},
		alike: part{words: "four that stop at different ages", told: func(ta *tale) {
			ta.stopAt(60, 75, 50, 60)
		}, also: []model.Code{model.CodeDeadHolder, model.CodeKeepaliveStalled, model.CodeLongHeld}},
	},
	{
		code: model.CodeKeepaliveCancelled, on: recorded, reason: "that others stopped at the same age says nothing of one that stops at another",
		severity: model.SevWarning, confidence: model.Strong, alternatives: []model.Code{model.CodeDeadHolder},
		found: part{words: "four holders that each stop renewing after half a minute", told: func(ta *tale) {
			ta.stopAt(30, 30, 30, 30)
		}, also: []model.Code{model.CodeDeadHolder, model.CodeKeepaliveStalled}},
		alike: part{words: "three that stop at the same age, and one that stops later", told: func(ta *tale) {
			ta.stopAt(30, 30, 30, 60)
		}, also: []model.Code{model.CodeDeadHolder, model.CodeKeepaliveStalled, model.CodeLongHeld}},
	},
	{
		code: model.CodeLeaseGhostList, on: recorded, reason: "a revoke of what only one member lists says not found",
		severity: model.SevWarning, confidence: model.Certain,
		found: part{words: "a member that lists a lease which the leader does not know", told: func(ta *tale) {
			ta.lists(0xa1)
		}},
		alike: part{words: "members whose lists agree", told: func(ta *tale) {
			ta.lists()
		}},
	},
	{
		code: model.CodeTTLFloor, on: recorded, reason: "the lab's contenders say what they ask for",
		severity: model.SevInfo, confidence: model.Certain,
		found: part{words: "a contender that asked for 1 s and has 2", told: func(ta *tale) {
			ta.asks(1, 2)
		}},
		alike: part{words: "a contender that asked for 2 s and has 2", told: func(ta *tale) {
			ta.asks(2, 2)
		}},
	},
	{
		code: model.CodeDeadHolder, on: recorded, reason: "who waits for a long TTL is blocked: an error",
		severity: model.SevWarning, confidence: model.Hint, alternatives: stallCauses,
		found: part{words: "a lease of 15 minutes of which more than two thirds are gone", told: func(ta *tale) {
			ta.claim("/lock", 0xa1)
			ta.claim("/lock", 0xb2)
			ta.falls(0xa1, 900, 620*time.Second)
		}},
		alike: part{words: "a lease of 15 minutes of which less than a third is gone", told: func(ta *tale) {
			ta.claim("/lock", 0xa1)
			ta.claim("/lock", 0xb2)
			ta.falls(0xa1, 900, 290*time.Second)
		}},
	},
}

// overdue is n leases that fell to what is left, below 0 for past their end.
func (ta *tale) overdue(n int, left int64, version string) {
	ta.status(version)
	ids := ta.crowd(n, 20)
	ta.after(20*time.Second - time.Duration(left)*time.Second)
	for _, id := range ids {
		ta.read(id, 20, left)
	}
}

// burst is twelve sessions that renew, and whose leases all end at once.
func (ta *tale) burst(version string, before func()) {
	ta.status(version)
	ids := ta.crowd(12, 10)
	ta.after(3 * time.Second)
	before()
	ta.status(version)
	ta.after(time.Second)
	for _, id := range ids {
		ta.read(id, 10, 9)
	}
	ta.after(time.Second)
	for _, id := range ids {
		ta.end(id)
	}
	ta.after(3 * time.Second)
	ta.status(version)
}

// stopAt lets as many holders as there are ages, in seconds, renew a lease of 15 s
// every 5 s up to that age; the last one is left while it runs out.
func (ta *tale) stopAt(ages ...int) {
	for i := range ages {
		ta.claim("/lock", model.LeaseID(0xa00+i))
	}
	for i, age := range ages {
		id := model.LeaseID(0xa00 + i)
		for range age / 5 {
			ta.read(id, 15, 14)
			ta.after(5 * time.Second)
		}
		ta.read(id, 15, 14)
		if i == len(ages)-1 {
			ta.after(11 * time.Second)
			ta.read(id, 15, 3)
			return
		}
		ta.after(14 * time.Second)
		ta.read(id, 15, 0)
		ta.after(time.Second)
		ta.end(id)
	}
}

// asks is a contender that holds with a TTL other than it asked for, maybe.
func (ta *tale) asks(asked int, granted int64) {
	ta.claim("/lock", 0xa1)
	ta.tell(model.Contender{At: ta.now, Name: "c1", PID: 7, Lock: "/lock", Recipe: contender.RecipeMutex, TTL: asked, Proc: model.ProcRunning},
		model.Belief{At: ta.now, Contender: "c1", Lock: "/lock", State: model.BeliefHolding, Lease: 0xa1})
	ta.after(time.Second)
	ta.read(0xa1, granted, granted-1)
}
