package cli

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// TestTheDoorIsToldByItsCause: who is there and does not answer is told what to say.
func TestTheDoorIsToldByItsCause(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.sign("server", certificate(2, "server"))
	elsewhere := certificate(3, "elsewhere")
	elsewhere.IPAddresses = []net.IP{net.IPv4(10, 0, 0, 1)}
	a.sign("elsewhere", elsewhere)
	old := certificate(4, "old")
	old.NotAfter = time.Now().Add(-time.Minute)
	a.sign("old", old)
	listen := func(name string, client bool) string {
		pair, err := tls.LoadX509KeyPair(a.path(name), a.path(name+"-key"))
		if err != nil {
			t.Fatal(err)
		}
		c := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12}
		if client {
			text, err := os.ReadFile(a.path("ca"))
			if err != nil {
				t.Fatal(err)
			}
			c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
			c.ClientCAs.AppendCertsFromPEM(text)
		}
		l, err := tls.Listen("tcp", "127.0.0.1:0", c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer conn.Close()
					conn.Read(make([]byte, 1)) // the handshake, and no more
				}()
			}
		}()
		return l.Addr().String()
	}
	plain := newCLI(t).endpoint
	secure, asks, other, expired := listen("server", false), listen("server", true), listen("elsewhere", false), listen("old", false)
	for _, row := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"https, and the authority is not known", []string{"--endpoints", "https://" + secure}, "name the file of that authority with --cacert FILE"},
		{"a port with TLS is spoken to in plain text", []string{"--endpoints", secure}, "it speaks TLS: write https://" + secure},
		{"the same, and it asks for a certificate", []string{"--endpoints", asks}, "it speaks TLS, and asks for a certificate: write https://" + asks},
		{"a plain port is spoken to with TLS", []string{"--endpoints", "https://" + plain}, "as a port does that speaks plain text: write http://" + plain},
		{"a certificate is asked for", []string{"--endpoints", "https://" + asks, "--cacert", a.path("ca")}, "it asks for a certificate of the client: name one with --cert FILE and --key FILE"},
		{"the certificate is for another host", []string{"--endpoints", "https://" + other, "--cacert", a.path("ca")}, "its certificate is for other names"},
		{"it has expired", []string{"--endpoints", "https://" + expired, "--cacert", a.path("ca")}, "its certificate has expired"},
	} {
		code, _, errs := run(t, append([]string{"ls", "--command-timeout", "2s"}, row.args...)...)
		if code != exitBad || !strings.Contains(errs, row.want) || strings.Contains(errs, "name one with --endpoints") {
			t.Errorf("%s: exit %d, want %q in %s", row.reason, code, row.want, errs)
		}
	}
	if code, _, errs := run(t, "ls", "--command-timeout", "2s", "--endpoints", plain); code != exitOK {
		t.Errorf("a plain port is spoken to in plain text: exit %d: %s", code, errs)
	}
}
