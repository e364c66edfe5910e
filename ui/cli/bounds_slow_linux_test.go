//go:build slow

package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"locktop/model"
	"locktop/watcher/hostile"
	"locktop/watcher/recording"
)

// measurement is how a command did.
type measurement struct {
	code      int
	out, errs string
	took      time.Duration
	peak      int64 // MiB
}

func (m measurement) String() string { return fmt.Sprintf("%s, %d MiB", inTime(m.took), m.peak) }

func measure(t *testing.T, cmd *exec.Cmd) measurement {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	peak := peakOf(cmd)
	_ = cmd.Wait() // its code is looked at
	return measurement{cmd.ProcessState.ExitCode(), out.String(), errs.String(), time.Since(began), peak()}
}

// peakOf watches how much memory a command takes, and returns what tells the most in MiB once
// it has ended. What wait(2) tells of a child begins with the memory of its parent.
func peakOf(cmd *exec.Cmd) func() int64 {
	most := make(chan int64, 1)
	status := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	go func() {
		peak := int64(0)
		for {
			text, err := os.ReadFile(status)
			_, rest, there := strings.Cut(string(text), "VmHWM:")
			if err != nil || !there { // it has ended
				most <- peak >> 10
				return
			}
			if kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64); err == nil && strings.HasPrefix(string(text), "Name:\tlocktop\n") {
				peak = max(peak, kib)
			}
			time.Sleep(time.Millisecond) // the pace of the measurement
		}
	}()
	return func() int64 { return <-most }
}

// TestAListHasAnEnd also where the server's has none: by keys, and by bytes.
func TestAListHasAnEnd(t *testing.T) {
	t.Parallel()
	for _, r := range []struct {
		what  string
		total int64
		value []byte
		code  int
		says  string
	}{
		{"2,000,000 keys", 2_000_000, nil, exitOK, "/l/a"},
		{"2,000,001 keys", 2_000_001, nil, exitBad, "more than 2,000,000 keys, or 512 MiB of keys and values"},
		{"values of 16 kB without an end", 2_000_000, bytes.Repeat([]byte("v"), 1<<14), exitBad, "more than 2,000,000 keys, or 512 MiB of keys and values"},
	} {
		t.Run(r.what, func(t *testing.T) {
			s := hostile.Start(t, "127.0.0.1:0")
			n := 0
			s.List(r.total, func(want int64) (page []*mvccpb.KeyValue) {
				for i := range want {
					n++
					page = append(page, &mvccpb.KeyValue{Key: fmt.Appendf(nil, "/l/a/%x", n+1<<28), CreateRevision: 1, ModRevision: 1, Version: 1, Lease: 0xa1})
					if i < 20_000 { // an answer has its own end
						page[i].Value = r.value
					}
				}
				return page
			})
			m := measure(t, exec.Command(locktop(t), "ls", "--leases", "none", "--prefix", "/l/", "--endpoints", s.Addr, "--command-timeout", "60s"))
			if m.code != r.code || !strings.Contains(m.out+m.errs, r.says) || m.peak > 4000 {
				t.Errorf("exit %d after %s: %.500s%s", m.code, m, m.out, m.errs)
			}
			figure(t, "a list of "+r.what, m.String())
		})
	}
}

// TestANameOf60kB: a name takes its cell and no more, in every line of every format that
// people read, and is whole for programs.
func TestANameOf60kB(t *testing.T) {
	t.Parallel()
	s := hostile.Start(t, "127.0.0.1:0")
	var keys []*mvccpb.KeyValue
	for i := range 20 {
		keys = append(keys, hostile.Key(fmt.Sprintf("/l/%02d%s", i, strings.Repeat("a", 60_000)), 0xa1, 5))
	}
	s.Become(0xaa, 10, keys...)
	for _, r := range []struct {
		args []string
		most int
	}{{[]string{"ls"}, 20_000}, {[]string{"ls", "-o", "wide"}, 20_000}, {[]string{"doctor"}, 60_000}, {[]string{"top", "--for", "300ms"}, 20_000}} {
		m := measure(t, exec.Command(locktop(t), append(r.args, "--prefix", "/l/", "--endpoints", s.Addr)...))
		if m.code == exitBad || len(m.out) > r.most {
			t.Errorf("%v: exit %d, %d bytes: %.300s%s", r.args, m.code, len(m.out), m.out, m.errs)
		}
		figure(t, "20 names of 60 kB, "+strings.Join(r.args, " "), fmt.Sprintf("%d bytes, %s", len(m.out), m))
	}
}

