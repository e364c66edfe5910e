package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"locktop/demo/bench/load"
)

// allRows are the rows in the order of the table.
func allRows(o options) []row {
	rows := []row{startRow(o), lsRow(o), headsRow(o), pageRow(o), millionRow(o), queueRow(o), eventsRow(o), latencyRow(o), idleRow(o), serveRow(o),
		observerRow(o), paintRow(), axisRow(), historyRow(o), replayRow()}
	return append(append(rows, proxyRows()...), demoRow())
}

// many is what most rows look at.
func (o options) many() load.Dataset { return load.Dataset{Locks: o.size(10_000, 100), Claims: 10} }

// ended are the figures of a program that ran to its end.
func (u usage) ended(of string) figures {
	return figures{of + "wall": u.wall.Seconds(), of + "peak memory": u.rss, of + "processor": u.cpu.Seconds()}
}

// runs measures a program that runs to its end.
func (e *env) runs(ctx context.Context, line []string) (figures, error) {
	u, err := e.measure(ctx, line...)
	return u.ended(""), err
}

// lsJSON is what most rows let locktop do.
var lsJSON = []string{"ls", "-o", "json", "--leases", "none"}

func lsRow(o options) row {
	return row{name: "ls", what: "`ls -o json --leases none`, 10,000 locks × 10 claims", against: "`etcdctl get --prefix -w json`", program: true,
		aims: []aim{{"wall", "s", atMost, 1}, {"peak memory", "MiB", atMost, 1}, {"processor", "s", shown, 0}},
		data: []load.Dataset{o.many()},
		ours: func(ctx context.Context, e *env, at []string) (figures, error) {
			return e.runs(ctx, e.locktopAt(at[0], lsJSON...))
		},
		theirs: func(ctx context.Context, e *env, at []string) (figures, error) {
			return e.runs(ctx, e.etcdctlAt(at[0], "get", "--prefix", load.Prefix, "-w", "json"))
		}}
}

// headsSampled is how many leases the shell loop reads; the rest is extrapolated.
const headsSampled = 50

func headsRow(o options) row {
	return row{name: "heads", what: "`ls --leases heads`, same keys", program: true,
		against: fmt.Sprintf("a shell loop of `etcdctl lease timetolive` over the same heads (%d of them, extrapolated)", headsSampled),
		aims:    []aim{{"wall", "s", faster, 100}, {"peak memory", "MiB", shown, 0}},
		data:    []load.Dataset{o.many()},
		ours: func(ctx context.Context, e *env, at []string) (figures, error) {
			return e.runs(ctx, e.locktopAt(at[0], "ls", "--leases", "heads"))
		},
		theirs: func(ctx context.Context, e *env, at []string) (figures, error) {
			began := time.Now()
			for i := range headsSampled {
				if _, err := e.measure(ctx, e.etcdctlAt(at[0], "lease", "timetolive", strconv.FormatInt(o.many().Lease(i, 0), 16))...); err != nil {
					return nil, err
				}
			}
			return figures{"wall": time.Since(began).Seconds() * float64(o.many().Locks) / headsSampled}, nil
		}}
}

func pageRow(o options) row {
	return row{name: "page", what: "console: process start to the first full page, same keys", against: "`etcdctl get --prefix -w simple` to /dev/null", program: true,
		aims: []aim{{"wall", "s", atMost, 1.2}, {"peak memory", "MiB", shown, 0}},
		data: []load.Dataset{o.many()},
		ours: func(ctx context.Context, e *env, at []string) (figures, error) {
			got := figures{}
			return got, e.onConsole(ctx, at[0], o.many(), func(s *screen, page time.Duration) error {
				u, err := s.used()
				got["wall"], got["peak memory"] = page.Seconds(), u.rss
				return err
			})
		},
		theirs: func(ctx context.Context, e *env, at []string) (figures, error) {
			return e.runs(ctx, e.etcdctlAt(at[0], "get", "--prefix", load.Prefix, "-w", "simple"))
		}}
}

