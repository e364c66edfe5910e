//go:build slow

package proxy

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"

	"locktop/chaos"
	"locktop/chaos/chaostest"
	"locktop/model"
	"locktop/model/text"
)

// faultBench is a member, a proxy before it, and two clients behind that.
type faultBench struct {
	p         *Proxy
	direct    *clientv3.Client
	a, b      *clientv3.Client
	addresses []string // of a's listeners
}

func newFaultBench(t *testing.T) *faultBench {
	t.Helper()
	member := chaostest.StartMember(t)
	p := startProxy(t, Options{Backends: []string{member}})
	at, err := p.Listen("a")
	chaostest.Must(t, err)
	return &faultBench{p: p, direct: chaostest.Dial(t, []string{member}), a: chaostest.Dial(t, at), b: behind(t, p, "b"), addresses: at}
}

// watching returns a watch of a prefix that has begun.
func watching(t *testing.T, c *clientv3.Client, prefix string) clientv3.WatchChan {
	t.Helper()
	w := c.Watch(chaostest.Within(t), prefix, clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	if r := <-w; !r.Created {
		t.Fatalf("the watch began with %v", r)
	}
	return w
}

// wantEvents reads events until all of these keys came, in order.
func wantEvents(t *testing.T, w clientv3.WatchChan, keys ...string) {
	t.Helper()
	timeout := time.After(chaostest.Patience)
	for len(keys) > 0 {
		select {
		case r, ok := <-w:
			if !ok || r.Err() != nil {
				t.Fatalf("the watch ended: %v", r.Err())
			}
			for _, e := range r.Events {
				if len(keys) == 0 || string(e.Kv.Key) != keys[0] {
					t.Fatalf("event of %s, want those of %v", e.Kv.Key, keys)
				}
				keys = keys[1:]
			}
		case <-timeout:
			t.Fatalf("no event of %v", keys)
		}
	}
}

// wantNothing fails if something has come. The caller makes sure that it would have.
func wantNothing[T any](t *testing.T, what string, c <-chan T) {
	t.Helper()
	select {
	case x := <-c:
		t.Fatalf("%s: %v", what, x)
	default:
	}
}

func TestFaultsOfAClient(t *testing.T) {
	t.Parallel()
	fault := func(kind model.FaultKind, change func(*model.Fault)) model.Fault {
		f := model.Fault{Kind: kind, Target: "a"}
		change(&f)
		return f
	}
	for _, tt := range []struct {
		name, reason string
		fault        model.Fault
		run          func(t *testing.T, b *faultBench, f model.Fault)
	}{
		{"hold replies of watch", "a waiter that is never told of the delete blocks the queue",
			fault(model.FaultHold, func(f *model.Fault) { f.Method, f.Direction = "Watch/Watch", model.Replies }), runHoldReplies},
		{"hold requests of put", "the member knows nothing of it, and the client hangs",
			fault(model.FaultHold, func(f *model.Fault) { f.Method = "KV/Put" }), runHoldRequests},
		{"hold one request", "only the first of two is held, the other is a call of its own",
			fault(model.FaultHold, func(f *model.Fault) { f.Method, f.Count = "KV/Put", 1 }), runHoldOne},
		{"hold every request", "a method is not needed",
			fault(model.FaultHold, func(f *model.Fault) {}), func(t *testing.T, b *faultBench, f model.Fault) {
				chaostest.Must(t, b.p.Inject(f))
				hangs(t, get(b.a))
				b.p.Heal(f)
				chaostest.Must(t, get(b.a)(chaostest.Within(t)))
			}},
		{"hold the word of a refusal", "a status is an answer as well",
			fault(model.FaultHold, func(f *model.Fault) { f.Method, f.Direction = "KV/Put", model.Replies }),
			func(t *testing.T, b *faultBench, f model.Fault) {
				chaostest.Must(t, b.p.Inject(f))
				hangs(t, func(ctx context.Context) error {
					_, err := b.a.Put(ctx, "/k", "v", clientv3.WithLease(12345))
					return err
				})
			}},
		{"delay requests", "it arrives, but late",
			fault(model.FaultDelay, func(f *model.Fault) { f.Method, f.Delay = "KV/Put", 300*time.Millisecond }),
			func(t *testing.T, b *faultBench, f model.Fault) {
				chaostest.Must(t, b.p.Inject(f))
				begin := time.Now()
				chaostest.Must(t, <-puts(chaostest.Within(t), b.a, "/k"))
				atLeast(t, begin, f.Delay)
			}},
		{"delay replies of watch", "each is late by itself, not by those before it, and the order stays",
			fault(model.FaultDelay, func(f *model.Fault) {
				f.Method, f.Direction, f.Delay = "Watch/Watch", model.Replies, time.Second
			}), runDelayReplies},
		{"heal a delay", "what was to come late comes now",
			fault(model.FaultDelay, func(f *model.Fault) { f.Method, f.Delay = "KV/Put", time.Hour }),
			func(t *testing.T, b *faultBench, f model.Fault) {
				chaostest.Must(t, b.p.Inject(f))
				done := puts(chaostest.Within(t), b.a, "/k")
				chaostest.Must(t, get(b.a)(chaostest.Within(t)))
				b.p.Heal(f)
				chaostest.Must(t, <-done)
			}},
		{"give up on what is late", "nothing of the call stays behind in the proxy",
			fault(model.FaultDelay, func(f *model.Fault) { f.Delay = time.Hour }),
			func(t *testing.T, b *faultBench, f model.Fault) {
				chaostest.Must(t, b.p.Inject(f))
				hangs(t, get(b.a))
				hangs(t, func(ctx context.Context) error {
					b.a.Watch(ctx, "/w") // returns when the watch is made, or with the context
					return ctx.Err()
				})
			}},
		{"drop the reply of a transaction", "the ghost waiter: the key stays though the client got an error",
			fault(model.FaultDropReply, func(f *model.Fault) { f.Method, f.Count = "KV/Txn", 1 }), runDropReply},
		{"heal a dropped reply", "the call that hangs breaks: its answer is gone for good",
			fault(model.FaultDropReply, func(f *model.Fault) { f.Method, f.Count = "KV/Put", 1 }),
			func(t *testing.T, b *faultBench, f model.Fault) {
				chaostest.Must(t, b.p.Inject(f))
				done := puts(chaostest.Within(t), b.a, "/k")
				// Healed before its answer is back, it would get it.
				chaostest.Eventually(t, "the answer is dropped", func() bool { return b.p.faults.now().list[0].remaining.Load() == 0 })
				if chaostest.Count(t, b.direct, "/k") != 1 {
					t.Error("the member did not act")
				}
				b.p.Heal(f)
				if err := <-done; chaos.CodeOf(err) != codes.Unavailable {
					t.Errorf("the put ended with %v, want Unavailable", err)
				}
			}},
		{"freeze", "after it nothing is lost and the connection is the same", fault(model.FaultFreeze, func(*model.Fault) {}), runFreeze},
		{"cut", "the client sees its connection break, and joins again when it can", fault(model.FaultCut, func(*model.Fault) {}), runCut},
		{"slow by a delay", "a request and its answer are each late",
			fault(model.FaultSlow, func(f *model.Fault) { f.Delay = 200 * time.Millisecond }),
			func(t *testing.T, b *faultBench, f model.Fault) {
				chaostest.Must(t, get(b.a)(chaostest.Within(t)))
				chaostest.Must(t, b.p.Inject(f))
				begin := time.Now()
				chaostest.Must(t, get(b.a)(chaostest.Within(t)))
				atLeast(t, begin, 2*f.Delay)
				b.p.Heal(f)
				chaostest.Must(t, get(b.a)(chaostest.Within(t)))
			}},
		{"slow by a rate", "64 KiB at 128 KiB/s take half a second, either way",
			fault(model.FaultSlow, func(f *model.Fault) { f.Rate = 128 << 10 }),
			func(t *testing.T, b *faultBench, f model.Fault) {
				chaostest.Must(t, b.p.Inject(f))
				begin := time.Now()
				_, err := b.a.Put(chaostest.Within(t), "/k", strings.Repeat("x", 64<<10))
				chaostest.Must(t, err)
				atLeast(t, begin, 400*time.Millisecond)
				begin = time.Now()
				chaostest.Must(t, get(b.a)(chaostest.Within(t)))
				atLeast(t, begin, 400*time.Millisecond)
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			t.Log(tt.reason)
			tt.run(t, newFaultBench(t), tt.fault)
		})
	}
}

func atLeast(t *testing.T, begin time.Time, want time.Duration) {
	t.Helper()
	if took := time.Since(begin); took < want {
		t.Errorf("it took %v, want at least %v", took, want)
	}
}

func runHoldReplies(t *testing.T, b *faultBench, f model.Fault) {
	held, free := watching(t, b.a, "/w"), watching(t, b.b, "/w")
	chaostest.Must(t, b.p.Inject(f))
	for _, key := range []string{"/w1", "/w2"} {
		chaostest.Must(t, <-puts(chaostest.Within(t), b.a, key)) // a's other calls pass
	}
	wantEvents(t, free, "/w1", "/w2")
	wantNothing(t, "a was told", held)
	b.p.Heal(f)
	wantEvents(t, held, "/w1", "/w2")
}

func runHoldRequests(t *testing.T, b *faultBench, f model.Fault) {
	chaostest.Must(t, b.p.Inject(f))
	done := puts(chaostest.Within(t), b.a, "/k")
	chaostest.Must(t, get(b.a)(chaostest.Within(t)))
	chaostest.Must(t, <-puts(chaostest.Within(t), b.b, "/other"))
	wantNothing(t, "the held put ended", done)
	if chaostest.Count(t, b.direct, "/k") != 0 {
		t.Error("the member has what is held")
	}
	b.p.Heal(f)
	chaostest.Must(t, <-done)
}

func runHoldOne(t *testing.T, b *faultBench, f model.Fault) {
	chaostest.Must(t, b.p.Inject(f))
	first := puts(chaostest.Within(t), b.a, "/first")
	chaostest.Eventually(t, "the first is held", func() bool { return b.p.faults.now().list[0].remaining.Load() == 0 })
	chaostest.Must(t, <-puts(chaostest.Within(t), b.a, "/second"))
	wantNothing(t, "the held put ended", first)
	b.p.Heal(f)
	chaostest.Must(t, <-first)
}

func runDelayReplies(t *testing.T, b *faultBench, f model.Fault) {
	w := watching(t, b.a, "/w")
	chaostest.Must(t, b.p.Inject(f))
	begin := time.Now()
	keys := strings.Fields("/w0 /w1 /w2 /w3 /w4 /w5 /w6 /w7 /w8 /w9")
	for _, key := range keys {
		chaostest.Must(t, <-puts(chaostest.Within(t), b.direct, key))
	}
	wantEvents(t, w, keys...)
	atLeast(t, begin, f.Delay)
	if took := time.Since(begin); took > 6*f.Delay {
		t.Errorf("ten events, each %v late, took %v", f.Delay, took)
	}
}

func runDropReply(t *testing.T, b *faultBench, f model.Fault) {
	chaostest.Must(t, b.p.Inject(f))
	txn := func(ctx context.Context) error {
		_, err := b.a.Txn(ctx).Then(clientv3.OpPut("/k", "v")).Commit()
		return err
	}
	ctx, cancel := context.WithTimeout(t.Context(), unanswered)
	defer cancel()
	if err := txn(ctx); chaos.CodeOf(err) != codes.DeadlineExceeded && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the transaction ended with %v, want the client's own deadline", err)
	}
	if chaostest.Count(t, b.direct, "/k") != 1 {
		t.Error("the member did not act")
	}
	chaostest.Must(t, txn(chaostest.Within(t))) // the count is used up
}

