package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/recipe"
)

// TestWhatEachRecipeShows is the row that every recipe has: keys, oldest first, and what
// the lock that they make is. A star holds, a ! is not a claim, and behind a < stands what
// the key waits for; keys are written without the lock's name.
func TestWhatEachRecipeShows(t *testing.T) {
	const nanos, uuid = "179000000000000000", "6ba7b810-9dad-11d1-80b4-00c04fd430c"
	raw := "\x13\x81\x40\x00\x1d\xd2\x11\xb2\x80\x00\x00\xc0\x4f\xd4\x30\xc8"
	vitess := `{"Action":"Reshard","HostName":"h"}`
	key := func(key, value string, lease model.LeaseID) model.KV {
		return model.KV{Key: key, Value: value, Lease: lease, Version: 1}
	}
	again := func(kv model.KV) model.KV { kv.Version = 2; return kv }
	hex := func(lock string, lease model.LeaseID, value string) model.KV {
		return key(modeltest.ClaimKey(lock, lease), value, lease)
	}
	dec := func(lock string, lease model.LeaseID, value string) model.KV {
		return key(fmt.Sprintf("%s/%d", lock, lease), value, lease)
	}
	rows := []struct {
		reason string
		kvs    []model.KV
		pin    string // recipe of all keys
		want   string
	}{
		{"empty values are a mutex", []model.KV{hex("/l", 0xa1, ""), hex("/l", 0xb2, ""), hex("/l", 0xc3, "")}, "",
			"/l mutex hint create_revision: *a1 b2<a1 c3<b2"},
		{"what is not a claim counts all the same", []model.KV{key("/l/note", "x", 0), hex("/l", 0xa1, ""), hex("/l/x", 0xb2, "")}, "",
			"/l mutex hint create_revision: !note a1<note !x/b2<a1\n/l/x mutex hint create_revision: *b2"},
		{"a claim without its lease is one", []model.KV{key("/l/694d81e5fc652594", "", 0), hex("/l", 0xa1, "")}, "",
			"/l mutex hint create_revision: *694d81e5fc652594 a1<694d81e5fc652594"},
		{"a key of one lease is not a claim of another", []model.KV{key("/l/a2", "", 0xa1)}, "", "/l order-only hint create_revision: a2"},
		{"every candidate has a value", []model.KV{hex("/l", 0xa1, "one"), hex("/l", 0xb2, "two")}, "",
			"/l election hint create_revision: *a1 b2<a1"},
		{"a candidate alone that proclaimed", []model.KV{again(hex("/l", 0xa1, "one"))}, "", "/l election hint create_revision: *a1"},
		{"the holder alone wrote its name, later", []model.KV{again(hex("/l", 0xa1, "one")), hex("/l", 0xb2, "")}, "",
			"/l tagged-mutex strong create_revision: *a1 b2<a1"},
		{"Vault's lock says it by its name", []model.KV{hex("/vault/core/lock", 0xa1, "one")}, "",
			"/vault/core/lock tagged-mutex strong create_revision: *a1"},
		{"some have values from the start", []model.KV{hex("/l", 0xa1, "one"), hex("/l", 0xb2, "")}, "",
			"/l mixed hint create_revision: *a1 b2<a1"},
		{"keys of two forms: the surer one makes the lock, the others are foreign to it", []model.KV{hex("/l", 0xa1, ""), dec("/l", 0xb2, "")}, "", "/l mutex hint create_revision: *a1 !178<a1"},
		{"readers are foreign to a mutex of the same name, and it waits for them", []model.KV{key("/l/read/"+nanos+"1", "", 1), key("/l/read/"+nanos+"2", "", 2), hex("/l", 0xc3, "")}, "",
			"/l mutex hint create_revision: !read/" + nanos + "1 !read/" + nanos + "2<read/" + nanos + "1 c3<read/" + nanos + "2"},
		{"decimal below election", []model.KV{dec("election/boss", 11, "one"), again(dec("election/boss", 22, "two"))}, "",
			"election/boss npm-election hint create_revision: *11 22<11"},
		{"decimal names by themselves say nothing", []model.KV{dec("/workers", 11, "one"), dec("/workers", 22, "two")}, "",
			"/workers order-only hint create_revision: 11 22"},
		{"decimal below locks, with the value of Vitess", []model.KV{dec("/vt/ks/locks", 11, vitess), dec("/vt/ks/locks", 22, vitess)}, "",
			"/vt/ks/locks vitess-lock strong mod_revision: *11 22<11"},
		{"another value says nothing", []model.KV{dec("/vt/ks/locks", 11, "one")}, "", "/vt/ks/locks order-only hint create_revision: 11"},
		{"the same below elections", []model.KV{dec("/vt/elections/e/locks", 11, "one"), dec("/vt/elections/e/locks", 22, "two")}, "",
			"/vt/elections/e/locks vitess-election strong mod_revision: *11 22<11"},
		{"readers ahead of the first writer hold, a reader waits for the last writer ahead",
			[]model.KV{key("/l/read/"+nanos+"1", "", 1), key("/l/read/"+nanos+"2", "", 2), key("/l/write/"+nanos+"3", "", 3),
				key("/l/write/"+nanos+"4", "", 4), key("/l/read/"+nanos+"5", "", 5), key("/l/read/"+nanos+"6", "", 6)}, "",
			strings.ReplaceAll("/l rwmutex strong mod_revision: *read/N1 *read/N2 write/N3<read/N2 write/N4<write/N3 read/N5<write/N4 read/N6<write/N4", "N", nanos)},
		{"a writer holds alone", []model.KV{key("/l/write/"+nanos+"1", "", 1), key("/l/read/"+nanos+"2", "", 2)}, "",
			strings.ReplaceAll("/l rwmutex strong mod_revision: *write/N1 read/N2<write/N1", "N", nanos)},
		{"a foreign key ends the readers that hold, and a reader does not wait for it",
			[]model.KV{key("/l/read/"+nanos+"1", "", 1), key("/l/note", "", 0), key("/l/read/"+nanos+"2", "", 2)}, "",
			strings.ReplaceAll("/l rwmutex hint mod_revision: *read/N1 !note<read/N1 read/N2", "N", nanos)},
		{"those who meet exclude nobody", []model.KV{key("/l/waiters/"+nanos+"1", "", 1), key("/l/waiters/"+nanos+"2", "", 2), key("/l/ready", "", 0)}, "",
			strings.ReplaceAll("/l double-barrier strong create_revision: waiters/N1 waiters/N2 !ready", "N", nanos)},
		{"items of a queue are data", []model.KV{key("/l/"+nanos+"1", "", 0), key("/l/x/"+nanos+"2", "", 0)}, "", ""},
		{"UUIDs below a path that speaks of locks", []model.KV{key("/lock/l/"+uuid+"1", "", 1), key("/lock/l/"+uuid+"2", "", 2)}, "",
			strings.ReplaceAll("/lock/l key-queue hint create_revision: *N1 N2<N1", "N", uuid)},
		{"UUIDs elsewhere are a registry", []model.KV{key("/web/"+uuid+"1", "", 1)}, "", "/web order-only hint create_revision: " + uuid + "1"},
		{"leased keys", []model.KV{key("/reg/a", "", 1), key("/reg/b", "", 2), key("/reg/c", "", 0)}, "", "/reg order-only hint create_revision: a b"},
		{"jobs of a queue below read are data, with a lease too",
			[]model.KV{key("/inbox/read/"+nanos+"1", "job 1", 0), key("/inbox/read/"+nanos+"2", "job 2", 0), key("/inbox/write/"+nanos+"3", "job 3", 7)}, "",
			"/inbox/write order-only hint create_revision: " + nanos + "3"},
		{"instances of go-zero below election", []model.KV{dec("/shop/election/rpc", 11, "10.0.0.1:8080"), dec("/shop/election/rpc", 22, "[::1]:8080")}, "",
			"/shop/election/rpc order-only hint create_revision: 11 22"},
		{"go-zero's key is election itself", []model.KV{dec("election", 11, "one")}, "", "election order-only hint create_revision: 11"},
		{"a service that is called lock", []model.KV{key("/services/lock/"+uuid+"1", "up", 1), key("/lock/"+uuid+"2", `{"endpoints":["http://10.0.0.1:80"]}`, 2)}, "",
			"/lock order-only hint create_revision: " + uuid + "2\n/services/lock order-only hint create_revision: " + uuid + "1"},
		{"a registry of leases in hex below services", []model.KV{hex("/services/web", 0xa1, "10.0.0.1:80")}, "", "/services/web order-only hint create_revision: a1"},
		{"an election whose candidates say where they are", []model.KV{hex("/web/leader", 0xa1, "10.0.0.1:80")}, "", "/web/leader election strong create_revision: *a1"},
		{"a UUID of time and host is anybody's value", []model.KV{key("/sessions/a", uuid+"8", 1)}, "", "/sessions order-only hint create_revision: a"},
		{"instances under /locks/ are no locks", []model.KV{key("/locks/web/10.0.0.1:80", "up", 1), key("/locks/web/b", "10.0.0.2:80", 2)}, "",
			"/locks/web order-only hint create_revision: 10.0.0.1:80 b"},
		{"a mutex below /registry/", []model.KV{hex("/registry/build", 0xa1, ""), hex("/registry/build", 0xb2, "")}, "", "/registry/build mutex hint create_revision: *a1 b2<a1"},
		{"a registry and a mutex in one folder: the mutex waits behind foreign keys",
			[]model.KV{dec("/app/db", 11, "10.0.0.2:80"), key("/app/db/10.0.0.3:80", "up", 12), hex("/app/db", 0xa1, ""), hex("/app/db", 0xb2, "")}, "",
			"/app/db mutex hint create_revision: !11 !10.0.0.3:80<11 a1<10.0.0.3:80 b2<a1"},
		{"readers of Scalingo hold together; what writers announce is no lock",
			[]model.KV{hex("/go-etcd-lock-rw/readers/L2V0Y2QtbG9jay9h", 0xa1, ""), hex("/go-etcd-lock-rw/readers/L2V0Y2QtbG9jay9h", 0xb2, ""),
				hex("/go-etcd-lock-rw/writer-intents/L2V0Y2QtbG9jay9h", 0xc3, ""), hex("/etcd-lock/a", 0xc3, "")}, "",
			"/etcd-lock/a mutex strong create_revision: *c3\n/go-etcd-lock-rw/readers/L2V0Y2QtbG9jay9h scalingo-read strong create_revision: *a1 *b2\n" +
				"/go-etcd-lock-rw/writer-intents/L2V0Y2QtbG9jay9h order-only hint create_revision: c3"},
		{"IBM's candidates without a separator are one election", []model.KV{key("/app/leader-a", "a", 1), key("/app/leader-bob", "bob\nmore", 2), key("/app/other", "x", 3)}, "",
			"/app order-only hint create_revision: other\n/app/leader- suffix-election hint create_revision: */app/leader-a /app/leader-bob</app/leader-a"},
		{"the same with a separator", []model.KV{key("/app/election/a", "a", 1), key("/app/election/b", "b", 2)}, "",
			"/app/election suffix-election hint create_revision: *a b<a"},
		{"instances that are named by their value are a registry", []model.KV{key("/app/leader/nodes/a", "a", 1), key("/web/leader-10.0.0.1:80", "10.0.0.1:80", 2)}, "",
			"/app/leader/nodes order-only hint create_revision: a\n/web order-only hint create_revision: leader-10.0.0.1:80"},
		{"a name without a slash that says nothing", []model.KV{key("solo", "x", 1)}, "", ""},
		{"one that speaks of locks", []model.KV{key("lock:bill", "x", 1), key("app:mutex:bill", "", 2), key("leader", "node-a", 3)}, "",
			"app:mutex:bill single-key hint none: *app:mutex:bill ?\nleader single-key hint none: *leader ?\nlock:bill single-key hint none: *lock:bill ?"},
		{"one of that name without a lease is data, and so is an address, or a member", []model.KV{key("lock:bill", "x", 0), key("leader", "10.0.0.1:80", 3), key("lock:members", "x", 4)}, "", ""},
		{"a pin makes one key a lock", []model.KV{key("solo", "x", 1)}, "single", "solo single certain none: *solo ?"},
		{"a pin makes a queue of any keys", []model.KV{key("/q/a", "", 1), key("/q/b", "", 0)}, "key-queue", "/q key-queue certain create_revision: *a b<a"},
		{"a pin of two permits: the two oldest hold, and the others wait for either", []model.KV{key("/q/a", "", 1), hex("/q", 0xb2, "x"), key("/q/c", "", 3), hex("/q", 0xd4, "")}, "semaphore:2",
			"/q semaphore:2 certain create_revision: *a *b2 c d4"},
		{"a limit without a lease, and what lies deeper, take no permit; what lost its lease does", []model.KV{key("/q/limit", "2", 0), hex("/q/x", 0xa1, ""), key("/q/694d81e5fc652594", "", 0), hex("/q", 0xb2, ""), hex("/q", 0xc3, "")}, "semaphore:2",
			"/q semaphore:2 certain create_revision: *694d81e5fc652594 *b2 c3\n/q/x semaphore:2 certain create_revision: *a1"},
		{"a semaphore of one permit is a lock", []model.KV{key("/q/a", "", 1), key("/q/b", "", 2)}, "semaphore:1", "/q semaphore:1 certain create_revision: *a b<a"},
		{"a pin of order", []model.KV{hex("/l", 0xa1, ""), key("/l/b", "", 0)}, "order-only", "/l order-only certain create_revision: a1"},
		{"a pin keeps the forms: what programs of another kind write is foreign", []model.KV{key("/l/read/"+nanos+"1", "", 1), hex("/l", 0xa1, "")}, "mutex",
			"/l mutex certain create_revision: !read/" + nanos + "1 a1<read/" + nanos + "1"},
		{"a pin of readers and writers on keys that are neither: the first holds", []model.KV{hex("/l", 0xa1, ""), hex("/l", 0xb2, "")}, "rwmutex",
			"/l rwmutex certain mod_revision: *a1 b2<a1"},
		{"a pin goes before what is known of a key", []model.KV{key("/cron/lock/a", "", 1)}, "patroni", "/cron/lock/a patroni certain none: */cron/lock/a ?"},
		{"a raw UUID where python-etcd3 puts it", []model.KV{key("/locks/name", raw, 1)}, "", "/locks/name python-etcd3 strong none: */locks/name ?"},
		{"a raw UUID of time and host elsewhere", []model.KV{key("any/name", raw, 1)}, "", "any/name python-etcd3 hint none: *any/name ?"},
		{"16 bytes of a hash are no UUID of time and host", []model.KV{key("cache/name", "\xd4\x1d\x8c\xd9\x8f\x00\xb2\x04\xe9\x80\x09\x98\xec\xf8\x42\x7e", 1)}, "",
			"cache order-only hint create_revision: name"},
		{"nor is a random UUID", []model.KV{key("cache/name", "\x6b\xa7\xb8\x10\x9d\xad\x41\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8", 1)}, "", "cache order-only hint create_revision: name"},
		{"a raw random UUID where tooz puts it, without a separator", []model.KV{key("/tooz/locksbuild", "\x6b\xa7\xb8\x10\x9d\xad\x41\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8", 1), key("/tooz/locks-of-mine", "x", 2)}, "",
			"/tooz order-only hint create_revision: locks-of-mine\n/tooz/locksbuild tooz strong none: */tooz/locksbuild ?"},
		{"the coordinator of DolphinScheduler", []model.KV{key("ds/nodes/master-coordinator", "ds-master-0:5678", 1)}, "", "ds/nodes/master-coordinator dolphinscheduler strong none: *ds/nodes/master-coordinator ?"},
		{"a key of that name with something else in it", []model.KV{key("ds/nodes/master-coordinator", "up", 1)}, "", "ds/nodes/master-coordinator dolphinscheduler hint none: *ds/nodes/master-coordinator ?"},
		{"a node beside it", []model.KV{key("ds/nodes/master-coordinator-2", "ds-master-0:5678", 1)}, "", "ds/nodes order-only hint create_revision: master-coordinator-2"},
		{"a UUID of time and host as text", []model.KV{key("/locks/a", uuid+"8", 1)}, "", "/locks/a etcd3gw strong none: */locks/a ?"},
		{"another UUID is just a value", []model.KV{key("/locks/a", "6ba7b810-9dad-41d1-80b4-00c04fd430c8", 1)}, "", "/locks/a single-key hint none: */locks/a ?"},
		{"without a lease it is data", []model.KV{key("/locks/a", uuid+"8", 0)}, "", ""},
		{"ShedLock by its name", []model.KV{key("shedlock:prod:a", "", 1)}, "", "shedlock:prod:a shedlock hint none: *shedlock:prod:a ?"},
		{"ShedLock by its value", []model.KV{key("jobs/a", "ADDED:2026-01-02T03:04:05Z@host", 1)}, "", "jobs/a shedlock strong none: *jobs/a ?"},
		{"Layotto", []model.KV{key("/layotto/lock|||app||x", "me", 1)}, "", "/layotto/lock|||app||x layotto hint none: */layotto/lock|||app||x ?"},
		{"etcd3-py and its counter", []model.KV{key("_locks/a", "h:proc:1", 1), key("_locks/a/holders", "1", 1)}, "", "_locks/a etcd3-py strong none: *_locks/a ?"},
		{"its value names a host, and what of it", []model.KV{key("_locks/a", "h1", 1)}, "", "_locks order-only hint create_revision: a"},
		{"Calico, by its value too", []model.KV{key("/calico/dhcp/neutron_election", "host:4711", 1)}, "", "/calico/dhcp/neutron_election calico strong none: */calico/dhcp/neutron_election ?"},
		{"Patroni, by what registers on the same lease", []model.KV{key("/service/main/leader", "pg1", 1), key("/service/main/members/pg1", "{}", 1)}, "",
			"/service/main/leader patroni strong none: */service/main/leader ?\n/service/main/members order-only hint create_revision: pg1"},
		{"a name alone is a hint", []model.KV{key("/service/main/leader", "pg1", 1)}, "", "/service/main/leader patroni hint none: */service/main/leader ?"},
		{"a member of that name on another lease proves nothing", []model.KV{key("/service/main/leader", "pg1", 1), key("/service/main/members/pg1", "{}", 2)}, "",
			"/service/main/leader patroni hint none: */service/main/leader ?\n/service/main/members order-only hint create_revision: pg1"},
		{"an instance that is called leader is none", []model.KV{key("/service/shop/web/leader", "x", 1), key("/service/shop/leader", "10.0.0.1:80", 2)}, "",
			"/service/shop order-only hint create_revision: leader\n/service/shop/web order-only hint create_revision: leader"},
		{"PD, by its value too", []model.KV{key("/pd/7/leader", "\x0a\x04pd-0\x10\x05\x1a\x14http://10.0.0.1:2380", 1), key("/ms/7/tso/primary", "y", 2)}, "",
			"/ms/7/tso/primary pd hint none: */ms/7/tso/primary ?\n/pd/7/leader pd strong none: */pd/7/leader ?"},
		{"a configuration below /pd/ is none of PD's", []model.KV{key("/pd/team/leader", "x", 1)}, "", "/pd/team order-only hint create_revision: leader"},
		{"Pulsar", []model.KV{key("/loadbalance/leader", "{}", 1)}, "", "/loadbalance/leader pulsar hint none: */loadbalance/leader ?"},
		{"crontab", []model.KV{key("/cron/lock/a", "", 1)}, "", "/cron/lock/a cron-lock hint none: */cron/lock/a ?"},
		{"a Lease of Kubernetes, as JSON", []model.KV{key("/registry/leases/kube-system/scheduler", kubeJSON("a"), 0)}, "",
			"/registry/leases/kube-system/scheduler kubernetes-lease certain none: */registry/leases/kube-system/scheduler ?"},
		{"one that nobody holds", []model.KV{key("/registry/leases/kube-system/scheduler", kubeProto("", 15, modeltest.Start, 3), 0)}, "",
			"/registry/leases/kube-system/scheduler kubernetes-lease certain none: /registry/leases/kube-system/scheduler ?"},
		{"one that is encrypted: nobody is said to hold it", []model.KV{key("/registry/leases/kube-system/scheduler", "k8s:enc:aescbc:v1:k:\x00\x01", 0)}, "",
			"/registry/leases/kube-system/scheduler kubernetes-lease hint none: /registry/leases/kube-system/scheduler ?"},
		{"the heartbeat of a node is no lock, nor is another object of that name", []model.KV{key("/registry/leases/kube-node-lease/n1", kubeProto("n1", 40, modeltest.Start, 0), 0),
			key("/registry/leases/a/b", "k8s\x00\x0a\x02ab", 0), key("/app/leases/a/b", `{"kind":"Lease"}`, 0)}, "", ""},
		{"Kubernetes is never a lock of ours", []model.KV{key("/registry/masterleases/a", "k8s\x00\x0a", 1), key("any/b", "k8s\x00", 1), key("any/c", "k8s:enc:", 1)}, "", ""},
	}
	tried := map[string]bool{}
	for _, r := range rows {
		t.Run(r.reason, func(t *testing.T) {
			var pins []model.Pin
			if r.pin != "" {
				pins = append(pins, model.Pin{Recipe: recipe.Named(r.pin)})
			}
			s := New(pins...)
			for i := range r.kvs {
				r.kvs[i].CreateRev = int64(i + 1)
				r.kvs[i].ModRev = int64(i + 1)
			}
			s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: modeltest.Start}, model.Listed{At: modeltest.Start, KVs: r.kvs}, model.Loaded{At: modeltest.Start, Rev: 100}}})
			var got []string
			for _, l := range s.Locks() {
				got = append(got, shown(l))
				tried[l.Recipe().Name] = true
				if len(l.RecipeEvidence()) == 0 {
					t.Errorf("nothing says why %s is %s", l.Name, l.Recipe().Name)
				}
			}
			if d := cmp.Diff(r.want, strings.Join(got, "\n")); d != "" {
				t.Error(d)
			}
		})
	}
	for _, r := range []struct {
		reason string
		kvs    []model.KV // their values are left out; whether they have one is told
		want   string
	}{
		{"a mutex has none, and that is no secret", []model.KV{hex("/l", 0xa1, ""), hex("/l", 0xb2, "")}, "/l mutex hint create_revision: *a1 b2<a1"},
		{"and an election a mutex", []model.KV{hex("/l", 0xa1, "one"), hex("/l", 0xb2, "two")}, "/l mutex-or-election hint create_revision: *a1 b2<a1"},
		{"so may both under one name", []model.KV{hex("/l", 0xa1, "one"), hex("/l", 0xb2, "")}, "/l mutex-or-election hint create_revision: *a1 b2<a1"},
		{"what the path says is no proof", []model.KV{hex("/locks/l", 0xa1, "one")}, "/locks/l mutex-or-election strong create_revision: *a1"},
		{"nor where it is Vault's", []model.KV{again(hex("/vault/core/lock", 0xa1, "one"))}, "/vault/core/lock mutex-or-election strong create_revision: *a1"},
		{"what is not a claim counts all the same", []model.KV{key("/l/note", "x", 0), hex("/l", 0xa1, "")}, "/l mutex hint create_revision: !note a1<note"},
		{"a value may be an address", []model.KV{dec("election/boss", 11, "10.0.0.1:80")}, "election/boss npm-election hint create_revision: *11"},
		{"Vitess by its path alone", []model.KV{dec("/vt/ks/locks", 11, vitess)}, "/vt/ks/locks vitess-lock hint mod_revision: *11"},
		{"jobs of a queue look like readers and writers", []model.KV{key("/l/read/"+nanos+"1", "job", 1), key("/l/write/"+nanos+"2", "job", 2)},
			strings.ReplaceAll("/l rwmutex hint mod_revision: *read/N1 write/N2<read/N1", "N", nanos)},
		{"and like those who meet", []model.KV{key("/l/waiters/"+nanos+"1", "job", 1)}, "/l double-barrier hint create_revision: waiters/" + nanos + "1"},
		{"readers of Scalingo have none either", []model.KV{hex("/go-etcd-lock-rw/readers/L2V0Y2QtbG9jay9h", 0xa1, "")},
			"/go-etcd-lock-rw/readers/L2V0Y2QtbG9jay9h scalingo-read strong create_revision: *a1"},
		{"IBM's candidates are told by their values alone", []model.KV{key("/app/election/a", "a", 1)}, "/app/election order-only hint create_revision: a"},
		{"a single key by its name alone", []model.KV{key("/locks/name", raw, 1)}, "/locks/name single-key hint none: */locks/name ?"},
		{"etcd3-py by its name alone", []model.KV{key("_locks/a", "h:proc:1", 1)}, "_locks/a etcd3-py hint none: *_locks/a ?"},
		{"Patroni without who registered", []model.KV{key("/service/main/leader", "pg1", 1), key("/service/main/members/pg1", "{}", 1)},
			"/service/main/leader patroni hint none: */service/main/leader ?\n/service/main/members order-only hint create_revision: pg1"},
		{"what Kubernetes has", []model.KV{key("/registry/masterleases/a", "k8s\x00\x0a", 1)}, ""},
	} {
		t.Run("without values: "+r.reason, func(t *testing.T) {
			some := false
			for i := range r.kvs {
				kv := &r.kvs[i]
				kv.CreateRev, kv.ModRev, kv.Value, kv.Unread = int64(i+1), int64(i+1), "", kv.Value != ""
				some = some || kv.Unread && kv.Lease != 0
			}
			s := New()
			s.Apply(model.Batch{Events: []model.Event{model.Requested{At: modeltest.Start, Prefixes: []string{""}},
				model.LoadStarted{At: modeltest.Start}, model.Listed{At: modeltest.Start, KVs: r.kvs}, model.Loaded{At: modeltest.Start, Rev: 100}}})
			var got []string
			for _, l := range s.Locks() {
				got = append(got, shown(l))
				tried[l.Recipe().Name] = true
				for _, why := range l.RecipeEvidence() {
					if some && (strings.Contains(why, "no value") || strings.Contains(why, "has a value")) {
						t.Errorf("%s: %q, but values were not seen", l.Name, why)
					}
				}
			}
			if d := cmp.Diff(r.want, strings.Join(got, "\n")); d != "" {
				t.Error(d)
			}
		})
	}
	for _, r := range recipe.All() {
		if !tried[r.Name] && !tried[r.Name+":2"] { // a semaphore has its permits there
			t.Errorf("recipe %s has no row", r.Name)
		}
		if _, known := findings.Explain(model.Code(r.Ghost)); r.Ghost != "" && !known {
			t.Errorf("recipe %s: %s is no finding", r.Name, r.Ghost)
		}
	}
}

// shown writes a lock in a line.
func shown(l *locks.Lock) string {
	r := l.Recipe()
	line := fmt.Sprintf("%s %s %s %s:", l.Name, r.Name, l.RecipeConfidence(), r.Order)
	place := 0
	for c, ahead := range l.Queue {
		line += " "
		switch {
		case !l.IsClaim(c):
			line += "!"
		case l.Holds(place):
			line += "*"
		}
		place++
		line += strings.TrimPrefix(c.Key, l.Name+"/")
		if ahead != nil {
			line += "<" + strings.TrimPrefix(ahead.Key, l.Name+"/")
		}
		if l.WaitsFor(c) != ahead {
			line += " (one key alone waits for another)"
		}
	}
	if !r.WaitersVisible() {
		line += " ?"
	}
	return line
}
