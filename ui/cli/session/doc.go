// Package session pulls events from a source. Every command that looks at
// something is one session:
//
//	watcher, recording or lab ──Next──▶ Session ──▶ state
//	                                       │
//	                                       ├──▶ OnBatch: each batch, as it came
//	                                       └──▶ OnEntry: each entry of the journal, once it is settled
//
// [Session.Pull] is [store.Store.Run] with deadlines, and with errors for the loss of a prefix
// and for an answer from another cluster. At the end of a recording it ends. A command says what
// ends its pull, and reads the state afterwards.
//
// [Merge] makes one source of several, [Fork] makes two of one, [Tap] looks at what passes.
//
// The package knows no cluster, no command and no screen.
package session
