package playback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/recipe"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/ui/host"
	"locktop/watcher/recording"
)

// eventList is a source of events, one in a batch, and why it ends.
type eventList struct {
	events []model.Event
	err    error
}

func (r *eventList) Next(context.Context, model.Want) (model.Batch, error) {
	if len(r.events) == 0 {
		return model.Batch{}, r.err
	}
	e := r.events[0]
	r.events = r.events[1:]
	return model.Batch{Events: []model.Event{e}}, nil
}

// story is a lock that goes from hand to hand, a key that is not a claim, and a fault.
func story() []model.Event {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/l/a1", "", 0xa1)
	h.Put(2, "/l/b2", "", 0xb2)
	h.Add(model.Acted{At: modeltest.At(3), Outcome: model.Outcome{At: modeltest.At(3), Action: model.Action{Kind: model.HealAll}, Done: true}})
	h.Del(5, "/l/a1")
	h.Put(6, "/l/notes", "foreign", 0)
	h.Put(7, "/l/c3", "", 0xc3)
	h.Del(8, "/l/b2")
	h.Del(11, "/l/notes")
	h.Add(model.Tick{At: modeltest.At(20)})
	return h.Events
}

// TestWhatIsSaidOfATapeThatIsOpen: a key without a lease is a lock where the recording itself says so, as a
// lesson does, also after one went to a moment.
func TestWhatIsSaidOfATapeThatIsOpen(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/jobs/lock-a", "a", 0)
	h.Add(model.Tick{At: modeltest.At(20)})
	for reason, row := range map[string]struct {
		pins []model.Pin
		want bool
	}{
		"nothing is said of it": {nil, false},
		"it is a lock":          {[]model.Pin{{Prefix: "/jobs/lock-a", Exact: true, Recipe: recipe.SingleKey}}, true},
	} {
		p := New(1, nil)
		all := p.Pin(row.pins...)
		if err := p.Load(t.Context(), gathered(t, &eventList{h.Events, io.EOF}), time.Time{}); err != nil {
			t.Fatal(err)
		}
		s, err := p.Go(t.Context(), host.Goal{Kind: host.StopTime, At: modeltest.At(10)})
		if err != nil {
			t.Fatal(err)
		}
		if l := s.Lock("/jobs/lock-a"); (l != nil) != row.want || len(all) != len(row.pins) {
			t.Errorf("%s: lock %v, with pins %v", reason, l, all)
		}
	}
}

