package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"locktop/demo/process"
)

const (
	// heartbeat and election are a compromise: half of etcd's defaults shows a
	// lost leader within a second, and still has room for ten missed heartbeats
	// on a machine whose cores are busy with something else.
	heartbeat = 50 * time.Millisecond
	election  = 500 * time.Millisecond

	// minTTL is the shortest TTL in seconds that the cluster grants. etcd raises
	// whatever is below ceil(1.5 * election timeout).
	minTTL = 1

	// readyWithin bounds the wait for quorum where the caller's context does not.
	readyWithin = 40 * time.Second
	// firstLeadsEvery is the pause between two tries to make m1 the leader.
	firstLeadsEvery = 100 * time.Millisecond
)

// Options says what cluster to start.
type Options struct {
	// Members is 1, 3 or 5.
	Members int
	// Dir is where the data and the log go. It has to exist and to be empty.
	Dir string
	// Advertise are the client addresses (host:port, one per member) that the
	// members tell to clients which ask: the shared listeners of the proxy, so
	// that an endpoint sync stays inside of it. Empty: ClientAddrs.
	Advertise []string
	// ClientAddrs are the addresses (host:port, one per member) that the members
	// listen on for clients. Empty: free ports of 127.0.0.1.
	ClientAddrs []string
	// Process is a command line that runs one member as a process, to which the
	// cluster appends the arguments of [RunMember]. The program gets PATH as its
	// environment, and no terminal. Empty: the members are embedded.
	Process []string
	// Start starts such a process; default cmd.Start. The system kills the process
	// with the thread that started it, so whoever has threads that end gives a
	// function here that uses one that does not.
	Start func(*exec.Cmd) error
	// Quota is how many bytes a member's database may grow to, at most [MaxFill] if
	// [Cluster.Fill] is to work. 0: etcd's default of 2 GiB.
	Quota int64
	// Moves, if set, is called when somebody was quicker to take one of these addresses, and Elects when
	// the members are there and have to elect a leader: somebody may be waiting.
	Moves  func(from []string, why error)
	Elects func()
}

// Cluster is an etcd cluster on the loopback interface, whose members are embedded
// or processes, and can be broken one by one: see members.go. It keeps nothing across
// its end: writes are not synced to the disk. All methods may be called from any
// goroutine; those that break or mend something come one after another.
type Cluster struct {
	o       Options
	members []*member
	links   []*link // in front of the members' peer ports
	log     *os.File
	lg      *zap.Logger
	slows   slows  // of what the members send each other
	free    func() // gives up the ports, which stay ours while a member is stopped
	once    sync.Once

	life context.Context // ends with Close
	end  context.CancelFunc
	// ops keeps breaking and mending in sequence. The fields of a member are written
	// with both ops and mu held, so either is enough to read them.
	ops, mu sync.Mutex
}

