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
	{"a streamed list", "where there is none, it is listed in pages of 50,000 keys",
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
	{"the TTL of another's lease, for a user", "this is all that is asked of leases",
		func(ctx context.Context, _, eve *clientv3.Client, theirs int64) error {
			return second(pb.NewLeaseClient(eve.ActiveConnection()).LeaseTimeToLive(ctx, &pb.LeaseTimeToLiveRequest{ID: theirs}))
		}},
	{"the TTL of a lease, without a login", "without a user, auth shows as soon as keys are listed",
		func(ctx context.Context, nobody, _ *clientv3.Client, theirs int64) error {
			return second(pb.NewLeaseClient(nobody.ActiveConnection()).LeaseTimeToLive(ctx, &pb.LeaseTimeToLiveRequest{ID: theirs}))
		}},
	{"the keys of another's lease, for a user", "not asked: each key tells its lease",
		func(ctx context.Context, _, eve *clientv3.Client, theirs int64) error {
			return second(pb.NewLeaseClient(eve.ActiveConnection()).LeaseTimeToLive(ctx, &pb.LeaseTimeToLiveRequest{ID: theirs, Keys: true}))
		}},
	{"the list of all leases, for a user", "asked only where LeaseLists is set, which wants root",
		func(ctx context.Context, _, eve *clientv3.Client, _ int64) error {
			return second(pb.NewLeaseClient(eve.ActiveConnection()).LeaseLeases(ctx, &pb.LeaseLeasesRequest{}))
		}},
	{"the status of a member, for a user", "versions, leader and alarms come from here",
		func(ctx context.Context, _, eve *clientv3.Client, _ int64) error {
			return second(pb.NewMaintenanceClient(eve.ActiveConnection()).Status(ctx, &pb.StatusRequest{}))
		}},
	{"the status of a member, without a login", "the same",
		func(ctx context.Context, nobody, _ *clientv3.Client, _ int64) error {
			return second(pb.NewMaintenanceClient(nobody.ActiveConnection()).Status(ctx, &pb.StatusRequest{}))
		}},
	{"the list of members, for a user", "where it is refused, members are known by their endpoints alone",
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
		t.Errorf("SERVERS.md (-it says +it is): go test ./watcher -run TestAbilities -update\n%s", d)
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
			out = append(out, "no: unknown to it")
		default:
			out = append(out, "no: "+failures.Cause(err))
		}
	}
	return out
}

func abilityPage(answers map[string][]string) string {
	var b strings.Builder
	b.WriteString(`# What each release of etcd can do for a reader

Asked of real servers with auth on; a user may read one prefix alone. Written by

    go test ./watcher -run TestAbilities -update

The matrix of releases and ways of access (plain, TLS, client certificate, password, password over TLS, least
rights by password and by certificate) is TestMatrix; no row is left out. The servers are 3.4 of Debian and
the releases that the modules below testdata/servers require.

`)
	fmt.Fprintf(&b, "| | %s | |\n|%s --- | --- |\n", strings.Join(releases, " | "), strings.Repeat(" --- |", len(releases)))
	for i, a := range abilities {
		row := []string{a.name}
		for _, minor := range releases {
			row = append(row, answers[minor][i])
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(row, " | "), a.why)
	}
	b.WriteString(`| an answer to a progress request is never early | no before 3.4.25 | no before 3.5.8 | yes | yes | etcd-io/etcd#15220: changes can come behind Watching and Back there |
`)
	return b.String()
}
