package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktop/ui"
	"locktop/ui/terminal"
)

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
	if _, _, err := openAuditLog(); !errors.Is(err, terminal.ErrUnread) {
		t.Errorf("a journal that is a pipe: %v", err)
	}
	if code, _, errs := inProcess(t, nil, "drill", "run", "holder-crash", "--results", pipe); code != exitBad || !strings.Contains(errs, "is a pipe") {
		t.Errorf("results that are a pipe: exit %d, %s", code, errs)
	}
	much := func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return err
	}
	if err := writeFile(t.Context(), pipe, much); !errors.Is(err, terminal.ErrUnread) {
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
	if err := writeFile(interrupted, pipe, much); !errors.Is(err, terminal.ErrUnread) {
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
