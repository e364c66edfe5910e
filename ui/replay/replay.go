package replay

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/host"
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

// Keys are the rows of the table of keys on pages. seek goes to a goal; now says that now is
// shown, which no playback moves.
func Keys(on host.Where, t Playback, seek func(Goal) tea.Cmd, now func() bool) []host.Key {
	whyNow := func(v host.View) string {
		if now() {
			return v.Th.Say("the-screen-shows-now-goes-back")
		}
		return ""
	}
	rows := []host.Key{{Keys: []string{"p"}, Where: on, Short: "key-pause", What: "stop-the-recording-or-let-it", Needs: host.NeedsRecording, Why: whyNow, Hidden: func(host.View) bool { return now() }, Do: host.Run(func() { t.Pause() })}}
	for _, x := range []struct {
		key  string
		what model.MessageID
		goal Goal
	}{{".", "to-the-next-event", Goal{Kind: StopEvent}}, {",", "to-the-event-before", Goal{Kind: StopEvent, Back: true}},
		{")", "to-the-next-finding", Goal{Kind: StopFinding}}, {"(", "to-the-finding-before", Goal{Kind: StopFinding, Back: true}},
		{"}", "to-the-next-change-of-a-holder", Goal{Kind: StopHandover}}, {"{", "to-the-change-of-a-holder-before", Goal{Kind: StopHandover, Back: true}},
		{"~", "to-the-next-mark", Goal{Kind: StopMark}}, {"`", "to-the-mark-before", Goal{Kind: StopMark, Back: true}}} {
		row := host.Key{Keys: []string{x.key}, Where: on, What: x.what, Needs: host.NeedsRecording, Do: func(host.View) []host.Intent { return []host.Intent{host.Cmd(seek(x.goal))} }}
		if !x.goal.Back {
			row.Why = whyNow
		}
		rows = append(rows, row)
	}
	return append(rows,
		host.Key{Keys: []string{">"}, Where: on, What: "faster", Needs: host.NeedsRecording, Why: whyNow, Do: host.Run(func() { t.Faster(1) })},
		host.Key{Keys: []string{"<"}, Where: on, What: "slower", Needs: host.NeedsRecording, Why: whyNow, Do: host.Run(func() { t.Faster(-1) })})
}

// Stands says whether the time of a playback does not go on.
func Stands(t Playback) bool {
	says := t.Label()
	return says == "paused" || says == "ended"
}

// AsOf says which moment is shown, where that is not now.
func AsOf(t Playback, th *draw.Theme) draw.Span {
	return draw.Armed.Of(" " + th.Say("as-of-moment", model.Verbatim(t.Now().Format("2006-01-02 15:04:05"))) + " " + th.Sign.Dot + " " + pace(t, th) + " ")
}

// pace says how a playback goes.
func pace(t Playback, th *draw.Theme) string {
	switch says := t.Label(); says {
	case "paused":
		return th.Say("paused")
	case "ended":
		return th.Say("ended")
	default:
		return says
	}
}
