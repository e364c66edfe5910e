package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestTheReferenceHasEveryFlag: a command that does something of its own has a part, also where
// others stand below it, with all its flags.
func TestTheReferenceHasEveryFlag(t *testing.T) {
	_, parts, _ := strings.Cut(CommandsPage(), "\n## ")
	part := map[string]string{}
	for _, p := range strings.Split(parts, "\n### ") {
		name, text, _ := strings.Cut(p, "\n")
		part[name] = text
	}
	e := &env{}
	for _, c := range commandTree(e.rootCmd()) {
		if !c.IsAvailableCommand() && c.HasParent() || c.HasParent() && c.Parent().Name() == completionName {
			continue
		}
		flagsOf(c, false).VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !f.Hidden && !strings.Contains(part[c.CommandPath()], "--"+f.Name) {
				t.Errorf("%s: --%s is not in its part of the page", c.CommandPath(), f.Name)
			}
		})
	}
}
