package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"locktop/chaos/gate"
	"locktop/chaos/proxy"
	"locktop/demo/cluster"
	"locktop/demo/process"
	"locktop/demo/resource"
	"locktop/model"
	"locktop/watcher/queue"
)

// ErrClosed says that the lab was closed.
var ErrClosed = errors.New("the lab is closed")

// reportsLimit is how many reports wait, of those of which some can go.
const reportsLimit = 4_000

// Lab is a cluster with a proxy before it and contenders on it. It is a
// [model.Source] of their reports and a [gate.Lab]. All methods may be called from
// any goroutine, Next by one at a time.
type Lab struct {
	*labState
	cluster    *cluster.Cluster // nil if the members are not ours
	free       func()           // gives up the ports of its members, nil likewise
	audit      *os.File
	reaper     *reaper // nil where no program of the user's own is started
	faults     *activeFaults
	supervisor *supervisor
	data       *writer

	once     sync.Once
	closeErr error
}

// labState is what the parts of a lab share.
type labState struct {
	o        Options
	dir      *labDir
	proxy    *proxy.Proxy
	resource *resource.Resource
	reports  *queue.Queue
	procLog  *os.File // what contenders print where errors go

	ctx    context.Context // ends with the lab
	cancel context.CancelFunc
	ops    sync.WaitGroup // one per action and timer that is at work; add with begin

	mu     sync.Mutex // of all parts; never held while something is waited for, but for a process to stop
	closed bool
}

// begin counts something that is being done to the lab, which Close waits for. False
// if the lab is closed. The caller has the mutex, and calls ops.Done afterwards.
func (s *labState) begin() bool {
	if s.closed {
		return false
	}
	s.ops.Add(1)
	return true
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
	s := &labState{o: o, reports: queue.New(reportsLimit, o.Now)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	l := &Lab{labState: s, faults: &activeFaults{labState: s}}
	l.supervisor, l.data = newSupervisor(s, l.faults), &writer{labState: s, members: l.MemberEndpoints}
	if err := l.start(ctx, known); err != nil {
		return nil, fmt.Errorf("start the lab: %w", errors.Join(err, l.Close()))
	}
	return l, nil
}

// start builds the lab in place. After an error, Close takes down the parts that exist.
func (l *Lab) start(ctx context.Context, known []*program) (err error) {
	for _, path := range sweep(time.Now()) {
		l.o.Progress(model.Say("cleaned-up-after", path))
	}
	if l.dir, err = newLabDir(); err != nil {
		return err
	}
	if l.audit, err = l.dir.openFile("actions.jsonl"); err != nil {
		return err
	}
	if l.procLog, err = l.dir.openFile("contenders.log"); err != nil {
		return err
	}
	if len(l.o.Sockets) > 0 {
		if err := l.dir.recordSockets(slices.Clone(l.o.Sockets)); err != nil {
			return err
		}
	}
	if len(l.o.ReaperCommand) > 0 && (len(l.o.Sockets) > 0 || slices.ContainsFunc(known, func(pr *program) bool { return pr.command != nil })) {
		if l.reaper, err = startReaper(l.o.ReaperCommand, l.dir.path); err != nil {
			return err
		}
	}
	if err := l.startMembers(ctx); err != nil {
		return err
	}
	if err := l.startResource(known); err != nil {
		return err
	}
	l.supervisor.know(known)
	if l.o.Spec != nil {
		l.ops.Go(l.supervisor.watchStarved)
	}
	l.o.Progress(model.Say("starting-contenders", len(l.supervisor.first)))
	if l.o.Held {
		return ctx.Err()
	}
	return l.Begin(ctx)
}

// startMembers starts the proxy and the members behind it, if they are ours. The
// ports between the two are chosen before either listens, so they may be taken by
// then: another try.
func (l *Lab) startMembers(ctx context.Context) (err error) {
	if len(l.o.Endpoints) > 0 {
		return l.startProxy(l.o.Endpoints)
	}
	l.o.Progress(model.Say("starting-members", l.o.Members))
	try := 0
	var proxyErr error // not about these ports
	l.free, err = process.StartOnPorts(l.o.Members, l.moves, func(backends []string) error {
		if try++; try > 1 {
			l.proxy.Close()
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
		Quota: l.quota(), Moves: l.moves, Elects: func() { l.o.Progress(model.Say("waiting-for-a-leader")) }}
	if l.o.Processes {
		o.Process, o.Start = l.o.MemberSelf, l.supervisor.runMember
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

func (l *Lab) startProxy(backends []string) (err error) {
	l.proxy, err = proxy.New(proxy.Options{Backends: backends, Names: memberNames(len(backends)),
		BackendTLS: l.o.TLS, ServerTLS: l.o.ServerTLS, Foreign: len(l.o.Endpoints) > 0,
		SharedPort: l.o.Port, Now: l.o.Now, Report: l.supervisor.fromProxy,
		Count: l.o.Spec != nil && l.o.Spec.Counts})
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
	l.resource, err = resource.New(resource.Options{Fence: fence, Report: l.reports.Add, Now: l.o.Now})
	return err
}

// Begin starts the contenders that Options.Held kept back; without it, and the second
// time, it does nothing. Once all of them are started it has done its part, whatever ctx
// says: how a program ends that was told to is news of that program.
func (l *Lab) Begin(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	return l.supervisor.start(ctx)
}

// Dir is the directory that holds everything the lab writes, until Close.
func (l *Lab) Dir() string { return l.dir.path }

// Endpoints are the addresses (host:port) that a person is told: listeners of the
// proxy that all clients share.
func (l *Lab) Endpoints() []string { return l.proxy.Shared() }

// Listen opens listeners for a client of a name that nobody has yet: faults of that name hit it alone.
// They are there until the lab closes.
func (l *Lab) Listen(name string) ([]string, error) { return l.proxy.Listen(name) }

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
	return l.data.foreignLeader(ctx)
}

// Contenders are the names of the processes of contenders that are alive, in the
// order of their start.
func (l *Lab) Contenders() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.supervisor.alive()
}

// AuditLogPath is the file for the audit log.
func (l *Lab) AuditLogPath() string { return l.audit.Name() }

// AuditLog writes to that file. It is good until Close.
func (l *Lab) AuditLog() io.Writer { return l.audit }

// moves says that other ports are tried.
func (l *Lab) moves(from []string, why error) {
	l.o.Progress(model.Say("other-ports", model.Verbatim(strings.Join(from, ", ")), model.Verbatim(why.Error())))
}

// Report adds what somebody else has to tell to the lab's own reports. It never
// blocks.
func (l *Lab) Report(e model.Event) { l.reports.Add(e) }

// Next returns the reports of the contenders, the proxy and [Lab.Report]. Of want it
// heeds WakeAt. After Close it returns what is left, then [ErrClosed].
func (l *Lab) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b, err := l.reports.Next(ctx, want)
	if errors.Is(err, queue.ErrClosed) {
		err = ErrClosed
	}
	return b, err
}
