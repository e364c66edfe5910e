// Package reports keeps what the lab and its proxy reported, beside what etcd says.
//
//	event, changes of the locks ──▶ Reports ──▶ changes: names, lines for the journal, what is due
//	                                   │
//	                                   └─ contenders, beliefs, intervals, keepers, notes ──▶ rules, ui
//
// A [ContenderInfo] is a process, a [Competitor] is what it says of one lock. A [Believed] is a
// time during which it believed that it held. model/timeline says who
// did hold then. How long two believed at once is derived from both ([Reports.Overlaps],
// [Reports.FalseSince]). [Notes] are what clients did to one key, as far as the proxy saw it.
//
// reports.go has what is remembered, and apply.go hands each event to the file that knows what
// to do with it. Reports never change what is true of the queues. A fact that the keys do not tell, such
// as who deleted one, is returned as a [locks.Change], which [locks.State.Write] takes in. All
// that is remembered is bounded. There are no findings in here: rules ask.
//
// A [DrillRun] is what is known of a drill, or a lesson, while it is played and afterwards: its
// steps in time, and the result of each expectation. It judges nothing.
package reports
