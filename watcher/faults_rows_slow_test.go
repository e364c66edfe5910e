//go:build slow

package watcher

import (
	"context"
	"crypto/tls"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
)

// faultGroups share a cluster.
var faultGroups = []struct {
	name   string
	arena  func(*testing.T) *arena
	faults []fault
}{
	{"three members", trioArena, trioFaults},
	{"a connection", wireArena, wireFaults},
	{"a certificate", certArena, certFaults},
	{"a certificate of ours", ourCertArena, ourCertFaults},
	{"a password", loginArena, loginFaults},
	{"a token with an end", tokenArena, tokenFaults},
	{"auth on and off", openArena, openFaults},
}

func trioArena(t *testing.T) *arena {
	c := newTrio(t, *faultServer)
	return &arena{t: t, trio: c, root: c.root}
}

// onlyM1 connects to the first member alone.
func onlyM1(a *arena) clientv3.Config { return clientv3.Config{Endpoints: a.trio.addrs[:1]} }

func (a *arena) each(f func(i int, p *process), members ...int) {
	for _, i := range members {
		f(i, a.trio.nodes[i])
	}
}

func stopNode(_ int, p *process)  { p.Stop() }
func startNode(_ int, p *process) { p.start() }

var trioFaults = []fault{
	{name: "a member is killed", writable: true, maybe: true, lost: model.LostDisconnect, says: "trying again",
		inject: func(a *arena) { a.each(stopNode, 0) }, heal: func(a *arena) { a.each(startNode, 0) },
		note: "the client switches to another member by itself"},
	{name: "the only member that was named is killed", client: onlyM1, writable: true, lost: model.LostDisconnect, says: "no connection to",
		inject: func(a *arena) { a.each(stopNode, 0) }, heal: func(a *arena) { a.each(startNode, 0) }},
	{name: "the leader moves", writable: true, maybe: true, lost: model.LostDisconnect, says: "trying again",
		inject: func(a *arena) { a.moveLeader() }},
	{name: "no quorum: two of three are killed", client: onlyM1, lost: model.LostDisconnect, says: "quorum",
		inject: func(a *arena) { a.each(stopNode, 1, 2) }, heal: func(a *arena) { a.each(startNode, 1, 2); a.take(a.t) }},
	{name: "all members are gone", lost: model.LostDisconnect, says: "no connection to",
		inject: func(a *arena) { a.each(stopNode, 0, 1, 2) }, heal: func(a *arena) { a.each(startNode, 0, 1, 2); a.take(a.t) }},
	{name: "all members are gone for minutes", least: 3 * time.Minute, lost: model.LostDisconnect, says: "no connection to",
		inject: func(a *arena) { a.each(stopNode, 0, 1, 2) }, heal: func(a *arena) { a.each(startNode, 0, 1, 2); a.take(a.t) },
		note: "the pauses between attempts stay short"},
	{name: "the only member that was named is cut off", client: onlyM1, writable: true, lost: model.LostDisconnect, says: "quorum",
		inject: func(a *arena) { a.trio.isolate(0, true) }, heal: func(a *arena) { a.trio.isolate(0, false) },
		note: "it still accepts connections, but its watch is silent"},
	{name: "a member is cut off", writable: true, maybe: true, lost: model.LostDisconnect, says: "trying again",
		inject: func(a *arena) { a.trio.isolate(0, true) }, heal: func(a *arena) { a.trio.isolate(0, false) },
		note: "the reads alternate between all members"},
	{name: "the only member that was named stops without a word", client: onlyM1, writable: true, lost: model.LostDisconnect, says: "no answer in time",
		inject: func(a *arena) { a.trio.nodes[0].signal(syscall.SIGSTOP) }, heal: func(a *arena) { a.trio.nodes[0].signal(syscall.SIGCONT) },
		note: "it lags behind when it comes back"},
	{name: "the only member that was named lags", client: onlySlow, writable: true, lost: model.LostDisconnect, says: "lags",
		inject: func(a *arena) { a.trio.lag(a.slow, true); a.take(a.t) }, heal: func(a *arena) { a.trio.lag(a.slow, false) },
		note: "it answers and knows its leader, but the log does not reach it: its data are old, and every linearizable read waits"},
	{name: "a member lags", client: allButOneSlow, writable: true, maybe: true, lost: model.LostSilent, says: "does not follow the cluster",
		inject: func(a *arena) { a.trio.lag(a.slow, true); a.take(a.t) }, heal: func(a *arena) { a.trio.lag(a.slow, false) },
		shows: behind, note: "the status shows its old revision; the watch moves to another member"},
	{name: "an alarm is raised", inject: func(a *arena) { a.alarm(pb.AlarmRequest_ACTIVATE) },
		heal:  func(a *arena) { a.alarm(pb.AlarmRequest_DEACTIVATE); a.take(a.t) },
		shows: func(_ *arena, st *store.Store) bool { return slices.Contains(st.Cluster().Alarms, "NOSPACE on m1") },
		note:  "reading continues; the status shows NOSPACE"},
}

