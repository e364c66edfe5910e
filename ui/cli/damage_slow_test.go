//go:build slow

package cli

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/watcher/hostile"
)

// TestARecordingOfTwoClustersSaysSo: it goes on, and its end is exit code 2.
func TestARecordingOfTwoClustersSaysSo(t *testing.T) {
	t.Parallel()
	for _, other := range []bool{false, true} {
		s := hostile.Start(t, "127.0.0.1:0")
		s.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
		done := make(chan struct{})
		go func() {
			defer close(done)
			for s.Watches() == 0 && t.Context().Err() == nil {
				time.Sleep(10 * time.Millisecond) // until it watches
			}
			if other {
				s.Become(0xbb, 90, hostile.Key("/l/a", 2, 50))
			}
		}()
		code, _, errs := ranTo(t, "record", filepath.Join(t.TempDir(), "r"), "--prefix", "/l/", "--for", "5s", "--endpoints", s.Addr)
		<-done
		if want := map[bool]int{false: exitOK, true: exitBad}[other]; code != want || strings.Contains(errs, "of more than one cluster: another cluster answers (id bb instead of aa)") != other {
			t.Errorf("another cluster: %v, exit %d: %s", other, code, errs)
		}
	}
}
