// Package session pulls events from a source. Every command that looks at
// something is one session:
//
//	watcher, recording or lab ──Next──▶ Session ──▶ state
//	                                       │
//	                                       ├──▶ OnBatch: each batch, as it came
//	                                       └──▶ OnEntry: each entry of the journal, once it is settled
//
// [Session.Pull] is the only loop: it has the deadlines, the loss of a prefix, an answer from
// another cluster, and the end of a recording. A command says what ends its pull, and reads
// the state afterwards. The console and a drill pull by themselves: the console between two
// key presses, a drill between two steps.
//
// [Merge] makes one source of several, [Fork] makes two of one, [Tap] looks at what passes.
//
// The package knows no cluster, no command and no screen.
package session
