//go:build slow

package watcher

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"go.etcd.io/etcd/client/pkg/v3/types"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/etcdtest"
	ports "locktop/demo/process"
)

// peerLink is the way to the peer port of one member. It knows who comes: etcd names
// the sender in each request between members.
type peerLink struct {
	l      net.Listener
	target string
	wg     sync.WaitGroup

	mu     sync.Mutex
	closed bool
	change sync.Cond           // of closed and held
	held   map[string]bool     // senders whom the log does not reach
	cut    map[string]bool     // senders; "" cuts all
	conns  map[net.Conn]string // by sender
}

func newPeerLink(t testing.TB, target string) *peerLink {
	t.Helper()
	l := must[net.Listener](t)(ports.Listen())
	p := &peerLink{l: l, target: target, held: map[string]bool{}, cut: map[string]bool{}, conns: map[net.Conn]string{}}
	p.change.L = &p.mu
	p.wg.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.pass(in) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.mu.Lock()
		p.closed = true
		p.change.Broadcast()
		p.mu.Unlock()
		p.set("", true)
		p.wg.Wait()
	})
	return p
}

// pass copies both ways, as soon as the sender is known.
func (p *peerLink) pass(in net.Conn) {
	defer in.Close()
	if !p.keep(in, "?") {
		return
	}
	defer p.drop(in)
	var head strings.Builder
	from := bufio.NewReader(io.TeeReader(in, &head))
	req, err := http.ReadRequest(from)
	if err != nil || !p.keep(in, req.Header.Get("X-Server-From")) {
		return
	}
	out, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer out.Close()
	if _, err := io.WriteString(out, head.String()); err != nil {
		return
	}
	// The log has a stream of its own, beside that of heartbeats and reads. One that is
	// held stays open on this side, whatever the other one does: a leader that has no
	// such stream sends the log by the other.
	wait := func() {}
	if strings.HasPrefix(req.URL.Path, "/raft/stream/msgapp/") {
		wait = func() { p.wait(req.Header.Get("X-Server-From")) }
	}
	p.wg.Go(func() {
		_, _ = io.Copy(out, in)
		wait()
		_ = out.Close()
	})
	buf := make([]byte, 32<<10)
	for {
		n, err := out.Read(buf)
		wait()
		if _, werr := in.Write(buf[:n]); werr != nil || err != nil {
			return
		}
	}
}

// wait returns when a sender is not held.
func (p *peerLink) wait(from string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held[from] && !p.closed {
		p.change.Wait()
	}
}

// hold keeps the log from a sender, or lets it go.
func (p *peerLink) hold(from string, held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[from] = held
	p.change.Broadcast()
}

// keep remembers a connection for the next cut, false if it is cut already.
func (p *peerLink) keep(c net.Conn, from string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.cut[""] || p.cut[from] {
		return false
	}
	p.conns[c] = from
	return true
}

func (p *peerLink) drop(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

// set cuts off a sender, or mends that.
func (p *peerLink) set(from string, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut[from] = cut
	for c, sender := range p.conns {
		if cut && (from == "" || sender == from) {
			_ = c.Close()
		}
	}
}

// trio is a cluster of three members as processes.
type trio struct {
	t     testing.TB
	nodes [3]*process
	addrs [3]string
	links [3]*peerLink
	ids   [3]uint64
	root  *clientv3.Client
}

func newTrio(t testing.TB, minor string) *trio {
	t.Helper()
	c := &trio{t: t}
	etcdtest.OnPorts(t, 2*len(c.nodes), func(addrs []string) error {
		peers := addrs[copy(c.addrs[:], addrs):]
		var cluster []string
		for i, peer := range peers {
			c.links[i] = newPeerLink(t, peer)
			cluster = append(cluster, fmt.Sprintf("m%d=http://%s", i+1, c.links[i].l.Addr()))
		}
		var all []*etcdtest.Process
		for i, peer := range peers {
			client := "http://" + c.addrs[i]
			p := etcdtest.NewProcess(releaseProgram(t, minor), peer, append([]string{"--name", fmt.Sprintf("m%d", i+1), "--data-dir", t.TempDir(),
				"--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", "http://" + peer,
				"--initial-advertise-peer-urls", "http://" + c.links[i].l.Addr().String(), "--initial-cluster", strings.Join(cluster, ","),
				"--unsafe-no-fsync"}, quickFlags...)...)
			c.nodes[i], all = &process{t: t, Process: p}, append(all, p)
		}
		return etcdtest.StartAll(all...)
	})
	for _, n := range c.nodes {
		t.Cleanup(n.Stop)
	}
	c.root = c.nodes[0].connect(clientv3.Config{Endpoints: c.addrs[:]})
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	for _, m := range must[*clientv3.MemberListResponse](t)(c.root.MemberList(ctx)).Members {
		c.ids[m.Name[1]-'1'] = m.ID
	}
	return c
}

// lag keeps the log from a follower, or lets it go. The follower still answers, knows
// its leader and asks it where the log is.
func (c *trio) lag(i int, lags bool) {
	for j, l := range c.links {
		if j != i {
			l.hold(types.ID(c.ids[i]).String(), lags)
		}
	}
}

// leader is the index of the member that leads, by its own word.
func (c *trio) leader() int {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	for ctx.Err() == nil {
		for i, addr := range c.addrs {
			if s, err := c.root.Status(ctx, addr); err == nil && s.Leader == c.ids[i] {
				return i
			}
		}
	}
	c.t.Fatal("no leader")
	return 0
}
