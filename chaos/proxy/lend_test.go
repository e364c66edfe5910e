package proxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/chaos"
	"locktop/chaos/chaostest"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3election"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3election/v3electionpb"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3lock/v3lockpb"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// foreignProxy is a proxy before a cluster that is not ours.
func foreignProxy(t testing.TB, member string) *Proxy {
	t.Helper()
	return startProxy(t, Options{Backends: []string{member}, Foreign: true})
}

// TestWhatPassesToAClusterThatIsNotOurs calls everything there is with Go's client.
func TestWhatPassesToAClusterThatIsNotOurs(t *testing.T) {
	t.Parallel()
	member := chaostest.StartMember(t)
	p := foreignProxy(t, member)
	c := behind(t, p, "a")
	conn := c.ActiveConnection()
	s := openSession(t, c, 60)
	calls := []struct {
		name   string
		passes bool
		call   func(ctx context.Context) error
	}{
		{"put", true, func(ctx context.Context) error { _, err := c.Put(ctx, "/k", "v"); return err }},
		{"get", true, func(ctx context.Context) error { _, err := c.Get(ctx, "/k"); return err }},
		{"delete", true, func(ctx context.Context) error { _, err := c.Delete(ctx, "/k"); return err }},
		{"mutex", true, func(ctx context.Context) error {
			m := concurrency.NewMutex(s, "/lock")
			if err := m.Lock(ctx); err != nil {
				return err
			}
			return m.Unlock(ctx)
		}},
		{"lock service", true, func(ctx context.Context) error { // Lock would leave a session in the member
			_, err := v3lockpb.NewLockClient(conn).Unlock(ctx, &v3lockpb.UnlockRequest{Key: []byte("/served")})
			return err
		}},
		{"election service", true, func(ctx context.Context) error {
			_, err := v3electionpb.NewElectionClient(conn).Proclaim(ctx, &v3electionpb.ProclaimRequest{})
			if strings.HasSuffix(status.Convert(err).Message(), v3election.ErrMissingLeaderKey.Error()) {
				return nil // so says the member
			}
			return err
		}},
		{"health", true, func(ctx context.Context) error {
			_, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{})
			return err
		}},
		{"renew", true, func(ctx context.Context) error { _, err := c.KeepAliveOnce(ctx, s.Lease()); return err }},
		{"leases", true, func(ctx context.Context) error { _, err := c.Leases(ctx); return err }},
		{"members", true, func(ctx context.Context) error { _, err := c.MemberList(ctx); return err }},
		{"status", true, func(ctx context.Context) error { _, err := c.Status(ctx, c.Endpoints()[0]); return err }},
		{"compact", false, func(ctx context.Context) error { _, err := c.Compact(ctx, 1); return err }},
		{"add a user", false, func(ctx context.Context) error { _, err := c.UserAdd(ctx, "me", "pw"); return err }},
		{"add a role", false, func(ctx context.Context) error { _, err := c.RoleAdd(ctx, "root"); return err }},
		{"make root", false, func(ctx context.Context) error { _, err := c.UserGrantRole(ctx, "me", "root"); return err }},
		{"list users", false, func(ctx context.Context) error { _, err := c.UserList(ctx); return err }},
		{"auth off", false, func(ctx context.Context) error { _, err := c.AuthDisable(ctx); return err }},
		{"auth status", false, func(ctx context.Context) error { _, err := c.AuthStatus(ctx); return err }},
		{"add a member", false, func(ctx context.Context) error {
			_, err := c.MemberAdd(ctx, []string{"http://127.0.0.1:1"})
			return err
		}},
		{"promote", false, func(ctx context.Context) error { _, err := c.MemberPromote(ctx, 7); return err }},
		{"alarms", false, func(ctx context.Context) error { _, err := c.AlarmList(ctx); return err }},
		{"defragment", false, func(ctx context.Context) error { _, err := c.Defragment(ctx, c.Endpoints()[0]); return err }},
		{"hash", false, func(ctx context.Context) error { _, err := c.HashKV(ctx, c.Endpoints()[0], 0); return err }},
		{"move the leader", false, func(ctx context.Context) error { _, err := c.MoveLeader(ctx, 7); return err }},
		{"downgrade", false, func(ctx context.Context) error {
			_, err := c.Downgrade(ctx, clientv3.DowngradeAction(pb.DowngradeRequest_VALIDATE), "3.6.0")
			return err
		}},
		{"snapshot, a stream", false, func(ctx context.Context) error {
			r, err := c.Snapshot(ctx)
			if err == nil {
				defer r.Close()
				_, err = io.Copy(io.Discard, r)
			}
			return err
		}},
		{"a service that nobody knows", false, func(ctx context.Context) error {
			return conn.Invoke(ctx, "/locktop.Nobody/Knows%0a\x01", &pb.StatusRequest{}, &pb.StatusResponse{})
		}},
		{"another casing", false, func(ctx context.Context) error {
			return conn.Invoke(ctx, "/etcdserverpb.auth/userList", &pb.AuthUserListRequest{}, &pb.AuthUserListResponse{})
		}},
	}
	for range 2 { // what was refused spoils nothing for what comes later
		for _, r := range calls {
			err := r.call(chaostest.Within(t))
			switch {
			case r.passes && err != nil:
				t.Errorf("%s: %v", r.name, err)
			case !r.passes && chaos.CodeOf(err) != codes.PermissionDenied:
				t.Errorf("%s: %v, want it denied", r.name, err)
			case !r.passes && !strings.HasPrefix(status.Convert(err).Message(), lent.Refusal) && !strings.Contains(err.Error(), lent.Refusal):
				t.Errorf("%s: %v does not say who refused", r.name, err)
			}
		}
	}
	direct := chaostest.Dial(t, []string{member})
	if users, err := direct.UserList(chaostest.Within(t)); err != nil || len(users.Users) > 0 {
		t.Errorf("the cluster has users %v, %v", users, err)
	}
}

