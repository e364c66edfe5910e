// Package fields is the one table of what is said of locks, claims, sessions, findings,
// events and prefixes in columns. A field is one row of it: its title, its name for
// programs, its value for both, its width on a screen, and where it stands in each
// output. The tables, wide, CSV and the columns of the console are views of these rows,
// so a title cannot stand over the cells of another field. JSON is written by hand, for
// speed; a test holds its names and their order against the same rows.
//
// A new column is one row here, and its line in the tests. The console writes it as the
// tables do, unless it has a way of its own for it.
//
// Places are counted in tens, so that one more fits between two.
package fields
