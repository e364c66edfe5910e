//go:build linux || darwin

package process

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

func TestHowAChildEnds(t *testing.T) {
	rows := []struct {
		script string
		end    func(*Child) error // what is done to it once it has said something
		how    string
		code   int
		reason string
	}{
		{"echo up; exit 3", nil, "exit status 3", 3, "by itself"},
		{"echo up; read line; exit 0", func(c *Child) error { c.CloseInput(); c.CloseInput(); return nil }, "exit status 0", 0, "with its life line"},
		{"echo up; read line; exit $line", func(c *Child) error { return c.Tell("4") }, "exit status 4", 4, "as it is told"},
		{"echo up; read line", func(c *Child) error { return c.Signal(os.Kill) }, "killed", 137, "by a signal"},
		{"exec 3<&0; (echo up; read line <&3) & wait", func(c *Child) error { return c.Signal(os.Kill) }, "killed", 137, "with what it has started"},
	}
	for _, r := range rows {
		said := make(chan struct{}, 1)
		cmd := exec.Command("sh", "-c", r.script)
		cmd.Stdout = &Lines{Each: func([]byte) { said <- struct{}{} }}
		c, err := Start(cmd, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		<-said
		if r.end != nil {
			if err := r.end(c); err != nil {
				t.Errorf("%s: %v", r.reason, err)
			}
		}
		c.Wait()
		if c.HowEnded() != r.how || c.ExitCode() != r.code || c.Signaled() != (r.code > 128) {
			t.Errorf("%s: %s with %d, want %s with %d", r.reason, c.HowEnded(), c.ExitCode(), r.how, r.code)
		}
		if err := c.Signal(os.Kill); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("%s: signalled after its end: %v", r.reason, err)
		}
	}
}

func TestTheLastLineOfAChildNeedsNoEnd(t *testing.T) {
	var said []string
	cmd := exec.Command("printf", "one\ntwo")
	cmd.Stdout = &Lines{Each: func(line []byte) { said = append(said, string(line)) }}
	c, err := Start(cmd, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	c.Wait()
	if !slices.Equal(said, []string{"one", "two"}) {
		t.Errorf("it said %q", said)
	}
}

// TestAChildThatDoesNotReadKeepsNobody: one that is paused, and whose pipe is full.
func TestAChildThatDoesNotReadKeepsNobody(t *testing.T) {
	c, err := Start(exec.Command("sleep", "60"), nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Pause(); err != nil {
		t.Error(err)
	}
	begun := time.Now()
	if err := c.Tell(string(make([]byte, 1<<20))); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("told after %v: %v", time.Since(begun), err)
	}
	_ = c.Signal(os.Kill)
	c.Wait()
}

func TestAProgramThatDoesNotStart(t *testing.T) {
	if c, err := Start(exec.Command("/does/not/exist"), nil, true); err == nil || c != nil {
		t.Errorf("%v, %v", c, err)
	}
}
