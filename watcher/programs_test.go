package watcher

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
)

var rerecord = flag.Bool("record", false, "write what is seen of the programs to testdata/histories")

const historyDir = "testdata/histories"

// play is a story with the real program.
type play struct {
	*record
	story    *story
	endpoint string
	etcd     *clientv3.Client
	view     *view
	next     int
}

// newPlay starts an etcd and watches it as locktop does.
func newPlay(t *testing.T, s *story) *play {
	t.Helper()
	return watchPlay(t, s, newServer(t).client.String())
}

// newPlayApart does the same with the etcd in a process of its own, for its lock and
// election services: they leave goroutines behind when an embedded member is closed.
func newPlayApart(t *testing.T, s *story) *play {
	t.Helper()
	env := append(os.Environ(), servesEnv+"=1", "TMPDIR="+t.TempDir())
	server := startClient(t, env, must[string](t)(os.Executable()), "-test.run=^TestServesPrograms$")
	return watchPlay(t, s, strings.TrimPrefix(server.says("etcd "), "etcd "))
}

const servesEnv = "LOCKTOP_TEST_SERVES"

// TestServesPrograms is the process of newPlayApart, and nothing by itself.
func TestServesPrograms(t *testing.T) {
	if os.Getenv(servesEnv) == "" {
		return
	}
	fmt.Println("etcd " + newServer(t).client.String())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
}

func watchPlay(t *testing.T, s *story, endpoint string) *play {
	t.Helper()
	p := &play{story: s, endpoint: endpoint, etcd: dial(t, endpoint), view: newView(s)}
	w := newWatcher(t, dial(t, endpoint), Options{Timing: Timing{Drain: 5 * time.Millisecond}})
	p.record = &record{t: t, w: w}
	p.until("list", func() bool { return len(all[model.Loaded](p.record)) > 0 })
	p.fold(p.batches)
	return p
}

func (p *play) fold(batches []model.Batch) {
	for _, b := range batches {
		for _, e := range b.Events {
			p.view.apply(p.t, e)
		}
	}
}

// see waits for the next look of the story, which has to be the one that is named.
// The leases of holders are then read, so that what follows can be told apart.
func (p *play) see(when string) {
	p.t.Helper()
	k := p.story.looks[p.next]
	if k.when != when {
		p.t.Fatalf("the story has %q here, not %q", k.when, when)
	}
	p.next++
	for end := time.Now().Add(deadline); !p.view.shows(k) || !p.view.read(); {
		if time.Now().After(end) {
			p.t.Fatalf("%s (-want +got)\n%s", when, cmp.Diff(k.see+"\n"+k.gone, p.view.String()+"\n"+p.view.gone()))
		}
		p.step()
	}
}

// end checks that the story is over, and keeps its history if that was asked for.
func (p *play) end() {
	p.t.Helper()
	if p.next < len(p.story.looks) {
		p.t.Fatalf("the story goes on with %q", p.story.looks[p.next].when)
	}
	if !*rerecord {
		return
	}
	if err := os.WriteFile(historyOf(p.story), printed(p.t, recorded(p.t, p.batches)), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// printed is a recording as text.
func printed(t testing.TB, packed []byte) []byte {
	t.Helper()
	return must[[]byte](t)(io.ReadAll(must[*gzip.Reader](t)(gzip.NewReader(bytes.NewReader(packed)))))
}

func historyOf(s *story) string {
	if s.history != "" {
		return filepath.Join(historyDir, s.history+".jsonl")
	}
	return filepath.Join(historyDir, s.name+".jsonl")
}

// missing fails the test: with the tag slow all programs have to be there.
func missing(t testing.TB, what string) {
	t.Helper()
	t.Fatal(what)
}

// program returns the path of a program.
func program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, name+" is not installed")
	}
	return path
}

// client is a program that speaks by lines.
type client struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan string
	stderr bytes.Buffer
	done   chan struct{}
}

// run starts a program against the etcd of the play.
func (p *play) run(name string, args ...string) *client {
	p.t.Helper()
	env := append(os.Environ(), "ETCD_ENDPOINT="+p.endpoint, "ETCDCTL_ENDPOINTS="+p.endpoint, "ETCDCTL_API=3")
	return startClient(p.t, env, name, args...)
}

func startClient(t testing.TB, env []string, name string, args ...string) *client {
	t.Helper()
	c := &client{t: t, cmd: exec.Command(name, args...), lines: make(chan string, 64), done: make(chan struct{})}
	c.cmd.Env = env
	c.cmd.Stderr = &c.stderr
	c.cmd.WaitDelay = time.Second
	c.stdin = must[io.WriteCloser](t)(c.cmd.StdinPipe())
	stdout := must[io.ReadCloser](t)(c.cmd.StdoutPipe())
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.done)
		for in := bufio.NewScanner(stdout); in.Scan(); {
			select {
			case c.lines <- in.Text():
			default: // nobody listens
			}
		}
		close(c.lines)
		_ = c.cmd.Wait()
	}()
	t.Cleanup(c.kill)
	return c
}

func (c *client) kill() {
	_ = c.cmd.Process.Kill()
	<-c.done
}

func (c *client) signal(s syscall.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) tell(command string) {
	c.t.Helper()
	if _, err := io.WriteString(c.stdin, command+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// says waits for the next line, which has to begin in one of these ways.
func (c *client) says(want ...string) string {
	c.t.Helper()
	select {
	case got, ok := <-c.lines:
		if !ok {
			<-c.done
			c.t.Fatalf("%s ended without saying %q: %s\n%s", c.cmd.Path, want, c.cmd.ProcessState, &c.stderr)
		}
		if !slices.ContainsFunc(want, func(w string) bool { return strings.HasPrefix(got, w) }) {
			c.t.Fatalf("%s said %q, want %q", c.cmd.Path, got, want)
		}
		return got
	case <-time.After(deadline):
		c.t.Fatalf("%s did not say %q", c.cmd.Path, want)
	}
	return ""
}

// does tells the client something and waits for its answer.
func (c *client) does(command string, answer ...string) {
	c.t.Helper()
	c.tell(command)
	c.says(answer...)
}

// joined waits until a queue has n keys: clients that start one after the other.
func (p *play) joined(lock string, n int) {
	p.t.Helper()
	for end := time.Now().Add(deadline); ; {
		if l := p.view.state.Lock(lock); l != nil && l.Len() >= n {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("no %d keys in %s: %s", n, lock, p.view)
		}
		p.step()
	}
}

// step takes one batch in.
func (p *play) step() {
	p.t.Helper()
	p.want = p.view.state.Want(nil)
	p.pull()
	p.fold(p.batches[len(p.batches)-1:])
}
