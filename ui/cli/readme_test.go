package cli

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"locktop/ui"
)

var update = flag.Bool("update", false, "write the table of keys into the README")

const readme = "../../README.md"

// keyTable is the README's table of keys.
func keyTable() string {
	var b strings.Builder
	b.WriteString("| key | where | what | needs |\n| --- | --- | --- | --- |\n")
	for _, k := range ui.Keys() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", strings.ReplaceAll(k.Keys, "|", `\|`), k.Where, k.What, k.Needs)
	}
	return b.String()
}

func TestTheReadmeHasTheKeysOfTheProgram(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	const from, to = "<!-- keys: this table is checked against the program -->\n", "<!-- end of keys -->"
	before, rest, ok1 := strings.Cut(string(text), from)
	table, after, ok2 := strings.Cut(rest, to)
	if !ok1 || !ok2 {
		t.Fatal("the marks around the table of keys are gone")
	}
	if *update {
		if err := os.WriteFile(readme, []byte(before+from+keyTable()+to+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(keyTable(), table); d != "" {
		t.Errorf("run go test ./ui/cli -run Readme -update (-program +README)\n%s", d)
	}
}

func TestEveryFlagAndFileOfTheReadmeExists(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	e := &env{}
	root := e.rootCmd()
	known := map[string]bool{"help": true}
	for _, c := range everyCommand(root) {
		for _, word := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(c.UsageString(), -1) {
			known[word[1]] = true
		}
	}
	for _, m := range regexp.MustCompile("(?m)^    go run .*$|`[^`]*`").FindAllString(string(text), -1) {
		for _, f := range regexp.MustCompile(`(?:^| |`+"`"+`)--([a-z-]+)`).FindAllStringSubmatch(m, -1) {
			if !known[f[1]] {
				t.Errorf("the README speaks of --%s, which no command has", f[1])
			}
		}
	}
	for _, m := range regexp.MustCompile(`\]\(([^)#]+)\)`).FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(m[1], "http") {
			continue
		}
		if _, err := os.Stat("../../" + m[1]); err != nil {
			t.Errorf("the README shows %s: %v", m[1], err)
		}
	}
}

// everyCommand is a command with all that are below it.
func everyCommand(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		all = append(all, everyCommand(sub)...)
	}
	return all
}
