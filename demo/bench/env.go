package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/version"
)

// env is what the rows work with: the programs, the directory, the servers.
type env struct {
	o        options
	dir      string // of everything that is written
	root     string // of the module
	locktop  string // paths of programs
	etcdctl  string
	about    string // the machine, in Markdown
	progress io.Writer
	life     context.Context // of the servers, which outlive a row
	servers  map[dataset]*child
	tests    map[string]string // test binaries by package
}

// newEnv builds the programs that are measured.
func newEnv(ctx context.Context, o options, progress io.Writer) (_ *env, err error) {
	dir, err := os.MkdirTemp("", "locktop-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	e := &env{o: o, dir: dir, life: ctx, progress: progress, servers: map[dataset]*child{}, tests: map[string]string{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.close())
		}
	}()
	load := loadAverage() // before the compiler adds to it
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w (run it inside the repository)", err)
	}
	e.root = strings.TrimSpace(string(root))
	e.locktop = filepath.Join(dir, "locktop")
	if err := e.build(ctx, e.root, "-o", e.locktop, "."); err != nil {
		return nil, err
	}
	if err := e.findEtcdctl(ctx); err != nil {
		return nil, err
	}
	e.about = fmt.Sprintf("%s, %d cores, %s, %s/%s, etcd %s, %s, load average at the start %s, %d rounds%s\n\n", cpu(), runtime.NumCPU(),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, version.Version, e.etcdctlVersion(ctx), load, o.rounds,
		map[bool]string{true: ", QUICK: sizes are small, the figures say nothing"}[o.quick])
	return e, nil
}

func (e *env) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(e.progress, "%s "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
}

// size is how many there are of something: fewer for a quick run.
func (e *env) size(full, quick int) int {
	if e.o.quick {
		return quick
	}
	return full
}

// close ends the servers and removes what was written.
func (e *env) close() error {
	return errors.Join(e.endServers(), os.RemoveAll(e.dir))
}

func (e *env) build(ctx context.Context, dir string, args ...string) error {
	e.tell("building %s", strings.Join(args[1:], " "))
	cmd := exec.CommandContext(ctx, "go", append([]string{"build"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// findEtcdctl builds the etcdctl that the nested module pins, which is of the release
// of the server here. Without its sources that of the system has to do.
func (e *env) findEtcdctl(ctx context.Context) error {
	e.etcdctl = filepath.Join(e.dir, "etcdctl")
	err := e.build(ctx, filepath.Join(e.root, "demo", "bench", "etcdctl"), "-o", e.etcdctl, "go.etcd.io/etcd/etcdctl/v3")
	if err == nil {
		return nil
	}
	path, missing := exec.LookPath("etcdctl")
	if missing != nil {
		return fmt.Errorf("there is no etcdctl to compare with: %w", errors.Join(err, missing))
	}
	e.etcdctl = path
	return nil
}

func (e *env) etcdctlVersion(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, e.etcdctl, "version").Output()
	if err != nil {
		return "etcdctl of an unknown version"
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return strings.ReplaceAll(first, " version:", "")
}

// keep appends the results of a row to the file of the flag.
func (e *env) keep(r row, results []result, failed error) error {
	type line struct {
		At     time.Time `json:"at"`
		Row    string    `json:"row"`
		Figure string    `json:"figure,omitempty"`
		Unit   string    `json:"unit,omitempty"`
		Ours   float64   `json:"ours"`
		Theirs *float64  `json:"theirs,omitempty"`
		Ratio  *float64  `json:"ratio,omitempty"`
		Low    float64   `json:"low"`
		High   float64   `json:"high"`
		Rounds int       `json:"rounds"`
		Aim    string    `json:"aim,omitempty"`
		Met    *bool     `json:"met,omitempty"`
		Error  string    `json:"error,omitempty"`
		On     string    `json:"on"`
	}
	var lines []any
	for _, x := range results {
		l := line{At: time.Now(), Row: r.name, Figure: x.aim.figure, Unit: x.aim.unit, Ours: x.ours, Low: x.low, High: x.high,
			Rounds: x.rounds, On: strings.TrimSpace(e.about)}
		if x.theirs != 0 {
			l.Theirs = &x.theirs
		}
		if x.ratio == x.ratio { // no NaN, which JSON does not know
			l.Ratio = &x.ratio
		}
		if x.aim.kind != shown {
			l.Aim, l.Met = x.aim.String(), &x.met
		}
		lines = append(lines, l)
	}
	if failed != nil {
		lines = append(lines, line{At: time.Now(), Row: r.name, Error: failed.Error(), On: strings.TrimSpace(e.about)})
	}
	return e.appendJSON(lines...)
}

// appendJSON appends objects to the file of the flag, if there is one.
func (e *env) appendJSON(lines ...any) error {
	if e.o.json == "" {
		return nil
	}
	f, err := os.OpenFile(e.o.json, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(f)
	for _, l := range lines {
		err = errors.Join(err, enc.Encode(l))
	}
	return errors.Join(err, f.Close())
}

// cpu names the processor as Linux does, where it does.
func cpu() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unnamed processor"
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		if name, ok := strings.CutPrefix(in.Text(), "model name"); ok {
			return strings.TrimLeft(name, "\t :")
		}
	}
	return "unnamed processor"
}

// loadAverage is that of the last minute, five and fifteen, where the system says it.
func loadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(b))[:3], " ")
}
