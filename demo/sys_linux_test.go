package demo

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"locktop/demo/labtest"
	"locktop/demo/process"
)

// A process that is paused has stopped when that is said, and not a moment later,
// however busy it is and how often it happens.
func TestPausedMeansStopped(t *testing.T) {
	cmd := exec.Command("sh", "-c", "while :; do :; done")
	cmd.SysProcAttr = process.ProcAttr()
	s := newSpawner()
	t.Cleanup(s.stop)
	if err := s.run(cmd); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	for range 200 {
		if err := process.PauseGroup(cmd.Process); err != nil {
			t.Fatal(err)
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(stat), ") T ") {
			t.Fatalf("it is not stopped: %s", stat)
		}
		if err := process.SignalGroup(cmd.Process, process.SigContinue); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-ended:
		t.Fatal("who waits for its end was told of a pause")
	default:
	}
	if err := process.SignalGroup(cmd.Process, os.Kill); err != nil {
		t.Fatal(err)
	}
	// What is left of it for its parent is not paused either.
	if err := process.AwaitPaused(cmd.Process.Pid); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("killed: %v", err)
	}
	if !process.Wait(ended, labtest.Patience) {
		t.Fatal("its end was not reported")
	}
	if err := process.PauseGroup(cmd.Process); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("ended: %v", err)
	}
}
