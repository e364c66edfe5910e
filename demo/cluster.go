package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"google.golang.org/grpc"
)

const (
	// heartbeat and election are a compromise: half of etcd's defaults shows a
	// lost leader within a second, and still has room for ten missed heartbeats
	// on a machine whose cores are busy with something else.
	heartbeat = 50 * time.Millisecond
	election  = 500 * time.Millisecond

	// MinTTL is the shortest TTL in seconds that the cluster grants. etcd raises
	// whatever is below ceil(1.5 * election timeout).
	MinTTL = 1

	// readyWithin bounds the wait for quorum where the caller's context does not.
	readyWithin = 20 * time.Second
	// startTries bounds the attempts that a stolen port is worth.
	startTries = 5
)

// ClusterOptions says what cluster to start.
type ClusterOptions struct {
	// Members is 1, 3 or 5.
	Members int
	// Dir is where the data and the log go. It has to exist and to be empty.
	Dir string
	// Advertise are the client addresses (host:port, one per member) that the
	// members tell to clients which ask: the shared listeners of the proxy, so
	// that an endpoint sync stays inside of it. Empty: ClientAddrs.
	Advertise []string
	// ClientAddrs are the addresses (host:port, one per member) that the members
	// listen on for clients. Empty: free ports of 127.0.0.1.
	ClientAddrs []string
	// Progress, if set, is called with a line for the person who waits.
	Progress func(string)
}

// Cluster is an embedded etcd cluster on the loopback interface. It keeps nothing
// across a stop: writes are not synced to the disk.
type Cluster struct {
	members []*member
	relays  []*relay // in front of the members' peer ports
	log     *os.File
	once    sync.Once
}

// member is one embedded etcd.
type member struct {
	name, client string
	etcd         *embed.Etcd

	mu sync.Mutex
	// servers are the gRPC servers of the member, known only from the hook that
	// registers services. Stopping them ends open watches at once, where
	// [embed.Etcd.Close] waits seconds for them.
	servers []*grpc.Server
}

// StartCluster starts the members and returns when all of them serve. On an
// error, ctx's included, nothing is left running. The error matches
// [syscall.EADDRINUSE] if one of ClientAddrs is taken; taken ports that it chose
// itself it replaces.
func StartCluster(ctx context.Context, o ClusterOptions) (*Cluster, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		c, err := startOnce(ctx, o, filepath.Join(o.Dir, "try"+strconv.Itoa(try)))
		if err == nil {
			return c, nil
		}
		if try == startTries || !errors.Is(err, syscall.EADDRINUSE) || o.taken() {
			return nil, fmt.Errorf("start the cluster: %w", err)
		}
	}
}

// check rejects options that cannot work.
func (o ClusterOptions) check() error {
	if o.Members != 1 && o.Members != 3 && o.Members != 5 {
		return fmt.Errorf("start the cluster: %d members: want 1, 3 or 5", o.Members)
	}
	for _, list := range [][]string{o.Advertise, o.ClientAddrs} {
		if len(list) != 0 && len(list) != o.Members {
			return fmt.Errorf("start the cluster: %d addresses for %d members", len(list), o.Members)
		}
	}
	return nil
}

// taken says whether one of the addresses that are not ours to change is in use.
func (o ClusterOptions) taken() bool {
	for _, addr := range o.ClientAddrs {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			return true
		}
		l.Close()
	}
	return false
}

