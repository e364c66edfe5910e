package soak

import (
	"context"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
)

// hears lets the ledger hear of every grant and every renewal of a client: when it was
// asked for and when it was answered. In between it happened.
func hears(lg *ledger, client int) []grpc.DialOption {
	grants := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		asked := time.Now()
		err := invoke(ctx, method, req, reply, cc, opts...)
		if r, ok := reply.(*pb.LeaseGrantResponse); ok && err == nil {
			lg.renewed(client, clientv3.LeaseID(r.ID), r.TTL, beat{asked, time.Now()})
		}
		return err
	}
	renewals := func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		if err != nil || method != pb.Lease_LeaseKeepAlive_FullMethodName {
			return s, err
		}
		return &renewing{ClientStream: s, ledger: lg, client: client, asked: map[int64][]time.Time{}}, nil
	}
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(grants), grpc.WithChainStreamInterceptor(renewals)}
}

// renewing is a stream of renewals. Answers come in the order of the questions.
type renewing struct {
	grpc.ClientStream
	ledger *ledger
	client int
	mu     sync.Mutex
	asked  map[int64][]time.Time // by lease, what is not answered yet
}

func (r *renewing) SendMsg(m any) error {
	if q, ok := m.(*pb.LeaseKeepAliveRequest); ok {
		r.mu.Lock()
		r.asked[q.ID] = append(r.asked[q.ID], time.Now())
		r.mu.Unlock()
	}
	return r.ClientStream.SendMsg(m)
}

func (r *renewing) RecvMsg(m any) error {
	err := r.ClientStream.RecvMsg(m)
	a, ok := m.(*pb.LeaseKeepAliveResponse)
	if err != nil || !ok {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if asked := r.asked[a.ID]; len(asked) > 0 {
		r.asked[a.ID] = asked[1:]
		if a.TTL > 0 { // the lease is there
			r.ledger.renewed(r.client, clientv3.LeaseID(a.ID), a.TTL, beat{asked[0], time.Now()})
		}
	}
	return nil
}
