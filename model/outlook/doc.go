// Package outlook says how a lock and a session do, what a key is in a queue, and what it takes
// for a lock to move: each is worked out here alone, and all outputs print it.
package outlook
