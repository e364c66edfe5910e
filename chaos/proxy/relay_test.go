package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/server/v3/embed"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/protobuf/proto"

	"locktop/chaos/chaostest"
	"locktop/chaos/relay"
	"locktop/model"
)

func TestMessagesAreFoundHoweverTheyCome(t *testing.T) {
	t.Parallel()
	in := []byte("\x00\x00\x00\x00\x03one\x00\x00\x00\x00\x00\x01\x00\x00\x00\x02gz\x00\x00\x00\x00\x05three")
	want := []string{"one", "", "", "three"} // what is compressed is not read
	for size := 1; size <= len(in); size++ {
		var m messages
		var got []string
		for from := 0; from < len(in); from += size {
			for b := in[from:min(from+size, len(in))]; len(b) > 0; {
				p := m.next(b, true)
				if p.last {
					got = append(got, string(p.text))
				}
				b = b[p.size:]
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%d bytes at once (-want +got):\n%s", size, d)
		}
	}
}

// FuzzEvidence: whatever a message holds, it can be looked into.
func FuzzEvidence(f *testing.F) {
	f.Add([]byte("\x12\x05\x12\x03\x0a\x01k"))
	f.Add([]byte("\x12\x02\x22\x00\x1a\x02\x22\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, w := range append(txnWrites(nil, in, nil), txnWrites(nil, in, in)...) {
			if !bytes.Contains(in, []byte(w.Key)) {
				t.Errorf("%q is not in %x", w.Key, in)
			}
		}
		_ = readWatchAnswer(in)
	})
}

// A client may say so much before it is told that there is room again. Where what it
// said never arrives, nobody else would tell it.
func TestRoomIsGivenBackForWhatNeverArrives(t *testing.T) {
	t.Parallel()
	const most = 60 << 10 // of 64 KiB that a connection begins with
	value := strings.Repeat("x", most)
	for _, tt := range []struct {
		reason string
		fault  model.Fault
		put    bool // else get
	}{
		{"requests that are held until the client gives up", model.Fault{Kind: model.FaultHold, Method: "KV/Put"}, true},
		{"answers that are held until the client gives up", model.Fault{Kind: model.FaultHold, Method: "KV/Range", Direction: model.Replies}, false},
		{"answers that are dropped", model.Fault{Kind: model.FaultDropReply, Method: "KV/Range"}, false},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			w, p, member := observed(t)
			c := behind(t, p, "a")
			_, err := chaostest.Dial(t, []string{member}).Put(chaostest.Within(t), "/k", value)
			chaostest.Must(t, err)
			call := get(c)
			if tt.put {
				call = put60(c, value)
			}
			tt.fault.Target = "a"
			chaostest.Must(t, p.Inject(tt.fault))
			for i := range 4 {
				hangs(t, call)
				if tt.put { // each came to the proxy as a whole
					chaostest.Eventually(t, "the write is reported", func() bool { return len(reported[model.Wrote](w)) == i+1 })
				}
			}
			p.Heal(tt.fault)
			chaostest.Must(t, call(chaostest.Within(t)))
		})
	}
}

func put60(c *clientv3.Client, value string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.Put(ctx, "/k", value)
		return err
	}
}

func TestTLSOnOneSide(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	ca.issue(t, 2, "member")
	pair := ca.issue(t, 3, "proxy")
	secret := chaostest.StartMember(t, func(c *embed.Config) {
		c.ListenClientUrls[0].Scheme, c.AdvertiseClientUrls[0].Scheme = "https", "https"
		c.ClientTLSInfo.CertFile, c.ClientTLSInfo.KeyFile = ca.path("member.pem"), ca.path("member.key")
	})
	for _, tt := range []struct {
		reason  string
		options Options
		client  clientv3.Config
	}{
		{"to the member", Options{Backends: []string{secret}, BackendTLS: &tls.Config{RootCAs: ca.pool()}}, clientv3.Config{}},
		{"to the client", Options{Backends: []string{chaostest.StartMember(t)}, ServerTLS: &tls.Config{Certificates: []tls.Certificate{pair}}},
			clientv3.Config{TLS: &tls.Config{RootCAs: ca.pool()}}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			p := startProxy(t, tt.options)
			tt.client.Endpoints = p.Shared()
			c, err := chaostest.Connect(tt.client)
			chaostest.Must(t, err)
			t.Cleanup(func() { _ = c.Close() })
			m := concurrency.NewMutex(openSession(t, c, 60), "/lock")
			chaostest.Must(t, m.Lock(chaostest.Within(t)))
			chaostest.Must(t, m.Unlock(chaostest.Within(t)))
		})
	}
}

