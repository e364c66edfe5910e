package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/prometheus/procfs"

	"locktop/demo/bench/load"
)

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
	marks []load.Mark
	news  chan struct{} // closed and replaced when something came
}

// open starts a program on a terminal.
func (e *env) open(ctx context.Context, line ...string) (*screen, error) {
	s := &screen{cmd: e.command(ctx, line...), done: make(chan struct{}), news: make(chan struct{}), began: time.Now()}
	var err error
	if s.master, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: screenHeight, Cols: screenWidth}); err != nil {
		return nil, fmt.Errorf("start the console: %w", err)
	}
	go s.read()
	return s, nil
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
		if last := len(s.marks) - 1; err == nil && (last < 0 || s.marks[last].Rev != rev) {
			s.marks = append(s.marks, load.Mark{Rev: rev, At: at})
		}
		end = m[1]
	}
	s.cut = append([]byte(nil), s.cut[max(end, len(s.cut)-carry):]...)
	close(s.news)
	s.news = make(chan struct{})
}

// settle bounds the wait for a revision, and for the last events of a flood.
const settle = 10 * time.Second

// until waits for something to be so, and returns when it came.
func (s *screen) until(ctx context.Context, within time.Duration, what string, so func() bool) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
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
	return s.until(ctx, runLimit, strings.Join(texts, " and "), func() bool {
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
	return s.until(ctx, settle, fmt.Sprintf("revision %d", rev), func() bool {
		return len(s.marks) > 0 && s.marks[len(s.marks)-1].Rev >= rev
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
func (s *screen) revisions() []load.Mark {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.marks)
}

// used is what the console took so far: its processor time, and the memory it has now
// and had at its peak.
func (s *screen) used() (usage, error) { return usedBy(s.cmd.Process.Pid) }

// usedBy is the same of any process.
func usedBy(pid int) (u usage, err error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return u, fmt.Errorf("read what it took: %w", err)
	}
	stat, err := p.Stat()
	status, err2 := p.NewStatus()
	if err = errors.Join(err, err2); err != nil {
		return u, fmt.Errorf("read what it took: %w", err)
	}
	u.cpu = time.Duration(stat.CPUTime() * float64(time.Second))
	u.rss, u.now = float64(status.VmHWM)/(1<<20), float64(status.VmRSS)/(1<<20)
	return u, nil
}

// close leaves the console by its key, and if that takes long, by a kill.
func (s *screen) close() error {
	_, _ = s.master.WriteString("q")
	kill := time.AfterFunc(load.Patience, func() { _ = s.cmd.Process.Kill() })
	err := s.cmd.Wait()
	kill.Stop()
	<-s.done // the terminal has ended with the last who had it
	return errors.Join(err, s.master.Close())
}