func runFreeze(t *testing.T, b *faultBench, f model.Fault) {
	w, free := watching(t, b.a, "/w"), watching(t, b.b, "/w")
	ping := newPinger(t, b.addresses[0])
	ping.send(t)
	if !ping.answered(chaostest.Patience) {
		t.Fatal("the proxy does not answer a ping")
	}
	chaostest.Must(t, b.p.Inject(f))
	done := puts(chaostest.Within(t), b.a, "/k")
	ping.send(t)
	if ping.answered(200 * time.Millisecond) {
		t.Error("a ping was answered on a frozen connection")
	}
	late := newPinger(t, b.addresses[0])
	late.send(t)
	if late.answered(200 * time.Millisecond) {
		t.Error("a ping was answered on a connection that was made while frozen")
	}
	for _, key := range []string{"/w1", "/w2", "/w3"} {
		chaostest.Must(t, <-puts(chaostest.Within(t), b.direct, key))
	}
	wantEvents(t, free, "/w1", "/w2", "/w3")
	wantNothing(t, "the put ended", done)
	wantNothing(t, "the watch got something", w)
	if chaostest.Count(t, b.direct, "/k") != 0 {
		t.Error("a request passed")
	}
	b.p.Heal(f)
	chaostest.Must(t, <-done)
	wantEvents(t, w, "/w1", "/w2", "/w3")
	if !ping.answered(chaostest.Patience) || !late.answered(chaostest.Patience) {
		t.Error("a ping was lost")
	}
}

