// Package diagnose says why a lock is stuck, or may be held by two.
//
//	model.Keyspace, lab.Reports ──▶ rules ──findings, when to look again──▶ Diagnosis ──▶ locks, journal
//
// There is a file for each family of findings. It has the rules and all their words: the
// entries of the catalogue, what comes of breaking a claim, and the sentences of the
// findings. A rule looks at one lock, or at the cluster, and changes nothing: it reports
// findings and asks to be called again when time alone may change the answer. rules.go
// lists the rules in the order in which they are asked.
//
// [Diagnosis] calls the rules for what was marked since, and keeps what they found.
// waits.go has the wait-for graph, which is searched from what changed. [Catalogue]
// explains every code. FINDINGS.md, a folder above, says by what each is proven.
package diagnose
