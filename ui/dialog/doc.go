// Package dialog has the dialogs that stand over a page and take the keyboard: [Break] a
// lock, the menu of [Faults] with its second step, [Several] locks that are marked, the
// [Question] before an act on a cluster that is not ours, the list of [Columns], the
// [CommandLine], and the [StartPage] that asks what to watch where a cluster has too many keys to
// watch them all unasked.
//
// A dialog keeps its own state, reads a [host.View], and returns what it wants. It plans before it
// acts, shows what the plan would touch, and for the first moment ignores keys that
// confirm. [Keys] are the rows of all dialogs in the table of keys.
package dialog
