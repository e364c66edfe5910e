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

// errFindings makes doctor exit with 1; what was found has been printed.
var errFindings = errors.New("there are findings")

// couldNotRun makes an error of anything else than a verdict exit with 2: 1 is for
// expectations that were violated.
func couldNotRun(err error) error {
	if err == nil || errors.As(err, new(exitCode)) || couldNot(err) {
		return err
	}
	return badInput{err}
}

// oneAnswers are the commands that say something of what they looked at with 1, so that it
// cannot say that they were interrupted.
var oneAnswers = []string{"doctor", "report", "demo", "drill run", "drill suite", "drill check"}

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
	case errors.Is(err, errFindings):
		return exitFailed
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