// onConsole opens a console on a server and calls f when the page is full: all is
// loaded, and the order of the rows is that of all locks.
func (e *env) onConsole(ctx context.Context, endpoint string, d load.Dataset, f func(s *screen, page time.Duration) error) error {
	s, err := e.open(ctx, e.locktopAt(endpoint)...)
	if err != nil {
		return err
	}
	at, err := s.await(ctx, " live", grouped(d.Locks)+" locks")
	if err == nil {
		err = f(s, at.Sub(s.began))
	}
	return errors.Join(err, s.close())
}

// grouped writes a number as the console does.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// keysPressed go from page to page: each answers with a title that its page alone has.
// The last of them ranks all leases.
var keysPressed = []struct{ key, answer string }{{"3", "journal"}, {"1", "HOLDER"}, {"4", "IN SHORT"}, {"1", "HOLDER"}, {"2", "RHYTHM"}, {"1", "HOLDER"}}

// keyRepeats is how often all of them are pressed.
const keyRepeats = 5

// look opens a console, presses all keys so often, and measures ls beside it.
func (e *env) look(ctx context.Context, endpoint string, d load.Dataset, repeats int) (figures, error) {
	got := figures{}
	err := e.onConsole(ctx, endpoint, d, func(s *screen, page time.Duration) error {
		var slowest time.Duration
		for i := range repeats * len(keysPressed) {
			k := keysPressed[i%len(keysPressed)]
			pressed, err := s.press(k.key)
			if err != nil {
				return err
			}
			answered, err := s.await(ctx, k.answer)
			if err != nil {
				return err
			}
			slowest = max(slowest, answered.Sub(pressed))
		}
		u, err := s.used()
		got["console: to the full page"], got["console: peak memory"] = page.Seconds(), u.rss
		if repeats > 0 {
			got["console: slowest answer to a key"] = load.Milliseconds(slowest)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	ls, err := e.measure(ctx, e.locktopAt(endpoint, lsJSON...)...)
	maps.Copy(got, ls.ended("ls: "))
	return got, err
}

func millionRow(o options) row {
	few := o.many()
	million := load.Dataset{Locks: few.Locks * 10, Claims: few.Claims}
	return row{name: "million", what: "1,000,000 claims (100,000 locks × 10)", against: "itself at 100,000", program: true,
		aims: []aim{{"console: to the full page", "s", atMost, 11}, {"console: peak memory", "MiB", atMost, 11},
			{"console: slowest answer to a key", "ms", below, 50}, {"ls: wall", "s", atMost, 11}, {"ls: peak memory", "MiB", atMost, 11}},
		data: []load.Dataset{million, few},
		ours: func(ctx context.Context, e *env, at []string) (figures, error) {
			return e.look(ctx, at[0], million, keyRepeats)
		},
		theirs: func(ctx context.Context, e *env, at []string) (figures, error) {
			return e.look(ctx, at[1], few, keyRepeats)
		}}
}

func queueRow(o options) row {
	long := load.Dataset{Locks: 1, Claims: o.size(100_000, 1_000)}
	side := func(server int, fold string) measurement {
		return func(ctx context.Context, e *env, at []string) (figures, error) {
			got, err := e.fold(ctx, fold)
			if err != nil {
				return nil, err
			}
			for command, line := range map[string][]string{"ls: ": lsJSON, "describe: ": {"describe", "-o", "json", "--leases", "none", load.Lock(0)}} {
				u, err := e.measure(ctx, e.locktopAt(at[server], line...)...)
				if err != nil {
					return nil, err
				}
				maps.Copy(got, u.ended(command))
			}
			return got, nil
		}
	}
	return row{name: "queue", what: "one lock with 100,000 waiters", against: "10,000 locks × 10, the same number of claims", program: true,
		aims: []aim{{"fold: load", "ns/claim", atMost, 2}, {"fold: event", "ns/event", atMost, 2},
			{"ls: wall", "s", atMost, 2}, {"ls: peak memory", "MiB", atMost, 2},
			{"describe: wall", "s", atMost, 2}, {"describe: peak memory", "MiB", atMost, 2}, {"describe: processor", "s", shown, 0}},
		data: []load.Dataset{long, o.many()},
		ours: side(0, "one_lock"), theirs: side(1, "10000_locks")}
}

// fold is what the model alone takes, from the benchmarks of its package.
func (e *env) fold(ctx context.Context, of string) (figures, error) {
	of = "100000_claims_of_" + of
	got, err := e.benchmarks(ctx, "./model/store", "^Benchmark(Load|Events)$/^"+of+"$", map[string]string{
		"fold: load": "Load/" + of + " ns/claim", "fold: event": "Events/" + of + " ns/event"})
	if errors.Is(err, errNoSources) {
		return figures{}, nil // the rest of the row can be measured
	}
	return got, err
}

func axisRow() row {
	return row{name: "axis", what: "a frame of 46 lanes, of 1,000 locks with a million intervals in an hour", against: "nothing", program: true,
		aims: []aim{{"a minute of it", "µs", below, 5000}, {"ten minutes", "µs", below, 5000}, {"the hour", "µs", below, 5000}, {"the hour: processor", "µs", below, 5000}},
		ours: func(ctx context.Context, e *env, _ []string) (figures, error) {
			return e.benchmarks(ctx, "./ui/timeline", "^BenchmarkFrame$", map[string]string{"a minute of it": "Frame/1m0s µs/op", "ten minutes": "Frame/10m0s µs/op", "the hour": "Frame/1h0m0s µs/op",
				"the hour: processor": "Frame/1h0m0s processor-µs/op"})
		}}
}

// historyRow has one round: it is minutes long, and what is kept is the same each time.
func historyRow(o options) row {
	part := "whole"
	if o.quick {
		part = "tenth"
	}
	return row{name: "history", what: "an hour at 10,000 locks and 1,000 handovers a second, 1,000 claims on one of them", against: "nothing", most: 1, program: true,
		aims: []aim{{"kept in all", "MiB", below, 256}, {"its intervals", "MiB", shown, 0}, {"intervals that were dropped", "intervals", below, 0}, {"heap at its largest", "MiB", shown, 0}},
		ours: func(ctx context.Context, e *env, _ []string) (figures, error) {
			of := "Hour/" + part + " "
			return e.benchmarks(ctx, "./model/timeline", "^BenchmarkHour$/^"+part+"$", map[string]string{"kept in all": of + "heap-MiB", "its intervals": of + "book-MiB",
				"intervals that were dropped": of + "dropped", "heap at its largest": of + "heap-peak-MiB"})
		}}
}

func paintRow() row {
	side := func(all, five string) measurement {
		return func(ctx context.Context, e *env, _ []string) (figures, error) {
			return e.benchmarks(ctx, "./ui", fmt.Sprintf("^Benchmark(%s|%s)$", all, five), map[string]string{"all": all + " µs/op", "five": five + " µs/op"})
		}
	}
	return row{name: "paint", what: "a frame of 200×50, all rows changed / 5 changed", against: "`lipgloss/table` on the same rows", program: true,
		aims: []aim{{"all", "µs", faster, 10}, {"five", "µs", faster, 30}},
		ours: side("PaintAll", "PaintFive"), theirs: side("PeerTable", "PeerTable")}
}

func replayRow() row {
	return row{name: "replay", what: "an hour of a recording is opened and gone through, to 200 moments at random", against: "nothing", program: true, most: 2,
		aims: []aim{{"10,000 claims: seek p99", "ms", below, 50}, {"10,000 claims: processor p99", "ms", below, 50},
			{"100,000 claims: seek p99", "ms", below, 500}, {"100,000 claims: processor p99", "ms", below, 500},
			{"a million events: opens", "ms", below, 2000}, {"a million events: all is known", "ms", shown, 0}, {"a million events: seek p99", "ms", shown, 0}},
		ours: func(ctx context.Context, e *env, _ []string) (figures, error) {
			return e.benchmarks(ctx, "./ui/cli/playback", "^BenchmarkGo$", map[string]string{
				"10,000 claims: seek p99": "Go/10000_claims_72000_events ms-p99", "10,000 claims: processor p99": "Go/10000_claims_72000_events processor-ms-p99",
				"100,000 claims: seek p99": "Go/100000_claims_72000_events ms-p99", "100,000 claims: processor p99": "Go/100000_claims_72000_events processor-ms-p99",
				"a million events: opens": "Go/10000_claims_1000000_events ms-to-open", "a million events: all is known": "Go/10000_claims_1000000_events ms-to-scan",
				"a million events: seek p99": "Go/10000_claims_1000000_events ms-p99"})
		}}
}
