package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"sync/atomic"
	"time"

	"locktop/demo/bench/load"
)

func eventsRow(o options) row {
	rate := float64(o.size(20_000, 4_000))
	return row{name: "events", what: "events: 20,000/s sustained, the console attached; the same road without a screen beside it", against: "`etcdctl watch --prefix`", program: true,
		aims: []aim{{"events written", "/s", shown, 0}, {"lost, without a screen", "events", below, 0}, {"out of order, without a screen", "revisions", below, 0},
			{"last revision never shown", "times", below, 0}, {"lag p99, without a screen", "ms", below, 100}, {"lag p99 on the screen", "ms", below, 100},
			{"oldest screen", "ms", below, 150}, {"processor of the console", "s", atMost, 1.5}, {"processor without a screen", "s", shown, 0}},
		data: []load.Dataset{flooded},
		ours: func(ctx context.Context, e *env, at []string) (figures, error) {
			got := figures{}
			err := e.floodConsole(ctx, at[0], rate, got)
			if err == nil && o.against == "" { // the road is not that of the other program
				err = e.floodFollower(ctx, at[0], rate, got)
			}
			return got, err
		},
		theirs: func(ctx context.Context, e *env, at []string) (figures, error) {
			return e.floodEtcdctl(ctx, at[0], rate)
		}}
}

// flood lets events flow; the end of the process takes away what is left of them.
func (e *env) flood(ctx context.Context, endpoint string, rate float64) (load.FloodResult, *load.Child, error) {
	return load.RunFlood(ctx, e.dir, load.FloodOrder{Endpoint: endpoint, Rate: rate, Seconds: e.o.flood.Seconds()})
}

// floodConsole measures a console while events flow.
func (e *env) floodConsole(ctx context.Context, endpoint string, rate float64, got figures) error {
	return e.onConsole(ctx, endpoint, flooded, func(s *screen, _ time.Duration) error {
		before, err := s.used()
		if err != nil {
			return err
		}
		wrote, writer, err := e.flood(ctx, endpoint, rate)
		if err != nil {
			return err
		}
		_, late := s.reaches(ctx, wrote.Marks[len(wrote.Marks)-1].Rev)
		after, err := s.used()
		lags := lagsOf(wrote.Marks, s.revisions())
		e.tellOldest(wrote.Marks, lags)
		got["events written"] = float64(wrote.Events) / wrote.Seconds
		got["last revision never shown"] = map[bool]float64{false: 1}[late == nil]
		got["processor of the console"] = (after.cpu - before.cpu).Seconds()
		got["lag p99 on the screen"], got["oldest screen"] = load.Quantile(lags, 0.99), load.Quantile(lags, 1)
		return errors.Join(err, writer.End())
	})
}

// tellOldest says when the screens were the oldest: at its beginning a flood meets a console that rests.
func (e *env) tellOldest(wrote []load.Mark, lags []time.Duration) {
	worst := map[int]time.Duration{} // by second of the flood
	for i, m := range wrote {
		s := int(m.At.Sub(wrote[0].At).Seconds())
		worst[s] = max(worst[s], lags[i])
	}
	seconds := slices.SortedFunc(maps.Keys(worst), func(a, b int) int { return cmp.Compare(worst[b], worst[a]) })
	for _, s := range seconds[:min(5, len(seconds))] {
		e.tell("second %d of the flood: oldest screen %d ms", s, worst[s].Milliseconds())
	}
}

// lagsOf returns for each revision that was written how long it took until it, or a
// later one, was on the screen. Those that never were count from the last one that was.
func lagsOf(wrote, shown []load.Mark) []time.Duration {
	var lags []time.Duration
	for _, m := range wrote {
		i, _ := slices.BinarySearchFunc(shown, m.Rev, func(s load.Mark, rev int64) int { return int(s.Rev - rev) })
		if i == len(shown) {
			lags = append(lags, time.Since(m.At))
			continue
		}
		lags = append(lags, max(0, shown[i].At.Sub(m.At)))
	}
	return lags
}

