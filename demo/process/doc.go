// Package process has what the lab needs from the operating system: groups of processes that a
// signal reaches as a whole, pauses that return only when the process stands still, files that are
// locked while their owner lives, and output line by line.
package process
