package watcher

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	recipe "go.etcd.io/etcd/client/v3/experimental/recipes"
)

// built builds a client in Go from what the module cache has.
func built(t *testing.T, name string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	path := filepath.Join(t.TempDir(), name)
	cmd := exec.CommandContext(ctx, program(t, "go"), "build", "-o", path, ".")
	cmd.Dir = clientFile(t, name)
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		missing(t, "the client of "+name+" does not build; go -C watcher/testdata/programs/"+name+" build -o /dev/null . downloads what it needs\n"+string(out))
	}
	return path
}

func playTrillian(t *testing.T, s *story) {
	trillian := built(t, "trillian")
	p := newPlay(t, s)
	one := p.run(trillian, "log-1")
	one.says("holding")
	p.see("one is master")
	other := p.run(trillian, "log-1")
	p.see("another stands")
	one.does("resign", "released")
	other.says("holding")
	p.see("the master resigns")
	other.does("resign", "released")
	p.see("the other resigns")
	p.end()
}

func playGoZero(t *testing.T, s *story) {
	goZero := built(t, "go-zero")
	p := newPlay(t, s)
	one := p.run(goZero, "user.rpc", "10.0.0.1:8080")
	one.says("registered")
	p.joined("user.rpc", 1)
	p.run(goZero, "user.rpc", "10.0.0.2:8080").says("registered")
	p.see("two instances run")
	one.does("stop", "stopped")
	p.see("one stops")
	p.end()
}

func playVitessLock(t *testing.T, s *story) {
	vitess := built(t, "vitess")
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
	vitess := built(t, "vitess")
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

// ok fails the test unless a request was done.
func (p *play) ok(_ any, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// playKvtools makes the calls of a lock of kvtools' etcdv3, as libkv and valkeyrie had it
// before: a session for each lock, a mutex below a name of its own, and the value that is
// protected, written and deleted under it.
func playKvtools(t *testing.T, s *story) {
	p := newPlay(t, s)
	var sessions [2]*concurrency.Session
	var locks [2]*concurrency.Mutex
	for i := range locks {
		sessions[i] = p.session()
		locks[i] = concurrency.NewMutex(sessions[i], "jobs/build___lock")
	}
	writes := func(i int, value string) {
		t.Helper()
		p.ok(p.etcd.Put(t.Context(), "jobs/build", value, clientv3.WithLease(sessions[i].Lease())))
	}
	p.ok(nil, locks[0].Lock(t.Context()))
	writes(0, "node-a")
	p.see("one locks, and writes its value")
	locked := p.background(func() error { return locks[1].Lock(t.Context()) })
	p.see("another locks, too")
	p.ok(p.etcd.Delete(t.Context(), "jobs/build"))
	p.ok(nil, locks[0].Unlock(t.Context()))
	locked()
	writes(1, "node-b")
	p.see("the holder unlocks")
	p.ok(nil, sessions[1].Close())
	p.see("the other's session is closed")
	p.end()
}

// playScalingo makes the calls of Scalingo's go-etcd-lock: a session for each lock, a key for
// each reader, and a mutex for the writer, who then asks whether readers are left.
func playScalingo(t *testing.T, s *story) {
	p := newPlay(t, s)
	read := func() (release func()) {
		session := p.session()
		key := fmt.Sprintf("/go-etcd-lock-rw/readers/%s/%x", base64.RawURLEncoding.EncodeToString([]byte("/etcd-lock/b")), session.Lease())
		p.ok(p.etcd.Txn(t.Context()).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
			Then(clientv3.OpPut(key, "", clientv3.WithLease(session.Lease()))).Commit())
		return func() {
			p.ok(p.etcd.Delete(t.Context(), key))
			p.ok(nil, session.Close())
		}
	}
	one, other := read(), read()
	p.see("two read")
	session := p.session()
	m := concurrency.NewMutex(session, "/etcd-lock/b")
	p.ok(nil, m.Lock(t.Context()))
	p.see("one writes, and waits for them")
	one()
	p.see("one reader ends")
	other()
	p.ok(nil, m.Unlock(t.Context()))
	p.ok(nil, session.Close())
	p.see("the other ends, and the writer")
	p.end()
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
