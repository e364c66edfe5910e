package playback

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/ui"
	"locktop/ui/draw"
	"locktop/ui/host"
)

// feed is a cluster: what is told to it is what the watch delivers.
type feed struct {
	batches chan model.Batch
}

func newFeed(events ...model.Event) *feed {
	f := &feed{batches: make(chan model.Batch, 1000)}
	f.tell(events...)
	return f
}

func (f *feed) tell(events ...model.Event) {
	for _, e := range events {
		f.batches <- model.Batch{Events: []model.Event{e}}
	}
}

func (f *feed) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
	select {
	case b := <-f.batches:
		return b, nil
	case <-ctx.Done():
		return model.Batch{}, ctx.Err()
	}
}

// hands count what was asked of them.
type hands struct {
	mu    sync.Mutex
	asked []model.Action
}

func (h *hands) note(a model.Action) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, a)
}

func (h *hands) Available(model.Action) error { return nil }

func (h *hands) Plan(_ context.Context, a model.Action) (model.Plan, error) {
	h.note(a)
	return model.Plan{Action: a}, nil
}

func (h *hands) Do(_ context.Context, p model.Plan) model.Outcome {
	h.note(p.Action)
	return model.Outcome{Action: p.Action, Done: true}
}

// console is one whose messages come as in a terminal.
type console struct {
	t    *testing.T
	app  tea.Model
	msgs chan tea.Msg
}

func open(t *testing.T, o ui.Options) *console {
	t.Helper()
	o.Label, o.Prefixes, o.Profile, o.Signs = "lab", []string{"/"}, termenv.Ascii, draw.SignsASCII
	c := &console{t: t, app: ui.NewShell(o), msgs: make(chan tea.Msg)}
	c.run(c.app.Init())
	c.take(tea.WindowSizeMsg{Width: 120, Height: 36})
	return c
}

func (c *console) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	ctx := c.t.Context()
	go func() {
		msg := cmd()
		select {
		case c.msgs <- msg:
		case <-ctx.Done():
		}
	}()
}

func (c *console) take(msg tea.Msg) {
	if fmt.Sprintf("%T", msg) == "ui.tickMsg" { // the clock is that of the events
		return
	}
	if all, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range all {
			c.run(cmd)
		}
		return
	}
	_, cmd := c.app.Update(msg)
	c.run(cmd)
}

