//go:build slow

package watcher

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"locktop/watcher/failures"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
)

// abilities are questions to a server with auth on, whose answers depend on the
// release. nobody has not logged in, eve may read /mine/ alone.
var abilities = []struct {
	name string
	why  string // what it means for the watcher
	ask  func(ctx context.Context, nobody, eve *clientv3.Client, theirs int64) error
}{
	{"a streamed list", "without it, locktop lists in pages of 50,000 keys",
		func(ctx context.Context, _, eve *clientv3.Client, _ int64) error {
			chunks, err := eve.GetStream(ctx, "/mine/", clientv3.WithPrefix())
			if err != nil {
				return err
			}
			for chunk := range chunks {
				err = chunk.Err()
			}
			return err
		}},
	{"the TTL of another's lease, for a user", "locktop asks nothing else about leases",
		func(ctx context.Context, _, eve *clientv3.Client, theirs int64) error {
			return second(pb.NewLeaseClient(eve.ActiveConnection()).LeaseTimeToLive(ctx, &pb.LeaseTimeToLiveRequest{ID: theirs}))
		}},
	{"the TTL of a lease, without a login", "without a user, the list of keys is refused first",
		func(ctx context.Context, nobody, _ *clientv3.Client, theirs int64) error {
			return second(pb.NewLeaseClient(nobody.ActiveConnection()).LeaseTimeToLive(ctx, &pb.LeaseTimeToLiveRequest{ID: theirs}))
		}},
	{"the keys of another's lease, for a user", "locktop does not ask: each key names its lease",
		func(ctx context.Context, _, eve *clientv3.Client, theirs int64) error {
			return second(pb.NewLeaseClient(eve.ActiveConnection()).LeaseTimeToLive(ctx, &pb.LeaseTimeToLiveRequest{ID: theirs, Keys: true}))
		}},
	{"the list of all leases, for a user", "locktop asks only with LeaseLists, which needs root",
		func(ctx context.Context, _, eve *clientv3.Client, _ int64) error {
			return second(pb.NewLeaseClient(eve.ActiveConnection()).LeaseLeases(ctx, &pb.LeaseLeasesRequest{}))
		}},
	{"the status of a member, for a user", "the source of versions, leader and alarms",
		func(ctx context.Context, _, eve *clientv3.Client, _ int64) error {
			return second(pb.NewMaintenanceClient(eve.ActiveConnection()).Status(ctx, &pb.StatusRequest{}))
		}},
	{"the status of a member, without a login", "as above",
		func(ctx context.Context, nobody, _ *clientv3.Client, _ int64) error {
			return second(pb.NewMaintenanceClient(nobody.ActiveConnection()).Status(ctx, &pb.StatusRequest{}))
		}},
	{"the list of members, for a user", "if it is refused, locktop knows members by their endpoints only",
		func(ctx context.Context, _, eve *clientv3.Client, _ int64) error {
			return second(pb.NewClusterClient(eve.ActiveConnection()).MemberList(ctx, &pb.MemberListRequest{}))
		}},
}

// TestAbilities asks every release what it can do for a reader, and compares that with
// SERVERS.md; -update writes it.
func TestAbilities(t *testing.T) {
	var mu sync.Mutex
	answers := map[string][]string{} // by release
	t.Run("ask", func(t *testing.T) {
		for _, minor := range releases {
			t.Run(minor, func(t *testing.T) {
				t.Parallel()
				got := askAbilities(t, minor)
				mu.Lock()
				defer mu.Unlock()
				answers[minor] = got
			})
		}
	})
	if t.Failed() || len(answers) < len(releases) {
		return
	}
	page := abilityPage(answers)
	if *updateFaults {
		if err := os.WriteFile("SERVERS.md", []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(string(must[[]byte](t)(os.ReadFile("SERVERS.md"))), page); d != "" {
		t.Errorf("SERVERS.md (-it says +it is): go test -tags slow ./watcher -run TestAbilities -update\n%s", d)
	}
}

func askAbilities(t *testing.T, minor string) (out []string) {
	p, addr := newProcess(t, minor, "http")
	nobody := p.connect(clientv3.Config{Endpoints: []string{addr}})
	theirs := grant(t, nobody)
	put(t, nobody, "/theirs/1", "", clientv3.WithLease(theirs))
	put(t, nobody, "/mine/1", "")
	authOn(t, nobody, "/mine/")
	eve := p.connect(clientv3.Config{Endpoints: []string{addr}, Username: "eve", Password: "pw of eve"})
	for _, a := range abilities {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		err := a.ask(ctx, nobody, eve, int64(theirs))
		cancel()
		switch {
		case err == nil:
			out = append(out, "yes")
		case failures.CodeOf(err) == codes.Unimplemented:
			out = append(out, "no: unknown method")
		default:
			out = append(out, "no: "+failures.Cause(err))
		}
	}
	return out
}

func abilityPage(answers map[string][]string) string {
	var b strings.Builder
	b.WriteString(`# What a reader may ask of each release of etcd

The answers come from real servers with auth switched on. The user may read one prefix only. Written by

    go test -tags slow ./watcher -run TestAbilities -update

TestMatrix tries each release with each way of access: plain, TLS, client certificate, password, password over TLS,
and least rights by password and by certificate. Version 3.4 is the server of Debian; the modules in testdata/servers
pin the others.

`)
	fmt.Fprintf(&b, "| | %s | |\n|%s --- | --- |\n", strings.Join(releases, " | "), strings.Repeat(" --- |", len(releases)))
	for i, a := range abilities {
		row := []string{a.name}
		for _, minor := range releases {
			row = append(row, answers[minor][i])
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(row, " | "), a.why)
	}
	b.WriteString(`| an answer to a progress request is never early | no before 3.4.25 | no before 3.5.8 | yes | yes | etcd-io/etcd#15220: on older releases changes can follow Watching and Back |
`)
	return b.String()
}
