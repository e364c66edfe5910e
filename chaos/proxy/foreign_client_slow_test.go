//go:build slow

package proxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/chaos/chaostest"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
)

// foreignLock is what the foreign clients compete for.
const foreignLock = "jobs/build"

// foreign is a client that is no part of this program: a process around a library,
// that takes a command a line ("acquire", "try", "refresh", "release") and answers
// each with a line.
type foreign struct {
	name string
	// how to run it, or a skip where it is not installed
	command func(t *testing.T, ttl string) *exec.Cmd
	// holds is a key of its lock, or how such keys begin
	holds string
	// renews without being told, and so loses its lock when it cannot
	renews bool
}

var foreigners = []foreign{
	{name: "go", command: goClient, holds: foreignLock + "/", renews: true},
	{name: "node", command: nodeClient, holds: foreignLock, renews: true},
	{name: "python", command: pythonClient, holds: "/locks/" + foreignLock},
}

// missing fails the test: with the tag slow all programs have to be there.
func missing(t *testing.T, what string) {
	t.Helper()
	t.Fatal(what)
}

// foreignFile returns the path of a program.
func foreignFile(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata/foreign", name))
	chaostest.Must(t, err)
	return path
}

func nodeClient(t *testing.T, ttl string) *exec.Cmd {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, "node is not installed")
	}
	modules, err := filepath.Abs("../../watcher/testdata/programs/npm/node_modules")
	chaostest.Must(t, err)
	if _, err := os.Stat(filepath.Join(modules, "etcd3")); err != nil {
		missing(t, "the npm package etcd3 is not installed: npm ci --prefix watcher/testdata/programs/npm")
	}
	cmd := exec.Command(node, foreignFile(t, "client.js"), foreignLock, ttl)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	return cmd
}

func pythonClient(t *testing.T, ttl string) *exec.Cmd {
	t.Helper()
	const python = "/usr/bin/python3" // one from elsewhere does not see Debian's packages
	if err := exec.Command(python, "-c", "import etcd3").Run(); err != nil {
		missing(t, "etcd3 is not installed for "+python+": apt-get install python3-etcd3")
	}
	cmd := exec.Command(python, foreignFile(t, "client.py"), foreignLock, ttl)
	cmd.Env = os.Environ()
	return cmd
}

// goTTLEnv makes a process of TestGoClient.
const goTTLEnv = "LOCKTOP_TEST_GO_CLIENT_TTL"

func goClient(t *testing.T, ttl string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	chaostest.Must(t, err)
	cmd := exec.Command(exe, "-test.run=^TestGoClient$")
	cmd.Env = append(os.Environ(), goTTLEnv+"="+ttl)
	return cmd
}

// TestGoClient is the process of goClient, and nothing by itself.
func TestGoClient(t *testing.T) {
	ttl := 0
	if _, err := fmt.Sscan(os.Getenv(goTTLEnv), &ttl); err != nil {
		return
	}
	c, err := chaostest.Connect(clientv3.Config{Endpoints: []string{os.Getenv("ETCD_ENDPOINT")}, Logger: zap.NewNop()})
	chaostest.Must(t, err)
	defer c.Close()
	answer := goCommands(t.Context(), c, ttl)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if said, err := answer(in.Text()); err != nil {
			fmt.Println("error", err)
		} else {
			fmt.Println(said)
		}
	}
}

// goCommands is what the Go client does when told.
func goCommands(ctx context.Context, c *clientv3.Client, ttl int) func(string) (string, error) {
	var s *concurrency.Session
	var m *concurrency.Mutex
	return func(command string) (said string, err error) {
		switch command {
		case "release":
			if err := m.Unlock(ctx); err != nil {
				return "", err
			}
			return "released", s.Close()
		case "acquire", "try":
			if s, err = concurrency.NewSession(c, concurrency.WithTTL(ttl)); err != nil {
				return "", err
			}
			m = concurrency.NewMutex(s, foreignLock)
			if command == "try" {
				return "holding", m.TryLock(ctx)
			}
			return "holding", m.Lock(ctx)
		}
		return "", fmt.Errorf("no command %q", command)
	}
}

// speaker is a foreign client that runs.
type speaker struct {
	t      *testing.T
	name   string
	stdin  io.WriteCloser
	lines  chan string // closed when it has ended
	stderr bytes.Buffer
}

// run starts the client against that endpoint. It is ended with the test.
func (f foreign) run(t *testing.T, endpoint, ttl string) *speaker {
	t.Helper()
	cmd := f.command(t, ttl)
	cmd.Env = append(cmd.Env, "ETCD_ENDPOINT="+endpoint)
	s := &speaker{t: t, name: f.name, lines: make(chan string, 64)}
	cmd.Stderr = &s.stderr
	cmd.WaitDelay = time.Second
	var err error
	s.stdin, err = cmd.StdinPipe()
	chaostest.Must(t, err)
	stdout, err := cmd.StdoutPipe()
	chaostest.Must(t, err)
	chaostest.Must(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for in := bufio.NewScanner(stdout); in.Scan(); {
			s.lines <- in.Text()
		}
		_ = cmd.Wait()
		close(s.lines)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be stuck, that is what it is for
		<-ended
	})
	return s
}

// tell sends a command.
func (s *speaker) tell(command string) {
	s.t.Helper()
	_, err := io.WriteString(s.stdin, command+"\n")
	chaostest.Must(s.t, err)
}

// hears waits for the next line.
func (s *speaker) hears() string {
	s.t.Helper()
	select {
	case line, ok := <-s.lines:
		if !ok {
			s.t.Fatalf("the %s client ended: %s", s.name, &s.stderr)
		}
		return line
	case <-time.After(chaostest.Patience):
		s.t.Fatalf("the %s client says nothing", s.name)
	}
	return ""
}

// says waits for the next line, which has to begin like that.
func (s *speaker) says(want string) {
	s.t.Helper()
	if got := s.hears(); !strings.HasPrefix(got, want) {
		s.t.Fatalf("the %s client says %q, want %q: %s", s.name, got, want, &s.stderr)
	}
}

// refused waits for the answer of a client that did not get the lock. python-etcd3
// says so by an error where its tenacity is newer than it.
func (s *speaker) refused() {
	s.t.Helper()
	if got := s.hears(); !strings.HasPrefix(got, "error ") && got != "not acquired" {
		s.t.Fatalf("the %s client says %q, want a refusal: %s", s.name, got, &s.stderr)
	}
}

// silent fails if the client has said something.
func (s *speaker) silent(when string) {
	s.t.Helper()
	select {
	case line := <-s.lines:
		s.t.Fatalf("the %s client says %q %s", s.name, line, when)
	default:
	}
}
