//go:build slow

package watcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"locktop/demo/etcdtest"
)

// releases are the servers that the tests run as processes. 3.4 is that of the
// system, the others are built from the modules below testdata/servers.
var releases = []string{"3.4", "3.5", "3.6", "3.7"}

// TestServersAreThere builds what is not there yet, so that no other test has to
// wait for a compiler.
func TestServersAreThere(t *testing.T) {
	for _, minor := range releases {
		t.Run(minor, func(t *testing.T) {
			began := time.Now()
			path := releaseProgram(t, minor)
			version := serverVersion(t, minor)
			if !strings.HasPrefix(version, minor+".") {
				t.Errorf("%s is etcd %q", path, version)
			}
			t.Logf("etcd %s after %.1fs", version, time.Since(began).Seconds())
		})
	}
}

// serverVersion is what the etcd of a release says of itself.
func serverVersion(t testing.TB, minor string) string {
	t.Helper()
	first, _, _ := strings.Cut(string(must[[]byte](t)(exec.Command(releaseProgram(t, minor), "--version").Output())), "\n")
	return strings.TrimPrefix(first, "etcd Version: ")
}

// A client has to get in again by itself, although a server of 3.4 refuses a login that
// brings a token that it does not know.
func TestUsersGetInAgainWhenAServerForgotTheirTokens(t *testing.T) {
	for _, minor := range releases {
		t.Run(minor, func(t *testing.T) {
			t.Parallel()
			p, addr := newProcess(t, minor, "http")
			authOn(t, p.connect(clientv3.Config{Endpoints: []string{addr}}), "")
			root := p.connect(clientv3.Config{Endpoints: []string{addr}, Username: "root", Password: "pw of root"})
			eve := p.connect(clientv3.Config{Endpoints: []string{addr}, Username: "eve", Password: "pw of eve"})
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			defer cancel()
			if _, err := root.UserChangePassword(ctx, "eve", "pw of eve"); err != nil {
				t.Fatal(err)
			}
			if _, err := eve.Get(ctx, "/any"); err != nil {
				t.Error(err)
			}
		})
	}
}

// releaseProgram returns the path of the etcd of a release.
func releaseProgram(t testing.TB, minor string) string {
	t.Helper()
	if minor == "3.4" {
		path := program(t, "etcd")
		out, err := exec.Command(path, "--version").Output()
		if err != nil || !strings.Contains(string(out), "etcd Version: 3.4.") {
			missing(t, fmt.Sprintf("%s is no etcd 3.4: %s", path, out))
		}
		return path
	}
	path, err := buildRelease(minor)
	if err != nil {
		missing(t, fmt.Sprintf("etcd %s cannot be built: %v", minor, err))
	}
	return path
}

var requiredServer = regexp.MustCompile(`go\.etcd\.io/etcd/server/v3 v(\S+)`)

// buildRelease builds the server that a nested module requires ("go install
// …@version" refuses it because of its replace lines). The program is kept in the
// user's cache under its full version; a lock on the directory keeps others from
// building it meanwhile.
func buildRelease(minor string) (string, error) {
	dir := filepath.Join("testdata", "servers", "v"+minor)
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", err
	}
	version := requiredServer.FindSubmatch(mod)
	cache, err := os.UserCacheDir()
	if err != nil || version == nil {
		return "", cmp.Or(err, fmt.Errorf("%s requires no server", dir))
	}
	cache = filepath.Join(cache, "locktop-test")
	unlock, err := lockDir(cache)
	if err != nil {
		return "", err
	}
	defer unlock()
	path := filepath.Join(cache, "etcd-"+string(version[1]))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "-o", path+".new", "go.etcd.io/etcd/server/v3")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, os.Rename(path+".new", path)
}

// lockDir makes a directory and holds a lock on it.
func lockDir(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // closing unlocks
}

// process is an etcd in a process of its own.
type process struct {
	t testing.TB
	*etcdtest.Process
}

// quickFlags are those of a quick and quiet member.
var quickFlags = []string{"--heartbeat-interval", "50", "--election-timeout", "500", "--log-level", "error", "--bcrypt-cost", "4"}

// newProcess starts an etcd of one member and returns it with the address of its
// clients, which may have to speak TLS.
func newProcess(t testing.TB, minor, scheme string, flags ...string) (*process, string) {
	t.Helper()
	p, client := etcdtest.Run(t, releaseProgram(t, minor), scheme, slices.Concat(quickFlags, flags)...)
	return &process{t: t, Process: p}, client
}

// connect makes a client once the server answers.
func (p *process) connect(cfg clientv3.Config) *clientv3.Client {
	p.t.Helper()
	cfg.Logger, cfg.DialTimeout = zap.NewNop(), deadline
	if cfg.Context == nil {
		cfg.Context = context.Background()
	}
	c, err := NewClient(cfg)
	if err != nil {
		p.t.Fatalf("%v; the server: %s", err, p.Said())
	}
	p.t.Cleanup(func() { _ = c.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	for {
		_, err := c.Status(ctx, cfg.Endpoints[0])
		if err == nil {
			return c
		}
		select {
		case <-p.Done():
			p.t.Fatalf("it ended: %s", p.Said())
		case <-ctx.Done():
			p.t.Fatalf("%v; the server: %s", err, p.Said())
		case <-time.After(20 * time.Millisecond):
			c.ActiveConnection().ResetConnectBackoff()
		}
	}
}
