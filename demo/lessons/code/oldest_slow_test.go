//go:build slow

package code

import (
	"os/exec"
	"testing"

	"locktop/demo/etcdtest"
)

// oldest runs a test on a 3.4.
func oldest(t *testing.T, test func(t *testing.T, endpoint string)) {
	t.Run("3.4", func(t *testing.T) {
		path, err := exec.LookPath("etcd")
		if err != nil {
			t.Fatal(err)
		}
		_, endpoint := etcdtest.Run(t, path, "http", "--heartbeat-interval", "50", "--election-timeout", "500", "--log-level", "error")
		test(t, endpoint)
	})
}
