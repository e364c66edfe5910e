package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
)

// patience bounds the wait for one thing on a screen.
const patience = 90 * time.Second

// stage is the program on a terminal, filmed.
type stage struct {
	ctx    context.Context
	master *os.File
	cmd    *exec.Cmd
	ended  chan struct{} // closed when nothing more will be written

	mu      sync.Mutex
	screen  *terminal
	news    chan struct{} // closed and replaced when something was written
	wrote   time.Time     // when that was
	caption string
}

// raise starts the program. Its files are below dir.
func raise(ctx context.Context, program, dir string, s scene) (*stage, error) {
	if s.width == 0 {
		s.width, s.height = 120, 36
	}
	st := &stage{ctx: ctx, ended: make(chan struct{}), news: make(chan struct{}), screen: newTerminal(s.width, s.height)}
	st.cmd = exec.CommandContext(ctx, program, s.args...)
	st.cmd.Dir = dir
	st.cmd.Cancel = func() error { return st.cmd.Process.Signal(os.Interrupt) }
	st.cmd.WaitDelay = patience
	st.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "TERM=xterm-256color", "LANG=C.UTF-8"}
	var err error
	if st.master, err = pty.StartWithSize(st.cmd, &pty.Winsize{Rows: uint16(s.height), Cols: uint16(s.width)}); err != nil {
		return nil, fmt.Errorf("start the console: %w", err)
	}
	go st.watch()
	return st, nil
}

func (st *stage) watch() {
	defer close(st.ended)
	buf := make([]byte, 1<<16)
	for {
		n, err := st.master.Read(buf)
		st.mu.Lock()
		st.screen.write(buf[:n])
		close(st.news)
		st.wrote = time.Now()
		st.news = make(chan struct{})
		st.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// sees waits until the screen shows what the pattern says.
func (st *stage) sees(pattern string) error {
	so, limit := regexp.MustCompile(pattern), time.After(patience)
	for {
		st.mu.Lock()
		text, news := st.screen.text(), st.news
		st.mu.Unlock()
		if so.MatchString(text) {
			return nil
		}
		select {
		case <-news:
		case <-st.ended:
			return fmt.Errorf("the console ended before it showed %q:\n%s", pattern, text)
		case <-limit:
			return fmt.Errorf("the console never showed %q:\n%s", pattern, text)
		case <-st.ctx.Done():
			return st.ctx.Err()
		}
	}
}

// press types keys.
func (st *stage) press(keys string) error {
	_, err := st.master.WriteString(keys)
	return err
}

// rest lets the program run on for a while, for who looks.
func (st *stage) rest(d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-st.ctx.Done():
		return st.ctx.Err()
	}
}

// say puts a caption below what is filmed from now on.
func (st *stage) say(caption string) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.caption = caption
	return nil
}

// whole is how long nothing is written after a frame that is complete.
const whole = 30 * time.Millisecond

// look is the picture of this moment, or of the next at which a frame is complete.
func (st *stage) look() picture {
	for {
		st.mu.Lock()
		wait := whole - time.Since(st.wrote)
		p := picture{rows: st.screen.frame(), caption: st.caption}
		st.mu.Unlock()
		if wait <= 0 {
			return p
		}
		time.Sleep(wait)
	}
}

// roll takes a picture every frameTime until stop is called.
func (st *stage) roll() (stop func() film) {
	quit, done := make(chan struct{}), make(chan film)
	go func() {
		var f film
		tick := time.NewTicker(frameTime)
		defer tick.Stop()
		for {
			f = append(f, st.look())
			select {
			case <-tick.C:
			case <-quit:
				done <- f
				return
			}
		}
	}()
	return func() film { close(quit); return <-done }
}

// leave ends the program by the key that works everywhere, and if that takes long, by a kill.
func (st *stage) leave() error {
	_ = st.press("\x03")
	kill := time.AfterFunc(patience, func() { _ = st.cmd.Process.Kill() })
	err := st.cmd.Wait()
	kill.Stop()
	<-st.ended
	return errors.Join(err, st.master.Close())
}

// step is one thing that is done on a stage.
type step func(*stage) error

func sees(pattern string) step  { return func(st *stage) error { return st.sees(pattern) } }
func press(keys string) step    { return func(st *stage) error { return st.press(keys) } }
func rest(d time.Duration) step { return func(st *stage) error { return st.rest(d) } }
func say(words ...string) step {
	return func(st *stage) error { return st.say(strings.Join(words, " ")) }
}
