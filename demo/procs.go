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
func (sv *supervisor) runMember(cmd *exec.Cmd) error {
	if err := sv.spawner.run(cmd); err != nil {
		return err
	}
	sv.mu.Lock()
	defer sv.mu.Unlock()
	start, _ := process.StartTime(cmd.Process.Pid) // without it, it has ended already
	sv.members = append(sv.members, procRecord{pid: cmd.Process.Pid, start: start, name: "member"})
	sv.record()
	return nil
}

// spawn starts a contender that does not run. The caller has the mutex.
func (sv *supervisor) spawn(pr *program) (*proc, error) {
	name := pr.o.Name
	endpoints := pr.ahead
	if pr.ahead = nil; endpoints == nil {
		var err error
		if endpoints, err = sv.proxy.Listen(name); err != nil {
			return nil, fmt.Errorf("start contender %s: %w", name, err)
		}
	}
	if pr.member != "" {
		i := slices.Index(memberNames(len(endpoints)), pr.member)
		endpoints = endpoints[i : i+1]
	}
	sv.spawned++
	p := &proc{program: pr, seq: sv.spawned}
	ask := sv.asks(p)
	if err := sv.run(p, endpoints); err != nil {
		sv.proxy.Forget(name)
		return nil, fmt.Errorf("start contender %s: %w", name, err)
	}
	sv.procs[name] = p
	sv.programs[name] = pr
	pr.ran = true
	for _, who := range append(pr.workers(), name) {
		delete(sv.claims, who)
	}
	for _, lock := range pr.o.Locks {
		sv.recipes[lock] = pr.o.Recipe
	}
	sv.tell(p, model.ProcRunning, "")
	sv.record()
	stopAsking := ask()
	sv.wg.Go(func() {
		if p.command != nil {
			sv.awaitGroup(p)
		}
		p.Wait()
		stopAsking()
		sv.ended(p)
	})
	return p, nil
}

// run starts p's process.
func (sv *supervisor) run(p *proc, endpoints []string) (err error) {
	var cmd *exec.Cmd
	if p.command != nil {
		cmd = sv.userCommand(p, endpoints)
	} else if cmd, err = sv.contenderCommand(p, endpoints); err != nil {
		return err
	}
	if p.Child, err = process.Start(cmd, sv.spawner.run, p.command == nil); err != nil {
		return err
	}
	// If it has ended already there is nothing to find again.
	p.start, _ = process.StartTime(p.PID())
	return nil
}

