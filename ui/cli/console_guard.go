package cli

// A crash leaves no time to tidy up: when a goroutine panics that is not Bubble Tea's, one
// of the etcd client for example, the Go runtime prints the trace and ends the process,
// with the terminal as the console had it: no echo, no line ends, the other screen. So a
// second, small process stands guard over the terminal while the console runs:
//
//	console ──a socket, on which the runtime writes what it crashed of──▶ guard
//
// The first bytes tell the guard to put the terminal back. The socket holds no more than a
// few of the many small writes that a trace is made of, and the runtime waits for room, so
// the terminal is as it was before the process ends and the shell is back. When the socket
// ends without a word, the console was killed, and the guard does the same. The console
// says goodbye with a byte of its own.

// guardCommand is the hidden first argument that makes this program a guard; the second
// one is the state of the terminal.
const guardCommand = "terminal-guard"

// goodbye is what the console says when it has put the terminal back by itself. No crash
// begins with it.
const goodbye = 0

// asItWas takes back what the console asks of a terminal: bracketed paste, focus, the mouse
// and its ways to report, the hidden cursor, the other screen, and a style.
const asItWas = "\x1b[?2004l\x1b[?1004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?25h\x1b[?1049l\x1b[0m\r"
