package cli

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/ui/report"
)

// wordFlag is a flag that takes one of a few words.
type wordFlag struct {
	word  *string
	noun  string
	words []string
}

// addWord adds such a flag. Its default is the word that is there, else the first.
func addWord(f *pflag.FlagSet, word *string, name, short, what string, words []string, help string) {
	*word = cmp.Or(*word, words[0])
	f.VarP(&wordFlag{word, what, words}, name, short, help)
}

// String implements pflag.Value.
func (f *wordFlag) String() string { return *f.word }

// Type implements pflag.Value.
func (f *wordFlag) Type() string { return "string" }

// Set implements pflag.Value. It refuses a word that is not among those there are.
func (f *wordFlag) Set(word string) error {
	if !slices.Contains(f.words, word) {
		return bad("unknown %s %q (%s)", f.noun, word, strings.Join(f.words, ", "))
	}
	*f.word = word
	return nil
}

// inRange refuses a number that is out of bounds.
func inRange[N int | int64](what string, n, least, most N, unit string) error {
	if n >= least && n <= most {
		return nil
	}
	return bad("%s %d: want %d to %d%s", what, n, least, most, unit)
}

// checkFor refuses a time to observe that is out of bounds.
func checkFor(d time.Duration) error {
	if d < 0 || d > 24*time.Hour {
		return bad("--for %s: want 0 to 24h", d)
	}
	return nil
}

// Formats of commands that print no locks.
var tableOrJSON = []string{"table", "json"}

// addOutput adds the format of what a command prints.
func addOutput(cmd *cobra.Command, output *string, formats []string, help string) {
	addWord(cmd.Flags(), output, "output", "o", "format", formats, help)
}

// formatWords names the formats in a sentence.
func formatWords() string {
	last := len(report.Formats) - 1
	return strings.Join(report.Formats[:last], ", ") + " or " + report.Formats[last]
}

// wantArmed refuses to write to a cluster unless that was confirmed.
func (cfg *config) wantArmed(armed bool, cmd *cobra.Command, otherwise string) error {
	if armed {
		return nil
	}
	return bad("%s writes to %s: add --armed to confirm%s", nameOf(cmd), cfg.where(), otherwise)
}

// nameOf is the name of a command as it is typed behind the program's.
func nameOf(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if len(names) == 0 {
		return bad("%s takes no argument, got %q", nameOf(cmd), args[0])
	}
	return bad("unknown command %q (there are: %s)%s", args[0], strings.Join(names, ", "), didYouMean(args[0], names))
}

// oneArg wants exactly one argument. What it is stands in the error.
func oneArg(what string) cobra.PositionalArgs {
	some := someArgs(what)
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return bad("%s takes one argument, got %d (see: %s --help)", nameOf(cmd), len(args), cmd.CommandPath())
		}
		return some(cmd, args)
	}
}

// exactlyOne wants one argument, which may be empty: the name of a lock may be.
func exactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return oneArg(what)(cmd, args)
	}
}

// someArgs wants one argument or more.
func someArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && args[0] != "" {
			return nil
		}
		return bad("%s needs %s (see: %s --help)", nameOf(cmd), what, cmd.CommandPath())
	}
}

// atMostOne wants one argument or none.
func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	return bad("%s takes one argument at most, got %d", nameOf(cmd), len(args))
}

// What commands need.
var (
	lockArg  = oneArg("a lock name")
	locksArg = someArgs("a lock name")
	fileArg  = oneArg("a file name")
	drillArg = oneArg(`the name of a drill ("locktop drill list") or a file`)
)
