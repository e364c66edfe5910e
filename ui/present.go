package ui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/table"
)

// present is what goes on underneath while the past of a running console is shown.
type present struct {
	state     *store.Store
	viewState *page.ViewState
	now       time.Time
	spent     error // why the source ended
	actions   host.Actions
}

// frame is the one of now.
func (p *present) frame(th *draw.Theme) page.Frame {
	return page.Frame{ViewState: p.viewState, View: table.View{S: p.state.View, Th: th, Now: p.now, OnScreen: new([]model.LeaseID), Marks: p.viewState.Marked.Has, Chosen: p.viewState.Picked.Has}}
}

// look takes in what there is by now, so that nothing of what only shows for a while is missed.
func (p *present) look(th *draw.Theme, tick time.Time) {
	t := p.state.Now()
	if tick.After(t) {
		t = tick
	}
	if t = t.Truncate(time.Second); t.After(p.now) {
		p.now = t
	}
	b := p.viewState
	p.frame(th).UpdateLocks()
	b.Counters.Update(p.state.View, b.Locks.Order.Total, table.Clock{Now: p.now})
	b.Uncertain.Look(p.state.View, p.now)
	b.Sparkline.Update(p.state.View, b.Locks.Order.Waiting, p.now)
}

// chip says that the past is shown, and which moment.
func (p *present) chip(t host.Playback, th *draw.Theme) draw.Span {
	dot := " " + th.Sign.Dot + " "
	text := " " + th.Say("past-ago", model.Verbatim(t.Now().Format(time.TimeOnly)), model.Verbatim(th.Sign.Dot), model.Verbatim(p.ago(t.Now())))
	if says := t.Label(); says != "paused" {
		text += dot + pace(t, th)
	}
	return draw.Armed.Of(text + " ")
}

// ago is how long ago a moment is: since the last event, or since the last second on the clock.
func (p *present) ago(at time.Time) string {
	now := p.now
	if t := p.state.Now().Truncate(time.Second); t.After(now) {
		now = t
	}
	return draw.Age(max(0, now.Sub(at)), false)
}

// texts is the line under the page: how to go on, how far back one can go, and what became of the
// watch if it ended meanwhile. The chip on top says which moment it is.
func (p *present) texts(th *draw.Theme, since time.Time) []draw.Span {
	line := []draw.Span{draw.Dim.Of(" " + th.Say("go-to"))}
	for _, x := range [...]struct{ keys, what string }{{", .", th.Say("an-event")}, {"( )", th.Say("a-finding")}, {"{ }", th.Say("a-handover")}} {
		line = append(line, draw.Accent.Of("  "+x.keys), draw.Dim.Of(" "+x.what))
	}
	switch {
	case p.spent != nil:
		line = append(line, draw.Bad.Of("   "+th.Say("the-watch-has-ended")))
	case page.Fresh(p.state.View).State == locks.Lost:
		line = append(line, draw.Bad.Of("   "+th.Say("the-watch-is-lost")))
	}
	return append(line, draw.Dim.Of("   "+th.Say("kept-since", model.Verbatim(since.Format(time.TimeOnly)))))
}

// inThePast is why nothing can be done there.
var inThePast = host.NoActions{Why: model.Say("the-past-is-shown")}

// playbackKeys are the rows of the table of keys on pages. seek goes to a goal; now says that now is
// shown, which no playback moves.
func playbackKeys(on host.Where, t host.Playback, seek func(host.Goal) tea.Cmd, now func() bool) []host.Key {
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
		goal host.Goal
	}{{".", "to-the-next-event", host.Goal{Kind: host.StopEvent}}, {",", "to-the-event-before", host.Goal{Kind: host.StopEvent, Back: true}},
		{")", "to-the-next-finding", host.Goal{Kind: host.StopFinding}}, {"(", "to-the-finding-before", host.Goal{Kind: host.StopFinding, Back: true}},
		{"}", "to-the-next-change-of-a-holder", host.Goal{Kind: host.StopHandover}}, {"{", "to-the-change-of-a-holder-before", host.Goal{Kind: host.StopHandover, Back: true}},
		{"~", "to-the-next-mark", host.Goal{Kind: host.StopMark}}, {"`", "to-the-mark-before", host.Goal{Kind: host.StopMark, Back: true}}} {
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

// asOf says which moment is shown, where that is not now.
func asOf(t host.Playback, th *draw.Theme) draw.Span {
	return draw.Armed.Of(" " + th.Say("as-of-moment", model.Verbatim(t.Now().Format("2006-01-02 15:04:05"))) + " " + th.Sign.Dot + " " + pace(t, th) + " ")
}

// pace says how a playback goes.
func pace(t host.Playback, th *draw.Theme) string {
	switch says := t.Label(); says {
	case "paused":
		return th.Say("paused")
	case "ended":
		return th.Say("ended")
	default:
		return says
	}
}
