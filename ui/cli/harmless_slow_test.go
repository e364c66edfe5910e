//go:build slow

package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/ui"

	clientv3 "go.etcd.io/etcd/client/v3"
)

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

const randomKeys = 100_000

// bound is the reading connection as the console opens it.
func bound(t *testing.T, endpoint string) *clientv3.Client {
	t.Helper()
	e := &access{config: config{flags: connFlags{endpoints: []string{endpoint}, dialTimeout: 20 * time.Second, commandTimeout: 20 * time.Second}}}
	c, err := e.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// age waits until a renewal of the lease could be told from none.
func age(t *testing.T, c *clientv3.Client, lease clientv3.LeaseID) {
	t.Helper()
	until(t, "the lease is older than two seconds", func() bool {
		r, err := c.TimeToLive(t.Context(), lease)
		return err == nil && r.TTL <= r.GrantedTTL-3
	})
}

// world is what a server has: everything that a write could change.
type world struct {
	from, to  time.Time // while it was looked at
	text      string
	remaining map[int64]int64
}

func look(t *testing.T, c *clientv3.Client) world {
	t.Helper()
	ctx := within(t)
	kvs, err := c.Get(ctx, "", clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	_, old := c.Get(ctx, "", clientv3.WithPrefix(), clientv3.WithRev(2)) // refused after a compaction
	leases, err := c.Leases(ctx)
	if err != nil {
		t.Fatal(err)
	}
	members, err := c.MemberList(ctx)
	if err != nil {
		t.Fatal(err)
	}
	auth, err := c.AuthStatus(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w := world{from: time.Now(), remaining: map[int64]int64{}}
	var ids []int64
	for _, l := range leases.Leases {
		r, err := c.TimeToLive(ctx, l.ID, clientv3.WithAttachedKeys())
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, int64(l.ID))
		w.remaining[int64(l.ID)] = r.TTL
		w.text += fmt.Sprintf("lease %x: %d s, keys %q\n", l.ID, r.GrantedTTL, r.Keys)
	}
	w.to = time.Now()
	slices.Sort(ids)
	w.text += fmt.Sprintf("revision %d\nkeys %v\nhistory %v\nleases %x\nmembers %v\nauth %v %d\n",
		kvs.Header.Revision, kvs.Kvs, old, ids, members.Members, auth.Enabled, auth.AuthRevision)
	return w
}

// changed says what is not as it was, "" if all is.
func (w world) changed(now world) string {
	passed := int64(now.from.Sub(w.to).Seconds()) // at least, since a lease was read
	for id, left := range now.remaining {
		if was, ok := w.remaining[id]; ok && left > was-passed+1 { // one for the rounding
			return fmt.Sprintf("lease %x was renewed: %d s left, then %d s", id, was, left)
		}
	}
	sorted := func(s string) string {
		lines := strings.Split(s, "\n")
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	if a, b := sorted(w.text), sorted(now.text); a != b {
		return fmt.Sprintf("was\n%s\nis\n%s", a, b)
	}
	return ""
}