func gathered(t testing.TB, src model.Source) *recording.Segments {
	t.Helper()
	r, err := recording.Gather(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func loaded(t testing.TB, events []model.Event) (*Playback, *time.Time) {
	t.Helper()
	p := New(1, nil)
	wall := time.Unix(1000, 0)
	p.wall = func() time.Time { return wall }
	if err := p.Load(t.Context(), gathered(t, &eventList{events, io.EOF}), time.Time{}); err != nil {
		t.Fatal(err)
	}
	return p, &wall
}

// shown is what a state says.
func shown(s *store.Store) string {
	var b strings.Builder
	fmt.Fprintln(&b, s.Now().UTC().Format("05.000"))
	for _, l := range s.Locks() {
		fmt.Fprintln(&b, l.Name, status.ConditionOf(s, l).Word, l.Len(), l.Head() != nil && l.Head().Key == "/l/b2")
	}
	for _, f := range s.Journal() {
		fmt.Fprintln(&b, f.At.UTC().Format("05.000"), f.Sentence(s.Who))
	}
	return b.String()
}

// TestWhereOneGoesOnATape: the state there is the one that was seen, whatever was shown
// before, and what comes next comes after it.
func TestWhereOneGoesOnATape(t *testing.T) {
	events := story()
	p, wall := loaded(t, events)
	straight := func(sec float64) *store.Store {
		s := store.New()
		for _, e := range events {
			if !e.When().After(modeltest.At(sec)) {
				s.Apply(model.Batch{Events: []model.Event{e}})
			}
		}
		s.Apply(model.Batch{Events: []model.Event{model.Tick{At: modeltest.At(sec)}}})
		return s
	}
	for _, row := range []struct {
		reason string
		goal   host.Goal
		sec    float64 // 0: it cannot be done
		says   string
	}{
		{"the first handover", host.Goal{Kind: host.StopHandover}, 1, ""},
		{"the next one", host.Goal{Kind: host.StopHandover}, 5, ""},
		{"the finding after it", host.Goal{Kind: host.StopFinding}, 7, ""},
		{"back to the mark", host.Goal{Kind: host.StopMark, Back: true}, 3, ""},
		{"no other mark before", host.Goal{Kind: host.StopMark, Back: true}, 0, "no mark before"},
		{"the event before", host.Goal{Kind: host.StopEvent, Back: true}, 2, ""},
		{"a typed time", host.Goal{Kind: host.StopTime, Text: modeltest.At(6.5).Format(time.RFC3339Nano)}, 6.5, ""},
		{"a time that nobody typed", host.Goal{Kind: host.StopTime, At: modeltest.At(6.25)}, 6.25, ""},
		{"a time of day", host.Goal{Kind: host.StopTime, Text: modeltest.At(4).Format(time.TimeOnly)}, 4, ""},
		{"the end", host.Goal{Kind: host.StopTime, Text: modeltest.At(20).Format(time.TimeOnly)}, 20, ""},
		{"nothing after it", host.Goal{Kind: host.StopEvent}, 0, "no event after"},
		{"before it began", host.Goal{Kind: host.StopTime, Text: modeltest.At(-5).Format(time.DateTime)}, 0, "is not in the recording"},
		{"no time", host.Goal{Kind: host.StopTime, Text: "noon"}, 0, "want a time"},
	} {
		s, err := p.Go(t.Context(), row.goal)
		if row.sec == 0 {
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("%s: %v, want %q", row.reason, err, row.says)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", row.reason, err)
			continue
		}
		if d := cmp.Diff(shown(straight(row.sec)), shown(s)); d != "" || !p.Now().Equal(modeltest.At(row.sec)) || p.Label() != "paused" {
			t.Errorf("%s: at %s, %s (-straight +gone)\n%s", row.reason, p.Now(), p.Label(), d)
		}
	}
	s, err := p.Go(t.Context(), host.Goal{Kind: host.StopTime, Text: modeltest.At(4).Format(time.TimeOnly)})
	if err != nil {
		t.Fatal(err)
	}
	p.Pause()
	for err == nil {
		var b model.Batch
		*wall = wall.Add(time.Minute)
		b, err = p.Next(t.Context(), model.Want{})
		s.Apply(b)
	}
	if d := cmp.Diff(shown(straight(20)), shown(s)); d != "" || err != io.EOF {
		t.Errorf("going on from 4 s: %v (-straight +gone)\n%s", err, d)
	}
}

// TestHowATapeGoes: by the clock on the wall, as fast as was asked for, and not at all while
// it is stopped.
func TestHowATapeGoes(t *testing.T) {
	p, wall := loaded(t, story())
	next := func() int {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		b, err := p.Next(ctx, model.Want{})
		if err != nil && !errors.Is(err, context.DeadlineExceeded) && err != io.EOF {
			t.Fatal(err)
		}
		return len(b.Events)
	}
	for _, row := range []struct {
		reason string
		do     func()
		pass   time.Duration
		events int
		sec    float64
		says   string
	}{
		{"it begins with what was there", func() {}, 0, 2, 0, "1x"},
		{"two seconds, two keys", func() {}, 2 * time.Second, 2, 2, "1x"},
		{"stopped, nothing happens", p.Pause, time.Hour, 0, 2, "paused"},
		{"it goes on where it stood", p.Pause, time.Second, 1, 3, "1x"},
		{"twice as fast", func() { p.Faster(1) }, time.Second, 1, 5, "2x"},
		{"half as fast", func() { p.Faster(-1); p.Faster(-1) }, 2 * time.Second, 1, 6, "0.5x"},
		{"no slower than it can", func() {
			for range 20 {
				p.Faster(-1)
			}
		}, 4 * time.Second, 1, 7, "0.25x"},
		{"no faster either", func() {
			for range 20 {
				p.Faster(1)
			}
		}, time.Second, 3, 20, "ended"},
		{"the end", func() {}, time.Hour, 0, 20, "ended"},
	} {
		row.do()
		*wall = wall.Add(row.pass)
		if n, at := next(), p.Now(); n != row.events || !at.Equal(modeltest.At(row.sec)) || p.Label() != row.says {
			t.Errorf("%s: %d events, at %s, %s; want %d, %s, %s", row.reason, n, at, p.Label(), row.events, modeltest.At(row.sec), row.says)
		}
	}
}

// TestACallUnderWayEndsWhenTheTapeIsMoved: what it would have told is of another moment.
func TestACallUnderWayEndsWhenTheTapeIsMoved(t *testing.T) {
	p, _ := loaded(t, story())
	if b, err := p.Next(t.Context(), model.Want{}); err != nil || len(b.Events) != 2 {
		t.Fatal(b, err)
	}
	done := make(chan error)
	go func() {
		_, err := p.Next(t.Context(), model.Want{})
		done <- err
	}()
	for err := error(nil); err == nil; { // until it waits, or is told
		if _, err := p.Go(t.Context(), host.Goal{Kind: host.StopHandover}); err != nil {
			t.Fatal(err)
		}
		select {
		case err = <-done:
			if !errors.Is(err, errMoved) {
				t.Fatalf("%v, want that it was moved", err)
			}
		case <-time.After(time.Millisecond):
		}
	}
}

func TestWhatATapeLoads(t *testing.T) {
	torn := errors.New("torn")
	for _, row := range []struct {
		reason string
		src    *eventList
		cut    error
		fails  bool
	}{
		{"all of it", &eventList{story(), io.EOF}, nil, false},
		{"what comes before a torn end", &eventList{story(), torn}, torn, false},
		{"nothing", &eventList{nil, io.EOF}, nil, true},
		{"nothing but a torn end", &eventList{nil, torn}, torn, true},
	} {
		r := gathered(t, row.src)
		if err := New(1, nil).Load(t.Context(), r, time.Time{}); r.Cut != row.cut || (err != nil) != row.fails {
			t.Errorf("%s: cut %v, %v", row.reason, r.Cut, err)
		}
	}
}

// TestATapeOpensAtAMoment: what came before it is told at once, what comes after it once it
// goes on.
func TestATapeOpensAtAMoment(t *testing.T) {
	r := gathered(t, &eventList{story(), io.EOF})
	for _, sec := range []float64{0, 7, 9, 20} {
		p, s := New(1, nil), store.New()
		if err := p.Load(t.Context(), r, modeltest.At(sec)); err != nil {
			t.Fatal(err)
		}
		for s.Now().Before(modeltest.At(sec)) {
			b, err := p.Next(t.Context(), model.Want{})
			if err != nil {
				t.Fatal(err)
			}
			s.Apply(b)
		}
		there, err := p.Go(t.Context(), host.Goal{Kind: host.StopTime, Text: modeltest.At(sec).Format(time.RFC3339)})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(shown(there), shown(s)); d != "" || p.Label() != "paused" || !p.Now().Equal(modeltest.At(sec)) {
			t.Errorf("at %g s it is %s at %s\n%s", sec, p.Label(), p.Now(), d)
		}
	}
	for _, sec := range []float64{-5, 30} {
		if err := New(1, nil).Load(t.Context(), r, modeltest.At(sec)); err == nil || !strings.Contains(err.Error(), "is not in the recording") {
			t.Errorf("at %g s: %v", sec, err)
		}
	}
}

// TestAMomentIsAFoldFromTheBeginning: of any recording, at any moments in any order, also after
// what was made of a kept state has gone on.
func TestAMomentIsAFoldFromTheBeginning(t *testing.T) {
	all := func(s *store.Store) string {
		events, ok := s.Checkpoint()
		return shown(s) + fmt.Sprintf("%v %+v", ok, events)
	}
	rapid.Check(t, func(rt *rapid.T) {
		h := modeltest.Draw(rt)
		p := New(1, nil)
		p.marks.apart = rapid.IntRange(1, 20).Draw(rt, "apart")
		r := &recording.Segments{}
		for rest := h.Events; len(rest) > 0; { // in parts, as a recording is
			n := min(len(rest), rapid.IntRange(1, 10).Draw(rt, "part"))
			r = recording.Join(r, gathered(t, &eventList{rest[:n], io.EOF}))
			rest = rest[n:]
		}
		if err := p.Load(t.Context(), r, time.Time{}); err != nil {
			rt.Fatal(err)
		}
		first, last := p.begins, ends(p.segments)
		for range rapid.IntRange(1, 6).Draw(rt, "moments") {
			at := first.Add(time.Duration(rapid.Int64Range(0, int64(last.Sub(first))).Draw(rt, "moment")))
			straight, clock := store.New(), time.Time{}
			for _, e := range h.Events {
				if clock.Before(e.When()) {
					clock = e.When()
				}
				if !clock.After(at) {
					straight.Apply(model.Batch{Events: []model.Event{e}})
				}
			}
			for now := straight.Now(); now.Before(at); now = straight.Now() {
				next := at
				if wake := straight.Want(nil).WakeAt; wake.After(now) && wake.Before(at) {
					next = wake
				}
				straight.Apply(model.Batch{Events: []model.Event{model.Tick{At: next}}})
			}
			s, err := p.Go(t.Context(), host.Goal{Kind: host.StopTime, At: at})
			if err != nil {
				rt.Fatal(err)
			}
			if d := cmp.Diff(all(straight), all(s)); d != "" {
				rt.Fatalf("at %s (-straight +gone)\n%s", at, d)
			}
			s.Apply(model.Batch{Events: h.Events}) // it is nobody else's
		}
	})
}
