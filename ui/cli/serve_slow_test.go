//go:build slow

package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"locktop/demo/etcdtest"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// TestServeTells: what stands in the way of a lock is told, until the server goes, and then
// it is told that nothing is seen.
func TestServeTells(t *testing.T) {
	t.Parallel()
	etcd, endpoint := etcdtest.Run(t, require(t, "etcd"), "http")
	blocked(t, endpoint, "/jobs/lock-stuck")
	s := serveOn(t, endpoint)
	until(t, "the finding", func() bool {
		_, text := s.get("/metrics", "")
		return strings.Contains(text, `locktop_lock_finding_since_timestamp_seconds{code="foreign-key",confidence="certain",lock="/jobs/lock-stuck"}`)
	})
	if code, text := s.get("/healthz", ""); code != http.StatusOK || text != "ok\n" {
		t.Errorf("healthz: %d %s", code, text)
	}
	if code, _ := s.get("/etc/passwd", ""); code != http.StatusNotFound {
		t.Errorf("another page: %d", code)
	}
	_, text := s.get("/metrics", "")
	check := exec.Command(require(t, "promtool"), "check", "metrics")
	check.Stdin = strings.NewReader(ours(text))
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
	etcd.Stop()
	until(t, "the loss", func() bool {
		code, said := s.get("/healthz", "")
		_, text := s.get("/metrics", "")
		return code == http.StatusServiceUnavailable && strings.HasPrefix(said, `not seen: "/jobs/": `) && strings.Contains(text, `locktop_prefix_live{prefix="/jobs/"} 0`)
	})
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // its code is looked at
	if code := s.cmd.ProcessState.ExitCode(); code != exitOK {
		t.Errorf("exit %d after SIGTERM, want %d: to be ended is how it ends", code, exitOK)
	}
}

// TestAlertRules has promtool try each alert beside what is healthy.
func TestAlertRules(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(require(t, "promtool"), "test", "rules", "alerts_test.yml")
	cmd.Dir = prometheusFiles
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestDashboardAsks has promtool read what the dashboard asks for.
func TestDashboardAsks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(prometheusFiles, "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	rules := "groups:\n- name: dashboard\n  rules:\n"
	for i, p := range board.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("panel %d asks for nothing", i+1)
		}
		for j, x := range p.Targets {
			rules += fmt.Sprintf("  - {record: panel_%d_%d, expr: %q}\n", i, j, strings.ReplaceAll(x.Expr, "$__range", "1h"))
		}
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(require(t, "promtool"), "check", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, rules)
	}
}

// blocked puts a key that nobody owns before one that waits.
func blocked(t *testing.T, endpoint, lock string) {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	lease, err := c.Grant(t.Context(), 600)
	if err == nil {
		_, err = c.Put(t.Context(), lock+"/config", "data")
	}
	if err == nil {
		_, err = c.Put(t.Context(), fmt.Sprintf("%s/%x", lock, lease.ID), "", clientv3.WithLease(lease.ID))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ours are the metrics that are not of the process.
func ours(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, "locktop_") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// deadlock lets two sessions hold one lock each and wait for the other's.
func deadlock(t *testing.T, endpoint, a, b string) {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var ids [2]clientv3.LeaseID
	for i := range ids {
		lease, err := c.Grant(t.Context(), 600)
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = lease.ID
	}
	for _, p := range []struct {
		lock string
		id   clientv3.LeaseID
	}{{a, ids[0]}, {b, ids[1]}, {a, ids[1]}, {b, ids[0]}} {
		if _, err := c.Put(t.Context(), fmt.Sprintf("%s/%x", p.lock, p.id), "", clientv3.WithLease(p.id)); err != nil {
			t.Fatal(err)
		}
	}
}
