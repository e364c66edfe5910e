// Package load is what runs beside the program that is measured: servers with data
// in them, proxies, contenders, a flood of events, and a follower of it. Each is a
// process of its own, so memory and time are the system's figures of exactly that
// process. This file says how one is started and ended; the others have a role each.
package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// What the processes of this program are told in their environment.
const (
	RoleEnv  = "LOCKTOP_BENCH_ROLE"  // set: the process is one of them
	orderEnv = "LOCKTOP_BENCH_ORDER" // JSON, by role
)

// Role is what a process of this program does. Each says one line when it serves,
// works until its standard input ends, and may then say another, of what it measured.
type Role string

// The roles, with what each is ordered to do.
const (
	Server Role = "server" // Dataset
	Crowd  Role = "crowd"  // CrowdOrder
	Flood  Role = "flood"  // FloodOrder
	Follow Role = "follow" // endpoint
	// Handovers lets locks change hands at a steady rate. Bare only receives that, by etcd's
	// own client: nothing that watches with it costs less.
	Handovers Role = "handovers" // HandoverOrder
	Bare      Role = "bare"      // endpoint
	// Proxy is that of package chaos with no fault in force, Toxiproxy has no toxics,
	// and Copy is what any proxy costs at least: bytes are read and written, no more.
	Proxy     Role = "proxy"     // endpoint
	Toxiproxy Role = "toxiproxy" // endpoint
	Copy      Role = "copy"      // endpoint
)

var roles = map[Role]func(context.Context, []byte) error{
	Server: ordered(serveEtcd), Crowd: ordered(serveCrowd), Flood: ordered(serveFlood), Follow: ordered(serveFollow), Handovers: ordered(serveHandovers), Bare: ordered(serveBare),
	Proxy: ordered(serveProxy), Toxiproxy: ordered(serveToxiproxy), Copy: ordered(serveCopy),
}

// Plays adds a role of another package.
func Plays[T any](role Role, work func(context.Context, T) error) { roles[role] = ordered(work) }

// ordered reads the order of a role.
func ordered[T any](work func(context.Context, T) error) func(context.Context, []byte) error {
	return func(ctx context.Context, text []byte) error {
		var order T
		if err := json.Unmarshal(text, &order); err != nil {
			return err
		}
		return work(ctx, order)
	}
}

// Patience bounds the start of a process without a load of its own, and the end of any.
const Patience = 30 * time.Second

// Serve works if this process was started in a role, and says whether it was. The
// context of the work ends with the standard input.
func Serve() (served bool, err error) {
	role := Role(os.Getenv(RoleEnv))
	if role == "" {
		return false, nil
	}
	signal.Ignore(os.Interrupt, syscall.SIGTERM) // the process that started it says when
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	work := roles[role]
	if work == nil {
		return true, fmt.Errorf("there is no role %q", role)
	}
	if err := work(ctx, []byte(os.Getenv(orderEnv))); err != nil {
		return true, fmt.Errorf("%s: %w", role, err)
	}
	return true, nil
}

// Say writes a line for the process that started this one.
func Say(v any) error { return json.NewEncoder(os.Stdout).Encode(v) }

// Child is a process of this program in a role.
type Child struct {
	Said  string // its first line: that of a server or a proxy is where it serves
	cmd   *exec.Cmd
	stdin io.Closer
	out   *bufio.Reader
	stop  func() bool
}

// Start runs this program in a role, with its files below dir, and waits for its
// first line.
func Start(ctx context.Context, dir string, role Role, order any, within time.Duration) (*Child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	told, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	c := &Child{cmd: exec.Command(exe)}
	c.cmd.Env = append(os.Environ(), RoleEnv+"="+string(role), orderEnv+"="+string(told), "TMPDIR="+dir)
	c.cmd.Stderr = os.Stderr
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(stdout)
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the process of %s: %w", role, err)
	}
	c.stop = context.AfterFunc(ctx, func() { _ = c.cmd.Process.Kill() })
	if err := c.Next(within, &c.Said); err != nil {
		return nil, fmt.Errorf("start the process of %s: %w", role, errors.Join(err, c.End()))
	}
	return c, nil
}

// Next reads the line that it says next. It is killed if that does not come in time.
func (c *Child) Next(within time.Duration, into any) error {
	defer time.AfterFunc(within, func() { _ = c.cmd.Process.Kill() }).Stop()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("it says nothing: %w", err)
	}
	return json.Unmarshal(line, into)
}

// Answer ends the process, reads what it measured, and returns the processor time
// that it took.
func (c *Child) Answer(into any) (time.Duration, error) {
	_ = c.stdin.Close()
	err := errors.Join(c.Next(Patience, into), c.End())
	return c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime(), err
}

// Pid is its process.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Signal sends it a signal, as SIGSTOP.
func (c *Child) Signal(s os.Signal) error { return c.cmd.Process.Signal(s) }

// Finish asks it to end, by its standard input; what it says until then can be read.
func (c *Child) Finish() { _ = c.stdin.Close() }

// End ends the process: by its standard input, and if that takes long, by a kill.
func (c *Child) End() error {
	c.stop()
	defer time.AfterFunc(Patience, func() { _ = c.cmd.Process.Kill() }).Stop()
	_ = c.stdin.Close()
	_, _ = io.Copy(io.Discard, c.out)
	return c.cmd.Wait()
}

// serveAt says where it serves, and waits until it is to end.
func serveAt(ctx context.Context, address string) error {
	if err := Say(address); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
