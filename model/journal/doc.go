// Package journal is what happened to the locks, line by line: who queued, acquired, left
// and took over, with the cause of each departure as far as it is known.
//
// An [Entry] is a line, a [Journal] the whole of them. Package locks writes the lines and
// finds their causes by readings, package reports those that the proxy saw. One line tells what many claims did at once (story.go): for
// this an entry keeps its client and the last reading of its lease. Entries whose cause is
// undecided are queued (waiting.go).
//
// It is not the audit log of our own actions, a file that chaos/gate writes.
package journal
