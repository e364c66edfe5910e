package main

import (
	"context"
	"errors"
)

// Contenders of the loads.
const (
	contenders     = 64
	contendedLocks = 32 // two want each
)

func observerRow() row {
	return row{name: "observer", what: "64 contenders on 32 locks, paced at half of what they can do, with the console attached", against: "without it",
		aims: []aim{{"paced: locks", "/s", keeps, 0.97}, {"paced: p99 of a lock", "ms", atMost, 1.1}, {"paced: p50 of a lock", "ms", shown, 0},
			{"saturated: locks", "/s", shown, 0}, {"saturated: p99 of a lock", "ms", shown, 0}},
		run: func(ctx context.Context, e *env, round int) (sample, error) {
			d := dataset{Locks: e.size(1_000, 100), Claims: 2}
			at, err := e.only(d)
			if err != nil {
				return nil, err
			}
			order := loadOrder{Endpoint: at[0], Clients: contenders, Locks: contendedLocks, Seconds: e.o.seconds.Seconds()}
			with, without, err := e.withAndWithout(ctx, round, order, d)
			if err != nil {
				return nil, err
			}
			s := sample{"saturated: locks": {with.Rate, without.Rate}, "saturated: p99 of a lock": {with.P99, without.P99}}
			order.Rate = without.Rate / 2
			with, without, err = e.withAndWithout(ctx, round, order, d)
			s["paced: locks"] = pair{with.Rate, without.Rate}
			s["paced: p99 of a lock"] = pair{with.P99, without.P99}
			s["paced: p50 of a lock"] = pair{with.P50, without.P50}
			return s, err
		}}
}

// withAndWithout does the same load with a console attached and without one.
func (e *env) withAndWithout(ctx context.Context, round int, order loadOrder, d dataset) (with, without loadResult, err error) {
	err = both(round, func() error {
		s, _, err := e.console(ctx, order.Endpoint, d)
		if err != nil {
			return err
		}
		with, err = e.load(ctx, order)
		return errors.Join(err, s.close())
	}, func() (err error) {
		without, err = e.load(ctx, order)
		return err
	})
	return with, without, err
}

func proxyRow() row {
	return row{name: "proxy", what: "proxy in the path, no fault: lock and unlock", against: "direct",
		aims: []aim{{"1 client", "/s", keeps, 0.75}, {"64 clients", "/s", keeps, 0.85}, {"1 client: p99", "ms", shown, 0}, {"64 clients: p99", "ms", shown, 0}},
		run: func(ctx context.Context, e *env, round int) (sample, error) {
			at, err := e.only(dataset{Sync: true})
			if err != nil {
				return nil, err
			}
			p, err := e.start(ctx, proxyRole, at[0], patience)
			if err != nil {
				return nil, err
			}
			s := sample{}
			for name, clients := range map[string]int{"1 client": 1, "64 clients": 64} {
				var ours, theirs loadResult
				side := func(endpoint string, into *loadResult) func() error {
					return func() (err error) {
						*into, err = e.load(ctx, loadOrder{Endpoint: endpoint, Clients: clients, Locks: clients, Seconds: e.o.seconds.Seconds()})
						return err
					}
				}
				if err := both(round, side(p.address, &ours), side(at[0], &theirs)); err != nil {
					return nil, errors.Join(err, p.end())
				}
				s[name], s[name+": p99"] = pair{ours.Rate, theirs.Rate}, pair{ours.P99, theirs.P99}
			}
			return s, p.end()
		}}
}

func paintRow() row {
	return row{name: "paint", what: "a frame of 200×50, all rows changed / 5 changed", against: "`lipgloss/table` on the same rows",
		aims: []aim{{"all", "µs", faster, 10}, {"five", "µs", faster, 30}},
		run: func(ctx context.Context, e *env, _ int) (sample, error) {
			got, err := e.benchmarks(ctx, "./ui", "^Benchmark(PaintAll|PaintFive|PeerTable)$", e.benchTime())
			if err != nil {
				return nil, err
			}
			peer := got["PeerTable ns/op"] / 1000
			if peer == 0 || got["PaintAll ns/op"] == 0 || got["PaintFive ns/op"] == 0 {
				return nil, errors.New("the benchmarks of ./ui are called otherwise")
			}
			return sample{"all": {got["PaintAll ns/op"] / 1000, peer}, "five": {got["PaintFive ns/op"] / 1000, peer}}, nil
		}}
}
