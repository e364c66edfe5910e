package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/demo/drills"
	"locktop/model"
	"locktop/ui/report"
)

// everyDrill is the name that means all of them.
const everyDrill = "all"

func drillCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "drill",
		Short: "rehearse failures on a lab of its own, and get a verdict: held, violated or unknown",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(drillListCmd(e), drillShowCmd(e), drillRunCmd(e), drillTableCmd(e),
		drillNewCmd(e), drillCheckCmd(e), drillSchemaCmd(e), drillSuiteCmd(e))
	return cmd
}

func drillListCmd(e *env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the built-in drills",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := drills.All()
			if err != nil {
				return err
			}
			if output == "json" {
				return listDrillsJSON(e.out, all)
			}
			return listDrills(e.out, all)
		},
	}
	addOutput(cmd, &output, tableOrJSON, "table or json")
	return cmd
}

func listDrills(w io.Writer, all []*drill.Drill) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, d := range all {
		fmt.Fprintf(t, "%s\t%s\n", d.Name, d.Title.In("en"))
	}
	return t.Flush()
}

func listDrillsJSON(w io.Writer, all []*drill.Drill) error {
	type row struct {
		Name   string  `json:"name"`
		Title  string  `json:"title"`
		Why    string  `json:"why"`
		Defect *string `json:"defect"`
	}
	rows := []row{}
	for _, d := range all {
		r := row{Name: d.Name, Title: d.Title.In("en"), Why: d.Why.In("en")}
		if d.Defect != "" {
			r.Defect = &d.Defect
		}
		rows = append(rows, r)
	}
	return report.WriteJSON(w, rows, "  ")
}

// drillText returns the text of a drill, and how its file is called: the built-in one of that
// name, or the file.
func drillText(ctx context.Context, name string) (file string, data []byte, err error) {
	if data, err := drills.File(name); err == nil {
		return name, data, nil
	}
	data, err = readInput(ctx, name, fileMax)
	switch {
	case err != nil && ctx.Err() != nil:
		return "", nil, ctx.Err()
	case err != nil:
		return "", nil, bad("%q is neither a built-in drill (\"locktop drill list\") nor a file that can be read: %v%s", name, cmp.Or(errors.Unwrap(err), err), didYouMean(name, drills.Names()))
	}
	if drill.FileName(name) != name { // else it would be taken for a built-in one
		name = "./" + name
	}
	return name, data, nil
}

// multiline is text of several lines, each as [model.PrintableIfNeeded] has it. Tabs stay, and the ends of lines.
func multiline(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		body := strings.TrimRight(line, "\r\n")
		if seen := strings.ReplaceAll(body, "\t", " "); model.PrintableIfNeeded(seen) != seen {
			lines[i] = model.Printable(body) + "\n"
		}
	}
	return strings.Join(lines, "")
}

// loadDrill reads a drill by name or file.
func loadDrill(ctx context.Context, name string) (*drill.Drill, error) {
	file, data, err := drillText(ctx, name)
	if err != nil {
		return nil, err
	}
	d, err := readDrill(file, data)
	if err != nil {
		return nil, badInput{err}
	}
	return d, nil
}

func drillShowCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME | FILE",
		Short: "print the file of a drill",
		Args:  drillArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, data, err := drillText(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			_, err = io.WriteString(e.out, multiline(string(data)))
			return err
		},
	}
}