// onlySlow connects to a follower alone, which is the one to lag.
func onlySlow(a *arena) clientv3.Config {
	a.slow = (a.trio.leader() + 1) % 3
	return clientv3.Config{Endpoints: a.trio.addrs[a.slow : a.slow+1]}
}

func allButOneSlow(a *arena) clientv3.Config {
	onlySlow(a)
	return clientv3.Config{Endpoints: a.trio.addrs[:]}
}

// behind says that the status shows a member at an older revision than the others.
func behind(a *arena, st *store.Store) bool {
	var slow, newest int64
	for _, m := range st.Cluster().Members {
		newest = max(newest, m.Rev)
		if m.ID == a.trio.ids[a.slow] {
			slow = m.Rev
		}
	}
	return slow > 0 && slow < newest
}

func (a *arena) moveLeader() {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	at := a.trio.leader()
	c := dial(a.t, a.trio.addrs[at])
	if _, err := c.MoveLeader(ctx, a.trio.ids[(at+1)%3]); err != nil {
		a.t.Fatal(err)
	}
}

func (a *arena) alarm(action pb.AlarmRequest_AlarmAction) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if _, err := pb.NewMaintenanceClient(a.root.ActiveConnection()).Alarm(ctx,
		&pb.AlarmRequest{Action: action, MemberID: a.trio.ids[0], Alarm: pb.AlarmType_NOSPACE}); err != nil {
		a.t.Fatal(err)
	}
}

func wireArena(t *testing.T) *arena {
	p, addr := newProcess(t, *faultServer, "http")
	return &arena{t: t, node: p, addr: addr, wire: newCable(t, addr), root: p.connect(clientv3.Config{Endpoints: []string{addr}})}
}

func byWire(a *arena) clientv3.Config { return clientv3.Config{Endpoints: []string{a.wire.addr()}} }

var wireFaults = []fault{
	{name: "a proxy in between cuts", client: byWire, writable: true, lost: model.LostDisconnect, says: "no connection to",
		inject: func(a *arena) { a.wire.set(true) }, heal: func(a *arena) { a.wire.set(false) }},
	{name: "a proxy in between cuts for a moment", client: byWire, maybe: true, lost: model.LostDisconnect, says: "trying again",
		inject: func(a *arena) { a.wire.set(true); a.wire.set(false) }},
	{name: "what was missed is compacted", client: byWire, writable: true, lost: model.LostDisconnect, says: "compacted", lists: 1,
		inject: func(a *arena) { a.wire.set(true) },
		heal: func(a *arena) {
			rev := put(a.t, a.root, "/elsewhere", "")
			must[*clientv3.CompactResponse](a.t)(a.root.Compact(context.Background(), rev))
			a.wire.set(false)
		}, note: "the changes in between are a gap in the journal"},
}

func certArena(t *testing.T) *arena {
	a := &arena{t: t, ca: newAuthority(t)}
	a.ca.issue("server", time.Hour)
	a.node, a.addr = newProcess(t, *faultServer, "https", "--cert-file", a.ca.file("server.pem"), "--key-file", a.ca.file("server.key"))
	a.wire = newCable(t, a.addr)
	a.root = a.node.connect(clientv3.Config{Endpoints: []string{"https://" + a.addr}, TLS: a.ca.client("")})
	return a
}

var certFaults = []fault{
	{name: "the certificate of the server expires", writable: true, lost: model.LostDisconnect, says: "certificate has expired or is not yet valid: current time",
		client: func(a *arena) clientv3.Config {
			return clientv3.Config{Endpoints: []string{"https://" + a.wire.addr()}, TLS: a.ca.client("")}
		},
		inject: func(a *arena) { a.ca.issue("server", -time.Second); a.wire.set(true); a.wire.set(false) },
		heal:   func(a *arena) { a.ca.issue("server", time.Hour) },
		note:   "open connections survive; the next one fails"},
}

func ourCertArena(t *testing.T) *arena {
	a := &arena{t: t, ca: newAuthority(t)}
	for _, name := range []string{"server", "root", "eve"} {
		a.ca.issue(name, time.Hour)
	}
	a.node, a.addr = newProcess(t, *faultServer, "https", "--cert-file", a.ca.file("server.pem"), "--key-file", a.ca.file("server.key"),
		"--client-cert-auth", "--trusted-ca-file", a.ca.file("ca.pem"))
	a.wire = newCable(t, a.addr)
	a.root = a.node.connect(clientv3.Config{Endpoints: []string{"https://" + a.addr}, TLS: a.ca.client("root")})
	return a
}

