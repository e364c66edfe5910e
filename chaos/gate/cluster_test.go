package gate

import (
	"bytes"
	"context"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/chaos/chaostest"
	"locktop/model"
	"locktop/watcher/hostile"
)

// gateTo is an armed gate to some addresses.
func gateTo(t *testing.T, cluster uint64, endpoints ...string) *Gate {
	t.Helper()
	g := New(Options{Reader: chaostest.Dial(t, endpoints, chaos.ReadOnly()...), Armed: true, Cluster: cluster, AuditLog: &bytes.Buffer{},
		Dial: func(context.Context) (*clientv3.Client, error) {
			return chaostest.Connect(clientv3.Config{Endpoints: endpoints, DialOptions: chaos.Writing()})
		}})
	t.Cleanup(func() { chaostest.Must(t, g.Close()) })
	return g
}

// A write goes to any of the endpoints, so all that answer have to be of one cluster.
func TestNothingIsWrittenToAMixOfClusters(t *testing.T) {
	t.Parallel()
	a, b := hostile.Start(t, "127.0.0.1:0"), hostile.Start(t, "127.0.0.1:0")
	key := hostile.Key("/l/a", 1, 5)
	a.Become(0xaa, 10, key)
	b.Become(0xaa, 10, key)
	g := gateTo(t, 0, a.Addr, b.Addr)
	p, err := g.Plan(chaostest.Within(t), model.Action{Kind: model.RevokeLease, Key: string(key.Key), CreateRev: 5, Lease: 1})
	chaostest.Must(t, err)
	b.Become(0xbb, 10, key)
	wantRefused(t, g.Do(chaostest.Within(t), p), "another cluster answers (id bb instead of aa)")
	if n := len(a.Wrote()) + len(b.Wrote()); n != 0 {
		t.Errorf("%d writes", n)
	}
}
