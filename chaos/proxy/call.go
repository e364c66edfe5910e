package proxy

import (
	"context"
	"encoding/binary"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"

	"locktop/model"
)

// Methods that the proxy looks into besides those that write, without their packages.
const (
	methodGrant     = "Lease/LeaseGrant"
	methodKeepAlive = "Lease/LeaseKeepAlive"
	methodRevoke    = "Lease/LeaseRevoke"
	methodTxn       = "KV/Txn"
	methodDelete    = "KV/DeleteRange"
	methodWatch     = "Watch/Watch"
	methodLock      = "Lock/Lock"
	methodCampaign  = "Election/Campaign"
)

// errOver says that a call has ended, so that nothing of it may be sent.
var errOver = errors.New("the call is over")

// call is one RPC on its way through the proxy: a stream of a connection.
type call struct {
	proxy     *Proxy
	conn      *connection
	stream    uint32
	method    string // without its package
	inspected bool   // into its messages

	lease     atomic.Int64 // of the latest request to renew or revoke
	revoked   atomic.Int64 // the revision of the answer to one to revoke
	failed    atomic.Bool  // the condition of a transaction did not hold
	readOlder atomic.Bool  // it wrote, and read that another key is older
	held      atomic.Bool  // it did
	writes    writes
	watches   watches   // only of methodWatch
	renewals  *renewals // only of methodKeepAlive

	requests, replies flow
	headed            atomic.Bool // the client has the header of the answers
	dropped           bool        // the client gets no more; only the goroutine that relays the answers uses it

	ended  atomic.Bool
	mu     sync.Mutex
	ctx    context.Context // ends with the call; nil until somebody waits for that
	cancel context.CancelFunc
}

// flow is one direction of a call.
type flow struct {
	messages messages
	message  *message // that pieces belong to, while some are missing
	partial  []byte   // of one that is wanted whole
	queue    messageQueue
}

// asks sees a frame of the client's.
func (cn *connection) asks(u *frame) (pass bool, err error) {
	if cn.refused[u.stream] {
		cn.afterRefusal(u)
		return false, nil
	}
	switch u.kind {
	case http2.FrameHeaders:
		if cn.listener.proxy.foreign {
			if passes, err := cn.lends(u); !passes || err != nil {
				return false, err
			}
		}
		return cn.opens(u)
	case http2.FrameData:
		cn.toMember.bytes.Add(int64(len(u.data)))
		if c := cn.call(u.stream); c != nil {
			return c.inspectRequest(u)
		}
	case http2.FrameWindowUpdate:
		return cn.toMember.window(u), nil
	case http2.FramePing:
		return cn.toClient.ping(u), nil
	case http2.FrameRSTStream:
		if c := cn.call(u.stream); c != nil {
			c.end()
		}
	}
	return true, nil
}

// answers sees a frame of the member's.
func (cn *connection) answers(u *frame) (pass bool, err error) {
	c := cn.call(u.stream)
	switch u.kind {
	case http2.FrameHeaders:
		if c == nil {
			return cn.toClient.header(u)
		}
		return c.header(u)
	case http2.FrameWindowUpdate:
		return cn.toClient.window(u), nil
	case http2.FramePing:
		return cn.toMember.ping(u), nil
	case http2.FrameData:
		cn.toClient.bytes.Add(int64(len(u.data)))
		if c != nil {
			return c.answer(u)
		}
	case http2.FrameRSTStream:
		if c != nil {
			return c.reset(u)
		}
	}
	return true, nil
}

// opens begins a call. It passes at once even where its messages do not: streams
// have to begin in order.
func (cn *connection) opens(u *frame) (pass bool, err error) {
	path, agent := "", ""
	for i, f := range u.fields {
		switch f.Name {
		case ":path":
			path = f.Value
		case "user-agent":
			agent = f.Value
		case ":scheme": // these two matter only if the block is written anew
			u.fields[i].Value = cn.listener.proxy.scheme
		case ":authority":
			u.fields[i].Value = cn.listener.backend
		}
	}
	cn.speaks(agent)
	c := &call{proxy: cn.listener.proxy, conn: cn, stream: u.stream, method: path[strings.LastIndexByte(path, '.')+1:]}
	c.inspected = lookedInto(c.method)
	c.requests.queue = messageQueue{call: c, direction: model.Requests, deliver: c.sendRequest, back: cn.toClient}
	c.replies.queue = messageQueue{call: c, direction: model.Replies, deliver: c.sendReply, back: cn.toMember}
	if c.method == methodKeepAlive {
		c.renewals = c.proxy.holds.renewals(cn, c)
	}
	cn.mu.Lock()
	cn.calls[u.stream] = c
	cn.mu.Unlock()
	return cn.toMember.header(u)
}

// call returns the call of that stream, nil if there is none or it is over.
func (cn *connection) call(stream uint32) *call {
	cn.mu.Lock()
	defer cn.mu.Unlock()
	return cn.calls[stream]
}

