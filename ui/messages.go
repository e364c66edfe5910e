package ui

import (
	"slices"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/dialog"
	"locktop/ui/draw"
)

// Messages. Whatever blocks runs in a tea.Cmd and comes back as one of these.
type (
	tickMsg     time.Time
	bootLineMsg struct {
		text string
		more tea.Cmd
	}
	bootedMsg struct {
		live Live
		err  error
	}
	batchMsg       model.Batch
	sourceEndedMsg struct{ err error }
	outcomeMsg     struct{ out model.Outcome }
	// pulledMsg is what the nth source said.
	pulledMsg struct {
		source int
		msg    tea.Msg
	}
)

func everySecond() tea.Cmd {
	return tea.Every(time.Second, func(t time.Time) tea.Msg { return tickMsg(t) })
}

// startBoot runs Boot in one command and listens to its progress in another.
func (a *App) startBoot() tea.Cmd {
	if a.o.Boot == nil {
		return nil
	}
	progress, done := make(chan string), make(chan struct{})
	run := func() tea.Msg {
		defer close(done)
		if !a.boots.enter() {
			return nil
		}
		defer a.boots.leave()
		live, err := a.o.Boot(a.ctx, func(line string) {
			select {
			case progress <- line:
			case <-done:
			case <-a.ctx.Done():
			}
		})
		return bootedMsg{live, err}
	}
	var listen tea.Cmd
	listen = func() tea.Msg {
		select {
		case line := <-progress:
			return bootLineMsg{line, listen}
		case <-done:
		case <-a.ctx.Done():
		}
		return nil
	}
	return tea.Batch(run, listen)
}

// bootGate lets the end of the program wait for a boot under way, which may have
// started things that it has to stop.
type bootGate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

// enter says whether the boot may begin.
func (g *bootGate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.inside.Add(1)
	return true
}

func (g *bootGate) leave() { g.inside.Done() }

// close lets no boot begin any more and waits for one that did.
func (g *bootGate) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.inside.Wait()
}

func (a *App) bootLine(m bootLineMsg) tea.Cmd {
	a.boot = append(a.boot, m.text)
	return m.more
}

func (a *App) bootDone(m bootedMsg) tea.Cmd {
	if m.err != nil {
		a.err = m.err
		return tea.Quit
	}
	a.live, a.booted = m.live, true
	if a.o.Notice != "" {
		a.say(draw.Late, a.th.Clean(a.o.Notice))
	}
	if a.live.Start != nil {
		a.start = newStartPage(a.live.Start)
		return a.scan()
	}
	if a.lesson != nil {
		a.lesson.Booted()
	}
	return a.pull()
}

// pull asks the source for the next batch. There is one such command at a time:
// the next one starts when a batch was applied.
func (a *App) pull() tea.Cmd {
	if a.live.Source == nil {
		return nil
	}
	a.state.Look(a.onScreen)
	want, source, ctx, n := a.state.Want(), a.live.Source, a.ctx, a.sources
	return func() tea.Msg {
		batch, err := source.Next(ctx, want)
		if err != nil {
			return pulledMsg{n, sourceEndedMsg{err}}
		}
		return pulledMsg{n, batchMsg(batch)}
	}
}

// batch takes a batch in, asks for the next one, and says whether it tells a person
// anything that cannot wait for the next second.
func (a *App) batch(b model.Batch) (next tea.Cmd, tells bool) {
	facts, version, listed, other := a.state.JournalVersion(), a.state.Version(), a.state.Loaded(), a.state.OtherCluster()
	a.state.Apply(b)
	if now := a.state.OtherCluster(); now != other && now != "" {
		a.otherCluster(now)
	}
	if !listed && a.state.Loaded() {
		a.board.Locks.Order.Force = true // the first page that is whole does not wait for its turn
	}
	a.cost = b.Cost
	a.setNow()
	a.lookForAwaited()
	if now := a.state.Now(); a.state.Loaded() || now.Sub(a.listShown) >= listEvery || slices.ContainsFunc(b.Events, notListed) {
		a.listShown = now
	} else {
		return a.pull(), false
	}
	tells = a.state.JournalVersion() != facts || slices.ContainsFunc(b.Events, func(ev model.Event) bool {
		switch e := ev.(type) {
		case model.Tick:
			return a.state.Version() != version
		case model.LeaseRead:
			return a.tells(e)
		}
		return true
	})
	return a.pull(), tells
}

// otherCluster disarms the console: what a person meant to break is in another cluster
// than the one that answers now. Nothing that was asked for is waited for any more.
func (a *App) otherCluster(what string) {
	a.disarmed = a.disarmed || a.o.Armed
	a.o.Armed, a.dialog, a.awaited = false, nil, nil
	a.say(draw.Bad, a.th.Clean(what))
}

// listEvery is how often a page is painted to which a list under way adds: its parts come
// by the hundred a second.
const listEvery = 50 * time.Millisecond

func notListed(ev model.Event) bool { _, ok := ev.(model.Listed); return !ok }

// tells says whether a reading is one to be shown at once: of a lease that is not well,
// or the first of one on the screen. The rest only say that all is as it was, many
// times a second.
func (a *App) tells(e model.LeaseRead) bool {
	l := a.state.Lease(e.ID)
	switch {
	case l == nil:
		return false
	case l.State() != model.LeaseHealthy:
		return true
	}
	return l.First == l.Read && slices.Contains(a.onScreen, e.ID)
}

func (a *App) sourceEnded(err error) tea.Cmd {
	if a.ctx.Err() == nil {
		a.spent = err
	}
	return nil
}

func (a *App) ticked(t time.Time) tea.Cmd {
	a.tick = t
	if a.started.IsZero() {
		a.started = t
	}
	a.setNow()
	if a.notice.text != "" && a.now.After(a.notice.until) {
		a.notice = notice{}
	}
	cmds := []tea.Cmd{everySecond(), a.askForHelp()}
	if m, ok := a.dialog.(*dialog.Faults); ok {
		cmds = append(cmds, m.Ask())
	}
	return tea.Batch(cmds...)
}

// setNow moves the shown time on. It is cut to seconds, so that all that counts
// on the screen counts in step and a line is painted once a second at most for
// the passing of time.
func (a *App) setNow() {
	t := a.state.Now()
	if a.tick.After(t) {
		t = a.tick
	}
	if t = t.Truncate(time.Second); t.After(a.now) {
		a.now = t
	}
	a.board.Doubts.Look(a.state, a.now)
}
