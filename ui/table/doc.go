// Package table paints tables.
//
// A [Table] has columns as data and paints the rows of its window. It does not know what
// the rows mean: a page fills in a [Row], cell by cell, and names it. A row that did not change
// is not painted again: its line is found by that name.
//
//	fields ──CellsOf──▶ Cells ──Row──▶ spans of one row ──Table.Paint──▶ lines
//	rows ──Ranking──▶ ids in order, a piece at a time
//
// A [Ranking] puts long lists in order, and a [Rhythm] says when it is time to. On a
// narrow screen columns are dropped by rank; one of rank 0 stays.
//
// The package knows no page, and no time but that of the [View] it is handed.
package table
