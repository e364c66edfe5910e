package model

import (
	"testing"
	"time"
)

// TestDurationsInShort: one form for all screens and lists, and what is not known is no figure.
func TestDurationsInShort(t *testing.T) {
	for _, r := range []struct{ got, want, reason string }{
		{Duration(0, true), ">0s", "it began before we looked, and nothing more is known"},
		{Duration(999*time.Millisecond, true), ">0s", "less than a second is no more"},
		{Duration(time.Second, true), "1s+", "at least a second"},
		{Duration(0, false), "0.0s", "seen from its beginning"},
		{Remaining(39, 60), "39/60s", "seconds where they fit"},
		{Remaining(3093, 3600), "51m/60m", "and minutes where they do not"},
	} {
		if r.got != r.want {
			t.Errorf("%q, want %q: %s", r.got, r.want, r.reason)
		}
	}
}
