package demo

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/demo/contender"
	"locktop/demo/process"
	"locktop/model"
)

// proc is a contender's process as the lab sees it.
type proc struct {
	*program
	seq   int // processes in the order of their start
	cmd   *exec.Cmd
	stdin io.WriteCloser // a life line: the contender ends with it; nil for a command
	start string

	// Guarded by the lab's mutex.
	paused    bool
	stopping  bool // by a fault
	asked     bool // to end, with what it has started, because the lab or it ends
	killTimer *time.Timer
}

func (p *proc) name() string { return p.o.Name }

func (p *proc) pid() int { return p.cmd.Process.Pid }

// signal sends s. A process that is over by now is no error: its end is reported
// by who waits for it.
func (p *proc) signal(s os.Signal) { _ = process.SignalGroup(p.cmd.Process, s) }

// send sends s because somebody asked for what verb says.
func (p *proc) send(s os.Signal, verb string) error {
	return p.said(verb, process.SignalGroup(p.cmd.Process, s))
}

// said is what sending a signal came to, in words.
func (p *proc) said(verb string, err error) error {
	if errors.Is(err, os.ErrProcessDone) {
		return errEnded(p.name())
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", verb, p.name(), err)
	}
	return nil
}

func errEnded(name string) error {
	return fmt.Errorf("%s has ended; %s another", name, model.SpawnProc)
}

// spawner starts processes from one thread that lives as long as the lab, because
// the system kills contenders when the thread that started them ends.
type spawner struct {
	cmds chan *exec.Cmd
	errs chan error
}

func newSpawner() *spawner {
	s := &spawner{cmds: make(chan *exec.Cmd), errs: make(chan error)}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		for cmd := range s.cmds {
			s.errs <- cmd.Start()
		}
	}()
	return s
}

// run starts a process. Calls come one after another.
func (s *spawner) run(cmd *exec.Cmd) error {
	s.cmds <- cmd
	return <-s.errs
}

func (s *spawner) stop() { close(s.cmds) }

// spawn starts a contender that does not run. The caller has the mutex.
func (l *Lab) spawn(pr *program) (*proc, error) {
	name := pr.o.Name
	endpoints, err := l.proxy.Listen(name)
	if err != nil {
		return nil, fmt.Errorf("start contender %s: %w", name, err)
	}
	if pr.member != "" {
		i := slices.Index(memberNames(len(endpoints)), pr.member)
		endpoints = endpoints[i : i+1]
	}
	l.spawned++
	p := &proc{program: pr, seq: l.spawned}
	if err := l.run(p, endpoints); err != nil {
		l.proxy.Forget(name)
		return nil, fmt.Errorf("start contender %s: %w", name, err)
	}
	l.procs[name] = p
	l.programs[name] = pr
	pr.ran = true
	for _, who := range append(pr.workers(), name) {
		delete(l.claims, who)
	}
	for _, lock := range pr.o.Locks {
		l.recipes[lock] = pr.o.Recipe
	}
	l.tell(p, model.ProcRunning, "")
	l.record()
	l.wg.Go(func() {
		if p.command != nil {
			l.awaitGroup(p)
		}
		_ = p.cmd.Wait() // how it ended is in its ProcessState
		l.ended(p)
	})
	return p, nil
}

// run starts p's process.
func (l *Lab) run(p *proc, endpoints []string) (err error) {
	if p.command != nil {
		p.cmd = l.userCommand(p, endpoints)
	} else if p.cmd, err = l.contenderCommand(p, endpoints); err != nil {
		return err
	}
	p.cmd.SysProcAttr = process.ProcAttr()
	// Children of a contender that outlive it keep its output open.
	p.cmd.WaitDelay = process.OutputWithin
	if p.command == nil {
		if p.stdin, err = p.cmd.StdinPipe(); err != nil {
			return err
		}
	}
	if err := l.spawner.run(p.cmd); err != nil {
		return err // Start has closed the pipe
	}
	// If it has ended already there is nothing to find again.
	p.start, _ = process.StartTime(p.pid())
	return nil
}

