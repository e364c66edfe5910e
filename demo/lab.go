package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos/gate"
	"locktop/chaos/proxy"
	"locktop/demo/cluster"
	"locktop/demo/ports"
	"locktop/demo/process"
	"locktop/demo/resource"
	"locktop/model"
)

// Lab is a cluster with a proxy before it and contenders on it. It is a
// [model.Source] of their reports and a [chaos.Lab]. All methods may be called from
// any goroutine, Next by one at a time.
type Lab struct {
	o        Options
	dir      *labDir
	proxy    *proxy.Proxy
	cluster  *cluster.Cluster // nil if the members are not ours
	free     func()           // gives up the ports of its members, nil likewise
	resource *resource.Resource
	box      *mailbox
	journal  *os.File
	procLog  *os.File // what contenders print where errors go
	spawner  *spawner

	ctx    context.Context // ends with the lab
	cancel context.CancelFunc
	wg     sync.WaitGroup // one per contender
	ops    sync.WaitGroup // one per action and timer that is at work; add with begin

	mu        sync.Mutex // never held while something is waited for, but for a process to stop
	closed    bool
	programs  map[string]*program // all that ever were
	first     []*program          // those that Begin has yet to start
	procs     map[string]*proc    // alive
	spawned   int                 // contenders so far
	members   []procRecord        // processes of members, also such that have ended
	recipes   map[string]string   // of each lock
	claims    map[string][]spoken // of each contender as it says, the latest last
	faults    []*fault            // in force, or about to be, oldest first
	faultID   int
	lastGuest *proc            // Command, when it has ended
	client    *clientv3.Client // for faults of the data; nil before the first

	once     sync.Once
	closeErr error
}

var (
	_ model.Source = (*Lab)(nil)
	_ gate.Lab     = (*Lab)(nil)
)

// Start cleans up after labs that died, and starts one. It returns when the members
// serve and the contenders are started. On an error, ctx's included, nothing of it
// is left; that of a Port in use matches [syscall.EADDRINUSE]. ctx is for the start
// only: the lab lives until Close.
func Start(ctx context.Context, o Options) (*Lab, error) {
	o, known, err := o.complete()
	if err != nil {
		return nil, fmt.Errorf("start the lab: %w", err)
	}
	l := &Lab{o: o, box: newMailbox(), spawner: newSpawner(), programs: map[string]*program{},
		procs: map[string]*proc{}, recipes: map[string]string{}, claims: map[string][]spoken{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	if err := l.start(ctx, known); err != nil {
		return nil, fmt.Errorf("start the lab: %w", errors.Join(err, l.Close()))
	}
	return l, nil
}

// start builds the lab in place. After an error, Close takes down the parts that exist.
func (l *Lab) start(ctx context.Context, known []*program) (err error) {
	for _, path := range sweep(time.Now()) {
		l.o.Progress("cleaned up after a lab that died: " + path)
	}
	if l.dir, err = newLabDir(); err != nil {
		return err
	}
	if l.journal, err = l.openFile("journal.jsonl"); err != nil {
		return err
	}
	if l.procLog, err = l.openFile("contenders.log"); err != nil {
		return err
	}
	if err := l.startMembers(ctx); err != nil {
		return err
	}
	if err := l.startResource(known); err != nil {
		return err
	}
	l.know(known)
	l.o.Progress(fmt.Sprintf("starting %d contenders", len(l.first)))
	if l.o.Held {
		return ctx.Err()
	}
	return l.Begin(ctx)
}

func (l *Lab) openFile(name string) (*os.File, error) {
	f, err := os.OpenFile(l.dir.file(name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open a file of the lab: %w", err)
	}
	return f, nil
}

// startMembers starts the proxy and the members behind it, if they are ours. The
// ports between the two are chosen before either listens, so they may be taken by
// then: another try.
func (l *Lab) startMembers(ctx context.Context) (err error) {
	if len(l.o.Endpoints) > 0 {
		return l.startProxy(l.o.Endpoints)
	}
	l.o.Progress(fmt.Sprintf("starting %d etcd members", l.o.Members))
	try := 0
	var proxyErr error // not about these ports
	l.free, err = ports.Start(l.o.Members, l.o.Progress, func(backends []string) error {
		if try++; try > 1 {
			if proxyErr = l.proxy.Close(); proxyErr != nil {
				return nil
			}
		}
		if proxyErr = l.startProxy(backends); proxyErr != nil {
			return nil
		}
		dir := l.dir.file(fmt.Sprintf("etcd%d", try))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return fmt.Errorf("make the cluster's directory: %w", err)
		}
		var err error
		l.cluster, err = cluster.Start(ctx, l.clusterOptions(dir, backends))
		return err
	})
	return errors.Join(proxyErr, err)
}

func (l *Lab) clusterOptions(dir string, addrs []string) cluster.Options {
	o := cluster.Options{Members: l.o.Members, Dir: dir, Advertise: l.proxy.Shared(), ClientAddrs: addrs,
		Quota: l.quota(), Progress: l.o.Progress}
	if l.o.Processes {
		o.Process, o.Start = l.o.MemberSelf, l.runMember
	}
	return o
}

// quota is small where a drill fills it, as filling takes its time. A lab that people
// watch for hours gets the most.
func (l *Lab) quota() int64 {
	if l.o.Spec != nil {
		return cluster.MaxFill / 4
	}
	return cluster.MaxFill
}

// runMember starts the process of a member, and writes down who has to be killed if
// the lab dies.
func (l *Lab) runMember(cmd *exec.Cmd) error {
	if err := l.spawner.run(cmd); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	start, _ := process.StartTime(cmd.Process.Pid) // without it, it has ended already
	l.members = append(l.members, procRecord{pid: cmd.Process.Pid, start: start, name: "member"})
	l.record()
	return nil
}

func (l *Lab) startProxy(backends []string) (err error) {
	l.proxy, err = proxy.New(proxy.Options{Backends: backends, Names: memberNames(len(backends)),
		BackendTLS: l.o.TLS, ServerTLS: l.o.ServerTLS, Foreign: len(l.o.Endpoints) > 0,
		SharedPort: l.o.Port, Now: l.o.Now, Report: l.fromProxy})
	if errors.Is(err, syscall.EADDRINUSE) && l.o.Port != 0 {
		return fmt.Errorf("port %d or one of the %d after it is in use; choose another: %w",
			l.o.Port, len(backends)-1, err)
	}
	return err
}

// startResource starts what contenders guard by their locks, if one does.
func (l *Lab) startResource(known []*program) (err error) {
	fence := l.o.Fence
	if l.o.Spec != nil {
		fence = l.o.Spec.Fence
	}
	if fence == "" && !slices.ContainsFunc(known, func(pr *program) bool { return pr.guarded }) {
		return nil
	}
	l.resource, err = resource.New(resource.Options{Fence: fence, Report: l.box.put, Now: l.o.Now})
	return err
}

// know remembers what the contenders are and compete for.
func (l *Lab) know(known []*program) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.o.Locks {
		lock, recipe := parseLock(s)
		l.recipes[lock] = recipe
	}
	for _, pr := range known {
		l.programs[pr.o.Name] = pr
		for _, lock := range pr.o.Locks {
			l.recipes[lock] = pr.o.Recipe
		}
		if !pr.later {
			l.first = append(l.first, pr)
		}
	}
}

// Begin starts the contenders that Options.Held kept back; without it, and the second
// time, it does nothing.
func (l *Lab) Begin(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	for len(l.first) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if pr := l.first[0]; l.procs[pr.o.Name] == nil { // nobody was quicker
			if _, err := l.spawn(pr); err != nil {
				return err
			}
		}
		l.first = l.first[1:]
	}
	return ctx.Err()
}

