// Package reports keeps what the lab and its proxy reported, beside what etcd says.
//
//	event, changes of the locks ──▶ Reports ──▶ changes: names, lines for the journal, what is due
//	                                   │
//	                                   └─ contenders, beliefs, intervals, keepers, notes ──▶ rules, ui
//
// A [ContenderInfo] is a process, a [Competitor] what it says of one lock. A [Believed] is a
// time during which it believed that it held. model/timeline says who
// did hold then. For how long two believed follows from both alone ([Reports.Overlaps],
// [Reports.FalseSince]). [Notes] are what clients did to one key, as far as the proxy saw it.
//
// reports.go has what is remembered, and apply.go hands each event to the file that knows what
// to do with it. Reports never change what is true of the queues. What the keys do not tell, like
// who deleted one, they return as a [locks.Change], and [locks.State.Write] takes that in. All
// that is remembered is bounded. There are no findings in here: rules ask.
//
// A [DrillRun] is what is known of a drill, or a lesson, while it is played and afterwards: its
// steps in time, and what came of each expectation. It judges nothing.
package reports
