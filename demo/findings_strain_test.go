package demo

import (
	"time"

	"locktop/model"
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
