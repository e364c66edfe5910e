//go:build slow

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// scripted is a proxy with a socket for scripts, and a program behind it.
type scripted struct {
	t    *testing.T
	cmd  *exec.Cmd
	path string
	tmp  string
	conn net.Conn
	in   *bufio.Scanner

	mu  sync.Mutex
	out bytes.Buffer
}

func (s *scripted) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func script(t *testing.T, armed bool, endpoint, command string) *scripted {
	t.Helper()
	s := &scripted{t: t, tmp: t.TempDir(), path: filepath.Join(t.TempDir(), "l.sock")}
	s.cmd = exec.Command(locktop(t), "proxy", "--endpoints", endpoint, "--control", s.path, fmt.Sprintf("--armed=%v", armed), "--", "sh", "-c", "exec "+command)
	s.cmd.Env = append(os.Environ(), "TMPDIR="+s.tmp, "XDG_STATE_HOME="+s.tmp+"-state")
	s.cmd.Stdout, s.cmd.Stderr = s, s
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // it has ended, if all is well
		_ = s.cmd.Wait()
		if t.Failed() {
			s.mu.Lock()
			t.Log(s.out.String())
			s.mu.Unlock()
		}
	})
	settles(t, "the proxy is ready", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return strings.Contains(s.out.String(), "proxy ready")
	})
	s.conn = s.dial()
	s.in = bufio.NewScanner(s.conn)
	return s
}

