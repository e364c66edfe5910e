package cli

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"locktop/watcher/hostile"
)

// TestALookAtTwoClustersIsNone: endpoints of two clusters make no answer, with exit 2 and
// a word about which endpoint is whose.
func TestALookAtTwoClustersIsNone(t *testing.T) {
	t.Parallel()
	a, b := hostile.Start(t, "127.0.0.1:0"), hostile.Start(t, "127.0.0.1:0")
	a.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
	b.Become(0xbb, 90, hostile.Key("/l/a", 2, 50))
	for _, args := range [][]string{{"ls"}, {"describe", "/l/a"}, {"doctor"}, {"ls", "-o", "json"}, {"ls", "--for", "2s"},
		{"break", "/l/a", "--dry-run"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			cmd := exec.Command(locktop(t), append(args, "--prefix", "/l/", "--endpoints", a.Addr+","+b.Addr)...)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			_ = cmd.Run() // its code is looked at
			if code := cmd.ProcessState.ExitCode(); code != exitBad || out.Len() > 0 {
				t.Errorf("exit %d, printed %q; %s", code, &out, &errs)
			}
			if !strings.Contains(errs.String(), a.Addr+" belongs to cluster aa; "+b.Addr+" belongs to cluster bb") {
				t.Errorf("it does not say which is whose: %s", &errs)
			}
		})
	}
}

// TestALookAtAServerThatIsNone: an answer without a header is one line that names the
// endpoint and the answer, with exit 2.
func TestALookAtAServerThatIsNone(t *testing.T) {
	t.Parallel()
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
	s.Alter(func(_ string, answer any) any {
		if r, ok := answer.(*pb.RangeResponse); ok {
			r.Header = nil
		}
		return answer
	})
	for _, args := range [][]string{{"ls"}, {"describe", "/l/a"}, {"doctor"}, {"discover"}, {"break", "/l/a", "--dry-run"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			cmd := exec.Command(locktop(t), append(args, "--prefix", "/l/", "--endpoints", s.Addr)...)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			_ = cmd.Run() // its code is looked at
			if code := cmd.ProcessState.ExitCode(); code != exitBad || out.Len() > 0 {
				t.Errorf("exit %d, printed %q", code, &out)
			}
			if text := errs.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, s.Addr+" answered Range without a header") {
				t.Errorf("it says %s", text)
			}
		})
	}
}
