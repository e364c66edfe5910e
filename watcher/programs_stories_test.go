package watcher

import (
	"os"
	"testing"

	"locktop/model"
	"locktop/model/recipe"
)

// programs are the real ones. Their histories were recorded from what is played here.
var programs = []story{
	{name: "etcdctl-lock", form: hexForm, play: playEtcdctlLock,
		reason: "etcdctl lock is a Go mutex of one session; an unlock deletes the key and leaves the lease to run out",
		looks: []look{
			{"one locks", "jobs/build: mutex *1", ""},
			{"two more lock", "jobs/build: mutex *1 2 3", ""},
			{"the holder is interrupted", "jobs/build: mutex *2 3", "2 after 1: released, hint"},
			{"the next is killed", "jobs/build: mutex *3", "3 after 2: expired"},
			{"the last is terminated", "jobs/build: free", "3 left: released, hint"},
		}},
	{name: "etcdctl-elect", form: hexForm, play: playEtcdctlElect,
		reason: "etcdctl elect is a Go election: the value is the proposal, resigning deletes the key",
		looks: []look{
			{"alice campaigns", "jobs/leader: election *1(alice)", ""},
			{"bob campaigns", "jobs/leader: election *1(alice) 2(bob)", ""},
			{"alice is terminated", "jobs/leader: election *2(bob)", "2 after 1: released, hint"},
			{"bob is interrupted", "jobs/leader: free", "2 left: released, hint"},
		}},
	{name: "lock-rpc", form: hexForm, play: playLockRPC,
		reason: "the lock service makes the keys of a Go mutex, on the caller's lease or on one of its own",
		looks: []look{
			{"one locks on its own lease", "jobs/build: mutex *1", ""},
			{"two more lock without a lease", "jobs/build: mutex *1 2 3", ""},
			{"the last gives up", "jobs/build: mutex *1 2", "3 left: released, hint"},
			{"the holder unlocks", "jobs/build: mutex *2", "2 after 1: released, hint"},
			{"the next unlocks", "jobs/build: free", "2 left: released, hint"},
		}},
	{name: "election-rpc", form: hexForm, play: playElectionRPC,
		reason: "the election service makes the keys of a Go election; a proclaim rewrites the value and moves nobody",
		looks: []look{
			{"alice campaigns", "jobs/leader: election *1(alice)", ""},
			{"bob campaigns", "jobs/leader: election *1(alice) 2(bob)", ""},
			{"alice proclaims", "jobs/leader: election *1(alice again) 2(bob)", ""},
			{"alice resigns", "jobs/leader: election *2(bob)", "2 after 1: released, hint"},
			{"bob's lease is revoked", "jobs/leader: free", "2 left: revoked, hint"},
		}},
	{name: "npm-election", form: decForm, play: playNpmElection,
		reason: "etcd3 for Node orders by create revision, so a proclaim moves nobody; resigning revokes the lease, which looks like any revoke",
		looks: []look{
			{"alice campaigns", "election/build: npm-election *1(alice)", ""},
			{"bob and carol campaign", "election/build: npm-election *1(alice) 2(bob) 3(carol)", ""},
			{"alice proclaims", "election/build: npm-election *1(alicia) 2(bob) 3(carol)", ""},
			{"alice resigns", "election/build: npm-election *2(bob) 3(carol)", "2 after 1: revoked, hint"},
			{"carol resigns", "election/build: npm-election *2(bob)", "3 left: revoked, hint"},
			{"bob resigns", "election/build: free", "2 left: revoked, hint"},
		}},
	{name: "npm-lock", form: selfForm, play: playNpmLock, pins: []model.Pin{{Prefix: "app/", Recipe: recipe.ByPin}},
		reason: "the lock of etcd3 for Node is one empty key of any name, so it takes a pin; who loses leaves no trace, releasing revokes the lease",
		looks: []look{
			{"one locks", "app/job: single *1 ?", ""},
			{"another is refused", "app/job: single *1 ?", ""},
			{"the holder releases", "app/job: free", "1 left: revoked, hint"},
			{"the other locks", "app/job: single *2 ?", "2 after 1: revoked, hint"},
			{"the other releases", "app/job: free", "2 left: revoked, hint"},
		}},
	{name: "npm-lock-without-a-pin", history: "npm-lock",
		reason: "without a pin nothing tells the key from any other with a lease, so nothing is said of a holder",
		looks: []look{
			{"one locks", "app: order-only 1", ""},
			{"the holder releases", "0 keys, no lock", ""},
			{"the other locks", "app: order-only 2", ""},
			{"the other releases", "0 keys, no lock", ""},
		}},
	{name: "python-etcd3", form: selfForm, play: playPython,
		reason: "one key whose value is a raw UUID of version 1; waiters leave no key, releasing deletes it and leaves the lease",
		looks: []look{
			{"one acquires", "/locks/build: python-etcd3 *1(uuid) ?", ""},
			{"another fails to", "/locks/build: python-etcd3 *1(uuid) ?", ""},
			{"the holder releases", "/locks/build: free", "1 left: released, hint"},
			{"the other acquires", "/locks/build: python-etcd3 *2(uuid) ?", "2 after 1: released, hint"},
			{"the other releases", "/locks/build: free", "2 left: released, hint"},
		}},
	{name: "patroni", form: selfForm, play: playPatroni,
		reason: "the leader key holds the member's name, on the lease that its member key is on too; initialize has none and is no lock",
		looks: []look{
			{"two members start", patroniMembers, ""},
			{"one becomes leader", "/service/main/leader: patroni *1(sibling: pg1@pg1:5432) ?\n" + patroniMembers, ""},
			{"the other is refused", "/service/main/leader: patroni *1(sibling: pg1@pg1:5432) ?\n" + patroniMembers, ""},
			{"the leader lets go", "/service/main/leader: free\n" + patroniMembers, "1 left: released, hint"},
			{"the other becomes leader", "/service/main/leader: patroni *2(sibling: pg2@pg2:5432) ?\n" + patroniMembers, "2 after 1: released, hint"},
		}},
	{name: "vitess-lock", form: decForm, host: true, play: playVitessLock,
		reason: "the lock of a keyspace says in JSON who locks and why; the keyspace itself is data, unlocking revokes the lease",
		looks: []look{
			{"one locks a keyspace", vitessKeyspace + ": vitess-lock *1(somebody: Reshard)", ""},
			{"another locks it too", vitessKeyspace + ": vitess-lock *1(somebody: Reshard) 2(somebody: ApplySchema)", ""},
			{"the holder unlocks", vitessKeyspace + ": vitess-lock *2(somebody: ApplySchema)", "2 after 1: revoked, hint"},
			{"a name is locked", vitessName + ": vitess-lock *1(somebody: Backup)\n" + vitessKeyspace + ": vitess-lock *2(somebody: ApplySchema)", ""},
			{"the next unlocks", vitessName + ": vitess-lock *1(somebody: Backup)\n" + vitessKeyspace + ": free", "2 left: revoked, hint"},
		}},
	{name: "vitess-election", form: decForm, play: playVitessElection,
		reason: "candidates of a Vitess election queue like its locks, the value is the process",
		looks: []look{
			{"one stands", "/vitess/global/elections/vtctld/locks: vitess-election *1(vtctld-1)", ""},
			{"another stands", "/vitess/global/elections/vtctld/locks: vitess-election *1(vtctld-1) 2(vtctld-2)", ""},
			{"the leader stops", "/vitess/global/elections/vtctld/locks: vitess-election *2(vtctld-2)", "2 after 1: revoked, hint"},
			{"the other stops", "/vitess/global/elections/vtctld/locks: free", "2 left: revoked, hint"},
		}},
	{name: "trillian", form: hexForm, host: true, play: playTrillian,
		reason: "a signer of Trillian stands in a Go election by host and process; it writes that it resigns, and the name it had is the one that led",
		looks: []look{
			{"one is master", "/test/multimaster/log-1: election *1(somebody)", ""},
			{"another stands", "/test/multimaster/log-1: election *1(somebody) 2(somebody)", ""},
			{"the master resigns", "/test/multimaster/log-1: election *2(somebody)", "2 after 1: released, hint"},
			{"the other resigns", "/test/multimaster/log-1: free", "2 left: released, hint"},
		}},
	{name: "go-zero-discov", form: decForm, play: playGoZero,
		reason: "instances of go-zero register under a service by their lease in decimal: nobody holds it",
		looks: []look{
			{"two instances run", "user.rpc: order-only 1(10.0.0.1:8080) 2(10.0.0.2:8080)", ""},
			{"one stops", "user.rpc: order-only 2(10.0.0.2:8080)", ""},
		}},
	{name: "tooz-etcd3", form: selfForm, play: playToozEtcd3,
		reason: "the driver locks by python-etcd3; a member of a group is a registration",
		looks: []look{
			{"one joins a group", toozGroup, ""},
			{"it locks", "/locks/build: python-etcd3 *1(uuid) ?\n" + toozGroup, ""},
			{"it releases", "/locks/build: free\n" + toozGroup, "1 left: released, hint"},
			{"another locks", "/locks/build: python-etcd3 *2(uuid) ?\n" + toozGroup, "2 after 1: released, hint"},
			{"the first leaves the group", "/locks/build: python-etcd3 *2(uuid) ?", ""},
		}},
	{name: "tooz-etcd3gw", form: selfForm, play: playToozHTTP,
		reason: "the driver for the HTTP gateway writes a lock of its own: a random UUID in 16 bytes, under a name that begins with /tooz/locks",
		looks: []look{
			{"one joins a group", toozGroup, ""},
			{"it locks", "/tooz/locksbuild: tooz *1(uuid) ?\n" + toozGroup, ""},
			{"it releases", "/tooz/locksbuild: free\n" + toozGroup, "1 left: released, hint"},
			{"another locks", "/tooz/locksbuild: tooz *2(uuid) ?\n" + toozGroup, "2 after 1: released, hint"},
			{"the first leaves the group", "/tooz/locksbuild: tooz *2(uuid) ?", ""},
		}},
	{name: "kvtools", form: hexForm, play: playKvtools,
		reason: "a mutex beside the key that it protects; what the holder writes there, on the same lease, says who it is, and nobody holds that",
		looks: []look{
			{"one locks, and writes its value", "jobs: order-only 1(node-a)\njobs/build___lock: mutex *1(sibling: node-a)", ""},
			{"another locks, too", "jobs: order-only 1(node-a)\njobs/build___lock: mutex *1(sibling: node-a) 2", ""},
			{"the holder unlocks", "jobs: order-only 2(node-b)\njobs/build___lock: mutex *2(sibling: node-b)", "2 after 1: released, hint"},
			{"the other's session is closed", "jobs/build___lock: free", "2 left: revoked, hint"},
		}},
	{name: "scalingo", form: hexForm, play: playScalingo,
		reason: "readers hold together below a path that names the lock in base64; the writer's own queue knows nothing of them",
		looks: []look{
			{"two read", "/go-etcd-lock-rw/readers/L2V0Y2QtbG9jay9i: scalingo-read *1 *2", ""},
			{"one writes, and waits for them", "/etcd-lock/b: mutex *1\n/go-etcd-lock-rw/readers/L2V0Y2QtbG9jay9i: scalingo-read *1 *2", ""},
			{"one reader ends", "/etcd-lock/b: mutex *1\n/go-etcd-lock-rw/readers/L2V0Y2QtbG9jay9i: scalingo-read *2", ""},
			{"the other ends, and the writer", "/etcd-lock/b: free\n/go-etcd-lock-rw/readers/L2V0Y2QtbG9jay9i: free", ""},
		}},
	{name: "rwmutex", form: nsForm, play: playRWMutex,
		reason: "readers ahead of the first writer hold together; a writer holds alone",
		looks: []look{
			{"two read", "jobs/table: rwmutex *1 *2", ""},
			{"one wants to write", "jobs/table: rwmutex *1 *2 3", ""},
			{"one more wants to read", "jobs/table: rwmutex *1 *2 3 4", ""},
			{"the first reader ends", "jobs/table: rwmutex *2 3 4", "1 left: released, hint"},
			{"the second reader ends", "jobs/table: rwmutex *3 4", "3 after 2: released, hint"},
			{"the writer ends", "jobs/table: rwmutex *4", "4 after 3: released, hint"},
		}},
	{name: "double-barrier", play: playDoubleBarrier,
		reason: "a rendezvous: nobody holds it, and the key that opens it is not a claim",
		looks: []look{
			{"one enters", "jobs/gate: double-barrier 1", ""},
			{"the other enters", "jobs/gate: double-barrier 1 2 !3", ""},
			{"both leave", "0 keys, no lock", ""},
		}},
	{name: "data-recipes", play: playDataRecipes,
		reason: "barriers and queues are keys without a lease: data",
		looks: []look{
			{"a barrier is closed", "1 keys, no lock", ""},
			{"two items are queued", "3 keys, no lock", ""},
			{"two items are queued by priority", "7 keys, no lock", ""},
			{"one of each is taken", "5 keys, no lock", ""},
		}},
}

