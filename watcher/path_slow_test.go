//go:build slow

package watcher

import (
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// tunnel carries connections to a server, until it is down: then it ends them, and closes each
// that comes. It is a path that fails while the cluster goes on.
type tunnel struct {
	net.Listener
	to    string
	mu    sync.Mutex
	down  bool
	conns map[net.Conn]bool
	wg    sync.WaitGroup
}

func newTunnel(t *testing.T, to string) *tunnel {
	t.Helper()
	u := &tunnel{Listener: must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0")), to: to, conns: map[net.Conn]bool{}}
	u.wg.Go(func() {
		for {
			in, err := u.Accept()
			if err != nil {
				return
			}
			u.wg.Go(func() { u.carry(in) })
		}
	})
	t.Cleanup(func() {
		_ = u.Close()
		u.set(true)
		u.wg.Wait()
	})
	return u
}

func (u *tunnel) carry(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", u.to)
	if err != nil {
		return
	}
	defer out.Close()
	u.mu.Lock()
	down := u.down
	u.conns[in] = true
	u.mu.Unlock()
	if down {
		return
	}
	u.wg.Go(func() {
		_, _ = io.Copy(out, in)
		_ = out.Close()
	})
	_, _ = io.Copy(in, out)
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.conns, in)
}

// set breaks the path, or mends it.
func (u *tunnel) set(down bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.down = down
	for c := range u.conns {
		if down {
			_ = c.Close()
		}
	}
}

// TestAPathThatFailsAndComesBack: a lock changes hands while nothing is seen of a server that goes
// on. No leader was lost, none was elected, and what happened meanwhile has bounds.
func TestAPathThatFailsAndComesBack(t *testing.T) {
	for _, minor := range releases {
		t.Run(minor, func(t *testing.T) {
			t.Parallel()
			p, addr := newProcess(t, minor, "http")
			c := p.connect(clientv3.Config{Endpoints: []string{addr}})
			u := newTunnel(t, strings.TrimPrefix(addr, "http://"))
			s := store.New()
			r := &record{t: t, w: newWatcher(t, dial(t, "http://"+u.Addr().String()), Options{Prefixes: []string{"/l/"}, Budget: 10, Timing: quick})}
			until := func(what string, ok func() bool) {
				t.Helper()
				applied := 0
				r.until(what, func() bool {
					for ; applied < len(r.batches); applied++ {
						s.Apply(r.batches[applied])
					}
					return ok()
				})
				r.batches = nil
			}
			claim := func() (string, clientv3.LeaseID) {
				id := must[*clientv3.LeaseGrantResponse](t)(c.Grant(t.Context(), 600)).ID
				key := modeltest.ClaimKey("/l/a", model.LeaseID(id))
				must[*clientv3.PutResponse](t)(c.Put(t.Context(), key, "", clientv3.WithLease(id)))
				return key, id
			}
			until("list", func() bool { w := s.Coverage().Watch("/l/"); return w.WasListed() })
			first, _ := claim()
			second, _ := claim()
			until("queue of two", func() bool { l := s.Lock("/l/a"); return l != nil && l.Len() == 2 && s.Cluster().KnowsLeader() })
			term := s.Cluster().Term()
			u.set(true)
			until("silent member and lost watch", func() bool { return s.Cluster().Silent() && s.Coverage().Lost() })
			seen := s.Coverage().Watch("/l/").SeenAt
			must[*clientv3.DeleteResponse](t)(c.Delete(t.Context(), first))
			if d, atLeast := s.Lock("/l/a").HeldFor(s.Now().Add(time.Hour)); !atLeast || d > time.Minute {
				t.Errorf("held for %v after an hour without a word, a lower bound: %v", d, atLeast)
			}
			u.set(false)
			until("watch and member back", func() bool { return !s.Coverage().Lost() && s.Cluster().KnowsLeader() })
			var said []model.MessageID
			for _, f := range s.Journal() {
				if f.Kind == journal.Member {
					said = append(said, f.Text.ID)
				}
				if f.Kind == journal.Handover {
					if f.Claim.Key != second || !f.Past || !f.HeldAtLeast || f.HeldAtMost == 0 || f.At.Add(-f.Within).After(seen) {
						t.Errorf("%s: %+v", f.Sentence(s.Who), f)
					}
				}
			}
			elected := func(id model.MessageID) bool {
				return slices.Contains([]model.MessageID{"no-leader", "no-leader-from-here", "leads-now", "leads-perhaps-anew"}, id)
			}
			if s.Cluster().Term() != term || slices.ContainsFunc(said, elected) || !slices.Contains(said, "no-member-answers") || !slices.Contains(said, "leads-as-before") {
				t.Errorf("the journal says %q", said)
			}
			if st := s.Lock("/l/a").Stats(); st.Handovers != 1 || st.Holds != 0 || st.Waits != 0 {
				t.Errorf("what nobody saw whole is in %+v", st)
			}
			for _, l := range s.Leases() {
				if !l.ResetAt.IsZero() {
					t.Errorf("lease %s is said to have started anew", l.ID)
				}
			}
		})
	}
}
