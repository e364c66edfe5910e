package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"strconv"
	"sync"
)

// errUntold says that the system does not tell whose a connection is.
var errUntold = errors.New("this system does not tell which user a local connection belongs to")

// errStranger says that a connection is another user's.
var errStranger = errors.New("the connection is of another user")

// peers admits the connections of one user alone: of who runs the proxy, since what it
// lends is that user's. Root is another user too: it can read the certificate anyway,
// and a service of root's that is talked into connecting must not reach the cluster.
//
// The user of a connection is who made the socket at its other end. A program that
// hands its socket to another one vouches for that.
type peers struct {
	user    func(net.Conn) (int, error)
	checked bool             // false: the system does not tell
	turned  func(why string) // told once for each user

	mu      sync.Mutex
	refused map[string]bool
}

// checkPeers prepares to admit the connections of one user alone. If the
// system does not tell who owns a connection, the proxy takes all, and so there must be
// nothing to lend.
func checkPeers(lent *tls.Config, turned func(string)) (*peers, error) {
	return checkPeersBy(peerUser, lent, turned)
}

func checkPeersBy(user func(net.Conn) (int, error), lent *tls.Config, turned func(string)) (*peers, error) {
	err := tellsUsers(user)
	if err != nil && hasCertificate(lent) {
		return nil, fmt.Errorf("the client certificate is not lent to programs behind the proxy: %w", err)
	}
	return &peers{user: user, checked: err == nil, turned: turned, refused: map[string]bool{}}, nil
}

// hasCertificate says whether a connection with that configuration can identify itself.
func hasCertificate(c *tls.Config) bool {
	return c != nil && (len(c.Certificates) > 0 || c.GetClientCertificate != nil)
}

// admit returns an error if the connection is not of the user who runs the proxy, or
// if that is not known. It is to be asked before a byte is read.
func (p *peers) admit(c net.Conn) error {
	if p == nil || !p.checked {
		return nil
	}
	uid, err := p.user(c)
	switch {
	case err != nil:
		p.tell("unknown", func() string {
			return fmt.Sprintf("refused a connection from %s: its user is not known (%v)", c.RemoteAddr(), err)
		})
		return err
	case uid != os.Geteuid():
		p.tell(strconv.Itoa(uid), func() string {
			return fmt.Sprintf("refused a connection of user %s: only programs of user %s may use this proxy", userWords(uid), userWords(os.Geteuid()))
		})
		return errStranger
	}
	return nil
}

// tell says once why somebody's connections are not taken. Names of users are looked up
// only then: that may take its time.
func (p *peers) tell(who string, why func() string) {
	p.mu.Lock()
	news := !p.refused[who]
	p.refused[who] = true
	p.mu.Unlock()
	if news {
		p.turned(why())
	}
}

// userWords are the name and the number of a user.
func userWords(uid int) string {
	id := strconv.Itoa(uid)
	if u, err := user.LookupId(id); err == nil {
		return u.Username + " (uid " + id + ")"
	}
	return "uid " + id
}

// listenLocal listens on a port of 127.0.0.1. It is plain TCP at both ends: the system knows
// the user of that.
func listenLocal(port int) (net.Listener, error) {
	var c net.ListenConfig
	c.SetMultipathTCP(false)
	return c.Listen(context.Background(), "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// untold is errUntold with what the system said instead.
func untold(err error) error {
	if errors.Is(err, errUntold) {
		return err
	}
	return fmt.Errorf("%w (%v)", errUntold, err)
}

// tellsUsers returns nil if the system tells the user of a local connection, found out
// by a connection of our own.
func tellsUsers(user func(net.Conn) (int, error)) error {
	l, err := listenLocal(0)
	if err != nil {
		return err
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		peer, err := l.Accept()
		if err != nil {
			return err
		}
		ours := peer.RemoteAddr().String() == c.LocalAddr().String()
		uid, err := user(peer)
		_ = peer.Close()
		switch {
		case !ours: // somebody else was quicker
			continue
		case err != nil:
			return untold(err)
		case uid != os.Geteuid():
			return fmt.Errorf("%w: it says %d of our own", errUntold, uid)
		}
		return nil
	}
}
