package demo

import (
	"os"
	"syscall"
	"time"

	"locktop/demo/process"
)

// groupPoll is how often a group is asked whether any of it is left.
const groupPoll = 20 * time.Millisecond

// CommandEnd is how Options.Command ended, once it has: its exit code, or 128 and the number
// of the signal that ended it, and the same in words.
func (l *Lab) CommandEnd() (code int, how string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lastGuest == nil {
		return 0, ""
	}
	return l.lastGuest.exitCode(), l.lastGuest.name() + " ended: " + l.lastGuest.howEnded()
}

// exitCode is that of a process that has ended, as shells count.
func (p *proc) exitCode() int {
	if s, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}

// askToEnd asks a process and what it has started to end, a program of the user's no more
// than once: many take the second time for impatience. The caller has the mutex.
func (p *proc) askToEnd() {
	ours := p.command == nil
	if p.paused && ours {
		p.signal(os.Kill) // it has nothing to tidy up that anybody waits for
		return
	}
	if p.stdin != nil {
		p.stdin.Close()
	}
	if ours || !p.asked && !p.stopping {
		p.signal(process.SigStop)
	}
	p.asked = true
	if p.paused {
		p.signal(process.SigContinue)
	}
}

// kill kills those contenders that are left, with what they have started.
func (l *Lab) kill(those func(*proc) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.procs {
		if those(p) {
			p.signal(os.Kill)
		}
	}
}

// unhurried says whether done was closed within d, and before Options.Hurry was.
func (l *Lab) unhurried(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-l.o.Hurry:
	case <-t.C:
	}
	return false
}

// awaitGroup waits until a program of the user's has ended, and then ends what it has
// started and left behind: by asking, then by force. Only what leads a group of its own
// escapes. Its own remains keep the number of the group from being given to others.
func (l *Lab) awaitGroup(p *proc) {
	if process.AwaitEnd(p.pid()) != nil {
		return // it is waited for as any other
	}
	l.mu.Lock()
	if process.GroupLives(p.pid()) {
		p.askToEnd()
	}
	l.mu.Unlock()
	grace := max(l.o.Grace, graceAtClose)
	for end := time.Now().Add(grace); process.GroupLives(p.pid()); {
		if !time.Now().Before(end) || l.hurried(groupPoll) {
			p.signal(os.Kill)
			return
		}
	}
}

// hurried waits for d and says whether Options.Hurry is closed.
func (l *Lab) hurried(d time.Duration) bool {
	select {
	case <-l.o.Hurry:
		return true
	case <-time.After(d):
		return false
	}
}
