package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"locktop/chaos"
	"locktop/demo/ports"
)

// dataset is what a server holds: so many locks, and so many claims of each. It waits
// for its disk only with Sync, which is where that is part of what is compared.
type dataset struct {
	Locks, Claims int
	Sync          bool
}

func (d dataset) total() int { return d.Locks * d.Claims }

const (
	prefix = "/bench/"
	// leaseBase is the first lease; a claim has one of its own. leaseTTL is so long
	// that nothing happens to it.
	leaseBase = 0x694d81e5fc650000
	leaseTTL  = 24 * 60 * 60
	// fillTxn is how many claims are made in a revision, of as many locks.
	fillTxn    = 100
	fillAtOnce = 256
)

// lease is that of the claim c of a lock. Heads have c = 0.
func (d dataset) lease(lock, c int) int64 { return leaseBase + int64(c*d.Locks+lock) }

func (d dataset) lock(i int) string { return fmt.Sprintf("%slock-%06d", prefix, i) }

// server returns the server that holds the data, and starts it if there is none yet.
func (e *env) server(d dataset) (*child, error) {
	if c := e.servers[d]; c != nil {
		return c, nil
	}
	e.tell("filling a server with %d locks of %d claims", d.Locks, d.Claims)
	c, err := e.start(e.life, serverRole, d, 20*time.Minute)
	if err == nil {
		e.servers[d] = c
	}
	return c, err
}

// only ends all servers but those that hold the data: a row asks for what it needs, so
// that nothing else takes time and memory meanwhile.
func (e *env) only(wanted ...dataset) ([]string, error) {
	keep := map[dataset]bool{}
	for _, d := range wanted {
		keep[d] = true
	}
	for d, c := range e.servers {
		if !keep[d] {
			delete(e.servers, d)
			if err := c.end(); err != nil {
				return nil, fmt.Errorf("end a server: %w", err)
			}
		}
	}
	var at []string
	for _, d := range wanted {
		c, err := e.server(d)
		if err != nil {
			return nil, err
		}
		at = append(at, c.address)
	}
	return at, nil
}

func (e *env) endServers() error {
	var all []error
	for d, c := range e.servers {
		delete(e.servers, d)
		all = append(all, c.end())
	}
	return errors.Join(all...)
}

// serveEtcd runs one member with the data in it.
func serveEtcd(arg []byte, ended <-chan struct{}) error {
	var d dataset
	if err := json.Unmarshal(arg, &d); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "member-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e, err := startEtcd(dir, d.Sync)
	if err != nil {
		return err
	}
	defer e.Close()
	defer e.Server.HardStop() // without it, Close waits for clients that are gone
	select {
	case <-e.Server.ReadyNotify():
	case <-ended:
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-ended
		cancel()
	}()
	if err := fill(ctx, e, d); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	if err := say(e.Clients[0].Addr().String()); err != nil {
		return err
	}
	<-ended
	return nil
}

func startEtcd(dir string, sync bool) (e *embed.Etcd, err error) {
	_, err = ports.Start(2, func(string) {}, func(addrs []string) (err error) {
		client, peer := url.URL{Scheme: "http", Host: addrs[0]}, url.URL{Scheme: "http", Host: addrs[1]}
		cfg := embed.NewConfig()
		cfg.Dir, cfg.UnsafeNoFsync = dir, !sync
		cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
		cfg.QuotaBackendBytes = 8 << 30
		cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
		cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
		cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
		e, err = embed.StartEtcd(cfg)
		return err
	})
	return e, err // the ports are kept as long as the process
}

// fill makes the claims, within the process: a client would take far longer. All heads
// come first.
func fill(ctx context.Context, e *embed.Etcd, d dataset) error {
	err := each(d.total(), fillAtOnce, func(i int) error {
		_, err := e.Server.LeaseGrant(ctx, &pb.LeaseGrantRequest{ID: leaseBase + int64(i), TTL: leaseTTL})
		return err
	})
	if err != nil || d.total() == 0 {
		return err
	}
	if d.Locks == 1 {
		return each(d.Claims, fillAtOnce, func(c int) error { return fillSome(ctx, e, d, c, 0, 1) })
	}
	for c := range d.Claims {
		parts := (d.Locks + fillTxn - 1) / fillTxn
		err := each(parts, fillAtOnce, func(i int) error { return fillSome(ctx, e, d, c, i*fillTxn, min(d.Locks, (i+1)*fillTxn)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// fillSome makes the claim c of some locks in one revision.
func fillSome(ctx context.Context, e *embed.Etcd, d dataset, c, from, to int) error {
	txn := &pb.TxnRequest{}
	for l := from; l < to; l++ {
		lease := d.lease(l, c)
		txn.Success = append(txn.Success, &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: &pb.PutRequest{
			Key: []byte(d.lock(l) + "/" + strconv.FormatInt(lease, 16)), Lease: lease}}})
	}
	_, err := e.Server.Txn(ctx, txn)
	return err
}

// dial connects a client.
func dial(ctx context.Context, endpoint string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop(), Context: ctx, DialTimeout: patience})
}

// requests returns how many messages of clients a server has received so far.
func requests(ctx context.Context, endpoint string) (float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+endpoint+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, fmt.Errorf("read the metrics of the server: %w", err)
	}
	defer resp.Body.Close()
	sum := 0.0
	in := bufio.NewScanner(resp.Body)
	for in.Scan() {
		if strings.HasPrefix(in.Text(), "grpc_server_msg_received_total") {
			v, err := strconv.ParseFloat(in.Text()[strings.LastIndexByte(in.Text(), ' ')+1:], 64)
			if err != nil {
				return 0, fmt.Errorf("read the metrics of the server: %w", err)
			}
			sum += v
		}
	}
	return sum, in.Err()
}

// serveProxy runs the proxy of package chaos before a backend, with no fault in force.
func serveProxy(arg []byte, ended <-chan struct{}) error {
	var backend string
	if err := json.Unmarshal(arg, &backend); err != nil {
		return err
	}
	p, err := chaos.NewProxy(chaos.ProxyOptions{Backends: []string{backend}})
	if err != nil {
		return err
	}
	defer p.Close()
	at, err := p.Listen("bench")
	if err != nil {
		return err
	}
	if err := say(at[0]); err != nil {
		return err
	}
	<-ended
	return nil
}
