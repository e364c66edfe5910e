// Package model has the values by which locktop speaks of the locks of an etcd cluster.
//
// There is no clock, no I/O and no goroutine in here. Every event carries the time at
// which it was observed, so the same events give the same state, anywhere and at any time.
//
//	model/recipe     how keys become locks: imports nothing of ours
//	model            the values: events, findings, actions, faults, conditions, and their words
//	model/journal    what happened to the locks, line by line
//	model/queue      an order in which most are added at the end
//	model/habit      what was seen of keys that go and come back
//	model/prefixes   how fresh the keys under each prefix are
//	model/members    what the members of the cluster tell, round by round
//	model/keyspace   keys, queues and leases, folded from the events
//	model/outlook    how locks and sessions do, and what it takes for a lock to move
//	model/sight      what was asked for and could not be seen
//	model/rehearsal  the steps of a drill, and what came of them
//	model/twin       a copy of a state, for a recording that is gone back in
//	model/intervals  when each claim waited and held, for every lock
//	model/leftover   leases that live on without a key
//	model/lab        what the lab and its proxy reported
//	model/diagnose   the rules that say why a lock is stuck
//	model/fold       applies a batch to all of these
//
// Each may use those above it. Beside them stand model/discover (which prefixes look like
// locks), and for tests model/history (stories to tell) and model/hostile (events as somebody who means harm would send).
//
// The words:
//
//   - An [Event] is one thing that was observed, a [Batch] an envelope of them. The reports of
//     the lab (contenders, beliefs, faults, connections) come as events of
//     their own kind, and so does what the console did ([Acted]). They never change what
//     is true about the queues.
//   - A claim is one key in a lock's queue, a [ClaimRef] its name. The claim that the recipe's
//     rule puts first is the holder, every other one waits; a [Role] is what a key is in a queue.
//   - A [Finding] says why a lock is stuck, as a value: package diagnose finds it.
//   - A [Condition] is how a lock or a session does.
//   - An [Action] is what the console can do, a [Fault] what can be done to a lab. A [Plan] is
//     what an action will touch, an [Outcome] what came of it.
package model
