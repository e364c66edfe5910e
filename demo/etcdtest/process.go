package etcdtest

import (
	"bytes"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is an etcd in a process of its own, which can be ended and started again.
type Process struct {
	path string
	args []string
	// peer is where its peers find it: it answers there whatever its clients need.
	peer string
	cmd  *exec.Cmd
	done chan struct{}

	mu   sync.Mutex
	logs bytes.Buffer
}

// beforeStart is where a test takes a port that was chosen and is not bound yet.
var beforeStart = func(addrs []string) {}

// Run starts an etcd of one member, ends it with the test, and returns it with the
// address (host:port) of its clients, who speak the scheme http or https.
func Run(t testing.TB, path, scheme string, flags ...string) (p *Process, client string) {
	t.Helper()
	OnPorts(t, 2, func(addrs []string) error {
		client = addrs[0]
		url, peer := scheme+"://"+client, "http://"+addrs[1]
		p = NewProcess(path, addrs[1], append([]string{"--name", "m1", "--data-dir", t.TempDir(), "--listen-client-urls", url,
			"--advertise-client-urls", url, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
			"--initial-cluster", "m1=" + peer}, flags...)...)
		beforeStart(addrs)
		return StartAll(p)
	})
	t.Cleanup(p.Stop)
	return p, client
}

// NewProcess returns a process that is not started. Peer is the address on which it
// listens for its peers, without TLS.
func NewProcess(path, peer string, args ...string) *Process {
	return &Process{path: path, args: args, peer: peer}
}

// StartAll starts the members of a cluster and returns when all of them listen. On an
// error none of them runs; it is [syscall.EADDRINUSE] if a port was taken.
func StartAll(members ...*Process) (err error) {
	for i, p := range members {
		if err = p.Start(); err != nil {
			members = members[:i]
			break
		}
	}
	for _, p := range members {
		if err == nil {
			err = p.listens()
		}
	}
	if err != nil {
		for _, p := range members {
			p.Stop()
		}
	}
	return err
}

// Start starts the process and does not wait for it.
func (p *Process) Start() error {
	cmd, done := exec.Command(p.path, p.args...), make(chan struct{})
	cmd.Stdout, cmd.Stderr = p, p
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.done = cmd, done
	go func() {
		defer close(done)
		_ = cmd.Wait()
	}()
	return nil
}

// listens waits until the member serves its peers: it binds all ports before.
func (p *Process) listens() error {
	client := http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	for end := time.Now().Add(patience); ; {
		select {
		case <-p.done:
			if p.saidTaken() {
				return fmt.Errorf("%s ended: %w", p.path, syscall.EADDRINUSE)
			}
			return fmt.Errorf("%s ended: %s", p.path, p.Said())
		case <-time.After(20 * time.Millisecond):
		}
		r, err := client.Get("http://" + p.peer + "/version")
		if err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return nil
			}
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s does not serve after %v: %s", p.path, patience, p.Said())
		}
	}
}

// Stop ends the process as a crash does.
func (p *Process) Stop() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Signal sends the process a signal.
func (p *Process) Signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Said is the end of what the process wrote.
func (p *Process) Said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.logs.Bytes()[max(0, p.logs.Len()-2000):])
}

// saidTaken says whether a port was taken by somebody else.
func (p *Process) saidTaken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Contains(p.logs.String(), syscall.EADDRINUSE.Error())
}

// Write keeps what the process says.
func (p *Process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.logs.Write(b)
}
