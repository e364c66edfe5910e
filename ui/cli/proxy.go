package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/chaos/proxy"
	"locktop/demo"
	"locktop/model"
	"locktop/model/reports"
	"locktop/model/text"
	"locktop/ui/cli/session"
)

// proxyRun is the command proxy.
type proxyRun struct {
	e         *env
	armed     bool // faults may be done
	port      int
	grace     time.Duration // for the command to end by itself
	cert, key string        // of the listeners, empty for plain text
	yours     []string      // the command to run behind it
	faults    []string      // what is done to it, and when
	schedule  proxy.Schedule
	scripts   controls
	metrics   roomMetrics
}

func proxyCmd(e *env) *cobra.Command {
	f := proxyRun{e: e}
	cmd := &cobra.Command{
		Use:   "proxy [-- COMMAND [ARG]...]",
		Short: "put a proxy before your cluster, run your program behind it, and break its connections from the console",
		Long: "proxy listens on loopback for every endpoint and passes calls on unchanged, until you break\n" +
			"something: hold renewals, drop answers, freeze, cut, slow down. It starts COMMAND with\n" +
			"ETCD_ENDPOINTS and ETCDCTL_ENDPOINTS set to listeners of its own, so locktop knows for certain what\n" +
			"COMMAND does. Your other programs may use the shared listeners.\n" +
			"\n" +
			"The proxy lends your client certificate (--cert, --key). So it accepts connections of your own user\n" +
			"only, and refuses every other user of this machine, root included. It passes only calls for keys,\n" +
			"watches, leases, locks, elections and health, and Authenticate, MemberList and Status. It denies all\n" +
			"other calls of Auth, Cluster and Maintenance, and Compact, which would take the history of all keys\n" +
			"from everybody. It never lends a password: programs log in themselves. Only Linux tells which user a\n" +
			"connection belongs to; on other systems the proxy starts only without a client certificate, and\n" +
			"accepts connections of every user. It refuses endpoints of several clusters.\n" +
			"\n" +
			"Faults need --armed. The proxy shows each fault, asks you to confirm it (healing needs no\n" +
			"confirmation), and writes it to the audit log. --fault plans a fault before the start, and\n" +
			"nothing is asked then; the exit code is 2 if a planned fault was not done although COMMAND ended\n" +
			"well. A read-only profile forbids the proxy. locktop itself only reads the cluster.\n" +
			"Without a terminal there are no other faults, and the proxy prints what happens line by line on\n" +
			"standard error until COMMAND ends; COMMAND's own output is on standard output. The exit code is\n" +
			"COMMAND's own, or 128 plus the number of the signal that ended it. If COMMAND could not be started\n" +
			"it is 2, and a line says so.\n" +
			"\n" +
			"A script does at the socket of --control what a person does with keys: {\"do\":\"inject\",\n" +
			"\"fault\":\"pause\",\"target\":\"worker\",\"for\":\"6s\"}, {\"do\":\"wait\",\"lock\":\"/app/l\",\"holder\":\"worker\"},\n" +
			"{\"do\":\"heal\"}. The answer is a line with \"ok\"; if that is false, \"error\" says why. --control-http takes\n" +
			"the same by HTTP: a POST with the token, whose status is 200 where it is done or met.\n" +
			"\n" +
			"With --metrics Prometheus gets what \"locktop serve\" tells, and a metric for two programs that act\n" +
			"under one lock, which etcd does not know.\n" +
			"\n" +
			"When locktop is told to end (ctrl-c, SIGTERM, SIGHUP), it sends SIGTERM once to COMMAND and to the\n" +
			"processes that COMMAND started, and waits for --grace. Connections stay open, so COMMAND can unlock.\n" +
			"Then it kills what is left; a second ctrl-c kills at once. When COMMAND ends by itself, locktop ends\n" +
			"the processes that COMMAND left behind in the same way, except those in a process group of their\n" +
			"own.",
		Example: "  locktop proxy --endpoints 10.0.0.1:2379 -- ./worker --lock /jobs/billing\n" +
			"  locktop proxy --armed --endpoints 127.0.0.1:2379 -- ./worker\n" +
			"  locktop proxy --armed --fault hold-keepalives@5s+8s --fault pause@20s+6s -- ./worker",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); len(args) > 0 && dash != 0 {
				return bad("a command of your own goes behind --: locktop proxy -- %s", strings.Join(args, " "))
			}
			if f.port < 0 || f.port > 65535 {
				return bad("--port %d: want 1 to 65535, or 0 for free ports", f.port)
			}
			if f.grace < 0 {
				return bad("--grace %s: want 0 or more", f.grace)
			}
			f.yours = args
			if err := f.readFaults(); err != nil {
				return err
			}
			return f.run(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&f.armed, "armed", false, "allow faults on the programs behind the proxy: each one is confirmed and written to the audit log first")
	cmd.Flags().StringArrayVar(&f.faults, "fault", nil, "do this to COMMAND, KIND[,FIELD=VALUE...]@START[+LENGTH] after it started; may be repeated")
	f.scripts.add(cmd, "")
	cmd.Flags().IntVar(&f.port, "port", 0, "first port of the shared listeners, one per endpoint (default: free ports)")
	cmd.Flags().DurationVar(&f.grace, "grace", 10*time.Second, "time that COMMAND has to end by itself when it is told to")
	cmd.Flags().StringVar(&f.cert, "listen-cert", "", "serve COMMAND and others over TLS with this certificate, which has to be good for 127.0.0.1")
	cmd.Flags().StringVar(&f.key, "listen-key", "", "key of that certificate")
	f.metrics.add(cmd)
	return cmd
}

