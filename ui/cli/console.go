package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/muesli/termenv"
	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/chaos/gate"
	"locktop/demo"
	"locktop/demo/contender"
	"locktop/demo/lessons"
	"locktop/model"
	"locktop/model/journal"
	"locktop/ui"
	"locktop/ui/cli/course"
	"locktop/ui/cli/playback"
	"locktop/ui/cli/session"
	"locktop/ui/draw"
	"locktop/ui/report"
	"locktop/watcher"
	"locktop/watcher/pace"
	"locktop/watcher/queue"
)

var notALab = model.Say("only-in-a-lab")

// consoleRun is locktop without a command.
type consoleRun struct {
	e     *env
	armed bool
	since sinceFlags
}

// run opens the console on the cluster of the flags, read-only unless armed.
// Without a terminal it prints one look instead.
func (f *consoleRun) run(ctx context.Context) error {
	look, err := f.since.options(watcher.Options{Budget: f.e.flags.leaseBudget})
	if err != nil {
		return err
	}
	if !f.e.isTerminal() {
		if look.Since != 0 {
			return bad("--since-revision: without a terminal one look is printed; \"locktop events --since-revision %s\" prints the history", f.since.revision)
		}
		_, err := printLocks(ctx, f.e, outFlags{output: "table", leases: "heads"})
		return err
	}
	client, err := f.e.connect(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	w := &watching{client: client, look: look, pins: f.e.pins, live: ui.Live{Endpoints: f.e.flags.endpoints, Clock: pace.Process}}
	defer w.end()
	if f.armed {
		done := queue.New(64, nil)
		gate, auditLog, closeGate, err := f.e.openGate(ctx, client, done.Add)
		if err != nil {
			return err
		}
		defer closeGate()
		w.live.Actions, w.live.AuditLogPath, w.events = gate, auditLog, []model.Source{done}
	} else {
		gate := gate.New(gate.Options{Reader: client, Now: pace.Now, Why: f.e.whyReadOnly()})
		defer gate.Close()
		w.live.Actions = gate
	}
	o := f.e.uiOptions(f.e.label())
	o.LabelColor = f.e.labelColor()
	o.Prefixes, o.NoLab, o.Armed = prefixList(f.e.flags.prefixes), notALab, f.armed
	o.Watch = w.watch
	o.Boot = func(ctx context.Context, progress func(model.Message)) (ui.Live, error) {
		return w.open(ctx, f.e.flags.prefixes, progress)
	}
	return f.e.show(ctx, o)
}

// whyReadOnly is what the console says of a write.
func (cfg *config) whyReadOnly() model.Message {
	if cfg.profile != nil && cfg.profile.readOnly {
		return model.Say("read-only-the-profile-says-so", cfg.profile.name)
	}
	return model.Say("read-only-restart-with-armed")
}

var demoNoSuspend = model.Say("the-members-of-the-lab-live-here")

// demoRun is the command demo.
type demoRun struct {
	e                         *env
	members, port, contenders int
	processes                 bool
	fence, drill              string
	metrics                   roomMetrics
}

func demoCmd(e *env) *cobra.Command {
	f := demoRun{e: e}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "open the console on a lab of its own: an embedded cluster and contenders, all of which you may break",
		Long: "demo starts an etcd cluster inside this process and contenders as processes beside it,\n" +
			"on loopback only, and opens the console on them. A guide under the pages shows in five tasks\n" +
			"what locks do, in English or Chinese. Everything that demo writes is in one temporary\n" +
			"directory, which it removes at the end.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if f.drill != "" {
				if err := needless(cmd, "a drill names its lab", "members", "port", "processes", "fence", "contenders", "metrics"); err != nil {
					return err
				}
				return tellDrill(cmd.Context(), e, f.drill)
			}
			return f.run(cmd.Context())
		},
	}
	f.addLab(cmd)
	cmd.Flags().StringVar(&f.drill, "drill", "", "tell this drill as a lesson, on the lab that it asks for: a name (\"locktop drill list\") or a file")
	cmd.Flags().IntVar(&f.contenders, "contenders", demo.DefaultContenders, fmt.Sprintf("contenders to start with, 0 to %d", contender.MaxContenders))
	f.metrics.add(cmd)
	return cmd
}

