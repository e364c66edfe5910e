// Package fold applies batches of events to all that is known of the locks.
//
//	            ┌─▶ keyspace.Keyspace  keys, queues, leases; it writes the journal
//	            ├─▶ intervals.Book     when each claim waited and held
//	Batch ─▶ State ─▶ lab.Reports      what contenders believe, who owns a lease, clients, faults
//	            ├─▶ rehearsal.Run      the drill, or lesson, that is played
//	            └─▶ diagnose.Diagnosis findings
//	              ◀── Want: leases to read next, when to wake
//
// [State] joins these parts, and the other rooms ask it alone. Each event
// goes to the keyspace first, then to the book, then to the reports or the drill; then the rules
// look at what changed.
//
// Three laws hold, as tests: the same history gives the same state; how it is put into
// batches does not matter; a list at a revision and the events after it give the same queues
// as all events from the start.
package fold
