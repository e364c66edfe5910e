package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/pkg/v3/srv"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"locktop/chaos"
	"locktop/watcher"
)

// Our own connections to a lab notice a dead peer within keepaliveTime+keepaliveTimeout,
// where etcd by itself would wait for the operating system.
const (
	keepaliveTime    = 5 * time.Second
	keepaliveTimeout = 3 * time.Second
)

// tlsFlags are etcdctl's flags for TLS.
type tlsFlags struct {
	cacert, cert, key string
	skipVerify        bool
	always            bool   // also where an endpoint does not ask for it
	serverName        string // whom the certificates have to be for, "": the endpoints
}

// config returns what the flags and the endpoints ask for, nil for plain text.
func (f tlsFlags) config(endpoints []string) (*tls.Config, error) {
	scheme := func(s string) func(string) bool { return func(e string) bool { return strings.HasPrefix(e, s) } }
	secure := slices.ContainsFunc(endpoints, scheme("https://"))
	plain := !slices.ContainsFunc(endpoints, func(e string) bool { return !scheme("http://")(e) })
	if plain && f.always {
		return nil, bad("--insecure-transport=false rules out http:// endpoints (%s)", strings.Join(endpoints, ", "))
	}
	if plain || !secure && f == (tlsFlags{}) {
		return nil, nil
	}
	for _, file := range [][2]string{{"--cacert", f.cacert}, {"--cert", f.cert}, {"--key", f.key}} {
		if err := regular(file[0], file[1]); err != nil {
			return nil, err
		}
	}
	if text, err := os.ReadFile(f.cacert); err == nil && !x509.NewCertPool().AppendCertsFromPEM(text) {
		return nil, bad("TLS to %s: %s has no certificate in PEM form (see --cacert)", strings.Join(endpoints, ", "), f.cacert)
	}
	c, err := transport.TLSInfo{CertFile: f.cert, KeyFile: f.key, TrustedCAFile: f.cacert,
		InsecureSkipVerify: f.skipVerify, ServerName: f.serverName}.ClientConfig()
	if err != nil {
		return nil, bad("TLS to %s: %v (see --cacert, --cert and --key)", strings.Join(endpoints, ", "), err)
	}
	watcher.NameExpired(c, f.cert)
	return c, nil
}

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

// dial opens a client for the cluster of the flags, logged in if there is a user.
func (e *env) dial(limits []grpc.DialOption) (*clientv3.Client, error) {
	return e.dialAs(e.creds, limits)
}

func (e *env) dialAs(who credentials, limits []grpc.DialOption) (*clientv3.Client, error) {
	c, err := e.clientConfig(who)
	if err != nil {
		return nil, err
	}
	c.DialOptions = limits
	return open(c)
}

// clientConfig is what the flags say of a connection.
func (e *env) clientConfig(who credentials) (clientv3.Config, error) {
	f := e.flags
	secure, err := f.tls.config(f.endpoints)
	return clientv3.Config{Endpoints: f.endpoints, DialTimeout: f.dialTimeout, TLS: secure,
		DialKeepAliveTime: f.keepaliveTime, DialKeepAliveTimeout: f.keepaliveTimeout,
		Username: who.user, Password: who.password}, err
}

// connect opens the reading connection to the cluster of the flags, and makes sure
// that at least one endpoint answers. That is asked without a user first: what is wrong
// with an endpoint would look like a login that takes too long.
func (e *env) connect(ctx context.Context) (*clientv3.Client, error) {
	if err := e.discoverEndpoints(); err != nil {
		return nil, err
	}
	c, err := e.dialAs(credentials{}, chaos.ReadOnly())
	if err != nil {
		return nil, badInput{err}
	}
	err = probe(ctx, c, e.flags.endpoints, e.flags.dialTimeout, e.flags.commandTimeout)
	switch {
	case errors.Is(err, errWantsUser) && e.flags.user != "":
	case errors.Is(err, errWantsUser):
		c.Close()
		return nil, bad("%s wants a user: name one with --user or ETCDCTL_USER (%s)", e.where(), passwordWays)
	case err != nil:
		c.Close()
		return nil, err
	}
	if err := e.login(ctx); err != nil {
		c.Close()
		return nil, err
	}
	if e.creds == (credentials{}) {
		return c, nil
	}
	c.Close()
	if c, err = e.dial(chaos.ReadOnly()); err != nil {
		return nil, bad("user %q cannot log in at %s: %s; is the password right (%s)?",
			shownUser(e.creds.user), e.where(), lastWord(err), passwordWays)
	}
	return c, nil
}

// reach says what is wrong with the endpoints or the login, before anything rests on them.
func (e *env) reach(ctx context.Context) error {
	c, err := e.connect(ctx)
	if err == nil {
		err = c.Close()
	}
	return err
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
func (e *env) where() string {
	if e.discovers() {
		return "the endpoints of " + e.flags.discovery.domain
	}
	return strings.Join(e.flags.endpoints, ", ")
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
func (e *env) discovers() bool {
	return e.flags.discovery.domain != "" && !e.flags.discovery.done && e.from("discovery-srv").rank >= e.from("endpoints").rank
}

// discoverEndpoints looks up the endpoints in the SRV records of a domain, as etcdctl
// does.
func (e *env) discoverEndpoints() error {
	if !e.discovers() {
		return nil
	}
	d := &e.flags.discovery
	name := e.from("discovery-srv").name
	found, err := lookupSRV("etcd-client", d.domain, d.service)
	if err != nil {
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
		e.flags.tls.serverName = d.domain
	}
	e.flags.endpoints, d.done = endpoints, true
	return nil
}

// errWantsUser is the answer of a server that tells nobody but a user anything.
// Servers before 3.7 tell everybody their status.
var errWantsUser = errors.New("wants a user")

// probe returns nil as soon as one endpoint answers, or errWantsUser. If none does the
// error says what was tried and what failed. A connection may take as long as dialing,
// an answer on it as long as answering.
func probe(ctx context.Context, c *clientv3.Client, endpoints []string, dialing, answering time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make([]error, len(endpoints))
	var wg sync.WaitGroup
	for i, ep := range endpoints {
		wg.Go(func() {
			if failed[i] = ask(ctx, c, ep, dialing, answering); failed[i] == nil || errors.Is(failed[i], errWantsUser) {
				cancel()
			}
		})
	}
	wg.Wait()
	switch {
	case slices.Contains(failed, nil):
		return nil
	case slices.Contains(failed, errWantsUser):
		return errWantsUser
	}
	var words []string
	for i, ep := range endpoints {
		words = append(words, ep+": "+failed[i].Error())
	}
	return bad("no endpoint answers (%s); name one with --endpoints, or try \"locktop demo\", which needs none", strings.Join(words, "; "))
}

// ask says whether an endpoint answers, first plainly over TCP: its errors name
// the cause, where gRPC's name the symptom.
func ask(ctx context.Context, c *clientv3.Client, endpoint string, dialing, answering time.Duration) error {
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
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	if _, err := pb.NewMaintenanceClient(member).Status(ctx, &pb.StatusRequest{}); err != nil {
		if ctx.Err() != nil {
			return errors.New("accepts connections, but is no etcd server that answers in time")
		}
		if errors.Is(rpctypes.Error(err), rpctypes.ErrUserEmpty) {
			return errWantsUser
		}
		return errors.New(status.Convert(err).Message())
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
