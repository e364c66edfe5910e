package cli

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const readme = "../../README.md"

// TestTheMapNamesEveryPackage: who opens the repository finds each folder in the comment of
// main.go, and no folder that is gone.
func TestTheMapNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile("../../main.go")
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.ReplaceAll(string(text), "//", "")
	for dir := range sources(t) {
		if dir == "." || strings.HasPrefix(dir, "demo/bench") {
			continue
		}
		if !regexp.MustCompile(`[\s(:,/]` + regexp.QuoteMeta(path.Base(dir)) + `[\s,;):]`).MatchString(plan) {
			t.Errorf("main.go does not say what %s is", dir)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^\t([a-z]+(?:/[a-z]+)*)  `).FindAllStringSubmatch(plan, -1) {
		if info, err := os.Stat(filepath.Join("../..", m[1])); err != nil || !info.IsDir() {
			t.Errorf("main.go tells of %s, which is no folder", m[1])
		}
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
	for _, c := range commandTree(root) {
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
