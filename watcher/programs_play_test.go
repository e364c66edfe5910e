package watcher

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3election/v3electionpb"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3lock/v3lockpb"
)

func playEtcdctlLock(t *testing.T, s *story) {
	etcdctl := program(t, "etcdctl")
	p := newPlay(t, s)
	first := p.run(etcdctl, "lock", "--ttl=30", "jobs/build")
	first.says("jobs/build/")
	p.see("one locks")
	second := p.run(etcdctl, "lock", "--ttl=9", "jobs/build") // a slow machine, too, reads it between a renewal that was missed and the end
	p.joined("jobs/build", 2)
	third := p.run(etcdctl, "lock", "--ttl=30", "jobs/build")
	p.see("two more lock")
	first.signal(syscall.SIGINT)
	second.says("jobs/build/")
	p.see("the holder is interrupted")
	second.kill()
	p.see("the next is killed") // looked at all the time: readings tell an expiry from a close
	third.says("jobs/build/")
	third.signal(syscall.SIGTERM)
	p.see("the last is terminated")
	p.end()
}

func playEtcdctlElect(t *testing.T, s *story) {
	etcdctl := program(t, "etcdctl")
	p := newPlay(t, s)
	alice := p.run(etcdctl, "elect", "jobs/leader", "alice")
	alice.says("jobs/leader/")
	p.see("alice campaigns")
	bob := p.run(etcdctl, "elect", "jobs/leader", "bob")
	p.see("bob campaigns")
	alice.signal(syscall.SIGTERM)
	bob.says("jobs/leader/")
	p.see("alice is terminated")
	bob.signal(syscall.SIGINT)
	p.see("bob is interrupted")
	p.end()
}

// waits runs a request that blocks; the function that it returns ends when it does.
func waits[R any](p *play, call func(context.Context) (R, error)) (wait func() R, giveUp func()) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	type answer struct {
		r   R
		err error
	}
	done := make(chan answer, 1)
	go func() {
		r, err := call(ctx)
		done <- answer{r, err}
	}()
	p.t.Cleanup(cancel)
	return func() R {
		p.t.Helper()
		a := <-done
		if a.err != nil {
			p.t.Fatal(a.err)
		}
		return a.r
	}, cancel
}

func playLockRPC(t *testing.T, s *story) {
	p := newPlayApart(t, s)
	locks := v3lockpb.NewLockClient(p.etcd.ActiveConnection())
	lock := func(lease clientv3.LeaseID) (func() *v3lockpb.LockResponse, func()) {
		return waits(p, func(ctx context.Context) (*v3lockpb.LockResponse, error) {
			return locks.Lock(ctx, &v3lockpb.LockRequest{Name: []byte("jobs/build"), Lease: int64(lease)})
		})
	}
	unlock := func(r *v3lockpb.LockResponse) {
		must[*v3lockpb.UnlockResponse](t)(locks.Unlock(context.Background(), &v3lockpb.UnlockRequest{Key: r.Key}))
	}
	first, _ := lock(grant(t, p.etcd))
	held := first()
	p.see("one locks on its own lease")
	second, _ := lock(0)
	p.joined("jobs/build", 2)
	_, giveUp := lock(0)
	p.see("two more lock without a lease")
	giveUp()
	p.see("the last gives up")
	unlock(held)
	held = second()
	p.see("the holder unlocks")
	unlock(held)
	p.see("the next unlocks")
	p.end()
}

func playElectionRPC(t *testing.T, s *story) {
	p := newPlayApart(t, s)
	elections := v3electionpb.NewElectionClient(p.etcd.ActiveConnection())
	campaign := func(who string, lease clientv3.LeaseID) func() *v3electionpb.CampaignResponse {
		wait, _ := waits(p, func(ctx context.Context) (*v3electionpb.CampaignResponse, error) {
			return elections.Campaign(ctx, &v3electionpb.CampaignRequest{Name: []byte("jobs/leader"), Lease: int64(lease), Value: []byte(who)})
		})
		return wait
	}
	leader := campaign("alice", grant(t, p.etcd))().Leader
	p.see("alice campaigns")
	lease := grant(t, p.etcd)
	bob := campaign("bob", lease)
	p.see("bob campaigns")
	must[*v3electionpb.ProclaimResponse](t)(elections.Proclaim(context.Background(), &v3electionpb.ProclaimRequest{Leader: leader, Value: []byte("alice again")}))
	p.see("alice proclaims")
	must[*v3electionpb.ResignResponse](t)(elections.Resign(context.Background(), &v3electionpb.ResignRequest{Leader: leader}))
	bob()
	p.see("alice resigns")
	must[*clientv3.LeaseRevokeResponse](t)(p.etcd.Revoke(context.Background(), lease))
	p.see("bob's lease is revoked")
	p.end()
}

// clientFile returns the path of a program beneath testdata.
func clientFile(t testing.TB, path string) string {
	t.Helper()
	return must[string](t)(filepath.Abs(filepath.Join("testdata/programs", path)))
}

