//go:build slow

package watcher

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"

	"locktop/model/recipe"
	"locktop/model/text"
)

var (
	historyCount     = flag.Int("histories", 100, "how many random `histories` to play on a real server")
	historySeed      = flag.Uint64("seed", 1, "`seed` of the first random history; the next ones follow")
	historyRewritten = flag.Bool("rewritten", true, "check the order of queues with rewritten keys by the recipe's rule, too")
	historyIdle      = flag.Bool("idle", true, "let the cluster be idle after a broken connection, too")
)

// TestHistories plays random histories on a real server, with compactions and
// broken connections in them: after each of them the state that was followed has
// the queues, holders and leases of a fresh read.
//
//	go test -tags slow ./watcher -run Histories -histories 1 -seed 4711
func TestHistories(t *testing.T) {
	t.Parallel()
	n := *historyCount
	s := newServer(t)
	c := s.dial()
	wire := newCable(t, s.client.Host)
	began := time.Now()
	var sum trialTotals
	for i := range n {
		h := &trial{t: t, c: c, wire: wire, seed: *historySeed + uint64(i)}
		if !h.play(&sum) {
			t.Fatalf("history %d of %d; again: go test -tags slow ./watcher -run Histories -histories 1 -seed %d", i+1, n, h.seed)
		}
	}
	t.Logf("%d histories in %.1fs: %s", n, time.Since(began).Seconds(), sum)
}

// trialTotals is what happened in all histories together.
type trialTotals struct {
	ops, revisions, cuts, compacts, gaps int
	expired                              int
	lost, back, relisted                 int
	locks, claims, leases                int
}

func (s trialTotals) String() string {
	return fmt.Sprintf("%d operations (%d compactions, %d cuts of the connection, %d of them with a compaction, "+
		"%d leases that ran out), %d revisions followed, %d times lost, %d times back without a gap, %d times listed again; "+
		"compared %d locks, %d keys, %d leases", s.ops, s.compacts, s.cuts, s.gaps, s.expired, s.revisions,
		s.lost, s.back, s.relisted, s.locks, s.claims, s.leases)
}

// trial is one history.
type trial struct {
	t        *testing.T
	c        *clientv3.Client
	wire     *cable
	seed     uint64
	prefixes []string
}

// play plays it and says whether it ended well.
func (h *trial) play(sum *trialTotals) bool {
	rng := rand.New(rand.NewPCG(h.seed, 0))
	s := &actor{t: h.t, rng: rng, c: h.c, cable: h.wire}
	h.clean(s)
	h.prefixes = [][]string{{""}, {"/h/", "/locks/"}, {"/h/m", "/h/e", "/locks/a"}}[rng.IntN(3)]
	if rng.IntN(12) == 0 {
		s.expire()
	}
	for range rng.IntN(10) {
		s.step()
	}
	s.mend()
	l := h.follow()
	defer l.close()
	s.sync = func(rev int64) {
		if err := l.reach(len(h.prefixes), rev); err != nil {
			h.t.Errorf("seed %d: %v; the operations:\n%s", h.seed, err, strings.Join(s.log, "\n"))
		}
	}
	s.catchUp()
	for range 15 + rng.IntN(40) {
		s.step()
	}
	s.mend()
	s.expired()
	ok := h.compare(s, l)
	l.mu.Lock()
	defer l.mu.Unlock()
	sum.ops += len(s.log)
	sum.cuts += s.cuts
	sum.compacts += s.compact
	sum.gaps += s.gaps
	sum.expired += len(s.short)
	sum.revisions += l.revisions
	sum.lost += l.lost
	sum.back += l.back
	sum.relisted += max(0, l.loaded-len(h.prefixes))
	for _, lock := range l.state.Locks() {
		if !lock.Free() {
			sum.locks++
		}
	}
	keys, _ := l.state.Counts()
	sum.claims += keys
	for _, id := range s.granted {
		if lease := l.state.Lease(model.LeaseID(id)); lease != nil && len(lease.Claims()) > 0 {
			sum.leases++
		}
	}
	return ok
}

// clean empties the server, so that a history depends on nothing before it.
func (h *trial) clean(s *actor) {
	ctx := h.t.Context()
	for _, l := range must[*clientv3.LeaseLeasesResponse](h.t)(h.c.Leases(ctx)).Leases {
		must[*clientv3.LeaseRevokeResponse](h.t)(h.c.Revoke(ctx, l.ID))
	}
	s.delete("", clientv3.WithPrefix())
}

