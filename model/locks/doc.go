// Package locks tracks every lock and its queue from events: keys, leases, the
// members of the cluster, how fresh each prefix is, and what could not be seen.
//
//   - A [Claim] is one key in a lock's queue. The claim that the recipe's rule
//     puts first is the holder, every other one waits.
//   - A [Lock] is a name under which keys compete, a recipe the rule by which they
//     do. The keys alone tell which: package recipe has the rules, and a snapshot gives
//     the same queues as the whole history.
//   - A claim hangs on a [Lease]. etcd does not let anybody watch leases,
//     so it is known only by readings, which are bought under a budget in the order
//     that [State.Want] asks for.
//   - The journal says what happened. etcd keeps no reason for a delete, so a
//     cause is inferred and carries its confidence.
//
// [State.Apply] returns what an event changed, each [Change] once: which keys came and went, which
// claims let go, which locks and sessions changed, which are due by a reading or by
// the time, and what is to be written down. The packages that follow read the changes, ask the
// state, and return changes of the same kind, such as the cause of a departure that the proxy saw.
// [State.Write] takes those in.
//
// A [State] is made of parts, and each uses only those before it. The first hold what is known,
// and answer; the last four fold events into them. A part is named by its field, and by its type
// where that is called otherwise.
//
//	Pins                   keys.go         what the user said of locks
//	Prefixes               prefixes.go     how fresh the keys are
//	Members                members.go      what the members of the cluster tell
//	scheduler              scheduler.go    the time, which leases to read next, and deadlines
//	change, currentChange  change.go       what the event at hand changed
//	Leases, LeaseTable     leases.go       every lease
//	Keys                   keys.go         every key, the directories, and the locks that these are
//	                       inferences.go   what was seen of keys that go and come back
//	Owners                 identity.go     who owns a claim
//	Journals               journal.go      the journal of all locks and of each
//
//	causes, attribution    attribution.go  why a claim went
//	transitions            transitions.go  what became of the locks that a change touched
//	                       holds.go        who holds
//	                       lines.go        what the journal says of that
//	commit                 commit.go       keys come and go
//	lists                  lists.go        a prefix is listed, lost, or back
//
// The data of a claim, a lock and a lease stand in records.go; lock.go and lease.go answer questions
// about them.
//
// Costs: a change of one key finds its place by O(log n) comparisons in the length of its queue
// (queue.go) and never touches another lock, except for the locks whose name is a path prefix of
// the key: etcd's own recipes count every key under the name.
package locks
