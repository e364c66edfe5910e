// Package watcher turns an etcd cluster into batches of model events. It only
// ever reads.
//
// Per prefix there is one follower, a small loop:
//
//	list at one revision ──▶ watch from the next ──▶ it broke: why?
//	        ▲                        ▲                    │
//	        │                        └── continue ────────┤ no leader, cut, silent, denied
//	        └─────────────────────────── start again ─────┘ compacted, restored
//
// Beside the followers run a prober (is the watch still true?), lease readers
// and a status round. All of them put events into one bounded queue, from
// which [Watcher.Next] takes a batch:
//
//	followers ─┐
//	readers   ─┼─▶ queue ─▶ Next ─▶ model.Batch
//	status    ─┘
//
// Below it stand packages that know no watcher: validate checks what an answer of etcd has to
// have, failures tells errors apart and puts them into words, pace keeps to the budget, queue
// buffers events, also for demo and ui/cli. Package recording writes batches to a file and gives
// them back.
//
// What is guaranteed:
//
//   - A [model.Requested] with all prefixes comes before everything else, so a
//     prefix that was not listed yet is not taken for an empty one.
//   - Per prefix every revision after the list arrives once, whole and in order,
//     as one [model.Committed], or a Lost and a new list say that there is a gap.
//   - [model.Watching] with revision R comes behind every change up to R, and the
//     cluster was asked with a linearizable read. A watch alone proves nothing: on
//     a member that is cut off it stays open, silent and without an error.
//   - [model.Back] follows only once the watch stream itself has answered again.
//     After a gap there is no Back: a list (LoadStarted … Loaded) takes its place.
//   - All events between two lists are from one cluster: the id in every answer's header
//     is compared. When another cluster answers, a Lost of every prefix says so
//     ([model.LostCluster]), everything begins anew with a list, and nothing leads from one
//     to the other. Endpoints of several clusters are not followed at all: the Lost names
//     which is whose. An answer that names no cluster (id 0, as through some proxies) is
//     taken for one of the same cluster.
//   - An answer that lacks what etcd always sends is an error, and never a crash (package
//     validate).
//   - The first event after a quiet time goes out at once, with all that its response
//     brought; during bursts events are batched. Parts of a revision that may come over
//     several prefixes, and answers to questions of ours, are always waited for, for
//     Timing.Drain and Timing.Lull.
//   - If this program stalls for two seconds or more (stopped, its machine asleep, no
//     processor), a [model.Slept] comes before all that it delivers afterwards. What was
//     asked before is asked again, so no answer is dated later than it was given.
//   - A call of Next that ends with its context has consumed nothing.
//   - No more than Budget lease readings in any second, three quarters of that in the
//     long run, in the order that was asked for, and no lease twice at a time. Readings
//     that are not urgent ([model.Want]) go out in groups of a quarter of the budget:
//     while nothing happens, a console wakes three times a second for them and not
//     fifteen times. Failed requests are not repeated behind the budget's back.
//   - History is read only if Options.Since asks for it, no more than SinceMax
//     revisions of it, by one watch for each prefix, one prefix after another.
//   - Nothing is asked while nobody pulls. When the queue is full the followers
//     stop reading. The etcd client then buffers what the server sends, without a
//     bound of its own: a consumer that never comes back should close the watcher.
//
// What is not guaranteed:
//
//   - A revision that touches several prefixes comes in parts over several watch
//     streams. Parts that are taken in one batch are joined into one Committed;
//     parts that arrive further apart are not.
//   - Between prefixes there is no order, except that changes within one batch are
//     sorted by revision, as far as no other event stands between them.
//   - Servers before 3.4.25 and 3.5.8 may answer a progress request ahead of
//     events that are still on their way (etcd-io/etcd#15220). There Watching and
//     Back can be early, before changes that they should follow. With Options.Since,
//     the Watching that ends the history can come before the last of that history. A
//     stream that breaks at that very moment can lose those changes.
//
// SERVERS.md says what each release can do for a reader, FAULTS.md says what becomes
// of a watch when something happens to the cluster. Both are written by tests.
package watcher
