package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// tellWithin bounds how long a child that does not read keeps somebody who tells it
// something.
const tellWithin = time.Second

// Child is a process that was started here, with all that it has started in turn, unless
// that made itself a group of its own. Whoever starts it calls [Child.Wait] once; what
// else there is may be called from any goroutine.
type Child struct {
	cmd *exec.Cmd
	in  io.WriteCloser // nil: not ours
}

// Start starts a command as the leader of a group, by a function in the place of
// [exec.Cmd.Start]; nil is that one. The system kills a child with the thread that started
// it, so whoever has threads that end gives one that uses another. With lifeLine its
// standard input is a pipe that ends with us, and so should the child. Nothing runs after
// an error.
func Start(cmd *exec.Cmd, start func(*exec.Cmd) error, lifeLine bool) (c *Child, err error) {
	c = &Child{cmd: cmd}
	cmd.SysProcAttr = ProcAttr()
	cmd.WaitDelay = outputWithin // what it has started and left behind keeps its output open
	if lifeLine {
		if c.in, err = cmd.StdinPipe(); err != nil {
			return nil, err
		}
	}
	if start == nil {
		start = (*exec.Cmd).Start
	}
	if err := start(cmd); err != nil {
		return nil, err // Start has closed the pipe
	}
	return c, nil
}

// PID is the number of the process.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Wait waits until the process has ended and its output has come, which ends with a last
// line that nothing ended.
func (c *Child) Wait() {
	// How it ended is in its ProcessState. Some of its output may still come after that.
	if err := c.cmd.Wait(); errors.Is(err, exec.ErrWaitDelay) {
		return
	}
	for _, w := range []io.Writer{c.cmd.Stdout, c.cmd.Stderr} {
		if lines, ok := w.(*Lines); ok {
			lines.End()
		}
	}
}

// HowEnded is the end in words, "killed" or "exit status 1", after [Child.Wait].
func (c *Child) HowEnded() string {
	return strings.TrimPrefix(c.cmd.ProcessState.String(), "signal: ")
}

// ExitCode is that of a process that has ended, as shells count: 128 and the number of the
// signal that ended it, if one did.
func (c *Child) ExitCode() int {
	if s, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return c.cmd.ProcessState.ExitCode()
}

// Signaled says whether a signal ended it.
func (c *Child) Signaled() bool { return c.cmd.ProcessState.ExitCode() < 0 }

// Signal sends s to the process and what it has started. The error is [os.ErrProcessDone]
// if it has ended.
func (c *Child) Signal(s os.Signal) error { return SignalGroup(c.cmd.Process, s) }

// Pause is [PauseGroup] of the child.
func (c *Child) Pause() error { return PauseGroup(c.cmd.Process) }

// Tell writes a line to its standard input. It fails after a second if the child does not
// read, as when it is paused and its pipe is full.
func (c *Child) Tell(line string) error {
	if f, ok := c.in.(*os.File); ok {
		if err := f.SetWriteDeadline(time.Now().Add(tellWithin)); err != nil {
			return err
		}
	}
	_, err := io.WriteString(c.in, line+"\n")
	return err
}

// CloseInput ends its life line, if it has one.
func (c *Child) CloseInput() {
	if c.in != nil {
		_ = c.in.Close() // the second time fails, and does nothing
	}
}
