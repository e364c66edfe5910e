package ui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/recipe"
	"locktop/model/text"
)

// TestPageStories presses keys on the pages that say who, and what is wrong.
func TestPageStories(t *testing.T) {
	rows := []struct {
		name, reason string
		keys         []string
		check        func(b *bench)
	}{
		{"findings are counted", "on every page, errors and warnings", []string{"3"}, func(b *bench) { b.sees("4 Findings 5") }},
		{"worst finding first", "and all about it below", []string{"4"}, func(b *bench) {
			b.sees("3 errors, 2 warnings, 2 info")
			b.sees("do      move the data elsewhere, or rename the lock")
			b.sees("$ etcdctl get --prefix '/blocked/lock/'")
		}},
		{"from finding to lock and back", "enter and -", []string{"4", "/", "dead-h", "enter", "enter"}, func(b *bench) {
			if b.on() != "Queue" || b.spot("Queue") != "/cron/job7" || b.viewState.Locks.Pick.ID != "/cron/job7" {
				b.t.Errorf("on page %s at %s", b.on(), b.spot("Queue"))
			}
			b.press("-")
			if b.on() != "Findings" || b.code() != model.CodeDeadHolder {
				b.t.Errorf("back on page %s at %v", b.on(), b.code())
			}
		}},
		{"from lock to why", "w goes to the finding", []string{"/", "job7", "enter", "w"}, func(b *bench) {
			if b.on() != "Findings" || b.code() != model.CodeDeadHolder {
				b.t.Errorf("on page %s at %v", b.on(), b.code())
			}
			b.press("-")
			if b.on() != "Locks" || b.viewState.Locks.Pick.ID != "/cron/job7" {
				b.t.Errorf("back on page %s at %s", b.on(), b.viewState.Locks.Pick.ID)
			}
		}},
		{"from lock to session to its lock", "o and enter; - goes all the way back", []string{"/", "report", "enter", "o"}, func(b *bench) {
			if b.on() != "Sessions" || b.spot("Sessions") != "b2" {
				b.t.Fatalf("on page %s at %v", b.on(), b.spot("Sessions"))
			}
			b.press("enter")
			if b.on() != "Queue" || b.spot("Queue") != "/jobs/report" {
				b.t.Errorf("on page %s at %s", b.on(), b.spot("Queue"))
			}
			b.press("-", "-")
			if b.on() != "Locks" {
				b.t.Errorf("back on page %s", b.on())
			}
			b.press("-")
			b.sees("nothing to go back to")
		}},
		{"worst session first", "a cycle, then who does not renew", []string{"2"}, func(b *bench) {
			var got []string
			for _, id := range b.sessions().IDs[:4] {
				got = append(got, id.String())
			}
			if want := []string{"a1", "b2", "f7", "c3"}; !slices.Equal(got, want) {
				b.t.Errorf("got %v, want %v", got, want)
			}
			b.sees("revoking it takes 2 watched keys")
		}},
		{"filter sessions", "by who", []string{"2", "/", "c1", "enter"}, func(b *bench) {
			if len(b.sessions().IDs) != 1 || b.sessions().IDs[0] != 0xf6 {
				b.t.Errorf("kept %v", b.sessions().IDs)
			}
		}},
		{"break from a session", "the claim that counts", []string{"2", "/", "c3", "enter", "x"}, func(b *bench) {
			if b.dialog == nil || b.offered().Key != "/cron/job7/c3" {
				b.t.Errorf("dialog %+v", b.dialog)
			}
		}},
		{"break from a finding", "the claim it is about, though it waits", []string{"4", "/", "stale", "enter", "x"}, func(b *bench) {
			if b.dialog == nil || b.offered().Lease != 0xf7 {
				b.t.Errorf("dialog %+v", b.dialog)
			}
		}},
		{"explain", "the catalogue's entry, then what is here", []string{"/", "job7", "enter", "e"}, func(b *bench) {
			e, _ := findings.Explain(model.CodeDeadHolder)
			b.sees(text.English(e.Title))
			b.sees("what happens")
			b.press("esc")
			if b.overlay != nil || b.on() != "Locks" {
				b.t.Errorf("still open, page %s", b.on())
			}
		}},
		{"groups", "t puts locks under their prefix: how many, the worst state, who waits; enter opens one", []string{"t", "down", "down"}, func(b *bench) {
			row := b.line("▌ ▸ /jobs/ 2")
			for _, want := range []string{"✖ deadlock", " 2 "} {
				if !strings.Contains(row, want) {
					b.t.Errorf("the group says %q, want %q in it", row, want)
				}
			}
			if b.sees("/demo/checkout"); strings.Contains(b.text(), "/demo/ ") {
				b.t.Error("one lock alone has a group")
			}
			if b.press("x"); b.dialog != nil {
				b.t.Fatal("x on a prefix is about one of its locks")
			}
			b.press("enter")
			b.line("▌ ▼ /jobs/ 2")
			b.press("down", "enter")
			if b.on() != "Queue" || b.spot("Queue") != "/jobs/billing" {
				b.t.Fatalf("on page %s at %s", b.on(), b.spot("Queue"))
			}
			b.press("-")
			b.line("▌   billing")
			b.press("up", "enter", ":", "lock /jobs/report", "enter", "1")
			b.line("▌   report")
			b.press("t")
			b.line("▌ /jobs/report")
		}},
		{"a line of what happened", "the cursor there says which lock e, x and enter are about", nil, func(b *bench) {
			b.size(120, 40)
			was := b.viewState.Locks.Pick.ID
			b.press("f")
			b.View()
			b.press("tab", "tab", "up", "up", "up", "up")
			l := b.Target().Lock
			if l == nil || l.Name == was {
				b.t.Fatalf("the cursor is on no line of another lock than %s:\n%s", was, b.text())
			}
			if line := b.line("▌ 03:"); !strings.Contains(line, b.th.CutPath(l.Name, 24)) {
				b.t.Errorf("the cursor is in %q, want the line of %s", line, l.Name)
			}
			if b.viewState.Locks.Pick.ID != was {
				b.t.Errorf("the table went to %s", b.viewState.Locks.Pick.ID)
			}
			b.press("enter")
			if b.on() != "Queue" || b.spot("Queue") != l.Name {
				b.t.Errorf("on page %s at %s", b.on(), b.spot("Queue"))
			}
			b.press("-", "esc")
			if b.Target().Lock == nil || strings.Contains(b.text(), "▌ 03:") {
				b.t.Error("esc does not give the keyboard back to the table")
			}
		}},
		{"a click on what happened", "selects the line; a second one opens its lock", nil, func(b *bench) {
			b.size(120, 40)
			b.press("f")
			lines := strings.Split(b.text(), "\n")
			y := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "bb took the lock") })
			b.send(tea.MouseMsg{X: 30, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
			if l := b.Target().Lock; l == nil || l.Name != "/vault/core" || b.on() != "Locks" {
				b.t.Fatalf("a click selects %v on page %s", l, b.on())
			}
			b.send(tea.MouseMsg{X: 30, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
			if b.on() != "Queue" || b.spot("Queue") != "/vault/core" {
				b.t.Errorf("on page %s at %s", b.on(), b.spot("Queue"))
			}
		}},
		{"no problem", "e says how it is, and what etcd cannot tell", []string{"/", "very", "enter", "e"}, func(b *bench) {
			b.sees("no problem found; it is held")
			b.sees("it stays so until its program releases")
			b.sees("a hung program whose client still renews looks the same in etcd")
		}},
		{"by hand", "the lines of etcdctl, and y copies them", []string{"/", "job7", "enter", "c"}, func(b *bench) {
			b.sees("$ etcdctl lease timetolive --keys c3")
			var copied string
			b.copy = func(s string) { copied = s }
			b.copies("y")
			if !strings.Contains(copied, "export ETCDCTL_ENDPOINTS=127.0.0.1:2379\n") || !strings.Contains(copied, "--keys c3\n") {
				b.t.Errorf("copied %q", copied)
			}
		}},
		{"a hostile key", "what is copied has no newline and no escape sequence", []string{"/", "job7", "enter"}, func(b *bench) {
			var copied string
			b.copy = func(s string) { copied = s }
			b.copies("y")
			if copied != "/cron/job7/c3" {
				b.t.Errorf("a harmless one is copied as %q", copied)
			}
			b.press("esc")
			b.w.claim(23, "/evil\nrm -rf \x1b[2J\u3164", "", 0xe1)
			b.sync(23)
			b.press("/", "evil", "enter")
			b.copies("y")
			if copied != `/evil\nrm -rf \x1b[2J\u3164/e1` {
				b.t.Errorf("copied %q", copied)
			}
		}},
		{"fault in the row", "a contender says what is done to it", []string{"5"}, func(b *bench) {
			b.w.add(model.FaultOn{At: at(23), ID: 2, Fault: model.Fault{Kind: model.FaultHoldKeepalives, Target: "c1"}},
				model.FaultOn{At: at(23), ID: 3, Fault: model.Fault{Kind: model.FaultHoldKeepalives, Target: "c2"}})
			b.sync(23)
			b.sees("c1     ! held")
			b.size(200, 50)
			b.sees("! paused+held")
		}},
		{"claim gone under the dialog", "it says so, and neither way is open", []string{"/", "job7", "enter", "x", "grace"}, func(b *bench) {
			b.w.del(23, leaseKey("/cron/job7", 0xc3))
			b.sync(23)
			b.sees("Already released (esc closes)")
			b.press("R", "D")
			if n := strings.Count(strings.ToLower(b.text()), "already released"); n != 1 {
				b.t.Errorf("it says so %d times:\n%s", n, b.text())
			}
			if len(b.h.done) != 0 || b.dialog == nil {
				b.t.Errorf("did %+v", b.h.done)
			}
			if strings.Contains(b.text(), "gone, or not seen yet") {
				b.t.Errorf("two stories:\n%s", b.text())
			}
		}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			b := newBench(t, Options{Lab: true, Armed: true})
			wrongLab(b)
			b.pressed(r.keys...)
			r.check(b)
			if t.Failed() {
				t.Log(r.reason)
			}
		})
	}
}

