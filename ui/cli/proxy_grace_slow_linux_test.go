//go:build slow

package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// guest is a command behind the proxy.
type guest struct {
	t         *testing.T
	cmd       *exec.Cmd
	dir       string // where it leaves files
	out, errs bytes.Buffer
}

// newGuest runs a shell program behind the proxy, in a folder of its own, and waits until
// it has written the file "ready".
func newGuest(t *testing.T, endpoint, script string, flags ...string) *guest {
	t.Helper()
	g := &guest{t: t, dir: t.TempDir()}
	args := append([]string{"proxy", "--endpoints", endpoint}, flags...)
	g.cmd = exec.Command(locktop(t), append(args, "--", "sh", "-c", script)...)
	g.cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	g.cmd.Dir, g.cmd.Stdout, g.cmd.Stderr = g.dir, &g.out, &g.errs
	start(t, g.cmd)
	until(t, "the command is ready", func() bool { return g.file("ready") != "" })
	return g
}

func (g *guest) file(name string) string {
	text, _ := os.ReadFile(filepath.Join(g.dir, name))
	return strings.TrimSpace(string(text))
}

// ends waits for locktop's end, and returns its exit code and how long it took.
func (g *guest) ends() (code int, took time.Duration) {
	g.t.Helper()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	defer context.AfterFunc(ctx, func() { g.cmd.Process.Kill() })()
	g.cmd.Wait()
	return g.cmd.ProcessState.ExitCode(), time.Since(begun)
}

// gone checks that the processes whose numbers are in a file do not run.
func (g *guest) gone(file string) {
	g.t.Helper()
	pids := strings.Fields(g.file(file))
	if len(pids) == 0 {
		g.t.Fatalf("no process in %s", file)
	}
	for _, pid := range pids {
		text, err := os.ReadFile("/proc/" + pid + "/stat")
		if err == nil && !strings.Contains(string(text), ") Z ") {
			g.t.Errorf("%s still runs: %s", pid, text)
			if n, err := strconv.Atoi(pid); err == nil {
				syscall.Kill(n, syscall.SIGKILL)
			}
		}
	}
}

// tidies is a program that takes two seconds to tidy up, and fails on a second signal.
const tidies = `n=0; trap 'n=$((n+1)); [ $n = 1 ] || echo "$n signals" >twice' TERM
	echo $$ >pids; echo yes >ready
	while [ $n = 0 ]; do sleep 0.1; done
	i=0; while [ $i -lt 20 ]; do sleep 0.1; i=$((i+1)); done
	echo unlocked >done; exit 7`

func TestACommandHasTimeToTidyUp(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	for _, r := range []struct {
		script string
		signal syscall.Signal
		code   int
		reason string
	}{
		{tidies, syscall.SIGTERM, 7, "its own exit code, though it was told to end"},
		{tidies, syscall.SIGINT, 7, "ctrl-c is no different"},
		{tidies, syscall.SIGHUP, 7, "nor is a terminal that goes away"},
		{`sh -c 'trap "sleep 2; echo unlocked >done; exit" TERM; echo $$ >pids; echo yes >ready; while :; do sleep 0.1; done' & wait`,
			syscall.SIGTERM, 143, "what it has started has as much time, also when it is gone itself"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			g := newGuest(t, b.endpoint, r.script)
			g.cmd.Process.Signal(r.signal)
			code, took := g.ends()
			if code != r.code || g.file("done") != "unlocked" {
				t.Errorf("exit %d after %v, tidied up: %q; want %d\n%s", code, took, g.file("done"), r.code, &g.errs)
			}
			if twice := g.file("twice"); twice != "" {
				t.Errorf("it got %s", twice)
			}
			g.gone("pids")
		})
	}
}

// deaf is a program that takes no hint, with a child that takes none either.
const deaf = `trap '' TERM; sleep 1000 & echo $$ $! >pids; echo yes >ready; while :; do sleep 0.1; done`

func TestACommandThatDoesNotEndIsKilled(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	t.Run("when its time is up", func(t *testing.T) {
		g := newGuest(t, b.endpoint, deaf, "--grace", "1s")
		g.cmd.Process.Signal(syscall.SIGTERM)
		if code, took := g.ends(); code != 128+9 || took < time.Second {
			t.Errorf("exit %d after %v\n%s", code, took, &g.errs)
		}
		g.gone("pids")
	})
	t.Run("with a second ctrl-c", func(t *testing.T) {
		g := newGuest(t, b.endpoint, deaf, "--grace", "10m")
		g.cmd.Process.Signal(syscall.SIGINT)
		g.cmd.Process.Signal(syscall.SIGINT) // with the first: no second thought
		time.AfterFunc(2*time.Second, func() { g.cmd.Process.Signal(syscall.SIGINT) })
		code, took := g.ends()
		if code != 128+9 || took < time.Second || took > 30*time.Second {
			t.Errorf("exit %d after %v\n%s", code, took, &g.errs)
		}
		if !strings.Contains(g.errs.String(), "waiting up to 10m0s for sh to end; ctrl-c kills it") {
			t.Errorf("it does not say what it waits for:\n%s", &g.errs)
		}
		g.gone("pids")
	})
}

func TestACommandEndsByItself(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	for _, r := range []struct {
		script string
		code   int
		reason string
	}{
		{`echo yes >ready; exit 42`, 42, "its own exit code"},
		{`echo yes >ready; exit 200`, 200, "also one that looks like a signal's"},
		{`echo yes >ready; kill -TERM $$`, 143, "a signal that somebody else sent"},
		{`sleep 1000 & echo $! >pids; echo yes >ready; exit 0`, 0, "what it leaves behind is ended"},
		{`sh -c 'sleep 1000 & echo $! >pids; wait' & until [ -s pids ]; do sleep 0.1; done; echo yes >ready; exit 3`, 3, "grandchildren too"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			g := newGuest(t, b.endpoint, r.script, "--grace", "1m")
			if code, took := g.ends(); code != r.code || took > 30*time.Second {
				t.Errorf("exit %d after %v, want %d\n%s", code, took, r.code, &g.errs)
			}
			if r.code == 200 && !strings.Contains(g.errs.String(), "sh ended: exit 200") {
				t.Errorf("%s", &g.errs)
			}
			if strings.Contains(r.script, "pids") {
				g.gone("pids")
			}
		})
	}
}

func TestGraceIsNotNegative(t *testing.T) {
	code, _, errs := program(t, t.TempDir(), "proxy", "--grace", "-1s")
	if code != exitBad || !strings.Contains(errs, "want 0 or more") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