func runCut(t *testing.T, b *faultBench, f model.Fault) {
	chaostest.Must(t, get(b.a)(chaostest.Within(t)))
	ping := newPinger(t, b.addresses[0])
	ping.send(t)
	ping.answered(chaostest.Patience)
	chaostest.Must(t, b.p.Inject(f))
	chaostest.Must(t, ping.SetReadDeadline(time.Now().Add(chaostest.Patience)))
	if _, err := io.Copy(io.Discard, ping); isTimeout(err) {
		t.Error("a connection is open though it is cut")
	}
	again := newPinger(t, b.addresses[0])
	chaostest.Must(t, again.SetReadDeadline(time.Now().Add(chaostest.Patience)))
	if _, err := again.Read(make([]byte, 1)); err == nil || isTimeout(err) {
		t.Errorf("a new connection lives though it is cut: %v", err)
	}
	hangs(t, get(b.a)) // clientv3 tries again and again
	chaostest.Must(t, get(b.b)(chaostest.Within(t)))
	b.p.Heal(f)
	chaostest.Must(t, get(b.a)(chaostest.Within(t)))
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// pinger speaks as much HTTP/2 as a ping takes.
type pinger struct{ net.Conn }

func newPinger(t *testing.T, address string) pinger {
	t.Helper()
	c, err := net.Dial("tcp", address)
	chaostest.Must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	// The greeting and empty settings. Where connections are cut it may fail.
	_, _ = io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
	return pinger{c}
}

func (p pinger) send(t *testing.T) {
	t.Helper()
	_, err := io.WriteString(p, "\x00\x00\x08\x06\x00\x00\x00\x00\x00locktop!")
	chaostest.Must(t, err)
}

// answered says whether the answer to a ping comes in time.
func (p pinger) answered(in time.Duration) bool {
	_ = p.SetReadDeadline(time.Now().Add(in))
	for {
		var head [9]byte
		if _, err := io.ReadFull(p, head[:]); err != nil {
			return false
		}
		size := int64(binary.BigEndian.Uint32(head[:4]) >> 8)
		if _, err := io.CopyN(io.Discard, p, size); err != nil {
			return false
		}
		if head[3] == 6 && head[4]&1 == 1 {
			return true
		}
	}
}

func TestFaultsOfOneClientLeaveAnotherAloneAndHealAllEndsThem(t *testing.T) {
	t.Parallel()
	b := newFaultBench(t)
	faults := []model.Fault{
		keepalivesOf("a"),
		{Kind: model.FaultHold, Target: "a"},
		{Kind: model.FaultHold, Target: "a", Direction: model.Replies, Method: "KV/Put"},
		{Kind: model.FaultDelay, Target: "a", Delay: time.Hour},
		{Kind: model.FaultDropReply, Target: "a", Method: "KV/Range"},
		{Kind: model.FaultFreeze, Target: "a"},
		{Kind: model.FaultSlow, Target: "a", Rate: 1},
		{Kind: model.FaultCut, Target: "a"},
	}
	for _, f := range faults {
		chaostest.Must(t, b.p.Inject(f))
	}
	hangs(t, get(b.a))
	s := openSession(t, b.b, 2)
	w := watching(t, b.b, "/w")
	chaostest.Must(t, <-puts(chaostest.Within(t), b.b, "/w"))
	wantEvents(t, w, "/w")
	chaostest.Must(t, s.Close())
	if n := b.p.HealAll(); n != len(faults) || len(b.p.Faults()) != 0 {
		t.Errorf("healed %d, in force %v, want %d healed", n, b.p.Faults(), len(faults))
	}
	chaostest.Must(t, <-puts(chaostest.Within(t), b.a, "/k"))
	if n := b.p.HealAll(); n != 0 {
		t.Errorf("healed %d where nothing was in force", n)
	}
}

func TestAFaultMeansOneMemberOrAForeignClientOrAll(t *testing.T) {
	t.Parallel()
	p := startProxy(t, Options{Backends: []string{chaostest.StartMember(t), chaostest.StartMember(t)}, Names: []string{"x", "y"}})
	at, err := p.Listen("a")
	chaostest.Must(t, err)
	x, y, foreign := chaostest.Dial(t, at[:1]), chaostest.Dial(t, at[1:]), chaostest.Dial(t, p.Shared()[:1])
	everybody := []*clientv3.Client{x, y, foreign}
	for _, c := range everybody {
		chaostest.Must(t, get(c)(chaostest.Within(t)))
	}
	for _, tt := range []struct {
		reason string
		fault  model.Fault
		hit    []*clientv3.Client
	}{
		{"a's connections to y only", model.Fault{Kind: model.FaultFreeze, Target: "a", Member: "y"}, []*clientv3.Client{y}},
		{"the messages to x only", model.Fault{Kind: model.FaultHold, Target: "a", Member: "x"}, []*clientv3.Client{x}},
		{"a client that shares its listener", model.Fault{Kind: model.FaultFreeze, Target: p.shared[0].Pairs()[0].RemoteAddr().String()}, []*clientv3.Client{foreign}},
		{"all of them", model.Fault{Kind: model.FaultFreeze, Target: "all"}, everybody},
		{"all of them, at one member", model.Fault{Kind: model.FaultHold, Target: "all", Member: "x"}, []*clientv3.Client{x, foreign}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			chaostest.Must(t, p.Inject(tt.fault))
			for _, c := range everybody {
				hit := false
				for _, h := range tt.hit {
					hit = hit || h == c
				}
				if hit {
					hangs(t, get(c))
				} else {
					chaostest.Must(t, get(c)(chaostest.Within(t)))
				}
			}
			if p.Heal(tt.fault) != 1 {
				t.Error("it was not in force")
			}
			for _, c := range everybody {
				chaostest.Must(t, get(c)(chaostest.Within(t)))
			}
		})
	}
}