// node returns how to run the client of etcd3 for Node.
func node(t testing.TB) (path, client string) {
	t.Helper()
	path = program(t, "node")
	if _, err := os.Stat("testdata/programs/npm/node_modules/etcd3"); err != nil {
		missing(t, "the npm package etcd3 is not installed: npm ci --prefix watcher/testdata/programs/npm")
	}
	return path, clientFile(t, "npm/client.js")
}

func playNpmElection(t *testing.T, s *story) {
	node, client := node(t)
	p := newPlay(t, s)
	alice := p.run(node, client, "election", "build", "alice")
	alice.says("holding")
	p.see("alice campaigns")
	bob := p.run(node, client, "election", "build", "bob")
	p.joined("election/build", 2)
	carol := p.run(node, client, "election", "build", "carol")
	p.see("bob and carol campaign")
	alice.does("proclaim alicia", "proclaimed")
	p.see("alice proclaims")
	alice.does("release", "released")
	bob.says("holding")
	p.see("alice resigns")
	carol.does("release", "released")
	p.see("carol resigns")
	bob.does("release", "released")
	p.see("bob resigns")
	p.end()
}

func playNpmLock(t *testing.T, s *story) {
	node, client := node(t)
	p := newPlay(t, s)
	one, other := p.run(node, client, "lock", "app/job"), p.run(node, client, "lock", "app/job")
	one.does("acquire", "holding")
	p.see("one locks")
	other.does("acquire", "error EtcdLockFailedError")
	p.see("another is refused")
	one.does("release", "released")
	p.see("the holder releases")
	other.does("acquire", "holding")
	p.see("the other locks")
	other.does("release", "released")
	p.see("the other releases")
	p.end()
}

// python returns Debian's Python, if it has the module.
func python(t testing.TB, module, install string) string {
	t.Helper()
	const path = "/usr/bin/python3" // one from elsewhere does not see Debian's packages
	if err := exec.Command(path, "-c", "import "+module).Run(); err != nil {
		missing(t, module+" is not installed for "+path+": apt-get install "+install)
	}
	return path
}

func playPython(t *testing.T, s *story) {
	python, client := python(t, "etcd3", "python3-etcd3"), clientFile(t, "python-etcd3/client.py")
	p := newPlay(t, s)
	one, other := p.run(python, client, "build"), p.run(python, client, "build")
	one.does("acquire", "holding")
	p.see("one acquires")
	other.does("acquire", "error TypeError", "not acquired") // 0.12.0 fails with a tenacity of its time or later
	p.see("another fails to")
	if leases := must[*clientv3.LeaseLeasesResponse](t)(p.etcd.Leases(context.Background())).Leases; len(leases) < 2 {
		t.Errorf("%d leases, want the holder's and what the failed attempt left", len(leases))
	}
	one.does("refresh", "refreshed")
	one.does("release", "released")
	p.see("the holder releases")
	other.does("acquire", "holding")
	p.see("the other acquires")
	other.does("release", "released")
	p.see("the other releases")
	p.end()
}

func playPatroni(t *testing.T, s *story) {
	python, client := python(t, "patroni.dcs.etcd3", "patroni python3-etcd"), clientFile(t, "patroni/client.py")
	p := newPlay(t, s)
	one := p.run(python, client, "main", "pg1")
	one.does("initialize", "initialize done")
	one.does("touch", "touch done")
	other := p.run(python, client, "main", "pg2")
	other.does("touch", "touch done")
	p.see("two members start")
	one.does("acquire", "acquire done")
	p.see("one becomes leader")
	other.does("acquire", "acquire refused")
	p.see("the other is refused")
	one.does("release", "release done")
	p.see("the leader lets go")
	other.does("acquire", "acquire done")
	p.see("the other becomes leader")
	p.end()
}

func playToozEtcd3(t *testing.T, s *story) { playTooz(t, s, "etcd3") }
func playToozHTTP(t *testing.T, s *story)  { playTooz(t, s, "etcd3+http") }

// playTooz lets two coordinators of tooz compete by one of its drivers.
func playTooz(t *testing.T, s *story, driver string) {
	python, client := python(t, "tooz.drivers.etcd3gw, tooz.drivers.etcd3", "python3-tooz python3-etcd3 python3-etcd3gw"), clientFile(t, "tooz/client.py")
	p := newPlay(t, s)
	one, other := p.run(python, client, driver, "m1", "build"), p.run(python, client, driver, "m2", "build")
	one.does("join", "join done")
	p.see("one joins a group")
	one.does("acquire", "acquire done")
	p.see("it locks")
	other.does("acquire", "acquire refused", "error TypeError") // python-etcd3 fails with a tenacity of its time or later
	one.does("heartbeat", "heartbeat done")
	one.does("release", "release done")
	p.see("it releases")
	other.does("acquire", "acquire done")
	p.see("another locks")
	one.does("leave", "leave done")
	p.see("the first leaves the group")
	p.end()
}
