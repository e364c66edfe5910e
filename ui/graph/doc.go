// Package graph draws a deadlock: a ring of sessions, each of which waits for the next.
//
//	Diagnosis.Ring ──▶ boxes and arrows, where they fit; else a line for each session
//
// Sessions and locks stand in the order of the ring. Two arrows go from each session: to the
// lock that it holds, and to the lock for which it waits. The session that costs least to end
// is marked with what it costs.
package graph
