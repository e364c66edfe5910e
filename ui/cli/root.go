package cli

import (
	"context"
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
	warnWait time.Duration
	pins     []model.Pin    // and as understood
	lang     string         // of lessons
	shared   *pflag.FlagSet // the flags that several commands take
	origins  map[string]origin
	profile  *profile // nil for none
	creds    credentials
	wrap     func(model.Source) model.Source // changes what a look is told, as masking does
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
	ascii, wideSigns bool
	color            string
	theme            string
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
	told := &printed{to: out, ctx: ctx}
	e := &env{in: in, out: told, err: errOut, stdout: out}
	root := e.rootCmd()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(told)
	root.SetErr(errOut)
	return exitWith(ctx, errOut, root.ExecuteContext(ctx), told.lost())
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
		e.contendCmd(), e.proxyCmd(), e.drillCmd(), e.configCmd(), e.memberCmd(), e.versionCmd(), e.manCmd(), e.recordCmd(), e.replayCmd(), e.reportCmd(), e.topCmd())
	e.shareFlags(root)
	e.addCompletions(root)
	return root
}

// parsePins reads what the person says of the keys under a prefix.
func (e *env) parsePins() error {
	for _, r := range e.recipes {
		prefix, name, ok := strings.Cut(r, "=")
		name, exact := strings.CutPrefix(name, "=")
		named := recipe.Named(name)
		if !ok || named == nil {
			return bad("%s %q: want PREFIX=NAME, or KEY==NAME for one key alone, with the name of a recipe (\"locktop explain\" lists them)", e.from("recipe").name, r)
		}
		e.pins = append(e.pins, model.Pin{Prefix: prefix, Exact: exact, Recipe: named})
	}
	for _, x := range e.expect {
		prefix, number, ok := strings.Cut(x, "=")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 1 {
			return bad("%s %q: want PREFIX=N, the number of contenders that each lock there should have", e.from("expect").name, x)
		}
		e.pins = append(e.pins, model.Pin{Prefix: prefix, Expect: n})
	}
	if e.warnWait < 0 {
		return bad("%s: want a duration above 0", e.from("warn-wait").name)
	}
	if e.warnWait > 0 {
		e.pins = append(e.pins, model.Pin{Wait: e.warnWait})
	}
	return nil
}
