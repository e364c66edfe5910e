//go:build slow

package etcdtest

import (
	"os/exec"
	"testing"
)

// So does an etcd that is a process.
func TestAProcessFindsOtherPorts(t *testing.T) {
	etcd, err := exec.LookPath("etcd")
	if err != nil {
		t.Fatal(err)
	}
	for stolen, reason := range []string{"the port for clients is taken", "the port for peers is taken"} {
		x := &thief{t: t}
		before := beforeStart
		beforeStart = func(addrs []string) { x.take(addrs[stolen]) }
		p, client := Run(t, etcd, "http")
		beforeStart = before
		if x.took == "" || client == x.took || p.peer == x.took {
			t.Errorf("%s: it serves at %s and %s, stolen was %q", reason, client, p.peer, x.took)
		}
		p.Stop()
		if err := StartAll(p); err != nil {
			t.Errorf("%s: started again: %v", reason, err)
		}
	}
}
