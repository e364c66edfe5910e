package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// TestQuorum: a member that nobody asked is not down.
func TestQuorum(t *testing.T) {
	up, down, unasked := model.Member{}, model.Member{Err: model.Say("quote", "no answer")}, model.Member{Unasked: true}
	for _, r := range []struct {
		members []model.Member
		want    draw.Span
		reason  string
	}{
		{[]model.Member{up, up, up}, draw.Plain.Of("3/3 members"), "all is well"},
		{[]model.Member{up, up, down}, draw.Late.Of("! 2/3 members"), "one is down"},
		{[]model.Member{up, down, down}, draw.Bad.Of("✖ 1/3 members answer"), "two do not answer: whether a majority is there is not known"},
		{[]model.Member{{NoLeader: true}, down, down}, draw.Bad.Of("✖ 1/3 members, no quorum"), "and the third says so"},
		{[]model.Member{{ID: 1, Leader: true}, {ID: 2, NoLeader: true}, {ID: 3}}, draw.Plain.Of("3/3 members"), "one that is cut off does not speak for the others"},
		{[]model.Member{up, unasked, unasked}, draw.Plain.Of("1/3 members, 2 not asked"), "a proxy before one of three"},
		{[]model.Member{up, down, unasked}, draw.Late.Of("! 1/3 members, 1 not asked"), "the third may be there"},
		{[]model.Member{down, down, unasked}, draw.Bad.Of("✖ 0/3 members answer, 1 not asked"), "whatever the third does"},
		{[]model.Member{{ID: 1}, {ID: 2}, {ID: 3, Unasked: true}, down}, draw.Late.Of("! 2/3 members"), "the endpoint that does not answer is that of the third, which has another address"},
		{[]model.Member{{ID: 1}, {ID: 2, Unasked: true}, {ID: 3, Unasked: true}, down, down}, draw.Late.Of("! 1/3 members"), "two such endpoints may be one member's"},
		{[]model.Member{{ID: 1}, {ID: 2}, {ID: 3}, down, down}, draw.Late.Of("! 3/3 members"), "endpoints that no member has"},
	} {
		if got := quorum(draw.NewTheme(draw.ThemeDark, colours, draw.SignsUnicode), model.ClusterStatus{Members: r.members}); got != r.want {
			t.Errorf("got %v, want %v: %s", got, r.want, r.reason)
		}
	}
}

// TestUnaskedMembersInTheLab: they are called unknown, not down.
func TestUnaskedMembersInTheLab(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	b.w.add(model.ClusterStatus{At: t0, Members: []model.Member{{ID: 1, Name: "m1", Version: "3.6.16"}, {ID: 2, Name: "m2", Unasked: true}}})
	b.sync(1)
	b.press("5")
	b.sees("not asked: not among --endpoints")
	if strings.Contains(b.text(), "down") {
		t.Errorf("down:\n%s", b.text())
	}
}

// TestKeysDoNotWaitForTheHands: a lab that does not answer holds up neither the keys
// that act, nor the dialog, nor help.
func TestKeysDoNotWaitForTheHands(t *testing.T) {
	for _, key := range []string{"x", "H", "K", "N", "A", "?"} {
		b := newBench(t, Options{Lab: true, Armed: true})
		wrongLab(b)
		b.size(200, 44)
		slow := slowHands{b.h, make(chan error)}
		b.live.Actions = slow
		b.press("/", "checkout", "enter")
		_, cmd := b.Update(keyMsg(key)) // would hang here
		took := make(chan tea.Msg, 1)
		go func() { took <- cmd() }()
		var msg tea.Msg
		for msg == nil {
			select {
			case slow.answer <- errors.New("the lab is \x1b closing"):
			case msg = <-took:
			}
		}
		b.send(msg)
		if b.dialog != nil || len(b.h.done) > 0 {
			t.Errorf("%s: did %v", key, b.h.done)
		}
		b.sees(`the lab is \x1b closing`)
	}
}

