package watcher

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
)

// NewClient is clientv3.New, with logins over a connection of their own, which carries
// no token. The client sends the token that it has with each request, its next login as
// well; a server of 3.4 refuses that login when it no longer knows the token
// (etcd-io/etcd#12165), so that a client of 3.7 never gets in again.
func NewClient(cfg clientv3.Config) (*clientv3.Client, error) {
	cfg.MaxCallRecvMsgSize = cmp.Or(cfg.MaxCallRecvMsgSize, maxMessage)
	cfg.DialOptions = append(windows(), cfg.DialOptions...)
	c, err := clientv3.New(cfg)
	if err != nil || cfg.Username == "" {
		return c, err
	}
	cfg.Username, cfg.Password = "", ""
	door, err := clientv3.New(cfg)
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	c.Auth = loginBy{c.Auth, door}
	context.AfterFunc(c.Ctx(), func() { _ = door.Close() })
	return c, nil
}

// maxMessage is how large one answer may be. A page of 50,000 keys with values of 10 kB each
// is as large.
const maxMessage = 512 << 20

// windows are how much may be on its way to us, on a connection and in one stream of it: a
// list over a long way is not slowed by them. They are not measured: gRPC sends a ping for
// nearly each message for that, which was a third of what a watch costs.
func windows() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithStaticConnWindowSize(8 << 20), grpc.WithStaticStreamWindowSize(4 << 20)}
}

type loginBy struct {
	clientv3.Auth
	door clientv3.Auth
}

func (l loginBy) Authenticate(ctx context.Context, name, password string) (*clientv3.AuthenticateResponse, error) {
	return l.door.Authenticate(ctx, name, password)
}

// NameExpired makes new connections fail once our own certificate has expired, with
// its file, its name and its date. Without that the server refuses it, which is
// mostly seen as a connection that was reset. Nothing changes where a server does not
// ask for a certificate, nor for a c without GetClientCertificate; the one of etcd's
// transport.TLSInfo reads the files anew for each connection.
func NameExpired(c *tls.Config, file string) {
	get := c.GetClientCertificate
	if get == nil {
		return
	}
	c.GetClientCertificate = func(r *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		cert, err := get(r)
		if err != nil || len(cert.Certificate) == 0 {
			return cert, err
		}
		leaf, err := x509.ParseCertificate(cert.Certificate[0])
		if err != nil {
			return nil, fmt.Errorf("our certificate %s: %w", file, err)
		}
		if time.Now().After(leaf.NotAfter) {
			return nil, fmt.Errorf("our certificate %s (%s) expired on %s; a new one in its place is read with the next connection",
				file, leaf.Subject, leaf.NotAfter.UTC().Format("2006-01-02 15:04:05 MST"))
		}
		return cert, nil
	}
}
