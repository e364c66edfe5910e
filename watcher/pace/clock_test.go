package pace

import (
	"testing"
	"time"
)

// A clock that is set changes neither the time between two moments nor what is said of one.
func TestAClockThatIsSetMakesNoTimeLonger(t *testing.T) {
	wall, runs := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC), 5*time.Hour
	s := newClock(func() time.Time { return wall }, func() time.Duration { return runs })
	pass := func(d time.Duration) { wall, runs = wall.Add(d), runs+d }
	first := s.Now()
	if !first.Equal(wall) || !s.Shown(first).Equal(first) {
		t.Errorf("it begins at %s, the machine's at %s", first, wall)
	}
	for _, r := range []struct{ by, shown time.Duration }{
		{-time.Hour, -time.Hour}, {3 * time.Hour, 2 * time.Hour}, {-50 * time.Millisecond, 2 * time.Hour}, {-2 * time.Hour, -50 * time.Millisecond}} {
		before := s.Now()
		pass(time.Second)
		wall = wall.Add(r.by)
		pass(time.Second)
		if d := s.Now().Sub(before); d != 2*time.Second {
			t.Errorf("set by %s: 2 s were %s", r.by, d)
		}
		if d := s.Shown(before).Sub(before); d != r.shown {
			t.Errorf("set by %s: it is shown %s later, want %s", r.by, d, r.shown)
		}
	}
	if real := newClock(time.Now, elapsed); time.Until(real.Now()).Abs() > time.Minute {
		t.Errorf("it is %s", real.Now())
	}
}
