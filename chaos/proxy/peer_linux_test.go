package proxy

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sys/unix"

	"locktop/chaos/chaostest"
)

// nobody is a user who is not the one that runs the tests.
const nobody = 65534

// throughAs is set for a process that writes a key as another user, through this
// endpoint.
const throughAs = "LOCKTOP_TEST_WRITE_THROUGH"

// TestWriteAsAnotherUser is no test by itself: it is what the other user runs.
func TestWriteAsAnotherUser(t *testing.T) {
	endpoint := os.Getenv(throughAs)
	if endpoint == "" {
		t.Skip("run by TestAnotherUserOfTheMachineIsRefused, in a process of that user")
	}
	if os.Geteuid() != nobody {
		t.Fatalf("runs as uid %d", os.Geteuid())
	}
	c, err := net.Dial("tcp", endpoint)
	chaostest.Must(t, err)
	defer c.Close()
	_, _ = io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
	if n, err := c.Read(make([]byte, 1)); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it was answered: %d bytes, %v", n, err)
	}
	etcd, err := chaostest.Connect(clientv3.Config{Endpoints: []string{endpoint}})
	chaostest.Must(t, err)
	defer etcd.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // it would try for ever
	defer cancel()
	if _, err := etcd.Put(ctx, "/k", "of nobody"); err == nil {
		t.Error("it wrote a key")
	}
}

// asNobody runs a test of this package in a process of the user nobody.
func asNobody(t *testing.T, name string, env ...string) ([]byte, error) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	// The test's own binary is in a folder that others may not enter.
	dir, err := os.MkdirTemp("/tmp", "locktop-nobody")
	chaostest.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	chaostest.Must(t, os.Chmod(dir, 0o755))
	self, err := os.Executable()
	chaostest.Must(t, err)
	program, err := os.ReadFile(self)
	chaostest.Must(t, err)
	copied := filepath.Join(dir, "chaos.test")
	chaostest.Must(t, os.WriteFile(copied, program, 0o755))
	cmd := exec.CommandContext(chaostest.Within(t), copied, "-test.run", "^"+name+"$", "-test.timeout", "60s")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd.CombinedOutput()
}

func TestAnotherUserOfOurOwnLabIsNotRefused(t *testing.T) {
	t.Parallel()
	p := startProxy(t, Options{Backends: []string{chaostest.StartMember(t)}})
	out, err := asNobody(t, "TestWriteAsAnotherUser", throughAs+"="+p.Shared()[0])
	if err == nil || !strings.Contains(string(out), "it was answered") || !strings.Contains(string(out), "it wrote a key") {
		t.Errorf("%v: the members of the lab are open to all of the machine, so the proxy is too:\n%s", err, out)
	}
}

// local is a connection over loopback, and the end of it that was accepted.
func local(t *testing.T, dial func(addr *net.TCPAddr) (io.Closer, error)) (client io.Closer, accepted *net.TCPConn) {
	t.Helper()
	l, err := listenLocal(0)
	chaostest.Must(t, err)
	defer l.Close()
	client, err = dial(l.Addr().(*net.TCPAddr))
	chaostest.Must(t, err)
	t.Cleanup(func() { _ = client.Close() })
	c, err := l.Accept()
	chaostest.Must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return client, c.(*net.TCPConn)
}

func plain(addr *net.TCPAddr) (io.Closer, error) { return net.DialTCP("tcp", nil, addr) }

// fdConn closes a socket.
type fdConn int

func (fd fdConn) Close() error { return unix.Close(int(fd)) }

// mapped connects a socket of IPv6 to an address of IPv4.
func mapped(addr *net.TCPAddr) (io.Closer, error) {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return fdConn(fd), unix.Connect(fd, &unix.SockaddrInet6{Port: addr.Port, Addr: [16]byte(addr.IP.To16())})
}

// multipath connects with MPTCP.
func multipath(addr *net.TCPAddr) (io.Closer, error) {
	var d net.Dialer
	d.SetMultipathTCP(true)
	return d.Dial("tcp", addr.String())
}

func TestTheUserOfAConnection(t *testing.T) {
	rows := []struct {
		reason string
		dial   func(*net.TCPAddr) (io.Closer, error)
		then   func(t *testing.T, client io.Closer)
		gone   bool
	}{
		{reason: "an ordinary one", dial: plain},
		{reason: "a socket of IPv6 that speaks IPv4", dial: mapped},
		{reason: "MPTCP, which ends up as TCP", dial: multipath},
		{reason: "closed: the system says root of what is left", dial: plain,
			then: func(t *testing.T, c io.Closer) { chaostest.Must(t, c.Close()) }, gone: true},
		{reason: "half closed: gRPC does not do that", dial: plain,
			then: func(t *testing.T, c io.Closer) { chaostest.Must(t, c.(*net.TCPConn).CloseWrite()) }, gone: true},
		{reason: "reset, with its bytes still here", dial: plain, then: func(t *testing.T, c io.Closer) {
			_, err := c.(net.Conn).Write([]byte("PRI"))
			chaostest.Must(t, err)
			chaostest.Must(t, c.(*net.TCPConn).SetLinger(0))
			chaostest.Must(t, c.Close())
		}, gone: true},
	}
	for _, r := range rows {
		t.Run(r.reason, func(t *testing.T) {
			client, c := local(t, r.dial)
			if r.then != nil {
				r.then(t, client)
			}
			uid, err := peerUser(c)
			if r.gone != (err != nil) || !r.gone && uid != os.Geteuid() {
				t.Errorf("uid %d, %v", uid, err)
			}
		})
	}
}