// TestInOurOwnLabEverythingPasses: people use etcdctl there.
func TestInOurOwnLabEverythingPasses(t *testing.T) {
	t.Parallel()
	c := behind(t, startProxy(t, Options{Backends: []string{chaostest.StartMember(t)}}), "a")
	_, err := c.UserAdd(chaostest.Within(t), "me", "pw")
	chaostest.Must(t, err)
	_, err = c.AlarmList(chaostest.Within(t))
	chaostest.Must(t, err)
	_, err = c.Compact(chaostest.Within(t), 1)
	chaostest.Must(t, err)
}

// recorder is a member that writes down what it is asked.
type recorder struct {
	at string

	mu    sync.Mutex
	heard []string // paths, and what is no HTTP/2
}

func newRecorder(t *testing.T) *recorder {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	chaostest.Must(t, err)
	r := &recorder{at: lis.Addr().String()}
	var wg sync.WaitGroup
	t.Cleanup(func() { _ = lis.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			c, err := lis.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { defer c.Close(); r.serve(c) })
		}
	})
	return r
}

func (r *recorder) serve(c net.Conn) {
	preface := make([]byte, len(http2.ClientPreface))
	if n, err := io.ReadFull(c, preface); err != nil || string(preface) != http2.ClientPreface {
		if n > 0 {
			r.hear(fmt.Sprintf("%q", preface[:n]))
		}
		return
	}
	f := http2.NewFramer(c, c)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	_ = f.WriteSettings()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			r.hear(frame.PseudoValue("path"))
		case *http2.DataFrame:
			r.hear("data " + string(frame.Data()))
		case *http2.RSTStreamFrame:
			r.hear("reset")
		}
	}
}

func (r *recorder) hear(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = append(r.heard, what)
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.heard)
}

const (
	pathPut  = "/etcdserverpb.KV/Put"
	pathAuth = "/etcdserverpb.Auth/AuthDisable"
)

// grpcHeader is what a call of gRPC begins with.
func grpcHeader(path string, more ...string) []string {
	return append([]string{":method", "POST", ":scheme", "http", ":path", path, ":authority", "x", "content-type", "application/grpc"}, more...)
}

