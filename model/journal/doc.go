// Package journal is what happened to the locks, line by line: who queued, acquired, left
// and took over, with the cause of each going as far as that is known.
//
// An [Entry] is a line, a [Journal] the whole of them. Package locks writes the lines and
// finds their causes. What many claims did at once is told as one line (story.go). An
// entry carries what that takes: its client, and how its lease was read last. Entries of which the
// cause is open wait in a line (waiting.go).
//
// It is not the audit log of what we did, a file that chaos/gate writes.
package journal