func TestAHeaderSaysHowItsOwnConnectionIsCarried(t *testing.T) {
	t.Parallel()
	l, out := quietLink(t, &Proxy{faults: newFaults(), scheme: "https"})
	l.listener.backend, l.toMember.rewrites = "member:2379", true
	s := chaostest.NewSpeaker()
	long := strings.Repeat("x", 3*blockRoom) // takes continuations
	s.Call(t, 1, true, nil, ":scheme", "http", ":authority", "127.0.0.1:1", "token", long)
	l.says(t, l.toMember, s, l.asks)
	r := http2.NewFramer(nil, &out.member)
	r.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f, err := r.ReadFrame()
	chaostest.Must(t, err)
	h := f.(*http2.MetaHeadersFrame)
	if h.PseudoValue("scheme") != "https" || h.PseudoValue("authority") != "member:2379" || h.Fields[2].Value != long {
		t.Errorf("the member is told %.200v", h)
	}
}

// What grpc-go says about windows after every message waits for the next frame; a
// ping that asks whether anybody is there does not.
func TestWindowsWakeNobody(t *testing.T) {
	t.Parallel()
	l, out := quietLink(t, &Proxy{faults: newFaults()})
	s := chaostest.NewSpeaker()
	chaostest.Must(t, s.Framer.WriteWindowUpdate(0, 100))
	chaostest.Must(t, s.Framer.WritePing(false, [8]byte([]byte(measuring))))
	l.says(t, l.toMember, s, l.asks)
	if out.member.Len() != 0 || out.client.Len() != 0 {
		t.Fatalf("%d bytes to the member and %d to the client, want them to wait", out.member.Len(), out.client.Len())
	}
	chaostest.Must(t, s.Framer.WritePing(false, [8]byte{1}))
	l.says(t, l.toMember, s, l.asks)
	chaostest.Must(t, s.Framer.WritePing(true, [8]byte{1}))
	l.says(t, l.toClient, s, l.answers)
	wantFrames(t, "to the member", &out.member, "PING", "WINDOW_UPDATE")
	wantFrames(t, "to the client", &out.client, "PING", "PING")

	chaostest.Must(t, s.Framer.WriteWindowUpdate(0, maxOwed))
	chaostest.Must(t, s.Framer.WriteWindowUpdate(3, 1))
	l.says(t, l.toMember, s, l.asks)
	wantFrames(t, "much room, and that of a call", &out.member, "WINDOW_UPDATE", "WINDOW_UPDATE")

	chaostest.Must(t, s.Framer.WriteData(1, false, make([]byte, littleData)))
	l.says(t, l.toClient, s, l.answers)
	chaostest.Must(t, s.Framer.WritePing(false, [8]byte([]byte(measuring))))
	l.says(t, l.toMember, s, l.asks)
	wantFrames(t, "where there is something to measure", &out.member, "PING")
}