// copies presses a key that copies.
func (b *bench) copies(k string) {
	if _, cmd := b.Update(keyMsg(k)); cmd != nil {
		cmd()
	}
}

// TestJudged: what is not known is not claimed.
func TestJudged(t *testing.T) {
	b := newBench(t, Options{})
	b.w.put(1, "/registry/host-a:80", "x", 0x11) // leased keys side by side: no recipe
	b.w.put(2, "/registry/host-b:80", "x", 0x12)
	b.w.put(3, "/locks/one", "host-c", 0x13) // a single key: who waits leaves no trace
	b.sync(5)
	for _, l := range b.state.Locks() {
		b.press("1", "/", l.Name, "enter")
		row := b.line("▌ " + l.Name)
		switch {
		case !l.Recipe().HasHolder:
			if !strings.Contains(row, "leased keys") || strings.Contains(row, "renewed") {
				t.Errorf("%s", row)
			}
			b.sees("○ member")
		case !l.Recipe().WaitersVisible():
			if !slices.Contains(strings.Fields(row), "?") {
				t.Errorf("BEHIND is not ?: %s", row)
			}
		}
		b.press("esc")
	}
}

// TestAGroupIsBrokenByItsKeyAlone: where a name is selected of which nobody knows who holds,
// x asks for a key; with the cursor on one it opens the dialog. A lock opens it either way.
func TestAGroupIsBrokenByItsKeyAlone(t *testing.T) {
	for _, r := range []struct {
		reason, lock string
		keys         []string
		opens        bool
	}{
		{"a group is no lock", "/group", []string{"x"}, false},
		{"its key is chosen", "/group", []string{"2", "down", "x"}, true},
		{"a lock has a holder", "/l", []string{"x"}, true},
		{"several hold together", "/rw", []string{"x"}, false},
		{"one of them is chosen", "/rw", []string{"2", "down", "x"}, true},
	} {
		b := newBench(t, Options{Armed: true})
		b.w.put(1, "/group/host-a:80", "x", 0x11)
		b.w.put(2, "/group/host-b:80", "x", 0x12)
		b.w.claim(3, "/l", "", 0xa1)
		b.w.put(3, "/rw/read/1795380641725273001", "", 0x21)
		b.w.put(3, "/rw/read/1795380641725273002", "", 0x22)
		b.sync(5)
		b.press(append([]string{"1", "/", r.lock, "enter"}, r.keys...)...)
		if (b.dialog != nil) != r.opens || !r.opens && !strings.Contains(b.text(), "none of its keys is known to hold") && !strings.Contains(b.text(), "2 hold /rw together") {
			t.Errorf("%s: a dialog is open: %v\n%s", r.reason, b.dialog != nil, b.text())
		}
	}
}

