package etcdtest

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/etcd/server/v3/embed"
)

// thief takes the port of a URL, once.
type thief struct {
	t    *testing.T
	took string
}

func (x *thief) take(addr string) {
	x.t.Helper()
	if x.took != "" {
		return
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() { l.Close() })
	x.took = addr
}

// A member whose port is taken between the choice and the bind starts on another one.
func TestAMemberFindsOtherPorts(t *testing.T) {
	rows := []struct {
		port   func(*embed.Config) string
		reason string
	}{
		{func(c *embed.Config) string { return c.ListenClientUrls[0].Host }, "the port for clients is taken"},
		{func(c *embed.Config) string { return c.ListenPeerUrls[0].Host }, "the port for peers is taken"},
	}
	for _, r := range rows {
		x := &thief{t: t}
		e := Member(t, func(c *embed.Config) { x.take(r.port(c)) })
		at := []string{e.Clients[0].Addr().String(), e.Peers[0].Addr().String()}
		if x.took == "" || slices.Contains(at, x.took) {
			t.Errorf("%s: it serves at %q, stolen was %q", r.reason, at, x.took)
		}
		e.Close()
		e = Again(t, e)
		if again := e.Clients[0].Addr().String(); again != at[0] {
			t.Errorf("%s: started again it serves at %s, before at %s", r.reason, again, at[0])
		}
		e.Close()
	}
}

// What has ended for another reason is not started again and again.
func TestAProcessThatCannotStart(t *testing.T) {
	p := NewProcess("false", "127.0.0.1:1")
	if err := StartAll(p); err == nil || errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a program that fails: %v", err)
	}
}

// Every etcd is started here or where the ports come from package process, so that no
// start can fail because somebody else was quicker.
func TestNobodyElseStartsServers(t *testing.T) {
	homes := []string{"demo/etcdtest/etcdtest.go", "demo/etcdtest/process.go", "demo/cluster/member_ops.go", "demo/cluster/member_main.go",
		"demo/bench/server.go", "watcher/cluster_slow_test.go", "ui/cli/serve_alerts_slow_linux_test.go", "demo/etcdtest/etcdtest_test.go"}
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.Contains(path, "testdata") {
			return err
		}
		seen++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		for _, start := range []string{"embed.StartEtcd(", `"--listen-client-urls"`} {
			if strings.Contains(string(text), start) && !slices.Contains(homes, filepath.ToSlash(name)) {
				t.Errorf("%s starts an etcd (%s): use this package", name, start)
			}
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files, %v", seen, err)
	}
}
