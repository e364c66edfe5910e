package chaos

import (
	"context"
	"errors"
	"io"

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

// call is one RPC on its way through the proxy.
type call struct {
	proxy  *Proxy
	link   *link
	method string
	from   grpc.ServerStream // to the client
	to     grpc.ClientStream // to the member
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
	ctx, cancel := context.WithCancel(outgoing(from.Context()))
	defer cancel()
	to, err := l.backend.NewStream(ctx, anyStream, method)
	if err != nil {
		return err
	}
	c := &call{proxy: p, link: l, method: method, from: from, to: to}
	p.wg.Go(func() {
		if err := c.requests(ctx); err != nil {
			cancel() // the client is gone
		}
	})
	return c.answers()
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
func (c *call) requests(ctx context.Context) error {
	var out sink = c.to
	if c.method == pb.Lease_LeaseKeepAlive_FullMethodName {
		r := c.proxy.holds.renewals(c.link.client, c.to)
		defer c.proxy.holds.ended(r)
		out = r
		// What it holds outlives the client's half-close: stay until the call
		// is over.
		defer func() { <-ctx.Done() }()
	}
	for {
		f := &frame{}
		err := c.from.RecvMsg(f)
		if errors.Is(err, io.EOF) {
			_ = out.CloseSend()
			return nil
		}
		if err != nil {
			return err
		}
		c.requested(f)
		if err := out.SendMsg(f); err != nil {
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
	for {
		f := &frame{}
		err := c.to.RecvMsg(f)
		if err != nil {
			c.from.SetTrailer(c.to.Trailer())
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		c.answered(f)
		if err := c.from.SendMsg(f); err != nil {
			return err
		}
	}
}

// requested learns from a request before it passes.
func (c *call) requested(f *frame) {
	switch c.method {
	case pb.Lease_LeaseKeepAlive_FullMethodName:
		c.proxy.owns(c.link, renewedLease(f))
	case pb.Lease_LeaseRevoke_FullMethodName:
		// Should the revoke fail, the next renewal reports the owner again.
		var r pb.LeaseRevokeRequest
		if proto.Unmarshal(f.data, &r) == nil {
			c.proxy.owners.forgetLease(model.LeaseID(r.ID))
		}
	}
}

// answered learns from an answer before it passes.
func (c *call) answered(f *frame) {
	if c.method != pb.Lease_LeaseGrant_FullMethodName {
		return
	}
	var r pb.LeaseGrantResponse
	if proto.Unmarshal(f.data, &r) == nil {
		c.proxy.owns(c.link, model.LeaseID(r.ID))
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
