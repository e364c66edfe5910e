//go:build slow

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"locktop/watcher/hostile"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// TestEveryObservationEndsWithWhatWasNotSeen: a watch on which nothing happens and one that hangs
// are both silent. Every command that observes for a time asks at its end, in every format.
func TestEveryObservationEndsWithWhatWasNotSeen(t *testing.T) {
	t.Parallel()
	slots := make(chan struct{}, 6)
	formats := []string{"table", "wide", "json", "jsonl", "csv"}
	for _, r := range []struct {
		command string
		formats []string
		silent  string // the silent watch must not be taken for this
	}{
		{"events", formats, ""},
		{"record DIR/rec", nil, ""},
		{"record DIR/rec --no-values", nil, ""},
		{"record DIR/rec --mask-names", nil, ""},
		{"top", []string{"table", "json", "csv"}, ""},
		{"report", []string{"html", "md", "json", "perfetto"}, ""},
		{"doctor", []string{"table", "json"}, "No problems on "},
		{"ls", []string{"table", "json"}, ""},
		{"describe /l/a", []string{"table", "json"}, ""},
	} {
		if r.formats == nil {
			r.formats = []string{""}
		}
		for _, format := range r.formats {
			t.Run(r.command+" "+format, func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				for _, silent := range []bool{false, true} {
					s, dir := silentWatch(t, silent), t.TempDir()
					args := strings.Fields(strings.Replace(r.command, "DIR", dir, 1) + " --for 2s --prefix /l/ --command-timeout 3s --endpoints " + s.Addr)
					if format != "" {
						args = append(args, "-o", format)
					}
					cmd := exec.Command(locktop(t), args...)
					cmd.Env = append(cleanEnv(dir), "HOME="+dir)
					var out, errs bytes.Buffer
					cmd.Stdout, cmd.Stderr = &out, &errs
					start(t, cmd)
					until(t, "it watches", func() bool { return s.Watches() > 0 })
					if silent {
						s.Become(0xaa, 11, hostile.Key("/l/a", 0xa2, 6)) // the lock changed hands
					}
					_ = cmd.Wait() // its code is looked at
					said := strings.Contains(errs.String(), "not all could be seen at "+s.Addr)
					if code := cmd.ProcessState.ExitCode(); silent != (code == exitBad) || silent != said || silent && r.silent != "" && strings.Contains(out.String(), r.silent) {
						t.Errorf("%v, and the watch is silent: %v\n%s%s", cmd.ProcessState, silent, &out, &errs)
					}
				}
			})
		}
	}
}

// TestWhoEndsAnObservationHearsWhatWasNotSeen: after ctrl-c nobody is asked any more, and what was
// known to be lost is said all the same.
func TestWhoEndsAnObservationHearsWhatWasNotSeen(t *testing.T) {
	t.Parallel()
	for _, r := range []struct {
		reason, command string
		silent          bool
		code            int
	}{
		{"the watch was silent for long, and that was said", "events", true, exitBad},
		{"it answers", "events", false, exitOK},
	} {
		t.Run(r.reason, func(t *testing.T) {
			t.Parallel()
			s, dir := silentWatch(t, r.silent), t.TempDir()
			cmd := exec.Command(locktop(t), append(strings.Fields(r.command), "--prefix", "/l/", "--endpoints", s.Addr)...)
			cmd.Env = append(cleanEnv(dir), "HOME="+dir)
			out, errs := &said{}, &said{}
			cmd.Stdout, cmd.Stderr = out, errs
			start(t, cmd)
			until(t, "it watches", func() bool { return s.Watches() > 0 })
			if r.silent {
				s.Become(0xaa, 11, hostile.Key("/l/a", 0xa2, 6))
				until(t, "it says that the watch is lost", func() bool { return strings.Contains(out.String(), "is lost") })
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // its code is looked at
			if code := cmd.ProcessState.ExitCode(); code != r.code || strings.Contains(errs.String(), "not all could be seen") != r.silent {
				t.Errorf("%v, want exit %d\n%s%s", cmd.ProcessState, r.code, out, errs)
			}
		})
	}
}

// silentWatch is a server that opens watches and, if it is silent, says nothing on them. It
// answers all else.
func silentWatch(t *testing.T, silent bool) *hostile.Server {
	t.Helper()
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/l/a", 0xa1, 5), hostile.Key("/l/a", 0xa2, 6))
	s.Alter(func(method string, answer any) any {
		if r, ok := answer.(*pb.WatchResponse); ok && silent && !r.Created {
			return nil
		}
		return answer
	})
	return s
}

// said is what a program prints, while it goes on.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
