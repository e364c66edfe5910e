package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"

	"locktop/demo/cluster"
	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/watcher"
)

// storyPatience bounds the wait for one turn of a story. Most take seconds; two have
// to wait for half a minute because their rule does.
const storyPatience = 75 * time.Second

// scene is a story on stage: programs with real sessions on a real cluster, and a
// watcher that feeds a state.
type scene struct {
	t       *testing.T
	cluster *cluster.Cluster
	cli     *clientv3.Client // of the programs
	prefix  string           // everything happens below it
	s       *store.Store
	source  model.Source
	reads   map[model.LeaseID]int // readings that came
	lab     *Lab                  // nil but on its stage
	healthy *story                // what must not be found, nil where something is to be
	muted   bool                  // that does not count yet
	screen  []model.LeaseID       // looked at, as what is on the screen is

	ctx     context.Context
	cancel  context.CancelFunc
	waiting sync.WaitGroup
}

// newScene opens a scene on a cluster, of which only what lies below prefix is
// watched.
func newScene(t *testing.T, c *cluster.Cluster, prefix string) *scene {
	sc := &scene{t: t, cluster: c, prefix: prefix, cli: dialQuietly(t, c.MemberEndpoints()...), reads: map[model.LeaseID]int{}}
	sc.ctx, sc.cancel = context.WithCancel(context.Background())
	t.Cleanup(func() {
		sc.cancel()
		sc.cli.Close() // first, or those who wait ask a cluster that may be dead to let go
		sc.waiting.Wait()
	})
	sc.watch(c.MemberEndpoints())
	return sc
}

// watch begins to watch through these members, with pins for the state. It may be
// done anew.
func (sc *scene) watch(endpoints []string, pins ...model.Pin) {
	sc.t.Helper()
	eyes := dialQuietly(sc.t, endpoints...)
	w := watcher.New(eyes, watcher.Options{Prefixes: []string{sc.prefix}, Budget: 50,
		Timing: watcher.Timing{Status: time.Second, Compare: time.Second}})
	sc.t.Cleanup(func() {
		w.Close()
		eyes.Close()
	})
	sc.s, sc.source = store.New(pins...), w
	sc.until("the first list", func(s *store.Store) bool { return s.Coverage().Loaded() })
}

