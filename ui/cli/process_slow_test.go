//go:build slow

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestLsShowsTheQueueOfEtcdctlLocks(t *testing.T) {
	t.Parallel()
	etcdctl := require(t, "etcdctl")
	endpoint := installedServer(t)
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

func TestDemoLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Fatal("needs /proc to see processes")
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

func TestDemoOnFixedPortsAnswersEtcdctl(t *testing.T) {
	t.Parallel()
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
