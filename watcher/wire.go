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
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/encoding/protowire"

	"locktop/model"
	"locktop/watcher/answers"
)

// A list is by far the largest that is ever read, so its messages are read into what the
// model takes: the types of etcd's API cost a record and a copy for each key, which are
// thrown away at once, and twice the time.

// chunk is a RangeStreamResponse, as far as a list needs it.
type chunk struct {
	kvs []model.KV
	// The last chunk alone has a header, and counts the keys of all.
	last    bool
	more    bool // there are keys that no chunk has
	count   int64
	cluster uint64
}

// chunkCodec writes requests as protobuf and reads chunks.
type chunkCodec struct{ encoding.CodecV2 }

func (chunkCodec) Unmarshal(data mem.BufferSlice, v any) error {
	c, ok := v.(*chunk)
	if !ok {
		return fmt.Errorf("a chunk of a list is read into a %T", v)
	}
	buf := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buf.Free()
	return c.unmarshal(buf.ReadOnlyData())
}

// rangeStream asks for the keys of a range in chunks. They end with io.EOF, if the list is
// whole: a broken proxy may end a stream early, as if all were well.
func rangeStream(ctx context.Context, conn grpc.ClientConnInterface, req *pb.RangeRequest) (next func(*chunk) error, err error) {
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, pb.KV_RangeStream_FullMethodName,
		grpc.ForceCodecV2(chunkCodec{encoding.GetCodecV2(proto.Name)}), grpc.MaxCallRecvMsgSize(maxMessage))
	if err == nil {
		err = s.SendMsg(req)
	}
	if err == nil {
		err = s.CloseSend()
	}
	if err != nil && !errors.Is(err, io.EOF) { // that is told by what is received
		return nil, clientv3.ContextError(ctx, err)
	}
	var from net.Addr
	keys, lacks, last := int64(0), noLast, ""
	return func(c *chunk) error {
		err := s.RecvMsg(c)
		if p, ok := peer.FromContext(s.Context()); ok {
			from = p.Addr
		}
		if err == nil {
			if has := c.impossible(req, last); has != "" {
				return answers.Has(pb.KV_RangeStream_FullMethodName, has, from)
			}
			if n := len(c.kvs); n > 0 {
				last = c.kvs[n-1].Key
			}
		}
		if !errors.Is(err, io.EOF) {
			keys += int64(len(c.kvs))
			if lacks = noLast; c.last && !c.more {
				lacks = missingKeys(keys, c.count)
			}
			return clientv3.ContextError(ctx, err)
		}
		if lacks == "" {
			return io.EOF
		}
		return answers.Lacks(pb.KV_RangeStream_FullMethodName, lacks, from)
	}, nil
}

// impossible says what of a chunk no etcd says, "" for nothing. Last is the last key of the
// chunk before.
func (c *chunk) impossible(req *pb.RangeRequest, last string) string {
	first, end := string(req.Key), string(req.RangeEnd)
	for i := range c.kvs {
		kv := &c.kvs[i]
		switch {
		case kv.Key < first, end != "\x00" && kv.Key >= end:
			return "a key that was not asked for"
		case kv.Key <= last:
			return answers.OutOfOrder
		}
		last = kv.Key
		if wrong := answers.RevisionOf(kv.CreateRev, kv.ModRev, req.Revision); wrong != "" {
			return wrong
		}
	}
	return ""
}

// noLast is what a list lacks that ended early.
const noLast = "a last chunk"

// missingKeys says what a list lacks that has so many keys of all, "" for nothing.
func missingKeys(have, all int64) string {
	if have == all {
		return ""
	}
	return fmt.Sprintf("%d of %d keys", all-have, all)
}

// Tags of fields in etcd's rpc.proto and kv.proto: their number and how they are written.
const (
	asNumber = uint64(protowire.VarintType)
	asBytes  = uint64(protowire.BytesType)

	streamRange = 1<<3 | asBytes // of RangeStreamResponse
	rangeHeader = 1<<3 | asBytes // of RangeResponse
	rangeKVs    = 2<<3 | asBytes
	rangeMore   = 3<<3 | asNumber
	rangeCount  = 4<<3 | asNumber
	headerOf    = 1<<3 | asNumber // of ResponseHeader: the cluster
	kvKey       = 1<<3 | asBytes  // of KeyValue
	kvCreate    = 2<<3 | asNumber
	kvMod       = 3<<3 | asNumber
	kvVersion   = 4<<3 | asNumber
	kvValue     = 5<<3 | asBytes
	kvLease     = 6<<3 | asNumber
)

func (c *chunk) unmarshal(b []byte) error {
	*c = chunk{}
	n := 0
	err := eachOf(b, func(tag uint64, b []byte, number uint64) error {
		switch tag {
		case rangeKVs:
			n++
		case rangeHeader:
			c.last = true
			return fields(b, func(tag uint64, _ []byte, number uint64) error {
				if tag == headerOf {
					c.cluster = number
				}
				return nil
			})
		case rangeMore:
			c.more = number != 0
		case rangeCount:
			c.count = int64(number)
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.kvs = make([]model.KV, 0, n)
	return eachOf(b, func(tag uint64, b []byte, _ uint64) error {
		if tag != rangeKVs {
			return nil
		}
		kv, err := unmarshalKV(b)
		c.kvs = append(c.kvs, kv)
		return err
	})
}

// eachOf calls f with each field of the RangeResponse in a RangeStreamResponse.
func eachOf(b []byte, f func(tag uint64, bytes []byte, number uint64) error) error {
	return fields(b, func(tag uint64, resp []byte, _ uint64) error {
		if tag != streamRange {
			return nil
		}
		return fields(resp, f)
	})
}

func unmarshalKV(b []byte) (kv model.KV, err error) {
	err = fields(b, func(tag uint64, bytes []byte, number uint64) error {
		switch tag {
		case kvKey:
			kv.Key = string(bytes)
		case kvCreate:
			kv.CreateRev = int64(number)
		case kvMod:
			kv.ModRev = int64(number)
		case kvVersion:
			kv.Version = int64(number)
		case kvValue:
			kv.Value = string(bytes)
		case kvLease:
			kv.Lease = model.LeaseID(number)
		}
		return nil
	})
	return kv, err
}

// fields calls f with each field of a message that is bytes or a number.
func fields(b []byte, f func(tag uint64, bytes []byte, number uint64) error) error {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return protowire.ParseError(size)
		}
		b = b[size:]
		var bytes []byte
		var number uint64
		switch kind {
		case protowire.BytesType:
			bytes, size = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(b)
		default:
			size = protowire.ConsumeFieldValue(n, kind, b)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		b = b[size:]
		if err := f(protowire.EncodeTag(n, kind), bytes, number); err != nil {
			return err
		}
	}
	return nil
}
