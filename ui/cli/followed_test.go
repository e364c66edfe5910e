package cli

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"locktop/watcher/hostile"
)

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

// TestWhoEndsAnObservationHearsWhatWasNotSeen: after ctrl-c nobody is asked any more, and what was
// known to be lost is said all the same.
func TestWhoEndsAnObservationHearsWhatWasNotSeen(t *testing.T) {
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
