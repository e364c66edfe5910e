// Package etcdtest starts servers for tests, all in the same way: on ports of
// 127.0.0.1 that nobody else has, on other ones if somebody was quicker, which the
// test then logs. A server has its ports until the test ends, also while it is stopped.
package etcdtest

import (
	"net/url"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"locktop/demo/process"
)

// patience bounds the wait for a server. It is long because the machine may be busy.
const patience = 60 * time.Second

// OnPorts calls start with n addresses until none of them was taken by somebody else,
// and keeps them until the test ends. See [process.StartOnPorts].
func OnPorts(t testing.TB, n int, start func(addrs []string) error) {
	t.Helper()
	free, err := process.StartOnPorts(n, func(from []string, why error) { t.Log(from, why) }, start)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(free)
}

// Nobody returns an address on which nobody listens while the test runs.
func Nobody(t testing.TB) string {
	t.Helper()
	addrs, free, err := process.KeepPorts(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(free)
	return addrs[0]
}

// Member starts one etcd member in this process and returns it when it serves. The
// changes are made to its configuration. The caller ends it.
func Member(t testing.TB, changes ...func(*embed.Config)) (e *embed.Etcd) {
	t.Helper()
	OnPorts(t, 2, func(addrs []string) (err error) {
		e, err = embed.StartEtcd(config(t.TempDir(), addrs[0], addrs[1], changes))
		return err
	})
	ready(t, e)
	return e
}

// Again starts a member that was ended, on its data and its ports.
func Again(t testing.TB, was *embed.Etcd) *embed.Etcd {
	t.Helper()
	cfg := was.Config()
	e, err := embed.StartEtcd(&cfg)
	if err != nil {
		t.Fatalf("start etcd again: %v", err)
	}
	ready(t, e)
	return e
}

func ready(t testing.TB, e *embed.Etcd) {
	t.Helper()
	select {
	case <-e.Server.ReadyNotify():
	case <-time.After(patience):
		t.Fatalf("etcd is not ready after %v", patience)
	}
}

// config is that of a quick and quiet member.
func config(dir, client, peer string, changes []func(*embed.Config)) *embed.Config {
	clients, peers := []url.URL{{Scheme: "http", Host: client}}, []url.URL{{Scheme: "http", Host: peer}}
	cfg := embed.NewConfig()
	cfg.Dir = dir
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = clients, clients
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = peers, peers
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.TickMs, cfg.ElectionMs = 10, 100
	cfg.UnsafeNoFsync = true
	cfg.BcryptCost = 4 // the least: logins are slow under the race detector
	cfg.LogLevel, cfg.LogOutputs = "panic", []string{"/dev/null"}
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	for _, change := range changes {
		change(cfg)
	}
	return cfg
}
