// Package resource is what the locks of a lab protect: a register behind HTTP on the
// loopback interface, so that two holders at the same time do visible harm. With a fence
// it refuses an access whose token is older than one it has seen.
package resource
