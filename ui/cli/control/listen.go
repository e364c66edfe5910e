package control

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Listener is a socket that only its owner can connect to.
type Listener struct {
	net.Listener
	path string
}

// dialWithin is what somebody who listens on a socket has to answer.
const dialWithin = time.Second

// Listen makes the socket at a path. It is never there with other rights than those of its
// owner: it is made in a folder of its own, and linked. One that nobody listens on is
// replaced, anything else that is there is not.
func Listen(path string) (*Listener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != fs.ModeSocket {
			return nil, fmt.Errorf("%s is there already, and is not a socket", path)
		}
		if c, err := net.DialTimeout("unix", path, dialWithin); err == nil {
			c.Close()
			return nil, fmt.Errorf("somebody listens on %s already", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".lt")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	young := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: young, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	if err = os.Chmod(young, 0o600); err == nil {
		err = os.Link(young, path)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Listener{l, path}, nil
}

// Close ends it and removes the socket.
func (l *Listener) Close() error {
	return errors.Join(l.Listener.Close(), os.Remove(l.path))
}
