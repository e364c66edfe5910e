package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/bench/load"
)

// flooded is what the rows of events look at.
var flooded = load.Dataset{Locks: load.FloodLocks, Claims: 1}

// latencyEvents is how many events are timed in a round.
const latencyEvents = 200

func latencyRow(o options) row {
	return row{name: "latency", what: "event → cell on the terminal, idle system", against: "the watch response's arrival in a process beside it", program: true,
		aims: []aim{{"p99", "ms", below, 30}, {"p50", "ms", shown, 0}, {"longest", "ms", shown, 0}},
		data: []load.Dataset{flooded},
		ours: func(ctx context.Context, e *env, at []string) (figures, error) {
			var lags []time.Duration
			err := e.onConsole(ctx, at[0], flooded, func(s *screen, _ time.Duration) (err error) {
				lags, err = latencies(ctx, s, at[0], o.size(latencyEvents, 20))
				return err
			})
			return figures{"p99": load.Quantile(lags, 0.99), "p50": load.Quantile(lags, 0.5), "longest": load.Quantile(lags, 1)}, err
		}}
}

// latencies lets a claim join a queue and leave it, again and again, and returns how
// long after its arrival here each event was on the screen.
func latencies(ctx context.Context, s *screen, endpoint string, n int) ([]time.Duration, error) {
	c, err := load.Dial(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	lease, err := c.Grant(ctx, load.LeaseTTL)
	if err != nil {
		return nil, err
	}
	key := load.Key(0, int64(lease.ID))
	arrived := c.Watch(ctx, load.Prefix, clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	if _, ok := <-arrived; !ok {
		return nil, errors.New("the watch of the benchmark ended")
	}
	var came []load.Mark
	for i := range n {
		// Never in step with a second or a frame.
		if !load.Pause(ctx, 50*time.Millisecond+time.Duration(i*7919%97)*time.Millisecond) {
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
		came = append(came, load.Mark{Rev: r.Header.Revision, At: time.Now()})
		if _, err := s.reaches(ctx, r.Header.Revision); err != nil {
			return nil, err
		}
	}
	_, err = c.Revoke(ctx, lease.ID)
	return lagsOf(came, s.revisions()), err
}

func idleRow(o options) row {
	d := load.Dataset{Locks: o.size(20_000, 200), Claims: 1} // nobody waits: after five minutes that would be 10,000 warnings
	return row{name: "idle", what: "console, idle: 20,000 healthy locks, with the queue and the axis of one of them", against: "nothing", most: 1, program: true,
		aims: []aim{{"processor", "% of a core", below, 2}, {"requests", "/s", below, 20}, {"to the terminal", "KiB/s", below, 4},
			{"memory, last fifth to first", "% more", below, 1}, {"memory", "MiB", shown, 0}},
		data: []load.Dataset{d},
		ours: func(ctx context.Context, e *env, at []string) (got figures, err error) {
			err = e.onConsole(ctx, at[0], d, func(s *screen, _ time.Duration) (err error) {
				got, err = watchIdle(ctx, s, at[0], o.idle)
				return err
			})
			return got, err
		}}
}

// idleParts is into how many parts the time is cut; the figures are medians of them.
const idleParts = 5

// watchIdle looks at a console that nothing happens to. A fifth of the time goes by
// before: what was loaded is garbage by then.
func watchIdle(ctx context.Context, s *screen, endpoint string, long time.Duration) (figures, error) {
	type reading struct {
		at           time.Time
		u            usage
		bytes, asked float64
	}
	var all []reading
	for range idleParts + 1 {
		if !load.Pause(ctx, long/(idleParts+1)) {
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
		rate = append(rate, (now.asked-before.asked)/seconds)
		bytes = append(bytes, (now.bytes-before.bytes)/seconds/1024)
	}
	first, last := all[0].u.now, all[len(all)-1].u.now
	return figures{"processor": median(cpu), "requests": median(rate), "to the terminal": median(bytes),
		"memory, last fifth to first": 100 * (last - first) / first, "memory": last}, nil
}

// requests returns how many messages of clients a server has received so far, but for those
// of some methods.
func requests(ctx context.Context, endpoint string, but ...string) (sum float64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+endpoint+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, fmt.Errorf("read the metrics of the server: %w", err)
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	for _, m := range families["grpc_server_msg_received_total"].GetMetric() {
		if !slices.ContainsFunc(m.GetLabel(), func(l *dto.LabelPair) bool {
			return l.GetName() == "grpc_method" && slices.Contains(but, l.GetValue())
		}) {
			sum += m.GetCounter().GetValue()
		}
	}
	return sum, err
}

// Contenders of the loads.
const (
	contenders     = 64
	contendedLocks = 32 // two want each
)

func observerRow(o options) row {
	d := load.Dataset{Locks: o.size(1_000, 100), Claims: 2}
	return row{name: "observer", what: "64 contenders on 32 locks, paced at half of what they can do, with the console attached", against: "without it", program: true,
		aims: []aim{{"paced: locks", "/s", keeps, 0.97}, {"paced: p99 of a lock", "ms", atMost, 1.1}, {"paced: p50 of a lock", "ms", shown, 0},
			{"saturated: locks", "/s", shown, 0}, {"saturated: p99 of a lock", "ms", shown, 0}},
		data: []load.Dataset{d},
		ours: func(ctx context.Context, e *env, at []string) (got figures, err error) {
			if err := e.setPace(ctx, at[0]); err != nil { // the first round begins here, and no console looks yet
				return nil, err
			}
			err = e.onConsole(ctx, at[0], d, func(*screen, time.Duration) (err error) {
				got, err = e.contend(ctx, at[0])
				return err
			})
			return got, err
		},
		theirs: func(ctx context.Context, e *env, at []string) (figures, error) {
			return e.contend(ctx, at[0])
		}}
}

func (e *env) contenders(ctx context.Context, endpoint string, rate float64) (load.CrowdResult, error) {
	return load.RunCrowd(ctx, e.dir, load.CrowdOrder{Endpoint: endpoint, Work: load.Locking, Clients: contenders, Locks: contendedLocks, Rate: rate, Seconds: e.o.seconds})
}

// setPace finds out once what the contenders can do without a console.
func (e *env) setPace(ctx context.Context, endpoint string) error {
	if e.pace > 0 {
		return nil
	}
	r, err := e.contenders(ctx, endpoint, 0)
	e.pace = r.Rate / 2
	return err
}

// contend lets them do what they can, and then half of it.
func (e *env) contend(ctx context.Context, endpoint string) (figures, error) {
	all, err := e.contenders(ctx, endpoint, 0)
	if err != nil {
		return nil, err
	}
	paced, err := e.contenders(ctx, endpoint, e.pace)
	return figures{"saturated: locks": all.Rate, "saturated: p99 of a lock": all.P99,
		"paced: locks": paced.Rate, "paced: p99 of a lock": paced.P99, "paced: p50 of a lock": paced.P50}, err
}

func demoRow() row {
	return row{name: "demo", what: "`demo` from start to the first queue on the screen, 3 members", against: "the embedded members' own readiness, from their log in the same run", program: true,
		aims: []aim{{"in all", "s", below, 1.2}, {"readiness of the members", "s", shown, 0}, {"above readiness", "s", below, 0.5}},
		ours: func(ctx context.Context, e *env, _ []string) (figures, error) {
			s, err := e.open(ctx, e.program.path, "demo", "--members", "3")
			if err != nil {
				return nil, err
			}
			at, err := s.await(ctx, "/demo/billing")
			var ready time.Time
			if err == nil {
				ready, err = e.readiness()
			}
			return figures{"in all": at.Sub(s.began).Seconds(), "readiness of the members": ready.Sub(s.began).Seconds(),
				"above readiness": at.Sub(ready).Seconds()}, errors.Join(err, s.close())
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
		var said struct {
			TS  time.Time
			Msg string
		}
		if json.Unmarshal([]byte(line), &said) != nil || said.Msg != "ready to serve client requests" {
			continue
		}
		if n++; said.TS.After(at) {
			at = said.TS
		}
	}
	if n < 3 {
		return at, fmt.Errorf("%s: %d members say that they serve", logs[0], n)
	}
	return at, nil
}
