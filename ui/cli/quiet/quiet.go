// Package quiet keeps Bubble Tea v1 from asking the terminal for its colours when
// it is imported: a terminal that does not answer would cost every command,
// plain ones too, five seconds (bubbletea tea_init.go, termenv OSCTimeout).
//
// termenv asks nothing where the variable CI is set. This package sets it while
// packages are initialised. It imports nothing but os and runtime, so it is initialised
// before Bubble Tea, which needs os/signal: packages that are ready are
// initialised in the order of their paths (Go specification, "Program
// initialization").
//
// It also has the runtime keep no profile of what is allocated. Nobody asks for one, and its
// records grow for as long as a console is open.
package quiet

import (
	"os"
	"runtime"
)

var ours bool

func init() {
	runtime.MemProfileRate = 0
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
