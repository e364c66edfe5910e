package chaos

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
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

	"locktop/model"
)

// said is what one end says, made by a library.
type said struct {
	bytes.Buffer
	framer *http2.Framer
	block  bytes.Buffer
	fields *hpack.Encoder
}

func newSaid() *said {
	s := &said{}
	s.framer = http2.NewFramer(&s.Buffer, nil)
	s.fields = hpack.NewEncoder(&s.block)
	return s
}

// header returns a block of these names and values.
func (s *said) header(t testing.TB, pairs ...string) []byte {
	t.Helper()
	s.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		must(t, s.fields.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]}))
	}
	return bytes.Clone(s.block.Bytes())
}

// everyShape is a request in frames as gRPC's own clients do not send them.
func everyShape(t testing.TB) []byte {
	s := newSaid()
	block := s.header(t, ":path", "/etcdserverpb.KV/Put", "long", strings.Repeat("x", 300))
	must(t, s.framer.WriteSettings())
	must(t, s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:10], PadLength: 7,
		Priority: http2.PriorityParam{Weight: 9}}))
	must(t, s.framer.WriteContinuation(1, false, block[10:200]))
	must(t, s.framer.WriteContinuation(1, true, block[200:]))
	must(t, s.framer.WriteDataPadded(1, false, []byte("\x00\x00"), make([]byte, 5)))
	must(t, s.framer.WriteData(1, true, []byte("\x00\x00\x03abc")))
	must(t, s.framer.WriteRawFrame(0xbe, 3, 1, []byte("unknown to us")))
	return s.Bytes()
}

func TestFramesPassAsTheyAreHoweverTheyCome(t *testing.T) {
	t.Parallel()
	in := everyShape(t)
	for size := 1; size <= len(in); size++ {
		var out bytes.Buffer
		var fields []hpack.HeaderField
		var data []byte
		w := New(&chunks{in, size}, &out)
		err := w.Relay(func(u *Frame) (bool, error) {
			fields = append(fields, u.fields...)
			if u.kind == http2.FrameData {
				data = append(data, u.data...)
			}
			return true, nil
		})
		if !errors.Is(err, io.EOF) || !bytes.Equal(out.Bytes(), in) {
			t.Fatalf("%d bytes at once: %v, %d bytes of %d passed", size, err, out.Len(), len(in))
		}
		if len(fields) != 2 || fields[0].Value != "/etcdserverpb.KV/Put" || len(fields[1].Value) != 300 {
			t.Fatalf("%d bytes at once: the header is read as %v", size, fields)
		}
		if string(data) != "\x00\x00\x00\x00\x03abc" {
			t.Fatalf("%d bytes at once: the message is read as %q", size, data)
		}
	}
}

// chunks reads so many bytes at once.
type chunks struct {
	rest []byte
	size int
}

func (c *chunks) Read(b []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, c.rest[:min(c.size, len(c.rest))])
	c.rest = c.rest[n:]
	return n, nil
}

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

// FuzzRelay: whatever comes, what passes is what came, and nothing else.
func FuzzRelay(f *testing.F) {
	f.Add(everyShape(f))
	f.Add([]byte("\x00\x00\x01\x00\x08\x00\x00\x00\x01\x09"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		_ = New(bytes.NewReader(in), &out).Relay(func(*Frame) (bool, error) { return true, nil })
		if !bytes.HasPrefix(in, out.Bytes()) {
			t.Fatalf("%x came out of %x", &out, in)
		}
	})
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
			_, err := dial(t, []string{member}).Put(within(t), "/k", value)
			must(t, err)
			call := get(c)
			if tt.put {
				call = put60(c, value)
			}
			tt.fault.Target = "a"
			must(t, p.Inject(tt.fault))
			for i := range 4 {
				hangs(t, call)
				if tt.put { // each came to the proxy as a whole
					eventually(t, "the write is reported", func() bool { return len(reported[model.Wrote](w)) == i+1 })
				}
			}
			p.Heal(tt.fault)
			must(t, call(within(t)))
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
	secret := startMember(t, func(c *embed.Config) {
		c.ListenClientUrls[0].Scheme, c.AdvertiseClientUrls[0].Scheme = "https", "https"
		c.ClientTLSInfo.CertFile, c.ClientTLSInfo.KeyFile = ca.path("member.pem"), ca.path("member.key")
	})
	for _, tt := range []struct {
		reason  string
		options ProxyOptions
		client  clientv3.Config
	}{
		{"to the member", ProxyOptions{Backends: []string{secret}, BackendTLS: &tls.Config{RootCAs: ca.pool()}}, clientv3.Config{}},
		{"to the client", ProxyOptions{Backends: []string{startMember(t)}, ServerTLS: &tls.Config{Certificates: []tls.Certificate{pair}}},
			clientv3.Config{TLS: &tls.Config{RootCAs: ca.pool()}}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			p := startProxy(t, tt.options)
			tt.client.Endpoints = p.Shared()
			c, err := connect(tt.client)
			must(t, err)
			t.Cleanup(func() { _ = c.Close() })
			m := concurrency.NewMutex(openSession(t, c, 60), "/lock")
			must(t, m.Lock(within(t)))
			must(t, m.Unlock(within(t)))
		})
	}
}

