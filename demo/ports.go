package demo

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

// The ports that the lab chooses from lie below those that the system gives to
// outgoing connections (from 32768 on Linux, 49152 on darwin). In there, the raft
// connections of a member that dial a peer which is not up yet would now and then
// be given the very port that they dial, and connect to themselves.
const (
	lowPort  = 15000
	highPort = 32000
)

// listenFree listens on a port of 127.0.0.1 that nobody else does.
func listenFree() (net.Listener, error) {
	for range 200 {
		l, err := net.Listen("tcp", loopback(lowPort+rand.IntN(highPort-lowPort)))
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return l, err
		}
	}
	return nil, fmt.Errorf("no free port found from %d to %d", lowPort, highPort)
}

// freeAddrs returns n different addresses of 127.0.0.1 that nobody listens on.
// Between now and the use of them somebody may: whoever calls has to retry.
func freeAddrs(n int) ([]string, error) {
	addrs := make([]string, n)
	for i := range addrs {
		l, err := listenFree()
		if err != nil {
			return nil, fmt.Errorf("look for a free port: %w", err)
		}
		defer l.Close() // all are held until the last is found, so they differ
		addrs[i] = l.Addr().String()
	}
	return addrs, nil
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
