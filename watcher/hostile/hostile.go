// Package hostile is a small etcd server for tests that answers as it is told to: well,
// but for what a test changes in an answer.
//
//	s := hostile.Start(t, "127.0.0.1:0")
//	s.Alter(func(method string, answer any) any { … })
package hostile

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
)

// Server is an etcd of one member. It has the keys that a test gives it, all of them on
// leases of a minute, and no history.
type Server struct {
	// Addr is where it listens.
	Addr string

	pb.UnimplementedKVServer
	pb.UnimplementedWatchServer
	pb.UnimplementedLeaseServer
	pb.UnimplementedMaintenanceServer
	pb.UnimplementedClusterServer
	pb.UnimplementedAuthServer

	mu      sync.Mutex
	cluster uint64
	streams bool
	rev     int64
	kvs     []*mvccpb.KeyValue
	alter   func(method string, answer any) any
	total   int64 // of keys that lists makes
	lists   func(n int64) []*mvccpb.KeyValue
	wrote   []string
	watches map[aWatch]bool
}

// Start serves on an address until the test ends. The cluster has the id 0xc1 and stands
// at revision 10.
func Start(t testing.TB, addr string) *Server {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Addr: l.Addr().String(), cluster: 0xc1, rev: 10, watches: map[aWatch]bool{}}
	g := grpc.NewServer(grpc.UnaryInterceptor(s.unary), grpc.StreamInterceptor(s.stream))
	pb.RegisterKVServer(g, s)
	pb.RegisterWatchServer(g, s)
	pb.RegisterLeaseServer(g, s)
	pb.RegisterMaintenanceServer(g, s)
	pb.RegisterClusterServer(g, s)
	pb.RegisterAuthServer(g, s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = g.Serve(l) // ends with Stop
	}()
	t.Cleanup(func() {
		g.Stop()
		<-done
	})
	return s
}

// Become makes it another cluster, at that revision, with these keys.
func (s *Server) Become(cluster uint64, rev int64, keys ...*mvccpb.KeyValue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cluster, s.rev, s.kvs = cluster, rev, keys
}

// Alter sets what becomes of every answer: the method is the name of the RPC ("Range"), nil
// is an answer that never comes, and an error takes the answer's place. Without it answers
// are those of an etcd.
func (s *Server) Alter(f func(method string, answer any) any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alter = f
}

// List makes it have so many keys that they are made as they are asked for: the next n.
func (s *Server) List(total int64, next func(n int64) []*mvccpb.KeyValue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total, s.lists = total, next
}

// Stream makes it answer lists as a 3.7 does, in chunks, each of one key here. Without it
// it knows no such lists.
func (s *Server) Stream() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = true
}

// Tell sends a message on every watch that is open.
func (s *Server) Tell(msg *pb.WatchResponse) {
	s.mu.Lock()
	if msg.Header == nil {
		msg.Header = s.header()
	}
	open := slices.Collect(maps.Keys(s.watches))
	s.mu.Unlock()
	for _, w := range open { // one that does not read needs us for its next answer
		w.tell(msg)
	}
}

// aWatch is one that is open.
type aWatch struct {
	told chan *pb.WatchResponse
	ctx  context.Context
}

func (w aWatch) tell(msg *pb.WatchResponse) {
	select {
	case w.told <- msg:
	case <-w.ctx.Done():
	}
}

// Watches returns how many watches are open.
func (s *Server) Watches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watches)
}

// Wrote returns the requests to write that it got.
func (s *Server) Wrote() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.wrote)
}

// Key is a claim of a lock on a lease, created at rev.
func Key(lock string, lease, rev int64) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{Key: fmt.Appendf(nil, "%s/%x", lock, lease), CreateRevision: rev, ModRevision: rev, Version: 1, Lease: lease}
}

func (s *Server) header() *pb.ResponseHeader {
	return &pb.ResponseHeader{ClusterId: s.cluster, MemberId: 1, Revision: s.rev, RaftTerm: 2}
}

func (s *Server) altered(method string, answer any) any {
	s.mu.Lock()
	f := s.alter
	s.mu.Unlock()
	if f == nil {
		return answer
	}
	return f(method[strings.LastIndex(method, "/")+1:], answer)
}

func (s *Server) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	resp, err := next(ctx, req)
	if err != nil {
		return nil, err
	}
	resp = s.altered(info.FullMethod, resp)
	if err, ok := resp.(error); ok {
		return nil, err
	}
	if resp == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return resp, nil
}

func (s *Server) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return next(srv, &alteredStream{ss, s, info.FullMethod})
}

type alteredStream struct {
	grpc.ServerStream
	s      *Server
	method string
}

// SendMsg implements grpc.ServerStream.
func (a *alteredStream) SendMsg(msg any) error {
	msg = a.s.altered(a.method, msg)
	if err, ok := msg.(error); ok || msg == nil {
		return err
	}
	return a.ServerStream.SendMsg(msg)
}

