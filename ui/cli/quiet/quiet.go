// Package quiet keeps Bubble Tea v1 from asking the terminal for its colours when
// it is imported: a terminal that does not answer would cost every command,
// plain ones too, five seconds (bubbletea tea_init.go, termenv OSCTimeout).
//
// termenv asks nothing where the variable CI is set. This package sets it while
// packages are initialised. It imports nothing but os, so it is initialised
// before Bubble Tea, which needs os/signal: packages that are ready are
// initialised in the order of their paths (Go specification, "Program
// initialization").
package quiet

import "os"

var ours bool

func init() {
	if os.Getenv("CI") == "" {
		ours = os.Setenv("CI", "locktop") == nil
	}
}

// Done takes the variable away again, so that nothing that starts later sees it.
func Done() {
	if ours {
		ours = false
		os.Unsetenv("CI")
	}
}