// startOnce starts the members with ports chosen now.
func startOnce(ctx context.Context, o ClusterOptions, dir string) (_ *Cluster, err error) {
	log, err := os.OpenFile(filepath.Join(o.Dir, "etcd.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	c := &Cluster{log: log}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	all, err := c.plan(o, dir)
	if err != nil {
		return nil, err
	}
	lg := fileLogger(log)
	for _, p := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m := &member{name: p.name, client: p.client}
		// One after another: started at the same time, each asks the others whether
		// it is a member already and waits a second for every port that is open but
		// not served yet.
		if m.etcd, err = embed.StartEtcd(m.config(lg.Named(m.name), p)); err != nil {
			return nil, fmt.Errorf("start member %s: %w", m.name, err)
		}
		c.members = append(c.members, m)
	}
	if o.Progress != nil {
		o.Progress("waiting for the members to elect a leader")
	}
	return c, c.ready(ctx)
}

// memberPlan is what has to be known of a member before it is started.
type memberPlan struct {
	name, dir string
	// Addresses to listen on, and those that others are told.
	client, advertise string
	peer, peerRelay   string
	cluster           string // all members, as etcd wants to be told
}

// plan chooses the addresses and starts the relays.
func (c *Cluster) plan(o ClusterOptions, dir string) ([]memberPlan, error) {
	free, err := freeAddrs(2 * o.Members)
	if err != nil {
		return nil, err
	}
	peers, clients := free[:o.Members], free[o.Members:]
	if len(o.ClientAddrs) > 0 {
		clients = o.ClientAddrs
	}
	advertise := o.Advertise
	if len(advertise) == 0 {
		advertise = clients
	}
	all := make([]memberPlan, o.Members)
	var names []string
	for i := range all {
		r, err := newRelay(peers[i])
		if err != nil {
			return nil, err
		}
		c.relays = append(c.relays, r)
		name := "m" + strconv.Itoa(i+1)
		all[i] = memberPlan{name: name, dir: filepath.Join(dir, name), client: clients[i],
			advertise: advertise[i], peer: peers[i], peerRelay: r.addr()}
		names = append(names, name+"=http://"+r.addr())
	}
	for i := range all {
		all[i].cluster = strings.Join(names, ",")
	}
	return all, nil
}

// config is p in etcd's words.
func (m *member) config(lg *zap.Logger, p memberPlan) *embed.Config {
	cfg := embed.NewConfig()
	cfg.Name = p.name
	cfg.Dir = p.dir
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(lg)
	cfg.TickMs = uint(heartbeat.Milliseconds())
	cfg.ElectionMs = uint(election.Milliseconds())
	cfg.UnsafeNoFsync = true
	// Nobody asks the lab by JSON, and the gateway keeps a connection per member.
	cfg.EnableGRPCGateway = false
	cfg.ListenPeerUrls = []url.URL{httpURL(p.peer)}
	cfg.AdvertisePeerUrls = []url.URL{httpURL(p.peerRelay)}
	cfg.ListenClientUrls = []url.URL{httpURL(p.client)}
	cfg.AdvertiseClientUrls = []url.URL{httpURL(p.advertise)}
	// A token of its own: a member of another lab that finds a port reused must not
	// talk to this one.
	cfg.InitialClusterToken = "locktop " + p.cluster
	cfg.InitialCluster = p.cluster
	cfg.ServiceRegister = func(s *grpc.Server) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.servers = append(m.servers, s)
	}
	return cfg
}

func httpURL(addr string) url.URL { return url.URL{Scheme: "http", Host: addr} }

// fileLogger writes etcd's log to f. It is no sink of zap's own, because those
// are never closed.
func fileLogger(f *os.File) *zap.Logger {
	enc := zap.NewProductionEncoderConfig()
	enc.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	sink := zapcore.Lock(f)
	return zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(enc), sink, zap.InfoLevel), zap.ErrorOutput(sink))
}

// ready waits until every member serves.
func (c *Cluster) ready(ctx context.Context) error {
	timeout := time.NewTimer(readyWithin)
	defer timeout.Stop()
	for _, m := range c.members {
		select {
		case <-m.etcd.Server.ReadyNotify():
		case err := <-m.etcd.Err():
			return fmt.Errorf("member %s failed: %w", m.name, err)
		case <-timeout.C:
			return fmt.Errorf("no leader after %v: is the machine overloaded?", readyWithin)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// MemberEndpoints are the addresses (host:port) that the members themselves
// listen on for clients, in the order of their names m1, m2, …
func (c *Cluster) MemberEndpoints() []string {
	eps := make([]string, len(c.members))
	for i, m := range c.members {
		eps[i] = m.client
	}
	return eps
}

// Close ends the members at once, with whatever connections and watches are open,
// and returns when nothing of them runs. The files stay for whoever owns the
// directory. It may be called more than once.
func (c *Cluster) Close() {
	c.once.Do(func() {
		// First all connections, then all servers, then the rest: what Close of one
		// member waits for is gone by then.
		c.each(func(m *member) { m.stopServing() })
		for _, r := range c.relays {
			r.close()
		}
		c.each(func(m *member) { m.etcd.Server.HardStop() })
		c.each(func(m *member) { m.etcd.Close() })
		c.log.Close()
	})
}

// stopServing ends the connections of clients.
func (m *member) stopServing() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.servers {
		s.Stop()
	}
}

// each calls f for all members at the same time and waits.
func (c *Cluster) each(f func(*member)) {
	var wg sync.WaitGroup
	for _, m := range c.members {
		wg.Go(func() { f(m) })
	}
	wg.Wait()
}
