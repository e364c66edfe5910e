package watcher

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
)

// standIn is a member of two that answers what a round of status asks. No real server
// can be brought to list a lease that its leader does not know.
type standIn struct {
	pb.UnimplementedMaintenanceServer
	pb.UnimplementedClusterServer
	pb.UnimplementedKVServer
	pb.UnimplementedLeaseServer
	id     uint64
	leases []int64
	count  int64
	third  bool          // it knows a member that is not there
	late   time.Duration // its answers
}

func (m *standIn) header() *pb.ResponseHeader {
	return &pb.ResponseHeader{ClusterId: 9, MemberId: m.id, Revision: 40, RaftTerm: 3}
}

func (m *standIn) Status(ctx context.Context, _ *pb.StatusRequest) (*pb.StatusResponse, error) {
	select {
	case <-time.After(m.late):
	case <-ctx.Done():
	}
	return &pb.StatusResponse{Header: m.header(), Version: "3.6.1", Leader: 1, RaftTerm: 3}, nil
}

func (m *standIn) MemberList(context.Context, *pb.MemberListRequest) (*pb.MemberListResponse, error) {
	members := []*pb.Member{{ID: 1, Name: "m1"}, {ID: 2, Name: "m2"}}
	if m.third {
		members = append(members, &pb.Member{ID: 3, Name: "m3"})
	}
	return &pb.MemberListResponse{Header: m.header(), Members: members}, nil
}

func (m *standIn) Range(context.Context, *pb.RangeRequest) (*pb.RangeResponse, error) {
	return &pb.RangeResponse{Header: m.header(), Count: m.count}, nil
}

func (m *standIn) LeaseLeases(context.Context, *pb.LeaseLeasesRequest) (*pb.LeaseLeasesResponse, error) {
	resp := &pb.LeaseLeasesResponse{Header: m.header()}
	for _, id := range m.leases {
		resp.Leases = append(resp.Leases, &pb.LeaseStatus{ID: id})
	}
	return resp, nil
}

// serve lets the members answer on loopback, and returns a client of them.
func serve(t *testing.T, members ...*standIn) *clientv3.Client {
	t.Helper()
	var endpoints []string
	for _, m := range members {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := grpc.NewServer()
		pb.RegisterMaintenanceServer(s, m)
		pb.RegisterClusterServer(s, m)
		pb.RegisterKVServer(s, m)
		pb.RegisterLeaseServer(s, m)
		done := make(chan struct{})
		go func() { defer close(done); _ = s.Serve(l) }()
		t.Cleanup(func() { s.Stop(); <-done })
		endpoints = append(endpoints, l.Addr().String())
	}
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestMembersAreHeldAgainstEachOther(t *testing.T) {
	const left = "1 of 3 members could not be asked: name the endpoints of all"
	rows := []struct {
		reason   string
		second   standIn
		lists    bool
		want     []model.Code
		unlisted string
	}{
		{reason: "they agree", second: standIn{leases: []int64{5, 6}, count: 7}, lists: true},
		{reason: "the third has no endpoint here", second: standIn{leases: []int64{5, 6}, count: 7, third: true}, lists: true, unlisted: left},
		{reason: "nor is it missed where nobody asked", second: standIn{leases: []int64{5, 6}, count: 7, third: true}},
		{reason: "what the second lists is found all the same", second: standIn{leases: []int64{5, 6, 8}, count: 7, third: true}, lists: true,
			want: []model.Code{model.CodeLeaseGhostList}, unlisted: left},
		{reason: "the leader does not know lease 8", second: standIn{leases: []int64{5, 6, 8}, count: 7}, lists: true, want: []model.Code{model.CodeLeaseGhostList}},
		{reason: "nobody asked for the lists", second: standIn{leases: []int64{5, 6, 8}, count: 7}},
		{reason: "a follower that lacks a lease lags", second: standIn{leases: []int64{5}, count: 7}, lists: true},
		{reason: "one key less at the same revision", second: standIn{leases: []int64{5, 6}, count: 6}, want: []model.Code{model.CodeMemberDivergence}},
	}
	for _, r := range rows {
		t.Run(r.reason, func(t *testing.T) {
			r.second.id = 2
			w := New(serve(t, &standIn{id: 1, leases: []int64{5, 6}, count: 7, third: r.second.third}, &r.second),
				Options{OneLook: true, LeaseLists: r.lists, Timing: Timing{Settle: 10 * time.Millisecond}})
			defer w.Close()
			s := store.New()
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			for s.Cluster().At.IsZero() {
				b, err := w.Next(ctx, model.Want{})
				if err != nil {
					t.Fatal(err)
				}
				s.Apply(b)
			}
			var got []model.Code
			for _, f := range s.ClusterFindings() {
				got = append(got, f.Code)
			}
			if d := cmp.Diff(r.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if got := text.English(s.Cluster().Unlisted); got != r.unlisted {
				t.Errorf("the lists: %q, want %q", got, r.unlisted)
			}
		})
	}
}