// TestAPortThatIsAnothersByNow: the bytes of one who has gone wait here, and somebody
// else connects from the same port.
func TestAPortThatIsAnothersByNow(t *testing.T) {
	l, err := listenLocal(0)
	chaostest.Must(t, err)
	defer l.Close()
	to := l.Addr().(*net.TCPAddr)
	var c net.Conn // of the first
	var again *net.TCPConn
	for range 50 {
		gone, err := net.DialTCP("tcp", nil, to)
		chaostest.Must(t, err)
		c, err = l.Accept()
		chaostest.Must(t, err)
		defer c.Close()
		_, err = gone.Write([]byte("PRI"))
		chaostest.Must(t, err)
		chaostest.Must(t, gone.SetLinger(0))
		chaostest.Must(t, gone.Close())
		again, err = net.DialTCP("tcp", gone.LocalAddr().(*net.TCPAddr), to)
		if errors.Is(err, unix.EADDRINUSE) { // some other program was quicker
			continue
		}
		chaostest.Must(t, err)
		break
	}
	if again == nil {
		t.Fatal("every port was taken by another program as soon as it was free")
	}
	defer again.Close()
	second, err := l.Accept()
	chaostest.Must(t, err)
	defer second.Close()
	if uid, err := peerUser(c); err == nil {
		t.Errorf("the first is said to be of uid %d, whose bytes are not the second's", uid)
	}
	if uid, err := peerUser(second); err != nil || uid != os.Geteuid() {
		t.Errorf("the second: uid %d, %v", uid, err)
	}
}

// TestTheSocketCounts makes sockets as another user, on a thread of its own.
func TestTheSocketCounts(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make sockets of another user")
	}
	others := func(addr *net.TCPAddr) (io.Closer, error) {
		type made struct {
			c   io.Closer
			err error
		}
		done := make(chan made)
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with its user
			if err := unix.Setfsuid(nobody); err != nil {
				done <- made{nil, err}
				return
			}
			c, err := mapped(addr)
			done <- made{c, err}
		}()
		m := <-done
		return m.c, m.err
	}
	_, c := local(t, others)
	if uid, err := peerUser(c); err != nil || uid != nobody {
		t.Errorf("uid %d, %v: want %d, who made the socket, whoever has it now", uid, err, nobody)
	}
	p, err := checkPeers(nil, func(string) {})
	chaostest.Must(t, err)
	if err := p.admit(c); err == nil {
		t.Error("it is admitted")
	}
}

func TestAnswersAboutSockets(t *testing.T) {
	peer, ours := netip.MustParseAddrPort("127.0.0.1:40000"), netip.MustParseAddrPort("127.0.0.1:2379")
	answer := func(change func(m []byte)) []byte {
		b := make([]byte, unix.SizeofNlMsghdr+diagMsgSize)
		binary.NativeEndian.PutUint16(b[4:], sockDiagByFamily)
		m := b[unix.SizeofNlMsghdr:]
		m[0], m[1] = unix.AF_INET, tcpEstablished
		copy(m[4:], diagID(peer, ours))
		binary.NativeEndian.PutUint32(m[64:], 1000)
		binary.NativeEndian.PutUint32(m[68:], 7)
		change(m)
		return b
	}
	rows := []struct {
		reason string
		answer []byte
		good   bool
	}{
		{"the socket that was asked for", answer(func([]byte) {}), true},
		{"a socket that listens at the port of one that has gone", answer(func(m []byte) { m[1] = 10; clear(m[24:40]) }), false},
		{"what is left of a closed one has no inode, and root's number", answer(func(m []byte) { clear(m[64:72]) }), false},
		{"a closed one that waits", answer(func(m []byte) { m[1] = 6 }), false},
		{"another port", answer(func(m []byte) { m[5]++ }), false},
		{"another address", answer(func(m []byte) { m[8+3]++ }), false},
		{"our own end of it", answer(func(m []byte) { copy(m[4:], diagID(ours, peer)) }), false},
		{"cut short", answer(func([]byte) {})[:60], false},
		{"nothing", nil, false},
	}
	for _, r := range rows {
		uid, err := diagAnswer(r.answer, peer, ours)
		if r.good != (err == nil) || r.good && uid != 1000 {
			t.Errorf("%s: uid %d, %v", r.reason, uid, err)
		}
	}
}

// TestACertificateIsNotLentToEverybody is a system that does not tell users: there a
// proxy starts only if it lends nothing.
func TestACertificateIsNotLentToEverybody(t *testing.T) {
	untold := func(net.Conn) (int, error) { return 0, errUntold }
	plain, secret := &tls.Config{}, &tls.Config{Certificates: make([]tls.Certificate, 1)}
	dynamic := &tls.Config{GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return nil, nil }}
	for _, r := range []struct {
		config *tls.Config
		starts bool
		reason string
	}{
		{nil, true, "plain text"}, {plain, true, "TLS without a certificate of ours"},
		{secret, false, "a certificate"}, {dynamic, false, "a certificate that is read when it is needed"},
	} {
		p, err := checkPeersBy(untold, r.config, nil)
		if (err == nil) != r.starts || err != nil && !errors.Is(err, errUntold) || err == nil && p.checked {
			t.Errorf("%s: %v", r.reason, err)
		}
	}
}
