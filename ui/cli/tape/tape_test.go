package tape

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/fold"
	"locktop/model/history"
	"locktop/ui/replay"
)

// reel is a source of events, one in a batch, and why it ends.
type reel struct {
	events []model.Event
	err    error
}

func (r *reel) Next(context.Context, model.Want) (model.Batch, error) {
	if len(r.events) == 0 {
		return model.Batch{}, r.err
	}
	e := r.events[0]
	r.events = r.events[1:]
	return model.Batch{Events: []model.Event{e}}, nil
}

// story is a lock that goes from hand to hand, a key that is no claim, and a fault.
func story() []model.Event {
	h := history.New()
	h.Loaded(0)
	h.Put(1, "/l/a1", "", 0xa1)
	h.Put(2, "/l/b2", "", 0xb2)
	h.Add(model.Acted{At: history.At(3), Outcome: model.Outcome{At: history.At(3), Action: model.Action{Kind: model.HealAll}, Done: true}})
	h.Del(5, "/l/a1")
	h.Put(6, "/l/notes", "foreign", 0)
	h.Put(7, "/l/c3", "", 0xc3)
	h.Del(8, "/l/b2")
	h.Del(11, "/l/notes")
	h.Add(model.Tick{At: history.At(20)})
	return h.Events
}

func loaded(t testing.TB, events []model.Event) (*Tape, *time.Time) {
	t.Helper()
	p := New(1, nil)
	wall := time.Unix(1000, 0)
	p.wall = func() time.Time { return wall }
	if cut, err := p.Load(t.Context(), &reel{events, io.EOF}); cut != nil || err != nil {
		t.Fatal(cut, err)
	}
	return p, &wall
}

// shown is what a state says.
func shown(s *fold.State) string {
	var b strings.Builder
	fmt.Fprintln(&b, s.Now().UTC().Format("05.000"))
	for _, l := range s.Locks() {
		fmt.Fprintln(&b, l.Name, l.Condition().Word, l.Len(), l.Head() != nil && l.Head().Key == "/l/b2")
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
	straight := func(sec float64) *fold.State {
		s := fold.NewState()
		for _, e := range events {
			if !e.When().After(history.At(sec)) {
				s.Apply(model.Batch{Events: []model.Event{e}})
			}
		}
		s.Apply(model.Batch{Events: []model.Event{model.Tick{At: history.At(sec)}}})
		return s
	}
	for _, row := range []struct {
		reason string
		goal   replay.Goal
		sec    float64 // 0: it cannot be done
		says   string
	}{
		{"the first handover", replay.Goal{Kind: replay.StopHandover}, 1, ""},
		{"the next one", replay.Goal{Kind: replay.StopHandover}, 5, ""},
		{"the finding after it", replay.Goal{Kind: replay.StopFinding}, 7, ""},
		{"back to the mark", replay.Goal{Kind: replay.StopMark, Back: true}, 3, ""},
		{"no other mark before", replay.Goal{Kind: replay.StopMark, Back: true}, 0, "no mark before"},
		{"the event before", replay.Goal{Kind: replay.StopEvent, Back: true}, 2, ""},
		{"a typed time", replay.Goal{Kind: replay.StopTime, Text: history.At(6.5).Format(time.RFC3339Nano)}, 6.5, ""},
		{"a time of day", replay.Goal{Kind: replay.StopTime, Text: history.At(4).Format(time.TimeOnly)}, 4, ""},
		{"the end", replay.Goal{Kind: replay.StopTime, Text: history.At(20).Format(time.TimeOnly)}, 20, ""},
		{"nothing after it", replay.Goal{Kind: replay.StopEvent}, 0, "no event after"},
		{"before it began", replay.Goal{Kind: replay.StopTime, Text: history.At(-5).Format(time.DateTime)}, 0, "is not in the recording"},
		{"no time", replay.Goal{Kind: replay.StopTime, Text: "noon"}, 0, "want a time"},
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
		if d := cmp.Diff(shown(straight(row.sec)), shown(s)); d != "" || !p.Now().Equal(history.At(row.sec)) || p.Says() != "paused" {
			t.Errorf("%s: at %s, %s (-straight +gone)\n%s", row.reason, p.Now(), p.Says(), d)
		}
	}
	s, err := p.Go(t.Context(), replay.Goal{Kind: replay.StopTime, Text: history.At(4).Format(time.TimeOnly)})
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
		if n, at := next(), p.Now(); n != row.events || !at.Equal(history.At(row.sec)) || p.Says() != row.says {
			t.Errorf("%s: %d events, at %s, %s; want %d, %s, %s", row.reason, n, at, p.Says(), row.events, history.At(row.sec), row.says)
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
		if _, err := p.Go(t.Context(), replay.Goal{Kind: replay.StopHandover}); err != nil {
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
		src    *reel
		cut    error
		fails  bool
	}{
		{"all of it", &reel{story(), io.EOF}, nil, false},
		{"what comes before a torn end", &reel{story(), torn}, torn, false},
		{"nothing", &reel{nil, io.EOF}, nil, true},
		{"nothing but a torn end", &reel{nil, torn}, torn, true},
	} {
		cut, err := New(1, nil).Load(t.Context(), row.src)
		if cut != row.cut || (err != nil) != row.fails {
			t.Errorf("%s: cut %v, %v", row.reason, cut, err)
		}
	}
}

// BenchmarkGo goes back and forth in an hour of 10,000 claims on which something happens 20
// times a second.
func BenchmarkGo(b *testing.B) {
	h := history.New()
	h.Events = history.TenClaims(10_000)
	h.Rev = 10_000
	for i := range 3600 * 20 / 2 {
		lease := model.LeaseID(0x700000000000000 + i)
		lock := fmt.Sprintf("/bench/lock-%06d", i%1000)
		at := float64(i) / 10
		h.Put(at, history.ClaimKey(lock, lease), "", lease)
		h.Del(at+0.05, history.ClaimKey(lock, lease))
	}
	p, _ := loaded(b, h.Events)
	<-p.scanned
	for i := 0; b.Loop(); i++ {
		at := history.At(float64((i * 1777) % 3600))
		if _, err := p.Go(b.Context(), replay.Goal{Kind: replay.StopTime, Text: at.Format(time.RFC3339)}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(h.Events)), "events")
}
