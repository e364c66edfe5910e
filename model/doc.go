// Package model is what is true about the locks of an etcd cluster, as values.
//
// It is a fold: [State.Apply] takes a [Batch] of events and changes the state.
// There is no clock, no I/O and no goroutine in here. Every event carries the
// time at which it was observed, so the same events give the same state,
// anywhere and at any time, and a batch is only an envelope.
//
//	watcher, lab ──Batch──▶ State ──locks, leases, entries──▶ ui, report
//	                          │
//	                          └──Want: leases to read next, when to wake──▶ watcher
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
//     that [State.Want] asks for.
//   - A [JournalEntry] is one line of the journal: queued, acquired, left, handed over.
//     etcd keeps no reason for a delete, so a cause is inferred and carries its
//     [Confidence].
//   - A [Finding] says why a lock is stuck. Each rule is a small function over one
//     lock (rules_*.go); the wait-for graph is in waits.go, and [Catalogue] explains
//     every code. FINDINGS.md says by what each is proven.
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
// allocations, however many claims there are (costs_test.go).
package model
