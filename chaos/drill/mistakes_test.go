package drill

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestEveryMistakeHasItsLine holds all that Parse says of files with mistakes, text and line, against
// testdata/mistakes.txt: parts that begin with "== reason", a file, and what is said of it after "--".
// The parts are whole files over several lines, since whoever reads "FILE:LINE:" looks there.
func TestEveryMistakeHasItsLine(t *testing.T) {
	const golden = "testdata/mistakes.txt"
	old, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, part := range strings.Split(string(old), "== ")[1:] {
		reason, rest, _ := strings.Cut(part, "\n")
		file, _, ok := strings.Cut(rest, "\n--\n")
		if !ok {
			t.Fatalf("%s: no line with -- ends the file", reason)
		}
		_, err := Parse("d", []byte(file+"\n"))
		if err == nil {
			t.Errorf("%s: it is read", reason)
			continue
		}
		all.WriteString("== " + reason + "\n" + file + "\n--\n" + err.Error() + "\n")
	}
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(old), all.String()); d != "" {
		t.Errorf("go test ./chaos/drill -run Mistake -update writes it anew (-golden +now)\n%s", d)
	}
}
