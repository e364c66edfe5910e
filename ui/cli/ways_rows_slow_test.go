//go:build slow

package cli

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net"
	"strings"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktop/model/modeltest"
)

// way is one way in which an etcd answers badly.
type way struct {
	name string
	// raw is what it says to a connection; nil: it speaks gRPC, and alters answers.
	raw   func(net.Conn)
	alter func() func(method string, answer any) any
	// https: it is asked over TLS.
	https bool
	// code and says are those of ls: of exitBad stderr is one line that has says, of exitOK
	// stdout has it, or else it has the lock.
	code   int
	says   string
	reason string
	well   []string // the commands that do not mind where ls does
}

// only alters answers of one kind.
func only[A any](f func(a A)) func() func(string, any) any {
	return func() func(string, any) any {
		return func(_ string, answer any) any {
			if a, ok := answer.(A); ok {
				f(a)
			}
			return answer
		}
	}
}

// instead answers one kind of request with something else.
func instead(method string, f func() any) func() func(string, any) any {
	return func() func(string, any) any {
		return func(m string, answer any) any {
			if m == method || method == "" {
				return f()
			}
			return answer
		}
	}
}

func fails(method string, err error) func() func(string, any) any {
	return instead(method, func() any { return err })
}

// listing alters what lists the keys, and neither counts nor what reads one key.
func listing(f func(*pb.RangeResponse)) func() func(string, any) any {
	return only(func(r *pb.RangeResponse) {
		if len(r.Kvs) > 1 {
			f(r)
		}
	})
}

func says(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		_, _ = io.Copy(io.Discard, c)
	}
}

const (
	noSettings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00" // an HTTP/2 frame of no noSettings
	goAway     = "\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0b"
	huge       = "\xff\xff\xff\x00\x00\x00\x00\x00\x01" // a frame that is larger than may be
)

