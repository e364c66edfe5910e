// Package gate is the one way for the actions of the console.
//
//	Plan: read what would go ──▶ a person confirms ──▶ Do: read again, compare,
//	                                                   audit log, act, audit log
//
// A [Gate] refuses every write while it is not armed. [Gate.Do] does nothing that was not
// shown: a claim is deleted by a transaction that compares what the plan showed, and a
// lease is revoked only while it holds no other keys than the plan lists. Just before it
// writes, the gate asks every endpoint which cluster it belongs to. Another cluster shuts
// the gate for good.
//
// The audit log is a file (Options.AuditLog). It has a line before an action and
// one after it, with the etcdctl line that does the same. The model hears of an action by
// Options.Report, as a [model.Acted]: ui/cli merges these events with those of the watcher,
// and the journal of the locks (model/journal) then says "done by you".
// Actions on a lab go through the gate, too, and from there to the lab.
package gate
