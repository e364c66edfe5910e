package ui

import (
	"errors"
	"io"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/fold"
	"locktop/model/keyspace"
	"locktop/ui/dialog"
	"locktop/ui/draw"
	"locktop/ui/lesson"
	"locktop/ui/page"
	"locktop/ui/replay"
	"locktop/ui/start"
)

// Messages. Whatever blocks runs in a tea.Cmd and comes back as one of these.
type (
	tickMsg        time.Time
	batchMsg       model.Batch
	sourceEndedMsg struct{ err error }
	watchedMsg     struct {
		prefixes []string
		live     Live
		err      error
	}
	// soughtMsg is another moment of a recording.
	soughtMsg struct {
		state *fold.State
		err   error
	}
	// saidMsg is a line for the person, of what was done beside the screen.
	saidMsg struct {
		st   draw.Style
		text string
	}
	// pulledMsg is what the nth source said.
	pulledMsg struct {
		source int
		msg    tea.Msg
	}
)

// everySecond tells the time, by the clock of the source.
func everySecond(by Clock) tea.Cmd {
	return tea.Every(time.Second, func(t time.Time) tea.Msg {
		if by != nil {
			t = by.Now()
		}
		return tickMsg(t)
	})
}

// clockSet says it once when the machine's clock was set.
func (a *App) clockSet() {
	if a.live.Clock == nil {
		return
	}
	if set := a.live.Clock.Set(); set != a.set {
		a.say(draw.Bad, draw.ClockWasSet(set-a.set))
		a.set = set
	}
}

func (a *App) bootDone(m bootedMsg) tea.Cmd {
	if m.err != nil {
		a.err = m.err
		return tea.Quit
	}
	a.live, a.booted = m.live, true
	if a.o.Notice != "" {
		a.say(draw.Late, a.th.Clean(a.o.Notice))
		a.stays = true
	}
	if a.live.Cut != nil {
		a.say(draw.Late, "the recording is cut off at its end: "+a.th.Clean(a.live.Cut.Error()))
		a.stays = true
	}
	if a.live.Start != nil {
		a.start = start.New(a.self, a.live.Start)
		return a.start.Scan(&a.gate)
	}
	if p, ok := a.under.(*lesson.Pane); ok && p.Showing() {
		p.Booted()
	}
	return a.pull()
}

// pull asks the source for the next batch. There is one such command at a time:
// the next one starts when a batch was applied.
func (a *App) pull() tea.Cmd {
	return a.self.pullAfter(nil)
}

// pullAfter does so when what has to be done beside the screen was done, if it is not nil.
func (p parts) pullAfter(first func()) tea.Cmd {
	a := p.a
	a.state.Look(a.onScreen)
	if a.present != nil {
		return a.self.pullFrom(a.o.Past, -a.moments, a.state, first)
	}
	return a.self.pullFrom(a.live.Source, a.sources, a.state, first)
}

// pullFrom asks a source for the next batch, for a state.
func (p parts) pullFrom(source model.Source, n int, s *fold.State, first func()) tea.Cmd {
	a := p.a
	if source == nil {
		return nil
	}
	want, ctx := s.Want(), a.ctx
	return func() tea.Msg {
		if first != nil {
			first()
		}
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
	why, keep := a.self.note(b, a.state)
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
		return a.self.pullAfter(keep), false
	}
	tells = why != "" || a.state.JournalVersion() != facts || slices.ContainsFunc(b.Events, func(ev model.Event) bool {
		switch e := ev.(type) {
		case model.Tick:
			return a.state.Version() != version
		case model.LeaseRead:
			return worthShowing(e, a.state.Lease(e.ID), a.onScreen)
		}
		return true
	})
	return a.self.pullAfter(keep), tells
}

// note writes down what came in, if that is now: into the recording, and into what is kept of the
// past, which is packed beside the screen.
func (p parts) note(b model.Batch, s *fold.State) (why string, keep func()) {
	a := p.a
	past := a.o.Past
	if a.present != nil && s != a.present.State {
		return "", nil
	}
	if why = a.o.Record.Note(b); why != "" {
		a.self.recorded("the recording ended: " + why)
	}
	if past == nil {
		return why, nil
	}
	var begin []model.Event
	if past.Due() {
		begin, _ = s.Beginning()
	}
	return why, func() { past.Note(b, begin) }
}

// beneath takes in what comes while the past is shown.
func (p parts) beneath(msg tea.Msg) tea.Cmd {
	a, on := p.a, p.a.present
	b, ok := msg.(batchMsg)
	if !ok {
		on.Spent = msg.(sourceEndedMsg).err
		return nil
	}
	other := on.State.OtherCluster()
	on.State.Apply(model.Batch(b))
	_, keep := a.self.note(model.Batch(b), on.State)
	a.cost = b.Cost
	a.lookForAwaited()
	if now := on.State.OtherCluster(); now != other && now != "" {
		a.self.leave()
		a.otherCluster(now)
		a.dirty = true
	}
	return a.self.pullFrom(a.live.Source, a.sources, on.State, keep)
}

