package process

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

// Bounds of the search for free ports of 127.0.0.1. All of these lie below those that the system
// gives to outgoing connections (from 32768 on Linux, 49152 on darwin). In there, the raft connections of a member that dial a
// peer which is not up yet would now and then be given the very port that they dial,
// and connect to themselves. And a server that is stopped would not get its port back.
const (
	low  = 10000
	high = 32000

	// lookups bounds the search for one port.
	lookups = 200
	// tries bounds how often a server is started whose ports were taken.
	tries = 5
)

// Listen listens on a free port of 127.0.0.1 that nobody keeps: nothing can come between.
func Listen() (net.Listener, error) {
	l, c, err := listen()
	if err != nil {
		return nil, err
	}
	return l, c.Close()
}

// KeepPorts returns n addresses (host:port) on which nobody listens, and that no other
// caller of KeepPorts gets, in this process or another one, before free is called.
func KeepPorts(n int) (addrs []string, free func(), err error) {
	var kept []net.PacketConn
	free = func() {
		for _, c := range kept {
			_ = c.Close()
		}
	}
	for range n {
		l, c, err := listen()
		if err != nil {
			free()
			return nil, nil, err
		}
		_ = l.Close()
		addrs, kept = append(addrs, l.Addr().String()), append(kept, c)
	}
	return addrs, free, nil
}

// listen finds a port. The UDP port of the same number says that it is kept: the
// system gives it to one process only, and frees it when that one ends.
func listen() (net.Listener, net.PacketConn, error) {
	for range lookups {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(low+rand.IntN(high-low)))
		c, err := net.ListenPacket("udp", addr)
		if PortTaken(err) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("look for a free port: %w", err)
		}
		l, err := net.Listen("tcp", addr)
		if err == nil {
			return l, c, nil
		}
		_ = c.Close()
		if !PortTaken(err) {
			return nil, nil, fmt.Errorf("look for a free port: %w", err)
		}
	}
	return nil, nil, fmt.Errorf("no free port found from %d to %d", low, high)
}

// StartOnPorts calls start with n addresses until it does not fail because one of them was
// [PortTaken], a few times at most. It calls moves when it tries others than these. The addresses are kept
// until free is called, so that a server that is stopped finds its ports again.
func StartOnPorts(n int, moves func(from []string, why error), start func(addrs []string) error) (free func(), err error) {
	for try := 1; ; try++ {
		addrs, free, err := KeepPorts(n)
		if err != nil {
			return nil, err
		}
		if err = start(addrs); err == nil {
			return free, nil
		}
		free()
		if try == tries || !PortTaken(err) {
			return nil, err
		}
		moves(addrs, err)
	}
}

// PortTaken says whether an error means that somebody else listens there.
func PortTaken(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
