package ui

import (
	"context"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/ui/tutor"
)

// Film is the console without a terminal and without a clock: it shows what it is given, moment
// after moment. Its options need a Playback, which says what moment that is.
type Film struct{ shell *Shell }

// NewFilm returns a console of a size, which shows nothing yet. Nobody presses a key.
func NewFilm(ctx context.Context, o Options, live Live, width, height int) *Film {
	a := NewShell(o)
	a.ctx = ctx
	a.resize(width, height)
	a.bootDone(bootedMsg{live: live})
	return &Film{a}
}

// Take takes in what came.
func (f *Film) Take(b model.Batch) { f.shell.batch(b) }

// Begin has a lesson in its panel, of which [Film.Tell] shows the steps.
func (f *Film) Begin(l *tutor.Lesson) {
	f.shell.o.Lesson, f.shell.panel = l, tutor.New(l)
}

// Tell shows a step of the lesson, with what is beside it.
func (f *Film) Tell(s tutor.Step) { f.shell.carryOut(f.shell.panel.Tell(f.shell.look(), s)) }

// State is what is known at the moment that is shown.
func (f *Film) State() *store.Store { return f.shell.state }

// Lines are those of the screen at the moment that the playback shows.
func (f *Film) Lines() []string {
	f.shell.complete()
	return f.shell.paint()
}

// Say says a line of the journal in the words of the screen.
func (f *Film) Say(e *journal.Entry) string { return f.shell.th.Sentence(f.shell.state.View, e) }
