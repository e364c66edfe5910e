// Package sessionspage has the page of sessions: the leases that stand in a queue or are not well, and
// what ends with the one under the cursor.
package sessionspage
