//go:build slow

package cli

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"locktop/watcher/hostile"
)

// TestEveryWayToAnswer: whatever a server answers, each command ends within
// --command-timeout and 2 s, with one line that says why, or with the lock.
func TestEveryWayToAnswer(t *testing.T) {
	bin := locktop(t)
	if len(ways) < 40 {
		t.Errorf("%d ways", len(ways))
	}
	places := make(chan struct{}, 8) // most ways are silent ones
	var alone sync.RWMutex
	var longest atomic.Int64
	t.Run("ways", func(t *testing.T) {
		for _, w := range ways {
			t.Run(w.name, func(t *testing.T) {
				t.Parallel()
				places <- struct{}{}
				defer func() { <-places }()
				for _, line := range walked {
					alone.RLock()
					a := w.try(t, bin, line)
					alone.RUnlock()
					if a.took > 2*time.Second || w.odd(strings.Fields(line)[0], a.code) { // is it the command, or those beside it?
						alone.Lock()
						a = w.try(t, bin, line)
						alone.Unlock()
					}
					longest.Store(max(longest.Load(), int64(a.took)))
					w.check(t, strings.Fields(line)[0], a.code, a.took, a.out, a.errs)
				}
			})
		}
	})
	figure(t, "the longest answer at --command-timeout 1s", inTime(time.Duration(longest.Load())))
}

// attempt is what came of one run of a command.
type attempt struct {
	code      int
	took      time.Duration
	out, errs string
}

// try runs a command line once, against a server that answers this way.
func (w way) try(t *testing.T, bin, line string) attempt {
	t.Helper()
	command := strings.Fields(strings.Replace(line, "DIR", t.TempDir(), 1))
	cmd := exec.Command(bin, append(command, "--prefix", "/l/", "--endpoints", w.serve(t), "--command-timeout", "1s")...)
	cmd.Env = append(cmd.Environ(), "HOME="+t.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	_ = cmd.Run() // its code is looked at
	return attempt{cmd.ProcessState.ExitCode(), time.Since(began), out.String(), errs.String()}
}

func (w way) serve(t *testing.T) (endpoint string) {
	if w.raw != nil {
		endpoint = hostile.Raw(t, w.raw)
	} else {
		s := hostile.Start(t, "127.0.0.1:0")
		s.Become(0xaa, 10, hostile.Key("/l/a", 0xa1, 5), hostile.Key("/l/a", 0xa2, 6))
		s.Alter(w.alter())
		endpoint = s.Addr
	}
	if w.https {
		return "https://" + endpoint
	}
	return endpoint
}

// odd says whether a command ended with another code than it has to.
func (w way) odd(command string, code int) bool {
	if command == "ls" {
		return code != w.code
	}
	return slices.Contains(w.well, command) != (w.code == exitBad && code == exitOK) || w.code == exitBad && code == exitFailed
}

func (w way) check(t *testing.T, command string, code int, took time.Duration, out, errs string) {
	t.Helper()
	if took > 3*time.Second {
		t.Errorf("%s took %s: %s", command, took, w.reason)
	}
	fit(t, command+" stdout", out)
	fit(t, command+" stderr", errs)
	if len(out) > 10_000 || len(errs) > 2_000 {
		t.Errorf("%s printed %d and %d bytes", command, len(out), len(errs))
	}
	if strings.Contains(errs, "goroutine ") || strings.HasPrefix(errs, "locktop: all is well") || strings.Contains(errs, "\nlocktop: all") {
		t.Errorf("%s says %s", command, errs)
	}
	if command != "ls" {
		if w.odd(command, code) {
			t.Errorf("%s: exit %d: %s%s", command, code, out, errs)
		}
		return
	}
	have := false
	for _, s := range strings.Split(w.says, "|") {
		have = have || strings.Contains(out+errs, s)
	}
	if w.odd(command, code) || !have || code == exitOK && w.says == "" && !strings.Contains(out, "/l/a") {
		t.Errorf("exit %d, want %d and %q: %s\n%s%s", code, w.code, w.says, w.reason, out, errs)
	}
	if code == exitBad && strings.Count(errs, "\n") != 1 && !strings.HasPrefix(errs, "locktop: not all could be seen") {
		t.Errorf("it is not one line: %s", errs)
	}
}
