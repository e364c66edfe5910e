// Package runner runs a drill on a lab and reports the result.
//
//	Lab: one that somebody else started ──▶ Play ──▶ Run ──▶ Report
//
// [Play] does the steps and pulls the batches of the lab and of its watch into two
// accounts: a store.Store, as the console has it, and a check.Checker. Waits and targets
// ("holder of orders") are read from the first; verdicts come from the second.
//
// However a run ends, every fault is healed, with a context of its own. Then the run settles:
// an expected event may still come, for as long as its bound says.
package runner
