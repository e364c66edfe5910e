package validate

import (
	"strings"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// FuzzCheck reads bytes as answers of a server: whatever they hold, the check says in one
// line what is wrong, and believes no list whose keys are not in order.
func FuzzCheck(f *testing.F) {
	good := &pb.RangeResponse{Header: &pb.ResponseHeader{Revision: 9}, Count: 2, Kvs: []*mvccpb.KeyValue{
		{Key: []byte("/l/a"), CreateRevision: 1, ModRevision: 2}, {Key: []byte("/l/b"), CreateRevision: 3, ModRevision: 3}}}
	req := &pb.RangeRequest{Key: []byte("/l/"), RangeEnd: []byte("/l0")}
	if err := Check("Range", req, good, nil); err != nil {
		f.Fatalf("a good list: %v", err)
	}
	seed, err := proto.Marshal(good)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		var list pb.RangeResponse
		if proto.Unmarshal(data, &list) == nil {
			err := Check("Range", req, &list, nil)
			for i, kv := range list.Kvs {
				if err == nil && (!strings.HasPrefix(string(kv.Key), "/l/") || i > 0 && string(kv.Key) <= string(list.Kvs[i-1].Key)) {
					t.Fatalf("it believes %v", &list)
				}
			}
			if err != nil && (status.Code(err) != Code || strings.Contains(err.Error(), "\n")) {
				t.Fatalf("%v", err)
			}
		}
		var watch pb.WatchResponse
		if proto.Unmarshal(data, &watch) == nil {
			_ = Check("Watch", nil, &watch, nil) // it does not panic
		}
		var lease pb.LeaseTimeToLiveResponse
		if proto.Unmarshal(data, &lease) == nil {
			_ = Check("LeaseTimeToLive", &pb.LeaseTimeToLiveRequest{ID: 1}, &lease, nil) // nor here
		}
	})
}

// TestAPartOfAnAnswer: nobody asks for parts, and the client's library would join them without end.
func TestAPartOfAnAnswer(t *testing.T) {
	for _, part := range []bool{false, true} {
		err := Check("Watch", nil, &pb.WatchResponse{Header: &pb.ResponseHeader{Revision: 5}, Fragment: part}, nil)
		if (status.Code(err) == Code) != part {
			t.Errorf("part %v: %v", part, err)
		}
	}
}
