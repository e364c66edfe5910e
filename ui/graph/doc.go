// Package graph draws who waits for whom where that is a ring: a deadlock.
//
//	Diagnosis.Ring ──▶ boxes and arrows, where they fit; else a line for each session
//
// Sessions and locks stand in the order of the ring, the arrows go from the sessions: to the
// lock that one holds, and to the one for which it waits. The session that costs least to end
// is marked with what it costs.
package graph
