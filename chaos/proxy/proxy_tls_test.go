package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/server/v3/embed"

	"locktop/chaos/chaostest"
	"locktop/model"
)

// authority is one that signs certificates for 127.0.0.1.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	var err error
	a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	chaostest.Must(t, err)
	ca := certificate(1, "authority")
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &a.key.PublicKey, a.key)
	chaostest.Must(t, err)
	a.cert, err = x509.ParseCertificate(der)
	chaostest.Must(t, err)
	a.write(t, "ca.pem", "CERTIFICATE", der)
	return a
}

func certificate(serial int64, name string) *x509.Certificate {
	return &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
}

func (a *authority) path(name string) string { return filepath.Join(a.dir, name) }

func (a *authority) write(t *testing.T, name, kind string, der []byte) {
	t.Helper()
	chaostest.Must(t, os.WriteFile(a.path(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

// issue writes name.pem and name.key and returns them.
func (a *authority) issue(t *testing.T, serial int64, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	chaostest.Must(t, err)
	der, err := x509.CreateCertificate(rand.Reader, certificate(serial, name), a.cert, &key.PublicKey, a.key)
	chaostest.Must(t, err)
	secret, err := x509.MarshalECPrivateKey(key)
	chaostest.Must(t, err)
	a.write(t, name+".pem", "CERTIFICATE", der)
	a.write(t, name+".key", "EC PRIVATE KEY", secret)
	pair, err := tls.LoadX509KeyPair(a.path(name+".pem"), a.path(name+".key"))
	chaostest.Must(t, err)
	return pair
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

func TestTLSOnBothSides(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	ca.issue(t, 2, "member")
	forMembers, forClients := ca.issue(t, 3, "client"), ca.issue(t, 4, "proxy")
	member := chaostest.StartMember(t, func(c *embed.Config) {
		c.ListenClientUrls[0].Scheme, c.AdvertiseClientUrls[0].Scheme = "https", "https"
		c.ClientTLSInfo.CertFile, c.ClientTLSInfo.KeyFile = ca.path("member.pem"), ca.path("member.key")
		c.ClientTLSInfo.TrustedCAFile, c.ClientTLSInfo.ClientCertAuth = ca.path("ca.pem"), true
	})
	p := startProxy(t, Options{Backends: []string{member},
		BackendTLS: &tls.Config{RootCAs: ca.pool(), Certificates: []tls.Certificate{forMembers}},
		ServerTLS:  &tls.Config{Certificates: []tls.Certificate{forClients}}})
	secret := &tls.Config{RootCAs: ca.pool()}
	through := func(at []string) *clientv3.Client {
		c, err := chaostest.Connect(clientv3.Config{Endpoints: []string{"https://" + at[0]}, TLS: secret})
		chaostest.Must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	at, err := p.Listen("a")
	chaostest.Must(t, err)
	c := through(at)
	for _, c := range []*clientv3.Client{c, through(p.Shared())} {
		m := concurrency.NewMutex(openSession(t, c, 60), "/lock")
		chaostest.Must(t, m.Lock(chaostest.Within(t)))
		chaostest.Must(t, m.Unlock(chaostest.Within(t)))
	}
	for _, f := range []model.Fault{
		{Kind: model.FaultFreeze, Target: "a"},
		{Kind: model.FaultCut, Target: "a"},
		{Kind: model.FaultSlow, Target: "a", Delay: time.Hour},
	} {
		chaostest.Must(t, p.Inject(f))
		hangs(t, get(c))
		p.Heal(f)
		chaostest.Must(t, get(c)(chaostest.Within(t)))
	}
	hangs(t, get(chaostest.Dial(t, at))) // in plaintext
}
