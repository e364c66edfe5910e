package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/demo/process"

	"go.etcd.io/etcd/server/v3/etcdserver"
)

// moveWithin bounds a move of the leader.
const moveWithin = 5 * time.Second

// Names are the names of the members, m1 first.
func (c *Cluster) Names() []string {
	var names []string
	for _, m := range c.members {
		names = append(names, m.name)
	}
	return names
}

// PIDs are the processes of the members that run, by name; empty where members are
// embedded.
func (c *Cluster) PIDs() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	pids := map[string]int{}
	for _, m := range c.members {
		if m.proc != nil && m.up() {
			pids[m.name] = m.proc.PID()
		}
	}
	return pids
}

// Down are the names of the members that do not run, because they were stopped or
// ended by themselves.
func (c *Cluster) Down() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, m := range c.members {
		if !m.up() {
			names = append(names, m.name)
		}
	}
	return names
}

// Leader returns the name of the leader that a majority of the members agree on. It
// is an error if there is none, or if that one is stopped, paused or isolated, as
// the others have not noticed yet.
func (c *Cluster) Leader(ctx context.Context) (string, error) {
	lead, err := c.leader(ctx)
	if err != nil {
		return "", fmt.Errorf("look for the leader: %w", err)
	}
	return lead.name, nil
}

// StopMember stops a member as a crash would, without a word to the others. It keeps
// its data and its ports for StartMember.
func (c *Cluster) StopMember(name string) error {
	m, _, done, err := c.begin(context.Background(), "stop", name)
	if err != nil {
		return err
	}
	defer done()
	if m.stopped() {
		return fmt.Errorf("%s is stopped already", name)
	}
	if !m.up() {
		return fmt.Errorf("%s has ended already (%s); start it again", name, m.howEnded())
	}
	c.halt(m)
	return nil
}

// StartMember starts a member that was stopped or has ended, and waits until it
// serves if there is a quorum to be part of. If it was isolated it still is, and
// answers no client until it is joined: etcd needs a leader to begin. After an error
// it may run all the same, and serve later: see Down.
func (c *Cluster) StartMember(ctx context.Context, name string) error {
	m, ctx, done, err := c.begin(ctx, "start", name)
	if err != nil {
		return err
	}
	defer done()
	if m.up() {
		return fmt.Errorf("%s is running already", name)
	}
	if !m.stopped() {
		c.halt(m) // what is left of it
	}
	if err := c.launch(ctx, m); err != nil {
		return err
	}
	if err := c.wire(); err != nil {
		return err
	}
	return c.back(ctx, m)
}

// PauseMember stops the process of a member in its tracks, with its connections open.
// When it returns the member says nothing more.
func (c *Cluster) PauseMember(name string) error {
	m, _, done, err := c.begin(context.Background(), "pause", name)
	if err != nil {
		return err
	}
	defer done()
	switch {
	case len(c.o.Process) == 0:
		return fmt.Errorf("pause %s: pausing needs members that are processes", name)
	case !m.up():
		return notRunning(m)
	case m.paused:
		return fmt.Errorf("%s is paused already", name)
	}
	if err := m.proc.Pause(); err != nil {
		return fmt.Errorf("pause %s: %w", name, err)
	}
	c.set(func() { m.paused = true })
	return nil
}

// ResumeMember lets a paused member run on.
func (c *Cluster) ResumeMember(name string) error {
	m, ctx, done, err := c.begin(context.Background(), "resume", name)
	if err != nil {
		return err
	}
	defer done()
	switch {
	case !m.up():
		return notRunning(m)
	case !m.paused:
		return fmt.Errorf("%s is not paused", name)
	}
	if err := m.proc.Signal(process.SigContinue); err != nil {
		return fmt.Errorf("resume %s: %w", name, err)
	}
	c.set(func() { m.paused = false })
	if err := c.wire(); err != nil { // what it missed
		return err
	}
	return c.back(ctx, m)
}

// Isolate cuts a member off from the others, both ways. Its clients still reach it.
func (c *Cluster) Isolate(name string) error {
	m, _, done, err := c.begin(context.Background(), "isolate", name)
	if err != nil {
		return err
	}
	defer done()
	switch {
	case len(c.members) == 1:
		return fmt.Errorf("isolate %s: it has no others to be cut off from", name)
	case !m.up():
		return notRunning(m)
	case m.isolated:
		return fmt.Errorf("%s is isolated already", name)
	}
	c.set(func() { m.isolated = true })
	if err := c.wire(); err != nil {
		c.set(func() { m.isolated = false })
		return errors.Join(err, c.wire())
	}
	return nil
}

