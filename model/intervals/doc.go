// Package intervals keeps what happened across time: for every lock, when each claim waited and
// when it held.
//
//	           ┌─ Gone, Unheld ──▶ Book: the stays that are over, packed
//	Keyspace ──┤                    │
//	           └─ queues ───────────┴──▶ Stays ──▶ axis, contention figures, beliefs of the lab
//
// A [Stay] is one claim in the queue of its lock: it came, it got the lock or not, it went. It
// follows from watched keys alone, so every lock on every cluster has its stays. A stay that goes
// on is not stored: it is read from the queues. A stay that is over is packed into some 20 bytes
// ([Book.Bytes]). A [Mark] is a moment that matters beside them, a [Gap] a time in which
// nothing was seen.
//
// Memory is bounded: the oldest stays of all locks give way first, and of one lock before it
// takes a quarter of all. [Book.Since] says from when on the stays of a lock are whole.
//
// [Book.Contention] is what the stays of a time say in figures: who waited for whom and for how
// long, and by a replay of the turns ([Contention.WhatIf]) how long it would have been with
// shorter holds.
package intervals