func (r *demoRun) check() error {
	if err := inRange("--contenders", r.contenders, 0, contender.MaxContenders, ""); err != nil {
		return err
	}
	switch {
	case r.members != 1 && r.members != 3 && r.members != 5:
		return bad("--members %d: want 1, 3 or 5", r.members)
	case r.port < 0 || r.port+r.members > 65536:
		return bad("--port %d: want 1 to %d, or 0 for free ports", r.port, 65536-r.members)
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

// run opens the console on a lab of its own. Without a terminal the journal
// is printed line by line instead.
func (r *demoRun) run(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	var l labRun
	metrics, err := r.metrics.listen(r.e, &l)
	if err != nil {
		cancel()
		return err
	}
	defer func() {
		cancel() // ends a start under way, for which close waits
		err = errors.Join(l.closeAfter(err), metrics())
	}()
	lab := r.options()
	if !r.e.isTerminal() {
		live, err := l.open(ctx, r.e, lab, r.e.streams.tell)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.e.out, "lab ready: ETCDCTL_ENDPOINTS=%s\n", strings.Join(live.Endpoints, ","))
		return r.e.inLines(live.Source, r.e.out).Follow(ctx, 0)
	}
	guide, err := lessons.Guide()
	if err != nil {
		return err
	}
	o := r.e.uiOptions("demo")
	o.Prefixes, o.Lab, o.Armed = []string{""}, true, true
	o.NoSuspend, o.Lesson, o.Notice = demoNoSuspend, course.Guide(guide, o.Lang, demo.GuideLock), r.metrics.address
	o.Boot = r.e.boot(ctx, &l, lab)
	return r.e.show(ctx, o)
}

// inLines is the console where there is no screen: it prints the journal line by line.
func (e *env) inLines(src model.Source, out io.Writer) *session.Session {
	s := session.New(src, e.pins...)
	s.Name = "the lab"
	s.OnEntry = func(entry *journal.Entry) error { return report.EventText(out, s.State.View, entry) }
	return s
}

// boot opens the room when the screen is there.
func (e *env) boot(ctx context.Context, r *labRun, o demo.Options) func(context.Context, func(model.Message)) (ui.Live, error) {
	return func(_ context.Context, progress func(model.Message)) (ui.Live, error) {
		return r.open(ctx, e, o, progress)
	}
}

// show runs the console until it is left. However it ends, the terminal is as it was.
func (e *env) show(ctx context.Context, o ui.Options) error {
	e.addSettings(&o)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.Playback == nil {
		o.Past = playback.NewPast(ctx, o.Pins)
		o.Record = ui.NewRecorder(func() (ui.RecordFile, error) { return keep("console", 0, time.Now()) }) // a person asked for each: none goes by itself
	}
	defer guardTerminal(e.in, e.stdout)()
	err := ui.Run(ctx, o, e.in, e.stdout)
	said, ended := o.Record.End()
	if said != "" {
		e.tellLine(said)
	}
	return errors.Join(err, ended)
}

func (e *env) uiOptions(label string) ui.Options {
	return ui.Options{Label: label, Pins: e.pins, Lang: e.language(), Signs: e.screen.signs(), Profile: e.screen.colours(e.stdout), Save: saveNew}
}

// saveNew writes a text to a file of the person's own that is not there yet.
func saveNew(file, text string) (path string, err error) {
	if rest, ok := strings.CutPrefix(file, "~/"); ok { // no shell has seen it
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		file = filepath.Join(home, rest)
	}
	if path, err = filepath.Abs(file); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("%s is there already, and no file is overwritten", path)
	case err != nil:
		return "", err
	}
	_, err = io.WriteString(f, text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return path, nil
}

// colours returns the colours to use: what the terminal says it can, unless the
// flag or NO_COLOR says otherwise.
func (f lookFlags) colours(stdout io.Writer) termenv.Profile {
	if f.color == "never" {
		return termenv.Ascii
	}
	detected := termenv.NewOutput(stdout, termenv.WithUnsafe()).EnvColorProfile()
	if detected == termenv.Ascii && f.color == "always" {
		return termenv.ANSI
	}
	return detected
}

// signs returns the characters to draw with: what a flag says, or else the locale.
func (f lookFlags) signs() draw.SignSet {
	switch {
	case f.ascii:
		return draw.SignsASCII
	case f.wideSigns:
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

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}
