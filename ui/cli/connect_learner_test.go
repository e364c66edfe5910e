package cli

import (
	"context"
	"net"
	"strings"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
)

// unpromoted is a member that was added and not promoted yet: it tells its status, and refuses all else.
type unpromoted struct {
	pb.UnimplementedMaintenanceServer
}

func (unpromoted) Status(context.Context, *pb.StatusRequest) (*pb.StatusResponse, error) {
	return &pb.StatusResponse{Header: &pb.ResponseHeader{ClusterId: 1, MemberId: 2, Revision: 1, RaftTerm: 2}, Version: "3.7.3", IsLearner: true}, nil
}

// TestALearnerIsLeftOut: while a member is replaced its endpoint may be named, and every other request would
// go there and fail.
func TestALearnerIsLeftOut(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := grpc.NewServer(grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error { return rpctypes.ErrGRPCNotSupportedForLearner }))
	pb.RegisterMaintenanceServer(srv, unpromoted{})
	t.Cleanup(srv.Stop)
	go func() { _ = srv.Serve(l) }()
	b, added := newCLI(t), l.Addr().String()
	lease := b.lease(600)
	b.put("/jobs/a/"+lease, "", lease)
	for _, r := range []struct {
		reason, endpoints string
		code              int
		out, errs         string
	}{
		{"beside a voter", added + "," + b.endpoint, exitOK, "/jobs/a", "locktop: warning: " + added + " is left out: it is a learner"},
		{"behind a voter", b.endpoint + "," + added, exitOK, "/jobs/a", "locktop: warning: " + added + " is left out: it is a learner"},
		{"alone", added, exitBad, "", "no endpoint answers (" + added + ": it is a learner, which answers no reads until it is promoted: name a voting member)"},
	} {
		var out, errs strings.Builder
		code := Main([]string{"ls", "--prefix", "/jobs/", "--endpoints", r.endpoints}, strings.NewReader(""), &out, &errs)
		if code != r.code || !strings.Contains(out.String(), r.out) || !strings.Contains(errs.String(), r.errs) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q", r.reason, code, out.String(), errs.String())
		}
	}
}
