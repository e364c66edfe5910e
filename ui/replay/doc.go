// Package replay is how one goes through a recording in the console: what a recording can
// do for it, and the keys that ask for it.
package replay