func TestInjectRefuses(t *testing.T) {
	t.Parallel()
	p := startProxy(t, Options{Backends: []string{"127.0.0.1:1", "127.0.0.1:2"}})
	_, err := p.Listen("a")
	chaostest.Must(t, err)
	hold := model.Fault{Kind: model.FaultHold, Target: "a", Method: "KV/Txn"}
	chaostest.Must(t, p.Inject(hold))
	again := hold
	again.Direction, again.For = model.Requests, time.Second
	for _, tt := range []struct {
		reason, want string
		fault        model.Fault
	}{
		{"the same, said in other words", "active already", again},
		{"nobody of that name", errNoClient.Error(), model.Fault{Kind: model.FaultFreeze, Target: "b"}},
		{"a lease has no connections", errNoClient.Error(), model.Fault{Kind: model.FaultFreeze, Target: "lease:7"}},
		{"no lease", "hex", keepalivesOf("lease:xyz")},
		{"of a process", "cannot do that to a contender", model.Fault{Kind: model.FaultPause, Target: "a"}},
		{"of a member", "cannot do that to a member", model.Fault{Kind: model.FaultStopMember, Target: "m1"}},
		{"no such member", "there are m1, m2", model.Fault{Kind: model.FaultFreeze, Target: "a", Member: "m3"}},
		{"the fault itself is wrong", "takes no", model.Fault{Kind: model.FaultFreeze, Target: "a", Rate: 3}},
	} {
		if err := p.Inject(tt.fault); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.reason, err, tt.want)
		}
	}
	if _, err := p.Listen("all"); err == nil {
		t.Error("a client may be called all, which faults mean otherwise")
	}
	if _, err := New(Options{Backends: []string{"127.0.0.1:1"}, Names: []string{"x", "y"}}); err == nil {
		t.Error("two names for one member")
	}
}