// byCert connects as the program does: the files are read for each connection.
func byCert(a *arena) clientv3.Config {
	info := transport.TLSInfo{CertFile: a.ca.file("eve.pem"), KeyFile: a.ca.file("eve.key"), TrustedCAFile: a.ca.file("ca.pem")}
	secure := must[*tls.Config](a.t)(info.ClientConfig())
	NameExpired(secure, info.CertFile)
	return clientv3.Config{Endpoints: []string{"https://" + a.wire.addr()}, TLS: secure}
}

var ourCertFaults = []fault{
	{name: "the certificate of the watcher expires", client: byCert, writable: true, lost: model.LostDisconnect, says: "eve.pem (CN=eve) expired on ",
		inject: func(a *arena) { a.ca.issue("eve", -time.Second); a.wire.set(true); a.wire.set(false) },
		heal:   func(a *arena) { a.ca.issue("eve", time.Hour) },
		shows: func(a *arena, st *store.Store) bool {
			return strings.Contains(text.English(feedOf(st, "/q/").Detail), a.ca.ends["eve"].Format("2006-01-02 15:04:05 MST"))
		},
		note: "open connections survive; a new certificate in the same file needs no restart"},
}

func loginArena(t *testing.T) *arena {
	a := wireArena(t)
	a.logins("/q/")
	return a
}

// logins turns auth on and makes root log in.
func (a *arena) logins(prefix string) {
	authOn(a.t, a.root, prefix)
	a.root = a.node.connect(clientv3.Config{Endpoints: []string{a.addr}, Username: "root", Password: "pw of root"})
}

func asEve(a *arena) clientv3.Config {
	return clientv3.Config{Endpoints: []string{a.wire.addr()}, Username: "eve", Password: "pw of eve"}
}

func (a *arena) do(f func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if err := f(ctx); err != nil {
		a.t.Fatal(err)
	}
}

func (a *arena) password(pw string) {
	a.do(func(ctx context.Context) error { return second(a.root.UserChangePassword(ctx, "eve", pw)) })
}

var loginFaults = []fault{
	{name: "the password is changed", client: asEve, writable: true, lost: model.LostDenied, says: "valid user name and password",
		inject: func(a *arena) { a.password("another") }, heal: func(a *arena) { a.password("pw of eve") },
		note: "the watcher tries again after half a minute: only a person can change a refusal"},
	{name: "the same password is set again", client: asEve, inject: func(a *arena) { a.password("pw of eve") },
		note: "etcd forgets the token; the watcher logs in again"},
	{name: "the role loses the prefix", client: asEve, writable: true, lost: model.LostDenied, says: "--prefix=true read '/q/'",
		inject: func(a *arena) {
			a.do(func(ctx context.Context) error {
				return second(a.root.RoleRevokePermission(ctx, "reader", "/q/", string(rangeEnd("/q/"))))
			})
		},
		heal: func(a *arena) { a.do(func(ctx context.Context) error { return letRead(ctx, a.root, "/q/") }) }},
	{name: "the server is started again and forgets its tokens", client: asEve, maybe: true, lost: model.LostDisconnect, says: "trying again",
		inject: func(a *arena) { a.node.Stop(); a.node.start() }},
}

func tokenArena(t *testing.T) *arena {
	secret := t.TempDir() + "/secret"
	if err := os.WriteFile(secret, []byte("of the tests alone"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, addr := newProcess(t, *faultServer, "http", "--auth-token", "jwt,sign-method=HS256,priv-key="+secret+",ttl=1s")
	a := &arena{t: t, node: p, addr: addr, wire: newCable(t, addr), root: p.connect(clientv3.Config{Endpoints: []string{addr}})}
	a.logins("/q/")
	return a
}

var tokenFaults = []fault{
	{name: "the token expires", client: asEve, inject: func(*arena) { <-time.After(3 * time.Second) },
		note: "JWT, 1 s; the watcher logs in again"},
	{name: "a role changes", client: asEve,
		inject: func(a *arena) {
			a.do(func(ctx context.Context) error { return second(a.root.RoleAdd(ctx, "another")) })
		},
		note: "JWT: the change makes every token outdated"},
}

func openArena(t *testing.T) *arena {
	a := wireArena(t)
	a.logins("/q/")
	a.auth(false)
	return a
}

func (a *arena) auth(on bool) {
	a.do(func(ctx context.Context) error {
		if on {
			return second(a.root.AuthEnable(ctx))
		}
		return second(a.root.AuthDisable(ctx))
	})
}

var openFaults = []fault{
	{name: "auth is switched on, the watcher has a user", client: asEve,
		inject: func(a *arena) { a.auth(true) }},
	{name: "auth is switched off", client: asEve,
		inject: func(a *arena) { a.auth(false) }},
	{name: "auth is switched on, the watcher has no user", client: byWire, writable: true, lost: model.LostDenied, says: "valid user name and password",
		inject: func(a *arena) { a.auth(true) }, heal: func(a *arena) { a.auth(false) }},
}
