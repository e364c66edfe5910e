// Package process has what the lab needs from the operating system: children ([Child]) that a
// signal reaches with all that they have started, pauses that return only when the process stands still, files that are
// locked while their owner lives, and output line by line.
package process
