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
	"google.golang.org/grpc/grpclog"

	"locktop/model"
	"locktop/ui/cli/quiet"
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
	flags    connFlags
	screen   lookFlags
	recipes  []string // --recipe and --expect, as given
	expect   []string
	pins     []model.Pin // and as understood
}

// connFlags are the connection flags, named and defaulted as etcdctl's.
type connFlags struct {
	endpoints      []string
	prefixes       []string
	dialTimeout    time.Duration
	commandTimeout time.Duration
	leaseBudget    int
}

// lookFlags say what the console looks like.
type lookFlags struct {
	ascii bool
	color string
}

// badInput is an error of the person's: exit code 2.
type badInput struct{ error }

func (e badInput) Unwrap() error { return e.error }

func bad(format string, args ...any) error { return badInput{fmt.Errorf(format, args...)} }

// Main runs the command line and returns the exit code.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	quiet.Done()
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard)) // it would write over the screen
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	e := &env{in: in, out: out, err: errOut}
	root := e.rootCmd()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFailed
	case errors.As(err, new(badInput)):
		fmt.Fprintf(errOut, "locktop: %v\n", err)
		return exitBad
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return exitFailed // ended by a signal; nothing to add
	}
	fmt.Fprintf(errOut, "locktop: %v\n", err)
	return exitFailed
}

func (e *env) rootCmd() *cobra.Command {
	var armed bool
	root := &cobra.Command{
		Use:   "locktop",
		Short: "top for etcd locks: who holds, who waits, and why it is stuck",
		Long: "locktop watches the locks of an etcd cluster: who holds, who waits in which order,\n" +
			"how healthy each lease is, and why a lock is stuck. Without a command it opens the\n" +
			"console on a cluster, read-only. \"locktop demo\" needs no cluster.",
		Args:          noArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return e.runConsole(cmd.Context(), armed) },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return bad("%v (see: %s --help)", err, cmd.CommandPath())
	})
	root.Flags().BoolVar(&armed, "armed", false, "let the console break locks: each one shown first, its name typed, a journal line written")
	e.addConnFlags(root)
	root.AddCommand(e.demoCmd(), e.lsCmd(), e.describeCmd(), e.doctorCmd(), e.eventsCmd(), e.explainCmd(), e.breakCmd(),
		e.contendCmd(), e.versionCmd())
	return root
}

func (e *env) addConnFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringSliceVar(&e.flags.endpoints, "endpoints", []string{"127.0.0.1:2379"}, "etcd endpoints, host:port or URL [ETCDCTL_ENDPOINTS]")
	f.StringArrayVar(&e.flags.prefixes, "prefix", nil, "watch the keys under this prefix; may be repeated (default: all keys)")
	f.DurationVar(&e.flags.dialTimeout, "dial-timeout", 2*time.Second, "how long to wait for a connection [ETCDCTL_DIAL_TIMEOUT]")
	f.DurationVar(&e.flags.commandTimeout, "command-timeout", 5*time.Second, "how long a single look may take without progress [ETCDCTL_COMMAND_TIMEOUT]")
	f.IntVar(&e.flags.leaseBudget, "lease-budget", 20, "lease readings per second while watching")
	f.StringArrayVar(&e.recipes, "recipe", nil, "fix the recipe of the keys under a prefix, PREFIX=NAME; may be repeated (\"locktop explain\" lists them)")
	f.StringArrayVar(&e.expect, "expect", nil, "how many contenders each lock under a prefix should have, PREFIX=N; may be repeated")
	f.BoolVar(&e.screen.ascii, "ascii", false, "draw with ASCII characters only")
	f.StringVar(&e.screen.color, "color", "auto", "auto, always or never (NO_COLOR is honoured)")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return e.fromEnvironment(cmd) }
}

// fromEnvironment fills flags that were not given from etcdctl's variables, and
// checks what was.
func (e *env) fromEnvironment(cmd *cobra.Command) error {
	for flag, name := range map[string]string{"endpoints": "ETCDCTL_ENDPOINTS", "dial-timeout": "ETCDCTL_DIAL_TIMEOUT",
		"command-timeout": "ETCDCTL_COMMAND_TIMEOUT"} {
		f, value := cmd.Flags().Lookup(flag), os.Getenv(name)
		if f == nil || f.Changed || value == "" {
			continue
		}
		if err := f.Value.Set(value); err != nil {
			return bad("%s=%q: %v", name, value, err)
		}
	}
	switch {
	case e.flags.leaseBudget < 1 || e.flags.leaseBudget > 10_000:
		return bad("--lease-budget %d: want 1 to 10000 readings per second", e.flags.leaseBudget)
	case e.flags.dialTimeout <= 0 || e.flags.commandTimeout <= 0:
		return bad("a timeout must be longer than 0")
	case e.screen.color != "auto" && e.screen.color != "always" && e.screen.color != "never":
		return bad("--color %q: want auto, always or never", e.screen.color)
	}
	if err := e.parsePins(); err != nil {
		return err
	}
	for _, p := range e.flags.endpoints {
		if _, err := hostPort(p); err != nil {
			return bad("--endpoints %q: %v", p, err)
		}
	}
	return nil
}

// parsePins reads what the person says of the keys under a prefix.
func (e *env) parsePins() error {
	for _, r := range e.recipes {
		prefix, name, ok := strings.Cut(r, "=")
		recipe := model.RecipeNamed(name)
		if !ok || recipe == nil {
			return bad("--recipe %q: want PREFIX=NAME with the name of a recipe (\"locktop explain\" lists them)", r)
		}
		e.pins = append(e.pins, model.Pin{Prefix: prefix, Recipe: recipe})
	}
	for _, x := range e.expect {
		prefix, number, ok := strings.Cut(x, "=")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 1 {
			return bad("--expect %q: want PREFIX=N, the number of contenders that each lock there should have", x)
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
