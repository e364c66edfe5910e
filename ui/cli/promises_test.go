package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// figuresFile has what the tests measured last: with -measure they write it.
const figuresFile = "testdata/measured.json"

var (
	measuring = flag.Bool("measure", false, "keep what is measured, for PROMISES.md")
	figuresMu sync.Mutex
)

func readFigures(t *testing.T) map[string]string {
	t.Helper()
	figures := map[string]string{}
	text, err := os.ReadFile(figuresFile)
	if err == nil {
		err = json.Unmarshal(text, &figures)
	}
	if err != nil && !*measuring {
		t.Fatal(err)
	}
	return figures
}

// figure keeps what a test measured.
func figure(t *testing.T, name, text string) {
	t.Helper()
	t.Logf("%s: %s", name, text)
	if !*measuring || t.Failed() {
		return
	}
	figuresMu.Lock()
	defer figuresMu.Unlock()
	figures := readFigures(t)
	figures[name] = text
	out, err := json.MarshalIndent(figures, "", "  ")
	if err == nil {
		err = os.WriteFile(figuresFile, append(out, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// inTime is a duration as the page has it.
func inTime(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// TestPromisesAreHeldByTests: each names a test that is there, and has the figures that it speaks of.
func TestPromisesAreHeldByTests(t *testing.T) {
	if _, err := PromisesPage(readFigures(t)); err != nil {
		t.Error(err)
	}
	for _, p := range promises() {
		file, name, _ := strings.Cut(p.test, " ")
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), "\nfunc "+name+"(") {
			t.Errorf("no test %s in %s: %v", name, file, err)
		}
	}
}
