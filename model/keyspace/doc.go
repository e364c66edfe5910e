// Package keyspace folds events into keys and leases: every lock with its queue.
//
//   - A [Claim] is one key in a lock's queue. The claim that the recipe's rule
//     puts first is the holder, every other one waits.
//   - A [Lock] is a name under which keys compete, a recipe the rule by which they
//     do. The keys alone tell which: package recipe has the rules, and a snapshot gives
//     the same queues as the whole history.
//   - A claim hangs on a [Lease]. etcd does not let anybody watch leases,
//     so all that is known of one are readings, bought under a budget in the order
//     that [Keyspace.Want] asks for.
//   - What happened is written into the journal. etcd keeps no reason for a delete, so a
//     cause is inferred and carries its confidence.
//
// The keyspace asks its [Witness] for what only the reports of the lab tell. It marks the
// locks that the rules have to look at again, and the rules take the marks.
//
// A [Keyspace] is made of parts, and each uses only those before it. The first ten hold what
// is known, and answer; the last four fold events into them.
//
//	pins        keys.go         what the user said of locks
//	Prefixes    model/prefixes  how fresh the keys are
//	Members     model/members   what the members of the cluster tell
//	agenda      agenda.go       the time, which leases to read next, and deadlines
//	change      change.go       what the event at hand changed
//	Marks       change.go       what the rules have to look at again
//	LeaseBook   leases.go       every lease
//	Keys        keys.go         every key, the directories, and the locks that these are
//	owners      identity.go     whose a claim is
//	journals    journal.go      the journal of all locks and of each
//
//	causes      causes.go       why a claim went
//	settling    settle.go       what became of the locks that a change touched
//	commit      commit.go       keys come and go
//	lists       lists.go        a prefix is listed, lost, or back
//
// What is kept of a claim, a lock and a lease stands in records.go, the questions about one in
// lock.go and lease.go.
//
// Costs: a change of one key is O(log n) in the length of its queue and never
// touches another lock, but for the locks whose name is a path prefix of the
// key: etcd's own recipes count every key under the name. Findings are derived anew
// for what changed, and when a deadline falls due. The search for circles grows with
// the claims of those sessions that have several.
//
// A claim that is loaded costs 530 bytes that stay, beside its key and its value, and
// 3.2 allocations; an event in which a holder goes and another claim joins 21
// allocations, however many claims there are (model/fold/costs_test.go).
package keyspace
