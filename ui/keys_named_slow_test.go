//go:build slow

package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
)

// named are the keys that the screen names: what stands there in the style of a key and is called as
// one. In the footer a key that would only say why it does nothing is dim, and is one too.
func named(b *bench) (keys []string) {
	calls := map[string]string{b.th.Sign.Left: "left", b.th.Sign.Arrow: "right"}
	for _, row := range b.keys.Rows {
		for _, k := range row.Keys {
			calls[host.Names([]string{k})] = k
		}
	}
	var styles []string
	for _, all := range []*[draw.StyleCount]string{&b.th.Before, &b.th.OnWarn, &b.th.OnError} {
		styles = append(styles, all[draw.Accent], all[draw.Change])
	}
	lines := strings.Split(b.View(), "\n")
	for i, line := range lines {
		foot := i == len(lines)-1
		for _, part := range strings.Split(line, b.th.After) {
			at := strings.LastIndexByte(part, '\x1b')
			if at < 0 {
				continue
			}
			end := at + strings.IndexByte(part[at:], 'm') + 1
			st := part[at:end]
			if from := strings.Index(part, "\x1b"); from >= 0 {
				st = part[from:end]
			}
			if !slices.Contains(styles, st) && !(foot && st == b.th.Before[draw.Dim] && !strings.HasPrefix(part[end:], " ")) {
				continue
			}
			words := strings.Fields(part[end:])
			if slices.ContainsFunc(words, func(w string) bool { return calls[w] == "" }) {
				continue
			}
			for _, w := range words {
				keys = append(keys, calls[w])
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// TestEachKeyThatIsNamedDoesSomething reads the keys from the screens themselves, and presses each: on
// every page, at several sizes, in Chinese too. Something has to be seen of it: what it does, or why
// it does nothing.
func TestEachKeyThatIsNamedDoesSomething(t *testing.T) {
	states := []struct {
		name   string
		o      Options
		zh     bool
		before []string
	}{
		{"a lab in trouble", Options{Lab: true, Armed: true}, false, nil},
		{"in Chinese", Options{Lab: true, Armed: true}, true, nil},
		{"only to look", Options{NoLab: model.Say("quote", "Just so.")}, false, nil},
		{"in the past", Options{Lab: true}, false, []string{"[", "["}},
		{"frozen", Options{Lab: true, Armed: true}, false, []string{" "}},
		{"filtered", Options{NoLab: model.Say("quote", "Just so.")}, false, []string{"/", "r", "enter"}},
		{"the cursor further down", Options{Armed: true}, false, []string{"down", "down"}},
		{"the cursor at the first", Options{Armed: true}, false, []string{"g"}},
		{"in the other pane", Options{Armed: true}, false, []string{"tab"}},
		{"in help", Options{Lab: true, Armed: true}, false, []string{"?"}},
		{"in an explanation", Options{Lab: true, Armed: true}, false, []string{"e"}},
		{"in the palette", Options{Lab: true, Armed: true}, false, []string{":"}},
	}
	pages := map[string][]string{"Locks": {"1"}, "Queue": {"1", "enter"}, "Sessions": {"2"}, "Journal": {"3"}, "Findings": {"4"}, "Lab": {"5"}, "Time": {"6"}}
	pressed := map[string]bool{}
	for _, s := range states {
		for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 50}, {60, 15}} {
			for page, way := range pages {
				there := func() *bench {
					s.o.Profile = termenv.ANSI256
					b := newBench(t, s.o)
					wrongLab(b)
					if s.zh {
						b.th.Lang = "zh"
					}
					b.size(size[0], size[1])
					b.press(way...)
					b.press(s.before...)
					return b
				}
				for _, key := range named(there()) {
					if key == way[0] && len(way) == 1 {
						continue // the tab of the page that is shown says where one is
					}
					if s.name == "in the palette" && (key == "left" || key == "right") {
						continue // the page behind names them: what is typed has its cursor at its end
					}
					if key == "M" && s.name == "in help" {
						continue // among the signs: what stands beside a lock that is marked
					}
					if slices.Contains([]string{"j", "k", "g", "G", "home", "end"}, key) {
						continue // help names them, and at the end of a list one of them stays there
					}
					b := there()
					was := b.View()
					_, cmd := b.Update(keyMsg(key))
					now := b.View()
					if key == "q" || strings.HasPrefix(key, "ctrl+") {
						if cmd == nil && now == was {
							t.Errorf("%s names %q, and it does nothing", page, key)
						}
						continue
					}
					b.do(cmd)
					if pressed[page+" "+key] = true; now == was && b.View() == was && b.notice.text.Text == "" { // it may say what stands there already
						t.Errorf("%s, %s at %dx%d names %q, and nothing is seen of it:\n%s", page, s.name, size[0], size[1], key, b.text())
					}
				}
			}
		}
	}
	for _, want := range []string{"Locks z", "Locks left", "Locks right", "Locks [", "Locks ]", "Time z", "Queue [", "Journal enter", "Journal f", "Journal e", "Lab A", "Findings enter", "Locks !"} {
		if !pressed[want] {
			t.Errorf("no screen names %q: are keys read at all?", want)
		}
	}
	if testing.Verbose() {
		fmt.Println(len(pressed), "keys of pages")
	}
}

// TestKeysOfTheJournalAreAboutItsLine: whatever is selected elsewhere, enter, e, f, w and o are about
// the line under the cursor as it was painted, also after others came.
func TestKeysOfTheJournalAreAboutItsLine(t *testing.T) {
	line := func(b *bench) string {
		for _, l := range slices.Backward(strings.Split(b.text(), "\n")) { // a verdict above has a bar, too
			if strings.HasPrefix(l, b.th.Sign.Cursor) {
				return l
			}
		}
		t.Fatalf("no line is under the cursor:\n%s", b.text())
		return ""
	}
	for _, r := range []struct {
		name, want, reason string
		keys               []string
		do                 func(b *bench)
	}{
		{"the newest", "/demo/checkout", "it is under the cursor until a person moves", nil, nil},
		{"further up", "/jobs/billing", "the line tells of the queue of another lock", []string{"g"}, func(b *bench) {
			for range 20 {
				if strings.Contains(line(b), "/jobs/billing") {
					return
				}
				b.press("down")
			}
		}},
		{"clicked", "/jobs/billing", "the line that was hit", []string{"g"}, func(b *bench) {
			y := slices.IndexFunc(strings.Split(b.text(), "\n"), func(l string) bool {
				return strings.Contains(l, "/jobs/billing") && strings.Contains(l, "b2 joined the queue")
			})
			b.send(tea.MouseMsg{X: 10, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
		}},
	} {
		for _, key := range []string{"enter", "f", "e"} {
			b := newBench(t, Options{})
			wrongLab(b)
			b.size(120, 40)
			b.press("1", "G")
			b.press("3")
			b.press(r.keys...)
			if r.do != nil {
				r.do(b)
			}
			on := line(b)
			b.w.claim(30, "/zz/new", "n", 0xee)
			b.Update(b.w.batch()) // it comes, and is not painted yet
			b.press(key)
			switch got := b.spot("Queue"); {
			case key == "enter" && (b.on() != "Queue" || got != r.want):
				t.Errorf("%s: enter opens %s %s, want the queue of %s: %s\n%s", r.name, b.on(), got, r.want, r.reason, on)
			case key == "f" && !strings.Contains(b.text(), "journal of "+r.want):
				t.Errorf("%s: f does not show %s alone: %s\n%s", r.name, r.want, r.reason, b.text())
			case key == "e" && !strings.Contains(b.text(), r.want):
				t.Errorf("%s: e tells of another than %s: %s\n%s", r.name, r.want, r.reason, b.text())
			}
		}
	}
	b := newBench(t, Options{})
	wrongLab(b)
	b.press("?", "3")
	b.press("o", "3", "o", "f", "e", "enter") // over a page that nobody has painted yet
	b.Update(keyMsg("3"))
	for _, key := range []string{"o", "f", "e", "enter"} {
		b.Update(keyMsg(key))
	}
}
