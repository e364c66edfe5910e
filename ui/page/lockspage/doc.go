// Package lockspage has two pages: the table of all locks, and the queue of one, with who holds it, who
// waits, why it is as it is and what happened to it. Where there is room the first page shows the
// second one's queue under its table.
package lockspage
