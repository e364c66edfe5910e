// Package tape is a recording under the console: it can be stopped, gone through and gone
// back in.
//
//	recording ──Load──▶ Tape ──Next──▶ console, as time goes on
//	                      └──Go──▶ the state at another moment, and on from there
//
// A moment is folded from the beginning of the recording. So it is what was seen then, with
// its journal, and costs what the events before it cost.
package tape
