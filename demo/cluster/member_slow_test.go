//go:build slow

package cluster

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/demo/labtest"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
)

// another is a member other than those.
func another(c *Cluster, names ...string) string {
	for _, n := range c.Names() {
		if !slices.Contains(names, n) {
			return n
		}
	}
	return ""
}

// endpoint is where a member listens.
func endpoint(c *Cluster, name string) string {
	return c.MemberEndpoints()[slices.Index(c.Names(), name)]
}

// knows returns the leader that a member knows, "" if none.
func knows(t *testing.T, c *Cluster, name string) string {
	ctx, cancel := context.WithTimeout(t.Context(), labtest.Patience)
	defer cancel()
	id, err := c.members[slices.Index(c.Names(), name)].follows(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range c.members {
		if m.id == id {
			return m.name
		}
	}
	return ""
}

func wantErr(t *testing.T, err error, words string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("error %v, want one with %q", err, words)
	}
}

// put writes, within the time that an election may take.
func put(t *testing.T, cli *clientv3.Client) {
	t.Helper()
	labtest.Eventually(t, "a write works", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := cli.Put(ctx, "k", "v")
		return err == nil
	})
}

func TestMemberStopsAndStarts(t *testing.T) {
	c := breakable(t, 3, nil)
	cli := labtest.NewClient(t, c.MemberEndpoints()...)
	s, err := concurrency.NewSession(cli, concurrency.WithTTL(60))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*labtest.Patience)
	defer cancel()
	if err := concurrency.NewMutex(s, "/l").Lock(ctx); err != nil {
		t.Fatal(err)
	}
	before := labtest.Queue(t, cli, "/l")
	lead := labtest.LeaderOf(t, c)
	for _, name := range []string{another(c, lead), lead} {
		timed(t, "stop "+name, func() error { return c.StopMember(name) })
		if d := c.Down(); !slices.Equal(d, []string{name}) {
			t.Errorf("down: %v", d)
		}
		labtest.WantFree(t, endpoint(c, name))
		wantErr(t, c.StopMember(name), name+" is stopped already")
		wantErr(t, c.Isolate(name), name+" is stopped: start it first")
		timed(t, "the others lead", func() error { labtest.LeaderOf(t, c); return nil })
		put(t, cli)
		timed(t, "start "+name, func() error { return c.StartMember(ctx, name) })
		wantErr(t, c.StartMember(ctx, name), name+" is running already")
		own := labtest.NewClient(t, endpoint(c, name))
		if _, err := own.Get(ctx, "k"); err != nil {
			t.Errorf("%s was started and does not answer: %v", name, err)
		}
	}
	if after := labtest.Queue(t, cli, "/l"); !slices.Equal(before, after) {
		t.Errorf("queue %q, was %q", after, before)
	}
	select {
	case <-s.Done():
		t.Error("the session did not survive")
	default:
	}
	wantErr(t, c.StopMember("m9"), "want one of m1, m2, m3")
	wantErr(t, c.PauseMember("m1"), "pausing needs members that are processes")
	wantErr(t, c.ResumeMember("m1"), "m1 is not paused")
}

