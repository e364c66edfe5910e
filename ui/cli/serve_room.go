package cli

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/ui/cli/session"
	"locktop/ui/report/metrics"
)

// roomMetrics answers a Prometheus with what is seen in a lab or behind the proxy: that two
// programs act under one lock is known there alone.
type roomMetrics struct {
	addr    string // to answer on, "" for nowhere
	address string // where it is, once it listens
}

func (f *roomMetrics) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.addr, "metrics", "", "answer Prometheus on this address of this machine, as \"locktop serve\" does, with what programs say of themselves as well")
}

// listen begins to answer once the room is open; end waits until it has ended, which it does with
// the room.
func (f *roomMetrics) listen(e *env, r *labRun) (end func() error, err error) {
	if f.addr == "" {
		return func() error { return nil }, nil
	}
	host, _, err := net.SplitHostPort(f.addr)
	switch {
	case err != nil:
		return nil, bad("--metrics %q: want ADDRESS:PORT, such as 127.0.0.1:9739", f.addr)
	case !local(host):
		return nil, bad("--metrics %s: other machines could read the names of the locks there; want an address of this machine alone, such as 127.0.0.1:9739", f.addr)
	}
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		return nil, bad("cannot answer on %s: %v (--metrics)", f.addr, err)
	}
	f.address = fmt.Sprintf("answering on http://%s/metrics", l.Addr())
	var ended chan error // nil: the room was never open
	r.join(func(ctx context.Context, src model.Source) model.Source {
		mine, theirs := session.Fork(ctx, src)
		on := session.New(mine, e.pins...)
		on.Name = "the lab"
		s := newServing(on, metrics.DefaultSeries)
		if r.recording != nil {
			s.x.Recording = r.recording.status
		}
		ended = make(chan error, 1)
		go func() { ended <- s.serve(ctx, l, nil) }()
		if !e.isTerminal() {
			e.tellLine(f.address)
		}
		return theirs
	})
	return func() error {
		if ended == nil {
			return l.Close()
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	}, nil
}
