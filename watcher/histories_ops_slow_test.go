//go:build slow

package watcher

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
)

// actor does random things to a server, a function of its seed, and writes down
// what it did.
type actor struct {
	t     testing.TB
	rng   *rand.Rand
	c     *clientv3.Client
	cable *cable

	leases  []clientv3.LeaseID // granted and not revoked
	granted []clientv3.LeaseID // ever
	short   []clientv3.LeaseID // those that run out by themselves
	keys    []string           // ever written, the latest last
	nanos   int64
	sync    func(rev int64) // waits until the watcher has followed that far
	cut     bool
	cuts    int
	gaps    int // compactions while cut
	compact int
	log     []string
}

func (s *actor) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf("%2d. ", len(s.log)+1)+fmt.Sprintf(format, args...))
}

// actorOps are what an actor does, with how often relative to each other.
var actorOps = []struct {
	weight int
	do     func(*actor)
}{
	{8, (*actor).grant}, {30, (*actor).claim}, {9, (*actor).rewrite}, {5, (*actor).detach},
	{4, (*actor).move}, {8, (*actor).txn}, {9, (*actor).remove}, {3, (*actor).removeRange},
	{5, (*actor).revoke}, {6, (*actor).again}, {5, (*actor).foreign}, {4, (*actor).compactNow},
	{4, (*actor).toggle}, {2, (*actor).burst},
	{6, (*actor).catchUp},
}

// step does one thing.
func (s *actor) step() {
	total := 0
	for _, op := range actorOps {
		total += op.weight
	}
	n := s.rng.IntN(total)
	for _, op := range actorOps {
		if n -= op.weight; n < 0 {
			op.do(s)
			return
		}
	}
}

func pick[E any](s *actor, list []E) E { return list[s.rng.IntN(len(list))] }

// key returns one of the last keys that were written.
func (s *actor) key() string {
	if len(s.keys) == 0 {
		return "/h/m1/none"
	}
	return pick(s, s.keys[max(0, len(s.keys)-20):])
}

func (s *actor) lease() clientv3.LeaseID {
	if len(s.leases) == 0 {
		s.grant()
	}
	return pick(s, s.leases)
}

// grant takes an id of its own choice: ids that the server makes would not repeat
// with the seed.
func (s *actor) grant() {
	id := clientv3.LeaseID(s.rng.Int64N(1<<62) | 1<<55)
	if s.rng.IntN(3) == 0 {
		id = clientv3.LeaseID(1 + s.rng.IntN(30))
	}
	if slices.Contains(s.leases, id) {
		return
	}
	s.grantFor(id, 600)
}

func (s *actor) grantFor(id clientv3.LeaseID, ttl int64) {
	s.note("grant %x, %d s", int64(id), ttl)
	_, err := clientv3.RetryLeaseClient(s.c).LeaseGrant(s.t.Context(), grantRequest(id, ttl))
	must[any](s.t)(nil, err)
	s.leases, s.granted = append(s.leases, id), append(s.granted, id)
}

// claimNames are the places where claims stand: %x is the lease in hex, %d in decimal,
// %n a time in nanoseconds and %u a UUID.
var claimNames = []struct {
	key    string
	values []string
}{
	{"/h/m1/%x", []string{""}}, {"/h/m1/%x", []string{""}}, {"/h/m2/%x", []string{""}},
	{"/h/m1/sub/%x", []string{""}}, {"/h/m1/sub/deep/%x", []string{"", "v"}}, {"/h//%x", []string{""}},
	{"/h/%x", []string{""}}, {"%x", []string{""}}, {"/%x", []string{""}},
	{"/h/e1/%x", []string{"alice", "bob"}}, {"/h/e1/%x", []string{"carol"}}, {"/h/mixed/%x", []string{"", "x"}},
	{"/h/election/n1/%d", []string{"node-1", "node-2"}}, {"/h/election/n1/%d", []string{"node-3"}},
	{"/h/keyspaces/k/locks/%d", []string{`{"Action":"a","HostName":"h"}`}}, {"/h/elections/e/locks/%d", []string{"77"}},
	{"/h/registry/%d", []string{"addr"}}, {"/h/m2/inner/%d", []string{""}},
	{"/h/rw/read/%n", []string{""}}, {"/h/rw/write/%n", []string{""}}, {"/h/rw/read/%n", []string{""}},
	{"/h/m1/rw/read/%n", []string{""}}, {"/h/b/waiters/%n", []string{""}},
	{"/h/lock/q/%u", []string{"", "w"}}, {"/h/lock/q/%u", []string{""}}, {"/locks/a/%u", []string{""}},
	{"/locks/a", []string{"host:1"}}, {"/locks/b", []string{""}}, {"/locks/a/%x", []string{""}},
	{"/locks/c/d", []string{"x"}}, {"/locks/%x", []string{""}}, {"shedlock:h:job", []string{"ADDED:now@host"}},
	{"/h/services/s%d/addr", []string{"v"}}, {"/h/services/one", []string{"v"}}, {"plain", []string{"v"}},
	{"/registry/leases/%x", []string{""}}, {"/h/m2/k8s/%x", []string{"k8s\x00v"}},
}

