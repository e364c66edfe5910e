package chaos

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"locktop/model"
)

// anyStream describes every RPC: a unary one is a stream of one message each way.
var anyStream = &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}

// unaryStream describes those of one message each way, and oneMessage are those of
// them that clients make often, without their packages.
var (
	unaryStream = &grpc.StreamDesc{}
	oneMessage  = map[string]bool{"KV/Range": true, "KV/Put": true, "KV/DeleteRange": true, "KV/Txn": true,
		methodGrant: true, methodRevoke: true, "Lease/LeaseTimeToLive": true}
)

// Methods that the proxy looks into, without their packages.
const (
	methodGrant     = "Lease/LeaseGrant"
	methodKeepAlive = "Lease/LeaseKeepAlive"
	methodRevoke    = "Lease/LeaseRevoke"
	methodWatch     = "Watch/Watch"
)

// call is one RPC on its way through the proxy.
type call struct {
	proxy  *Proxy
	link   *link
	method string // without its package
	ctx    context.Context
	from   grpc.ServerStream // to the client
	to     grpc.ClientStream // to the member

	lease   atomic.Int64 // of the latest request to renew or revoke
	writes  writes
	watches watches // only of methodWatch
}

// forward carries one RPC of a client to its member and the answers back. Headers,
// messages, half-close, cancellation, trailers and status pass as they are.
func (p *Proxy) forward(_ any, from grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(from)
	who, _ := peer.FromContext(from.Context())
	l, ok := who.AuthInfo.(*link)
	if !ok {
		return status.Error(codes.Internal, "the proxy does not know this connection")
	}
	l.speaks(from.Context())
	ctx, cancel := context.WithCancel(outgoing(from.Context()))
	defer cancel()
	c := &call{proxy: p, link: l, method: method[strings.LastIndexByte(method, '.')+1:], ctx: ctx, from: from}
	defer c.over()
	if oneMessage[c.method] {
		return c.unary(method)
	}
	var err error
	if c.to, err = l.backend.NewStream(ctx, anyStream, method); err != nil {
		return err
	}
	p.wg.Go(func() {
		if err := c.requests(); err != nil {
			cancel() // the client is gone
		}
	})
	return c.answers()
}

// unary carries a call that is known to be one message each way. It saves what a
// stream costs: a goroutine, and a packet each for headers, message and end.
func (c *call) unary(fullMethod string) error {
	f := &frame{}
	if err := c.from.RecvMsg(f); err != nil {
		return err
	}
	c.requested(f)
	out := lane{call: c, way: model.Requests, deliver: func(m *message) (err error) {
		if c.to, err = c.link.backend.NewStream(c.ctx, unaryStream, fullMethod); err != nil {
			return err
		}
		c.sending(f)
		_ = c.to.SendMsg(f) // should it fail, the status says why
		return nil
	}}
	if err := out.pass(&message{frame: f}); err != nil {
		return err
	}
	if err := out.drain(); err != nil {
		return err
	}
	answers := lane{call: c, way: model.Replies, deliver: c.give}
	answer := &frame{}
	err := c.to.RecvMsg(answer) // returns when the call has ended
	if header, err := c.to.Header(); err == nil {
		_ = c.from.SetHeader(header) // it fails only if one was sent
	}
	if err != nil {
		return c.end(&answers, err)
	}
	if err := c.answer(&answers, answer); err != nil {
		return err
	}
	return c.end(&answers, io.EOF)
}

// outgoing is the context for the member: the client's deadline, cancellation and
// metadata (token, hasleader, client-api-version). What gRPC says for itself on
// each connection stays behind.
func outgoing(ctx context.Context) context.Context {
	md, _ := metadata.FromIncomingContext(ctx)
	for _, own := range []string{":authority", "content-type", "user-agent", "grpc-accept-encoding"} {
		md.Delete(own)
	}
	return metadata.NewOutgoingContext(ctx, md)
}

