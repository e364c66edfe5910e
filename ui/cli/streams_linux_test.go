package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktop/watcher/hostile"
)

// TestNoFileTakesTheNumberOfAStream: what a program opens first gets the number of a stream
// that is closed, and what it prints would then go there: to the server, or into a recording.
func TestNoFileTakesTheNumberOfAStream(t *testing.T) {
	t.Parallel()
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/l/a", 0xa1, 5))
	file := filepath.Join(t.TempDir(), "rec")
	for _, args := range []string{"events", "record " + file, "proxy"} {
		t.Run(args, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", `exec "$L" `+args+" --prefix /l/ --endpoints "+s.Addr+" >&- 2>&- <&-")
			cmd.Env = append(cleanEnv(t.TempDir()), "HOME="+t.TempDir(), "L="+locktop(t))
			start(t, cmd)
			fds := fmt.Sprintf("/proc/%d/fd/", cmd.Process.Pid)
			until(t, "it watches", func() bool { return s.Watches() > 0 })
			for _, fd := range []string{"0", "1", "2"} {
				if to, err := os.Readlink(fds + fd); err != nil || to != os.DevNull {
					t.Errorf("%s is %s: %v", fd, to, err)
				}
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			told := time.Now()
			_ = cmd.Wait() // its code is looked at
			if took := time.Since(told); took > 2*time.Second || cmd.ProcessState.ExitCode() < 0 {
				t.Errorf("%v after %s", cmd.ProcessState, took)
			}
			until(t, "nothing watches any more", func() bool { return s.Watches() == 0 })
		})
	}
	if code, out, errs := ranTo(t, "ls", "--recording", file); code != exitOK || !strings.Contains(out, "/l/a") {
		t.Errorf("the recording: exit %d: %s%s", code, out, errs)
	}
}
