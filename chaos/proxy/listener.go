package proxy

import (
	"context"
	"crypto/tls"
	"errors"
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

// acceptPause is how long a listener rests that cannot take a connection now, for
// example because too many files are open.
const acceptPause = 10 * time.Millisecond

// listener is a listener for one member: of one client, or shared.
type listener struct {
	proxy    *Proxy
	client   string // empty if shared
	member   string // its name
	backend  string // its address
	listener net.Listener
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup // its goroutines and those of its connections

	mu          sync.Mutex
	connections map[*connection]struct{}
}

// newDoor listens on that port of 127.0.0.1 and serves.
func (p *Proxy) newListener(client, member, backend string, port int) (*listener, error) {
	lis, err := listenLocal(port)
	if err != nil {
		return nil, fmt.Errorf("listen on port %d of 127.0.0.1 for the member at %s: %w", port, backend, err)
	}
	d := &listener{proxy: p, client: client, member: member, backend: backend, listener: lis, connections: map[*connection]struct{}{}}
	d.ctx, d.cancel = context.WithCancel(p.ctx)
	d.wg.Go(d.serve)
	return d, nil
}

// serve serves every connection until the listener is closed.
func (d *listener) serve() {
	for {
		c, err := d.listener.Accept()
		if err != nil {
			select {
			case <-d.ctx.Done():
				return
			case <-time.After(acceptPause):
				continue
			}
		}
		var l *connection
		if err = d.proxy.peers.admit(c); err == nil {
			l, err = d.newConnection(c)
		}
		if err != nil {
			_ = c.Close()
			continue
		}
		d.wg.Go(l.run)
	}
}

// close ends the listener, its connections and all that happens on them.
func (d *listener) close() {
	d.mu.Lock()
	d.cancel()
	links := d.connections
	d.connections = nil
	d.mu.Unlock()
	_ = d.listener.Close()
	for l := range links {
		_ = l.Close()
	}
	d.wg.Wait()
}

// connectionsOf returns the connections of these listeners.
func connectionsOf(doors []*listener) []*connection {
	var links []*connection
	for _, d := range doors {
		d.mu.Lock()
		links = slices.AppendSeq(links, maps.Keys(d.connections))
		d.mu.Unlock()
	}
	return links
}

// connection ties a client's connection to a connection to the member. It is the client's
// net.Conn: bytes pass through it, where a fault may keep them back.
type connection struct {
	net.Conn
	wires
	listener *listener
	client   string // the name, or the address if the listener is shared
	certain  bool
	ctx      context.Context
	cancel   context.CancelFunc
	once     sync.Once

	toMember, toClient *relay.Direction

	// These are of a cluster that is not ours. Only the goroutine that relays the requests uses them.
	refused map[uint32]bool // streams that the member never hears of
	newest  uint32          // stream

	mu    sync.Mutex
	calls map[uint32]*call // by stream

	spoken sync.Mutex
	agent  string // what the client calls itself, once it has made a call
	told   bool   // that it is connected
	closed bool
}

// newLink ties a fresh connection of a client. It does not dial yet.
func (d *listener) newConnection(c net.Conn) (*connection, error) {
	l := &connection{Conn: c, listener: d, client: d.client, certain: d.client != "", calls: map[uint32]*call{}, refused: map[uint32]bool{}}
	if !l.certain {
		l.client = c.RemoteAddr().String()
	}
	l.ctx, l.cancel = context.WithCancel(d.ctx)
	if err := d.admit(l); err != nil {
		l.cancel()
		return nil, err
	}
	return l, nil
}

// admit adds a connection, unless the listener is closed or a fault cuts such connections. The fault
// is looked for when the connection is there to be found: the one that comes second sees it.
func (d *listener) admit(l *connection) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.connections == nil {
		return ErrClosed
	}
	if d.proxy.faults.now().strikes(model.FaultCut, l) {
		return errors.New("connections of this client are cut")
	}
	d.connections[l] = struct{}{}
	return nil
}

// Close closes both connections: that to the member ends with the context.
func (l *connection) Close() error {
	var err error
	l.once.Do(func() {
		l.cancel()
		err = l.Conn.Close()
		l.listener.mu.Lock()
		delete(l.listener.connections, l)
		l.listener.mu.Unlock()
		if !l.certain {
			l.listener.proxy.forgetEvidence(l.client)
		}
		l.left()
	})
	return err
}

// who is the client, as far as that is known.
func (l *connection) who() model.Client { return model.Client{Name: l.client, Certain: l.certain} }

// speaks reports the connection with the first call that is made on it: only that
// says what the client calls itself.
func (l *connection) speaks(agent string) {
	l.spoken.Lock()
	defer l.spoken.Unlock()
	if l.told || l.closed {
		return
	}
	l.told, l.agent = true, agent
	l.connected(true)
}

// left reports the end of the connection if its begin was.
func (l *connection) left() {
	l.spoken.Lock()
	defer l.spoken.Unlock()
	l.closed = true
	if l.told {
		l.connected(false)
	}
}

func (l *connection) connected(on bool) {
	p := l.listener.proxy
	p.report(model.Connected{At: p.now(), Client: l.who(), Peer: l.RemoteAddr().String(),
		Agent: l.agent, Member: l.listener.backend, On: on})
}

// run carries what both ends say until one is lost.
func (l *connection) run() {
	defer l.Close()
	client, member, err := l.connect()
	if err != nil {
		return // the client sees its connection end, as that of a member that is down
	}
	l.toMember, l.toClient = relay.New(client, member), relay.New(member, client)
	p := l.listener.proxy
	// A block says how it is carried. And of a cluster that is not ours the member is to
	// read the very fields that were looked at.
	l.toMember.Rewrites = (p.serverTLS == nil) != (p.scheme == "http") || p.foreign
	var both sync.WaitGroup
	both.Go(func() {
		defer l.Close()
		_ = l.toMember.Relay(l.asks)
	})
	both.Go(func() {
		defer l.Close()
		_ = l.toClient.Relay(l.answers)
		_ = l.thawed() // a frozen client is not to see even that the member is lost
	})
	both.Wait()
	l.mu.Lock()
	calls := slices.Collect(maps.Values(l.calls))
	l.mu.Unlock()
	for _, c := range calls {
		c.over()
	}
}

// connect connects to the member, greets the client, and passes the first words on:
// who says others does not speak HTTP/2.
func (l *connection) connect() (client, member net.Conn, err error) {
	ctx, cancel := context.WithTimeout(l.ctx, connectTimeout)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", l.listener.backend)
	if err != nil {
		return nil, nil, err
	}
	context.AfterFunc(l.ctx, func() { _ = raw.Close() })
	p := l.listener.proxy
	if member, _, err = p.toMember.ClientHandshake(ctx, l.listener.backend, raw); err != nil {
		return nil, nil, err
	}
	client = l
	if p.serverTLS != nil {
		secret := tls.Server(l, p.serverTLS)
		if err := secret.HandshakeContext(l.ctx); err != nil {
			return nil, nil, err
		}
		client = secret
	}
	greeting := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(client, greeting); err != nil {
		return nil, nil, err
	}
	if string(greeting) != http2.ClientPreface {
		return nil, nil, relay.ErrMalformed
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