// Range implements pb.KVServer.
func (s *Server) Range(_ context.Context, r *pb.RangeRequest) (*pb.RangeResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	resp := &pb.RangeResponse{Header: s.header()}
	if s.lists != nil {
		if resp.Count = s.total; r.Limit > 0 && !r.CountOnly {
			resp.Kvs, resp.More = s.lists(min(r.Limit, s.total)), r.Limit < s.total
			s.total -= int64(len(resp.Kvs))
		}
		return resp, nil
	}
	for _, kv := range s.kvs {
		key, end := string(kv.Key), string(r.RangeEnd)
		if key == string(r.Key) || end != "" && key >= string(r.Key) && (end == "\x00" || key < end) {
			resp.Kvs = append(resp.Kvs, kv)
		}
	}
	resp.Count = int64(len(resp.Kvs))
	if r.CountOnly {
		resp.Kvs = nil
	}
	return resp, nil
}

// RangeStream implements pb.KVServer.
func (s *Server) RangeStream(r *pb.RangeRequest, w pb.KV_RangeStreamServer) error {
	s.mu.Lock()
	streams := s.streams
	s.mu.Unlock()
	if !streams {
		return s.UnimplementedKVServer.RangeStream(r, w)
	}
	last, err := s.Range(w.Context(), r)
	if err != nil {
		return err
	}
	for len(last.Kvs) > 1 {
		chunk := &pb.RangeResponse{Kvs: last.Kvs[:1]}
		last.Kvs = last.Kvs[1:]
		if err := w.Send(&pb.RangeStreamResponse{RangeResponse: chunk}); err != nil {
			return err
		}
	}
	return w.Send(&pb.RangeStreamResponse{RangeResponse: last})
}

// Txn implements pb.KVServer. It succeeds and changes nothing.
func (s *Server) Txn(_ context.Context, t *pb.TxnRequest) (*pb.TxnResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrote = append(s.wrote, "txn")
	resp := &pb.TxnResponse{Header: s.header(), Succeeded: true}
	for range t.Success {
		resp.Responses = append(resp.Responses, &pb.ResponseOp{Response: &pb.ResponseOp_ResponseDeleteRange{
			ResponseDeleteRange: &pb.DeleteRangeResponse{Deleted: 1}}})
	}
	return resp, nil
}

// LeaseRevoke implements pb.LeaseServer. It changes nothing.
func (s *Server) LeaseRevoke(context.Context, *pb.LeaseRevokeRequest) (*pb.LeaseRevokeResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrote = append(s.wrote, "revoke")
	return &pb.LeaseRevokeResponse{Header: s.header()}, nil
}

// LeaseTimeToLive implements pb.LeaseServer.
func (s *Server) LeaseTimeToLive(_ context.Context, r *pb.LeaseTimeToLiveRequest) (*pb.LeaseTimeToLiveResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	resp := &pb.LeaseTimeToLiveResponse{Header: s.header(), ID: r.ID, TTL: -1}
	for _, kv := range s.kvs {
		if kv.Lease == r.ID {
			resp.TTL, resp.GrantedTTL = 59, 60
			resp.Keys = append(resp.Keys, kv.Key)
		}
	}
	return resp, nil
}

// LeaseLeases implements pb.LeaseServer.
func (s *Server) LeaseLeases(context.Context, *pb.LeaseLeasesRequest) (*pb.LeaseLeasesResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &pb.LeaseLeasesResponse{Header: s.header()}, nil
}

// Status implements pb.MaintenanceServer.
func (s *Server) Status(context.Context, *pb.StatusRequest) (*pb.StatusResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &pb.StatusResponse{Header: s.header(), Version: "3.6.0", Leader: 1, RaftTerm: 2}, nil
}

// MemberList implements pb.ClusterServer.
func (s *Server) MemberList(context.Context, *pb.MemberListRequest) (*pb.MemberListResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &pb.MemberListResponse{Header: s.header(), Members: []*pb.Member{{ID: 1, Name: "m1", ClientURLs: []string{"http://" + s.Addr}}}}, nil
}

// Authenticate implements pb.AuthServer. It lets everybody in.
func (s *Server) Authenticate(context.Context, *pb.AuthenticateRequest) (*pb.AuthenticateResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &pb.AuthenticateResponse{Header: s.header(), Token: "a"}, nil
}

// Watch implements pb.WatchServer.
func (s *Server) Watch(w pb.Watch_WatchServer) error {
	this := aWatch{make(chan *pb.WatchResponse, 16), w.Context()}
	defer func() {
		s.mu.Lock()
		delete(s.watches, this)
		s.mu.Unlock()
	}()
	asked := make(chan *pb.WatchRequest)
	go func() {
		defer close(asked)
		for {
			r, err := w.Recv()
			if err != nil {
				return
			}
			select {
			case asked <- r:
			case <-w.Context().Done():
				return
			}
		}
	}()
	for {
		var msg *pb.WatchResponse
		select {
		case r, ok := <-asked:
			if !ok {
				return nil
			}
			s.mu.Lock()
			msg = &pb.WatchResponse{Header: s.header(), Created: r.GetCreateRequest() != nil}
			s.mu.Unlock()
			if !msg.Created && r.GetProgressRequest() == nil {
				continue
			}
			if !msg.Created {
				msg.WatchId = -1
			}
		case msg = <-this.told:
		case <-w.Context().Done():
			return nil
		}
		if err := w.Send(msg); err != nil {
			return err
		}
		if msg.Created { // before that its client knows of no watch
			s.mu.Lock()
			s.watches[this] = true
			s.mu.Unlock()
		}
	}
}
