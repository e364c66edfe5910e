package watcher

import (
	"locktop/model"
	"locktop/model/recipe"
)

// described are programs that are not run here. Their histories are written by hand
// from what their sources say.
var described = []story{
	{name: "vault", form: hexForm,
		reason: "Vault takes a Go mutex and then writes its name into its key; the name of the lock says who it is",
		looks: []look{
			{"one locks, another waits", "/vault/core/lock: mutex *1 2", ""},
			{"the holder writes its name", "/vault/core/lock: tagged-mutex *1(0b1d6d9c-vault-1) 2", ""},
			{"a third waits", "/vault/core/lock: tagged-mutex *1(0b1d6d9c-vault-1) 2 3", ""},
			{"the holder steps down: the next has no name yet", "/vault/core/lock: mutex *2 3", "2 after 1: released, hint"},
			{"the next writes its name", "/vault/core/lock: tagged-mutex *2(77e0c2aa-vault-2) 3", ""},
			{"nobody waits any more", "/vault/core/lock: tagged-mutex *2(77e0c2aa-vault-2)", "3 left: released, hint"},
		}},
	{name: "vault-before-2017",
		reason: "the name was put without a lease, so the key of a dead holder stays for ever, and still holds",
		looks: []look{
			{"one locks, another waits", "/vault/core/lock: mutex *1 2", ""},
			{"the holder writes its name", "/vault/core/lock: mutex *1(0b1d6d9c-vault-1) 2", ""},
		}},
	{name: "terraform", form: hexForm,
		reason: "a mutex under the state's own key; .lockinfo beside it says who holds, but stays when that one dies and says nothing of others; a workspace below blocks the one above",
		looks: []look{
			{"one run locks, another waits", "tf/state/prod: mutex *1(sibling: ann@laptop: OperationTypeApply) 2", ""},
			{"the first was killed", "tf/state/prod: mutex *2", "2 after 1: expired, hint"},
			{"the other ends, .lockinfo stays", "tf/state/prod: free", "2 left: released, hint"},
			{"prod/eu is locked", "tf/state/prod: free\ntf/state/prod/eu: mutex *1", ""},
			{"prod waits for it", "tf/state/prod: mutex !3 4\ntf/state/prod/eu: mutex *1", ""},
		}},
	{name: "tidb", form: hexForm,
		reason: "an election of server ids, which the info of each server beside it names by address; the owner appends a raw byte to its value, which moves nobody",
		looks: []look{
			{"two servers campaign", "/tidb/ddl/fg/owner: election *1(sibling: 10.0.0.1:4000) 2(sibling: 10.0.0.2:4000)\n" + tidbServers, ""},
			{"the owner's session is closed", "/tidb/ddl/fg/owner: election *2(sibling: 10.0.0.2:4000)\n" + tidbServers, "2 after 1: revoked, hint"},
		}},
	{name: "dolphinscheduler", form: anyForm,
		reason: "masters elect a coordinator by one key with their address, under a lock that they hold for that moment; a UUID of the run may stand behind it",
		looks: []look{
			{"one takes the lock of the election", dsMasters + "\n" + dsNodes + "/master-coordinator-lock: mutex *1", ""},
			{"it is the coordinator", dsMasters + "\n" + dsNodes + "/master-coordinator: dolphinscheduler *1(ds-master-0.ds-master:5678) ?\n" + dsNodes + "/master-coordinator-lock: mutex *1", ""},
			{"it lets go of the lock", dsMasters + "\n" + dsNodes + "/master-coordinator: dolphinscheduler *1(ds-master-0.ds-master:5678) ?\n" + dsNodes + "/master-coordinator-lock: free", "1 left: revoked, hint"},
			{"it stops, and the other is the coordinator", dsMasters + "\n" + dsNodes + "/master-coordinator: dolphinscheduler *2(ds-master-1.ds-master:5678) ?\n" + dsNodes + "/master-coordinator-lock: free", "2 after 1: revoked, hint"},
		}},
	{name: "ticdc", form: hexForm,
		reason: "the owner's lease holds its capture too, so both go at one revision",
		looks: []look{
			{"two captures run", "/tidb/cdc/default/__cdc_meta__/capture: order-only 1({\"id\":\"cap-1\",\"address\":) 2({\"id\":\"cap-2\",\"address\":)\n/tidb/cdc/default/__cdc_meta__/owner: election *1(sibling: cap-1@cap-1:8300) 2(sibling: cap-2@cap-2:8300)", ""},
			{"the owner died", "/tidb/cdc/default/__cdc_meta__/capture: order-only 2({\"id\":\"cap-2\",\"address\":)\n/tidb/cdc/default/__cdc_meta__/owner: election *2(sibling: cap-2@cap-2:8300)", "2 after 1: expired, hint"},
		}},
	{name: "dm-master", form: hexForm,
		reason: "an election whose value names the member and its address",
		looks: []look{
			{"two members campaign", "/dm-master/leader: election *1(master-1@10.0.0.1:8261) 2(master-2@10.0.0.2:8261)", ""},
			{"the leader resigns", "/dm-master/leader: election *2(master-2@10.0.0.2:8261)", "2 after 1: released, hint"},
		}},
	{name: "cilium", form: hexForm,
		reason: "one lease for many locks; the lock of web waits for web/db as well, not the other way round",
		looks: []look{
			{"one agent holds two locks, another waits for it", ciliumLocks + "api: mutex *1 2\n" + ciliumLocks + "web: mutex !1 2\n" + ciliumLocks + "web/db: mutex *1", ""},
			{"the first agent died", "cilium/.initlock/3f2a: free\n" + ciliumLocks + "api: mutex *2\n" + ciliumLocks + "web: mutex *2\n" + ciliumLocks + "web/db: free", ""},
		}},
	{name: "etcd3gw", form: selfForm,
		reason: "one key under /locks whose value is a UUID as text; a falling TTL is expected",
		looks: []look{
			{"one acquires", "/locks/nova: etcd3gw *1(uuid) ?", ""},
			{"it releases", "/locks/nova: free", "1 left: released, hint"},
		}},
	{name: "aetcd", form: selfForm,
		reason: "the same value as python-etcd3, under a key of any name",
		looks: []look{
			{"one acquires", "jobs/build: python-etcd3 *1(uuid) ?", ""},
			{"it releases", "jobs/build: free", "1 left: released, hint"},
		}},
	{name: "etcd3-py", form: selfForm,
		reason: "one key and a counter below it, which is not a claim; its transaction can overwrite the holder, which keeps the key's create revision",
		looks: []look{
			{"one acquires", "_locks/build: etcd3-py *1(db1:proc:4711) ?", ""},
			{"another overwrites it", "_locks/build: etcd3-py *1(db2:proc:812) ?", ""},
			{"that one releases: the other's counter is left", "_locks/build: free", "1 left: revoked, hint"},
		}},
	{name: "pd", form: selfForm,
		reason: "the leader key and the primaries of services hold a protobuf; expected_primary is a hint, no lock",
		looks: []look{
			{"a leader and a primary", "/ms/7329/tso/keyspace_groups/election/00000/primary: pd *1(ts-1@10.0.0.3:2380) ?\n/pd/7329/leader: pd *1(pd-1@10.0.0.1:2380) ?", ""},
			{"the leader's lease was revoked", "/ms/7329/tso/keyspace_groups/election/00000/primary: pd *1(ts-1@10.0.0.3:2380) ?\n/pd/7329/leader: free", "1 left: revoked, hint"},
			{"another leads", "/ms/7329/tso/keyspace_groups/election/00000/primary: pd *1(ts-1@10.0.0.3:2380) ?\n/pd/7329/leader: pd *2(pd-2@10.0.0.2:2380) ?", "2 after 1: revoked, hint"},
		}},
	{name: "calico", form: selfForm,
		reason: "the holder rewrites its key on purpose: it stays the same claim",
		looks: []look{
			{"one is elected", "/calico/dhcp/v2/neutron_election: calico *1(net1:4711) ?", ""},
			{"it stops", "/calico/dhcp/v2/neutron_election: free", "1 left: released, hint"},
			{"another is elected", "/calico/dhcp/v2/neutron_election: calico *2(net2:99) ?", "2 after 1: released, hint"},
		}},
	{name: "shedlock", form: selfForm,
		reason: "an unlock before lockAtLeastFor puts the key on a new, shorter lease: it still holds, and then runs out",
		looks: []look{
			{"a job runs", "shedlock:prod:report: shedlock *1(batch1) ?", ""},
			{"its time is over", "shedlock:prod:report: free", "1 left: expired, hint"},
		}},
	{name: "layotto", form: selfForm,
		reason: "the key's name says it; its lease is never renewed, by design",
		looks: []look{
			{"one locks", "/layotto/lock|||shop|||stock: layotto *1(order-17) ?", ""},
			{"it unlocks", "/layotto/lock|||shop|||stock: free", "1 left: released, hint"},
		}},
	{name: "cron", form: selfForm,
		reason: "the lock of the crontab tutorials is let go by a revoke",
		looks: []look{
			{"a job runs", "/cron/lock/backup: cron-lock *1 ?", ""},
			{"it ends", "/cron/lock/backup: free", "1 left: revoked, hint"},
			{"it runs elsewhere", "/cron/lock/backup: cron-lock *2 ?", "2 after 1: revoked, hint"},
		}},
	{name: "shardingsphere", form: hexForm,
		reason: "a mutex of the lock service whose unlock does nothing: only its TTL frees it",
		looks: []look{
			{"one locks, another waits", "/governance_ds/lock/exclusive/locks/sharding_db: mutex *1 2", ""},
			{"its TTL is over", "/governance_ds/lock/exclusive/locks/sharding_db: mutex *2", "2 after 1: expired, hint"},
		}},
	{name: "uuid-queue",
		reason: "a queue made by hand under a path that speaks of locks: the oldest key holds, as far as one can tell",
		looks: []look{
			{"three queue", "/lock/lock1: key-queue *1 2 3", ""},
			{"the first leaves", "/lock/lock1: key-queue *2 3", "2 after 1: released, hint"},
		}},
	{name: "go-micro", form: hexForm,
		reason: "lock and election of one id share a queue, a/b and a-b collide; what is registered is no lock",
		looks: []look{
			{"a lock and an election meet", "/micro/sync/a-b: mixed *1 2(a/b)", ""},
			{"others come", "/micro/leader/cleaner: election *1(cleaner)\n/micro/registry/web: order-only 1({\"name\":\"web\"})\n/micro/sync/a-b: mixed *1 2(a/b)", ""},
			{"the lock is let go", "/micro/leader/cleaner: election *1(cleaner)\n/micro/registry/web: order-only 1({\"name\":\"web\"})\n/micro/sync/a-b: election *2(a/b)", "2 after 1: released, hint"},
		}},
	{name: "service-registry",
		reason: "registered services look like claims, by lease, address or UUID: they are listed in order and nobody holds",
		looks: []look{
			{"five are registered", "/registry2/api: order-only 1({}) 2({})\n/services/shop: order-only 1(10.0.0.5:80)\n/services/web: order-only 1(10.0.0.1:80) 2(10.0.0.2:80)", ""},
			{"one is gone", "/registry2/api: order-only 1({}) 2({})\n/services/shop: order-only 1(10.0.0.5:80)\n/services/web: order-only 2(10.0.0.2:80)", ""},
		}},
	{name: "ttl-cache",
		reason: "cached values with a TTL are leased keys like any other; one without a directory is nothing at all",
		looks: []look{
			{"three are cached", "cache/user: order-only 1(ann) 2(bob)", ""},
			{"one runs out and comes back", "cache/user: order-only 2(bob) 3(ann)", ""},
		}},
	{name: "kubernetes",
		reason: "Lease objects have no lease of etcd, their expiry is in the value; nothing of Kubernetes is a lock here",
		looks:  []look{{"a cluster runs", "4 keys, no lock", ""}},
	},
	{name: "m3", form: hexForm,
		reason: "an election whose path begins with _ld",
		looks: []look{
			{"two campaign", "_ld/prod/aggregator/default: election *1(agg-1) 2(agg-2)", ""},
			{"the leader resigns", "_ld/prod/aggregator/default: election *2(agg-2)", "2 after 1: released, hint"},
		}},
	{name: "stolon", form: hexForm,
		reason: "an election that ends with its session, which is a revoke",
		looks: []look{
			{"two sentinels campaign", "stolon/cluster/main/sentinel-leader: election *1(5f1c09aa) 2(8b22d1e0)", ""},
			{"the leader stops", "stolon/cluster/main/sentinel-leader: election *2(8b22d1e0)", "2 after 1: revoked, hint"},
		}},
	{name: "pulsar", form: selfForm,
		reason: "one lease for all that a broker owns: leader, registration and bundles go at one revision",
		looks: []look{
			{"two brokers run", "/loadbalance/brokers: order-only 1({}) 2({})\n/loadbalance/leader: pulsar *1(b1:8080) ?\n/namespace/public/default: order-only 1({})", ""},
			{"the leader stops", "/loadbalance/brokers: order-only 2({})\n/loadbalance/leader: free", "1 left: revoked, hint"},
			{"the other leads", "/loadbalance/brokers: order-only 2({})\n/loadbalance/leader: pulsar *2(b2:8080) ?", "2 after 1: revoked, hint"},
		}},
	{name: "go-zero",
		reason: "instances of go-zero are named by their lease in decimal, below election too: what they write is where they are",
		looks: []look{
			{"two instances run", "election/user.rpc: order-only 1(10.0.0.1:8080) 2(10.0.0.2:8080)", ""},
			{"one stops", "election/user.rpc: order-only 2(10.0.0.2:8080)", ""},
		}},
	{name: "ibm-etcd-java",
		reason: "a candidate's key is the name of the election and the candidate's own, without a separator: one election",
		looks: []look{
			{"two stand", "/app/leader-: suffix-election *1(a) 2(bob)", ""},
			{"the leader stops", "/app/leader-: suffix-election *2(bob)", ""},
		}},
	{name: "milvus", form: selfForm, pins: []model.Pin{{Prefix: "by-dev/meta/session/rootcoord", Exact: true, Recipe: recipe.ByPin}},
		reason: "the session of a coordinator is a lock, as is said with --recipe KEY==single; that of rootcoord-2 is none",
		looks: []look{
			{"one coordinator is active", "by-dev/meta/session: order-only 1({\"ServerID\":9,\"ServerNam)\nby-dev/meta/session/rootcoord: single *1(rootcoord@10.0.0.1:53100) ?", ""},
		}},
	{name: "apisix",
		reason: "what a gateway says of itself is a registration",
		looks:  []look{{"a gateway runs", "/apisix/data_plane/server_info: order-only 1({\"id\":\"6f1\",\"hostname\":\")", ""}}},
	{name: "patroni-citus", form: selfForm,
		reason: "with Citus the group stands between the scope and the leader",
		looks: []look{
			{"a leader", "/service/shop/0/leader: patroni *1(sibling: c1) ?\n/service/shop/0/members: order-only 1({\"conn_url\":\"postgres://)", ""},
			{"it stops", "/service/shop/0/leader: free", "1 left: revoked, hint"},
		}},
}

const (
	dsNodes     = "dolphinscheduler/nodes"
	dsMasters   = dsNodes + `/master: order-only 1({"processId":7,"host":"d) 2({"processId":7,"host":"d)`
	tidbServers = "/tidb/server/info: order-only 1({\"ddl_id\":\"1c0ffee1-1d2a) 2({\"ddl_id\":\"2c0ffee2-1d2a)"
	ciliumLocks = "cilium/state/identities/v1/locks/"
)