// TestEveryFaultOfAClientIsDone: a kind that is offered for clients changes something for
// the one it is done to, and nothing for the other. A kind that nobody does would let both
// renew.
func TestEveryFaultOfAClientIsDone(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t)
	renewing := func(c *clientv3.Client) func(ctx context.Context) error {
		lease, err := c.Grant(chaostest.Within(t), 600)
		chaostest.Must(t, err)
		return func(ctx context.Context) error {
			_, err := c.KeepAliveOnce(ctx, lease.ID)
			return err
		}
	}
	a, b := renewing(f.a), renewing(f.b)
	kinds := 0
	for _, info := range model.FaultKinds() {
		if info.Target != model.TargetClient {
			continue
		}
		kinds++
		x := model.Fault{Kind: info.Kind, Target: "a"}
		if slices.Contains(info.Wants, "delay") {
			x.Delay = time.Hour
		}
		chaostest.Must(t, a(chaostest.Within(t)))
		if err := f.p.Inject(x); err != nil {
			t.Errorf("it is offered, and cannot be done: %v", err)
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		renewed := make(chan error, 1)
		go func() { renewed <- a(ctx) }()
		for range 5 {
			chaostest.Must(t, b(chaostest.Within(t)))
		}
		select {
		case err := <-renewed:
			if err == nil {
				t.Errorf("%s: the client renews as if nothing were done", text.English(x.Message()))
			}
		case <-time.After(100 * time.Millisecond):
		}
		cancel()
		f.p.Heal(x)
		if err := a(chaostest.Within(t)); err != nil {
			t.Errorf("%s: healed, and the client does not renew: %v", text.English(x.Message()), err)
		}
	}
	if kinds == 0 {
		t.Error("no kind is done to clients")
	}
}
