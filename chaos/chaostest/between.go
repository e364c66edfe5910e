package chaostest

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Between stands between clients and a member, and loses what a test says.
type Between struct {
	Addr   string
	server *grpc.Server

	mu     sync.Mutex
	member *grpc.ClientConn
	loses  map[string]Loss
	before map[string]func()
	conns  map[net.Conn]bool
	passed map[string]int
}

// Loss is what becomes of a call.
type Loss string

// Losses. With those of answers the member has done what was asked for.
const (
	AnswerNever       Loss = "the answer never comes"
	AnswerCut         Loss = "the connection is cut before the answer"
	AnswerUnavailable Loss = "a proxy answers in its place: unavailable"
	AnswerReset       Loss = "a proxy answers in its place: internal"
	AnswerTooLate     Loss = "a proxy answers in its place: deadline exceeded"
	RequestNever      Loss = "the request never arrives"
	RequestCut        Loss = "the connection is cut before the request arrives"
)

// NewBetween stands before a member until the test ends.
func NewBetween(t testing.TB, member string) *Between {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Must(t, err)
	b := &Between{Addr: l.Addr().String(), loses: map[string]Loss{}, before: map[string]func(){}, conns: map[net.Conn]bool{}, passed: map[string]int{}}
	b.Lead(t, member)
	b.server = grpc.NewServer(grpc.ForceServerCodecV2(RawCodec{}), grpc.UnknownServiceHandler(b.handle))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = b.server.Serve(listens{l, b}) // ends with Stop
	}()
	t.Cleanup(func() {
		b.server.Stop()
		<-done
	})
	return b
}

// Lead makes what comes from now on go to another member.
func (b *Between) Lead(t testing.TB, member string) {
	t.Helper()
	c, err := grpc.NewClient(member, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(RawCodec{})))
	Must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	b.mu.Lock()
	defer b.mu.Unlock()
	b.member = c
}

// Lose makes every call of a method end so from now on: "LeaseRevoke".
func (b *Between) Lose(method string, how Loss) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.loses[method] = how
}

// Before makes something happen once, when the next call of a method has come and before it
// is passed on.
func (b *Between) Before(method string, f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.before[method] = f
}

// Came returns how many calls of a method have come.
func (b *Between) Came(method string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.passed[method]
}

// Cut cuts every connection of the clients.
func (b *Between) Cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.conns {
		_ = c.Close()
	}
}

func (b *Between) handle(_ any, from grpc.ServerStream) error {
	full, _ := grpc.MethodFromServerStream(from)
	method := full[strings.LastIndex(full, "/")+1:]
	b.mu.Lock()
	how, before := b.loses[method], b.before[method]
	delete(b.before, method)
	b.passed[method]++
	b.mu.Unlock()
	if before != nil {
		before()
	}
	b.mu.Lock()
	to := b.member
	b.mu.Unlock()
	ctx := from.Context()
	switch how {
	case RequestCut:
		b.Cut()
		return status.Error(codes.Unavailable, "cut")
	case RequestNever:
		<-ctx.Done()
		return ctx.Err()
	}
	head, _ := metadata.FromIncomingContext(ctx)
	call, err := to.NewStream(metadata.NewOutgoingContext(ctx, head), AnyStream, full)
	if err != nil {
		return err
	}
	go func() {
		for {
			var f Frame
			if err := from.RecvMsg(&f); err != nil {
				_ = call.CloseSend()
				return
			}
			if call.SendMsg(&f) != nil {
				return
			}
		}
	}()
	for {
		var f Frame
		switch err := call.RecvMsg(&f); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		switch how {
		case AnswerCut:
			b.Cut()
			return status.Error(codes.Unavailable, "cut")
		case AnswerNever:
			<-ctx.Done()
			return ctx.Err()
		case AnswerUnavailable:
			return status.Error(codes.Unavailable, "upstream connect error")
		case AnswerReset:
			return status.Error(codes.Internal, "stream terminated")
		case AnswerTooLate:
			return status.Error(codes.DeadlineExceeded, "upstream request timeout")
		}
		if err := from.SendMsg(&f); err != nil {
			return err
		}
	}
}

// listens keeps the connections, so that they can be cut.
type listens struct {
	net.Listener
	b *Between
}

// Accept implements net.Listener.
func (l listens) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	l.b.conns[c] = true
	return c, nil
}
