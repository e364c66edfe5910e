package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/ui/cli/session"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitBad    = 2 // bad input, or could not look
)

// exitRow is what the exit codes of some commands mean.
type exitRow struct {
	commands []string  // by the names that are typed; nil: every command of which no other row tells
	flags    string    // with which they end so, "" for any
	words    [4]string // by code, "": the command never ends so
}

// exitTable is what the exit codes mean, the one place that says so: the manual and the page of
// commands print it, and whether a command can say with 1 that it was interrupted is read in it.
var exitTable = []exitRow{
	{nil, "", [4]string{"what was asked for was done, also by what goes on until it is ended", "it failed, or was interrupted",
		"bad input, or the question could not be answered: no cluster to ask, no right to look, no room for the answer"}},
	{[]string{"doctor"}, "", [4]string{"no error; there may be warnings", "there are errors", doctorBlind}},
	{[]string{"doctor"}, " --fail-on warning", [4]string{"no error and no warning", "there are errors or warnings", doctorBlind}},
	{[]string{"report"}, "", [4]string{"the page is printed", "", "bad input, could not look, or was interrupted"}},
	{[]string{"demo", "lab"}, "", [4]string{"the lab was left", "it failed", "bad input, or was interrupted before it ended in order"}},
	{[]string{"drill run", "drill suite"}, "", [4]string{"every expectation held", "an expectation was violated",
		"bad input, could not run, or was interrupted", "not known, or not meaningful"}},
	{[]string{"drill check"}, "", [4]string{"nothing is wrong", "a file has a mistake", "bad input, a file could not be read, or was interrupted"}},
	{[]string{"proxy"}, "", [4]string{"COMMAND ended well, or the proxy was left", "it failed, or was interrupted",
		"bad input, COMMAND could not be started, or a planned fault was not done"}},
}

// doctorBlind is what ends doctor where it cannot say that all is well.
const doctorBlind = "bad input, could not look, lost sight of what it was to look at, or was interrupted"

// name is the first cell of a row.
func (r exitRow) name() string {
	if r.commands == nil {
		return "every other command"
	}
	return strings.Join(r.commands, ", ") + r.flags
}

// exitNotes say what else ends a command.
const exitNotes = "proxy ends with the code of COMMAND if that ended with another than 0, or with 128 plus the number of the signal that ended it. " +
	"A signal that comes before the program runs, in its first hundredths of a second, ends it as the system does: 130 or 143 in a shell. " +
	"A standard stream that is closed is /dev/null, and no error."

// tellsWithOne says whether a command says something of what it looked at with 1, so that it
// cannot say with it that it was interrupted.
func tellsWithOne(command string) bool {
	return slices.ContainsFunc(exitTable, func(r exitRow) bool {
		return slices.Contains(r.commands, command) && !strings.Contains(r.words[exitFailed], "interrupted")
	})
}

// badInput is an error of the person's: exit code 2.
type badInput struct{ error }

func (e badInput) Unwrap() error { return e.error }

func bad(format string, args ...any) error { return badInput{fmt.Errorf(format, args...)} }

// couldNot says whether an error is one for exit code 2: of the person's, or of a look
// that failed.
func couldNot(err error) bool {
	return errors.As(err, new(badInput)) || errors.As(err, new(session.CouldNotLook))
}

// exitCode is an error that only sets the exit code: what there is to say was said.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// couldNotRun makes an error of anything else than a verdict exit with 2: 1 is for
// expectations that were violated.
func couldNotRun(err error) error {
	if err == nil || errors.As(err, new(exitCode)) || couldNot(err) {
		return err
	}
	return badInput{err}
}

// exitWith says what went wrong, and returns the exit code for it: for err of a command
// whose answer, if lost is not nil, could not be written.
func exitWith(ctx context.Context, cmd *cobra.Command, errOut io.Writer, err, lost error) int {
	interrupted := ctx.Err() != nil && errors.Is(err, context.Canceled)
	switch {
	case lost != nil && hungUp(lost):
		return exitBad
	case lost != nil:
		if couldNot(err) && !errors.Is(err, lost) {
			tellError(errOut, err) // it has another reason
		}
		tellError(errOut, fmt.Errorf("the answer could not be written: %w", lost))
		return exitBad
	case err == nil:
		return exitOK
	case errors.As(err, new(exitCode)):
		var code exitCode
		errors.As(err, &code)
		return int(code)
	case interrupted:
		return exitInterrupted(cmd, errOut)
	case couldNot(err):
		tellError(errOut, err)
		return exitBad
	}
	tellError(errOut, err)
	return exitFailed
}

// lineMax is how many characters of one line of an error are printed.
const lineMax = 1000

// tellError prints an error, escaped: what a server says of one is hostile. A line begins
// only where we began one.
func tellError(w io.Writer, err error) {
	lines := linesOf(err)
	for i := range lines {
		lines[i] = model.Short(model.PrintableIfNeeded(lines[i]), lineMax)
	}
	fmt.Fprintf(w, "locktop: %s\n", strings.Join(lines, "\n"))
}

// manyLines is an error of several lines.
type manyLines []string

func (m manyLines) Error() string { return strings.Join(m, "\n") }

// linesOf returns the lines of an error: those of manyLines, or of each that was joined.
func linesOf(err error) []string {
	switch e := err.(type) {
	case manyLines:
		return slices.Clone(e)
	case badInput:
		return linesOf(e.error)
	case interface{ Unwrap() []error }:
		var lines []string
		for _, one := range e.Unwrap() {
			lines = append(lines, linesOf(one)...)
		}
		if strings.Join(lines, "\n") == err.Error() { // else it has words of its own
			return lines
		}
	}
	return []string{err.Error()}
}
