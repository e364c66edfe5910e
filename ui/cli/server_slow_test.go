//go:build slow

package cli

import (
	"os"
	"os/exec"
	"testing"

	"locktop/demo/etcdtest"
)

// testServer is the etcd that is installed, which is often an older one than that of the module, in
// a process of its own. It returns its endpoint.
func testServer(t *testing.T) string {
	t.Helper()
	_, endpoint := etcdtest.Run(t, require(t, "etcd"), "http")
	until(t, "etcd answers", func() bool {
		return exec.Command(locktop(t), "ls", "--endpoints", endpoint).Run() == nil
	})
	return endpoint
}

// require returns the path of a program. A test that needs one fails where it is missing.
func require(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatalf("%s is missing", program)
	}
	return path
}

// ctl is what etcdctl says.
func (b *cliBench) ctl(args ...string) string {
	b.t.Helper()
	cmd := exec.Command(require(b.t, "etcdctl"), args...)
	cmd.Env = append(os.Environ(), "ETCDCTL_API=3", "ETCDCTL_ENDPOINTS="+b.endpoint)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("etcdctl %v: %v\n%s", args, err, out)
	}
	return string(out)
}
