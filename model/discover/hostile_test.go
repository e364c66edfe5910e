package discover

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"locktop/model"
)

// TestAGuessAboutHostileNamesEnds: names as long as etcd takes them, of slashes, of ids, of one letter,
// and of bytes that are no text. A look at them costs what their length costs.
func TestAGuessAboutHostileNamesEnds(t *testing.T) {
	for _, row := range []struct {
		reason string
		name   func(i int) string
	}{
		{"slashes alone", func(i int) string { return strings.Repeat("/", 60_000+i) }},
		{"many levels", func(i int) string { return strings.Repeat("/a", 30_000) + fmt.Sprint("/", i) }},
		{"a level of its own for each", func(i int) string { return fmt.Sprintf("/%d", i) + strings.Repeat(fmt.Sprintf("/%d", i), 8_000) }},
		{"ids at every level", func(i int) string { return strings.Repeat(fmt.Sprintf("/694d81e5fc65%04x", i), 3_000) }},
		{"one name", func(i int) string { return "/" + strings.Repeat("x", 60_000) + fmt.Sprint(i) }},
		{"no text", func(i int) string { return strings.Repeat("\xff/\x00", 20_000) + fmt.Sprint(i) }},
	} {
		t.Run(row.reason, func(t *testing.T) {
			began := time.Now()
			var g Guesser
			for i := range 200 {
				g.Add(&model.KV{Key: row.name(i), CreateRev: int64(i + 1), ModRev: int64(i + 1), Version: 1, Lease: model.LeaseID(i + 1)})
			}
			n := len(g.Guesses())
			took := time.Since(began)
			t.Logf("%d guesses in %s", n, took)
			if took > 20*time.Second { // 12 MB of names
				t.Errorf("took %s", took)
			}
		})
	}
}