// TestFilesAtTheirBounds: the largest that a recording and a file of beliefs may be take memory
// and time that a machine has, and what is larger is refused.
func TestFilesAtTheirBounds(t *testing.T) {
	t.Parallel()
	changes := make([]model.Change, 256<<20/int(reflect.TypeFor[model.Change]().Size()))
	for _, r := range []struct {
		what   string
		events []model.Event
	}{
		{"1,000,000 events in one batch", slices.Repeat([]model.Event{model.Tick{At: time.Unix(1e9, 0)}}, 1_000_000)},
		{"256 MiB of changes in one event", []model.Event{model.Committed{At: time.Unix(1e9, 0), Rev: 7, Changes: changes}}},
	} {
		name := filepath.Join(t.TempDir(), "full.rec")
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w := recording.NewRecorder(f, recording.Options{})
		if err := errors.Join(w.Write(model.Batch{Events: r.events}), w.Close(), f.Close()); err != nil {
			t.Fatal(r.what, err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		m := measure(t, exec.Command(locktop(t), "ls", "--recording", name))
		if strings.Contains(m.errs, "panic") || strings.Contains(m.errs, "damage") || m.took > time.Minute || m.peak > 3<<10 {
			t.Errorf("ls of a recording of %s: exit %d, %s: %s", r.what, m.code, m, m.errs)
		}
		figure(t, "a recording of "+r.what+", ls", fmt.Sprintf("of %d bytes: %s", info.Size(), m))
	}
	beliefs := filepath.Join(t.TempDir(), "beliefs")
	if err := os.WriteFile(beliefs, []byte(strings.Repeat("stdout:/a{1000}b/=idle\n", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	m := measure(t, exec.Command(locktop(t), "drill", "run", "all", "--as", "true {lock}", "--belief-file", beliefs, "--dry-run"))
	if m.code != exitOK || m.took > time.Minute || m.peak > 1<<10 {
		t.Errorf("500 rules: exit %d, %s: %s", m.code, m, m.errs)
	}
	figure(t, "500 rules of a program, drill run --dry-run", m.String())
}

// TestAFloodOfEvents: 50,000 locks that are taken at once are 50,000 lines, or a line says how
// many are missing.
func TestAFloodOfEvents(t *testing.T) {
	t.Parallel()
	const flood, each = 50_000, 1000
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10)
	cmd := exec.Command(locktop(t), "events", "-o", "jsonl", "--prefix", "/l/", "--endpoints", s.Addr)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	peak := peakOf(cmd)
	until(t, "it watches", func() bool { return s.Watches() > 0 })
	began := time.Now()
	time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }) // what is missing by then does not come
	go func() {
		for n := 0; n < flood; n += each {
			msg := &pb.WatchResponse{}
			for i := range each {
				rev := int64(n + i + 11)
				msg.Events = append(msg.Events, &mvccpb.Event{Kv: hostile.Key(fmt.Sprintf("/l/%d", rev), rev, rev)})
			}
			s.Become(0xaa, int64(n+each+10)) // in every answer: one that stayed behind would have been restored
			s.Tell(msg)
		}
	}()
	told, took := 0, time.Duration(0)
	lines := bufio.NewScanner(out)
	for told < flood && lines.Scan() {
		if strings.Contains(lines.Text(), `"kind":"acquired"`) {
			told++
		}
		took = time.Since(began)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"kind":"acquired"`) {
			t.Errorf("one more: %s", lines.Text())
		}
	}
	_ = cmd.Wait() // its code is looked at
	most := peak()
	if told != flood || cmd.ProcessState.ExitCode() != exitOK || most > 1000 {
		t.Errorf("%d lines of %d, %v, %d MiB", told, flood, cmd.ProcessState, most)
	}
	figure(t, "50,000 locks taken at once", fmt.Sprintf("all told within %s, %d MiB", inTime(took), most))
}