func TestSuspendSaysWhyNotEscaped(t *testing.T) {
	b := newBench(t, Options{NoSuspend: model.Say("quote", "mem\x1b[2Jbers")})
	b.press("ctrl+z")
	b.sees(`not available: mem\x1b[2Jbers`)
}

// broken is a source that panics.
type broken struct{}

func (broken) Next(context.Context, model.Want) (model.Batch, error) { panic("a fault of ours") }

func TestAPanicLeavesTheTerminalAsItWas(t *testing.T) {
	var out bytes.Buffer
	err := Run(t.Context(), Options{Boot: func(context.Context, func(model.Message)) (Live, error) { return Live{Source: broken{}}, nil }}, &bytes.Buffer{}, &out)
	if err == nil {
		t.Error("no error")
	}
	for _, seq := range []string{"\x1b[?1049l", "\x1b[?25h", "\x1b[?1002l"} {
		if !strings.Contains(out.String(), seq) {
			t.Errorf("%q is missing in %q", seq, out.String())
		}
	}
}

// last are the last lines of the screen, the footer at the end.
func (b *bench) last(n int) []string {
	lines := strings.Split(strings.TrimSuffix(b.text(), "\n"), "\n")
	return lines[len(lines)-n:]
}

// TestNoticesFade: what went as it should is grey and fades, what went wrong stays until a
// key, and neither covers the keys.
func TestNoticesFade(t *testing.T) {
	const keys = "x break"
	long := strings.Repeat("the cluster does not answer and that is a long story ", 4)
	for _, r := range []struct {
		st           draw.Style
		text         string
		after        int // seconds
		gone         bool
		style        draw.Style
		w, h         int
		name, reason string
	}{
		{draw.Plain, "Mouse on", 3, false, draw.Dim, 80, 24, "at once", "it can be read"},
		{draw.Plain, "Mouse on", 6, true, draw.Dim, 80, 24, "later", "nobody wants to read it for ever"},
		{draw.Late, "not now: no lesson is running", 6, true, draw.Late, 80, 24, "a key that did nothing", "the person saw why"},
		{draw.Bad, "cannot watch that", 600, false, draw.Bad, 80, 24, "an error", "the person may have looked away"},
		{draw.Bad, long, 600, false, draw.Bad, 80, 24, "a long error", "it takes lines of the page"},
		{draw.Bad, long, 600, false, draw.Bad, 80, 12, "a long error on a low screen", "it takes lines of the page there, too"},
		{draw.Bad, "cannot watch that", 600, false, draw.Bad, 60, 9, "a small screen", "it has no line of its own, and takes none of the keys"},
	} {
		b := newBench(t, Options{})
		wrongLab(b)
		b.size(r.w, r.h)
		b.say(r.st, r.text)
		for i := range r.after {
			b.send(tickMsg(at(float64(100 + i))))
		}
		first := strings.Join(strings.Fields(r.text)[:2], " ")
		if got := !strings.Contains(b.text(), first); got != r.gone {
			t.Errorf("%s: gone %v after %d s: %s\n%s", r.name, got, r.after, r.reason, b.text())
		}
		if !r.gone && b.notice.text.St != r.style {
			t.Errorf("%s: in style %v, want %v", r.name, b.notice.text.St, r.style)
		}
		if foot := b.last(1)[0]; !strings.Contains(foot, keys) {
			t.Errorf("%s: no keys in %q", r.name, foot)
		}
		exact(t, b.View(), r.w, r.h)
		if b.press("down"); r.st == draw.Bad && strings.Contains(b.text(), first) {
			t.Errorf("%s: stays after a key", r.name)
		}
	}
}

