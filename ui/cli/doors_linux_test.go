package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktop/ui"
	"locktop/ui/glass"
	"locktop/watcher/hostile"
)

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
		select {
		case <-ended:
			t.Fatalf("%v did not wait for its reader", args)
		case <-time.After(time.Second): // the pipe is full
		}
		told := time.Now()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
			took := time.Since(told)
			if code := cmd.ProcessState.ExitCode(); code != exitBad || took > glass.ReaderTime+2*time.Second {
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

// TestNoFileIsWrittenForEver: a pipe that nobody reads is refused where its reader would have
// to be there, and one whose reader does not read has a second once a signal came.
func TestNoFileIsWrittenForEver(t *testing.T) {
	home(t, "")
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	pipe := filepath.Join(dir, "locktop", "actions.jsonl")
	if err := errors.Join(os.Mkdir(filepath.Dir(pipe), 0o700), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openJournal(); !errors.Is(err, glass.ErrUnread) {
		t.Errorf("a journal that is a pipe: %v", err)
	}
	if code, _, errs := inProcess(t, nil, "drill", "run", "holder-crash", "--results", pipe); code != exitBad || !strings.Contains(errs, "is a pipe") {
		t.Errorf("results that are a pipe: exit %d, %s", code, errs)
	}
	much := func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return err
	}
	if err := writeFile(t.Context(), pipe, much); !errors.Is(err, glass.ErrUnread) {
		t.Errorf("a report to a pipe that nobody reads: %v", err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	began := time.Now()
	if err := writeFile(interrupted, pipe, much); !errors.Is(err, glass.ErrUnread) {
		t.Errorf("a report to one who does not read: %v", err)
	}
	figure(t, "a report to a pipe that nobody reads", inTime(time.Since(began))+" after TERM")
	whole := make(chan error)
	go func() {
		_, err := io.ReadFull(reader, make([]byte, 2<<20))
		whole <- err
	}()
	for range 2 { // the first is what is left in the pipe
		if err := writeFile(t.Context(), pipe, much); err != nil {
			t.Errorf("a report to one who reads: %v", err)
		}
	}
	if err := <-whole; err != nil {
		t.Errorf("the reader has %v", err)
	}
}

// TestSettingsThatAreNoFile of ours are neither waited for nor read without an end, and stay
// as they are; small ones are read.
func TestSettingsThatAreNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe, large, small := filepath.Join(dir, "pipe"), filepath.Join(dir, "large"), filepath.Join(dir, "small")
	err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(large, bytes.Repeat([]byte{' '}, fileMax+1), 0o600), writeSettings(small, ui.Settings{Theme: "light"}))
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{pipe: "not a regular file", "/dev/zero": "not a regular file", dir: "not a regular file", large: "more than 1048576 bytes"} {
		if s, err := readSettings(file); err == nil || !strings.Contains(err.Error(), want) || s.Theme != "" {
			t.Errorf("%s: %v, %v; want %s", file, s, err, want)
		}
	}
	if s, err := readSettings(small); err != nil || s.Theme != "light" {
		t.Errorf("%v, %v", s, err)
	}
}