func TestMemberIsolated(t *testing.T) {
	c := breakable(t, 3, nil)
	cut := labtest.LeaderOf(t, c)
	rest := slices.DeleteFunc(c.Names(), func(n string) bool { return n == cut })
	timed(t, "isolate the leader "+cut, func() error { return c.Isolate(cut) })
	wantErr(t, c.Isolate(cut), cut+" is isolated already")
	timed(t, "another leader", func() error { labtest.LeaderOf(t, c); return nil })
	labtest.Eventually(t, "it gives up to lead", func() bool { return knows(t, c, cut) == "" })

	timed(t, "restart it", func() error {
		if err := c.StopMember(cut); err != nil {
			return err
		}
		return c.StartMember(t.Context(), cut)
	})
	other := rest[0]
	timed(t, "restart "+other, func() error { // which makes its own cuts forgotten
		if err := c.StopMember(other); err != nil {
			return err
		}
		return c.StartMember(t.Context(), other)
	})
	cli := labtest.NewClient(t, endpoint(c, rest[0]), endpoint(c, rest[1]))
	put(t, cli)
	// It serves no client before it has been told of a leader, so it is asked itself.
	srv := c.members[slices.Index(c.Names(), cut)].etcd.Server
	r, err := srv.KV().Range(t.Context(), []byte("k"), nil, mvcc.RangeOptions{})
	if err != nil || len(r.KVs) != 0 {
		t.Errorf("an isolated member has what the others wrote: %v (%v)", r, err)
	}
	if srv.Lead() != 0 {
		t.Errorf("an isolated member follows %v", srv.Leader())
	}

	timed(t, "join", func() error { return c.Join(cut) })
	wantErr(t, c.Join(cut), cut+" is not isolated")
	lead := labtest.LeaderOf(t, c)
	for _, name := range c.Names() {
		labtest.Eventually(t, "all follow "+lead, func() bool { return knows(t, c, name) == labtest.LeaderOf(t, c) })
	}
	ctx, cancel := context.WithTimeout(t.Context(), labtest.Patience)
	defer cancel()
	if _, err := labtest.NewClient(t, endpoint(c, cut)).Get(ctx, "k"); err != nil {
		t.Error(err)
	}
}

func TestLeaderMoves(t *testing.T) {
	c := breakable(t, 3, nil)
	was := labtest.LeaderOf(t, c)
	stopped := another(c, was)
	if err := c.StopMember(stopped); err != nil {
		t.Fatal(err)
	}
	var now string
	timed(t, "move the leader", func() (err error) {
		now, err = c.MoveLeader(t.Context())
		return err
	})
	if lead := labtest.LeaderOf(t, c); lead != now || now == was || now == stopped {
		t.Errorf("moved from %s to %s, and the leader is %s", was, now, lead)
	}
	if err := c.StopMember(was); err != nil {
		t.Fatal(err)
	}
	_, err := c.MoveLeader(t.Context())
	wantErr(t, err, "move the leader: no")
}

func TestQuorumLost(t *testing.T) {
	c := breakable(t, 3, nil)
	cli := labtest.NewClient(t, c.MemberEndpoints()...)
	put(t, cli)
	lead := labtest.LeaderOf(t, c)
	var names []string
	timed(t, "lose the quorum", func() (err error) {
		names, err = c.LoseQuorum()
		return err
	})
	if len(names) != 2 || !slices.Contains(names, lead) {
		t.Errorf("stopped %v, the leader was %s", names, lead)
	}
	_, err := c.LoseQuorum()
	wantErr(t, err, "lost already")
	_, err = c.Leader(t.Context())
	wantErr(t, err, "no leader")
	_, err = c.Compact(t.Context())
	wantErr(t, err, "no quorum: 1 of 3")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := cli.Put(ctx, "k", "v"); err == nil {
		t.Error("a write worked without a quorum")
	}
	for _, name := range names {
		timed(t, "start "+name, func() error { return c.StartMember(t.Context(), name) })
	}
	timed(t, "write", func() error { put(t, cli); return nil })
}

func TestAloneHasNoPeers(t *testing.T) {
	c := breakable(t, 1, nil)
	wantErr(t, c.Isolate("m1"), "no others")
	wantErr(t, c.Slow("m1", time.Second), "no others")
	_, err := c.MoveLeader(t.Context())
	wantErr(t, err, "m1 is alone")
	wantErr(t, c.Fill(t.Context()), "too much to fill")
	timed(t, "restart the only one", func() error {
		if _, err := c.LoseQuorum(); err != nil {
			return err
		}
		return c.StartMember(t.Context(), "m1")
	})
	c.Close()
	wantErr(t, c.StopMember("m1"), "the cluster has ended")
}

