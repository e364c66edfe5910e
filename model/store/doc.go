// Package store applies batches of events to all that is known of the locks.
//
//	Batch ─▶ Store      for each event:
//	           │ event
//	           ▼
//	         locks.State        keys, queues, leases, what time brought   ─▶ changes ─┐
//	         reports.Reports    what programs and the proxy say           ◀─ + ─▶ ────┤
//	         reports.DrillRun   the drill, or lesson, that is played           + ─▶ ──┤
//	         timeline.Timeline  when each claim waited and held           ◀───────────┤
//	         findings.Set       what the rules find                       ◀─ + ─▶ ────┤
//	         versions           number what is shown otherwise than before ◀──────────┘
//	View ◀── pages, outputs, drills: questions only
//	Want(visible) ─▶ source: leases to read next, when to wake
//
// [Store] joins these parts. Whoever has it applies events and says what is to be read; whoever
// shows or judges gets its [View], by which nothing can be changed. An event passes the parts in a
// row. Each gets the event and the changes of those before it, as [locks.Change], and returns its
// own; none changes another. What it knows beyond that it asks of those before it. Lines for the
// journal are changes, too.
//
// A checkpoint is what is known at a moment. There are two, for two jobs: [Store.Clone] is a copy in
// memory, with all that only history tells, by which a person comes back to the moment; and
// [View.Checkpoint] is events that tell what is so, which a file begins with.
//
// Three laws hold, as tests: the same history gives the same state; how it is put into
// batches does not matter; a list at a revision and the events after it give the same queues
// as all events from the start.
package store
