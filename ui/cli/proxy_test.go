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
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

func TestACommandGetsListenersOfItsOwn(t *testing.T) {
	t.Parallel()
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
	through := newCLIOn(t, endpoint)
	lease, seen := through.lease(60), false
	for i := 0; i < 30 && !seen; i++ { // of a claim that came before the list nothing is told
		through.claim(fmt.Sprintf("/l%d", i), lease)
		for next := time.After(time.Second); !seen && next != nil; {
			select {
			case line, more := <-out:
				if seen = strings.Contains(line, "took /l"); !more {
					t.Fatalf("it ended: %s", errs)
				}
			case <-next:
				next = nil
			}
		}
	}
	if !seen {
		t.Fatal("the program did not say that a lock was taken")
	}
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
