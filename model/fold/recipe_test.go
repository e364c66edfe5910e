package fold

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/diagnose"
	"locktop/model/history"
	"locktop/model/recipe"
)

// TestWhatEachRecipeShows is the row that every recipe has: keys, oldest first, and what
// the lock that they make is. A star holds, a ! is no claim, and behind a < stands what
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
		return key(history.ClaimKey(lock, lease), value, lease)
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
			"/l mutex certain create_revision: *a1 b2<a1 c3<b2"},
		{"what is no claim counts all the same", []model.KV{key("/l/note", "x", 0), hex("/l", 0xa1, ""), hex("/l/x", 0xb2, "")}, "",
			"/l mutex certain create_revision: !note a1<note !x/b2<a1\n/l/x mutex certain create_revision: *b2"},
		{"a claim without its lease is one", []model.KV{key("/l/694d81e5fc652594", "", 0), hex("/l", 0xa1, "")}, "",
			"/l mutex certain create_revision: *694d81e5fc652594 a1<694d81e5fc652594"},
		{"a key of one lease is no claim of another", []model.KV{key("/l/a2", "", 0xa1)}, "", "/l order-only hint create_revision: a2"},
		{"every candidate has a value", []model.KV{hex("/l", 0xa1, "one"), hex("/l", 0xb2, "two")}, "",
			"/l election strong create_revision: *a1 b2<a1"},
		{"a candidate alone that proclaimed", []model.KV{again(hex("/l", 0xa1, "one"))}, "", "/l election strong create_revision: *a1"},
		{"the holder alone wrote its name, later", []model.KV{again(hex("/l", 0xa1, "one")), hex("/l", 0xb2, "")}, "",
			"/l tagged-mutex strong create_revision: *a1 b2<a1"},
		{"Vault's lock says it by its name", []model.KV{hex("/vault/core/lock", 0xa1, "one")}, "",
			"/vault/core/lock tagged-mutex strong create_revision: *a1"},
		{"some have values from the start", []model.KV{hex("/l", 0xa1, "one"), hex("/l", 0xb2, "")}, "",
			"/l mixed hint create_revision: *a1 b2<a1"},
		{"keys of two forms", []model.KV{hex("/l", 0xa1, ""), dec("/l", 0xb2, "")}, "", "/l mixed hint create_revision: *a1 178<a1"},
		{"a reader beside a mutex holds alone", []model.KV{key("/l/read/"+nanos+"1", "", 1), key("/l/read/"+nanos+"2", "", 2), hex("/l", 0xc3, "")}, "",
			"/l mixed hint create_revision: *read/" + nanos + "1 read/" + nanos + "2<read/" + nanos + "1 c3<read/" + nanos + "2"},
		{"decimal below election", []model.KV{dec("election/boss", 11, "one"), again(dec("election/boss", 22, "two"))}, "",
			"election/boss npm-election strong create_revision: *11 22<11"},
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
			strings.ReplaceAll("/l rwmutex strong mod_revision: *read/N1 !note<read/N1 read/N2", "N", nanos)},
		{"those who meet exclude nobody", []model.KV{key("/l/waiters/"+nanos+"1", "", 1), key("/l/waiters/"+nanos+"2", "", 2), key("/l/ready", "", 0)}, "",
			strings.ReplaceAll("/l double-barrier strong create_revision: waiters/N1 waiters/N2 !ready", "N", nanos)},
		{"items of a queue are data", []model.KV{key("/l/"+nanos+"1", "", 0), key("/l/x/"+nanos+"2", "", 0)}, "", ""},
		{"UUIDs below a path that speaks of locks", []model.KV{key("/lock/l/"+uuid+"1", "", 1), key("/lock/l/"+uuid+"2", "", 2)}, "",
			strings.ReplaceAll("/lock/l key-queue hint create_revision: *N1 N2<N1", "N", uuid)},
		{"UUIDs elsewhere are a registry", []model.KV{key("/web/"+uuid+"1", "", 1)}, "", "/web order-only hint create_revision: " + uuid + "1"},
		{"leased keys", []model.KV{key("/reg/a", "", 1), key("/reg/b", "", 2), key("/reg/c", "", 0)}, "", "/reg order-only hint create_revision: a b"},
		{"no slash, no lock", []model.KV{key("solo", "x", 1)}, "", ""},
		{"a pin makes one key a lock", []model.KV{key("solo", "x", 1)}, "single", "solo single certain none: *solo ?"},
		{"a pin makes a queue of any keys", []model.KV{key("/q/a", "", 1), key("/q/b", "", 0)}, "key-queue", "/q key-queue hint create_revision: *a b<a"},
		{"a pin of order", []model.KV{hex("/l", 0xa1, ""), key("/l/b", "", 0)}, "order-only", "/l order-only hint create_revision: a1"},
		{"a pin keeps the forms", []model.KV{key("/l/read/"+nanos+"1", "", 1), hex("/l", 0xa1, "")}, "mutex",
			"/l mutex certain create_revision: *read/" + nanos + "1 a1<read/" + nanos + "1"},
		{"a pin of readers and writers on keys that are neither: the first holds", []model.KV{hex("/l", 0xa1, ""), hex("/l", 0xb2, "")}, "rwmutex",
			"/l rwmutex strong mod_revision: *a1 b2<a1"},
		{"a pin goes before what is known of a key", []model.KV{key("/cron/lock/a", "", 1)}, "patroni", "/cron/lock/a patroni strong none: */cron/lock/a ?"},
		{"a raw UUID", []model.KV{key("any/name", raw, 1)}, "", "any/name python-etcd3 strong none: *any/name ?"},
		{"a UUID of time and host as text", []model.KV{key("/locks/a", uuid+"8", 1)}, "", "/locks/a etcd3gw strong none: */locks/a ?"},
		{"another UUID is just a value", []model.KV{key("/locks/a", "6ba7b810-9dad-41d1-80b4-00c04fd430c8", 1)}, "", "/locks/a single-key hint none: */locks/a ?"},
		{"without a lease it is data", []model.KV{key("/locks/a", uuid+"8", 0)}, "", ""},
		{"ShedLock by its name", []model.KV{key("shedlock:prod:a", "", 1)}, "", "shedlock:prod:a shedlock strong none: *shedlock:prod:a ?"},
		{"ShedLock by its value", []model.KV{key("jobs/a", "ADDED:2026-01-02T03:04:05Z@host", 1)}, "", "jobs/a shedlock strong none: *jobs/a ?"},
		{"Layotto", []model.KV{key("/layotto/lock|||app||x", "me", 1)}, "", "/layotto/lock|||app||x layotto strong none: */layotto/lock|||app||x ?"},
		{"etcd3-py and its counter", []model.KV{key("_locks/a", "h:1", 1), key("_locks/a/holders", "1", 1)}, "", "_locks/a etcd3-py strong none: *_locks/a ?"},
		{"its value has a colon", []model.KV{key("_locks/a", "h1", 1)}, "", "_locks order-only hint create_revision: a"},
		{"Calico", []model.KV{key("/calico/dhcp/neutron_election", "h:1", 1)}, "", "/calico/dhcp/neutron_election calico strong none: */calico/dhcp/neutron_election ?"},
		{"Patroni", []model.KV{key("/service/main/leader", "pg1", 1)}, "", "/service/main/leader patroni strong none: */service/main/leader ?"},
		{"PD", []model.KV{key("/pd/7/leader", "x", 1), key("/ms/7/tso/primary", "y", 2)}, "",
			"/ms/7/tso/primary pd strong none: */ms/7/tso/primary ?\n/pd/7/leader pd strong none: */pd/7/leader ?"},
		{"Pulsar", []model.KV{key("/loadbalance/leader", "{}", 1)}, "", "/loadbalance/leader pulsar hint none: */loadbalance/leader ?"},
		{"crontab", []model.KV{key("/cron/lock/a", "", 1)}, "", "/cron/lock/a cron-lock hint none: */cron/lock/a ?"},
		{"Kubernetes is never a lock of ours", []model.KV{key("/registry/masterleases/a", "", 1), key("any/b", "k8s\x00", 1), key("any/c", "k8s:enc:", 1)}, "", ""},
	}
	tried := map[string]bool{}
	for _, r := range rows {
		t.Run(r.reason, func(t *testing.T) {
			var pins []model.Pin
			if r.pin != "" {
				pins = append(pins, model.Pin{Recipe: recipe.Named(r.pin)})
			}
			s := NewState(pins...)
			for i := range r.kvs {
				r.kvs[i].CreateRev = int64(i + 1)
				r.kvs[i].ModRev = int64(i + 1)
			}
			s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: history.Start}, model.Listed{At: history.Start, KVs: r.kvs}, model.Loaded{At: history.Start, Rev: 100}}})
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
	for _, r := range recipe.All() {
		if !tried[r.Name] {
			t.Errorf("recipe %s has no row", r.Name)
		}
		if _, known := diagnose.Explain(model.Code(r.Ghost)); r.Ghost != "" && !known {
			t.Errorf("recipe %s: %s is no finding", r.Name, r.Ghost)
		}
	}
}

// shown writes a lock in a line.
func shown(l *model.Lock) string {
	r := l.Recipe()
	line := fmt.Sprintf("%s %s %s %s:", l.Name, r.Name, r.Confidence, r.Order)
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
