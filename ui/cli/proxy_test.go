package cli

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/demo/etcdtest"
	"locktop/watcher/hostile"
)

// behind runs a command behind the proxy without a terminal.
func behind(t *testing.T, tmp string, flags []string, command ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, locktop(t), append(append([]string{"proxy"}, flags...), append([]string{"--"}, command...)...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "ETCDCTL_API=3")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit code says it
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func TestACommandBehindTheProxy(t *testing.T) {
	b := newCLI(t)
	rows := []struct {
		command []string
		code    int
		out     string // whole
		errs    []string
		reason  string
	}{
		{[]string{"etcdctl", "put", "/a", "b"}, 0, "OK\n", []string{"proxy ready: ETCD_ENDPOINTS=127.0.0.1:"}, "its output is passed on untouched"},
		{[]string{"etcdctl", "get", "/a"}, 0, "/a\nb\n", nil, "and it was the cluster that it wrote to"},
		{[]string{"sh", "-c", "exit 3"}, 3, "", []string{"locktop: sh ended: exit 3"}, "a failure is no success"},
		{[]string{"sh", "-c", "kill -9 $$"}, 137, "", []string{"locktop: sh ended: killed"}, "nor is a violent end"},
		{[]string{"/no/such/program"}, 2, "", []string{"locktop: ", "/no/such/program: no such file or directory"}, "what cannot be started is named"},
		{[]string{"no-such-program"}, 2, "", []string{`"no-such-program": executable file not found`}, "what cannot be found is named"},
	}
	for _, r := range rows {
		t.Run(r.reason, func(t *testing.T) {
			tmp := t.TempDir()
			code, out, errs := behind(t, tmp, []string{"--endpoints", b.endpoint}, r.command...)
			if code != r.code || out != r.out {
				t.Errorf("exit %d, %q; want %d, %q\n%s", code, out, r.code, r.out, errs)
			}
			for _, want := range r.errs {
				if !strings.Contains(errs, want) {
					t.Errorf("no %q in\n%s", want, errs)
				}
			}
			checkNothingLeft(t, tmp)
		})
	}
	if got := b.ctl("get", "/a", "--print-value-only"); got != "b\n" {
		t.Errorf("directly the value is %q", got)
	}
}

func TestACommandGetsListenersOfItsOwn(t *testing.T) {
	b := newCLI(t)
	code, out, errs := behind(t, t.TempDir(), []string{"--endpoints", "http://" + b.endpoint}, "sh", "-c", "echo $ETCD_ENDPOINTS $ETCDCTL_ENDPOINTS")
	words := strings.Fields(out)
	if code != 0 || len(words) != 2 || words[1] != "http://"+words[0] {
		t.Fatalf("exit %d: %q\n%s", code, out, errs)
	}
	_, shared, _ := strings.Cut(errs, "ETCD_ENDPOINTS=")
	if words[0] == b.endpoint || words[0] == strings.TrimSpace(strings.Split(shared, "\n")[0]) {
		t.Errorf("the listener of the command is %s, the cluster %s, the shared listeners: %s", words[0], b.endpoint, errs)
	}
}

// TestWhatHappensIsToldBesideTheCommand reads standard error, where the events are as
// long as the command has the output.
func TestWhatHappensIsToldBesideTheCommand(t *testing.T) {
	b := newCLI(t)
	tmp := t.TempDir()
	cmd := exec.Command("sh", "-c", `exec "$@" 2>&1 >/dev/null`, "sh", locktop(t), "proxy", "--endpoints", b.endpoint, "--",
		"sh", "-c", "while etcdctl lock /jobs/x true; do :; done")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "ETCDCTL_API=3")
	out, _ := lines(t, cmd)
	// The proxy knows who it is. What it tells and what the watch tells come by two ways: on a
	// busy machine the first line may be told before that is known here.
	untilLine(t, out, "sh took /jobs/x")
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 128+15 {
		t.Errorf("exit %d after an interrupt: want that of a command which SIGTERM ended", code)
	}
	checkNothingLeft(t, tmp)
}

// TestEndpointsOfTwoClusters: a program that goes through both would take its lock twice.
func TestEndpointsOfTwoClusters(t *testing.T) {
	one, twin, other := hostile.Start(t, "127.0.0.1:0"), hostile.Start(t, "127.0.0.1:0"), hostile.Start(t, "127.0.0.1:0")
	other.Become(0xbb, 10)
	for _, r := range []struct {
		second, says, reason string
		code                 int
	}{
		{twin.Addr, "", "two members of one cluster", exitOK},
		{other.Addr, one.Addr + " belongs to cluster c1, and " + other.Addr + " to cluster bb: name the endpoints of one cluster", "a copy of the cluster", exitBad},
		{"127.0.0.1:1", "warning: 127.0.0.1:1 did not say which cluster it belongs to", "a member that is down is no reason not to start, and is named", exitOK},
	} {
		endpoints := one.Addr + "," + r.second
		code, out, errs := behind(t, t.TempDir(), []string{"--endpoints", endpoints}, "true")
		if code != r.code || !strings.Contains(errs, r.says) || r.says == "" && strings.Contains(errs, "belongs to") {
			t.Errorf("%s: proxy: exit %d, want %d and %q: %s%s", r.reason, code, r.code, r.says, out, errs)
		}
		if r.code != exitBad {
			continue
		}
		if code, out, errs := ranTo(t, "contend", "--armed", "/l", "--endpoints", endpoints); code != exitBad || !strings.Contains(errs, r.says) {
			t.Errorf("%s: contend: exit %d, want %q: %s%s", r.reason, code, r.says, out, errs)
		}
		if wrote := slices.Concat(one.Wrote(), other.Wrote()); len(wrote) > 0 {
			t.Errorf("it wrote %v", wrote)
		}
	}
}