func grantRequest(id clientv3.LeaseID, ttl int64) *pb.LeaseGrantRequest {
	return &pb.LeaseGrantRequest{ID: int64(id), TTL: ttl}
}

// followed is a state that a watcher keeps up to date.
type followed struct {
	w      *Watcher
	c      *clientv3.Client
	cancel context.CancelFunc
	done   chan struct{}
	news   chan struct{} // capacity 1: something was applied

	mu                            sync.Mutex
	state                         *store.Store
	loaded, lost, back, revisions int
}

// follow starts a watcher behind the cable.
func (h *trial) follow() *followed {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{h.wire.addr()}, Logger: zap.NewNop(),
		DialOptions: []grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{BaseDelay: 10 * time.Millisecond, Multiplier: 1.5, MaxDelay: 50 * time.Millisecond}})}})
	if err != nil {
		h.t.Fatal(err)
	}
	timing := quick
	timing.Drain, timing.Probe, timing.ProbeRetry = time.Millisecond, 20*time.Millisecond, 20*time.Millisecond
	timing.BackoffMin, timing.BackoffMax, timing.Ask = 5*time.Millisecond, 40*time.Millisecond, 10*time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	l := &followed{w: New(c, Options{Prefixes: h.prefixes, Timing: timing, Budget: 100}), c: c, cancel: cancel,
		done: make(chan struct{}), news: make(chan struct{}, 1), state: store.New()}
	go l.run(ctx)
	return l
}

func (l *followed) run(ctx context.Context) {
	defer close(l.done)
	for {
		l.mu.Lock()
		want := l.state.Want(nil)
		l.mu.Unlock()
		b, err := l.w.Next(ctx, want)
		if err != nil {
			return
		}
		l.mu.Lock()
		l.state.Apply(b)
		l.count(b)
		l.mu.Unlock()
		select {
		case l.news <- struct{}{}:
		default:
		}
	}
}

func (l *followed) count(b model.Batch) {
	for _, e := range b.Events {
		switch e.(type) {
		case model.Loaded:
			l.loaded++
		case model.Lost:
			l.lost++
		case model.Back:
			l.back++
		case model.Committed:
			l.revisions++
		}
	}
}

func (l *followed) close() {
	l.cancel()
	<-l.done
	_ = l.w.Close()
	_ = l.c.Close()
}

// reach waits until everything up to a revision was followed.
func (l *followed) reach(count int, rev int64) error {
	late := time.NewTimer(deadline)
	defer late.Stop()
	for {
		l.mu.Lock()
		feeds, behind := l.state.Coverage().Watches(), ""
		for _, f := range feeds {
			if f.State != locks.Live || f.Rev < rev {
				behind += fmt.Sprintf("; %q is %s at %d %s", f.Prefix, f.State, f.Rev, text.English(f.Detail))
			}
		}
		l.mu.Unlock()
		if behind == "" && len(feeds) == count {
			return nil
		}
		select {
		case <-l.news:
		case <-late.C:
			return fmt.Errorf("the watcher did not reach revision %d%s", rev, behind)
		}
	}
}

// compare compares the followed state with a fresh read, and both with the rules
// of the recipes.
func (h *trial) compare(s *actor, l *followed) bool {
	h.t.Helper()
	all := must[*clientv3.GetResponse](h.t)(h.c.Get(h.t.Context(), "", clientv3.WithPrefix()))
	var kvs []model.KV
	for _, kv := range all.Kvs {
		if slices.ContainsFunc(h.prefixes, func(p string) bool { return strings.HasPrefix(string(kv.Key), p) }) {
			kvs = append(kvs, toKV(kv))
		}
	}
	tell := func(what string) bool {
		h.t.Errorf("seed %d, prefixes %q: %s\nthe operations:\n%s", h.seed, h.prefixes, what, strings.Join(s.log, "\n"))
		return false
	}
	if err := l.reach(len(h.prefixes), all.Header.Revision); err != nil {
		return tell(err.Error())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fresh := freshState(kvs, all.Header.Revision)
	skip := byHistory(l.state)
	want := pictureOf(fresh, s, skip)
	if d := gocmp.Diff(want, pictureOf(l.state, s, skip)); d != "" {
		return tell("a fresh read (-) and what was followed (+) differ:\n" + d)
	}
	if err := checkRules(l.state, kvs); err != nil {
		return tell(err.Error())
	}
	return true
}

// freshState is a state that knows nothing but one read.
func freshState(kvs []model.KV, rev int64) *store.Store {
	s := store.New()
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{Rev: rev},
		model.Listed{Rev: rev, KVs: kvs, Done: int64(len(kvs))}, model.Loaded{Rev: rev}}})
	return s
}

