// Package drill says what a drill is and reads one from its file. A drill is a rehearsal:
// a lab, steps with faults and waits, and what is expected.
//
//	file ──Parse──▶ Drill ──runner.Play──▶ Run ──▶ Report: JSON, JUnit, text
//	                  │           └─ check.Checker: a verdict for each Expectation
//	                  └──Plan: what would be done, in words
//
// [Parse] is strict: it refuses what it does not know, and names the line. What a file may say are
// the tags of the structs that it is read into (grammar.go has what the tags mean), and of these
// the package author makes the JSON Schema, the reference and the answers of explain. An
// expectation is a row of the table in expect.go, with the fields that it takes. The package check
// has the function that judges it, under the same name; a test compares the two tables.
//
// A [Result] is held, violated or unknown. It carries the number that was measured, its
// bound, and evidence in sentences.
package drill
