package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/host"
)

// spool is a recording that goes to the moment that it has, or to none.
type spool struct{ there *store.Store }

func (s spool) Now() time.Time { return at(5) }
func (s spool) Label() string  { return "1x" }
func (s spool) Pause()         {}
func (s spool) Faster(int)     {}
func (s spool) Go(context.Context, host.Goal) (*store.Store, error) {
	if s.there == nil {
		return nil, errors.New("no event after this")
	}
	return s.there, nil
}

// TestSeekLosesNothing: what the recording tells while another moment is looked up counts
// if there is no such moment, whenever it comes, and does not if there is one. One
// call of the source is under way at the end, as before.
func TestSeekLosesNothing(t *testing.T) {
	for _, r := range []struct {
		reason        string
		found, during bool
		want          bool
	}{
		{"there is no such moment, and the event comes while it is looked up", false, true, true},
		{"there is none, and the event comes after that was said", false, false, true},
		{"the event is of the moment before", true, true, false},
		{"the event is of the moment before, and comes late", true, false, false},
	} {
		playback := spool{}
		if r.found {
			playback.there = store.New()
		}
		b := newBench(t, Options{Playback: playback})
		calls := &counted{}
		b.live.Source = calls
		b.sync(1)
		source, before := b.sources, calls.n
		_, seek := b.Update(keyMsg("."))
		b.w.claim(2, "/l", "", 0xa1)
		told := func() { b.send(pulledMsg{source, b.w.batch()}) }
		if r.during {
			told()
		}
		b.send(seek())
		if !r.during {
			told()
		}
		if got := b.state.Lock("/l") != nil; got != r.want {
			t.Errorf("%s: taken in: %v", r.reason, got)
		}
		if calls.n != before+1 {
			t.Errorf("%s: %d calls of the source, want one", r.reason, calls.n-before)
		}
	}
}

// counted is a source whose calls are counted.
type counted struct{ n int }

func (c *counted) Next(context.Context, model.Want) (model.Batch, error) {
	c.n++
	return model.Batch{}, context.Canceled
}

// rewound is a recording of events that goes to any time, and says how often it was asked.
type rewound struct {
	spool
	all   []model.Event
	goals []host.Goal
	now   *store.Store
}

func (r *rewound) Now() time.Time { return r.now.Now() }

func (r *rewound) Go(_ context.Context, g host.Goal) (*store.Store, error) {
	r.goals = append(r.goals, g)
	s := store.New()
	for _, e := range r.all {
		if !e.When().After(g.At) {
			s.Apply(model.Batch{Events: []model.Event{e}})
		}
	}
	s.Apply(model.Batch{Events: []model.Event{model.Tick{At: g.At}}})
	r.now = s
	return s, nil
}

// seek presses a key, and waits for what is looked up beside the screen.
func (b *bench) seek(key string) {
	_, cmd := b.Update(keyMsg(key))
	for cmd != nil {
		msg, ok := cmd().(soughtMsg)
		if !ok {
			break
		}
		_, cmd = b.Update(msg)
	}
	b.View()
}

// TestTheCursorOfTheTimePageMovesTheRecording: all pages show the moment at which it stands,
// the page itself goes on to the latest that was seen, and esc leads back to that.
func TestTheCursorOfTheTimePageMovesTheRecording(t *testing.T) {
	playback, w := &rewound{now: store.New()}, newWorld() // the same events as those of the console
	contention(w)
	b := contended(t, Options{Playback: playback})
	playback.all, playback.now = w.ev, b.state
	b.send(batchMsg{Events: []model.Event{model.Tick{At: at(55)}}})
	for _, row := range []struct {
		key       string
		on        string
		holder    model.LeaseID // of the contended lock, at the moment that all pages show
		sec       float64
		says, not string
		reason    string
	}{
		{"6", "Time", 0xb3, 55, "last minute", "as of 03:0", "the page, at the end"},
		{"[", "Time", 0xb3, 40, "as of 03:04:45, 15s ago", "", "the last event of the lock under the cursor: the third let go"},
		{"[", "Time", 0xb2, 30, "as of 03:04:35, 25s ago", "", "the one before"},
		{"1", "Locks", 0xb2, 30, "esc back to 03:05:00", "", "the list of locks as it was, and the header says how to come back"},
		{"3", "Journal", 0xb2, 30, "b2 took over from b1", "b3 took over", "the journal knows nothing of what came later"},
		{"6", "Time", 0xb2, 30, "as of 03:04:35, 25s ago", "", "the page goes on to the latest"},
		{"]", "Time", 0xb3, 40, "as of 03:04:45, 15s ago", "", "forward again, to what is known already"},
		{"left", "Time", 0xb3, 40, "as of 03:04:45", "", "to look elsewhere moves nothing"},
		{"esc", "Time", 0xb3, 55, "last minute", "esc back to", "esc is the latest again"},
		{"[", "Time", 0xb3, 40, "as of 03:04:45", "", "once more"},
		{"]", "Time", 0xb3, 55, "last minute", "as of 03:04:45", "behind the last event is the latest"},
		{"[", "Time", 0xb3, 40, "as of 03:04:45", "", "and once more"},
		{"1", "Locks", 0xb3, 40, "esc back to 03:05:00", "", "on another page"},
		{"esc", "Locks", 0xb3, 55, "", "esc back to", "esc works there, too"},
		{"enter", "Queue", 0xb3, 55, "Locks → /busy", "", "the queue of the lock"},
		{"[", "Queue", 0xb3, 40, "/busy", "queue ─", "it stays the queue of that lock in the past"},
		{"[", "Queue", 0xb2, 30, "behind b2", "queue ─", "and further back"},
		{"esc", "Queue", 0xb3, 55, "/busy", "queue ─", "and when one comes back to now"},
	} {
		b.seek(row.key)
		if s := b.state; b.on() != row.on || s.Lock("/busy").Holder().KV.Lease != row.holder || !s.Now().Truncate(time.Second).Equal(at(row.sec)) {
			t.Errorf("%s: %s on %s, held by %v at %s", row.reason, row.key, b.on(), s.Lock("/busy").Holder().KV.Lease, s.Now())
		}
		if text := b.text(); !strings.Contains(text, row.says) || row.not != "" && strings.Contains(text, row.not) {
			t.Errorf("%s: want %q, and no %q:\n%s", row.reason, row.says, row.not, text)
		}
	}
}

