package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
)

// childAttr is how a program is started: it ends when this one does.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

const (
	screenWidth, screenHeight = 200, 50
	// seenMax bounds what is kept of what a console wrote.
	seenMax = 1 << 20
)

// screen is a locktop on a pseudo-terminal of 200 by 50 that answers nothing it is
// asked, looked at from outside: by what it writes and when.
type screen struct {
	began  time.Time
	master *os.File
	cmd    *exec.Cmd
	done   chan struct{} // closed when nothing more will come

	mu    sync.Mutex
	seen  []byte // since await or press was called last, with its escape sequences
	cut   []byte // the end of what was looked through for revisions
	bytes int64
	marks []mark
	news  chan struct{} // closed and replaced when something came
}

// open starts locktop on a terminal.
func (e *env) open(ctx context.Context, args ...string) (*screen, error) {
	master, slave, err := openTerminal()
	if err != nil {
		return nil, fmt.Errorf("open a terminal: %w", err)
	}
	defer slave.Close()
	s := &screen{master: master, cmd: e.command(ctx, e.locktop, args...), done: make(chan struct{}), news: make(chan struct{})}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Pdeathsig: syscall.SIGKILL}
	s.began = time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start the console: %w", err), master.Close())
	}
	go s.read()
	return s, nil
}

func openTerminal() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: screenHeight, Col: screenWidth})
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, master.Close())
	}
	return master, slave, nil
}

func (s *screen) read() {
	defer close(s.done)
	buf := make([]byte, 1<<16)
	for {
		n, err := s.master.Read(buf)
		if n > 0 {
			s.took(buf[:n], time.Now())
		}
		if err != nil {
			return // it has ended
		}
	}
}

// shownRev is the revision in the status line: every frame shows the one that all of
// its cells are of.
var shownRev = regexp.MustCompile(`rev (?:\x1b\[[0-9;]*m)*([0-9,]+)(?:\x1b| )`)

// carry is longer than what shownRev matches.
const carry = 64

func (s *screen) took(b []byte, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += int64(len(b))
	if len(s.seen)+len(b) > seenMax {
		s.seen = append([]byte(nil), s.seen[len(s.seen)/2:]...)
	}
	s.seen = append(s.seen, b...)
	s.cut = append(s.cut, b...)
	end := 0
	for _, m := range shownRev.FindAllSubmatchIndex(s.cut, -1) {
		rev, err := strconv.ParseInt(strings.ReplaceAll(string(s.cut[m[2]:m[3]]), ",", ""), 10, 64)
		if last := len(s.marks) - 1; err == nil && (last < 0 || s.marks[last].rev != rev) {
			s.marks = append(s.marks, mark{rev, at})
		}
		end = m[1]
	}
	s.cut = append([]byte(nil), s.cut[max(end, len(s.cut)-carry):]...)
	close(s.news)
	s.news = make(chan struct{})
}

// until waits for something to be so, and returns when it came.
func (s *screen) until(ctx context.Context, what string, so func() bool) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	for {
		s.mu.Lock()
		ok, news, seen := so(), s.news, s.seen
		s.mu.Unlock()
		if ok {
			return time.Now(), nil
		}
		select {
		case <-news:
		case <-s.done:
			return time.Time{}, fmt.Errorf("the console ended before it showed %s: %s", what, ansi.Strip(string(tail(seen, 400))))
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("wait until the console shows %s: %w; it shows %q", what, ctx.Err(), ansi.Strip(string(tail(seen, 400))))
		}
	}
}

func tail(b []byte, n int) []byte { return b[max(0, len(b)-n):] }

// await waits until all of the texts were written, each in one piece of one style, since
// a key was pressed.
func (s *screen) await(ctx context.Context, texts ...string) (time.Time, error) {
	return s.until(ctx, strings.Join(texts, " and "), func() bool {
		for _, t := range texts {
			if !bytes.Contains(s.seen, []byte(t)) {
				return false
			}
		}
		return true
	})
}

// reaches waits until a revision or a later one is shown.
func (s *screen) reaches(ctx context.Context, rev int64) (time.Time, error) {
	return s.until(ctx, fmt.Sprintf("revision %d", rev), func() bool {
		return len(s.marks) > 0 && s.marks[len(s.marks)-1].rev >= rev
	})
}

// press presses a key, and forgets what was written before.
func (s *screen) press(key string) (time.Time, error) {
	s.mu.Lock()
	s.seen = nil
	s.mu.Unlock()
	at := time.Now()
	_, err := s.master.WriteString(key)
	return at, err
}

// written is how many bytes came so far.
func (s *screen) written() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// revisions are all that were shown, each when it first was.
func (s *screen) revisions() []mark {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]mark(nil), s.marks...)
}

// tickHz is in which unit Linux tells the time of a process, whatever its clock.
const tickHz = 100

// used is what the console took so far: its processor time, and the memory it has now
// and had at its peak.
func (s *screen) used() (usage, error) {
	var u usage
	dir := fmt.Sprintf("/proc/%d/", s.cmd.Process.Pid)
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return u, fmt.Errorf("read what the console took: %w", err)
	}
	// Behind the name in parentheses, user and system time are the 12th and 13th.
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	for _, field := range f[11:13] {
		ticks, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return u, fmt.Errorf("read what the console took: %w", err)
		}
		u.cpu += time.Duration(ticks) * time.Second / tickHz
	}
	status, err := os.ReadFile(dir + "status")
	if err != nil {
		return u, fmt.Errorf("read what the console took: %w", err)
	}
	for line := range strings.Lines(string(status)) {
		for name, into := range map[string]*float64{"VmHWM:": &u.rss, "VmRSS:": &u.now} {
			if f := strings.Fields(line); len(f) > 1 && f[0] == name {
				kib, err := strconv.ParseFloat(f[1], 64)
				if err != nil {
					return u, fmt.Errorf("read what the console took: %w", err)
				}
				*into = kib / 1024
			}
		}
	}
	return u, nil
}

// close leaves the console by its key, and if that takes long, by a kill.
func (s *screen) close() error {
	_, _ = s.master.WriteString("q")
	kill := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	err := s.cmd.Wait()
	kill.Stop()
	<-s.done // the terminal has ended with the last who had it
	return errors.Join(err, s.master.Close())
}
