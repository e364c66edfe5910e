package watcher

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"
	recipe "go.etcd.io/etcd/client/v3/experimental/recipes"
)

// vitess builds the client of Vitess from what the module cache has.
func vitess(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	path := filepath.Join(t.TempDir(), "vitess")
	cmd := exec.CommandContext(ctx, program(t, "go"), "build", "-o", path, ".")
	cmd.Dir = clientFile(t, "vitess")
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		missing(t, "the client of Vitess does not build; go -C watcher/testdata/programs/vitess build -o /dev/null . downloads what it needs\n"+string(out))
	}
	return path
}

func playVitessLock(t *testing.T, s *story) {
	vitess := vitess(t)
	p := newPlay(t, s)
	one := p.run(vitess, "keyspace", "commerce", "Reshard")
	one.says("holding")
	p.see("one locks a keyspace")
	other := p.run(vitess, "keyspace", "commerce", "ApplySchema")
	p.see("another locks it too")
	one.does("release", "released")
	other.says("holding")
	p.see("the holder unlocks")
	p.run(vitess, "named", "nightly", "Backup").says("holding")
	p.see("a name is locked")
	other.does("release", "released")
	p.see("the next unlocks")
	p.end()
}

func playVitessElection(t *testing.T, s *story) {
	vitess := vitess(t)
	p := newPlay(t, s)
	one := p.run(vitess, "election", "vtctld", "vtctld-1")
	one.says("holding")
	p.see("one stands")
	other := p.run(vitess, "election", "vtctld", "vtctld-2")
	p.see("another stands")
	one.does("release", "released")
	other.says("holding")
	p.see("the leader stops")
	other.does("release", "released")
	p.see("the other stops")
	p.end()
}

// session opens a session of the Go client, as a client process would.
func (p *play) session() *concurrency.Session {
	p.t.Helper()
	s := must[*concurrency.Session](p.t)(concurrency.NewSession(dial(p.t, p.endpoint), concurrency.WithTTL(30)))
	p.t.Cleanup(func() { _ = s.Close() })
	return s
}

// background runs what blocks; the function that it returns waits for it.
func (p *play) background(f func() error) (wait func()) {
	done, _ := waits(p, func(context.Context) (struct{}, error) { return struct{}{}, f() })
	return func() { done() }
}

func playRWMutex(t *testing.T, s *story) {
	p := newPlay(t, s)
	var m [4]*recipe.RWMutex
	for i := range m {
		m[i] = recipe.NewRWMutex(p.session(), "jobs/table")
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(m[0].RLock())
	ok(m[1].RLock())
	p.see("two read")
	writing := p.background(m[2].Lock)
	p.see("one wants to write")
	reading := p.background(m[3].RLock)
	p.see("one more wants to read")
	ok(m[0].RUnlock())
	p.see("the first reader ends")
	ok(m[1].RUnlock())
	writing()
	p.see("the second reader ends")
	ok(m[2].Unlock())
	reading()
	p.see("the writer ends")
	p.end()
}

func playDoubleBarrier(t *testing.T, s *story) {
	p := newPlay(t, s)
	one := recipe.NewDoubleBarrier(p.session(), "jobs/gate", 2)
	other := recipe.NewDoubleBarrier(p.session(), "jobs/gate", 2)
	in := p.background(one.Enter)
	p.see("one enters")
	p.background(other.Enter)()
	in()
	p.see("the other enters")
	out := p.background(one.Leave)
	p.background(other.Leave)()
	out()
	p.see("both leave")
	p.end()
}

func playDataRecipes(t *testing.T, s *story) {
	p := newPlay(t, s)
	barrier := recipe.NewBarrier(p.etcd, "jobs/closed")
	p.background(barrier.Hold)()
	p.see("a barrier is closed")
	queue := recipe.NewQueue(p.etcd, "jobs/queue")
	p.background(func() error { return queue.Enqueue("a") })()
	p.background(func() error { return queue.Enqueue("b") })()
	p.see("two items are queued")
	urgent := recipe.NewPriorityQueue(p.etcd, "jobs/urgent")
	p.background(func() error { return urgent.Enqueue("a", 1) })()
	p.background(func() error { return urgent.Enqueue("b", 2) })()
	p.see("two items are queued by priority")
	p.background(func() error { _, err := queue.Dequeue(); return err })()
	p.background(func() error { _, err := urgent.Dequeue(); return err })()
	p.see("one of each is taken")
	p.end()
}
