package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"locktop/model"
)

// fit wants text that a terminal shows as it is, line by line.
func fit(t *testing.T, what, text string) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if !utf8.ValidString(line) {
			t.Errorf("%s: no UTF-8: %.200q", what, line)
			return
		}
		for _, r := range line {
			if !model.Shown(r) {
				t.Errorf("%s: %U in %.200q", what, r, line)
				return
			}
		}
	}
}

// ran runs the program, with its journal below state, and returns what it printed.
// It is a process of its own: Main sets the log of gRPC, which the server beside it
// in this process uses.
func ran(t *testing.T, state, stdin string, args ...string) (out, errs string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, locktop(t), args...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	var o, e bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &o, &e
	_ = cmd.Run() // what it printed is looked at, however it ended
	if ctx.Err() != nil {
		t.Errorf("%q did not end", args)
	}
	return o.String(), e.String()
}

// ranTo runs the program, with nothing on its standard input and no profile, and returns its
// exit code and what it printed.
func ranTo(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	cmd := exec.Command(locktop(t), args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_STATE_HOME=")
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	_ = cmd.Run() // its code is returned
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}
