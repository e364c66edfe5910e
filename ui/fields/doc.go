// Package fields is the one table of the columns for locks, claims, sessions, findings,
// events and prefixes. A field is one row of it: its title, its name for
// programs, its value for both, its width on a screen, and where it stands in each
// output. The tables, wide, CSV and the columns of the console are views of these rows,
// so a title cannot stand over the cells of another field. JSON has its names and their order
// from the same rows; values that are nested, or numbers of each claim, are written by ui/report.
//
// To add a column, write one row here. For a lock, a claim or a cost the row is enough, also for
// JSON: give it the last place there, and a way to be written ([Text], [Bare] or [Bytes]). Findings, events and prefixes have a struct for JSON
// in ui/report. The console shows the text of the tables,
// unless a page gives the cell a style of its own (table.CellsOf).
//
// Places are counted in tens, so that one more fits between two.
package fields