func (s *scripted) dial() net.Conn {
	s.t.Helper()
	c, err := net.Dial("unix", s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c
}

// says sends a line, and wants the answer to be a line of JSON with something in it.
func (s *scripted) says(line string, ok bool, want string) {
	s.t.Helper()
	if err := s.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.WriteString(s.conn, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
	if !s.in.Scan() {
		s.t.Fatalf("%s: no answer: %v", line, s.in.Err())
	}
	var a struct{ OK bool }
	if err := json.Unmarshal(s.in.Bytes(), &a); err != nil || a.OK != ok || !strings.Contains(s.in.Text(), want) {
		s.t.Errorf("%s: %s, want ok %v and %s (%v)", line, s.in.Text(), ok, want, err)
	}
}

// TestAScriptAtTheSocket: it lists, hits, heals, waits and asks for a verdict, and is told why
// where something is not done.
func TestAScriptAtTheSocket(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	s := script(t, true, b.endpoint, worker(t, "obeys")+" /app/l 2")
	if info, err := os.Stat(s.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v: the socket is for its owner alone", info.Mode(), err)
	}
	s.says(`{"do":"wait","lock":"/app/l","holder":"sh"}`, true, `: sh holds /app/l"`)
	s.says(`{"do":"list"}`, true, `"programs":[{"name":"sh","pid":`)
	s.says(`{"do":"judge"}`, true, `"live":true,"verdict":"held","findings":[`)
	s.says(`{"do":"inject","fault":"hold-keepalives","target":"sh"}`, true, `"done":"Holding keepalives of sh`)
	s.says(`{"do":"list"}`, true, `"faults":[{"fault":"hold-keepalives","target":"sh","text":"hold keepalives of sh"`)
	s.says(`{"do":"wait","lock":"/app/l","nobody":true}`, true, `nobody holds /app/l`)
	s.says(`{"do":"heal","fault":"hold-keepalives","target":"sh"}`, true, `"done":`)
	s.says(`{"do":"wait","lock":"/app/l","holder":"sh","within":"20s"}`, true, `sh holds /app/l`)
	s.says(`{"do":"inject","fault":"pause","target":"sh","for":"300ms"}`, true, `Paused sh for 300ms`)
	s.says(`{"do":"heal"}`, true, `"done":`)
	for _, r := range []struct{ line, want, reason string }{
		{`{"do":"wait","lock":"/app/l","holder":"nobody-there","within":"200ms"}`, `waited 200ms for nobody-there to hold /app/l, but the holder was sh`, "what was seen is said"},
		{`{"do":"wait","holder":"sh"}`, `which lock?`, "a place in which queue"},
		{`{"do":"wait"}`, `nothing to wait for`, "nothing is no question"},
		{`{"do":"wait","lock":"/l","nobody":true,"within":"1h"}`, `within is at most 10m0s`, "nobody waits for ever"},
		{`{"do":"wait","lock":"/l","nobody":true,"within":"-1s"}`, `does not run backwards`, "nor before now"},
		{`{"do":"inject","fault":"pause","target":"x"}`, `not a contender of the lab`, "there is no such program"},
		{`{"do":"inject","fault":"explode","target":"sh"}`, `explode`, "nor such a fault"},
		{`{"do":"inject","fault":"isolate","target":"m1"}`, `the members are not ours`, "nor are members ours"},
		{`{"do":"dance"}`, `want list, listen, inject, heal, wait or judge`, "nor such a deed"},
		{`{"do":"inject","fult":"pause"}`, `unknown field`, "a slip is no default"},
		{`dance`, `no request`, "that is no JSON"},
	} {
		s.says(r.line, false, r.want)
	}
	long := s.dial()
	if _, err := io.WriteString(long, `{"do":"`+strings.Repeat("x", 70<<10)); err != nil {
		t.Fatal(err)
	}
	if last, _ := bufio.NewReader(long).ReadString('\n'); !strings.Contains(last, "at most 65536 bytes") { // then it may be cut off
		t.Errorf("a request without an end: %s", last)
	}
	s.says(`{"do":"judge"}`, true, `"verdict":"held"`) // it does not disturb the others
	s.says(`{"do":"inject","fault":"kill","target":"sh"}`, true, `Killed sh`)
	_ = s.cmd.Wait() // its code is that of the program
	if left, err := os.ReadDir(filepath.Dir(s.path)); s.cmd.ProcessState.ExitCode() != 137 || err != nil || len(left) > 0 {
		t.Errorf("%s, left behind: %v %v", s.cmd.ProcessState, left, err)
	}
}

// TestTheSocketOpensNoDoor: without --armed it shows and does nothing; what is at its path is
// not lost; and it goes with locktop, however that ends.
func TestTheSocketOpensNoDoor(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	s := script(t, false, b.endpoint, "sleep 1000")
	settles(t, "the program is seen", func() bool {
		s.says(`{"do":"list"}`, true, `"ok":true`)
		return strings.Contains(s.in.Text(), `"name":"sh"`)
	})
	s.says(`{"do":"inject","fault":"kill","target":"sh"}`, false, `Read-only.`)
	code, _, errs := behind(t, t.TempDir(), []string{"--endpoints", b.endpoint, "--control", s.path}, "true")
	if code != 2 || !strings.Contains(errs, "somebody listens on "+s.path+" already") {
		t.Errorf("exit %d: %s", code, errs)
	}
	file := filepath.Join(t.TempDir(), "notes")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := behind(t, t.TempDir(), []string{"--endpoints", b.endpoint, "--control", file}, "true"); code != 2 || !strings.Contains(errs, "is not a socket") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if err := s.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // it was killed
	settles(t, "the socket and the folder of the lab have gone", func() bool {
		left, err := os.ReadDir(s.tmp)
		_, gone := os.Stat(s.path)
		return err == nil && len(left) == 0 && os.IsNotExist(gone)
	})
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	if code, _, errs := behind(t, t.TempDir(), []string{"--endpoints", b.endpoint, "--control-token", file}, "true"); code != 2 || !strings.Contains(errs, "for --control-http ADDRESS, which is missing") {
		t.Errorf("a token without its door: exit %d: %s", code, errs)
	}
	if code, _, errs := behind(t, t.TempDir(), []string{"--endpoints", b.endpoint, "--control", s.path}, "true"); code != 0 {
		t.Errorf("a socket that nobody listens on is no hindrance: exit %d: %s", code, errs)
	}
}
