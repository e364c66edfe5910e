package chaos

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// connectTimeout bounds how long a client waits for a member that accepts but does
// not speak. grpc-go gives up by itself after 20 s.
const connectTimeout = 20 * time.Second

// door is a listener for one member: of one client, or shared.
type door struct {
	proxy    *Proxy
	client   string // empty if shared
	backend  string
	listener net.Listener
	server   *grpc.Server
	ctx      context.Context
	cancel   context.CancelFunc

	mu    sync.Mutex
	links map[*link]struct{}
}

// newDoor listens on that port of 127.0.0.1 and serves.
func (p *Proxy) newDoor(client, backend string, port int) (*door, error) {
	lis, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("listen on port %d of 127.0.0.1 for the member at %s: %w", port, backend, err)
	}
	d := &door{proxy: p, client: client, backend: backend, listener: lis, links: map[*link]struct{}{}}
	d.ctx, d.cancel = context.WithCancel(p.ctx)
	d.server = grpc.NewServer(
		grpc.Creds(linkCredentials{}),
		grpc.ForceServerCodecV2(rawCodec{}),
		grpc.UnknownServiceHandler(p.forward),
		// The limits are the client's and the member's to set.
		grpc.MaxRecvMsgSize(math.MaxInt32),
		grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime: time.Millisecond, PermitWithoutStream: true}),
		grpc.ConnectionTimeout(connectTimeout),
		grpc.WaitForHandlers(true),
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

// link ties a client's connection to a connection to the member. It is the
// client's net.Conn, so that gRPC closes both when it closes that one.
type link struct {
	net.Conn
	credentials.CommonAuthInfo
	door    *door
	client  string // the name, or the address if the door is shared
	certain bool
	backend *grpc.ClientConn
	ctx     context.Context
	cancel  context.CancelFunc
	once    sync.Once
}

// newLink ties a fresh connection of a client. It does not dial yet.
func (d *door) newLink(c net.Conn) (*link, error) {
	cc, err := grpc.NewClient("passthrough:///"+d.backend,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithNoProxy(),
		grpc.WithDisableServiceConfig(),
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
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.links == nil {
		l.cancel()
		return nil, errors.Join(ErrClosed, cc.Close())
	}
	d.links[l] = struct{}{}
	return l, nil
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
			l.door.proxy.owners.forgetClient(l.client)
		}
	})
	return err
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

// follow closes the client's connection when the member's is lost.
func (l *link) follow() {
	l.backend.WaitForStateChange(l.ctx, connectivity.Ready)
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
// member has to answer. Nothing is encrypted.
type linkCredentials struct{}

// ServerHandshake implements credentials.TransportCredentials.
func (linkCredentials) ServerHandshake(c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	l, ok := c.(*link)
	if !ok {
		return nil, nil, fmt.Errorf("greet a client: %T is no link", c)
	}
	if err := l.connect(); err != nil {
		return nil, nil, err
	}
	l.door.proxy.wg.Go(l.follow)
	return l, l, nil
}

// ClientHandshake implements credentials.TransportCredentials.
func (linkCredentials) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("a link is for servers only")
}

// Info implements credentials.TransportCredentials.
func (linkCredentials) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "insecure"}
}

// Clone implements credentials.TransportCredentials.
func (c linkCredentials) Clone() credentials.TransportCredentials { return c }

// OverrideServerName implements credentials.TransportCredentials.
func (linkCredentials) OverrideServerName(string) error { return nil }
