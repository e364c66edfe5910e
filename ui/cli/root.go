package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"google.golang.org/grpc/grpclog"

	"locktop/model"
	"locktop/model/text"
	"locktop/ui/cli/quiet"
)

// env is what all commands share: streams, settings (config), the way to the cluster (access)
// and looks at its locks (viewer), each of which knows only those before it, and the console.
type env struct{ viewer }

// streams are where a command reads and prints.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// Those as they were given: for the console, and for programs that print there themselves.
	stdout, stderr io.Writer
	resort         *lastResort // nil where this process is not the command's own
}

// isTerminal says whether a console can be shown: both ends are a terminal, and
// one that can move its cursor.
func (s *streams) isTerminal() bool {
	return os.Getenv("TERM") != "dumb" && isTerminal(s.in) && isTerminal(s.stdout)
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// tellLine tells progress where there is no screen.
func (s *streams) tellLine(line string) { fmt.Fprintln(s.err, line) }

// tell tells a message of ours so.
func (s *streams) tell(m model.Message) { s.tellLine(text.English(m)) }

// Main runs the command line and returns the exit code.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	quiet.Done()
	if len(args) == 2 && args[0] == guardCommand {
		return standGuard(args[1])
	}
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard)) // it would write over the screen
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	told, errs := newPrinted(ctx, out), newPrinted(ctx, errOut)
	e := &env{}
	e.streams = streams{in: in, out: told, err: errs, stdout: out, stderr: errOut, resort: newLastResort(ctx, errs)}
	defer e.resort.disarm()
	root := e.rootCmd()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(told)
	root.SetErr(errs)
	cmd, err := root.ExecuteContextC(ctx)
	return exitWith(ctx, cmd, errs, err, told.lost())
}

func (e *env) rootCmd() *cobra.Command {
	f := consoleRun{e: e}
	root := &cobra.Command{
		Use:   "locktop",
		Short: "top for etcd locks: who holds, who waits, and why it is stuck",
		Long: "locktop watches the locks of an etcd cluster: who holds, who waits in which order,\n" +
			"how healthy each lease is, and why a lock is stuck. Without a command it opens the\n" +
			"console on a cluster, read-only. \"locktop demo\" needs no cluster.",
		Args:          noArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if e.resort != nil {
				e.resort.command.Store(cmd)
			}
			return e.resolve(cmd, e.err)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context()) },
	}
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(usageTemplate(root.UsageTemplate()))
	root.Flags().BoolVar(&f.armed, "armed", false, "let the console break locks: each one shown first, its name typed, and written to the audit log")
	f.since.add(root)
	e.addSharedFlags()
	group(root, "Look:", lsCmd(e), describeCmd(e), doctorCmd(e), topCmd(e), eventsCmd(e), discoverCmd(e), explainCmd(e), reportCmd(e), serveCmd(e))
	group(root, "Break:", breakCmd(e))
	group(root, "Rehearse:", demoCmd(e), drillCmd(e), labCmd(e), proxyCmd(e), contendCmd(e))
	group(root, "Learn:", learnCmd(e))
	group(root, "Record:", recordCmd(e), replayCmd(e), diffCmd(e))
	group(root, "Set up:", configCmd(e), versionCmd(e), manCmd(e))
	root.SetHelpCommandGroupID("Set up:")
	root.SetCompletionCommandGroupID("Set up:")
	root.AddCommand(memberCmd(e), reaperCmd(e))
	e.shareFlags(root)
	e.addCompletions(root)
	addHelp(root)
	return root
}

// group adds commands that stand under one title in the help, in their order.
func group(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}

// addHelp adds cobra's command for help, which refuses a command that there is not.
func addHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	mustRegister(err)
	help.Run = nil
	help.RunE = func(cmd *cobra.Command, args []string) error {
		of, rest, err := root.Find(args)
		switch {
		case err != nil:
			return badInput{err}
		case len(rest) > 0 && !of.HasSubCommands():
			return bad("help takes the name of a command, got %q behind that of %s", rest[0], nameOf(of))
		case len(rest) > 0:
			return noArgs(of, rest)
		}
		of.InitDefaultHelpFlag()
		return of.Help()
	}
}
