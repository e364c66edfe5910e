package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/pkg/v3/srv"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"locktop/chaos"
	"locktop/model"
	"locktop/watcher"
)

// Our own connections to a lab notice a dead peer within keepaliveTime+keepaliveTimeout,
// where etcd by itself would wait for the operating system.
const (
	keepaliveTime    = 5 * time.Second
	keepaliveTimeout = 3 * time.Second
)

// dial opens a client with the given limits on what it may send, over TLS unless
// secure is nil. It does not wait for a connection.
func dial(endpoints []string, timeout time.Duration, secure *tls.Config, limits []grpc.DialOption) (*clientv3.Client, error) {
	return open(clientv3.Config{Endpoints: endpoints, DialTimeout: timeout, TLS: secure, DialOptions: limits})
}

// open opens a client, silent and with keepalives. It waits only to log in, for as
// long as the dial timeout.
func open(c clientv3.Config) (*clientv3.Client, error) {
	c.Logger = zap.NewNop()
	c.DialKeepAliveTime = cmp.Or(c.DialKeepAliveTime, keepaliveTime)
	c.DialKeepAliveTimeout = cmp.Or(c.DialKeepAliveTimeout, keepaliveTimeout)
	client, err := watcher.NewClient(c)
	if err != nil {
		return nil, fmt.Errorf("opening a client for %s: %w", strings.Join(c.Endpoints, ", "), err)
	}
	return client, nil
}

// access is the way to the cluster of the settings: found, logged in to, and written to only
// through the gate.
type access struct {
	streams
	config
	creds credentials
}

// dial opens a client for the cluster of the flags, logged in if there is a user.
func (a *access) dial(ctx context.Context, limits []grpc.DialOption) (*clientv3.Client, error) {
	return a.dialAs(ctx, a.creds, limits)
}

func (a *access) dialAs(ctx context.Context, who credentials, limits []grpc.DialOption) (*clientv3.Client, error) {
	c, err := a.clientConfig(who)
	if err != nil {
		return nil, err
	}
	c.DialOptions = limits
	return await(ctx, func() (*clientv3.Client, error) { return open(c) }) // a login may take as long as dialing
}

// clientConfig is what the flags say of a connection.
func (a *access) clientConfig(who credentials) (clientv3.Config, error) {
	f := a.flags
	secure, err := f.tls.config(f.endpoints)
	return clientv3.Config{Endpoints: f.endpoints, DialTimeout: f.dialTimeout, TLS: secure,
		DialKeepAliveTime: f.keepaliveTime, DialKeepAliveTimeout: f.keepaliveTimeout,
		Username: who.user, Password: who.password}, err
}

// connect opens the reading connection to the cluster of the flags, and makes sure
// that at least one endpoint answers. That is asked without a user first: what is wrong
// with an endpoint would look like a login that takes too long.
func (a *access) connect(ctx context.Context) (*clientv3.Client, error) {
	if err := a.discoverEndpoints(ctx); err != nil {
		return nil, err
	}
	if err := a.keepPipes(ctx); err != nil {
		return nil, err
	}
	c, err := a.dialAs(ctx, credentials{}, chaos.ReadOnly())
	if err != nil {
		return nil, badInput{err}
	}
	secure, err := a.flags.tls.config(a.flags.endpoints)
	if err == nil {
		var learners []string
		if learners, err = probe(ctx, c, a.flags.endpoints, secure, a.flags.dialTimeout, a.flags.commandTimeout); err == nil && len(learners) > 0 {
			a.leaveOut(learners)
			c.SetEndpoints(a.flags.endpoints...)
		}
	}
	switch {
	case errors.Is(err, errWantsUser) && a.flags.user != "":
	case errors.Is(err, errWantsUser):
		c.Close()
		return nil, bad("%s wants a user: name one with --user or ETCDCTL_USER (%s)", a.where(), passwordWays)
	case err != nil:
		c.Close()
		return nil, err
	}
	if err := a.login(ctx); err != nil {
		c.Close()
		return nil, err
	}
	if a.creds == (credentials{}) {
		return c, nil
	}
	c.Close()
	switch c, err = a.dial(ctx, chaos.ReadOnly()); {
	case ctx.Err() != nil && err != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, bad("user %q cannot log in at %s: %s; is the password right (%s)?",
			shownUser(a.creds.user), a.where(), lastWord(err), passwordWays)
	}
	return c, nil
}

