package demo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
)

const (
	// MaxContenders is how many contenders may live at the same time.
	MaxContenders = 64

	// maxLine bounds a line of what a contender prints, in bytes.
	maxLine = 64 << 10
	// outputWithin bounds the wait for the output of a contender that has ended.
	outputWithin = 300 * time.Millisecond
)

// proc is a contender's process as the lab sees it.
type proc struct {
	name, lock, recipe string
	cmd                *exec.Cmd
	stdin              io.Closer // a life line: the contender ends with it
	start              string

	// Guarded by the lab's mutex.
	paused    bool
	stopping  bool
	killTimer *time.Timer
}

func (p *proc) pid() int { return p.cmd.Process.Pid }

// signal sends s. A process that is over by now is no error: its end is reported
// by who waits for it.
func (p *proc) signal(s os.Signal) { _ = signalGroup(p.cmd.Process, s) }

// send sends s because somebody asked for what verb says.
func (p *proc) send(s os.Signal, verb string) error {
	err := signalGroup(p.cmd.Process, s)
	if errors.Is(err, os.ErrProcessDone) {
		return errEnded(p.name)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", verb, p.name, err)
	}
	return nil
}

func errEnded(name string) error {
	return fmt.Errorf("%s has ended; spawn another with n", name)
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

// spawn starts one more contender. The caller has the mutex.
func (l *Lab) spawn(lock, recipe string) (*proc, error) {
	l.spawned++
	name := "c" + strconv.Itoa(l.spawned)
	endpoints, err := l.proxy.Listen(name)
	if err != nil {
		return nil, fmt.Errorf("start contender %s: %w", name, err)
	}
	p := &proc{name: name, lock: lock, recipe: recipe}
	if err := l.run(p, endpoints); err != nil {
		l.proxy.Forget(name)
		return nil, fmt.Errorf("start contender %s: %w", name, err)
	}
	l.procs[name] = p
	l.recipes[lock] = recipe
	l.tell(p, model.ProcRunning, "")
	l.record()
	l.wg.Go(func() {
		_ = p.cmd.Wait() // how it ended is in its ProcessState
		l.ended(p)
	})
	return p, nil
}

// run starts p's process.
func (l *Lab) run(p *proc, endpoints []string) error {
	o := ContenderOptions{Name: p.name, Lock: p.lock, Recipe: p.recipe, Endpoints: endpoints,
		TTL: l.o.TTL, Hold: l.o.Hold, Think: l.o.Think,
		Seed: l.o.Seed + uint64(l.spawned), EndWith: os.Stdin}
	if err := o.Check(); err != nil {
		return err
	}
	p.cmd = exec.Command(l.o.Self[0], slices.Concat(l.o.Self[1:], o.Args())...)
	p.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"ETCD_ENDPOINTS=" + strings.Join(endpoints, ","),
		"GOMAXPROCS=1", // it mostly waits, and there are many of them
	}
	p.cmd.Stdout = &lines{each: func(line []byte) { l.heard(p, line) }}
	p.cmd.Stderr = l.procLog
	p.cmd.SysProcAttr = procAttr()
	// Children of a contender that outlive it keep its output open.
	p.cmd.WaitDelay = outputWithin
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := l.spawner.run(p.cmd); err != nil {
		return err // Start has closed the pipe
	}
	p.stdin = stdin
	// If it has ended already there is nothing to find again.
	p.start, _ = startTime(p.pid())
	return nil
}

// heard reports what a contender printed.
func (l *Lab) heard(p *proc, line []byte) {
	b, _, err := DecodeBelief(line)
	if err != nil {
		fmt.Fprintf(l.procLog, "%s: %v\n", p.name, err)
		return
	}
	b.At, b.Contender = l.o.Now(), p.name
	l.box.put(b)
}

// lines is a writer that cuts what is written to it into lines. Of a line that is
// too long the rest is dropped, so that nobody can fill the memory.
type lines struct {
	each func(line []byte)
	buf  []byte
}

// Write implements io.Writer.
func (w *lines) Write(data []byte) (int, error) {
	for rest := data; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		w.buf = append(w.buf, line[:min(len(line), maxLine-len(w.buf))]...)
		if whole {
			w.each(w.buf)
			w.buf = w.buf[:0]
		}
		rest = after
	}
	return len(data), nil
}

// ended says that a contender's process is over.
func (l *Lab) ended(p *proc) {
	l.mu.Lock()
	delete(l.procs, p.name)
	if p.killTimer != nil {
		p.killTimer.Stop()
	}
	for _, kind := range []model.ActionKind{model.HoldKeepalive, model.PauseProc} {
		l.faultOff(fault{kind, p.name}, "target ended")
	}
	l.tell(p, model.ProcEnded, p.howEnded())
	l.record()
	l.mu.Unlock()
	l.proxy.Forget(p.name)
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

// tell reports the state of a contender's process.
func (l *Lab) tell(p *proc, state model.ProcState, ended string) {
	l.box.put(model.Contender{At: l.o.Now(), Name: p.name, PID: p.pid(), Lock: p.lock,
		Recipe: p.recipe, TTL: l.o.TTL, Proc: state, Ended: ended})
}

// record writes down who has to be killed if the lab dies. It is the last of three
// life lines, so if it cannot be written the lab goes on.
func (l *Lab) record() {
	var procs []procRecord
	for _, p := range l.procs {
		procs = append(procs, procRecord{pid: p.pid(), start: p.start, name: p.name})
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
	slices.SortFunc(names, func(a, b string) int { return number(a) - number(b) })
	return names
}

// number is the n of cn.
func number(name string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(name, "c"))
	return n
}
