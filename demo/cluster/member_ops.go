package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// statusWithin bounds the wait for what a member says of itself.
const statusWithin = 2 * time.Second

var errClusterClosed = errors.New("the cluster has ended")

// majority is how many members have to agree.
func (c *Cluster) majority() int { return len(c.members)/2 + 1 }

// lock waits for the turn of an operation, whose context ends with the cluster.
func (c *Cluster) lock(ctx context.Context) (context.Context, func(), error) {
	c.ops.Lock()
	if c.life.Err() != nil {
		c.ops.Unlock()
		return nil, nil, errClusterClosed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.life, func() { cancel(errClusterClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
		c.ops.Unlock()
	}, nil
}

// begin is lock for an operation on one member.
func (c *Cluster) begin(ctx context.Context, what, name string) (*member, context.Context, func(), error) {
	i := slices.Index(c.Names(), name)
	if i < 0 {
		return nil, nil, nil, fmt.Errorf("%s %s: there is no such member: want one of %s",
			what, name, strings.Join(c.Names(), ", "))
	}
	ctx, done, err := c.lock(ctx)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s %s: %w", what, name, err)
	}
	return c.members[i], ctx, done, nil
}

// set changes what is known of members.
func (c *Cluster) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

// notRunning is why something cannot be done to a member that is not up.
func notRunning(m *member) error {
	if m.stopped() {
		return fmt.Errorf("%s is stopped: start it first", m.name)
	}
	return fmt.Errorf("%s has ended (%s): start it first", m.name, m.howEnded())
}

// launch starts a member and waits until it listens, not for a quorum.
func (c *Cluster) launch(ctx context.Context, m *member) error {
	m.link.unblock()
	var etcd *embed.Etcd
	var proc *memberProc
	var id uint64
	var err error
	if len(c.o.Process) > 0 {
		proc, id, err = spawnMember(ctx, c.o, c.log, m.plan)
	} else if etcd, err = embed.StartEtcd(m.config(c.lg.Named(m.name), m.plan)); err == nil {
		id = uint64(etcd.Server.MemberID())
	}
	if err != nil {
		return fmt.Errorf("start member %s: %w", m.name, err)
	}
	c.set(func() { m.etcd, m.proc = etcd, proc })
	if m.id == 0 { // else it is the same, and others may read it
		m.id = id
	}
	return nil
}

// halt ends a member, or what is left of it.
func (c *Cluster) halt(m *member) {
	m.stopServing()
	m.link.block()
	if m.proc != nil && !m.paused {
		m.proc.stop()
	}
	m.hardStop()
	m.release()
	c.set(func() { m.etcd, m.proc, m.paused = nil, nil, false })
}

// back waits until a member that was away serves, if it can, and drains it if it was
// away when the others were.
func (c *Cluster) back(ctx context.Context, m *member) error {
	fit := 0
	for _, m := range c.members {
		if m.fit() {
			fit++
		}
	}
	if !m.fit() || fit < c.majority() {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, errNoQuorum)
	defer cancel()
	if err := m.serves(ctx); err != nil {
		return err
	}
	if m.full {
		return c.drain(ctx)
	}
	return nil
}

// wire cuts the links that are to be cut, and mends all others.
func (c *Cluster) wire() error {
	var errs []error
	for _, m := range c.members {
		if !m.up() || m.paused {
			continue // when it is back
		}
		var cut []uint64
		for _, peer := range c.members {
			if peer != m && (m.isolated || peer.isolated) {
				cut = append(cut, peer.id)
			}
		}
		errs = append(errs, m.cutOff(cut))
	}
	return errors.Join(errs...)
}

// fit says whether a member can be part of a quorum.
func (m *member) fit() bool { return m.up() && !m.paused && !m.isolated }

// fit are the members that can be part of a quorum.
func (c *Cluster) fit() []*member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.members), func(m *member) bool { return !m.fit() })
}

// leader asks the members that are fit.
func (c *Cluster) leader(ctx context.Context) (*member, error) {
	ctx, cancel := context.WithTimeout(ctx, statusWithin)
	defer cancel()
	fit := c.fit()
	var mu sync.Mutex
	votes := map[uint64]int{}
	each(fit, func(m *member) {
		if lead, err := m.follows(ctx); err == nil {
			mu.Lock()
			defer mu.Unlock()
			votes[lead]++
		}
	})
	for _, m := range fit {
		if votes[m.id] >= c.majority() {
			return m, nil
		}
	}
	return nil, errors.New("no leader")
}

// follows returns the id of the leader that the member knows.
func (m *member) follows(ctx context.Context) (uint64, error) {
	cli, err := dialMembers(m)
	if err != nil {
		return 0, err
	}
	defer cli.Close()
	s, err := cli.Status(ctx, m.client)
	if err != nil {
		return 0, err
	}
	return s.Leader, nil
}

// dialMembers connects to members themselves.
func dialMembers(members ...*member) (*clientv3.Client, error) {
	var eps []string
	for _, m := range members {
		eps = append(eps, m.client)
	}
	return clientv3.New(clientv3.Config{Endpoints: eps, Logger: zap.NewNop()})
}
