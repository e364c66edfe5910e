// Package waitfor has the wait-for graph. Its nodes are sessions (leases): a session waits for the
// sessions that hold a lock in whose queue it stands. Only a session with claims in several
// locks can be part of a circle.
package waitfor