// run opens the console on a cluster that is not ours, with the proxy before it.
func (pr *proxyRun) run(ctx context.Context) (err error) {
	if err := pr.e.reach(ctx); err != nil {
		return err
	}
	secure, err := pr.e.flags.tls.config(pr.e.flags.endpoints)
	if err != nil {
		return err
	}
	served, err := pr.e.listenTLS(ctx, pr.cert, pr.key)
	if err != nil {
		return err
	}
	r := labRun{armed: pr.armed}
	scripts, err := pr.scripts.listen(ctx, pr.e, &r)
	if err != nil {
		return err
	}
	metrics, err := pr.metrics.listen(pr.e, &r)
	if err != nil {
		return errors.Join(err, scripts())
	}
	ctx, cancel := context.WithCancel(ctx)
	impatient := newSecondSignal()
	faults := scheduled{pr.schedule, nil, nil}
	r.opened = func() { faults.begin(ctx, &r) }
	defer func() {
		cancel() // ends a start under way, for which close waits
		stop := impatient.begin(func() {
			if len(pr.yours) > 0 {
				pr.e.tellLine(fmt.Sprintf("waiting up to %s for %s to end; ctrl-c kills it", pr.grace, pr.yours[0]))
			}
		})
		err = r.closeAfter(err)
		stop()
		if err == nil && len(pr.yours) > 0 && !pr.e.isTerminal() {
			err = pr.howEnded(r.lab.CommandEnd())
		}
		err = errors.Join(err, faults.end(pr.e), scripts(), metrics())
	}()
	lab := demo.Options{Endpoints: pr.e.flags.endpoints, TLS: secure, ServerTLS: served, Port: pr.port, ExternalProgram: demo.ExternalProgram{Command: pr.yours,
		Grace: pr.grace, Hurry: impatient.hurry}}
	lab.Sockets = pr.scripts.sockets()
	if pr.e.isTerminal() {
		o := pr.e.uiOptions(text.Render(pr.e.language(), model.Say("proxy-before", model.Verbatim(pr.e.label()))))
		o.LabelColor, o.Notice = pr.e.labelColor(), cmp.Or(pr.metrics.address, pr.scripts.webAddress())
		o.Prefixes, o.Lab, o.Armed, o.Foreign = prefixList(pr.e.flags.prefixes), true, pr.armed, true
		o.NoSuspend = model.Say("the-proxy-lives-in-this-process")
		o.Boot = pr.e.boot(ctx, &r, lab)
		return pr.e.show(ctx, o)
	}
	out := pr.e.out
	if len(pr.yours) > 0 {
		out, lab.Output, lab.Errors = pr.e.err, pr.e.stdout, pr.e.stderr // what COMMAND prints is passed on as it is
	}
	live, err := r.open(ctx, pr.e, lab, pr.e.streams.tell)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "proxy ready: ETCD_ENDPOINTS=%s\n", strings.Join(live.Endpoints, ","))
	if told := pr.scripts.webAddress(); told != "" {
		fmt.Fprintln(out, told)
	}
	return followYours(ctx, pr.e.inLines(live.Source, out), pr.yours)
}

// howEnded says how the command ended, if not well, and has its exit code.
func (pr *proxyRun) howEnded(code int, how string) error {
	if code == 0 {
		return nil
	}
	tellError(pr.e.err, errors.New(how))
	return exitCode(code)
}

// lastWords is how long after its end there is news of a contender.
const lastWords = time.Second

// followYours follows until ctx ends, or until the command behind the proxy, if there is
// one, has ended. What it did last may be seen a moment later.
func followYours(ctx context.Context, s *session.Session, yours []string) error {
	if len(yours) == 0 {
		return s.Follow(ctx, 0)
	}
	err := s.Pull(ctx, session.Pull{Until: func() bool { return ended(s.State.Reports().Contenders()) }})
	if err == nil {
		err = s.Pull(ctx, session.Pull{For: lastWords})
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// ended says whether there are contenders and all of them have ended.
func ended(all []reports.ContenderInfo) bool {
	for _, c := range all {
		if c.Proc != model.ProcEnded {
			return false
		}
	}
	return len(all) > 0
}

// readFaults reads the faults that are done without hands.
func (pr *proxyRun) readFaults() error {
	switch {
	case len(pr.faults) == 0:
		return nil
	case !pr.armed:
		return bad("--fault: faults on a cluster that is not a lab want --armed")
	case len(pr.yours) == 0:
		return bad("--fault is done to COMMAND: locktop proxy --armed --fault %s -- COMMAND", pr.faults[0])
	}
	for _, text := range pr.faults {
		e, err := proxy.ParseTimedFault(text)
		if err != nil {
			return bad("--fault %q: %v", text, err)
		}
		pr.schedule = append(pr.schedule, e)
	}
	return nil
}

// scheduled are the faults that are done without hands.
type scheduled struct {
	proxy.Schedule
	cancel context.CancelFunc // nil before they begin
	undone chan []string
}

// begin begins to do them to the command behind the proxy, which runs.
func (s *scheduled) begin(ctx context.Context, r *labRun) {
	if len(s.Schedule) == 0 {
		return
	}
	name := r.lab.CommandName()
	ctx, s.cancel = context.WithCancel(ctx)
	s.undone = make(chan []string, 1)
	go func() { s.undone <- s.Run(ctx, name, r.do) }()
}

// end says which were not done: then less was tried than was asked for.
func (s *scheduled) end(e *env) error {
	if s.cancel == nil {
		return nil
	}
	s.cancel()
	undone := <-s.undone
	for _, what := range undone {
		e.tellLine("not done: " + what)
	}
	if len(undone) > 0 {
		return exitCode(exitBad)
	}
	return nil
}
