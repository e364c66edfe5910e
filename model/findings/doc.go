// Package findings says why a lock is stuck, or may be held by two.
//
//	event, changes ─▶ worklist ─▶ rules, which ask locks and reports ─▶ Set ─▶ changes, lines for the journal
//	                     ▲                                  │
//	                     └────────── when to look again ────┘
//
// There is a file for each family of findings. It has the rules, and beside each the explanation
// of its finding: its [Entry] in the catalogue. The sentences that a rule says are messages, and
// their words stand in package text, in both languages: findings.go has them, and codes_*.go all
// other words of a finding, together. A rule looks at one lock, or at the cluster, and changes
// nothing: it reports findings and asks to be called again when time alone may change the answer.
// rules.go lists the families in the order in which their rules are asked; rule.go has the
// [Context] in which a rule looks.
//
// To add a finding, write its code into model/code.go, and into the file of its family an
// entry with its explanation and its place in the catalogue, and the rule that finds it. Its
// sentences are rows of package text. A new family is a new file and its name in the list of rules.go.
//
// [Set] calls the rules for the locks that changed or whose time has come, and keeps the findings.
// [Catalogue] explains every code. FINDINGS.md, a folder above, is a table of it.
//
// [Cycles] are found in the wait-for graph: its nodes are sessions (leases), and a session waits for the
// sessions that hold a lock in whose queue it stands. [OrphanLeases] follows leases that live
// on without a key.
//
// Costs: findings are derived anew for what changed, and when a deadline falls due. The search for
// cycles grows with the claims of those sessions that have several.
package findings