// calm says whether no fault can act on what comes in that direction.
func (c *call) calm(f *flow) bool {
	for _, x := range c.proxy.faults.now().list {
		if x.lease != 0 || x.appliesTo(c.conn.route) {
			return false
		}
	}
	return !f.queue.queues && f.partial == nil
}

// scan finds the messages that a frame which passes completes.
func (c *call) scan(f *flow, u *frame, whole func(text []byte)) {
	f.message = nil
	for b := u.data; len(b) > 0; {
		part := f.messages.next(b, c.inspected)
		if part.last {
			whole(part.text)
		}
		b = b[part.size:]
	}
}

// inspectRequest sees requests, or the client's half-close.
func (c *call) inspectRequest(u *frame) (pass bool, err error) {
	if c.calm(&c.requests) && (c.renewals == nil || !c.renewals.busy()) {
		c.scan(&c.requests, u, func(text []byte) {
			c.requested(text)
			c.sending(text)
		})
		return true, nil
	}
	if err := c.conn.toMember.setAside(u); err != nil {
		return false, err
	}
	c.conn.toClient.credit(c.stream, u.pad)
	return false, c.requests.pieces(u, c.inspected, c.renewals != nil, func(p *piece) error {
		if p.last {
			c.requested(p.text)
		}
		return c.requests.queue.pass(p)
	})
}

// sendRequest sends a piece to the member.
func (c *call) sendRequest(p *piece) error {
	if p.last && !c.sending(p.text) {
		return errOver
	}
	if c.renewals != nil && (p.last || p.end) {
		return c.renewals.pass(p)
	}
	return c.send(p)
}

// send implements sink.
func (c *call) send(p *piece) error { return c.write(c.conn.toMember, p) }

// write writes a piece, unless the call is over.
func (c *call) write(to *frames, p *piece) error {
	return to.insert(func() error {
		switch {
		case c.ended.Load():
			return errOver
		case p.reset:
			return to.framer.WriteRSTStream(c.stream, p.code)
		case p.fields != nil:
			return to.headers(c.stream, p.fields, p.end)
		}
		return to.framer.WriteData(c.stream, p.end, p.data)
	})
}

// forget implements sink.
func (c *call) forget(p *piece) { c.requests.queue.forget(p) }

// header sees the header of the answers, or the status after them.
func (c *call) header(u *frame) (pass bool, err error) {
	to := c.conn.toClient
	if !u.ends() && !c.dropped {
		c.headed.Store(true)
		return to.header(u)
	}
	code, text := statusOf(u.fields)
	// That the client's time is up it knows by itself, and it does not matter who
	// notices first.
	isAnswer := code != codes.OK && code != codes.DeadlineExceeded && code != codes.Canceled
	if u.ends() && isAnswer && !c.dropped {
		c.refused(code, text)
	}
	if c.calm(&c.replies) && !c.dropped {
		if isAnswer {
			c.writes.noteAnswer()
		}
		c.end()
		return to.header(u)
	}
	if err := to.setAside(u); err != nil {
		return false, err
	}
	p := &piece{fields: slices.Clone(u.fields), end: true}
	if isAnswer {
		p.message, p.first, p.last = &message{}, true, true
	}
	return false, c.pass(p)
}

// statusOf reads the status that a call ends with, OK if there is none.
func statusOf(fields []hpack.HeaderField) (code codes.Code, text string) {
	for _, f := range fields {
		switch f.Name {
		case "grpc-status":
			n, _ := strconv.ParseUint(f.Value, 10, 32) // what is no number says nothing
			code = codes.Code(n)
		case "grpc-message":
			text = f.Value
			if plain, err := url.PathUnescape(text); err == nil {
				text = plain
			}
		}
	}
	return code, text
}

// answer sees answers.
func (c *call) answer(u *frame) (pass bool, err error) {
	if c.calm(&c.replies) && !c.dropped {
		c.scan(&c.replies, u, func(text []byte) {
			c.answered(text)
			if c.method == methodWatch {
				c.watches.answered(c, text)
			}
			c.writes.noteAnswer()
		})
		if u.ends() {
			c.end()
		}
		return true, nil
	}
	if err := c.conn.toClient.setAside(u); err != nil {
		return false, err
	}
	c.conn.toMember.credit(c.stream, u.pad)
	return false, c.replies.pieces(u, c.inspected, false, func(p *piece) error {
		if p.last {
			c.answered(p.text)
		}
		return c.pass(p)
	})
}

// reset sees the member break the call off.
func (c *call) reset(u *frame) (pass bool, err error) {
	if !c.dropped && !c.replies.queue.queues {
		c.end()
		return true, nil
	}
	if err := c.conn.toClient.setAside(u); err != nil || len(u.data) < 4 {
		return false, err
	}
	return false, c.pass(&piece{reset: true, code: http2.ErrCode(binary.BigEndian.Uint32(u.data)), end: true})
}

