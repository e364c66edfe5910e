package code

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"locktop/demo/etcdtest"
	"locktop/demo/labtest"
)

func TestMain(m *testing.M) {
	labtest.WaitTogether()
	os.Exit(m.Run())
}

// The calls of which an answer may fail or be late.
const (
	txn    = "/etcdserverpb.KV/Txn"
	remove = "/etcdserverpb.KV/DeleteRange"
	grant  = "/etcdserverpb.Lease/LeaseGrant"
)

// trouble is what the network does to one call of a client: the member refuses it, or does it and
// the answer does not come before its context ends.
type trouble struct {
	mu           sync.Mutex
	refuse, late string
}

func (f *trouble) set(refuse, late string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuse, f.late = refuse, late
}

func (f *trouble) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	f.mu.Lock()
	refuse, late := f.refuse == method, f.late == method
	f.mu.Unlock()
	switch {
	case refuse:
		return rpctypes.ErrGRPCNoSpace
	case late:
		if err := call(context.WithoutCancel(ctx), method, req, reply, cc, opts...); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}
	return call(ctx, method, req, reply, cc, opts...)
}

// place is an etcd, with a client that gets into trouble and one that does not.
type place struct {
	t *testing.T
	trouble
	cli, other *clientv3.Client
}

// newPlace is empty.
func newPlace(t *testing.T, endpoint string) *place {
	p := &place{t: t, other: labtest.NewClient(t, endpoint)}
	cli, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 5 * time.Second, Logger: zap.NewNop(),
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(p.intercept)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cli.Close() })
	p.cli = cli
	for _, lease := range p.leases() {
		if _, err := p.other.Revoke(t.Context(), lease); err != nil && !errors.Is(err, rpctypes.ErrLeaseNotFound) {
			t.Fatal(err)
		}
	}
	if _, err := p.other.Delete(t.Context(), "", clientv3.WithFromKey()); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) session(cli *clientv3.Client) *concurrency.Session {
	p.t.Helper()
	s, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { s.Orphan() })
	return s
}