// TestNothingButCallsOfGRPCPasses says to the proxy what no client of etcd says.
func TestNothingButCallsOfGRPCPasses(t *testing.T) {
	t.Parallel()
	raw := func(text string) func(*testing.T, *chaostest.Speaker) {
		return func(t *testing.T, s *chaostest.Speaker) { s.Reset(); s.WriteString(text) }
	}
	begin := func(stream uint32, pairs ...string) func(*testing.T, *chaostest.Speaker) {
		return func(t *testing.T, s *chaostest.Speaker) {
			chaostest.Must(t, s.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, EndHeaders: true, BlockFragment: s.Header(t, pairs...)}))
		}
	}
	all := func(steps ...func(*testing.T, *chaostest.Speaker)) func(*testing.T, *chaostest.Speaker) {
		return func(t *testing.T, s *chaostest.Speaker) {
			for _, step := range steps {
				step(t, s)
			}
		}
	}
	data := func(stream uint32, text string) func(*testing.T, *chaostest.Speaker) {
		return func(t *testing.T, s *chaostest.Speaker) {
			chaostest.Must(t, s.Framer.WriteData(stream, true, []byte(text)))
		}
	}
	swap := func(pairs []string, name, value string) []string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				pairs[i+1] = value
			}
		}
		return pairs
	}
	pieces := func(t *testing.T, s *chaostest.Speaker) {
		block := s.Header(t, grpcHeader(pathAuth)...)
		chaostest.Must(t, s.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:1], PadLength: 9, Priority: http2.PriorityParam{Weight: 3}}))
		for _, b := range block[1 : len(block)-1] {
			chaostest.Must(t, s.Framer.WriteContinuation(1, false, []byte{b}))
		}
		chaostest.Must(t, s.Framer.WriteContinuation(1, true, block[len(block)-1:]))
	}
	rows := []struct {
		reason  string
		say     func(*testing.T, *chaostest.Speaker)
		refused int  // calls
		ends    bool // the connection
		heard   []string
	}{
		{"a call that passes", all(begin(1, grpcHeader(pathPut)...), data(1, "x")), 0, false, []string{pathPut, "data x"}},
		{"a call that does not, with what it says", all(begin(1, grpcHeader(pathAuth)...), data(1, "secret")), 1, false, nil},
		{"and one after it, by the table that both have filled", all(begin(1, grpcHeader(pathAuth, "token", "t")...), data(1, "secret"),
			begin(3, grpcHeader(pathPut, "token", "t")...), data(3, "x"), begin(5, grpcHeader(pathAuth, "token", "t")...)), 2, false, []string{pathPut, "data x"}},
		{"in pieces of a byte", pieces, 1, false, nil},
		{"pieces of two streams", func(t *testing.T, s *chaostest.Speaker) {
			block := s.Header(t, grpcHeader(pathPut)...)
			chaostest.Must(t, s.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:4]}))
			s.Framer.AllowIllegalWrites = true
			chaostest.Must(t, s.Framer.WriteContinuation(3, true, block[4:]))
		}, 0, true, nil},
		{"the client breaks the refused call off", all(begin(1, grpcHeader(pathAuth)...), func(t *testing.T, s *chaostest.Speaker) {
			chaostest.Must(t, s.Framer.WriteRSTStream(1, http2.ErrCodeCancel))
		}), 1, false, nil},
		{"trailers of a refused call", all(begin(1, grpcHeader(pathAuth)...), begin(1, ":path", pathAuth)), 1, false, nil},
		{"no path", begin(1, ":method", "POST", ":scheme", "http", "content-type", "application/grpc"), 0, true, nil},
		{"two paths", begin(1, append([]string{":path", pathAuth}, grpcHeader(pathPut)...)...), 0, true, nil},
		{"a path after the others", begin(1, grpcHeader(pathPut, ":path", pathAuth)...), 0, true, nil},
		{"a path that is spelt otherwise", begin(1, grpcHeader("/etcdserverpb.Auth%2FAuthDisable")...), 1, false, nil},
		{"a path without its slash", begin(1, grpcHeader("etcdserverpb.KV/Put")...), 1, false, nil},
		{"a path with a query", begin(1, grpcHeader(pathPut+"?x")...), 1, false, nil},
		{"a path with dots", begin(1, grpcHeader("/etcdserverpb.KV/../etcdserverpb.Auth/AuthDisable")...), 1, false, nil},
		{"a name in upper case", begin(1, append([]string{":Path", pathAuth}, grpcHeader(pathPut)...)...), 0, true, nil},
		{"a name in upper case among the others", begin(1, grpcHeader(pathPut, "Content-Type", "application/json")...), 0, true, nil},
		{"the gateway's JSON over HTTP/2", begin(1, swap(grpcHeader("/v3/auth/disable"), "content-type", "application/json")...), 0, true, nil},
		{"JSON on a path that passes", begin(1, swap(grpcHeader(pathPut), "content-type", "application/json")...), 0, true, nil},
		{"two kinds of content", begin(1, grpcHeader(pathPut, "content-type", "application/json")...), 0, true, nil},
		{"gRPC for browsers", begin(1, swap(grpcHeader(pathPut), "content-type", "application/grpc-web")...), 0, true, nil},
		{"gRPC with its codec named", begin(1, swap(grpcHeader(pathPut), "content-type", "application/grpc+proto")...), 0, false, []string{pathPut}},
		{"a GET", begin(1, swap(grpcHeader(pathPut), ":method", "GET")...), 0, true, nil},
		{"a CONNECT", begin(1, ":method", "CONNECT", ":authority", "127.0.0.1:1"), 0, true, nil},
		{"an extended CONNECT", begin(1, grpcHeader(pathPut)[0], "CONNECT", ":protocol", "websocket", ":scheme", "http", ":path", pathPut), 0, true, nil},
		{"a stream of the server's", begin(2, grpcHeader(pathPut)...), 0, true, nil},
		{"an older stream", all(begin(5, grpcHeader(pathPut)...), begin(3, grpcHeader(pathPut)...)), 0, true, []string{pathPut}},
		{"trailers, which could name another path", all(begin(1, grpcHeader(pathPut)...), begin(1, grpcHeader(pathAuth)...)), 0, true, []string{pathPut}},
		{"HTTP/1 to the gateway", raw("POST /v3/auth/disable HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"), 0, true, nil},
		{"an upgrade to HTTP/2", raw("POST /v3/auth/disable HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"), 0, true, nil},
		{"a bare line", raw("\r\n\r\n" + http2.ClientPreface), 0, true, nil},
	}
	for _, r := range rows {
		t.Run(r.reason, func(t *testing.T) {
			t.Parallel()
			member := newRecorder(t)
			p := foreignProxy(t, member.at)
			c, s := connects(t, p)
			r.say(t, s)
			if !r.ends {
				chaostest.Must(t, s.Framer.WritePing(false, [8]byte{'e', 'n', 'd'}))
			}
			_, err := c.Write(s.Bytes())
			chaostest.Must(t, err)
			refused, ended := hearsRefusals(t, c, r.refused, r.ends)
			if refused != r.refused || ended != r.ends {
				t.Errorf("%d calls were refused and the connection ended: %v; want %d, %v", refused, ended, r.refused, r.ends)
			}
			chaostest.Eventually(t, "what passes is heard", func() bool { return len(member.all()) >= len(r.heard) })
			p.Close()
			if got := member.all(); !slices.Equal(got, r.heard) {
				t.Errorf("the member heard %q, want %q", got, r.heard)
			}
		})
	}
}