// ways are the ways in which the server of these tests answers. A way of its own is one row.
var ways = []way{
	{name: "silent", raw: func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, code: exitBad, says: "not an etcd server that answers in time", reason: "a port that a firewall half opens"},
	{name: "closes", raw: func(net.Conn) {}, code: exitBad, says: "no endpoint answers", reason: "a proxy without a backend"},
	{name: "resets", raw: func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }, code: exitBad, says: "no endpoint answers", reason: "a reset is no end"},
	{name: "garbage", raw: says("\x00\x01\x02\xffgarbage\n\x1b[2J"), code: exitBad, says: "no endpoint answers", reason: "some other service"},
	{name: "endless bytes", raw: func(c net.Conn) {
		for {
			if _, err := c.Write(bytes.Repeat([]byte("y\n"), 1<<10)); err != nil {
				return
			}
		}
	}, code: exitBad, says: "no endpoint answers", reason: "chargen"},
	{name: "one byte now and then", raw: func(c net.Conn) {
		for i := range noSettings {
			if _, err := io.WriteString(c, noSettings[i:i+1]); err != nil {
				return
			}
			time.Sleep(300 * time.Millisecond) // the pace is what is tested
		}
	}, code: exitBad, says: "not an etcd server that answers in time", reason: "something comes, and it is no answer"},
	{name: "HTTP/1", raw: says("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), code: exitBad, says: "no endpoint answers", reason: "a web server"},
	{name: "endless HTTP/1 header", raw: func(c net.Conn) {
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		for err == nil {
			_, err = io.WriteString(c, "X: "+strings.Repeat("x", 1<<10)+"\r\n")
		}
	}, code: exitBad, says: "no endpoint answers", reason: "a header is read to its end"},
	{name: "settings, then silence", raw: says(noSettings), code: exitBad, says: "not an etcd server that answers in time", reason: "gRPC takes it for connected"},
	{name: "goes away at once", raw: says(noSettings + goAway), code: exitBad, says: "no endpoint answers", reason: "a server that drains"},
	{name: "a frame beyond all bounds", raw: says(noSettings + huge), code: exitBad, says: "no endpoint answers", reason: "a length is no promise of memory"},
	{name: "half TLS", raw: says("\x16\x03\x03\x00\x7a\x02\x00\x00"), https: true, code: exitBad, says: "no endpoint answers", reason: "a handshake that never ends"},
	{name: "plain text where TLS is wanted", raw: says("HTTP/1.1 400 Bad Request\r\n\r\n"), https: true, code: exitBad, says: "no endpoint answers", reason: "https:// before a plain port"},
	{name: "silent where TLS is wanted", raw: func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, https: true, code: exitBad, says: "no endpoint answers", reason: "no hello ever comes"},

	{name: "no status", alter: instead("Status", func() any { return nil }), code: exitBad, says: "not an etcd server that answers in time", reason: "a member whose disk hangs"},
	{name: "no list", alter: instead("Range", func() any { return nil }), code: exitBad, says: "no answer in time|did not answer within 1s", reason: "no quorum, and no word of it"},
	{name: "no readings", alter: instead("LeaseTimeToLive", func() any { return nil }), code: exitBad, says: "did not answer within 1s|no answer in time", reason: "a leader that is gone",
		well: []string{"discover", "events", "record", "top", "report"}},
	{name: "no members", alter: instead("MemberList", func() any { return nil }), code: exitOK, reason: "the list of members is not worth the locks"},
	{name: "slow", alter: func() func(string, any) any {
		return func(_ string, a any) any { time.Sleep(150 * time.Millisecond); return a } // the pace is what is tested
	}, code: exitOK, reason: "slow is not silent"},
	{name: "all unavailable", alter: fails("", status.Error(codes.Unavailable, "try later")), code: exitBad, says: "try later", reason: "a proxy without a backend"},
	{name: "lists unavailable", alter: fails("Range", status.Error(codes.Unavailable, "try later")), code: exitBad, says: "try later", reason: "the same, later"},
	{name: "all unimplemented", alter: fails("", status.Error(codes.Unimplemented, "unknown service")), code: exitBad, says: "unknown service", reason: "another gRPC server"},
	{name: "too many requests", alter: fails("Range", rpctypes.ErrGRPCRequestTooManyRequests), code: exitBad, says: "too many requests", reason: "an overloaded member"},
	{name: "no leader", alter: fails("Range", rpctypes.ErrGRPCNoLeader), code: exitBad, says: "no leader", reason: "the quorum is lost"},
	{name: "denied", alter: fails("Range", rpctypes.ErrGRPCPermissionDenied), code: exitBad, says: "no permission", reason: "a user without a role"},
	{name: "compacted for ever", alter: fails("Range", rpctypes.ErrGRPCCompacted), code: exitBad, says: "compact", reason: "a list begins anew, and not for ever"},
	{name: "an error that forges lines", alter: fails("Range", status.Error(codes.Internal, "oh\nlocktop: all is well\n"+strings.ToValidUTF8(strings.Join(modeltest.Pieces, " "), "?"))), code: exitBad, says: "oh", reason: "what a server says is one line"},
	{name: "an error of 60 kB", alter: fails("Range", status.Error(codes.Internal, strings.Repeat("oh no ", 10_000))), code: exitBad, says: "oh no", reason: "a terminal is not flooded"},

	{name: "no header", alter: only(func(r *pb.RangeResponse) { r.Header = nil }), code: exitBad, says: "answered Range without a header", reason: "a list without a revision"},
	{name: "nothing in any answer", alter: func() func(string, any) any {
		return func(_ string, a any) any {
			if m, ok := a.(interface{ Reset() }); ok {
				m.Reset()
			}
			return a
		}
	}, code: exitBad, says: "without a header", reason: "every field is the zero of its kind"},
	{name: "an empty key", alter: listing(func(r *pb.RangeResponse) { r.Kvs[0] = &mvccpb.KeyValue{} }), code: exitBad, says: "a key that was not asked for", reason: "no key of etcd is empty"},
	{name: "endless pages of new keys", alter: func() func(string, any) any {
		n := 0
		return listing(func(r *pb.RangeResponse) {
			r.Kvs, r.More = nil, true
			for range 1000 {
				n++
				r.Kvs = append(r.Kvs, &mvccpb.KeyValue{Key: fmt.Appendf(nil, "/l/%09d/1", n), CreateRevision: 1, ModRevision: 1})
			}
		})()
	}, code: exitBad, says: "1000 keys and more: true, where it counts 2", reason: "a list has as many keys as it says"},
	{name: "endless pages that are short", alter: func() func(string, any) any {
		n := 0
		return only(func(r *pb.RangeResponse) {
			if r.Count = 1 << 40; len(r.Kvs) == 0 {
				return
			}
			r.Kvs, r.More = nil, true
			for range 1000 {
				n++
				r.Kvs = append(r.Kvs, &mvccpb.KeyValue{Key: fmt.Appendf(nil, "/l/%09d/1", n), CreateRevision: 1, ModRevision: 1})
			}
		})()
	}, code: exitBad, says: "where 50000 were asked for", reason: "a page has as many keys as were asked for, but for the last"},
	{name: "endless pages of the same keys", alter: func() func(string, any) any {
		var first []*mvccpb.KeyValue
		return only(func(r *pb.RangeResponse) {
			if len(r.Kvs) > 0 {
				first = r.Kvs
			}
			if first != nil {
				r.Kvs, r.More, r.Count = first, true, 3
			}
		})()
	}, code: exitBad, says: "Range with", reason: "More is no end"},
	{name: "a page without keys", alter: listing(func(r *pb.RangeResponse) { r.Kvs, r.More = nil, true }), code: exitBad, says: "without the keys of a page", reason: "there is nothing to go on from"},
	{name: "a count that lies", alter: only(func(r *pb.RangeResponse) { r.Count = math.MaxInt64 }), code: exitBad, says: "where it counts|more than", reason: "keys that do not come are not free locks"},
	{name: "a count below nothing", alter: only(func(r *pb.RangeResponse) { r.Count = -1 }), code: exitBad, says: "Range with", reason: "room is made on the word of a server"},
	{name: "unsorted keys", alter: listing(func(r *pb.RangeResponse) { r.Kvs[0], r.Kvs[1] = r.Kvs[1], r.Kvs[0] }), code: exitBad, says: "keys that are not in order", reason: "the next page begins behind the last key"},
	{name: "one key twice", alter: listing(func(r *pb.RangeResponse) { r.Kvs[1] = r.Kvs[0] }), code: exitBad, says: "keys that are not in order", reason: "a claim cannot be counted twice"},
	{name: "keys of others", alter: listing(func(r *pb.RangeResponse) {
		r.Kvs[1] = &mvccpb.KeyValue{Key: []byte("/secret/1"), CreateRevision: 1, ModRevision: 1}
	}), code: exitBad, says: "a key that was not asked for", reason: "a cache that mixes up requests"},
	{name: "revisions below nothing", alter: listing(func(r *pb.RangeResponse) {
		r.Kvs[0] = &mvccpb.KeyValue{Key: r.Kvs[0].Key, CreateRevision: -5, ModRevision: 5}
	}), code: exitBad, says: "a key of the revisions", reason: "the queue is ordered by them"},
	{name: "revisions beyond the cluster's", alter: listing(func(r *pb.RangeResponse) {
		r.Kvs[0] = &mvccpb.KeyValue{Key: r.Kvs[0].Key, CreateRevision: 5, ModRevision: math.MaxInt64}
	}), code: exitBad, says: "a key of the revisions", reason: "what is to come cannot be listed"},
	{name: "revision 0", alter: only(func(r *pb.RangeResponse) { r.Header.Revision = 0 }), code: exitBad, says: "with revision 0", reason: "an etcd begins at 1"},
	{name: "revisions that go back", alter: func() func(string, any) any {
		rev := int64(100)
		return only(func(r *pb.RangeResponse) { rev--; r.Header.Revision = rev })()
	}, code: exitOK, reason: "one look needs one revision"},
	{name: "leases that grow", alter: func() func(string, any) any {
		left := int64(60)
		return only(func(r *pb.LeaseTimeToLiveResponse) { left += 10; r.TTL = left })()
	}, code: exitOK, says: "said 70 s left of 60 granted|not read", reason: "a new leader adds its election timeout"},
	{name: "leases of all times", alter: only(func(r *pb.LeaseTimeToLiveResponse) { r.TTL, r.GrantedTTL = math.MaxInt64, math.MaxInt64 }), code: exitOK, reason: "seconds that no duration holds"},
	{name: "leases below nothing", alter: only(func(r *pb.LeaseTimeToLiveResponse) { r.TTL, r.GrantedTTL = math.MinInt64, math.MinInt64 }), code: exitOK, reason: "the same"},
	{name: "readings of other leases", alter: only(func(r *pb.LeaseTimeToLiveResponse) { r.ID = 99 }), code: exitOK, says: "lease 63 in the place of|not read", reason: "the reading of one is not that of another"},
	{name: "another cluster each time", alter: func() func(string, any) any {
		var id atomic.Uint64
		return only(func(r *pb.RangeResponse) { r.Header.ClusterId = 100 + id.Add(1) })()
	}, code: exitBad, says: "cluster", reason: "a name behind which several answer"},
	{name: "members with hostile names", alter: only(func(r *pb.MemberListResponse) {
		r.Members[0].Name = strings.ToValidUTF8(strings.Join(modeltest.Pieces, "\n"), "?")
		r.Members[0].ClientURLs = []string{"\x1b[2J", ""}
	}), code: exitOK, reason: "a name is data"},
	{name: "ten thousand members", alter: only(func(r *pb.MemberListResponse) {
		for i := range 10_000 {
			r.Members = append(r.Members, &pb.Member{ID: uint64(i + 2), Name: fmt.Sprint(i)})
		}
	}), code: exitOK, reason: "nobody is asked whom the person did not name"},
	{name: "a version of 8 MB", alter: only(func(r *pb.StatusResponse) { r.Version = strings.Repeat("3", 8<<20) }), code: exitBad, says: "larger than max", reason: "a small answer is small"},
	{name: "a version that forges lines", alter: only(func(r *pb.StatusResponse) { r.Version = "3.6\nlocktop: all is well\x1b[2J" }), code: exitOK, reason: "a version is data"},
	{name: "a value of 8 MB", alter: listing(func(r *pb.RangeResponse) { r.Kvs[0].Value = bytes.Repeat([]byte{0}, 8<<20) }), code: exitOK, reason: "no etcd takes one, and it fits"},
	{name: "a name of 60 kB", alter: listing(func(r *pb.RangeResponse) {
		r.Kvs[0].Key = []byte("/l/" + strings.Repeat("a", 60_000) + "/a1")
		r.Kvs[0], r.Kvs[1] = r.Kvs[1], r.Kvs[0]
	}), code: exitOK, says: "aaaa", reason: "a cell has a width"},
}

// walked are the commands that meet every way.
var walked = []string{"ls", "doctor", "describe /l/a", "discover", "break /l/a --dry-run", "events --for 300ms", "record DIR/rec --for 300ms", "top --for 300ms", "report --for 300ms"}
