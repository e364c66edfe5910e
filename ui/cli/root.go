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
	"locktop/model/recipe"
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
	lang     string      // of lessons
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
	case errors.As(err, new(exitCode)):
		var code exitCode
		errors.As(err, &code)
		return int(code)
	case errors.Is(err, errFindings):
		return exitFailed
	case errors.As(err, new(badInput)):
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
		Args:          noArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return e.runConsole(cmd.Context(), armed, since) },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return bad("%v (see: %s --help)", err, cmd.CommandPath())
	})
	root.Flags().BoolVar(&armed, "armed", false, "let the console break locks: each one shown first, its name typed, a journal line written")
	since.add(root)
	e.addConnFlags(root)
	root.AddCommand(e.demoCmd(), e.lsCmd(), e.describeCmd(), e.doctorCmd(), e.eventsCmd(), e.discoverCmd(), e.explainCmd(), e.breakCmd(),
		e.contendCmd(), e.proxyCmd(), e.drillCmd(), e.configCmd(), e.memberCmd(), e.versionCmd(), e.manCmd(), e.recordCmd(), e.replayCmd())
	e.addCompletions(root)
	return root
}

func (e *env) addConnFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	c := &e.flags
	f.StringSliceVar(&c.endpoints, "endpoints", []string{"127.0.0.1:2379"}, "etcd endpoints, host:port or URL [ETCDCTL_ENDPOINTS]")
	f.StringVarP(&c.discovery.domain, "discovery-srv", "d", "", "domain whose SRV records name the endpoints [ETCDCTL_DISCOVERY_SRV]")
	f.StringVar(&c.discovery.service, "discovery-srv-name", "", "service name of these records [ETCDCTL_DISCOVERY_SRV_NAME]")
	f.BoolVar(&c.discovery.insecure, "insecure-discovery", true, "accept records of endpoints without TLS [ETCDCTL_INSECURE_DISCOVERY]")
	f.StringArrayVar(&c.prefixes, "prefix", nil, "watch the keys under this prefix; may be repeated (default: all keys) [LOCKTOP_PREFIX]")
	f.StringVar(&c.namespace, "namespace", "", "stands before every prefix and lock that is named; keys are shown whole [LOCKTOP_NAMESPACE]")
	f.DurationVar(&c.dialTimeout, "dial-timeout", 2*time.Second, "how long to wait for a connection [ETCDCTL_DIAL_TIMEOUT]")
	f.DurationVar(&c.commandTimeout, "command-timeout", 5*time.Second, "how long a single look may take without progress [ETCDCTL_COMMAND_TIMEOUT]")
	f.DurationVar(&c.keepaliveTime, "keepalive-time", 2*time.Second, "how often a quiet connection is tried; gRPC makes it 10s at least [ETCDCTL_KEEPALIVE_TIME]")
	f.DurationVar(&c.keepaliveTimeout, "keepalive-timeout", 6*time.Second, "how long such a try may take [ETCDCTL_KEEPALIVE_TIMEOUT]")
	f.StringVar(&c.tls.cacert, "cacert", "", "verify the servers with this CA bundle [ETCDCTL_CACERT]")
	f.StringVar(&c.tls.cert, "cert", "", "identify ourselves with this TLS certificate [ETCDCTL_CERT]")
	f.StringVar(&c.tls.key, "key", "", "key of that certificate [ETCDCTL_KEY]")
	f.BoolVar(&c.tls.skipVerify, "insecure-skip-tls-verify", false, "do not verify the servers' certificates [ETCDCTL_INSECURE_SKIP_TLS_VERIFY]")
	f.BoolVar(&c.insecureTransport, "insecure-transport", true, "false: TLS also for endpoints without https:// [ETCDCTL_INSECURE_TRANSPORT]")
	f.StringVar(&c.user, "user", "", "USER or USER:PASSWORD; the password is asked for if there is none [ETCDCTL_USER]")
	f.StringVar(&c.password, "password", "", "password of the user: everybody on this machine sees it in ps, so rather set [ETCDCTL_PASSWORD]")
	f.StringVar(&c.passwordFile, "password-file", "", "file with the password on its only line [LOCKTOP_PASSWORD_FILE]")
	f.StringVar(&c.profile, "profile", "", "take what is not said here or in the environment from this profile (\"locktop config\") [LOCKTOP_PROFILE]")
	f.IntVar(&c.leaseBudget, "lease-budget", 20, "most lease readings in a second while watching [LOCKTOP_LEASE_BUDGET]")
	f.StringArrayVar(&e.recipes, "recipe", nil, "fix the recipe of the keys under a prefix, PREFIX=NAME; may be repeated (\"locktop explain\" lists them) [LOCKTOP_RECIPE]")
	f.StringArrayVar(&e.expect, "expect", nil, "how many contenders each lock under a prefix should have, PREFIX=N; may be repeated [LOCKTOP_EXPECT]")
	f.BoolVar(&e.screen.ascii, "ascii", false, "draw with ASCII characters only [LOCKTOP_ASCII]")
	f.StringVar(&e.lang, "lang", "en", "language of lessons, where they have it [LOCKTOP_LANG]")
	f.StringVar(&e.screen.color, "color", "auto", "auto, always or never (NO_COLOR is honoured) [LOCKTOP_COLOR]")
	f.StringVar(&e.screen.theme, "theme", themeAuto, "colours of the console: auto, dark, light or mono [LOCKTOP_THEME]")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return e.resolve(cmd) }
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
