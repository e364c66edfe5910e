package watcher

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/watcher/hostile"
)

// folded is the state that the delivered events make.
func folded(r *record) *store.Store {
	s := store.New()
	for _, b := range r.batches {
		s.Apply(b)
	}
	return s
}

// holder is the key that holds a lock, empty if none does.
func holder(s *store.Store, lock string) string {
	if l := s.Lock(lock); l != nil && l.Holder() != nil {
		return l.Holder().Key
	}
	return ""
}

// sentences is every sentence of the journal.
func sentences(s *store.Store) string {
	var lines []string
	for _, f := range s.Journal() {
		lines = append(lines, f.Sentence(s.Who))
	}
	return strings.Join(lines, "\n")
}

// listener is an address that leads to one server or another, and may be shut.
type door struct {
	mu    sync.Mutex
	to    string // "" while it is shut
	conns []net.Conn
}

// newDoor listens on loopback.
func newDoor(t *testing.T, to string) (*door, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{to: to}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d.mu.Lock()
			var up net.Conn
			if d.to != "" {
				up, err = net.Dial("tcp", d.to)
			}
			if up == nil || err != nil {
				_ = c.Close()
			} else {
				d.conns = append(d.conns, c, up)
				wg.Go(func() { pipe(c, up) })
				wg.Go(func() { pipe(up, c) })
			}
			d.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		d.lead("")
		wg.Wait()
	})
	return d, l.Addr().String()
}

func pipe(to, from net.Conn) {
	buf := make([]byte, 1<<15)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			_, _ = to.Write(buf[:n])
		}
		if err != nil {
			_ = to.Close()
			_ = from.Close()
			return
		}
	}
}

// lead ends every connection; new ones go to another server, or nowhere.
func (d *door) lead(to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.to = to
	for _, c := range d.conns {
		_ = c.Close()
	}
	d.conns = nil
}

// After an outage another cluster answers at the same address: nothing of the old one is
// left, and no handover leads from one to the other.
func TestAnotherClusterAnswersAfterAnOutage(t *testing.T) {
	for _, minor := range releases {
		for _, row := range []struct {
			name   string
			writes int // of the new cluster before it answers
			reason string
		}{
			{"higher revision", 40, "to its revision the watch goes on without an error"},
			{"lower revision", 0, "it is not a restored backup"},
		} {
			t.Run(minor+" "+row.name, func(t *testing.T) {
				t.Parallel()
				old, oldAddr := newProcess(t, minor, "http")
				fresh, freshAddr := newProcess(t, minor, "http")
				a := old.connect(clientv3.Config{Endpoints: []string{oldAddr}})
				b := fresh.connect(clientv3.Config{Endpoints: []string{freshAddr}})
				for range 9 {
					put(t, a, "/x", "")
				}
				for range row.writes {
					put(t, b, "/x", "")
				}
				was, is := grant(t, a), grant(t, b)
				put(t, a, "/l/a/"+hexID(was), "", clientv3.WithLease(was))
				put(t, b, "/l/a/"+hexID(is), "", clientv3.WithLease(is))
				d, addr := newDoor(t, oldAddr)
				r := &record{t: t, w: newWatcher(t, dial(t, addr), Options{Prefixes: []string{"/l/"}})}
				r.until("live", func() bool { return len(all[model.Watching](r)) > 0 })
				if got := holder(folded(r), "/l/a"); got != "/l/a/"+hexID(was) {
					t.Fatalf("%q holds at first", got)
				}
				d.lead("")
				r.until("an outage", func() bool { return len(all[model.Lost](r)) > 0 })
				d.lead(freshAddr)
				r.until("the other holder", func() bool { return holder(folded(r), "/l/a") == "/l/a/"+hexID(is) })
				r.until("live again", func() bool { return folded(r).Coverage().Watches()[0].State == locks.Live })
				s := folded(r)
				told := sentences(s)
				if strings.Contains(told, "nothing was missed") || strings.Contains(told, "handed") || s.Lock("/l/a").Handovers != 0 {
					t.Errorf("%s: an unbroken story of two clusters:\n%s", row.reason, told)
				}
				if !strings.Contains(told, "another cluster answers (id ") || !strings.Contains(told, " at "+addr) || s.Coverage().OtherCluster() == "" {
					t.Errorf("the journal does not say that it is another cluster at %s:\n%s", addr, told)
				}
				if s.Lease(model.LeaseID(was)) != nil {
					t.Error("the lease of the old cluster is still known")
				}
				// And the new one is followed.
				if _, err := b.Delete(t.Context(), "/l/a/"+hexID(is)); err != nil {
					t.Fatal(err)
				}
				r.until("the release", func() bool { return holder(folded(r), "/l/a") == "" })
			})
		}
	}
}

func hexID(id clientv3.LeaseID) string { return model.LeaseID(id).String() }

