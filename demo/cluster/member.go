package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

var errNoQuorum = fmt.Errorf("no leader after %v: is the machine overloaded?", readyWithin)

// member is one etcd server: embedded, a process, or stopped.
type member struct {
	name, client string
	plan         memberPlan
	link         *link

	// At most one of the two is set. Both stay when it ends by itself, until it is
	// stopped or started again.
	etcd *embed.Etcd
	proc *memberProc

	id       uint64 // what etcd calls it; the same for ever
	paused   bool
	isolated bool // survives a restart
	full     bool // it was not there when the others were drained

	mu sync.Mutex
	// servers are the gRPC servers of the member, known only from the hook that
	// registers services. Stopping them ends open watches at once, where
	// [embed.Etcd.Close] waits seconds for them.
	servers []*grpc.Server
}

// memberPlan is what has to be known of a member before it is started.
type memberPlan struct {
	Name, Dir, Log string
	// Addresses to listen on, and those that others are told.
	Client, Advertise string
	Peer, PeerLink    string
	Cluster           string // all members, as etcd wants to be told
	Quota             int64  // of the database in bytes, 0 is etcd's default
	Existing          bool   // it was started before
}

// parseMemberPlan is the other end of args.
func parseMemberPlan(args []string) (p memberPlan, err error) {
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &p) != nil || p.Name == "" || p.Dir == "" || p.Cluster == "" {
		return p, errors.New("the lab starts this, with arguments of its own")
	}
	return p, nil
}

// args is p as arguments of [RunMember]: one, in JSON.
func (p memberPlan) args() []string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // it is text and numbers
	}
	return []string{string(text)}
}

// config is p in etcd's words.
func (m *member) config(lg *zap.Logger, p memberPlan) *embed.Config {
	cfg := embed.NewConfig()
	cfg.Name = p.Name
	cfg.Dir = p.Dir
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(lg)
	cfg.TickMs = uint(heartbeat.Milliseconds())
	cfg.ElectionMs = uint(election.Milliseconds())
	cfg.UnsafeNoFsync = true
	cfg.QuotaBackendBytes = p.Quota
	// A lab that is watched for a day must not fill up by itself.
	cfg.AutoCompactionMode, cfg.AutoCompactionRetention = embed.CompactorModeRevision, "10000"
	// Nobody asks the lab by JSON, and the gateway keeps a connection per member.
	cfg.EnableGRPCGateway = false
	cfg.ListenPeerUrls = []url.URL{httpURL(p.Peer)}
	cfg.AdvertisePeerUrls = []url.URL{httpURL(p.PeerLink)}
	cfg.ListenClientUrls = []url.URL{httpURL(p.Client)}
	cfg.AdvertiseClientUrls = []url.URL{httpURL(p.Advertise)}
	// A token of its own: a member of another lab that finds a port reused must not
	// talk to this one.
	cfg.InitialClusterToken = "locktop " + p.Cluster
	cfg.InitialCluster = p.Cluster
	if p.Existing {
		cfg.ClusterState = embed.ClusterStateFlagExisting
	}
	cfg.ServiceRegister = func(s *grpc.Server) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.servers = append(m.servers, s)
	}
	return cfg
}

func httpURL(addr string) url.URL { return url.URL{Scheme: "http", Host: addr} }

// done is closed when the member has ended, nil if it is stopped.
func (m *member) done() <-chan struct{} {
	switch {
	case m.proc != nil:
		return m.proc.done
	case m.etcd != nil:
		return m.etcd.Server.StopNotify()
	}
	return nil
}

// stopped says whether the member was stopped, or never started.
func (m *member) stopped() bool { return m.proc == nil && m.etcd == nil }

// up says whether the member runs, if only paused.
func (m *member) up() bool {
	select {
	case <-m.done():
		return false
	default:
		return !m.stopped()
	}
}

// serves waits until the member has been told of a leader and answers clients.
func (m *member) serves(ctx context.Context) error {
	var ready <-chan struct{}
	var failed <-chan error
	if m.proc != nil {
		ready = m.proc.ready
	} else {
		ready, failed = m.etcd.Server.ReadyNotify(), m.etcd.Err()
	}
	select {
	case <-ready:
		return nil
	case err := <-failed:
		return fmt.Errorf("member %s failed: %w", m.name, err)
	case <-m.done():
		return fmt.Errorf("member %s has ended (%s)", m.name, m.howEnded())
	case <-ctx.Done():
		return fmt.Errorf("member %s: %w", m.name, context.Cause(ctx))
	}
}

// howEnded says why a member that was not stopped does not run.
func (m *member) howEnded() string {
	if m.proc != nil {
		return m.proc.HowEnded()
	}
	return "etcd gave up; see " + m.plan.Log
}

// cutOff cuts the member off from exactly these peers.
func (m *member) cutOff(peers []uint64) error {
	if m.proc != nil {
		if err := m.proc.cutOff(peers); err != nil {
			return fmt.Errorf("cut the links of %s: %w", m.name, err)
		}
		return nil
	}
	cutPeers(m.etcd.Server, peers)
	return nil
}

// cutPeers cuts a server off from exactly these peers.
func cutPeers(s *etcdserver.EtcdServer, peers []uint64) {
	for _, p := range s.Cluster().Members() {
		switch {
		case p.ID == s.MemberID(): // not a peer
		case slices.Contains(peers, uint64(p.ID)):
			s.CutPeer(p.ID)
		default:
			s.MendPeer(p.ID)
		}
	}
}

// stopServing ends the connections of clients.
func (m *member) stopServing() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.servers {
		s.Stop()
	}
	m.servers = nil
}

// hardStop ends the member without a word to its peers.
func (m *member) hardStop() {
	if m.proc != nil {
		m.proc.kill()
	}
	if m.etcd != nil {
		m.etcd.Server.HardStop()
	}
}

// releaseWithin bounds how long a member that was ended keeps its ports.
const releaseWithin = 5 * time.Second

// release frees what a member that was ended has, its ports first of all. etcd waits for every
// client that has connected and said nothing, for ever: so after a while its ports are taken from
// it, and what is left of it ends with that client.
func (m *member) release() {
	if m.etcd == nil {
		return
	}
	done, etcd := make(chan struct{}), m.etcd
	go func() {
		defer close(done)
		etcd.Close()
	}()
	select {
	case <-done:
	case <-time.After(releaseWithin):
		for _, l := range etcd.Clients {
			_ = l.Close() // it may be closed already
		}
		for _, l := range etcd.Peers {
			_ = l.Listener.Close()
		}
	}
}