// line returns the first line of the screen that begins like that.
func (b *bench) line(with string) string {
	for _, l := range strings.Split(b.text(), "\n") {
		if strings.HasPrefix(l, with) {
			return l
		}
	}
	b.t.Fatalf("no line begins with %q:\n%s", with, b.text())
	return ""
}

// TestSeveralHolders: readers of an RWMutex hold together.
func TestSeveralHolders(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 3 {
		b.w.put(1, fmt.Sprintf("/rw/read/170000000000000000%d", i), "", model.LeaseID(0x31+i))
	}
	b.w.put(2, "/rw/write/1700000000000000009", "", 0x39)
	b.sync(3)
	if l := b.state.Locks(); len(l) == 0 || l[0].Recipe() != recipe.Named("rwmutex") {
		t.Fatalf("not told to be an RWMutex: %v", l)
	}
	b.sees("31 +2")
	b.press("enter")
	if n := len(regexp.MustCompile("● holds +lease").FindAllString(b.text(), -1)); n != 3 || strings.Count(b.text(), "○ waits") != 1 {
		t.Errorf("%d hold:\n%s", n, b.text())
	}
}

// TestStatsInTitle: what handovers say stands over the queue.
func TestStatsInTitle(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 4 {
		b.w.claim(float64(i), "/l", "", model.LeaseID(0x51+i))
	}
	b.w.del(10, leaseKey("/l", 0x51))
	b.w.del(12, leaseKey("/l", 0x52))
	b.sync(13)
	b.sees(" · 2 handovers · usual hold 2.0s · usual wait ")
}

