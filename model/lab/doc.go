// Package lab keeps what the lab and its proxy reported, beside what etcd says.
//
//	reports ──▶ Reports ──contenders, beliefs, intervals, owners, notes──▶ rules, ui
//	              │  ▲
//	       Witness▼  │what the last event changed
//	           keyspace.Keyspace
//
// A [ContenderInfo] is a process, a [Competitor] what it says of one lock. A [Believed] is a
// time during which it believed that it held. The book of model/intervals
// says who did hold then. For how long two believed follows from both alone ([Reports.Overlaps],
// [Reports.FalseSince]). [Notes] are what clients did to one key, as far as the proxy saw it.
//
// reports.go has what is remembered, and apply.go hands each event to the file that knows what
// to do with it. Reports never change what is true of the queues. They tell the keyspace, as its
// [keyspace.Witness], what the keys do not tell: whose a lease is, and who deleted a key. All
// that is remembered is bounded. There are no findings in here: rules ask.
package lab
