package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
)

// patience bounds the wait for one thing on a screen.
const patience = 90 * time.Second

// stage is the program on a terminal, recorded.
type stage struct {
	ctx    context.Context
	master *os.File
	cmd    *exec.Cmd
	began  time.Time
	ended  chan struct{} // closed when nothing more will be written

	mu   sync.Mutex
	all  []output
	seen []byte        // since a key was pressed last
	news chan struct{} // closed and replaced when something was written
	film time.Duration // from when on it is one; 0: it is none
}

// raise starts the program. Its files are below dir.
func raise(ctx context.Context, program, dir string, s scene) (*stage, error) {
	st := &stage{ctx: ctx, began: time.Now(), ended: make(chan struct{}), news: make(chan struct{})}
	st.cmd = exec.CommandContext(ctx, program, s.args...)
	st.cmd.Dir = dir
	st.cmd.Cancel = func() error { return st.cmd.Process.Signal(os.Interrupt) }
	st.cmd.WaitDelay = patience
	st.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"}
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
		if n > 0 {
			st.all = append(st.all, output{time.Since(st.began), slices.Clone(buf[:n])})
			st.seen = append(st.seen, buf[:n]...)
		}
		close(st.news)
		st.news = make(chan struct{})
		st.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// sees waits until the program wrote what the pattern says, since a key was pressed last: a text that
// changes is written whole.
func (st *stage) sees(pattern string) error {
	so, limit := regexp.MustCompile(pattern), time.After(patience)
	for {
		st.mu.Lock()
		text, news := ansi.Strip(string(st.seen)), st.news
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
	st.mu.Lock()
	st.seen = nil
	st.mu.Unlock()
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

// roll makes a film of what comes from now on.
func (st *stage) roll() error {
	st.film = time.Since(st.began)
	return nil
}

// whole is how long nothing is written after a frame that is complete.
const whole = 30 * time.Millisecond

// recorded is what was written, up to a frame that is complete.
func (st *stage) recorded() []output {
	for {
		st.mu.Lock()
		all := slices.Clone(st.all)
		st.mu.Unlock()
		if len(all) > 0 && time.Since(st.began)-all[len(all)-1].at > whole {
			return all
		}
		time.Sleep(whole)
	}
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
func roll() step                { return func(st *stage) error { return st.roll() } }