// contenderCommand is a contender of the lab's own kind.
func (sv *supervisor) contenderCommand(p *proc, endpoints []string) (*exec.Cmd, error) {
	o := p.o
	o.Endpoints, o.EndWith = endpoints, os.Stdin
	if p.guarded {
		o.Resource = sv.resource.Addr()
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	cmd := exec.Command(sv.o.Self[0], slices.Concat(sv.o.Self[1:], o.Args())...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"ETCD_ENDPOINTS=" + strings.Join(endpoints, ","),
		"GOMAXPROCS=1", // it mostly waits, and there are many of them
	}
	cmd.Stdout = &process.Lines{Each: func(line []byte) { sv.heard(p, line) }}
	cmd.Stderr = sv.procLog
	return cmd, nil
}

// userCommand is a program that knows nothing of the lab.
func (sv *supervisor) userCommand(p *proc, endpoints []string) *exec.Cmd {
	words := p.command
	if p.role != nil {
		words = p.role.Words(map[string]string{"lock": p.lock(), "endpoints": strings.Join(endpoints, ","),
			"ttl": strconv.Itoa(p.o.TTL), "role": p.name()})
	}
	cmd := exec.Command(words[0], words[1:]...)
	// Without a scheme etcdctl would use the certificates that the user's environment
	// may name, also where the proxy's listeners have no TLS.
	scheme := "http://"
	if sv.o.ServerTLS != nil {
		scheme = "https://"
	}
	// Python keeps what it prints to a pipe, unless the user's environment says otherwise.
	cmd.Env = append(append([]string{"PYTHONUNBUFFERED=1"}, os.Environ()...), labMark+"="+sv.dir.path,
		"ETCD_ENDPOINTS="+strings.Join(endpoints, ","),
		"ETCDCTL_ENDPOINTS="+scheme+strings.Join(endpoints, ","+scheme))
	if p.role != nil {
		cmd.Env = append(cmd.Env, "LOCKTOP_LOCK="+p.lock(), "LOCKTOP_TTL="+strconv.Itoa(p.o.TTL), "LOCKTOP_ROLE="+p.name())
	}
	if cmd.Stdout, cmd.Stderr = sv.o.Output, sv.o.Errors; p.role != nil || sv.o.Output == nil {
		cmd.Stdout, cmd.Stderr = sv.listenTo(p, drill.Stdout), sv.listenTo(p, drill.Stderr)
	}
	return cmd
}

// heard reports what a contender printed. Its workers speak under names of their own.
func (sv *supervisor) heard(p *proc, line []byte) {
	b, _, err := contender.DecodeBelief(line)
	if err != nil {
		fmt.Fprintf(sv.procLog, "%s: %v\n", p.name(), err)
		return
	}
	if !slices.Contains(p.workers(), b.Contender) {
		b.Contender = p.name()
	}
	sv.reportBelief(b)
}

// reportBelief reports what a contender believes.
func (sv *supervisor) reportBelief(b model.Belief) {
	b.At = sv.o.Now()
	sv.mu.Lock()
	sv.claims[b.Contender] = believed(sv.claims[b.Contender], b)
	sv.mu.Unlock()
	sv.reports.Add(b)
}

// ended says that a contender's process is over.
func (sv *supervisor) ended(p *proc) {
	sv.clientGone(p.name()) // before the name is free for another
	sv.mu.Lock()
	defer sv.mu.Unlock()
	delete(sv.procs, p.name())
	if p.killTimer != nil {
		p.killTimer.Stop()
	}
	if p.command != nil {
		sv.lastExternal = p
	}
	if tail := sv.printed[p.name()]; tail != nil {
		tail.Tell()
	}
	sv.tell(p, model.ProcEnded, p.howEnded())
	if p.deadlocks && !slices.ContainsFunc(slices.Collect(maps.Values(sv.procs)), func(p *proc) bool { return p.deadlocks }) {
		sv.faults.endWhere(model.FaultTargetEnded, func(f model.Fault) bool { return f.Kind == model.FaultDeadlock })
	}
	sv.record()
}

// fromProxy passes on what the proxy saw. It must not wait for the mutex: whoever
// has it may be waiting for the proxy.
func (sv *supervisor) fromProxy(e model.Event) {
	sv.reports.Add(e)
	if o, ok := e.(model.LeaseOwner); ok && o.Certain && !o.Renews {
		sv.leases.add(o.Name, o.Lease)
	}
	on, ok := e.(model.Connected)
	if !ok || on.On || on.Certain {
		return
	}
	go func() {
		sv.mu.Lock()
		ok := slices.ContainsFunc(sv.faults.all, func(x *fault) bool { return x.Target == on.Name }) && sv.begin()
		sv.mu.Unlock()
		if ok {
			defer sv.ops.Done()
			sv.clientGone(on.Name)
		}
	}()
}

// clientGone ends the faults of a client's process and connections.
func (sv *supervisor) clientGone(name string) {
	on := func(f model.Fault) bool {
		return f.Target == name && (isOn(f, model.TargetProcess) || isOn(f, model.TargetClient))
	}
	// Once before the proxy heals them, which would be reported as such, and once
	// for one that was just being put in force.
	sv.mu.Lock()
	sv.faults.endWhere(model.FaultTargetEnded, on)
	sv.mu.Unlock()
	sv.proxy.Forget(name)
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.faults.endWhere(model.FaultTargetEnded, on)
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
func (sv *supervisor) tell(p *proc, state model.ProcState, ended string) {
	for _, name := range append([]string{p.name()}, p.workers()...) {
		sv.reports.Add(model.Contender{At: sv.o.Now(), Name: name, PID: p.PID(), Lock: p.lock(),
			Recipe: p.o.Recipe, TTL: p.o.TTL, Proc: state, Ended: ended})
	}
}

// record writes down who has to be killed if the lab dies. It is the last of three
// life lines, so if it cannot be written the lab goes on.
func (sv *supervisor) record() {
	sv.members = slices.DeleteFunc(sv.members, func(m procRecord) bool { return !m.alive() })
	procs := slices.Clone(sv.members)
	for _, p := range sv.procs {
		procs = append(procs, procRecord{pid: p.PID(), start: p.start, name: p.name()})
	}
	if err := sv.dir.record(procs); err != nil {
		fmt.Fprintln(sv.procLog, err)
	}
}
