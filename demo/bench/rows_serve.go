package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/bench/load"
)

// serveRate is how many locks change hands in a second.
const serveRate = 50

func serveRow(o options) row {
	d := load.Dataset{Locks: o.size(10_000, 200), Claims: 2}
	return row{name: "serve", what: fmt.Sprintf("`serve --record`, 10,000 locks, %d handovers a second, scraped every 15 s, for %s", serveRate, o.serve), against: "nothing", most: 1, program: true,
		aims: []aim{{"processor", "% of a core", below, 1}, {"processor of a bare watch by etcd's client, beside it", "% of a core", shown, 0}, {"requests", "/s", below, 20},
			{"memory, last third to the time from minute ten on", "% more", below, 5}, {"memory", "MiB", shown, 0}, {"peak memory", "MiB", shown, 0}, {"recorded", "MiB/h", shown, 0},
			{"moments that it answers otherwise than etcd", "moments", below, 0}, {"moments that were asked", "moments", shown, 0}, {"longest answer", "s", shown, 0}},
		data: []load.Dataset{d},
		ours: func(ctx context.Context, e *env, at []string) (figures, error) { return e.serveFor(ctx, at[0], d, o) }}
}

// serveFor runs serve beside the load, and then asks what it recorded of each minute.
func (e *env) serveFor(ctx context.Context, endpoint string, d load.Dataset, o options) (_ figures, err error) {
	dir, err := os.MkdirTemp(e.dir, "ring-")
	if err != nil {
		return nil, err
	}
	s, err := e.startServe(ctx, endpoint, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	bare, err := load.Start(ctx, e.dir, load.Bare, endpoint, load.Patience)
	if err != nil {
		return nil, err
	}
	writer, err := load.Start(ctx, e.dir, load.Handovers, load.HandoverOrder{Endpoint: endpoint, Data: d, Rate: serveRate}, load.Patience)
	if err != nil {
		return nil, errors.Join(err, bare.End())
	}
	got, moments, err := e.lookAt(ctx, s, bare.Pid(), o.serve)
	if err = errors.Join(err, writer.End(), bare.End()); err != nil {
		return nil, err
	}
	checked, err := e.checkMoments(ctx, endpoint, dir, moments)
	maps.Copy(got, checked)
	return got, err
}

// servedAt is a serve that runs.
type servedAt struct {
	cmd      *exec.Cmd
	url      string
	endpoint string
	dir      string
}

func (e *env) startServe(ctx context.Context, endpoint, dir string) (*servedAt, error) {
	s := &servedAt{cmd: e.command(ctx, e.locktopAt(endpoint, "serve", "--listen", "127.0.0.1:0", "--record", dir)...), endpoint: endpoint, dir: dir}
	said, err := s.cmd.StderrPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start serve: %w", err)
	}
	in := bufio.NewReader(said)
	line, err := in.ReadString('\n')
	at := regexp.MustCompile(`answering on (http\S+/metrics)`).FindStringSubmatch(line)
	if err != nil || at == nil {
		return nil, errors.Join(fmt.Errorf("start serve: it says %q: %w", line, err), s.end())
	}
	s.url = at[1]
	go func() { _, _ = io.Copy(io.Discard, in) }()
	return s, nil
}

func (s *servedAt) end() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	defer time.AfterFunc(load.Patience, func() { _ = s.cmd.Process.Kill() }).Stop()
	return s.cmd.Wait()
}

// The time is cut into serveParts, of which figures are medians. What was loaded becomes garbage
// in the first of them, which say nothing: those of serveSettle, or of a third. A moment of each
// momentEach is asked for later.
const (
	serveParts  = 60
	serveSettle = 10 * time.Minute
	momentEach  = 2
)

