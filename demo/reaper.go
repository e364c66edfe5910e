package demo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"time"

	"locktop/demo/process"
)

// reaper is a process that outlives the lab however that ends, and cleans up after it: what a
// program of the user's own has started dies with nobody.
type reaper struct {
	cmd  *exec.Cmd
	line io.Closer // ends with the lab
}

// reaperTimeout bounds how long a reaper waits for the end of a lab whose life line ended, and
// how long the lab waits for its reaper.
const reaperTimeout = 5 * time.Second

// startReaper starts the reaper of a lab's directory.
func startReaper(self []string, dir string) (*reaper, error) {
	cmd := exec.Command(self[0], append(self[1:len(self):len(self)], dir)...)
	cmd.SysProcAttr = process.Apart()
	line, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start the process that cleans up after programs: %w", err)
	}
	return &reaper{cmd, line}, nil
}

// dismiss ends the reaper. There is none to dismiss in most labs.
func (w *reaper) dismiss() error {
	if w == nil {
		return nil
	}
	w.line.Close()
	late := time.AfterFunc(2*reaperTimeout, func() { _ = w.cmd.Process.Kill() })
	defer late.Stop()
	if err := w.cmd.Wait(); err != nil {
		return fmt.Errorf("end the process that cleans up after programs: %w", err)
	}
	return nil
}

// RunReaper waits for the end of its input, which is that of the lab, and ends and removes
// what is left of the lab in a directory.
func RunReaper(dir string, life io.Reader) error {
	if _, err := io.Copy(io.Discard, life); err != nil {
		return fmt.Errorf("wait for the end of the lab: %w", err)
	}
	for end := time.Now().Add(reaperTimeout); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil // it ended well
		}
		err := sweepDir(dir, 0)
		if !errors.Is(err, errAlive) || time.Now().After(end) {
			return nil // what cannot be cleaned up now the next lab tries again
		}
	}
}
