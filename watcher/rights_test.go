package watcher

import (
	"context"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"locktop/model"
	"locktop/model/text"
)

func TestLeastRights(t *testing.T) {
	ctx := context.Background()
	s := newServer(t)
	root := s.dial()
	lease := grant(t, root)
	put(t, root, "/mine/a", "1", clientv3.WithLease(lease))
	put(t, root, "/theirs/a", "1")
	for _, err := range []error{
		second(root.UserAdd(ctx, "root", "r")), second(root.UserGrantRole(ctx, "root", "root")),
		second(root.RoleAdd(ctx, "reader")), second(root.UserAdd(ctx, "eve", "e")),
		second(root.RoleGrantPermission(ctx, "reader", "/mine/", clientv3.GetPrefixRangeEnd("/mine/"), clientv3.PermissionType(clientv3.PermRead))),
		second(root.UserGrantRole(ctx, "eve", "reader")), second(root.AuthEnable(ctx)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	eve := must[*clientv3.Client](t)(clientv3.New(clientv3.Config{Endpoints: []string{s.client.String()}, Username: "eve", Password: "e", Logger: zap.NewNop()}))
	defer eve.Close()
	w := newWatcher(t, eve, Options{Prefixes: []string{"/mine/", "/theirs/"}})
	r := &record{t: t, w: w, want: model.Want{Leases: []model.LeaseID{model.LeaseID(lease)}}}
	has[model.Watching](r, 3)
	has[model.LeaseRead](r, 1)
	r.until("a status", func() bool {
		st := all[model.ClusterStatus](r)
		return len(st) > 0 && st[len(st)-1].Members[0].Leader
	})
	lost := has[model.Lost](r, 1)
	if len(lost) != 1 || lost[0].Prefix != "/theirs/" || lost[0].Reason != model.LostDenied ||
		!strings.Contains(text.English(lost[0].Detail), "etcdctl role grant-permission ROLE --prefix=true read '/theirs/'") {
		t.Errorf("got %+v", lost)
	}
	if l := all[model.Loaded](r); len(l) != 1 || l[0].Prefix != "/mine/" {
		t.Errorf("got %+v", l)
	}
}

func second[T any](_ T, err error) error { return err }
