package discover

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/recipe"
)

// hexKey and decKey are claims as their clients name them.
func hexKey(lock string, id model.LeaseID) model.KV {
	return model.KV{Key: fmt.Sprintf("%s/%x", lock, int64(id)), Version: 1, Lease: id}
}
func decKey(lock string, id model.LeaseID) model.KV {
	return model.KV{Key: fmt.Sprintf("%s/%d", lock, id), Version: 1, Lease: id}
}
func leasedKey(key string) model.KV { return model.KV{Key: key, Version: 1, Lease: 0x694d81e5fc652501} }
func plainKey(key string) model.KV  { return model.KV{Key: key, Version: 1} }

// someLease returns one of many lease ids as a server makes them.
func someLease(i int) model.LeaseID { return model.LeaseID(0x694d81e5fc650000 + int64(i)) }

func guesses(kvs ...model.KV) []PrefixGuess {
	var g Guesser
	for i := range kvs {
		g.Add(&kvs[i])
	}
	return g.Guesses()
}

// short is what the tables compare: prefix, pattern, recipes, confidence, locks/claims/leased.
func short(list []PrefixGuess) []string {
	out := []string{}
	for _, p := range list {
		out = append(out, fmt.Sprintf("%s %s %s %s %d/%d/%d", p.Prefix, p.Pattern,
			strings.Join(append([]string{p.Recipe}, p.Alternatives...), "|"), p.Confidence, p.Locks, p.Claims, p.Leased))
	}
	return out
}

