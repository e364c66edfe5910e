package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// TestBreakOffersWhatIsPossible: the prompt names the ways that are open, however
// little room there is, and warns of what is so.
func TestBreakOffersWhatIsPossible(t *testing.T) {
	for _, r := range []struct {
		keys       []string
		w, h       int
		prompt     string
		warns      string
		reason     string
		notWarning string
	}{
		{[]string{"/", "blocked", "enter"}, 80, 24, "D delete this claim  esc cancel", "! it is not a claim of this lock", "it has no lease to revoke, and nobody holds by it", "old holder"},
		{[]string{"/", "blocked", "enter"}, 40, 10, "D delete  esc cancel", "", "the way that is open is the one that has room", ""},
		{[]string{"/", "job7", "enter"}, 40, 10, "R revoke  D delete  esc cancel", "! the old holder may", "both are open", ""},
		{[]string{"/", "job7", "enter", "enter", "down"}, 80, 24, "R revoke the lease  D delete this claim", "! its client may still believe that it waits", "one that waits holds nothing", "old holder"},
	} {
		b := newBench(t, Options{Lab: true, Armed: true})
		wrongLab(b)
		b.size(r.w, r.h)
		b.press(r.keys...)
		b.pressed("x")
		if b.dialog == nil {
			t.Fatalf("%s: no dialog:\n%s", r.reason, b.text())
		}
		b.sees(r.prompt)
		b.sees(r.warns)
		if r.notWarning != "" && strings.Contains(b.text(), r.notWarning) {
			t.Errorf("%s: it says %q:\n%s", r.reason, r.notWarning, b.text())
		}
	}
}

// TestTypedNameIsSeen: of a name longer than the dialog one sees the end, where one types.
func TestTypedNameIsSeen(t *testing.T) {
	b := newBench(t, Options{Armed: true})
	name := "/a/name/that/is/longer/than/the/dialog/is/wide"
	b.w.claim(1, name, "", 0x21)
	b.sync(2)
	b.size(40, 10)
	b.pressed("x", "grace", "R", name[:len(name)-1])
	b.sees("/is/wid_")
	b.press("e")
	b.sees("/is/wide_")
}

// TestModeStays: whether one may break things is said however narrow it is.
func TestModeStays(t *testing.T) {
	for _, r := range []struct {
		o    Options
		want string
	}{{Options{Armed: true}, " ARMED "}, {Options{}, "READ-ONLY"}} {
		b := newBench(t, r.o)
		b.o.Label = "a-cluster-with-a-long-name:2379"
		b.sync(1)
		for w := leastWidth; w <= 120; w++ {
			b.size(w, 24)
			if top, _, _ := strings.Cut(b.text(), "\n"); !strings.Contains(top, r.want) {
				t.Errorf("%d cells wide: no %q in %q", w, r.want, top)
			}
		}
	}
}

// TestSortMark: which column sorts is said at every width at which it is shown.
func TestSortMark(t *testing.T) {
	b := newBench(t, Options{})
	wrongLab(b)
	for _, by := range []string{"held", "behind", "longest", "state"} {
		b.press(":", "sort "+by, "enter")
		for w := 60; w <= 200; w += 10 {
			b.size(w, 40)
			head := b.line("  LOCK")
			if strings.Contains(head, strings.ToUpper(by)[:4]) && !strings.Contains(head, "▼") {
				t.Errorf("by %s, %d cells wide: %q", by, w, head)
			}
		}
	}
}

