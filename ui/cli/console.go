package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"sync"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/termenv"
	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/demo"
	"locktop/model"
	"locktop/ui"
	"locktop/ui/report"
	"locktop/watcher"
)

const notALab = "this cluster is not a lab of ours; \"locktop demo\" starts one"

// runConsole opens the console on the cluster of the flags, read-only unless armed.
// Without a terminal it prints one look instead.
func (e *env) runConsole(ctx context.Context, armed bool) error {
	if !e.isTerminal() {
		return e.list(ctx, outFlags{output: "table", leases: "heads"})
	}
	client, err := e.connect(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	w := watcher.New(client, watcher.Options{Prefixes: e.flags.prefixes, Budget: e.flags.leaseBudget})
	defer w.Close()
	live := ui.Live{Source: w, Endpoints: e.flags.endpoints}
	if armed {
		done := make(reports, maxReports)
		gate, journal, closeGate, err := e.openGate(client, done.add)
		if err != nil {
			return err
		}
		defer closeGate()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		live.Hands, live.JournalPath, live.Source = gate, journal, merge(ctx, w, done)
	} else {
		gate := chaos.NewGate(chaos.GateOptions{Reader: client, Why: "read-only: " + notALab + "; --armed allows breaking locks here"})
		defer gate.Close()
		live.Hands = gate
	}
	o := e.uiOptions(strings.Join(e.flags.endpoints, ","))
	o.Prefixes, o.NoLab, o.Armed = prefixList(e.flags.prefixes), notALab, armed
	o.Boot = func(context.Context, func(string)) (ui.Live, error) { return live, nil }
	return e.show(ctx, o)
}

// demoFlags are the flags of the lab.
type demoFlags struct {
	members, port, contenders int
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
			return e.runDemo(cmd.Context(), f)
		},
	}
	cmd.Flags().IntVar(&f.members, "members", 3, "members of the cluster: 1, 3 or 5")
	cmd.Flags().IntVar(&f.port, "port", 0, "first port of the client endpoints, one per member (default: free ports)")
	cmd.Flags().IntVar(&f.contenders, "contenders", 6, fmt.Sprintf("contenders to start with, 0 to %d", demo.MaxContenders))
	return cmd
}

func (f demoFlags) check() error {
	switch {
	case f.members != 1 && f.members != 3 && f.members != 5:
		return bad("--members %d: want 1, 3 or 5", f.members)
	case f.port < 0 || f.port+f.members > 65536:
		return bad("--port %d: want 1 to %d, or 0 for free ports", f.port, 65536-f.members)
	case f.contenders < 0 || f.contenders > demo.MaxContenders:
		return bad("--contenders %d: want 0 to %d", f.contenders, demo.MaxContenders)
	}
	return nil
}

// runDemo opens the console on a lab of its own. Without a terminal the journal
// is printed line by line instead.
func (e *env) runDemo(ctx context.Context, f demoFlags) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	var l labRoom
	defer func() {
		cancel() // ends a start under way, for which close waits
		if e := l.close(); err == nil && e != nil {
			err = fmt.Errorf("ending the lab: %w", e)
		}
	}()
	if !e.isTerminal() {
		live, err := l.open(ctx, e, f, func(line string) { fmt.Fprintln(e.err, line) })
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "lab ready: ETCDCTL_ENDPOINTS=%s\n", strings.Join(live.Endpoints, ","))
		s := model.NewState(e.pins...)
		return follow(ctx, live.Source, s, func(f *model.Fact) error { return report.EventText(e.out, s, f) })
	}
	o := e.uiOptions("demo")
	o.Prefixes, o.Lab, o.Armed = []string{""}, true, true
	o.NoSuspend = "the members of the lab live in this process: suspended, they would lose their leases"
	o.Boot = func(_ context.Context, progress func(string)) (ui.Live, error) { return l.open(ctx, e, f, progress) }
	return e.show(ctx, o)
}

// labRoom is the lab with the connections of the console to it.
type labRoom struct {
	mu      sync.Mutex // held while opening and closing
	closed  bool
	lab     *demo.Lab
	client  *clientv3.Client
	watcher *watcher.Watcher
	gate    *chaos.Gate
}

// open starts the lab and joins watcher, lab and gate to it. The console's own
// connections go to the members directly, so that no fault of the proxy blinds it.
func (r *labRoom) open(ctx context.Context, e *env, f demoFlags, progress func(string)) (ui.Live, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ui.Live{}, demo.ErrClosed
	}
	self, err := os.Executable()
	if err != nil {
		return ui.Live{}, fmt.Errorf("finding this program, which the contenders run: %w", err)
	}
	contenders := f.contenders
	if contenders == 0 {
		contenders = -1
	}
	r.lab, err = demo.Start(ctx, demo.Options{Members: f.members, Port: f.port, Contenders: contenders,
		Self: []string{self, "contend", "--armed"}, Progress: progress})
	if err != nil {
		return ui.Live{}, badInput{err}
	}
	r.client, err = dial(r.lab.MemberEndpoints(), e.flags.dialTimeout, chaos.ReadOnly())
	if err != nil {
		return ui.Live{}, err
	}
	r.watcher = watcher.New(r.client, watcher.Options{Budget: e.flags.leaseBudget})
	r.gate = chaos.NewGate(chaos.GateOptions{
		Reader: r.client, Armed: true, Lab: r.lab, Journal: r.lab.Journal(), Report: r.lab.Report,
		Endpoint: r.lab.Endpoints()[0], User: userName(),
		Dial: func(context.Context) (*clientv3.Client, error) {
			return dial(r.lab.MemberEndpoints(), e.flags.dialTimeout, chaos.Writing())
		},
	})
	return ui.Live{Source: merge(ctx, r.watcher, r.lab), Hands: r.gate,
		Endpoints: r.lab.Endpoints(), JournalPath: r.lab.JournalPath()}, nil
}

// close ends everything that open started, clients before members.
func (r *labRoom) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	var errs []error
	if r.gate != nil {
		errs = append(errs, r.gate.Close())
	}
	if r.watcher != nil {
		errs = append(errs, r.watcher.Close())
	}
	if r.client != nil {
		errs = append(errs, r.client.Close())
	}
	if r.lab != nil {
		errs = append(errs, r.lab.Close())
	}
	return errors.Join(errs...)
}

// show runs the console until it is left.
func (e *env) show(ctx context.Context, o ui.Options) error {
	return ui.Run(ctx, o, e.in, e.out)
}

func (e *env) uiOptions(label string) ui.Options {
	return ui.Options{Label: label, Pins: e.pins, ASCII: e.screen.ascii || asciiLocale(), Profile: e.profile()}
}

// profile returns the colours to use: what the terminal says it can, unless the
// flag or NO_COLOR says otherwise.
func (e *env) profile() termenv.Profile {
	if e.screen.color == "never" {
		return termenv.Ascii
	}
	detected := termenv.NewOutput(e.out, termenv.WithUnsafe()).EnvColorProfile()
	if detected == termenv.Ascii && e.screen.color == "always" {
		return termenv.ANSI
	}
	return detected
}

// asciiLocale says whether the locale rules out more than ASCII. An unset one says
// nothing: containers have none, and their terminals can do better.
func asciiLocale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			return v == "C" || v == "POSIX"
		}
	}
	return false
}

// isTerminal says whether a console can be shown: both ends are a terminal, and
// one that can move its cursor.
func (e *env) isTerminal() bool {
	return os.Getenv("TERM") != "dumb" && isTerminal(e.in) && isTerminal(e.out)
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
