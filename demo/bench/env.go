package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
	"go.etcd.io/etcd/api/v3/version"
)

const (
	patience = 60 * time.Second // bounds the start and the end of a process without a load
	runLimit = 3 * time.Minute  // bounds one run of a program, and the wait for one thing on a screen
)

// env is what the rows work with: the programs, the directory, the server.
type env struct {
	o                options
	dir              string // of everything that is written
	locktop, etcdctl string
	about            string // the machine
	progress         io.Writer
	server           *server // nil if none runs
}

// newEnv builds the programs that are measured.
func newEnv(ctx context.Context, o options, progress io.Writer) (_ *env, err error) {
	dir, err := os.MkdirTemp("", "locktop-bench-")
	if err != nil {
		return nil, err
	}
	e := &env{o: o, dir: dir, progress: progress, locktop: filepath.Join(dir, "locktop"), etcdctl: filepath.Join(dir, "etcdctl")}
	e.about = fmt.Sprintf("%s, %s, %s/%s, etcd and etcdctl %s", machine(), runtime.Version(), runtime.GOOS, runtime.GOARCH, version.Version)
	if o.quick {
		e.about += "; a trial with small sizes, THE FIGURES SAY NOTHING"
	}
	e.tell("building locktop and etcdctl")
	for _, line := range [][]string{{"-C", "../..", "build", "-o", e.locktop, "."}, {"build", "-o", e.etcdctl, "go.etcd.io/etcd/etcdctl/v3"}} {
		if said, err := exec.CommandContext(ctx, "go", line...).CombinedOutput(); err != nil {
			return nil, errors.Join(fmt.Errorf("build what is measured (run it by go -C demo/bench run .): %w: %s", err, said), os.RemoveAll(dir))
		}
	}
	return e, nil
}

func (e *env) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(e.progress, "%s "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
}

// close ends the server and removes what was written.
func (e *env) close() error {
	if e.server != nil {
		e.server.end()
	}
	return os.RemoveAll(e.dir)
}

// holding is the endpoint of a server that holds the data. One runs at a time, so that
// nothing else takes time and memory.
func (e *env) holding(ctx context.Context, d dataset) (string, error) {
	if e.server != nil && e.server.data == d {
		return e.server.endpoint, nil
	}
	if e.server != nil {
		e.server.end()
		e.server = nil
	}
	e.tell("filling a server with %d locks of %d claims", d.Locks, d.Claims)
	s, err := startServer(ctx, e.dir, d)
	if err != nil {
		return "", err
	}
	e.server = s
	return s.endpoint, nil
}

// machine says where it is measured, and under which load.
func machine() string {
	fs, _ := procfs.NewDefaultFS()
	cpu, err := fs.CPUInfo()
	load, err2 := fs.LoadAvg()
	if err = errors.Join(err, err2); err != nil || len(cpu) == 0 {
		return fmt.Sprintf("a machine that says nothing of itself: %v", err)
	}
	return fmt.Sprintf("%s, %d cores, load average at the start %.2f %.2f %.2f", cpu[0].ModelName, len(cpu), load.Load1, load.Load5, load.Load15)
}

// command is a program with an environment that says nothing of other clusters.
func (e *env) command(ctx context.Context, line ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Env = []string{"TERM=xterm-256color", "LANG=C.UTF-8", "TMPDIR=" + e.dir, "HOME=" + e.dir, "XDG_STATE_HOME=" + e.dir,
		"PATH=" + os.Getenv("PATH")}
	return cmd
}

// locktopOn is a command line of locktop for a server.
func (e *env) locktopOn(endpoint string, args ...string) []string {
	return append(append([]string{e.locktop}, args...), "--endpoints", endpoint, "--prefix", prefix)
}

// runs measures a program to its end. What it prints goes nowhere.
func (e *env) runs(ctx context.Context, line ...string) (values, error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := e.command(ctx, line...)
	var said bytes.Buffer
	cmd.Stderr = &said
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), errors.Join(ctx.Err(), err), &said)
	}
	return values{"wall": wall.Seconds(), "processor": (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}, nil
}

// usage is what a process took so far.
type usage struct {
	at        time.Time
	cpu       time.Duration
	peak, now float64 // MiB of memory
}

func usedBy(pid int) (u usage, err error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return u, fmt.Errorf("read what it took: %w", err)
	}
	stat, err := p.Stat()
	status, err2 := p.NewStatus()
	if err = errors.Join(err, err2); err != nil {
		return u, fmt.Errorf("read what it took: %w", err)
	}
	return usage{time.Now(), time.Duration(stat.CPUTime() * float64(time.Second)), float64(status.VmHWM) / (1 << 20), float64(status.VmRSS) / (1 << 20)}, nil
}

// share is the processor time since an earlier moment, in percent of a core.
func (u usage) share(before usage) float64 {
	return 100 * (u.cpu - before.cpu).Seconds() / u.at.Sub(before.at).Seconds()
}

// pause waits, and says whether ctx still lives.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
