// Package drill says what a drill is and reads one from its file. A drill is a rehearsal:
// a lab, steps with faults and waits, and what is expected.
//
//	file ──Parse──▶ Drill ──runner.Play──▶ Run ──▶ Report: JSON, JUnit, text
//	                  │           └─ check.Checker: a verdict for each Expectation
//	                  └──Plan: what would be done, in words
//
// [Parse] is strict: it refuses what it does not know, and names the line. The tags of the
// structs that a file is read into say what it may contain (grammar.go says what the tags mean).
// schema.go and reference.go make the JSON Schema, the reference and the answers of explain of them. An
// expectation is a row of the table in expect.go, with the fields that it takes. The package check
// has the function that judges it, under the same name; a test compares the two tables.
//
// A [Result] is held, violated or unknown. It carries the number that was measured, its
// bound, and evidence in sentences.
package drill
