package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"locktop/watcher"
)

// tlsFlags are etcdctl's flags for TLS.
type tlsFlags struct {
	cacert, cert, key string
	skipVerify        bool
	always            bool   // also where an endpoint does not ask for it
	serverName        string // whom the certificates have to be for, "": the endpoints
	files             [tlsFiles]string
}

// The files that the flags name, and the flags.
const (
	caFile = iota
	certFile
	keyFile
	tlsFiles
)

var tlsFlag = [tlsFiles]string{"cacert", "cert", "key"}

func (f tlsFlags) names() [tlsFiles]string { return [...]string{f.cacert, f.cert, f.key} }

// config returns what the flags and the endpoints ask for, nil for plain text.
func (f tlsFlags) config(endpoints []string) (*tls.Config, error) {
	scheme := func(s string) func(string) bool { return func(e string) bool { return strings.HasPrefix(e, s) } }
	secure := slices.ContainsFunc(endpoints, scheme("https://"))
	plain := !slices.ContainsFunc(endpoints, func(e string) bool { return !scheme("http://")(e) })
	if plain && f.always {
		return nil, bad("--insecure-transport=false rules out http:// endpoints (%s)", strings.Join(endpoints, ", "))
	}
	if plain || !secure && f == (tlsFlags{}) {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: f.skipVerify, ServerName: f.serverName}
	var err error
	if f.cacert != "" {
		c.RootCAs, err = f.authorities()
	}
	if err == nil && (f.cert != "" || f.key != "") {
		_, err = f.pair()
		// Read again for each connection: certificates are renewed.
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return f.pair() }
	}
	if err != nil {
		return nil, bad("TLS to %s: %v (see --cacert, --cert and --key)", strings.Join(endpoints, ", "), err)
	}
	watcher.NameExpired(c, f.cert)
	return c, nil
}

// authorities reads the bundle of --cacert.
func (f tlsFlags) authorities() (*x509.CertPool, error) {
	text, err := f.read(caFile)
	if err != nil {
		return nil, err
	}
	pool, some := x509.NewCertPool(), false
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		one, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.cacert, err)
		}
		pool.AddCert(one)
		some = true
	}
	if !some {
		return nil, fmt.Errorf("%s has no certificate in PEM form", f.cacert)
	}
	return pool, nil
}

// pair reads a certificate with its key.
func (f tlsFlags) pair() (*tls.Certificate, error) {
	if f.cert == "" || f.key == "" {
		return nil, errors.New("a certificate and its key go together, and one of them is not named")
	}
	cert, err := f.read(certFile)
	if err != nil {
		return nil, err
	}
	key, err := f.read(keyFile)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", f.cert, f.key, err)
	}
	return &pair, nil
}

func (f tlsFlags) read(i int) ([]byte, error) {
	switch name := f.names()[i]; {
	case f.files[i] != "":
		return []byte(f.files[i]), nil
	case !isRegular(name):
		return nil, fmt.Errorf("%s is not a regular file", name)
	default:
		return readInput(context.Background(), name, fileMax)
	}
}

// keepPipes reads the files of the flags that are no regular ones: every connection wants
// them anew.
func (a *access) keepPipes(ctx context.Context) (err error) {
	if a.flags.tls.files == [tlsFiles]string{} {
		a.flags.tls.files, err = readOnce(ctx, a.flags.commandTimeout, a.flags.tls.names(), func(i int) string { return a.originOf(tlsFlag[i]).name })
	}
	return err
}

// readOnce reads those of some files that are no regular ones, as <(…) of a shell is: what
// was read from them is not there a second time.
func readOnce(ctx context.Context, patience time.Duration, names [tlsFiles]string, flag func(i int) string) (kept [tlsFiles]string, err error) {
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for i, name := range names {
		if same := slices.Index(names[:i], name); same >= 0 {
			kept[i] = kept[same] // one file may have both
			continue
		}
		if isRegular(name) {
			continue
		}
		text, err := readInput(soon, name, fileMax)
		switch {
		case ctx.Err() != nil:
			return kept, ctx.Err()
		case soon.Err() != nil:
			err = fmt.Errorf("it has not come to its end within %s (--command-timeout)", patience)
		case err == nil && len(text) == 0:
			err = errors.New("it is empty")
		}
		if err != nil {
			return kept, bad("%s %s: %v", flag(i), name, err)
		}
		kept[i] = string(text)
	}
	return kept, nil
}

// isRegular says whether a file can be read again and again. One that is not there is for
// its reader to miss.
func isRegular(name string) bool {
	info, err := os.Stat(name)
	return err != nil || info.Mode().IsRegular()
}

// listenTLS is what a port of ours speaks with a certificate and its key, nil for plain text.
func (cfg *config) listenTLS(ctx context.Context, cert, key string) (*tls.Config, error) {
	if cert == "" && key == "" {
		return nil, nil
	}
	names := [tlsFiles]string{certFile: cert, keyFile: key}
	kept, err := readOnce(ctx, cfg.flags.commandTimeout, names, func(i int) string { return "--listen-" + tlsFlag[i] })
	if err != nil {
		return nil, err
	}
	pair, err := tlsFlags{cert: cert, key: key, files: kept}.pair()
	if err != nil {
		return nil, bad("TLS for those who connect: %v (see --listen-cert and --listen-key)", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{*pair}, MinVersion: tls.VersionTLS12}, nil
}
