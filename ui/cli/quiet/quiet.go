// Package quiet keeps Bubble Tea v1 from asking the terminal for its colours while packages are
// initialised (tea_init.go): every command of this program links it, and a terminal that does not
// answer would cost each of them, plain ones too, five seconds (termenv, OSCTimeout).
//
// Bubble Tea has no setting for that, and nothing that runs as late as main helps. termenv asks
// nothing where the variable CI is set, so it is set until [Done]. This package has to be
// initialised before Bubble Tea, and so imports nothing but os: packages that are ready are
// initialised in the order of their paths (Go specification, "Program initialization"), and Bubble
// Tea needs os/signal. TestPlainCommandsAskTheTerminalNothing looks at a real terminal.
package quiet

import "os"

var ours = os.Getenv("CI") == "" && os.Setenv("CI", "true") == nil

// Done takes the variable away again, unless a person had set it: nothing that starts later sees it.
func Done() {
	if ours {
		os.Unsetenv("CI")
	}
}
