//go:build slow

package proxy

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/protobuf/proto"

	"locktop/chaos/chaostest"
	"locktop/model"
)

func TestHoldingOneClientExpiresItsLeaseOnly(t *testing.T) {
	t.Parallel()
	member := chaostest.StartMember(t)
	direct := chaostest.Dial(t, []string{member})
	p := startProxy(t, Options{Backends: []string{member}})
	a, b := behind(t, p, "a"), behind(t, p, "b")
	held, free := openSession(t, a, 3), openSession(t, b, 3)
	chaostest.Must(t, p.Inject(keepalivesOf("a")))
	if d := cmp.Diff([]model.Fault{keepalivesOf("a")}, p.Faults()); d != "" {
		t.Errorf("faults in force (-want +got):\n%s", d)
	}
	chaostest.Eventually(t, "a's lease expires", func() bool { return !chaostest.LeaseLives(t, direct, held.Lease()) })
	if !chaostest.LeaseLives(t, direct, free.Lease()) {
		t.Error("b's lease expired though only a was held")
	}
	// The rest of a's requests pass while it is held.
	_, err := a.Put(chaostest.Within(t), "/k", "v")
	chaostest.Must(t, err)
	<-held.Done() // its client noticed, by its own clock
}

func TestResumeBeforeExpiryKeepsTheLease(t *testing.T) {
	t.Parallel()
	member := chaostest.StartMember(t)
	direct := chaostest.Dial(t, []string{member})
	p := startProxy(t, Options{Backends: []string{member}})
	s := openSession(t, behind(t, p, "a"), 9)
	chaostest.Must(t, p.Inject(keepalivesOf("a")))
	chaostest.Eventually(t, "a renewal is held", func() bool { return keptBack(p) > 0 })
	if n := p.Heal(keepalivesOf("a")); n != 1 || len(p.Faults()) != 0 || keptBack(p) != 0 {
		t.Errorf("healed %d, in force %v, held %d", n, p.Faults(), keptBack(p))
	}
	// A client renews after a third of the TTL: unless the held request was
	// forwarded, the lease could not be full again now.
	chaostest.Eventually(t, "the lease is full again", func() bool {
		r, err := direct.TimeToLive(chaostest.Within(t), s.Lease())
		chaostest.Must(t, err)
		return r.TTL >= r.GrantedTTL-1
	})
	select {
	case <-s.Done():
		t.Error("the session ended")
	default:
	}
}

// A session that starts while its client is held is held too.
func TestHoldMeetsStreamsThatOpenLater(t *testing.T) {
	t.Parallel()
	member := chaostest.StartMember(t)
	p := startProxy(t, Options{Backends: []string{member}})
	c := behind(t, p, "a")
	chaostest.Must(t, p.Inject(keepalivesOf("a")))
	s := openSession(t, c, 2)
	direct := chaostest.Dial(t, []string{member})
	chaostest.Eventually(t, "the lease expires", func() bool { return !chaostest.LeaseLives(t, direct, s.Lease()) })
}

func TestHoldingOneLeaseLetsTheOthersOfItsStreamLive(t *testing.T) {
	t.Parallel()
	member := chaostest.StartMember(t)
	direct := chaostest.Dial(t, []string{member})
	p := startProxy(t, Options{Backends: []string{member}})
	c := chaostest.Dial(t, p.Shared()) // leases of foreign clients can be held too
	held, free := openSession(t, c, 3), openSession(t, c, 3)
	f := keepalivesOf("lease:" + model.LeaseID(held.Lease()).String())
	chaostest.Must(t, p.Inject(f))
	chaostest.Eventually(t, "the held lease expires", func() bool { return !chaostest.LeaseLives(t, direct, held.Lease()) })
	if !chaostest.LeaseLives(t, direct, free.Lease()) {
		t.Error("the other lease of the same stream expired too")
	}
	if p.Heal(f) != 1 {
		t.Error("the fault of the lease was not in force")
	}
}

// sent records what a call passes on.
type sent struct {
	leases    []model.LeaseID
	pieces    []*piece
	forgotten []*piece
	ended     bool
}

func (s *sent) send(p *piece) error {
	if p.end {
		s.ended = true
		return nil
	}
	s.leases = append(s.leases, renewedLease(p.text))
	s.pieces = append(s.pieces, p)
	return nil
}

func (s *sent) forget(p *piece) { s.forgotten = append(s.forgotten, p) }

func renewal(t *testing.T, id int64) *piece {
	t.Helper()
	b, err := proto.Marshal(&pb.LeaseKeepAliveRequest{ID: id})
	chaostest.Must(t, err)
	return &piece{text: b}
}

func TestReleaseSendsTheLatestOfEachLeaseAndThenTheEnd(t *testing.T) {
	t.Parallel()
	p := &Proxy{faults: newFaults()}
	p.holds.faults = p.faults
	out := &sent{}
	r := p.holds.renewals(&connection{route: route{client: "a"}}, out)
	chaostest.Must(t, p.faults.add(&injected{Fault: keepalivesOf("a"), healed: make(chan struct{})}))
	chaostest.Must(t, p.faults.add(&injected{Fault: keepalivesOf("lease:3"), lease: 3, healed: make(chan struct{})}))
	older, latest := renewal(t, 1), renewal(t, 1)
	for _, f := range []*piece{older, renewal(t, 2), renewal(t, 3), latest} {
		chaostest.Must(t, r.pass(f))
	}
	chaostest.Must(t, r.pass(&piece{end: true}))
	if len(out.leases) != 0 || out.ended {
		t.Fatalf("passed while held: %v, ended %v", out.leases, out.ended)
	}
	if len(out.forgotten) != 1 || out.forgotten[0] != older {
		t.Errorf("%d requests are forgotten, want the one that a later one took the place of", len(out.forgotten))
	}
	p.Heal(keepalivesOf("a"))
	if d := cmp.Diff([]model.LeaseID{1, 2}, out.leases); d != "" {
		t.Errorf("released (-want +got):\n%s", d)
	}
	if len(out.pieces) > 0 && out.pieces[0] != latest {
		t.Error("an older request was forwarded in place of the latest")
	}
	if out.ended {
		t.Error("half-closed while lease 3 is still held")
	}
	p.Heal(keepalivesOf("lease:3"))
	if d := cmp.Diff([]model.LeaseID{1, 2, 3}, out.leases); d != "" || !out.ended {
		t.Errorf("at the end: ended %v, released (-want +got):\n%s", out.ended, d)
	}
}

func TestClosingAClientDropsWhatItHeld(t *testing.T) {
	t.Parallel()
	p := startProxy(t, Options{Backends: []string{chaostest.StartMember(t)}})
	at, err := p.Listen("a")
	chaostest.Must(t, err)
	c, err := chaostest.Connect(clientv3.Config{Endpoints: at, DialTimeout: time.Second})
	chaostest.Must(t, err)
	chaostest.Must(t, p.Inject(keepalivesOf("a")))
	openSession(t, c, 60)
	chaostest.Eventually(t, "the first renewal is held", func() bool { return keptBack(p) == 1 })
	chaostest.Must(t, c.Close())
	chaostest.Eventually(t, "it is dropped", func() bool { return keptBack(p) == 0 })
}
