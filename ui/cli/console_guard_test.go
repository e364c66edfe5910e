package cli

import (
	"os"
	"sync"

	"github.com/charmbracelet/x/term"
)

// crashEnv makes the test program one that crashes while it has the terminal, as the
// console would: the way in which it crashes.
const crashEnv = "LOCKTOP_TEST_CRASH"

// crashes are ways to crash, each in a goroutine that nobody recovers.
var crashes = map[string]func(){
	"a nil pointer": func() {
		var p *struct{ n int }
		_ = p.n
	},
	"a panic with words": func() { panic("words") },
	"a fatal error": func() {
		var mu sync.Mutex
		mu.Unlock()
	},
}

// crashing says whether this process is to be no test: a guard, or one that crashes.
func crashing() bool {
	if len(os.Args) == 3 && os.Args[1] == guardCommand {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	crash, ok := crashes[os.Getenv(crashEnv)]
	if !ok {
		return false
	}
	guardTerminal(os.Stdin, os.Stdout)
	if _, err := term.MakeRaw(os.Stdin.Fd()); err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString("\x1b[?1049h\x1b[?25l\x1b[?1002h\x1b[?1006h\x1b[?2004h")
	go crash()
	select {}
}