// Start starts the members and returns when all of them serve. On an
// error, ctx's included, nothing is left running. Taken ports that it chose itself it
// replaces. With ClientAddrs the error of a taken port matches [syscall.EADDRINUSE],
// and whoever chose them chooses again.
func Start(ctx context.Context, o Options) (c *Cluster, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	try := 0
	start := func(addrs []string) (err error) {
		try++
		c, err = startOnce(ctx, o, addrs, filepath.Join(o.Dir, "try"+strconv.Itoa(try)))
		return err
	}
	var free func()
	if len(o.ClientAddrs) == 0 {
		free, err = process.StartOnPorts(2*o.Members, o.moves, start)
	} else {
		var peers []string
		if peers, free, err = process.KeepPorts(o.Members); err == nil {
			if err = start(slices.Concat(peers, o.ClientAddrs)); err != nil {
				free()
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("start the cluster: %w", err)
	}
	c.free = free
	return c, nil
}

func (o Options) moves(from []string, why error) {
	if o.Moves != nil {
		o.Moves(from, why)
	}
}

// check rejects options that cannot work.
func (o Options) check() error {
	if o.Members != 1 && o.Members != 3 && o.Members != 5 {
		return fmt.Errorf("start the cluster: %d members: want 1, 3 or 5", o.Members)
	}
	for _, list := range [][]string{o.Advertise, o.ClientAddrs} {
		if len(list) != 0 && len(list) != o.Members {
			return fmt.Errorf("start the cluster: %d addresses for %d members", len(list), o.Members)
		}
	}
	return nil
}

// startOnce starts the members on these addresses: those for peers, then those for clients.
func startOnce(ctx context.Context, o Options, addrs []string, dir string) (_ *Cluster, err error) {
	log, err := openLog(filepath.Join(o.Dir, logName))
	if err != nil {
		return nil, err
	}
	c := &Cluster{o: o, log: log, lg: fileLogger(log)}
	c.life, c.end = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	all, err := c.plan(o, addrs, dir)
	if err != nil {
		return nil, err
	}
	for i, p := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m := &member{name: p.Name, client: p.Client, plan: p, link: c.links[i]}
		c.members = append(c.members, m)
		// One after another: started at the same time, each asks the others whether
		// it is a member already and waits a second for every port that is open but
		// not served yet.
		if err := c.launch(ctx, m); err != nil {
			return nil, err
		}
		m.plan.Existing = true // from now on
	}
	if o.Elects != nil {
		o.Elects()
	}
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	return c, c.firstLeads(ctx)
}

// logName is the file for what the members log, in the cluster's directory.
const logName = "etcd.log"

func openLog(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return f, nil
}

// plan gives the members their addresses and starts the links.
func (c *Cluster) plan(o Options, addrs []string, dir string) ([]memberPlan, error) {
	peers, clients := addrs[:o.Members], addrs[o.Members:]
	advertise := o.Advertise
	if len(advertise) == 0 {
		advertise = clients
	}
	all := make([]memberPlan, o.Members)
	var names []string
	for i := range all {
		k, err := newLink(peers[i], &c.slows)
		if err != nil {
			return nil, err
		}
		c.links = append(c.links, k)
		name := "m" + strconv.Itoa(i+1)
		all[i] = memberPlan{Name: name, Dir: filepath.Join(dir, name), Log: filepath.Join(o.Dir, logName),
			Client: clients[i], Advertise: advertise[i], Peer: peers[i], PeerLink: k.Addr(), Quota: o.Quota}
		names = append(names, name+"=http://"+k.Addr())
	}
	for i := range all {
		all[i].Cluster = strings.Join(names, ",")
	}
	return all, nil
}

// fileLogger writes etcd's log to f. It is no sink of zap's own, because those
// are never closed.
func fileLogger(f *os.File) *zap.Logger {
	enc := zap.NewProductionEncoderConfig()
	enc.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	sink := zapcore.Lock(f)
	return zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(enc), sink, zap.InfoLevel), zap.ErrorOutput(sink))
}

// ready waits until every member serves.
func (c *Cluster) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, errNoQuorum)
	defer cancel()
	for _, m := range c.members {
		if err := m.serves(ctx); err != nil {
			return err
		}
	}
	return nil
}

// firstLeads makes m1 the leader, so that a lab begins the same each time: who is
// elected is chance, and what happens to a member depends on whether it leads.
func (c *Cluster) firstLeads(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, errNoQuorum)
	defer cancel()
	first := c.members[0]
	for {
		lead, err := c.leader(ctx)
		if err == nil && lead == first {
			return nil
		}
		if err == nil {
			err = move(ctx, lead, first)
		}
		// On a busy machine it may be elected away meanwhile.
		if err != nil && !process.Sleep(ctx, nil, firstLeadsEvery) {
			return fmt.Errorf("make %s the leader: %w (at last: %v)", first.name, context.Cause(ctx), err)
		}
	}
}

// MemberEndpoints are the addresses (host:port) that the members themselves
// listen on for clients, in the order of their names m1, m2, …
func (c *Cluster) MemberEndpoints() []string {
	eps := make([]string, len(c.members))
	for i, m := range c.members {
		eps[i] = m.client
	}
	return eps
}

// Close ends the members at once, whatever state they are in and with whatever
// connections and watches are open, and returns when nothing of them runs. The files
// stay for whoever owns the directory. It may be called more than once.
func (c *Cluster) Close() {
	c.once.Do(func() {
		if c.end != nil {
			c.end() // whoever waits for something in the cluster gives up
		}
		c.ops.Lock()
		defer c.ops.Unlock()
		// First all connections, then all servers, then the rest: what Close of one
		// member waits for is gone by then.
		each(c.members, func(m *member) { m.stopServing() })
		for _, k := range c.links {
			k.Close()
		}
		each(c.members, func(m *member) { m.hardStop() })
		each(c.members, func(m *member) { m.release() })
		if c.free != nil {
			c.free()
		}
		c.log.Close()
	})
}

// each calls f for all members at the same time and waits.
func each(members []*member, f func(*member)) {
	var wg sync.WaitGroup
	for _, m := range members {
		wg.Go(func() { f(m) })
	}
	wg.Wait()
}
