package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"locktop/demo"
	"locktop/demo/contender"
	"locktop/ui/cli/session"
)

// labAlone is the command lab: the lab of the demo, without its console.
type labAlone struct {
	e         *env
	lab       demoRun
	json      bool
	withInput bool
	scripts   controls
}

func labCmd(e *env) *cobra.Command {
	f := labAlone{e: e, lab: demoRun{e: e, fence: fenceNone}}
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "start a lab without a console, for a test of your own: a cluster, its proxy, and a control for scripts",
		Long: "lab starts an etcd cluster of its own on loopback, and the proxy before it, until it is told to end.\n" +
			"A test connects to the endpoints, and does by the control what a person does in the console: it\n" +
			"injects faults and heals them, waits for a state, and asks what is wrong. With --json the first line of\n" +
			"the output is an object: endpoints, members (past the proxy), control, token, socket, pid. Nothing else is\n" +
			"printed then. --with-stdin ends the lab with its standard input, so that it does not outlive the test.\n" +
			"\n" +
			"{\"do\":\"listen\",\"target\":\"a\"} opens endpoints for one client, and faults of that name hit it alone. On the\n" +
			"endpoints that all share the target is \"all\". .ci/examples has tests in Go, Java, Python and JavaScript.",
		Example: "  locktop lab --json --with-stdin\n" +
			"  curl -sf -H \"Authorization: Bearer $TOKEN\" -d '{\"do\":\"inject\",\"fault\":\"freeze\",\"target\":\"all\",\"for\":\"6s\"}' $CONTROL",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.lab.check(); err != nil {
				return err
			}
			return f.run(cmd.Context())
		},
	}
	f.lab.addLab(cmd)
	cmd.Flags().IntVar(&f.lab.contenders, "contenders", 0, fmt.Sprintf("contenders to start with, 0 to %d", contender.MaxContenders))
	cmd.Flags().BoolVar(&f.json, "json", false, "print one line of JSON when the lab is ready, and nothing else")
	cmd.Flags().BoolVar(&f.withInput, "with-stdin", false, "end with the standard input")
	f.scripts.add(cmd, "127.0.0.1:0")
	return cmd
}

// readyLab is what a test has to know of a lab.
type readyLab struct {
	Schema    int      `json:"schema"`
	Endpoints []string `json:"endpoints"`
	Members   []string `json:"members"`
	Control   *string  `json:"control"`
	Token     *string  `json:"token"`
	Socket    *string  `json:"socket"`
	PID       int      `json:"pid"`
}

// run keeps the lab until ctx ends.
func (f *labAlone) run(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	var r labRun
	scripts, err := f.scripts.listen(ctx, f.e, &r)
	if err != nil {
		cancel()
		return err
	}
	defer func() {
		cancel()
		err = errors.Join(r.closeAfter(err), scripts())
	}()
	if f.withInput {
		go func() {
			_, _ = io.Copy(io.Discard, f.e.in) // whatever ends it
			cancel()
		}()
	}
	lab := f.lab.options()
	lab.Sockets = f.scripts.sockets()
	live, err := r.open(ctx, f.e, lab, f.e.streams.tell)
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return nil
		}
		return err
	}
	if f.json {
		ready := readyLab{Schema: 1, Endpoints: live.Endpoints, Members: r.lab.MemberEndpoints(), PID: os.Getpid()}
		if f.scripts.web != nil {
			ready.Control, ready.Token = &f.scripts.web.Address, &f.scripts.token
		}
		if f.scripts.socket != "" {
			ready.Socket = &f.scripts.socket
		}
		if err := json.NewEncoder(f.e.out).Encode(ready); err != nil {
			return err
		}
		return session.New(live.Source, f.e.pins...).Follow(ctx, 0)
	}
	fmt.Fprintf(f.e.out, "lab ready: ETCDCTL_ENDPOINTS=%s\n", strings.Join(live.Endpoints, ","))
	if told := f.scripts.webAddress(); told != "" {
		fmt.Fprintln(f.e.out, told)
	}
	return f.e.inLines(live.Source, f.e.out).Follow(ctx, 0)
}

// options are those of the lab.
func (r *demoRun) options() demo.Options {
	lab := demo.Options{Members: r.members, Processes: r.processes, Port: r.port, Contenders: r.contenders, Fence: fences[r.fence]}
	if r.contenders == 0 {
		lab.Contenders = -1
	}
	return lab
}

// addLab adds the flags of a lab.
func (r *demoRun) addLab(cmd *cobra.Command) {
	cmd.Flags().IntVar(&r.members, "members", 3, "members of the cluster: 1, 3 or 5")
	cmd.Flags().IntVar(&r.port, "port", 0, "first port of the client endpoints, one per member (default: free ports)")
	cmd.Flags().BoolVar(&r.processes, "processes", false, "members as processes of their own, which can be paused")
	addWord(cmd.Flags(), &r.fence, "fence", "", "--fence", fenceNames, "what the resource behind the locks refuses with an old token: "+strings.Join(fenceNames, ", "))
}
