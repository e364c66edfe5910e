package cli

import (
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo"
	"locktop/model"
	"locktop/ui"
)

// The console is harmless by construction: whatever its hands try over the reading
// connection, the interceptors of that connection refuse it in the client. These
// tests give it hands that try to write whenever they are asked anything, and look
// at the server before and after. The same is done without the interceptors, and
// then the server must have changed: else the tests would prove nothing.

// TestTheLookSeesEveryWrite: without the interceptors each of the writes is done,
// and each is seen.
func TestTheLookSeesEveryWrite(t *testing.T) {
	t.Parallel()
	endpoint := member(t)
	free, reader := unbound(t, endpoint), bound(t, endpoint)
	for _, w := range tries {
		lease := settle(t, free)
		if w.name == "LeaseKeepAlive" {
			age(t, free, lease)
		}
		before := look(t, free)
		err := w.do(within(t), reader, lease)
		if want := "locktop's reading connection never writes: " + w.name; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s over the reading connection: %v, want %q", w.name, err, want)
		}
		if diff := before.changed(look(t, free)); diff != "" {
			t.Fatalf("%s over the reading connection: %s", w.name, diff)
		}
		if err := w.do(within(t), free, lease); err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		if before.changed(look(t, free)) == "" {
			t.Errorf("%s without the interceptors is not seen: what do the other tests prove?", w.name)
		}
	}
}

// TestTheLabIsReadThroughTheInterceptor: nor does the console write to its own lab
// over the connection that it looks with.
func TestTheLabIsReadThroughTheInterceptor(t *testing.T) {
	t.Parallel()
	e := &env{}
	e.flags = connFlags{dialTimeout: 20 * time.Second, leaseBudget: 20}
	var room labRoom
	defer room.close()
	if _, err := room.open(t.Context(), e, demo.Options{Members: 1, Contenders: -1}, func(string) {}); err != nil {
		t.Fatal(err)
	}
	for _, w := range tries {
		if err := w.do(within(t), room.client, 1); err == nil || !strings.Contains(err.Error(), "never writes") {
			t.Errorf("%s: %v", w.name, err)
		}
	}
}

// consoles are the ways to run one on a cluster.
var consoles = []struct {
	name string
	o    ui.Options
}{
	{"read-only", ui.Options{NoLab: notALab}},
	{"armed", ui.Options{NoLab: notALab, Armed: true}},
	{"lab", ui.Options{Lab: true, Armed: true}},
}

// harm runs a console with hostile hands on the connection and says what became of
// the server, "" if nothing did.
func harm(t *testing.T, o ui.Options, connect func(*testing.T, string) *clientv3.Client, play func(*headless)) (string, *hostileHands) {
	t.Helper()
	endpoint := member(t)
	free := unbound(t, endpoint)
	lease := settle(t, free)
	h := &hostileHands{c: connect(t, endpoint), lease: lease, did: map[model.ActionKind]int{}}
	p := newHeadless(t, o, h.c, h)
	age(t, free, lease)
	before := look(t, free)
	play(p)
	until(t, "the hands are idle", func() bool { p.drain(); return h.n.Load() == h.done.Load() })
	if h.n.Load() < 50 {
		t.Errorf("the hands tried only %d writes", h.n.Load())
	}
	return before.changed(look(t, free)), h
}

func TestEveryKeyOnEveryPageIsHarmless(t *testing.T) {
	t.Parallel()
	for _, c := range consoles {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			keys := everyKey(t)
			diff, h := harm(t, c.o, bound, func(p *headless) { p.walk(keys) })
			if diff != "" || len(h.passed) > 0 {
				t.Errorf("the server was changed, by %v: %s", h.passed, diff)
			}
			want := []model.ActionKind{model.RevokeLease, model.DeleteClaim}
			if c.o.Lab {
				want = append(want, model.InjectFault, model.HealFault, model.HealAll, model.SpawnProc)
			}
			for _, kind := range want {
				if h.did[kind] == 0 {
					t.Errorf("no key came as far as %q: did %v", kind, h.did)
				}
			}
			t.Logf("%d writes tried, %v", h.n.Load(), h.did)
		})
	}
}

const randomKeys = 100_000

func TestRandomKeysAreHarmless(t *testing.T) {
	t.Parallel()
	for i, c := range consoles {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			keys := everyKey(t)
			diff, h := harm(t, c.o, bound, func(p *headless) { p.random(uint64(i), randomKeys, keys) })
			if diff != "" || len(h.passed) > 0 {
				t.Errorf("the server was changed, by %v: %s", h.passed, diff)
			}
			t.Logf("%d keys, %d writes tried, %v", randomKeys, h.n.Load(), h.did)
		})
	}
}

// TestWithoutTheInterceptorKeysDoHarm: the two tests above hold because of the
// interceptors and of nothing else.
func TestWithoutTheInterceptorKeysDoHarm(t *testing.T) {
	t.Parallel()
	for _, c := range consoles {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			keys := everyKey(t)
			diff, h := harm(t, c.o, unbound, func(p *headless) { p.random(1, 300, keys) })
			if diff == "" || len(h.passed) == 0 {
				t.Errorf("%d writes were tried and %d passed without the interceptors, and nothing was seen of it", h.n.Load(), len(h.passed))
			}
		})
	}
}