func TestClusterCompacts(t *testing.T) {
	c := breakable(t, 1, nil)
	cli := labtest.NewClient(t, c.MemberEndpoints()...)
	for range 5 {
		put(t, cli)
	}
	for range 2 { // the second time there is nothing to do
		timed(t, "compact", func() error {
			rev, err := c.Compact(t.Context())
			if err == nil && rev != 6 {
				t.Errorf("compacted at %d", rev)
			}
			return err
		})
	}
	if _, err := cli.Get(t.Context(), "k", clientv3.WithRev(3)); !errors.Is(err, rpctypes.ErrCompacted) {
		t.Errorf("an old revision: %v", err)
	}
}

func TestClusterFillsAndDrains(t *testing.T) {
	c := breakable(t, 3, func(o *Options) { o.Quota = MaxFill / 4 })
	cli := labtest.NewClient(t, c.MemberEndpoints()...)
	ctx, cancel := context.WithTimeout(t.Context(), 2*labtest.Patience)
	defer cancel()
	l, err := cli.Grant(ctx, 60)
	if err != nil {
		t.Fatal(err)
	}
	timed(t, "fill", func() error { return c.Fill(ctx) })
	for _, ep := range c.MemberEndpoints() {
		own := labtest.NewClient(t, ep)
		if _, err := own.Grant(ctx, 60); !errors.Is(err, rpctypes.ErrNoSpace) {
			t.Errorf("a grant in a full cluster: %v", err)
		}
		if _, err := own.KeepAliveOnce(ctx, l.ID); err != nil {
			t.Errorf("a renewal in a full cluster: %v", err)
		}
	}
	away := another(c, labtest.LeaderOf(t, c))
	if err := c.StopMember(away); err != nil {
		t.Fatal(err)
	}
	timed(t, "drain", func() error { return c.Drain(ctx) })
	timed(t, "start "+away+", which was away", func() error { return c.StartMember(ctx, away) })
	for _, ep := range c.MemberEndpoints() {
		if _, err := labtest.NewClient(t, ep).Grant(ctx, 60); err != nil {
			t.Errorf("a grant in a cluster that was drained: %v", err)
		}
	}
	if alarms, err := cli.AlarmList(ctx); err != nil || len(alarms.Alarms) != 0 {
		t.Errorf("alarms %v (%v)", alarms, err)
	}
	if r, err := cli.Get(ctx, fillKey); err != nil || len(r.Kvs) != 0 {
		t.Errorf("the filling is still there (%v)", err)
	}
}

func TestClusterClosesBroken(t *testing.T) {
	c := breakable(t, 3, nil)
	lead := labtest.LeaderOf(t, c)
	stopped := another(c, lead)
	for _, err := range []error{c.Isolate(lead), c.StopMember(stopped), c.Slow(another(c, lead, stopped), time.Minute)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	// It cannot serve, and so is not waited for.
	timed(t, "start "+stopped+" with a slow link and no quorum", func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.StartMember(ctx, stopped); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return nil
	})
}

// TestSlowMember: a read that has to be up to date asks the leader, so its answer
// takes the way that is slow.
func TestSlowMember(t *testing.T) {
	const delay = 700 * time.Millisecond
	c := breakable(t, 3, nil)
	lead, err := c.Leader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slow := another(c, lead)
	cli := labtest.NewClient(t, c.MemberEndpoints()[slices.Index(c.Names(), slow)])
	read := func() time.Duration {
		ctx, cancel := context.WithTimeout(t.Context(), labtest.Patience)
		defer cancel()
		begun := time.Now()
		if _, err := cli.Get(ctx, "x"); err != nil {
			t.Fatal(err)
		}
		return time.Since(begun)
	}
	read() // connects
	if err := c.Slow(slow, delay); err != nil {
		t.Fatal(err)
	}
	if took := read(); took < delay {
		t.Errorf("a read at the slow member took %v, want %v or more", took, delay)
	}
	if err := c.Slow(slow, 0); err != nil {
		t.Fatal(err)
	}
	labtest.Eventually(t, "it is as fast as before", func() bool { return read() < delay })
}
