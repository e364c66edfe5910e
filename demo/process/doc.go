// Package process is what the lab needs of the system about processes: groups that a
// signal reaches whole, pauses that are over only when the process stands still, files
// that are locked while their owner lives, output line by line.
package process
