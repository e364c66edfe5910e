// Package tape is a recording under the console: it can be stopped, gone through and gone
// back in.
//
//	recording ──Load──▶ Tape ──Next──▶ console, as time goes on
//	                      └──Go──▶ the state at another moment, and on from there
//
// A moment is folded from the events before it. So it is what was seen then, with its journal.
// One scan of the recording, beside the screen, finds where one may want to stop and keeps
// states on the way, so that a moment costs the events since the last of these; one that the
// scan has not reached waits for it.
package tape
