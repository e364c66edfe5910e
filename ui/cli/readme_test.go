package cli

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/ui"
)

var update = flag.Bool("update", false, "write the documents that are made of the program")

const (
	readme      = "../../README.md"
	keysPage    = "../KEYS.md"
	commandPage = "COMMANDS.md"
)

// document holds a file against what it has to be, or writes it.
func document(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("run go test ./ui/cli -run Page -update (-program +%s)\n%s", file, d)
	}
}

// TestKeysPage writes the table of keys.
func TestKeysPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Keys of the console\n\nWritten by `go test ./ui/cli -run Page -update`; do not edit. `?` shows the keys of one screen.\n\n" +
		"| key | where | what | needs |\n| --- | --- | --- | --- |\n")
	for _, k := range ui.Keys() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", strings.ReplaceAll(k.Keys, "|", `\|`), k.Where, k.What, k.Needs)
	}
	document(t, keysPage, b.String())
}

// TestCommandsPage writes the reference of commands and flags. What a command does at length
// stands in its help and in the manual alone.
func TestCommandsPage(t *testing.T) {
	e := &env{}
	root := e.rootCmd()
	var b strings.Builder
	b.WriteString("# Commands\n\nWritten by `go test ./ui/cli -run Page -update`; do not edit. `locktop help COMMAND` and the manual, " +
		"`locktop man | man -l -`, tell more.\n")
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range everyCommand(root) {
			if groupOf(c) == g.ID && c.IsAvailableCommand() && (!c.HasSubCommands() || c.Name() == "completion") && c.Parent().Name() != "completion" {
				writeCommand(&b, c)
			}
		}
	}
	b.WriteString("\n## Without a command\n")
	writeCommand(&b, root)
	b.WriteString("\n## Shared flags\n\nSeveral commands take these flags. A name in square brackets is the environment variable for the flag.\n")
	fmt.Fprintf(&b, "\n```text\n%s\n```\n", strings.Trim(flagLines(e.shared), "\n"))
	b.WriteString("\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n")
	for _, x := range exitWords {
		fmt.Fprintf(&b, "| %s | %s |\n", x.code, x.words)
	}
	b.WriteString("\n" + unseenWords + "\n")
	document(t, commandPage, b.String())
}

// groupOf returns the group of a command, or of the one above it.
func groupOf(c *cobra.Command) string {
	for ; c.HasParent(); c = c.Parent() {
		if c.GroupID != "" {
			return c.GroupID
		}
	}
	return ""
}

// writeCommand writes what a command does, how it is called, its flags and an example.
func writeCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n### %s\n\n%s.", c.CommandPath(), upperFirst(c.Short))
	var shared []string
	flagsOf(c, true).VisitAll(func(f *pflag.Flag) { shared = append(shared, "`--"+f.Name+"`") })
	if len(shared) > 0 {
		fmt.Fprintf(b, " Shared flags: %s.", strings.Join(shared, ", "))
	}
	use, flags := c.UseLine(), flagsOf(c, false)
	if c.HasSubCommands() && c.HasParent() { // each of them for one shell, and all alike
		var shells []string
		for _, sub := range c.Commands() {
			shells = append(shells, sub.Name())
			flags.AddFlagSet(flagsOf(sub, false))
		}
		use += " " + strings.Join(shells, "|") + " [flags]"
	}
	parts := []string{use}
	for _, part := range []string{flagLines(flags), c.Example} {
		if part = strings.Trim(part, "\n"); part != "" {
			parts = append(parts, part)
		}
	}
	fmt.Fprintf(b, "\n\n```text\n%s\n```\n", strings.Join(parts, "\n\n"))
}

// flagLines are the flags with their meanings. A default that is another in every
// process is left out.
func flagLines(set *pflag.FlagSet) string {
	some := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		shown := *f
		if perProcess(f) {
			shown.DefValue = ""
		}
		some.AddFlag(&shown)
	})
	return some.FlagUsages()
}

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