// wantFrames reads frames of these types, and no more.
func wantFrames(t *testing.T, what string, from *bytes.Buffer, types ...string) {
	t.Helper()
	var got []string
	for r := http2.NewFramer(nil, from); ; {
		f, err := r.ReadFrame()
		if err != nil {
			break
		}
		got = append(got, f.Header().Type.String())
	}
	if d := cmp.Diff(types, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// quiet is a link whose ends are memory.
type quiet struct{ *connection }

type ends struct{ member, client bytes.Buffer }

func quietLink(t testing.TB, p *Proxy) (quiet, *ends) {
	p.now, p.report = time.Now, func(model.Event) {}
	p.holds.faults = p.faults
	end, other := net.Pipe() // an address, no more
	t.Cleanup(func() { _, _ = end.Close(), other.Close() })
	out := &ends{}
	l := &connection{Pair: &relay.Pair{Conn: end}, listener: &listener{proxy: p, client: "a"}, route: route{client: "a"}, calls: map[uint32]*call{}}
	l.toMember, l.toClient = newFrames(nil, &out.member), newFrames(nil, &out.client)
	return quiet{l}, out
}

// feed passes frames on that have come already, as carry does with those that it reads.
// It returns when those that are complete were passed.
func (fs *frames) feed(b []byte, see inspect) error {
	if len(b) > len(fs.buf) {
		fs.buf = make([]byte, len(b))
	}
	return fs.pass(fs.buf[:copy(fs.buf, b)], see)
}

// says has the sender of that direction say all that was written.
func (quiet) says(t testing.TB, w *frames, s *chaostest.Speaker, see inspect) {
	t.Helper()
	defer s.Reset()
	chaostest.Must(t, w.feed(s.Bytes(), see))
}

// TestACallCostsFewAllocations bounds what the proxy allocates for one call that
// passes, request to status, most of which is for the evidence.
func TestACallCostsFewAllocations(t *testing.T) {
	const runs = 100
	put, err := proto.Marshal(&pb.PutRequest{Key: []byte("/k"), Value: []byte("v"), Lease: 7})
	chaostest.Must(t, err)
	read, err := proto.Marshal(&pb.RangeRequest{Key: []byte("/k")})
	chaostest.Must(t, err)
	txn, err := proto.Marshal(&pb.TxnRequest{
		Compare: []*pb.Compare{{Key: []byte("/k"), Target: pb.Compare_CREATE}},
		Success: []*pb.RequestOp{{Request: &pb.RequestOp_RequestPut{RequestPut: &pb.PutRequest{Key: []byte("/k")}}}},
		Failure: []*pb.RequestOp{{Request: &pb.RequestOp_RequestRange{RequestRange: &pb.RangeRequest{Key: []byte("/k")}}}}})
	chaostest.Must(t, err)
	header := &pb.ResponseHeader{ClusterId: 1, MemberId: 2, Revision: 3, RaftTerm: 4}
	plain, err := proto.Marshal(&pb.PutResponse{Header: header})
	chaostest.Must(t, err)
	branch, err := proto.Marshal(&pb.TxnResponse{Header: header, Succeeded: true, Responses: []*pb.ResponseOp{
		{Response: &pb.ResponseOp_ResponsePut{ResponsePut: &pb.PutResponse{Header: header}}}}})
	chaostest.Must(t, err)
	for _, tt := range []struct {
		method          string
		request, answer []byte
		most            float64
		reason          string
	}{
		{"Range", read, plain, 4, "it is not looked into"},
		{"Put", put, plain, 8, "a key is reported"},
		{"Txn", txn, branch, 10, "the branch that was executed is found"},
	} {
		l, out := quietLink(t, &Proxy{faults: newFaults()})
		asks, answers := chaostest.NewSpeaker(), chaostest.NewSpeaker()
		var asked, answered []chaostest.Speaker
		for i := range runs + 1 { // one is to warm up
			stream := uint32(2*i + 1)
			asks.Call(t, stream, true, tt.request, ":method", "POST", ":scheme", "http", ":path", "/etcdserverpb.KV/"+tt.method,
				":authority", "127.0.0.1:2379", "content-type", "application/grpc", "user-agent", "grpc-go/1", "te", "trailers")
			answers.Call(t, stream, false, tt.answer, ":status", "200", "content-type", "application/grpc")
			chaostest.Must(t, answers.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, EndStream: true, EndHeaders: true,
				BlockFragment: answers.Header(t, "grpc-status", "0", "grpc-message", "")}))
			asked, answered = append(asked, asks.Taken()), append(answered, answers.Taken())
		}
		i := 0
		got := testing.AllocsPerRun(runs, func() {
			out.member.Reset()
			out.client.Reset()
			l.says(t, l.toMember, &asked[i], l.asks)
			l.says(t, l.toClient, &answered[i], l.answers)
			i++
		})
		t.Logf("%s: %.0f allocations", tt.method, got)
		if got > tt.most {
			t.Errorf("%s: %.0f allocations, want at most %.0f: %s", tt.method, got, tt.most, tt.reason)
		}
		if len(l.calls) != 0 || out.client.Len() == 0 {
			t.Errorf("%s: %d calls are open, %d bytes came back", tt.method, len(l.calls), out.client.Len())
		}
	}
}
