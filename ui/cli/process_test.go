package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"locktop/demo/etcdtest"
	"locktop/demo/labtest"
)

// binary is where the program is built, before any test changes TMPDIR.
var binary struct {
	once sync.Once
	dir  string
	err  error
}

// thinks makes this process a command that does not look whether it is to end, where a test can
// send it signals.
var thinks func() bool

func TestMain(m *testing.M) {
	if crashing() || thinks != nil && thinks() {
		return
	}
	binary.dir, binary.err = os.MkdirTemp("", "locktop-binary-")
	for _, name := range connectionVariables() {
		os.Unsetenv(name)
	}
	for name, dir := range atHome(binary.dir) {
		os.Setenv(name, dir)
	}
	labtest.WaitTogether()
	code := m.Run()
	os.RemoveAll(binary.dir)
	os.Exit(code)
}

// atStart is the environment before any test changed it: with another home the build
// would not find what is compiled already.
var atStart = os.Environ()

// goTool is a command of Go in that environment.
func goTool(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Env = atStart
	return cmd
}

// locktop returns the path of the program, built once. Each test has a link of its own, by which its
// processes are told from those of the tests beside it.
func locktop(t *testing.T) string {
	t.Helper()
	built := filepath.Join(binary.dir, "locktop")
	binary.once.Do(func() {
		if binary.err != nil {
			return
		}
		if out, err := goTool("build", "-o", built, "locktop").CombinedOutput(); err != nil {
			binary.err = fmt.Errorf("go build: %v\n%s", err, out)
		}
	})
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	own := filepath.Join(binary.dir, test, "locktop")
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(built, own); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	return own
}

// until waits for a state, with a deadline.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	end := time.Now().Add(30 * time.Second)
	for !ok() {
		if time.Now().After(end) {
			t.Fatalf("not within 30 s: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// start starts a program that ends with the test.
func start(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

// lsJSON is as much of the output of ls as the tests look at.
type lsJSON struct {
	Schema  int
	Cluster struct {
		Members  int
		Version  string
		Revision int64
	}
	Locks []struct {
		Name, Recipe string
		Holders      []claimJSON
		Waiters      []claimJSON
	}
}

type claimJSON struct {
	Position       int
	Key            string
	Lease          string
	CreateRevision int64 `json:"create_revision"`
	Granted        *int64
	LeaseState     string  `json:"lease_state"`
	WaitsFor       *string `json:"waits_for"`
}

// lines runs a program and delivers its standard output line by line.
func lines(t *testing.T, cmd *exec.Cmd) (<-chan string, *bytes.Buffer) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs := new(bytes.Buffer)
	cmd.Stderr = errs
	ch := make(chan string, 1000)
	start(t, cmd) // and end it: who asks a server that is gone may ask another test's, on the same port
	go func() {
		defer close(ch)
		for sc := bufio.NewScanner(out); sc.Scan(); {
			ch <- sc.Text()
		}
	}()
	return ch, errs
}

// untilLine waits for a line that contains text.
func untilLine(t *testing.T, ch <-chan string, text string) string {
	t.Helper()
	timeout := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-ch:
			if !ok {
				t.Fatalf("the program ended before it said %q", text)
			}
			if strings.Contains(line, text) {
				return line
			}
		case <-timeout:
			t.Fatalf("the program did not say %q within 30 s", text)
		}
	}
}

// onPort starts a program of which the command wants to be told a free port, and waits
// for a line that contains text.
func onPort(t *testing.T, text string, command func(port string) *exec.Cmd) (cmd *exec.Cmd, endpoint, line string, out <-chan string, errs *bytes.Buffer) {
	t.Helper()
	etcdtest.OnPorts(t, 1, func(addrs []string) error {
		endpoint = addrs[0]
		cmd = command(strings.TrimPrefix(endpoint, "127.0.0.1:"))
		out, errs = lines(t, cmd)
		for line = range out {
			if strings.Contains(line, text) {
				return nil
			}
		}
		cmd.Wait()
		if strings.Contains(errs.String(), syscall.EADDRINUSE.Error()) {
			return syscall.EADDRINUSE
		}
		return fmt.Errorf("the program ended before it said %q: %s", text, errs)
	})
	return cmd, endpoint, line, out, errs
}

// running counts the processes that the test started of our binary, and their own ones, by their command line.
func running(t *testing.T) int {
	t.Helper()
	n := 0
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, d := range dirs {
		if cmdline, err := os.ReadFile(d); err == nil && bytes.HasPrefix(cmdline, []byte(locktop(t)+"\x00")) {
			n++
		}
	}
	return n
}

func demoProgram(t *testing.T, tmp string) *exec.Cmd {
	cmd := exec.Command(locktop(t), "demo")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	return cmd
}

func checkNothingLeft(t *testing.T, tmp string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	until(t, "no process of ours is left", func() bool { return running(t) == 0 })
}

func TestAKilledDemoIsSweptByTheNext(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("needs /proc to see processes")
	}
	tmp := t.TempDir()
	killed := demoProgram(t, tmp)
	out, _ := lines(t, killed)
	untilLine(t, out, "joined the queue")
	killed.Process.Kill()
	killed.Wait()
	old, _ := filepath.Glob(filepath.Join(tmp, "locktop-lab-*"))
	if len(old) != 1 {
		t.Fatalf("after a SIGKILL there are %v: want the one directory", old)
	}
	next := demoProgram(t, tmp)
	out, _ = lines(t, next)
	untilLine(t, out, "lab ready")
	if _, err := os.Stat(old[0]); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", old[0], err)
	}
	next.Process.Signal(syscall.SIGTERM)
	next.Wait()
	checkNothingLeft(t, tmp)
}

func TestDemoSaysWhichPortIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tmp := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, locktop(t), "demo", "--members", "1", "--port", fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitBad || !strings.Contains(string(out), fmt.Sprint(l.Addr().(*net.TCPAddr).Port)) {
		t.Errorf("exit %d, %v: %s", cmd.ProcessState.ExitCode(), err, out)
	}
	checkNothingLeft(t, tmp)
}

// within is a context that ends long after what is waited for should have come.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}