// requests carries the client's messages until it half-closes or goes, which is
// the error. A member that has ended the call does not want the rest: that is no
// error, since the answers carry its status.
func (c *call) requests() error {
	var out sink = c.to
	if c.method == methodKeepAlive {
		r := c.proxy.holds.renewals(c.link, c.to)
		defer c.proxy.holds.ended(r)
		out = r
		// What it holds outlives the client's half-close: stay until the call
		// is over.
		defer func() { <-c.ctx.Done() }()
	}
	lane := lane{call: c, way: model.Requests, deliver: func(m *message) error {
		if !c.sending(m.frame) {
			return context.Canceled
		}
		return out.SendMsg(m.frame)
	}}
	for {
		f := &frame{}
		err := c.from.RecvMsg(f)
		if errors.Is(err, io.EOF) {
			if lane.drain() == nil {
				_ = out.CloseSend()
			}
			return nil
		}
		if err != nil {
			return err
		}
		c.requested(f)
		if lane.pass(&message{frame: f}) != nil {
			return nil
		}
	}
}

// answers carries the member's messages and returns the status it ends with.
func (c *call) answers() error {
	// No header, or an error: the status is all there is, and RecvMsg has it.
	if header, err := c.to.Header(); err == nil && len(header) > 0 {
		if err := c.from.SendHeader(header); err != nil {
			return err
		}
	}
	lane := lane{call: c, way: model.Replies, deliver: c.give}
	for {
		f := &frame{}
		if err := c.to.RecvMsg(f); err != nil {
			return c.end(&lane, err)
		}
		if err := c.answer(&lane, f); err != nil {
			return err
		}
	}
}

// answer passes on a message of the member's.
func (c *call) answer(lane *lane, f *frame) error {
	c.answered(f)
	if x := c.drops(); x != nil {
		return c.dropped(x)
	}
	return lane.pass(&message{frame: f})
}

// end gives the client the status that the member ends the call with: after all
// answers, and where it is a refusal as one more of them.
func (c *call) end(answers *lane, err error) error {
	c.from.SetTrailer(c.to.Trailer())
	if c.answersWith(err) {
		c.refused(err)
		if x := c.drops(); x != nil {
			return c.dropped(x)
		}
		if err := answers.pass(&message{}); err != nil {
			return err
		}
	}
	if err := answers.drain(); err != nil {
		return err
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// answersWith says whether the error is the member's answer. It is not if it comes
// from this end, which has no trailer, or says that the client's time is up, which
// the member may notice first.
func (c *call) answersWith(err error) bool {
	code := status.Code(err)
	return !errors.Is(err, io.EOF) && len(c.to.Trailer()) > 0 &&
		code != codes.DeadlineExceeded && code != codes.Canceled
}

// give delivers an answer, or with no frame the word that the call has ended.
func (c *call) give(m *message) error {
	if m.frame == nil {
		c.writes.given()
		return nil
	}
	if c.method == methodWatch {
		c.watches.answered(c, m.frame)
	}
	if err := c.from.SendMsg(m.frame); err != nil {
		return err
	}
	c.writes.given()
	return nil
}

// requested learns from a request when it comes.
func (c *call) requested(f *frame) {
	switch c.method {
	case methodKeepAlive:
		id := renewedLease(f)
		c.lease.Store(int64(id))
		c.proxy.owns(c.link, id, true)
	case methodRevoke:
		// Should the revoke fail, the next renewal reports the owner again.
		var r pb.LeaseRevokeRequest
		if proto.Unmarshal(f.data, &r) == nil {
			c.lease.Store(r.ID)
			c.proxy.owners.forgetLease(model.LeaseID(r.ID))
		}
	default:
		c.writes.asked(c.method, f)
	}
}

// sending learns from a request before it goes to the member. It may not go if the
// call is over.
func (c *call) sending(f *frame) bool {
	if c.method == methodWatch {
		c.watches.requested(c, f)
	}
	return c.writes.sending()
}

// answered learns from an answer when it comes.
func (c *call) answered(f *frame) {
	if c.method != methodGrant {
		c.writes.answered(c.method, f)
		return
	}
	var r pb.LeaseGrantResponse
	if proto.Unmarshal(f.data, &r) == nil {
		c.proxy.owns(c.link, model.LeaseID(r.ID), false)
	}
}

// over reports what the call came to.
func (c *call) over() {
	for _, w := range c.writes.over() {
		w.At, w.Client = c.proxy.now(), c.link.who()
		c.proxy.report(w)
	}
	if c.method == methodWatch {
		c.watches.over(c)
	}
}

// renewedLease returns the lease that a LeaseKeepAlive request is for, 0 if it
// cannot be read.
func renewedLease(f *frame) model.LeaseID {
	var r pb.LeaseKeepAliveRequest
	if proto.Unmarshal(f.data, &r) != nil {
		return 0
	}
	return model.LeaseID(r.ID)
}