func (c *console) press(keys ...string) {
	for _, k := range keys {
		switch k {
		case "enter":
			c.take(tea.KeyMsg{Type: tea.KeyEnter})
		case "esc":
			c.take(tea.KeyMsg{Type: tea.KeyEsc})
		default:
			for _, r := range k {
				c.take(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
			}
		}
	}
}

// screen is what is shown now: no clock paints it anew.
func (c *console) screen() string {
	c.take(tea.WindowSizeMsg{Width: 120, Height: 36})
	return ansi.Strip(c.app.View())
}

// body is the screen but for its top, which says which moment it shows, and its bottom.
func (c *console) body() string {
	lines := strings.Split(c.screen(), "\n")
	return strings.Join(lines[2:len(lines)-2], "\n")
}

// until goes on until the screen is as it should be.
func (c *console) until(what string, ok func() bool) {
	c.t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	for !ok() {
		select {
		case msg := <-c.msgs:
			c.take(msg)
		case <-deadline.C:
			c.t.Fatalf("%s: not in a minute:\n%s", what, c.screen())
		}
	}
}

func (c *console) sees(text string) {
	c.t.Helper()
	c.until("want "+text, func() bool { return strings.Contains(c.screen(), text) })
}

func (c *console) misses(text string) {
	c.t.Helper()
	c.until("want no "+text, func() bool { return !strings.Contains(c.screen(), text) })
}

// onFeed is a console on a cluster, whose past is kept.
func onFeed(t *testing.T, f *feed, h *hands, past host.Past) *console {
	return open(t, ui.Options{Armed: true, Past: past, Boot: func(context.Context, func(model.Message)) (ui.Live, error) {
		return ui.Live{Source: f, Actions: h}, nil
	}})
}

// later is what goes on after the story.
func later() []model.Event {
	h := modeltest.New()
	h.Rev = 200
	h.Put(24, "/l/d4", "", 0xd4)
	h.Put(25, "/m/e5", "", 0xe5)
	h.Add(model.Tick{At: modeltest.At(30)})
	return h.Events
}

func stamp(sec float64) string { return modeltest.At(sec).Format(time.RFC3339) }

// undated is what a console shows below its head without the moment in its titles: where time goes on
// the chip alone says how long ago it was.
func undated(c *console) string {
	return regexp.MustCompile(`(  as of [0-9:]+, \w+ ago  esc now)? -{3,}`).ReplaceAllString(c.body(), " -")
}

// TestTheRunningConsoleGoesBack: the whole of it shows a moment as a replay of the same does, and
// says so; the watch goes on underneath, and nothing of what it tells is lost on return.
func TestTheRunningConsoleGoesBack(t *testing.T) {
	f, h := newFeed(story()...), &hands{}
	c := onFeed(t, f, h, NewPast(t.Context(), nil))
	c.sees("c3 joined")
	c.sees("live")

	r := New(1, nil)
	if err := r.Load(t.Context(), gathered(t, &eventList{story(), io.EOF}), modeltest.At(20)); err != nil {
		t.Fatal(err)
	}
	again := open(t, ui.Options{Playback: r, Boot: func(context.Context, func(model.Message)) (ui.Live, error) {
		return ui.Live{Source: r, Actions: host.NoActions{Why: model.Say("this-is-a-recording")}}, nil
	}})
	again.sees("c3 joined")

	for _, sec := range []float64{6, 1, 9} {
		at := modeltest.At(sec).Format("15:04:05")
		c.press(":", "at "+stamp(sec), "enter")
		c.sees("PAST " + at)
		again.press(":", "at "+stamp(sec), "enter")
		again.until("the moment", func() bool { return strings.Contains(again.body(), "as of "+at) })
		want := undated(again)
		c.until("as in the replay:\n"+want, func() bool { return undated(c) == want })
	}
	if d := cmp.Diff(undated(again), undated(c)); d != "" {
		t.Error(d)
	}

	c.sees("esc returns to now")
	c.sees("go to  , . an event  ( ) a finding  { } a handover   kept since " + modeltest.At(0).Format(time.TimeOnly))
	for _, key := range []string{"x", "M", "F", "P", "A", "N"} {
		c.press(key)
		c.sees("The past is shown: esc returns to now")
	}
	h.mu.Lock()
	if len(h.asked) > 0 {
		t.Errorf("asked for in the past: %v", h.asked)
	}
	h.mu.Unlock()

	c.press(",") // goes on from there, and what comes meanwhile changes nothing
	c.sees("PAST " + modeltest.At(7).Format(time.TimeOnly) + " . 13s ago")
	f.tell(later()...)
	c.sees("PAST " + modeltest.At(7).Format(time.TimeOnly) + " . 23s ago")
	if strings.Contains(c.screen(), "/m ") {
		t.Errorf("the past knows what came later:\n%s", c.screen())
	}
	c.press(":", "at "+modeltest.At(-60).Format(time.TimeOnly), "enter")
	c.sees("nothing is kept before " + modeltest.At(0).Format(time.TimeOnly))
	c.sees("PAST " + modeltest.At(7).Format(time.TimeOnly)) // the moment stays
	c.press("esc")
	c.misses("PAST")

	never := onFeed(t, newFeed(append(story(), later()...)...), &hands{}, nil)
	never.sees("d4 joined")
	facts := func(c *console) string { // a verdict is of what was painted, and when
		_, rest, _ := strings.Cut(c.body(), "LOCK ")
		return strings.Join(strings.Fields(rest), " ")
	}
	never.until("as if nobody had gone back", func() bool { return facts(c) == facts(never) })
	c.press(",") // what came meanwhile is a part of the past
	c.sees("PAST " + modeltest.At(25).Format(time.TimeOnly))
	c.press(".")
	c.sees("no event after this")
	c.press(":", "at now", "enter")
	c.misses("PAST")
}

// TestThePastPlaysUpToNow: what was paused goes on, and where it has come to now that is shown.
func TestThePastPlaysUpToNow(t *testing.T) {
	f := newFeed(story()...)
	c := onFeed(t, f, &hands{}, NewPast(t.Context(), nil))
	c.sees("c3 joined")
	c.press(":", "at "+stamp(6), "enter")
	c.sees("PAST")
	f.tell(later()...)
	for range 10 {
		c.press(">")
	}
	c.press("p")
	c.sees("d4 joined")
	c.misses("PAST")
}

// TestThePastIsBounded: what is older goes, that is said, and what is left is as it was.
func TestThePastIsBounded(t *testing.T) {
	p := newPast(t.Context(), nil, bounds{keep: time.Hour, bytes: 64 << 20, events: 40})
	live, straight := store.New(), map[int]string{}
	tell := func(e model.Event) {
		b := model.Batch{Events: []model.Event{e}}
		live.Apply(b)
		var begin []model.Event
		if p.Due() {
			begin, _ = live.Checkpoint()
		}
		p.Note(b, begin)
		if _, _, err := p.segments(t.Context()); err != nil { // it is written
			t.Fatal(err)
		}
	}
	holders := func(s *store.Store) string {
		var all []string
		for _, l := range s.Locks() {
			all = append(all, fmt.Sprint(l.Name, l.Head().Key, l.Len()))
		}
		return strings.Join(all, " ")
	}
	h := modeltest.New()
	h.Loaded(0)
	for i := range 100 {
		h.Put(float64(i+1), modeltest.ClaimKey(fmt.Sprintf("/l/%d", i%7), model.LeaseID(i+1)), "", model.LeaseID(i+1))
		for _, e := range h.Events {
			tell(e)
		}
		h.Events = nil
		straight[i+1] = holders(live)
	}
	since := int(p.Since().Sub(modeltest.Start).Seconds())
	if since < 50 || since > 80 {
		t.Fatalf("40 events of 102 are kept, and it begins at %d s", since)
	}
	for sec := since; sec <= 100; sec += 5 {
		s, err := p.Go(t.Context(), host.Goal{Kind: host.StopTime, Text: stamp(float64(sec))})
		if err != nil {
			t.Fatalf("%d: %v", sec, err)
		}
		if got := holders(s); got != straight[sec] {
			t.Errorf("%d s: %s, want %s", sec, got, straight[sec])
		}
	}
	_, err := p.Go(t.Context(), host.Goal{Kind: host.StopTime, Text: stamp(3)})
	if want := "nothing is kept before " + p.Since().Format(time.TimeOnly); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	p.Forget()
	if _, err := p.Go(t.Context(), host.Goal{Kind: host.StopEvent, Back: true}); err == nil {
		t.Error("it went back to what was watched before")
	}
}