// Endpoints of two clusters are no cluster: that is said, and nothing is shown of either.
func TestEndpointsOfTwoClusters(t *testing.T) {
	for _, oneLook := range []bool{true, false} {
		a, b := hostile.Start(t, "127.0.0.1:0"), hostile.Start(t, "127.0.0.1:0")
		a.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
		b.Become(0xbb, 90, hostile.Key("/l/a", 2, 50))
		r := &record{t: t, w: newWatcher(t, dial(t, a.Addr, b.Addr), Options{Prefixes: []string{"/l/"}, OneLook: oneLook})}
		said := func() string {
			s := folded(r)
			for _, f := range s.Coverage().Watches() {
				if f.State == locks.Lost {
					return f.Detail
				}
			}
			return ""
		}
		r.until("a word about the mix", func() bool {
			return strings.Contains(said(), a.Addr+" belongs to cluster aa; "+b.Addr+" belongs to cluster bb")
		})
		if got := holder(folded(r), "/l/a"); got != "" {
			t.Errorf("one look %v: %s holds in a mix", oneLook, got)
		}
		if oneLook {
			continue
		}
		b.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
		r.until("the one cluster that is left", func() bool { return holder(folded(r), "/l/a") == "/l/a/1" })
		if n := len(all[model.Lost](r)); n > 3 {
			t.Errorf("%d times Lost: it flapped", n)
		}
	}
}

// One address behind which two clusters answer by turns is said, and followed again only
// once one of them has answered alone for a while.
func TestTwoClustersByTurns(t *testing.T) {
	s := hostile.Start(t, "127.0.0.1:0")
	key := hostile.Key("/l/a", 1, 5)
	s.Become(0xaa, 10, key)
	timing := quick
	timing.Steady = 400 * time.Millisecond
	r := &record{t: t, w: newWatcher(t, dial(t, s.Addr), Options{Prefixes: []string{"/l/"}, Timing: timing})}
	lists := func() int { return len(all[model.Loaded](r)) }
	r.until("a list", func() bool { return lists() == 1 })
	s.Become(0xbb, 10, key)
	r.until("a list of the other cluster", func() bool { return lists() == 2 })
	s.Become(0xaa, 10, key)
	r.until("a word about turns", func() bool {
		return strings.Contains(folded(r).Coverage().OtherCluster(), "answer by turns (ids bb and aa)")
	})
	r.until("a list once it is steady", func() bool { return lists() == 3 })
}

// Behind an address that names another cluster each time nothing is listed again and again.
func TestAnotherClusterEachTime(t *testing.T) {
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
	var id atomic.Uint64
	s.Alter(func(_ string, answer any) any {
		if a, ok := answer.(interface{ GetHeader() *pb.ResponseHeader }); ok && a.GetHeader() != nil {
			a.GetHeader().ClusterId = 1 + id.Add(1)
		}
		return answer
	})
	timing := quick
	timing.Steady = time.Minute
	r := &record{t: t, w: newWatcher(t, dial(t, s.Addr), Options{Prefixes: []string{"/l/"}, Timing: timing})}
	r.until("a word about turns", func() bool { return strings.Contains(folded(r).Coverage().OtherCluster(), "clusters answer by turns") })
	if n := id.Load(); n > 500 {
		t.Errorf("%d answers until then", n)
	}
}

// An id of 0 names no cluster.
func TestAnAnswerThatNamesNoClusterIsNoOtherCluster(t *testing.T) {
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
	r := &record{t: t, w: newWatcher(t, dial(t, s.Addr), Options{Prefixes: []string{"/l/"}})}
	r.until("live", func() bool { return len(all[model.Watching](r)) > 0 })
	s.Become(0, 20, hostile.Key("/l/a", 1, 5))
	rounds := len(all[model.ClusterStatus](r))
	r.until("two rounds of status", func() bool { return len(all[model.ClusterStatus](r)) > rounds+1 })
	if s := folded(r); s.Coverage().OtherCluster() != "" || holder(s, "/l/a") != "/l/a/1" {
		t.Errorf("taken for another cluster: %q", s.Coverage().OtherCluster())
	}
}

// A look at the keys that two clusters answered is no look.
func TestDiscoverOverTwoClusters(t *testing.T) {
	a, b := hostile.Start(t, "127.0.0.1:0"), hostile.Start(t, "127.0.0.1:0")
	var keys []*mvccpb.KeyValue
	for i := range int64(5) {
		keys = append(keys, hostile.Key("/l/a", i+1, i+1))
	}
	a.Become(0xaa, 10, keys...)
	b.Become(0xbb, 10, keys...)
	c := dial(t, a.Addr, b.Addr)
	for end := time.Now().Add(deadline); ; { // the client may take a moment to know both
		_, err := Discover(t.Context(), c, DiscoverOptions{RPS: 1000})
		if errors.Is(err, ErrOtherCluster) && strings.Contains(err.Error(), "one cluster") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("error %v", err)
		}
	}
}

// The same story, recorded and replayed, makes the same state.
func TestAnotherClusterInARecording(t *testing.T) {
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
	r := &record{t: t, w: newWatcher(t, dial(t, s.Addr), Options{Prefixes: []string{"/l/"}})}
	r.until("a list", func() bool { return len(all[model.Loaded](r)) == 1 })
	s.Become(0xbb, 50, hostile.Key("/l/a", 2, 40))
	r.until("the other holder", func() bool { return holder(folded(r), "/l/a") == "/l/a/2" })
	again := store.New()
	for _, b := range replayed(t, bytes.NewReader(recorded(t, r.batches))) {
		again.Apply(b)
	}
	if again.Coverage().OtherCluster() == "" || sentences(again) != sentences(folded(r)) || holder(again, "/l/a") != "/l/a/2" {
		t.Errorf("replayed %q, holder %s", again.Coverage().OtherCluster(), holder(again, "/l/a"))
	}
}
