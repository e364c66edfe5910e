package ui

import (
	"strings"
	"testing"

	"locktop/model"
)

// contended is three locks: four wait for one of them, one for another, none for the third.
func contended(t *testing.T, o Options) *bench {
	b := newBench(t, o)
	contention(b.w)
	b.sync(55)
	return b
}

func contention(w *world) {
	for i := range 5 {
		w.claim(float64(1+i), "/busy", "", model.LeaseID(0xb0+i))
	}
	w.claim(2, "/calm", "", 0xc0)
	w.claim(20, "/fair", "", 0xd0)
	w.claim(30, "/fair", "", 0xd1)
	for i := range 3 {
		w.del(float64(20+10*i), leaseKey("/busy", model.LeaseID(0xb0+i)))
	}
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
	b.sees("b3 took over from b2")
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
	b.sees("last 30 seconds")
	b.press("left", "left")
	b.sees("up to ")
	b.press("0")
	b.sees("last 30 seconds")
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
		{"/busy", "lock 1 of 3", "▌… /busy ", "the first one"},
		{"/calm", "lock 3 of 3", "▌… /calm ", "nothing happened since"},
		{"/registry", "last minute  3 locks ─", "", "a group that nobody holds"},
		{"/fair", "lock 2 of 3", "▌… /fair ", "and back"},
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

// moments is a lock of which b1 got the lock at 20 s, b2 at 30 s and b3 at 40 s, a leader that
// changed at 25 s, and a lock that had one holder from 5 to 15 s and has no keys any more.
func moments(t *testing.T, o Options) *bench {
	b := contended(t, o)
	b.w.claim(61, "/once", "", 0xe0)
	b.w.del(71, leaseKey("/once", 0xe0))
	b.w.add(model.ClusterStatus{At: at(80), Members: []model.Member{{ID: 1, Name: "m1", Leader: true}, {ID: 2, Name: "m2"}}})
	b.w.add(model.ClusterStatus{At: at(85), Members: []model.Member{{ID: 1, Name: "m1"}, {ID: 2, Name: "m2", Leader: true}}})
	b.sync(90)
	return b
}

// TestTimeCursor: the cursor goes from event to event of the lock and of the cluster, its line
// through ruler, lanes and marks, and every journal is as of that moment.
func TestTimeCursor(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		b := moments(t, Options{Profile: colours})
		b.size(size[0], size[1])
		b.press("6", "[")
		b.sees("as of 03:05:30, 5s ago")
		b.sees("03:05:30 ▼")
		b.sees("◆ cluster")
		b.sees("leader")
		exact(t, b.View(), size[0], size[1])
		golden(t, map[int]string{120: "time-cursor-120x36", 80: "time-cursor-80x24"}[size[0]], b.text())
		for _, line := range strings.Split(b.text(), "\n") {
			if strings.Contains(line, "█ ") && strings.Contains(line, " waiting") && !strings.Contains(line, "6 Time") && !strings.Contains(line, "┊") && !strings.Contains(line, "┃") {
				t.Errorf("the line of the cursor does not go through %q", line)
			}
		}
	}
	b := moments(t, Options{})
	b.press("6", "Z", "[", "[") // the leader, then b3 gets the lock
	b.sees("as of 03:04:45")
	b.sees("b3 took over from b2")
	if text := b.text(); strings.Contains(text, "/once") && strings.Contains(text, "e0 took") || strings.Contains(text, "m2 leads") {
		t.Errorf("what came later is told:\n%s", text)
	}
	for _, page := range []string{"3", "1"} {
		b.press(page)
		b.sees("as of 03:04:45")
		b.sees(map[string]string{"3": "b3 took over from b2", "1": "b3 took over from b2"}[page])
		if text := b.text(); strings.Contains(text, "e0 took /once") {
			t.Errorf("page %s tells what came later:\n%s", page, text)
		}
	}
	b.press("3", "up", "up")
	b.sees("newer below")
	b.press("esc")
	b.sees("m2")
	if strings.Contains(b.text(), "as of") {
		t.Errorf("esc is not now:\n%s", b.text())
	}
	b.press("6", "[", "[")
	b.press("1", "esc", "3")
	if strings.Contains(b.text(), "as of") {
		t.Errorf("esc on the list of locks is not now:\n%s", b.text())
	}
	b.press("6", "[", "]")
	if strings.Contains(b.text(), "as of") {
		t.Errorf("after the last event is now:\n%s", b.text())
	}
}

