// Package locks knows every lock with its queue, by the events of a source: keys, leases, the
// members of the cluster, how fresh each prefix is, and what could not be seen.
//
//   - A [Claim] is one key in a lock's queue. The claim that the recipe's rule
//     puts first is the holder, every other one waits.
//   - A [Lock] is a name under which keys compete, a recipe the rule by which they
//     do. The keys alone tell which: package recipe has the rules, and a snapshot gives
//     the same queues as the whole history.
//   - A claim hangs on a [Lease]. etcd does not let anybody watch leases,
//     so all that is known of one are readings, bought under a budget in the order
//     that [State.Want] asks for.
//   - What happened is written into the journal. etcd keeps no reason for a delete, so a
//     cause is inferred and carries its confidence.
//
// [State.Apply] returns what an event changed, each [Change] once: which keys came and went, which
// claims let go, which locks and sessions are other than before, which are due by a reading or by
// the time, and what is to be written down. Who comes after reads that and asks the state, and
// returns changes of the same kind, like why a claim went that the proxy saw go. [State.Write] takes
// those in.
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
//	Owners                 identity.go     whose a claim is
//	Journals               journal.go      the journal of all locks and of each
//
//	causes, attribution    attribution.go  why a claim went
//	transitions            transitions.go  what became of the locks that a change touched
//	commit                 commit.go       keys come and go
//	lists                  lists.go        a prefix is listed, lost, or back
//
// What is kept of a claim, a lock and a lease stands in records.go, the questions about one in
// lock.go and lease.go.
//
// Costs: a change of one key finds its place by O(log n) comparisons in the length of its queue
// (queue.go) and never touches another lock, but for the locks whose name is a path prefix of
// the key: etcd's own recipes count every key under the name.
package locks