// TestTheProxyServesOthersUntilItIsEnded is the proxy without a command, on a port of
// its own.
func TestTheProxyServesOthersUntilItIsEnded(t *testing.T) {
	b := newCLI(t)
	tmp := t.TempDir()
	cmd, endpoint, line, out, errs := onPort(t, "proxy ready", func(port string) *exec.Cmd {
		cmd := exec.Command(locktop(t), "proxy", "--endpoints", b.endpoint, "--port", port)
		cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
		return cmd
	})
	if want := "ETCD_ENDPOINTS=" + endpoint; !strings.HasSuffix(line, want) {
		t.Errorf("%q does not end with %s", line, want)
	}
	through := &cliBench{t: t, endpoint: endpoint}
	through.claim("/l", through.lease("60"))
	untilLine(t, out, "took /l")
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}
	checkNothingLeft(t, tmp)
}

// authority signs certificates for 127.0.0.1.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	a.cert = certificate(1, "authority")
	a.cert.IsCA, a.cert.BasicConstraintsValid, a.cert.KeyUsage = true, true, x509.KeyUsageCertSign
	a.sign("ca", a.cert)
	return a
}

func certificate(serial int64, name string) *x509.Certificate {
	return &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
}

// sign writes a certificate and its key, as NAME.pem and NAME-key.pem.
func (a *authority) sign(name string, c *x509.Certificate) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	if a.key == nil {
		a.key = key // the first one is its own
	}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name: {Type: "CERTIFICATE", Bytes: der}, name + "-key": {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(a.path(file), pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
}

func (a *authority) path(name string) string { return filepath.Join(a.dir, name+".pem") }

// tlsProcess starts an etcd that wants a certificate of its clients, and returns its
// endpoint and the flags of the client named "client".
func (a *authority) tlsProcess() (endpoint string, secure []string) {
	a.t.Helper()
	a.sign("server", certificate(2, "server"))
	a.sign("client", certificate(3, "client"))
	_, endpoint = etcdtest.Run(a.t, require(a.t, "etcd"), "https",
		"--cert-file", a.path("server"), "--key-file", a.path("server-key"), "--trusted-ca-file", a.path("ca"), "--client-cert-auth")
	secure = []string{"--cacert", a.path("ca"), "--cert", a.path("client"), "--key", a.path("client-key")}
	until(a.t, "etcd answers", func() bool {
		code, _, _ := program(a.t, a.t.TempDir(), append([]string{"ls", "--endpoints", endpoint}, secure...)...)
		return code == 0
	})
	return endpoint, secure
}

func TestTLSToTheCluster(t *testing.T) {
	etcdctl := require(t, "etcdctl")
	a := newAuthority(t)
	client, secure := a.tlsProcess()
	ls := func(endpoint string, flags ...string) (int, string) {
		code, out, errs := program(t, t.TempDir(), append([]string{"ls", "--endpoints", endpoint}, flags...)...)
		return code, out + errs
	}
	if code, out := ls("https://"+client, secure...); code != 0 {
		t.Errorf("with https: exit %d: %s", code, out)
	}
	rows := []struct {
		endpoint string
		flags    []string
		reason   string
	}{
		{client, nil, "plain text to TLS"},
		{"https://" + client, nil, "an authority that nobody knows"},
		{client, secure[:2], "no certificate of one's own"},
		{"http://" + client, secure, "http is no TLS, whatever the flags say"},
	}
	for _, r := range rows {
		if code, out := ls(r.endpoint, r.flags...); code != exitBad || !strings.Contains(out, "no endpoint answers ("+r.endpoint+": ") {
			t.Errorf("%s: exit %d: %s", r.reason, code, out)
		}
	}
	old := certificate(4, "old")
	old.NotAfter = time.Now().Add(-time.Minute)
	a.sign("old", old)
	want := a.path("old") + " (CN=old) expired on " + old.NotAfter.UTC().Format("2006-01-02 15:04")
	if code, out := ls(client, "--cacert", a.path("ca"), "--cert", a.path("old"), "--key", a.path("old-key")); code != exitBad || !strings.Contains(out, want) {
		t.Errorf("a certificate that has expired: exit %d: %s; want %q", code, out, want)
	}
	for _, endpoint := range []string{client, "https://" + client} {
		code, out, errs := behind(t, t.TempDir(), append([]string{"--endpoints", endpoint}, secure...), etcdctl, "put", "/a", "b")
		if code != 0 || out != "OK\n" {
			t.Errorf("behind the proxy before %s: exit %d: %s%s", endpoint, code, out, errs)
		}
	}
}