// Join ends Isolate, also for a member that is stopped by now.
func (c *Cluster) Join(name string) error {
	m, ctx, done, err := c.begin(context.Background(), "join", name)
	if err != nil {
		return err
	}
	defer done()
	if !m.isolated {
		return fmt.Errorf("%s is not isolated", name)
	}
	c.set(func() { m.isolated = false })
	if err := c.wire(); err != nil {
		return err
	}
	if !m.up() {
		return nil
	}
	return c.back(ctx, m)
}

// Slow delays what the others send to a member, in order and at full rate; 0 ends
// that. It survives a restart of the member.
func (c *Cluster) Slow(name string, by time.Duration) error {
	m, _, done, err := c.begin(context.Background(), "slow", name)
	if err != nil {
		return err
	}
	defer done()
	switch {
	case len(c.members) == 1:
		return fmt.Errorf("slow %s: there are no others that send to it", name)
	case by < 0:
		return fmt.Errorf("slow %s: a delay of %v: want 0 or more", name, by)
	}
	m.link.delay.Store(int64(by))
	c.slows.set(m.id, by)
	return nil
}

// MoveLeader makes another member the leader and returns its name.
func (c *Cluster) MoveLeader(ctx context.Context) (string, error) {
	ctx, done, err := c.lock(ctx)
	if err != nil {
		return "", fmt.Errorf("move the leader: %w", err)
	}
	defer done()
	if len(c.members) == 1 {
		return "", fmt.Errorf("move the leader: %s is alone", c.members[0].name)
	}
	from, err := c.leader(ctx)
	if err != nil {
		return "", fmt.Errorf("move the leader: %w", err)
	}
	// The one after it, so that all get their turn.
	i := slices.Index(c.members, from)
	for _, to := range slices.Concat(c.members[i+1:], c.members[:i]) {
		if to.fit() {
			return to.name, move(ctx, from, to)
		}
	}
	return "", fmt.Errorf("move the leader: nobody is left to take over from %s", from.name)
}

// move makes to the leader.
func move(ctx context.Context, from, to *member) error {
	ctx, cancel := context.WithTimeout(ctx, moveWithin)
	defer cancel()
	cli, err := dialMembers(from)
	if err != nil {
		return fmt.Errorf("move the leader: %w", err)
	}
	defer cli.Close()
	if _, err := cli.MoveLeader(ctx, to.id); err != nil {
		return fmt.Errorf("move the leader from %s to %s: %w", from.name, to.name, err)
	}
	return nil
}

// LoseQuorum stops as many members as it takes, the leader among them, and returns
// their names: StartMember brings them back.
func (c *Cluster) LoseQuorum() ([]string, error) {
	ctx, done, err := c.lock(context.Background())
	if err != nil {
		return nil, fmt.Errorf("lose the quorum: %w", err)
	}
	defer done()
	var up []*member
	for _, m := range c.members {
		if m.up() {
			up = append(up, m)
		}
	}
	n := len(up) - c.majority() + 1
	if n <= 0 {
		return nil, fmt.Errorf("lose the quorum: it is lost already, with %s stopped", strings.Join(c.Down(), ", "))
	}
	if lead, err := c.leader(ctx); err == nil { // else any will do
		i := slices.Index(up, lead)
		up[0], up[i] = up[i], up[0]
	}
	each(up[:n], c.halt)
	var names []string
	for _, m := range up[:n] {
		names = append(names, m.name)
	}
	slices.Sort(names)
	return names, nil
}

// Paused says whether a member is paused. What resumes a member may have done so and
// fail afterwards, as the member does not serve in time: a second try has nothing to do.
func (c *Cluster) Paused(name string) bool {
	return c.memberIs(name, func(m *member) bool { return m.paused })
}

// Isolated says whether a member is cut off. As with [Cluster.Paused], what joins it
// again may have done so and fail afterwards.
func (c *Cluster) Isolated(name string) bool {
	return c.memberIs(name, func(m *member) bool { return m.isolated })
}

func (c *Cluster) memberIs(name string, what func(*member) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.members, func(m *member) bool { return m.name == name && what(m) })
}

// Inside is an embedded member from inside, for failures that no request can cause.
type Inside struct {
	Name, Endpoint string
	Server         *etcdserver.EtcdServer

	member *member
	link   *link
}

// Inside returns the embedded members that run.
func (c *Cluster) Inside() []Inside {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Inside
	for i, m := range c.members {
		if m.etcd != nil {
			all = append(all, Inside{m.name, m.client, m.etcd.Server, m, c.links[i]})
		}
	}
	return all
}

// Vanish ends the member as if its machine had gone: its clients and peers are not told.
func (i Inside) Vanish() {
	i.member.stopServing()
	i.link.Close()
	i.Server.HardStop()
}

// Delay returns by how much what the member hears is late, see [Cluster.Slow].
func (c *Cluster) Delay(name string) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.name == name {
			return time.Duration(m.link.delay.Load())
		}
	}
	return 0
}
