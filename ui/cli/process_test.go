package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
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
)

// binary is where the program is built, before any test changes TMPDIR.
var binary struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	if crashing() {
		return
	}
	binary.dir, binary.err = os.MkdirTemp("", "locktop-binary-")
	os.Setenv("XDG_STATE_HOME", filepath.Join(binary.dir, "state")) // the labs of tests are recorded, too
	waitTogether()
	code := m.Run()
	os.RemoveAll(binary.dir)
	os.Exit(code)
}

// waitTogether lets more tests run at once than there are processors, unless somebody said how
// many: most of them wait for leases to end.
func waitTogether() {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		_ = flag.Set("test.parallel", "7") // it is a number
	}
}

// atStart is the environment before any test changed it: with another home the build
// would not find what is compiled already.
var atStart = os.Environ()

// locktop returns the path of the program, built once.
func locktop(t *testing.T) string {
	t.Helper()
	path := filepath.Join(binary.dir, "locktop")
	binary.once.Do(func() {
		if binary.err != nil {
			return
		}
		build := exec.Command("go", "build", "-o", path, "locktop")
		build.Env = atStart
		if out, err := build.CombinedOutput(); err != nil {
			binary.err = fmt.Errorf("go build: %v\n%s", err, out)
		}
	})
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return path
}

// require skips the test when a program is missing, and fails it where all have to
// be there.
func require(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("LOCKTOP_REQUIRE") != "" {
		t.Fatalf("%s is missing", program)
	}
	t.Skipf("%s is missing", program)
	return ""
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

// etcdProcess starts an etcd of the machine and returns its endpoint.
func etcdProcess(t *testing.T) string {
	t.Helper()
	_, endpoint := etcdtest.Run(t, require(t, "etcd"), "http")
	until(t, "etcd answers", func() bool {
		return exec.Command(locktop(t), "ls", "--endpoints", endpoint).Run() == nil
	})
	return endpoint
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

func TestLsShowsTheQueueOfEtcdctlLocks(t *testing.T) {
	etcdctl := require(t, "etcdctl")
	endpoint := etcdProcess(t)
	look := func() lsJSON {
		out, err := exec.Command(locktop(t), "ls", "-o", "json", "--endpoints", endpoint, "--prefix", "/jobs/").Output()
		if err != nil {
			t.Fatalf("ls: %v", err)
		}
		var doc lsJSON
		if err := json.Unmarshal(out, &doc); err != nil {
			t.Fatalf("ls -o json: %v\n%s", err, out)
		}
		return doc
	}
	var order []string // keys as etcd itself lists them
	for n := 1; n <= 3; n++ {
		cmd := exec.Command(etcdctl, "lock", "/jobs/billing")
		cmd.Env = append(os.Environ(), "ETCDCTL_API=3", "ETCDCTL_ENDPOINTS="+endpoint)
		in, _ := cmd.StdinPipe() // held open: etcdctl lock holds until it is ended
		defer in.Close()
		start(t, cmd)
		until(t, fmt.Sprintf("%d claims are there", n), func() bool {
			get := exec.Command(etcdctl, "get", "--prefix", "/jobs/billing/", "--keys-only", "--sort-by=CREATE")
			get.Env = cmd.Env
			out, _ := get.Output()
			order = strings.Fields(string(out))
			return len(order) == n
		})
	}
	doc := look()
	if doc.Schema != 1 || doc.Cluster.Members != 1 || len(doc.Locks) != 1 {
		t.Fatalf("schema %d, %d members, %d locks; want 1, 1, 1", doc.Schema, doc.Cluster.Members, len(doc.Locks))
	}
	l := doc.Locks[0]
	if l.Name != "/jobs/billing" || l.Recipe != "mutex" || len(l.Holders) != 1 || len(l.Waiters) != 2 {
		t.Fatalf("lock %q, recipe %q, %d holders, %d waiters", l.Name, l.Recipe, len(l.Holders), len(l.Waiters))
	}
	for i, c := range append(l.Holders, l.Waiters...) {
		if c.Key != order[i] || c.Position != i+1 || !strings.HasSuffix(c.Key, "/"+c.Lease) {
			t.Errorf("place %d: key %q, lease %q; etcd says %q", c.Position, c.Key, c.Lease, order[i])
		}
		if i > 0 && (c.WaitsFor == nil || *c.WaitsFor != order[i-1]) {
			t.Errorf("place %d waits for %v, want %q", c.Position, c.WaitsFor, order[i-1])
		}
	}
	if h := l.Holders[0]; h.Granted == nil || *h.Granted != 10 || h.LeaseState != "healthy" {
		t.Errorf("the holder's lease: granted %v, %s; etcdctl asks for 10 s and renews", h.Granted, h.LeaseState)
	}
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

// running counts the processes of our binary, by their command line.
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

func TestDemoLeavesNothingBehind(t *testing.T) {
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("needs /proc to see processes")
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			tmp := t.TempDir()
			cmd := demoProgram(t, tmp)
			out, errs := lines(t, cmd)
			untilLine(t, out, "joined the queue")
			asked := time.Now()
			cmd.Process.Signal(sig)
			cmd.Wait()
			if took := time.Since(asked); took > 10*time.Second { // 2 s on a machine that has nothing else to do
				t.Errorf("took %v to end", took)
			}
			checkNothingLeft(t, tmp)
			if strings.Contains(errs.String(), "panic") {
				t.Error(errs)
			}
		})
	}
}

func checkNothingLeft(t *testing.T, tmp string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	until(t, "no process of ours is left", func() bool { return running(t) == 0 })
}

func TestAKilledDemoIsSweptByTheNext(t *testing.T) {
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

func TestDemoOnFixedPortsAnswersEtcdctl(t *testing.T) {
	etcdctl := require(t, "etcdctl")
	cmd, endpoint, line, out, _ := onPort(t, "lab ready", func(port string) *exec.Cmd {
		cmd := demoProgram(t, t.TempDir())
		cmd.Args = append(cmd.Args, "--members", "1", "--port", port)
		return cmd
	})
	if !strings.HasSuffix(line, endpoint) {
		t.Errorf("%q does not name %s", line, endpoint)
	}
	untilLine(t, out, "joined the queue of /demo/billing")
	get := exec.Command(etcdctl, "get", "--prefix", "/demo/billing/", "--keys-only")
	get.Env = append(os.Environ(), "ETCDCTL_API=3", "ETCDCTL_ENDPOINTS="+endpoint)
	keys, err := get.CombinedOutput()
	if err != nil || len(strings.Fields(string(keys))) < 2 {
		t.Errorf("etcdctl sees %q, %v: want the queue of /demo/billing", keys, err)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
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