// dialQuietly connects a client that somebody else closes.
func dialQuietly(t *testing.T, endpoints ...string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// until feeds the state until ok says so.
func (sc *scene) until(what string, ok func(*store.Store) bool) {
	sc.t.Helper()
	ctx, cancel := context.WithTimeout(sc.ctx, storyPatience)
	defer cancel()
	for !ok(sc.s) {
		b, err := sc.source.Next(ctx, sc.s.Want(sc.screen))
		if errors.Is(err, context.DeadlineExceeded) {
			sc.t.Fatalf("it did not happen within %v: %s; found meanwhile:\n%s", storyPatience, what, listFindings(sc.s))
		}
		if err != nil {
			sc.t.Fatalf("until %s: %v", what, err)
		}
		for _, e := range b.Events { // one by one: what is found for a moment counts, too
			if r, ok := e.(model.LeaseRead); ok {
				sc.reads[r.ID]++
			}
			sc.s.Apply(model.Batch{Events: []model.Event{e}})
			sc.stillHealthy(what)
		}
	}
}

// stillHealthy fails if a healthy neighbour is taken for a fault.
func (sc *scene) stillHealthy(what string) {
	sc.t.Helper()
	if sc.healthy == nil || sc.muted {
		return
	}
	for _, f := range sc.s.Findings() {
		if f.Code == sc.healthy.code || f.Severity != model.SevInfo && !slices.Contains(sc.healthy.alike.also, f.Code) {
			sc.t.Fatalf("until %s: found in a healthy neighbour: %s", what, findingLine(f))
		}
	}
}

// found waits until the code is found.
func (sc *scene) found(code model.Code) {
	sc.t.Helper()
	sc.until(string(code)+" is found", func(s *store.Store) bool { return findingOf(s, code) != nil })
}

// goesOn waits for n more readings of a lease.
func (sc *scene) goesOn(id model.LeaseID, n int) {
	sc.t.Helper()
	n += sc.reads[id]
	sc.until(fmt.Sprintf("%d readings of %s", n, id), func(*store.Store) bool { return sc.reads[id] >= n })
}

// learned waits until a lease was seen to be renewed n times.
func (sc *scene) learned(id model.LeaseID, n int) {
	sc.t.Helper()
	sc.until(fmt.Sprintf("%d renewals of %s", n, id), func(s *store.Store) bool {
		l := s.Lease(id)
		return l != nil && l.Renewals >= n
	})
}

// queued waits until a lock has so many keys in its queue.
func (sc *scene) queued(lock string, n int) {
	sc.t.Helper()
	sc.until(fmt.Sprintf("%d in the queue of %s", n, lock), func(s *store.Store) bool {
		l := s.Lock(lock)
		return l != nil && l.Len() == n
	})
}

// heldFor is how long the lock of the scene has been held, 0 if it is not.
func (sc *scene) heldFor(st *store.Store) time.Duration {
	if l := st.Lock(sc.name("l")); l != nil && l.Holder() != nil {
		held, _ := l.HeldFor(st.Now())
		return held
	}
	return 0
}

// look puts leases on the screen, where they are read more often.
func (sc *scene) look(ids ...model.LeaseID) { sc.screen = append(sc.screen, ids...) }

func (sc *scene) name(rest string) string { return sc.prefix + rest }

// session starts a session of the Go client, which renews at a third of its TTL.
func (sc *scene) session(ttl int) *concurrency.Session { return sc.sessionAt(sc.cli, ttl) }

func (sc *scene) sessionAt(cli *clientv3.Client, ttl int) *concurrency.Session {
	sc.t.Helper()
	s, err := concurrency.NewSession(cli, concurrency.WithTTL(ttl))
	if err != nil {
		sc.t.Fatal(err)
	}
	return s
}

// hold takes a lock that is free.
func (sc *scene) hold(s *concurrency.Session, lock string) *concurrency.Mutex {
	sc.t.Helper()
	ctx, cancel := context.WithTimeout(sc.ctx, 10*time.Second)
	defer cancel()
	m := concurrency.NewMutex(s, lock)
	if err := m.Lock(ctx); err != nil {
		sc.t.Fatalf("lock %s: %v", lock, err)
	}
	return m
}

// wait lets a session ask for a lock that it does not get soon, and returns when
// its claim is the n-th key of the queue.
func (sc *scene) wait(s *concurrency.Session, lock string, n int) {
	sc.t.Helper()
	sc.waiting.Go(func() { _ = concurrency.NewMutex(s, lock).Lock(sc.ctx) }) // the end of the scene ends it
	sc.queued(lock, n)
}

func (sc *scene) put(key, value string, opts ...clientv3.OpOption) {
	sc.t.Helper()
	if _, err := sc.cli.Put(sc.ctx, key, value, opts...); err != nil {
		sc.t.Fatal(err)
	}
}

// grant returns a lease that nobody renews.
func (sc *scene) grant(ttl int64) clientv3.LeaseID {
	sc.t.Helper()
	r, err := sc.cli.Grant(sc.ctx, ttl)
	if err != nil {
		sc.t.Fatal(err)
	}
	return r.ID
}

// claimOf is the key by which a lease claims a lock.
func claimOf(lock string, id clientv3.LeaseID) string { return fmt.Sprintf("%s/%x", lock, int64(id)) }

// leaseOf is the lease of a session in the model's words.
func leaseOf(s *concurrency.Session) model.LeaseID { return model.LeaseID(s.Lease()) }

// findingOf returns the first finding of a code, nil for none.
func findingOf(s *store.Store, code model.Code) *model.Finding {
	for _, f := range s.Findings() {
		if f.Code == code {
			return &f
		}
	}
	return nil
}

func findingLine(f model.Finding) string {
	return fmt.Sprintf("%s (%s, %s) %s %s: %s", f.Code, f.Severity, f.Confidence, f.Lock, f.Lease, text.English(f.Summary))
}

func listFindings(s *store.Store) string {
	var lines []string
	for _, f := range s.Findings() {
		lines = append(lines, findingLine(f))
	}
	return strings.Join(lines, "\n")
}

// wantAlarms fails if the findings above info are of other codes than those.
func wantAlarms(t *testing.T, s *store.Store, want ...model.Code) {
	t.Helper()
	for _, f := range s.Findings() {
		if f.Severity != model.SevInfo && !slices.Contains(want, f.Code) {
			t.Errorf("found besides: %s", findingLine(f))
		}
	}
}
