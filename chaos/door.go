package chaos

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"

	"locktop/model"
)

// connectTimeout bounds how long a client waits for a member that accepts but does
// not speak. grpc-go gives up by itself after 20 s.
const connectTimeout = 20 * time.Second

// How many bytes may be on their way in one call and on one connection, each way.
const (
	streamWindow = 1 << 20
	linkWindow   = 1 << 24
)

// door is a listener for one member: of one client, or shared.
type door struct {
	proxy    *Proxy
	client   string // empty if shared
	member   string // its name
	backend  string // its address
	listener net.Listener
	server   *grpc.Server
	ctx      context.Context
	cancel   context.CancelFunc

	mu    sync.Mutex
	links map[*link]struct{}
}

// newDoor listens on that port of 127.0.0.1 and serves.
func (p *Proxy) newDoor(client, member, backend string, port int) (*door, error) {
	lis, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("listen on port %d of 127.0.0.1 for the member at %s: %w", port, backend, err)
	}
	d := &door{proxy: p, client: client, member: member, backend: backend, listener: lis, links: map[*link]struct{}{}}
	d.ctx, d.cancel = context.WithCancel(p.ctx)
	d.server = grpc.NewServer(
		grpc.Creds(linkCredentials{tls: p.serverTLS}),
		grpc.ForceServerCodecV2(rawCodec{}),
		grpc.UnknownServiceHandler(p.forward),
		// The limits are the client's and the member's to set.
		grpc.MaxRecvMsgSize(math.MaxInt32),
		grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime: time.Millisecond, PermitWithoutStream: true}),
		grpc.ConnectionTimeout(connectTimeout),
		grpc.WaitForHandlers(true),
		// Windows that do not adapt need no pings to measure the connection with.
		grpc.StaticStreamWindowSize(streamWindow), grpc.StaticConnWindowSize(linkWindow),
		grpc.NumStreamWorkers(4), // spares most calls the growing of a stack; more calls than these get goroutines
	)
	p.wg.Go(func() { _ = d.server.Serve(linkListener{lis, d}) }) // ends with the listener
	return d, nil
}

// close ends the listener, its connections and its handlers. The links go first:
// Stop waits for connections that are still being greeted.
func (d *door) close() {
	d.mu.Lock()
	d.cancel()
	links := d.links
	d.links = nil
	d.mu.Unlock()
	_ = d.listener.Close() // Stop knows it only once Serve has begun
	for l := range links {
		_ = l.Close()
	}
	d.server.Stop()
}

// linksOf returns the links of these doors.
func linksOf(doors []*door) []*link {
	var links []*link
	for _, d := range doors {
		d.mu.Lock()
		for l := range d.links {
			links = append(links, l)
		}
		d.mu.Unlock()
	}
	return links
}

// link ties a client's connection to a connection to the member. It is the
// client's net.Conn, so that gRPC closes both when it closes that one, and bytes
// pass through it, where a fault may keep them back.
type link struct {
	net.Conn
	wires
	credentials.CommonAuthInfo
	door    *door
	client  string // the name, or the address if the door is shared
	certain bool
	backend *grpc.ClientConn
	ctx     context.Context
	cancel  context.CancelFunc
	once    sync.Once

	spoken sync.Mutex
	agent  string // what the client calls itself, once it has made a call
	told   bool   // that it is connected
	closed bool
}

// newLink ties a fresh connection of a client. It does not dial yet.
func (d *door) newLink(c net.Conn) (*link, error) {
	cc, err := grpc.NewClient("passthrough:///"+d.backend,
		grpc.WithTransportCredentials(d.proxy.toMember),
		grpc.WithNoProxy(),
		grpc.WithDisableServiceConfig(),
		grpc.WithStaticStreamWindowSize(streamWindow), grpc.WithStaticConnWindowSize(linkWindow),
		grpc.WithIdleTimeout(0), // an idle client keeps its connection
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawCodec{}),
			grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)))
	if err != nil {
		return nil, fmt.Errorf("connect to the member at %s: %w", d.backend, err)
	}
	l := &link{Conn: c, door: d, client: d.client, certain: d.client != "", backend: cc}
	if !l.certain {
		l.client = c.RemoteAddr().String()
	}
	l.ctx, l.cancel = context.WithCancel(d.ctx)
	if err := d.admit(l); err != nil {
		l.cancel()
		return nil, errors.Join(err, cc.Close())
	}
	return l, nil
}

// admit adds a link, unless the door is closed or a fault cuts such links. The fault
// is looked for when the link is there to be found: whoever comes second sees it.
func (d *door) admit(l *link) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.links == nil {
		return ErrClosed
	}
	if d.proxy.faults.now().strikes(model.FaultCut, l) {
		return errors.New("connections of this client are cut")
	}
	d.links[l] = struct{}{}
	return nil
}