// contenderCommand is a contender of the lab's own kind.
func (l *Lab) contenderCommand(p *proc, endpoints []string) (*exec.Cmd, error) {
	o := p.o
	o.Endpoints, o.EndWith = endpoints, os.Stdin
	if p.guarded {
		o.Resource = l.resource.Addr()
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	cmd := exec.Command(l.o.Self[0], slices.Concat(l.o.Self[1:], o.Args())...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"ETCD_ENDPOINTS=" + strings.Join(endpoints, ","),
		"GOMAXPROCS=1", // it mostly waits, and there are many of them
	}
	cmd.Stdout = &process.Lines{Each: func(line []byte) { l.heard(p, line) }}
	cmd.Stderr = l.procLog
	return cmd, nil
}

// userCommand is a program that knows nothing of the lab.
func (l *Lab) userCommand(p *proc, endpoints []string) *exec.Cmd {
	cmd := exec.Command(p.command[0], p.command[1:]...)
	// Without a scheme etcdctl would use the certificates that the user's environment
	// may name, also where the proxy's listeners have no TLS.
	scheme := "http://"
	if l.o.ServerTLS != nil {
		scheme = "https://"
	}
	cmd.Env = append(os.Environ(),
		"ETCD_ENDPOINTS="+strings.Join(endpoints, ","),
		"ETCDCTL_ENDPOINTS="+scheme+strings.Join(endpoints, ","+scheme))
	cmd.Stdout, cmd.Stderr = l.procLog, l.procLog
	if l.o.Output != nil {
		cmd.Stdout = l.o.Output
	}
	if l.o.Errors != nil {
		cmd.Stderr = l.o.Errors
	}
	return cmd
}

// heard reports what a contender printed. Its workers speak under names of their own.
func (l *Lab) heard(p *proc, line []byte) {
	b, _, err := contender.DecodeBelief(line)
	if err != nil {
		fmt.Fprintf(l.procLog, "%s: %v\n", p.name(), err)
		return
	}
	b.At = l.o.Now()
	if !slices.Contains(p.workers(), b.Contender) {
		b.Contender = p.name()
	}
	l.mu.Lock()
	l.claims[b.Contender] = believed(l.claims[b.Contender], b)
	l.mu.Unlock()
	l.box.put(b)
}

// ended says that a contender's process is over.
func (l *Lab) ended(p *proc) {
	l.clientGone(p.name()) // before the name is free for another
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.procs, p.name())
	if p.killTimer != nil {
		p.killTimer.Stop()
	}
	if p.command != nil {
		l.lastGuest = p
	}
	l.tell(p, model.ProcEnded, p.howEnded())
	if p.deadlocks && !slices.ContainsFunc(slices.Collect(maps.Values(l.procs)), func(p *proc) bool { return p.deadlocks }) {
		l.faultsOff(whyTarget, func(f model.Fault) bool { return f.Kind == model.FaultDeadlock })
	}
	l.record()
}

// fromProxy passes on what the proxy saw. It must not wait for the mutex: whoever
// has it may be waiting for the proxy.
func (l *Lab) fromProxy(e model.Event) {
	l.box.put(e)
	c, ok := e.(model.Connected)
	if !ok || c.On || c.Certain {
		return
	}
	go func() {
		l.mu.Lock()
		ok := slices.ContainsFunc(l.faults, func(x *fault) bool { return x.Target == c.Name }) && l.begin()
		l.mu.Unlock()
		if ok {
			defer l.ops.Done()
			l.clientGone(c.Name)
		}
	}()
}

// clientGone ends the faults of a client's process and connections.
func (l *Lab) clientGone(name string) {
	on := func(f model.Fault) bool {
		return f.Target == name && (isOn(f, model.TargetProcess) || isOn(f, model.TargetClient))
	}
	// Once before the proxy heals them, which would be reported as such, and once
	// for one that was just being put in force.
	l.mu.Lock()
	l.faultsOff(whyTarget, on)
	l.mu.Unlock()
	l.proxy.Forget(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faultsOff(whyTarget, on)
}

// howEnded is the end in words: "killed", "stopped", "exit 1".
func (p *proc) howEnded() string {
	s := p.cmd.ProcessState
	switch code := s.ExitCode(); {
	case code < 0:
		return strings.TrimPrefix(s.String(), "signal: ")
	case code == 0 && p.stopping:
		return "stopped"
	default:
		return "exit " + strconv.Itoa(code)
	}
}

// tell reports the state of a contender's process, for its workers too.
func (l *Lab) tell(p *proc, state model.ProcState, ended string) {
	for _, name := range append([]string{p.name()}, p.workers()...) {
		l.box.put(model.Contender{At: l.o.Now(), Name: name, PID: p.pid(), Lock: p.lock(),
			Recipe: p.o.Recipe, TTL: p.o.TTL, Proc: state, Ended: ended})
	}
}

// record writes down who has to be killed if the lab dies. It is the last of three
// life lines, so if it cannot be written the lab goes on.
func (l *Lab) record() {
	l.members = slices.DeleteFunc(l.members, func(m procRecord) bool { return !m.alive() })
	procs := slices.Clone(l.members)
	for _, p := range l.procs {
		procs = append(procs, procRecord{pid: p.pid(), start: p.start, name: p.name()})
	}
	if err := l.dir.record(procs); err != nil {
		fmt.Fprintln(l.procLog, err)
	}
}

// alive are the names of the contenders that live, in the order of their start.
func (l *Lab) alive() []string {
	var names []string
	for name := range l.procs {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return l.procs[a].seq - l.procs[b].seq })
	return names
}
