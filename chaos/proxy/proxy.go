package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"

	"locktop/model"
)

// Errors of the proxy, matched with errors.Is.
var (
	// ErrClosed says that the proxy was closed.
	ErrClosed = errors.New("the proxy is closed")
	// errNoClient says that no client of that name has listeners of its own.
	errNoClient = errors.New("no such client behind the proxy")
	// errClientTaken says that a client of that name already has listeners: two
	// programs behind one name would make every report about it a guess.
	errClientTaken = errors.New("that client already has listeners")
)

// Options say where the members are and who wants to know.
type Options struct {
	// Backends is host:port of every member. A member need not be up: it is
	// dialled when a client comes.
	Backends []string
	// Names are the members' names in the order of Backends, by which Fault.Member
	// means them; nil is m1, m2, ….
	Names []string
	// BackendTLS is for the connections to members, with the client's certificate
	// if they want one; nil is plaintext. Without a ServerName a member has to prove
	// the host of its address.
	BackendTLS *tls.Config
	// ServerTLS is for the connections of clients, at every listener; nil is
	// plaintext.
	ServerTLS *tls.Config
	// Foreign says that the cluster is not ours. Then only connections of the user who
	// runs the proxy are taken, and only the calls pass that programs with locks need.
	// If the system does not tell who owns a connection, BackendTLS must not have a
	// certificate, and every user of this machine can connect.
	Foreign bool
	// SharedPort is the port of the first shared listener, the others follow
	// one by one. 0 takes free ports.
	SharedPort int
	// Now dates the reports; nil is time.Now.
	Now func() time.Time
	// Count reports, too, what the clients with listeners of their own ask: model.Asked, at
	// most every askedEvery for each.
	Count bool
	// Report is told what the proxy saw: model.LeaseOwner (before the client has the
	// answer), model.Wrote and model.Revoked (when the call ends), model.Watches, model.Refused,
	// model.TurnedAway and model.Connected. It is called from several goroutines, must return soon and
	// must not call the proxy. May be nil.
	Report func(model.Event)
}

// Proxy is a transparent gRPC proxy on the loopback interface. All methods may be
// called from any goroutine.
//
// It differs from a direct connection in two ways that a client or member can tell:
// the member sees the proxy's address and certificate, and grpc-go's ping that measures
// a connection is answered by the proxy, with the next frame, where little was sent. A
// ping that asks whether somebody is there reaches the other end.
type Proxy struct {
	backends  []string
	names     []string
	toMember  credentials.TransportCredentials
	scheme    string // of the connections to members
	serverTLS *tls.Config
	now       func() time.Time
	report    func(model.Event)
	faults    *faults
	holds     holds
	owners    owners
	denials   denials
	asked     *requestCounts // nil: nobody counts
	foreign   bool
	peers     *peers // nil: everybody's connections are taken

	ctx    context.Context // ends with the proxy
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	shared  []*listener
	clients map[string][]*listener
}