const (
	toozGroup      = "tooz/groups/agents: order-only 1(\\xc4\\x00)"
	patroniMembers = "/service/main/members: order-only 1({\"conn_url\":\"postgres://) 2({\"conn_url\":\"postgres://)"
	vitessKeyspace = "/vitess/global/keyspaces/commerce/locks"
	vitessName     = "/vitess/global/internal/named_locks/nightly/locks"
)

func TestRecordedHistories(t *testing.T) {
	for i := range programs {
		t.Run(programs[i].name, func(t *testing.T) { programs[i].replays(t, historyOf(&programs[i])) })
	}
	for i := range described {
		t.Run("described/"+described[i].name, func(t *testing.T) {
			described[i].replays(t, historyDir+"/described/"+described[i].name+".jsonl")
		})
	}
}

// A history without a story is checked by nothing.
func TestEveryHistoryHasAStory(t *testing.T) {
	const most = 50 << 10
	known := map[string]bool{"described": true}
	for i := range programs {
		known[programs[i].name+".jsonl"] = true
	}
	for i := range described {
		known[described[i].name+".jsonl"] = true
	}
	for _, dir := range []string{historyDir, historyDir + "/described"} {
		for _, e := range must[[]os.DirEntry](t)(os.ReadDir(dir)) {
			if !known[e.Name()] {
				t.Errorf("nothing is expected of %s/%s", dir, e.Name())
			}
			if info := must[os.FileInfo](t)(e.Info()); !e.IsDir() && info.Size() > most {
				t.Errorf("%s/%s has %d bytes, at most %d are wanted", dir, e.Name(), info.Size(), most)
			}
		}
	}
}