// leaveOut goes on without some endpoints: their turn would come with each other request, and each would fail.
func (a *access) leaveOut(learners []string) {
	a.flags.endpoints = slices.DeleteFunc(slices.Clone(a.flags.endpoints), func(ep string) bool { return slices.Contains(learners, ep) })
	for _, ep := range learners {
		fmt.Fprintf(a.err, "locktop: warning: %s is left out: it is a learner, which answers no reads until it is promoted\n", model.Printable(ep))
	}
}

// reach says what is wrong with the endpoints or the login, before anything rests on them.
func (a *access) reach(ctx context.Context) error {
	c, err := a.connect(ctx)
	if err != nil {
		return err
	}
	return errors.Join(a.oneCluster(ctx, c), c.Close())
}

// oneCluster refuses endpoints of several clusters: a lock would be taken now in one of them
// and now in another.
func (a *access) oneCluster(until context.Context, c *clientv3.Client) error {
	ctx, cancel := context.WithTimeout(until, a.flags.dialTimeout)
	defer cancel()
	ids := make([]uint64, len(a.flags.endpoints)) // 0: it does not say
	var wg sync.WaitGroup
	for i, ep := range a.flags.endpoints {
		wg.Go(func() {
			if r, err := c.Status(ctx, ep); err == nil { // one that does not answer is named below
				ids[i] = r.Header.GetClusterId()
			}
		})
	}
	wg.Wait()
	if until.Err() != nil {
		return until.Err()
	}
	first := slices.IndexFunc(ids, func(id uint64) bool { return id != 0 })
	for i, ep := range a.flags.endpoints {
		switch {
		case ids[i] == 0:
			fmt.Fprintf(a.err, "locktop: warning: %s did not say which cluster it belongs to\n", model.Printable(ep))
		case ids[i] != ids[first]:
			return bad("%s belongs to cluster %x, and %s to cluster %x: name the endpoints of one cluster", a.flags.endpoints[first], ids[first], ep, ids[i])
		}
	}
	return nil
}

// lastWord is what a server said, without what gRPC wraps it in.
func lastWord(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time (--dial-timeout)"
	}
	return strings.TrimPrefix(status.Convert(err).Message(), "etcdserver: ")
}

// where names the cluster of the flags in a sentence.
func (cfg *config) where() string {
	if cfg.discovers() {
		return "the endpoints of " + cfg.flags.discovery.domain
	}
	return strings.Join(cfg.flags.endpoints, ", ")
}

// discovery is where endpoints are looked up.
type discovery struct {
	domain, service string
	insecure        bool // endpoints without TLS are good enough
	done            bool // the endpoints are there
}

// lookupSRV asks the name servers, except in tests.
var lookupSRV = srv.GetClient

// discovers says whether the endpoints are still to be looked up: where they are named
// in a better place, they stand.
func (cfg *config) discovers() bool {
	return cfg.flags.discovery.domain != "" && !cfg.flags.discovery.done && cfg.originOf("discovery-srv").rank >= cfg.originOf("endpoints").rank
}

// discoverEndpoints looks up the endpoints in the SRV records of a domain, as etcdctl
// does.
func (a *access) discoverEndpoints(ctx context.Context) error {
	if !a.discovers() {
		return nil
	}
	d := &a.flags.discovery
	name := a.originOf("discovery-srv").name
	found, err := await(ctx, func() (*srv.SRVClients, error) { return lookupSRV("etcd-client", d.domain, d.service) })
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return bad("%s %s: %v", name, d.domain, err)
	}
	var endpoints []string
	for _, endpoint := range found.Endpoints {
		if d.insecure || strings.HasPrefix(endpoint, "https://") {
			endpoints = append(endpoints, endpoint)
		}
	}
	if len(endpoints) == 0 {
		return bad("%s %s: none of its %d records names an endpoint that may be used (--insecure-discovery)", name, d.domain, len(found.Endpoints))
	}
	if !d.insecure {
		a.flags.tls.serverName = d.domain
	}
	a.flags.endpoints, d.done = endpoints, true
	return nil
}

// errWantsUser is the answer of a server that tells nobody but a user anything.
// Servers before 3.7 tell everybody their status.
var errWantsUser = errors.New("wants a user")

// errLearner is why an endpoint that answers is of no use.
var errLearner = endpointErrorf("it is a learner, which answers no reads until it is promoted: name a voting member")

// othersWait is how much longer than the first one the other endpoints may take to say that they are learners.
const othersWait = 100 * time.Millisecond

