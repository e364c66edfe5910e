package watcher

import (
	"bytes"
	"context"
	"io"
	"net/url"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"locktop/demo/etcdtest"
	"locktop/demo/labtest"
	"locktop/model"
	"locktop/model/text"
	"locktop/watcher/recording"
)

func TestMain(m *testing.M) {
	labtest.WaitTogether()
	goleak.VerifyTestMain(m)
}

// deadline is how long a test waits for a state before it gives up.
const deadline = 30 * time.Second

// quick is a rhythm for tests.
var quick = Timing{Drain: 5 * time.Millisecond, Probe: 100 * time.Millisecond,
	ProbeRetry: 50 * time.Millisecond, Silence: 500 * time.Millisecond, Ask: 25 * time.Millisecond,
	Status: 200 * time.Millisecond, BackoffMin: 20 * time.Millisecond,
	BackoffMax: 200 * time.Millisecond, Denied: 100 * time.Millisecond}

// server is an embedded etcd of one member that can be stopped and started on
// the same data and ports.
type server struct {
	t      testing.TB
	client url.URL
	was    *embed.Etcd // as it was started at last
	etcd   *embed.Etcd // nil while it is stopped
}

func newServer(t testing.TB) *server {
	t.Helper()
	e := etcdtest.Member(t, func(c *embed.Config) {
		c.Name = "m1"
		c.InitialCluster = c.InitialClusterFromName(c.Name)
	})
	s := &server{t: t, client: e.Config().ListenClientUrls[0], was: e, etcd: e}
	t.Cleanup(s.stop)
	return s
}

func (s *server) stop() {
	if s.etcd != nil {
		s.etcd.Close()
		s.etcd = nil
	}
}

func (s *server) dial() *clientv3.Client { return dial(s.t, s.client.String()) }

func dial(t testing.TB, endpoints ...string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func newWatcher(t testing.TB, c *clientv3.Client, o Options) *Watcher {
	t.Helper()
	if o.Timing == (Timing{}) {
		o.Timing = quick
	}
	w := New(c, o)
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// record is what a watcher has delivered so far.
type record struct {
	t       testing.TB
	w       *Watcher
	want    model.Want
	events  []model.Event
	batches []model.Batch
}

func (r *record) pull() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	b, err := r.w.Next(ctx, r.want)
	if err != nil {
		r.t.Fatalf("next: %v; so far: %v", err, r.story())
	}
	r.batches = append(r.batches, b)
	r.events = append(r.events, b.Events...)
}

// until pulls until ok says that what was delivered is enough.
func (r *record) until(what string, ok func() bool) {
	r.t.Helper()
	for end := time.Now().Add(deadline); !ok(); {
		if time.Now().After(end) {
			r.t.Fatalf("no %s; got %v", what, r.story())
		}
		r.pull()
	}
}

// story sums up what came, for failures.
func (r *record) story() map[string]int {
	out := map[string]int{}
	for _, ev := range r.events {
		out[typeName(ev)]++
		if l, ok := ev.(model.Lost); ok {
			out[text.English(l.Detail)]++
		}
	}
	return out
}

// all returns the events of one type.
func all[E model.Event](r *record) []E {
	var out []E
	for _, ev := range r.events {
		if e, ok := ev.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// has pulls until there are n events of a type.
func has[E model.Event](r *record, n int) []E {
	r.t.Helper()
	var zero E
	r.until(typeName(zero), func() bool { return len(all[E](r)) >= n })
	return all[E](r)
}

func must[R any](t testing.TB) func(R, error) R {
	return func(r R, err error) R {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// recorded is a recording of batches.
func recorded(t testing.TB, batches []model.Batch) []byte {
	t.Helper()
	var out bytes.Buffer
	r := recording.NewRecorder(&out, recording.Options{})
	for _, b := range batches {
		if err := r.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// replayed returns the batches of a recording.
func replayed(t testing.TB, from io.Reader) (batches []model.Batch) {
	t.Helper()
	p := must[*recording.Player](t)(recording.Open(from, recording.Pace{}))
	for {
		b, err := p.Next(t.Context(), model.Want{})
		if err == io.EOF {
			return batches
		} else if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, b)
	}
}