// TestTabsInLittleRoom: every page can be seen and clicked.
func TestTabsInLittleRoom(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	wrongLab(b)
	b.size(40, 12)
	b.press("5")
	b.sees(" 1  2  3  4(5)  5 Lab")
	b.send(tea.MouseMsg{X: 10, Y: 1, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	b.sees(" 1  2  3  4 Findings 5  5")
}

// renamed is a page under another name.
type renamed struct {
	page.Page
	title model.MessageID
}

func (r renamed) About() page.About {
	about := r.Page.About()
	about.Label = r.title
	return about
}

// TestInSightAtAnyWidth: a false belief is said beside the names of the pages however narrow
// these get, and however many they are, and so is a fault alone; where there is neither, neither is said.
func TestInSightAtAnyWidth(t *testing.T) {
	wrong, fault, calm, more := newBench(t, Options{Lab: true}), newBench(t, Options{Lab: true}), newBench(t, Options{Lab: true}), newBench(t, Options{Lab: true})
	wrongLab(wrong)
	wrongLab(more)
	more.pages = append(more.pages, renamed{more.pages[0], "costs-least"})
	fault.w.add(model.FaultOn{At: at(1), ID: 1, Fault: model.Fault{Kind: model.FaultCompact}})
	fault.sync(2)
	calm.sync(2)
	tabs := len(wrong.pages) - 1 // one is an inner page
	for w := 27 + 3*tabs; w <= 200; w++ {
		for _, r := range []struct {
			b                *bench
			want, not, where string
		}{{wrong, "!! 1 false", "", "both"}, {more, "!! 1 false", "", "both, and another page"}, {fault, "! 1 fault", "false", "a fault"}, {calm, "", "! 1", "neither"}} {
			if r.b == more && w < 27+3*(tabs+1) {
				continue
			}
			r.b.size(w, 24)
			if line := strings.Split(r.b.text(), "\n")[1]; !strings.Contains(line, r.want) || r.not != "" && strings.Contains(line, r.not) {
				t.Errorf("%s, %d cells wide: %q", r.where, w, line)
			}
		}
	}
	more.sees(" costs least")
}

// TestFooterDimsWhatDoesNothing: a key that would only say why it does nothing now is
// dim, and stays where it was.
func TestFooterDimsWhatDoesNothing(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	b.sync(1)
	b.press("4")
	b.text()
	dims := func(key string) bool {
		v := b.look()
		v.Armed = true
		return b.keys.At[b.where()][key].Hint(v, 120)[0].St == draw.Dim
	}
	for _, key := range []string{"enter", "e", "o", "tab", "x", "H"} {
		if !dims(key) {
			t.Errorf("%s looks as if it did something on an empty page", key)
		}
	}
	before := b.text()
	wrongLab(b)
	b.press("4")
	for _, key := range []string{"enter", "e", "o", "tab", "x"} {
		if dims(key) {
			t.Errorf("%s looks as if it did nothing", key)
		}
	}
	last := func(s string) string { return s[strings.LastIndex(strings.TrimSpace(s), "\n"):] }
	if last(before) != last(b.text()) {
		t.Errorf("the keys moved:\n%s%s", last(before), last(b.text()))
	}
	b.press("5", "tab")
	if !dims("H") || dims("F") {
		t.Error("a member is selected: its keepalives cannot be held, and faults can be done to it")
	}
}

// TestEnterSaysWhatItDoes: in the menu of faults it chooses, or does it at once.
func TestEnterSaysWhatItDoes(t *testing.T) {
	b := newBench(t, Options{Lab: true, Armed: true})
	wrongLab(b)
	b.press("5", "down")
	b.pressed("F")
	b.sees("enter choose")
	for !strings.Contains(b.text(), "▌ kill") {
		b.press("down")
	}
	b.sees("enter kill now")
}

func TestOften(t *testing.T) {
	for d, want := range map[time.Duration]string{666 * time.Millisecond: "<1s", 1600 * time.Millisecond: "1s", 20 * time.Second: "20s"} {
		if got := page.Often(d); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
}

// TestSharesOfATallScreen: the queue keeps half, and its journal gets of the rest.
func TestSharesOfATallScreen(t *testing.T) {
	last := 0
	for h := 1; h <= 120; h++ {
		queue, under := page.Shares(h)
		if queue+under != h || queue < h/2 || under < last {
			t.Errorf("%d lines: %d and %d", h, queue, under)
		}
		last = under
	}
	if _, under := page.Shares(90); under < 30 {
		t.Errorf("%d of 90 lines for what happened", under)
	}
}

// TestJournalInLittleRoom: sentences have the room that their kind and fractions of a second would
// take, and whatever the height the page never begins amid one.
func TestJournalInLittleRoom(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	wrongLab(b)
	b.press("3")
	for h := 8; h <= 40; h++ {
		b.size(80, h)
		lines := strings.Split(b.text(), "\n")
		at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, " journal  ") })
		if at < 0 {
			t.Fatalf("%d rows: no journal:\n%s", h, b.text())
		}
		if first := lines[at+1]; strings.HasPrefix(first[2:], " ") { // beside the cursor
			t.Errorf("%d rows: it begins amid a sentence: %q", h, first)
		}
	}
	b.size(80, 24)
	b.sees("\n  03:04:16 ✖ Foreign key blocks (certain): /blocked/lock/stray is not a lock")
}

// TestStatusLineInChinese: no blanks are left where a word is narrower than the English one.
func TestStatusLineInChinese(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	wrongLab(b)
	b.th.Lang = "zh"
	b.size(80, 24)
	b.sees("2/3 成员 · Leader m2 ")
}

// TestWhatHappenedIsNoTitleAlone: where there is no room for a line of it, it is not announced.
func TestWhatHappenedIsNoTitleAlone(t *testing.T) {
	b := newBench(t, Options{Lab: true})
	overlap(b)
	for _, keys := range [][]string{{"1"}, {"1", "tab"}, {"enter"}} {
		b.pressed(keys...)
		for h := 12; h <= 40; h++ {
			b.size(80, h)
			lines := strings.Split(b.text(), "\n")
			for i, line := range lines {
				if strings.HasPrefix(line, " what happened") && (i+1 == len(lines) || !strings.Contains(lines[i+1], "03:04")) {
					t.Errorf("80x%d after %v: a title alone\n%s", h, keys, b.text())
				}
			}
		}
	}
}
