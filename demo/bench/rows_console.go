package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// grouped writes a number as the console does.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// console opens a console on a server, and returns it with how long it took until
// the page was full: all is loaded, and the order of the rows is that of all locks.
func (e *env) console(ctx context.Context, endpoint string, d dataset) (*screen, time.Duration, error) {
	s, err := e.open(ctx, "--endpoints", endpoint, "--prefix", prefix) // asked for no prefix, it would ask which
	if err != nil {
		return nil, 0, err
	}
	at, err := s.await(ctx, " live", grouped(d.Locks)+" locks")
	if err != nil {
		return nil, 0, errors.Join(err, s.close())
	}
	return s, at.Sub(s.began), nil
}

func pageRow() row {
	return row{name: "page", what: "console: process start to the first full page, same keys", against: "`etcdctl get --prefix -w simple` to /dev/null",
		aims: []aim{{"wall", "s", atMost, 1.2}, {"peak memory", "MiB", shown, 0}},
		run: func(ctx context.Context, e *env, round int) (sample, error) {
			at, err := e.only(e.many())
			if err != nil {
				return nil, err
			}
			var page time.Duration
			var ours, theirs usage
			err = both(round, func() error {
				s, took, err := e.console(ctx, at[0], e.many())
				if err != nil {
					return err
				}
				page = took
				ours, err = s.used()
				return errors.Join(err, s.close())
			}, func() (err error) {
				theirs, err = e.measure(ctx, e.etcdctl, "--endpoints", at[0], "get", "--prefix", prefix, "-w", "simple")
				return err
			})
			return sample{"wall": {page.Seconds(), theirs.wall.Seconds()}, "peak memory": {ours.rss, theirs.rss}}, err
		}}
}

// keysPressed go from page to page: each answers with the title of its page in
// brackets. The last of them ranks all leases.
var keysPressed = []struct{ key, answer string }{{"3", "[3 Journal]"}, {"1", "[1 Locks]"}, {"4", "[4 Findings"}, {"1", "[1 Locks]"}, {"2", "[2 Sessions]"}, {"1", "[1 Locks]"}}

// keyRepeats is how often all of them are pressed.
const keyRepeats = 5

// look opens a console, presses keys, and measures ls beside it.
func (e *env) look(ctx context.Context, endpoint string, d dataset) (page time.Duration, console, ls usage, slowest time.Duration, err error) {
	s, page, err := e.console(ctx, endpoint, d)
	if err != nil {
		return page, console, ls, 0, err
	}
	for range keyRepeats {
		for _, k := range keysPressed {
			pressed, err := s.press(k.key)
			if err != nil {
				return page, console, ls, 0, errors.Join(err, s.close())
			}
			answered, err := s.await(ctx, k.answer)
			if err != nil {
				return page, console, ls, 0, errors.Join(err, s.close())
			}
			slowest = max(slowest, answered.Sub(pressed))
		}
	}
	console, err = s.used()
	if err = errors.Join(err, s.close()); err != nil {
		return page, console, ls, slowest, err
	}
	ls, err = e.measure(ctx, e.locktop, "ls", "-o", "json", "--leases", "none", "--endpoints", endpoint)
	return page, console, ls, slowest, err
}

func millionRow() row {
	return row{name: "million", what: "1,000,000 claims (100,000 locks × 10)", against: "itself at 100,000",
		aims: []aim{{"console: to the full page", "s", atMost, 11}, {"console: peak memory", "MiB", atMost, 11},
			{"console: slowest answer to a key", "ms", below, 50}, {"ls: wall", "s", atMost, 11}, {"ls: peak memory", "MiB", atMost, 11}},
		run: func(ctx context.Context, e *env, round int) (sample, error) {
			few := e.many()
			million := dataset{Locks: few.Locks * 10, Claims: few.Claims}
			at, err := e.only(million, few)
			if err != nil {
				return nil, err
			}
			s := sample{}
			put := func(figure string, big bool, v float64) {
				p := s[figure]
				if big {
					p.ours = v
				} else {
					p.theirs = v
				}
				s[figure] = p
			}
			side := func(endpoint string, d dataset) func() error {
				return func() error {
					page, console, ls, slowest, err := e.look(ctx, endpoint, d)
					big := d == million
					put("console: to the full page", big, page.Seconds())
					put("console: peak memory", big, console.rss)
					put("console: slowest answer to a key", big, ms(slowest))
					put("ls: wall", big, ls.wall.Seconds())
					put("ls: peak memory", big, ls.rss)
					return err
				}
			}
			return s, both(round, side(at[0], million), side(at[1], few))
		}}
}

