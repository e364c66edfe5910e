package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"locktop/chaos/chaostest"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// startBackend runs a gRPC server that answers every method with the handler.
func startBackend(t *testing.T, h grpc.StreamHandler) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	chaostest.Must(t, err)
	s := grpc.NewServer(grpc.ForceServerCodecV2(chaostest.RawCodec{}), grpc.UnknownServiceHandler(h))
	go func() { _ = s.Serve(lis) }()
	t.Cleanup(s.Stop)
	return lis.Addr().String()
}

// throughProxy opens a stream of a client with its own listener.
func throughProxy(t *testing.T, ctx context.Context, backend string) grpc.ClientStream {
	t.Helper()
	p := startProxy(t, Options{Backends: []string{backend}})
	cc := behind(t, p, "a").ActiveConnection()
	s, err := cc.NewStream(ctx, chaostest.AnyStream, "/some.Service/Method", grpc.ForceCodecV2(chaostest.RawCodec{}))
	chaostest.Must(t, err)
	return s
}

func TestMetadataHeadersTrailersAndDetailsPass(t *testing.T) {
	t.Parallel()
	asked := make(chan metadata.MD, 1)
	ending, err := status.New(codes.Aborted, "no: \x00 and 世界").WithDetails(&pb.LeaseGrantRequest{ID: 77})
	chaostest.Must(t, err)
	s := throughProxy(t, metadata.AppendToOutgoingContext(chaostest.Within(t),
		"token", "secret", "hasleader", "true", "some-bin", "\x00\xff"), startBackend(t, func(_ any, s grpc.ServerStream) error {
		md, _ := metadata.FromIncomingContext(s.Context())
		asked <- md
		if err := s.SendHeader(metadata.Pairs("early", "1", "early", "2")); err != nil {
			return err
		}
		// Wait for the request, which is sent once the header has arrived.
		if err := s.RecvMsg(&chaostest.Frame{}); err != nil {
			return err
		}
		s.SetTrailer(metadata.Pairs("late", "3"))
		return ending.Err()
	}))

	header, err := s.Header() // before any message
	chaostest.Must(t, err)
	if d := cmp.Diff([]string{"1", "2"}, header.Get("early")); d != "" {
		t.Errorf("header (-want +got):\n%s", d)
	}
	md := <-asked
	for key, want := range map[string]string{"token": "secret", "hasleader": "true", "some-bin": "\x00\xff"} {
		if d := cmp.Diff([]string{want}, md.Get(key)); d != "" {
			t.Errorf("metadata %s (-want +got):\n%s", key, d)
		}
	}
	chaostest.Must(t, s.SendMsg(&chaostest.Frame{}))
	got := status.Convert(s.RecvMsg(&chaostest.Frame{}))
	if !proto.Equal(got.Proto(), ending.Proto()) {
		t.Errorf("status %v, want %v", got.Proto(), ending.Proto())
	}
	if d := cmp.Diff([]string{"3"}, s.Trailer().Get("late")); d != "" {
		t.Errorf("trailer (-want +got):\n%s", d)
	}
}

func TestHalfCloseAndDeadlinePass(t *testing.T) {
	t.Parallel()
	ctx := chaostest.Within(t)
	deadline, _ := ctx.Deadline()
	s := throughProxy(t, ctx, startBackend(t, func(_ any, s grpc.ServerStream) error {
		if at, ok := s.Context().Deadline(); !ok || at.Sub(deadline).Abs() > 10*time.Second {
			return status.Errorf(codes.Internal, "deadline %v %v", at, ok)
		}
		var n byte
		for {
			err := s.RecvMsg(&chaostest.Frame{})
			if errors.Is(err, io.EOF) {
				return s.SendMsg(&chaostest.Frame{Data: []byte{n}})
			}
			if err != nil {
				return err
			}
			n++
		}
	}))
	for range 3 {
		chaostest.Must(t, s.SendMsg(&chaostest.Frame{}))
	}
	chaostest.Must(t, s.CloseSend())
	f := &chaostest.Frame{}
	chaostest.Must(t, s.RecvMsg(f))
	if d := cmp.Diff([]byte{3}, f.Data); d != "" {
		t.Errorf("messages before the half-close (-want +got):\n%s", d)
	}
	if err := s.RecvMsg(f); !errors.Is(err, io.EOF) {
		t.Errorf("the end of the stream: %v, want EOF", err)
	}
}

func TestCancellationReachesTheMember(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(chaostest.Within(t))
	throughProxy(t, ctx, startBackend(t, func(_ any, s grpc.ServerStream) error {
		close(begun)
		<-s.Context().Done()
		close(ended)
		return nil
	}))
	<-begun
	cancel()
	select {
	case <-ended:
	case <-time.After(chaostest.Patience):
		t.Error("the member never heard of it")
	}
}
