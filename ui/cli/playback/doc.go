// Package playback plays a recording under the console. A person can stop it, go through it, and go
// back in it.
//
//	recording ──Load──▶ Playback ──Next──▶ console, as time goes on
//	                          └──Go──▶ the state at another moment, and on from there
//
// A moment is folded from the events before it. So it shows what was seen then, with its journal.
// One scan of the recording, beside the screen, finds the places at which a person may want to
// stop, and keeps states on the way. A moment then costs only the events since the last of these
// states. A moment that the scan has not reached yet waits for the scan.
package playback
