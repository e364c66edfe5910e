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
	if l.crew.lastGuest == nil {
		return 0, ""
	}
	return l.crew.lastGuest.exitCode(), l.crew.lastGuest.name() + " ended: " + l.crew.lastGuest.howEnded()
}

// CommandName is what Options.Command is called as a contender.
func (l *Lab) CommandName() string { return commandName(l.o.Command[0]) }

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

// unhurried says whether done was closed within d, and before Options.Hurry was.
func (c *crew) unhurried(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-c.o.Hurry:
	case <-t.C:
	}
	return false
}

// awaitGroup waits until a program of the user's has ended, and then ends what it has
// started and left behind: by asking, then by force. Only what leads a group of its own
// escapes. Its own remains keep the number of the group from being given to others.
func (c *crew) awaitGroup(p *proc) {
	if process.AwaitEnd(p.pid()) != nil {
		return // it is waited for as any other
	}
	c.mu.Lock()
	if process.GroupLives(p.pid()) {
		p.askToEnd()
	}
	c.mu.Unlock()
	grace := max(c.o.Grace, graceAtClose)
	for end := time.Now().Add(grace); process.GroupLives(p.pid()); {
		if !time.Now().Before(end) || c.hurried(groupPoll) {
			p.signal(os.Kill)
			return
		}
	}
}

// hurried waits for d and says whether Options.Hurry is closed.
func (c *crew) hurried(d time.Duration) bool {
	select {
	case <-c.o.Hurry:
		return true
	case <-time.After(d):
		return false
	}
}
