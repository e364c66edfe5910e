package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/termenv"
	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/chaos/gate"
	"locktop/demo"
	"locktop/demo/contender"
	"locktop/model"
	"locktop/ui"
	"locktop/ui/cli/session"
	"locktop/ui/draw"
	"locktop/ui/report"
	"locktop/watcher"
)

const notALab = "Only in a lab: \"locktop demo\" starts one."

// runConsole opens the console on the cluster of the flags, read-only unless armed.
// Without a terminal it prints one look instead.
func (e *env) runConsole(ctx context.Context, armed bool, since sinceFlags) error {
	look, err := since.options(watcher.Options{Budget: e.flags.leaseBudget})
	if err != nil {
		return err
	}
	if !e.isTerminal() {
		if look.Since != 0 {
			return bad("--since-revision: without a terminal one look is printed; \"locktop events --since-revision %s\" prints the history", since.revision)
		}
		return e.ls(ctx, outFlags{output: "table", leases: "heads"})
	}
	client, err := e.connect(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	w := &watching{client: client, look: look, pins: e.pins, live: ui.Live{Endpoints: e.flags.endpoints}}
	defer w.end()
	if armed {
		done := session.NewReports()
		gate, journal, closeGate, err := e.openGate(ctx, client, done.Add)
		if err != nil {
			return err
		}
		defer closeGate()
		w.live.Actions, w.live.JournalPath, w.events = gate, journal, []model.Source{done}
	} else {
		gate := gate.New(gate.Options{Reader: client, Why: e.whyReadOnly()})
		defer gate.Close()
		w.live.Actions = gate
	}
	o := e.uiOptions(e.label())
	o.LabelColor = e.labelColor()
	o.Prefixes, o.NoLab, o.Armed = prefixList(e.flags.prefixes), notALab, armed
	o.Watch = w.watch
	o.Boot = func(ctx context.Context, progress func(string)) (ui.Live, error) {
		return w.open(ctx, e.flags.prefixes, progress)
	}
	return e.show(ctx, o)
}

// whyReadOnly is what the console says of a write.
func (e *env) whyReadOnly() string {
	if e.profile != nil && e.profile.readOnly {
		return fmt.Sprintf("Read-only. Profile %q says so.", e.profile.name)
	}
	return "Read-only. Restart with --armed to break locks."
}

const demoNoSuspend = "the members of the lab live in this process: suspended, they would lose their leases"

// demoFlags are the flags of the lab.
type demoFlags struct {
	members, port, contenders int
	processes                 bool
	fence, drill              string
}

func (e *env) demoCmd() *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "the console on a lab of its own: an embedded cluster, contenders, and everything may be broken",
		Long: "demo starts an etcd cluster inside this process and contenders as processes beside it,\n" +
			"on loopback only, and opens the console on them. What it writes is in one temporary\n" +
			"directory that goes when it ends.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if f.drill != "" {
				if err := needless(cmd, "a drill names its lab", "members", "port", "processes", "fence", "contenders"); err != nil {
					return err
				}
				return e.runLesson(cmd.Context(), f.drill)
			}
			return e.runDemo(cmd.Context(), f)
		},
	}
	cmd.Flags().IntVar(&f.members, "members", 3, "members of the cluster: 1, 3 or 5")
	cmd.Flags().IntVar(&f.port, "port", 0, "first port of the client endpoints, one per member (default: free ports)")
	cmd.Flags().BoolVar(&f.processes, "processes", false, "members as processes of their own, which can be paused")
	addWord(cmd.Flags(), &f.fence, "fence", "", "--fence", fenceNames, "what the resource behind the locks refuses with an old token: "+strings.Join(fenceNames, ", "))
	cmd.Flags().StringVar(&f.drill, "drill", "", "tell this drill as a lesson, on the lab that it asks for: a name (\"locktop drill list\") or a file")
	cmd.Flags().IntVar(&f.contenders, "contenders", demo.DefaultContenders, fmt.Sprintf("contenders to start with, 0 to %d", contender.MaxContenders))
	return cmd
}

func (f demoFlags) check() error {
	if err := inRange("--contenders", f.contenders, 0, contender.MaxContenders, ""); err != nil {
		return err
	}
	switch {
	case f.members != 1 && f.members != 3 && f.members != 5:
		return bad("--members %d: want 1, 3 or 5", f.members)
	case f.port < 0 || f.port+f.members > 65536:
		return bad("--port %d: want 1 to %d, or 0 for free ports", f.port, 65536-f.members)
	}
	return nil
}