// pass passes a piece of the answers on, unless they are dropped.
func (c *call) pass(p *piece) error {
	if p.first && !c.dropped {
		if x := c.drops(); x != nil {
			c.drop(x)
		}
	}
	if c.dropped {
		c.conn.toMember.credit(c.stream, len(p.data))
		return nil
	}
	return c.replies.queue.pass(p)
}

// sendReply sends a piece to the client.
func (c *call) sendReply(p *piece) error {
	if p.last && c.method == methodWatch && p.fields == nil {
		c.watches.answered(c, p.text)
	}
	if err := c.write(c.conn.toClient, p); err != nil {
		return err
	}
	if p.last {
		c.writes.noteAnswer()
	}
	if p.end {
		c.end()
	}
	return nil
}

// drop keeps the call open with no answer until its client gives up or the fault is
// healed, while the member may go on.
func (c *call) drop(x *injected) {
	c.dropped = true
	c.conn.toClient.rewrites = true
	ctx := c.context()
	c.conn.Go(func() {
		select {
		case <-x.healed:
		case <-ctx.Done():
			return
		}
		lost := &piece{end: true, fields: []hpack.HeaderField{
			{Name: "grpc-status", Value: strconv.Itoa(int(codes.Unavailable))},
			{Name: "grpc-message", Value: "the answer was lost on the way"}}}
		if !c.headed.Load() {
			lost.fields = append([]hpack.HeaderField{{Name: ":status", Value: "200"},
				{Name: "content-type", Value: "application/grpc"}}, lost.fields...)
		}
		// Should one of them fail, the connection is lost or the client has given up.
		_ = c.write(c.conn.toMember, &piece{reset: true, code: http2.ErrCodeCancel})
		_ = c.write(c.conn.toClient, lost)
		c.end()
	})
}

// context ends with the call.
func (c *call) context() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil {
		c.ctx, c.cancel = context.WithCancel(c.conn.Context())
		if c.ended.Load() {
			c.cancel()
		}
	}
	return c.ctx
}

// requested learns from a request when it comes.
func (c *call) requested(text []byte) {
	switch c.method {
	case methodKeepAlive:
		id := renewedLease(text)
		c.lease.Store(int64(id))
		c.proxy.owns(c.conn, id, true)
		c.proxy.asked.renews(c)
	case methodRevoke:
		// Should the revoke fail, the next renewal reports the owner again.
		id := number(text, 1)
		c.lease.Store(id)
		c.proxy.owners.forgetLease(model.LeaseID(id))
	default:
		c.writes.noteRequest(c.method, text, c.proxy.now())
	}
}

// sending learns from a request before it goes to the member. It may not go if the
// call is over.
func (c *call) sending(text []byte) bool {
	if c.method == methodWatch {
		c.watches.requested(c, text)
	}
	return c.writes.sending()
}

// answered learns from an answer when it comes.
func (c *call) answered(text []byte) {
	switch c.method {
	case methodGrant:
		c.proxy.owns(c.conn, model.LeaseID(number(text, 2)), false) // the header is before it
		return
	case methodTxn:
		c.held.Store(number(text, 2) != 0)
		c.failed.Store(number(text, 2) == 0)
		c.readOlder.Store(readsOlder(text))
	case methodRevoke:
		if text != nil {
			rev, _ := readAnswer(c.method, text)
			c.revoked.Store(rev)
		}
	}
	c.writes.answered(c.method, text)
}

// end ends the call and reports what it came to.
func (c *call) end() {
	c.mu.Lock()
	if c.ended.Swap(true) {
		c.mu.Unlock()
		return
	}
	if c.cancel != nil {
		c.cancel()
	}
	c.mu.Unlock()
	c.conn.mu.Lock()
	delete(c.conn.calls, c.stream)
	c.conn.mu.Unlock()
	if c.renewals != nil {
		c.proxy.holds.ended(c.renewals)
	}
	wrote := c.writes.end()
	for _, w := range wrote {
		w.At, w.Client = c.proxy.now(), c.conn.identity()
		c.proxy.report(w)
	}
	switch c.method {
	case methodRevoke:
		c.proxy.report(model.Revoked{At: c.proxy.now(), Client: c.conn.identity(), Lease: model.LeaseID(c.lease.Load()), Rev: c.revoked.Load()})
	case methodWatch:
		c.watches.end(c)
	}
	c.proxy.asked.call(c, wrote)
}

// lookedInto says whether messages of that method are evidence.
func lookedInto(method string) bool {
	switch method {
	case methodGrant, methodKeepAlive, methodRevoke, methodTxn, methodWatch:
		return true
	}
	return requestWrites[method] != nil
}

// renewedLease returns the lease that a LeaseKeepAlive request is for, 0 if it
// cannot be read.
func renewedLease(text []byte) model.LeaseID { return model.LeaseID(number(text, 1)) }
