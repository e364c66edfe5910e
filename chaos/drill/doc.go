// Package drill rehearses failures: a drill is a file that says on which lab what
// is done and what is expected, and a run of it ends in a verdict.
//
//	file ──Parse──▶ Drill ──Run(Stage)──▶ Round ──▶ Report: JSON, JUnit, text
//	                  └──Plan: what would be done
//
// [Parse] is strict: what it does not know it refuses, with the line. [Run] plays the
// steps on a [Stage], which is a lab that somebody else started from Drill.Lab. It
// pulls the batches of the lab and its watch into two accounts:
//
//   - a model.State, as the console has it. Waits and targets ("holder of orders")
//     are read from it, and so is what the diagnosis finds.
//   - the history of the judge (history.go), folded from the same events by simpler
//     rules. Whether etcd's order and the words of the contenders are as expected is
//     computed from it alone, so that a mistake of the state cannot hide itself.
//
// The expectations are one table (expect.go): name, fields, and the function that
// judges. Each ends in held, violated or unknown, with the number that was measured,
// its bound, and evidence in sentences. Something that should have happened and did
// not is violated only if there was time for it; if the drill did not get that far it
// is unknown.
//
// However a run ends, every fault is healed, with a context of its own. Then it
// settles: what was expected may still come, for as long as its bound says.
package drill
