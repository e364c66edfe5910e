package ui

import (
	"strings"
	"testing"

	"locktop/model"
)

// contended is three locks: four wait for one of them, one for another, none for the third.
func contended(t *testing.T, o Options) *bench {
	b := newBench(t, o)
	for i := range 5 {
		b.w.claim(float64(1+i), "/busy", "", model.LeaseID(0xb0+i))
	}
	b.w.claim(2, "/calm", "", 0xc0)
	b.w.claim(20, "/fair", "", 0xd0)
	b.w.claim(30, "/fair", "", 0xd1)
	for i := range 3 {
		b.w.del(float64(20+10*i), leaseKey("/busy", model.LeaseID(0xb0+i)))
	}
	b.sync(55)
	return b
}

// TestTimePage: every lock is a lane, those first for which most was waited, and it looks at
// the same moment as the queue.
func TestTimePage(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}} {
		b := contended(t, Options{Profile: colours})
		b.size(size[0], size[1])
		b.press("6")
		exact(t, b.View(), size[0], size[1])
		golden(t, map[int]string{120: "time-120x40", 80: "time-80x24"}[size[0]], b.text())
	}
	b := contended(t, Options{})
	b.press("6")
	text := b.text()
	if busy, fair, calm := strings.Index(text, "/busy"), strings.Index(text, "/fair"), strings.Index(text, "/calm"); busy > fair || fair > calm {
		t.Errorf("the most contended lock does not stand first:\n%s", text)
	}
	b.press("[")
	b.sees("as of ")
	b.sees("b3 got /busy from b2")
	b.press("[")
	b.press("enter")
	b.sees("as of ")
	b.press("esc")
	if strings.Contains(b.text(), "as of ") {
		t.Errorf("esc does not go back to now:\n%s", b.text())
	}
	b.press("6", "Z")
	b.sees("last minute")
	b.press("z")
	b.sees("last 30s")
	b.press("left", "left")
	b.sees("up to ")
	b.press("0")
	b.sees("last 30s")
	for w := 1; w <= 200; w += 9 {
		for _, h := range []int{3, 10, 24, 50} {
			b.size(w, h)
			exact(t, b.View(), w, h)
		}
	}
}

// TestTimePageKeepsTheLock: its cursor stands on the lock that was selected elsewhere, also
// if nothing happened since, and nowhere if that one has no lane.
func TestTimePageKeepsTheLock(t *testing.T) {
	b := contended(t, Options{})
	b.w.put(50, "/registry/x", "v", 0xe0)
	b.w.put(50, "/registry/y", "v", 0xe1)
	b.sync(55)
	for _, r := range []struct{ pick, title, cursor, reason string }{
		{"/busy", "1 of 3 locks", "▌… /busy ", "the first one"},
		{"/calm", "3 of 3 locks", "▌… /calm ", "nothing happened since"},
		{"/registry", "  3 locks ──", "", "a group that nobody holds"},
		{"/fair", "2 of 3 locks", "▌… /fair ", "and back"},
	} {
		b.press("1", ":", "lock "+r.pick, "enter", "6")
		b.sees(r.title)
		b.sees("what happened to " + r.pick)
		if b.sees(r.cursor); r.cursor == "" && strings.Contains(b.text(), "▌") {
			t.Errorf("%s: the cursor stands on another lock:\n%s", r.reason, b.text())
		}
	}
	b.press("1", ":", "lock /registry", "enter", "6", "down")
	b.sees("what happened to /busy")
}