// some writes the key and value of a claim with that lease.
func (s *actor) some(lease clientv3.LeaseID) (key, value string) {
	n := pick(s, claimNames)
	s.nanos += 1 + s.rng.Int64N(1000)
	value = pick(s, n.values)
	return strings.NewReplacer("%x", model.LeaseID(lease).String(), "%d", fmt.Sprint(int64(lease)),
		"%n", fmt.Sprint(1_700_000_000_000_000_000+s.nanos),
		"%u", fmt.Sprintf("%08x-9dad-11d1-80b4-00c04fd430c8", s.rng.IntN(12))).Replace(n.key), value
}

func (s *actor) put(key, value string, lease clientv3.LeaseID) {
	s.note("put %q %q lease %x", key, value, int64(lease))
	s.keys = append(s.keys, key)
	put(s.t, s.c, key, value, clientv3.WithLease(lease))
}

func (s *actor) claim() {
	lease := s.lease()
	key, value := s.some(lease)
	s.put(key, value, lease)
}

// kv returns what a key is now, nil if it is not there.
func (s *actor) kv(key string) *model.KV {
	got := must[*clientv3.GetResponse](s.t)(s.c.Get(s.t.Context(), key))
	if len(got.Kvs) == 0 {
		return nil
	}
	kv := toKV(got.Kvs[0])
	return &kv
}

// rewrite puts another value, as a proclaim does.
func (s *actor) rewrite() {
	if kv := s.kv(s.key()); kv != nil {
		s.put(kv.Key, pick(s, []string{"", "again", "host:2", kv.Value}), clientv3.LeaseID(kv.Lease))
	}
}

// detach puts a key without its lease.
func (s *actor) detach() {
	if kv := s.kv(s.key()); kv != nil {
		s.put(kv.Key, kv.Value, 0)
	}
}

// move puts a key with whatever lease.
func (s *actor) move() {
	if kv := s.kv(s.key()); kv != nil {
		s.put(kv.Key, kv.Value, s.lease())
	}
}

