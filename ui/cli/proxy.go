package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/demo"
	"locktop/model"
	"locktop/model/lab"
	"locktop/ui/cli/session"
)

// proxyFlags are the flags of the proxy.
type proxyFlags struct {
	armed     bool // faults may be done
	port      int
	grace     time.Duration // for the command to end by itself
	cert, key string        // of the listeners, empty for plain text
	yours     []string      // the command to run behind it
}

func (e *env) proxyCmd() *cobra.Command {
	var f proxyFlags
	cmd := &cobra.Command{
		Use:   "proxy [-- COMMAND [ARG]...]",
		Short: "a proxy before your cluster, with your own program behind it and the console to break its connections",
		Long: "proxy listens on loopback for every endpoint and passes calls on unchanged, until you\n" +
			"break something: hold renewals, drop answers, freeze, cut, slow down. COMMAND is started\n" +
			"with ETCD_ENDPOINTS and ETCDCTL_ENDPOINTS set to listeners of its own, so what it does is\n" +
			"known for certain; other programs of yours may use the shared ones.\n\n" +
			"The proxy lends your client certificate (--cert, --key), so it takes connections of your\n" +
			"user alone: those of other users of this machine are refused, root included. And it passes\n" +
			"only calls for keys, watches, leases, locks, elections and health, besides Authenticate,\n" +
			"MemberList and Status: all else of Auth, Cluster and Maintenance is denied. A password is\n" +
			"never lent: programs log in themselves. Only Linux tells whose a connection is; elsewhere\n" +
			"the proxy starts only without a client certificate, and takes everybody's connections.\n\n" +
			"Faults want --armed. Each one is shown and confirmed first (healing is not), and written to\n" +
			"the journal of actions. A profile that is read-only rules the proxy out. locktop itself\n" +
			"only reads the cluster. Without a terminal there are no faults, and what happens is printed\n" +
			"line by line until COMMAND ends: then what COMMAND prints is on standard output, and the\n" +
			"lines are on standard error. The exit code is then COMMAND's own, or 128 and the number of\n" +
			"the signal that ended it; 2, and a line that says so, if it could not be started.\n\n" +
			"When locktop is told to end (ctrl-c, SIGTERM, SIGHUP) it sends SIGTERM to COMMAND and to what\n" +
			"COMMAND has started, once, and waits for --grace: connections stay open, so that COMMAND can\n" +
			"unlock. What is left then is killed, at once with a second ctrl-c. Where COMMAND ends by\n" +
			"itself, what it has left behind is ended the same way. Only what makes itself a process\n" +
			"group of its own is left alone.",
		Example: "  locktop proxy --endpoints 10.0.0.1:2379 -- ./worker --lock /jobs/billing\n" +
			"  locktop proxy --armed --endpoints 127.0.0.1:2379 -- ./worker",
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
			return e.runProxy(cmd.Context(), f)
		},
	}
	cmd.Flags().BoolVar(&f.armed, "armed", false, "allow faults on the programs behind the proxy: each one is confirmed and written to the journal first")
	cmd.Flags().IntVar(&f.port, "port", 0, "first port of the shared listeners, one per endpoint (default: free ports)")
	cmd.Flags().DurationVar(&f.grace, "grace", 10*time.Second, "time that COMMAND has to end by itself when it is told to")
	cmd.Flags().StringVar(&f.cert, "listen-cert", "", "serve COMMAND and others over TLS with this certificate, which has to be good for 127.0.0.1")
	cmd.Flags().StringVar(&f.key, "listen-key", "", "key of that certificate")
	return cmd
}

// runProxy opens the console on a cluster that is not ours, with the proxy before it.
func (e *env) runProxy(ctx context.Context, f proxyFlags) (err error) {
	if err := e.reach(ctx); err != nil {
		return err
	}
	secure, err := e.flags.tls.config(e.flags.endpoints)
	if err != nil {
		return err
	}
	served, err := f.serverTLS()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := labRoom{armed: f.armed}
	impatient := newImpatience()
	defer func() {
		cancel() // ends a start under way, for which close waits
		stop := impatient.begin(func() {
			if len(f.yours) > 0 {
				e.tellLine(fmt.Sprintf("waiting up to %s for %s to end; ctrl-c kills it", f.grace, f.yours[0]))
			}
		})
		err = r.closeAfter(err)
		stop()
		if err == nil && len(f.yours) > 0 && !e.isTerminal() {
			err = e.howEnded(r.lab.CommandEnd())
		}
	}()
	lab := demo.Options{Endpoints: e.flags.endpoints, TLS: secure, ServerTLS: served, Port: f.port, Command: f.yours,
		Grace: f.grace, Hurry: impatient.hurry}
	if e.isTerminal() {
		o := e.uiOptions("proxy before " + e.label())
		o.LabelColor = e.labelColor()
		o.Prefixes, o.Lab, o.Armed, o.Foreign = prefixList(e.flags.prefixes), true, f.armed, true
		o.NoSuspend = "the proxy lives in this process: suspended, it would hold up the programs behind it"
		o.Boot = e.boot(ctx, &r, lab)
		return e.show(ctx, o)
	}
	out := e.out
	if len(f.yours) > 0 {
		out, lab.Output, lab.Errors = e.err, e.stdout, e.err // what COMMAND prints is passed on as it is
	}
	live, err := r.open(ctx, e, lab, e.tellLine)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "proxy ready: ETCD_ENDPOINTS=%s\n", strings.Join(live.Endpoints, ","))
	return followYours(ctx, e.inLines(live.Source, out), f.yours)
}

// serverTLS is what the listeners speak, nil for plain text.
func (f proxyFlags) serverTLS() (*tls.Config, error) {
	if f.cert == "" && f.key == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, bad("TLS for the programs behind the proxy: %v (see --listen-cert and --listen-key)", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// howEnded says how the command ended, if not well, and has its exit code.
func (e *env) howEnded(code int, how string) error {
	if code == 0 {
		return nil
	}
	tellError(e.err, errors.New(how))
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
	err := s.Pull(ctx, session.Pull{Until: func() bool { return ended(s.State.Contenders()) }})
	if err == nil {
		err = s.Pull(ctx, session.Pull{For: lastWords})
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// ended says whether there are contenders and all of them have ended.
func ended(all []lab.ContenderInfo) bool {
	for _, c := range all {
		if c.Proc != model.ProcEnded {
			return false
		}
	}
	return len(all) > 0
}