// byHistory names the locks of which one read cannot know: a key by itself that lost its
// lease, one that was seen to come back, or a claim that was put on another lease. A group lacks a key that became a lock so.
func byHistory(s *store.Store) map[string]bool {
	names := map[string]bool{}
	for _, l := range s.Locks() {
		moved := false
		l.Claims(func(c *locks.Claim) bool { moved = moved || c.Moved(); return true })
		if h := l.Head(); moved || l.RecipeObserved() || h != nil && h.Stripped() && l.Shape() == recipe.Single {
			dir, _, _ := model.Split(l.Name)
			names[l.Name], names[dir] = true, true
		}
	}
	return names
}

// pictureOf is what a state says of locks, keys and leases, a line each, but of those to
// skip.
func pictureOf(s *store.Store, by *actor, skip map[string]bool) []string {
	var out []string
	line := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, l := range s.Locks() {
		if l.Free() {
			continue // remembered, not there
		}
		if skip[l.Name] {
			continue
		}
		line("lock %q %s: %d hold, %d behind, blocked %v", l.Name, l.Recipe().Name, l.Holders(), l.Behind(), l.Blocked())
		for c := range l.Claims {
			i := l.Place(c)
			line("  %d. %+v holds %v, is a claim %v, waits for %q", i+1, c.KV, l.Holds(i), l.IsClaim(c), keyOf(l.WaitsFor(c)))
		}
	}
	for _, key := range slices.Compact(slices.Sorted(slices.Values(by.keys))) {
		if c := s.Claim(key); c != nil {
			name := ""
			if c.Lock() != nil && !skip[c.Lock().Name] {
				name = c.Lock().Name
			}
			line("key %+v of lock %q", c.KV, name)
		}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(by.granted))) {
		if l := s.Lease(model.LeaseID(id)); l != nil && len(l.Claims()) > 0 {
			var keys []string
			for _, c := range l.Claims() {
				keys = append(keys, c.Key)
			}
			slices.Sort(keys)
			line("lease %s: %q", l.ID, keys)
		}
	}
	keys, claims := s.Counts()
	if line("%d keys", keys); len(skip) == 0 {
		line("%d claims", claims)
	}
	return out
}

func keyOf(c *locks.Claim) string {
	if c == nil {
		return ""
	}
	return c.Key
}

// checkRules derives order and holder of every queue from the keys alone, by what
// the recipe says of itself.
func checkRules(s *store.Store, kvs []model.KV) error {
	for _, l := range s.Locks() {
		r := l.Recipe()
		if l.Free() || !r.HasHolder || r.Order == recipe.NoOrder {
			continue
		}
		rev := func(kv model.KV) int64 {
			if r.Order == recipe.ByMod {
				return kv.ModRev
			}
			return kv.CreateRev
		}
		var want, got []string
		queue := slices.Clone(kvs)
		queue = slices.DeleteFunc(queue, func(kv model.KV) bool { return !strings.HasPrefix(kv.Key, l.Name+"/") })
		if !*historyRewritten && slices.ContainsFunc(queue, func(kv model.KV) bool { return kv.Version > 1 }) {
			continue
		}
		slices.SortFunc(queue, func(a, b model.KV) int {
			return cmp.Or(cmp.Compare(rev(a), rev(b)), strings.Compare(a.Key, b.Key))
		})
		for _, kv := range queue {
			want = append(want, fmt.Sprintf("%s at %d", kv.Key, rev(kv)))
		}
		for c := range l.Claims {
			got = append(got, fmt.Sprintf("%s at %d", c.Key, rev(c.KV)))
		}
		if d := gocmp.Diff(want, got); d != "" {
			return fmt.Errorf("the order of %q by the rule of %s (-) is not that of the state (+):\n%s", l.Name, r.Name, d)
		}
	}
	return nil
}