// lookAt looks at a serve for so long, and at a bare watch beside it. Moments are revisions.
func (e *env) lookAt(ctx context.Context, s *servedAt, bare int, long time.Duration) (figures, []int64, error) {
	c, err := load.Dial(ctx, s.endpoint)
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	type reading struct {
		at    time.Time
		u     usage
		bare  time.Duration
		asked float64
	}
	var all []reading
	var moments []int64
	for began, part := time.Now(), 0; part < serveParts; {
		if !load.Pause(ctx, min(15*time.Second, long/serveParts)) {
			return nil, nil, ctx.Err()
		}
		if err := scrape(ctx, s.url); err != nil {
			return nil, nil, err
		}
		if time.Since(began) < long/serveParts*time.Duration(part+1) {
			continue
		}
		part++
		u, err := usedBy(s.cmd.Process.Pid)
		b, err2 := usedBy(bare)
		asked, err3 := requests(ctx, s.endpoint, "Put", "DeleteRange")
		now, err4 := c.Get(ctx, load.Prefix, clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err := errors.Join(err, err2, err3, err4); err != nil {
			return nil, nil, err
		}
		e.tell("serve after %s: %.1f MiB, %.1f s of processor time; the bare watch %.1f s", time.Since(began).Round(time.Second), u.now, u.cpu.Seconds(), b.cpu.Seconds())
		all = append(all, reading{time.Now(), u, b.cpu, asked})
		if part%momentEach == 0 {
			moments = append(moments, now.Header.Revision)
		}
	}
	third := serveParts / 3
	from := max(1, int(math.Ceil(serveParts*min(1./3, serveSettle.Seconds()/long.Seconds()))))
	var cpu, floor, rate, first, later []float64
	for i := from; i < len(all); i++ {
		before, now := all[i-1], all[i]
		seconds := now.at.Sub(before.at).Seconds()
		cpu = append(cpu, 100*(now.u.cpu-before.u.cpu).Seconds()/seconds)
		floor = append(floor, 100*(now.bare-before.bare).Seconds()/seconds)
		rate = append(rate, (now.asked-before.asked)/seconds)
		if i < from+third { // thirds, so that one collection more or less says nothing
			first = append(first, now.u.now)
		}
		if i >= 2*third {
			later = append(later, now.u.now)
		}
	}
	size, err := bytesIn(s.dir)
	return figures{"processor": median(cpu), "processor of a bare watch by etcd's client, beside it": median(floor), "requests": median(rate),
		"memory": median(later), "peak memory": all[len(all)-1].u.rss,
		"memory, last third to the time from minute ten on": 100 * (median(later) - median(first)) / median(first), "recorded": size / (1 << 20) / long.Hours()}, moments, err
}

// scrape reads the metrics as a Prometheus does.
func scrape(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	a, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("scrape serve: %w", err)
	}
	defer a.Body.Close()
	_, err = io.Copy(io.Discard, a.Body)
	return err
}

// bytesIn is what the files of a folder hold.
func bytesIn(dir string) (n float64, err error) {
	files, err := os.ReadDir(dir)
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			return n, err
		}
		n += float64(info.Size())
	}
	return n, err
}

// checkMoments asks the recording and etcd for the keys of each moment.
func (e *env) checkMoments(ctx context.Context, endpoint, dir string, moments []int64) (figures, error) {
	c, err := load.Dial(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	got := figures{"moments that it answers otherwise than etcd": 0, "moments that were asked": float64(len(moments))}
	for _, rev := range moments {
		then, err := c.Get(ctx, load.Prefix, clientv3.WithPrefix(), clientv3.WithRev(rev))
		if err != nil {
			return nil, err
		}
		want := map[string]int64{}
		for _, kv := range then.Kvs {
			want[string(kv.Key)] = kv.CreateRevision
		}
		began := time.Now()
		cmd := e.command(ctx, e.program.path, "ls", "-o", "json", "--leases", "none", "--recording", dir, "--at", strconv.FormatInt(rev, 10))
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("ls at revision %d: %w: %s", rev, err, said.Bytes())
		}
		got["longest answer"] = max(got["longest answer"], time.Since(began).Seconds())
		have, err := claimsIn(out)
		if err != nil {
			return nil, err
		}
		if !maps.Equal(have, want) {
			got["moments that it answers otherwise than etcd"]++
		}
	}
	return got, nil
}

// claimsIn are the keys that ls prints, and when each was made.
func claimsIn(text []byte) (map[string]int64, error) {
	type claim struct {
		Key string
		Rev int64 `json:"create_revision"`
	}
	var said struct {
		Locks []struct{ Holders, Waiters []claim }
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, err
	}
	all := map[string]int64{}
	for _, l := range said.Locks {
		for _, c := range append(l.Holders, l.Waiters...) {
			all[c.Key] = c.Rev
		}
	}
	return all, nil
}
