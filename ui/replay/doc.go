// Package replay is how one goes through a recording in the console, and back in what a running
// one has seen: what either can do for it, the keys that ask for it, and what goes on underneath
// while the past is shown; and how one makes a recording of what one sees.
package replay
