//go:build slow

package proxy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos/chaostest"
	"locktop/model"
)

// What two clients of a lock are told, and see, and leave in etcd, is the same
// through the proxy as it is directly.
func TestForeignClientsDoTheSameThroughTheProxy(t *testing.T) {
	t.Parallel()
	for _, f := range foreigners {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			direct, behind := chaostest.StartMember(t), chaostest.StartMember(t)
			p := startProxy(t, Options{Backends: []string{behind}})
			want := competition(t, f, direct, [2]string{direct, direct})
			got := competition(t, f, behind, [2]string{listen(t, p, "a"), listen(t, p, "b")})
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("directly and through the proxy (-direct +proxy):\n%s", d)
			}
			t.Logf("both:\n%s", strings.Join(got, "\n"))
		})
	}
}

// listen returns the one listener of a client.
func listen(t *testing.T, p *Proxy, name string) string {
	t.Helper()
	at, err := p.Listen(name)
	chaostest.Must(t, err)
	return at[0]
}

// competition has two clients compete and returns all that can be seen of it.
func competition(t *testing.T, f foreign, member string, endpoints [2]string) []string {
	t.Helper()
	etcd := chaostest.Dial(t, []string{member})
	a, b := f.run(t, endpoints[0], "60"), f.run(t, endpoints[1], "60")
	var log []string
	step := func(name string, s *speaker, command string) {
		t.Helper()
		s.tell(command)
		log = append(log, fmt.Sprintf("%s: %s: %s, then %s", name, command, s.hears(), leases(t, etcd)))
	}
	step("a", a, "acquire")
	step("b", b, "try")
	if !f.renews {
		step("a", a, "refresh")
	}
	step("a", a, "release")
	step("b", b, "acquire")
	step("b", b, "release")
	return append(log, history(t, etcd)...)
}

// leases says what leases there are, without their ids.
func leases(t *testing.T, etcd *clientv3.Client) string {
	t.Helper()
	all, err := etcd.Leases(chaostest.Within(t))
	chaostest.Must(t, err)
	var out []string
	for _, l := range all.Leases {
		r, err := etcd.TimeToLive(chaostest.Within(t), l.ID, clientv3.WithAttachedKeys())
		chaostest.Must(t, err)
		out = append(out, fmt.Sprintf("ttl %d with %d keys", r.GrantedTTL, len(r.Keys)))
	}
	slices.Sort(out)
	return fmt.Sprintf("%d leases: %s", len(out), strings.Join(out, ", "))
}

// leaseInKey is how Go's recipes end a key.
var leaseInKey = regexp.MustCompile(`/[0-9a-f]{8,16}$`)

// history is every change since the member was made, with a number for each lease
// and for each value that is bytes: those differ from run to run.
func history(t *testing.T, etcd *clientv3.Client) []string {
	t.Helper()
	end, err := etcd.Put(chaostest.Within(t), "/end", "")
	chaostest.Must(t, err)
	number := numbers{"0": "no lease"}
	var out []string
	for r := range etcd.Watch(chaostest.Within(t), "", clientv3.WithPrefix(), clientv3.WithRev(1), clientv3.WithPrevKV()) {
		chaostest.Must(t, r.Err())
		for _, e := range r.Events {
			key := leaseInKey.ReplaceAllStringFunc(string(e.Kv.Key), func(id string) string {
				return "/" + number.of("lease", strings.TrimPrefix(id, "/"))
			})
			value := string(e.Kv.Value)
			if len(value) == 16 {
				value = number.of("uuid", value)
			}
			out = append(out, fmt.Sprintf("%d %s %s = %q created %d version %d on %s", e.Kv.ModRevision, e.Type, key, value,
				e.Kv.CreateRevision, e.Kv.Version, number.of("lease", fmt.Sprintf("%x", e.Kv.Lease))))
			if e.Kv.ModRevision == end.Header.Revision {
				return out
			}
		}
	}
	t.Fatal("the history ends too soon")
	return nil
}

// numbers replace what is told apart but not compared.
type numbers map[string]string