// TestFooterIsClicked: a click on a key of the footer is that key, and beside the keys it is
// nothing.
func TestFooterIsClicked(t *testing.T) {
	for _, r := range []struct {
		name, word, reason string
		keys               []string
		did                func(b *bench) bool
	}{
		{"open", "open", "the word of a key", nil, func(b *bench) bool { return b.on() == "Queue" }},
		{"filter", "/", "the key itself", nil, func(b *bench) bool { return b.field != nil }},
		{"help", "help", "at the other end", nil, func(b *bench) bool { return b.overlay != nil && b.overlay.title == "help for Locks" }},
		{"close", "close", "under a text", []string{"e"}, func(b *bench) bool { return b.overlay == nil }},
		{"clears", "clears", "behind a filter", []string{"/", "jobs", "enter"}, func(b *bench) bool { return b.viewState.Locks.Order.Filter == "" }},
		{"the filter's text", "jobs", "is no key", []string{"/", "jobs", "enter"}, func(b *bench) bool { return b.viewState.Locks.Order.Filter == "jobs" && b.on() == "Locks" }},
		{"the gap", "     ", "is no key", nil, func(b *bench) bool { return b.on() == "Locks" && b.overlay == nil && b.dialog == nil }},
		{"freeze", "freeze", "the key is a space", nil, func(b *bench) bool { return b.frozen }},
		{"frozen", "open", "says why not, as the key does", []string{" "}, func(b *bench) bool { return b.on() == "Locks" && strings.Contains(b.notice.text.Text, "frozen") }},
	} {
		b := newBench(t, Options{})
		wrongLab(b)
		b.size(200, 40)
		b.press(r.keys...)
		foot := b.last(1)[0]
		at := strings.Index(foot, r.word)
		if at < 0 {
			t.Fatalf("%s: not in %q", r.name, foot)
		}
		b.send(tea.MouseMsg{X: at, Y: b.Shell.h - 1, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
		if !r.did(b) {
			t.Errorf("%s (%s):\n%s", r.name, r.reason, b.text())
		}
	}
	b := newBench(t, Options{})
	wrongLab(b)
	b.press("3")
	b.send(tea.MouseMsg{X: 5, Y: 3, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	if b.on() == "Journal" {
		b.press("1")
	}
	if b.send(tea.MouseMsg{X: 5, Y: 3, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft}); b.viewState.Locks.Pick.ID != "/demo/checkout" {
		t.Errorf("a click on the verdict selects %s", b.viewState.Locks.Pick.ID)
	}
}

// TestTheTrail says how one came where one is, as far as one jumped, and - goes back all the
// way, also over the digits of pages.
func TestTheTrail(t *testing.T) {
	b := newBench(t, Options{})
	wrongLab(b)
	trail := func(want, reason string) {
		t.Helper()
		got := strings.TrimSpace(b.last(2)[0])
		if b.current().About().Inner { // its title says it
			if got != "" {
				t.Errorf("%s: said twice, again as %q", reason, got)
			}
			b.sees(" " + want + "  mutex")
			return
		}
		if got != want && !(want != "" && strings.HasPrefix(got, want+"  ") && strings.HasSuffix(got, "- back")) {
			t.Errorf("%s: %q, want %q", reason, got, want)
		}
	}
	trail("", "nobody jumped")
	b.press("/", "report", "enter", "enter")
	trail("Locks → /jobs/report", "the lock is named once")
	b.press("enter")
	trail("Locks → Queue /jobs/report → Sessions b2", "enter on a claim opens its session")
	b.press("3")
	trail("", "the digit begins anew")
	b.press("enter")
	trail("Journal → /demo/checkout", "from there, to the lock of the line")
	b.press("-", "-")
	trail("Locks → Queue /jobs/report → Sessions b2", "back over the digit")
	b.press("-", "-")
	if b.on() != "Locks" {
		t.Errorf("on %s", b.on())
	}
	trail("", "all the way")
	b.size(60, 24)
	b.press("enter", "enter", "enter", "enter")
	if line := b.last(2)[0]; !strings.HasPrefix(line, " … → ") || !strings.Contains(line, "b2 ") || !strings.HasSuffix(line, "- back") {
		t.Errorf("of a way that is too long the end is said: %q", line)
	}
}

// TestHelpHasAKeyInEachLine: the six most used ones first, what does nothing now last, with its reason
// once; the last line says how much is below, and enter does the key under the cursor.
func TestHelpHasAKeyInEachLine(t *testing.T) {
	for _, size := range [][2]int{{60, 24}, {80, 24}, {120, 36}, {200, 50}} {
		b := newBench(t, Options{Lab: true, Armed: true})
		wrongLab(b)
		b.size(size[0], size[1])
		b.press("?")
		exact(t, b.View(), size[0], size[1])
		lines := strings.Split(b.text(), "\n")
		top := 0
		for !strings.Contains(lines[top], "help for Locks") {
			top++
		}
		for i, key := range []string{"j k g G", "enter", "e", "o", "/", ":", ""} {
			if got := strings.TrimSpace(strings.TrimPrefix(lines[top+1+i], "▌")); !strings.HasPrefix(got, key) || key == "" && got != "" {
				t.Errorf("%v: line %d is %q, want %q", size, i, got, key)
			}
		}
		b.sees("more lines below")
		b.sees("PgDn")
		b.press("end")
		if text := b.text(); strings.Contains(text, "below") || !strings.Contains(text, "12m+") {
			t.Errorf("%v: the end is not in sight:\n%s", size, text)
		}
	}
	b := newBench(t, Options{NoLab: model.Say("quote", "Just so.")})
	wrongLab(b)
	b.size(120, 90)
	b.press("?")
	text := b.text()
	if n := strings.Count(text, "Just so."); n != 1 {
		t.Errorf("why the keys of a lab do nothing is said %d times, want once:\n%s", n, text)
	}
	if strings.Index(text, "pause the contender") < strings.Index(text, "  quit") {
		t.Errorf("what does nothing now does not stand last:\n%s", text)
	}
	b.press("down", "down", "enter")
	if b.overlay == nil || strings.Contains(b.text(), "help for") {
		t.Errorf("enter on the line of e does not explain:\n%s", b.text())
	}
}

// TestDeniedIsNotLost: a prefix that may not be read is named with the command that would
// allow it, and nothing else is called lost or out of date for it.
func TestDeniedIsNotLost(t *testing.T) {
	grant := model.GrantRead("/secret/")
	no := model.Say("cannot", model.Say("to-list"), model.KeysOf("/secret/"), model.Say("no-permission", "m1:1", "/secret/"))
	for _, r := range []struct {
		name, reason string
		fill         func(b *bench)
		sees, not    []string
		copies       string // by y on the page
		dim          bool
	}{
		{"one of two", "the other one is live", func(b *bench) {
			wrongLab(b)
			b.w.add(model.Lost{At: at(20), Prefix: "/secret/", Reason: model.LostDenied, Detail: no})
		}, []string{"● live", "! 1 denied", "! No permission to read /secret/   c how to allow it", "/jobs/billing"}, []string{"LOST", "LOST"}, "", false},
		{"the only one", "the page says how it would be allowed", func(b *bench) {
			b.w.ev = nil
			b.w.add(model.Lost{At: at(20), Prefix: "/secret/", Reason: model.LostDenied, Detail: no})
		}, []string{" DENIED ", "No permission to read /secret/", "  $ " + grant, "y copies the command"}, []string{"LOST", "live", "loading", "listing"}, grant, false},
		{"a wrong password", "no role would help", func(b *bench) {
			b.w.ev = nil
			b.w.add(model.Lost{At: at(20), Prefix: "/secret/", Reason: model.LostDenied, Detail: model.Say("quote", "m1:1 wants a valid user name and password")})
		}, []string{" DENIED ", "m1:1 wants a valid user name and password"}, []string{"grant-permission", "LOST"}, "", false},
		{"one that could be read", "what is shown of it is out of date", func(b *bench) {
			wrongLab(b)
			b.w.add(model.Lost{At: at(20), Prefix: "/", Reason: model.LostDenied, Detail: model.Say("quote", "no permission on m1:1")})
		}, []string{"LOST", "no permission on m1:1"}, []string{"1 denied"}, "", true},
		{"no answer", "is lost, and nobody said no", func(b *bench) {
			wrongLab(b)
			b.w.add(model.Lost{At: at(20), Prefix: "/secret/", Reason: model.LostDisconnect, Detail: model.Say("quote", "no answer in time from m1:1")})
		}, []string{"LOST", "no answer in time from m1:1"}, []string{"denied", "No permission"}, "", true},
	} {
		t.Run(r.name, func(t *testing.T) {
			b := newBench(t, Options{})
			r.fill(b)
			b.sync(21)
			for _, want := range r.sees {
				b.sees(want)
			}
			for _, not := range r.not {
				if strings.Contains(b.text(), not) {
					t.Errorf("%s: says %q:\n%s", r.reason, not, b.text())
				}
			}
			if got := b.canvas().Th == b.old; got != r.dim {
				t.Errorf("%s: dim %v", r.reason, got)
			}
			copied := ""
			b.copy = func(s string) { copied = s }
			if r.copies != "" {
				b.copies("y")
				if copied != r.copies {
					t.Errorf("y copies %q, want %q", copied, r.copies)
				}
			}
			if b.press("c"); strings.Contains(strings.Join(r.sees, " "), "how to allow it") {
				b.sees("$ " + grant)
				if b.copies("y"); !strings.Contains(copied, grant+"\n") {
					t.Errorf("y on the text copies %q", copied)
				}
			}
		})
	}
	b := newBench(t, Options{})
	b.w.ev = nil
	b.w.add(model.Lost{At: at(20), Prefix: "/secret/", Reason: model.LostDenied, Detail: no})
	b.sync(21)
	b.size(60, 16)
	exact(t, b.View(), 60, 16)
	if got := strings.Join(strings.Fields(b.text()), " "); !strings.Contains(got, grant) {
		t.Errorf("on a narrow screen the command is not whole:\n%s", b.text())
	}
}

// TestKeysThatAreReadTogetherAreEachPressed: who types fast, or at a busy machine, loses none.
func TestKeysThatAreReadTogetherAreEachPressed(t *testing.T) {
	b := newBench(t, Options{})
	b.w.claim(1, "/l", "", 0xa1)
	b.sync(2)
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("32")})
	if b.on() != "Sessions" {
		t.Errorf("on %s, want Sessions: 3 and 2 came in one message", b.on())
	}
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("1/zz")})
	b.sees("/ zz")
}

