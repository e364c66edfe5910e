//go:build slow

package cli

import (
	"fmt"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// TestManyKeysAreAskedAbout: with 60,000 keys and no --prefix the console looks for
// locks first, and watches what is chosen.
func TestManyKeysAreAskedAbout(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	c, err := dial([]string{b.endpoint}, 5e9, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	manyKeys(t, c, 60_000)
	b.claim("/jobs/lock-billing", b.lease(600))
	cmd, term := consoleOn(t, b.endpoint, t.TempDir())
	term.says(t, "looking at the keys")
	term.says(t, "1 place with locks")
	term.says(t, "/jobs/")
	term.master.WriteString("\r")
	term.says(t, "Watching the keys under /jobs/")
	term.says(t, "held")
	term.master.WriteString("q")
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d", code)
	}
	cmd, term = consoleOn(t, b.endpoint, t.TempDir(), "--prefix", "/jobs/")
	term.says(t, "held")
	if strings.Contains(term.text(), "looking at the keys") {
		t.Error("a prefix was given, and it asks all the same")
	}
	term.master.WriteString("q")
	cmd.Wait()
}

// manyKeys writes n keys, 100 a request.
func manyKeys(t *testing.T, c *clientv3.Client, n int) {
	t.Helper()
	for i := 0; i < n; i += 100 {
		ops := make([]clientv3.Op, 100)
		for j := range ops {
			ops[j] = clientv3.OpPut(fmt.Sprintf("/config/%06d", i+j), "")
		}
		if _, err := c.Txn(t.Context()).Then(ops...).Commit(); err != nil {
			t.Fatal(err)
		}
	}
}
