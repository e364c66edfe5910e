//go:build slow

package watcher

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
)

// authority signs certificates into the files of a directory.
type authority struct {
	t    testing.TB
	dir  string
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	last int64
	ends map[string]time.Time // by name, in UTC
}

func newAuthority(t testing.TB) *authority {
	a := &authority{t: t, dir: t.TempDir(), ends: map[string]time.Time{}}
	a.key = must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	a.cert = a.template("ca", time.Hour)
	a.cert.IsCA, a.cert.KeyUsage = true, x509.KeyUsageCertSign
	a.cert.BasicConstraintsValid = true
	a.write("ca", a.cert, a.key)
	return a
}

func (a *authority) template(name string, life time.Duration) *x509.Certificate {
	a.last++
	return &x509.Certificate{SerialNumber: big.NewInt(a.last), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(life), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
}

// issue writes name.pem and name.key, for a server on this machine and for a client.
func (a *authority) issue(name string, life time.Duration) {
	a.t.Helper()
	c := a.template(name, life)
	a.ends[name] = c.NotAfter.UTC()
	c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	a.write(name, c, must[*ecdsa.PrivateKey](a.t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)))
}

func (a *authority) write(name string, c *x509.Certificate, key *ecdsa.PrivateKey) {
	a.t.Helper()
	der := must[[]byte](a.t)(x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key))
	secret := must[[]byte](a.t)(x509.MarshalECPrivateKey(key))
	for file, block := range map[string]*pem.Block{
		a.file(name + ".pem"): {Type: "CERTIFICATE", Bytes: der},
		a.file(name + ".key"): {Type: "EC PRIVATE KEY", Bytes: secret},
	} {
		// A server may read it just now: the file is there as a whole or not at all.
		if err := os.WriteFile(file+".new", pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			a.t.Fatal(err)
		}
	}
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// client is what a client says and asks for; it shows a certificate if it is given a
// name.
func (a *authority) client(name string) *tls.Config {
	a.t.Helper()
	c := &tls.Config{RootCAs: x509.NewCertPool()}
	c.RootCAs.AppendCertsFromPEM(must[[]byte](a.t)(os.ReadFile(a.file("ca.pem"))))
	if name != "" {
		pair := must[tls.Certificate](a.t)(tls.LoadX509KeyPair(a.file(name+".pem"), a.file(name+".key")))
		c.Certificates = []tls.Certificate{pair}
	}
	return c
}
