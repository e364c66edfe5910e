package main

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// many is what most rows look at.
func (e *env) many() dataset { return dataset{Locks: e.size(10_000, 100), Claims: 10} }

// wallAndMemory are the figures of a program that runs to its end.
func wallAndMemory(s sample, of string, ours, theirs usage) {
	s[of+"wall"] = pair{ours.wall.Seconds(), theirs.wall.Seconds()}
	s[of+"peak memory"] = pair{ours.rss, theirs.rss}
	s[of+"processor"] = pair{ours.cpu.Seconds(), theirs.cpu.Seconds()}
}

// compare runs two programs to their ends.
func (e *env) compare(ctx context.Context, round int, ours, theirs []string) (a, b usage, err error) {
	err = both(round, func() (err error) {
		a, err = e.measure(ctx, ours[0], ours[1:]...)
		return err
	}, func() (err error) {
		b, err = e.measure(ctx, theirs[0], theirs[1:]...)
		return err
	})
	return a, b, err
}

func lsRow() row {
	return row{name: "ls", what: "`ls -o json --leases none`, 10,000 locks × 10 claims", against: "`etcdctl get --prefix -w json`",
		aims: []aim{{"wall", "s", atMost, 1}, {"peak memory", "MiB", atMost, 1}, {"processor", "s", shown, 0}},
		run: func(ctx context.Context, e *env, round int) (sample, error) {
			at, err := e.only(e.many())
			if err != nil {
				return nil, err
			}
			ours, theirs, err := e.compare(ctx, round, []string{e.locktop, "ls", "-o", "json", "--leases", "none", "--endpoints", at[0], "--prefix", prefix},
				[]string{e.etcdctl, "--endpoints", at[0], "get", "--prefix", prefix, "-w", "json"})
			s := sample{}
			wallAndMemory(s, "", ours, theirs)
			return s, err
		}}
}

// headsSampled is how many leases the shell loop reads; the rest is extrapolated.
const headsSampled = 50

func headsRow() row {
	return row{name: "heads", what: "`ls --leases heads`, same keys",
		against: fmt.Sprintf("a shell loop of `etcdctl lease timetolive` over the same heads (%d of them, extrapolated)", headsSampled),
		aims:    []aim{{"wall", "s", faster, 100}, {"peak memory", "MiB", shown, 0}},
		run: func(ctx context.Context, e *env, round int) (sample, error) {
			d := e.many()
			at, err := e.only(d)
			if err != nil {
				return nil, err
			}
			var ours usage
			var loop time.Duration
			err = both(round, func() (err error) {
				ours, err = e.measure(ctx, e.locktop, "ls", "--leases", "heads", "--endpoints", at[0], "--prefix", prefix)
				return err
			}, func() error {
				began := time.Now()
				for i := range headsSampled {
					if _, err := e.measure(ctx, e.etcdctl, "--endpoints", at[0], "lease", "timetolive", strconv.FormatInt(d.lease(i, 0), 16)); err != nil {
						return err
					}
				}
				loop = time.Since(began) * time.Duration(d.Locks) / headsSampled
				return nil
			})
			return sample{"wall": {ours.wall.Seconds(), loop.Seconds()}, "peak memory": {ours.rss, 0}}, err
		}}
}

func queueRow() row {
	return row{name: "queue", what: "one lock with 100,000 waiters", against: "10,000 locks × 10, the same number of claims",
		aims: []aim{{"fold: load", "ns/claim", atMost, 2}, {"fold: event", "ns/event", atMost, 2},
			{"ls: wall", "s", atMost, 2}, {"ls: peak memory", "MiB", atMost, 2},
			{"describe: wall", "s", atMost, 2}, {"describe: peak memory", "MiB", atMost, 2}, {"describe: processor", "s", shown, 0}},
		run: func(ctx context.Context, e *env, round int) (sample, error) {
			long, many := dataset{Locks: 1, Claims: e.size(100_000, 1_000)}, e.many()
			at, err := e.only(long, many)
			if err != nil {
				return nil, err
			}
			s := sample{}
			if err := e.fold(ctx, s); err != nil {
				return nil, err
			}
			for _, command := range []string{"ls", "describe"} {
				line := func(endpoint string, d dataset) []string {
					line := []string{e.locktop, command, "-o", "json", "--leases", "none", "--endpoints", endpoint, "--prefix", prefix}
					if command == "describe" {
						line = append(line, d.lock(0))
					}
					return line
				}
				ours, theirs, err := e.compare(ctx, round, line(at[0], long), line(at[1], many))
				if err != nil {
					return nil, err
				}
				wallAndMemory(s, command+": ", ours, theirs)
			}
			return s, nil
		}}
}

// fold is what the model alone takes, from the benchmarks of its package.
func (e *env) fold(ctx context.Context, s sample) error {
	got, err := e.benchmarks(ctx, "./model", "^Benchmark(Load|Events)$/^100000_claims", e.benchTime())
	if err != nil {
		return err
	}
	s["fold: load"] = pair{got["Load/100000_claims_of_one_lock ns/claim"], got["Load/100000_claims_of_10000_locks ns/claim"]}
	s["fold: event"] = pair{got["Events/100000_claims_of_one_lock ns/event"], got["Events/100000_claims_of_10000_locks ns/event"]}
	if s["fold: load"].ours == 0 || s["fold: event"].theirs == 0 {
		return fmt.Errorf("the benchmarks of ./model are called otherwise: %v", got)
	}
	return nil
}
