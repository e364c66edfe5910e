package chaos

import (
	"context"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktop/watcher/validate"
)

// Permit is the list of RPCs, by full method name, that may leave a client.
type Permit struct {
	Refusal string // begins the refusal of everything else
	Methods map[string]bool
}

// reading is what looking needs, and nothing that writes. KeepAlive is not in it:
// it renews. Alarm is not: it also disarms, and Status lists the alarms.
var reading = Permit{
	Refusal: "locktop's reading connection never writes",
	Methods: map[string]bool{
		pb.KV_Range_FullMethodName:              true,
		pb.KV_RangeStream_FullMethodName:        true, // since 3.7
		pb.Watch_Watch_FullMethodName:           true,
		pb.Lease_LeaseTimeToLive_FullMethodName: true, // does not renew
		pb.Lease_LeaseLeases_FullMethodName:     true,
		pb.Maintenance_Status_FullMethodName:    true,
		pb.Cluster_MemberList_FullMethodName:    true,
		pb.Auth_Authenticate_FullMethodName:     true, // a client with a password begins with it
	},
}

// writing is what the actions of the gate need.
var writing = Permit{
	Refusal: "locktop's writing connection does only what its actions need",
	Methods: map[string]bool{
		pb.Lease_LeaseRevoke_FullMethodName:     true,
		pb.KV_Txn_FullMethodName:                true, // the guarded delete
		pb.KV_Range_FullMethodName:              true,
		pb.Lease_LeaseTimeToLive_FullMethodName: true,
		pb.Maintenance_Status_FullMethodName:    true,
		pb.Auth_Authenticate_FullMethodName:     true,
	},
}

// ReadOnly returns the dial options of a connection that can only look. Every RPC
// of the etcd API that is not needed for that ends in the client with
// codes.PermissionDenied; the server never sees it.
//
// The interceptors are chained behind those of clientv3, which they would displace
// otherwise, and with them its retries and its token. What is answered is checked, too
// (package validate).
func ReadOnly() []grpc.DialOption { return reading.options() }

// Writing returns the dial options of the connection that a Gate writes with:
// LeaseRevoke, Txn and what they need, all else refused like by ReadOnly. A Gate
// does not write with a connection that lacks them. A write is sent once (see [Once]).
func Writing() []grpc.DialOption { return append([]grpc.DialOption{Once()}, writing.options()...) }

// RefusedByWriting says whether an error is a refusal of a connection that has the
// options of [Writing].
func RefusedByWriting(err error) bool {
	return strings.HasPrefix(status.Convert(err).Message(), writing.Refusal)
}

func (p Permit) options() []grpc.DialOption {
	return append([]grpc.DialOption{
		grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any,
			cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			if err := p.Check(method); err != nil {
				return err
			}
			return next(ctx, method, req, reply, cc, opts...)
		}),
		grpc.WithChainStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc,
			cc *grpc.ClientConn, method string, next grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			if err := p.Check(method); err != nil {
				return nil, err
			}
			return next(ctx, desc, cc, method, opts...)
		}),
	}, validate.Options()...)
}

// Check refuses a method that is not listed.
func (p Permit) Check(method string) error {
	if p.Methods[method] {
		return nil
	}
	name := method[strings.LastIndex(method, "/")+1:]
	return status.Errorf(codes.PermissionDenied, "%s: %s refused", p.Refusal, name)
}
