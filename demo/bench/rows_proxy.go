package main

import (
	"context"
	"errors"

	"locktop/demo/bench/load"
)

// proxyRow is the proxy of locktop and something else, before the same server.
type proxyRow struct {
	name, what, against string
	theirs              load.Role // "" for none: direct
	sync                bool
	aims                []aim
	loads               []proxyLoad
}

// proxyLoad is a load by the name of its rate.
type proxyLoad struct {
	figure, work string
	clients      int
}

// proxyRows are that of the aims, and one for each that the proxy is compared with more
// closely: their server waits for no disk, so that what is left is what a proxy costs.
func proxyRows() []row {
	rows := []row{proxyRow{"proxy", "proxy in the path, no fault: lock and unlock", "direct", "", true,
		[]aim{{"1 client", "/s", keeps, 0.75}, {"64 clients", "/s", keeps, 0.85}, {"1 client: p99", "ms", shown, 0}, {"64 clients: p99", "ms", shown, 0}},
		[]proxyLoad{{"1 client", load.Locking, 1}, {"64 clients", load.Locking, contenders}}}.row()}
	loads := []proxyLoad{{"put", load.Putting, 1}, {"keepalive", load.KeepAlive, 1}, {"lock", load.Locking, 1}, {"crowd", load.Locking, contenders}}
	var aims []aim
	for _, l := range loads {
		aims = append(aims, aim{l.figure, "/s", shown, 0}, aim{l.figure + ": p50", "ms", shown, 0}, aim{l.figure + ": p99", "ms", shown, 0})
	}
	const what = "proxy, no fault, before a server that waits for no disk; a crowd is of 64"
	return append(rows, proxyRow{"direct", what, "direct", "", false, aims, loads}.row(),
		proxyRow{"toxiproxy", what, "toxiproxy without toxics", load.Toxiproxy, false, aims, loads}.row(),
		proxyRow{"copy", what, "a bare copy of the bytes", load.Copy, false, aims, loads}.row())
}

func (p proxyRow) row() row {
	side := func(role load.Role) measurement {
		return func(ctx context.Context, e *env, at []string) (got figures, err error) {
			endpoint := at[0]
			if role != "" {
				c, err := load.Start(ctx, e.dir, role, endpoint, load.Patience)
				if err != nil {
					return nil, err
				}
				endpoint = c.Said
				defer func() { err = errors.Join(err, c.End()) }()
			}
			got = figures{}
			for _, l := range p.loads {
				r, err := load.RunCrowd(ctx, e.dir, load.CrowdOrder{Endpoint: endpoint, Work: l.work, Clients: l.clients, Locks: l.clients, Seconds: e.o.seconds})
				if err != nil {
					return nil, err
				}
				got[l.figure], got[l.figure+": p50"], got[l.figure+": p99"] = r.Rate, r.P50, r.P99
			}
			return got, nil
		}
	}
	return row{name: p.name, what: p.what, against: p.against, aims: p.aims, data: []load.Dataset{{Sync: p.sync}}, ours: side(load.Proxy), theirs: side(p.theirs)}
}
