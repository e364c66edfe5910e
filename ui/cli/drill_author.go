package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/demo"
	"locktop/demo/drills"
	"locktop/model"
)

// Commands for whoever writes drills.

// drillName is what a new drill may be called.
var drillName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

func drillNewCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "new NAME",
		Short: "write a starter drill, NAME.yaml: it runs as it is, and its comments say what to change",
		Example: "  locktop drill new report-lock\n" +
			"  locktop drill new drills/report-lock.yaml",
		Args: oneArg("a name for the drill, like report-lock"),
		RunE: func(_ *cobra.Command, args []string) error {
			file := args[0]
			if ext := filepath.Ext(file); ext != ".yaml" && ext != ".yml" {
				file += ".yaml"
			}
			name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			switch {
			case !drillName.MatchString(name):
				return bad("%q is not a name for a drill: want small letters, digits and dashes", name)
			case slices.Contains(append(drills.Names(), everyDrill), name):
				return bad("%s is built in: take another name", name)
			}
			to, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
			if errors.Is(err, os.ErrExist) {
				return bad("%s is there already: it is left as it is", file)
			}
			if err != nil {
				return bad("writing the drill: %v", err)
			}
			_, err = to.WriteString(drill.Sample(name, file))
			if err := errors.Join(err, to.Close()); err != nil {
				return fmt.Errorf("writing the drill: %w", err)
			}
			fmt.Fprintf(e.out, "%s is written. Check it with \"locktop drill check %s\", and run it with \"locktop drill run %s\".\n", model.PrintableIfNeeded(file), model.PrintableIfNeeded(file), model.PrintableIfNeeded(file))
			return nil
		},
	}
}

func drillCheckCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "print each mistake in the files of drills, with its line and how to mend it: exit 0 none, 1 some, 2 a file could not be read",
		Long: "check reads each file as run does, and starts nothing. It prints every mistake, up to 20 a file, as\n" +
			"FILE:LINE: what is wrong, and how to mend it. The name of a built-in drill stands for its file.",
		Example: "  locktop drill check drills/*.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return bad("want the files of drills to check")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			code := exitOK
			for _, name := range args {
				file, data, err := drillText(cmd.Context(), name)
				if cmd.Context().Err() != nil {
					return cmd.Context().Err()
				}
				if err != nil {
					fmt.Fprintln(e.err, "locktop: "+model.PrintableIfNeeded(err.Error()))
					code = exitBad
					continue
				}
				d, err := readDrill(file, data)
				if err != nil {
					fmt.Fprintln(e.out, multiline(err.Error()))
					code = cmp.Or(code, exitFailed)
					continue
				}
				fmt.Fprintf(e.out, "%s: nothing is wrong: %s, %s, %s\n", model.PrintableIfNeeded(drill.FileName(file)), model.CountOf(len(d.Lab.Names()), "contender"),
					model.CountOf(len(d.Steps), "step"), model.CountOf(len(d.Expect), "expectation"))
			}
			if code != exitOK {
				return exitCode(code)
			}
			return nil
		},
	}
}

func drillSchemaCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "print the JSON Schema of a drill, for editors that complete and check",
		Long: "schema prints a JSON Schema (draft 7). Editors that know the YAML language server use it where a\n" +
			"file begins with the line\n\n    # yaml-language-server: $schema=drill.schema.json",
		Example: "  locktop drill schema > drill.schema.json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			data, err := drill.Schema()
			if err != nil {
				return err
			}
			fmt.Fprintf(e.out, "%s\n", data)
			return nil
		},
	}
}

// readDrill reads a drill as far as it can be run.
func readDrill(name string, data []byte) (*drill.Drill, error) {
	d, err := drill.Parse(name, data)
	switch {
	case err != nil:
	case d.Guide != nil:
		err = fmt.Errorf("%s: a guide shows a person around the lab of the demo, and nothing runs it", drill.FileName(name))
	default:
		err = demo.CheckDrill(name, d)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}