// TestTimeOfLocksWithoutKeys: a lock whose keys are gone keeps its lane as long as it has a past
// in what is shown, also when it is forgotten elsewhere.
func TestTimeOfLocksWithoutKeys(t *testing.T) {
	b := moments(t, Options{})
	b.w.claim(200, "/busy", "", 0xb9)
	b.sync(201)
	if b.state.Lock("/once") != nil {
		t.Fatal("the lock was to be forgotten by now")
	}
	b.press("6")
	if strings.Contains(b.text(), "○ /once") {
		t.Errorf("nothing happened to it in the last minute:\n%s", b.text())
	}
	b.press("Z", "Z", "Z")
	b.sees("○ /once")
	b.sees("2m10s ago")
	b.press("G")
	b.sees("▌○ /once")
	b.sees("what happened to /once")
	b.sees("e0 took the lock")
	b.sees("lock 4 of 4")
	b.press("enter")
	b.sees("/once has no keys now")
	b.press("[", "[")
	b.sees("as of 03:05:16")
	b.press("esc", "1", "6")
	b.sees("▌○ /once")
	b.w.claim(202, "/once", "", 0xe1)
	b.sync(203)
	b.sees("what happened to /once")
	b.press("enter")
	b.sees("/once  ")
}

// TestTimeFilter: / keeps the lanes that fit, as on the other pages.
func TestTimeFilter(t *testing.T) {
	for _, r := range []struct{ filter, sees, gone, reason string }{
		{"fair", "/fair", "/calm", "a name"},
		{"b3", "/busy", "/calm", "who holds"},
		{"!/busy|fair/", "/calm", " /fair", "an expression turned round"},
		{"no keys", "/once", " /calm", "locks without keys"},
		{"nosuch", "none that is filtered for was held", " /calm", "nothing fits"},
	} {
		b := moments(t, Options{})
		b.w.claim(145, "/busy", "", 0xb9)
		b.sync(146)
		b.press("6", "Z", "Z", "/", r.filter, "enter")
		b.sees(r.sees)
		lanes, _, _ := strings.Cut(b.text(), "what happened")
		if strings.Contains(lanes, r.gone) {
			t.Errorf("%s: %q leaves %s:\n%s", r.reason, r.filter, r.gone, lanes)
		}
		b.press("esc")
		b.sees(" /calm")
	}
}

// TestManyLanes: the lanes of more locks than are put in order at once come by and by, and no
// key waits for all of them.
func TestManyLanes(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 12_000 {
		b.w.claim(1, "/many/"+model.LeaseID(i+1).String(), "", model.LeaseID(i+1))
	}
	b.sync(2)
	b.press("6")
	for b.unranked(b.Frame()) {
		b.send(rankMsg{})
	}
	b.sees("12,000 locks")
}

// TestSortByWaited: s goes on to how long all together waited in the last minute, and the column
// that sorts is there also where it is narrow.
func TestSortByWaited(t *testing.T) {
	b := contended(t, Options{})
	b.size(80, 24)
	b.press("s", "s", "s", "s", "s")
	b.sees("WAITED▼")
	if b.viewState.Locks.Name(0) != "/busy" || b.viewState.Locks.Name(1) != "/fair" {
		t.Errorf("not in the order of what was waited:\n%s", b.text())
	}
	b.sees("25s")
	b.press("S")
	if b.viewState.Locks.Name(2) != "/busy" {
		t.Errorf("not turned round:\n%s", b.text())
	}
	b.press("s")
	b.sees("STATE▼")
	if strings.Contains(b.text(), "WAITED") {
		t.Errorf("there is no room for it unless it sorts:\n%s", b.text())
	}
	b.press(":", "sort waited", "enter")
	b.sees("WAITED▼")
}

// TestNoEventYet: as long as nothing was listed there is no event to go to.
func TestNoEventYet(t *testing.T) {
	b := newBench(t, Options{})
	b.w.ev = nil
	b.w.add(model.LoadStarted{At: t0, Prefix: "/", Rev: 1})
	b.sync(1)
	b.press("6", "[", "]", "z", "Z", "left", "right", "0")
	b.sees("6 Time")
}
