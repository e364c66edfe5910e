package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// settle bounds the wait for the last events of a flood.
const settle = 10 * time.Second

func eventsRow() row {
	return row{name: "events", what: "events: 20,000/s sustained, the console attached; the same road without a screen beside it", against: "`etcdctl watch --prefix`",
		aims: []aim{{"events written", "/s", shown, 0}, {"lost, without a screen", "events", below, 0}, {"out of order, without a screen", "revisions", below, 0},
			{"last revision never shown", "times", below, 0}, {"lag p99, without a screen", "ms", below, 100}, {"lag p99 on the screen", "ms", below, 100},
			{"oldest screen", "ms", below, 150}, {"processor of the console", "s", atMost, 1.5}, {"processor without a screen", "s", shown, 0}},
		run: func(ctx context.Context, e *env, round int) (sample, error) {
			at, err := e.only(dataset{Locks: floodLocks, Claims: 1})
			if err != nil {
				return nil, err
			}
			s, rate := sample{}, float64(e.size(20_000, 4_000))
			return s, both(round, func() error {
				return errors.Join(e.floodConsole(ctx, at[0], rate, s), e.floodFollower(ctx, at[0], rate, s))
			}, func() error { return e.floodEtcdctl(ctx, at[0], rate, s) })
		}}
}

// ours sets our side of a figure.
func (s sample) ours(figure string, v float64) { s[figure] = pair{v, s[figure].theirs} }

// theirs sets the other side of a figure.
func (s sample) theirs(figure string, v float64) { s[figure] = pair{s[figure].ours, v} }

// floodConsole measures a console while events flow.
func (e *env) floodConsole(ctx context.Context, endpoint string, rate float64, s sample) (err error) {
	c, _, err := e.console(ctx, endpoint, dataset{Locks: floodLocks, Claims: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	before, err := c.used()
	if err != nil {
		return err
	}
	wrote, writer, err := e.flood(ctx, endpoint, rate)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writer.end()) }()
	s.ours("events written", float64(wrote.Events)/wrote.Seconds)
	last := wrote.Revs[len(wrote.Revs)-1]
	within, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	_, late := c.reaches(within, last)
	s.ours("last revision never shown", map[bool]float64{false: 1}[late == nil])
	after, err := c.used()
	if err != nil {
		return err
	}
	s.ours("processor of the console", (after.cpu - before.cpu).Seconds())
	lags := lagsOf(wrote.marks(), c.revisions())
	s.ours("lag p99 on the screen", ms(quantile(lags, 0.99)))
	s.ours("oldest screen", ms(quantile(lags, 1)))
	return nil
}

// lagsOf returns for each revision that was written how long it took until it, or a
// later one, was on the screen. Those that never were count from the last one that was.
func lagsOf(wrote, shown []mark) []time.Duration {
	var lags []time.Duration
	for _, m := range wrote {
		i, _ := slices.BinarySearchFunc(shown, m.rev, func(s mark, rev int64) int { return int(s.rev - rev) })
		if i == len(shown) {
			lags = append(lags, time.Since(m.at))
			continue
		}
		lags = append(lags, max(0, shown[i].at.Sub(m.at)))
	}
	return lags
}

// floodFollower measures watcher and model alone.
func (e *env) floodFollower(ctx context.Context, endpoint string, rate float64, s sample) error {
	f, err := e.follow(ctx, endpoint)
	if err != nil {
		return err
	}
	wrote, writer, err := e.flood(ctx, endpoint, rate)
	if err != nil {
		return errors.Join(err, f.end())
	}
	got, cpu, err := followed(f)
	if err = errors.Join(err, writer.end()); err != nil {
		return err
	}
	s.ours("lost, without a screen", float64(wrote.Before+wrote.Events-got.Events))
	s.ours("out of order, without a screen", float64(got.OutOfOrder+got.Lost))
	s.ours("lag p99, without a screen", got.LagP99)
	s.ours("processor without a screen", cpu.Seconds())
	return nil
}

// floodEtcdctl measures etcdctl on the same events.
func (e *env) floodEtcdctl(ctx context.Context, endpoint string, rate float64, s sample) error {
	w, err := e.watch(ctx, endpoint)
	if err != nil {
		return err
	}
	wrote, writer, err := e.flood(ctx, endpoint, rate)
	if err != nil {
		return errors.Join(err, w.close())
	}
	w.wait(ctx, wrote.Before+wrote.Events)
	err = errors.Join(w.close(), writer.end())
	cpu := (w.cmd.ProcessState.UserTime() + w.cmd.ProcessState.SystemTime()).Seconds()
	s.theirs("events written", float64(wrote.Events)/wrote.Seconds)
	s.theirs("lost, without a screen", float64(wrote.Before+wrote.Events-w.events))
	s.theirs("lag p99, without a screen", ms(quantile(w.lags, 0.99)))
	s.theirs("processor of the console", cpu)
	s.theirs("processor without a screen", cpu)
	return err
}

