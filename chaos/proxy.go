package chaos

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"locktop/model"
)

// Errors of the proxy, matched with errors.Is.
var (
	// ErrClosed says that the proxy was closed.
	ErrClosed = errors.New("the proxy is closed")
	// ErrNoClient says that no client of that name has listeners of its own.
	ErrNoClient = errors.New("no such client behind the proxy")
	// ErrClientTaken says that a client of that name already has listeners: two
	// programs behind one name would make every report about it a guess.
	ErrClientTaken = errors.New("that client already has listeners")
)

// ProxyOptions say where the members are and who wants to know.
type ProxyOptions struct {
	// Backends is host:port of every member. A member need not be up: it is
	// dialled when a client comes.
	Backends []string
	// SharedPort is the port of the first shared listener, the others follow
	// one by one. 0 takes free ports.
	SharedPort int
	// Now dates the reports; nil is time.Now.
	Now func() time.Time
	// Report is told of a model.LeaseOwner when a client first grants or renews a
	// lease through the proxy, before the client has the answer. It is called from
	// several goroutines, must return soon and must not call the proxy. May be nil.
	Report func(model.Event)
}

// Proxy is a transparent gRPC proxy on the loopback interface, without TLS: it is
// for a lab. All methods may be called from any goroutine.
//
// It differs from a direct connection in two ways that a client can measure: its
// HTTP/2 pings are answered by the proxy, so they do not find out that a member is
// frozen, and the member sees the proxy's address and user agent.
type Proxy struct {
	backends []string
	now      func() time.Time
	report   func(model.Event)
	holds    holds
	owners   owners

	ctx    context.Context // ends with the proxy
	cancel context.CancelFunc
	wg     sync.WaitGroup // every goroutine that the proxy starts itself

	mu      sync.Mutex
	closed  bool
	shared  []*door
	clients map[string][]*door
}

// NewProxy listens for every backend on 127.0.0.1 and serves at once. The error
// names the port that could not be had; nothing is left open then.
func NewProxy(o ProxyOptions) (*Proxy, error) {
	if len(o.Backends) == 0 {
		return nil, errors.New("start the proxy: no members to stand before")
	}
	p := &Proxy{backends: o.Backends, now: o.Now, report: o.Report, clients: map[string][]*door{}}
	if p.now == nil {
		p.now = time.Now
	}
	if p.report == nil {
		p.report = func(model.Event) {}
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	doors, err := p.open("", o.SharedPort)
	if err != nil {
		p.cancel()
		return nil, fmt.Errorf("start the proxy: %w", err)
	}
	p.shared = doors
	return p, nil
}

// Shared returns the listeners for clients that are not ours, "127.0.0.1:port" for
// each backend in the order of the options. Such a client is known by the address
// of its connection only.
func (p *Proxy) Shared() []string { return addresses(p.shared) }

// Listen opens a listener per backend for that client alone and returns their
// addresses in the order of the backends. It fails with ErrClientTaken if the name
// is in use and with ErrClosed after Close.
func (p *Proxy) Listen(client string) ([]string, error) {
	if client == "" {
		return nil, errors.New("listen for a client: it needs a name")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, fmt.Errorf("listen for %s: %w", client, ErrClosed)
	}
	if p.clients[client] != nil {
		return nil, fmt.Errorf("listen for %s: %w", client, ErrClientTaken)
	}
	doors, err := p.open(client, 0)
	if err != nil {
		return nil, fmt.Errorf("listen for %s: %w", client, err)
	}
	p.clients[client] = doors
	return addresses(doors), nil
}

// Forget closes the listeners and connections of a client and heals its faults.
// The name may be used again afterwards. An unknown client is no error.
func (p *Proxy) Forget(client string) {
	p.mu.Lock()
	doors := p.clients[client]
	delete(p.clients, client)
	p.mu.Unlock()
	closeDoors(doors)
	p.holds.heal(hold{client: client})
	p.owners.forgetClient(client)
}

// HoldKeepalives holds back every request of that client to renew a lease, until
// ResumeKeepalives. Its streams stay open and nothing else is touched; streams that
// it opens later are held too. A request that is being forwarded at this very
// moment may still pass. Holding twice is no error; an unknown client is
// ErrNoClient.
func (p *Proxy) HoldKeepalives(client string) error {
	if err := p.known(client); err != nil {
		return fmt.Errorf("hold keepalives of %s: %w", client, err)
	}
	p.holds.inject(hold{client: client})
	return nil
}

// ResumeKeepalives ends HoldKeepalives. Of the requests that were held, the latest
// of each lease goes to the member now and the older ones are dropped: renewing
// twice at the same moment is renewing once. It is no error if nothing was held.
func (p *Proxy) ResumeKeepalives(client string) error {
	if err := p.known(client); err != nil {
		return fmt.Errorf("resume keepalives of %s: %w", client, err)
	}
	p.holds.heal(hold{client: client})
	return nil
}

// Holding says whether the keepalives of that client are held.
func (p *Proxy) Holding(client string) bool { return p.holds.has(hold{client: client}) }

// HoldLease holds back the requests to renew one lease, whichever client sends
// them, until ResumeLease. The other leases on the same stream are renewed.
func (p *Proxy) HoldLease(id model.LeaseID) { p.holds.inject(hold{lease: id}) }

// ResumeLease ends HoldLease. A request of a client whose keepalives are held too
// stays back.
func (p *Proxy) ResumeLease(id model.LeaseID) { p.holds.heal(hold{lease: id}) }

// Close ends every listener, connection and goroutine of the proxy. Clients see
// their connections break. A second call does nothing.
func (p *Proxy) Close() error {
	p.mu.Lock()
	doors := p.shared
	for _, d := range p.clients {
		doors = append(doors[:len(doors):len(doors)], d...)
	}
	p.clients = map[string][]*door{}
	p.closed = true
	p.mu.Unlock()
	p.cancel()
	closeDoors(doors)
	p.wg.Wait()
	return nil
}

// open opens a door per backend, all or none. Port 0 takes free ports.
func (p *Proxy) open(client string, port int) ([]*door, error) {
	var doors []*door
	for i, backend := range p.backends {
		at := 0
		if port != 0 {
			at = port + i
		}
		d, err := p.newDoor(client, backend, at)
		if err != nil {
			closeDoors(doors)
			return nil, err
		}
		doors = append(doors, d)
	}
	return doors, nil
}

// known returns nil if the client has listeners of its own.
func (p *Proxy) known(client string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clients[client] == nil {
		return ErrNoClient
	}
	return nil
}

// owns reports the client as owner of the lease if that is news.
func (p *Proxy) owns(l *link, id model.LeaseID) {
	if id == 0 || !p.owners.first(id, l.client, l.certain) {
		return
	}
	p.report(model.LeaseOwner{At: p.now(), Lease: id, Client: l.client, Certain: l.certain})
}

func addresses(doors []*door) []string {
	var out []string
	for _, d := range doors {
		out = append(out, d.listener.Addr().String())
	}
	return out
}

// closeDoors closes all of them at once: each waits for its own handlers.
func closeDoors(doors []*door) {
	var wg sync.WaitGroup
	for _, d := range doors {
		wg.Go(d.close)
	}
	wg.Wait()
}
