// Package process has what the lab needs from the operating system: children ([Child]) that a
// signal reaches with all that they have started, pauses that return only when the process stands still, files that are
// locked while their owner lives, and output line by line.
//
// It finds free ports, too, for servers that want to be told a number and bind it later. [Listen] hands
// a listener over, so that nothing can come between; [StartOnPorts] starts a server again on other ports
// if somebody was quicker.
package process
