package replay

import (
	"context"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/table"
)

// Present is what goes on underneath while the past of a running console is shown.
type Present struct {
	State   *store.Store
	Board   *page.ViewState
	Now     time.Time
	Spent   error // why the source ended
	Actions host.Actions
}

// Frame is the one of now.
func (p *Present) Frame(th *draw.Theme) page.Frame {
	return page.Frame{ViewState: p.Board, View: table.View{S: p.State.View, Th: th, Now: p.Now, OnScreen: new([]model.LeaseID), Marks: p.Board.Marked.Has, Chosen: p.Board.Picked.Has}}
}

// Look takes in what there is by now, so that nothing of what only shows for a while is missed.
func (p *Present) Look(th *draw.Theme, tick time.Time) {
	t := p.State.Now()
	if tick.After(t) {
		t = tick
	}
	if t = t.Truncate(time.Second); t.After(p.Now) {
		p.Now = t
	}
	b := p.Board
	p.Frame(th).UpdateLocks()
	b.Counters.Update(p.State.View, b.Locks.Order.Total, table.Clock{Now: p.Now})
	b.Uncertain.Look(p.State.View, p.Now)
	b.Sparkline.Update(p.State.View, b.Locks.Order.Waiting, p.Now)
}

// Chip says that the past is shown, and which moment.
func (p *Present) Chip(t Playback, th *draw.Theme) draw.Span {
	dot := " " + th.Sign.Dot + " "
	text := " " + th.Say("past-ago", model.Verbatim(t.Now().Format(time.TimeOnly)), model.Verbatim(th.Sign.Dot), model.Verbatim(p.ago(t.Now())))
	if says := t.Label(); says != "paused" {
		text += dot + pace(t, th)
	}
	return draw.Armed.Of(text + " ")
}

// ago is how long ago a moment is: since the last event, or since the last second on the clock.
func (p *Present) ago(at time.Time) string {
	now := p.Now
	if t := p.State.Now().Truncate(time.Second); t.After(now) {
		now = t
	}
	return draw.Age(max(0, now.Sub(at)), false)
}

// Texts is the line under the page: how to go on, how far back one can go, and what became of the
// watch if it ended meanwhile. The chip on top says which moment it is.
func (p *Present) Texts(th *draw.Theme, since time.Time) []draw.Span {
	line := []draw.Span{draw.Dim.Of(" " + th.Say("go-to"))}
	for _, x := range [...]struct{ keys, what string }{{", .", th.Say("an-event")}, {"( )", th.Say("a-finding")}, {"{ }", th.Say("a-handover")}} {
		line = append(line, draw.Accent.Of("  "+x.keys), draw.Dim.Of(" "+x.what))
	}
	switch {
	case p.Spent != nil:
		line = append(line, draw.Bad.Of("   "+th.Say("the-watch-has-ended")))
	case page.Fresh(p.State.View).State == locks.Lost:
		line = append(line, draw.Bad.Of("   "+th.Say("the-watch-is-lost")))
	}
	return append(line, draw.Dim.Of("   "+th.Say("kept-since", model.Verbatim(since.Format(time.TimeOnly)))))
}

// NoHands are those of a console that shows no present: why nothing can be done.
type NoHands struct{ Why model.Message }

// Available implements host.Actions.
func (n NoHands) Available(model.Action) error { return text.Refusal{Why: n.Why} }

// Plan implements host.Actions.
func (n NoHands) Plan(context.Context, model.Action) (model.Plan, error) {
	return model.Plan{}, text.Refusal{Why: n.Why}
}

// Do implements host.Actions.
func (n NoHands) Do(_ context.Context, p model.Plan) model.Outcome {
	return model.Outcome{Action: p.Action, Err: text.English(n.Why)}
}

// InThePast is why nothing can be done there.
var InThePast = NoHands{model.Say("the-past-is-shown")}