// Values of --fence.
const (
	fenceNone   = "none"
	fenceWrites = "writes"
	fenceAll    = "all"
)

var (
	fenceNames = []string{fenceNone, fenceWrites, fenceAll}
	fences     = map[string]drill.Fence{fenceNone: drill.FenceNone, fenceWrites: drill.FenceWrites, fenceAll: drill.FenceAll}
)

// runDemo opens the console on a lab of its own. Without a terminal the journal
// is printed line by line instead.
func (e *env) runDemo(ctx context.Context, f demoFlags) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	var l labRoom
	defer func() {
		cancel() // ends a start under way, for which close waits
		err = l.closeAfter(err)
	}()
	lab := demo.Options{Members: f.members, Processes: f.processes, Port: f.port, Contenders: f.contenders, Fence: fences[f.fence]}
	if f.contenders == 0 {
		lab.Contenders = -1
	}
	if !e.isTerminal() {
		live, err := l.open(ctx, e, lab, e.tellLine)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "lab ready: ETCDCTL_ENDPOINTS=%s\n", strings.Join(live.Endpoints, ","))
		return e.inLines(live.Source, e.out).Follow(ctx, 0)
	}
	o := e.uiOptions("demo")
	o.Prefixes, o.Lab, o.Armed = []string{""}, true, true
	o.NoSuspend, o.Guide = demoNoSuspend, demo.GuideLock
	o.Boot = e.boot(ctx, &l, lab)
	return e.show(ctx, o)
}

// inLines is the console where there is no screen: it prints the journal line by line.
func (e *env) inLines(src model.Source, out io.Writer) *session.Session {
	s := session.New(src, e.pins...)
	s.Name = "the lab"
	s.OnEntry = func(entry *model.JournalEntry) error { return report.EventText(out, s.State, entry) }
	return s
}

// boot opens the room when the screen is there.
func (e *env) boot(ctx context.Context, r *labRoom, o demo.Options) func(context.Context, func(string)) (ui.Live, error) {
	return func(_ context.Context, progress func(string)) (ui.Live, error) { return r.open(ctx, e, o, progress) }
}

// tellLine tells progress where there is no screen.
func (e *env) tellLine(line string) { fmt.Fprintln(e.err, line) }

// show runs the console until it is left. However it ends, the terminal is as it was.
func (e *env) show(ctx context.Context, o ui.Options) error {
	e.addSettings(&o)
	defer guardTerminal(e.in, e.stdout)()
	return ui.Run(ctx, o, e.in, e.stdout)
}

func (e *env) uiOptions(label string) ui.Options {
	return ui.Options{Label: label, Pins: e.pins, Signs: e.signs(), Profile: e.colours()}
}

// colours returns the colours to use: what the terminal says it can, unless the
// flag or NO_COLOR says otherwise.
func (e *env) colours() termenv.Profile {
	if e.screen.color == "never" {
		return termenv.Ascii
	}
	detected := termenv.NewOutput(e.stdout, termenv.WithUnsafe()).EnvColorProfile()
	if detected == termenv.Ascii && e.screen.color == "always" {
		return termenv.ANSI
	}
	return detected
}

// signs returns the characters to draw with: what a flag says, or else the locale.
func (e *env) signs() draw.SignSet {
	switch {
	case e.screen.ascii:
		return draw.SignsASCII
	case e.screen.wideSigns:
		return draw.SignsWide
	}
	return localeSigns()
}

// localeSigns are the characters that the locale is sure to show as they are meant. An
// unset one says nothing: containers have none, and their terminals can do better. Where
// Chinese, Japanese or Korean is read, a sign of ambiguous width takes two cells.
func localeSigns() draw.SignSet {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		switch v := os.Getenv(name); {
		case v == "":
			continue
		case v == "C" || v == "POSIX":
			return draw.SignsASCII
		case slices.ContainsFunc([]string{"zh", "ja", "ko"}, func(l string) bool { return v == l || strings.HasPrefix(v, l+"_") || strings.HasPrefix(v, l+".") }):
			return draw.SignsWide
		}
		return draw.SignsUnicode
	}
	return draw.SignsUnicode
}

// isTerminal says whether a console can be shown: both ends are a terminal, and
// one that can move its cursor.
func (e *env) isTerminal() bool {
	return os.Getenv("TERM") != "dumb" && isTerminal(e.in) && isTerminal(e.stdout)
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}