// locked is a mutex that another program has, with its session.
func (p *place) locked(cli *clientv3.Client, name string) (*concurrency.Session, *concurrency.Mutex) {
	p.t.Helper()
	s := p.session(cli)
	m := concurrency.NewMutex(s, name)
	if err := m.Lock(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	return s, m
}

func (p *place) leases() (all []clientv3.LeaseID) {
	p.t.Helper()
	r, err := p.other.Leases(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	for _, l := range r.Leases {
		all = append(all, l.ID)
	}
	return all
}

func (p *place) keys(name string) []string { p.t.Helper(); return labtest.Queue(p.t, p.other, name) }

// revoked takes the lease of a key.
func (p *place) revoked(key string) {
	p.t.Helper()
	r, err := p.other.Get(p.t.Context(), key)
	if err == nil && len(r.Kvs) == 1 {
		_, err = p.other.Revoke(p.t.Context(), clientv3.LeaseID(r.Kvs[0].Lease))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// value is that of a key, "" if it is not there.
func (p *place) value(key string) string {
	p.t.Helper()
	r, err := p.other.Get(p.t.Context(), key)
	if err != nil {
		p.t.Fatal(err)
	}
	if len(r.Kvs) == 0 {
		return ""
	}
	return string(r.Kvs[0].Value)
}

// soon is a context that ends after the answer of a server that is well.
func (p *place) soon() context.Context {
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Second)
	p.t.Cleanup(cancel)
	return ctx
}

// done returns what comes of do, which has to end although the world does not help it.
func (p *place) done(do func() error) error {
	p.t.Helper()
	end := make(chan error, 1)
	go func() { end <- do() }()
	select {
	case err := <-end:
		return err
	case <-time.After(labtest.Patience):
		p.t.Fatal("it did not end")
		return nil
	}
}

// serve starts the server of a test: the one that is linked in, or the oldest one, for
// TestOnTheOldestServer.
var serve = func(t *testing.T) (endpoint string) {
	m := etcdtest.Member(t)
	t.Cleanup(m.Close)
	return m.Clients[0].Addr().String()
}

// TestWhatWorksUnderALock: whatever goes wrong, the work is done by one who holds or not at all,
// ends with the lease, and leaves neither a claim nor a lease behind.
func TestWhatWorksUnderALock(t *testing.T) {
	t.Parallel()
	broken := errors.New("the work went wrong")
	for _, r := range []struct {
		name, lock string
		waits      bool   // for its turn
		claims     string // the call that makes the claim
		hold       func(ctx context.Context, cli *clientv3.Client, work func(context.Context) error) error
	}{
		{"order", "/orders", true, txn, underLock},
		{"spin", "/orders", false, txn, unlessLocked},
		{"election", "/leader", true, txn, func(ctx context.Context, cli *clientv3.Client, work func(context.Context) error) error {
			return lead(ctx, cli, "me", func(ctx context.Context, leads clientv3.Cmp) error {
				if r, err := cli.Txn(ctx).If(leads).Then(clientv3.OpPut("step", "1")).Commit(); err != nil || !r.Succeeded {
					return errors.Join(err, errors.New("this leader may not work"))
				}
				return work(ctx)
			})
		}},
		{"lease", "/leased", false, grant, func(ctx context.Context, cli *clientv3.Client, work func(context.Context) error) error {
			return underLease(ctx, cli, func(ctx context.Context, lease clientv3.LeaseID) error {
				if _, err := cli.Put(ctx, "/leased/key", "", clientv3.WithLease(lease)); err != nil {
					return err
				}
				return work(ctx)
			})
		}},
		{"session", "/orders", true, txn, func(ctx context.Context, cli *clientv3.Client, work func(context.Context) error) error {
			o := &owner{cli: cli}
			if err := o.lock(ctx); err != nil {
				return errors.Join(err, counts(o, 0))
			}
			if err := errors.Join(o.lock(ctx), counts(o, 2), o.unlock(), counts(o, 1)); err != nil {
				return err
			}
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			go func() { <-o.s.Done(); cancel() }()
			return errors.Join(work(ctx), o.unlock(), counts(o, 0))
		}},
		{"waiters", "/orders", true, txn, func(ctx context.Context, cli *clientv3.Client, work func(context.Context) error) error {
			s, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
			if err != nil {
				return err
			}
			if _, err := lockSoon(ctx, s); err != nil {
				return err
			}
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			go func() { <-s.Done(); cancel() }()
			return errors.Join(work(ctx), s.Close())
		}},
		{"deadlock", "/b", true, txn, func(ctx context.Context, cli *clientv3.Client, work func(context.Context) error) error {
			s, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
			if err != nil {
				return err
			}
			if err := lockAll(ctx, s, []string{"/b", "/a", "/b"}); err != nil {
				return err
			}
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			go func() { <-s.Done(); cancel() }()
			return errors.Join(work(ctx), s.Close())
		}},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			endpoint := serve(t)
			clean := func(t *testing.T, p *place, left int) {
				t.Helper()
				if keys := p.keys(r.lock); len(keys) != left {
					t.Errorf("%d keys stay: %q", len(keys)-left, keys)
				}
				if r.claims == grant { // a late lease is one that nobody renews
					labtest.Eventually(t, "no lease stays", func() bool { return len(p.leases()) == left })
				} else if n := len(p.leases()); n != left {
					t.Errorf("%d leases stay", n-left)
				}
			}
			never := func(context.Context) error { t.Error("it works without the lock"); return nil }
			waits := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }

			t.Run("well", func(t *testing.T) {
				p, held := newPlace(t, endpoint), 0
				err := r.hold(t.Context(), p.cli, func(context.Context) error { held = len(p.keys(r.lock)); return nil })
				if err != nil || held != 1 {
					t.Errorf("%v; at work there were %d keys", err, held)
				}
				clean(t, p, 0)
			})
			t.Run("its work fails", func(t *testing.T) {
				p := newPlace(t, endpoint)
				if err := r.hold(t.Context(), p.cli, func(context.Context) error { return broken }); !errors.Is(err, broken) {
					t.Errorf("%v", err)
				}
				clean(t, p, 0)
			})
			t.Run("Lock fails", func(t *testing.T) {
				p := newPlace(t, endpoint)
				p.set(r.claims, "")
				if err := r.hold(t.Context(), p.cli, never); !errors.Is(err, rpctypes.ErrNoSpace) {
					t.Errorf("%v", err)
				}
				clean(t, p, 0)
			})
			t.Run("the answer is late", func(t *testing.T) {
				p := newPlace(t, endpoint)
				p.set("", r.claims)
				if err := r.hold(p.soon(), p.cli, never); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v", err)
				}
				clean(t, p, 0)
			})
			t.Run("the lease is lost at work", func(t *testing.T) {
				p := newPlace(t, endpoint)
				err := p.done(func() error {
					return r.hold(t.Context(), p.cli, func(ctx context.Context) error {
						p.revoked(p.keys(r.lock)[0])
						return waits(ctx)
					})
				})
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
				clean(t, p, 0)
			})
			t.Run("its context ends at work", func(t *testing.T) {
				p := newPlace(t, endpoint)
				ctx, cancel := context.WithCancel(t.Context())
				if err := p.done(func() error {
					return r.hold(ctx, p.cli, func(ctx context.Context) error { cancel(); return waits(ctx) })
				}); !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
				clean(t, p, 0)
			})
			if r.claims == grant {
				return
			}
			t.Run("another holds", func(t *testing.T) {
				p := newPlace(t, endpoint)
				p.locked(p.other, r.lock)
				if r.lock == "/b" { // it gets the first
					defer func() {
						if keys := p.keys("/a"); len(keys) > 0 {
							t.Errorf("it keeps what it had: %q", keys)
						}
					}()
				}
				err := r.hold(p.soon(), p.cli, never)
				if r.waits != errors.Is(err, context.DeadlineExceeded) || !r.waits && err != nil {
					t.Errorf("%v", err)
				}
				clean(t, p, 1)
			})
			if r.name != "order" && r.name != "election" && r.name != "waiters" {
				return
			}
			t.Run("the lease is lost while it waits", func(t *testing.T) {
				p := newPlace(t, endpoint)
				p.locked(p.other, r.lock)
				err := p.done(func() error {
					go func() {
						for len(labtest.Queue(t, p.other, r.lock)) < 2 {
							time.Sleep(5 * time.Millisecond)
						}
						p.revoked(p.keys(r.lock)[1])
					}()
					return r.hold(t.Context(), p.cli, never)
				})
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
				clean(t, p, 1)
			})
		})
	}
}

