// Package resource is what the locks of a lab protect: a register behind HTTP on the
// loopback interface, so that two who hold at the same time have a victim. With a fence
// it refuses an access whose token is older than one it has seen.
package resource
