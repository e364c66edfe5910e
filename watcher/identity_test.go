package watcher

import (
	"bytes"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/text"
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
					return text.English(f.Detail)
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
	timing.Sole = 400 * time.Millisecond
	r := &record{t: t, w: newWatcher(t, dial(t, s.Addr), Options{Prefixes: []string{"/l/"}, Timing: timing})}
	lists := func() int { return len(all[model.Loaded](r)) }
	r.until("a list", func() bool { return lists() == 1 })
	s.Become(0xbb, 10, key)
	r.until("a list of the other cluster", func() bool { return lists() == 2 })
	s.Become(0xaa, 10, key)
	r.until("a word about turns", func() bool {
		return strings.Contains(text.English(folded(r).Coverage().OtherCluster()), "answer by turns (ids bb and aa)")
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
	timing.Sole = time.Minute
	r := &record{t: t, w: newWatcher(t, dial(t, s.Addr), Options{Prefixes: []string{"/l/"}, Timing: timing})}
	r.until("a word about turns", func() bool {
		return strings.Contains(text.English(folded(r).Coverage().OtherCluster()), "clusters answer by turns")
	})
	if n := id.Load(); n > 500 {
		t.Errorf("%d answers until then", n)
	}
}

// TestAWrongAnswerOfAnotherClusterIsOfAnotherCluster: it names the other cluster, and not a broken server.
func TestAWrongAnswerOfAnotherClusterIsOfAnotherCluster(t *testing.T) {
	wrong := errors.New("a key of revision 50, at revision 10")
	for _, r := range []struct {
		reason   string
		known    uint64
		answers  uint64
		wrong    error
		want     error
		becoming uint64 // the cluster that is known then
	}{
		{"the first answer says which cluster it is", 0, 0xaa, nil, nil, 0xaa},
		{"of a server that is broken no cluster is learnt", 0, 0xaa, wrong, wrong, 0},
		{"a broken answer of ours stays broken", 0xaa, 0xaa, wrong, wrong, 0xaa},
		{"what is wrong for one cluster is right for the other", 0xaa, 0xbb, wrong, ErrOtherCluster, 0xaa},
		{"an answer without a cluster may be ours", 0xaa, 0, wrong, wrong, 0xaa},
	} {
		i := &identity{id: r.known}
		err := i.checkMessage(&pb.RangeResponse{Header: &pb.ResponseHeader{ClusterId: r.answers}}, nil, r.wrong)
		if !errors.Is(err, r.want) || (err == nil) != (r.want == nil) || i.id != r.becoming {
			t.Errorf("%s: %v, and the cluster is %x", r.reason, err, i.id)
		}
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
	if s := folded(r); !s.Coverage().OtherCluster().IsZero() || holder(s, "/l/a") != "/l/a/1" {
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
	if again.Coverage().OtherCluster().IsZero() || sentences(again) != sentences(folded(r)) || holder(again, "/l/a") != "/l/a/2" {
		t.Errorf("replayed %q, holder %s", again.Coverage().OtherCluster(), holder(again, "/l/a"))
	}
}
