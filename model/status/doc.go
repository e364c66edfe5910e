// Package status says how a lock or a session does, what a key is in a queue, and what it takes
// for a lock to move. Each of these facts is worked out here alone, and all outputs print it.
package status
