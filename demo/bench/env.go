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

	"locktop/demo/bench/load"
)

// program is a locktop that is measured.
type program struct {
	path string
	root string // of its sources, "" where there are none
}

// env is what the rows work with: the programs, the directory, the servers.
type env struct {
	o        options
	dir      string  // of everything that is written
	program  program // the one that is measured now
	today    program
	other    program // of -against
	etcdctl  string
	about    string // the machine, in Markdown
	progress io.Writer
	life     context.Context // of the servers, which outlive a row
	servers  map[load.Dataset]*load.Child
	tests    map[string]string // test binaries by directory
	pace     float64           // see paced
}

// newEnv builds the programs that are measured.
func newEnv(ctx context.Context, o options, progress io.Writer) (_ *env, err error) {
	dir, err := os.MkdirTemp("", "locktop-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	e := &env{o: o, dir: dir, life: ctx, progress: progress, servers: map[load.Dataset]*load.Child{}, tests: map[string]string{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.close())
		}
	}()
	e.about = fmt.Sprintf("%s, %s, %s/%s, etcd %s, etcdctl of the same, %d rounds%s%s\n\n", machine(), // before the compiler adds to its load
		runtime.Version(), runtime.GOOS, runtime.GOARCH, version.Version, o.rounds,
		map[bool]string{true: ", theirs is " + o.against}[o.against != ""],
		map[bool]string{true: ", QUICK: sizes are small, the figures say nothing"}[o.quick])
	root, err := e.run(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}", "locktop")
	if err != nil {
		return nil, fmt.Errorf("find locktop (run it by go -C demo/bench run .): %w", err)
	}
	e.etcdctl = filepath.Join(dir, "etcdctl")
	if _, err := e.run(ctx, "", "go", "build", "-o", e.etcdctl, "go.etcd.io/etcd/etcdctl/v3"); err != nil {
		return nil, err
	}
	if e.today, err = e.find(ctx, strings.TrimSpace(string(root)), "locktop"); err != nil {
		return nil, err
	}
	if e.program = e.today; o.against != "" {
		e.other, err = e.find(ctx, o.against, "other")
	}
	return e, err
}

// find is the program of a checkout, which is built, or a binary.
func (e *env) find(ctx context.Context, path, name string) (p program, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return p, err
	}
	is, err := os.Stat(path)
	if err != nil || !is.IsDir() {
		return program{path: path}, err
	}
	p = program{path: filepath.Join(e.dir, name), root: path}
	_, err = e.run(ctx, p.root, "go", "build", "-o", p.path, ".")
	return p, err
}

// run runs a tool in a directory and returns what it prints.
func (e *env) run(ctx context.Context, dir, tool string, args ...string) ([]byte, error) {
	e.tell("%s %s", tool, strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, tool, args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(said.Bytes()))
	}
	return out, nil
}

func (e *env) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(e.progress, "%s "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
}

// size is how many there are of something: fewer for a quick run.
func (o options) size(full, quick int) int {
	if o.quick {
		return quick
	}
	return full
}

// close ends the servers and removes what was written.
func (e *env) close() error {
	_, err := e.only()
	return errors.Join(err, os.RemoveAll(e.dir))
}

// only starts the servers that hold the data, unless they run, and ends all others: a
// row asks for what it needs, so that nothing else takes time and memory meanwhile.
func (e *env) only(wanted ...load.Dataset) (at []string, err error) {
	keep := map[*load.Child]bool{}
	for _, d := range wanted {
		keep[e.servers[d]] = true
	}
	for d, c := range e.servers {
		if !keep[c] {
			delete(e.servers, d)
			err = errors.Join(err, c.End())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("end a server: %w", err)
	}
	for _, d := range wanted {
		if e.servers[d] == nil {
			e.tell("filling a server with %d locks of %d claims", d.Locks, d.Claims)
			c, err := load.Start(e.life, e.dir, load.Server, d, 20*time.Minute)
			if err != nil {
				return nil, err
			}
			e.servers[d] = c
		}
		at = append(at, e.servers[d].Said)
	}
	return at, nil
}

// machine says where it is measured.
func machine() string {
	cpu, load := "unnamed processor", "unknown"
	if fs, err := procfs.NewDefaultFS(); err == nil {
		if all, err := fs.CPUInfo(); err == nil && len(all) > 0 && all[0].ModelName != "" {
			cpu = all[0].ModelName
		}
		if l, err := fs.LoadAvg(); err == nil {
			load = fmt.Sprintf("%.2f %.2f %.2f", l.Load1, l.Load5, l.Load15)
		}
	}
	return fmt.Sprintf("%s, %d cores, load average at the start %s", cpu, runtime.NumCPU(), load)
}

// runLimit bounds one run of a program, and the wait for one thing on a screen.
const runLimit = 3 * time.Minute

// usage is what a process took.
type usage struct {
	wall, cpu time.Duration
	rss       float64 // MiB at its peak
	now       float64 // MiB at the moment, of one that still runs
}

// measure runs a program to its end. What it prints goes nowhere.
//
// The peak counts from the moment of the fork, so it is never below that of this
// process, which therefore has to stay small.
func (e *env) measure(ctx context.Context, line ...string) (usage, error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := e.command(ctx, line...)
	var said bytes.Buffer
	cmd.Stderr = &said
	began := time.Now()
	err := cmd.Run()
	u := usage{wall: time.Since(began)}
	if err != nil {
		err = errors.Join(ctx.Err(), err)
		return u, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(said.Bytes()[:min(said.Len(), 500)]))
	}
	u.cpu = cpuOf(cmd)
	u.rss = float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / (1 << 10)
	return u, nil
}

// cpuOf is the processor time of a command that has ended.
func cpuOf(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// command is a program with an environment that says nothing of other clusters. It ends
// when this process does.
func (e *env) command(ctx context.Context, line ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Env = []string{"TERM=xterm-256color", "LANG=C.UTF-8", "TMPDIR=" + e.dir, "HOME=" + e.dir, "XDG_STATE_HOME=" + e.dir,
		"PATH=" + os.Getenv("PATH"), "ETCDCTL_API=3"}
	return cmd
}

// etcdctlAt is a command line of etcdctl for a server.
func (e *env) etcdctlAt(endpoint string, args ...string) []string {
	return append([]string{e.etcdctl, "--endpoints", endpoint}, args...)
}

// locktopAt is one of the locktop that is measured. Asked for no prefix, a console would
// ask which.
func (e *env) locktopAt(endpoint string, args ...string) []string {
	return append(append([]string{e.program.path}, args...), "--endpoints", endpoint, "--prefix", load.Prefix)
}