// pastEnded goes back to now: the past was played up to it, or cannot be read any further.
func (p parts) pastEnded(why error) {
	a := p.a
	a.self.leave()
	if !errors.Is(why, io.EOF) {
		a.say(draw.Late, "What is kept of the past cannot be read: "+a.th.Clean(why.Error()))
	}
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

// worthShowing says whether a reading is one to be shown at once: of a lease that is not
// well, or the first of one on the screen. The rest only say that all is as it was, many
// times a second.
func worthShowing(e model.LeaseRead, l *keyspace.Lease, onScreen []model.LeaseID) bool {
	switch {
	case l == nil:
		return false
	case l.State() != model.LeaseHealthy:
		return true
	}
	return l.ReadOnce() && slices.Contains(onScreen, e.ID)
}

func (a *App) ticked(t time.Time) tea.Cmd {
	a.tick = t
	if a.started.IsZero() {
		a.started = t
	}
	if a.present != nil {
		a.present.Look(a.th, t)
		a.board.Latest = a.present.Now
	}
	a.setNow()
	a.fade(t)
	a.clockSet()
	cmds := []tea.Cmd{everySecond(a.live.Clock), a.askForHelp()}
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
	switch {
	case a.self.tape() != nil && (a.o.Tape != nil || a.present != nil):
		if at := a.self.tape().Now(); at.After(t) {
			t = at
		}
	case a.tick.After(t):
		t = a.tick
	}
	if t = t.Truncate(time.Second); t.After(a.now) {
		a.now = t
	}
	if a.touched.IsZero() {
		a.touched = a.now
	}
	a.self.mark()
	a.board.Doubts.Look(a.state, a.now)
	a.board.Pulse.Update(a.state, a.board.Locks.Order.Waiting, a.now)
	a.under.Look()
}

// watch opens another source, beside the screen.
func (a *App) watch(prefixes []string) tea.Cmd {
	if a.opening {
		a.say(draw.Late, "still opening what you asked for before")
		return nil
	}
	if a.present != nil {
		a.say(draw.Late, draw.NotNow(string(replay.InThePast)))
		return nil
	}
	a.opening = true
	if a.start != nil {
		a.start.Stop()
	}
	open, ctx := a.o.Watch, a.ctx
	return func() tea.Msg {
		if !a.gate.Enter() {
			return nil
		}
		defer a.gate.Leave()
		live, err := open(ctx, prefixes)
		return watchedMsg{prefixes, live, err}
	}
}

// watched goes on with another source. Nothing of what was seen before stays, but
// what a person has set.
func (a *App) watched(m watchedMsg) tea.Cmd {
	a.opening = false
	if m.err != nil {
		a.say(draw.Bad, "cannot watch that: "+a.th.Clean(m.err.Error()))
		return nil
	}
	if a.o.Record.On() {
		a.self.recorded("the recording ended: other keys are watched now")
	}
	set := a.settings()
	a.live, a.start, a.o.Prefixes = m.live, nil, m.prefixes
	a.sources++
	a.dialog = nil
	a.sheet, a.field = nil, nil
	a.thaw()
	a.reset(set)
	a.goTo(0)
	a.say(draw.Plain, "Watching the keys under "+a.frame().Watched())
	var first func()
	if a.o.Past != nil {
		first = a.o.Past.Forget
	}
	return a.self.pullAfter(first)
}

// tape is what can be moved: a recording, or what was seen so far; nil for neither.
func (p parts) tape() replay.Tape {
	a := p.a
	switch {
	case a.o.Tape != nil:
		return a.o.Tape
	case a.o.Past != nil:
		return a.o.Past
	}
	return nil
}

// seek goes to another moment of the recording or of the past, beside the screen.
func (p parts) seek(g replay.Goal) tea.Cmd {
	a := p.a
	if a.opening {
		a.say(draw.Late, "wait: another moment is still being looked up")
		return nil
	}
	a.opening = true
	tape, ctx := a.self.tape(), a.ctx
	return func() tea.Msg {
		s, err := tape.Go(ctx, g)
		return soughtMsg{s, err}
	}
}

// sought shows the moment that was looked up. What a person has set stays, and what was
// selected, if it is there. Without such a moment the recording goes on where it was.
func (p parts) sought(m soughtMsg) tea.Cmd {
	a, held := p.a, p.a.held
	a.opening, a.held = false, nil
	switch {
	case m.err != nil && a.o.Past != nil && a.present == nil: // the axis and the journal know it perhaps
		a.o.Past.Leave()
		a.say(draw.Late, a.th.Clean(m.err.Error()))
		return nil
	case m.err != nil:
		a.say(draw.Late, a.th.Clean(m.err.Error()))
		a.board.Axis.Now() // the cursor stays where the recording is
		a.self.mark()
		if held == nil {
			return nil
		}
		_, cmd := a.update(held)
		return cmd
	}
	ahead := a.board.Ahead
	if ahead == nil {
		ahead = a.state
	}
	if a.o.Past == nil {
		a.sources++ // what is on its way is of the moment before
	} else {
		a.moments++
		if a.present == nil {
			a.present = &replay.Present{State: a.state, Board: a.board, Now: a.now, Spent: a.spent, Actions: a.live.Actions}
			a.live.Actions = replay.InThePast
		}
	}
	moved := !a.board.Axis.At().Truncate(time.Microsecond).Equal(a.cursor) // while this moment was looked up
	a.self.turn(m.state)
	a.board.Ahead = ahead
	if moved {
		next := p.follow()
		a.setNow()
		return tea.Batch(a.pull(), next)
	}
	a.setNow()
	if a.self.behind() {
		a.under.(*lesson.Pane).Turned()
	}
	a.notice = notice{}
	return a.pull()
}

// turn shows another state, as it was chosen how to look at the one before.
func (p parts) turn(to *fold.State) {
	a := p.a
	at, pick, set, awaited, was, pages := a.at, a.board.Locks.Pick, a.settings(), a.awaited, a.board, a.pages
	a.dialog = nil
	a.thaw()
	a.reset(set)
	a.state, a.now, a.awaited = to, time.Time{}, awaited
	a.at, a.board.Locks.Pick = at, pick
	a.board.Axis.Window, a.board.Axis.Keyless = was.Axis.Window, was.Axis.Keyless
	for i, x := range pages {
		if f, ok := x.(page.Filtered); ok && f.Filter() != "" {
			a.pages[i].(page.Filtered).SetFilter(f.Filter())
		}
	}
}

// leave shows now again, which went on underneath.
func (p parts) leave() {
	a, on := p.a, p.a.present
	a.o.Past.Leave()
	a.moments++ // what is on its way is of the past
	a.present, a.held = nil, nil
	a.self.turn(on.State)
	b := a.board
	b.Tally, b.Doubts, b.Pulse, b.Picked = on.Board.Tally, on.Board.Doubts, on.Board.Pulse, on.Board.Picked
	b.Locks.Order.Force = true
	b.Axis.Now()
	a.live.Actions, a.spent, a.cursor, a.notice = on.Actions, on.Spent, time.Time{}, notice{}
	a.setNow()
	if told, ok := a.under.(*lesson.Pane); ok {
		told.Now()
	}
}

// follow moves the recording to where the cursor of the axis was moved: the whole console shows
// that moment. Without a cursor it goes back to the latest that was seen.
func (p parts) follow() tea.Cmd {
	a := p.a
	at := a.board.Axis.At().Truncate(time.Microsecond)
	switch {
	case a.opening:
		return nil
	case a.present != nil && at.IsZero():
		a.self.leave()
		return nil
	case at.Equal(a.cursor):
		return nil
	}
	a.cursor = at
	if at.IsZero() {
		if a.board.Ahead == nil {
			return nil
		}
		at = a.board.Ahead.Now()
	}
	return p.seek(replay.Goal{Kind: replay.StopTime, At: at.Add(time.Microsecond - 1)}) // the axis has no smaller unit
}

// mark puts the cursor of the axis where the recording is, while something later was seen.
func (p parts) mark() {
	a, b := p.a, p.a.board
	if b.Ahead == nil || a.opening {
		return
	}
	if now, last := a.state.Now(), b.Ahead.Now(); now.Before(last) || a.present != nil {
		b.Axis.Go(now.Truncate(time.Microsecond), b.Ahead.Book.Start(), last)
	} else {
		b.Ahead = nil
		b.Axis.Now()
	}
	a.cursor = b.Axis.At()
}

// Moment goes to a time of the recording or of the past, or back to now, or says why not.
func (p parts) Moment(text string) (tea.Cmd, string) {
	a := p.a
	switch {
	case a.self.tape() == nil:
		return nil, "nothing is kept here of what was seen"
	case text == "now" && a.board.Ahead == nil && a.present == nil:
		return nil, "the screen shows now"
	case text == "now":
		a.board.Axis.Now()
		return p.follow(), ""
	}
	return p.seek(replay.Goal{Kind: replay.StopTime, Text: text}), ""
}
