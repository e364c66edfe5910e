package watcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"

	"locktop/model"
	"locktop/watcher/validate"
)

// rangeStream asks for the keys of a range in chunks. They end with io.EOF, if the list is
// whole: a broken proxy may end a stream early, as if all were well.
func rangeStream(ctx context.Context, conn grpc.ClientConnInterface, req *pb.RangeRequest) (next func() ([]model.KV, error), err error) {
	s, err := pb.NewKVClient(conn).RangeStream(ctx, req, grpc.MaxCallRecvMsgSize(maxMessage))
	if err != nil {
		return nil, clientv3.ContextError(ctx, err)
	}
	keys, missing, last := int64(0), missingLastChunk, ""
	return func() ([]model.KV, error) {
		resp, err := s.Recv()
		var from net.Addr
		if p, ok := peer.FromContext(s.Context()); ok {
			from = p.Addr
		}
		switch {
		case errors.Is(err, io.EOF) && missing != "":
			return nil, validate.Lacks(pb.KV_RangeStream_FullMethodName, missing, from)
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case err != nil:
			return nil, clientv3.ContextError(ctx, err)
		}
		c := resp.GetRangeResponse()
		kvs := convert(c.GetKvs())
		if wrong := violation(kvs, req, last); wrong != "" {
			return nil, validate.Has(pb.KV_RangeStream_FullMethodName, wrong, from)
		}
		if n := len(kvs); n > 0 {
			last = kvs[n-1].Key
		}
		keys += int64(len(kvs))
		// The last chunk alone has a header, and counts the keys of all.
		if missing = missingLastChunk; c.GetHeader() != nil && !c.GetMore() {
			missing = missingKeys(keys, c.GetCount())
		}
		return kvs, nil
	}, nil
}

// violation says what a chunk has that no etcd sends, "" for nothing. Last is the last key of the
// chunk before.
func violation(kvs []model.KV, req *pb.RangeRequest, last string) string {
	first, end := string(req.Key), string(req.RangeEnd)
	for i := range kvs {
		kv := &kvs[i]
		switch {
		case kv.Key < first, end != "\x00" && kv.Key >= end:
			return "a key that was not asked for"
		case kv.Key <= last:
			return validate.OutOfOrder
		}
		last = kv.Key
		if wrong := validate.RevisionOf(kv.CreateRev, kv.ModRev, req.Revision); wrong != "" {
			return wrong
		}
	}
	return ""
}

// missingLastChunk is what a list lacks that ended early.
const missingLastChunk = "a last chunk"

// missingKeys says what a list lacks that has so many keys of all, "" for nothing.
func missingKeys(have, all int64) string {
	if have == all {
		return ""
	}
	return fmt.Sprintf("%d of %d keys", all-have, all)
}
