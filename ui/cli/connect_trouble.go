package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// endpointError is why an endpoint that takes connections does not answer, with what to change.
type endpointError struct{ text string }

func (e *endpointError) Error() string { return e.text }

func endpointErrorf(format string, args ...any) error {
	return &endpointError{fmt.Sprintf(format, args...)}
}

// tlsTrouble says what is wrong with TLS at an endpoint, nil if nothing is known to be. secure is how TLS
// is spoken there, if it is.
func tlsTrouble(ctx context.Context, endpoint, addr string, secure *tls.Config) error {
	speaks := secure != nil && !strings.HasPrefix(endpoint, "http://")
	c := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}
	if speaks {
		c = secure.Clone()
	}
	err := handshake(ctx, addr, c)
	var header tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	var names x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case !speaks && asksForCertificate(err):
		return endpointErrorf("it speaks TLS, and asks for a certificate: write https://%s, and name files with --cacert, --cert and --key", addr)
	case !speaks && (err == nil || refused(err) != nil):
		return endpointErrorf("it speaks TLS: write https://%s, and name its authority with --cacert FILE", addr)
	case !speaks || err == nil:
		return nil
	case errors.As(err, &header):
		return endpointErrorf("it speaks plain text, and TLS was asked for: write http://%s, without --cacert, --cert and --key", addr)
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return endpointErrorf("it closes at the first word of TLS, as a port does that speaks plain text: write http://%s, without --cacert, --cert and --key", addr)
	case errors.As(err, &unknown):
		return endpointErrorf("its certificate is signed by an authority that is not known here: name the file of that authority with --cacert FILE")
	case errors.As(err, &names):
		return endpointErrorf("its certificate is for other names (%v): name an endpoint that it is for", err)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return endpointErrorf("its certificate has expired, or is not valid yet (%v)", err)
	case asksForCertificate(err):
		if c.GetClientCertificate == nil {
			return endpointErrorf("it asks for a certificate of the client: name one with --cert FILE and --key FILE")
		}
		return endpointErrorf("it refuses the certificate of --cert (%v)", err)
	}
	return nil
}

// tlsTroubleWait is how long it is looked for what is wrong with TLS: a person waits for the answer.
const tlsTroubleWait = time.Second

// alertWait is for how long a server may keep its refusal of a certificate back: in TLS 1.3 it comes
// after the handshake.
const alertWait = 500 * time.Millisecond

// handshake begins TLS, and says what the server says against it.
func handshake(ctx context.Context, addr string, c *tls.Config) error {
	c.NextProtos = []string{"h2"}
	conn, err := (&tls.Dialer{Config: c}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetReadDeadline(time.Now().Add(alertWait)); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return nil
	}
	return err
}

// asksForCertificate says whether a server refuses who has no certificate, or not the right one.
func asksForCertificate(err error) bool {
	why := refused(err)
	return why != nil && strings.Contains(why.Error(), "certificate")
}

// refused is what a server that speaks TLS says against it, nil for nothing.
func refused(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "remote error" {
		return op.Err
	}
	return nil
}
