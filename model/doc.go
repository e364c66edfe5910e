// Package model has the values with which locktop describes the locks of an etcd cluster.
//
// It has no clock, no I/O and no goroutine. Every event carries the time at
// which it was observed, so the same events give the same state, anywhere and at any time.
//
//	model/recipe     how keys become locks; it imports no other package of locktop
//	model            the values: events, findings, actions, faults, conditions, and their words
//	model/text       the words of all messages, English and Chinese side by side
//	model/copies     makes copies of records that point to each other
//	model/journal    what happened to the locks, line by line
//	model/locks      keys, queues, leases, prefixes, members, and what could not be seen
//	model/status     the state of locks and sessions, and what it takes for a lock to move
//	model/timeline   when each claim waited and held, for every lock
//	model/reports    what the lab and its proxy reported, and the drill that runs
//	model/findings   the rules that say why a lock is stuck
//	model/store      takes each event of a batch from one of these to the next
//
// Each may use those above it. Beside them stand model/discover (which prefixes look like
// locks), model/smallstores (small stores that give a lock, for a lesson), and for tests model/modeltest (stories to tell, and malicious input).
//
// The words:
//
//   - An [Event] is one thing that was observed, a [Batch] an envelope of them. The reports of
//     the lab (contenders, beliefs, faults, connections) come as events of
//     their own kind, and so does what the console did ([Acted]). They never change what
//     is true about the queues.
//   - A claim is one key in a lock's queue, a [ClaimRef] its name. The claim that the recipe's
//     rule puts first is the holder, every other one waits; a [Role] is what a key is in a queue.
//   - A [Finding] says why a lock is stuck, as a value: package findings finds it.
//   - A [Message] is a sentence as data: its id and its arguments. Package text has the words.
//   - A [Condition] is the state of a lock or a session.
//   - An [Action] is what the console can do, a [Fault] what can be done to a lab. A [Plan] is
//     what an action will touch, an [Outcome] its result.
package model

//go:generate go run locktop/ui/cli/documents findings FINDINGS.md
