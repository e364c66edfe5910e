//go:build slow

package watcher

import (
	"strings"
	"sync/atomic"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"locktop/model"
	"locktop/model/text"
	"locktop/watcher/hostile"
)

// Whatever a server answers, nothing crashes; what cannot be used is said in one line,
// with the endpoint and the answer.
func TestHostileAnswers(t *testing.T) {
	for _, row := range []struct {
		name   string
		alter  func(answer any)
		tell   *pb.WatchResponse // once the watch is open
		says   string            // of a Lost, "": it goes on
		reason string
	}{
		{name: "a range without a header", says: "answered Range without a header",
			alter: func(a any) {
				if r, ok := a.(*pb.RangeResponse); ok {
					r.Header = nil
				}
			}, reason: "the revision to list at is in the header"},
		{name: "a watch event without a key", says: "answered Watch without the key of an event",
			tell: &pb.WatchResponse{Events: []*mvccpb.Event{{}}}, reason: "the client library reads its revision, in a goroutine of its own"},
		{name: "the second event without a key", says: "answered Watch without the key of an event",
			tell: &pb.WatchResponse{Events: []*mvccpb.Event{{Kv: &mvccpb.KeyValue{Key: []byte("/l/a/1"), ModRevision: 11}}, {Type: mvccpb.Event_DELETE}}}, reason: "not only the last one is read"},
		{name: "every answer to a watch without a header",
			alter: func(a any) {
				if r, ok := a.(*pb.WatchResponse); ok {
					r.Header = nil
				}
			}, reason: "etcd's grpc-proxy may answer so, and the revision of an event is its key's"},
		{name: "a status without a header",
			alter: func(a any) {
				if r, ok := a.(*pb.StatusResponse); ok {
					r.Header = nil
				}
			}, reason: "how a member does is not worth losing the locks for"},
		{name: "an empty status",
			alter: func(a any) {
				if r, ok := a.(*pb.StatusResponse); ok {
					r.Reset()
					r.Header = &pb.ResponseHeader{}
				}
			}, reason: "an answer may be empty"},
		{name: "a member list without members or a header",
			alter: func(a any) {
				if r, ok := a.(*pb.MemberListResponse); ok {
					r.Reset()
				}
			}, reason: "etcd's grpc-proxy answers without a header"},
		{name: "a member without a name, an id and URLs",
			alter: func(a any) {
				if r, ok := a.(*pb.MemberListResponse); ok {
					r.Members = []*pb.Member{{}, {}}
				}
			}, reason: "a member that was added and never started has no name"},
		{name: "lease readings without a header",
			alter: func(a any) {
				if r, ok := a.(*pb.LeaseTimeToLiveResponse); ok {
					r.Header = nil
				}
			}, reason: "a reading that fails costs the reading"},
		{name: "a key without anything",
			tell: &pb.WatchResponse{Events: []*mvccpb.Event{{Kv: &mvccpb.KeyValue{}}}}, reason: "an empty key is none of ours"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := hostile.Start(t, "127.0.0.1:0")
			s.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
			if row.alter != nil {
				s.Alter(func(_ string, answer any) any { row.alter(answer); return answer })
			}
			r := &record{t: t, w: newWatcher(t, dial(t, s.Addr), Options{Prefixes: []string{"/l/"}}), want: model.Want{Leases: []model.LeaseID{1}}}
			if row.tell != nil {
				r.until("live", func() bool { return len(all[model.Watching](r)) > 0 && s.Watches() > 0 })
				s.Tell(row.tell)
			}
			if row.says == "" {
				r.until("three rounds", func() bool {
					return len(all[model.Watching](r)) > 2 && len(all[model.ClusterStatus](r)) > 2
				})
			} else {
				r.until("the word about it", func() bool {
					for _, l := range all[model.Lost](r) {
						if strings.Contains(text.English(l.Detail), s.Addr+" "+row.says) && !strings.Contains(text.English(l.Detail), "\n") {
							return true
						}
					}
					return false
				})
			}
			s.Alter(nil)
			s.Become(0xaa, 20, hostile.Key("/l/a", 1, 5))
			seen := len(all[model.Watching](r))
			r.until("live after all: "+row.reason, func() bool {
				return len(all[model.Watching](r)) > seen && holder(folded(r), "/l/a") == "/l/a/1"
			})
		})
	}
}

// A list counts only if it came whole: what is missing would be taken for locks that are
// free, and by doctor for locks that are well.
func TestHalfAList(t *testing.T) {
	// chunk alters the chunks of a list; more is that of a page.
	chunk := func(alter func(*pb.RangeStreamResponse) any) func(any) any {
		return func(a any) any {
			if c, ok := a.(*pb.RangeStreamResponse); ok {
				return alter(c)
			}
			return a
		}
	}
	isLast := func(c *pb.RangeStreamResponse) bool { return c.GetRangeResponse().GetHeader() != nil }
	for _, row := range []struct {
		name   string
		pages  bool
		alter  func(answer any) any
		says   string
		reason string
	}{
		{name: "no chunk at all", says: "answered RangeStream without a last chunk",
			alter: chunk(func(*pb.RangeStreamResponse) any { return nil }), reason: "an end is not the end of a list"},
		{name: "empty chunks", says: "answered RangeStream without a last chunk",
			alter: chunk(func(*pb.RangeStreamResponse) any { return &pb.RangeStreamResponse{} }), reason: "an empty message is no list of no keys"},
		{name: "the last chunk is lost", says: "answered RangeStream without a last chunk",
			alter: chunk(func(c *pb.RangeStreamResponse) any {
				if isLast(c) {
					return nil
				}
				return c
			}), reason: "a proxy may end a stream early, and well"},
		{name: "the first chunk is lost", says: "answered RangeStream without 1 of 2 keys",
			alter: chunk(func(c *pb.RangeStreamResponse) any {
				if !isLast(c) {
					return nil
				}
				return c
			}), reason: "the last chunk counts them all"},
		{name: "there is more", says: "answered RangeStream without a last chunk",
			alter: chunk(func(c *pb.RangeStreamResponse) any {
				if isLast(c) {
					c.RangeResponse.More = true
				}
				return c
			}), reason: "no limit was asked for"},
		{name: "a page without keys, and more of them", pages: true, says: "answered Range without the keys of a page",
			alter: func(a any) any {
				if r, ok := a.(*pb.RangeResponse); ok && len(r.Kvs) > 0 {
					r.Kvs, r.More = nil, true
				}
				return a
			}, reason: "there is nothing to go on from"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := hostile.Start(t, "127.0.0.1:0")
			s.Become(0xaa, 10, hostile.Key("/l/a", 1, 5), hostile.Key("/l/a", 2, 6))
			var well atomic.Bool
			s.Alter(func(_ string, answer any) any {
				if well.Load() {
					return answer
				}
				return row.alter(answer)
			})
			if !row.pages {
				s.Stream()
			}
			r := &record{t: t, w: newWatcher(t, dial(t, s.Addr), Options{Prefixes: []string{"/l/"}})}
			r.until("the word about it: "+row.reason, func() bool {
				if len(all[model.Loaded](r)) > 0 {
					t.Fatalf("it was taken for the whole list: %s", row.reason)
				}
				for _, l := range all[model.Lost](r) {
					if strings.Contains(text.English(l.Detail), s.Addr+" "+row.says) {
						return true
					}
				}
				return false
			})
			well.Store(true)
			r.until("the whole list", func() bool { return len(all[model.Loaded](r)) > 0 && holder(folded(r), "/l/a") == "/l/a/1" })
		})
	}
}
