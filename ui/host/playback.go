package host

import (
	"context"
	"time"

	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
)

// Playback is a recording that the console shows: its time is that of the screen.
type Playback interface {
	// Now is the moment that it shows, zero before it is loaded.
	Now() time.Time
	// Label is how it goes: "paused", "4x", "ended".
	Label() string
	// Pause stops it, or lets it go on.
	Pause()
	// Faster makes it go faster by so many steps, or slower.
	Faster(by int)
	// Go stops it at a goal and returns the state at that moment. What the source tells next
	// comes after it. It may take its time: it is called beside the screen.
	Go(ctx context.Context, g Goal) (*store.Store, error)
}

// Past is what a running console saw: the playback of a person who goes back, while the console goes on.
// After a moment to which the person went, the past plays on until it has come up to now.
type Past interface {
	Playback
	model.Source
	// Note takes a batch that the console took in, and what is so after it if that is due.
	Note(b model.Batch, begin []model.Event)
	// Due says that it wants to know what is so, to let go what is older.
	Due() bool
	// Since is the oldest moment that is kept, zero if there is none.
	Since() time.Time
	// Forget lets all go: something else is watched from now on.
	Forget()
	// Leave says that now is shown again.
	Leave()
}

// StopKind is what one can go to in a recording. Its text is what it is called.
type StopKind string

// Kinds of stops.
const (
	StopEvent    StopKind = "event"    // any line of the journal
	StopFinding  StopKind = "finding"  // that comes or goes
	StopHandover StopKind = "handover" // or another change of a holder
	StopMark     StopKind = "mark"     // a fault, an action, a step of a drill, a leader, a gap
	StopTime     StopKind = "time"
)

// Goal is where to go in a recording: to the next stop of a kind or the one before, or to a
// time as it was typed.
type Goal struct {
	Kind StopKind
	Back bool
	Text string
	At   time.Time // a time that nobody typed, within the recording
}

// Stands says whether the time of a playback does not go on.
func Stands(t Playback) bool {
	says := t.Label()
	return says == "paused" || says == "ended"
}

// NoActions are those of a console that shows no present: why nothing can be done.
type NoActions struct{ Why model.Message }

// Available implements [Actions].
func (n NoActions) Available(model.Action) error { return text.Refusal{Why: n.Why} }

// Plan implements [Actions].
func (n NoActions) Plan(context.Context, model.Action) (model.Plan, error) {
	return model.Plan{}, text.Refusal{Why: n.Why}
}

// Do implements [Actions].
func (n NoActions) Do(_ context.Context, p model.Plan) model.Outcome {
	return model.Outcome{Action: p.Action, Err: text.English(n.Why)}
}