func TestAHeaderSaysHowItsOwnConnectionIsCarried(t *testing.T) {
	t.Parallel()
	l, out := quietLink(t, &Proxy{faults: newFaults(), scheme: "https"})
	l.listener.backend, l.toMember.rewrites = "member:2379", true
	s := newSaid()
	long := strings.Repeat("x", 3*blockRoom) // takes continuations
	s.call(t, 1, true, nil, ":scheme", "http", ":authority", "127.0.0.1:1", "token", long)
	l.says(t, l.toMember, s, l.asks)
	r := http2.NewFramer(nil, &out.member)
	r.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f, err := r.ReadFrame()
	must(t, err)
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
	s := newSaid()
	must(t, s.framer.WriteWindowUpdate(0, 100))
	must(t, s.framer.WritePing(false, [8]byte([]byte(measuring))))
	l.says(t, l.toMember, s, l.asks)
	if out.member.Len() != 0 || out.client.Len() != 0 {
		t.Fatalf("%d bytes to the member and %d to the client, want them to wait", out.member.Len(), out.client.Len())
	}
	must(t, s.framer.WritePing(false, [8]byte{1}))
	l.says(t, l.toMember, s, l.asks)
	must(t, s.framer.WritePing(true, [8]byte{1}))
	l.says(t, l.toClient, s, l.answers)
	wantFrames(t, "to the member", &out.member, "PING", "WINDOW_UPDATE")
	wantFrames(t, "to the client", &out.client, "PING", "PING")

	must(t, s.framer.WriteWindowUpdate(0, maxOwed))
	must(t, s.framer.WriteWindowUpdate(3, 1))
	l.says(t, l.toMember, s, l.asks)
	wantFrames(t, "much room, and that of a call", &out.member, "WINDOW_UPDATE", "WINDOW_UPDATE")

	must(t, s.framer.WriteData(1, false, make([]byte, littleData)))
	l.says(t, l.toClient, s, l.answers)
	must(t, s.framer.WritePing(false, [8]byte([]byte(measuring))))
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
	l := &connection{Conn: end, listener: &listener{proxy: p}, client: "a", certain: true, calls: map[uint32]*call{}}
	l.toMember, l.toClient = New(nil, &out.member), New(nil, &out.client)
	return quiet{l}, out
}

// says has the sender of that way say all that was written.
func (quiet) says(t testing.TB, w *Direction, s *said, see Inspect) {
	t.Helper()
	if s.Len() > len(w.buf) {
		w.buf = make([]byte, s.Len())
	}
	n := copy(w.buf, s.Bytes())
	s.Reset()
	must(t, w.pass(w.buf[:n], see))
}

// TestACallCostsFewAllocations bounds what the proxy allocates for one call that
// passes, request to status, most of which is for the evidence.
func TestACallCostsFewAllocations(t *testing.T) {
	const runs = 100
	put, err := proto.Marshal(&pb.PutRequest{Key: []byte("/k"), Value: []byte("v"), Lease: 7})
	must(t, err)
	read, err := proto.Marshal(&pb.RangeRequest{Key: []byte("/k")})
	must(t, err)
	txn, err := proto.Marshal(&pb.TxnRequest{
		Compare: []*pb.Compare{{Key: []byte("/k"), Target: pb.Compare_CREATE}},
		Success: []*pb.RequestOp{{Request: &pb.RequestOp_RequestPut{RequestPut: &pb.PutRequest{Key: []byte("/k")}}}},
		Failure: []*pb.RequestOp{{Request: &pb.RequestOp_RequestRange{RequestRange: &pb.RangeRequest{Key: []byte("/k")}}}}})
	must(t, err)
	header := &pb.ResponseHeader{ClusterId: 1, MemberId: 2, Revision: 3, RaftTerm: 4}
	plain, err := proto.Marshal(&pb.PutResponse{Header: header})
	must(t, err)
	branch, err := proto.Marshal(&pb.TxnResponse{Header: header, Succeeded: true, Responses: []*pb.ResponseOp{
		{Response: &pb.ResponseOp_ResponsePut{ResponsePut: &pb.PutResponse{Header: header}}}}})
	must(t, err)
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
		asks, answers := newSaid(), newSaid()
		var asked, answered []said
		for i := range runs + 1 { // one is to warm up
			stream := uint32(2*i + 1)
			asks.call(t, stream, true, tt.request, ":method", "POST", ":scheme", "http", ":path", "/etcdserverpb.KV/"+tt.method,
				":authority", "127.0.0.1:2379", "content-type", "application/grpc", "user-agent", "grpc-go/1", "te", "trailers")
			answers.call(t, stream, false, tt.answer, ":status", "200", "content-type", "application/grpc")
			must(t, answers.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, EndStream: true, EndHeaders: true,
				BlockFragment: answers.header(t, "grpc-status", "0", "grpc-message", "")}))
			asked, answered = append(asked, asks.taken()), append(answered, answers.taken())
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

// call says a header and a message.
func (s *said) call(t testing.TB, stream uint32, end bool, message []byte, pairs ...string) {
	t.Helper()
	must(t, s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, EndHeaders: true, BlockFragment: s.header(t, pairs...)}))
	head := []byte{0, 0, 0, 0, byte(len(message))}
	must(t, s.framer.WriteData(stream, end, append(head, message...)))
}

// taken returns what was said up to now.
func (s *said) taken() said {
	defer s.Reset()
	return said{Buffer: *bytes.NewBuffer(bytes.Clone(s.Bytes()))}
}