// TestWhatNamesAKeyCanBeClicked: the words beside a key press it wherever they stand; what stands
// further right does not.
func TestWhatNamesAKeyCanBeClicked(t *testing.T) {
	for _, r := range []struct {
		name, reason string
		keys         []string
		label        string
		past         int // cells behind the label's beginning
		check        func(b *bench) bool
	}{
		{"the verdict", "its key", nil, "e explain", 0, func(b *bench) bool { return b.overlay != nil }},
		{"the verdict's word", "as the footer's", nil, "e explain", 4, func(b *bench) bool { return b.overlay != nil }},
		{"a pane's title", "it goes back in time", nil, "z zoom", 2, func(b *bench) bool { return b.viewState.Axis.Window != (page.Axis{}).Window }},
		{"one of two keys", "the one under the mouse", nil, "[ ] event by event", 0, func(b *bench) bool { return !b.viewState.Axis.At().IsZero() }},
		{"a line of help", "it does what it says", []string{"?"}, "w  go to the worst finding", 0, func(b *bench) bool { return b.on() == "Findings" }},
		{"behind a label", "nothing is there", nil, "w evidence", 12, func(b *bench) bool { return b.on() == "Locks" && b.overlay == nil }},
		{"in a dialog", "esc is named there, too", []string{"x"}, "esc cancel", 5, func(b *bench) bool { return b.dialog == nil }},
	} {
		for _, profile := range []termenv.Profile{termenv.TrueColor, termenv.Ascii} {
			b := newBench(t, Options{Lab: true, Armed: true, Profile: profile})
			wrongLab(b)
			b.size(120, 40)
			b.press(r.keys...)
			x, y := -1, 0
			for i, line := range strings.Split(b.text(), "\n") {
				if at := strings.Index(line, r.label); at >= 0 {
					x, y = draw.Width(line[:at]), i
					break
				}
			}
			if x < 0 {
				t.Fatalf("%s: %q is not on the screen:\n%s", r.name, r.label, b.text())
			}
			b.send(tea.MouseMsg{X: x + r.past, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
			if !r.check(b) {
				t.Errorf("%s, colours %v: %s:\n%s", r.name, profile, r.reason, b.text())
			}
		}
	}
}

// TestASecondClickOpens: the first one selects, and neither a title nor another row is opened.
func TestASecondClickOpens(t *testing.T) {
	b := newBench(t, Options{})
	wrongLab(b)
	click := func(y int) {
		b.send(tea.MouseMsg{X: 10, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	}
	y := 0
	for i, line := range strings.Split(b.text(), "\n") {
		if strings.Contains(line, "/jobs/report ") {
			y = i
			break
		}
	}
	click(y)
	click(y - 1)
	click(y)
	if b.on() != "Locks" || b.viewState.Locks.Pick.ID != "/jobs/report" {
		t.Fatalf("on %s at %s", b.on(), b.viewState.Locks.Pick.ID)
	}
	click(y)
	if b.on() != "Queue" || b.spot("Queue") != "/jobs/report" {
		t.Errorf("on %s at %s", b.on(), b.spot("Queue"))
	}
	b.press("1")
	for range 2 {
		click(b.arrange().main.y)
	}
	if b.on() != "Locks" {
		t.Errorf("two clicks on a title open %s", b.on())
	}
	b.press("3")
	last := b.arrange().main
	for range 2 {
		click(last.y + 3)
	}
	if b.on() != "Queue" {
		t.Errorf("two clicks on a line of the journal open %s:\n%s", b.on(), b.text())
	}
}

// TestAScrollBarGoesWhereItIsClicked: and where it is drawn to, also when the mouse leaves its column; a
// second click there opens nothing.
func TestAScrollBarGoesWhereItIsClicked(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 100 {
		b.w.claim(1, fmt.Sprintf("/l/%02d", i), "", model.LeaseID(0x100+i))
	}
	b.sync(2)
	b.size(120, 40)
	l := b.arrange()
	first, last := 0, 0
	for i, line := range strings.Split(b.text(), "\n") {
		if strings.Contains(line, "/l/00") && first == 0 {
			first = i
		}
		if strings.Contains(line, "  /l/") {
			last = i
		}
	}
	mouse := func(x, y int, action tea.MouseAction) {
		b.send(tea.MouseMsg{X: x, Y: y, Action: action, Button: tea.MouseButtonLeft})
	}
	bar := l.main.x + l.main.w - 1
	for _, r := range []struct {
		x, y   int
		action tea.MouseAction
		want   string
		reason string
	}{
		{bar, last, tea.MouseActionPress, "/l/99", "its end is that of the list"},
		{bar, last, tea.MouseActionPress, "/l/99", "a second click opens nothing"},
		{bar - 20, first, tea.MouseActionMotion, "/l/00", "it is drawn to its beginning, and the mouse need not stay on it"},
		{bar, first, tea.MouseActionRelease, "/l/00", "it is let go"},
		{bar, last, tea.MouseActionMotion, "/l/00", "nothing is drawn any more"},
	} {
		mouse(r.x, r.y, r.action)
		if got := b.viewState.Locks.Pick.ID; got != r.want || b.on() != "Locks" {
			t.Errorf("%v at %d, %d: %s on %s, want %s: %s", r.action, r.x, r.y, got, b.on(), r.want, r.reason)
		}
	}
}
