// Package replay is how one goes through a recording in the console: what a recording can
// do for it, and the keys that ask for it; and how one makes a recording of what one sees.
package replay
