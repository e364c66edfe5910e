package chaos

import (
	"context"
	"errors"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"locktop/watcher/validate"
)

// once are the writes that are sent once.
var once = map[string]bool{pb.Lease_LeaseRevoke_FullMethodName: true, pb.KV_Txn_FullMethodName: true}

// Once returns a dial option by which a revoke and a transaction are sent once. Where no
// answer comes that tells what etcd did, the error is one of [Unsure]. The client library would
// send a revoke again, perhaps to another cluster behind the same address, and its second
// answer ("lease not found") hides what the first request did.
func Once() grpc.DialOption {
	return grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any,
		cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if !once[method] {
			return next(ctx, method, req, reply, cc, opts...)
		}
		var to peer.Peer // set once there is a stream on which the request may have left
		err := next(ctx, method, req, reply, cc, append(opts[:len(opts):len(opts)], grpc.Peer(&to))...)
		if err == nil || to.Addr == nil || refuses(err) {
			return err
		}
		return status.Error(validate.Code, status.Convert(err).Message())
	})
}

// Unsure says whether a write that failed may have been done: it was sent, and no answer came
// that can be used. Only errors of a connection with [Once] say so.
func Unsure(err error) bool { return CodeOf(err) == validate.Code }

// refuses says whether an error is an answer by which nothing was done.
func refuses(err error) bool {
	switch status.Code(err) {
	case codes.PermissionDenied, codes.Unauthenticated, codes.NotFound, codes.InvalidArgument, codes.FailedPrecondition,
		codes.OutOfRange, codes.AlreadyExists, codes.Unimplemented:
		return true
	case codes.ResourceExhausted: // also of a message that is too large, which says nothing
		var of rpctypes.EtcdError
		return errors.As(rpctypes.Error(err), &of)
	}
	return errors.Is(err, rpctypes.ErrGRPCNotSupportedForLearner)
}
