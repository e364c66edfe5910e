package findings_test

import (
	"strings"
	"testing"

	"locktop/model/modeltest"
	"locktop/model/text"
)

// TestWhatMayBeALockIsSaidInASentence: the word of its state alone would be none.
func TestWhatMayBeALockIsSaidInASentence(t *testing.T) {
	for _, r := range []struct{ reason, name, says string }{
		{"only the names of its keys look like a lock", "/app/a", "no problem found; it may be a lock: only the names"},
		{"its path speaks of locks", "/locks/a", "no problem found; it is held: "},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, modeltest.ClaimKey(r.name, 0xa1), "", 0xa1)
		h.Read(1, 0xa1, 10, 9)
		s := state(h)
		if said := text.English(s.QuietWords(s.Lock(r.name))[0]); !strings.HasPrefix(said, r.says) {
			t.Errorf("%s: %q, want %q", r.reason, said, r.says)
		}
	}
}
