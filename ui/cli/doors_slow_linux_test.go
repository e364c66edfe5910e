//go:build slow

package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"locktop/ui/terminal"
	"locktop/watcher/hostile"
)

// TestAReaderWhoDoesNotRead holds up no end.
func TestAReaderWhoDoesNotRead(t *testing.T) {
	t.Parallel()
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/l/"+strings.Repeat("a", 200_000), 0xa1, 5))
	for _, args := range [][]string{{"ls", "-o", "json"}, {"ls", "-o", "csv"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		cmd := exec.Command(locktop(t), append(args, "--prefix", "/l/", "--endpoints", s.Addr)...)
		cmd.Stdout = w
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		peak := peakOf(cmd)
		ended := make(chan struct{})
		go func() { defer close(ended); _ = cmd.Wait() }()
		until(t, "the pipe is full", func() bool {
			select {
			case <-ended:
				t.Fatalf("%v did not wait for its reader", args)
			default:
			}
			n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
			return err == nil && n >= 1<<16
		})
		told := time.Now()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
			took := time.Since(told)
			if code := cmd.ProcessState.ExitCode(); code != exitBad || took > terminal.ReaderTime+2*time.Second {
				t.Errorf("%v: exit %d after %s", args, code, took)
			}
			figure(t, "nobody reads "+args[2], fmt.Sprintf("%s after TERM, %d MiB", inTime(took), peak()))
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
			t.Errorf("%v: it does not end", args)
		}
	}
}

// TestNoFileIsReadForEver: one without an end is refused, and a pipe that nobody writes to is
// waited for until a signal ends it.
func TestNoFileIsReadForEver(t *testing.T) {
	s := hostile.Start(t, "127.0.0.1:0")
	t.Setenv("ETCDCTL_ENDPOINTS", s.Addr)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, args := range doors("/dev/zero") {
		t.Run(what+" without an end", func(t *testing.T) {
			t.Parallel()
			m := measure(t, prepared(t, "/dev/zero", args...))
			if m.code != exitBad || m.errs == "" || len(m.errs) > 2000 || m.peak > 300 {
				t.Errorf("exit %d after %s, %d MiB: %s", m.code, m.took, m.peak, m.errs)
			}
			figure(t, "/dev/zero as "+what, m.String())
		})
	}
	for what, args := range doors(pipe) {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(what+" that nobody writes, "+sig.String(), func(t *testing.T) {
				t.Parallel()
				cmd := prepared(t, pipe, args...)
				var errs bytes.Buffer
				cmd.Stderr = &errs
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				ended := make(chan struct{})
				go func() { defer close(ended); _ = cmd.Wait() }()
				select {
				case <-ended:
					t.Fatalf("it ended by itself: %s", &errs)
				case <-time.After(700 * time.Millisecond): // it waits, as it should
				}
				told := time.Now()
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				select {
				case <-ended:
					took := time.Since(told)
					if took > 2*time.Second || cmd.ProcessState.ExitCode() <= 0 {
						t.Errorf("it ended %s after %s: %v %s", took, sig, cmd.ProcessState, &errs)
					}
					if sig == syscall.SIGTERM {
						figure(t, "a FIFO as "+what, inTime(took)+" after TERM")
					}
				case <-time.After(10 * time.Second):
					_ = cmd.Process.Kill()
					<-ended
					t.Errorf("%s does not end it", sig)
				}
			})
		}
	}
}

// doors are the files that a person names, each with a command that reads it.
func doors(file string) map[string][]string {
	return map[string][]string{
		"a drill":            {"drill", "run", file},
		"a drill to show":    {"drill", "show", file},
		"a drill to check":   {"drill", "check", file},
		"a suite of drills":  {"drill", "suite", file},
		"a recording":        {"replay", file, "-o", "jsonl"},
		"a recording to ask": {"ls", "--recording", file},
		"results of drills":  {"drill", "table", file},
		"a password":         {"ls", "--user", "root", "--password-file", file},
		"an authority":       {"ls", "--endpoints", "https://127.0.0.1:1", "--cacert", file},
		"a certificate":      {"ls", "--endpoints", "https://127.0.0.1:1", "--cert", file, "--key", file},
		"a pair to listen":   {"proxy", "--listen-cert", file, "--listen-key", file},
		"a profile":          {"ls", "--profile", "p"},
		"a token":            {"serve", "--listen-token", file},
		"a pair to serve":    {"serve", "--listen-cert", file, "--listen-key", file},
		"beliefs":            {"drill", "run", "holder-crash", "--as", "a=true", "--belief-file", file},
	}
}

// prepared is a command whose home has the file where profiles are.
func prepared(t *testing.T, file string, args ...string) *exec.Cmd {
	t.Helper()
	config := t.TempDir()
	if err := os.Mkdir(filepath.Join(config, "locktop"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, filepath.Join(config, "locktop", "profiles.yaml")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(locktop(t), args...)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+config, "HOME="+config)
	return cmd
}
