package ui

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/ui/draw"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"
)

// writes is a recording of which so many batches can be written, 0 for all.
type writes struct {
	events      []model.Event
	most, wrote int
	ended       bool
}

func (w *writes) Write(b model.Batch) error {
	if w.wrote++; w.most > 0 && w.wrote > w.most {
		return errors.New("no space left")
	}
	w.events = append(w.events, b.Events...)
	return nil
}

func (*writes) Path() string { return "/state/a.rec" }

func (w *writes) End() (string, error) {
	w.ended = true
	return "recorded: locktop replay /state/a.rec", nil
}

func TestPalette(t *testing.T) {
	written := &writes{}
	rows := []struct {
		name, reason string
		o            Options
		keys         []string
		check        func(b *bench)
	}{
		{"lock", "its queue opens, and esc comes back", Options{}, []string{":", "lock /jobs/report", "enter"}, func(b *bench) {
			if b.on() != "Queue" || b.spot("Queue") != "/jobs/report" || b.palette != nil {
				b.t.Errorf("page %s at %s", b.on(), b.spot("Queue"))
			}
			b.press("esc")
			if b.on() != "Locks" {
				b.t.Errorf("back on %s", b.on())
			}
		}},
		{"", "nothing is typed: the cursor stands on the first, as in every list", Options{}, []string{":", "enter"}, func(b *bench) {
			if b.on() != "Queue" || b.palette != nil {
				b.t.Errorf("page %s", b.on())
			}
		}},
		{"record", "it says where, the header has it, what comes is written behind what is so, and it is ended by the same", Options{Record: NewRecorder(func() (RecordFile, error) { return written, nil })}, []string{":", "record", "enter"}, func(b *bench) {
			b.sees("REC")
			b.sees("Recording, with the keys' values, to /state/a.rec: :record ends it")
			begun := len(written.events)
			b.send(batchMsg{Events: []model.Event{model.Tick{At: b.state.Now().Add(time.Second)}}})
			if begun < 3 || len(written.events) != begun+1 {
				b.t.Errorf("%d events at first, then %d", begun, len(written.events))
			}
			b.press(":", "record", "enter")
			b.sees("recorded: locktop replay /state/a.rec")
			if strings.Contains(b.text(), "REC ") || !written.ended {
				b.t.Errorf("it is not ended\n%s", b.text())
			}
		}},
		{"record that fails", "the disk is full later: it ends, and says so", Options{Record: NewRecorder(func() (RecordFile, error) { return &writes{most: 1}, nil })}, []string{":", "record", "enter"}, func(b *bench) {
			b.send(batchMsg{Events: []model.Event{model.Tick{At: b.state.Now().Add(time.Second)}}})
			b.sees("the recording ended: no space left; recorded: locktop replay /state/a.rec")
		}},
		{"record of a recording", "nobody needs it twice", Options{}, []string{":", "record", "enter"}, func(b *bench) {
			b.sees(":record_  ! what is shown is recorded already")
		}},
		{"no such lock", "the line stays, with the reason", Options{}, []string{":", "lock /nope", "enter"}, func(b *bench) {
			b.sees(":lock /nope_  ! no lock of that name")
		}},
		{"tab", "as far as all agree, then one after another", Options{}, []string{":", "lo", "tab", "/jo", "tab"}, func(b *bench) {
			if b.palette.Text != "lock /jobs/" {
				b.t.Errorf("%q", b.palette.Text)
			}
			b.sees("lock /jobs/billing")
			b.sees("lock /jobs/report")
			b.sees(":lock /jobs/_")
			b.press("tab", "tab")
			if b.palette.Text != "lock /jobs/report" {
				b.t.Errorf("%q", b.palette.Text)
			}
			b.press("shift+tab", "enter")
			if b.spot("Queue") != "/jobs/billing" {
				b.t.Errorf("at %s", b.spot("Queue"))
			}
		}},
		{"a few letters", "find locks, sessions, pages, actions, settings and commands, with the keys that do the same, in a box that keeps its size", Options{Lab: true, Armed: true}, []string{":"}, func(b *bench) {
			size := func() int { return strings.Count(b.text(), "│") }
			was := size()
			for _, r := range []struct{ letters, sees string }{
				{"bill", "lock       /jobs/billing"}, {"a1  ", "session    a1  "}, {"sess", "page       page Sessions"},
				{"pause", "action     pause the contender's process, or let it run"}, {"light", "setting    theme light"},
				{"quit", "command    quit"}, {"zzz", "no match"}} {
				b.press("ctrl+u", r.letters)
				b.sees(r.sees)
				if size() != was {
					b.t.Errorf("%q: the box has another size:\n%s", r.letters, b.text())
				}
			}
			b.press("ctrl+u", "pause")
			if row := rowWith(b, "pause the contender"); !strings.HasSuffix(strings.TrimRight(row, " │"), "P") {
				b.t.Errorf("no key beside the action: %q", row)
			}
		}},
		{"letters of a lock", "enter opens its queue", Options{}, []string{":", "jrep", "enter"}, func(b *bench) {
			if b.on() != "Queue" || b.spot("Queue") != "/jobs/report" || b.palette != nil {
				b.t.Errorf("page %s at %s", b.on(), b.spot("Queue"))
			}
		}},
		{"letters of a page", "enter goes there", Options{}, []string{":", "page find", "ctrl+u", "findings", "enter"}, func(b *bench) {
			if b.on() != "Findings" || b.palette != nil {
				b.t.Errorf("page %s", b.on())
			}
		}},
		{"letters of an action", "enter does what its key does: here it marks the lock", Options{}, []string{":", "bookmark the", "enter"}, func(b *bench) {
			if len(b.viewState.Marked.Names) != 1 || b.palette != nil {
				b.t.Errorf("marked: %q", b.viewState.Marked.Names)
			}
		}},
		{"letters of an action that cannot be done", "it is said why beside it, and on enter", Options{NoSuspend: model.Say("quote", "Just so.")}, []string{":", "suspend"}, func(b *bench) {
			b.sees("Just so.")
			b.press("enter")
			if b.palette != nil || !strings.Contains(b.notice.text.Text, "Just so.") {
				b.t.Errorf("notice %q", b.notice.text.Text)
			}
		}},
		{"letters of a contender", "the Lab shows it", Options{Lab: true}, []string{":", "contender", "ctrl+u", "c2"}, func(b *bench) {
			b.press("enter")
			if b.on() != "Lab" || b.Target().Action.Contender != "c2" {
				b.t.Errorf("page %s, %q", b.on(), b.Target().Action.Contender)
			}
		}},
		{"a click", "does what stands in the row", Options{}, []string{":", "vault"}, func(b *bench) {
			for y, line := range strings.Split(b.text(), "\n") {
				if strings.Contains(line, "lock       /vault/core") {
					b.send(tea.MouseMsg{X: 20, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
					break
				}
			}
			if b.spot("Queue") != "/vault/core" || b.palette != nil {
				b.t.Errorf("at %s", b.spot("Queue"))
			}
		}},
		{"the list", "narrows as one types, to what has it anywhere, and enter takes what no other has", Options{}, []string{":"}, func(b *bench) {
			b.press("lock ")
			b.sees(" lock /vault/core ")
			b.press("por")
			if got := strings.Join(b.palette.Offered(), ", "); got != "lock /jobs/report" {
				b.t.Errorf("offered: %s", got)
			}
			b.press("enter")
			if b.spot("Queue") != "/jobs/report" {
				b.t.Errorf("at %s", b.spot("Queue"))
			}
		}},
		{"the list by its cursor", "down chooses, and enter on a command goes on to what it is about", Options{}, []string{":", "page", "enter"}, func(b *bench) {
			b.sees("usage: page NAME")
			b.press("down", "down", "down", "up", "enter")
			if b.on() != "Sessions" || b.palette != nil {
				b.t.Errorf("page %s", b.on())
			}
		}},
		{"a part of several names", "opens none of them", Options{}, []string{":", "lock jobs", "enter"}, func(b *bench) {
			b.sees("2 locks have that in their names: down chooses one")
			b.press("down", "enter")
			if b.spot("Queue") != "/jobs/billing" {
				b.t.Errorf("at %s", b.spot("Queue"))
			}
		}},
		{"wide names", "are completed", Options{}, []string{":", "lock /銀", "tab", "enter"}, func(b *bench) {
			if b.spot("Queue") != "/銀行/決済" {
				b.t.Errorf("at %s", b.spot("Queue"))
			}
		}},
		{"nothing to complete", "is said", Options{}, []string{":", "lock zz", "tab"}, func(b *bench) { b.sees("no match") }},
		{"lease in hex", "as etcdctl prints it", Options{}, []string{":", "lease c3", "enter"}, func(b *bench) {
			if b.on() != "Sessions" || b.spot("Sessions") != "c3" {
				b.t.Errorf("page %s at %v", b.on(), b.spot("Sessions"))
			}
		}},
		{"lease in decimal", "as Go prints it", Options{}, []string{":", "lease 195", "enter"}, func(b *bench) {
			if b.spot("Sessions") != "c3" {
				b.t.Errorf("at %v", b.spot("Sessions"))
			}
		}},
		{"no such lease", "is said", Options{}, []string{":", "lease 0xfff1", "enter"}, func(b *bench) { b.sees("no watched key has that lease") }},
		{"no lease", "is said", Options{}, []string{":", "lease zz", "enter"}, func(b *bench) { b.sees("give a lease ID") }},
		{"page by name", "or by its beginning", Options{}, []string{":", "page find", "enter"}, func(b *bench) {
			if b.on() != "Findings" {
				b.t.Errorf("page %s", b.on())
			}
		}},
		{"sort", "by a name", Options{}, []string{":", "sort name", "enter"}, func(b *bench) {
			if !slices.IsSorted(b.viewState.Locks.Order.IDs) {
				b.t.Errorf("%q", b.viewState.Locks.Order.IDs)
			}
		}},
		{"theme", "at once", Options{Profile: colours}, []string{":", "theme light", "enter"}, func(b *bench) {
			if !strings.Contains(b.View(), "\x1b[1;34m") || b.settings().Theme != draw.ThemeLight {
				b.t.Errorf("no dark blue on a light ground:\n%q", b.View())
			}
		}},
		{"theme without colours", "is kept, and said", Options{Profile: termenv.Ascii}, []string{":", "theme light", "enter"}, func(b *bench) { b.sees("there are no colours here") }},
		{"prefix in the lab", "is fixed", Options{Lab: true}, []string{":", "prefix /a", "enter"}, func(b *bench) { b.sees("the watched prefixes are fixed here") }},
		{"unknown", "names all there are", Options{}, []string{":", "nonsense", "enter"}, func(b *bench) { b.sees("no such command: lock NAME, lease ID") }},
		{"an argument too few", "says which", Options{}, []string{":", "lock", "enter"}, func(b *bench) { b.sees("usage: lock NAME") }},
		{"esc", "leaves it", Options{}, []string{":", "lock", "esc"}, func(b *bench) {
			if b.palette != nil || b.on() != "Locks" {
				b.t.Error("still open")
			}
		}},
		{"letters are text", "q does not quit while a command is typed", Options{}, []string{":", "q", "x"}, func(b *bench) {
			if b.palette == nil || b.palette.Text != "qx" {
				b.t.Errorf("%+v", b.palette)
			}
		}},
		{"bookmark", "' comes back to it, from one to the next", Options{}, []string{":", "lock /cron/job7", "enter", "b", "esc", "home", "b", "3", "'"}, func(b *bench) {
			if b.on() != "Locks" || b.viewState.Locks.Pick.ID != "/cron/job7" {
				b.t.Errorf("page %s at %s", b.on(), b.viewState.Locks.Pick.ID)
			}
			b.sees("/cron/job7 ◆")
			b.press("'")
			if b.viewState.Locks.Pick.ID != "/demo/checkout" {
				b.t.Errorf("at %s", b.viewState.Locks.Pick.ID)
			}
			b.press("b", "end", "'", "'")
			if b.viewState.Locks.Pick.ID != "/cron/job7" || len(b.viewState.Marked.Names) != 1 {
				b.t.Errorf("at %s of %q", b.viewState.Locks.Pick.ID, b.viewState.Marked.Names)
			}
		}},
		{"bookmark behind a filter", "the filter goes", Options{}, []string{"home", "b", "/", "jobs", "enter", "'"}, func(b *bench) {
			if b.viewState.Locks.Pick.ID != "/demo/checkout" || b.viewState.Locks.Order.Filter != "" {
				b.t.Errorf("at %s, filter %q", b.viewState.Locks.Pick.ID, b.viewState.Locks.Order.Filter)
			}
		}},
		{"the screen to a file", "as text, without the line in which that was asked for", Options{Save: func(file, text string) (string, error) {
			lines := strings.Split(text, "\n")
			if strings.Contains(text, "\x1b") || strings.Contains(text, ":screen") || len(lines) != 41 || !strings.HasPrefix(lines[39], " x break") {
				return "", fmt.Errorf("%d lines: %q", len(lines), text)
			}
			return "/home/me/" + file, nil
		}}, []string{":", "screen a.txt", "enter"}, func(b *bench) { b.sees("Wrote the screen to /home/me/a.txt") }},
		{"the screen to a file that is there", "says why not, and that stays", Options{Save: func(string, string) (string, error) { return "", errors.New("a\x1b.txt is there") }}, []string{":", "screen a.txt", "enter"}, func(b *bench) {
			b.sees(`the screen was not written: a\x1b.txt is there`)
		}},
		{"no bookmark", "says how to make one", Options{}, []string{"'"}, func(b *bench) { b.sees("no lock is marked: b marks") }},
		{"column off", "and its room goes to the others", Options{}, []string{"v", "down", "down", "down", " ", "esc"}, func(b *bench) {
			if strings.Contains(b.text(), "HOLDER") {
				b.t.Errorf("still there:\n%s", b.text())
			}
			if d := cmp.Diff(Settings{Hidden: map[string][]string{"locks": {"HOLDER"}}}, b.settings()); d != "" {
				b.t.Error(d)
			}
			b.press("v", "down", "down", "down", " ", "esc")
			b.sees("HOLDER")
		}},
		{"column that stays", "the rows are about it", Options{}, []string{"v", " ", "esc"}, func(b *bench) {
			b.sees("LOCK stays")
			b.sees("/jobs/billing")
		}},
		{"columns of the journal", "there are none", Options{}, []string{"3", "v"}, func(b *bench) {
			if b.dialog != nil {
				b.t.Error("a menu")
			}
		}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			b := newBench(t, r.o)
			wrongLab(b)
			b.press(r.keys...)
			exact(t, b.View(), 120, 40)
			r.check(b)
			if t.Failed() {
				t.Log(r.reason)
			}
		})
	}
}

// rowWith is the line of the screen that has a text, "" for none.
func rowWith(b *bench, text string) string {
	for _, line := range strings.Split(b.text(), "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

// TestSettingsAreRemembered: what was set stands in a new console, but not that an order was
// turned round; what is not understood is left out.
func TestSettingsAreRemembered(t *testing.T) {
	var told []Settings
	o := Options{Remember: func(s Settings) error { told = append(told, s); return nil }}
	b := newBench(t, o)
	wrongLab(b)
	if err := b.rememberChanges(); err != nil || told != nil {
		t.Errorf("nothing changed: %v, %v", told, err)
	}
	b.press("s", "S", "v", "down", "down", "down", "down", " ", "esc", ":", "theme mono", "enter", "2", "v", "down", " ", "esc")
	if err := b.rememberChanges(); err != nil {
		t.Fatal(err)
	}
	want := Settings{Theme: draw.ThemeMono, Sort: "name", Hidden: map[string][]string{"locks": {"HELD"}, "sessions": {"WHO"}}}
	if d := cmp.Diff([]Settings{want}, told); d != "" {
		t.Fatal(d)
	}
	again := newBench(t, Options{Settings: told[0]})
	wrongLab(again)
	if d := cmp.Diff(want, again.settings()); d != "" {
		t.Error(d)
	}
	if strings.Contains(again.text(), "HELD") {
		t.Errorf("shown again:\n%s", again.text())
	}
	odd := newBench(t, Options{Settings: Settings{Theme: "pink", Sort: "colour", Hidden: map[string][]string{"locks": {"LOCK", "NONE"}, "none": {"X"}}}})
	if d := cmp.Diff(Settings{}, odd.settings()); d != "" {
		t.Error(d)
	}
}

// pictureless is a screen without what lanes are drawn with: where a cell is cut in two
// depends on how many colours there are.
func pictureless(text string) string {
	text = regexp.MustCompile("[█▓][!✖]|[!✖][█▓]|(?m)[!✖][ ▏▎▍▌▋▊▉▐█▓]*$").ReplaceAllString(text, "█") // signs of lanes, where colours are few
	return regexp.MustCompile("[ ▏▎▍▌▋▊▉▐█▓┃─╌▚]+").ReplaceAllString(text, " ")
}

// TestThemes: in each of them, and with every number of colours, the text is the same
// and what must be told apart looks different.
func TestThemes(t *testing.T) {
	var text string
	for _, name := range draw.Themes {
		for _, p := range []termenv.Profile{termenv.ANSI, termenv.ANSI256, termenv.TrueColor} {
			b := newBench(t, Options{Lab: true, Profile: p, Theme: name})
			wrongLab(b)
			exact(t, b.View(), 120, 40)
			if text == "" {
				text = pictureless(b.text())
			}
			if d := cmp.Diff(text, pictureless(b.text())); d != "" {
				t.Errorf("%s: %s", name, d)
			}
			th := b.th
			for _, pair := range [][2]draw.Style{{draw.Bad, draw.Plain}, {draw.Bad, draw.Late}, {draw.Late, draw.Plain}, {draw.Alarm, draw.Plain}, {draw.Armed, draw.Readonly}, {draw.Accent, draw.Plain}} {
				if th.Before[pair[0]] == th.Before[pair[1]] {
					t.Errorf("%s: styles %d and %d look the same", name, pair[0], pair[1])
				}
			}
			for s := range draw.StyleCount {
				colour := strings.ContainsAny(strings.NewReplacer("\x1b[", ";", "m", ";").Replace(th.Before[s]), "3") && strings.Contains(th.Before[s], "3")
				if name == draw.ThemeMono && colour {
					t.Errorf("mono: style %d is %q", s, th.Before[s])
				}
			}
			if name == draw.ThemeLight && strings.Contains(th.Before[draw.Late], "[1;33m") {
				t.Error("yellow on a light ground")
			}
		}
	}
}
