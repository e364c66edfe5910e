package contender

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/cluster"
	"locktop/demo/labtest"
	"locktop/model"
)

// asEtcd is one more program that the test binary is, by its first argument: a member
// that ends with its standard input. It is a process because the client inside of
// etcd's lock and election services leaves goroutines behind for ever.
const asEtcd = "as-etcd"

func init() {
	if len(os.Args) > 1 && os.Args[1] == asEtcd {
		labtest.ExitWith(etcdMain(os.Args[2]))
	}
}

func etcdMain(dir string) error {
	c, err := cluster.Start(context.Background(), cluster.Options{Members: 1, Dir: dir})
	if err != nil {
		return err
	}
	defer c.Close()
	fmt.Println(c.MemberEndpoints()[0])
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// oneEtcd starts a member for the test, and a client.
func oneEtcd(t *testing.T) (endpoint string, cli *clientv3.Client) {
	t.Helper()
	endpoint, _ = etcdProcess(t)
	return endpoint, labtest.NewClient(t, endpoint)
}

// etcdProcess starts a member for the test, as a process that can be paused.
func etcdProcess(t *testing.T) (endpoint string, p *os.Process) {
	t.Helper()
	cmd := exec.Command("env", "GORACE=atexit_sleep_ms=0", os.Args[0], asEtcd, t.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("etcd ended with %v", err)
		}
	})
	if endpoint = string(labtest.NewLineReader(out)()); endpoint == "" {
		t.Fatal("etcd did not start")
	}
	return endpoint, cmd.Process
}

// heard is what contenders printed.
type heard struct {
	t   *testing.T
	mu  sync.Mutex
	buf bytes.Buffer
	all []model.Belief
}

// Write implements io.Writer.
func (h *heard) Write(data []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.buf.Write(data)
	for bytes.IndexByte(h.buf.Bytes(), '\n') >= 0 {
		line, _ := h.buf.ReadBytes('\n')
		b, _, err := DecodeBelief(line)
		if err != nil {
			h.t.Error(err)
			continue
		}
		h.all = append(h.all, b)
	}
	return len(data), nil
}

func (h *heard) lines() []model.Belief {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.all)
}

// saying waits for a line with that text in it.
func (h *heard) saying(n int, text string) model.Belief {
	h.t.Helper()
	return h.until(n, "a line with "+text, func(b model.Belief) bool { return strings.Contains(b.Text, text) })
}

func (h *heard) until(n int, what string, ok func(model.Belief) bool) (b model.Belief) {
	h.t.Helper()
	for end := time.Now().Add(labtest.Patience); ; time.Sleep(5 * time.Millisecond) {
		all := h.lines()
		if i := slices.IndexFunc(all[min(n, len(all)):], ok); i >= 0 {
			return all[n+i]
		}
		if time.Now().After(end) {
			h.t.Fatalf("it did not happen within %v: %s; heard from line %d: %+v", labtest.Patience, what, n, all[min(n, len(all)):])
		}
	}
}

// run is a contender in this process.
type run struct {
	*heard
	in    *io.PipeWriter
	ended chan struct{}
}

// contendWith starts a contender. It ends with the test at the latest.
func contendWith(t *testing.T, h *heard, o Options) *run {
	t.Helper()
	in, w := io.Pipe()
	o.EndWith = in
	if o.TTL == 0 {
		o.TTL = 5
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{heard: h, in: w, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		if err := Run(ctx, o, h); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		w.Close()
		<-r.ended
	})
	return r
}
