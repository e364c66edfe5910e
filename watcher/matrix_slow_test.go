//go:build slow

package watcher

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
)

// security is a way of access to a cluster.
type security struct {
	name string
	// tls, cert and login are what a client needs.
	tls, cert, login bool
	// least lets the user read one prefix of the two that are watched.
	least bool
}

var securities = []security{
	{name: "plain"},
	{name: "TLS", tls: true},
	{name: "TLS and client certificate", tls: true, cert: true},
	{name: "password", login: true},
	{name: "password over TLS", tls: true, login: true},
	{name: "least rights", login: true, least: true},
	{name: "least rights by certificate", tls: true, cert: true, least: true},
}

// TestMatrix follows a queue on every release, by every way of access, through a
// connection that can only read.
func TestMatrix(t *testing.T) {
	for _, minor := range releases {
		for _, sec := range securities {
			t.Run(minor+" "+sec.name, func(t *testing.T) {
				t.Parallel()
				newStand(t, minor, sec).follow()
			})
		}
	}
}

// stand is a server with one way of access.
type stand struct {
	t      *testing.T
	minor  string
	sec    security
	server *process
	addr   string
	ca     *authority
	writer *clientv3.Client
	wire   *cable
}

func newStand(t *testing.T, minor string, sec security) *stand {
	s := &stand{t: t, minor: minor, sec: sec}
	scheme, flags := "http", []string(nil)
	if sec.tls {
		s.ca = newAuthority(t)
		for _, name := range []string{"server", "eve", "root"} {
			s.ca.issue(name, time.Hour)
		}
		scheme, flags = "https", []string{"--cert-file", s.ca.file("server.pem"), "--key-file", s.ca.file("server.key")}
	}
	if sec.cert {
		flags = append(flags, "--client-cert-auth", "--trusted-ca-file", s.ca.file("ca.pem"))
	}
	s.server, s.addr = newProcess(t, minor, scheme, flags...)
	s.wire = newCable(t, s.addr)
	s.writer = s.server.connect(s.config("root", s.addr, false))
	if sec.login || sec.least {
		prefix := ""
		if sec.least {
			prefix = "/mine/"
		}
		authOn(t, s.writer, prefix)
		s.writer = s.server.connect(s.config("root", s.addr, true))
	}
	return s
}

// config is that of a client; before auth is on it must not log in.
func (s *stand) config(user, addr string, login bool) clientv3.Config {
	cfg := clientv3.Config{Endpoints: []string{addr}}
	if s.sec.tls {
		cert := ""
		if s.sec.cert {
			cert = user
		}
		cfg.TLS = s.ca.client(cert)
		cfg.Endpoints = []string{(&url.URL{Scheme: "https", Host: addr}).String()}
	}
	if s.sec.login && login {
		cfg.Username, cfg.Password = user, "pw of "+user
	}
	return cfg
}

