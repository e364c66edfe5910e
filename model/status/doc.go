// Package status says the state of a lock or a session, what a key is in a queue, and what it takes
// for a lock to move. Each of these facts is worked out only here, and all outputs print it.
package status
