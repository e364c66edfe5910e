package proxy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// States of a TCP connection (include/net/tcp_states.h).
const tcpEstablished = 1

// peerUser returns the user who made the socket at the other end of a connection over
// loopback. The error says that this is not known: then the connection is not to be
// used.
//
// The system is asked for the one socket with these two addresses, in the namespace of
// this process. It has to be connected still: of a socket that was closed the system
// says that root made it. And afterwards our own end has to be connected still: else
// the one whose bytes wait here may have gone and its port be another's by now.
func peerUser(c net.Conn) (int, error) {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return 0, errors.New("it is no TCP connection")
	}
	peer, ours := addrPort(c.RemoteAddr()), addrPort(c.LocalAddr())
	if !peer.Addr().Is4() || !peer.Addr().IsLoopback() || !ours.Addr().IsLoopback() {
		return 0, fmt.Errorf("%s to %s is not local", peer, ours)
	}
	uid, err := socketUser(peer, ours)
	if err != nil {
		return 0, err
	}
	if state, err := stateOf(tcp); err != nil || state != tcpEstablished {
		return 0, errors.New("the other end closed it")
	}
	if isUnmapped(uid) {
		return 0, errors.New("the user is one of another user namespace")
	}
	return int(uid), nil
}

// addrPort is an address of TCP. One of IPv4 that is written as one of IPv6 is the same.
func addrPort(a net.Addr) netip.AddrPort {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	p := t.AddrPort()
	return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
}

// stateOf is the state of our end of a connection.
func stateOf(c *net.TCPConn) (state uint8, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var info *unix.TCPInfo
	var failed error
	if err := raw.Control(func(fd uintptr) { info, failed = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) }); err != nil {
		return 0, err
	}
	if failed != nil {
		return 0, failed
	}
	return info.State, nil
}

// isUnmapped says whether that number stands for users that have none here.
func isUnmapped(uid uint32) bool {
	number, err := os.ReadFile("/proc/sys/kernel/overflowuid")
	if err != nil {
		number = []byte("65534")
	}
	if strconv.FormatUint(uint64(uid), 10) != strings.TrimSpace(string(number)) {
		return false
	}
	mapped, err := os.ReadFile("/proc/self/uid_map")
	return err != nil || strings.Join(strings.Fields(string(mapped)), " ") != "0 0 4294967295"
}

// Parts of the messages of sock_diag(7), as linux/netlink.h and linux/inet_diag.h have
// them.
const (
	sockDiagByFamily = 20
	diagReqSize      = 56
	diagMsgSize      = 72
	diagWithin       = 2 * time.Second
)

// socketUser asks the system for the user of the connected socket that has the first
// address at its own end and the second at the other.
func socketUser(local, remote netip.AddrPort) (uint32, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0, fmt.Errorf("ask the system for sockets: %w", err)
	}
	defer unix.Close(fd)
	limit := unix.NsecToTimeval(int64(diagWithin))
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		return 0, err
	}
	if err := unix.Sendto(fd, diagRequest(local, remote), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0, fmt.Errorf("ask the system for sockets: %w", err)
	}
	answer := make([]byte, 4096)
	n, from, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return 0, fmt.Errorf("ask the system for sockets: %w", err)
	}
	if kernel, ok := from.(*unix.SockaddrNetlink); !ok || kernel.Pid != 0 {
		return 0, errors.New("the answer about sockets is not from the system")
	}
	return diagAnswer(answer[:n], local, remote)
}

// diagRequest asks for one socket.
func diagRequest(local, remote netip.AddrPort) []byte {
	b := make([]byte, unix.SizeofNlMsghdr+diagReqSize)
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], sockDiagByFamily)
	binary.NativeEndian.PutUint16(b[6:], unix.NLM_F_REQUEST)
	r := b[unix.SizeofNlMsghdr:]
	r[0], r[1] = unix.AF_INET, unix.IPPROTO_TCP
	binary.NativeEndian.PutUint32(r[4:], 1<<tcpEstablished)
	copy(r[8:], diagID(local, remote))
	binary.NativeEndian.PutUint64(r[48:], ^uint64(0)) // no cookie
	return b
}

// diagID are the ports and addresses of a socket.
func diagID(local, remote netip.AddrPort) []byte {
	b := make([]byte, 36)
	binary.BigEndian.PutUint16(b, local.Port())
	binary.BigEndian.PutUint16(b[2:], remote.Port())
	copy(b[4:], local.Addr().AsSlice())
	copy(b[20:], remote.Addr().AsSlice())
	return b
}

// diagAnswer reads the user of the socket that was asked for. The system may answer
// with one that listens where there is no other, so the answer has to be about that
// very connection, and the socket be somebody's: one without an inode was closed.
func diagAnswer(b []byte, local, remote netip.AddrPort) (uint32, error) {
	if len(b) < unix.SizeofNlMsghdr+4 {
		return 0, errors.New("the system's answer about sockets is cut short")
	}
	kind := binary.NativeEndian.Uint16(b[4:])
	m := b[unix.SizeofNlMsghdr:]
	if kind == unix.NLMSG_ERROR {
		errno := unix.Errno(-int32(binary.NativeEndian.Uint32(m)))
		return 0, fmt.Errorf("the system finds no such socket: %w", errno)
	}
	if kind != sockDiagByFamily || len(m) < diagMsgSize {
		return 0, errors.New("the system's answer about sockets is cut short")
	}
	state, uid, inode := m[1], binary.NativeEndian.Uint32(m[64:]), binary.NativeEndian.Uint32(m[68:])
	if !isID(m[0], m[4:40], local, remote) {
		return 0, errors.New("the system finds another socket only")
	}
	if state != tcpEstablished || inode == 0 {
		return 0, errors.New("the other end closed it")
	}
	return uid, nil
}

// isID says whether a socket has these addresses: as one of IPv4, or as one of IPv6
// that is connected over IPv4.
func isID(family byte, id []byte, local, remote netip.AddrPort) bool {
	want := diagID(local, remote)
	if family == unix.AF_INET6 {
		to, from := local.Addr().As16(), remote.Addr().As16()
		copy(want[4:], to[:])
		copy(want[20:], from[:])
	}
	return bytes.Equal(id, want)
}
