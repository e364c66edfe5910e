package demo

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/demo/contender"
	"locktop/demo/process"
	"locktop/model"
	"locktop/model/text"
)

// proc is a contender's process as the lab sees it.
type proc struct {
	*program
	*process.Child
	seq   int // processes in the order of their start
	start string

	// Guarded by the lab's mutex.
	paused    bool
	stopping  bool // by a fault
	mayEnd    bool // to end, with what it has started, because the lab or it ends
	killTimer *time.Timer
}

func (p *proc) name() string { return p.o.Name }

func (p *proc) detail() model.Message { return model.Say("detail-process", p.PID()) }

// signal sends s. A process that is over by now is no error: the goroutine that waits for the
// process reports its end.
func (p *proc) signal(s os.Signal) { _ = p.Signal(s) }

// send sends s because somebody asked for what verb says.
func (p *proc) send(s os.Signal, verb string) error {
	return p.describeError(verb, p.Signal(s))
}

// describeError is what sending a signal came to, in words.
func (p *proc) describeError(verb string, err error) error {
	if errors.Is(err, os.ErrProcessDone) {
		return errEnded(p.name())
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", verb, p.name(), err)
	}
	return nil
}

func errEnded(name string) error {
	return text.Refusal{Why: model.Say("has-ended", name)}
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

// runMember starts the process of a member, and writes down who has to be killed if
// the lab dies.
func (c *supervisor) runMember(cmd *exec.Cmd) error {
	if err := c.spawner.run(cmd); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	start, _ := process.StartTime(cmd.Process.Pid) // without it, it has ended already
	c.members = append(c.members, procRecord{pid: cmd.Process.Pid, start: start, name: "member"})
	c.record()
	return nil
}

// spawn starts a contender that does not run. The caller has the mutex.
func (c *supervisor) spawn(pr *program) (*proc, error) {
	name := pr.o.Name
	endpoints := pr.ahead
	if pr.ahead = nil; endpoints == nil {
		var err error
		if endpoints, err = c.proxy.Listen(name); err != nil {
			return nil, fmt.Errorf("start contender %s: %w", name, err)
		}
	}
	if pr.member != "" {
		i := slices.Index(memberNames(len(endpoints)), pr.member)
		endpoints = endpoints[i : i+1]
	}
	c.spawned++
	p := &proc{program: pr, seq: c.spawned}
	ask := c.asks(p)
	if err := c.run(p, endpoints); err != nil {
		c.proxy.Forget(name)
		return nil, fmt.Errorf("start contender %s: %w", name, err)
	}
	c.procs[name] = p
	c.programs[name] = pr
	pr.ran = true
	for _, who := range append(pr.workers(), name) {
		delete(c.claims, who)
	}
	for _, lock := range pr.o.Locks {
		c.recipes[lock] = pr.o.Recipe
	}
	c.tell(p, model.ProcRunning, "")
	c.record()
	stopAsking := ask()
	c.wg.Go(func() {
		if p.command != nil {
			c.awaitGroup(p)
		}
		p.Wait()
		stopAsking()
		c.ended(p)
	})
	return p, nil
}

// run starts p's process.
func (c *supervisor) run(p *proc, endpoints []string) (err error) {
	var cmd *exec.Cmd
	if p.command != nil {
		cmd = c.userCommand(p, endpoints)
	} else if cmd, err = c.contenderCommand(p, endpoints); err != nil {
		return err
	}
	if p.Child, err = process.Start(cmd, c.spawner.run, p.command == nil); err != nil {
		return err
	}
	// If it has ended already there is nothing to find again.
	p.start, _ = process.StartTime(p.PID())
	return nil
}

// contenderCommand is a contender of the lab's own kind.
func (c *supervisor) contenderCommand(p *proc, endpoints []string) (*exec.Cmd, error) {
	o := p.o
	o.Endpoints, o.EndWith = endpoints, os.Stdin
	if p.guarded {
		o.Resource = c.resource.Addr()
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	cmd := exec.Command(c.o.Self[0], slices.Concat(c.o.Self[1:], o.Args())...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"ETCD_ENDPOINTS=" + strings.Join(endpoints, ","),
		"GOMAXPROCS=1", // it mostly waits, and there are many of them
	}
	cmd.Stdout = &process.Lines{Each: func(line []byte) { c.heard(p, line) }}
	cmd.Stderr = c.procLog
	return cmd, nil
}

// userCommand is a program that knows nothing of the lab.
func (c *supervisor) userCommand(p *proc, endpoints []string) *exec.Cmd {
	words := p.command
	if p.role != nil {
		words = p.role.Words(map[string]string{"lock": p.lock(), "endpoints": strings.Join(endpoints, ","),
			"ttl": strconv.Itoa(p.o.TTL), "role": p.name()})
	}
	cmd := exec.Command(words[0], words[1:]...)
	// Without a scheme etcdctl would use the certificates that the user's environment
	// may name, also where the proxy's listeners have no TLS.
	scheme := "http://"
	if c.o.ServerTLS != nil {
		scheme = "https://"
	}
	// Python keeps what it prints to a pipe, unless the user's environment says otherwise.
	cmd.Env = append(append([]string{"PYTHONUNBUFFERED=1"}, os.Environ()...), labMark+"="+c.dir.path,
		"ETCD_ENDPOINTS="+strings.Join(endpoints, ","),
		"ETCDCTL_ENDPOINTS="+scheme+strings.Join(endpoints, ","+scheme))
	if p.role != nil {
		cmd.Env = append(cmd.Env, "LOCKTOP_LOCK="+p.lock(), "LOCKTOP_TTL="+strconv.Itoa(p.o.TTL), "LOCKTOP_ROLE="+p.name())
	}
	if cmd.Stdout, cmd.Stderr = c.o.Output, c.o.Errors; p.role != nil || c.o.Output == nil {
		cmd.Stdout, cmd.Stderr = c.listenTo(p, drill.Stdout), c.listenTo(p, drill.Stderr)
	}
	return cmd
}

// heard reports what a contender printed. Its workers speak under names of their own.
func (c *supervisor) heard(p *proc, line []byte) {
	b, _, err := contender.DecodeBelief(line)
	if err != nil {
		fmt.Fprintf(c.procLog, "%s: %v\n", p.name(), err)
		return
	}
	if !slices.Contains(p.workers(), b.Contender) {
		b.Contender = p.name()
	}
	c.reportBelief(b)
}

// reportBelief reports what a contender believes.
func (c *supervisor) reportBelief(b model.Belief) {
	b.At = c.o.Now()
	c.mu.Lock()
	c.claims[b.Contender] = believed(c.claims[b.Contender], b)
	c.mu.Unlock()
	c.reports.Add(b)
}

// ended says that a contender's process is over.
func (c *supervisor) ended(p *proc) {
	c.clientGone(p.name()) // before the name is free for another
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.procs, p.name())
	if p.killTimer != nil {
		p.killTimer.Stop()
	}
	if p.command != nil {
		c.lastExternal = p
	}
	if tail := c.printed[p.name()]; tail != nil {
		tail.Tell()
	}
	c.tell(p, model.ProcEnded, p.howEnded())
	if p.deadlocks && !slices.ContainsFunc(slices.Collect(maps.Values(c.procs)), func(p *proc) bool { return p.deadlocks }) {
		c.faults.endWhere(model.FaultTargetEnded, func(f model.Fault) bool { return f.Kind == model.FaultDeadlock })
	}
	c.record()
}

// fromProxy passes on what the proxy saw. It must not wait for the mutex: whoever
// has it may be waiting for the proxy.
func (c *supervisor) fromProxy(e model.Event) {
	c.reports.Add(e)
	if o, ok := e.(model.LeaseOwner); ok && o.Certain && !o.Renews {
		c.leases.add(o.Name, o.Lease)
	}
	on, ok := e.(model.Connected)
	if !ok || on.On || on.Certain {
		return
	}
	go func() {
		c.mu.Lock()
		ok := slices.ContainsFunc(c.faults.all, func(x *fault) bool { return x.Target == on.Name }) && c.begin()
		c.mu.Unlock()
		if ok {
			defer c.ops.Done()
			c.clientGone(on.Name)
		}
	}()
}

// clientGone ends the faults of a client's process and connections.
func (c *supervisor) clientGone(name string) {
	on := func(f model.Fault) bool {
		return f.Target == name && (isOn(f, model.TargetProcess) || isOn(f, model.TargetClient))
	}
	// Once before the proxy heals them, which would be reported as such, and once
	// for one that was just being put in force.
	c.mu.Lock()
	c.faults.endWhere(model.FaultTargetEnded, on)
	c.mu.Unlock()
	c.proxy.Forget(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults.endWhere(model.FaultTargetEnded, on)
}

// howEnded is the end in words: "killed", "stopped", "exit 1".
func (p *proc) howEnded() string {
	switch code := p.ExitCode(); {
	case p.Signaled():
		return p.HowEnded()
	case code == 0 && p.stopping:
		return "stopped"
	default:
		return "exit " + strconv.Itoa(code)
	}
}

// tell reports the state of a contender's process, for its workers too.
func (c *supervisor) tell(p *proc, state model.ProcState, ended string) {
	for _, name := range append([]string{p.name()}, p.workers()...) {
		c.reports.Add(model.Contender{At: c.o.Now(), Name: name, PID: p.PID(), Lock: p.lock(),
			Recipe: p.o.Recipe, TTL: p.o.TTL, Proc: state, Ended: ended})
	}
}

// record writes down who has to be killed if the lab dies. It is the last of three
// life lines, so if it cannot be written the lab goes on.
func (c *supervisor) record() {
	c.members = slices.DeleteFunc(c.members, func(m procRecord) bool { return !m.alive() })
	procs := slices.Clone(c.members)
	for _, p := range c.procs {
		procs = append(procs, procRecord{pid: p.PID(), start: p.start, name: p.name()})
	}
	if err := c.dir.record(procs); err != nil {
		fmt.Fprintln(c.procLog, err)
	}
}
