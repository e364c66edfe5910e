// Package check computes the verdict of a drill.
//
//	events, words of contenders ──▶ history ─┐
//	findings and causes of the model ────────┼──▶ Checker ──▶ a drill.Result for each expectation
//	steps and faults of the run ─────────────┘
//
// The checker makes a history of its own from the same events as the screen, by simpler
// rules, and never asks the model who holds. A mistake of the model cannot hide itself
// that way. This second opinion is on purpose: only who held, who believed that it did (beliefs.go), and
// how long two did at once (times.go) have two homes. The other is model/locks, and model/reports in
// its intervals.go.
//
// An expectation that was not met is violated only if there was time to meet it. If the drill did
// not get that far, it is unknown.
package check
