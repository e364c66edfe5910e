package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// What the processes of this program are told in their environment.
const (
	roleEnv = "LOCKTOP_BENCH_ROLE"
	argEnv  = "LOCKTOP_BENCH_ARG" // JSON, by role
)

// The roles. Each says one line when it serves, works until its standard input ends,
// and may then say another, of what it measured.
const (
	serverRole = "server"
	loadRole   = "load"
	floodRole  = "flood"
	followRole = "follow"
	proxyRole  = "proxy"
)

// runLimit bounds one run of a program, and the wait for one thing on a screen.
const runLimit = 3 * time.Minute

// patience bounds the start of a process without a load of its own, and the end of any.
const patience = 30 * time.Second

// serve is what a process does that was started in a role.
func serve(role string) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM) // the process that started it says when
	work := map[string]func(arg []byte, ended <-chan struct{}) error{
		serverRole: serveEtcd, loadRole: serveLoad, floodRole: serveFlood, followRole: serveFollow, proxyRole: serveProxy,
	}[role]
	if work == nil {
		return errors.New("there is no such role")
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	return work([]byte(os.Getenv(argEnv)), ended)
}

// child is a process of this program in a role.
type child struct {
	address string // its first line
	cmd     *exec.Cmd
	stdin   io.Closer
	out     *bufio.Reader
	stop    func() bool
}

// start runs this program in that role and waits for its first line.
func (e *env) start(ctx context.Context, role string, arg any, within time.Duration) (*child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	told, err := json.Marshal(arg)
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(exe)}
	c.cmd.Env = append(os.Environ(), roleEnv+"="+role, argEnv+"="+string(told), "TMPDIR="+e.dir)
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
	late := time.AfterFunc(within, func() { _ = c.cmd.Process.Kill() })
	c.address, err = c.line()
	late.Stop()
	if err != nil {
		return nil, fmt.Errorf("start the process of %s: %w", role, errors.Join(err, c.end()))
	}
	return c, nil
}

// line reads the next line that it says.
func (c *child) line() (string, error) {
	line, err := c.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("it says nothing: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// answer ends the process and reads what it measured.
func (c *child) answer(into any) error {
	late := time.AfterFunc(patience, func() { _ = c.cmd.Process.Kill() })
	defer late.Stop()
	_ = c.stdin.Close()
	line, err := c.line()
	if err == nil {
		err = json.Unmarshal([]byte(line), into)
	}
	return errors.Join(err, c.end())
}

// end ends the process: by its standard input, and if that takes long, by a kill.
func (c *child) end() error {
	c.stop()
	kill := time.AfterFunc(patience, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	_ = c.stdin.Close()
	_, _ = io.Copy(io.Discard, c.out)
	return c.cmd.Wait()
}

// usage is what a process took.
type usage struct {
	wall, cpu time.Duration
	rss       float64 // MiB at its peak
	now       float64 // MiB at the moment, of one that still runs
}

// measure runs a program to its end. What it prints goes nowhere.
//
// On Linux the peak counts from the moment of the fork, so it is never below that of
// this process, which therefore has to stay small.
func (e *env) measure(ctx context.Context, program string, args ...string) (usage, error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := e.command(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	began := time.Now()
	err := cmd.Run()
	u := usage{wall: time.Since(began)}
	if err != nil {
		err = errors.Join(ctx.Err(), err)
		return u, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(said.Bytes()[:min(said.Len(), 500)]))
	}
	u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	u.rss = peak(cmd.ProcessState)
	return u, nil
}

// command is a program with an environment that says nothing of other clusters.
func (e *env) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.SysProcAttr = childAttr()
	cmd.Env = []string{"TERM=xterm-256color", "LANG=C.UTF-8", "TMPDIR=" + e.dir, "HOME=" + e.dir, "XDG_STATE_HOME=" + e.dir,
		"PATH=" + os.Getenv("PATH"), "ETCDCTL_API=3"}
	return cmd
}

// each calls f for 0 to n-1, so many at a time, until one fails.
func each(n, atOnce int, f func(i int) error) error {
	var mu sync.Mutex
	var next int
	var failed error
	var wg sync.WaitGroup
	for range min(n, atOnce) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := failed != nil || i >= n
				mu.Unlock()
				if stop {
					return
				}
				if err := f(i); err != nil {
					mu.Lock()
					failed = errors.Join(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return failed
}

// say writes a line for the process that started this one.
func say(v any) error {
	if s, ok := v.(string); ok {
		_, err := fmt.Println(s)
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(v)
}
