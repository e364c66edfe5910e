package ui

import (
	"strings"
	"testing"
	"time"
)

// setClock is a clock beside one of a machine that is set.
type setClock struct{ set time.Duration }

func (*setClock) Now() time.Time       { return at(7) }
func (c *setClock) Set() time.Duration { return c.set }

// TestNobodySetsTheClockOfTheConsole: the ages on the screen go by the clock of what is watched,
// and a machine's clock that is set is told once, until a key.
func TestNobodySetsTheClockOfTheConsole(t *testing.T) {
	if got := everySecond(&setClock{})(); got != tickMsg(at(7)) {
		t.Errorf("a tick is %v, want the time of the source", got)
	}
	b := newBench(t, Options{})
	clock := &setClock{}
	b.live.Clock = clock
	wrongLab(b)
	b.size(120, 30)
	second := 100.0
	pass := func(n int) {
		for range n {
			b.send(tickMsg(at(second)))
			second++
		}
	}
	for _, r := range []struct {
		set            time.Duration
		said, not, why string
	}{
		{0, "", "clock was set", "nobody set it"},
		{-time.Hour, "set back by 1h00m", "", "by a person, or the first time that it was asked of others"},
		{-time.Hour, "", "clock was set", "it was told, and a key took it away"},
		{0, "set forward by 1h00m", "", "it was mended"},
		{3 * time.Hour, "set forward by 3h00m", "", "and set again"},
	} {
		clock.set = r.set
		pass(10)
		text := b.text()
		if !strings.Contains(text, r.said) || r.not != "" && strings.Contains(text, r.not) {
			t.Errorf("set by %s in all, want %q: %s\n%s", r.set, r.said, r.why, text)
		}
		if now := b.Frame().Now; !now.Equal(at(second - 1)) {
			t.Errorf("set by %s: it is %s, want %s", r.set, now, at(second-1))
		}
		b.press("down")
	}
}