// TestALockWithoutKeysStaysChosen: the cursor of the time axis goes over the past of a lock that
// has no keys any more, and the lock stays selected there whatever moment is looked up.
func TestALockWithoutKeysStaysChosen(t *testing.T) {
	playback := &rewound{now: store.New()}
	b := newBench(t, Options{Playback: playback})
	for i := range 4 {
		b.w.claim(float64(5*i), "/once", "", model.LeaseID(0xe0+i))
	}
	b.w.claim(3, "/calm", "", 0xc0)
	for i := range 4 {
		b.w.del(float64(20+5*i), leaseKey("/once", model.LeaseID(0xe0+i)))
	}
	b.w.add(model.Tick{At: at(120)}) // it is forgotten but for its past
	playback.all = append(playback.all, b.w.ev...)
	b.sync(120)
	playback.now = b.state
	b.seek("6")
	for range 3 {
		b.seek("Z")
	}
	b.seek("up")
	b.sees("what happened to /once")
	if b.state.Lock("/once") != nil {
		t.Fatal("it has keys")
	}
	for range 5 { // to moments at which it has keys, and back
		b.seek("[")
		b.sees("what happened to /once")
		b.sees("as of ")
	}
	b.seek("]")
	b.sees("what happened to /once")
	b.seek("esc")
	b.sees("what happened to /once")
	b.seek("down")
	b.sees("what happened to /calm")
	b.seek("[")
	b.sees("what happened to /calm")
}

// TestTheCursorIsMovedFasterThanTheRecording: what was pressed meanwhile is looked up next, and
// what plays on takes the cursor with it.
func TestTheCursorIsMovedFasterThanTheRecording(t *testing.T) {
	playback := &rewound{now: store.New()}
	b := contended(t, Options{Playback: playback})
	playback.now = b.state
	b.send(batchMsg{Events: []model.Event{model.Tick{At: at(55)}}})
	press := func(key string) tea.Cmd { _, cmd := b.Update(keyMsg(key)); return cmd }
	press("6")
	first := press("[")
	if later := press("["); later != nil {
		t.Fatal("two moments are looked up at once")
	}
	_, next := b.Update(first())
	if len(playback.goals) != 1 || next == nil {
		t.Fatalf("%d moments were looked up, the next is %v", len(playback.goals), next)
	}
	_, last := b.Update(next())
	if len(playback.goals) != 2 || !playback.goals[1].At.Before(playback.goals[0].At) || last != nil || b.viewState.Ahead == nil {
		t.Fatalf("looked up %v", playback.goals)
	}
	b.send(batchMsg{Events: []model.Event{model.Tick{At: at(50)}}})
	if !b.viewState.Axis.At().Equal(at(50)) {
		t.Errorf("it plays on, and the cursor stands at %s", b.viewState.Axis.At())
	}
	b.send(batchMsg{Events: []model.Event{model.Tick{At: at(56)}}})
	if b.viewState.Axis.Past() || b.viewState.Ahead != nil {
		t.Error("it has passed the latest that was seen, and still shows the past")
	}
	if cmd := press("down"); cmd != nil {
		t.Error("nothing was moved, and something is looked up")
	}
}
