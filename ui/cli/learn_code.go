package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"locktop/demo"
	"locktop/model"
	"locktop/model/text"
)

// learnCodeCmd writes a program to begin with.
func learnCodeCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "code " + strings.Join(demo.ProgramLangs(), "|"),
		Short: "write a program with a lock to begin with, and say how to put it into a drill",
		Long: "code writes a small program that takes a lock, and stops when it loses it. How to build it, and the\n" +
			"line that puts it, or your own one, into a drill, is said beside it. What the drills do with the\n" +
			"program stands in REHEARSE.md.",
		Example:   "  locktop learn code go > lock.go\n  locktop learn code py > lock.py",
		Args:      exactlyOne("a language: " + strings.Join(demo.ProgramLangs(), ", ")),
		ValidArgs: demo.ProgramLangs(),
		RunE: func(_ *cobra.Command, args []string) error {
			p, source, err := demo.ProgramIn(args[0])
			if err != nil {
				return bad("%v", err)
			}
			if _, err := io.WriteString(e.out, source); err != nil {
				return err
			}
			e.tellLine(text.Render(e.language(), model.Say("code-next")))
			for _, line := range append(p.Build, p.Drill("keepalives-held")...) {
				e.tellLine("    " + line)
			}
			return nil
		},
	}
}
