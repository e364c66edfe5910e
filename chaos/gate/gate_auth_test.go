package gate

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"locktop/chaos"
	"locktop/chaos/chaostest"
	"locktop/model"
	"locktop/model/text"
)

// A user who may not read every key of a lease is told that, not "0 keys".
func TestPlanWithoutPermissionOnTheKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	lease := b.lease(t)
	a := b.claim(t, "/mine/1", lease)
	a.Kind = model.RevokeLease
	b.claim(t, "/theirs/1", lease)
	enableAuth(t, b.direct)
	member := b.gate.o.Endpoint
	reader, err := chaostest.Connect(clientv3.Config{Endpoints: []string{member}, DialOptions: chaos.ReadOnly(),
		Username: "u", Password: "pw"})
	chaostest.Must(t, err)
	defer reader.Close()
	var audit bytes.Buffer
	g := New(Options{Reader: reader, Armed: true, AuditLog: &audit, Now: time.Now,
		Dial: func(context.Context) (*clientv3.Client, error) {
			return chaostest.Connect(clientv3.Config{Endpoints: []string{member}, DialOptions: chaos.Writing(),
				Username: "u", Password: "pw"})
		}})
	defer g.Close()

	p, err := g.Plan(chaostest.Within(t), a)
	chaostest.Must(t, err)
	if !strings.Contains(text.English(p.Unknown), "no permission on every key") || p.Lease.Granted != 600 {
		t.Errorf("unknown %q, lease %+v", p.Unknown, p.Lease)
	}
	if d := cmp.Diff([]string{"/mine/1"}, keysOf(p.Goes)); d != "" {
		t.Errorf("goes (-want +got):\n%s", d)
	}
	wantRefused(t, g.Do(chaostest.Within(t), p), "write permission on every key of the lease is needed")
	if strings.Contains(audit.String(), "pw") {
		t.Errorf("the password is in the audit log: %s", &audit)
	}
}

// Whether a connection is restricted is nothing that a server has to be asked for.
func TestRestrictedAsksNobody(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	enableAuth(t, b.direct)
	for _, tt := range []struct {
		options []grpc.DialOption
		want    bool
	}{{chaos.Writing(), true}, {chaos.ReadOnly(), false}, {nil, false}} {
		c, err := chaostest.Connect(clientv3.Config{Endpoints: []string{b.gate.o.Endpoint}, DialOptions: tt.options, Username: "u", Password: "pw"})
		chaostest.Must(t, err)
		defer c.Close()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for _, ctx := range []context.Context{chaostest.Within(t), ended} {
			if got := restricted(ctx, c); got != tt.want {
				t.Errorf("restricted: %v, want %v", got, tt.want)
			}
		}
	}
}

// enableAuth makes a user u who may read and write below /mine/.
func enableAuth(t *testing.T, c *clientv3.Client) {
	t.Helper()
	ctx := chaostest.Within(t)
	for _, step := range []func() error{
		func() error { _, err := c.RoleAdd(ctx, "root"); return err },
		func() error { _, err := c.RoleAdd(ctx, "r"); return err },
		func() error {
			_, err := c.RoleGrantPermission(ctx, "r", "/mine/", "/mine0", clientv3.PermissionType(clientv3.PermReadWrite))
			return err
		},
		func() error { _, err := c.UserAdd(ctx, "root", "pw"); return err },
		func() error { _, err := c.UserAdd(ctx, "u", "pw"); return err },
		func() error { _, err := c.UserGrantRole(ctx, "root", "root"); return err },
		func() error { _, err := c.UserGrantRole(ctx, "u", "r"); return err },
		func() error { _, err := c.AuthEnable(ctx); return err },
	} {
		chaostest.Must(t, step())
	}
}