func counts(o *owner, want int) error {
	if o.count != want {
		return errors.New("it counts otherwise")
	}
	return nil
}

// TestTryLockThatCannotTidyUp: the claim of a try that failed is deleted by its session.
func TestTryLockThatCannotTidyUp(t *testing.T) {
	t.Parallel()
	endpoint := serve(t)
	p := newPlace(t, endpoint)
	p.locked(p.other, "/orders")
	p.set(remove, "")
	err := unlessLocked(t.Context(), p.cli, func(context.Context) error { t.Error("it works"); return nil })
	if !errors.Is(err, rpctypes.ErrNoSpace) || len(p.keys("/orders")) != 1 {
		t.Errorf("%v, %q", err, p.keys("/orders"))
	}
}

// TestTwoWorkersDoNotShare: each is an owner, so the second waits until the first has let go as
// often as it locked. Nothing is counted of a lock that failed.
func TestTwoWorkersDoNotShare(t *testing.T) {
	t.Parallel()
	endpoint := serve(t)
	p := newPlace(t, endpoint)
	one, two := &owner{cli: p.cli}, &owner{cli: p.cli}
	if err := errors.Join(one.lock(t.Context()), one.lock(t.Context())); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() { got <- two.lock(t.Context()) }()
	labtest.Eventually(t, "the other queues", func() bool { return len(p.keys("/orders")) == 2 })
	if err := one.unlock(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-got:
		t.Fatalf("both work: %v", err)
	case <-time.After(300 * time.Millisecond): // that nothing comes
	}
	if err := errors.Join(one.unlock(), p.done(func() error { return <-got }), counts(one, 0), counts(two, 1)); err != nil {
		t.Error(err)
	}
	if one.unlock() == nil {
		t.Error("it unlocks what it does not have")
	}

	p.set(txn, "")
	if err := one.lock(t.Context()); err == nil || one.count != 0 || one.unlock() == nil {
		t.Errorf("a lock that failed is counted: %v, %d", err, one.count)
	}
	p.set("", "")
	p.revoked(p.keys("/orders")[0])
	<-two.s.Done()
	if two.lock(t.Context()) == nil || two.count != 1 || two.unlock() == nil {
		t.Errorf("it locks once more without a lease: %d", two.count)
	}
}