// probe returns as soon as one endpoint answers, with those that are known to be learners, or errWantsUser. If
// none does the error says what was tried and what failed. A connection may take as long as dialing,
// an answer on it as long as answering.
func probe(until context.Context, c *clientv3.Client, endpoints []string, secure *tls.Config, dialing, answering time.Duration) (learners []string, _ error) {
	ctx, cancel := context.WithCancel(until)
	defer cancel()
	failed := make([]error, len(endpoints))
	var wg sync.WaitGroup
	for i, ep := range endpoints {
		wg.Go(func() {
			switch failed[i] = ask(ctx, c, ep, secure, dialing, answering); {
			case errors.Is(failed[i], errWantsUser):
				cancel()
			case failed[i] == nil:
				time.AfterFunc(othersWait, cancel)
			}
		})
	}
	wg.Wait()
	for i, ep := range endpoints {
		if errors.Is(failed[i], errLearner) {
			learners = append(learners, ep)
		}
	}
	switch {
	case slices.Contains(failed, nil):
		return learners, nil
	case slices.Contains(failed, errWantsUser):
		return nil, errWantsUser
	case until.Err() != nil: // told to end, nobody knows whether one would have answered
		return nil, until.Err()
	}
	var words []string
	var told *endpointError
	for i, ep := range endpoints {
		words = append(words, ep+": "+failed[i].Error())
		errors.As(failed[i], &told)
	}
	if told != nil { // somebody is there, and what to say to them is known
		return nil, bad("no endpoint answers (%s)", strings.Join(words, "; "))
	}
	return nil, bad("no endpoint answers (%s); name one with --endpoints, or try \"locktop demo\", which needs none", strings.Join(words, "; "))
}

// ask says whether an endpoint answers, first plainly over TCP: its errors name
// the cause, where gRPC's name the symptom.
func ask(ctx context.Context, c *clientv3.Client, endpoint string, secure *tls.Config, dialing, answering time.Duration) error {
	addr, err := hostPort(endpoint)
	if err != nil {
		return err
	}
	dial, stop := context.WithTimeout(ctx, dialing)
	defer stop()
	conn, err := new(net.Dialer).DialContext(dial, "tcp", addr)
	if err != nil {
		if dial.Err() != nil {
			return errors.New("no answer in time")
		}
		var op *net.OpError
		if errors.As(err, &op) {
			return op.Err
		}
		return err
	}
	conn.Close()
	// The client's own Status would wait for a connection and not tell why there is none.
	member, err := c.Dial(endpoint)
	if err != nil {
		return err
	}
	defer member.Close()
	asked, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	is, err := pb.NewMaintenanceClient(member).Status(asked, &pb.StatusRequest{})
	if err != nil {
		again, end := context.WithTimeout(ctx, min(dialing, tlsTroubleWait))
		defer end()
		if why := tlsTrouble(again, endpoint, addr, secure); why != nil {
			return why
		}
		if asked.Err() != nil {
			return errors.New("accepts connections, but is not an etcd server that answers in time")
		}
		if errors.Is(rpctypes.Error(err), rpctypes.ErrUserEmpty) {
			return errWantsUser
		}
		if strings.Contains(err.Error(), "server preface: http2:") { // what comes first is no frame
			return endpointErrorf("it takes connections, but does not speak HTTP/2, as etcd does: name the port that etcd has for clients, mostly 2379")
		}
		return errors.New(status.Convert(err).Message())
	}
	if is.IsLearner {
		return errLearner
	}
	return nil
}

// withoutUser is an endpoint, or several, as it may be shown: a password in it is nobody's
// to see, whatever characters it has. No host has an @.
func withoutUser(endpoint string) string {
	at := strings.LastIndexByte(endpoint, '@')
	if at < 0 {
		return endpoint
	}
	for _, scheme := range []string{"http://", "https://"} {
		if strings.HasPrefix(endpoint, scheme) {
			return scheme + hidden + endpoint[at:]
		}
	}
	return hidden + endpoint[at:]
}

// shownOf is one of several values as it may be shown. Where any of them has a user, a comma
// in the password may have cut it in two.
func shownOf(value string, all []string) string {
	if joined := strings.Join(all, ","); strings.Contains(joined, "@") {
		return withoutUser(joined)
	}
	return value
}

// hostPort returns the address of an endpoint, which is host:port or a URL.
func hostPort(endpoint string) (string, error) {
	addr := endpoint
	if strings.Contains(endpoint, "://") {
		u, err := url.Parse(endpoint)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
			return "", errors.New("want host:port, http://host:port or https://host:port")
		}
		if u.User != nil {
			return "", errors.New("an endpoint takes no user and no password")
		}
		addr = u.Host
	}
	if strings.Contains(addr, "@") {
		return "", errors.New("an endpoint takes no user and no password")
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host == "" || port == "" {
		return "", errors.New("want host:port")
	}
	return addr, nil
}