// TestQueueStays: the verdict on top takes its room from table and queue; a finding that
// gets worse does not move the queue of the selected lock.
func TestQueueStays(t *testing.T) {
	b := newBench(t, Options{})
	b.size(80, 24)
	b.w.claim(1, "/l", "", 0x61)
	b.w.claim(2, "/l", "", 0x62)
	b.sync(3)
	where := func() int { return strings.Count(strings.SplitN(b.text(), "○ waits", 2)[0], "\n") }
	b.sees("what happened, all locks")
	b.w.read(4, 0x61, 60, 50)
	b.w.read(30, 0x61, 60, 24)
	b.sync(31)
	b.sees("! renews late")
	before := where()
	b.w.read(50, 0x61, 60, 4)
	b.sync(51)
	b.sees("what happened ─") // the verdict on top has said why
	if got := where(); got != before {
		t.Errorf("the queue moved from line %d to %d:\n%s", before, got, b.text())
	}
}

// TestSelectedSessionStays: a session stays selected through any ranking.
func TestSelectedSessionStays(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 20 {
		b.w.claim(1, fmt.Sprintf("/l/%02d", i), "", model.LeaseID(0x100+i))
	}
	b.sync(2)
	b.press("2", "down", "down", "down")
	l := b.sessions().Chosen(b.state.View)
	b.w.read(3, 0x110, 60, 5)
	b.sync(3)
	if b.sessions().IDs[0] == 0x110 {
		t.Error("the rows moved under the cursor")
	}
	b.sync(9)
	if b.sessions().IDs[0] != 0x110 || b.sessions().Chosen(b.state.View) != l {
		t.Errorf("first is %s, chosen %v, was %v", b.sessions().IDs[0], b.sessions().Chosen(b.state.View), l)
	}
}

