package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"locktop/demo/process"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	// MaxFill is the largest quota in bytes that Fill fills.
	MaxFill = 64 << 20

	// fillKey holds what fills the database. It stands before all keys of people and
	// is one key, so that whoever watches everything sees one thing.
	fillKey = "\x00locktop-fill"
	// fillValue is the size of one version of it, below the 1.5 MiB that etcd takes.
	fillValue = 1 << 20
	// spaceWithin bounds each of Compact, Fill and Drain.
	spaceWithin = time.Minute
)

// Compact compacts the history up to now and returns the revision, the oldest that
// can still be read.
func (c *Cluster) Compact(ctx context.Context) (int64, error) {
	ctx, cli, done, err := c.client(ctx)
	if err != nil {
		return 0, fmt.Errorf("compact: %w", err)
	}
	defer done()
	rev, err := compact(ctx, cli)
	if err != nil {
		return 0, fmt.Errorf("compact: %w", err)
	}
	return rev, nil
}

func compact(ctx context.Context, cli *clientv3.Client) (int64, error) {
	r, err := cli.Get(ctx, fillKey, clientv3.WithCountOnly())
	if err != nil {
		return 0, err
	}
	rev := r.Header.Revision
	_, err = cli.Compact(ctx, rev, clientv3.WithCompactPhysical())
	if errors.Is(err, rpctypes.ErrCompacted) {
		err = nil // somebody else did
	}
	return rev, err
}

// Fill fills the database until etcd raises the NOSPACE alarm: nothing that needs
// space works then. The cluster needs a Quota of at most [MaxFill].
func (c *Cluster) Fill(ctx context.Context) error {
	ctx, cli, done, err := c.client(ctx)
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	defer done()
	if c.o.Quota <= 0 || c.o.Quota > MaxFill {
		return fmt.Errorf("fill: the cluster may grow to %d MiB, which is too much to fill: start it with at most %d",
			max(c.o.Quota, 2<<30)>>20, MaxFill>>20)
	}
	value := strings.Repeat("x", fillValue)
	for {
		_, err := cli.Put(ctx, fillKey, value)
		if errors.Is(err, rpctypes.ErrNoSpace) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("fill: %w", err)
		}
	}
}

// Drain ends Fill: it removes what fills, compacts, defragments, disarms, and waits
// until there is space. Members that cannot take part now do when they are back.
func (c *Cluster) Drain(ctx context.Context) error {
	ctx, done, err := c.lock(ctx)
	if err != nil {
		return fmt.Errorf("drain: %w", err)
	}
	defer done()
	return c.drain(ctx)
}

func (c *Cluster) drain(ctx context.Context) error {
	ctx, cli, done, err := c.dial(ctx)
	if err != nil {
		return fmt.Errorf("drain: %w", err)
	}
	defer done()
	if _, err := cli.Delete(ctx, fillKey); err != nil {
		return fmt.Errorf("drain: %w", err)
	}
	if _, err := compact(ctx, cli); err != nil {
		return fmt.Errorf("drain: compact: %w", err)
	}
	for _, m := range c.members {
		fit := m.fit()
		c.set(func() { m.full = !fit })
		if !fit {
			continue
		}
		if err := m.shrink(ctx, c.o.Quota); err != nil {
			return fmt.Errorf("drain %s: %w", m.name, err)
		}
	}
	if _, err := cli.AlarmDisarm(ctx, &clientv3.AlarmMember{}); err != nil {
		return fmt.Errorf("drain: disarm: %w", err)
	}
	return c.hasSpace(ctx)
}

// shrink gives back what a member's file has free. Compaction goes on in the
// background, so it may take more than one try.
func (m *member) shrink(ctx context.Context, quota int64) error {
	cli, err := dialMembers(m)
	if err != nil {
		return err
	}
	defer cli.Close()
	for {
		// It has seen the delete and the compaction once it answers this.
		if _, err := cli.Get(ctx, fillKey, clientv3.WithCountOnly()); err != nil {
			return err
		}
		if _, err := cli.Defragment(ctx, m.client); err != nil {
			return err
		}
		s, err := cli.Status(ctx, m.client)
		if err != nil {
			return err
		}
		if quota == 0 || s.DbSize < quota/2 {
			return nil
		}
		if !process.Sleep(ctx, nil, shrinkEvery) {
			return fmt.Errorf("its database still has %d of %d bytes", s.DbSize, quota)
		}
	}
}

// shrinkEvery is the pause between two tries to defragment.
const shrinkEvery = 20 * time.Millisecond

// hasSpace waits until every member that is fit grants a lease: that takes space, and
// nobody who watches sees it.
func (c *Cluster) hasSpace(ctx context.Context) error {
	for _, m := range c.fit() {
		if err := m.grants(ctx); err != nil {
			return fmt.Errorf("drain %s: %w", m.name, err)
		}
	}
	return nil
}

func (m *member) grants(ctx context.Context) error {
	cli, err := dialMembers(m)
	if err != nil {
		return err
	}
	defer cli.Close()
	for {
		l, err := cli.Grant(ctx, minTTL)
		if err == nil {
			_, err = cli.Revoke(ctx, l.ID)
			return err
		}
		if !errors.Is(err, rpctypes.ErrNoSpace) || !process.Sleep(ctx, nil, shrinkEvery) {
			return err
		}
	}
}

// client waits for the turn of an operation and connects to the members that are fit.
func (c *Cluster) client(ctx context.Context) (context.Context, *clientv3.Client, func(), error) {
	ctx, unlock, err := c.lock(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cli, hangUp, err := c.dial(ctx)
	if err != nil {
		unlock()
		return nil, nil, nil, err
	}
	return ctx, cli, func() {
		hangUp()
		unlock()
	}, nil
}

// dial connects to the members that are fit, for as long as such an operation may
// take.
func (c *Cluster) dial(ctx context.Context) (context.Context, *clientv3.Client, func(), error) {
	fit := c.fit()
	if len(fit) < c.majority() {
		return nil, nil, nil, fmt.Errorf("no quorum: %d of %d members are running and joined", len(fit), len(c.members))
	}
	cli, err := dialMembers(fit...)
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, spaceWithin)
	return ctx, cli, func() {
		cli.Close()
		cancel()
	}, nil
}