// of returns the same for the same.
func (n numbers) of(kind, what string) string {
	if n[what] == "" {
		n[what] = fmt.Sprintf("%s#%d", kind, len(n))
	}
	return n[what]
}

// A client that renews by itself goes on to do so, and its lease runs out all the
// same: another client has the lock then.
func TestHeldKeepalivesCostForeignClientsTheirLock(t *testing.T) {
	t.Parallel()
	for _, f := range foreigners {
		if !f.renews {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			member := chaostest.StartMember(t)
			p := startProxy(t, Options{Backends: []string{member}})
			etcd := chaostest.Dial(t, []string{member})
			a, b := f.run(t, listen(t, p, "a"), "2"), f.run(t, listen(t, p, "b"), "60")
			a.tell("acquire")
			a.says("holding")
			lease := holder(t, etcd, f)
			b.tell("try")
			b.refused()
			chaostest.Must(t, p.Inject(keepalivesOf("a")))
			chaostest.Eventually(t, "a renewal of a is held", func() bool { return keptBack(p) > 0 })
			chaostest.Eventually(t, "the lease of a runs out", func() bool { return !chaostest.LeaseLives(t, etcd, lease) })
			b.tell("acquire")
			b.says("holding")
		})
	}
}

// holder returns the lease of the oldest key of the lock, 0 if there is none.
func holder(t *testing.T, etcd *clientv3.Client, f foreign) clientv3.LeaseID {
	t.Helper()
	r, err := etcd.Get(chaostest.Within(t), f.holds, clientv3.WithFirstCreate()...)
	chaostest.Must(t, err)
	if len(r.Kvs) == 0 {
		return 0
	}
	return clientv3.LeaseID(r.Kvs[0].Lease)
}

// python-etcd3 renews when it is told to, and waits for the answer.
func TestHeldKeepalivesStallARefresh(t *testing.T) {
	t.Parallel()
	p := startProxy(t, Options{Backends: []string{chaostest.StartMember(t)}})
	f := foreigners[2]
	a := f.run(t, listen(t, p, "a"), "60")
	a.tell("acquire")
	a.says("holding")
	chaostest.Must(t, p.Inject(keepalivesOf("a")))
	a.tell("refresh")
	chaostest.Eventually(t, "the renewal is held", func() bool { return keptBack(p) == 1 })
	a.silent("while its renewal is held")
	p.Heal(keepalivesOf("a"))
	a.says("refreshed 60")
	a.tell("release")
	a.says("released")
}

// The answer to the write that takes the lock is held: etcd says that the client
// holds, and others are refused, but the client does not know yet.
func TestHeldAnswersStallForeignClients(t *testing.T) {
	t.Parallel()
	for _, f := range foreigners {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			member := chaostest.StartMember(t)
			p := startProxy(t, Options{Backends: []string{member}})
			etcd := chaostest.Dial(t, []string{member})
			a, b := f.run(t, listen(t, p, "a"), "60"), f.run(t, listen(t, p, "b"), "60")
			fault := model.Fault{Kind: model.FaultHold, Target: "a", Method: "KV/Txn", Direction: model.Replies}
			chaostest.Must(t, p.Inject(fault))
			a.tell("acquire")
			chaostest.Eventually(t, "etcd says that a holds", func() bool { return holder(t, etcd, f) != 0 })
			b.tell("try") // takes b as long as it would take a
			b.refused()
			a.silent("though the answer is held")
			if n := p.Heal(fault); n != 1 {
				t.Errorf("healed %d faults, want 1", n)
			}
			a.says("holding")
			a.tell("release")
			a.says("released")
			chaostest.Eventually(t, "a has let go", func() bool { return holder(t, etcd, f) == 0 })
			b.tell("acquire")
			b.says("holding")
		})
	}
}

// keptBack counts the requests that are held now.
func keptBack(p *Proxy) int {
	p.holds.mu.Lock()
	var calls []*renewals
	for r := range p.holds.calls {
		calls = append(calls, r)
	}
	p.holds.mu.Unlock()
	n := 0
	for _, r := range calls {
		r.mu.Lock()
		n += len(r.order)
		r.mu.Unlock()
	}
	return n
}
