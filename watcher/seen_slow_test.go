//go:build slow

package watcher

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/watcher/pace"
)

// seen is a state that a watcher keeps up to date, and all that it was made of.
type seen struct {
	t    testing.TB
	w    *Watcher
	stop context.CancelFunc
	done chan struct{}
	news chan struct{} // capacity 1: something was applied

	mu     sync.Mutex
	state  *store.Store
	events []model.Event
}

// see follows until the test ends, or close.
func see(t testing.TB, c *clientv3.Client, o Options) *seen {
	ctx, stop := context.WithCancel(context.Background())
	s := &seen{t: t, w: New(c, o), stop: stop, done: make(chan struct{}), news: make(chan struct{}, 1), state: store.New()}
	go s.run(ctx)
	t.Cleanup(s.close)
	return s
}

func (s *seen) run(ctx context.Context) {
	defer close(s.done)
	want := model.Want{}
	for {
		b, err := s.w.Next(ctx, want)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.state.Apply(b)
		s.events = append(s.events, b.Events...)
		want = s.state.Want(nil)
		s.mu.Unlock()
		pace.Notify(s.news)
	}
}

// close can be called again.
func (s *seen) close() {
	s.stop()
	<-s.done
	_ = s.w.Close()
}

// until waits for a state and says how long that took.
func (s *seen) until(what string, ok func(*store.Store) bool) time.Duration {
	s.t.Helper()
	began, late := time.Now(), time.NewTimer(2*deadline) // a refusal is tried again after 30 s
	defer late.Stop()
	for {
		s.mu.Lock()
		good := ok(s.state)
		s.mu.Unlock()
		if good {
			return time.Since(began)
		}
		select {
		case <-s.news:
		case <-late.C:
			s.t.Fatalf("no %s; %s", what, s.words())
		}
	}
}

// proven says that the watch of a prefix is open and has caught up: live is said as soon
// as there is a list. It is for what until calls.
func (s *seen) proven(prefix string) bool {
	for _, ev := range slices.Backward(s.events) {
		switch e := ev.(type) {
		case model.Watching:
			if e.Prefix == prefix {
				return true
			}
		case model.Loaded:
			if e.Prefix == prefix {
				return false
			}
		case model.Lost:
			if e.Prefix == prefix {
				return false
			}
		}
	}
	return false
}

// words sums up what came, for failures.
func (s *seen) words() (out string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.state.Coverage().Watches() {
		out += f.Prefix + " is " + string(f.State) + " " + text.English(f.Detail) + "; "
	}
	for _, ev := range s.events {
		switch e := ev.(type) {
		case model.Lost:
			out += "\n\tLost " + e.Prefix + " " + text.English(e.Detail)
		case model.Loaded, model.Back:
			out += "\n\t" + typeName(ev)
		case model.LeaseUnread:
			out += "\n\tunread: " + text.English(e.Reason)
		}
	}
	return out
}

// otherLossBefore says whether the prefix was lost for another reason between this
// loss and the one before it.
func (s *seen) otherLossBefore(e model.Lost) bool {
	other := false
	for _, ev := range s.events {
		l, ok := ev.(model.Lost)
		switch {
		case !ok || l.Prefix != e.Prefix:
		case reflect.DeepEqual(l, e):
			return other
		default:
			other = l.Reason != e.Reason
		}
	}
	return false
}

func feedOf(st *store.Store, prefix string) *locks.Watch {
	for _, f := range st.Coverage().Watches() {
		if f.Prefix == prefix {
			return f
		}
	}
	return &locks.Watch{}
}

func live(st *store.Store, prefix string) bool { return feedOf(st, prefix).State == locks.Live }

// holds says whether a key is the holder of its lock.
func holds(st *store.Store, key string) bool {
	for _, l := range st.Locks() {
		if h := l.Holder(); h != nil && h.Key == key {
			return true
		}
	}
	return false
}