// floodFollower measures watcher and model alone.
func (e *env) floodFollower(ctx context.Context, endpoint string, rate float64, got figures) error {
	f, err := load.Start(ctx, e.dir, load.Follow, endpoint, load.Patience)
	if err != nil {
		return err
	}
	wrote, writer, err := e.flood(ctx, endpoint, rate)
	if err != nil {
		return errors.Join(err, f.End())
	}
	var saw load.FollowResult
	cpu, err := f.Answer(&saw)
	got["lost, without a screen"] = float64(wrote.Before + wrote.Events - saw.Events)
	got["out of order, without a screen"] = float64(saw.OutOfOrder + saw.Lost)
	got["lag p99, without a screen"], got["processor without a screen"] = saw.LagP99, cpu.Seconds()
	return errors.Join(err, writer.End())
}

// floodEtcdctl measures etcdctl on the same events.
func (e *env) floodEtcdctl(ctx context.Context, endpoint string, rate float64) (figures, error) {
	w, err := e.watch(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	wrote, writer, err := e.flood(ctx, endpoint, rate)
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	w.wait(ctx, wrote.Before+wrote.Events)
	err = errors.Join(w.close(), writer.End())
	cpu := cpuOf(w.cmd).Seconds()
	return figures{"events written": float64(wrote.Events) / wrote.Seconds, "lost, without a screen": float64(wrote.Before+wrote.Events) - float64(w.events.Load()),
		"lag p99, without a screen": load.Quantile(w.lags, 0.99), "processor of the console": cpu, "processor without a screen": cpu}, err
}

// hello is a key of no lock, written until etcdctl shows it.
const hello = load.Prefix + "hello"

// watching is an etcdctl that watches, and a count of what it prints.
type watching struct {
	cmd    *exec.Cmd
	began  atomic.Bool   // it has shown anything
	events atomic.Int64  // of locks
	done   chan struct{} // closed when it has ended
	lags   []time.Duration
}

// watch starts etcdctl and returns when it watches.
func (e *env) watch(ctx context.Context, endpoint string) (*watching, error) {
	c, err := load.Dial(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	w := &watching{cmd: e.command(ctx, e.etcdctlAt(endpoint, "watch", "--prefix", load.Prefix)...), done: make(chan struct{})}
	out, err := w.cmd.StdoutPipe()
	if err == nil {
		err = w.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	go w.read(out)
	ctx, cancel := context.WithTimeout(ctx, load.Patience)
	defer cancel()
	for !w.began.Load() {
		if _, err := c.Put(ctx, hello, ""); err != nil {
			return nil, errors.Join(fmt.Errorf("wait for etcdctl to watch: %w", err), w.close())
		}
		load.Pause(ctx, 20*time.Millisecond)
	}
	return w, nil
}

// read counts events: three lines each, what happened, the key and the value.
func (w *watching) read(out io.Reader) {
	defer close(w.done)
	for in := bufio.NewScanner(out); in.Scan(); {
		in.Scan()
		lock := in.Text() != hello
		in.Scan()
		w.began.Store(true)
		if !lock {
			continue
		}
		w.events.Add(1)
		if lag, ok := load.Lag(in.Text()); ok {
			w.lags = append(w.lags, lag)
		}
	}
}

// wait waits until so many events were printed, but not for long.
func (w *watching) wait(ctx context.Context, events int) {
	ctx, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	for w.events.Load() < int64(events) && load.Pause(ctx, 20*time.Millisecond) {
	}
}

// close ends etcdctl, which knows no other end than a signal.
func (w *watching) close() error {
	_ = w.cmd.Process.Kill()
	<-w.done
	var killed *exec.ExitError
	if err := w.cmd.Wait(); err != nil && !errors.As(err, &killed) {
		return err
	}
	return nil
}
