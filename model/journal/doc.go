// Package journal is what happened to the locks, line by line: who queued, acquired, left
// and took over, with the cause of each going as far as that is known.
//
// An [Entry] is a line, a [Chronicle] the whole of them. The keyspace writes the lines and
// finds their causes. What many claims did at once is told as one line (story.go): the
// chronicle asks its [Keys], the keyspace, for what only keys and leases tell.
//
// It is not the journal of actions, which is a file that chaos/gate writes.
package journal
