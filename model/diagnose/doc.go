// Package diagnose says why a lock is stuck, or may be held by two.
//
//	keyspace.Keyspace, lab.Reports ──▶ rules ──findings, when to look again──▶ Diagnosis ──▶ locks, journal
//
// What is in which folder; none of leases, queues, told and cluster knows another:
//
//	rule     what a rule is given and may say, the entry of a finding, words that rules share
//	waitfor  the wait-for graph, which is searched from what changed
//	leases   findings about leases: late, silent, overdue, reset, leaked, of the holder or of a waiter
//	queues   findings about queues: who stands there wrongly, in a circle, or for long
//	told     findings from what contenders and the proxy tell
//	cluster  findings about the cluster and its members
//
// There is a file for each family of findings. It has the rules and all their words: the
// entries of the catalogue, what comes of breaking a claim, and the sentences of the
// findings. A rule looks at one lock, or at the cluster, and changes nothing: it reports
// findings and asks to be called again when time alone may change the answer. rules.go
// lists the families in the order in which their rules are asked.
//
// To add a finding, write its code into model/code.go, and into the file of its family an
// entry with its words and its place in the catalogue, and the rule that finds it. A new
// family is a new file and its name in the list of rules.go.
//
// [Diagnosis] calls the rules for the locks that were marked since, and keeps the findings.
// [Catalogue] explains every code. FINDINGS.md, a folder above, says by what each is proven.
package diagnose