// TestAnOwnQueue: with etcd's own keys and a claim by hand, each turn comes once the claim before
// it is gone, and a claim that is gone has no turn.
func TestAnOwnQueue(t *testing.T) {
	t.Parallel()
	endpoint := serve(t)
	claim := func(p *place, key string) (rev int64, lease clientv3.LeaseID) {
		t.Helper()
		l, err := p.other.Grant(t.Context(), 60)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.other.Put(t.Context(), "/queue/"+key, "", clientv3.WithLease(l.ID))
		if err != nil {
			t.Fatal(err)
		}
		return r.Header.Revision, l.ID
	}
	drop := func(p *place, key string) {
		t.Helper()
		if _, err := p.other.Delete(t.Context(), "/queue/"+key); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("well", func(t *testing.T) {
		p := newPlace(t, endpoint)
		first, _ := claim(p, "z")
		claim(p, "b")
		third, _ := claim(p, "a")
		if err := waitTurn(t.Context(), p.cli, "/queue/z", first); err != nil {
			t.Fatal(err)
		}
		turns := make(chan string, 2)
		turn := func(name string, rev int64) {
			if err := waitTurn(t.Context(), p.cli, "/queue/"+name, rev); err != nil {
				name = err.Error()
			}
			turns <- name
		}
		go turn("a", third)
		drop(p, "b") // gives up: nobody's turn
		second, _ := claim(p, "b")
		go turn("b", second)
		if err := waitTurn(p.soon(), p.cli, "/queue/a", third); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while the first is there: %v", err)
		}
		for _, x := range []struct{ gone, next string }{{"z", "a"}, {"a", "b"}} {
			drop(p, x.gone)
			if err := p.done(func() error {
				if got := <-turns; got != x.next {
					return errors.New("next was " + got)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("what it watches is compacted", func(t *testing.T) {
		p := newPlace(t, endpoint)
		claim(p, "z")
		rev, _ := claim(p, "a")
		r, err := p.other.Put(t.Context(), "/else", "")
		if err == nil {
			_, err = p.other.Compact(t.Context(), r.Header.Revision)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := waitTurn(p.soon(), p.cli, "/queue/a", rev); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
	for _, bad := range []struct{ refuse, late, want string }{{txn, "", "space exceeded"}, {"", txn, "deadline"}} {
		t.Run("a request "+bad.want, func(t *testing.T) {
			p := newPlace(t, endpoint)
			rev, _ := claim(p, "a")
			p.set(bad.refuse, bad.late)
			if err := waitTurn(p.soon(), p.cli, "/queue/a", rev); err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("the lease is lost", func(t *testing.T) {
		p := newPlace(t, endpoint)
		claim(p, "z")
		rev, lease := claim(p, "a")
		got := make(chan error, 1)
		go func() { got <- waitTurn(t.Context(), p.cli, "/queue/a", rev) }()
		if _, err := p.other.Revoke(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
		drop(p, "z")
		if err := p.done(func() error { return <-got }); err == nil {
			t.Error("it has a turn without a claim")
		}
	})
}

// TestEachStepAsksWhetherTheLockIsHeld: nothing is written without it, and an error says so.
func TestEachStepAsksWhetherTheLockIsHeld(t *testing.T) {
	t.Parallel()
	endpoint := serve(t)
	for _, r := range []struct {
		reason string
		before func(p *place, s *concurrency.Session, m *concurrency.Mutex)
		fails  bool
		writes bool
	}{
		{"well", func(*place, *concurrency.Session, *concurrency.Mutex) {}, false, true},
		{"Lock fails", func(p *place, _ *concurrency.Session, m *concurrency.Mutex) { p.set(txn, "") }, true, false},
		{"the answer is late: it is written, and not known", func(p *place, _ *concurrency.Session, _ *concurrency.Mutex) { p.set("", txn) }, true, true},
		{"the lease is lost, and nobody has noticed", func(p *place, _ *concurrency.Session, m *concurrency.Mutex) { p.revoked(m.Key()) }, true, false},
		{"the lease is lost", func(p *place, s *concurrency.Session, m *concurrency.Mutex) { p.revoked(m.Key()); <-s.Done() }, true, false},
		{"its key was deleted", func(p *place, _ *concurrency.Session, m *concurrency.Mutex) {
			if _, err := p.other.Delete(t.Context(), m.Key()); err != nil {
				t.Fatal(err)
			}
		}, true, false},
		{"Lock was never called, or failed", func(_ *place, s *concurrency.Session, m *concurrency.Mutex) {
			*m = *concurrency.NewMutex(s, "/never")
		}, true, false},
	} {
		t.Run(r.reason, func(t *testing.T) {
			p := newPlace(t, endpoint)
			s, m := p.locked(p.cli, "/orders")
			r.before(p, s, m)
			err := step(p.soon(), p.cli, s, m)
			if (err != nil) != r.fails || (p.value("step") == "2") != r.writes {
				t.Errorf("step: %v, %q is written", err, p.value("step"))
			}
			err = change(p.soon(), p.cli, m, func(old string) string { return old + "+" })
			if (err != nil) != r.fails || (p.value("data") == "+") != r.writes {
				t.Errorf("change: %v, %q is written", err, p.value("data"))
			}
			got, err := token(p.soon(), p.cli, m)
			if (err != nil) != r.fails || (got != 0) == r.fails {
				t.Errorf("token: %d, %v", got, err)
			}
		})
	}
	t.Run("somebody else changes the data meanwhile", func(t *testing.T) {
		p := newPlace(t, endpoint)
		_, m := p.locked(p.cli, "/orders")
		put := func(v string) {
			t.Helper()
			if _, err := p.other.Put(t.Context(), "data", v); err != nil {
				t.Fatal(err)
			}
		}
		add := func(old string) string { return old + "1" }
		if err := change(t.Context(), p.cli, m, func(old string) string { put("9"); return add(old) }); err == nil || p.value("data") != "9" {
			t.Errorf("%v, %q", err, p.value("data"))
		}
		if err := change(t.Context(), p.cli, m, add); err != nil || p.value("data") != "91" {
			t.Errorf("%v, %q", err, p.value("data"))
		}
	})
}

// TestOneToken: the create revision grows from holder to holder. The revision at which the lock was
// got, which etcdctl lock calls ETCD_LOCK_REV, grows too, and where both are used a resource
// refuses who holds.
func TestOneToken(t *testing.T) {
	t.Parallel()
	endpoint := serve(t)
	p := newPlace(t, endpoint)
	sessions, mutexes := [3]*concurrency.Session{}, [3]*concurrency.Mutex{}
	got := make(chan error, 1)
	var tokens, headers []int64
	for i := range mutexes {
		sessions[i] = p.session(p.cli)
		mutexes[i] = concurrency.NewMutex(sessions[i], "/orders")
		go func() { got <- mutexes[i].Lock(t.Context()) }()
		labtest.Eventually(t, "it queues", func() bool { return len(p.keys("/orders")) == i+1 })
	}
	for range 10 { // other keys are written meanwhile
		if _, err := p.other.Put(t.Context(), "/else", ""); err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range mutexes {
		if err := p.done(func() error { return <-got }); err != nil {
			t.Fatal(err)
		}
		n, err := token(t.Context(), p.cli, m)
		if err != nil {
			t.Fatal(err)
		}
		tokens, headers = append(tokens, n), append(headers, m.Header().Revision)
		if err := sessions[i].Close(); err != nil {
			t.Fatal(err)
		}
		if n, err := token(t.Context(), p.cli, m); err == nil {
			t.Errorf("a holder of before has the token %d", n)
		}
	}
	t.Logf("tokens %d, revisions at which the lock was got %d", tokens, headers)
	write := func(f *fence, token int64) bool { return f.write(token, func() error { return nil }) == nil }
	var f fence
	first, again := write(&f, tokens[0]), write(&f, tokens[0])
	if !first || !again || !write(&f, tokens[1]) || !write(&f, tokens[2]) || write(&f, tokens[1]) || write(&f, tokens[0]) {
		t.Errorf("tokens %d do not fence", tokens)
	}
	var mixed fence
	if !write(&mixed, headers[1]) || write(&mixed, tokens[2]) {
		t.Errorf("%d, then %d: nothing would be wrong with mixing them", headers[1], tokens[2])
	}
	broken := errors.New("the disk is full")
	if err := f.write(tokens[2], func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// TestUnlockDeletesOnlyWhatIsMine, also after the context of the work has ended.
func TestUnlockDeletesOnlyWhatIsMine(t *testing.T) {
	t.Parallel()
	endpoint := serve(t)
	for _, r := range []struct {
		value, refuse, late string
		ended, fails        bool
		left, reason        string
	}{
		{"me", "", "", false, false, "", "well"},
		{"me", "", "", true, false, "", "the context has ended"},
		{"you", "", "", false, true, "you", "somebody else holds it"},
		{"", "", "", false, true, "", "nobody does: the lease was lost"},
		{"me", txn, "", false, true, "me", "it fails"},
		{"me", "", txn, false, true, "", "the answer is late: it is deleted, and not known"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			p := newPlace(t, endpoint)
			if r.value != "" {
				if _, err := p.other.Put(t.Context(), "/safe", r.value); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if r.ended {
				cancel()
			}
			p.set(r.refuse, r.late)
			if err := p.done(func() error { return unlock(ctx, p.cli, "/safe", "me") }); (err != nil) != r.fails || p.value("/safe") != r.left {
				t.Errorf("%v, %q is left", err, p.value("/safe"))
			}
		})
	}
}

// TestLockBeginsWithOneTransaction: who asks twice has one place, and who is told that it is first is.
func TestLockBeginsWithOneTransaction(t *testing.T) {
	t.Parallel()
	p := newPlace(t, serve(t))
	a, b := p.session(p.other), p.session(p.other)
	asks := func(s *concurrency.Session, first bool, reason string) (rev int64) {
		t.Helper()
		rev, mine, err := tryAcquire(t.Context(), p.cli, "/orders", s.Lease())
		if err != nil || mine != first {
			t.Errorf("%s: first is %v, %v", reason, mine, err)
		}
		return rev
	}
	one := asks(a, true, "nobody is there")
	if again := asks(a, true, "it asks once more"); again != one {
		t.Errorf("asked again it stands at %d, and first at %d", again, one)
	}
	two := asks(b, false, "the other is before it")
	if two <= one {
		t.Errorf("the later one stands at %d, before %d", two, one)
	}
	p.set("", txn)
	if _, _, err := tryAcquire(p.soon(), p.cli, "/orders", a.Lease()); err == nil {
		t.Error("no answer came, and no error")
	}
	p.set("", "")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if again := asks(b, true, "the other has gone"); again != two {
		t.Errorf("it stands at %d, and came at %d", again, two)
	}
}

// TestNamesInsideNames: the queue of a lock is all that begins with its name and a slash.
func TestNamesInsideNames(t *testing.T) {
	t.Parallel()
	endpoint := serve(t)
	p := newPlace(t, endpoint)
	p.locked(p.other, "/orders/eu-west")
	if key, err := holderOf(t.Context(), p.cli, europe); err != nil || key != "" {
		t.Errorf("nobody holds %s: %q, %v", europe, key, err)
	}
	for _, name := range []string{everywhere, europe} {
		_, m := p.locked(p.other, name)
		p.session(p.other)
		if key, err := holderOf(t.Context(), p.cli, name); err != nil || key != m.Key() {
			t.Errorf("%s is held by %q, %v: want %q", name, key, err, m.Key())
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if key, err := holderOf(ended, p.cli, europe); err == nil {
		t.Errorf("an answer that did not come says %q", key)
	}
}

// TestAKeyThatIsWaitedFor, by a client that notices dead connections.
func TestAKeyThatIsWaitedFor(t *testing.T) {
	t.Parallel()
	endpoint := serve(t)
	p := newPlace(t, endpoint)
	cli, err := connect([]string{endpoint})
	if err != nil {
		t.Fatal(err)
	}
	defer cli.Close()
	put := func(v string) int64 {
		t.Helper()
		r, err := p.other.Put(t.Context(), "/key", v)
		if err != nil {
			t.Fatal(err)
		}
		return r.Header.Revision
	}
	rev := put("1")
	put("2")
	if err := deleted(p.soon(), cli, "/key", rev); err == nil {
		t.Error("it is still there")
	}
	if _, err := p.other.Delete(t.Context(), "/key"); err != nil {
		t.Fatal(err)
	}
	if err := p.done(func() error { return deleted(t.Context(), cli, "/key", rev) }); err != nil {
		t.Error(err)
	}
	cli.Close()
	if err := p.done(func() error { return deleted(t.Context(), cli, "/key", put("3")) }); err == nil {
		t.Error("a client that is closed says that the key is deleted")
	}
}

// TestLocksInOneOrder: two that want the same locks, named in another order, both get them.
func TestLocksInOneOrder(t *testing.T) {
	t.Parallel()
	endpoint := serve(t)
	p := newPlace(t, endpoint)
	got := make(chan error, 2)
	for _, names := range [][]string{{"/x", "/y"}, {"/y", "/x"}} {
		go func() {
			var err error
			for i := 0; i < 5 && err == nil; i++ {
				s, e := concurrency.NewSession(p.cli, concurrency.WithTTL(10))
				if e != nil {
					err = e
					break
				}
				err = errors.Join(lockAll(t.Context(), s, names), s.Close())
			}
			got <- err
		}()
	}
	for range 2 {
		if err := p.done(func() error { return <-got }); err != nil {
			t.Error(err)
		}
	}
}

// TestAnOrderlyEndWaitsForNoTTL: on SIGTERM the jobs end, and then the claim and the lease are gone; one
// whose lease is lost ends its jobs as well.
func TestAnOrderlyEndWaitsForNoTTL(t *testing.T) { // not in parallel: the signal is the process's
	p := newPlace(t, serve(t))
	for _, ends := range []func(){
		func() {
			self, err := os.FindProcess(os.Getpid())
			if err = errors.Join(err, self.Signal(syscall.SIGTERM)); err != nil {
				t.Error(err)
			}
		},
		func() { p.revoked(p.keys("/scheduler")[0]) },
	} {
		err := p.done(func() error {
			return schedule(t.Context(), p.cli, func(ctx context.Context) error {
				if len(p.keys("/scheduler")) != 1 {
					t.Error("the jobs run without a claim")
				}
				ends()
				<-ctx.Done()
				return nil
			})
		})
		if left := p.leases(); len(p.keys("/scheduler"))+len(left) > 0 {
			t.Errorf("%v; leases that stay: %v", err, left)
		}
	}
}

// TestTwoKeysAreTakenTogetherOrNotAtAll, and who does not know whether they were revokes the lease.
func TestTwoKeysAreTakenTogetherOrNotAtAll(t *testing.T) {
	t.Parallel()
	endpoint := serve(t)
	for _, r := range []struct {
		taken, late string
		took, fails bool
		reason      string
	}{
		{took: true, reason: "both are free"},
		{taken: "/locks/stock", reason: "the first is taken"},
		{taken: "/locks/bill", reason: "the second is taken"},
		{late: txn, fails: true, reason: "the answer does not come"},
	} {
		p := newPlace(t, endpoint)
		if r.taken != "" {
			if _, err := p.other.Put(t.Context(), r.taken, "other"); err != nil {
				t.Fatal(err)
			}
		}
		lease, err := p.other.Grant(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		p.set("", r.late)
		took, err := takeBoth(p.soon(), p.cli, "me", lease.ID)
		if took != r.took || (err != nil) != r.fails {
			t.Errorf("%s: took %v, %v", r.reason, took, err)
		}
		if r.fails { // as its comment says
			if _, err := p.other.Revoke(t.Context(), lease.ID); err != nil {
				t.Fatal(err)
			}
		}
		for _, key := range []string{"/locks/stock", "/locks/bill"} {
			want := ""
			if r.took {
				want = "me"
			} else if key == r.taken {
				want = "other"
			}
			if got := p.value(key); got != want {
				t.Errorf("%s: %s is of %q, want %q", r.reason, key, got, want)
			}
		}
	}
}

// TestAnUnlockThatFailsEndsTheSession, so that no claim stays, whether it was done or not.
func TestAnUnlockThatFailsEndsTheSession(t *testing.T) {
	t.Parallel()
	endpoint := serve(t)
	for _, r := range []struct {
		refuse, late string
		ends         bool
		reason       string
	}{
		{reason: "it is well: the session goes on"},
		{refuse: remove, ends: true, reason: "the member refuses the delete"},
		{late: remove, ends: true, reason: "the delete is done, and the answer does not come"},
	} {
		p := newPlace(t, endpoint)
		s, m := p.locked(p.cli, "/orders")
		p.set(r.refuse, r.late)
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // the work was broken off
		if err := p.done(func() error { return free(ctx, s, m) }); (err != nil) != r.ends {
			t.Errorf("%s: %v", r.reason, err)
		}
		if keys, leases := p.keys("/orders"), p.leases(); len(keys) > 0 || (len(leases) == 0) != r.ends {
			t.Errorf("%s: the keys %q and the leases %v stay", r.reason, keys, leases)
		}
	}
}
