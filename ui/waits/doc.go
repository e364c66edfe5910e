// Package waits paints what waiting for a lock cost, beside its journal: how long holds and
// waits are, how fair it is, what shorter holds would have changed, and who waited for whom.
//
//	intervals.Book ──Contention──▶ Panel ──▶ lines
//
// The figures are those of `locktop top`, of the time that the axis shows.
package waits
