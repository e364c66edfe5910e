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
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

const (
	screenWidth, screenHeight = 200, 50
	// seenMost bounds what is kept of what a console wrote.
	seenMost = 1 << 20
	carry    = 64 // longer than what shownRev matches
)

// mark is a revision and when it was somewhere.
type mark struct {
	rev int64
	at  time.Time
}

// screen is a locktop on a pseudo-terminal that answers nothing it is asked, looked at from
// outside: by what it writes and when.
type screen struct {
	began  time.Time
	master *os.File
	cmd    *exec.Cmd
	done   chan struct{} // closed when nothing more will come

	mu      sync.Mutex
	seen    []byte // since a key was pressed last, with its escape sequences
	pending []byte // the end of what was looked through for revisions
	marks   []mark
	news    chan struct{} // closed and replaced when something came
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

// onConsole opens a console on a server and calls f when the page is full: all is loaded,
// and the order of the rows is that of all locks.
func (e *env) onConsole(ctx context.Context, endpoint string, d dataset, f func(s *screen, page time.Duration) error) error {
	s, err := e.open(ctx, e.locktopOn(endpoint)...)
	if err != nil {
		return err
	}
	at, err := s.await(ctx, " live", grouped.Sprint(d.Locks)+" locks")
	if err == nil {
		err = f(s, at.Sub(s.began))
	}
	return errors.Join(err, s.close())
}

// grouped writes a number as the console does.
var grouped = message.NewPrinter(language.English)

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

// shownRev is the revision in the status line: every frame shows the one that all of its cells are of.
var shownRev = regexp.MustCompile(`rev (?:\x1b\[[0-9;]*m)*([0-9,]+)(?:\x1b| )`)

func (s *screen) took(b []byte, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen)+len(b) > seenMost {
		s.seen = slices.Clone(s.seen[len(s.seen)/2:])
	}
	s.seen = append(s.seen, b...)
	s.pending = append(s.pending, b...)
	end := 0
	for _, m := range shownRev.FindAllSubmatchIndex(s.pending, -1) {
		rev, err := strconv.ParseInt(strings.ReplaceAll(string(s.pending[m[2]:m[3]]), ",", ""), 10, 64)
		if last := len(s.marks) - 1; err == nil && (last < 0 || s.marks[last].rev != rev) {
			s.marks = append(s.marks, mark{rev, at})
		}
		end = m[1]
	}
	s.pending = slices.Clone(s.pending[max(end, len(s.pending)-carry):])
	close(s.news)
	s.news = make(chan struct{})
}

// until waits for something to be so, and returns when it was.
func (s *screen) until(ctx context.Context, what string, so func() bool) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	for {
		s.mu.Lock()
		ok, news, seen := so(), s.news, s.seen[max(0, len(s.seen)-400):]
		s.mu.Unlock()
		if ok {
			return time.Now(), nil
		}
		select {
		case <-news:
		case <-s.done:
			return time.Time{}, fmt.Errorf("the console ended before it showed %s: %q", what, ansi.Strip(string(seen)))
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("wait until the console shows %s: %w; it shows %q", what, ctx.Err(), ansi.Strip(string(seen)))
		}
	}
}

// await waits until all of the texts were written since a key was pressed, each in one piece of one style.
func (s *screen) await(ctx context.Context, texts ...string) (time.Time, error) {
	return s.until(ctx, strings.Join(texts, " and "), func() bool {
		return !slices.ContainsFunc(texts, func(t string) bool { return !bytes.Contains(s.seen, []byte(t)) })
	})
}

// reaches waits until a revision or a later one is shown.
func (s *screen) reaches(ctx context.Context, rev int64) (time.Time, error) {
	return s.until(ctx, fmt.Sprintf("revision %d", rev), func() bool {
		return len(s.marks) > 0 && s.marks[len(s.marks)-1].rev >= rev
	})
}

// press presses keys, and forgets what was written before.
func (s *screen) press(keys string) (time.Time, error) {
	s.mu.Lock()
	s.seen = nil
	s.mu.Unlock()
	at := time.Now()
	_, err := s.master.WriteString(keys)
	return at, err
}

// lags returns for each revision that was written how long it took until it, or a later
// one, was on the screen. Those that never were count until now.
func (s *screen) lags(wrote []mark) (lags []time.Duration) {
	s.mu.Lock()
	shown := slices.Clone(s.marks)
	s.mu.Unlock()
	for _, m := range wrote {
		i, _ := slices.BinarySearchFunc(shown, m.rev, func(s mark, rev int64) int { return int(s.rev - rev) })
		at := time.Now()
		if i < len(shown) {
			at = shown[i].at
		}
		lags = append(lags, max(0, at.Sub(m.at)))
	}
	return lags
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