// New listens for every backend on 127.0.0.1 and serves at once. The error
// names the port that could not be had; nothing is left open then.
func New(o Options) (*Proxy, error) {
	if len(o.Backends) == 0 {
		return nil, errors.New("start the proxy: no members to stand before")
	}
	names, err := memberNames(o)
	if err != nil {
		return nil, fmt.Errorf("start the proxy: %w", err)
	}
	p := &Proxy{backends: o.Backends, names: names, toMember: memberCredentials(o.BackendTLS),
		serverTLS: forHTTP2(o.ServerTLS), now: o.Now, report: o.Report, faults: newFaults(),
		foreign: o.Foreign, clients: map[string][]*listener{}}
	p.holds.faults = p.faults
	p.scheme = "http"
	if o.BackendTLS != nil {
		p.scheme = "https"
	}
	if p.now == nil {
		p.now = time.Now
	}
	if p.report == nil {
		p.report = func(model.Event) {}
	}
	if o.Foreign {
		if p.peers, err = checkPeers(o.BackendTLS, p.turned); err != nil {
			return nil, fmt.Errorf("start the proxy: %w", err)
		}
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	if o.Count {
		p.asked = newRequestCounts(p)
	}
	doors, err := p.open("", o.SharedPort)
	if err != nil {
		p.cancel()
		return nil, fmt.Errorf("start the proxy: %w", err)
	}
	p.shared = doors
	return p, nil
}

// memberNames are the members' names, those of the options or m1, m2, ….
func memberNames(o Options) ([]string, error) {
	if o.Names == nil {
		var names []string
		for i := range o.Backends {
			names = append(names, fmt.Sprintf("m%d", i+1))
		}
		return names, nil
	}
	if len(o.Names) != len(o.Backends) {
		return nil, fmt.Errorf("%d names for %d members", len(o.Names), len(o.Backends))
	}
	return slices.Clone(o.Names), nil
}

// Shared returns the listeners for clients that are not ours, "127.0.0.1:port" for
// each backend in the order of the options. Such a client is known by the address
// of its connection only.
func (p *Proxy) Shared() []string { return addresses(p.shared) }

// Listen opens a listener per backend for that client alone and returns their
// addresses in the order of the backends. It fails with errClientTaken if the name
// is in use and with ErrClosed after Close.
func (p *Proxy) Listen(client string) ([]string, error) {
	if client == "" {
		return nil, errors.New("listen for a client: it needs a name")
	}
	if client == everyone || strings.HasPrefix(client, leaseTarget) {
		return nil, fmt.Errorf("listen for %s: faults mean something else by that name", client)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, fmt.Errorf("listen for %s: %w", client, ErrClosed)
	}
	if p.clients[client] != nil {
		return nil, fmt.Errorf("listen for %s: %w", client, errClientTaken)
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
	closeListeners(doors)
	p.heal(func(f model.Fault) bool { return f.Target == client })
	p.forgetEvidence(client)
}

// forgetEvidence drops what was remembered of a client so as not to repeat it.
func (p *Proxy) forgetEvidence(client string) {
	p.owners.forgetClient(client)
	p.denials.forget(client)
	p.asked.forget(client)
}

// Close ends every listener, connection and goroutine of the proxy. Clients see
// their connections break. A second call does nothing.
func (p *Proxy) Close() {
	p.mu.Lock()
	doors := p.shared
	for _, d := range p.clients {
		doors = append(doors[:len(doors):len(doors)], d...)
	}
	p.clients = map[string][]*listener{}
	p.closed = true
	p.mu.Unlock()
	p.cancel()
	closeListeners(doors)
}

// open opens a listener per backend, all or none. Port 0 takes free ports.
func (p *Proxy) open(client string, port int) ([]*listener, error) {
	var doors []*listener
	for i, backend := range p.backends {
		at := 0
		if port != 0 {
			at = port + i
		}
		d, err := p.newListener(client, p.names[i], backend, at)
		if err != nil {
			closeListeners(doors)
			return nil, err
		}
		doors = append(doors, d)
	}
	return doors, nil
}

// turned reports that somebody's connections are not taken.
func (p *Proxy) turned(why string) { p.report(model.TurnedAway{At: p.now(), Text: why}) }

// owns reports the client as owner of the lease if that is news.
func (p *Proxy) owns(l *connection, id model.LeaseID, renews bool) {
	e := model.LeaseOwner{Lease: id, Client: l.identity(), Renews: renews, Member: l.listener.backend}
	if id == 0 || !p.owners.news(e) {
		return
	}
	e.At = p.now()
	p.report(e)
}

func addresses(doors []*listener) []string {
	var out []string
	for _, d := range doors {
		out = append(out, d.Addr())
	}
	return out
}

// closeListeners closes all of them at once: each waits for its own handlers.
func closeListeners(doors []*listener) {
	var wg sync.WaitGroup
	for _, d := range doors {
		wg.Go(d.Close)
	}
	wg.Wait()
}
