package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"locktop/chaos"
	"locktop/demo/ports"
)

// What the processes are told in their environment.
const (
	roleEnv    = "LOCKTOP_BENCH_ROLE"
	backendEnv = "LOCKTOP_BENCH_BACKEND" // host:port of the member
	profileEnv = "LOCKTOP_BENCH_PROFILE" // file of the profile
)

// The arms. Those that are proxies are roles of a process too.
const (
	directArm  = "direct"
	locktopArm = "locktop"
	toxiArm    = "toxiproxy"
	copyArm    = "copy"
	memberRole = "member"
)

var allArms = []string{directArm, locktopArm, toxiArm, copyArm}

// patience bounds the start and the end of a process.
const patience = 30 * time.Second

// child is a process that serves at an address until its standard input ends, which
// it does when this process ends in whatever way.
type child struct {
	address string
	cmd     *exec.Cmd
	stdin   io.Closer
}

// start runs this program in that role and waits until it serves.
func start(ctx context.Context, role, backend, profile string) (*child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(exe)}
	c.cmd.Env = append(os.Environ(), roleEnv+"="+role, backendEnv+"="+backend, profileEnv+"="+profile)
	c.cmd.Stderr = os.Stderr
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.stdin = stdin
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the process of %s: %w", role, err)
	}
	if c.address, err = firstLine(ctx, stdout); err != nil {
		return nil, fmt.Errorf("start the process of %s: %w", role, errors.Join(err, c.end()))
	}
	return c, nil
}

// firstLine reads a line, if it comes in time.
func firstLine(ctx context.Context, r io.ReadCloser) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = r.Close() })()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		return "", errors.Join(fmt.Errorf("it does not say where it serves: %w", err), ctx.Err())
	}
	return strings.TrimSpace(line), nil
}

// end ends the process: by its standard input, and if that takes long, by a kill.
func (c *child) end() error {
	kill := time.AfterFunc(patience, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	_ = c.stdin.Close()
	return c.cmd.Wait()
}

// serve is what a process does that was started in a role.
func serve(role string) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM) // the process that started it says when
	serving := map[string]func(backend string) (string, func(), error){
		memberRole: serveMember, locktopArm: serveLocktop, toxiArm: serveToxiproxy, copyArm: serveCopy,
	}[role]
	if serving == nil {
		return errors.New("there is no such role")
	}
	address, stop, err := serving(os.Getenv(backendEnv))
	if err != nil {
		return err
	}
	defer stop()
	fmt.Println(address)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// serveMember runs one etcd member that does not wait for its disk.
func serveMember(string) (address string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "locktop-bench-")
	if err != nil {
		return "", nil, err
	}
	var e *embed.Etcd
	_, err = ports.Start(2, func(string) {}, func(addrs []string) (err error) { // kept as long as the process
		client, peer := url.URL{Scheme: "http", Host: addrs[0]}, url.URL{Scheme: "http", Host: addrs[1]}
		address = client.Host
		cfg := embed.NewConfig()
		cfg.Dir = dir
		cfg.UnsafeNoFsync = true
		cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
		cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
		cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
		cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
		e, err = embed.StartEtcd(cfg)
		return err
	})
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	<-e.Server.ReadyNotify() // start gives up if this takes long
	return address, func() {
		e.Server.HardStop() // without it, Close waits for clients that are gone
		e.Close()
		_ = os.RemoveAll(dir)
	}, nil
}

// serveLocktop runs the proxy of package chaos, and profiles it if that is wanted.
func serveLocktop(backend string) (address string, stop func(), err error) {
	p, err := chaos.NewProxy(chaos.ProxyOptions{Backends: []string{backend}})
	if err != nil {
		return "", nil, err
	}
	at, err := p.Listen("bench")
	if err != nil {
		return "", nil, errors.Join(err, p.Close())
	}
	path := os.Getenv(profileEnv)
	if path == "" {
		return at[0], func() { _ = p.Close() }, nil
	}
	f, err := os.Create(path)
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		return "", nil, errors.Join(err, p.Close())
	}
	return at[0], func() {
		pprof.StopCPUProfile()
		if err := f.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "bench: write the profile:", err)
		}
		_ = p.Close()
	}, nil
}

// serveToxiproxy runs toxiproxy without toxics.
func serveToxiproxy(backend string) (address string, stop func(), err error) {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := toxiproxy.NewProxy(server, "bench", "127.0.0.1:0", backend)
	if err := p.Start(); err != nil {
		return "", nil, err
	}
	return p.Listen, p.Stop, nil
}

// serveCopy runs what any proxy costs at least: bytes are read and written, no more.
func serveCopy(backend string) (address string, stop func(), err error) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	go func() {
		for {
			client, err := lis.Accept()
			if err != nil {
				return
			}
			member, err := net.Dial("tcp", backend)
			if err != nil {
				_ = client.Close()
				continue
			}
			go carry(client, member)
			go carry(member, client)
		}
	}()
	return lis.Addr().String(), func() { _ = lis.Close() }, nil
}

// carry copies until one of them ends, and then ends both. It hides what they are:
// the kernel's own copying takes a pipe and more calls for as few bytes.
func carry(to, from net.Conn) {
	_, _ = io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from})
	_ = to.Close()
	_ = from.Close()
}
