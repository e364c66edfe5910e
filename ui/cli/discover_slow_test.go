//go:build slow

package cli

import (
	"strings"
	"testing"
)

func TestDiscoverThatMayNotLook(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	authOn(t, b.client)
	code, _, errs := b.run("", "discover")
	if code != exitBad || !strings.Contains(errs, "cannot look at all keys") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