// Close closes both connections.
func (l *link) Close() error {
	var err error
	l.once.Do(func() {
		l.cancel()
		err = l.Conn.Close()
		_ = l.backend.Close() // it is ours alone, and fails only if closed
		l.door.mu.Lock()
		delete(l.door.links, l)
		l.door.mu.Unlock()
		if !l.certain {
			l.door.proxy.forgetEvidence(l.client)
		}
		l.left()
	})
	return err
}

// who is the client, as far as that is known.
func (l *link) who() model.Client { return model.Client{Name: l.client, Certain: l.certain} }

// speaks reports the connection with the first call that is made on it: only that
// says what the client calls itself.
func (l *link) speaks(ctx context.Context) {
	l.spoken.Lock()
	defer l.spoken.Unlock()
	if l.told || l.closed {
		return
	}
	l.told = true
	if agent := metadata.ValueFromIncomingContext(ctx, "user-agent"); len(agent) > 0 {
		l.agent = agent[0]
	}
	l.connected(true)
}

// left reports the end of the connection if its begin was.
func (l *link) left() {
	l.spoken.Lock()
	defer l.spoken.Unlock()
	l.closed = true
	if l.told {
		l.connected(false)
	}
}

func (l *link) connected(on bool) {
	p := l.door.proxy
	p.report(model.Connected{At: p.now(), Client: l.who(), Peer: l.RemoteAddr().String(),
		Agent: l.agent, Member: l.door.backend, On: on})
}

// connect waits until the member has answered, or failed to.
func (l *link) connect() error {
	ctx, cancel := context.WithTimeout(l.ctx, connectTimeout)
	defer cancel()
	for {
		state := l.backend.GetState()
		switch state {
		case connectivity.Ready:
			return nil
		case connectivity.Idle:
			l.backend.Connect()
		case connectivity.TransientFailure, connectivity.Shutdown:
			return fmt.Errorf("connect to the member at %s: unreachable", l.door.backend)
		}
		if !l.backend.WaitForStateChange(ctx, state) {
			return fmt.Errorf("connect to the member at %s: %w", l.door.backend, ctx.Err())
		}
	}
}

// follow closes the client's connection when the member's is lost. A frozen client
// is not to see even that.
func (l *link) follow() {
	l.backend.WaitForStateChange(l.ctx, connectivity.Ready)
	_ = l.thawed() // or closed by now, which is as well
	_ = l.Close()
}

// AuthType implements credentials.AuthInfo, by which a call finds its link.
func (*link) AuthType() string { return "locktop proxy" }

// linkListener makes a link of every connection.
type linkListener struct {
	net.Listener
	door *door
}

// Accept implements net.Listener.
func (ll linkListener) Accept() (net.Conn, error) {
	for {
		c, err := ll.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l, err := ll.door.newLink(c)
		if err == nil {
			return l, nil
		}
		_ = c.Close()
	}
}

// linkCredentials is the place of the handshake: before the client is greeted, the
// member has to answer.
type linkCredentials struct {
	tls *tls.Config // nil: nothing is encrypted
}

// ServerHandshake implements credentials.TransportCredentials.
func (lc linkCredentials) ServerHandshake(c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	l, ok := c.(*link)
	if !ok {
		return nil, nil, fmt.Errorf("greet a client: %T is no link", c)
	}
	if err := l.connect(); err != nil {
		return nil, nil, err
	}
	if err := l.thawed(); err != nil {
		return nil, nil, err
	}
	var conn net.Conn = l
	if lc.tls != nil {
		secret := &secretLink{tls.Server(l, lc.tls), l}
		if err := secret.HandshakeContext(l.ctx); err != nil {
			return nil, nil, fmt.Errorf("greet a client over TLS: %w", err)
		}
		conn = secret
	}
	l.door.proxy.wg.Go(l.follow)
	return conn, l, nil
}

// secretLink is a link whose bytes are encrypted. It closes without the farewell of
// TLS, which would wait where the link is frozen.
type secretLink struct {
	*tls.Conn
	link *link
}

// Close closes both connections.
func (s *secretLink) Close() error { return s.link.Close() }

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

// ClientHandshake implements credentials.TransportCredentials.
func (linkCredentials) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("a link is for servers only")
}

// Info implements credentials.TransportCredentials.
func (lc linkCredentials) Info() credentials.ProtocolInfo {
	if lc.tls != nil {
		return credentials.ProtocolInfo{SecurityProtocol: "tls"}
	}
	return credentials.ProtocolInfo{SecurityProtocol: "insecure"}
}

// Clone implements credentials.TransportCredentials.
func (lc linkCredentials) Clone() credentials.TransportCredentials { return lc }

// OverrideServerName implements credentials.TransportCredentials.
func (linkCredentials) OverrideServerName(string) error { return nil }
