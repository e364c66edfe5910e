// Package waits paints what waiting for a lock cost, beside the journal of the lock: how long
// holds and waits are, how fair the lock is, what shorter holds would have changed, and who waited
// for whom.
//
//	intervals.Book ──Contention──▶ Panel ──▶ lines
//
// The figures are those of `locktop top`, of the time that the axis shows.
package waits
