package proxy

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"locktop/chaos/relay"
	"locktop/model"
)

// connectTimeout bounds how long a client waits for a member that accepts but does
// not speak. grpc-go gives up by itself after 20 s.
const connectTimeout = 20 * time.Second

// listener is a listener for one member: of one client, or shared.
type listener struct {
	*relay.Listener
	proxy   *Proxy
	client  string // empty if shared
	member  string // its name
	backend string // its address
}

// newListener listens on that port of 127.0.0.1 and serves.
func (p *Proxy) newListener(client, member, backend string, port int) (*listener, error) {
	lis, err := listenLocal(port)
	if err != nil {
		return nil, fmt.Errorf("listen on port %d of 127.0.0.1 for the member at %s: %w", port, backend, err)
	}
	d := &listener{relay.New(lis, backend), p, client, member, backend}
	d.Serve(func(pair *relay.Pair) {
		if p.peers.admit(pair.Conn) == nil && !p.faults.now().strikes(model.FaultCut, d.route(pair)) {
			d.newConnection(pair).run()
		}
	})
	return d, nil
}

// route is from which client to which member a connection leads.
type route struct {
	client string // the name, or the address if the listener is shared
	member string
}

func (ln *listener) route(p *relay.Pair) route {
	if ln.client == "" {
		return route{p.RemoteAddr().String(), ln.member}
	}
	return route{ln.client, ln.member}
}

// connection is a pair on which HTTP/2 is spoken.
type connection struct {
	*relay.Pair
	route
	listener *listener

	toMember, toClient *frames

	mu    sync.Mutex
	calls map[uint32]*call // by stream

	// These are of the goroutine that passes the requests, until it has ended.
	agent    string // what the client calls itself, once it has made a call
	reported bool   // that it is connected
	// Of a cluster that is not ours:
	refused map[uint32]bool // streams that the member never hears of
	newest  uint32          // stream
}

// newConnection is that of a fresh pair, which dials nobody yet.
func (ln *listener) newConnection(p *relay.Pair) *connection {
	l := &connection{Pair: p, route: ln.route(p), listener: ln, calls: map[uint32]*call{}, refused: map[uint32]bool{}}
	slow := func() relay.Slowness { return ln.proxy.faults.now().slowness(l.route) }
	p.Slow(slow, slow)
	return l
}

// identity is the client, as far as that is known.
func (cn *connection) identity() model.Client {
	return model.Client{Name: cn.client, Certain: cn.listener.client != ""}
}

// speaks reports the connection with the first call that is made on it: only that
// says what the client calls itself.
func (cn *connection) speaks(agent string) {
	if !cn.reported {
		cn.reported, cn.agent = true, agent
		cn.connected(true)
	}
}

func (cn *connection) connected(on bool) {
	p := cn.listener.proxy
	p.report(model.Connected{At: p.now(), Client: cn.identity(), Peer: cn.RemoteAddr().String(),
		Agent: cn.agent, Member: cn.listener.backend, On: on})
}

// run carries what both ends say until one is lost.
func (cn *connection) run() {
	client, member, err := cn.connect()
	if err != nil {
		return // the client sees its connection end, as that of a member that is down
	}
	cn.toMember, cn.toClient = newFrames(client, member), newFrames(member, client)
	p := cn.listener.proxy
	// A block says how it is carried. And of a cluster that is not ours the member is to
	// read the very fields that were looked at.
	cn.toMember.rewrites = (p.serverTLS == nil) != (p.scheme == "http") || p.foreign
	cn.Carry(func() { _ = cn.toMember.carry(cn.asks) }, func() { _ = cn.toClient.carry(cn.answers) })
	cn.mu.Lock()
	calls := slices.Collect(maps.Values(cn.calls))
	cn.mu.Unlock()
	for _, c := range calls {
		c.end()
	}
	if cn.listener.client == "" {
		p.forgetEvidence(cn.client)
	}
	if cn.reported {
		cn.connected(false)
	}
}

// connect hears the client out, then connects to the member and passes the first words on: who
// says others does not speak HTTP/2. A client that says nothing, such as a program that was paused
// just then, costs the member no connection: a member does not end while one of its is silent.
func (cn *connection) connect() (client, member net.Conn, err error) {
	p := cn.listener.proxy
	client = cn.Pair
	if p.serverTLS != nil {
		secret := tls.Server(cn.Pair, p.serverTLS)
		if err := secret.HandshakeContext(cn.Context()); err != nil {
			return nil, nil, err
		}
		client = secret
	}
	greeting := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(client, greeting); err != nil {
		return nil, nil, err
	}
	if string(greeting) != http2.ClientPreface {
		return nil, nil, errMalformed
	}
	ctx, cancel := context.WithTimeout(cn.Context(), connectTimeout)
	defer cancel()
	raw, err := cn.Dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	if member, _, err = p.toMember.ClientHandshake(ctx, cn.listener.backend, raw); err != nil {
		return nil, nil, err
	}
	_, err = member.Write(greeting)
	return client, member, err
}

// forHTTP2 returns the configuration with the protocol that gRPC insists on.
func forHTTP2(c *tls.Config) *tls.Config {
	if c == nil || slices.Contains(c.NextProtos, "h2") {
		return c
	}
	c = c.Clone()
	c.NextProtos = append(slices.Clone(c.NextProtos), "h2")
	return c
}

// memberCredentials are those of the connections to members.
func memberCredentials(c *tls.Config) credentials.TransportCredentials {
	if c == nil {
		return insecure.NewCredentials()
	}
	return credentials.NewTLS(c)
}
