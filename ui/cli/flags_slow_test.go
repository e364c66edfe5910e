//go:build slow

package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestEveryCommandTakesAFlagOrRefusesIt walks every command with every flag that any
// command has. None is swallowed: it stands in the help of the command and is taken,
// or it does not and is refused.
func TestEveryCommandTakesAFlagOrRefusesIt(t *testing.T) {
	t.Parallel()
	root := (&env{}).rootCmd()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	flags := map[string]*pflag.Flag{}
	for _, c := range commandTree(root) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				flags[f.Name] = f
			}
		})
	}
	pairs := 0
	for _, c := range commandTree(root) {
		if c.Name() == memberCommand {
			continue // its arguments are the lab's
		}
		path := strings.Fields(c.CommandPath())[1:]
		_, help, _ := ran0(append(slices.Clone(path), "--help")...)
		_, help, _ = strings.Cut(help, "\nFlags:\n") // what is above may speak of the flags of others
		for name, f := range flags {
			pairs++
			given := "--" + name
			if f.NoOptDefVal == "" {
				given += "=" + f.DefValue
			}
			lines := [][]string{append(slices.Clone(path), given, "--help")}
			if isShared(f) { // these may stand before the command as well
				lines = append(lines, append([]string{given}, append(slices.Clone(path), "--help")...))
			}
			for _, args := range lines {
				code, _, errs := ran0(args...)
				if shown := strings.Contains(help, "--"+name+" ") || strings.Contains(help, "--"+name+"\n"); shown {
					if code != exitOK && !strings.Contains(errs, "invalid argument") && !strings.Contains(errs, ": want ") && !strings.Contains(errs, "unknown format") {
						t.Errorf("%q: it is in the help, exit %d: %s", args, code, errs)
					}
					continue
				}
				want := "locktop: --" + name + " has no meaning for " + c.CommandPath()
				if args[0] == given {
					want = "locktop: --" + name + " has no meaning for locktop" // the first that does not know it says so
				}
				if code != exitBad || !strings.HasPrefix(errs, want) || !strings.Contains(errs, "leave it out") || strings.Count(errs, "\n") != 1 {
					t.Errorf("%q: exit %d, %q; want 2 and one line that begins with %q", args, code, errs, want)
				}
			}
		}
	}
	if pairs < 500 {
		t.Errorf("%d pairs: want all commands with all flags", pairs)
	}
}

func ran0(args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = Main(args, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// TestWhatTakesSharedFlagsExists: a command that is renamed keeps its flags, and all
// shared flags are taken somewhere.
func TestWhatTakesSharedFlagsExists(t *testing.T) {
	e := &env{}
	root := e.rootCmd()
	taken := map[string]bool{}
	for path, names := range takes {
		if !slices.ContainsFunc(commandTree(root), func(c *cobra.Command) bool { return c.CommandPath() == path }) {
			t.Errorf("there is no %s", path)
		}
		for _, name := range names {
			taken[name] = true
		}
	}
	e.shared.VisitAll(func(f *pflag.Flag) {
		if !taken[f.Name] {
			t.Errorf("no command takes --%s", f.Name)
		}
	})
}

func TestFlagsWithoutAMeaningAreRefused(t *testing.T) {
	rows := []struct {
		args         []string
		want, reason string
	}{
		{[]string{"drill", "run", "holder-crash", "--endpoints", "10.0.0.1:2379"}, "--endpoints is for programs of your own (--as): contenders of the lab compete on a lab of its own", "it would rehearse on a lab, and say that mine held"},
		{[]string{"demo", "--endpoints", "10.0.0.1:2379"}, "--endpoints has no meaning for locktop demo, which starts a lab of its own", "the same"},
		{[]string{"--endpoints", "10.0.0.1:2379", "demo"}, "--endpoints has no meaning for locktop demo", "before the command too"},
		{[]string{"demo", "--profile", "p"}, "--profile has no meaning for locktop demo", "it names a cluster"},
		{[]string{"demo", "-o", "json"}, "-o has no meaning for locktop demo: leave it out", "it has no formats"},
		{[]string{"ls", "--armed"}, "--armed has no meaning for locktop ls", "it only reads"},
		{[]string{"drill", "run", "all", "--prefix", "/a"}, "--prefix has no meaning for locktop drill run", "a drill names its locks"},
		{[]string{"replay", "x", "--lease-budget", "5"}, "--lease-budget has no meaning for locktop replay, which asks no cluster", "nothing is read"},
		{[]string{"replay", "x", "--endpoints", "a:1"}, "--endpoints has no meaning for locktop replay", "nobody is asked"},
		{[]string{"explain", "lock-cycle", "-d", "example.org"}, "-d has no meaning for locktop explain", "a short name"},
		{[]string{"man", "--theme", "dark"}, "--theme has no meaning for locktop man", "it has no screen"},
		{[]string{"version", "--endpoints", "a:1"}, "--endpoints has no meaning for locktop version", "it asks nobody"},
		{[]string{"completion", "bash", "--endpoints", "a:1"}, "--endpoints has no meaning for locktop completion bash", "nor does a script"},
		{[]string{"demo", "--drill", "holder-crash", "--members", "5"}, "--members has no meaning for locktop demo here: a drill names its lab", "the lab is the drill's"},
		{[]string{"drill", "run", "holder-crash", "--user", "me"}, "--user has no meaning for locktop drill run here", "its own lab knows no users"},
	}
	for _, r := range rows {
		code, out, errs := ran0(r.args...)
		if code != exitBad || !strings.HasPrefix(errs, "locktop: "+r.want) || strings.Count(errs, "\n") != 1 || out != "" {
			t.Errorf("%q: %s: exit %d, %q and %q; want 2 and %q", r.args, r.reason, code, out, errs, r.want)
		}
	}
}

// A variable without a meaning is no error: it is there for other programs as well.
func TestVariablesWithoutAMeaningAreNoError(t *testing.T) {
	for _, s := range settings {
		t.Setenv(s.env, "nonsense")
	}
	for _, args := range [][]string{{"explain", "lock-cycle"}, {"version"}, {"man"}, {"drill", "list"}, {"drill", "show", "holder-crash"}, {"completion", "bash"}, {"help"}} {
		if code, _, errs := ran0(args...); code != exitOK {
			t.Errorf("%q: exit %d, %s", args, code, errs)
		}
	}
}