func idleRow() row {
	return row{name: "idle", what: "console, idle: 10,000 healthy locks, 50 rows on the screen", against: "nothing", most: 1,
		aims: []aim{{"processor", "% of a core", below, 2}, {"requests", "/s", below, 20}, {"to the terminal", "KiB/s", below, 4},
			{"memory, last fifth to first", "% more", below, 1}, {"memory", "MiB", shown, 0}},
		run: func(ctx context.Context, e *env, _ int) (sample, error) {
			d := dataset{Locks: e.size(10_000, 200), Claims: 2}
			at, err := e.only(d)
			if err != nil {
				return nil, err
			}
			s, _, err := e.console(ctx, at[0], d)
			if err != nil {
				return nil, err
			}
			got, err := watchIdle(ctx, s, at[0], e.o.idle)
			return got, errors.Join(err, s.close())
		}}
}

// idleParts is into how many parts the time is cut; the figures are medians of them.
const idleParts = 5

// watchIdle looks at a console that nothing happens to. A fifth of the time goes by
// before: what was loaded is garbage by then.
func watchIdle(ctx context.Context, s *screen, endpoint string, long time.Duration) (sample, error) {
	type reading struct {
		at            time.Time
		u             usage
		bytes, rounds float64
	}
	var all []reading
	for range idleParts + 1 {
		if !pause(ctx, long/(idleParts+1)) {
			return nil, ctx.Err()
		}
		u, err := s.used()
		if err != nil {
			return nil, err
		}
		asked, err := requests(ctx, endpoint)
		if err != nil {
			return nil, err
		}
		all = append(all, reading{time.Now(), u, float64(s.written()), asked})
	}
	var cpu, rate, bytes []float64
	for i, now := range all[1:] {
		before, seconds := all[i], now.at.Sub(all[i].at).Seconds()
		cpu = append(cpu, 100*(now.u.cpu-before.u.cpu).Seconds()/seconds)
		rate = append(rate, (now.rounds-before.rounds)/seconds)
		bytes = append(bytes, (now.bytes-before.bytes)/seconds/1024)
	}
	first, last := all[0].u.now, all[len(all)-1].u.now
	return sample{"processor": {ours: median(cpu)}, "requests": {ours: median(rate)}, "to the terminal": {ours: median(bytes)},
		"memory, last fifth to first": {ours: 100 * (last - first) / first}, "memory": {ours: last}}, nil
}

func demoRow() row {
	return row{name: "demo", what: "`demo` from start to the first queue on the screen, 3 members", against: "the embedded members' own readiness, from their log in the same run",
		aims: []aim{{"in all", "s", below, 1.2}, {"above readiness", "s", below, 0.5}},
		run: func(ctx context.Context, e *env, _ int) (sample, error) {
			s, err := e.open(ctx, "demo", "--members", "3")
			if err != nil {
				return nil, err
			}
			at, err := s.await(ctx, "/demo/orders")
			var ready time.Time
			if err == nil {
				ready, err = e.readiness()
			}
			if err = errors.Join(err, s.close()); err != nil {
				return nil, err
			}
			return sample{"in all": {at.Sub(s.began).Seconds(), ready.Sub(s.began).Seconds()}, "above readiness": {ours: at.Sub(ready).Seconds()}}, nil
		}}
}

// readiness returns when the last of the members of the lab that runs said that it
// serves.
func (e *env) readiness() (at time.Time, _ error) {
	var logs []string
	for _, pattern := range []string{"*/etcd.log", "*/*/etcd.log"} { // of the lab, in a directory of its own
		found, err := filepath.Glob(filepath.Join(e.dir, pattern))
		if err != nil {
			return at, err
		}
		logs = append(logs, found...)
	}
	if len(logs) != 1 {
		return at, fmt.Errorf("want one log of members, found %q", logs)
	}
	text, err := os.ReadFile(logs[0])
	if err != nil {
		return at, err
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if _, rest, ok := strings.Cut(line, `"ts":"`); ok && strings.Contains(line, `"ready to serve client requests"`) {
			stamp, _, _ := strings.Cut(rest, `"`)
			t, err := time.Parse(time.RFC3339Nano, stamp)
			if err != nil {
				return at, fmt.Errorf("%s: %w", logs[0], err)
			}
			n++
			if t.After(at) {
				at = t
			}
		}
	}
	if n < 3 {
		return at, fmt.Errorf("%s: %d members say that they serve", logs[0], n)
	}
	return at, nil
}
