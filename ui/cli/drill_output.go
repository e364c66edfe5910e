package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"locktop/chaos/drill/runner"
)

// addDrillOutput adds -o to a command that runs drills.
func addDrillOutput(cmd *cobra.Command, output *string) {
	addOutput(cmd, output, []string{"text", "github"}, "text, or github: text, annotations, and a summary for GITHUB_STEP_SUMMARY")
}

// drillsOver writes what came of drills, those of several in a last line, and ends the command by that, or
// by what failed before.
func (e *env) drillsOver(ctx context.Context, all runner.Suite, reports []string, output string, code int, failed error) error {
	err := errors.Join(failed, writeReports(ctx, reports, all), e.forGitHub(output, all))
	if len(all.Reports)+len(all.NotRun) > 1 {
		err = errors.Join(err, all.Text(e.out))
	}
	switch {
	case err != nil:
		return err
	case code == exitBad && ctx.Err() != nil:
		return ctx.Err() // as every other interruption
	case code != 0:
		return exitCode(code)
	}
	return nil
}

// stepSummary names the file whose Markdown GitHub shows on the page of a run.
const stepSummary = "GITHUB_STEP_SUMMARY"

// forGitHub writes what GitHub shows of the drills, if that was asked for.
func (e *env) forGitHub(output string, all runner.Suite) error {
	if output != "github" {
		return nil
	}
	err := all.Annotations(e.out)
	name := os.Getenv(stepSummary)
	if err != nil || name == "" {
		return err
	}
	file, err := openOutput(name, os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("writing the summary (%s): %w", stepSummary, err)
	}
	return errors.Join(all.Summary(file), file.Close())
}

// writeReports writes the reports of a drill, or of several.
func writeReports(ctx context.Context, names []string, of interface {
	JSON(io.Writer) error
	JUnit(io.Writer) error
}) (err error) {
	for _, name := range names {
		write := of.JSON
		if filepath.Ext(name) == ".xml" {
			write = of.JUnit
		}
		err = errors.Join(err, writeFile(ctx, name, write))
	}
	return err
}

// worseCode is the exit code of two drills: violated, then could not run, then
// unknown, then held.
func worseCode(a, b int) int {
	for _, code := range []int{exitFailed, exitBad} {
		if a == code || b == code {
			return code
		}
	}
	return max(a, b)
}
