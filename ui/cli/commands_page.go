package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/model"
)

// CommandsPage is the reference of commands and flags, as Markdown. What a command does at length
// stands in its help and in the manual alone.
func CommandsPage() string {
	e := &env{}
	root := e.rootCmd()
	var b strings.Builder
	b.WriteString("# Commands\n\nWritten by `go generate ./ui/cli`; do not edit. `locktop help COMMAND` and the manual, " +
		"`locktop man | man -l -`, tell more.\n")
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range commandTree(root) {
			if groupOf(c) == g.ID && hasPart(c) {
				writeCommand(&b, c)
			}
		}
	}
	b.WriteString("\n## Without a command\n")
	writeCommand(&b, root)
	b.WriteString("\n## Shared flags\n\nSeveral commands take these flags. A name in square brackets is the environment variable for the flag.\n")
	fmt.Fprintf(&b, "\n```text\n%s\n```\n", strings.Trim(flagLines(e.shared), "\n"))
	b.WriteString("\n## Exit codes\n\n| command | 0 | 1 | 2 | 3 |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range exitTable {
		fmt.Fprintf(&b, "| %s | %s |\n", r.name(), strings.Join(r.words[:], " | "))
	}
	b.WriteString("\n" + exitNotes + "\n")
	b.WriteString("\n" + unseenWords + "\n")
	return b.String()
}

// hasPart says whether a command has a part of the page: one that only gathers others has none, and
// the shells of completion share one.
func hasPart(c *cobra.Command) bool {
	gathers := c.HasSubCommands() && flagLines(flagsOf(c, false)) == ""
	return c.IsAvailableCommand() && (!gathers || c.Name() == completionName) && c.Parent().Name() != completionName
}

const completionName = "completion"

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
	fmt.Fprintf(b, "\n### %s\n\n%s.", c.CommandPath(), model.Capital(c.Short))
	var shared []string
	flagsOf(c, true).VisitAll(func(f *pflag.Flag) { shared = append(shared, "`--"+f.Name+"`") })
	if len(shared) > 0 {
		fmt.Fprintf(b, " Shared flags: %s.", strings.Join(shared, ", "))
	}
	use, flags := c.UseLine(), flagsOf(c, false)
	if c.Name() == completionName { // each of them for one shell, and all alike
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