// TestVerdictStays: the worst stands on top as one sentence, `!` selects what it is about,
// and an error that has gone is told of for a minute more.
func TestVerdictStays(t *testing.T) {
	b := newBench(t, Options{})
	b.w.claim(1, "/a", "", 0x61)
	b.w.claim(1, "/b", "", 0x62)
	b.w.put(1, "/c/stray", "v", 0)
	b.w.claim(2, "/c", "", 0x63)
	b.sync(3)
	b.sees("✖ A key that is not a lock key blocks /c")
	b.press(":", "lock /a", "enter")
	b.sees("! show it")
	b.press("1", "!")
	if got := b.viewState.Locks.Pick.ID; got != "/c" {
		t.Errorf("! selected %s", got)
	}
	b.sees("e explain   w evidence")
	b.w.del(4, "/c/stray")
	b.sync(5)
	b.sees("blocked /c for ", "63 holds /c now")
	b.sync(70)
	if strings.Contains(b.text(), "blocked /c") {
		t.Errorf("the verdict is still there:\n%s", b.text())
	}
	b.press("!")
	b.sees("No problems visible in etcd")
}

// TestVerdictOutlivesItsError: an error that has gone stands above a warning that is left,
// with no advice any more and with what is wrong now; the next error takes its place at once.
func TestVerdictOutlivesItsError(t *testing.T) {
	b := newBench(t, Options{})
	b.w.claim(1, "/late", "", 0x61)
	b.w.read(1, 0x61, 60, 60)
	b.w.put(1, "/c/stray", "v", 0)
	b.w.claim(2, "/c", "", 0x63)
	b.w.read(40, 0x61, 60, 20)
	b.sync(41)
	b.sees("✖ A key that is not a lock key blocks /c ")
	b.sees(" and 1 warning\n")
	b.sees("do move the data")
	b.w.del(42, "/c/stray")
	b.sync(43)
	b.sees("blocked /c for ", "63 holds /c now")
	b.sees(" and 1 warning\n")
	if strings.Contains(b.text(), "do move the data") {
		t.Errorf("what to do about an error that has gone:\n%s", b.text())
	}
	b.w.read(44, 0x61, 60, 60)
	b.sync(45)
	b.sees("blocked /c for ", "63 holds /c now")
	if strings.Contains(b.text(), "1 warning") {
		t.Errorf("the warning has gone, too:\n%s", b.text())
	}
	b.w.put(46, "/d/stray", "v", 0)
	b.w.claim(46, "/d", "", 0x64)
	b.sync(47)
	b.sees("✖ A key that is not a lock key blocks /d\n")
}

// TestNothingIsShownOfWhatEnded: ! goes to what is wrong with the cluster while it is wrong, and
// stays where one is once it is not: the page of findings has only others then.
func TestNothingIsShownOfWhatEnded(t *testing.T) {
	b := newBench(t, Options{})
	b.w.claim(1, "/late", "", 0x61)
	b.w.read(1, 0x61, 60, 60)
	b.w.read(40, 0x61, 60, 20)
	members := []model.Member{{ID: 1, Name: "m1", Endpoint: "127.0.0.1:2379", Version: "3.6.16", Leader: true}}
	b.w.add(model.ClusterStatus{At: at(41), Members: members, Alarms: []string{"NOSPACE"}})
	b.sync(42)
	b.press("!")
	if b.on() != "Findings" || b.code() != model.CodeNoSpace {
		t.Errorf("! went to %s, %s", b.on(), b.code())
	}
	b.press("1")
	b.w.add(model.ClusterStatus{At: at(43), Members: members})
	b.sync(44)
	b.sees(", until 1s ago")
	b.press("!")
	b.sees("That has ended")
	if b.on() != "Locks" {
		t.Errorf("! went to %s, where nothing is about it", b.on())
	}
}

// TestTimePageInLittleRoom: a page without room for a journal shows none.
func TestTimePageInLittleRoom(t *testing.T) {
	b := newBench(t, Options{})
	wrongLab(b)
	b.press("6")
	for h := 5; h <= 24; h++ {
		for _, w := range []int{20, 40, 80} {
			b.size(w, h)
			exact(t, b.View(), w, h)
		}
	}
}
