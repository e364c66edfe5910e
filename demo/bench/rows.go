package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/watcher/recording"
)

// allRows are the rows in the order of the table.
func allRows(o options) []row {
	return []row{lsRow(o), pageRow(o), eventsRow(o), jumpRow(o), idleRow(o), serveRow(o), proxyRow(), growthRow(o), soakRow(o)}
}

func rowNames() (names []string) {
	for _, r := range allRows(options{}) {
		names = append(names, r.name)
	}
	return names
}

func (o options) many() dataset { return dataset{Locks: o.size(10_000, 100), Claims: 10} }

// etcdctlGets is the peer of a list.
func etcdctlGets(format string) side {
	return func(ctx context.Context, e *env, endpoint string) (values, error) {
		return e.runs(ctx, e.etcdctl, "--endpoints", endpoint, "get", "--prefix", prefix, "-w", format)
	}
}

func lsRow(o options) row {
	return row{name: "ls", what: "`ls -o json --leases none`, 10,000 locks × 10 claims", against: "`etcdctl get --prefix -w json`",
		figures: []figure{{"wall", "s", atMost, 1}, {"processor", "s", shown, 0}},
		data:    o.many(),
		ours: func(ctx context.Context, e *env, endpoint string) (values, error) {
			return e.runs(ctx, e.locktopOn(endpoint, "ls", "-o", "json", "--leases", "none")...)
		},
		theirs: etcdctlGets("json")}
}

func pageRow(o options) row {
	return row{name: "page", what: "console: from its start to the first full page, same keys", against: "`etcdctl get --prefix -w simple`",
		figures: []figure{{"wall", "s", atMost, 1.2}, {"memory", "MiB", shown, 0}},
		data:    o.many(),
		ours:    func(ctx context.Context, e *env, _ string) (values, error) { return e.page(ctx, o.many()) },
		theirs:  etcdctlGets("simple")}
}

// page measures a console until its first full page, and of locks on one lease how long it
// takes until it shows that this lease was revoked.
func (e *env) page(ctx context.Context, d dataset) (values, error) {
	endpoint, err := e.holding(ctx, d)
	if err != nil {
		return nil, err
	}
	got := values{}
	return got, e.onConsole(ctx, endpoint, d, func(s *screen, page time.Duration) error {
		got["wall"] = page.Seconds()
		if d.OneLease {
			c, err := dial(ctx, endpoint)
			if err != nil {
				return err
			}
			defer c.Close()
			e.server.data = spent
			asked := time.Now()
			r, err := c.Revoke(ctx, leaseBase)
			if err != nil {
				return err
			}
			shown, err := s.reaches(ctx, r.Header.Revision)
			if err != nil {
				return err
			}
			got["gone"] = shown.Sub(asked).Seconds()
		}
		u, err := usedBy(s.cmd.Process.Pid)
		got["memory"] = u.peak
		return err
	})
}

func eventsRow(o options) row {
	rate := float64(o.size(20_000, 4_000))
	return row{name: "events", what: "console: one event at a time, idle; then 20,000 events/s",
		figures: []figure{{"written", "events/s", shown, 0}, {"lag p99", "ms", below, 250}, {"last revision never shown", "times", below, 0},
			{"idle: event in its cell, p99", "ms", below, 30}, {"idle: event in its cell, p50", "ms", shown, 0}},
		data: flooded,
		ours: func(ctx context.Context, e *env, endpoint string) (values, error) {
			got := values{}
			err := e.onConsole(ctx, endpoint, flooded, func(s *screen, _ time.Duration) error {
				lags, err := e.oneByOne(ctx, s, endpoint, o.size(200, 20))
				if err != nil {
					return err
				}
				got["idle: event in its cell, p99"], got["idle: event in its cell, p50"] = quantile(lags, 0.99), quantile(lags, 0.5)
				marks, err := e.flood(ctx, endpoint, rate)
				if err != nil {
					return err
				}
				last := marks[len(marks)-1]
				_, late := s.reaches(ctx, last.rev)
				got["written"], got["lag p99"] = float64(2*floodPuts*len(marks))/last.at.Sub(marks[0].at).Seconds(), quantile(s.lags(marks), 0.99)
				got["last revision never shown"] = map[bool]float64{true: 1}[late != nil]
				return nil
			})
			return got, err
		}}
}

