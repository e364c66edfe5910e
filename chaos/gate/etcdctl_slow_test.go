//go:build slow

package gate

import (
	"strings"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos/chaostest"
	"locktop/model"
)

func TestEtcdctlLinesDoWhatTheActionsDo(t *testing.T) {
	t.Parallel()
	member := chaostest.StartMember(t)
	c := chaostest.Dial(t, []string{member})
	b := &bench{direct: c}
	for _, tt := range []struct{ key, reason string }{
		{"/locks/orders/694d81e5fc652594", "an ordinary claim"},
		{"/a key", "spaces separate the words of a txn line"},
		{`/it's "quoted"`, "quotes of the shell and of etcdctl"},
		{"/two\nlines\n\nand\ttab", "an empty line would end a section of the txn"},
		{`/back\slash\n`, "a backslash is no escape"},
		{"/%s%d$HOME`id`", "printf and the shell expand"},
		{"/bytes\x00\x1b\xff世界", "any byte may be in a key"},
		{"-rf", "looks like a flag"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			a := b.claim(t, tt.key, 0)
			if strings.HasPrefix(tt.key, "-") && !strings.Contains(a.Etcdctl(), "del -- ") {
				t.Skip("the printed line has no -- before the key")
			}
			a.ModRev = a.CreateRev
			stale := a
			stale.CreateRev--
			chaostest.Etcdctl(t, stale.Etcdctl(), member)
			if n := chaostest.Count(t, c, tt.key); n != 1 {
				t.Errorf("deleted though the create revision is another")
			}
			b.rewrite(t, tt.key, "another value", 0)
			chaostest.Etcdctl(t, a.Etcdctl(), member)
			if n := chaostest.Count(t, c, tt.key); n != 1 {
				t.Errorf("deleted though the value is another")
			}
			r, err := c.Get(chaostest.Within(t), tt.key)
			chaostest.Must(t, err)
			a.ModRev = r.Kvs[0].ModRevision
			chaostest.Etcdctl(t, a.Etcdctl(), member)
			if n := chaostest.Count(t, c, tt.key); n != 0 {
				t.Errorf("%q is still there after %s", tt.key, a.Etcdctl())
			}
		})
	}
	t.Run("revoke", func(t *testing.T) {
		for _, id := range []clientv3.LeaseID{b.lease(t), 0x7} {
			if id == 0x7 {
				_, err := clientv3.RetryLeaseClient(c).LeaseGrant(chaostest.Within(t), &pb.LeaseGrantRequest{ID: 7, TTL: 60})
				chaostest.Must(t, err)
			}
			chaostest.Etcdctl(t, model.Action{Kind: model.RevokeLease, Lease: model.LeaseID(id)}.Etcdctl(), member)
			if chaostest.LeaseLives(t, c, id) {
				t.Errorf("lease %x is still there", id)
			}
		}
	})
}
