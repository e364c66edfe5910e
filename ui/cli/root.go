package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/grpc/grpclog"

	"locktop/model"
	"locktop/model/recipe"
	"locktop/ui/cli/quiet"
	"locktop/ui/cli/session"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitBad    = 2 // bad input, or could not look
)

// env is what a command works with: the streams and the flags that all share.
type env struct {
	in       io.Reader
	out, err io.Writer
	stdout   io.Writer // out as it was given: for the console, and for programs that print there themselves
	flags    connFlags
	screen   lookFlags
	recipes  []string // --recipe and --expect, as given
	expect   []string
	pins     []model.Pin    // and as understood
	lang     string         // of lessons
	shared   *pflag.FlagSet // the flags that several commands take
	origins  map[string]origin
	profile  *profile // nil for none
	creds    credentials
}

// connFlags are the connection flags, named and defaulted as etcdctl's.
type connFlags struct {
	endpoints         []string
	discovery         discovery
	prefixes          []string // as etcd has them, once resolved
	namespace         string
	tls               tlsFlags
	insecureTransport bool
	dialTimeout       time.Duration
	commandTimeout    time.Duration
	keepaliveTime     time.Duration
	keepaliveTimeout  time.Duration
	leaseBudget       int
	profile           string
	user              string // as given, perhaps with a password behind a colon
	password          string
	passwordFile      string
}

// lookFlags say what the console looks like.
type lookFlags struct {
	ascii bool
	color string
	theme string
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

// Main runs the command line and returns the exit code.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	quiet.Done()
	if len(args) == 2 && args[0] == guardCommand {
		return standGuard(args[1])
	}
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard)) // it would write over the screen
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	told := &printed{to: out}
	e := &env{in: in, out: told, err: errOut, stdout: out}
	root := e.rootCmd()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(told)
	root.SetErr(errOut)
	return exitWith(ctx, errOut, root.ExecuteContext(ctx), told.lost())
}

// exitWith says what went wrong, and returns the exit code for it: for err of a command
// whose answer, if lost is not nil, could not be written.
func exitWith(ctx context.Context, errOut io.Writer, err, lost error) int {
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
	case couldNot(err):
		tellError(errOut, err)
		return exitBad
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return exitFailed // ended by a signal; nothing to add
	}
	tellError(errOut, err)
	return exitFailed
}

// tellError prints an error, escaped: what a server says of one is hostile.
func tellError(w io.Writer, err error) {
	lines := strings.Split(err.Error(), "\n")
	for i := range lines {
		lines[i] = model.Printable(lines[i])
	}
	fmt.Fprintf(w, "locktop: %s\n", strings.Join(lines, "\n"))
}

func (e *env) rootCmd() *cobra.Command {
	var armed bool
	var since sinceFlags
	root := &cobra.Command{
		Use:   "locktop",
		Short: "top for etcd locks: who holds, who waits, and why it is stuck",
		Long: "locktop watches the locks of an etcd cluster: who holds, who waits in which order,\n" +
			"how healthy each lease is, and why a lock is stuck. Without a command it opens the\n" +
			"console on a cluster, read-only. \"locktop demo\" needs no cluster.",
		Args:              noArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return e.resolve(cmd) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return e.runConsole(cmd.Context(), armed, since) },
	}
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(usageTemplate(root.UsageTemplate()))
	root.Flags().BoolVar(&armed, "armed", false, "let the console break locks: each one shown first, its name typed, a journal line written")
	since.add(root)
	e.addSharedFlags()
	root.AddCommand(e.demoCmd(), e.lsCmd(), e.describeCmd(), e.doctorCmd(), e.eventsCmd(), e.discoverCmd(), e.explainCmd(), e.breakCmd(),
		e.contendCmd(), e.proxyCmd(), e.drillCmd(), e.configCmd(), e.memberCmd(), e.versionCmd(), e.manCmd(), e.recordCmd(), e.replayCmd())
	e.shareFlags(root)
	e.addCompletions(root)
	return root
}

// parsePins reads what the person says of the keys under a prefix.
func (e *env) parsePins() error {
	for _, r := range e.recipes {
		prefix, name, ok := strings.Cut(r, "=")
		named := recipe.Named(name)
		if !ok || named == nil {
			return bad("%s %q: want PREFIX=NAME with the name of a recipe (\"locktop explain\" lists them)", e.from("recipe").name, r)
		}
		e.pins = append(e.pins, model.Pin{Prefix: prefix, Recipe: named})
	}
	for _, x := range e.expect {
		prefix, number, ok := strings.Cut(x, "=")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 1 {
			return bad("%s %q: want PREFIX=N, the number of contenders that each lock there should have", e.from("expect").name, x)
		}
		e.pins = append(e.pins, model.Pin{Prefix: prefix, Expect: n})
	}
	return nil
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
		return bad("%s takes no argument, got %q", cmd.CommandPath(), args[0])
	}
	return bad("unknown command %q (there are: %s)", args[0], strings.Join(names, ", "))
}

// lockArg wants exactly one lock's name.
func lockArg(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] != "" {
		return nil
	}
	return bad("%s wants one lock's name, got %d (see: %[1]s --help)", cmd.CommandPath(), len(args))
}