// oneByOne lets a claim join a queue and leave it, again and again, and returns how long
// after its arrival in a watch beside it each event was on the screen.
func (e *env) oneByOne(ctx context.Context, s *screen, endpoint string, n int) ([]time.Duration, error) {
	c, err := dial(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	lease, err := c.Grant(ctx, leaseTTL)
	if err != nil {
		return nil, err
	}
	key := claimKey(0, int64(lease.ID))
	arrived := c.Watch(ctx, prefix, clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	<-arrived
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
		if _, err := s.reaches(ctx, r.Header.Revision); err != nil {
			return nil, err
		}
	}
	_, err = c.Revoke(ctx, lease.ID)
	return s.lags(came), err
}

// recordedEvents are those of an hour, in which claims come and go at a steady rate.
const recordedEvents = 72_000

func jumpRow(o options) row {
	return row{name: "jump", what: "console: 40 jumps to moments at random in a recording of an hour and 72,000 events",
		figures: []figure{{"10,000 claims: longest", "ms", below, 300}, {"10,000 claims: p50", "ms", shown, 0},
			{"100,000 claims: longest", "ms", below, 1500}, {"100,000 claims: p50", "ms", shown, 0}},
		ours: func(ctx context.Context, e *env, _ string) (values, error) {
			got := values{}
			for name, claims := range map[string]int{"10,000 claims: ": o.size(10_000, 100), "100,000 claims: ": o.size(100_000, 1_000)} {
				took, err := e.jump(ctx, claims, o.size(40, 5))
				if err != nil {
					return nil, err
				}
				got[name+"longest"], got[name+"p50"] = quantile(took, 1), quantile(took, 0.5)
			}
			return got, nil
		}}
}

// jump opens a recording and goes to moments in it.
func (e *env) jump(ctx context.Context, claims, n int) (took []time.Duration, err error) {
	path := filepath.Join(e.dir, fmt.Sprintf("%d.rec", claims))
	if err := record(path, claims); err != nil {
		return nil, err
	}
	s, err := e.open(ctx, e.locktop, "replay", path, "--at", recordedAt(time.Hour).UTC().Format(time.RFC3339))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if _, err := s.await(ctx, "paused"); err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(1, 1))
	for i := range n + 1 {
		at := recordedAt(time.Duration(1+random.IntN(3598)) * time.Second)
		for _, typed := range []string{":", "at " + at.UTC().Format("2006-01-02 15:04:05")} {
			if _, err := s.press(typed); err != nil {
				return nil, err
			}
			pause(ctx, 200*time.Millisecond) // until the prompt has it, which is not measured
		}
		began, err := s.press("\r")
		if err != nil {
			return nil, err
		}
		shown, err := s.await(ctx, at.UTC().Format("2006-01-02 15:04:05")) // it stands in the header, of which every frame tells the moment
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first waits until the file is read
			took = append(took, shown.Sub(began))
		}
	}
	return took, nil
}

// recordedAt is a moment of the recorded hour.
func recordedAt(d time.Duration) time.Time {
	return time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC).Add(d)
}

// record writes a recording: so many claims, ten a lock, and then each tenth of a second one
// that comes and goes at once.
func record(path string, claims int) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer out.Close()
	r := recording.NewRecorder(out, recording.Options{Lag: time.Hour})
	at, rev := recordedAt(0), int64(claims)
	claim := func(i int, rev int64) model.KV {
		return model.KV{Key: claimKey(i%(claims/10), leaseBase+int64(i)), CreateRev: rev, ModRev: rev, Version: 1, Lease: model.LeaseID(leaseBase + i)}
	}
	events := []model.Event{model.LoadStarted{At: at, Rev: rev}}
	for from := 0; from < claims; from += 2000 {
		var kvs []model.KV
		for i := from; i < min(claims, from+2000); i++ {
			kvs = append(kvs, claim(i, int64(i+1)))
		}
		events = append(events, model.Listed{At: at, Rev: rev, KVs: kvs, Done: int64(from + len(kvs)), Total: rev})
	}
	err = r.Write(model.Batch{Events: append(events, model.Loaded{At: at, Rev: rev})})
	for i := 0; i < recordedEvents/2 && err == nil; i++ {
		at := recordedAt(time.Duration(i) * 2 * time.Hour / recordedEvents)
		kv := claim(claims+i, rev+1)
		gone := model.KV{Key: kv.Key, ModRev: rev + 2}
		rev += 2
		err = r.Write(model.Batch{Events: []model.Event{model.Committed{At: at, Rev: rev - 1, Changes: []model.Change{{KV: kv}}},
			model.Committed{At: at, Rev: rev, Changes: []model.Change{{Deleted: true, KV: gone}}}}})
	}
	return errors.Join(err, r.Close())
}

const (
	idleFor  = 2 * time.Minute
	serveFor = 4 * time.Minute
	parts    = 10 // of such a look; a share of a core is their median
)

func idleRow(o options) row {
	d := dataset{Locks: o.size(20_000, 200), Claims: 1} // who waits for minutes would be a warning
	return row{name: "idle", what: fmt.Sprintf("console, nothing happens: 20,000 locks, for %s", idleFor), once: true,
		figures: []figure{{"processor", "% of a core", below, 2}, {"memory", "MiB", shown, 0}},
		data:    d,
		ours: func(ctx context.Context, e *env, endpoint string) (got values, err error) {
			err = e.onConsole(ctx, endpoint, d, func(s *screen, _ time.Duration) (err error) {
				got, err = look(ctx, s.cmd.Process.Pid, o.long(idleFor), func() error { return nil })
				return err
			})
			return got, err
		}}
}