func TestGuessOfEachRecipe(t *testing.T) {
	const nanos, uuid = "1790000000000000001", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
	rewritten := hexKey("/app/x", someLease(1))
	rewritten.Version = 2
	for _, row := range []struct {
		reason string
		kvs    []model.KV
		want   []string
	}{
		{"values tell a mutex from an election", []model.KV{hexKey("/jobs/a", someLease(1)), hexKey("/jobs/a", someLease(2))},
			[]string{"/jobs/a/ /jobs/a mutex|election hint 1/2/2"}},
		{"a mutex never writes its key again", []model.KV{rewritten}, []string{"/app/x/ /app/x election|tagged-mutex|mixed hint 1/1/1"}},
		{"a path that speaks of locks", []model.KV{hexKey("/micro/lock/a", someLease(1))}, []string{"/micro/lock/a/ /micro/lock/a mutex strong 1/1/1"}},
		{"TiDB's owner", []model.KV{hexKey("/tidb/ddl/fg/owner", someLease(1))}, []string{"/tidb/ddl/fg/owner/ /tidb/ddl/fg/owner election strong 1/1/1"}},
		{"Stolon's sentinel", []model.KV{hexKey("stolon/cluster/c/sentinel-leader", someLease(1))},
			[]string{"stolon/cluster/c/sentinel-leader/ stolon/cluster/c/sentinel-leader election strong 1/1/1"}},
		{"Vault", []model.KV{hexKey("/vault/core/lock", someLease(1))}, []string{"/vault/core/lock/ /vault/core/lock tagged-mutex strong 1/1/1"}},
		{"a claim that lost its lease is stuck, and still one", []model.KV{hexKey("/jobs/a", someLease(1)), plainKey("/jobs/a/694d81e5fc652599")},
			[]string{"/jobs/a/ /jobs/a mutex|election hint 1/2/1"}},
		{"by itself it may be any hash", []model.KV{plainKey("/blobs/694d81e5fc652599")}, nil},
		{"npm's election", []model.KV{decKey("election/boss", someLease(1)), decKey("election/boss", someLease(2))},
			[]string{"election/boss/ election/boss npm-election hint 1/2/2"}},
		{"decimal names say nothing by themselves", []model.KV{decKey("/workers", someLease(1))}, []string{"/workers/ /workers order-only hint 1/1/1"}},
		{"Vitess, whose value would tell", []model.KV{decKey("/vt/keyspaces/ks/locks", someLease(1))},
			[]string{"/vt/keyspaces/ks/locks/ /vt/keyspaces/ks/locks vitess-lock hint 1/1/1"}},
		{"Vitess' election", []model.KV{decKey("/vt/elections/e/locks", someLease(1))},
			[]string{"/vt/elections/e/locks/ /vt/elections/e/locks vitess-election strong 1/1/1"}},
		{"RWMutex", []model.KV{leasedKey("/rw/read/" + nanos), leasedKey("/rw/write/" + nanos)}, []string{"/rw/ /rw rwmutex hint 1/2/2"}},
		{"DoubleBarrier, its ready key is not a claim", []model.KV{leasedKey("/b/waiters/" + nanos), plainKey("/b/ready")},
			[]string{"/b/ /b double-barrier hint 1/1/1"}},
		{"a queue of the experimental recipes is data", []model.KV{plainKey("/q/" + nanos)}, nil},
		{"a queue by hand", []model.KV{leasedKey("/lock/l1/" + uuid)}, []string{"/lock/l1/ /lock/l1 key-queue hint 1/1/1"}},
		{"python-etcd3 and etcd3gw look alike without values", []model.KV{leasedKey("/locks/a"), leasedKey("/locks/b")},
			[]string{"/locks/ /locks/* single-key hint 2/2/2"}},
		{"etcd3-py, whose value would tell, and its counter", []model.KV{leasedKey("_locks/a"), plainKey("_locks/a/holders")},
			[]string{"_locks/a _locks/a etcd3-py hint 1/1/1"}},
		{"Patroni, of many clusters", []model.KV{leasedKey("/service/a/leader"), leasedKey("/service/b/leader"), plainKey("/service/a/config")},
			[]string{"/service/ /service/*/leader patroni hint 2/2/2"}},
		{"Patroni's members have leases and are no locks", []model.KV{leasedKey("/service/a/leader"), leasedKey("/service/a/members/m1")},
			[]string{"/service/a/leader /service/a/leader patroni hint 1/1/1", "/service/a/members/ /service/a/members order-only hint 1/1/1"}},
		{"PD", []model.KV{leasedKey("/pd/7/leader")}, []string{"/pd/7/leader /pd/7/leader pd hint 1/1/1"}},
		{"Calico", []model.KV{leasedKey("/calico/x/neutron_election")}, []string{"/calico/x/neutron_election /calico/x/neutron_election calico hint 1/1/1"}},
		{"ShedLock has no slash", []model.KV{leasedKey("shedlock:prod:a"), leasedKey("shedlock:prod:b")},
			[]string{"shedlock:prod: shedlock:prod:* shedlock hint 2/2/2"}},
		{"Layotto", []model.KV{leasedKey("/layotto/lock|||app||r1"), leasedKey("/layotto/lock|||app||r2")},
			[]string{"/layotto/ /layotto/* layotto hint 2/2/2"}},
		{"crontab", []model.KV{leasedKey("/cron/lock/a")}, []string{"/cron/lock/a /cron/lock/a cron-lock hint 1/1/1"}},
		{"Pulsar", []model.KV{leasedKey("/loadbalance/leader")}, []string{"/loadbalance/leader /loadbalance/leader pulsar hint 1/1/1"}},
		{"Kubernetes is never a lock of ours", []model.KV{leasedKey("/registry/masterleases/10.0.0.1"), plainKey("/registry/leases/kube-system/x")}, nil},
		{"plain data", []model.KV{plainKey("/config/a"), plainKey("/config/b"), plainKey("c")}, nil},
	} {
		t.Run(row.reason, func(t *testing.T) {
			want := row.want
			if want == nil {
				want = []string{}
			}
			if d := cmp.Diff(want, short(guesses(row.kvs...))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestGuessesAreMerged(t *testing.T) {
	many := func(n int, format string) []model.KV {
		var kvs []model.KV
		for i := range n {
			kvs = append(kvs, hexKey(fmt.Sprintf(format, i), someLease(i)))
		}
		return kvs
	}
	for _, row := range []struct {
		reason string
		kvs    []model.KV
		want   []string
	}{
		{"one row for siblings", many(300, "/jobs/%d"), []string{"/jobs/ /jobs/* mutex|election hint 300/300/300"}},
		{"locks of another kind stay apart", append(many(3, "/app/%d/lock"), many(2, "/app/%d/leader")...),
			[]string{"/app/ /app/*/lock mutex strong 3/3/3", "/app/ /app/*/leader election strong 2/2/2"}},
		{"two stars", append(many(2, "/vt/ks1/shards/%d/lock"), many(2, "/vt/ks2/shards/%d/lock")...),
			[]string{"/vt/ /vt/*/shards/*/lock mutex strong 4/4/4"}},
		{"nested locks are counted above", append(many(3, "/jobs/%d"), many(3, "/jobs/1/step-%d/x")...),
			[]string{"/jobs/ /jobs/* mutex|election hint 6/6/6"}},
		{"a lock below a lock", append(many(1, "/a/b%d"), many(1, "/a/b0/c%d")...),
			[]string{"/a/b0/ /a/b0 mutex|election hint 1/1/1", "/a/b0/c0/ /a/b0/c0 mutex|election hint 1/1/1"}},
		{"few unlike names at the root stay apart", append(many(1, "/alpha%d"), many(1, "/beta%d")...),
			[]string{"/alpha0/ /alpha0 mutex|election hint 1/1/1", "/beta0/ /beta0 mutex|election hint 1/1/1"}},
		{"many are one row", many(manyAtRoot, "/%d"), []string{"/ /* mutex|election hint 8/8/8"}},
		{"so are tenants", many(1000, "/%d/locks/x"), []string{"/ /*/locks/x mutex strong 1000/1000/1000"}},
		{"the root hides no other row", append(many(20, "%d"), many(3, "/jobs/%d")...),
			[]string{" * mutex|election hint 20/20/20", "/jobs/ /jobs/* mutex|election hint 3/3/3"}},
		{"names at the root that begin alike", many(2, "/lock-%d"), []string{"/lock- /lock-* mutex strong 2/2/2"}},
		{"the surest first, then the most claims",
			[]model.KV{leasedKey("/cron/lock/a"), leasedKey("/reg/x"), leasedKey("/reg/y"), hexKey("/z/lock", 0x1234567890abc), leasedKey("/pd/1/leader")},
			[]string{"/z/lock/ /z/lock mutex strong 1/1/1",
				"/cron/lock/a /cron/lock/a cron-lock hint 1/1/1", "/pd/1/leader /pd/1/leader pd hint 1/1/1", "/reg/ /reg order-only hint 1/2/2"}},
		{"a segment that is a star", many(2, "/a/*/%d"), []string{"/a/*/ /a/*/* mutex|election hint 2/2/2"}},
		{"empty segments", append(many(2, "/a//%d"), many(1, "//%d")...),
			[]string{"/a// /a//* mutex|election hint 2/2/2", "//0/ //0 mutex|election hint 1/1/1"}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			if d := cmp.Diff(row.want, short(guesses(row.kvs...))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestGuessFollowsAPin(t *testing.T) {
	g := Guesser{Pins: []model.Pin{{Prefix: "/mine/", Recipe: recipe.ByPin}, {Prefix: "/queue/", Recipe: recipe.Named("key-queue")}}}
	for _, kv := range []model.KV{leasedKey("/mine/a"), leasedKey("/queue/q/x"), leasedKey("/queue/q/y")} {
		g.Add(&kv)
	}
	want := []string{"/queue/q/ /queue/q key-queue certain 1/2/2", "/mine/a /mine/a single certain 1/1/1"}
	if d := cmp.Diff(want, short(g.Guesses())); d != "" {
		t.Error(d)
	}
}

func TestGuessKeepsHostileBytes(t *testing.T) {
	got := guesses(hexKey("/a\x00\xff/\x1b[31m", someLease(1)))
	if len(got) != 1 || got[0].Prefix != "/a\x00\xff/\x1b[31m/" {
		t.Errorf("got %+v: want the raw bytes, which are what is to be watched", got)
	}
}

// TestGuessesDoNotDependOnOrder: a scan that is paged otherwise says the same.
func TestGuessesDoNotDependOnOrder(t *testing.T) {
	kvs := randomKeys(rand.New(rand.NewPCG(1, 2)), 400)
	want := guesses(kvs...)
	for seed := range uint64(10) {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(kvs), func(i, j int) { kvs[i], kvs[j] = kvs[j], kvs[i] })
		if d := cmp.Diff(want, guesses(kvs...)); d != "" {
			t.Fatal(d)
		}
	}
}

// TestGuessesCountWhatAKeyspaceCounts: the same keys make as many locks and claims.
func TestGuessesCountWhatAKeyspaceCounts(t *testing.T) {
	for seed := range uint64(20) {
		kvs := randomKeys(rand.New(rand.NewPCG(seed, 7)), 300)
		at := time.Unix(1, 0)
		s := locks.NewState()
		for _, e := range []model.Event{model.LoadStarted{At: at}, model.Listed{At: at, KVs: kvs}, model.Loaded{At: at, Rev: 1}} {
			s.Apply(e)
		}
		locks, claims := 0, 0
		for _, l := range s.Keys.Locks() {
			locks++
			for c := range l.Claims {
				if l.IsClaim(c) {
					claims++
				}
			}
		}
		gotLocks, gotClaims := 0, 0
		for _, p := range guesses(kvs...) {
			gotLocks += p.Locks
			gotClaims += p.Claims
		}
		if gotLocks != locks || gotClaims != claims {
			t.Errorf("seed %d: %d locks with %d claims, a state of the locks has %d with %d", seed, gotLocks, gotClaims, locks, claims)
		}
	}
}

// randomKeys makes keys of all forms that meet under a few names.
func randomKeys(r *rand.Rand, n int) []model.KV {
	names := []string{"/jobs/a", "/jobs/b", "/jobs/a/x", "/locks", "/svc/one", "/svc/two/leader", "solo", "/service/c"}
	seen := map[string]bool{}
	var kvs []model.KV
	for i := range n {
		name := names[r.IntN(len(names))]
		var kv model.KV
		switch r.IntN(8) {
		case 0, 1:
			kv = hexKey(name, someLease(i))
		case 2:
			kv = decKey(name, someLease(i))
		case 3:
			kv = leasedKey(fmt.Sprintf("%s/read/%d", name, 1790000000000000000+i))
		case 4:
			kv = leasedKey(fmt.Sprintf("%s/item%d", name, i))
		case 5:
			kv = plainKey(fmt.Sprintf("%s/%x", name, int64(someLease(i))))
		case 6:
			kv = leasedKey(name + "/leader")
		default:
			kv = plainKey(fmt.Sprintf("%s/data%d", name, i))
		}
		kv.CreateRev, kv.ModRev = int64(i+1), int64(i+1)
		if !seen[kv.Key] {
			seen[kv.Key] = true
			kvs = append(kvs, kv)
		}
	}
	slices.SortFunc(kvs, func(a, b model.KV) int { return strings.Compare(a.Key, b.Key) })
	return kvs
}

func TestGuessOfManyLocks(t *testing.T) {
	const n = 100_000
	var g Guesser
	for i := range n {
		kv := hexKey(fmt.Sprintf("/jobs/%d", i), someLease(i))
		g.Add(&kv)
	}
	want := []string{fmt.Sprintf("/jobs/ /jobs/* mutex|election hint %d/%[1]d/%[1]d", n)}
	if d := cmp.Diff(want, short(g.Guesses())); d != "" {
		t.Error(d)
	}
}

func BenchmarkGuesser(b *testing.B) {
	kvs := make([]model.KV, 100_000)
	for i := range kvs {
		kvs[i] = hexKey(fmt.Sprintf("/jobs/%d", i), someLease(i))
	}
	b.ReportAllocs()
	for b.Loop() {
		guesses(kvs...)
	}
}
