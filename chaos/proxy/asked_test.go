package proxy

import (
	"context"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"locktop/chaos/chaostest"
	"locktop/model"
)

// lastAsked is what a client has asked by the last report, without what runs by itself.
func lastAsked(w *witness, name string) (last model.Asked) {
	for _, a := range reported[model.Asked](w) {
		if a.Name == name {
			last = a
		}
	}
	return last
}

// TestProxyCountsWhatIsAsked of one key that all watch, and of a queue: what is asked in vain, and
// who is woken for nothing.
func TestProxyCountsWhatIsAsked(t *testing.T) {
	t.Parallel()
	w := &witness{}
	p := startProxy(t, Options{Backends: []string{chaostest.StartMember(t)}, Report: w.report, Count: true})
	a, b := behind(t, p, "a"), behind(t, p, "b")
	ctx := chaostest.Within(t)
	take := func(c *clientv3.Client) (rev int64, ok bool) {
		r, err := c.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision("/one"), "=", 0)).Then(clientv3.OpPut("/one", "")).Commit()
		chaostest.Must(t, err)
		return r.Header.Revision, r.Succeeded
	}
	gone := func(c *clientv3.Client, rev int64) func() {
		asking, cancel := context.WithCancel(ctx)
		ch := c.Watch(asking, "/one", clientv3.WithRev(rev+1), clientv3.WithCreatedNotify())
		<-ch // it is there
		return func() { <-ch; cancel() }
	}
	if _, ok := take(a); !ok {
		t.Fatal("the key is not free")
	}
	for range 2 { // b waits, is woken, and finds that a was quicker
		rev, ok := take(b)
		if ok {
			t.Fatal("two have the key")
		}
		woken := gone(b, rev)
		_, err := a.Delete(ctx, "/one")
		chaostest.Must(t, err)
		take(a)
		woken()
	}
	sees := func(reason, name string, want model.Asked) {
		t.Helper()
		got := model.Asked{}
		chaostest.Eventually(t, reason, func() bool {
			got = lastAsked(w, name)
			return got.Txns == want.Txns && got.Vain == want.Vain && got.Writes == want.Writes && got.Watches == want.Watches && got.Woken >= want.Woken && got.Idle == want.Idle && got.Gets == want.Gets
		})
		if !got.Certain || got.At.IsZero() {
			t.Errorf("%s: %+v", reason, got)
		}
	}
	sees("a took the key three times and deleted it twice", "a", model.Asked{Txns: 3, Writes: 2})
	sees("b asked twice in vain, and was woken for nothing once: then it watched again", "b", model.Asked{Txns: 2, Vain: 2, Watches: 2, Woken: 2, Idle: 1})

	// In a queue nobody asks in vain who waits.
	c, d := behind(t, p, "c"), behind(t, p, "d")
	lock := func(c *clientv3.Client) (*concurrency.Session, *concurrency.Mutex) {
		s, err := concurrency.NewSession(c, concurrency.WithTTL(60))
		chaostest.Must(t, err)
		return s, concurrency.NewMutex(s, "/queue")
	}
	_, first := lock(c)
	chaostest.Must(t, first.Lock(ctx))
	_, try := lock(behind(t, p, "e"))
	for range 3 {
		if err := try.TryLock(ctx); err != concurrency.ErrLocked {
			t.Fatal(err)
		}
	}
	sees("e tried three times, and each time took its key away", "e", model.Asked{Txns: 3, Vain: 3, Writes: 3})
	_, second := lock(d)
	done := make(chan error, 1)
	go func() { done <- second.Lock(ctx) }()
	chaostest.Eventually(t, "d watches", func() bool { return lastAsked(w, "d").Watches == 1 })
	chaostest.Must(t, first.Unlock(ctx))
	chaostest.Must(t, <-done)
	chaostest.Must(t, second.Unlock(ctx))
	chaostest.Eventually(t, "d has let go", func() bool { return lastAsked(w, "d").Writes == 1 })
	chaostest.Must(t, try.TryLock(ctx))
	chaostest.Must(t, try.Unlock(ctx))
	sees("once it is free e has it, and lets go", "e", model.Asked{Txns: 4, Vain: 3, Writes: 4})
	if got := lastAsked(w, "d"); got.Vain != 0 || got.Woken != 1 || got.Idle != 0 || got.Txns != 1 || got.Renewals == 0 {
		t.Errorf("in a queue: %+v", got)
	}
}

// TestProxyCountsOnlyIfItIsToldTo: a console that stands beside many programs has no use for it.
func TestProxyCountsOnlyIfItIsToldTo(t *testing.T) {
	t.Parallel()
	w, p, _ := observed(t)
	c := behind(t, p, "a")
	_, err := c.Put(chaostest.Within(t), "/k", "")
	chaostest.Must(t, err)
	chaostest.Eventually(t, "the put is reported", func() bool { return len(reported[model.Wrote](w)) == 1 })
	if n := len(reported[model.Asked](w)); n > 0 || p.asked != nil {
		t.Errorf("%d counts were reported", n)
	}
}
