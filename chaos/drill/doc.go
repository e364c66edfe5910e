// Package drill says what a drill is and reads one from its file. A drill is a rehearsal:
// a lab, steps with faults and waits, and what is expected.
//
//	file ──Parse──▶ Drill ──play.Run──▶ Round ──▶ Report: JSON, JUnit, text
//	                  │         └─ judge.Judge: a verdict for each Expectation
//	                  └──Plan: what would be done, in words
//
// [Parse] is strict: it refuses what it does not know, and names the line. An expectation
// is a row of the table in expect.go, with its fields. The package judge has the function
// that judges it, under the same name; a test compares the two tables.
//
// A [Result] is held, violated or unknown. It carries the number that was measured, its
// bound, and evidence in sentences.
package drill