// txn changes several keys in one revision.
func (s *actor) txn() {
	var do []clientv3.Op
	var words []string
	seen := map[string]bool{}
	for range 2 + s.rng.IntN(5) {
		lease := s.lease()
		key, value := s.some(lease)
		drop := s.rng.IntN(3) == 0
		if drop {
			key = s.key()
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		if drop {
			words = append(words, fmt.Sprintf("delete %q", key))
			do = append(do, clientv3.OpDelete(key))
			continue
		}
		words = append(words, fmt.Sprintf("put %q %q lease %x", key, value, int64(lease)))
		do = append(do, clientv3.OpPut(key, value, clientv3.WithLease(lease)))
		s.keys = append(s.keys, key)
	}
	s.note("txn %s", strings.Join(words, "; "))
	must[*clientv3.TxnResponse](s.t)(s.c.Txn(s.t.Context()).Then(do...).Commit())
}

func (s *actor) delete(key string, o ...clientv3.OpOption) {
	must[*clientv3.DeleteResponse](s.t)(s.c.Delete(s.t.Context(), key, o...))
}

func (s *actor) remove() {
	key := s.key()
	s.note("delete %q", key)
	s.delete(key)
}

func (s *actor) removeRange() {
	p := pick(s, []string{"/h/m1/", "/h/m1/sub/", "/h/e1/", "/locks/", "/h/rw/", "/h/lock/", "/h/", "/h/m2/inner"})
	s.note("delete --prefix %q", p)
	s.delete(p, clientv3.WithPrefix())
}

func (s *actor) revoke() {
	if len(s.leases) == 0 {
		return
	}
	i := s.rng.IntN(len(s.leases))
	id := s.leases[i]
	s.leases = slices.Delete(s.leases, i, i+1)
	s.note("revoke %x", int64(id))
	must[*clientv3.LeaseRevokeResponse](s.t)(s.c.Revoke(s.t.Context(), id))
	if s.rng.IntN(2) == 0 { // the same id lives on with another life
		s.grantFor(id, 600)
	}
}

// again deletes a key and creates it in the next revision.
func (s *actor) again() {
	kv := s.kv(s.key())
	if kv == nil {
		return
	}
	s.note("delete %q", kv.Key)
	s.delete(kv.Key)
	lease := clientv3.LeaseID(kv.Lease)
	if s.rng.IntN(4) == 0 {
		lease = s.lease()
	}
	s.put(kv.Key, kv.Value, lease)
}

func (s *actor) foreign() {
	lease := clientv3.LeaseID(0)
	if s.rng.IntN(2) == 0 {
		lease = s.lease()
	}
	s.put(pick(s, []string{"/h/m1/config", "/h/e1/note", "/h/rw/x", "/h/m2/a/b", "/h/m1/694d81e5fc652594", "/locks/a/x",
		"/h/election/n1/00", "/h/lock/q/readme", "/h/mixed", "/h/m1", "/h/b/ready"}), "f", lease)
}

func (s *actor) revision() int64 {
	return must[*clientv3.GetResponse](s.t)(s.c.Get(s.t.Context(), "x")).Header.Revision
}

// catchUp lets the watcher come along, if it can.
func (s *actor) catchUp() {
	if s.sync != nil && !s.cut {
		s.note("wait for the watcher")
		s.sync(s.revision())
	}
}

func (s *actor) compactNow() {
	now := s.revision()
	rev := now - s.rng.Int64N(min(now, 20))
	if s.cut {
		rev = now
	}
	s.note("compact at %d of %d", rev, now)
	if _, err := s.c.Compact(s.t.Context(), rev); err == nil { // else it was compacted before
		s.compact++
		if s.cut {
			s.gaps++
		}
	}
}

// toggle cuts the watcher's connection, or mends it, at times with a compaction
// meanwhile.
func (s *actor) toggle() {
	if s.cut {
		if s.rng.IntN(2) == 0 {
			s.burst()
			s.compactNow()
		}
		s.mend()
		return
	}
	s.note("cut")
	s.cut = true
	s.cuts++
	s.cable.set(true)
}

func (s *actor) mend() {
	if s.cut {
		s.note("mend")
		s.cut = false
		s.cable.set(false)
		if !*historyIdle {
			s.put("zz/written", "", 0)
		}
	}
}

// burst writes one key again and again.
func (s *actor) burst() {
	key, lease := s.key(), s.lease()
	for i := range 2 + s.rng.IntN(6) {
		s.put(key, fmt.Sprint(i), lease)
	}
}

// expire grants a lease that runs out while the rest goes on.
func (s *actor) expire() {
	id := clientv3.LeaseID(s.rng.Int64N(1<<62) | 1<<55)
	s.grantFor(id, 1)
	s.leases = s.leases[:len(s.leases)-1]
	s.short = append(s.short, id)
	for range 3 {
		key, value := s.some(id)
		s.put(key, value, id)
	}
}

// expired waits until those leases are gone.
func (s *actor) expired() {
	for _, id := range s.short {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for end := time.Now().Add(deadline); ; <-tick.C {
			left := must[*clientv3.LeaseTimeToLiveResponse](s.t)(s.c.TimeToLive(s.t.Context(), id))
			if left.GrantedTTL == 0 {
				break
			}
			if time.Now().After(end) {
				s.t.Fatalf("lease %x does not expire", int64(id))
			}
		}
	}
}
