package watcher

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"locktop/model"
)

// readChunk reads a message as it comes from the network, in pieces.
func readChunk(b []byte) ([]model.KV, error) {
	half := len(b) / 2
	var c chunk
	err := chunkCodec{}.Unmarshal(mem.BufferSlice{mem.SliceBuffer(b[:half]), mem.SliceBuffer(b[half:])}, &c)
	return c.kvs, err
}

// A chunk has the keys that etcd's own types read out of the same bytes, whatever is in
// them and beside them.
func TestAChunkIsWhatEtcdReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		resp := &pb.RangeResponse{}
		if rapid.Bool().Draw(t, "last") {
			resp.Header, resp.More, resp.Count = &pb.ResponseHeader{Revision: 7, ClusterId: 1 << 63}, true, 99
		}
		for range rapid.IntRange(0, 20).Draw(t, "keys") {
			resp.Kvs = append(resp.Kvs, &mvccpb.KeyValue{
				Key: rapid.SliceOf(rapid.Byte()).Draw(t, "key"), Value: rapid.SliceOf(rapid.Byte()).Draw(t, "value"),
				CreateRevision: rapid.Int64().Draw(t, "create"), ModRevision: rapid.Int64().Draw(t, "mod"),
				Version: rapid.Int64().Draw(t, "version"), Lease: rapid.Int64().Draw(t, "lease")})
		}
		b, err := proto.Marshal(&pb.RangeStreamResponse{RangeResponse: resp})
		if err != nil {
			t.Fatal(err)
		}
		// What a later release may add is passed over.
		b = protowire.AppendFixed64(protowire.AppendTag(b, 100, protowire.Fixed64Type), 1)
		got, err := readChunk(b)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(convert(resp.Kvs), got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("(-etcd +ours)\n%s", d)
		}
	})
}

// What etcd's own types can read is read as they do, and nothing makes a panic.
func FuzzChunk(f *testing.F) {
	whole, err := proto.Marshal(&pb.RangeStreamResponse{RangeResponse: &pb.RangeResponse{Count: 1,
		Kvs: []*mvccpb.KeyValue{{Key: []byte("/l/1"), Value: []byte("v"), Lease: 1, CreateRevision: 2, ModRevision: 3, Version: 4}}}})
	if err != nil {
		f.Fatal(err)
	}
	for cut := range whole {
		f.Add(whole[:cut])
	}
	f.Add(whole)
	f.Add([]byte{0x0a, 0x04, 0x12, 0x02, 0x08, 0x01}) // a key that is written as a number
	f.Fuzz(func(t *testing.T, b []byte) {
		var want pb.RangeStreamResponse
		got, err := readChunk(b)
		if refused := proto.Unmarshal(b, &want); refused == nil {
			if d := cmp.Diff(convert(want.GetRangeResponse().GetKvs()), got, cmpopts.EquateEmpty()); err != nil || d != "" {
				t.Errorf("%v (-etcd +ours)\n%s", err, d)
			}
		}
	})
}

// A chunk costs a piece of memory for each key, and one for each value that is not empty.
func TestCostsOfAChunk(t *testing.T) {
	const keys = 1_000
	resp := &pb.RangeResponse{}
	for range keys {
		resp.Kvs = append(resp.Kvs, &mvccpb.KeyValue{Key: []byte("/bench/lock-000001/694d81e5fc650000"), Lease: 1, ModRevision: 1})
	}
	b, err := proto.Marshal(&pb.RangeStreamResponse{RangeResponse: resp})
	if err != nil {
		t.Fatal(err)
	}
	var c chunk
	allocs := testing.AllocsPerRun(10, func() {
		if err := c.unmarshal(b); err != nil {
			t.Fatal(err)
		}
	})
	if per := allocs / keys; per > 1.01 {
		t.Errorf("%.2f allocations for a key", per)
	}
}
