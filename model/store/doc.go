// Package store applies batches of events to all that is known of the locks.
//
//	Batch ─▶ Store      for each event:
//	           │ event
//	           ▼
//	         locks.State        keys, queues, leases, what time changed   ─▶ changes ─┐
//	         reports.Reports    what programs and the proxy report        ◀─ + ─▶ ────┤
//	         reports.DrillRun   the drill, or lesson, that is played           + ─▶ ──┤
//	         timeline.Timeline  when each claim waited and held           ◀───────────┤
//	         findings.Set       what the rules find                       ◀─ + ─▶ ────┤
//	         versions           version numbers of what changed            ◀──────────┘
//	View ◀── pages, outputs, drills: questions only
//	Want(visible) ─▶ source: leases to read next, when to wake
//
// [Store.Run] is the one loop, for commands and drills: what is wanted, the next batch, apply. The
// console does the halves of a step, [Store.Ask] beside the screen and [Store.ApplyWhile] in its
// Update.
//
// [Store] joins these parts. Its owner applies events and says what is to be read; code that
// shows or judges gets its [View], which can change nothing. An event passes the parts in a
// row. Each gets the event and the changes of those before it, as [locks.Change], and returns its
// own; none changes another. For anything beyond that it asks those before it. Lines for the
// journal are changes, too.
//
// A checkpoint is what is known at a moment. There are two, for two jobs. [Store.Clone] is a copy in
// memory, with all that only history tells: with it a person comes back to the moment.
// [View.Checkpoint] is a list of events that tell the present state: a file begins with it.
//
// Three laws hold, as tests: the same history gives the same state; how it is put into
// batches does not matter; a list at a revision and the events after it give the same queues
// as all events from the start.
package store