// look looks at a process for so long, and does something in each part.
func look(ctx context.Context, pid int, long time.Duration, each func() error) (values, error) {
	var shares []float64
	before, err := usedBy(pid)
	if err != nil {
		return nil, err
	}
	for range parts {
		if !pause(ctx, long/parts) {
			return nil, ctx.Err()
		}
		now, err := usedBy(pid)
		if err = errors.Join(err, each()); err != nil {
			return nil, err
		}
		shares, before = append(shares, now.share(before)), now
	}
	return values{"processor": median(shares), "memory": before.now}, nil
}

func serveRow(o options) row {
	d := dataset{Locks: o.size(10_000, 200), Claims: 2}
	return row{name: "serve", what: fmt.Sprintf("`serve --record`, 10,000 locks, 50 handovers a second, for %s", serveFor), once: true,
		figures: []figure{{"processor", "% of a core", below, 3}, {"memory", "MiB", shown, 0}},
		data:    d,
		ours: func(ctx context.Context, e *env, endpoint string) (got values, err error) {
			s, err := e.open(ctx, e.locktopOn(endpoint, "serve", "--listen", "127.0.0.1:0", "--record", filepath.Join(e.dir, "ring"))...)
			if err != nil {
				return nil, err
			}
			defer func() {
				_ = s.cmd.Process.Signal(syscall.SIGTERM)
				err = errors.Join(err, s.close())
			}()
			if _, err := s.await(ctx, "/metrics"); err != nil {
				return nil, err
			}
			s.mu.Lock()
			url := string(regexp.MustCompile(`http\S+/metrics`).Find(s.seen))
			s.mu.Unlock()
			load, enough := context.WithCancel(ctx)
			ended := make(chan error, 1)
			go func() { ended <- handOver(load, endpoint, d, 50) }()
			got, err = look(ctx, s.cmd.Process.Pid, o.long(serveFor), func() error { // as a Prometheus does
				a, err := http.Get(url)
				if err == nil {
					_, err = io.Copy(io.Discard, a.Body)
					_ = a.Body.Close()
				}
				return err
			})
			enough()
			return got, errors.Join(err, <-ended)
		}}
}

func proxyRow() row {
	side := func(proxied bool) side {
		return func(ctx context.Context, e *env, endpoint string) (values, error) {
			got := values{}
			for name, clients := range map[string]int{"1 client": 1, "64 clients": 64} {
				rate, err := e.crowd(ctx, endpoint, proxied, clients, e.o.long(5*time.Second))
				if err != nil {
					return nil, err
				}
				got[name] = rate
			}
			return got, nil
		}
	}
	return row{name: "proxy", what: "a program that locks and unlocks, started by `locktop proxy -- PROGRAM`", against: "the same program, direct",
		figures: []figure{{"1 client", "locks/s", keeps, 0.85}, {"64 clients", "locks/s", keeps, 0.85}},
		data:    dataset{Sync: true}, ours: side(true), theirs: side(false)}
}

func growthRow(o options) row {
	r := row{name: "growth", what: "console, to the first full page: by claims, ten a lock, and by keys on one lease; *gone*: until it shows that this lease was revoked"}
	curves := []struct {
		of    string
		sizes []int
		bound float64 // of the last step
		data  func(n int) dataset
		names []string
	}{
		{" claims: ", []int{1_000, 10_000, 100_000}, 11, func(n int) dataset { return dataset{Locks: o.size(n/10, n/500), Claims: 10} }, []string{"wall", "memory"}},
		{" keys on a lease: ", []int{1_000, 10_000, 20_000}, 2.2, func(n int) dataset { return dataset{Locks: o.size(n, n/100), Claims: 1, OneLease: true} }, []string{"wall", "memory", "gone"}},
	}
	for _, c := range curves {
		for _, name := range c.names {
			for _, n := range c.sizes {
				r.figures = append(r.figures, figure{grouped.Sprint(n) + c.of + name, map[string]string{"memory": "MiB", "wall": "s", "gone": "s"}[name], shown, 0})
			}
			r.figures = append(r.figures, figure{"the last step of" + c.of + name, "×", below, c.bound})
		}
	}
	r.ours = func(ctx context.Context, e *env, _ string) (values, error) {
		got := values{}
		for _, c := range curves {
			var before, now values
			for _, n := range c.sizes {
				before = now
				var err error
				if now, err = e.page(ctx, c.data(n)); err != nil {
					return nil, err
				}
				for name, v := range now {
					got[grouped.Sprint(n)+c.of+name] = v
				}
			}
			for name, v := range now {
				got["the last step of"+c.of+name] = v / before[name]
			}
		}
		return got, nil
	}
	return r
}
