package cluster

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/labtest"
	"locktop/demo/process"
)

func TestClusterStartsAndEnds(t *testing.T) {
	tests := []struct {
		members int
		reason  string
	}{
		{1, "no election to wait for"},
		{3, "the default of the lab"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.members), func(t *testing.T) {
			begun := time.Now()
			c, err := Start(t.Context(), Options{Members: tt.members, Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			started := time.Since(begun)
			if lead, err := c.Leader(t.Context()); err != nil || lead != "m1" {
				t.Errorf("%q leads (%v): a cluster begins with m1", lead, err)
			}
			eps := c.MemberEndpoints()
			cli := labtest.NewClient(t, eps...)
			ctx, cancel := context.WithTimeout(t.Context(), labtest.Patience)
			defer cancel()
			// An open watch is what makes an ordinary end slow.
			watch := cli.Watch(ctx, "k", clientv3.WithCreatedNotify())
			<-watch
			if _, err := cli.Put(ctx, "k", "v"); err != nil {
				t.Fatal(err)
			}
			ended := time.Now()
			c.Close()
			t.Logf("%d members (%s): ready in %v, closed in %v", tt.members, tt.reason,
				started.Round(time.Millisecond), time.Since(ended).Round(time.Millisecond))
			if took := time.Since(ended); took > 15*time.Second { // less than half a second on a machine that has nothing else to do
				t.Errorf("closed in %v", took)
			}
			c.Close()
			labtest.WantFree(t, eps...)
		})
	}
}

func TestClusterRefuses(t *testing.T) {
	l, err := process.Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := l.Addr().String()
	_, err = Start(t.Context(), Options{Members: 1, Dir: t.TempDir(), ClientAddrs: []string{taken}})
	if !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a client address in use: %v", err)
	}
	_, err = Start(t.Context(), Options{Members: 3, Dir: t.TempDir(), ClientAddrs: []string{taken}})
	if err == nil {
		t.Error("one address for three members was accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = Start(ctx, Options{Members: 1, Dir: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Whoever ends a start early is told that, and not how far it got.
func TestClusterCancelledInTheElection(t *testing.T) {
	c := breakable(t, 1, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.firstLeads(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// breakable starts a cluster that the test breaks, changed by mod, and closes it
// when the test ends, which has to be quick in whatever state it is.
func breakable(t *testing.T, members int, mod func(*Options)) *Cluster {
	t.Helper()
	o := Options{Members: members, Dir: t.TempDir()}
	if mod != nil {
		mod(&o)
	}
	var c *Cluster
	timed(t, "start the cluster", func() (err error) {
		c, err = Start(t.Context(), o)
		return err
	})
	t.Cleanup(func() {
		pids := c.PIDs()
		begun := time.Now()
		c.Close()
		took := time.Since(begun)
		t.Logf("close: %v", took.Round(time.Millisecond))
		if took > 15*time.Second { // less than half a second on a machine that has nothing else to do
			t.Errorf("closed in %v", took)
		}
		labtest.WantFree(t, c.MemberEndpoints()...)
		for name, pid := range pids {
			if _, err := process.StartTime(pid); err == nil {
				t.Errorf("the process of %s was left behind", name)
			}
		}
	})
	return c
}

// timed does what has to succeed and logs how long it takes.
func timed(t *testing.T, what string, do func() error) {
	t.Helper()
	begun := time.Now()
	if err := do(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	t.Logf("%s: %v", what, time.Since(begun).Round(time.Millisecond))
}
