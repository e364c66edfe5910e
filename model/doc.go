// Package model is what is true about the locks of an etcd cluster, as values.
//
// There is no clock, no I/O and no goroutine in here. Every event carries the time at
// which it was observed, so the same events give the same state, anywhere and at any time.
//
//	model/recipe     how keys become locks: imports nothing of ours
//	model            values and events, and the keyspace that is folded from them
//	model/intervals  when each claim waited and held, for every lock
//	model/lab        what the lab and its proxy reported
//	model/diagnose   the rules that say why a lock is stuck
//	model/fold       applies a batch to all of these
//
// Each may use those above it. What the keyspace has to know of the reports it asks its
// [Witness]; what the rules have to look at again it marks, and they come for it.
//
// The words:
//
//   - A [Claim] is one key in a lock's queue. The claim that the recipe's rule
//     puts first is the holder, every other one waits.
//   - A [Lock] is a name under which keys compete, a recipe the rule by which they
//     do. The keys alone tell which: package recipe has the rules, and a snapshot gives
//     the same queues as the whole history.
//   - A [Lease] is what a claim hangs on. etcd does not let one watch leases,
//     so what is known of it are readings, bought under a budget in the order
//     that [Keyspace.Want] asks for.
//   - A [JournalEntry] is one line of the journal: queued, acquired, left, handed over.
//     etcd keeps no reason for a delete, so a cause is inferred and carries its
//     [Confidence].
//   - A [Finding] says why a lock is stuck, as a value: package diagnose finds it.
//   - A [Condition] is how a lock or a session does, a [Role] what a key is in a queue:
//     each is worked out here alone (condition.go, role.go), and all outputs print it.
//   - What the lab reports (contenders, beliefs, faults, connections) travels the
//     same road as events of their own kind. They never change what is true
//     about the queues.
//
// Costs: a change of one key is O(log n) in the length of its queue and never
// touches another lock, but for the locks whose name is a path prefix of the
// key: etcd's own recipes count every key under the name. Findings are derived anew
// for what changed, and when a deadline falls due. The search for circles grows with
// the claims of those sessions that have several.
//
// A claim that is loaded costs 530 bytes that stay, beside its key and its value, and
// 3.2 allocations; an event in which a holder goes and another claim joins 21
// allocations, however many claims there are (fold/costs_test.go).
package model
