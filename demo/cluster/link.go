package cluster

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"locktop/chaos/relay"
	"locktop/demo/process"
)

// link is the way by which its peers reach one member. It is there to make that way slow,
// and for the end of a member: etcd's HTTP server for peers can be stuck for five seconds
// in the read of a connection that nobody uses (its read timeout undoes the deadline by
// which net/http wants to interrupt that read), and neither the connections nor their
// listener can be reached from outside. They are closed from their other end.
//
// Most of what a member hears of another does not come through its own link: the
// member that listens to a stream of raft messages is the one that dials it
// (rafthttp, streamReader). So a link also delays its member's answers to a dialer
// that is slow.
type link struct {
	*relay.Listener
	delay   atomic.Int64 // of what goes to the member, in nanoseconds
	slows   *slows       // of the dialers
	blocked atomic.Bool  // connections are closed as they come
}

// slows are the delays of what goes to members, by their ids as etcd writes them.
type slows struct{ byID sync.Map }

func (s *slows) set(id uint64, by time.Duration) { s.byID.Store(fmt.Sprintf("%x", id), by) }

func (s *slows) delay(id string) time.Duration {
	by, _ := s.byID.Load(id)
	d, _ := by.(time.Duration)
	return d
}

// newLink starts to pass on connections to a member, which need not be up yet.
func newLink(member string, s *slows) (*link, error) {
	l, err := process.Listen()
	if err != nil {
		return nil, fmt.Errorf("listen for peers: %w", err)
	}
	k := &link{Listener: relay.New(l, member), slows: s}
	k.Serve(k.carry)
	return k, nil
}

// carry copies both ways until one side ends: raft's streams have no use for a half of a
// connection.
func (l *link) carry(p *relay.Pair) {
	if l.blocked.Load() {
		return
	}
	member, err := p.Dial(p.Context())
	if err != nil {
		return
	}
	d := &dialer{}
	p.Slow(func() relay.Slowness { return relay.Slowness{Delay: time.Duration(l.delay.Load())} },
		func() relay.Slowness { return relay.Slowness{Delay: l.slows.delay(d.id())} })
	// Should one fail, the other ends with it, and etcd connects again.
	p.Carry(func() { _, _ = io.Copy(member, io.TeeReader(p, d)) }, func() { _, _ = io.Copy(p, member) })
}

// block cuts every connection and passes no more on until unblock.
func (l *link) block() {
	l.blocked.Store(true)
	l.Cut(func(*relay.Pair) bool { return true })
}

func (l *link) unblock() { l.blocked.Store(false) }

// dialer finds out which member has opened a connection: its requests say so.
type dialer struct {
	mu   sync.Mutex
	seen []byte // the beginning of what it sent, until that names it
	name string
}

// fromHeader is the header by which a member names itself (rafthttp, http.go).
const fromHeader = "X-Server-From: "

// dialerMax bounds how much is searched for the name.
const dialerMax = 8 << 10

// Write implements io.Writer. It never fails.
func (d *dialer) Write(data []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.name == "" && len(d.seen) < dialerMax {
		d.seen = append(d.seen, data...)
		if _, rest, ok := strings.Cut(string(d.seen), fromHeader); ok {
			if name, _, whole := strings.Cut(rest, "\r\n"); whole {
				d.name, d.seen = name, nil
			}
		}
	}
	return len(data), nil
}

func (d *dialer) id() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.name
}