// watching is an etcdctl that watches, and a count of what it prints.
type watching struct {
	cmd   *exec.Cmd
	hello chan struct{} // closed when it has shown anything
	done  chan struct{} // closed when it has ended

	mu     sync.Mutex
	events int
	lags   []time.Duration
}

// watch starts etcdctl and returns when it watches.
func (e *env) watch(ctx context.Context, endpoint string) (*watching, error) {
	w := &watching{cmd: e.command(ctx, e.etcdctl, "--endpoints", endpoint, "watch", "--prefix", prefix), hello: make(chan struct{}), done: make(chan struct{})}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	go w.read(out)
	c, err := dial(ctx, endpoint)
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if _, err := c.Put(ctx, prefix+"hello", ""); err != nil {
			return nil, errors.Join(fmt.Errorf("wait for etcdctl to watch: %w", err), w.close())
		}
		select {
		case <-w.hello:
			return w, nil
		case <-w.done:
			return nil, errors.Join(errors.New("etcdctl ended"), w.close())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// read counts events: three lines each, what happened, the key and the value.
func (w *watching) read(out io.Reader) {
	defer close(w.done)
	in := bufio.NewScanner(out)
	hello := false
	for in.Scan() {
		in.Scan()
		key := in.Text()
		in.Scan()
		if !hello {
			hello = true
			close(w.hello)
		}
		if !strings.HasPrefix(key, prefix+"lock-") {
			continue
		}
		w.mu.Lock()
		w.events++
		if sent, err := strconv.ParseInt(in.Text(), 10, 64); err == nil {
			w.lags = append(w.lags, time.Since(time.Unix(0, sent)))
		}
		w.mu.Unlock()
	}
}

// wait waits until so many events were printed, but not for long.
func (w *watching) wait(ctx context.Context, events int) {
	for until := time.Now().Add(settle); time.Now().Before(until); {
		w.mu.Lock()
		n := w.events
		w.mu.Unlock()
		if n >= events || !pause(ctx, 20*time.Millisecond) {
			return
		}
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

// latencyEvents is how many events are timed in a round.
const latencyEvents = 200

func latencyRow() row {
	return row{name: "latency", what: "event → cell on the terminal, idle system", against: "the watch response's arrival in a process beside it",
		aims: []aim{{"p99", "ms", below, 30}, {"p50", "ms", shown, 0}, {"longest", "ms", shown, 0}},
		run: func(ctx context.Context, e *env, _ int) (sample, error) {
			d := dataset{Locks: floodLocks, Claims: 1}
			at, err := e.only(d)
			if err != nil {
				return nil, err
			}
			s, _, err := e.console(ctx, at[0], d)
			if err != nil {
				return nil, err
			}
			lags, err := latencies(ctx, s, at[0], e.size(latencyEvents, 20))
			if err = errors.Join(err, s.close()); err != nil {
				return nil, err
			}
			return sample{"p99": {ours: ms(quantile(lags, 0.99))}, "p50": {ours: ms(quantile(lags, 0.5))}, "longest": {ours: ms(quantile(lags, 1))}}, nil
		}}
}

// latencies lets a claim join a queue and leave it, again and again, and returns how
// long after its arrival here each event was on the screen.
func latencies(ctx context.Context, s *screen, endpoint string, n int) ([]time.Duration, error) {
	c, err := dial(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	lease, err := c.Grant(ctx, leaseTTL)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s/%x", dataset{}.lock(0), int64(lease.ID))
	arrived := c.Watch(ctx, prefix, clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	if _, ok := <-arrived; !ok {
		return nil, errors.New("the watch of the benchmark ended")
	}
	var came []mark
	for i := range n {
		// Never in step with a second or a frame.
		if !pause(ctx, 50*time.Millisecond+time.Duration(i*7919%97)*time.Millisecond) {
			return nil, ctx.Err()
		}
		if i%2 == 0 {
			_, err = c.Put(ctx, key, "", clientv3.WithLease(lease.ID))
		} else {
			_, err = c.Delete(ctx, key)
		}
		if err != nil {
			return nil, err
		}
		r, ok := <-arrived
		if !ok || r.Err() != nil {
			return nil, fmt.Errorf("the watch of the benchmark ended: %w", r.Err())
		}
		came = append(came, mark{r.Header.Revision, time.Now()})
		within, cancel := context.WithTimeout(ctx, settle)
		_, err := s.reaches(within, r.Header.Revision)
		cancel()
		if err != nil {
			return nil, err
		}
	}
	_, err = c.Revoke(ctx, lease.ID)
	return lagsOf(came, s.revisions()), err
}
