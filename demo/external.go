package demo

import (
	"os"
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
	if l.supervisor.lastExternal == nil {
		return 0, ""
	}
	return l.supervisor.lastExternal.ExitCode(), l.supervisor.lastExternal.name() + " ended: " + l.supervisor.lastExternal.howEnded()
}

// CommandName is what Options.Command is called as a contender.
func (l *Lab) CommandName() string { return commandName(l.o.Command[0]) }

// askToEnd asks a process and what it has started to end, a program of the user's no more
// than once: many take the second time for impatience. The caller has the mutex.
func (p *proc) askToEnd() {
	ours := p.command == nil
	if p.paused && ours {
		p.signal(os.Kill) // it has nothing to tidy up that anybody waits for
		return
	}
	p.CloseInput()
	if ours || !p.mayEnd && !p.stopping {
		p.signal(process.SigStop)
	}
	p.mayEnd = true
	if p.paused {
		p.signal(process.SigContinue)
	}
}

// unhurried says whether done was closed within d, and before Options.Hurry was.
func (sv *supervisor) unhurried(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-sv.o.Hurry:
	case <-t.C:
	}
	return false
}

// awaitGroup waits until a program of the user's has ended, and then ends what it has
// started and left behind: by asking, then by force. Only what leads a group of its own
// escapes. Its own remains keep the number of the group from being given to others.
func (sv *supervisor) awaitGroup(p *proc) {
	if process.AwaitEnd(p.PID()) != nil {
		return // it is waited for as any other
	}
	sv.mu.Lock()
	if process.GroupLives(p.PID()) {
		p.askToEnd()
	}
	sv.mu.Unlock()
	grace := max(sv.o.Grace, graceAtClose)
	for end := time.Now().Add(grace); process.GroupLives(p.PID()); {
		if !time.Now().Before(end) || sv.hurried(groupPoll) {
			p.signal(os.Kill)
			return
		}
	}
}

// hurried waits for d and says whether Options.Hurry is closed.
func (sv *supervisor) hurried(d time.Duration) bool {
	select {
	case <-sv.o.Hurry:
		return true
	case <-time.After(d):
		return false
	}
}