// begin counts something that is being done to the lab, which Close waits for. False
// if the lab is closed. The caller has the mutex, and calls ops.Done afterwards.
func (l *Lab) begin() bool {
	if l.closed {
		return false
	}
	l.ops.Add(1)
	return true
}

// Dir is the directory that holds everything the lab writes, until Close.
func (l *Lab) Dir() string { return l.dir.path }

// Endpoints are the addresses (host:port) that a person is told: listeners of the
// proxy that all clients share.
func (l *Lab) Endpoints() []string { return l.proxy.Shared() }

// MemberEndpoints are the members' own addresses (host:port), for connections that
// no fault of the proxy is to touch: the console's.
func (l *Lab) MemberEndpoints() []string {
	if l.cluster == nil {
		return slices.Clone(l.o.Endpoints)
	}
	return l.cluster.MemberEndpoints()
}

// Members are the names of the members, in the order of their endpoints.
func (l *Lab) Members() []string { return memberNames(l.o.Members) }

// Leader returns the name of the member that leads. It asks the members, and fails
// if none of them knows a leader before ctx ends.
func (l *Lab) Leader(ctx context.Context) (string, error) {
	if l.cluster != nil {
		return l.cluster.Leader(ctx)
	}
	return l.foreignLeader(ctx)
}

// Contenders are the names of the processes of contenders that are alive, in the
// order of their start.
func (l *Lab) Contenders() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.alive()
}

// JournalPath is the file for the journal of actions.
func (l *Lab) JournalPath() string { return l.journal.Name() }

// Journal writes to that file. It is good until Close.
func (l *Lab) Journal() io.Writer { return l.journal }

// Report adds what somebody else has to tell to the lab's own reports. It never
// blocks.
func (l *Lab) Report(e model.Event) { l.box.put(e) }

// Next returns the reports of the contenders, the proxy and [Lab.Report]. Of want it
// heeds WakeAt. After Close it returns what is left, then [ErrClosed].
func (l *Lab) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	return l.box.next(ctx, want.WakeAt, l.o.Now)
}