// authOn makes root and eve, who may read one prefix, and turns auth on.
func authOn(t testing.TB, c *clientv3.Client, prefix string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	for _, step := range []func() error{
		func() error { return second(c.UserAdd(ctx, "root", "pw of root")) },
		func() error { return second(c.RoleAdd(ctx, "root")) },
		func() error { return second(c.UserGrantRole(ctx, "root", "root")) },
		func() error { return second(c.UserAdd(ctx, "eve", "pw of eve")) },
		func() error { return second(c.RoleAdd(ctx, "reader")) },
		func() error { return letRead(ctx, c, prefix) },
		func() error { return second(c.UserGrantRole(ctx, "eve", "reader")) },
		func() error { return second(c.AuthEnable(ctx)) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
}

func letRead(ctx context.Context, c *clientv3.Client, prefix string) error {
	return second(c.RoleGrantPermission(ctx, "reader", string(firstKey(prefix)), string(rangeEnd(prefix)),
		clientv3.PermissionType(clientv3.PermRead)))
}

// follow is the life of a queue before and after a cut of the connection.
func (s *stand) follow() {
	t, count := s.t, &tally{}
	cfg := s.config("eve", s.wire.addr(), true)
	cfg.DialOptions = append(chaos.ReadOnly(), count.options()...)
	holder, waiter := grant(t, s.writer), grant(t, s.writer)
	queue := func(lease clientv3.LeaseID) string { return fmt.Sprintf("/mine/lock/%x", int64(lease)) }
	put(t, s.writer, queue(holder), "", clientv3.WithLease(holder))
	put(t, s.writer, queue(waiter), "", clientv3.WithLease(waiter))
	put(t, s.writer, "/theirs/lock/1", "")

	f := s.start(cfg)
	f.until("the holder", func(st *store.Store) bool {
		l := st.Lease(model.LeaseID(holder))
		return holds(st, queue(holder)) && l != nil && l.Granted() == 60 && f.proven("/mine/") && (s.sec.least || f.proven("/theirs/"))
	})
	if _, err := s.writer.Revoke(context.Background(), holder); err != nil {
		t.Fatal(err)
	}
	f.until("the waiter in its place", func(st *store.Store) bool { return holds(st, queue(waiter)) })
	s.checkCost(count.copy())

	s.wire.set(true)
	f.until("a loss", func(st *store.Store) bool { return !live(st, "/mine/") && holds(st, queue(waiter)) })
	if _, err := s.writer.Delete(context.Background(), queue(waiter)); err != nil {
		t.Fatal(err)
	}
	s.wire.set(false)
	f.until("the end of the queue", func(st *store.Store) bool { return live(st, "/mine/") && !holds(st, queue(waiter)) })
	f.close()
	s.checkEvents(f)
}

// start follows both prefixes until the test ends.
func (s *stand) start(cfg clientv3.Config) *seen {
	return see(s.t, s.server.connect(cfg), Options{Prefixes: []string{"/mine/", "/theirs/"}, Timing: quick})
}

// checkCost wants one stream for each prefix, and a list without one where the
// server cannot stream it.
func (s *stand) checkCost(calls map[string]int) {
	s.t.Helper()
	want := 2
	if s.sec.least {
		want = 1 // what may not be listed is not watched
	}
	if calls["Watch"] != want {
		s.t.Errorf("%d watch streams for %d prefixes: %v", calls["Watch"], want, calls)
	}
	if calls["RangeStream"] == 0 {
		s.t.Errorf("no streamed list was tried: %v", calls)
	}
}

// checkEvents looks at what was refused and at what a return has cost.
func (s *stand) checkEvents(f *seen) {
	s.t.Helper()
	loaded, denied := 0, []model.Lost(nil)
	for _, ev := range f.events {
		switch e := ev.(type) {
		case model.Loaded:
			loaded++
		case model.Lost:
			if e.Reason == model.LostDenied {
				denied = append(denied, e)
			}
		case model.LeaseUnread:
			if strings.Contains(text.English(e.Reason), "permission") || strings.Contains(text.English(e.Reason), "logged in") {
				s.t.Errorf("a lease was not read: %s", text.English(e.Reason))
			}
		}
	}
	if !s.sec.least {
		if loaded != 2 || len(denied) > 0 {
			s.t.Errorf("%d lists of 2 prefixes, %v", loaded, denied)
		}
		return
	}
	grantLine := "etcdctl role grant-permission ROLE --prefix=true read '/theirs/'"
	if loaded != 1 || len(denied) == 0 {
		s.t.Errorf("%d lists, refused %v", loaded, denied)
	}
	for i, e := range denied {
		if e.Prefix != "/theirs/" || !strings.Contains(text.English(e.Detail), grantLine) {
			s.t.Errorf("refused %s: %s", e.Prefix, text.English(e.Detail))
		}
		if i > 0 && !f.otherLossBefore(e) {
			s.t.Errorf("told again: %s", text.English(e.Detail))
		}
	}
}