// connects is a connection to a shared listener, and what it says first.
func connects(t *testing.T, p *Proxy) (net.Conn, *chaostest.Speaker) {
	t.Helper()
	c, err := net.Dial("tcp", p.Shared()[0])
	chaostest.Must(t, err)
	t.Cleanup(func() { c.Close() })
	s := chaostest.NewSpeaker()
	s.WriteString(http2.ClientPreface)
	chaostest.Must(t, s.Framer.WriteSettings())
	return c, s
}

// hearsRefusals counts the calls that were refused, until the connection ends or there
// were that many. The first frame has to be the member's settings.
func hearsRefusals(t *testing.T, c net.Conn, want int, ends bool) (refused int, ended bool) {
	t.Helper()
	chaostest.Must(t, c.SetReadDeadline(time.Now().Add(chaostest.Patience)))
	f := http2.NewFramer(io.Discard, c)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for first := true; ends || refused < want; first = false {
		frame, err := f.ReadFrame()
		if err != nil {
			return refused, true
		}
		if _, ok := frame.(*http2.SettingsFrame); first && !ok {
			t.Errorf("the first frame is %v, want settings", frame)
		}
		h, ok := frame.(*http2.MetaHeadersFrame)
		if !ok {
			continue
		}
		said := map[string]string{}
		for _, x := range h.Fields {
			said[x.Name] = x.Value
		}
		if said[":status"] != "200" || said["grpc-status"] != "7" || !strings.HasPrefix(said["grpc-message"], lent.Refusal) || !h.StreamEnded() {
			t.Errorf("refused with %v", said)
		}
		refused++
	}
	return refused, false
}

// TestWhoGoesOnAskingIsDisconnected bounds what is remembered of refused calls.
func TestWhoGoesOnAskingIsDisconnected(t *testing.T) {
	t.Parallel()
	p := foreignProxy(t, newRecorder(t).at)
	c, s := connects(t, p)
	for i := range uint32(maxRefused + 1) {
		chaostest.Must(t, s.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*i + 1, EndHeaders: true, EndStream: true, BlockFragment: s.Header(t, grpcHeader(pathAuth)...)}))
	}
	go func() { _, _ = c.Write(s.Bytes()) }() // which ends with the connection
	if n, ended := hearsRefusals(t, c, maxRefused+1, true); !ended || n > maxRefused {
		t.Errorf("%d refused, ended: %v", n, ended)
	}
}

// TestRoomComesBackFromRefusedCalls: what is said in them fills no window.
func TestRoomComesBackFromRefusedCalls(t *testing.T) {
	t.Parallel()
	c := behind(t, foreignProxy(t, chaostest.StartMember(t)), "a")
	name := strings.Repeat("x", 60<<10) // of the 64 KiB that a connection begins with
	for range 20 {
		if _, err := c.UserAdd(chaostest.Within(t), name, "pw"); chaos.CodeOf(err) != codes.PermissionDenied {
			t.Fatal(err)
		}
	}
	chaostest.Must(t, put60(c, name)(chaostest.Within(t)))
}
