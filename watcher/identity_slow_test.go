//go:build slow

package watcher

import (
	"net"
	"strings"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/locks"
)

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
				if !strings.Contains(told, "another cluster answers (id ") || !strings.Contains(told, " at "+addr) || s.Coverage().OtherCluster().IsZero() {
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

// door is an address that leads to one server or another, and may be shut.
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

func hexID(id clientv3.LeaseID) string { return model.LeaseID(id).String() }
