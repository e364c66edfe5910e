//go:build slow

package proxy

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"locktop/chaos/chaostest"
)

func TestEtcdctlIsToldWhatDoesNotPass(t *testing.T) {
	t.Parallel()
	p := foreignProxy(t, chaostest.StartMember(t))
	chaostest.Etcdctl(t, "etcdctl put /k v && etcdctl member list && etcdctl endpoint status", p.Shared()[0])
	for _, line := range []string{"user add me:pw", "auth enable", "member add m --peer-urls=http://127.0.0.1:1", "defrag", "alarm list", "compact 1", "snapshot save " + t.TempDir() + "/s"} {
		cmd := exec.CommandContext(chaostest.Within(t), "etcdctl", strings.Fields(line)...)
		cmd.Env = append(os.Environ(), "ETCDCTL_API=3", "ETCDCTL_ENDPOINTS="+p.Shared()[0])
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), lent.Refusal) {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}
